"""Roles: a manner in which the second self speaks, with a limit on what it sees.

An interview coach, the voice of a workshop, a partner who asks back: each is a prompt, a way of
speaking, and a scope. What lies outside the scope does not take part at all: not in what is found,
not in what is counted, not in what is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType

from lpm_kernel.domain.chat.conversations import Length, Manner
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import DocumentKind

RoleId = NewType("RoleId", str)
"""A short word of small letters, numbers and hyphens: other programs ask for
``second-me/<role>``.
"""

MOST_CAST = 6
"""Roles in one chat."""
NOWHERE = DocumentId("-")
"""Stands for the documents of a scope that holds none: no document has this id."""


class Origin(StrEnum):
    """Where a role came from."""

    WRITTEN = "written"
    STARTER = "starter"
    FILE = "file"


@dataclass(frozen=True)
class Speech:
    """How a role speaks."""

    style: str = field(default="", repr=False)
    length: Length = Length.NORMAL
    manner: Manner = Manner.USUAL
    temperature: float = 0.7
    """Of the sampling, 0 to 2: how freely the model chooses its words."""


@dataclass(frozen=True)
class Sees:
    """What a role may see, as the person writes it down. Nothing chosen: everything that is not
    private.
    """

    tags: tuple[str, ...] = field(default=(), repr=False)
    """Documents with one of them."""
    kinds: tuple[DocumentKind, ...] = ()
    memory_kinds: tuple[str, ...] = ()
    """Of statements (``StatementKind``), or ``passage``: what is none."""
    folder: str = field(default="", repr=False)
    since: datetime | None = None
    until: datetime | None = None
    """When it was said, end exclusive; what nobody knows the time of is then left out."""
    private: bool = False

    @property
    def is_open(self) -> bool:
        """Tell whether it is everything but what is private."""
        return self == Sees()

    def scope(
        self, documents: tuple[DocumentId, ...] | None = None, without: tuple[DocumentId, ...] = ()
    ) -> Scope:
        """Give the scope in the terms of recall. ``documents`` are those that kind and folder
        leave, where one of them is chosen.
        """
        chosen = () if documents is None else documents or (NOWHERE,)
        return Scope(
            self.since,
            self.until,
            self.tags,
            documents=chosen,
            kinds=self.memory_kinds,
            include_private=self.private,
            without=without,
        )


@dataclass(frozen=True)
class Role:
    """A role as the person keeps it."""

    id: RoleId
    name: str = field(repr=False)
    purpose: str = field(repr=False)
    """What it is for, in one line."""
    prompt: str = field(repr=False)
    seal: str = field(default="", repr=False)
    """One sign of its name, on its seal."""
    speech: Speech = Speech()
    sees: Sees = Sees()
    origin: Origin = Origin.WRITTEN
    created_at: datetime | None = None
    updated_at: datetime | None = None
    deleted_at: datetime | None = None
    """Put away by the person: it can be brought back until it is removed for good."""


def as_row(role: Role) -> dict[str, Any]:
    """Write down what a role is, as JSON has it: without its id, its dates, and the right to see
    what is private.
    """
    speech, sees = role.speech, role.sees
    return {
        "name": role.name,
        "purpose": role.purpose,
        "prompt": role.prompt,
        "seal": role.seal,
        "speech": {
            "style": speech.style,
            "length": speech.length.value,
            "manner": speech.manner.value,
            "temperature": speech.temperature,
        },
        "sees": {
            "tags": list(sees.tags),
            "kinds": [document_kind.value for document_kind in sees.kinds],
            "memory_kinds": list(sees.memory_kinds),
            "folder": sees.folder,
            "since": None if sees.since is None else sees.since.isoformat(),
            "until": None if sees.until is None else sees.until.isoformat(),
        },
    }
