"""What is going on: what was said to come today or tomorrow, and who was named in the last days,
for an entry to begin from. Each comes with where or when it was said; where nothing is going on
there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

import numpy as np

from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.domain.memory.entities import Entity, EntityKind
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import Decisions
from lpm_kernel.L0.index.days import Days
from lpm_kernel.L0.language import dates
from lpm_kernel.L0.language.analysis import terms, traits
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.usecases.memory.timeline import DaySentence, struck

AHEAD = timedelta(days=1)
"""How far ahead an event is an occasion."""
BACK = timedelta(days=60)
"""How long before it an event was spoken of."""
LATELY = timedelta(days=13)
"""Before today, when a name is in the air."""
LEAST_NAMED = 3
"""Passages that ever named somebody: fewer may be anybody."""
LEAST_WORDS = 2
"""Content words beside the date: fewer name no event."""
LONGEST = 240
"""Characters of a sentence that can be shown as a line."""
READ = 2_000
"""Passages in which events are looked for, the latest."""
MOST = 3
"""Occasions of each sort that are given."""

_PAST = re.compile(
    r"\b(?:was|were|had|did|went|came|got|saw|made|took|met|gave|left|said|told)\b"
    r"|\b(?!(?:booked|planned|scheduled|supposed|expected|invited|need|wed|bed)\b)[a-z]{1,20}ed\b"
    r"|(?:た|だった)[。．]?$|[了过過]",
    re.IGNORECASE,
)
"""Tells of what is over. A sentence that does is no event to come, whatever date it names."""
_WITHIN = re.compile(r"(?:[-–—~〜～至到]\s?|\bnot (?:on )?|[“「『‘][^”」』’]{0,200})$")
"""Before a date: it ends a stretch of days, is denied, or somebody else is quoted."""


@dataclass(frozen=True)
class ExpectedEvent:
    """What was said to come on a day."""

    day: date
    sentence: DaySentence


@dataclass(frozen=True)
class RecentPerson:
    """Somebody who was named lately."""

    slug: str = field(repr=False)
    name: str = field(repr=False)
    last: date
    """When last."""
    passages: int
    """How many passages of the last days name them."""


def events(
    days: Days, index: PassageIndex, decisions: Decisions, today: date
) -> list[ExpectedEvent]:
    """Find what was said, on an earlier day than its own, to come today or tomorrow; what is of
    today first.
    """
    chunks = _spoken_of_time(days, index, today)
    is_struck = struck(decisions, chunks)
    found: dict[str, ExpectedEvent] = {}
    for chunk in chunks:
        for event in _events_of(chunk, today):
            if not is_struck(event.sentence):
                found.setdefault(event.sentence.text.casefold(), event)
    return sorted(found.values(), key=lambda event: event.day)[:MOST]


def _spoken_of_time(days: Days, index: PassageIndex, today: date) -> list[Chunk]:
    """Return what was said of times in the last days, the latest first."""
    tallies = days.tallies(today - BACK, today)
    positions = [at for tally in tallies[::-1] for at in days.on(tally.day)]
    columns = days.columns
    rows = [int(columns.rows[at]) for at in positions if columns.traits[at] & Trait.TIME][:READ]
    found = index.chunks(rows)
    return [found[row] for row in rows if row in found and not found[row].by_machine]


def _events_of(chunk: Chunk, today: date) -> Iterator[ExpectedEvent]:
    if chunk.said_at is None:
        return
    said_at = chunk.said_at.astimezone()
    for start, end in sentence_spans(chunk.text):
        text, line = chunk.text[start:end], chunk.text.rfind("\n", 0, start) + 1
        # what a mail says again of an earlier one may be changed by now
        fresh = not chunk.text.startswith(">", line)
        day = _day_ahead(text, said_at, today) if fresh and end - start <= LONGEST else None
        if day is not None:
            begin = chunk.start + start
            yield ExpectedEvent(day, DaySentence(chunk, text, begin, begin + len(text)))


def _day_ahead(text: str, said_at: datetime, today: date) -> date | None:
    """Return the day, today or tomorrow, on which a sentence says that something will be.

    >>> said = datetime(2026, 11, 20, 9).astimezone()
    >>> _day_ahead("Dentist on 26 November at ten.", said, date(2026, 11, 25))
    datetime.date(2026, 11, 26)
    >>> _day_ahead("I went to the dentist on 26 November.", said, date(2026, 11, 26)) is None
    True
    """
    if _PAST.search(text) or traits(text) & Trait.QUESTION:
        return None
    for mention in dates.named(text, said_at):
        if _WITHIN.search(text[: mention.start]):
            continue
        rest = f"{text[: mention.start]} {text[mention.end :]}"
        for span in mention.spans:
            day = span.start.date()
            whole = span.end.date() == day + timedelta(days=1)
            ahead = said_at.date() < day and today <= day <= today + AHEAD
            if whole and ahead and len(set(terms(rest))) >= LEAST_WORDS:
                return day
    return None


def named(days: Days, entities: Iterable[Entity], today: date) -> list[RecentPerson]:
    """Find the people that were named in the days before today, those named most first. Whom today
    names is in the person's mind already.
    """
    tallies = days.tallies(today - LATELY, today - timedelta(days=1))
    when = {
        int(row): tally.day
        for tally in tallies
        for row in days.columns.rows[np.asarray(days.on(tally.day))]
    }
    found = [
        RecentPerson(entity.slug, entity.name, max(when[row] for row in rows), len(rows))
        for entity in entities
        if entity.kind is EntityKind.PERSON
        and not entity.self
        and not entity.hidden
        and len(entity.rows) >= LEAST_NAMED
        and (rows := [row for row in entity.rows if row in when])
    ]
    ranked = sorted(found, key=lambda each: (-each.passages, -each.last.toordinal(), each.name))
    return ranked[:MOST]
