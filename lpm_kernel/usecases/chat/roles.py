"""Roles: writing one down, putting one away and bringing it back, and the small file by which one
is handed on.

The file holds what a role is, never what it saw. It is strict: a field that this release does not
know is refused by its name, and it cannot ask for what is private; only the person who keeps a role
opens that to it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from importlib import resources
from itertools import count
from typing import Any, Final, TypeVar

from lpm_kernel.domain.chat.conversations import Length, Manner
from lpm_kernel.domain.chat.roles import Origin, Role, RoleId, Sees, Speech, as_row
from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.domain.stores import Roles
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.usecases.library.intake import checked_folder, checked_tags

FORMAT: Final = "second-me-role"
VERSION: Final = 1
KEPT_FOR: Final = timedelta(days=30)
"""How long a role that was put away can be brought back."""
MOST_NAME, MOST_PURPOSE, MOST_PROMPT, MOST_STYLE, MOST_SEAL = 80, 200, 8_000, 500, 4
HOTTEST: Final = 2.0
MEMORY_KINDS: Final = (*(statement_kind.value for statement_kind in StatementKind), "passage")
LANGUAGES: Final = ("en", "ja")

RESERVED: Final = frozenset({"starters", "import", "sees", "together", "try"})
"""Words that stand for something else where roles are asked for."""

_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_NOT_IN_ID = re.compile(r"[^a-z0-9]+")
Kind = TypeVar("Kind", bound=StrEnum)


@dataclass(frozen=True)
class Starter:
    """A role to begin from."""

    id: str
    words: Mapping[str, Mapping[str, str]] = field(repr=False)
    """Name, purpose, prompt, seal and style, by language."""
    speech: Speech

    def role(self, language: str) -> Role:
        """Return it in a language; in English where there is no other."""
        said = self.words.get(language, self.words["en"])
        return Role(
            RoleId(self.id),
            said["name"],
            said["purpose"],
            said["prompt"],
            said["seal"],
            replace(self.speech, style=said["style"]),
            origin=Origin.STARTER,
        )


@cache
def starters() -> tuple[Starter, ...]:
    """Return the roles that are shipped, in their order."""
    rows = json.loads(
        resources.files("lpm_kernel.usecases.chat.starters")
        .joinpath("roles.json")
        .read_text("utf-8")
    )
    return tuple(
        Starter(
            row["id"],
            row["words"],
            Speech("", Length(row["length"]), Manner(row["manner"]), row["temperature"]),
        )
        for row in rows
    )


def starter(identifier: str, language: str) -> Role:
    """Return one of them in a language. Raises ``InvalidInputError``."""
    for each in starters():
        if each.id == identifier:
            return each.role(language)
    raise InvalidInputError(
        f"There is no starter “{identifier[:40]}”.",
        f"The starters are: {', '.join(each.id for each in starters())}.",
    )


def add(roles: Roles, clock: Clock, role: Role) -> Role:
    """Keep a new role; an id that is taken gets a number. Raises ``InvalidInputError``."""
    now = clock.now()
    made = replace(checked(role), created_at=now, updated_at=now, deleted_at=None)
    begins = role.id or id_of(role.name)
    if not _ID.fullmatch(begins):
        raise InvalidInputError(
            f"“{begins[:60]}” cannot be the id of a role.",
            "Take up to 40 small letters, numbers and hyphens; programs ask for second-me/<id>.",
        )
    for number in count(1):
        if number == 1 and begins in RESERVED:
            continue
        identifier = (
            begins if number == 1 else f"{begins[: 39 - len(str(number))].rstrip('-')}-{number}"
        )
        if roles.add(replace(made, id=RoleId(identifier))):
            return roles.get(RoleId(identifier))
    raise AssertionError


def change(roles: Roles, clock: Clock, role: Role) -> Role:
    """Keep how a role reads now. Raises ``NotFoundError`` and ``InvalidInputError``."""
    known = roles.get(role.id)
    return roles.change(
        replace(
            checked(role), origin=known.origin, created_at=known.created_at, updated_at=clock.now()
        )
    )


def let_go(roles: Roles, clock: Clock) -> int:
    """Delete for good what was put away long enough ago, and return how many that were."""
    return roles.let_go(clock.now() - KEPT_FOR)


def id_of(name: str) -> str:
    """Make an id of a name; a name without a Latin letter gives ``role``.

    >>> id_of("Interview coach!"), id_of("Élan vital"), id_of("面接の練習相手")
    ('interview-coach', 'elan-vital', 'role')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _NOT_IN_ID.sub("-", plain).strip("-")[:40].rstrip("-") or "role"


