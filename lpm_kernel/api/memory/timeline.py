"""The timeline: how much each day holds, and what."""

from __future__ import annotations

from datetime import date, timedelta

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.memory.timeline_schemas import (
    AnniversaryList,
    DayOut,
    EventOut,
    NamedOut,
    OccasionList,
    TimelineOut,
    TimelineQuery,
    TodayQuery,
)
from lpm_kernel.api.memory.timeline_serialisers import serialise_day, serialise_sentence
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.errors import InvalidInputError, StrangeCursorError
from lpm_kernel.usecases.memory.occasions import named

api = APIBlueprint(
    "timeline",
    __name__,
    url_prefix="/api/timeline",
    abp_tags=[Tag(name="timeline", description="The days of a life")],
)


@api.get("", summary="Look at the days of a life", responses={200: TimelineOut})
def timeline(query: TimelineQuery) -> Response:
    """Count passages and statements by the day on which they were said or written; with `detail`
    tell of each day.
    """
    if query.since is not None and query.until is not None and query.since > query.until:
        raise InvalidInputError(
            "The first day is after the last.", "Give `from` the earlier of the two."
        )
    until = _until(query)
    days = node().memory.days(Scope(include_private=is_owner()))
    following = None
    if query.detail:
        tallies = days.tallies(query.since, until)[::-1]
        shown = [
            serialise_day(node(), day_summary)
            for day_summary in node().memory.told_of(days, tallies[: query.limit])
        ]
        following = tallies[query.limit - 1].day.isoformat() if len(tallies) > query.limit else None
    else:
        shown = [
            DayOut(day=tally.day, passages=tally.passages, statements=tally.statements)
            for tally in days.tallies(query.since, query.until)
        ]
    known = TimelineOut(
        days=shown,
        first=days.first,
        last=days.last,
        busiest=days.busiest,
        undated=days.undated,
        next_cursor=following,
    )
    return json_response(known)


@api.get("/anniversaries", summary="On this day", responses={200: AnniversaryList})
def anniversaries(query: TodayQuery) -> Response:
    """Tell of the days with today's date in earlier years; where nothing was said on any, of up to
    three days of the same week of last year. A day without a sentence is left out.
    """
    today = _today(query)
    found = node().memory.anniversaries(today, Scope(include_private=is_owner()))
    shown = [serialise_day(node(), day) for day in found.days]
    return json_response(
        AnniversaryList(
            day=today,
            exact=found.exact,
            items=[day for day in shown if day.sentence is not None],
        )
    )


@api.get("/occasions", summary="What is going on", responses={200: OccasionList})
def occasions(query: TodayQuery) -> Response:
    """Give what an entry of today may begin from: sentences that say what comes today or tomorrow,
    and the people that were named lately.
    """
    here, today = node(), _today(query)
    scope = Scope(include_private=is_owner())
    entities = here.graph.named(include_private=is_owner()).found.by_slug.values()
    return json_response(
        OccasionList(
            day=today,
            events=[
                EventOut(day=event.day, sentence=sentence)
                for event in here.memory.events(today, scope)
                if (sentence := serialise_sentence(here, event.sentence)) is not None
            ],
            named=[
                NamedOut(slug=each.slug, name=each.name, last=each.last, passages=each.passages)
                for each in named(here.memory.days(scope), entities, today)
            ],
        )
    )


def _today(query: TodayQuery) -> date:
    return query.on or node().ports.clock.now().astimezone().date()


def _until(query: TimelineQuery) -> date | None:
    """Return the last day that is asked for: the one before that which the cursor names, which was
    told of already.
    """
    if query.cursor is None:
        return query.until
    try:
        day = date.fromisoformat(query.cursor)
        before = day - timedelta(days=1)
    except (ValueError, OverflowError) as error:
        raise StrangeCursorError from error
    if day.isoformat() != query.cursor:  # a week, or a day without its hyphens, is none of ours
        raise StrangeCursorError
    return before if query.until is None else min(before, query.until)
