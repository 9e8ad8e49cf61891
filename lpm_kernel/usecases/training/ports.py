"""What trainings are made with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.domain.memory.entities import EntityKind
from lpm_kernel.domain.memory.memories import Belief, Memories, MemoryId
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Decisions, Documents, Runs
from lpm_kernel.domain.training.runs import Synthesiser, Trainer
from lpm_kernel.L2.alignment.style import StyleProfile
from lpm_kernel.L2.alignment.style_features import Written
from lpm_kernel.usecases.memory.findings import Finding
from lpm_kernel.usecases.training.verdict_examples import VerdictPorts
from lpm_kernel.usecases.training.words_elsewhere import WordsPorts


@dataclass(frozen=True)
class TrainingBase:
    """What a training starts from."""

    name: str
    learns: Path
    """What the trainer reads: a Hugging Face folder or a GGUF file."""
    serves: Path
    """The GGUF file that the model host serves, onto which the adapter is put."""
    bytes: int
    """What the weights need in memory while they are trained: four bytes for each parameter."""


@dataclass(frozen=True)
class TrainingPorts:
    """What trainings are made with."""

    runs: Runs
    memories: Memories
    documents: Documents
    trainer: Trainer
    synthesiser: Synthesiser
    folder: Path
    clock: Clock
    name: str = field(repr=False)
    """Of the person."""
    called: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """By name, what else its bearer is called."""
    decisions: Decisions | None = field(default=None, repr=False)
    correction: Callable[[Decision], str | None] = field(default=lambda _: None, repr=False)
    """How a mended sentence reads rightly."""
    fading: Callable[[Sequence[Belief]], Collection[MemoryId]] = field(
        default=lambda _: (), repr=False
    )
    """Which memories fade because they were not used for long."""
    verdicts: VerdictPorts | None = field(default=None, repr=False)
    """Where it is looked up what the person did with answers; without it no pairs are made of
    that.
    """
    own_statements: Callable[[Sequence[DocumentId] | None], Sequence[Finding]] = field(
        default=lambda _: (), repr=False
    )
    """What the person says in documents of theirs, named or all, that is not kept."""
    kinds: Mapping[str, EntityKind] = field(default_factory=dict, repr=False)
    """By name, what its bearer is."""
    text_of: Callable[[Document], str | None] = field(default=lambda _: None, repr=False)
    """The canonical text of a document as it is served."""
    shared: Callable[[], Collection[DocumentId]] = field(default=lambda: (), repr=False)
    """Which documents somebody else may ask about."""
    own_style: Callable[[bool], Mapping[Written, StyleProfile]] = field(
        default=lambda _: {}, repr=False
    )
    """How the person writes each language, with what is private or without."""
    words: WordsPorts | None = None
    """How an endpoint that words questions is reached."""
    scratch: Path | None = None
    """Where trainings learn that do not learn in the home, each in a folder of its name."""
