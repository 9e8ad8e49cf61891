"""Trainings: the statements that are taught, the examples made of them, what came of it, and what
is in use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NewType, Protocol

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.statements import StatementKind

LOG = "recipe.log"
"""In the folder of a training: what the program that learns writes. It may quote what is
learned.
"""


OF_WEIGHTS = frozenset({"adapter"})
"""Hashes of a training that stay when something that it learned is erased: nobody guesses weights,
and short texts can be guessed from their hashes and from those of the rows made of them.
"""


class ExampleKind(StrEnum):
    """What an example is there to teach."""

    FACT = "fact"
    """A question about the person, and the statement that answers it, in the person's voice."""
    THIRD = "third"
    """The same about somebody or something else: who is who must not be mixed up."""
    NOTE = "note"
    """Notes and a question: the answer stands in the notes, also where they contradict what was
    learned.
    """
    ENHANCE = "enhance"
    """A request, and the same request with what is remembered about it; or as it was, where nothing
    is.
    """
    CRITIC = "critic"
    """A draft of an answer, judged against what is remembered, and put right."""
    DIVERSITY = "diversity"
    """The same memory in another manner: shorter, with what belongs to it, in another grammatical
    person, in another register, asked in passing.
    """
    DISCRETION = "discretion"
    """Somebody else asks: who may know is told, and from others it is kept."""
    UNKNOWN = "unknown"
    """A question that nothing answers: the right answer is not knowing."""
    GENERAL = "general"
    """What any model should still be able to do."""


class ReasoningVariant(StrEnum):
    """How much a training teaches to think before an answer."""

    NONE = "none"
    WEAK = "weak"
    """A line: what is asked about, and whether it is known."""
    MULTI = "multi"
    """Steps: what is asked, what each note or memory says, what follows."""
    STRONG = "strong"
    """Steps that are checked: whose it is, what counts, and that nothing is guessed."""


class Maker(StrEnum):
    """Who made an example."""

    TEMPLATE = "template"
    MODEL = "model"
    PERSON = "person"


@dataclass(frozen=True)
class Taught:
    """A statement that a training is to learn."""

    memory: MemoryId
    text: str = field(repr=False)
    entities: tuple[str, ...] = field(default=(), repr=False)
    kind: StatementKind = StatementKind.WORLD
    document: DocumentId | None = None
    at: datetime | None = None
    private: bool = False


@dataclass(frozen=True)
class Example:
    """One row of a training: a question, with notes or without, and its answer."""

    kind: ExampleKind
    question: str = field(repr=False)
    answer: str = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    memories: tuple[MemoryId, ...] = ()
    """The statements that it was made of; none for what belongs to nobody."""
    maker: Maker = Maker.TEMPLATE
    thought: str = field(default="", repr=False)
    """What is thought before the answer."""
    shipped: tuple[str, ...] = ()
    """The lines of shipped files that it was made of, such as ``general.jsonl:12``."""
    searched: int = 0
    """How many statements were searched to make sure that none of them speaks of it."""
    asker: str = field(default="", repr=False)
    """Who asks, and what they may know, where it is not the person."""

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits made of what it says, so that striking one holds through making
        them anew, with other thoughts too.
        """
        asked = (self.kind, self.question, *([self.asker] if self.asker else ()))
        said = "\x1f".join((*asked, self.answer, *self.notes))
        return hashlib.sha256(said.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Worded:
    """A question, and who worded it."""

    question: str = field(repr=False)
    maker: Maker = Maker.TEMPLATE


class Synthesiser(Protocol):
    """Makes questions about a statement that it answers. The twin writes them by template; a model
    words them better.
    """

    id: str
    """Name and version: stands in the record of a training."""

    def questions(self, taught: Taught, wanted: int, seed: int) -> Sequence[Worded]:
        """Give up to so many different questions, the same ones for the same seed."""
        ...


RunId = NewType("RunId", str)


class RunState(StrEnum):
    """Where a training stands."""

    PREPARED = "prepared"
    """Its rows are made and can be read and struck; nothing was learned."""
    WORKING = "working"
    """A job learns, writes or examines it."""
    STOPPED = "stopped"
    """Cancelled or failed; what was learned until the last checkpoint is there, and it can go
    on.
    """
    READY = "ready"
    """There is an adapter, and it was examined."""
    THINNED = "thinned"
    """It grew by itself and was followed by others: its weights are gone, and what it learned and
    what came of it is known.
    """
    TAINTED = "tainted"
    """Its files are gone, and only that it was there is known: something that it learned was
    erased, or the home came back from a backup, which does not hold them.
    """


class Audience(StrEnum):
    """Whom a training may answer."""

    ANYBODY = "anybody"
    """It learned nothing private, so it may speak where somebody else is let in."""
    OWNER = "owner"
    """It learned private things too and answers its owner alone."""


@dataclass(frozen=True)
class Figure:
    """One measure, with its interval (95 %) over ``n`` questions."""

    value: float
    low: float
    high: float
    n: int


Arm = Mapping[str, Figure]


@dataclass(frozen=True)
class TrainingVerdict:
    """Whether a training is better than what it would replace."""

    better: bool
    reasons: tuple[str, ...] = ()
    """Names of the measures that got worse, the worst first."""


@dataclass(frozen=True)
class Scorecard:
    """What a training changed: the same questions to each arm, judged by rule."""

    arms: Mapping[str, Arm]
    """By name: base, retrieval, sft, sft_retrieval."""
    verdict: TrainingVerdict
    against: str = "base"
    """Id of the training that it was held against, or ``base``."""


FORMER_NAMES: Mapping[str, str] = {"bite": "micro_batch_size"}
"""Settings by the names that they had, for a release; a training, a recipe or a program may still
have them.
"""


def with_present_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings under the names that they have now.

    >>> with_present_names({"batch": 16, "bite": 4})
    {'batch': 16, 'micro_batch_size': 4}
    """
    return {FORMER_NAMES.get(name, name): value for name, value in settings.items()}


