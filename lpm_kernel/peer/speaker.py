"""This node as it speaks to others: its stores, its keys, its card, and what answers a question."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import InboxRow, InboxState
from lpm_kernel.domain.stores import Audit, Contacts, Permissions, Post
from lpm_kernel.peer.books import PeerStores
from lpm_kernel.usecases.share.decisions import TurnedAway
from lpm_kernel.usecases.share.keys import Keystore
from protocol.events import Asked
from protocol.grants import Request
from protocol.identity import Did
from protocol.messages import Message, Verb
from protocol.ports import Claim
from protocol.refusals import Code, Refusal
from protocol.session import Node


@dataclass(frozen=True)
class Composed:
    """An answer in the shape of its verb, and the documents that it was made from: it goes when one
    of them is erased.
    """

    body: Mapping[str, Any] = field(repr=False)
    documents: tuple[str, ...] = ()


Answer = Callable[[Asked, int], Composed]
"""What answers ``ask``, ``recall`` and ``fetch`` at a time in seconds, from what lies inside the
scope and from nothing else.

It is called in a thread and may take its time; it raises ``Refusal`` with the code that they get.
"""


def no_answer(_asked: Asked, _now: int) -> Composed:
    """Refuse: nothing here answers yet. The same message may come again."""
    raise Refusal(Code.BUSY, "answer")


@dataclass(frozen=True)
class Speaker:
    """Everything that a host asks of its node. It blocks, so a host calls it in threads."""

    contacts: Contacts
    permissions: Permissions
    post: Post
    audit: Audit
    clock: Clock
    keystore: Keystore
    name: str | Callable[[], str] = field(repr=False)
    """What the card calls the person, or where that is looked up: they may change it while this
    runs.
    """
    answer: Answer = no_answer
    off: Callable[[], Collection[str]] = tuple
    """Verbs of which nothing is sent, because the settings say so now."""
    at_work: set[tuple[str, str]] = field(default_factory=set)
    """Messages that are being worked on here: issuer and id."""

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "books", PeerStores(self.contacts, self.permissions, self.post, self.clock)
        )
        object.__setattr__(self, "turned_away", TurnedAway(self.audit, self.clock))
        object.__setattr__(self, "lock", threading.Lock())

    books: PeerStores = field(init=False)
    turned_away: TurnedAway = field(init=False)
    lock: threading.Lock = field(init=False)

    @property
    def now(self) -> int:
        """The time in seconds."""
        return int(self.clock.now().timestamp())

    @property
    def called(self) -> str:
        """What the card calls the person now."""
        return self.name if isinstance(self.name, str) else self.name()

    def node(self, claims: ReplayClaims, *, full: bool = False) -> Node:
        """Give what a session speaks with; ``full``: every request is refused as busy, in words."""
        books, keys = self.books, self.keystore.keys
        return Node(
            keys,
            self.keystore.card(self.called),
            claims,
            books,
            books,
            books,
            _Full() if full else books,
        )


class _Full:
    """Too much at once already."""

    def admits(self, by: Did, verb: Verb, now: int) -> bool:  # noqa: ARG002  the port
        return False


@dataclass
class ReplayClaims:
    """The replay table as one stream has it: a message that was written down and never decided
    counts as new when it comes again.

    The process that wrote it down died in between, or told them to come again. What is done then is
    done once all the same: grants, offers and cards are kept under their own ids, and what was set
    aside for a question is given back before it is decided anew.
    """

    speaker: Speaker
    mine: tuple[str, str] | None = None
    """What this stream works on, and no other until it lets go."""

    def claim(self, message: Message, digest: bytes, until: int) -> Claim:
        """Look the message up, and write it down if it is new."""
        speaker, name = self.speaker, (str(message.iss), message.id)
        with speaker.post.together(), speaker.lock:
            claim = speaker.books.claim(message, digest, until)
            if claim is Claim.SAME and name not in speaker.at_work:
                known = speaker.post.arrived(*name)
                if known is not None and known.state is InboxState.ASKED:
                    claim = Claim.NEW
                    self._begin_anew(message, known)
            if claim is Claim.NEW:
                self._take(name)
        return claim

    def _begin_anew(self, message: Message, known: InboxRow) -> None:
        """Give back what stands set aside for a message: its cost, where it is asked under a grant
        and was not put off since.
        """
        speaker = self.speaker
        if message.grant is not None and not known.code:
            speaker.books.give_back(
                message.grant, Request.of(message).cost, int(known.came_at.timestamp())
            )
        speaker.post.take_up(message.iss, message.id, speaker.clock.now())

    def take(self, name: tuple[str, str]) -> bool:
        """Work on a message that was claimed before, unless somebody does."""
        with self.speaker.lock:
            free = name not in self.speaker.at_work
            if free:
                self._take(name)
        return free

    def let_go(self) -> None:
        """Work on nothing any more."""
        with self.speaker.lock:
            if self.mine is not None:
                self.speaker.at_work.discard(self.mine)
            self.mine = None

    def _take(self, name: tuple[str, str]) -> None:
        self.mine = name
        self.speaker.at_work.add(name)
