"""Questions about a day or a month as a whole: "What happened on 9 May?" Nothing in them but the
time says what is wanted, so what was said then is looked for by the calendar alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.L0.language import dates
from lpm_kernel.L0.language.analysis import MOST, terms, traits
from lpm_kernel.L0.language.dates import Span
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.reader import Pick, length
from lpm_kernel.L1.answering.sentences import PassageSentence, overlaps, sentences

LONGEST: Final = 92
"""Days up to which a time is told of as a whole: a season."""
SENTENCES_SHOWN: Final = 3
WORDS_SHOWN: Final = 60
SHORTEST: Final = 3
"""Content words from which a sentence tells anything."""
ENOUGH: Final = 10
"""Content words of a sentence beyond which more say no more."""

_ANY_DAY: Final = frozenset(
    terms(
        "happen happened happening go going on do did doing tell about write wrote written note"
        " noted know remember special day week month year event time thing things something"
        " anything everything up busy spend spent there was were like say said entry diary plan"
        " planned planning"
        " ある いる する やる した 教える つく 起きる 起こる 出来事 日 こと 何 書く 過ごす 思い出す"
        " 覚える 様子 記録 日記 予定 頃"
    )
)
"""Content words of a question that asks about a day, whatever the day."""
_ANY_DAY_IN_CHINESE: Final = re.compile(
    r"(?:发生|发生过|安排|计划|做|干|写|记|有|怎么样|什么|哪些|事情?|我|我们|了|过|在|的|那天|吗|呢|是|都|些)+"
)
_MARKS: Final = re.compile(r"[\W_]+")


def days_asked(question: Question, now: datetime) -> tuple[Span, ...]:
    """Return the times that a question asks about as a whole, the likeliest first; none where it
    asks about anything else.

    >>> now = datetime(2025, 11, 20, 9)
    >>> [span.start.date().isoformat()
    ...     for text in ("What did I do on 9 May 2021?", "What did Mai say on 9 May 2021?")
    ...     for span in days_asked(Question(text), now)]
    ['2021-05-09']
    """
    text = question.text[:MOST]
    mentions = dates.named(text, now)
    if len(mentions) != 1:
        return ()
    (named,) = mentions
    spans = tuple(span for span in named.spans if not span.open and span.days <= LONGEST)
    rest = f"{text[: named.start]} {text[named.end :]}"
    plain = _MARKS.sub("", rest)
    whole = question.language == "zh" and bool(_ANY_DAY_IN_CHINESE.fullmatch(plain))
    return spans if whole or not set(terms(rest)) - _ANY_DAY else ()


def said_in(item: Recalled, span: Span) -> bool:
    """Tell whether something was said in a time."""
    said_at = item.chunk.said_at
    return (
        said_at is not None and span.start.timestamp() <= said_at.timestamp() < span.end.timestamp()
    )


def names_day(items: Sequence[Recalled], span: Span) -> bool:
    """Tell whether something that was said at another time tells of a day by its date."""
    return span.days > 1 or any(
        named.days <= 1 and not named.open and named.start.date() == span.start.date()
        for item in items
        if item.chunk.said_at is not None
        for named in dates.spans(item.text, item.chunk.said_at)
    )


def naming(items: Sequence[Recalled], span: Span) -> tuple[Pick, ...]:
    """Choose the sentences that were said at another time and name a day by its date, as a plan
    does, in the order in which they were found.
    """
    if span.days > 1:
        return ()
    found = [
        each
        for each in sentences(items, len(items))
        if (said_at := items[each.item].chunk.said_at) is not None
        and not overlaps((*items[each.item].struck, *items[each.item].lapsed), each.start, each.end)
        and any(
            named.days <= 1 and not named.open and named.start.date() == span.start.date()
            for named in dates.spans(each.text, said_at)
        )
    ]
    return tuple(Pick(each.item, each.start, each.end) for each in found[:SENTENCES_SHOWN])


def told_of(items: Sequence[Recalled], span: Span) -> tuple[Pick, ...]:
    """Choose what tells most of what was said in a time: a sentence of each document before a
    second one of any, in the order in which it was said.
    """
    known = _of_that_time(items, span)
    ranked = sorted(known, key=lambda each: (-_telling(each), each.item, each.start))
    chosen: list[PassageSentence] = []
    room = float(WORDS_SHOWN)
    for again in (False, True):
        for each in ranked:
            documents = {items[other.item].chunk.document for other in chosen}
            if (
                len(chosen) < SENTENCES_SHOWN
                and each not in chosen
                and _telling(each) > 0
                and length(each.text) <= room
                and (again or items[each.item].chunk.document not in documents)
            ):
                chosen.append(each)
                room -= length(each.text)
    return tuple(
        Pick(each.item, each.start, each.end)
        for each in sorted(
            chosen, key=lambda each: (_moment(items[each.item]), each.item, each.start)
        )
    )


def _of_that_time(items: Sequence[Recalled], span: Span) -> list[PassageSentence]:
    """Return the sentences said in a time; a correction belongs to the time of what it corrects,
    and is none by itself.
    """
    then = [said_in(item, span) for item in items]
    return [
        each
        for each in sentences(items, len(items))
        if then[each.item] or (any(then) and items[each.item].corrects)
    ]


def nearest(items: Sequence[Recalled], span: Span) -> datetime | None:
    """Return the day nearest to a time on which something was said."""
    start, end = span.start.timestamp(), span.end.timestamp()
    moments = [item.chunk.said_at for item in items if item.chunk.said_at is not None]
    return min(
        moments,
        key=lambda moment: max(start - moment.timestamp(), moment.timestamp() - end, 0.0),
        default=None,
    )


def _telling(sentence: PassageSentence) -> float:
    trait = traits(sentence.text)
    says = min(ENOUGH, len(set(terms(sentence.text))))
    if says < SHORTEST or trait & Trait.QUESTION:
        return 0.0
    return says + 2.0 * bool(trait & Trait.FIRST_PERSON)


def _moment(item: Recalled) -> float:
    return item.chunk.said_at.timestamp() if item.chunk.said_at else 0.0
