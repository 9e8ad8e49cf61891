"""Holding an expert's reply against what a person asked for and what they wrote: by words, numbers,
days and denials.

It takes nothing for granted that does not stand there: where the words do not tell, it says that it
cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.dates import spans
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L0.text.sentences import sentence_spans

ANSWERED = 0.5
"""Share of what was asked for that a sentence of the reply has to speak of, to be taken as speaking
of it.
"""
SAME = 2
"""Content words that two sentences share when they speak of the same."""

_LIMIT = re.compile(
    r"\b(?:at most|no more than|not more than|under|below|up to|less than|within|maximum(?: of)?"
    r"|max)\b|以内|以下|未満|まで",
    re.IGNORECASE,
)
_FLOOR = re.compile(
    r"\b(?:at least|no less than|not less than|minimum(?: of)?|more than|over)\b|以上",
    re.IGNORECASE,
)
_AVERSE = re.compile(
    r"\b(?:allerg\w+|intoleran\w+|avoid\w*|hate\w*|dislike\w*"
    r"|(?:can(?:no|['’])t|do(?:es)?(?: not|n['’]t)|never|no longer)(?: \w+)? "
    r"(?:eat|drink|have|take|stand|bear|like|want|use|wear|tolerate))\b"
    r"|アレルギー|食べられな|食べられません|食べません|食べない|飲めな|飲めません|飲みません"
    r"|飲まない|嫌い|苦手|避け|过敏|不吃|不喝|不能吃",
    re.IGNORECASE,
)
_CANNOT = re.compile(
    r"\b(?:cannot|can['’]t|can not|unable to|must not|mustn['’]t|not allowed)\b"
    r"|でき(?:ない|ません)|られ(?:ない|ません)|禁止|不能",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no|nobody|nothing|none|neither|nor|without|free (?:of|from)|instead of"
    r"|leave out|avoid\w*)\b|n['’]t\b|-free\b|ない|ません|なかった|なし|抜き|不使用|除|避け|不|没",
    re.IGNORECASE,
)
EVERYDAY = frozenset(
    term
    for word in [
        "eat",
        "drink",
        "have",
        "take",
        "stand",
        "bear",
        "like",
        "want",
        "use",
        "wear",
        "tolerate",
        "avoid",
        "hate",
        "dislike",
        "allergic",
        "allergy",
        "allergies",
        "intolerant",
        "make",
        "give",
        "get",
        "find",
        "need",
        "know",
        "think",
        "good",
        "day",
        "time",
        "year",
        "アレルギー",
        "食べる",
        "飲む",
        "嫌い",
        "苦手",
        "避ける",
        "人",
        "物",
        "事",
        "今日",
    ]
    for term in terms(word)
)
"""Words that say that something is not wanted, or too little to tell what."""
_QUANTITY = re.compile(
    r"(?P<sign>[¥$€£])?\s?(?P<number>\d+(?:[.,]\d+)*)\s?"
    r"(?P<unit>万?[円年月日時分人個本枚回歳度泊名]|[a-zA-Z%°]+)?"
)
_SIGNS = {
    "¥": "yen",
    "円": "yen",
    "jpy": "yen",
    "$": "dollar",
    "usd": "dollar",
    "€": "euro",
    "eur": "euro",
    "£": "pound",
    "gbp": "pound",
    "人": "person",
    "名": "person",
}
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?:\D|$))")
DATED = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}(?:st|nd|rd|th)?(?: of)? "
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?: \d{4})?"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?"
    r"(?:,? \d{4})?|(?:\d{4}年)?\d{1,2}月\d{1,2}日",
    re.IGNORECASE,
)


class Treatment(StrEnum):
    """What a reply does with something that was wanted."""

    MET = "met"
    MISSED = "missed"
    AGAINST = "against"
    UNKNOWN = "unknown"


class CritiqueReason(StrEnum):
    """What tells."""

    WORDS = "words"
    NUMBERS = "numbers"
    DAYS = "days"
    DENIAL = "denial"
    JUDGED = "judged"


@dataclass(frozen=True)
class CritiqueResult:
    """What came of holding one sentence against a reply, and where in the reply that shows, end
    exclusive.
    """

    held: Treatment
    reason: CritiqueReason
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class Stated:
    """A sentence, taken apart for being held against another."""

    span: tuple[int, int]
    text: str = field(repr=False)
    terms: frozenset[str] = field(repr=False)
    numbers: tuple[tuple[str, float], ...] = field(repr=False)
    """Unit and number."""
    days: frozenset[date] = field(repr=False)
    denies: bool
    averse: bool


def stated(text: str, now: datetime) -> list[Stated]:
    """Take a text apart sentence by sentence."""
    return [_apart(text[start:end], (start, end), now) for start, end in sentence_spans(text)]


def _apart(text: str, span: tuple[int, int], now: datetime) -> Stated:
    named = (
        {
            each.start.date()
            for each in spans(text, now)
            if each.days <= 1 and not each.open and each.weight >= 1
        }
        if DATED.search(text)
        else set()
    )
    plain = _LIMIT.sub(" ", text)
    return Stated(
        span,
        text,
        frozenset(terms(text)),
        tuple(_quantities(DATED.sub(" ", text))),
        frozenset(named),
        bool(_DENIES.search(plain)),
        bool(_AVERSE.search(plain)),
    )


def _quantities(text: str) -> Iterator[tuple[str, float]]:
    for match in _QUANTITY.finditer(text):
        unit = (match["sign"] or match["unit"] or "").casefold()
        ten_thousand = unit.startswith("万")
        unit = unit.removeprefix("万")
        try:
            number = float(_THOUSANDS.sub("", match["number"]).replace(",", ".")) * (
                10_000 if ten_thousand else 1
            )
        except ValueError:  # a version or an address, not a number
            continue
        if unit:
            yield _SIGNS.get(unit, unit.removesuffix("s")), number


def sets_a_limit(text: str) -> bool:
    """Tell whether a sentence says what somebody cannot stand or cannot do: that matters whatever
    they ask for.

    >>> (sets_a_limit("My mother cannot climb stairs."), sets_a_limit("母はくるみが苦手。"),
    ...  sets_a_limit("She likes rain."))
    (True, True, False)
    """
    return bool(_AVERSE.search(text) or _CANNOT.search(text))


def hold(wanted: Stated, reply: Sequence[Stated]) -> CritiqueResult:
    """Hold what a person asked for against the sentences of a reply."""
    against = contradicted(wanted, reply)
    if against is not None:
        return against
    mine = wanted.terms - EVERYDAY or wanted.terms
    if not mine:
        return CritiqueResult(Treatment.UNKNOWN, CritiqueReason.WORDS)
    best = max(reply, key=lambda each: len(mine & each.terms), default=None)
    shared = 0 if best is None else len(mine & best.terms)
    if best is None or shared == 0:
        return CritiqueResult(Treatment.MISSED, CritiqueReason.WORDS)
    if (
        shared >= ANSWERED * len(mine)
        and (not wanted.numbers or _numbers_fit(wanted, best))
        and best.denies == wanted.denies
    ):
        return CritiqueResult(
            Treatment.MET,
            CritiqueReason.NUMBERS if wanted.numbers else CritiqueReason.WORDS,
            best.span,
        )
    return CritiqueResult(Treatment.UNKNOWN, CritiqueReason.WORDS, best.span)


def contradicted(wanted: Stated, reply: Sequence[Stated]) -> CritiqueResult | None:
    """Return where a reply says otherwise than a sentence of the person; ``None`` where it does not
    show.
    """
    mine = wanted.terms - EVERYDAY
    for each in reply:
        shared = {term for term in mine & each.terms if not term.isdigit()}
        if wanted.averse and shared and not each.denies and not each.averse:
            return CritiqueResult(Treatment.AGAINST, CritiqueReason.DENIAL, each.span)
        if not shared:
            continue
        close = len(shared) >= SAME or len(shared) >= ANSWERED * len(
            {term for term in mine if not term.isdigit()}
        )
        if close and _numbers_fit(wanted, each) is False:
            return CritiqueResult(Treatment.AGAINST, CritiqueReason.NUMBERS, each.span)
        if close and wanted.days and each.days and not wanted.days & each.days:
            return CritiqueResult(Treatment.AGAINST, CritiqueReason.DAYS, each.span)
        if (
            len(shared) >= SAME
            and len(shared) >= ANSWERED * len(mine)
            and wanted.denies != each.denies
            and not wanted.averse
        ):
            return CritiqueResult(Treatment.AGAINST, CritiqueReason.DENIAL, each.span)
    return None


def _numbers_fit(wanted: Stated, said: Stated) -> bool | None:
    """Tell whether every number with a unit that both have is the same, or within the limit that
    was named; ``None`` where they have no unit in common.
    """
    pairs = [
        (number, others)
        for unit, number in wanted.numbers
        if (others := [other for known, other in said.numbers if known == unit])
    ]
    if not pairs:
        return None
    if _LIMIT.search(wanted.text):
        return all(min(others) <= number for number, others in pairs)
    if _FLOOR.search(wanted.text):
        return all(max(others) >= number for number, others in pairs)
    return all(number in others for number, others in pairs)


_SENTENCES: dict[Language, dict[tuple[Treatment, CritiqueReason], str]] = {
    "en": {
        (Treatment.MET, CritiqueReason.WORDS): "The reply speaks of this.",
        (Treatment.MET, CritiqueReason.NUMBERS): "The reply has a number that fits.",
        (
            Treatment.MET,
            CritiqueReason.JUDGED,
        ): "The model takes this as answered, and quotes the reply.",
        (Treatment.MISSED, CritiqueReason.WORDS): "The reply does not mention this.",
        (Treatment.AGAINST, CritiqueReason.NUMBERS): "The reply has another number.",
        (Treatment.AGAINST, CritiqueReason.DAYS): "The reply names another day.",
        (
            Treatment.AGAINST,
            CritiqueReason.DENIAL,
        ): "The reply says the opposite of what you wrote.",
        (
            Treatment.AGAINST,
            CritiqueReason.JUDGED,
        ): "The model takes this as contradicted, and quotes the reply.",
    },
    "ja": {
        (Treatment.MET, CritiqueReason.WORDS): "返答はこの点に触れています。",
        (Treatment.MET, CritiqueReason.NUMBERS): "返答の数は条件に合っています。",
        (
            Treatment.MET,
            CritiqueReason.JUDGED,
        ): "モデルは、返答のこの箇所が応えていると見ています。",
        (Treatment.MISSED, CritiqueReason.WORDS): "返答はこの点に触れていません。",
        (Treatment.AGAINST, CritiqueReason.NUMBERS): "返答の数が異なります。",
        (Treatment.AGAINST, CritiqueReason.DAYS): "返答の日付が異なります。",
        (
            Treatment.AGAINST,
            CritiqueReason.DENIAL,
        ): "返答は、書かれていることと逆のことを述べています。",
        (
            Treatment.AGAINST,
            CritiqueReason.JUDGED,
        ): "モデルは、返答のこの箇所が食い違うと見ています。",
    },
    "zh": {
        (Treatment.MET, CritiqueReason.WORDS): "答复提到了这一点。",
        (Treatment.MET, CritiqueReason.NUMBERS): "答复中的数字符合。",
        (Treatment.MET, CritiqueReason.JUDGED): "模型认为答复的这一处作了回应。",
        (Treatment.MISSED, CritiqueReason.WORDS): "答复没有提到这一点。",
        (Treatment.AGAINST, CritiqueReason.NUMBERS): "答复中的数字不同。",
        (Treatment.AGAINST, CritiqueReason.DAYS): "答复中的日期不同。",
        (Treatment.AGAINST, CritiqueReason.DENIAL): "答复与所写的相反。",
        (Treatment.AGAINST, CritiqueReason.JUDGED): "模型认为答复的这一处与此矛盾。",
    },
}
_CANNOT_TELL: dict[Language, str] = {
    "en": "I cannot tell whether the reply meets this.",
    "ja": "返答がこの点を満たすかどうか、判断できません。",
    "zh": "无法判断答复是否满足这一点。",
}


def sentence(outcome: CritiqueResult, language: Language) -> str:
    """Say what came of it."""
    return _SENTENCES[language].get((outcome.held, outcome.reason), _CANNOT_TELL[language])