def checked(role: Role) -> Role:
    """Return a role as it is kept. Raises ``InvalidInputError``."""
    name, purpose, prompt = (
        " ".join(role.name.split()),
        " ".join(role.purpose.split()),
        role.prompt.strip(),
    )
    for what, text, least, most in (
        ("name", name, 1, MOST_NAME),
        ("purpose", purpose, 0, MOST_PURPOSE),
        ("prompt", prompt, 1, MOST_PROMPT),
    ):
        if not least <= len(text) <= most:
            raise InvalidInputError(
                f"The {what} of a role has between {least} and {most:,} characters.",
                "Write it again.",
            )
    seal = "".join(role.seal.split()) or name[0].upper()
    if len(seal) > MOST_SEAL:
        raise InvalidInputError("The seal of a role is one sign.", "Choose one letter of its name.")
    style = " ".join(role.speech.style.split())
    if len(style) > MOST_STYLE:
        raise InvalidInputError(
            f"How a role speaks is told in up to {MOST_STYLE} characters.", "Say it shorter."
        )
    if not 0 <= role.speech.temperature <= HOTTEST:
        raise InvalidInputError(
            "The temperature of a role lies between 0 and 2.", "0.7 is a usual one."
        )
    return replace(
        role,
        name=name,
        purpose=purpose,
        prompt=prompt,
        seal=seal,
        speech=replace(role.speech, style=style),
        sees=checked_sees(role.sees),
    )


def checked_sees(sees: Sees) -> Sees:
    """Return a scope as it is kept. Raises ``InvalidInputError``."""
    if unknown := sorted(set(sees.memory_kinds) - set(MEMORY_KINDS)):
        raise InvalidInputError(
            f"There is no kind of memory “{unknown[0][:40]}”.",
            f"The kinds are: {', '.join(MEMORY_KINDS)}.",
        )
    since, until = sees.since, sees.until
    if since is not None and until is not None and since >= until:
        raise InvalidInputError(
            "The time ends before it begins.", "Change one of the two dates, or leave one out."
        )
    kinds, memory_kinds = (
        tuple(sorted(set(sees.kinds))),
        tuple(each for each in MEMORY_KINDS if each in sees.memory_kinds),
    )
    return replace(
        sees,
        tags=tuple(sorted(checked_tags(sees.tags))),
        folder=checked_folder(sees.folder),
        kinds=kinds,
        memory_kinds=memory_kinds,
    )


def to_file(role: Role) -> dict[str, Any]:
    """Write a role as it is handed on: without when it was made, and without the right to see what
    is private.
    """
    return {"format": FORMAT, "version": VERSION, "id": role.id, **as_row(role)}


_WHOLE: Final = to_file(Role(RoleId(""), "", "", ""))


