"""The profile of the person as it stands now, and what they change in it.

What was read in a month is kept until a turn of that month changes, and whom the month names until
a name does: whoever says something, deletes a chat or renames somebody sees it at the next look.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final

from lpm_kernel.domain.caching import PROFILES, VersionedCache
from lpm_kernel.domain.chat.profile import (
    MOST_NAME,
    LineInMind,
    LineKind,
    OwnTurn,
    ProfileEdit,
    Profiles,
)
from lpm_kernel.domain.ids import TurnId
from lpm_kernel.domain.memory.entities import Entities, Entity, EntityKind
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Roles
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L1.tiers.naming import KnownName, NameIndex
from lpm_kernel.L1.tiers.profile import (
    KINDS,
    Line,
    MonthRead,
    Profile,
    ToldLine,
    arrange,
    asked_lines,
    month_of,
    name_lines,
    persons_in,
    read_month,
    told,
    topic_lines,
)

MOST_BASIS: Final = 200
"""Turns of a line that a change of it rests on, the newest."""
TOLD_FOR: Final = timedelta(minutes=10)
"""How long the second self has the same lines in mind before they are counted anew."""


@dataclass(frozen=True)
class ProfileCache:
    """What was worked out of the months. Lost with the process."""

    reads: VersionedCache[str, MonthRead] = field(
        default_factory=lambda: VersionedCache[str, MonthRead](PROFILES)
    )
    names: VersionedCache[str, dict[TurnId, frozenset[str]]] = field(
        default_factory=lambda: VersionedCache[str, dict[TurnId, frozenset[str]]](PROFILES)
    )

    counted: VersionedCache[str, list[Line]] = field(
        default_factory=lambda: VersionedCache[str, list[Line]](PROFILES)
    )

    told: VersionedCache[Language, list[ToldLine]] = field(
        default_factory=lambda: VersionedCache[Language, list[ToldLine]](PROFILES)
    )

    def forget(self) -> None:
        """Keep nothing of it: something was erased."""
        self.reads.forget()
        self.names.forget()
        self.counted.forget()
        self.told.forget()


@dataclass(frozen=True)
class ProfilePorts:
    """What the profile is made from, and what is kept of it."""

    profiles: Profiles
    roles: Roles
    clock: Clock
    named: Callable[[], Entities]
    """Gives who and what the person's texts name."""
    owner: str = field(repr=False)
    """The person's name."""
    cache: ProfileCache
    erased: Callable[[], Hashable]
    """Gives what changes with every erasure, also where another process erased."""


@dataclass(frozen=True)
class ProfileChange:
    """What the person changes in a line; what is ``None`` stays."""

    hidden: bool | None = None
    pinned: bool | None = None
    name: str | None = field(default=None, repr=False)
    """Empty: as it is written."""
    into: str | None = None
    """Empty: it counts for itself again."""


def profile(ports: ProfilePorts) -> Profile:
    """Return the profile, counted from the chats that are there."""
    turns = ports.profiles.own_turns()
    months: dict[str, list[OwnTurn]] = {}
    for turn in turns:
        months.setdefault(month_of(turn.at), []).append(turn)
    versions = {month: _version(said) for month, said in months.items()}
    entities = ports.named().by_slug.values()
    known = frozenset(_named(each) for each in entities if each.kind in KINDS and _is_shown(each))
    # of what is on the map and no one can tell what it is, the chats may tell that it is a person
    taken = frozenset(
        spelling
        for each in entities
        if each.kind is not EntityKind.UNKNOWN or not _is_shown(each)
        for spelling in (each.name, *each.aliases)
    )
    counted = ports.cache.counted.get(
        "counted",
        (tuple(versions.items()), known, taken, ports.owner),
        lambda: _counted(ports, months, versions, (known, taken)),
    )
    asked = asked_lines(turns, {role.id: role.name for role in ports.roles.all()})
    return arrange(turns, [*counted, *asked], ports.profiles.edits())


def _counted(
    ports: ProfilePorts,
    months: Mapping[str, Sequence[OwnTurn]],
    versions: Mapping[str, Hashable],
    known: tuple[frozenset[KnownName], frozenset[str]],
) -> list[Line]:
    """Count topics, people and places. ``known`` are the people and places that the person's texts
    name, and every spelling of whoever and whatever they name: people whom only the chats name come
    besides.
    """
    reads = [
        ports.cache.reads.get(month, versions[month], partial(read_month, said))
        for month, said in months.items()
    ]
    places, taken = known
    slugs = {each.slug for each in places}
    fresh = persons_in(reads, [*taken, ports.owner], ports.owner)
    names = [*places, *(each for each in fresh if each.slug not in slugs)]
    index, every = NameIndex(names), frozenset(names)
    found: dict[TurnId, frozenset[str]] = {}
    for month, said in months.items():
        found |= ports.cache.names.get(
            month, (versions[month], every), partial(_naming, index, said)
        )
    there = set().union(*found.values(), set())
    return [
        *topic_lines(reads, [each for each in names if each.slug in there]),
        *name_lines(names, found),
    ]


