"""Ready-made tables to begin from, in `ready_tables.json`: who sits there, by which rules, and what
for, so that one choice opens one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from lpm_kernel.domain.chat.conversations import Length, Manner
from lpm_kernel.domain.chat.roles import Role, RoleId, Speech
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Roles
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.usecases.chat import roles as keeping
from lpm_kernel.usecases.chat.roles import Starter
from lpm_kernel.usecases.share.tables import NewSeat


@dataclass(frozen=True)
class ReadyTable:
    """A table to begin from. ``words`` are name, purpose and an aim to change, by language."""

    id: str
    words: Mapping[str, Mapping[str, str]] = field(repr=False)
    strategy: str
    rounds: int
    stop: Sequence[str]
    twin: bool
    """Whether the second self sits there."""
    roles: Sequence[Starter]

    def told(self, language: str) -> Mapping[str, str]:
        """Return its words in a language; in English where there is no other."""
        return self.words.get(language, self.words["en"])


@cache
def ready_tables() -> tuple[ReadyTable, ...]:
    """Return those that are shipped, in their order."""
    rows = json.loads(
        resources.files("lpm_kernel.usecases.share")
        .joinpath("ready_tables.json")
        .read_text("utf-8")
    )
    return tuple(
        ReadyTable(
            row["id"],
            row["words"],
            row["strategy"],
            row["rounds"],
            row["stop"],
            row["twin"],
            tuple(_starter(each) for each in row["roles"]),
        )
        for row in rows
    )


def ready_table(identifier: str) -> ReadyTable:
    """Return one of them. Raises ``InvalidInputError``."""
    for each in ready_tables():
        if each.id == identifier:
            return each
    raise InvalidInputError(
        f"There is no ready-made table “{identifier[:40]}”.",
        f"They are: {', '.join(each.id for each in ready_tables())}.",
    )


def seats(roles: Roles, clock: Clock, table: ReadyTable, language: str) -> list[NewSeat]:
    """Give everybody who sits at it a place; a role that is not there yet is made, and one that the
    person changed stays as it is.
    """
    return [
        *([NewSeat("twin")] if table.twin else []),
        *(NewSeat("role", _kept(roles, clock, each.role(language)).id) for each in table.roles),
    ]


def _kept(roles: Roles, clock: Clock, role: Role) -> Role:
    try:
        return roles.get(role.id)
    except NotFoundError:
        return keeping.add(roles, clock, role)


def _starter(row: Mapping[str, object]) -> Starter:
    words: Mapping[str, Mapping[str, str]] = row["words"]  # type: ignore[assignment]
    speech = Speech(
        "", Length(str(row["length"])), Manner(str(row["manner"])), float(str(row["temperature"]))
    )
    return Starter(RoleId(str(row["id"])), words, speech)
