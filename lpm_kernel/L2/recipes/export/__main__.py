"""The command line of the export; see the package."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from lpm_kernel.errors import NodeError
from lpm_kernel.L2.recipes.export.adapter import export_adapter
from lpm_kernel.L2.recipes.export.base import BaseMeasures
from lpm_kernel.L2.recipes.export.merge import export_merged
from lpm_kernel.L2.recipes.export.model import export_model
from lpm_kernel.L2.recipes.export.writing import TYPES


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command, write the file, and say on one line of JSON what was written; a refusal is
    a sentence on stderr.
    """
    parser = argparse.ArgumentParser(
        prog="export", description="From trained weights to what llama.cpp serves."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    adapter = commands.add_parser("adapter", help="a peft LoRA adapter as GGUF")
    adapter.add_argument("folder", type=Path, help="the folder that peft saved")
    adapter.add_argument("out", type=Path)
    adapter.add_argument(
        "--base",
        type=Path,
        required=True,
        help="the base: its Hugging Face folder or its GGUF file",
    )
    merge = commands.add_parser("merge", help="a base GGUF file with the adapter in its weights")
    merge.add_argument("folder", type=Path, help="the folder that peft saved")
    merge.add_argument("base", type=Path, help="the base's GGUF file")
    merge.add_argument("out", type=Path)
    merge.add_argument(
        "--scale",
        type=float,
        default=1.0,
        help="how much of the adapter: 1 is all of it, as it was trained",
    )
    model = commands.add_parser("model", help="a whole Hugging Face folder as GGUF")
    model.add_argument("folder", type=Path, help="config.json, tokenizer.json and the safetensors")
    model.add_argument("out", type=Path)
    for command in (merge, model):
        command.add_argument(
            "--type",
            choices=TYPES,
            default="q8_0",
            help="how numbers are kept: f16, or q8_0 in half the space",
        )
    for command in (adapter, merge, model):
        command.add_argument(
            "--name",
            help="what it is called inside, such as the run's id; the folder's name if not given",
        )
    given = parser.parse_args(arguments)
    name = given.name or given.folder.resolve().name
    try:
        if given.command == "adapter":
            export_adapter(given.folder, BaseMeasures.read(given.base), given.out, name)
        elif given.command == "merge":
            export_merged(given.folder, given.base, given.out, given.type, given.scale, name)
        else:
            export_model(given.folder, given.out, given.type, name)
    except NodeError as error:
        print(f"{error.detail} {error.hint}".strip(), file=sys.stderr)  # noqa: T201 - the parent reads it
        return 1
    except OSError as error:
        print(  # noqa: T201  as above
            f"{given.out.name} could not be written: {error.strerror}. Make room, or choose another"
            " place.",
            file=sys.stderr,
        )
        return 1
    print(json.dumps({"file": str(given.out), "bytes": given.out.stat().st_size}))  # noqa: T201 - as above
    return 0


if __name__ == "__main__":
    sys.exit(main())