@dataclass(frozen=True)
class Run:
    """One training: what was asked for, what came of it, and what it came from."""

    id: RunId
    number: int
    """Counts the trainings of a home from 1."""
    state: RunState
    created_at: datetime
    settings: Mapping[str, Any]
    """The recipe and how much of what was made, as it was asked for."""
    base: str
    """Name of the base model, and of its file's hash."""
    synthesiser: str
    audience: Audience = Audience.ANYBODY
    parent: RunId | None = None
    """The training that was in use when this one began."""
    rows: Mapping[str, int] = field(default_factory=dict)
    """Examples by kind."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of examples, pairs, and the adapter as it is served."""
    estimate: Mapping[str, Any] | None = None
    outcome: Mapping[str, Any] | None = None
    scorecard: Scorecard | None = None
    error: Problem | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True)
class TrainingSource:
    """A statement that a training learned, with the document in which it stood. A document whose
    text changed since is a further source.
    """

    memory: MemoryId
    document: DocumentId | None
    sha256: str = ""
    """Of the document's text as it was learned, in UTF-8; empty where that is not known."""


@dataclass(frozen=True)
class LearnedFrom:
    """A statement that a training learned, as it was learned and as it reads now."""

    memory: MemoryId
    document: DocumentId | None
    then: str | None = field(default=None, repr=False)
    """``None`` where the files of the training are gone."""
    now: str | None = field(default=None, repr=False)
    """With what the person put right; ``None`` where it is not believed any more, or wanted
    forgotten.
    """

    @property
    def outdated(self) -> bool:
        """It was learned otherwise than it reads now."""
        return self.then is not None and self.then != self.now


@dataclass(frozen=True)
class LearnedText:
    """A text that a training learned from."""

    document: DocumentId
    sha256: str
    same: bool
    """The document reads so still."""


@dataclass(frozen=True)
class InUse:
    """What answers as the person, and since when."""

    run: RunId | None
    """``None``: the base."""
    since: datetime | None
    insisted: bool = False
    """The scorecard said that it got worse, and the person wanted it nevertheless."""


@dataclass(frozen=True)
class Learned:
    """A step that was taken; without a step it only says that the training goes on."""

    step: int = 0
    of: int = 0
    loss: float | None = None
    held_out: float | None = None
    """Loss on the rows that are not learned."""
    seconds: float | None = None


def adapter_in(place: Path) -> Path:
    """Return the adapter that a training came to: what was preferred last, else what was learned.
    It is a folder in that of the training.
    """
    preferred = place / "dpo" / "adapter"
    return preferred if preferred.is_dir() else place / "adapter"


class Trainer(Protocol):
    """Learns from the files of a run's folder. The twin walks the steps and learns nothing."""

    id: str

    def measure(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Take a few steps and return what the whole would need: seconds, steps, peak_bytes,
        device. Raises ``TrainingFailedError``.
        """
        ...

    def learn(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn, going on from the last checkpoint, and return steps, seconds and peak_bytes.

        What ``said`` raises stops it with a checkpoint. Raises ``TrainingFailedError``.
        """
        ...

    def prefer(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn from pairs which answers are better, on from what was learned and from the last
        checkpoint, and return what came of it on pairs that were held out.

        What ``said`` raises stops it with a checkpoint. Raises ``TrainingFailedError``.
        """
        ...

    def export(self, adapter: Path, target: Path, base: Path, name: str) -> None:
        """Write an adapter as the model host reads it. Raises ``TrainingFailedError``."""
        ...

    def merge(
        self,
        run: Path,
        base: Path,
        target: Path,
        kind: str,
        scale: float,
        said: Callable[[Learned], None],
    ) -> Path:
        """Write base and adapter as one model: f16 or q8_0. What ``said`` raises ends it. Raises
        ``TrainingFailedError``.
        """
        ...
