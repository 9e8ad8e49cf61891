"""What the reader learns from the person's verdicts, what teaches it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from lpm_kernel.domain.ports import ReadingModel
from lpm_kernel.domain.training.runs import Learned


@dataclass(frozen=True)
class ReadWindow:
    """A stretch of a passage as the reader reads it."""

    text: str = field(repr=False)
    span: tuple[int, int] | None = None
    """Where the answer stands in it, in code points, end exclusive; ``None``: it does not answer.
    """


@dataclass(frozen=True)
class ReadingExample:
    """A question with windows of which it is known whether they answer it."""

    question: str = field(repr=False)
    windows: tuple[ReadWindow, ...]


class ReaderTrainer(Protocol):
    """Teaches the reader further. The twin learns nothing."""

    @property
    def base(self) -> str:
        """The hash of the reader that the node ships, from which learning starts."""
        ...

    @property
    def recipe(self) -> Mapping[str, Any]:
        """Every setting of the learning, as it is written down."""
        ...

    def prepare(self, run: Path, examples: Sequence[ReadingExample]) -> None:
        """Write into a folder what learning starts from. Doing it twice is doing it once."""
        ...

    def learn(self, run: Path, said: Callable[[Learned], None]) -> None:
        """Learn, going on from what is there. What ``said`` raises stops it with a checkpoint.
        Raises ``TrainingFailedError`` and ``UnavailableError``.
        """
        ...

    def finish(self, run: Path) -> Path:
        """Write what was learned as the host reads it, whole or not at all, and return the file."""
        ...

    def papers(self) -> Sequence[ReadingExample]:
        """Return questions to papers of invented lives that nothing is learned on."""
        ...

    def reader(self, weights: Path | None = None) -> ReadingModel:
        """Bring up the reader that the node ships, or one that learned further. Raises
        ``ReaderUnavailableError``.
        """
        ...
