"""What a recipe learns on: devices, the memory that it takes of them, and rows over them."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

HEAP_GROWS = 1.22
"""By how much the processor's memory at its fullest, over hundreds of micro-batches of every
length, exceeds the fullest of the measured steps: 1.19, 1.24 and 1.27 in three whole trainings
(`docs/log.md`).
"""
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
"""Nothing that learns asks or tells anybody: trl reports each trainer that is made."""


def stay_offline() -> None:
    """Let the libraries that learn reach nobody. It counts before the first of them is imported."""
    os.environ.update(OFFLINE)


def processes() -> int:
    """Tell how many processes learn together, as `accelerate launch` or `torchrun` says."""
    return max(1, int(os.environ.get("WORLD_SIZE", "1")))


def is_first_process() -> bool:
    """Tell whether this is the process of several that writes."""
    return int(os.environ.get("RANK", "0")) == 0


def division(batch: int, micro_batch: int, devices: int) -> tuple[int, int]:
    """Return how many rows each device takes at once, and how many times, so that a step sees the
    whole batch and no more: as many at once as the micro-batch over all devices allows.

    Raises ``SystemExit`` with a sentence for a batch that cannot be shared evenly.

    >>> division(16, 16, 1), division(16, 5, 1), division(16, 4, 4), division(16, 2, 4)
    ((16, 1), (4, 4), (1, 4), (1, 4))
    """
    if batch % devices:
        raise SystemExit(
            f"A batch of {batch} rows cannot be shared evenly by {devices} devices. Choose a batch"
            " that they divide."
        )
    share = batch // devices
    most = max(1, min(micro_batch // devices, share))
    rows = next(rows for rows in range(most, 0, -1) if share % rows == 0)
    return rows, share // rows


@dataclass(frozen=True)
class Room:
    """How much memory the measured steps needed, and what a token of a micro-batch takes of it."""

    most: int
    token: float

    @classmethod
    def of(cls, run: Path) -> Room | None:
        """Read it from what was measured; ``None`` where nothing was, or where the memory is not
        the processor's own.
        """
        file = run / "estimate.json"
        known = json.loads(file.read_text("utf-8")) if file.exists() else {}
        return (
            cls(int(known["peak_bytes"] / HEAP_GROWS), known["token_bytes"])
            if known.get("token_bytes") and known["device"] == "cpu"
            else None
        )


def make_room(room: Room | None, tokens: int) -> None:
    """Give free memory back to the system before a micro-batch that might not fit beside
    it.

    Micro-batches are of every length, so what one leaves free seldom holds the next, and the heap
    grows by half and more over a hundred steps. Giving all of it back at each step costs page
    faults (``SETTLED``); when it is needed, every few steps, it costs little.
    """
    if (
        room is not None
        and sys.platform == "linux"
        and resident_bytes() + room.token * tokens > room.most
    ):
        import ctypes

        # a C library that has no such function keeps what it has
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def device_of(wanted: str) -> str:
    """Return where it learns: ``cpu``, ``cuda`` or ``mps``; ``auto`` takes the first there is.
    Raises ``SystemExit`` with a sentence for a device that is not there.
    """
    import torch

    there = [
        name
        for name, known in (
            ("cuda", torch.cuda.is_available()),
            ("mps", torch.backends.mps.is_available()),
            ("cpu", True),
        )
        if known
    ]
    if wanted not in {"auto", *there}:
        raise SystemExit(
            f"This machine has no device “{wanted}” that torch can use; it has"
            f" {' and '.join(there)}. Leave the device to the node."
        )
    return there[0] if wanted == "auto" else wanted


def sixteen_bits(precision: str, *, on_cpu: bool) -> bool:
    """Tell whether the sums of a step run in bfloat16. A processor without it would compute them in
    software, far slower.
    """
    import torch

    if precision != "auto":
        return precision == "bfloat16"
    if on_cpu:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # noqa: SLF001 - torch has no public name for it
    return bool(torch.cuda.is_available() and torch.cuda.is_bf16_supported())


def peak_bytes(device: str) -> int:
    """Most memory that this process held: on a GPU what torch reserved there, otherwise resident
    memory.
    """
    import resource

    import torch

    if device == "cuda":
        return int(torch.cuda.max_memory_reserved())
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most if sys.platform == "darwin" else most * 1024)


def resident_bytes() -> int:
    """Memory that this process holds now."""
    import psutil

    return int(psutil.Process().memory_info().rss)
