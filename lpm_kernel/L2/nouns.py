"""The nouns of a statement, as one asks about them: "the house", not "the moved"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from lpm_kernel.L0.language import glosses, japanese
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.english import Token, gerund, may_be_noun, tagged
from lpm_kernel.L1.statements.extraction_english import KIN
from lpm_kernel.L2.topics import EMPTY
from lpm_kernel.L2.wording import Unit, japanese_unit, placed, units

MOST_MEANT = 2
"""Japanese words for an English noun: those that come later are seldom meant."""
MOST_JOINED = 3
"""Words of one thing: "the honey harvest"."""
_OWNS = re.compile(r"['’]s?$")
_ARTICLE_NAMED = re.compile(r"\b[Tt]he (?=[A-ZÀ-Þ])")
_SAID_OF = frozenset({"AJ0", "NN0", "NN1", "NN2"})
"""What may stand before a noun as a part of it."""


def nouns(
    text: str, names: Sequence[str] = (), called: Mapping[str, Sequence[str]] | None = None
) -> list[Unit]:
    """Give the names and nouns of a statement in order, each with what else people call it; nouns
    with the adjective or the nouns right before them are one thing.

    >>> [unit.surface for unit in nouns("My mother sold the yellow house in Stavanger.")]
    ['mother', 'yellow house', 'Stavanger']
    """
    if unspaced(text):
        return [japanese_unit(word, called or {}) for word in japanese.things(text)]
    tokens = tagged(text)
    places = {token.start: place for place, token in enumerate(tokens)}
    found: dict[int, Unit] = {}
    for unit, start in placed(text, names, called or {}):
        place = places.get(start)
        if unit.named:
            found[start] = unit if place is None else _as_name(unit, tokens[place:])
        elif place is not None and tokens[place].noun and not _says_how_one_is(tokens, place):
            first = _first_of(tokens, place)
            found = {begin: each for begin, each in found.items() if begin < tokens[first].start}
            found[tokens[first].start] = _as_noun(unit, tokens[first : place + 1], text)
    return _telling(found, tokens)


def _says_how_one_is(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a bare noun says what somebody is like: "I've been vegan", "she is pregnant"."""
    before = [token for token in tokens[max(0, place - 3) : place] if token.tag != "AV0"]
    verbs = [token for token in before if token.tag.startswith("VB")]
    return bool(verbs) and before[-1] is verbs[-1] and before[0].tag == "PNP"


def _telling(found: Mapping[int, Unit], tokens: Sequence[Token]) -> list[Unit]:
    """Leave out what says nothing by itself, and what is counted, while there is something else."""
    counted = {token.start for before, token in pairwise(tokens) if before.tag == "CRD"}
    said = {unit.surface.lower(): (unit, start) for start, unit in found.items()}.values()
    telling = [(unit, start) for unit, start in said if unit.named or not _says_nothing(unit)]
    uncounted = [(unit, start) for unit, start in telling if unit.named or start not in counted]
    return [unit for unit, _ in (uncounted if len(uncounted) > 1 else telling or said)]


def _first_of(tokens: Sequence[Token], place: int) -> int:
    """Give the place of the first word that belongs to a noun."""
    first = place
    while (
        first
        and place - first < MOST_JOINED - 1
        and tokens[first - 1].tag in _SAID_OF
        and tokens[first - 1].end + 1 == tokens[first].start
        and not (tokens[first].tag == "AJ0" and tokens[first - 1].noun)
    ):
        first -= 1
    return first


def _as_name(unit: Unit, here: Sequence[Token]) -> Unit:
    """Leave out the end that says that something is theirs: not of St Mary's, which is a place."""
    plain = _OWNS.sub("", unit.surface)
    end = here[0].start + len(unit.surface)
    behind = next((token for token in here if token.start >= end), None)
    owns = behind is not None and (behind.noun or behind.tag in {"AJ0", "CRD", "ORD"})
    return replace(unit, surface=plain) if owns or plain == unit.surface else unit


def _as_noun(unit: Unit, words: Sequence[Token], text: str) -> Unit:
    """Keep of what people call a thing the nouns; of two nouns together only what both mean."""
    whole, last = text[words[0].start : words[-1].end], words[-1]
    if len(words) > 1 and (words[-2].noun or words[-2].text.endswith("ing")):
        return Unit(whole, near=(), wide=_things(f"{words[-2].text} {last.lemma}"))
    kin = last.lemma in KIN  # a grandmother is no granddaughter
    near = () if kin else tuple(filter(may_be_noun, unit.near))
    wide = [
        word
        for word in _things(last.text)
        if not kin or (glosses.meanings(word)[0] in KIN and not glosses.KATAKANA.fullmatch(word))
    ]
    return replace(unit, surface=whole, near=near, wide=tuple(wide))


@lru_cache(maxsize=20_000)
def _things(english: str) -> tuple[str, ...]:
    """Give the usual Japanese nouns for an English one."""
    return tuple(filter(_thing, glosses.in_japanese(english, glosses.MOST)))[:MOST_MEANT]


def _thing(word: str) -> bool:
    found = japanese.morphemes(word)
    return len(found) == 1 and found[0].kind == "名詞"


def _says_nothing(unit: Unit) -> bool:
    """Tell whether a unit is a noun that is asked about only together with another word."""
    return any(
        token.lemma in EMPTY for token in tagged(unit.surface)[:1] if " " not in unit.surface
    )


def asked_by(
    text: str, names: Sequence[str] = (), called: Mapping[str, Sequence[str]] | None = None
) -> list[Unit]:
    """Give what a question of two words may turn on: names and nouns; where there are fewer than
    two, what is done too, and only then whatever a statement says.

    >>> [unit.surface for unit in asked_by("I'd rather walk in the rain.")]
    ['rain', 'walking']
    """
    found = nouns(text, names, called)
    if len(found) > 1:
        return found
    verbs = [token.lemma for token in tagged(text) if token.tag.startswith("VV")]
    done = [Unit(gerund(lemma)) for lemma in dict.fromkeys(verbs) if lemma.isascii()]
    return [*found, *done] if len(found) + len(done) > 1 else units(text, names, called)


def without_article(said: str) -> str:
    """Leave the article out before names.

    >>> without_article("Tell me about the Kuri and the bench.")
    'Tell me about Kuri and the bench.'
    """
    return _ARTICLE_NAMED.sub("", said)
