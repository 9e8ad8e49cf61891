"""The words that a statement turns on, and what else people call the same: related words, and words
of the other language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from lpm_kernel.L0.language import glosses, japanese, related
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L0.language.english import CLITIC, TITLES, is_verb_at
from lpm_kernel.L0.language.stopwords import DAYS, ENGLISH, MONTHS

NEAR, NEAR_ALIKE = 0.72, 0.4
"""Likeness (cosine) from which a word may stand for another in a question; and where both translate
the same Japanese word.
"""
MOST_NEAR, MOST_COMPARED = 5, 40
MOST_MEANT = 4

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*(?:[.,]\d+)*")
_NO_NAME = re.compile(rf"(?:{MONTHS})|(?:{DAYS})s?|I(?:['’](?:m|d|ve|ll))?")
_CAPITAL = re.compile(r"[A-ZÀ-Þ]")
_WHO_ENDS = re.compile(r"(?:ist|ian|er|or)$")


@dataclass(frozen=True)
class Unit:
    """A word or a name of a statement."""

    surface: str = field(repr=False)
    named: bool = False
    near: tuple[str, ...] = field(default=(), repr=False)
    """Other English words for it."""
    wide: tuple[str, ...] = field(default=(), repr=False)
    """Japanese words for it."""


def units(
    text: str, names: Sequence[str] = (), called: Mapping[str, Sequence[str]] | None = None
) -> list[Unit]:
    """Give the content words of a statement in order, names whole. ``called`` gives by name what
    else its bearer is called.
    """
    called = called or {}
    if unspaced(text):
        return [japanese_unit(word, called) for word in dict.fromkeys(japanese.content(text))]
    found = [unit for unit, _ in placed(text, names, called)]
    return list({unit.surface.lower(): unit for unit in found}.values())


def placed(
    text: str, names: Sequence[str], called: Mapping[str, Sequence[str]]
) -> list[tuple[Unit, int]]:
    """Give the content words of a spaced text, each with where it begins."""
    found: list[tuple[Unit, int]] = []
    for surface, named, start in _pieces(text, names):
        others = called.get(surface, ())
        latin = tuple(other for other in others if not unspaced(other))
        wide = tuple(other for other in others if unspaced(other))
        if not named:
            latin, wide = near(surface), glosses.in_japanese(surface, MOST_MEANT)
        elif not wide and glosses.known(surface):  # English, Kyoto
            wide = glosses.in_japanese(surface, 1)
        found.append((Unit(surface, named, latin, wide), start))
    return found


def _pieces(text: str, names: Sequence[str]) -> list[tuple[str, bool, int]]:
    """Cut a spaced text into content words and names, each with where it begins."""
    standing = (name for name in names if name and name in text and not unspaced(name))
    known = sorted(standing, key=len, reverse=True)
    pattern = re.compile(
        "|".join([*(rf"(?<!\w){re.escape(name)}(?!\w)" for name in known), _TOKEN.pattern])
    )
    pieces: list[tuple[str, bool, int]] = []
    running = -2
    for match in pattern.finditer(text):
        word = match[0]
        named = word in known or (
            _looks_named(word) and not _capital_of_sentence(word, text, match.start())
        )
        goes_on = bool(
            named
            and pieces
            and word not in known
            and pieces[-1][1]
            and running == match.start() - 1
        )
        titled = bool(
            named
            and pieces
            and pieces[-1][0] in TITLES
            and running <= match.start() - 1 <= running + 1
        )
        if goes_on or titled:
            pieces[-1] = (f"{pieces[-1][0]} {word}", True, pieces[-1][2])
        elif named or (CLITIC.sub("", word).lower() not in ENGLISH and len(word) > 1):
            pieces.append((word, named, match.start()))
        else:
            continue
        running = match.end()
    return pieces


def _capital_of_sentence(word: str, text: str, start: int) -> bool:
    """Tell whether a word has its capital from the sentence that it opens, and is no name."""
    before = text[:start].rstrip()
    if before.rstrip(" \"'“‘(") and not before.endswith((".", "!", "?", ":")):
        return False
    return word.lower() in ENGLISH or _ordinary(word) or is_verb_at(text, start)


def _looks_named(word: str) -> bool:
    return bool(_CAPITAL.match(word)) and not _NO_NAME.fullmatch(word)


def _ordinary(word: str) -> bool:
    """Tell whether a word has its capital from the sentence: one with accents is a name."""
    return word.isascii() and glosses.ordinary(word)


def japanese_unit(word: str, called: Mapping[str, Sequence[str]]) -> Unit:
    """Give a word of a Japanese text with what it means in English; what means nothing is a
    name.
    """
    others = called.get(word, ())
    found = [meaning for meaning in glosses.meanings(word) if not meaning.startswith("-")]
    english = tuple(meaning.removeprefix("to ") for meaning in found[:MOST_MEANT])
    return Unit(
        word,
        not english,
        tuple(other for other in others if not unspaced(other)) or english,
        tuple(other for other in others if unspaced(other)),
    )


@lru_cache(maxsize=10_000)
def near(word: str) -> tuple[str, ...]:
    """Give common English words that mean much the same as one, the nearest first.

    >>> "staircase" in near("stairs"), "bibliography" in near("library"), near("teramachi")
    (True, False, ())
    """
    stems = terms(word)
    if len(stems) != 1:
        return ()
    found = related.nearest(stems[0], NEAR_ALIKE, MOST_COMPARED)
    sure = set(related.nearest(stems[0], NEAR, MOST_COMPARED))
    alike = {stem[0]: each for each in glosses.alike(word) if len(stem := terms(each)) == 1}
    said = (alike.get(each) or (glosses.plainly(each) if each in sure else "") for each in found)
    return tuple(each for each in said if each and not _who(each, word))[:MOST_NEAR]


def _who(word: str, of: str) -> bool:
    """Tell whether a word is who has to do with something: a librarian for a library."""
    return bool(_WHO_ENDS.search(word)) and not _WHO_ENDS.search(of)


def spell(unit: Unit, random: Random, *, wide: bool = False, change: float = 0.3) -> str:
    """Write a unit as somebody might who does not know how it was said."""
    if wide:
        return random.choice(unit.wide) if unit.wide else unit.surface
    return random.choice(unit.near) if unit.near and random.random() < change else unit.surface