def line_of(shown: Profile, identifier: str) -> Line:
    """Return a line. Raises ``NotFoundError``; one that counts in another is none."""
    for line in shown.lines:
        if line.id == identifier:
            return line
    raise NotFoundError("line of the profile", identifier)


def turns_of(shown: Profile, line: Line) -> list[OwnTurn]:
    """Return the turns that a line counts, the newest first."""
    return [turn for turn in reversed(shown.turns) if turn.id in line.turns]


def change(ports: ProfilePorts, identifier: str, wanted: ProfileChange) -> ProfileEdit:
    """Change a line from now on, and return what was recorded. Raises ``NotFoundError`` and
    ``InvalidInputError``.
    """
    shown = profile(ports)
    line = _any_line(shown, identifier)
    name = None if wanted.name is None else " ".join(wanted.name.split())
    if wanted == ProfileChange():
        raise InvalidInputError("Nothing is changed.", "Say what to hide, pin, rename or merge.")
    if name and len(name) > MOST_NAME:
        raise InvalidInputError(
            f"A name of a line has at most {MOST_NAME} characters.", "Choose a shorter one."
        )
    if wanted.into:
        _check_merge(line, line_of(shown, wanted.into))
    edit = ProfileEdit(
        "pe_" + secrets.token_hex(8),
        line.id,
        ports.clock.now(),
        wanted.hidden,
        wanted.pinned,
        name,
        wanted.into,
    )
    ports.profiles.put(edit, [turn.id for turn in turns_of(shown, line)[:MOST_BASIS]])
    return edit


def told_lines(
    ports: ProfilePorts, language: Language = "en", *, owner: bool, model_is_here: bool
) -> list[ToldLine]:
    """Return the profile in at most ten short lines for the second self to have in mind; none for
    anybody but its owner, or where the model runs on another machine. So that no question waits for
    a count, they are those of the last look, for :data:`TOLD_FOR` at most, unless the person has
    changed a line or something was erased.
    """
    if not (owner and model_is_here):
        return []
    while_same = int(ports.clock.now().timestamp() // TOLD_FOR.total_seconds())
    version = while_same, ports.owner, tuple(ports.profiles.edits()), ports.erased()
    return list(ports.cache.told.get(language, version, lambda: told(profile(ports), language)))


def lines_in_mind(ports: ProfilePorts, in_mind: Sequence[LineInMind]) -> Mapping[str, Line]:
    """Return, of lines that an answer was given with, those that are there and not hidden, by the
    ids that they had. One that counts in another since is that one.
    """
    wanted = {each.line for each in in_mind}
    return {
        each.id: line
        for line in profile(ports).lines
        for each in (line, *line.merged)
        if each.id in wanted and not line.hidden
    }


def _any_line(shown: Profile, identifier: str) -> Line:
    for line in shown.lines:
        for each in (line, *line.merged):
            if each.id == identifier:
                return each
    raise NotFoundError("line of the profile", identifier)


def _check_merge(line: Line, target: Line) -> None:
    if line.id == target.id or line.kind is not target.kind or line.kind is LineKind.ASKED:
        raise InvalidInputError(
            "These two cannot be counted as one.",
            "Merge topics with topics, people with people, and places with places.",
        )


def _named(entity: Entity) -> KnownName:
    return KnownName(
        entity.slug, entity.name, entity.kind, frozenset({entity.name, *entity.aliases})
    )


def _is_shown(entity: Entity) -> bool:
    return not (entity.hidden or entity.self)


def _naming(index: NameIndex, said: Sequence[OwnTurn]) -> dict[TurnId, frozenset[str]]:
    return {turn.id: index.named_in(turn.text) for turn in said if not turn.played}


def _version(said: Sequence[OwnTurn]) -> Hashable:
    """Return what changes with anything that the turns of a month are read for."""
    seen = hashlib.sha256()
    for turn in said:
        text = turn.text.encode("utf-8", "replace")
        seen.update(f"{turn.id}|{turn.played:d}|{len(text)}|".encode())
        seen.update(text)
    return seen.digest()
