"""Programs of this machine that read what the node does not read by itself, where they are
installed.
"""

from __future__ import annotations

import shutil
from functools import cache


@cache
def tesseract() -> str | None:
    """Return where tesseract is, if it is there."""
    return shutil.which("tesseract")
