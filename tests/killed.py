"""Train in processes of which each dies at a chosen moment, to see whether the next one goes on as
if nothing had been.

    python -m tests.killed RECIPE RUN MOMENT… [-- RUN MOMENT…]

RECIPE is `sft` or `dpo`. A moment is the end of a file's path and which opening of it is meant:
`checkpoint-3/whole:1` is just before a checkpoint counts, `samples.jsonl:2` just after. At that
moment the process ends by SIGKILL, with no word to anybody; then the next one is started, and at
last one that nobody kills. For each there is a line: how it ended, and the steps told so far. The
recipe is the real one. It is forked from a process that has everything imported, since importing
takes longer than learning.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import peft  # noqa: F401 - as above: imported before there are forks
import torch
import transformers  # noqa: F401 - as above
import trl  # noqa: F401 - as above

from lpm_kernel.L2.recipes import dpo, sft


def main(recipe: str, run: Path, moments: list[str]) -> None:
    torch.set_num_threads(1)
    learn: Callable[[Path], None] = {"sft": sft.learn, "dpo": dpo.learn}[recipe]
    place = run / "dpo" if recipe == "dpo" else run
    for moment in [*moments, ""]:
        child = os.fork()
        if not child:
            if moment:
                die_at(moment)
            learn(run)
            sys.stdout.flush()
            os._exit(0)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told = (
            [
                json.loads(line)
                for line in (place / "progress.jsonl").read_text("utf-8").splitlines()
            ]
            if (place / "progress.jsonl").exists()
            else []
        )
        print(  # noqa: T201  the test reads it
            json.dumps(
                {
                    "moment": moment,
                    "ended": ended,
                    "steps": [row["step"] for row in told if "loss" in row],
                }
            ),
            flush=True,
        )


def die_at(moment: str) -> None:
    place, _, which = moment.rpartition(":")
    left = [int(which)]

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event in {"open", "os.mkdir"} and str(arguments[0]).endswith(place):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hear)


if __name__ == "__main__":
    for is_end, (where, *when) in groupby(sys.argv[2:], lambda word: word == "--"):
        if not is_end:
            main(sys.argv[1], Path(where), when)
