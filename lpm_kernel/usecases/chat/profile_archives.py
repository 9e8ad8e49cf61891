"""What the person changed in their profile, as an archive has it: the lines themselves are counted
again from the chats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from lpm_kernel.domain.chat.conversations import Keeping
from lpm_kernel.domain.chat.profile import (
    MOST_NAME,
    InMindKind,
    LineInMind,
    ProfileEdit,
    Profiles,
)
from lpm_kernel.domain.ids import TurnId
from lpm_kernel.domain.stores import Conversations
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.chat.profile import MOST_BASIS

LONGEST_ID: Final = 80
_LINE: Final = re.compile(r"(?:topic|person|place|asked)-[0-9a-f]{16}")
_EDIT: Final = re.compile(r"pe_[0-9a-f]{16}")


def counted_turns(profiles: Profiles, conversations: Conversations) -> set[TurnId]:
    """Name the turns that the profile counts and an archive has: those of chats that keep
    everything.
    """
    whole = {chat.id for chat in conversations.keeping(Keeping.FULL)}
    return {turn.id for turn in profiles.own_turns() if turn.conversation in whole}


def written(profiles: Profiles, counted: Collection[TurnId]) -> Iterator[dict[str, Any]]:
    """Give a JSON object for each change, oldest first, with the turns that it rests on. One that
    rests on none of those that are ``counted`` stays behind, as they do.
    """
    bases = profiles.bases()
    for edit in profiles.edits():
        turns = [turn for turn in bases.get(edit.id, ()) if turn in counted]
        if turns:
            yield vars(edit) | {"at": edit.at.isoformat(), "turns": turns}


def take_in(
    rows: Iterable[Mapping[str, Any]],
    profiles: Profiles,
    as_moment: Callable[[object], datetime],
    quotes: Callable[[str], bool],
) -> None:
    """Take over the changes of lines in which nothing was changed here. A name that ``quotes``
    finds in what was erased here is left out. Raises ``KeyError``, ``ValueError`` and
    ``TypeError``; then none was taken over.
    """
    came = {edit.id: (edit, turns) for edit, turns in (_edit(row, as_moment) for row in rows)}
    known = {edit.id: edit.line for edit in profiles.edits()}
    changed = {line for edit, line in known.items() if edit not in came}
    for edit, turns in sorted(came.values(), key=lambda each: (each[0].at, each[0].id)):
        if edit.id in known or edit.line in changed or quotes(edit.name or ""):
            continue
        with suppress(NotFoundError):  # what it rests on did not come along
            profiles.put(edit, turns)


def line_in_mind(row: Mapping[str, Any]) -> LineInMind:
    """Read a line that an answer was given with. Raises ``KeyError``, ``ValueError`` and
    ``TypeError``.
    """
    return LineInMind(
        InMindKind(row["kind"]), _matching(_LINE, row["line"]), TurnId(_short(row["said"]))
    )


def _edit(
    row: Mapping[str, Any], as_moment: Callable[[object], datetime]
) -> tuple[ProfileEdit, list[TurnId]]:
    name, into = row["name"], row["into"]
    edit = ProfileEdit(
        _matching(_EDIT, row["id"]),
        _matching(_LINE, row["line"]),
        as_moment(row["at"]),
        _choice(row["hidden"]),
        _choice(row["pinned"]),
        None if name is None else " ".join(_short(name, MOST_NAME).split()),
        into and _matching(_LINE, into),
    )
    turns = row["turns"]
    if not isinstance(turns, list) or len(turns) > MOST_BASIS:
        raise ValueError(turns)
    return edit, [TurnId(_short(each)) for each in turns]


def _choice(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(value)


def _matching(form: re.Pattern[str], value: object) -> str:
    if not isinstance(value, str) or not form.fullmatch(value):
        raise ValueError(value)
    return value


def _short(value: object, longest: int = LONGEST_ID) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(value)
    return value
