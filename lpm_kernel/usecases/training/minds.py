"""What answers from the weights: the model in use, with a training and without."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from lpm_kernel.domain.ports import Adapter, ChatMessage, LanguageModel, Sampling, Scorer
from lpm_kernel.domain.stores import Runs
from lpm_kernel.domain.training.runs import Run, RunState
from lpm_kernel.errors import (
    ConflictError,
    ModelUnavailableError,
    NodeError,
    NotFoundError,
)
from lpm_kernel.usecases.training.ports import TrainingBase

SHORT = Sampling(temperature=0.0, max_tokens=60)


class Mind:
    """The model in use, with a training's adapter and without."""

    def __init__(self, model: LanguageModel, adapter: Adapter) -> None:
        self._model, self._adapter = model, adapter

    def answer(self, messages: Sequence[ChatMessage], *, trained: bool) -> str:
        """Answer greedily and shortly. Raises ``ModelUnavailableError``."""
        sampling = replace(SHORT, adapter=self._adapter) if trained else SHORT
        return "".join(delta.text for delta in self._model.stream(messages, sampling)).strip()

    def likelihood(
        self, messages: Sequence[ChatMessage], continuation: str, *, trained: bool
    ) -> tuple[float, int]:
        """Return the log-probability of a continuation and how many tokens it has. Raises
        ``ModelUnavailableError``.
        """
        if not isinstance(self._model, Scorer):
            raise ModelUnavailableError(
                "What serves the model cannot say how likely words are.",
                "Examine it with a model on this machine.",
            )
        scored = self._model.score(messages, continuation, self._adapter if trained else None)
        return sum(value for _, value in scored), len(scored)


@dataclass(frozen=True)
class ModelWeights:
    """The weights of the model in use, on this machine."""

    bundled: Callable[[], tuple[Path, Path]]
    """Of the bundled model, what the trainer reads and what the model host serves."""
    parameters: Callable[[], int | None]


def base_of(setting: str, weights: ModelWeights) -> TrainingBase:
    """Return what a training starts from, by the setting of the model. Raises ``ConflictError``
    where the model in use is not on this machine.
    """
    if setting.startswith("http"):
        raise ConflictError(
            "The model in use is served elsewhere, so its weights cannot be trained here.",
            "Choose a model on this machine in Settings.",
        )
    if setting.startswith("scripted"):
        return TrainingBase("scripted", Path(setting), Path(setting), 0)
    learns, serves = weights.bundled() if setting == "bundled" else (Path(setting), Path(setting))
    mark = _mark(learns, learns.stat().st_mtime_ns)
    return TrainingBase(f"{learns.stem}@{mark}", learns, serves, 4 * (weights.parameters() or 0))


@lru_cache(maxsize=8)
def _mark(file: Path, written: int) -> str:  # noqa: ARG001 - a file that was written anew is another one
    """Tell a base from another by its bytes, which are read once: they may be gigabytes."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()[:16]


def adapter_of(folder: Path, run: Run, scale: float | None = None) -> Adapter:
    """Return a training as the model host takes it. Raises ``NotFoundError`` where it has no
    adapter.
    """
    path = folder / run.id / "adapter.gguf"
    if not path.exists():
        raise NotFoundError("adapter of training", str(run.number))
    return Adapter(run.id, path, float(scale if scale is not None else 1.0))


def adapter_in_use(runs: Runs, folder: Path, base: Callable[[], TrainingBase]) -> Adapter | None:
    """Return the training that answers as the person, where one is in use, its files are there, and
    it was made from the model in use.
    """
    used = runs.in_use().run
    if used is None:
        return None
    try:
        run = runs.get(used)
        if run.state is not RunState.READY or run.base != base().name:
            return None
        return adapter_of(folder, run)
    except (NodeError, OSError):  # the base answers, or says itself why it cannot
        return None
