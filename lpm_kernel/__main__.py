"""``python -m lpm_kernel`` is ``lpm``."""

from lpm_kernel.cli import main

main()
