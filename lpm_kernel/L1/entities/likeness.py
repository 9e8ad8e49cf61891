"""How two names are alike: the same sounds in another script, a part of a longer one, an initial, a
short form, a slip of the pen.

That two names are alike says only that they may be names of one; who shares company, work and
subjects is seen by `duplicates`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from typing import Final

from lpm_kernel.L0.language import glosses, japanese

LEAST_SPELLED: Final = 6
"""Letters of a name in which one that is off is a slip of the pen; Mia and Maya are two."""
SOUNDS_ALIKE: Final = 0.6
"""Likeness of the letters of a Latin name and of katakana with the same consonants."""
LEAST_CONSONANTS: Final = 2

_HAN: Final = re.compile(r"[\u3400-\u9fff々〆]")
_KANA: Final = re.compile(r"[\u3041-\u30ff]")
_LATIN: Final = re.compile(r"[a-z]")
_ROMAJI: Final = re.compile(
    r"(?:(?:[kgsztdnhbpmrfwj]|sh|ch|ts|ky|gy|ny|hy|by|py|my|ry|y|kk|ss|tt|pp|ssh|tch|cch)?[aeiou]"
    r"|n(?![aeiouy])|m(?=[bpm])|h(?![aeiouy]))+"
)
_NO_DIFFERENCE: Final = (("l", "r"), ("c", "k"), ("w", "v"), ("mb", "nb"), ("mp", "np"), ("u", ""))
_TWICE: Final = re.compile(r"(.)\1")
_R_UNHEARD: Final = re.compile(r"(?<=[aeiou])r(?![aeiou])")
_SAME_READING: Final = (
    ("oh", re.compile(r"oh(?![aeiouy])"), "o"),
    ("ou", re.compile(r"o[ou]"), "o"),
    ("uu", re.compile(r"uu"), "u"),
    ("aa", re.compile(r"aa"), "a"),
    ("ii", re.compile(r"ii"), "i"),
    ("nb", re.compile(r"n(?=[bpm])"), "m"),
    ("tch", re.compile(r"tch"), "cch"),
    ("'", re.compile(r"['’\-]"), ""),
)
_SMALL_VOWELS: Final = (
    ("jie", "je"),
    ("chie", "che"),
    ("shie", "she"),
    ("tei", "ti"),
    ("dei", "di"),
    ("uei", "wei"),
    ("uia", "wia"),
    ("ui", "wi"),
    ("fua", "fa"),
    ("tou-", "tu"),
)
"""Small vowels, which make one syllable with what stands before them."""
_TRADITIONAL: Final = str.maketrans(
    "陳張劉楊黃趙吳孫馬羅鄭謝韓許馮鄧葉蘇蔣盧賈譚鄒龍葛範錢湯喬賴龐樊蘭齊偉國華強軍麗靜"
    "紅輝飛寶鳳雲貴蘭豔慶蓮廣東澤師個佐濱澤齋",
    "陈张刘杨黄赵吴孙马罗郑谢韩许冯邓叶苏蒋卢贾谭邹龙葛范钱汤乔赖庞樊兰齐伟国华强军丽静"
    "红辉飞宝凤云贵兰艳庆莲广东泽师个佐浜沢斎",
)
"""Signs of names in their older and their newer form."""


class Likeness(StrEnum):
    """In what two names are alike."""

    SCRIPTS = "scripts"
    """They sound the same, in another script or another order."""
    SOUNDS = "sounds"
    """They may sound the same: the consonants in katakana are those in Latin letters."""
    PART = "part"
    """One is a part of the other: a given or a family name alone."""
    INITIALS = "initials"
    """One has letters for given names."""
    SHORT = "short"
    """One is a short form of the other: Bill, William."""
    SPELLING = "spelling"
    """One letter is off, or one sound is written otherwise: Phillip, Philip."""


@dataclass(frozen=True)
class Name:
    """A name, taken apart."""

    parts: tuple[str, ...] = field(repr=False)
    """As they are compared; in Japanese the family name comes first."""
    sounds: tuple[str, ...] = field(repr=False)
    """The same in Latin letters, as they sound."""
    latin: bool

    @property
    def whole(self) -> bool:
        """It has a given and a family name."""
        return len(self.parts) > 1


@lru_cache(maxsize=20_000)
def name_of(key: str) -> Name:
    """Take a name apart, as `key_of` writes it.

    >>> name_of("森岡カヤ").sounds, name_of("kaya morioka").parts
    (('morioka', 'kaya'), ('kaya', 'morioka'))
    """
    if not (_HAN.search(key) or _KANA.search(key)):
        parts = tuple(part.strip(".") for part in re.split(r"[\s.]+", key) if part.strip("."))
        return Name(parts, tuple(_reading(part) for part in parts), latin=True)
    plain = key.translate(_TRADITIONAL)
    pieces = [piece for piece in re.split(r"[\s・]+", plain) if piece]
    if len(pieces) == 1 and _HAN.search(plain):
        words = japanese.grammar(plain)
        if len(words) > 1 and words[0].speech[3] == "姓":
            first = words[0].surface
            pieces = [first, plain.removeprefix(first)]
    sounds = tuple(_reading(_heard(piece)) for piece in pieces)
    return Name(tuple(pieces), sounds, latin=False)


def likeness(one: str, other: str) -> Likeness | None:
    """Say in what two names are alike, as `key_of` writes them; ``None`` where they are not, or
    where something of both speaks against it: Michael Denby, Luke Denby.

    >>> likeness("森岡カヤ", "kaya morioka").value, likeness("bill", "william hurley").value
    ('scripts', 'short')
    >>> likeness("michael denby", "luke denby"), likeness("yuko", "yuka")
    (None, None)
    """
    short, long = sorted((name_of(one), name_of(other)), key=lambda name: len(name.parts))
    if not short.parts or not long.parts:
        return None
    if short.whole:
        return _of_whole_names(short, long)
    if not long.whole:
        return _of_parts(short, 0, long, 0)
    found = [_of_parts(short, 0, long, place) for place in _ends(long)]
    sure = [each for each in found if each is not None and each is not Likeness.INITIALS]
    if not sure:
        return None
    crosses = short.latin != long.latin or short.parts[0] not in long.parts
    keeps = {Likeness.SHORT} | ({Likeness.SPELLING} if crosses else set())
    return sure[0] if sure[0] in keeps else Likeness.PART


def part_keys(key: str) -> set[str]:
    """Return words that any name which is like this one has among its own; names without one in
    common need not be compared.
    """
    name = name_of(key)
    found: set[str] = set()
    for place in _ends(name):
        part, sound = name.parts[place], name.sounds[place]
        found.add(f"s:{sound}")
        found |= {f"c:{each}" for each in _skeletons(sound)}
        found |= {f"k:{part}"} | {f"k:{each}" for each in _in_katakana().get(part, ())}
        if name.latin:
            found |= {f"n:{full}" for full in _long_forms(part)}
            found.add(f"n:{part}")
    return found


def _ends(name: Name) -> tuple[int, ...]:
    """Return the places of the first and the last part."""
    return (0,) if not name.whole else (0, len(name.parts) - 1)


def _of_whole_names(one: Name, other: Name) -> Likeness | None:
    ends = ((0, -1), (-1, 0))
    orders = [ends[0]] if one.latin and other.latin and not _are_romaji(one, other) else list(ends)
    best: Likeness | None = None
    for first, last in orders:
        pair = (_of_parts(one, 0, other, first), _of_parts(one, -1, other, last))
        if None in pair:
            continue
        kinds = {each for each in pair if each not in {Likeness.SCRIPTS, Likeness.SOUNDS}}
        if len(kinds) < 2:  # noqa: PLR2004  two slips are two people
            best = best or next(iter(kinds), Likeness.SCRIPTS)
    return best


def _are_romaji(one: Name, other: Name) -> bool:
    return all(_ROMAJI.fullmatch(part) for part in (*one.parts, *other.parts))


def _of_parts(one: Name, at: int, other: Name, there: int) -> Likeness | None:
    """Say in what two parts of names are alike, in whatever script."""
    part, second = one.parts[at], other.parts[there]
    if part == second:
        return Likeness.SCRIPTS
    if one.latin != other.latin:
        return _across(*((part, second) if one.latin else (second, part)))
    if one.latin:
        return _in_latin(part, second)
    # Of two in Han, that they sound the same says little: 健二, 賢治.
    kana = not (_HAN.search(part) and _HAN.search(second))
    return Likeness.SCRIPTS if kana and one.sounds[at] == other.sounds[there] else None


def _in_latin(one: str, other: str) -> Likeness | None:
    if len(one) == 1 or len(other) == 1:
        letter, word = sorted((one, other), key=len)
        begins = {word[0], *(short[0] for short in _short_forms(word))}
        return Likeness.INITIALS if letter in begins else None
    if one in _long_forms(other) or other in _long_forms(one):
        return Likeness.SHORT
    return Likeness.SPELLING if _is_slip(one, other) else None


def _across(latin: str, written: str) -> Likeness | None:
    """Say how a name in Latin letters is like one in kana or Han."""
    heard = _heard(written)
    read = _ROMAJI.fullmatch(latin) and _reading(latin) == _reading(heard)
    if read or written in _in_katakana().get(latin, ()):
        return Likeness.SCRIPTS
    known = any(written in each for each in _in_katakana().values())
    if known or latin in _in_katakana() or not glosses.KATAKANA.fullmatch(written):
        return None
    alike = SequenceMatcher(None, _vowelled(latin), _vowelled(heard)).ratio() >= SOUNDS_ALIKE
    return Likeness.SOUNDS if alike and _skeletons(latin) & _skeletons(heard) else None


@lru_cache(maxsize=20_000)
def _heard(written: str) -> str:
    """Return how a name in kana or Han sounds, in Latin letters."""
    latin = glosses.sound(japanese.reading(written))
    for two, one in _SMALL_VOWELS:
        latin = latin.replace(two, one)
    return latin


def _vowelled(latin: str) -> str:
    """Return a name without what katakana has to add to it or cannot write."""
    for letters, letter in _NO_DIFFERENCE:
        latin = latin.replace(letters, letter)
    return _TWICE.sub(r"\1", _R_UNHEARD.sub("", latin))


def _skeletons(latin: str) -> frozenset[str]:
    """Return the consonants of a name, with and without an r that only lengthens a vowel."""
    found = {glosses.skeleton(latin), glosses.skeleton(_R_UNHEARD.sub("", latin))}
    return frozenset(each for each in found if len(each) >= LEAST_CONSONANTS)


def _reading(latin: str) -> str:
    """Return Latin letters so that every romanisation of one reading is the same."""
    for sign, pattern, plain in _SAME_READING:
        if sign[0] in latin:
            latin = pattern.sub(plain, latin)
    return latin


def _is_slip(one: str, other: str) -> bool:
    """Tell whether two words differ by one letter left out, or by the way in which one sound is
    written.
    """
    if min(len(one), len(other)) < LEAST_SPELLED or one[0] != other[0]:
        return False
    long, short = (one, other) if len(one) > len(other) else (other, one)
    if len(long) == len(short) + 1:
        # The last letter often makes another name of it: Andrea, Andreas.
        return any(long[:at] + long[at + 1 :] == short for at in range(1, len(long) - 1))
    plain = [
        each.replace("ph", "f").replace("ck", "k").replace("c", "k").replace("y", "i")
        for each in (one, other)
    ]
    return plain[0] == plain[1]


@lru_cache(maxsize=20_000)
def _long_forms(part: str) -> frozenset[str]:
    return _nicknames().get(part, frozenset())


@lru_cache(maxsize=20_000)
def _short_forms(part: str) -> frozenset[str]:
    return frozenset(short for short, full in _nicknames().items() if part in full)


@lru_cache(maxsize=1)
def _nicknames() -> dict[str, frozenset[str]]:
    """Return the full names that each short form stands for."""
    found: dict[str, set[str]] = {}
    for full, short in _table("nicknames.txt").items():
        for each in short:
            found.setdefault(each, set()).add(full)
    return {short: frozenset(full) for short, full in found.items()}


@lru_cache(maxsize=1)
def _in_katakana() -> dict[str, tuple[str, ...]]:
    """Return how given names are written in katakana, those whose letters do not tell."""
    return _table("katakana.txt")


def _table(name: str) -> dict[str, tuple[str, ...]]:
    lines = resources.files(__package__).joinpath(name).read_text("utf-8").splitlines()
    return {first: tuple(others) for first, *others in (line.split() for line in lines)}
