"""Statements that the node proposes by itself: each points at the person's own words, and stays
inferred until the person keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.statements import StatementKind


@dataclass(frozen=True)
class Proposal:
    """A sentence that may be worth keeping, where it stands, and what speaks for it."""

    document: DocumentId
    text_version: str
    start: int
    end: int
    """Code points of the canonical text, end exclusive."""
    text: str = field(repr=False)
    kind: StatementKind
    about: tuple[str, ...] = field(repr=False)
    """Whom and what it names; nobody where it is about the person who writes."""
    confidence: float
    """0..1: how likely somebody would want to find it again."""
    reason: tuple[str, ...]
    """The signs that speak for it, the weightiest first."""
    page: int | None = None
    wording: str | None = field(default=None, repr=False)
    """How the extractor puts it, where that is not how the sentence has it; the sentence says all
    of it.
    """


class Replies(Protocol):
    """What a language model answered about passages. Each answer belongs to the content of a
    passage and goes with the last passage that has it.
    """

    def known(self, contents: Sequence[str], asker: str) -> dict[str, str]:
        """Give the answers that are known of these contents, named by their hashes; ``asker`` names
        who was asked and how.
        """
        ...

    def keep(self, content: str, asker: str, answer: str) -> None:
        """Keep an answer, in place of one that is there; not where no passage has that content any
        more.
        """
        ...

    def lacking(
        self, asker: str, most: int, *, after: int = 0, limit: int = 100
    ) -> list[tuple[int, Chunk]]:
        """Give passages beyond row ``after`` that have no answer, each with its row: no statements,
        and none that begins beyond ``most`` characters.
        """
        ...

    def newest(self, documents: Sequence[DocumentId], asker: str) -> dict[DocumentId, int]:
        """Give a number for each of these documents that has answers; it changes whenever they
        do.
        """
        ...

    def drop(self, keep: str | None) -> None:
        """Forget the answers of every asker but this; ``None``: of every one."""
        ...


class Extractor(Protocol):
    """Reads passages and says what in them is worth keeping. The same passages give the same
    proposals.
    """

    @property
    def name(self) -> str:
        """What it works with."""
        ...

    @property
    def version(self) -> str:
        """Another one may propose otherwise."""
        ...

    def extract(self, chunks: Sequence[Chunk]) -> list[Proposal]:
        """Propose sentences of these passages, in the order of the text; what the person retained
        in so many words is not proposed.
        """
        ...
