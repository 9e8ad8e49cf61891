"""Memory that a training gives back when what it was told to stay within would not hold the next
micro-batch.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lpm_kernel.L2.recipes.loop.machine import HEAP_GROWS, Room
from lpm_kernel.L2.settling import SETTLED

GIVES_BACK = """
import sys
from lpm_kernel.L2.recipes.loop import machine
blocks = [bytearray(200_000) for _ in range(1000)]
del blocks[::2], blocks[:-1]
held = machine.resident_bytes()
machine.make_room(machine.Room(most=held * 2, token=1.0), 1)
assert abs(machine.resident_bytes() - held) < 10_000_000, "there was room"
machine.make_room(machine.Room(most=held, token=1.0), 1)
print(held - machine.resident_bytes())
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="not on this machine: what is free is given back by glibc"
)
def test_what_is_free_goes_back_when_the_next_bite_would_not_fit() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GIVES_BACK],
        env={**os.environ, **SETTLED},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) > 150_000_000


def test_how_much_it_may_take_is_what_was_measured_on_this_processor(tmp_path: Path) -> None:
    assert Room.of(tmp_path) is None
    measured = {"peak_bytes": 1000 * HEAP_GROWS, "token_bytes": 2.5, "device": "cpu"}
    (tmp_path / "estimate.json").write_text(json.dumps(measured))
    assert Room.of(tmp_path) == Room(1000, 2.5)
    (tmp_path / "estimate.json").write_text(json.dumps({**measured, "device": "cuda"}))
    assert Room.of(tmp_path) is None