def from_file(row: object) -> Role:
    """Read a role that was handed on. Raises ``InvalidInputError`` naming what is wrong."""
    known = _fields(row, _WHOLE, "")
    if known.get("format") != FORMAT:
        raise InvalidInputError(
            "This is no role of Second Me.", f'The file of a role begins with "format": "{FORMAT}".'
        )
    if known.get("version") != VERSION:
        raise InvalidInputError(
            "A newer release wrote this role.",
            "Nothing was imported. Install that release and import it there.",
        )
    for name in ("name", "prompt"):
        if name not in known:
            raise InvalidInputError(
                f"The field “{name}” is missing in the file of the role.", "Ask for the whole file."
            )
    speech = _fields(known.get("speech", {}), _WHOLE["speech"], "speech.")
    sees = _fields(known.get("sees", {}), _WHOLE["sees"], "sees.")
    temperature = speech.get("temperature", Speech().temperature)
    if isinstance(temperature, bool) or not isinstance(temperature, int | float):
        raise _strange("speech.temperature")
    return checked(
        Role(
            RoleId(_text(known, "id")),
            _text(known, "name"),
            _text(known, "purpose"),
            _text(known, "prompt"),
            _text(known, "seal"),
            Speech(
                _text(speech, "style", "speech."),
                _one_of(Length, speech.get("length", Length.NORMAL), "speech.length"),
                _one_of(Manner, speech.get("manner", Manner.USUAL), "speech.manner"),
                float(temperature),
            ),
            Sees(
                _texts(sees, "tags"),
                tuple(_one_of(DocumentKind, text, "sees.kinds") for text in _texts(sees, "kinds")),
                _texts(sees, "memory_kinds"),
                _text(sees, "folder", "sees."),
                _moment(sees, "since"),
                _moment(sees, "until"),
            ),
            Origin.FILE,
        )
    )


def to_archive(role: Role) -> dict[str, Any]:
    """Write a role as an archive of one's own carries it: with everything."""
    when = {
        name: None if (at := getattr(role, name)) is None else at.isoformat()
        for name in ("created_at", "updated_at")
    }
    return to_file(role) | when | {"private": role.sees.private, "origin": role.origin.value}


def from_archive(row: Mapping[str, Any], moment: Callable[[object], datetime]) -> Role:
    """Read a role out of an archive. Raises ``InvalidInputError``, ``KeyError`` and
    ``ValueError``.
    """
    more = {"created_at", "updated_at", "private", "origin"}
    role = from_file({name: value for name, value in row.items() if name not in more})
    sees = replace(role.sees, private=row["private"] is True)
    return replace(
        role,
        sees=sees,
        origin=Origin(row["origin"]),
        created_at=moment(row["created_at"]),
        updated_at=moment(row["updated_at"]),
    )


def _fields(row: object, wanted: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    if not isinstance(row, Mapping):
        raise _strange(where.rstrip(".") or "the file itself")
    if unknown := sorted(str(each) for each in row if each not in wanted):
        raise InvalidInputError(
            f"The file of the role has a field “{where}{unknown[0][:60]}” that this release does"
            " not know.",
            "Nothing was imported.",
        )
    return row


def _text(row: Mapping[str, Any], name: str, where: str = "") -> str:
    value = row.get(name, "")
    if not isinstance(value, str) or value.encode("utf-8", "replace").decode() != value:
        raise _strange(f"{where}{name}")
    return value


def _texts(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = row.get(name, [])
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or not all(isinstance(each, str) for each in value)
    ):
        raise _strange(f"sees.{name}")
    return tuple(value)


def _one_of(kinds: type[Kind], value: object, name: str) -> Kind:
    try:
        return kinds(str(value))
    except ValueError as error:
        raise InvalidInputError(
            f"“{str(value)[:40]}” is no value of the field “{name}”.",
            f"It is one of: {', '.join(kinds)}.",
        ) from error


def _moment(row: Mapping[str, Any], name: str) -> datetime | None:
    if row.get(name) is None:
        return None
    try:
        return datetime.fromisoformat(_text(row, name, "sees.")).astimezone()
    except ValueError as error:
        raise _strange(f"sees.{name}") from error


def _strange(name: str) -> InvalidInputError:
    return InvalidInputError(
        f"The file of the role cannot be read at “{name}”.", "Nothing was imported."
    )
