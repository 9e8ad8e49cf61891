"""A chat with the second self, kept on the node: conversations, turns, and what each sentence rests
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from lpm_kernel.domain.chat.profile import LineInMind
from lpm_kernel.domain.ids import ChunkId, ConversationId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import Problem


class TurnState(StrEnum):
    """How an answer ended."""

    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    DISCARDED = "discarded"
    """Its words were thrown away, whoever said them: of its thread the summary was kept."""


class Keeping(StrEnum):
    """What a chat keeps of what was said in it."""

    FULL = "full"
    """All of it."""
    SUMMARY = "summary"
    """Once a thread has ended, the sentences of its summary, and no other word."""
    NONE = "none"
    """Nothing: it is erased when it is left, and nothing that was told in it is remembered."""


class PartKind(StrEnum):
    """Whose words a part of an answer is."""

    STATEMENT = "statement"
    """The node's words, carried by what it cites."""
    QUOTATION = "quotation"
    """The person's own words, to the letter."""
    NOTE = "note"
    """The node about itself: that it has nothing, or whose words come next."""
    DOUBT = "doubt"
    """The node says that what it quotes may be no answer."""
    ROLE = "role"
    """A role's own words: the model plays it, and no memory carries them."""
    RETOLD = "retold"
    """What the node answered before, told again: it goes with any of what those answers cite."""


class Outcome(StrEnum):
    """What came of a question."""

    ANSWERED = "answered"
    CLOSEST = "closest"
    """What is quoted comes closest, and may be no answer."""
    NOTHING = "nothing"
    """Memory has nothing about it."""
    TALK = "talk"
    """Nothing was asked of memory: a greeting, thanks."""


@dataclass(frozen=True)
class Citation:
    """Where a sentence comes from: a span of one version of a document's text, with the hash of its
    words.

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
class AnswerPart:
    """A stretch of an answer with one origin."""

    kind: PartKind
    text: str = field(repr=False)
    citations: tuple[int, ...] = ()


def outcome_of(parts: Sequence[AnswerPart], *, abstained: bool) -> Outcome:
    """Return what came of a question that was answered so.

    >>> outcome_of([AnswerPart(PartKind.STATEMENT, "Rain.")], abstained=False).value
    'answered'
    """
    if abstained:
        return Outcome.NOTHING
    if parts and all(part.kind is PartKind.NOTE for part in parts):
        return Outcome.TALK
    doubted = any(part.kind is PartKind.DOUBT for part in parts)
    return Outcome.CLOSEST if doubted else Outcome.ANSWERED


class AnswerVerdict(StrEnum):
    """What the person says of an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    BETTER = "better"
    """It could be said better, and this is how."""


@dataclass(frozen=True)
class Judgement:
    """What the person says of an answer, kept to learn from."""

    judged: AnswerVerdict
    at: datetime
    better: str = field(default="", repr=False)
    """The better wording; empty unless one was given."""


@dataclass(frozen=True)
class AnswerBasis:
    """What an answer was made from besides the question and its evidence, and the documents of
    both: it may tell any of that, and cites some.
    """

    core: tuple[str, ...] = ()
    """The hashes (``text_hash``) of the lines that were always in mind: those of ``memory.md``, and
    the sentences of the person's texts that the others rest on.
    """
    heard: tuple[TurnId, ...] = ()
    """The earlier answers."""
    learned: bool = False
    """It answered with what was learned in a training."""
    whole: bool = False
    """It was computed from all rows of a table, of which it cites some."""
    documents: tuple[DocumentId, ...] = ()
    """Those of its evidence, and of the lines in mind."""
    lately: tuple[ChunkId, ...] = ()
    """Passages of its evidence that nobody looked for: told lately in other chats."""
    profile: tuple[LineInMind, ...] = ()
    """Lines of the person's profile that stood in the prompt."""


@dataclass(frozen=True)
class Turn:
    """What one side said."""

    id: TurnId
    conversation: ConversationId
    role: Literal["user", "assistant"]
    text: str = field(repr=False)
    state: TurnState
    created_at: datetime
    parts: tuple[AnswerPart, ...] = ()
    citations: tuple[Citation, ...] = ()
    evidence: tuple[ChunkId, ...] = ()
    """What was on the table, in rank order, whether cited or not."""
    model: str | None = None
    prompt_hash: str | None = None
    abstained: bool = False
    problem: Problem | None = None
    answers: TurnId | None = None
    shown: bool = True
    """Of several answers to one turn, one is shown; the others are kept beside it."""
    verdict: Judgement | None = None
    given: AnswerBasis | None = None
    """Of an answer; ``None`` where nobody noted it."""
    speaker: str = ""
    """Of a chat with roles: which of them (``RoleId``) is asked, or answers; empty: the second
    self.
    """
    by_owner: bool | None = None
    """Of what was said to the node: by the person, not by a program of theirs; ``None`` where
    nobody noted it.
    """
    number: int = field(default=0, compare=False)
    """Its place in the chat, from 1, as the store counts; answers to one turn share one."""

    @property
    def outcome(self) -> Outcome | None:
        """What came of the question; ``None`` for what is no whole answer."""
        if self.role == "user" or self.state is not TurnState.DONE:
            return None
        return outcome_of(self.parts, abstained=self.abstained)

    @property
    def is_cue(self) -> bool:
        """Tell whether the person gave the word to a role without saying anything."""
        return self.role == "user" and not self.text and not self.is_discarded

    @property
    def is_discarded(self) -> bool:
        """Tell whether its words were thrown away."""
        return self.state is TurnState.DISCARDED


@dataclass(frozen=True)
class Branched:
    """Where a chat was taken up and led another way."""

    conversation: ConversationId
    turn: TurnId
    """The question from which on it differs."""


@dataclass(frozen=True)
class Conversation:
    """A chat."""

    id: ConversationId
    title: str = field(repr=False)
    created_at: datetime
    updated_at: datetime
    turns: int = 0
    branched_from: Branched | None = None
    deleted_at: datetime | None = None
    """Put away by the person: it can be brought back until it is removed for good."""
    cast: tuple[str, ...] = ()
    """The roles that speak in it (``RoleId``), in the order in which they were chosen; nobody: the
    second self.
    """
    keeping: Keeping = Keeping.FULL
    kept_so_since: datetime | None = None
    """When it was last chosen what it keeps; ``None``: it never kept anything else."""


@dataclass(frozen=True)
class Snippet:
    """What was found of a chat: a stretch of what was said, and the spans in it that match, end
    exclusive.
    """

    text: str = field(repr=False)
    spans: tuple[tuple[int, int], ...]
    turn: TurnId | None
    """Who said it; none where the title matches."""


@dataclass(frozen=True)
class Match:
    """A chat that was found."""

    conversation: Conversation
    snippet: Snippet


class Length(StrEnum):
    """How long an answer is."""

    SHORT = "short"
    NORMAL = "normal"
    """As the person describes in ``style``, else a sentence or two."""
    FULL = "full"


class Manner(StrEnum):
    """How the node speaks to its person."""

    USUAL = "usual"
    """As the person describes in ``style``, else as it always does."""
    PLAIN = "plain"
    WARM = "warm"
    FORMAL = "formal"


@dataclass(frozen=True)
class Identity:
    """Who the node is the second self of, and how it speaks to that person."""

    name: str = field(default="", repr=False)
    introduction: str = field(default="", repr=False)
    style: str = field(default="", repr=False)
    languages: tuple[str, ...] = ()
    values: str = field(default="", repr=False)
    """What matters to the person."""
    length: Length = Length.NORMAL
    manner: Manner = Manner.USUAL
