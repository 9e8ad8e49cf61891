"""From when until when something is so: read out of a sentence, and heeded where a question asks
for a time.

"Until March I worked at the mill", "since 2024", 「去年まで」「2024年から」: the date reader says
when that is, the words around it say which end. Shy, as everything that is read out of words here:
a "not until", a "since" that means because and a 「までに」 set nothing. What is over, or not yet
so, at the time that a question asks about gives way to what holds then; it is never left out,
because it may be all that is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from lpm_kernel.domain.chat.recall import Recalled, Recollection
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.validity import UNKNOWN, Validity, together
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.dates import DateMention, named
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.chunks import Span
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.L1.answering.signs import present
from lpm_kernel.L1.statements.changes import words

LAPSED = 3.0
"""Points of the score that a passage loses which was not so at the time in question: a passage that
answers as well otherwise comes before it.
"""
REACH = 40
"""Signs before a date, and after it, in which the word stands that says which end it is."""
ELSEWHEN = datetime(2001, 2, 3, tzinfo=UTC)
_ELSEWHEN = (ELSEWHEN, datetime(2063, 8, 9, tzinfo=UTC))
"""A date that reads the same from two days is read without knowing the day."""

_MARKED = re.compile(
    r"\b(?:since|until|till|from|through|up to|as of|starting|used to)\b|から|まで|以来|以降|以前"
    r"|かつて|昔",
    re.IGNORECASE,
)
_PART = (
    r"(?:(?:the\s+)?(?:end|beginning|start|middle)\s+of\s+|early\s+|late\s+|about\s+|around\s+)?"
    r"(?:the\s+)?$"
)
_SINCE = re.compile(rf"\b(?:since|as of|as from|starting(?: in| from)?)\s+{_PART}", re.IGNORECASE)
_FROM = re.compile(rf"\bfrom\s+{_PART}", re.IGNORECASE)
_ON = re.compile(
    r"\s*(?:onwards?\b|on\b(?!\s+the)|to\b|until\b|till\b|through\b|up to\b|[–—-])", re.IGNORECASE
)
_UNTIL = re.compile(rf"\b(?:until|till|up until|up to|through)\s+{_PART}", re.IGNORECASE)
_TO = re.compile(rf"(?:\bto|[–—-])\s*{_PART}", re.IGNORECASE)
_BECAUSE = re.compile(r"\s+(?:is|was|are|were|has|had|have|will|would|can|could)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|never|no|nobody|nothing|cannot)\b|n['’]t\b", re.IGNORECASE)
_DENIES_JA = re.compile(r"ない|ません|なかった|ず(?:に|、)")
_PART_JA = r"(?:の?(?:初め|はじめ|終わり|末|半ば|頃|ごろ|春|夏|秋|冬))?"
_SINCE_JA = re.compile(rf"{_PART_JA}(?:から|以来|以降)(?!の)")
_UNTIL_JA = re.compile(rf"{_PART_JA}まで(?!に|の)")
_PAST = re.compile(
    r"\b(?:was|were|had|did|lived|worked|\w+ed)\b|(?:た|でした)[。．]?$", re.IGNORECASE
)
_USED_TO = re.compile(
    r"(?<!am )(?<!is )(?<!are )(?<!was )(?<!get )(?<!got )(?<!'m )(?<!’m )(?<!ing )\bused to "
    r"(?:be|have|\w+)\b(?! it\b)",
    re.IGNORECASE,
)
_FORMERLY_JA = re.compile(r"(?:以前|かつて|昔)は?、?[^。]{0,200}(?:た|でした)(?:[。．]|$)")
_NOW_JA = re.compile(
    r"[てで]い(?:る|ます)(?:か|の|んですか)?[。？?]*$|(?:です|ます)か[。？?]*$"
    r"|(?:どこ|だれ|誰|何|いくら|いくつ)[。？?]*$"
)
_PAST_JA = re.compile(r"た(?:か|の|んですか|のですか)?[。？?]*$|(?:ました|でした)か?")
_CHANGE = re.compile(
    r"\bwhen\b.{0,200}\bchang\w*|\bsince when\b|いつ.{0,200}変わ|いつ変|什么时候.{0,200}变",
    re.IGNORECASE | re.DOTALL,
)
_TRUE = re.compile(
    r"\bwhat\s+(?:\w+\s+)?(?:was|were|is|held|holds)\s+(?:true|so|the case|valid|known)\b"
    r"|\bhow (?:was|were) (?:it|things|everything)\b|何が(?:本当|事実)|どう(?:だった|でした)"
    r"|どんな(?:状況|様子)",
    re.IGNORECASE,
)
_TRUE_WORDS = frozenset(
    terms(
        "what was is were true so the case valid known held holds how it things everything 何 本当"
        " 事実 どう 状況 様子"
    )
)


def told(text: str, said_at: datetime | None) -> Validity:
    """Read out of one sentence from when until when it is so; "last year" needs the day on which it
    was said.

    >>> at = datetime(2025, 11, 20, tzinfo=UTC)
    >>> [(known.start and known.start.date().isoformat(),
    ...   known.end and known.end.date().isoformat()) for known in (
    ...     told("From 2019 to 2022 I lived in Nara.", None),
    ...     told("去年まで工場で働いていた。", at),
    ...     told("I did not move until May 2024.", at))]
    [('2019-01-01', '2023-01-01'), (None, '2025-01-01'), (None, None)]
    """
    if not _MARKED.search(text):
        return UNKNOWN
    if said_at is not None:
        return _told(text, said_at)
    one, other = (_told(text, now) for now in _ELSEWHEN)
    return one if one == other else UNKNOWN


def _told(text: str, now: datetime) -> Validity:
    start = end = None
    opened = False
    for mention in sorted(named(text, now), key=lambda place: place.start):
        span = mention.spans[0]
        before, after = (
            text[max(0, mention.start - REACH) : mention.start],
            text[mention.end : mention.end + REACH],
        )
        if start is None and _begins(before, after):
            start, opened = span.start, True
        elif end is None and _ends(text, mention, before, after, opened=opened):
            said_meanwhile = span.start <= now < span.end and _PAST.search(text)
            end = now if said_meanwhile else span.end
    if (
        end is None
        and start is None
        and (_USED_TO.search(text) or _FORMERLY_JA.search(text))
        and now not in _ELSEWHEN
    ):
        end = now
    return (
        UNKNOWN if start is not None and end is not None and start >= end else Validity(start, end)
    )


def _begins(before: str, after: str) -> bool:
    since = _SINCE.search(before) and not _BECAUSE.match(after)
    return bool(since or (_FROM.search(before) and _ON.match(after)) or _SINCE_JA.match(after))


def _ends(text: str, place: DateMention, before: str, after: str, *, opened: bool) -> bool:
    if _UNTIL.search(before):
        return not _DENIES.search(text[: place.start])
    return bool(
        (opened and _TO.search(before))
        or (_UNTIL_JA.match(after) and not _DENIES_JA.search(text[place.end :]))
    )


def asked_about(question: Question, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the time that a question asks about, from and until, one moment where it is now;
    ``None`` where it asks about no time.

    >>> at = datetime(2025, 11, 20, tzinfo=UTC)
    >>> [asked_about(Question(text), at) == (at, at)
    ...     for text in ("Where do I live?", "どこに住んでいますか", "Where did I swim?")]
    [True, True, False]
    >>> question = Question("Where did I live in 2023?")
    >>> [each.date().isoformat() for each in asked_about(question, at)]
    ['2023-01-01', '2024-01-01']
    """
    sure = [span for span in question.dates(now) if span.weight >= 1]
    if sure:
        return min(span.start for span in sure), max(span.end for span in sure)
    japanese = (
        question.language == "ja"
        and _NOW_JA.search(question.text)
        and not _PAST_JA.search(question.text)
    )
    return (now, now) if present(question) or japanese else None


