"""SIGKILL before every step of keeping, using and deleting a reader: one that is whole is in use,
the old one or the new, and the next process clears away what was left.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.readers_killed import NEW, OLD

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
MAY_BE_IN_USE: dict[str, set[str | None]] = {
    "kept": {OLD, NEW},
    "dropped": {OLD, None},
    "put_back": {OLD, None},
}
LEFT: dict[str, tuple[set[str], ...]] = {
    "kept": ({"in-use", OLD}, {"in-use", OLD, NEW}),
    "dropped": (set(),),
    "put_back": ({"in-use", OLD}, {OLD}),
}


def test_whoever_is_killed_leaves_a_whole_reader_in_use(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.readers_killed", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    rows: list[dict[str, Any]] = [json.loads(line) for line in told.stdout.splitlines()]
    assert {row["act"] for row in rows if not row["ended"]} == set(MAY_BE_IN_USE)
    assert sum(bool(row["ended"]) for row in rows) > 15
    for row in rows:
        assert row["whole"], row
        assert row["in_use"] in MAY_BE_IN_USE[row["act"]], row
        # the next one to be taken into use is written over it
        assert set(row["left"]) - {"in-use.new"} in LEFT[row["act"]], row
