"""Growing every week: when a small training goes on from the one in use, and why it is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Final

from lpm_kernel.domain.training.runs import RunId

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
BEGINS: Final = time(2)
"""Local time from which on it may begin on its day."""
ENDS: Final = time(23)
"""Local time from which on it no longer begins, and says why it did not."""
WEEK: Final = timedelta(days=7)
KEPT: Final = 3
"""Trainings before the one in use whose adapters are kept when older ones are thinned out."""


class SkipReason(StrEnum):
    """Why a week is skipped."""

    NOTHING_IN_USE = "nothing-in-use"
    """No training answers as the person, so that there is nothing to go on from."""
    OTHER_MODEL = "other-model"
    """The training in use was made from another model, or its files are gone."""
    NOTHING_NEW = "nothing-new"
    """Every statement that could be learned is known to the training in use."""
    BUSY = "busy"
    """The machine was at work on its day for as long as it could have begun."""
    ON_BATTERY = "on-battery"
    OTHER_TRAINING = "other-training"
    """Another training was at work, or waits to be read and begun."""


FOR_NOW = frozenset({SkipReason.BUSY, SkipReason.ON_BATTERY, SkipReason.OTHER_TRAINING})
"""Reasons that may pass before the day is over."""


@dataclass(frozen=True)
class MachineState:
    """What the machine is doing."""

    idle: bool
    on_power: bool
    """True also where there is no battery."""


def opens(now: datetime, day: int) -> bool:
    """Tell whether it may begin; ``now`` is local, ``day`` counts from Monday, 0.

    >>> opens(datetime(2026, 11, 29, 2), 6), opens(datetime(2026, 11, 28, 12), 6)
    (True, False)
    """
    return now.weekday() == day and now.time() >= BEGINS


def closes(now: datetime) -> bool:
    """Tell whether it is too late to wait on its day; ``now`` is local."""
    return now.time() >= ENDS


def next_day(now: datetime, day: int, *, done_today: bool) -> datetime:
    """Return when it may begin next; ``done_today``: its day is today, and is over for it.

    >>> next_day(datetime(2026, 11, 26, 17), 6, done_today=False)
    datetime.datetime(2026, 11, 29, 2, 0)
    >>> next_day(datetime(2026, 11, 29, 17), 6, done_today=True)
    datetime.datetime(2026, 12, 6, 2, 0)
    """
    ahead = (day - now.weekday()) % 7
    begins = datetime.combine(now.date() + timedelta(days=ahead), BEGINS, now.tzinfo)
    return begins + WEEK if done_today and not ahead else begins


def to_thin(
    grown: Sequence[RunId], in_use: RunId | None, ancestors: Sequence[RunId], kept: int = KEPT
) -> list[RunId]:
    """Return which of the trainings that grew by themselves (``grown``, the newest first) lose
    their weights: not the newest, not the one in use, and not the first ``kept`` of its
    ``ancestors``, to which it falls back.

    >>> e, d, c, b, a = map(RunId, "edcba")
    >>> to_thin([e, d, c, b], d, [c, b, a], 1)
    ['b']
    """
    stays = {in_use, *grown[:1], *ancestors[:kept]}
    return [each for each in grown if each not in stays]
