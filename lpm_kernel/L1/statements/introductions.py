"""Who somebody is, in one or two sentences: "Conor is your brother." Each rests on one sentence of
the person's documents, and what they do not carry is not said.

"My brother" is the person's only in the person's own words; in another's talk it is the other's,
and in a letter from somebody else it is nobody's. Where sentences are at odds - a brother and a
cousin, he and she, two of one name - nothing is said, for it may be two people.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.graph import SentenceSpan
from lpm_kernel.L0.language.identification import Language, day_in_words
from lpm_kernel.L1.entities.relations import OWN, Fact, FactKind, Relation, Voice, relations
from lpm_kernel.L1.entities.resolution import key_of
from lpm_kernel.L1.statements.authorship import BEGINNING, authorship_of

MOST: Final = 2
"""Sentences."""
LONGEST_SIGNATURE: Final = 32

_GREETS: Final = re.compile(
    r"\A\s{0,20}(?:(?:dear|hi|hello|hey|hallo|darling|liebe[rs]?)\b|to [A-Z]|re:|from:"
    r"|[^\s、。]{1,12}(?:[ \u3000][^\s、。]{1,8})?[ \u3000]?(?:様|さま|殿|御中|各位|さん|先生|へ)"
    r"[ \u3000]{0,3}(?:へ)?[ \u3000]{0,3}$)",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSES: Final = re.compile(
    r"\b(?:yours|love|regards|sincerely|cheers|best wishes|best|thanks|kind regards)\b"
    r"|敬具|草々|かしこ|よろしくお願い|ご自愛",
    re.IGNORECASE,
)
_SIGNED: Final = re.compile(r"(?:[A-Z][\w'’.-]{0,15} ?){1,4}|[\u3041-\u30ff\u4e00-\u9fff]{1,8}")
_DOCTOR: Final = re.compile(r"Dr\b")
_KANA_OR_HAN: Final = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True)
class ToldFact:
    """A fact with where it stands and when it was written, in POSIX seconds."""

    fact: Fact
    row: int
    moment: float | None


@dataclass(frozen=True)
class Introduction:
    """A sentence that says who somebody is, and the words that it rests on."""

    text: str = field(repr=False)
    rests_on: SentenceSpan


class PassageVoices:
    """Whose words stand where in passages, each document of which is looked at once: a long one has
    a thousand.
    """

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self._written: dict[DocumentId, _Written] = {}

    def of(self, chunk: Chunk, text: str) -> Voice:
        """Return whose words stand where in a passage of a document's ``text``."""
        if chunk.speaker is not None:
            return _said_by(chunk.speaker, self._own)
        if chunk.document not in self._written:
            self._written[chunk.document] = _Written(text, self._own)
        return self._written[chunk.document].voice(chunk.start)


class _Written:
    """A document, and who wrote it."""

    def __init__(self, text: str, own: frozenset[str]) -> None:
        self._text, self._own = text, own
        self._authorship = authorship_of(text, own)
        self._is_to_another = _is_letter(text) and not _is_signed_by(text, own)

    def voice(self, start: int) -> Voice:
        """Return whose words stand where behind a place."""

        def whose(place: int) -> str | None:
            said = self._authorship.speaker_at(start + place)
            if said is not None:
                line = self._text[: said[1]].rpartition("\n")[2]
                return OWN if said[0] in self._own else _named(line.strip(" \t:："))
            if self._is_to_another or not self._authorship.may_be_own(start + place):
                return None
            return OWN

        return whose


def _said_by(speaker: str, own: frozenset[str]) -> Voice:
    who = OWN if key_of(speaker) in own else _named(speaker)
    return lambda _: who


def _named(speaker: str) -> str | None:
    """Return a speaker's name; a handle in small letters is none."""
    return None if speaker.islower() or not speaker else speaker


def _is_letter(text: str) -> bool:
    """Tell whether a text is written to somebody, or signed."""
    last = text.rstrip().rpartition("\n")[2].strip()
    signed = len(last) <= LONGEST_SIGNATURE and _SIGNED.fullmatch(last)
    ending = text.rstrip()[-120:]
    return bool(_GREETS.search(text[:BEGINNING]) or signed or _CLOSES.search(ending))


def _is_signed_by(text: str, own: frozenset[str]) -> bool:
    ending = re.split(r"[\s,.、。!]+", text.rstrip()[-60:].strip(" .,!"))
    return bool(own & {key_of(" ".join(ending[-count:])) for count in (1, 2, 3)})


def introduce(name: str, told: Sequence[ToldFact], language: Language) -> list[Introduction]:
    """Return at most `MOST` sentences about somebody of this name."""
    titled = bool(_DOCTOR.match(name))
    known = [
        each
        for each in told
        if each.fact.kind is FactKind.RELATION and not (titled and each.fact.value == "doctor")
    ]
    if _is_at_odds(known):
        return []
    chosen = list(_chosen(known, told))[:MOST]
    return [
        Introduction(
            _worded(name, each, language),
            SentenceSpan(each.row, each.fact.start, each.fact.end),
        )
        for each in chosen
    ]


