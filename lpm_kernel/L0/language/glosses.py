"""Across languages: what a Japanese word means in English, so that either language finds what was
written in the other.

A question in Japanese is looked for in its own words and in the English ones that a dictionary
gives for them, each word with its translations counting as one (Pirkola 1998, structured queries);
a question in English finds Japanese words in the same way. Names are compared by sound: 津田 is
read Tsuda, オッティリエ sounds like Ottilie. And for a sentence model that reads English only, a
Japanese text is put into English word by word: poor English, but its meaning is near that of the
English which says the same.

The dictionary is a selection of JMdict (Electronic Dictionary Research and Development Group, CC
BY-SA 4.0), the commonest words first (wordfreq, CC BY-SA 4.0), made by
`tests/bench/make_glosses.py`.
"""

from __future__ import annotations

import lzma
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

import jaconv

from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.domain.ports import Embedder, TokenEmbedder
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L0.language.vocabulary import grown

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

MOST = 12
"""Words of the other language that may stand for one."""

SOUNDS_ALIKE = 0.6
"""Likeness of two spellings in Latin letters above which the same consonants in the same order are
the same name.
"""

LEAST_SOUND = 2
"""Consonants without which a name says too little."""

LEAST_READ = 3
"""Letters from which a reading in Latin letters is compared: shorter ones are English words by
chance.
"""

_WIDE = re.compile(r"[^\x00-\u02ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
KATAKANA = re.compile(r"[\u30a1-\u30faー・]{2,}")
_VOWELS = re.compile(r"[^a-z]|(?<=.)[aeiouy]")
_TO = re.compile(r"^to ")
_BEFORE = re.compile(r"^(?:to|the|an?) ")
_SAME_SOUND = (
    ("ph", "f"),
    ("th", "t"),
    ("ck", "k"),
    ("ch", "t"),
    ("sh", "s"),
    ("ts", "t"),
    ("qu", "k"),
    ("x", "ks"),
)
_ONE_LETTER = str.maketrans(
    {
        "l": "r",
        "v": "b",
        "c": "k",
        "q": "k",
        "j": "y",
        "z": "s",
        "g": "k",
        "d": "t",
        "p": "b",
        "f": "h",
        "m": "n",
        "w": "b",
    }
)
_SIGNS = {"。": ".", "、": ",", "？": "?", "！": "!", "?": "?"}
_SAID = {
    "誰": "who",
    "いつ": "when",
    "何時": "when",
    "どこ": "where",
    "何処": "where",
    "何": "what",
    "いくら": "how much",
    "幾ら": "how much",
    "いくつ": "how many",
    "幾つ": "how many",
    "なぜ": "why",
    "何故": "why",
    "どう": "how",
    "如何": "how",
    "私": "I",
    "わたし": "I",
    "僕": "I",
    "年": "year",
    "月": "month",
    "日": "day",
    "円": "yen",
    "人": "people",
    "名": "people",
    "時": "hour",
    "ない": "not",
    "無い": "not",
}
"""Words for which a dictionary of meanings says the wrong thing first, or too much."""


@lru_cache(maxsize=1)
def _dictionary() -> dict[str, tuple[str, ...]]:
    packed = resources.files(__package__).joinpath("glosses.tsv.xz").read_bytes()
    found = {}
    for line in lzma.decompress(packed).decode().splitlines():
        word, first, others = line.split("\t")
        found[word] = (first, *others.split(";")) if others else (first,)
    return found


def meanings(word: str) -> tuple[str, ...]:
    """Give the English meanings of a Japanese word, the usual ones first; nothing for a word that
    is not common.

    >>> meanings("家賃"), meanings("料金")[:2]
    (('rent',), ('fee', 'charge'))
    """
    return _dictionary().get(word, ())


def known(english: str) -> bool:
    """Tell whether an English word is the meaning of a common Japanese one; a verb is given with
    its "to".

    >>> known("letter"), known("to mend"), known("teramachi")
    (True, True, False)
    """
    return english in _english()


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    return frozenset(meaning for found in _dictionary().values() for meaning in found)


def ordinary(english: str) -> bool:
    """Tell whether an English word, in any of its forms, means what a common Japanese one means,
    and so is no name by itself.

    >>> ordinary("walked"), ordinary("letters"), ordinary("teramachi")
    (True, True, False)
    """
    return not _english_stems().isdisjoint(terms(english))


MEANINGS_TAKEN = 2
"""Of a Japanese word: those beyond the first two are seldom meant."""


_SECOND_MEANT = 30
"""Times rarer that a word counts where it is its second meaning that is asked for."""


def in_japanese(english: str, most: int = 4) -> tuple[str, ...]:
    """Give common Japanese words that mean an English one, the usual ones first; where none means
    just this, those that mean one with its stem.

    >>> in_japanese("library", 1), in_japanese("bridges", 1), in_japanese("teramachi")
    (('図書館',), ('橋',), ())
    """
    plain = english.lower()
    singular = plain.removesuffix("s")
    for form in (plain, singular, f"{plain}s", singular.removesuffix("e")):
        if found := _japanese_of().get(form):
            return found[:most]
    stem = terms(english)
    return _japanese_of_stems().get(stem[0], ())[:most] if len(stem) == 1 else ()


def plainly(stem: str) -> str:
    """Give the shortest common English word that has a stem, and nothing where no Japanese word
    means it.

    >>> plainly("citi"), plainly("teramachi")
    ('city', '')
    """
    return _plain_words().get(stem, "")


def alike(english: str) -> tuple[str, ...]:
    """Give other English words that the usual Japanese words for one mean too.

    >>> "staircase" in alike("stairs"), "bike" in alike("bicycle"), alike("teramachi")
    (True, True, ())
    """
    return tuple(
        dict.fromkeys(
            meaning
            for word in in_japanese(english, MOST)
            for meaning in meanings(word)[: MEANINGS_TAKEN + 1]
            if meaning.isascii() and meaning.isalpha() and meaning != english.lower()
        )
    )


@lru_cache(maxsize=1)
def _japanese_of() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, int]] = {}
    for rank, (word, known) in enumerate(_dictionary().items(), start=1):
        for place, meaning in enumerate(known[:MEANINGS_TAKEN]):
            plain = _BEFORE.sub("", meaning).lower()
            found.setdefault(plain, {}).setdefault(word, rank * _SECOND_MEANT**place)
    return {
        meaning: tuple(sorted(words, key=words.__getitem__)) for meaning, words in found.items()
    }


