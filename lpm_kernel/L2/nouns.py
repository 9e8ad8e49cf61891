"""The nouns of a statement, as one asks about them: "the house", not "the moved"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from lpm_kernel.L0.language import glosses, japanese
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.stopwords import ENGLISH, MONTHS
from lpm_kernel.L1.statements.extraction_english import KIN
from lpm_kernel.L2.verbs import NUMBERS, base, does
from lpm_kernel.L2.wording import Unit, japanese_unit, units

MOST_MEANT = 2
"""Japanese words for an English noun: those that come later are seldom meant."""
_NO_NOUN = re.compile(
    r"(?:every|any|some|no)(?:one|body|thing)|first|second|third|last|next|better|best|worse|worst"
    r"|alone|wrong|right|whole|every|behind|against|back|way|one|ones|thing|things|twice|once"
    r"|near|far|early|late|many|much|few|together|here|there|per"
    rf"|{MONTHS.lower()}"
)
"""Words of the dictionary that stand for no thing of their own."""
_NOT_ALONE = re.compile(
    r"(?i:spring|summer|autumn|winter|white|black|red|blue|green|yellow|brown|gr[ea]y|pink|purple"
    r"|old|new|dead|wooden|electric|month|year|week|day|hour|minute|number)s?"
)
"""What says when, of what kind or how many, and is asked about together with a noun only."""

_OWNS = re.compile(r"['’]s$")
_NAMED = re.compile(r"\b[Tt]he (?=[A-ZÀ-Þ])")


@lru_cache(maxsize=20_000)
def noun(word: str) -> bool:
    """Tell whether an English word may name a thing: it is the meaning of a common Japanese noun,
    and no inflected verb.

    >>> noun("house"), noun("hives"), noun("moved"), noun("everybody"), noun("ask")
    (True, True, False, False, False)
    """
    plain = word.lower().removesuffix("'s").removesuffix("’s")
    if not plain.isalpha() or plain in ENGLISH or _NO_NOUN.fullmatch(plain) or plain in NUMBERS:
        return False
    verb = base(plain)
    if verb and verb != plain and not plain.endswith("s"):
        return False
    one = next((each for each in _singular(plain) if glosses.known(each)), "")
    return bool(one) and any(_thing(each) for each in glosses.in_japanese(one))


def _singular(word: str) -> Iterator[str]:
    yield word
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending):
            yield word.removesuffix(ending) + instead


@lru_cache(maxsize=20_000)
def _thing(word: str) -> bool:
    """Tell whether a Japanese word names a thing: no number, no action, no part of a day."""
    return japanese.things(word) == [word]


def nouns(
    text: str, names: Sequence[str] = (), called: Mapping[str, Sequence[str]] | None = None
) -> list[Unit]:
    """Give the names and nouns of a statement in order, each with what else people call it. Two
    nouns that stand together are one thing.

    >>> [unit.surface for unit in nouns("My mother sold the yellow house in Stavanger.")]
    ['mother', 'yellow house', 'Stavanger']
    """
    if unspaced(text):
        return [japanese_unit(word, called or {}) for word in japanese.things(text)]
    found: list[Unit] = []
    for unit in units(text, names, called):
        whole = _with_noun_before(found, unit, text)
        if unit.named:
            found.append(replace(unit, surface=_OWNS.sub("", unit.surface)))
        elif whole:
            found[-1] = _as_noun(unit, whole)
        elif noun(unit.surface) and not does(unit.surface, text):
            found.append(_as_noun(unit, unit.surface))
    return [unit for unit in found if unit.named or not _NOT_ALONE.fullmatch(unit.surface)] or found


def _with_noun_before(found: Sequence[Unit], unit: Unit, text: str) -> str:
    """Give a noun with the one that stands right before it; nothing where none does."""
    before = found[-1] if found else None
    if before is None or before.named or unit.named or " " in before.surface:
        return ""
    joined = f"{before.surface} {unit.surface}"
    fits = joined in text and noun(unit.surface) and not does(unit.surface, text)
    return joined if fits else ""


def _as_noun(unit: Unit, surface: str) -> Unit:
    """Keep of what people call a thing the nouns."""
    kin = unit.surface.lower() in KIN  # a grandmother is no granddaughter
    return replace(
        unit,
        surface=_OWNS.sub("", surface),
        near=tuple(word for word in unit.near if noun(word) and not (kin and word in KIN)),
        wide=tuple(filter(_thing, unit.wide))[:MOST_MEANT],
    )


def asked_by(
    text: str, names: Sequence[str] = (), called: Mapping[str, Sequence[str]] | None = None
) -> list[Unit]:
    """Give what a question of two words may turn on: names and nouns, or all that a statement
    says where it has fewer than two of them.
    """
    found = nouns(text, names, called)
    return found if len(found) > 1 else units(text, names, called)


def without_article(said: str) -> str:
    """Leave the article out before names.

    >>> without_article("Tell me about the Kuri and the bench.")
    'Tell me about Kuri and the bench.'
    """
    return _NAMED.sub("", said)
