"""How two sentences stand to each other: one speaks for the other, against it, or neither; and
whether two facts can both be so.

By rule, in English and Japanese, and shy: what is not clearly for or against is neither. For a
view, each thing that is spoken of gets a sign ("I prefer oil to spirit": oil +, spirit −) and the
signs of shared things are compared. For facts, two sentences disagree where they say the same but
for a number or a "not", or where what they tell can be only one way at a time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L1.statements.disagreements import apart, differ
from lpm_kernel.L1.statements.slots import clash


class Stance(StrEnum):
    """How a sentence stands to a view."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"


class ConflictReason(StrEnum):
    """Why two facts cannot both be so at one time."""

    NUMBER = "number"
    DATE = "date"
    NEGATION = "negation"
    PLACE = "place"
    NAME = "name"


SHARED = 0.34
"""Share of the things that a view is about which another sentence must speak of."""
SAME = 0.7
"""Share of words (of the longer one) that two facts have in common, besides the one that
differs.
"""
LEAST = 3
"""Words with a meaning of their own that a fact needs to be compared."""
REACH = 4
"""Words over which a "not" reaches."""

_GOOD = frozenset(
    """like likes liked love loves loved enjoy enjoys enjoyed prefer prefers preferred favourite
    favorite best good great better trust trusts happy glad worth excellent lovely wonderful
    delicious fond adore adores admire beautiful perfect right reliable fun brilliant marvellous
    splendid patient kind""".split()  # noqa: SIM905 - a list this long reads better as prose
)
_BAD = frozenset(
    """dislike dislikes hate hates hated bad worse worst boring tired avoid avoids avoided regret
    regrets annoying awful terrible horrible wrong ugly distrust unhappy afraid useless
    disappointing disappointed mistake exhausting rubbish dull tedious unreliable stopped quit sick
    unbearable cost failed""".split()  # noqa: SIM905 - a list this long reads better as prose
)
_NOT = frozenset(
    "not no never neither nor without hardly cannot don't doesn't didn't isn't aren't wasn't"  # noqa: SIM905  as above
    " weren't won't wouldn't can't couldn't".split()
)
_CUES = (
    _GOOD
    | _BAD
    | _NOT
    | frozenset("to than over i my me think thinks find finds believe feel one".split())  # noqa: SIM905  as above
)
_RATHER = re.compile(
    r"\bprefer\w{0,8}\s{1,8}(?P<good>.{1,200}?)\s{1,8}(?:to|over|rather than)\s{1,8}(?P<bad>.+)"
    r"|(?<![^\n])(?P<good2>.+?)\s{1,8}(?:(?:is|are|was|were)\s{1,8})?(?:\w{1,24}\s{1,8})?"
    r"(?:better|nicer|finer)\s{1,8}than\s{1,8}(?P<bad2>.+)",
    re.IGNORECASE,
)
_RATHER_JA = re.compile(
    r"(?<![^、。])(?P<bad>(?:(?!より)[^、。])+)より(?:も)?、?"
    r"(?P<good>[^、。](?:(?!が|を)[^、。])*?)(?:の?(?:ほう|方))?(?:が|を)(?:[^、。]*?)"
    r"(?:よい|良い|いい|好き|好む|選ぶ|楽)"
)
_GOOD_JA = re.compile(
    r"好き|好む|好ん|良い|よい|いい|良かった|よかった|楽し|嬉し|うれし|美味し|おいし|気に入|最高"
    r"|信頼|大切|確か|素晴らし|きれい|得意"
)
_BAD_JA = re.compile(
    r"嫌い|嫌だ|苦手|悪い|悪かった|つまらな|退屈|まず(?:い|かった)|不味|後悔|やめた|やめる|飽き"
    r"|最悪|うんざり|困る|困った|疲れ|怖い|失敗"
)
_NOT_JA = re.compile(r"(?:く|では|じゃ|に|は)?(?:ない|ありません|なかった|ません|ぬ)")
_CLAUSE = re.compile(r"[.;!?]\s|,\s+(?:and|but|so|yet)\b|\bbut\b")
_BACK = re.compile(r"\b(?:go|going|went) back to\b", re.IGNORECASE)
"""Who does not go back to something has had enough of it."""
_WORD = re.compile(r"[A-Za-z']+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct"
    r"|nov|dec)\w*|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\s+\d{1,2}\b|\d{1,4}年"
    r"|\d{1,2}月|\d{1,2}日|\d{4}-\d\d-\d\d|\d{1,2}[:時]\d{0,2}",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:did|was|were|had|\w+ed|said|went|came|took|saw|told)\b|(?:た|でした)[。．]?$",
    re.IGNORECASE,
)
"""It tells what happened, which happens again and otherwise."""