def _is_at_odds(known: Sequence[ToldFact]) -> bool:
    """Tell whether what is said cannot all be true of one."""
    words = [_word(each) for each in known]
    genders = {word.gender for word in words} - {""}
    mine = {
        word.plain
        for each, word in zip(known, words, strict=True)
        if word.group == "kin" and each.fact.whose == OWN
    }
    animals = {word.group == "pet" for word in words}
    return len(genders) > 1 or len(mine) > 1 or len(animals) > 1


def _chosen(known: Sequence[ToldFact], told: Sequence[ToldFact]) -> Iterator[ToldFact]:
    """Yield what is worth saying, the nearest relation first, none twice."""
    orders: tuple[Callable[[ToldFact], bool], ...] = (
        lambda each: _word(each).group in {"kin", "pet"} and each.fact.whose == OWN,
        lambda each: _word(each).group == "role",
        lambda each: _word(each).group == "tie" and each.fact.whose == OWN,
        lambda each: _word(each).group in {"kin", "pet"} and each.fact.whose != OWN,
    )
    for wanted in orders:
        if (best := _most_told(filter(wanted, known))) is not None:
            yield best
    for kind in (FactKind.WORKS, FactKind.LIVES, FactKind.MET):
        # What may change with time is said as the newest has it.
        if (newest := _newest(each for each in told if each.fact.kind is kind)) is not None:
            yield newest


def _most_told(facts: Iterable[ToldFact]) -> ToldFact | None:
    known = list(facts)
    counts = Counter((each.fact.value, each.fact.whose) for each in known)
    return max(
        known,
        key=lambda each: (counts[each.fact.value, each.fact.whose], each.moment or 0.0, -each.row),
        default=None,
    )


def _newest(facts: Iterable[ToldFact]) -> ToldFact | None:
    return max(facts, key=lambda each: (each.moment or 0.0, -each.row), default=None)


def _word(told: ToldFact) -> Relation:
    return relations()[told.fact.value]


def _worded(name: str, told: ToldFact, language: Language) -> str:
    worded = {"ja": _in_japanese, "zh": _in_chinese}.get(language, _in_english)
    return worded(name, told)


def _in_english(name: str, told: ToldFact) -> str:
    fact = told.fact
    if fact.kind is FactKind.WORKS:
        return f"{name} is from {fact.value}."
    if fact.kind is FactKind.LIVES:
        when = _month(told, "en")
        return (
            f"As of {when}, {name} lives in {fact.value}."
            if when
            else (f"{name} lives in {fact.value}.")
        )
    if fact.kind is FactKind.MET:
        return f"You met on {_day(told, 'en')}."
    if fact.whose is None:
        article = "an" if fact.value[0] in "aeiou" else "a"
        return f"{name} is {article} {fact.value}."
    return f"{name} is {'your' if fact.whose == OWN else fact.whose + '’s'} {fact.value}."


def _in_japanese(name: str, told: ToldFact) -> str:
    fact = told.fact
    group = _word(told).group if fact.kind is FactKind.RELATION else ""
    near = group in {"kin", "pet"} or not _KANA_OR_HAN.search(name)
    called = name if near else f"{name}さん"
    if fact.kind is FactKind.WORKS:
        return f"{called}は、{fact.value}の方です。"
    if fact.kind is FactKind.LIVES:
        when = _month(told, "ja")
        return f"{called}は、{fact.value}に住んでいます{f'（{when}）' if when else ''}。"
    if fact.kind is FactKind.MET:
        return f"{_day(told, 'ja')}に会いました。"
    whose = {None: "", OWN: "あなたの"}.get(fact.whose, f"{fact.whose}の")
    return f"{called}は、{whose}{_word(told).polite}です。"


def _in_chinese(name: str, told: ToldFact) -> str:
    fact = told.fact
    if fact.kind is FactKind.WORKS:
        return f"{name}是{fact.value}的人。"
    if fact.kind is FactKind.LIVES:
        when = _month(told, "zh")
        return f"{name}住在{fact.value}{f'（{when}）' if when else ''}。"
    if fact.kind is FactKind.MET:
        return f"你们在{_day(told, 'zh')}见过面。"
    word = next(iter(_word(told).chinese), _word(told).name)
    whose = {None: "", OWN: "你的"}.get(fact.whose, f"{fact.whose}的")
    return f"{name}是{whose}{word}。"


def _day(told: ToldFact, language: Language) -> str:
    return day_in_words(datetime.fromtimestamp(told.moment or 0.0).astimezone(), language)


def _month(told: ToldFact, language: Language) -> str:
    if told.moment is None:
        return ""
    day = datetime.fromtimestamp(told.moment).astimezone()
    return f"{day:%B %Y}" if language == "en" else f"{day.year}年{day.month}月"
