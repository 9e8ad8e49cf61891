"""A recipe in several processes that learn together, each on a device of its own, as `accelerate
launch` starts them.

    python -m lpm_kernel.L2.recipes.launch 2 sft RUN [--measure]

Where the recipe's settings say `cpu`, the processes share the processor and speak through gloo; so
it is tested where there is one device. They end with who started this: the launcher watches its
parent, and each of them watches the launcher.
"""

from __future__ import annotations

import os
import sys

from lpm_kernel.L2.recipes.loop.machine import stay_offline
from lpm_kernel.L2.settling import SETTLED, end_with_parent


def main(given: list[str] | None = None) -> None:
    """Start so many processes of a recipe and wait for them."""
    count, recipe, *rest = sys.argv[1:] if given is None else given
    end_with_parent()
    stay_offline()
    os.environ.update(SETTLED)  # each of them would start itself anew, and get lost to the launcher
    os.environ["LPM_PARENT"] = str(os.getpid())
    from accelerate.commands.launch import (  # type: ignore[import-untyped]
        launch_command,
        launch_command_parser,
    )

    asked = ["--multi_gpu", "--num_processes", count, "--num_machines", "1"]
    asked += ["--mixed_precision", "no", "--dynamo_backend", "no", "--main_process_port", "0"]
    asked += ["--module", f"lpm_kernel.L2.recipes.{recipe}", *rest]
    launch_command(launch_command_parser().parse_args(asked))


def devices_there() -> int:
    """Count the devices that torch can learn on beside each other; one at least."""
    import torch

    return max(1, torch.cuda.device_count())


if __name__ == "__main__":
    main()
