"""Threads: the stretches of a chat that belong together. One that has ended is memory: what the
person told in it can be recalled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol

from lpm_kernel.domain.chat.conversations import PartKind
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId

MOST_TURNS: Final = 12
"""Turns of a thread, questions and answers: the one after them begins the next."""
IDLE: Final = timedelta(minutes=10)
"""A thread in which nobody said anything for so long has ended."""


class Tier(StrEnum):
    """How far a thread that has ended has moved."""

    SESSION = "session"
    """Recent: it is told to the model along with what is asked."""
    ARCHIVE = "archive"
    """It was weighed, and waits to be consolidated."""
    LONG_TERM = "long_term"
    """For ever: consolidated, or else fading. Both are found when they are asked for."""


class ThreadEnd(StrEnum):
    """Why a thread ended."""

    SIMILARITY = "similarity"
    """What was said next is about something else."""
    IDLE = "idle"
    """Nobody said anything for a while."""
    LIMIT = "limit"
    """It was as long as a thread gets."""
    PHRASE = "phrase"
    """The person said that they change the subject: "by the way"."""
    DOMAIN = "domain"
    """Somebody else is asked: another role."""
    ELSEWHERE = "elsewhere"
    """The person went on in another chat."""
    PERSON = "person"
    """The person parted it there by hand."""


class SentenceKind(StrEnum):
    """What a sentence of a summary does."""

    TOLD = "told"
    DECIDED = "decided"
    PROMISED = "promised"
    ASKED = "asked"
    ANSWERED = "answered"


OWN: Final = frozenset({SentenceKind.TOLD, SentenceKind.DECIDED, SentenceKind.PROMISED})
"""What the person says of themselves and of the world, and can be recalled."""


@dataclass(frozen=True)
class ThreadSentence:
    """A sentence that was said in a thread, word for word."""

    turn: TurnId
    number: int
    """Of its turn in the chat, from 1."""
    kind: SentenceKind
    text: str = field(repr=False)
    speaker: str
    """``user``, or the role's id, empty for the second self (as in ``Thread.spoken``)."""
    part: PartKind | None = None
    """Whose words they are, of an answer."""
    documents: tuple[DocumentId, ...] = ()
    """What an answer's sentence cites."""


@dataclass(frozen=True)
class Thread:
    """A thread that has ended."""

    id: DocumentId
    """Also the id of the document that holds what the person told in it, where they told
    anything.
    """
    conversation: ConversationId
    first: TurnId
    last: TurnId
    number: int
    """Of its first turn in the chat, from 1."""
    last_number: int
    """Of its last turn."""
    started_at: datetime
    ended_at: datetime
    reason: ThreadEnd
    keywords: tuple[str, ...] = field(default=(), repr=False)
    """What the person spoke of, as they wrote it."""
    spoken: Mapping[str, int] = field(default_factory=dict)
    """Turns by who spoke: ``user``, and of the others the role's id, empty for the second self."""
    told: bool = False
    """It holds something that the person told, and not questions alone."""
    tier: Tier = Tier.SESSION
    moved_at: datetime | None = None
    """When it came into its tier; ``None``: it has not moved yet."""
    salience: Mapping[str, float] | None = None
    """How salient what was told is, by part: ``emotion``, ``novelty``, ``relation``,
    ``repetition`` and ``total``, each 0..1; ``None``: it was not weighed.
    """
    consolidated: bool = False
    """It is among the most salient, or the person said so."""
    wanted: bool | None = None
    """What the person said of that; ``None``: nothing, and its salience tells."""
    summary: tuple[ThreadSentence, ...] = field(default=(), repr=False)
    """The most telling of its sentences, in the order in which they were said."""
    reduced: bool = False
    """The words of its turns were thrown away: the summary is all that there is."""


@dataclass(frozen=True)
class OpenChat:
    """A chat in which something was said since it was settled."""

    conversation: ConversationId
    latest: datetime
    """When somebody spoke last."""


@dataclass(frozen=True)
class SaidIn:
    """Where something was said in a chat."""

    conversation: ConversationId
    title: str = field(repr=False)
    number: int
    """Of the turn in the chat, from 1."""
    turn: TurnId | None
    """``None``: it is not there any more."""


class Threads(Protocol):
    """The threads of all chats that have ended. They go with their chat."""

    def add(self, threads: Sequence[Thread]) -> list[Thread]:
        """Record threads of one chat, and return those that were not recorded before: one that
        begins with the same turn is the same.
        """
        ...

    def of(self, conversation: ConversationId) -> list[Thread]:
        """Return the threads of a chat, oldest first."""
        ...

    def many(self, threads: Sequence[DocumentId]) -> dict[DocumentId, Thread]:
        """Return those of these that there are."""
        ...

    def conversation_of(self, thread: DocumentId) -> ConversationId | None:
        """Return the chat that a thread is of."""
        ...

    def between(self, since: datetime, until: datetime, limit: int) -> list[Thread]:
        """Return the threads that began in a time, of chats that are there, oldest first."""
        ...

    def latest(self, limit: int) -> list[Thread]:
        """Return the threads that began last, of chats that are there, oldest first."""
        ...

    def unreduced(self) -> list[Thread]:
        """Return the threads whose words are still there, of chats that keep summaries alone, put
        away or not.
        """
        ...

    def open_chats(self) -> list[OpenChat]:
        """Return the chats that are there in which something was said since they were settled, the
        longest idle first; none that keeps nothing.
        """
        ...

    def settle(self, conversation: ConversationId, at: datetime) -> None:
        """Note that every thread has ended of what was said until then."""
        ...

    def ids(self, *, put_away: bool = False) -> set[DocumentId]:
        """Name every thread of the chats that are there, or that were put away."""
        ...

    def redivide(self, before: Sequence[DocumentId], after: Sequence[Thread]) -> None:
        """Put threads in the place of others of the same chat, all or none. Raises
        ``NotFoundError`` where one of those is gone.
        """
        ...

    def drop(self, conversation: ConversationId) -> list[DocumentId]:
        """Forget the threads of a chat, so that it is divided anew. Returns which there were."""
        ...