@lru_cache(maxsize=1)
def _japanese_of_stems() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for meaning, words in _japanese_of().items():
        stem = terms(meaning)
        if len(stem) == 1:
            found[stem[0]] = (*found.get(stem[0], ()), *words)
    return found


@lru_cache(maxsize=1)
def _plain_words() -> dict[str, str]:
    found: dict[str, str] = {}
    for meaning in sorted(_english(), key=lambda each: (len(each), each)):
        word = _TO.sub("", meaning)
        if word.isalpha() and word.isascii() and word.islower() and len(stem := terms(word)) == 1:
            found.setdefault(stem[0], word)
    return found


@lru_cache(maxsize=1)
def _english_stems() -> frozenset[str]:
    single = (meaning.removeprefix("to ") for meaning in _english())
    return frozenset(
        terms(
            " ".join(
                meaning
                for meaning in single
                if meaning.isascii() and meaning.isalpha() and meaning.islower()
            )
        )
    )


@lru_cache(maxsize=20_000)
def stems(word: str) -> tuple[str, ...]:
    """Give the meanings of one word, as they stand in the index.

    >>> stems("講座")
    ('cours',)
    """
    found = (terms(_TO.sub("", meaning)) for meaning in meanings(word))
    return tuple(dict.fromkeys(each[0] for each in found if len(each) == 1))


def in_english(text: str) -> str:
    """Put a Japanese text into English word by word; names are written as they sound.

    >>> in_english("夏期講座の定員は何名ですか。")
    'summer term course fixed number what people .'
    """
    return " ".join(
        said for said in (_said(morpheme) for morpheme in japanese.morphemes(text)) if said
    )


def _said(morpheme: japanese.Morpheme) -> str:
    if not _WIDE.search(morpheme.surface):
        return morpheme.surface.strip()
    for form in morpheme.forms:
        if form in _SAID:
            return _SAID[form]
    if morpheme.kind in japanese.EMPTY_KINDS:
        return _SIGNS.get(morpheme.surface, "")
    known = (
        ()
        if morpheme.named
        else next(filter(None, (meanings(form) for form in morpheme.forms)), ())
    )
    if known or morpheme.named:
        return _TO.sub("", known[0]) if known else sound(morpheme.reading).capitalize()
    parts = [each[0] for part in morpheme.parts if (each := meanings(part))]
    return " ".join(parts) or sound(morpheme.reading).capitalize()


def sound(reading: str) -> str:
    """Write katakana in Latin letters.

    >>> sound("ツダ")
    'tsuda'
    """
    return (
        str(jaconv.kana2alphabet(jaconv.kata2hira(reading)))
        .replace("ー", "")
        .replace("ィ", "i")
        .lower()
    )


