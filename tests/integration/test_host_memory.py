"""States of a model come and go all day; the process stays as large as what it keeps."""

from __future__ import annotations

import subprocess
import sys

import pytest

KEPT = 96
"""Megabytes that are kept at most."""
CHURN = f"""
import random, sys, threading
import psutil
from lpm_kernel.backends.llm.prefixes import Prefixes, give_back_large_blocks

give_back_large_blocks()
kept, lock, process = Prefixes({KEPT}_000_000), threading.Lock(), psutil.Process()
before, held = process.memory_info().rss, []

def churn(number):
    dice = random.Random(number)
    for turn in range(40):
        with lock:
            state = bytearray(dice.randrange(2_000_000, 15_000_000))
            state[::4096] = b"x" * len(state[::4096])
            kept.keep([number, turn], state)
            held.append([bytes(5000) for _ in range(200)][::20])
            del held[:-200]

threads = [threading.Thread(target=churn, args=(number,)) for number in range(12)]
for each in threads: each.start()
for each in threads: each.join()
print((process.memory_info().rss - before) // 1_000_000)
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="not on this machine: it is glibc that keeps them"
)
def test_states_that_were_dropped_leave_the_process() -> None:
    grown = int(
        subprocess.run(
            [sys.executable, "-c", CHURN], capture_output=True, text=True, check=True, timeout=120
        ).stdout
    )
    assert grown < 2 * KEPT
