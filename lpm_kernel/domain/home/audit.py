"""The audit chain: what happened to the home, in entries that each carry the hash of the one
before.

An entry holds facts (kinds, counts, ids, hashes), never a person's words, so nothing has to be
taken out of it when something is erased. Changing, removing or moving an entry breaks the chain
from there on. Removing the last ones does not: for that, the newest entry is also noted elsewhere
(:class:`Head`), in a file of the home and in every backup.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

NOTHING = "0" * 64
"""What stands as the hash before the first entry."""
MOST_NAMED = 20
"""Ids in one entry; the count says how many there were."""

Fact = str | int | bool | tuple[str, ...]


class AuditKind(StrEnum):
    """What happened."""

    DELETED = "deleted"
    """Put away, so that it can come back."""
    BROUGHT_BACK = "brought-back"
    REMOVED = "removed"
    """Gone for good, because the time in which it could come back was over."""
    MADE_PRIVATE = "made-private"
    MADE_OPEN = "made-open"
    CORRECTED = "corrected"
    FORGOTTEN = "forgotten"
    """A sentence that no answer rests on any more."""
    TAKEN_BACK = "taken-back"
    """A correction, or the wish to forget."""
    DATED = "dated"
    """A statement was given the time in which it is so."""
    WRITTEN = "written"
    """A file of the workspace, by the node because somebody asked for it."""
    REFLECTED = "reflected"
    """Pages of the workspace, by the node from what was new."""
    REFLECTION_UNDONE = "reflection-undone"
    TRAINED = "trained"
    """A model learned from statements."""
    TRAINING_IN_USE = "training-in-use"
    """A training answers as the person now; 0: the base."""
    READER_LEARNED = "reader-learned"
    """The reader learned from verdicts."""
    READER_IN_USE = "reader-in-use"
    """A reader that learned reads now; nothing named: the one that the node ships."""
    READER_DROPPED = "reader-dropped"
    """A reader is gone: something that it learned from was erased, forgotten or made private."""
    ENTITY_DECIDED = "entity-decided"
    """Something was said of a person, a place or a thing that the texts name."""
    ENTITY_TAKEN_BACK = "entity-taken-back"
    ERASED = "erased"
    EXPORTED = "exported"
    IMPORTED = "imported"
    BACKED_UP = "backed-up"
    RESTORED = "restored"
    RECOVERED = "recovered"
    """A home that did not open was made whole from what was there."""
    KEY_CREATED = "key-created"
    KEY_REVOKED = "key-revoked"
    SIGNED_IN = "signed-in"
    """A browser, by a link that counts once."""
    SIGNED_OUT = "signed-out"
    SETTINGS_CHANGED = "settings-changed"
    MODEL_CHANGED = "model-changed"
    THINKING_MODEL_CHANGED = "thinking-model-changed"
    EMBEDDER_CHANGED = "embedder-changed"
    LEFT = "left"
    """Data left this machine."""
    INVITED = "invited"
    """A link was made by which somebody can become a contact."""
    INVITE_WITHDRAWN = "invite-withdrawn"
    CONTACT_MET = "contact-met"
    CONTACT_CHANGED = "contact-changed"
    """The state of a contact: blocked, ended, or going on under another identity."""
    CONTACT_DELETED = "contact-deleted"
    GRANT_GIVEN = "grant-given"
    """Somebody may ask for a part of the memory; ``lodged``: a contact passed it on."""
    GRANT_REVOKED = "grant-revoked"
    PEER_DECIDED = "peer-decided"
    """What another node asked was allowed, refused (with the code), or put to the person."""


@dataclass(frozen=True)
class AuditEntry:
    """One thing that happened. ``at`` and ``facts`` stand as they were hashed."""

    number: int
    at: str
    kind: str
    facts: str
    """Canonical JSON."""
    previous: str
    hash: str


@dataclass(frozen=True)
class Head:
    """The newest entry as somebody noted it down."""

    number: int
    hash: str
    where: str
    """Who noted it, for the sentence that says so."""


@dataclass(frozen=True)
class Break:
    """The first place where the chain does not hold."""

    number: int
    sentence: str


def canonical(facts: Mapping[str, object]) -> str:
    """Write facts in the one way in which they are hashed.

    >>> canonical({"b": 1, "a": ("雨", "x")})
    '{"a":["雨","x"],"b":1}'
    """
    return json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def entry(
    previous: AuditEntry | None, at: datetime, kind: AuditKind, facts: Mapping[str, Fact]
) -> AuditEntry:
    """Make the entry that follows."""
    number = 1 if previous is None else previous.number + 1
    before = NOTHING if previous is None else previous.hash
    moment, written = at.astimezone(UTC).isoformat(timespec="microseconds"), canonical(facts)
    return AuditEntry(
        number,
        moment,
        kind.value,
        written,
        before,
        seal(number, moment, kind.value, written, before),
    )


def of_documents(identifiers: Sequence[str]) -> dict[str, Fact]:
    """Return the facts of something that was done to documents.

    >>> of_documents(["d_1", "d_2"])
    {'documents': 2, 'ids': ('d_1', 'd_2')}
    """
    return {"documents": len(identifiers), "ids": tuple(identifiers[:MOST_NAMED])}


def seal(number: int, at: str, kind: str, facts: str, previous: str) -> str:
    """Hash an entry together with the hash of the one before."""
    return hashlib.sha256(
        canonical(
            {"number": number, "at": at, "kind": kind, "facts": facts, "previous": previous}
        ).encode()
    ).hexdigest()


def first_break(entries: Iterable[AuditEntry], heads: Iterable[Head] = ()) -> Break | None:
    """Walk the chain, oldest first, and return the first place where it does not hold.

    >>> one = entry(None, datetime(2026, 3, 14, tzinfo=UTC), AuditKind.ERASED, {"documents": 1})
    >>> first_break([one]) is None, first_break([], [Head(1, one.hash, "a backup")]).number
    (True, 1)
    """
    noted = sorted(heads, key=lambda head: head.number)
    before, number = NOTHING, 0
    for audit_entry in entries:
        number += 1
        if audit_entry.number != number:
            return Break(number, f"Entry {number} is missing.")
        if audit_entry.previous != before or audit_entry.hash != seal(
            audit_entry.number,
            audit_entry.at,
            audit_entry.kind,
            audit_entry.facts,
            audit_entry.previous,
        ):
            return Break(
                number,
                f"Entry {number} is not what was written, or does not follow the one before it.",
            )
        while noted and noted[0].number == number:
            head = noted.pop(0)
            if head.hash != audit_entry.hash:
                return Break(number, f"Entry {number} is not the one that {head.where} noted.")
        before = audit_entry.hash
    if noted:
        return Break(
            number + 1,
            f"Entry {number + 1} and those after it are missing: {noted[-1].where} noted entry"
            f" {noted[-1].number}.",
        )
    return None
