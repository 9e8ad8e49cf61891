"""Backups: which there are, when the next is due, and which are kept as they grow old. Pure functions of the clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

ALL_FOR = timedelta(days=1)
"""Every backup is kept this long."""
DAILY_FOR = timedelta(days=7)
"""Then the last of each day."""
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


def kept(backups: Iterable[Backup], now: datetime) -> set[str]:
    """Return the ids of the backups that are kept: all of the last day, then the last of each day, then of each week.

    The newest is always kept, however old.

    >>> noon = datetime(2026, 3, 14, 12).astimezone()
    >>> def at(hours): return Backup(f"{hours}", noon - timedelta(hours=hours), "scheduled", 0, 0, 0, "", "")
    >>> sorted(kept([at(1), at(2), at(50), at(52)], noon))
    ['1', '2', '50']
    """
    newest_first = sorted(backups, key=lambda backup: (backup.at, backup.id), reverse=True)
    stay = {backup.id for backup in newest_first[:1]}
    seen: set[tuple[str, int, int]] = set()
    for backup in newest_first:
        age = now - backup.at
        if age <= ALL_FOR:
            stay.add(backup.id)
            continue
        if age <= DAILY_FOR:
            slot = ("day", backup.at.year, backup.at.timetuple().tm_yday)
        elif age <= WEEKLY_FOR:
            year, week, _ = backup.at.isocalendar()
            slot = ("week", year, week)
        else:
            continue
        if slot not in seen:
            seen.add(slot)
            stay.add(backup.id)
    return stay


def is_due(newest: Backup | None, fingerprint: str, every: timedelta, now: datetime) -> bool:
    """Tell whether a backup is to be made: the last is old enough, and something changed since. ``every`` zero: never."""
    if not every:
        return False
    return newest is None or (now - newest.at >= every and newest.fingerprint != fingerprint)
