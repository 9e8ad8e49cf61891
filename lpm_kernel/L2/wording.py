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
from lpm_kernel.L0.language.stopwords import ENGLISH, MONTHS

NEAR = 0.42
"""Likeness (cosine) from which a word may stand for another in a question."""
MOST_NEAR = 5
MOST_MEANT = 4

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*(?:[.,]\d+)*")
_CAPITAL = re.compile(r"[A-ZÀ-Þ]")
TITLES = frozenset({"Mr", "Mrs", "Ms", "Miss", "Dr", "Prof", "St", "Mx"})


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
    found: list[Unit] = []
    for surface, named in _pieces(text, names):
        others = called.get(surface, ())
        latin = tuple(other for other in others if not unspaced(other))
        wide = tuple(other for other in others if unspaced(other))
        if not named:
            latin, wide = near(surface), glosses.in_japanese(surface, MOST_MEANT)
        found.append(Unit(surface, named, latin, wide))
    return list({unit.surface.lower(): unit for unit in found}.values())


def _pieces(text: str, names: Sequence[str]) -> list[tuple[str, bool]]:
    """Cut a spaced text into content words and names."""
    known = sorted((name for name in names if name and not unspaced(name)), key=len, reverse=True)
    pattern = re.compile(
        "|".join([*(rf"(?<!\w){re.escape(name)}(?!\w)" for name in known), _TOKEN.pattern])
    )
    pieces: list[tuple[str, bool]] = []
    running = -2
    for match in pattern.finditer(text):
        word = match[0]
        opens = not text[: match.start()].rstrip(" \"'“‘(") or text[
            : match.start()
        ].rstrip().endswith((".", "!", "?", ":"))
        named = word in known or (
            _looks_named(word) and not (opens and (word.lower() in ENGLISH or _ordinary(word)))
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
            pieces[-1] = (f"{pieces[-1][0]} {word}", True)
        elif named or (word.lower() not in ENGLISH and len(word) > 1):
            pieces.append((word, named))
        else:
            continue
        running = match.end()
    return pieces


def _looks_named(word: str) -> bool:
    return (
        bool(_CAPITAL.match(word))
        and word not in MONTHS.split("|")
        and word not in {"I", "I'm", "I've"}
    )


def _ordinary(word: str) -> bool:
    """Tell whether a word has its capital from the sentence: one with accents is a name."""
    return word.isascii() and glosses.ordinary(word)


def japanese_unit(word: str, called: Mapping[str, Sequence[str]]) -> Unit:
    """Give a word of a Japanese text with what it means in English; what means nothing is a
    name.
    """
    others = called.get(word, ())
    english = tuple(meaning.removeprefix("to ") for meaning in glosses.meanings(word)[:MOST_MEANT])
    return Unit(
        word,
        not english,
        tuple(other for other in others if not unspaced(other)) or english,
        tuple(other for other in others if unspaced(other)),
    )


@lru_cache(maxsize=10_000)
def near(word: str) -> tuple[str, ...]:
    """Give common English words that are near a word in meaning, the nearest first.

    >>> "instrument" in near("cello"), near("teramachi")
    (True, ())
    """
    stems = terms(word)
    found = related.nearest(stems[0], NEAR, 2 * MOST_NEAR) if len(stems) == 1 else []
    return tuple(filter(None, map(glosses.plainly, found)))[:MOST_NEAR]


def spell(unit: Unit, random: Random, *, wide: bool = False, change: float = 0.3) -> str:
    """Write a unit as somebody might who does not know how it was said."""
    if wide:
        return random.choice(unit.wide) if unit.wide else unit.surface
    return random.choice(unit.near) if unit.near and random.random() < change else unit.surface
