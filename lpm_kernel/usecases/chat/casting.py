"""Several roles in one chat: who is chosen, and whose turn it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lpm_kernel.domain.chat.roles import MOST_CAST, Role, RoleId
from lpm_kernel.domain.stores import Roles
from lpm_kernel.errors import InvalidInputError


def cast_of(roles: Roles, wanted: Sequence[str]) -> tuple[RoleId, ...]:
    """Return the roles of a new chat. Raises ``InvalidInputError`` and ``NotFoundError``."""
    if len(set(wanted)) < len(wanted) or len(wanted) > MOST_CAST:
        raise InvalidInputError(
            f"A chat has up to {MOST_CAST} roles, each once.", "Leave some of them out."
        )
    return tuple(roles.get(RoleId(each)).id for each in wanted)


def next_to_speak(cast: Sequence[Role], spoken: Mapping[str, int], said: str = "") -> Role:
    """Return whose turn it is: whom the person names first in what they say, else who spoke least,
    in the order of the cast.

    ``spoken`` counts the answers of each, by id. ``cast`` is not empty.
    """
    named = {where: role for role in reversed(cast) if (where := _named(role, said)) is not None}
    return named[min(named)] if named else min(cast, key=lambda each: spoken.get(each.id, 0))


def _named(role: Role, said: str) -> int | None:
    """Return where a role is named by its name or, after an @, by its id. A name in Latin letters
    stands by itself, others are not parted from what follows.
    """
    name = re.escape(role.name.strip())
    edge = r"\b" if role.name.isascii() else ""
    found = re.search(rf"@{re.escape(role.id)}(?![\w-])|{edge}{name}{edge}", said, re.IGNORECASE)
    return None if found is None or not role.name.strip() else found.start()
