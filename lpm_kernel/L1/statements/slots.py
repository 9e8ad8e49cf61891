"""What can be only one way at a time: where somebody lives and works, who their doctor is, on which
day a choir meets, where the spare key is, and whether one does a thing at all.

A sentence that says so has a slot: of whom and what, and with which value. Two with the same slot
and other values cannot both be so at one time. By rule, in English and Japanese, and shy: a plan, a
memory of how it was, a joke, a quotation, and what is so on one day only have no slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.identification import language_of


class SlotKind(StrEnum):
    """In what two values of a slot differ."""

    NUMBER = "number"
    DATE = "date"
    NEGATION = "negation"
    PLACE = "place"
    NAME = "name"


LONGEST = 160
"""Signs of a sentence that is looked at: a long one says more than one thing."""
MOST_WORDS = 9
"""Words of one that is said and denied."""
I = "i"  # noqa: E741  the subject as it is written
"""The subject of a sentence in the first person."""

_NOT_SO = re.compile(
    r"[\"“”«»?？「」『』]|\b(?:used to|formerly|previously|back then|at that time|once|until|till"
    r"|before|if|would|could|should|might|maybe|perhaps|probably|will|won['’]t|going to|plan\w*"
    r"|wish|hope|want\w*|dream\w*|says?|said|told|tells|claim\w*|jok\w+|pretend\w*|imagine\w*"
    r"|ask anyone|as everybody knows|so to speak|practically|basically|sometimes|usually|mostly"
    r"|for now|for the moment|today|tonight|tomorrow|yesterday|this (?:morning|week|month|year"
    r"|evening|time|summer|winter)|last (?:week|night|month)|temporarily|thinks?|almost|nearly)\b"
    r"|以前|昔|かつて|前は|当時|まで|たい|つもり|予定|もし|なら|たら|れば|かも|と言|という|らしい"
    r"|そうだ|笑|冗談|今日|今朝|昨日|明日|今夜|今だけ|か[。]?$",
    re.IGNORECASE,
)
"""It is not said plainly that it is so now."""
_BESIDES = re.compile(
    r"\b(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|part[- ]time|evenings|weekends"
    r"|at weekends|volunteer\w*|as well|too|also)\b",
    re.IGNORECASE,
)
"""Work beside other work."""
_NAME = r"[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*){0,3}"
_WHO = (
    r"(?:^|[\s,;(])(?P<who>I|[A-ZÀ-Þ][\w'’-]+)[,:]?\s+"
    r"(?:(?:now|still|currently|has|have|had|is|am|was|then|finally|soon)\s+){0,3}"
)
_LIVES = re.compile(_WHO + rf"(?:lives?|living|based|stays) in (?P<value>{_NAME})")
_MOVES = re.compile(_WHO + rf"(?:moved|moves) (?:from \S{{1,40}} )?(?:back )?to (?P<value>{_NAME})")
_WORKS = re.compile(
    _WHO + r"(?:works?|working) (?:(?:at|in) the (?P<value>[a-zà-ÿ]+(?: (?!in\b|and\b|on\b|with\b)"
    rf"[\w'’-]+)?)|(?:at|for) (?:the )?(?P<named>{_NAME})|for the (?P<office>[a-z]+ [a-z]+))"
)
_ROLES = (
    r"dentist|doctor|gp|boss|manager|landlord|landlady|teacher|tutor|vet|accountant|lawyer"
    r"|solicitor|agent|hairdresser|coach|editor|supervisor|midwife"
)
_ROLE = re.compile(
    rf"\b(?:my|our) (?P<what>{_ROLES}) is (?:now )?(?:called |named )?"
    rf"(?-i:(?:(?:Mr|Mrs|Ms|Dr|Madam|Prof)\.? )?(?P<value>{_NAME}))",
    re.IGNORECASE,
)
_PET = re.compile(rf"\b[Oo]ur (?P<what>cat|dog|horse|parrot) is called (?P<value>{_NAME})")
_MARRIED = re.compile(
    rf"(?:^|[\s,;(])(?:(?P<who>I) am|(?:My|my|Our|our) (?P<kin>\w+) is|(?P<name>{_NAME}) is)"
    rf" (?:now )?married to (?P<value>{_NAME})"
)
_MARITAL = re.compile(r"\bI am (?P<value>single|married|divorced|widowed)\b")
_NUMBERS = {
    word: str(n)
    for n, word in enumerate("no one two three four five six seven eight nine ten".split())  # noqa: SIM905  a list this long reads better as prose
}
_COUNTS = re.compile(
    r"\b(?:I have|and) (?P<value>no|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})"
    r" (?P<what>brother|sister|son|daughter|child|children|kid|sibling|grandchild)(?:s|ren)?\b"
)
_THING = r"^(?:The |Our |My )?(?P<what>\w[\w'’ -]{2,40}?)"
_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days"
_WEEKLY = re.compile(
    _THING + rf" (?:meets?|is|are|rehearses?|trains?|plays?) (?:now )?(?:always )?on"
    rf" (?P<value>{_DAY}(?:(?:, | and ){_DAY}){{0,3}})[.!]?$"
)
_AT = re.compile(
    _THING + r" (?:leaves|starts|begins|opens|closes|departs|arrives|is) at"
    r" (?P<value>\d{1,2}[:.]\d\d)[.!]?$"
)
_ON = re.compile(
    _THING + r" (?:is|takes place|starts|begins|ends|opens) on (?:the )?"
    r"(?P<value>\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w{0,6} \d{1,2})\w{0,6}[.!]?$"
)
_KEPT_AT = re.compile(
    r"^(?:The|My|Our) (?P<what>(?:(?:spare|back|front|car|house) )?(?:keys?|fuse box|stopcock"
    r"|meter|will|passport|safe|flat|office|room|desk|shop|studio|surgery|workshop|allotment)"
    r"(?: (?:of|to|for) the \w{1,20})?) (?:is|are) (?:now |still )?"
    r"(?P<value>(?:on|in|under|behind|with|at|beside|next to|above|below|inside) [^,.;]{3,60})"
)
_STUDIES = re.compile(_WHO + r"(?:stud(?:y|ies)|studying) (?P<value>[a-z]+)\b")

_DENIES = re.compile(r"\b(?:not|never|no longer|no)\b|n['’]t\b", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:did|was|were|had|didn['’]t|wasn['’]t|weren['’]t|hadn['’]t)\b", re.IGNORECASE
)
_LEFT_OUT = frozenset(
    "a an the do does don't doesn't not any more anymore no longer never still again now ever twice"  # noqa: SIM905  as above
    " often many times once have has haven't hasn't been for years year two three really very"
    " i'm i've isn't aren't can't cannot can".split()
)
"""What may stand in one of a sentence and its denial."""
_TO_BE = frozenset({"am", "is", "are", "isn't", "aren't", "i'm"})
_WORD = re.compile(r"[\w'’-]+")

_I_JA = frozenset({"私", "僕", "俺", "わたし", "ぼく", "自分", ""})
_WHO_JA = (
    r"(?:(?<![^、。])(?P<who>[^、。「」はがも]{1,10}?)(?:さん|くん|君|先生)?(?:は|も)"
    r"[^、。]{0,20}?)?"
)
_PLACE_JA = r"(?P<value>[一-龯々ァ-ヶー]{2,10})"
_LIVES_JA = re.compile(_WHO_JA + _PLACE_JA + r"に住んで(?:いる|います)")
_MOVES_JA = re.compile(_WHO_JA + _PLACE_JA + r"(?:に|へ)(?:引っ越|移り住)")
_WORKS_JA = re.compile(_WHO_JA + _PLACE_JA + r"(?:で働いて|に勤めて|に勤務して)(?:いる|います)")
_WEEKLY_JA = re.compile(
    r"^(?P<what>[^、。はが\d]{1,12})は(?:毎週)?(?P<value>[月火水木金土日])曜日?(?:だ|です|にある)"
)
_ROLE_JA = re.compile(
    r"(?P<what>かかりつけ|主治医|担任|上司|大家|歯医者)(?:の先生|の医者)?は"
    r"(?P<value>[一-龯々ァ-ヶー]{1,6}?)(?:先生|さん)?(?:だ|です)"
)
_KEPT_AT_JA = re.compile(
    r"^(?P<what>合鍵|鍵|印鑑|通帳|保険証|パスポート|金庫|遺言書?)は(?P<value>[^、。]{1,20}?)"
    r"(?:にある|に置いて|が持って|に預けて|にあります)"
)
_LEFT_OUT_JA = frozenset(
    "もう 今 まだ ずっと 毎晩 毎日 毎朝 よく 全然 決して 居る 為る ます です だ".split()  # noqa: SIM905  as above
)


@dataclass(frozen=True)
class Slot:
    """One thing of somebody or something that can be only one way at a time."""

    kind: SlotKind
    key: tuple[str, ...] = field(repr=False)
    """Of whom or what, and which."""
    value: frozenset[str] = field(repr=False)
    first_person: bool
    """Whose it is depends on who says it."""
    event: bool = False
    """It says that it became so: two of them are a history."""


def clash(first: str, second: str) -> SlotKind | None:
    """Say in what two sentences differ that cannot both be so; ``None`` where they can.

    >>> clash("My dentist is Dr Walsh.", "My dentist is Dr Okafor.").value
    'name'
    >>> (clash("I smoke.", "I do not smoke any more.").value,
    ...  clash("I used to live in Dublin.", "I live in Cork."))
    ('negation', None)
    """
    return next(
        (one.kind for one in slots(first) for other in slots(second) if excludes(one, other)),
        None,
    )


def excludes(one: Slot, other: Slot) -> bool:
    """Tell whether two slots are the same and have values that exclude each other."""
    return (
        one.kind is other.kind
        and one.key == other.key
        and one.value.isdisjoint(other.value)
        and not (one.event and other.event)
    )


@lru_cache(maxsize=20_000)
def slots(text: str) -> tuple[Slot, ...]:
    """Return what a sentence says of that kind; nothing where it is not said plainly."""
    plain = text.strip().replace("’", "'")
    if len(plain) > LONGEST or _NOT_SO.search(plain):
        return ()
    if language_of(plain) == "en":
        return tuple(_in_english(plain))
    return tuple(_in_japanese(plain))


def _in_english(text: str) -> Iterator[Slot]:
    for pattern, event in ((_LIVES, False), (_MOVES, True)):
        if found := pattern.search(text):
            yield _slot(SlotKind.PLACE, found["who"], "home", found["value"], event=event)
    if (found := _WORKS.search(text)) and not _BESIDES.search(text):
        value = found["value"] or found["named"] or found["office"]
        yield _slot(SlotKind.PLACE, found["who"], "work", value)
    if found := _STUDIES.search(text):
        yield _slot(SlotKind.NAME, found["who"], "study", found["value"])
    for pattern in (_ROLE, _PET):
        if found := pattern.search(text):
            yield _slot(SlotKind.NAME, I, found["what"].lower(), found["value"])
    yield from _of_kin(text)
    yield from _of_things(text)
    yield from _denied(text)


def _of_kin(text: str) -> Iterator[Slot]:
    if found := _MARRIED.search(text):
        who = found["who"] or found["name"] or f"my {found['kin']}"
        yield _slot(SlotKind.NAME, who, "spouse", found["value"])
    if found := _MARITAL.search(text):
        yield _slot(SlotKind.NAME, I, "marital", found["value"])
    for found in _COUNTS.finditer(text) if text.startswith("I have") else ():
        value = _NUMBERS.get(found["value"], found["value"])
        yield _slot(SlotKind.NUMBER, I, found["what"].removesuffix("ren"), value)


def _of_things(text: str) -> Iterator[Slot]:
    if found := _WEEKLY.search(text):
        days = re.findall(_DAY, found["value"])
        yield Slot(SlotKind.DATE, _thing(found, "day"), frozenset(days), _is_own(text))
    if found := _AT.search(text):
        at = frozenset({found["value"].replace(".", ":")})
        yield Slot(SlotKind.NUMBER, _thing(found, "clock"), at, _is_own(text))
    if found := _ON.search(text):
        number = re.search(r"\d+", found["value"])
        month = re.search(r"[A-Z][a-z]{2}", found["value"])
        if number and month:
            day = frozenset({f"{number[0]} {month[0]}"})
            yield Slot(SlotKind.DATE, _thing(found, "date"), day, _is_own(text))
    if found := _KEPT_AT.search(text):
        value = frozenset(terms(found["value"])) - {"floor", "door"}
        if value:
            yield Slot(SlotKind.PLACE, _thing(found, "place"), value, _is_own(text))


def _denied(text: str) -> Iterator[Slot]:
    """Give what a short sentence in the present says or denies, as a slot with the values yes and
    no.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    if not 1 < len(words) <= MOST_WORDS or _PAST.search(text):
        return
    key = {
        "be" if word in _TO_BE else next(iter(terms(word)), word)
        for word in words
        if word not in _LEFT_OUT or word in _TO_BE
    } | ({I} if words[0] in {"i", "i'm", "i've"} else set())
    # what another does not do may be so just now
    if len(key) > 1 and (I in key or text.startswith(("The ", "My ", "Our "))):
        value = "no" if _DENIES.search(text) else "yes"
        yield Slot(SlotKind.NEGATION, tuple(sorted(key)), frozenset({value}), first_person=I in key)


