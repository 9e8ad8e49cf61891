"""Which turns name whom: the spellings of names, looked for in what was said."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from lpm_kernel.domain.memory.entities import EntityKind
from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.stopwords import ENGLISH, OTHERS

_WORD: Final = re.compile(r"[^\W_]+")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff々]")
_KATAKANA: Final = re.compile(r"[\u30a1-\u30faー]")
_TITLES: Final = ("さん", "様", "さま", "氏", "君", "くん", "ちゃん", "先生", "老师", "老師")
_SHORTEST: Final = 2
"""Signs of a name in a script without blanks; a single one counts only before a title."""


@dataclass(frozen=True)
class KnownName:
    """Somebody or some place whose name is known."""

    slug: str
    name: str
    kind: EntityKind
    spellings: frozenset[str]


class NameIndex:
    """The spellings of names, by how they begin."""

    def __init__(self, known: Iterable[KnownName]) -> None:
        self._words: dict[str, list[tuple[tuple[str, ...], bool, str]]] = {}
        self._signs: dict[str, list[tuple[str, str]]] = {}
        for named in known:
            for spelling in sorted(named.spellings):
                self._add(_plain(spelling), named.slug)

    def named_in(self, text: str) -> frozenset[str]:
        """Name whom a text names, by their slugs.

        >>> index = NameIndex([KnownName("leni", "Leni", EntityKind.PERSON, frozenset({"Leni"})),
        ...     KnownName("will", "Will", EntityKind.PERSON, frozenset({"Will"})),
        ...     KnownName("井出", "井出", EntityKind.PERSON, frozenset({"井出"}))])
        >>> sorted(index.named_in("i will ask leni's aunt")), sorted(index.named_in("井出さんに"))
        (['leni'], ['井出'])
        >>> sorted(index.named_in("Lenient Will")), sorted(index.named_in("Will she?"))
        (['will'], [])
        """
        plain = _plain(text)
        return frozenset((*self._by_words(plain), *self._by_signs(plain)))

    def _by_words(self, plain: str) -> Iterator[str]:
        spans = [match.span() for match in _WORD.finditer(plain)] if self._words else []
        words = [plain[start:end] for start, end in spans]
        folded = [word.casefold() for word in words]
        for place, word in enumerate(folded):
            for wanted, ordinary, slug in self._words.get(word, ()):
                if tuple(folded[place : place + len(wanted)]) == wanted and not (
                    ordinary and (words[place].islower() or _opens(plain, spans[place][0]))
                ):
                    yield slug

    def _by_signs(self, plain: str) -> Iterator[str]:
        for place, sign in enumerate(plain if self._signs else ""):
            for wanted, slug in self._signs.get(sign, ()):
                end = place + len(wanted)
                if plain.startswith(wanted, place) and _is_whole(plain, place, end):
                    yield slug

    def _add(self, spelling: str, slug: str) -> None:
        if _UNSPACED.search(spelling):
            bare = spelling.replace(" ", "")
            self._signs.setdefault(bare[0], []).append((bare, slug))
            return
        words = tuple(_WORD.findall(spelling.casefold()))
        if words:
            # "Will" and "Rose" are names only where they are written as one
            ordinary = len(words) == 1 and _is_ordinary(words[0])
            self._words.setdefault(words[0], []).append((words, ordinary, slug))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("’", "'")


def _opens(text: str, place: int) -> bool:
    """Tell whether a sentence begins there, where any word has a capital."""
    before = text[:place].rstrip(" \"'“(")
    return not before or before[-1] in ".!?…\n:"


def _is_whole(text: str, start: int, end: int) -> bool:
    """Tell whether signs stand for a name and are no part of a longer word in katakana."""
    if end - start < _SHORTEST:
        return text.startswith(_TITLES, end)
    if _KATAKANA.fullmatch(text[start]) and start and _KATAKANA.fullmatch(text[start - 1]):
        return False
    return not (
        end < len(text) and _KATAKANA.fullmatch(text[end - 1]) and _KATAKANA.fullmatch(text[end])
    )


def _is_ordinary(word: str) -> bool:
    return word in ENGLISH or word in OTHERS or glosses.ordinary(word)
