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


class DiscussionState(StrEnum):
    """Where a table stands."""

    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


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
