"""What the node remembers of other nodes: the people behind them, what they may ask, what they
asked, and what was sent.

Keys, cards, grants and messages stand here as the signed texts that came or went; what they say is
read by whoever speaks the protocol. Times that the protocol compares are whole seconds; times that
a person sees are moments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NewType

ContactId = NewType("ContactId", str)

DAY: Final = 86_400
FIRST_PAUSE: Final = 30
"""Seconds before a message is tried a second time."""
LONGEST_PAUSE: Final = 6 * 3_600
MOST_CLAIMS: Final = 4_096
"""Messages of one issuer that are remembered at a time, because they could come again."""
MOST_KEPT_BYTES: Final = 16 * 2**20
"""Bytes of one issuer's messages that are kept at a time."""
MOST_ADDRESSES: Final = 8
"""Addresses of one contact that are remembered."""
MOST_PAST: Final = 500
"""Messages of one issuer that stay readable after the time in which they could come again."""


class ContactState(StrEnum):
    """Where a contact stands; the moves between them are the protocol's."""

    ACTIVE = "active"
    CHANGED = "changed"
    """Their identity goes on under another key; the person has not said yet that it is them."""
    BLOCKED = "blocked"
    ENDED = "ended"


class InviteState(StrEnum):
    """Where an invite stands. That its time is over shows on the clock."""

    OPEN = "open"
    USED = "used"
    WITHDRAWN = "withdrawn"


class InboxState(StrEnum):
    """How far a message that came in has come."""

    ASKED = "asked"
    """Written down, nothing more: a node that dies here goes on with it."""
    WAITING = "waiting"
    """The person has to say yes first."""
    DECIDED = "decided"
    """It may be answered, and is being worked on."""
    ANSWERED = "answered"
    """With an answer, or with a refusal. The same message gets the same."""


INBOX_LIFE: Final[dict[InboxState, frozenset[InboxState]]] = {
    InboxState.ASKED: frozenset({InboxState.WAITING, InboxState.DECIDED, InboxState.ANSWERED}),
    InboxState.WAITING: frozenset({InboxState.DECIDED, InboxState.ANSWERED}),
    InboxState.DECIDED: frozenset({InboxState.ANSWERED}),
    InboxState.ANSWERED: frozenset(),
}


class OutboxState(StrEnum):
    """How far a message that goes out has come."""

    WAITING = "waiting"
    ANSWERED = "answered"
    REFUSED = "refused"
    EXPIRED = "expired"
    """Nobody answered in its time."""
    WITHDRAWN = "withdrawn"
    """The person took it back before anybody answered."""


class Claimed(StrEnum):
    """What the table of messages says of one that comes in."""

    NEW = "new"
    SAME = "same"
    OTHER = "other"
    FULL = "full"


@dataclass(frozen=True)
class Contact:
    """The person behind another node."""

    id: ContactId
    did: str
    peer: str
    seq: int
    card: str = field(repr=False)
    """The newest one that was verified, as it was signed."""
    state: ContactState
    met_at: datetime
    name: str = field(default="", repr=False)
    """What the person calls them; their card has what they call themselves."""
    notes: str = field(default="", repr=False)
    words: tuple[str, ...] = field(default=(), repr=False)
    """Six, to be read aloud by both."""
    next_card: str = field(default="", repr=False)
    """Under the identity that theirs goes on with, until the person says that it is them."""
    verified_at: datetime | None = None
    """When the person said that both have the same six words; nothing, for the words of another
    identity.
    """


@dataclass(frozen=True)
class NewCard:
    """A card that was verified, and what of it is looked up."""

    did: str
    peer: str
    seq: int
    text: str = field(repr=False)


@dataclass(frozen=True)
class Invite:
    """An invite that the person made. The link is a secret, and is forgotten once it is used or
    withdrawn.
    """

    id: str
    link: str = field(repr=False)
    made_at: datetime
    expires: int
    note: str = field(default="", repr=False)
    """For whom it is, in the person's words."""
    state: InviteState = InviteState.OPEN
    contact: ContactId | None = None
    """Who used it."""


@dataclass(frozen=True)
class Amount:
    """Calls, bytes of answers, tokens that the model writes."""

    calls: int = 0
    bytes: int = 0
    tokens: int = 0

    def __post_init__(self) -> None:
        if min(self.calls, self.bytes, self.tokens) < 0:
            raise ValueError("An amount is never less than nothing.")


@dataclass(frozen=True)
class GrantRow:
    """A grant that is checked here: the person's own, or one that a contact passed on (``parent``
    names the person's).
    """

    id: str
    contact: ContactId
    """Who may use it."""
    text: str = field(repr=False)
    daily: Amount
    expires: int
    given_at: datetime
    parent: str | None = None
    template: str = ""
    words: str = field(default="", repr=False)
    """What the person says that it is for."""
    revoked_at: datetime | None = None
    spent: Amount = Amount()
    """On the day that was asked about."""
    active: bool = True
    """Whether the contact is; nothing is answered to one who is not, whatever the grant says."""


