"""Where recall looks, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.validity import UNKNOWN, Validity


class Level(StrEnum):
    """The three honest levels of service; the node says which one it ran."""

    WORDS = "words"
    VECTORS = "words+vectors"
    LATE = "words+vectors+late"


@dataclass(frozen=True)
class Scope:
    """Which rows may take part. One type serves private notes, roles and grants."""

    since: datetime | None = None
    until: datetime | None = None
    tags: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    """Said by one of them, or naming one of them."""
    documents: tuple[DocumentId, ...] = ()
    kinds: tuple[str, ...] = ()
    """Statements of these kinds (``StatementKind``), ``turn``: what was told in chats, or
    ``passage``: what is neither.
    """
    include_private: bool = True
    without: tuple[DocumentId, ...] = ()
    """Documents that do not take part, whatever else is wanted."""
    threads: bool = False
    """What the person told in chats takes part too. It does nowhere else than where that is
    said.
    """


@dataclass(frozen=True)
class NamedParty:
    """Somebody or something that passages name, or were said by."""

    name: str = field(repr=False)
    passages: int
    speaks: bool


@dataclass(frozen=True)
class Signals:
    """What each signal gave to the score, in points of the score; they add up to it (bias
    apart).
    """

    words: float = 0.0
    meaning: float = 0.0
    time: float = 0.0
    entity: float = 0.0
    neighbours: float = 0.0
    form: float = 0.0
    """Length, question or statement, numbers and names where the question asks for them."""


@dataclass(frozen=True)
class Recalled:
    """One thing found, with the place that it stands in and why it was found."""

    chunk: Chunk
    score: float
    signals: Signals
    matched: tuple[str, ...] = field(default=(), repr=False)
    """The question's words that stand in this chunk, as dictionary forms."""
    entities: tuple[str, ...] = field(default=(), repr=False)
    forms: tuple[str, ...] = field(default=(), repr=False)
    """The words of this chunk that matched, as the index has them."""
    struck: tuple[tuple[int, int], ...] = ()
    """Spans of the chunk's text that the person corrected or wants forgotten: nothing is quoted
    from them.
    """
    corrects: bool = False
    """It is the person's correction of something else that was found."""
    validity: Validity = UNKNOWN
    """From when until when it is so: what it says itself, what the person said of it, or
    settled.
    """
    lapsed: tuple[tuple[int, int], ...] = ()
    """Spans of the chunk's text that were not so at the time that the question asks about."""
    before: Chunk | None = field(default=None, repr=False)
    after: Chunk | None = field(default=None, repr=False)
    """What stands before and after it in its session, where that is read along."""
    lately: bool = False
    """It was not looked for: the person told it lately in another chat."""
    path: tuple[str, ...] = field(default=(), repr=False)
    """How it was reached over the map, by slugs: from what the question names, over what that is
    named with, to what is named with that.
    """

    @property
    def text(self) -> str:
        """The chunk's text as it may be used: what is struck is left out."""
        return without(self.chunk.text, self.struck)

    @property
    def content(self) -> str:
        """The same, with who said it."""
        return (
            self.chunk.content
            if not self.struck
            else f"{self.chunk.speaker}: {self.text}"
            if self.chunk.speaker
            else self.text
        )


def without(text: str, struck: Sequence[tuple[int, int]], mark: str = "…") -> str:
    """Leave stretches out of a text.

    >>> without("It is six. It rains.", [(0, 10)])
    '… It rains.'
    """
    kept, at = [], 0
    for start, end in sorted(struck):
        if end <= at:
            continue
        kept += [text[at : max(at, start)], mark]
        at = end
    return "".join((*kept, text[at:]))


@dataclass(frozen=True)
class Sought:
    """A word of the question, as it was looked for."""

    term: str = field(repr=False)
    forms: tuple[str, ...] = field(repr=False)
    """The word itself and what stands for it in another language, as the index has them."""
    rarity: float
    """How much it tells passages apart: the logarithm of how few of them hold it (BM25's weight of
    a word).
    """


@dataclass(frozen=True)
class Recollection:
    """The whole answer of recall."""

    items: tuple[Recalled, ...]
    level: Level
    tokens: int
    """Tokens of all items together, by the counter that the budget used."""
    considered: int
    """How many candidates were ranked."""
    answerable: float
    """0..1: how likely it is that the items hold an answer at all (calibrated on invented
    talks).
    """
    sought: tuple[Sought, ...] = ()