@dataclass(frozen=True)
class _Said:
    """A sentence, taken apart once."""

    things: frozenset[str] = field(repr=False)
    signs: Mapping[str, int] = field(repr=False)
    numbers: frozenset[str] = field(repr=False)
    denies: bool


def stance(view: str, other: str) -> Stance | None:
    """Say whether a sentence speaks for a view or against it.

    >>> stance("I prefer oil varnish to spirit varnish.",
    ...     "Spirit varnish is better than oil varnish.").value
    'contradicts'
    >>> (stance("Short replies are good.", "I like short replies.").value,
    ...  stance("I like rain.", "The rain fell on Oslo."))
    ('supports', None)
    """
    one, two = _taken_apart(view), _taken_apart(other)
    shared = [sign for sign in one.signs if sign in two.signs]
    if not shared or len(shared) < SHARED * len(one.signs):
        return None
    sum_ = sum(one.signs[each] * two.signs[each] for each in shared)
    return None if sum_ == 0 else Stance.SUPPORTS if sum_ > 0 else Stance.CONTRADICTS


def disagree(first: str, second: str) -> ConflictReason | None:
    """Say why two facts about the same cannot both be so at one time; ``None`` where they can.

    >>> disagree("The rent of the room is 300 euros.", "The rent of the room is 340 euros.").value
    'number'
    >>> (disagree("Jonas lives in Bergen.", "Jonas lives in Gothenburg.").value,
    ...  disagree("I moved in May.", "I moved the bench in June."))
    ('place', None)
    """
    if language_of(first) != language_of(second) or first == second:
        return None
    reason = _reason(first, second)
    return None if reason is not None and apart(first, second) else reason


def _reason(first: str, second: str) -> ConflictReason | None:
    held = clash(first, second)
    if held is not None:
        return ConflictReason(held.value)
    differs = differ(first, second)
    if differs is not None:
        return ConflictReason(differs.value)
    one, two = _taken_apart(first), _taken_apart(second)
    least = min(len(one.things), len(two.things))
    if (
        least <= LEAST
        or len(one.things & two.things) < SAME * max(len(one.things), len(two.things))
        or _TOLD.search(first)
        or _TOLD.search(second)
    ):
        return None
    return (
        ConflictReason.NEGATION if one.denies != two.denies and one.numbers == two.numbers else None
    )


@lru_cache(maxsize=20_000)
def _taken_apart(text: str) -> _Said:
    japanese = language_of(text) != "en"
    plain = _DATE.sub(" ", text)
    numbers = frozenset(_NUMBER.findall(plain))
    things = frozenset(term for term in terms(plain) if term not in _cues() and not term.isdigit())
    denies = (
        bool(_NOT_JA.search(text))
        if japanese
        else any(word.lower() in _NOT for word in _WORD.findall(text))
    )
    signs = _signs_ja(text, things) if japanese else _signs_en(text, things)
    return _Said(things, signs, numbers, denies)


@lru_cache(maxsize=1)
def _cues() -> frozenset[str]:
    return frozenset(term for cue in _CUES for term in terms(cue))


def _signs_en(text: str, things: frozenset[str]) -> dict[str, int]:
    rather = _RATHER.search(text)
    if rather is not None:
        good, bad = rather["good"] or rather["good2"], rather["bad"] or rather["bad2"]
        return _either(good, bad, things, -1 if _denied(text[: rather.start() + 12]) else 1)
    found: dict[str, int] = {}
    for clause in _CLAUSE.split(text):
        sign, reach = 0, 0
        for raw in _WORD.findall(_BACK.sub(" like ", clause)):
            word = raw.lower()
            reach = REACH if word in _NOT else reach - 1
            value = (word in _GOOD) - (word in _BAD)
            sign += -value if reach > 0 else value
        if sign:
            found.update(dict.fromkeys(things & set(terms(clause)), 1 if sign > 0 else -1))
    return found


def _signs_ja(text: str, things: frozenset[str]) -> dict[str, int]:
    rather = _RATHER_JA.search(text)
    if rather is not None:
        return _either(rather["good"], rather["bad"], things, 1)
    sign = 0
    for pattern, value in ((_GOOD_JA, 1), (_BAD_JA, -1)):
        for found in pattern.finditer(text):
            sign += -value if _NOT_JA.match(text, found.end()) else value
    sign = (sign > 0) - (sign < 0)
    return dict.fromkeys(things, sign) if sign else {}


def _either(good: str, bad: str, things: frozenset[str], sign: int) -> dict[str, int]:
    """Give both sides their sign; what stands on both sides ("varnish") tells nothing."""
    liked, disliked = set(terms(good)) & things, set(terms(bad)) & things
    return {**dict.fromkeys(liked - disliked, sign), **dict.fromkeys(disliked - liked, -sign)}


def _denied(text: str) -> bool:
    return any(word.lower() in _NOT for word in _WORD.findall(text))
