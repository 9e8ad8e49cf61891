"""What a training would need, from a few steps of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpm_kernel.L2.recipes.loop.folder import write
from lpm_kernel.L2.recipes.loop.machine import (
    HEAP_GROWS,
    device_of,
    division,
    is_first_process,
    peak_bytes,
    processes,
    resident_bytes,
)
from lpm_kernel.L2.recipes.loop.settings import LoopSettings

MEASURED_STEPS = 3


@dataclass(frozen=True)
class Estimate:
    """What the whole would need."""

    seconds: float
    steps: int
    peak_bytes: int
    """Most memory that the process held at once."""
    device: str
    devices: int = 1
    """How many learn together; the bytes are those of each."""
    free_bytes: int | None = None
    """What a GPU has free for it; of the processor's own memory, who asks knows better."""
    token_bytes: float = 0.0
    """What a token of a micro-batch needs besides the model."""


@dataclass(frozen=True)
class Measured:
    """What is measured of a recipe."""

    trainer: Callable[[int], Any]
    """Makes the trainer for so many steps."""
    tokens: Callable[[Mapping[str, Any]], int]
    """Counts what the model reads of a row."""
    look: float
    """What a look at a row costs, as a share of learning from it."""


def measure(run: Path, settings: LoopSettings, measured: Measured) -> None:
    """Take three steps, each of the longest rows, and write down what the whole would need.

    Those rows need the most memory, and not each time as much: the same step took 8.8 to 11.0 GB,
    as the heap happened to lie. Time goes by tokens, since the others are shorter.
    """
    import torch

    started = time.monotonic()
    trial = measured.trainer(MEASURED_STEPS)
    loading, loaded = time.monotonic() - started, resident_bytes()
    learned, held = (
        [measured.tokens(row) for row in dataset] if dataset is not None else []
        for dataset in (trial.train_dataset, trial.eval_dataset)
    )
    _keep_longest(trial, learned, settings.batch)
    steps, device = settings.steps_over(len(learned)), device_of(settings.device)
    free = torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved() if device == "cuda" else None
    try:
        token = _seconds_a_token(trial)
    except torch.OutOfMemoryError:
        total = torch.cuda.get_device_properties(0).total_memory if device == "cuda" else 0
        most = max(total, peak_bytes(device)) + 1
        _write(run, Estimate(0.0, steps, most, device, processes(), free))
        return
    if is_first_process():
        shutil.rmtree(run / "checkpoints", ignore_errors=True)
    to_learn = sum(learned) * steps * settings.batch / len(learned)
    to_look_at = sum(held) * (steps // settings.checkpoint_every) * measured.look
    peak = peak_bytes(device)
    at_once, _ = division(settings.batch, settings.micro_batch, processes())
    widest = max(at_once * max(learned), 1)  # each is padded to its longest row
    made = Estimate(
        round(loading + token * (to_learn + to_look_at), 1),
        steps,
        int(peak * HEAP_GROWS) if device == "cpu" else peak,
        device,
        processes(),
        free,
        max(0, peak - loaded) / widest,
    )
    _write(run, made)


def _write(run: Path, made: Estimate) -> None:
    """Write it down; of several processes the first one does, and all are much alike."""
    if is_first_process():
        write(run / "estimate.json", asdict(made))


def _keep_longest(trial: Any, lengths: Sequence[int], batch: int) -> None:  # noqa: ANN401 - trl's types stay behind this door
    longest = sorted(range(len(lengths)), key=lambda row: -lengths[row])[:batch]
    trial.train_dataset = trial.train_dataset.select(longest * MEASURED_STEPS)


def _seconds_a_token(trial: Any) -> float:  # noqa: ANN401 - as above
    """Take the steps, and time all but the first."""
    from transformers import TrainerCallback

    stamps: list[tuple[int, float]] = []

    class Watch(TrainerCallback):
        """Looks at the clock after every step, and at how much was read."""

        def on_log(self, args: Any, state: Any, control: Any, **named: Any) -> None:  # noqa: ANN401, ARG002 - as above
            logs = named.get("logs") or {}
            if "num_tokens" in logs:
                stamps.append((int(logs["num_tokens"]), time.monotonic()))

    trial.add_callback(Watch())
    trial.train()
    return (stamps[-1][1] - stamps[0][1]) / max(1, stamps[-1][0] - stamps[0][0])
