"""Tables at which several talk: what the node keeps of them.

What was said stands here as the signed entries that the protocol describes, with their words beside
them; what they say of the table is read by whoever speaks the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType

DiscussionId = NewType("DiscussionId", str)
"""The id of the table in its record: 16 bytes in base64url."""


def struck_name(discussion: str, n: int) -> str:
    """Name the words of an entry that are gone for good, as what was erased is remembered.

    >>> struck_name("abc", 3)
    'abc.3'
    """
    return f"{discussion}.{n}"


def left_name(discussion: str) -> str:
    """Name what this person allowed a contact's table and took back, as what was erased is
    remembered.

    >>> left_name("abc")
    'abc.left'
    """
    return f"{discussion}.left"


class DiscussionState(StrEnum):
    """Where a table stands."""

    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class TableContactState(StrEnum):
    """Where a contact stands at a table of this node, or this person at a contact's."""

    INVITED = "invited"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    LEFT = "left"


@dataclass(frozen=True)
class Seat:
    """What a member of a table is here."""

    member: str
    """Its id in the record."""
    kind: str
    """``twin``, ``role`` or ``person``."""
    name: str = field(repr=False)
    role: str = ""
    """The role that it plays (``RoleId``)."""
    contact: str = ""
    """The contact whose node speaks for it (``ContactId``); nothing: this one."""


@dataclass(frozen=True)
class Discussion:
    """A table of this node."""

    id: DiscussionId
    opened_at: datetime
    changed_at: datetime
    state: DiscussionState
    seats: tuple[Seat, ...]
    template: str = ""
    """The ready-made table that it was begun from."""
    tags: tuple[str, ...] = field(default=(), repr=False)
    """What those who speak from memory may use; nothing named: all that is not private."""
    entries: int = 0
    host: str = ""
    """The contact who opened it (``ContactId``); nothing: this person."""


@dataclass(frozen=True)
class TableContact:
    """A contact at a table of this node, or this person at the table of a contact."""

    discussion: DiscussionId
    contact: str
    members: tuple[str, ...]
    """Whom of the table their node speaks for; at a contact's: whom this one speaks for."""
    state: TableContactState = TableContactState.INVITED
    grant: str = field(default="", repr=False)
    """The grant for this table as its owner signed it, once they accepted."""
    revoked_at: datetime | None = None
    turns: int = 0
    """Turns that were signed under it here."""
    have: int = 0
    """Entries that they said they have."""
    asked: Mapping[str, Any] | None = None
    """What they were asked for and have not answered."""
    own: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """What this node said at a contact's table and has not seen in the record yet."""
    hands: tuple[Mapping[str, str], ...] = ()
    """For what they asked to have the word."""

    @property
    def is_ahead(self) -> bool:
        """Whether they may have more of the record than this node, which hosts it and was
        restored.
        """
        return self.ahead_from > 0

    @property
    def ahead_from(self) -> int:
        """The first entry that they are to be asked for after a restore; 0: none."""
        return int((self.asked or {}).get("ahead") or 0)

    @property
    def tail(self) -> str:
        """Whose entry they have next after all that this node signed: their ``own``, or one of
        ``others``; nothing: none that waits.
        """
        return str((self.asked or {}).get("tail", ""))

    @property
    def quiet(self) -> int:
        """How often in a row nothing came of what they were asked."""
        return int((self.asked or {}).get("quiet", 0))


@dataclass(frozen=True)
class SaidEntry:
    """One entry of a record, as it is kept."""

    n: int
    entry: str = field(repr=False)
    """As it travels, signed."""
    words: str | None = field(default=None, repr=False)
    """The words that it commits to; nothing where it has none, or where they are gone."""
    at: datetime | None = None
    documents: tuple[str, ...] = ()
    """What it was made from, cited or not, and what that was made from which was heard before."""
    basis: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """Where the sentences stand that it cites."""
    kept: str | None = None
    """The document that the person made of it."""
    withheld: bool = False
    """Something that it was made from is private now, or put away: nobody who speaks from memory
    hears it any more.
    """