@dataclass(frozen=True)
class ReceivedGrant:
    """What somebody lets this person ask. ``owner`` is the DID of whose memories it is about, where
    that is not who gave it.
    """

    id: str
    issuer: str
    contact: ContactId
    text: str = field(repr=False)
    received_at: datetime
    owner: str = ""
    ended_at: datetime | None = None


class OfferState(StrEnum):
    """How far an offer has come that came in; one of the person's own stays as it was made."""

    OFFERED = "offered"
    FETCHING = "fetching"
    """Piece by piece, into the quarantine."""
    HERE = "here"
    """All of it, in the quarantine, with the right hash."""
    KEPT = "kept"
    """A document was made of it."""
    REFUSED = "refused"
    FAILED = "failed"
    """It could not be fetched; it may be tried again."""


@dataclass(frozen=True)
class Offer:
    """One item for one contact until ``until``: the person's own (``ours``), or one that came in
    and lies in quarantine.
    """

    id: str
    """Of the message that offered it."""
    contact: ContactId
    ours: bool
    item: str
    title: str = field(repr=False)
    media: str
    size: int
    hash: str
    until: int
    document: str = ""
    """What it is, of the person's own."""
    withdrawn_at: datetime | None = None
    state: OfferState = OfferState.OFFERED
    fetched: int = 0
    """Bytes of it that are here; of the person's own, that they were given."""
    came_at: datetime | None = None
    grant: str = ""
    """Under which grant of theirs it is fetched, where nobody offered it."""
    kept: str = ""
    """The document that the person made of it."""
    code: str = ""
    """Why it could not be fetched."""


@dataclass(frozen=True)
class Arrived:
    """A message that came in, as it is written down in the step that claims its id."""

    issuer: str
    id: str
    digest: bytes
    until: int
    """The second after which it cannot come again."""
    verb: str
    json: str = field(repr=False)
    grant: str = ""


@dataclass(frozen=True)
class InboxRow:
    """A message that came in, and what became of it. What it says is a stranger's text: data, never
    instructions.
    """

    issuer: str
    id: str
    verb: str
    json: str = field(repr=False)
    """Empty once it was forgotten."""
    grant: str
    until: int
    state: InboxState
    came_at: datetime
    contact: ContactId | None = None
    decided_at: datetime | None = None
    answered_at: datetime | None = None
    answer: Mapping[str, Any] | None = field(default=None, repr=False)
    code: str = ""
    """Why it was refused, or, while it has no answer yet, why it was put off the last time; then
    nothing is set aside for it.
    """
    documents: tuple[str, ...] = ()
    """What the answer was made from. An answer goes when one of these is erased."""
    draft: Mapping[str, Any] | None = field(default=None, repr=False)
    """The answer as it would leave, while it waits for the person's word, and as they sent it."""


@dataclass(frozen=True)
class OutboxRow:
    """A message of the person's own: the signed bytes, sealed anew at each try."""

    id: str
    contact: ContactId | None
    """``None``: a hello that waits, to somebody who is no contact yet."""
    verb: str
    signed: bytes = field(repr=False)
    made_at: datetime
    next_try: int
    until: int
    tries: int = 0
    state: OutboxState = OutboxState.WAITING
    receipt: Mapping[str, Any] | None = field(default=None, repr=False)
    """The answer."""
    code: str = ""
    """Why they refused; while it waits, why the last try brought no answer, and nothing where they
    were not reached.
    """
    link: str = field(default="", repr=False)
    """The invite that a hello answers: a secret, and forgotten once the hello is settled."""
    name: str = field(default="", repr=False)
    """What the person will call whom they say hello to."""
    kept: str = ""
    """The document that the person made of the answer."""


@dataclass(frozen=True)
class Exchange:
    """What a contact asked under one grant, and how much of it was answered."""

    contact: ContactId | None
    grant: str
    asked: int
    last_asked_at: datetime
    answers: int
    last_answer_at: datetime | None


@dataclass(frozen=True)
class SentSummary:
    """What left this machine for a contact on one day."""

    contact: ContactId | None
    """``None``: for contacts who were deleted."""
    day: int
    category: str
    bytes: int


def pause(tries: int, chance: float) -> int:
    """Seconds until a message is tried again: doubled each time, up to six hours, and up to a
    quarter more by ``chance`` (0..1).

    >>> [pause(tries, 0.0) for tries in (1, 2, 3, 12)], pause(1, 1.0)
    ([30, 60, 120, 21600], 37)
    """
    doubled = min(FIRST_PAUSE << min(max(tries, 1) - 1, 16), LONGEST_PAUSE)
    return int(doubled * (1 + chance / 4))
