"""Backups: which there are, when the next is due, and which are kept as they grow old. Pure
functions of the clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

ALL_FOR = timedelta(days=1)
"""Every backup is kept this long."""
DAILY_FOR = timedelta(days=7)
"""Then the last of each day."""
LOSS = 0.1
"""Share of the originals of the backup before that may be missing without an order before a backup
counts as one that lost something.
"""
WEEKLY_FOR = timedelta(weeks=8)
"""Then the last of each week."""


@dataclass(frozen=True)
class Backup:
    """One backup: a folder with the database, the settings, the keys, and links to the files."""

    id: str
    at: datetime
    label: str
    """``scheduled``, ``asked`` or ``before-restore``."""
    documents: int
    bytes: int
    audit_number: int
    audit_hash: str
    fingerprint: str
    """Equal for two backups between which nothing changed."""
    lost: int = 0
    """Originals that the last whole backup has, that this one has not, and that nobody asked to
    remove; 0: it lost less than :data:`LOSS`.
    """
    sequence: int = 0
    """Grows with each backup in a folder, whatever the clock says; 0: made by a release that did
    not count.
    """


def in_order(backup: Backup) -> tuple[int, datetime, str]:
    """Return what backups are sorted by, the oldest first. A clock that was wrong for a day must
    not make an old one the newest.

    >>> noon = datetime(2026, 3, 14, 12).astimezone()
    >>> def made(at, sequence): return Backup("", at, "", 0, 0, 0, "", "", sequence=sequence)
    >>> [each.sequence
    ...     for each in sorted([made(noon, 2), made(noon + timedelta(days=365), 1), made(noon, 0)],
    ...     key=in_order)]
    [0, 1, 2]
    """
    return backup.sequence, backup.at, backup.id


def kept(backups: Iterable[Backup], now: datetime) -> set[str]:
    """Return the ids of the backups that are kept: all of the last day, then the last of each day,
    then of each week.

    The newest is always kept, however old, and so is the newest that lost nothing; one that did
    never takes another's place.

    >>> noon = datetime(2026, 3, 14, 12).astimezone()
    >>> def at(hours): return Backup(f"{hours}", noon - timedelta(hours=hours), "scheduled", 0, 0,
    ...     0, "", "")
    >>> sorted(kept([at(1), at(2), at(50), at(52)], noon))
    ['1', '2', '50']
    """
    newest_first = sorted(backups, key=in_order, reverse=True)
    whole = [backup for backup in newest_first if not backup.lost]
    stay = {backup.id for backup in (*newest_first[:1], *whole[:1])}
    seen: set[tuple[bool, str, int, int]] = set()
    for backup in newest_first:
        age = now - backup.at
        if age <= ALL_FOR:
            stay.add(backup.id)
            continue
        if age <= DAILY_FOR:
            slot = (bool(backup.lost), "day", backup.at.year, backup.at.timetuple().tm_yday)
        elif age <= WEEKLY_FOR:
            year, week, _ = backup.at.isocalendar()
            slot = (bool(backup.lost), "week", year, week)
        else:
            continue
        if slot not in seen:
            seen.add(slot)
            stay.add(backup.id)
    return stay


def is_due(newest: Backup | None, fingerprint: str, every: timedelta, now: datetime) -> bool:
    """Tell whether a backup is to be made: the last is old enough, and something changed since.
    ``every`` zero: never.
    """
    if not every:
        return False
    if newest is None:
        return True
    # a clock that was put back must not keep it waiting
    old = now - newest.at >= every or newest.at > now
    return old and newest.fingerprint != fingerprint


def lost(before: Mapping[str, str], now: Collection[str], removed: Collection[str]) -> int:
    """Count the originals that were there and are not, without an order; 0 where that is less than
    :data:`LOSS` of them.

    ``before``: hash by document id; ``now``: hashes; ``removed``: ids of documents that somebody
    removed or erased.

    >>> (lost({"d1": "a", "d2": "b", "d3": "c"}, {"a"}, {"d2"}),
    ...  lost({str(n): str(n) for n in range(20)}, {str(n) for n in range(19)}, ()))
    (1, 0)
    """
    missing = {
        sha256
        for identifier, sha256 in before.items()
        if sha256 not in now and identifier not in removed
    }
    return len(missing) if missing and len(missing) >= LOSS * len(set(before.values())) else 0
