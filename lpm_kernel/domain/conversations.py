"""A chat with the second self, kept on the node: conversations, turns, and what each sentence rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from lpm_kernel.domain.documents import Problem
from lpm_kernel.domain.ids import ChunkId, ConversationId, DocumentId, TurnId


class TurnState(StrEnum):
    """How an answer ended."""

    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class PartKind(StrEnum):
    """Whose words a part of an answer is."""

    STATEMENT = "statement"
    """The node's words, carried by what it cites."""
    QUOTATION = "quotation"
    """The person's own words, to the letter."""
    NOTE = "note"
    """The node about itself: that it has nothing, or why it quotes."""


@dataclass(frozen=True)
class Citation:
    """Where a sentence comes from: a span of one version of a document's text, with the hash of its words.

    Line and page are computed when it is shown.
    """

    n: int
    chunk: ChunkId
    document: DocumentId
    text_version: str
    start: int
    end: int
    quote_hash: str


@dataclass(frozen=True)
class Part:
    """A stretch of an answer with one origin."""

    kind: PartKind
    text: str = field(repr=False)
    citations: tuple[int, ...] = ()


@dataclass(frozen=True)
class Turn:
    """What one side said."""

    id: TurnId
    conversation: ConversationId
    role: Literal["user", "assistant"]
    text: str = field(repr=False)
    state: TurnState
    created_at: datetime
    parts: tuple[Part, ...] = ()
    citations: tuple[Citation, ...] = ()
    evidence: tuple[ChunkId, ...] = ()
    """What was on the table, in rank order, whether cited or not."""
    model: str | None = None
    prompt_hash: str | None = None
    abstained: bool = False
    problem: Problem | None = None
    answers: TurnId | None = None


@dataclass(frozen=True)
class Conversation:
    """A chat."""

    id: ConversationId
    title: str = field(repr=False)
    created_at: datetime
    updated_at: datetime
    turns: int = 0


@dataclass(frozen=True)
class Identity:
    """Who the node is the second self of."""

    name: str = field(default="", repr=False)
    introduction: str = field(default="", repr=False)
    style: str = field(default="", repr=False)
    languages: tuple[str, ...] = ()
