"""Chats, and who the second self is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.chat.conversations import (
    Conversation,
    Identity,
    Judgement,
    Keeping,
    Match,
    Turn,
)
from lpm_kernel.domain.ids import ConversationId, TurnId


class Conversations(Protocol):
    """Chats, and who the second self is."""

    def start(self, conversation: Conversation) -> Conversation:
        """Record a new chat."""
        ...

    def get(self, conversation: ConversationId, *, put_away: bool = False) -> Conversation:
        """Return one; one that was put away only with ``put_away``. Raises ``NotFoundError``."""
        ...

    def page(
        self, *, limit: int, cursor: str | None = None, put_away: bool = False
    ) -> tuple[list[Conversation], str | None]:
        """Return the latest first: those that are there, or with ``put_away`` those that were put
        away.
        """
        ...

    def search(
        self, text: str, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Match], str | None]:
        """Return the chats in whose title, or in one turn of which, every word of ``text`` stands,
        the latest first.
        """
        ...

    def answered(self, words: Sequence[str], limit: int) -> list[Turn]:
        """Return the second self's answers, of chats that are there and keep everything, that hold
        with their question every one of these words, the latest first; none that said nothing.
        """
        ...

    def branches(self, conversation: ConversationId) -> list[Conversation]:
        """Return the chats that were branched from this one, oldest first."""
        ...

    def rename(self, conversation: ConversationId, title: str) -> Conversation:
        """Give it another title."""
        ...

    def keep_so(self, conversation: ConversationId, keeping: Keeping, at: datetime) -> Conversation:
        """Have it keep this of what is said in it. Raises ``NotFoundError``."""
        ...

    def keeping(self, keeping: Keeping) -> list[Conversation]:
        """Return the chats that keep this, put away or not, the longest idle first."""
        ...

    def put_away(self, conversation: ConversationId, at: datetime) -> None:
        """Put it away, so that it can be brought back. Raises ``NotFoundError``."""
        ...

    def bring_back(self, conversation: ConversationId, at: datetime) -> Conversation:
        """Bring back what was put away; what is there stays. Raises ``NotFoundError``."""
        ...

    def let_go(self, before: datetime) -> int:
        """Delete for good what was put away before then, and return how many."""
        ...

    def delete(self, conversation: ConversationId) -> None:
        """Delete it for good, with its turns."""
        ...

    def turns(
        self,
        conversation: ConversationId,
        *,
        limit: int | None = None,
        before: TurnId | None = None,
        every: bool = False,
    ) -> list[Turn]:
        """Return its turns, oldest first: all of them, or the last ``limit``, or those before one
        of them; ``every``: also the answers that are not shown.

        Raises ``NotFoundError`` when ``before`` is none of them.
        """
        ...

    def turns_between(self, conversation: ConversationId, first: int, last: int) -> list[Turn]:
        """Return the turns that are shown from one place in a chat to another (``Turn.number``),
        both included, oldest first.
        """
        ...

    def every_turn(self) -> Iterator[Turn]:
        """Yield the turns of all chats, with the answers that are not shown and the chats that were
        put away.
        """
        ...

    def keep(self, conversation: Conversation, turns: Sequence[Turn]) -> bool:
        """Record a whole chat as it was elsewhere. ``False``: it, or a turn of it, is known, and
        nothing was changed.
        """
        ...

    def rewrite(self, turn: Callable[[Turn], Turn], title: Callable[[str], str]) -> int:
        """Put every turn and title through these and keep what comes out. Returns how many turns
        changed.
        """
        ...

    def say(self, turn: Turn) -> Turn:
        """Record a turn. The same turn id twice, or two answers to one turn, are one: the first
        stands and is returned.

        An answer that failed, or was stopped before its first word, gives way to the next.
        """
        ...

    def say_again(self, turn: Turn) -> Turn:
        """Record another answer beside those that were given, and show it. One that failed, or has
        no words, gives way.
        """
        ...

    def answers(self, conversation: ConversationId) -> dict[TurnId, list[TurnId]]:
        """Return the answers that were given to each turn of a chat, oldest first, shown or not."""
        ...

    def spoken(self, conversation: ConversationId) -> dict[str, int]:
        """Count the answers that each role of a chat gave, by its id; of several to one turn, the
        one that is shown.
        """
        ...

    def show(self, turn: TurnId) -> Turn:
        """Show this one of several answers. Raises ``NotFoundError``."""
        ...

    def judge(self, turn: TurnId, verdict: Judgement | None) -> Turn:
        """Keep what the person says of an answer, or take it back. Raises ``NotFoundError``."""
        ...

    def turn(self, turn: TurnId) -> Turn | None:
        """Return one turn."""
        ...

    def question_at(self, conversation: ConversationId, number: int) -> Turn | None:
        """Return what was said to the node at a place in a chat (``Turn.number``)."""
        ...

    def answer_to(self, turn: TurnId) -> Turn | None:
        """Return the answer to a turn that is shown, if there is one."""
        ...

    def identity(self) -> Identity:
        """Return who the node is the second self of; empty until somebody said."""
        ...

    def set_identity(self, identity: Identity) -> None:
        """Record who it is; the name on one line, without signs that nobody sees."""
        ...
