"""Where the invented lives are. The sample life comes with the package; what measures it, and the
other lives, stand in ``tests/data/lives``.
"""

from __future__ import annotations

from pathlib import Path

LIVES = Path(__file__).parent / "data" / "lives"
"""A folder for each life: its questions, its facts, what is planted in it."""
SAMPLE = Path(__file__).parents[1] / "lpm_kernel" / "sample" / "nagi"
"""What the sample life feeds to its node."""


def archive(life: str | Path) -> Path:
    """Return what a life feeds to its node; it is named, or given as the whole path of its
    folder.
    """
    folder = LIVES / life
    return SAMPLE if folder == LIVES / "nagi" else folder / "archive"
