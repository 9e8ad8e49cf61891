"""What a session has to remember, and asks the node to keep. The node implements these over its
database.

Each call that changes something is one atomic step. It is on disk before it returns, or, where a
node makes one step of all that a session does with one request, before anything that the session
says leaves. ``now`` is in seconds.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from protocol.card import Card
from protocol.contact import Invite
from protocol.grants import Cost, Held
from protocol.identity import Did
from protocol.messages import Message, Verb


class Claim(StrEnum):
    """What the replay table says of a message."""

    NEW = "new"
    SAME = "same"
    """Seen, with the same hash: a retry."""
    OTHER = "other"
    """The id was used for another message."""
    FULL = "full"
    """There is no room; nothing was written."""


class Replays(Protocol):
    """Ids of messages that came in; survives a restart."""

    def claim(self, message: Message, digest: bytes, until: int) -> Claim:
        """Look (``iss``, ``id``) up, and write it down with the hash if it is new. It may be
        forgotten after ``until``.

        A node keeps the message itself in the same step, so that one that dies before it has
        decided goes on with it afterwards.
        """


class Invites(Protocol):
    """Invites that this node made."""

    def find(self, invite: str) -> Invite | None:
        """Give the open invite of this id; ``None`` if there is none, or it was used or
        withdrawn.
        """

    def use(self, invite: str, card: Card) -> bool:
        """Use the invite up *and* write the contact down, or say no: of two at once, one gets it; a
        contact who is blocked, or known by a newer card, does not.
        """


class Grants(Protocol):
    """Grants that this node's person gave, with what was spent of them today (UTC)."""

    def held(self, grant: str, now: int) -> Held | None:
        """Give a grant as it stands."""

    def spend(self, grant: str, cost: Cost, now: int) -> bool:
        """Spend on the grant and on its parent, or on neither: no if it would go over the day's
        limit of one.
        """

    def give_back(self, grant: str, cost: Cost, now: int) -> None:
        """Give back what was set aside at ``now`` (that day's) and not used, on both."""


class Offers(Protocol):
    """Items that this node's person offered to somebody."""

    def stands(self, offer: str, item: str, to: Did, now: int) -> bool:
        """Say whether this item was offered to them by that message, and still is."""


class Pace(Protocol):
    """How much at once."""

    def admits(self, by: Did, verb: Verb, now: int) -> bool:
        """Count a request and say whether it may go on: token buckets per contact and verb."""