def _in_japanese(text: str) -> Iterator[Slot]:
    for pattern, what, event in (
        (_LIVES_JA, "home", False),
        (_MOVES_JA, "home", True),
        (_WORKS_JA, "work", False),
    ):
        if found := pattern.search(text):
            who = found["who"] or ""
            yield _slot(
                SlotKind.PLACE, I if who in _I_JA else who, what, found["value"], event=event
            )
    if found := _WEEKLY_JA.search(text):
        yield Slot(
            SlotKind.DATE, (found["what"], "day"), frozenset({found["value"]}), first_person=False
        )
    if found := _ROLE_JA.search(text):
        yield _slot(SlotKind.NAME, I, found["what"], found["value"])
    if found := _KEPT_AT_JA.search(text):
        yield _slot(SlotKind.PLACE, I, found["what"], found["value"])
    yield from _denied_ja(text)


def _denied_ja(text: str) -> Iterator[Slot]:
    if len(text) > LONGEST // 4 or "は" not in text:
        return
    words = japanese.grammar(text)
    if any(word.normal == "た" for word in words):
        return
    key = {
        word.normal
        for word in words
        if word.speech[0] in japanese.CONTENT and word.normal not in _LEFT_OUT_JA
    } - {"無い"}
    if len(key) > 1 and words and any(word.speech[0] == "動詞" for word in words):
        denies = any(word.normal in {"ない", "無い", "ず", "ぬ"} for word in words[-4:])
        value = "no" if denies or "ません" in text else "yes"
        yield Slot(SlotKind.NEGATION, tuple(sorted(key)), frozenset({value}), first_person=True)


def _slot(kind: SlotKind, who: str, what: str, value: str, *, event: bool = False) -> Slot:
    said = frozenset(terms(value)) or frozenset({value.casefold()})
    own = who.casefold() == I or who.startswith("my ")
    return Slot(kind, (who.casefold(), what), said, own, event)


def _thing(found: re.Match[str], what: str) -> tuple[str, ...]:
    return (*sorted(terms(found["what"])), "|", what)


def _is_own(text: str) -> bool:
    return text.startswith(("My ", "Our ", "I "))
