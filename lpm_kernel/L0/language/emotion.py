"""How much feeling a sentence shows, by words of feeling in English, Japanese and Chinese.

The words stand in ``emotion.txt``, written for this project; each weighs 0.2, 0.5 or 0.8. Words
before or behind one make it count for more, for less, or, where they deny it, for a quarter. A
sentence with the weights w1, w2 … shows 1 - (1 - w1)(1 - w2)…: each further word adds, none takes
away, and the sum stays below 1. What is felt is not told, only how much; irony and what goes
without saying ("the dog died in my arms") are told by their words, or not at all.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from math import prod
from typing import Final

from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.identification import language_of

WEIGHTS: Final = (0.0, 0.2, 0.5, 0.8)
"""What a word of each grade weighs. One of grade 0 looks like a feeling and is none."""
MORE: Final = 1.25
"""By how much "very" multiplies; no word weighs more than 1."""
LESS: Final = 0.6
"""By how much "a little" does."""
NEGATED: Final = 0.25
"""What is denied was thought of: "not sad" says more of sadness than a bus time does."""
EXCLAIMED: Final = 0.1
"""What an exclamation mark at the end weighs; there are no more than two."""

_NEAR: Final = 3
"""Words before one among which it may be denied."""

_ENGLISH: Final = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?|[.,;:!?()\n]")
_NEGATORS: Final = frozenset(
    "not no never cannot without hardly nobody neither nor none nothing barely".split()  # noqa: SIM905  a sentence of words
)
_PASSED: Final = frozenset(
    "stop help wait only just but because since although though wonder until than".split()  # noqa: SIM905  as above
)
"""What a denial does not reach beyond: "can't stop crying", "not only happy"."""
_VERY: Final = frozenset(
    """
    very so really extremely utterly absolutely totally completely deeply incredibly truly such
    most too ever unbelievably insanely super
    """.split()  # noqa: SIM905  as above
)
_LITTLE: Final = frozenset(
    "slightly somewhat bit little fairly mildly kinda rather quite sort kind".split()  # noqa: SIM905  as above
)
_BETWEEN_ENGLISH: Final = frozenset({"of", "a", "more", "less"})

_JAPANESE_NO: Final = frozenset({"ない", "無い", "ず", "ぬ"})
_JAPANESE_BETWEEN: Final = frozenset({"為る", "居る", "有る", "がる"})
_JAPANESE_VERY: Final = frozenset(
    "迚も 凄い 本当 非常 物凄い 余り 大変 可也 最高 一番 滅茶苦茶 めっちゃ とっても".split()  # noqa: SIM905  as above
)
_JAPANESE_LITTLE: Final = frozenset(["少し", "一寸", "やや", "稍", "何と無く", "多少"])
_JAPANESE_BEYOND: Final = frozenset(["堪る", "たまる", "仕様", "仕方", "しょうが"])
"""Of "怖くてたまらない", "嬉しくてしかたがない"."""

_CHINESE_NO: Final = re.compile(
    r"(?:不|没有?|沒有?|別|别|未|毫无|并非)(?:是|再|会|會|要|太|很|怎么|那么|感到|觉得|必|用|曾|算){0,2}$"
)
_CHINESE_VERY: Final = re.compile(
    r"(?:很|太|非常|特别|特別|真的?|好|十分|极其|極其|超|最|更|那么|这么|如此|无比|实在|简直)(?:是|让人|令人|让我)?$"
)
_CHINESE_LITTLE: Final = re.compile(r"(?:有点儿?|有些|稍微|一点点)$")
_CHINESE_BEYOND: Final = re.compile(r"极了|極了|死了|坏了|透了|得要命|得不得了|得")
_BEFORE: Final = 6
"""Characters before a Chinese word in which it may be denied or raised."""

_END: Final = re.compile(r"([!！]{1,9})[\"'”’)）」』]{0,3}\s{0,9}$")


@dataclass(frozen=True)
class FeelingWord:
    """A word of feeling in a sentence, with what it weighs there, 0..1."""

    text: str = field(repr=False)
    weight: float


@dataclass(frozen=True)
class LexiconEntry:
    """An entry of the lexicon: what each of its words has to be, and its grade."""

    words: tuple[str, ...]
    grade: int


Entries = Mapping[str, tuple[LexiconEntry, ...]]
"""By their first word, or their first character; the longest first."""
Taken = Callable[[str], tuple[str, ...]]


def emotion(sentence: str) -> float:
    """Say how much feeling a sentence shows, 0..1.

    >>> [round(emotion(said), 3) for said in ("The bus leaves at seven.", "I am sad.",
    ...     "I am very sad.", "I am not sad.", "とても悲しい。", "悲しくない。", "我很难过。")]
    [0.0, 0.5, 0.625, 0.125, 0.625, 0.125, 0.625]
    """
    weights = [word.weight for word in feelings(sentence)]
    if end := _END.search(sentence):
        weights += [EXCLAIMED] * min(2, len(end[1]))
    return 1.0 - prod(1.0 - weight for weight in weights)


def feelings(sentence: str) -> list[FeelingWord]:
    """Give the words of feeling of a sentence with what each weighs: the English ones first, then
    those of the language that it is written in, then signs; each in their order.

    >>> [(word.text, word.weight) for word in feelings("She was furious, and a bit sad.")]
    [('furious', 0.8), ('sad', 0.3)]
    """
    plain = unicodedata.normalize("NFKC", sentence).replace("\u2019", "'")
    language = language_of(plain)
    found = _english(plain)
    if language == "ja":
        found += _japanese(plain)
    elif language == "zh":
        found += _signs(plain, lexicon()["zh"])
    return found + _signs(plain, lexicon()["any"])


# --- the lexicon --------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def lexicon() -> Mapping[str, Entries]:
    """Return the entries of ``en``, ``ja`` and ``zh``, and of signs that stand in ``any``."""
    taken: Mapping[str, Taken] = {
        "en": lambda entry: tuple(_key(word) for word in entry.split()),
        "ja": lambda entry: tuple(word for word, _ in _units(entry)),
        "zh": tuple,
        "any": tuple,
    }
    text = resources.files(__package__).joinpath("emotion.txt").read_text("utf-8")
    found: dict[str, dict[str, set[LexiconEntry]]] = {name: defaultdict(set) for name in taken}
    for language, grade, entry in _entries(text):
        if words := taken[language](entry):
            found[language][words[0]].add(LexiconEntry(words, grade))
    return {
        language: {
            first: tuple(sorted(entries, key=lambda each: (-len(each.words), -each.grade)))
            for first, entries in by_first.items()
        }
        for language, by_first in found.items()
    }


def _entries(text: str) -> Iterable[tuple[str, int, str]]:
    """Yield language, grade and entry."""
    language, grade = "", 0
    for line in text.splitlines():
        if line.startswith("["):
            language, number = line.strip("[]").split()
            grade = int(number)
        elif not line.startswith("#"):
            yield from (
                (language, grade, unicodedata.normalize("NFKC", entry.strip()))
                for entry in line.split(",")
                if entry.strip()
            )


def _found(
    entries: Entries, words: Sequence[str], at: int, exact: Sequence[str]
) -> LexiconEntry | None:
    """Return the longest entry that begins at a place. ``exact``: the words as they are written,
    for entries after ``=``.
    """
    for first in (words[at], f"={exact[at]}"):
        for entry in entries.get(first, ()):
            here = range(at, at + len(entry.words))
            if here.stop <= len(words) and all(
                wanted in {words[place], f"={exact[place]}"}
                for place, wanted in zip(here, entry.words, strict=True)
            ):
                return entry
    return None


def _scaled(grade: int, factor: float) -> float:
    return min(1.0, WEIGHTS[grade] * factor)


# --- English ------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _key(word: str) -> str:
    """Give a word as full text search compares it; one that search leaves out stays as it is."""
    if word.startswith("="):
        return word.casefold()
    return next(iter(terms(word)), word.casefold())


def _english(plain: str) -> list[FeelingWord]:
    written = [match[0].casefold() for match in _ENGLISH.finditer(plain)]
    words = [_key(word) for word in written]
    entries, found, at = lexicon()["en"], [], 0
    while at < len(words):
        entry = _found(entries, words, at, written)
        if entry is None:
            at += 1
            continue
        size = len(entry.words)
        if entry.grade:
            weight = _scaled(entry.grade, _english_factor(written[:at]))
            found.append(FeelingWord(" ".join(written[at : at + size]), weight))
        at += size
    return found


def _english_factor(before: Sequence[str]) -> float:
    """Say by how much the words before one multiply it."""
    near: list[str] = []
    for word in reversed(before[-_NEAR:]):
        if not word[0].isalpha() or word in _PASSED:
            break
        near.append(word)
    raised = next((word for word in near if word not in _BETWEEN_ENGLISH), "")
    factor = MORE if raised in _VERY else LESS if raised in _LITTLE else 1.0
    for word in near:
        if word == "never" and not {"so", "this", "such"}.isdisjoint(near):
            return MORE  # "never so happy"
        if word in _NEGATORS or word.endswith("n't"):
            return NEGATED
    return factor


# --- Japanese -----------------------------------------------------------------------------------


def _units(text: str) -> list[tuple[str, japanese.Word]]:
    """Give the words of a text in dictionary form, without particles."""
    return [(word.normal, word) for word in japanese.grammar(text) if word.speech[0] != "助詞"]


def _japanese(plain: str) -> list[FeelingWord]:
    units = _units(plain)
    words = ["" if word.speech[1] == "固有名詞" else form for form, word in units]  # a name is none
    entries, found, at = lexicon()["ja"], [], 0
    while at < len(words):
        entry = _found(entries, words, at, words)
        if entry is None:
            at += 1
            continue
        end = at + len(entry.words)
        if entry.grade:
            weight = _scaled(entry.grade, _japanese_factor(units, at, end))
            said = "".join(word.surface for _, word in units[at:end])
            found.append(FeelingWord(said, weight))
        at = end
    return found


def _japanese_factor(units: Sequence[tuple[str, japanese.Word]], start: int, end: int) -> float:
    """Say by how much the words around one multiply it; behind it only what belongs to it."""
    before = {form for form, _ in units[max(0, start - 2) : start]}
    factor = (
        LESS
        if not before.isdisjoint(_JAPANESE_LITTLE)
        else MORE
        if not before.isdisjoint(_JAPANESE_VERY)
        else 1.0
    )
    for form, word in units[end:]:
        if form in _JAPANESE_BEYOND or word.surface in _JAPANESE_BEYOND:
            return MORE
        if form in _JAPANESE_NO:
            return NEGATED
        if word.speech[0] not in {"助動詞", "接尾辞"} and form not in _JAPANESE_BETWEEN:
            break
    return factor


# --- Chinese, and signs -------------------------------------------------------------------------


def _signs(plain: str, entries: Entries) -> list[FeelingWord]:
    """Find entries by their characters."""
    found, at = [], 0
    while at < len(plain):
        entry = _found(entries, plain, at, plain)
        if entry is None:
            at += 1
            continue
        end = at + len(entry.words)
        if entry.grade:
            weight = _scaled(entry.grade, _chinese_factor(plain, at, end))
            found.append(FeelingWord(plain[at:end], weight))
        at = end
    return found


def _chinese_factor(plain: str, start: int, end: int) -> float:
    before = plain[max(0, start - _BEFORE) : start]
    if _CHINESE_NO.search(before):
        return NEGATED
    if _CHINESE_LITTLE.search(before):
        return LESS
    if _CHINESE_VERY.search(before) or _CHINESE_BEYOND.match(plain, end):
        return MORE
    return 1.0
