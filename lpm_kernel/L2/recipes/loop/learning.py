"""Learning step by step: going on from the last checkpoint, writing down what happens, and ending
when asked to or when nothing gets better.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lpm_kernel.L2.recipes.loop.folder import (
    WHOLE,
    append,
    checkpoint,
    cut_off,
    rows_in,
    state_of,
)
from lpm_kernel.L2.recipes.loop.machine import Room, is_first_process, make_room, processes
from lpm_kernel.L2.recipes.loop.settings import LoopSettings


class SeededOrder:
    """For a trainer: draws the order of an epoch from the seed and the epoch's number, so that
    going on in the middle of one finds the same order; and makes room before each micro-batch.
    """

    room: Room | None = None
    order: Any = None

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:  # noqa: ANN401 - trl's types stay behind this door
        self.order = super()._get_train_sampler(train_dataset)  # type: ignore[misc]
        if hasattr(self.order, "batch_size"):
            # it puts rows of a length together by what one process takes, so that several would
            # learn in another order than one
            self.order.batch_size *= processes()
        return self.order

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Any:  # noqa: ANN401 - as above
        """Learn from a micro-batch."""
        make_room(self.room, inputs["input_ids"].numel())
        return super().training_step(model, inputs, num_items_in_batch)  # type: ignore[misc]

    def prediction_step(self, model: Any, inputs: Any, *more: Any, **named: Any) -> Any:  # noqa: ANN401 - as above
        """Look at a micro-batch."""
        make_room(self.room, inputs["input_ids"].numel())
        return super().prediction_step(model, inputs, *more, **named)  # type: ignore[misc]


@dataclass(frozen=True)
class Looks:
    """By what the looks at what is held out are judged."""

    measure: str = "eval_loss"
    more_is_better: bool = False

    def better(self, one: float, other: float) -> bool:
        """Tell whether one is better than the other."""
        return one > other if self.more_is_better else one < other

    def so_far(self, history: Iterable[Mapping[str, float]]) -> tuple[float, int]:
        """Return the best look, and how many since then found nothing better.

        >>> Looks().so_far([{"eval_loss": 2.0}, {"loss": 1.0}, {"eval_loss": 1.5},
        ...     {"eval_loss": 1.6}, {"eval_loss": 1.5}])
        (1.5, 2)
        """
        best, worse = float("-inf") if self.more_is_better else float("inf"), 0
        for entry in history:
            if self.measure in entry:
                found = entry[self.measure]
                best, worse = (found, 0) if self.better(found, best) else (best, worse + 1)
        return best, worse

    def is_the_end(self, at: Path, settings: LoopSettings) -> bool:
        """Tell whether nothing is to be learned after a checkpoint. The trainer would take a
        further step before it looked.
        """
        state = state_of(at)
        return bool(
            state["global_step"] >= state["max_steps"]
            or self.so_far(state["log_history"])[1] >= settings.patience
        )


class Diary:
    """Writes down what happens: steps, losses, looks. Mixed into transformers' callback, whose
    events its methods are. ``told``, ``seen`` and ``note`` say what a recipe adds.
    """

    looks = Looks()

    def __init__(self, run: Path, settings: LoopSettings, trainer: Any) -> None:  # noqa: ANN401 - trl's types stay behind this door
        self.run, self.settings, self.trainer = run, settings, trainer
        self.best, self.worse = self.looks.so_far(())
        self.clock = time.monotonic()
        if is_first_process():
            cut_off(run / "progress.jsonl")
        lines = list(rows_in(run / "progress.jsonl"))
        self.last_told = max((line["step"] for line in lines if "loss" in line), default=0)
        self.looked = {line["step"] for line in lines if "held_out" in line}

    def told(self, logs: Mapping[str, float]) -> dict[str, float]:
        """Return what is told of a step besides its loss."""
        del logs
        return {}

    def seen(self, metrics: Mapping[str, float]) -> dict[str, float]:
        """Return what is told of a look besides the loss on what is held out."""
        del metrics
        return {}

    def note(self, step: int) -> None:
        """Write down more, before the first step and at each checkpoint."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002 - trl's types stay behind this door
        """Go on with the looks that were taken before."""
        if state.is_world_process_zero and not state.global_step:
            self.note(0)
        self.best, self.worse = self.looks.so_far(state.log_history)
        self.clock = time.monotonic()

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """Draw the order of the epoch."""
        import torch

        if hasattr(self.trainer.order, "generator"):
            self.trainer.order.generator = torch.Generator().manual_seed(
                self.settings.seed * 1_000_003 + int(state.epoch or 0)
            )

    def on_log(self, args: Any, state: Any, control: Any, **named: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """Tell a step that was not told before."""
        logs = named.get("logs") or {}
        if not state.is_world_process_zero or "loss" not in logs:
            return
        if state.global_step > self.last_told:
            now = time.monotonic()
            line = {
                "step": state.global_step,
                "of": state.max_steps,
                "loss": round(logs["loss"], 4),
                **self.told(logs),
                "seconds": round(now - self.clock, 2),
            }
            append(self.run / "progress.jsonl", line)
            self.clock = now

    def on_evaluate(self, args: Any, state: Any, control: Any, **named: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """Tell a look, and end when nothing got better for long."""
        metrics = named.get("metrics") or {}
        if self.looks.measure not in metrics:
            return
        if state.is_world_process_zero and state.global_step not in self.looked:
            line = {
                "step": state.global_step,
                "of": state.max_steps,
                "held_out": round(metrics["eval_loss"], 4),
                **self.seen(metrics),
            }
            append(self.run / "progress.jsonl", line)
        found = metrics[self.looks.measure]
        is_better = self.looks.better(found, self.best)
        self.best, self.worse = (found, 0) if is_better else (self.best, self.worse + 1)
        if self.worse >= self.settings.patience:
            control.should_training_stop = True

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """End with a checkpoint when asked to."""
        if _asked_to_stop(self.run):
            control.should_save = True
            control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """Mark the checkpoint whole."""
        if state.is_world_process_zero:
            (checkpoint(self.run, state.global_step) / WHOLE).touch()
            self.note(state.global_step)
            self.clock = time.monotonic()


def _asked_to_stop(run: Path) -> bool:
    """Tell whether there is a file ``stop``. Several processes go by what the first one sees."""
    asked = [(run / "stop").exists()]
    if processes() > 1:
        from accelerate.utils import broadcast_object_list  # type: ignore[import-untyped]

        broadcast_object_list(asked)
    return asked[0]


def learn_on(trainer: Any, run: Path, at: Path | None) -> bool:  # noqa: ANN401 - trl's types stay behind this door
    """Learn, from a checkpoint where there is one. Return whether it came to its end: it was not
    asked to stop before.
    """
    trainer.train(resume_from_checkpoint=str(at) if at else None)
    state = trainer.state
    return not ((run / "stop").exists() and state.global_step < state.max_steps)


@contextmanager
def as_it_was(model: Any) -> Iterator[None]:  # noqa: ANN401 - trl's types stay behind this door
    """Let the model answer without learning, and let it learn on afterwards."""
    import torch

    learning = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(learning)
