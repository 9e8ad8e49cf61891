"""How much is tried: a part of it in `make test`, all of it in `make test-full` (LPM_FULL=1)."""

from __future__ import annotations

import os

import pytest

FULL = os.environ.get("LPM_FULL") == "1"
only_in_full = pytest.mark.full
"""Left out of the gate: `conftest.py` does not collect it there."""


def many(in_full: int, in_gate: int) -> int:
    """Return how many of something to try."""
    return in_full if FULL else in_gate
