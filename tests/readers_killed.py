"""Keep, use and delete readers in processes of which each dies before another step, to see what the
next one finds.

    python -m tests.readers_killed FOLDER

Each process is forked and ends by SIGKILL just before the n-th time that it touches a file of its
home, until one comes to its end. For each there is a line of JSON: what was done, how far it came,
which reader is in use, whether its weights and its lineage are whole, and what is left after the
sweep that the next process begins with.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lpm_kernel.config import Home
from lpm_kernel.usecases.training import readers
from lpm_kernel.usecases.training.readers import LearnedReader

BASE = "base"
OLD, NEW = "r_00000001", "r_00000002"
TOUCHES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod"}


def reader(home: Home, identifier: str) -> tuple[LearnedReader, Path]:
    """Return a reader that learned from a turn of its own, and its weights."""
    weights = home.root / f"{identifier}.npz"
    weights.write_text(f"weights of {identifier}")
    source = {"turn": identifier, "conversation": f"v_{identifier}", "documents": []}
    made = LearnedReader(
        identifier, "2026-03-14", BASE, readers.hash_of(weights), {}, [source], {}, {}, ()
    )
    return made, weights


def kept(home: Home) -> None:
    """Keep another reader, and take it into use."""
    made, weights = reader(home, NEW)
    readers.keep(home, made, weights)
    readers.use(home, made, BASE)


def dropped(home: Home) -> None:
    """Delete the reader in use."""
    readers.drop(home, _is_gone)


def put_back(home: Home) -> None:
    """Go back to the reader that the node ships."""
    readers.reset(home)


def _is_gone(source: Mapping[str, Any]) -> bool:
    return bool(source["turn"] == OLD)


def main(folder: Path) -> None:
    """Do each of them, dying one step later each time."""
    for act in (kept, dropped, put_back):
        ended, number = signal.SIGKILL * -1, 0
        while ended:
            number += 1
            home = Home(folder / f"{act.__name__}-{number}")
            home.readers.mkdir(parents=True)
            home.run.mkdir()
            old, weights = reader(home, OLD)
            readers.keep(home, old, weights)
            readers.use(home, old, BASE)
            ended = _died(act, home, number)
            found = _found(home)
            readers.sweep(home, BASE, _is_gone if act is dropped else lambda _: False)
            left = sorted(path.name for path in home.readers.iterdir())
            print(  # noqa: T201  the test reads it
                json.dumps({"act": act.__name__, "ended": ended, **found, "left": left}),
                flush=True,
            )


def _died(act: Callable[[Home], None], home: Home, number: int) -> int:
    child = os.fork()
    if not child:
        left = [number]

        def hear(event: str, arguments: tuple[object, ...]) -> None:
            if event in TOUCHES and str(home.readers) in str(arguments[0]):
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hear)
        act(home)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _found(home: Home) -> dict[str, Any]:
    used = readers.in_use(home)
    if used is None:
        return {"in_use": None, "whole": True}
    known = readers.get(home, used.parent.name)
    return {"in_use": known.id, "whole": readers.hash_of(used) == known.weights}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
