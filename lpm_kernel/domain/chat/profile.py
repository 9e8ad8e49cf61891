"""The profile: what a person speaks of in their chats, of whom, and whom they ask, counted by turns
and months; and what the person changed in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from lpm_kernel.domain.ids import ConversationId, TurnId

MOST_NAME: Final = 120
"""Characters of a name that the person gives a line."""


class LineKind(StrEnum):
    """What a line of the profile counts."""

    TOPIC = "topic"
    PERSON = "person"
    PLACE = "place"
    ASKED = "asked"
    """Who was asked: a role, or the second self."""


class InMindKind(StrEnum):
    """As what a line of the profile is told to the second self."""

    TOPICS = "topics"
    """Spoken of most."""
    PEOPLE = "people"
    PLACES = "places"
    ASKED = "asked"
    """Roles that are asked most."""
    NEW = "new"
    """Topics of the last month only."""
    PINNED = "pinned"


@dataclass(frozen=True)
class LineInMind:
    """A line of the profile that the second self had in mind when it answered."""

    kind: InMindKind
    line: str
    said: TurnId
    """A turn that it counted, the first: nothing is known of the line here once that is gone."""


@dataclass(frozen=True)
class OwnTurn:
    """Something that the person said to the node."""

    id: TurnId
    conversation: ConversationId
    title: str = field(repr=False)
    """Of the chat."""
    number: int
    """Its place in the chat, from 1."""
    at: datetime
    text: str = field(repr=False)
    speaker: str
    """Which role is asked (``RoleId``); empty: the second self."""
    played: bool
    """It was said in a chat with roles: to somebody who is played."""


@dataclass(frozen=True)
class ProfileEdit:
    """Something that the person changed in a line; what is ``None`` stays as it was."""

    id: str
    line: str
    at: datetime
    hidden: bool | None = None
    pinned: bool | None = None
    name: str | None = field(default=None, repr=False)
    """How it is called; empty: as it is written."""
    into: str | None = None
    """The line that it counts in; empty: in none but itself."""


class Profiles(Protocol):
    """What the profile is counted from, and what the person changed in it."""

    def own_turns(self) -> list[OwnTurn]:
        """Return what the person said themselves in the chats that are there, oldest first; neither
        a program's turns nor those that only give the word to a role.
        """
        ...

    def edits(self) -> list[ProfileEdit]:
        """Return what the person changed, oldest first."""
        ...

    def put(self, edit: ProfileEdit, turns: Sequence[TurnId]) -> None:
        """Record a change of a line that counts these turns. It goes when the last of them goes, or
        is changed by an erasure. Raises ``NotFoundError`` where none of them is there.
        """
        ...

    def bases(self) -> dict[str, list[TurnId]]:
        """Return the turns that each change rests on, by the id of the change."""
        ...

    def note_in_mind(self, answer: TurnId, lines: Sequence[LineInMind]) -> None:
        """Note the lines that an answer was given with, in the place of those that were noted;
        those that counted a turn that is not there are left out.
        """
        ...

    def remove(self, edit: str) -> None:
        """Take a change back. Raises ``NotFoundError``."""
        ...