@lru_cache(maxsize=50_000)
def skeleton(latin: str) -> str:
    """Give what two spellings of one name have in common: its consonants, those that Japanese does
    not tell apart as one.

    >>> skeleton("ottilie") == skeleton("otteirie"), skeleton("jonas") == skeleton("yonasu")
    (True, True)
    """
    plain = latin
    for letters, letter in _SAME_SOUND:
        plain = plain.replace(letters, letter)
    bare = _VOWELS.sub("", plain.translate(_ONE_LETTER))
    return "".join(letter for at, letter in enumerate(bare) if not at or letter != bare[at - 1])


class Tongues:
    """What stands for a term in the other language, among the words that a bank holds. Grows with
    the bank; threads share it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._words: list[str] = []
        self._vocabulary: Mapping[str, int] = {}
        self._meant: dict[str, list[str]] = {}
        """By English stem: the Japanese words that mean it, or are read so."""
        self._sounds: dict[str, list[tuple[str, str]]] = {}
        self._latin: dict[str, list[str]] = {}

    def others(
        self, wanted: Sequence[str], vocabulary: Mapping[str, int]
    ) -> dict[str, tuple[str, ...]]:
        """Give for each term the terms of the other language that mean it or sound like it; those
        without are missing.
        """
        wide = any(_WIDE.search(term) for term in wanted)
        with self._lock:
            self._take_in(vocabulary, latin=wide)
            found = {term: self._of(term)[:MOST] for term in wanted}
        return {term: others for term, others in found.items() if others}

    def _of(self, term: str) -> tuple[str, ...]:
        if not _WIDE.search(term):
            alike = [
                other
                for other, latin in self._sounds.get(skeleton(term), ())
                if _alike(term, latin)
            ]
            return tuple(dict.fromkeys([*self._meant.get(term, ()), *alike]))
        latin = sound(japanese.reading(term))
        alike = (
            [other for other in self._latin.get(skeleton(latin), ()) if _alike(other, latin)]
            if KATAKANA.fullmatch(term)
            else []
        )
        return tuple(
            dict.fromkeys(
                [
                    *(stem for stem in (*stems(term), *terms(latin)) if stem in self._vocabulary),
                    *alike,
                ]
            )
        )

    def _take_in(self, vocabulary: Mapping[str, int], *, latin: bool) -> None:
        """Look at the words that are new. A bank that was made anew has another vocabulary and is
        looked at from the start.
        """
        if vocabulary is self._vocabulary and (self._latin or not latin):
            return
        new = grown(vocabulary, self._words)
        if new is None:
            self._words, self._meant, self._sounds, self._latin = [], {}, {}, {}
            new = list(vocabulary)
        self._vocabulary = vocabulary
        self._words += new
        self._add_japanese(new)
        if latin or self._latin:
            for term in new if self._latin else self._words:
                if (
                    term.isascii()
                    and term.isalpha()
                    and len(bones := skeleton(term)) >= LEAST_SOUND
                ):
                    self._latin.setdefault(bones, []).append(term)

    def _add_japanese(self, words: Iterable[str]) -> None:
        for term in words:
            if not _WIDE.search(term):
                continue
            latin = sound(japanese.reading(term))
            for stem in dict.fromkeys(
                [*stems(term), *(terms(latin) if len(latin) >= LEAST_READ else ())]
            ):
                self._meant.setdefault(stem, []).append(term)
            if KATAKANA.fullmatch(term) and len(bones := skeleton(latin)) >= LEAST_SOUND:
                self._sounds.setdefault(bones, []).append((term, latin))


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= SOUNDS_ALIKE


class Glossed:
    """An embedder that reads English only, given Japanese in English words. What is written in
    Latin letters it reads as it stands.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.inner = embedder

    @property
    def id(self) -> str:
        """Name of the embedder, and that it read a translation."""
        return f"{self.inner.id}+ja1"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text by itself. Raises ``EmbedderUnavailableError``."""
        return self.inner.embed(_read(texts))

    def embed_tokens(self, texts: Sequence[str]) -> Embedded:
        """Embed each text, with its tokens where the embedder gives them. Raises
        ``EmbedderUnavailableError``.
        """
        if not isinstance(self.inner, TokenEmbedder):
            return Embedded(self.id, self.embed(texts))
        made = self.inner.embed_tokens(_read(texts))
        return Embedded(self.id, made.vectors, made.tokens)


def _read(texts: Sequence[str]) -> list[str]:
    return [in_english(text) if unspaced(text) else text for text in texts]