def asks_when_it_changed(question: Question) -> bool:
    """Tell whether a question asks when something became otherwise.

    >>> [asks_when_it_changed(Question(text))
    ...     for text in ("When did that change?", "いつ変わったの？", "Do you have change?")]
    [True, True, False]
    """
    return bool(_CHANGE.search(question.text))


def asks_what_was_so(question: Question) -> tuple[str, ...] | None:
    """Return the words by which a question narrows "what was true then?", maybe none; ``None``
    where it asks for something else.

    >>> [asks_what_was_so(Question(text))
    ...     for text in ("What was true in November 2025?", "Where did Ren live in 2023?")]
    [(), None]
    """
    if not _TRUE.search(question.text):
        return None
    dated = {
        term
        for mention in named(question.text, _ELSEWHEN[0])
        for term in terms(question.text[mention.start : mention.end])
    }
    return tuple(term for term in question.terms if term not in _TRUE_WORDS and term not in dated)


def in_time(
    question: Question,
    found: Recollection,
    dated: Callable[[Chunk], Sequence[tuple[Span, Validity]]],
    now: datetime,
) -> Recollection:
    """Say of what was found from when until when it is so, and put what was not so at the time in
    question behind what was.

    ``dated`` gives the stretches of a passage of which the person said so, or settled it.
    """
    period = asked_about(question, now)
    asked = words(question.text)
    items = [_placed(item, period, asked, dated(item.chunk)) for item in found.items]
    if all(item.score == was.score for item, was in zip(items, found.items, strict=True)):
        return replace(found, items=tuple(items))
    # stable: equals stay as they were
    return replace(found, items=tuple(sorted(items, key=lambda item: -item.score)))


def _placed(
    item: Recalled,
    period: tuple[datetime, datetime] | None,
    asked: frozenset[str],
    dated: Sequence[tuple[Span, Validity]],
) -> Recalled:
    chunk = item.chunk
    if not dated and not _MARKED.search(chunk.text):
        return item
    # A statement may be two sentences, and is one all the same.
    places = [(0, len(chunk.text))] if chunk.kind else sentence_spans(chunk.text)
    known = {span: _of(chunk, span, dated) for span in places}
    if all(validity == UNKNOWN for validity in known.values()):
        return item
    lapsed = tuple(
        span
        for span, validity in known.items()
        if period is not None and not validity.meets(*period)
    )
    held = {span: len(asked & words(chunk.text[slice(*span)])) for span in places}
    best = [span for span in places if held[span] == max(held.values())]
    gives_way = all(span in lapsed for span in best)
    return replace(
        item,
        score=item.score - LAPSED if gives_way else item.score,
        validity=known[best[0]] if len(best) == 1 else UNKNOWN,
        lapsed=lapsed,
    )


def _of(chunk: Chunk, span: Span, dated: Sequence[tuple[Span, Validity]]) -> Validity:
    """Put together what was said of a sentence and what it says itself."""
    said = [validity for (start, end), validity in dated if start < span[1] and span[0] < end]
    return together([*said, told(chunk.text[slice(*span)], chunk.said_at)])
