"""Which entities may be one: names that are alike, and what speaks for and against it in what is
told of them.

Only proposed, never done: two people of one name stay two until the person says otherwise. Each
sign adds points or takes some away, and a pair below `SURE` is not shown. Points were set on one
half of the labelled lives and measured on the other (see `tests/data/entities/README.md`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import log
from typing import Final

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import Entities, Entity, EntityKind, PassageStanding
from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.language.stopwords import ENGLISH
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.L1.entities.likeness import Likeness, likeness, name_of, part_keys
from lpm_kernel.L1.entities.relations import (
    OWN,
    FactKind,
    Relation,
    facts,
    has_namesakes,
    relations,
)
from lpm_kernel.L1.entities.resolution import key_of

SURE: Final = 2.0
"""Points from which on a pair is proposed."""
ALIKE: Final[Mapping[Likeness, float]] = {
    Likeness.SCRIPTS: 1.5,
    Likeness.SOUNDS: 1.3,
    Likeness.PART: 2.0,
    Likeness.INITIALS: 1.7,
    Likeness.SHORT: 1.0,
    Likeness.SPELLING: 0.8,
}
WHOLE: Final = 1.5
"""More, where both are whole names."""
LETTER: Final = 0.15
"""More for each letter after the third: short names are alike by chance."""
MOST_LETTERS: Final = 5
PLACES: Final = 0.6
"""More for two places: few towns share a name."""
ACROSS: Final = -0.2
"""A part of a name in another script may be anybody's."""
TITLED: Final = -0.6
"""Mrs Pallister may be the mother of Robert Pallister."""
STATED: Final = 4.0
"""A text gives one beside the other: Kaja (カヤ), Dave, I mean David."""
COMPANY: Final = 0.6
"""For each that both are named with; less for one that everybody is named with."""
MOST_COMPANY: Final = 1.5
SUBJECTS: Final = 2.0
"""For what is told of both: the share of rare words in common, times this."""
A_WORD: Final = 0.5
"""For what is told of both, at most this for each word that they share."""
MOST_SUBJECTS: Final = 1.6
SAME_ROLE: Final = 1.5
OTHER_ROLE: Final = -2.5
OTHER_SORT: Final = -0.8
"""One is a person and the other a place, as far as that shows."""
TOGETHER: Final = -6.0
"""One sentence has both, as two."""
BOTH_SPEAK: Final = -6.0
NAMESAKES: Final = -4.0
"""A text says that there is more than one of the name."""
ONE_DOCUMENT: Final = -0.8
"""A text has both spellings: somebody who is called Bill in it is not called William too."""
RIVAL: Final = 1.0
"""How much better than the next a pair has to be, where a name is like several."""
MOST_PASSAGES: Final = 40
"""Passages of an entity that are looked at."""
MOST_LIKE: Final = 40
"""Entities with a part of a name in common; more are a word and no name."""

_GROUPS: Final = re.compile(
    r"\b(?:line|ltd|inc|llc|mills?|logistics|sons|house|theatre|hotel|bank|company|co|group|farm"
    r"|school|college|street|road|point|river|station|bay|hill|park|family)$"
    r"| (?:of|and|&) |(?:株式会社|牧場|商店)"
)
_BESIDE: Final = re.compile(
    r"(?:^['’\"”」]?(?:さん)? ?[（(=]|^ is (?:really |just )?"
    r"|\b(?:I mean|or rather|that is|aka|a\.k\.a\.|known as|short for|we call (?:him|her))"
    r"[ ,]{0,2}|(?:つまり|こと|本名は?)、?)$"
)
_NUMBER: Final = re.compile(r" (?:[ivx]{2,4}|\d+|jr|sr|junior|senior)$")
_NAME_GOES_ON: Final = re.compile(r"[\u30a1-\u30faー]|(?![家宅様氏君先達邸])[\u4e00-\u9fff々]")
_SAME_SOUND: Final = frozenset({Likeness.SCRIPTS, Likeness.SOUNDS})
_NEEDS_A_PERSON: Final = frozenset({Likeness.PART, Likeness.SOUNDS})
_TITLED: Final = re.compile(r"(?:Mr|Mrs|Ms|Miss)\.? ")
BETWEEN: Final = 30
"""Characters that lie between a name and another one that is given for it."""


@dataclass(frozen=True)
class Duplicate:
    """Two entities that may be one."""

    one: str = field(repr=False)
    other: str = field(repr=False)
    points: float
    """The more, the surer; at least `SURE`."""
    alike: Likeness


def candidates(found: Entities) -> list[tuple[Entity, Entity, Likeness]]:
    """Return the pairs whose names are alike, in the order of their slugs."""
    own = {
        part
        for entity in found.by_slug.values()
        if entity.self
        for key in entity.keys
        for part in name_of(key).sounds
    }
    made = []
    for one, other in sorted(_with_a_part_in_common(found)):
        first, second = found.by_slug[one], found.by_slug[other]
        alike = _alike(first, second)
        if alike is not None and _may_be_one(first, second, alike, own):
            made.append((first, second, alike))
    return made


def _with_a_part_in_common(found: Entities) -> set[tuple[str, str]]:
    by_part: dict[str, set[str]] = defaultdict(set)
    for entity in found.by_slug.values():
        if entity.hidden or entity.self or entity.kind is EntityKind.IDEA:
            continue
        for part in set().union(*map(part_keys, entity.keys)):
            by_part[part].add(entity.slug)
    return {
        pair
        for slugs in by_part.values()
        if len(slugs) <= MOST_LIKE
        for pair in combinations(sorted(slugs), 2)
    }


def _alike(one: Entity, other: Entity) -> Likeness | None:
    """Return the best of what any two spellings have in common; whole names that are not alike
    are two people.
    """
    kinds = []
    for mine in sorted(one.keys):
        for theirs in sorted(other.keys):
            kind = likeness(mine, theirs)
            if kind is not None:
                kinds.append(kind)
            elif name_of(mine).whole and name_of(theirs).whole:
                return None
    return max(kinds, key=lambda kind: ALIKE[kind], default=None)


def _may_be_one(one: Entity, other: Entity, alike: Likeness, own: set[str]) -> bool:
    """Tell whether it makes sense to ask: a firm is no person, and the person's own family name may
    be anybody's of the family.
    """
    if {one.kind, other.kind} == {EntityKind.UNKNOWN} and alike in _NEEDS_A_PERSON:
        return False
    if alike is Likeness.PART and any(
        own & set(name_of(key).sounds) for key in one.keys | other.keys
    ):
        return False
    grouped = [any(_GROUPS.search(key) for key in entity.keys) for entity in (one, other)]
    scripts = {name_of(key).latin for key in one.keys | other.keys}
    kinds = {one.kind, other.kind}
    places = EntityKind.PLACE in kinds and EntityKind.PERSON not in kinds
    numbered = any(_NUMBER.search(key) for key in one.keys | other.keys)
    return grouped[0] == grouped[1] and not numbered and (not places or len(scripts) > 1)


@dataclass(frozen=True)
class Told:
    """What is told of entities: their passages."""

    found: Entities = field(repr=False)
    standings: Mapping[int, PassageStanding] = field(repr=False)
    texts: Mapping[int, str] = field(repr=False)
    """By row; passages that are missing say nothing."""
    speakers: Mapping[int, str] = field(repr=False)
    """Who says a passage, as `key_of` writes it."""

    @cached_property
    def sessions(self) -> dict[tuple[int, int], set[str]]:
        """Who and what is named in each session."""
        made: dict[tuple[int, int], set[str]] = defaultdict(set)
        for row, slugs in self.found.at.items():
            made[self.standings[row].session] |= set(slugs)
        return made

    @cached_property
    def frequency(self) -> Counter[str]:
        """In how many passages each word stands."""
        return Counter(word for row in self.texts for word in self.words(row))

    @cached_property
    def _words(self) -> dict[int, frozenset[str]]:
        return {}

    def words(self, row: int) -> frozenset[str]:
        """Return the words of a passage, those of Japanese with what they mean in English."""
        if row not in self._words:
            text = self.texts.get(row, "")
            plain = {word for word in terms(text) if word not in ENGLISH and len(word) > 1}
            if unspaced(text):
                plain |= {stem for word in plain for stem in glosses.stems(word)[:3]}
            self._words[row] = frozenset(plain)
        return self._words[row]

    def rows(self, entity: Entity) -> list[int]:
        """Return the passages of an entity that are looked at."""
        return [row for row in entity.rows if row in self.texts][:MOST_PASSAGES]

    def company(self, entity: Entity) -> set[str]:
        """Return what is named in the same sessions."""
        near: set[str] = set()
        for row in entity.rows:
            near |= self.sessions[self.standings[row].session]
        return near - {entity.slug}

    def documents(self, entity: Entity) -> set[DocumentId]:
        """Return the documents that name an entity."""
        return {self.standings[row].document for row in entity.rows}

    def spoken(self, entity: Entity) -> set[DocumentId]:
        """Return the documents in which an entity speaks."""
        return {
            self.standings[row].document
            for row in entity.rows
            if self.speakers.get(row) in entity.keys
        }

    def relations_of(self, entity: Entity) -> set[tuple[Relation, str | None]]:
        """Return what an entity is said to be, and to whom."""
        return {
            (relations()[fact.value], fact.whose)
            for row in self.rows(entity)
            for fact in facts(self.texts[row], spans(self.texts[row], entity), lambda _: OWN)
            if fact.kind is FactKind.RELATION
        }

    def has_namesakes(self, entity: Entity) -> bool:
        """Tell whether a passage says that there is more than one of the name."""
        return any(
            has_namesakes(self.texts[row], spans(self.texts[row], entity))
            for row in self.rows(entity)
        )


def rows_wanted(pairs: Iterable[tuple[Entity, Entity, Likeness]]) -> list[int]:
    """Return the passages that have to be read."""
    entities = {entity.slug: entity for one, other, _ in pairs for entity in (one, other)}
    return sorted({row for entity in entities.values() for row in entity.rows[:MOST_PASSAGES]})


def duplicates(pairs: Sequence[tuple[Entity, Entity, Likeness]], told: Told) -> list[Duplicate]:
    """Return the pairs that may be one, the surest first."""
    sounds_so: dict[str, set[str]] = defaultdict(set)
    for one, other, alike in pairs:
        if alike in _SAME_SOUND:
            sounds_so[one.slug].add(other.slug)
            sounds_so[other.slug].add(one.slug)
    rated = [
        Duplicate(one.slug, other.slug, points, alike)
        for one, other, alike in pairs
        for points in [round(_points(one, other, alike, told, sounds_so), 3)]
    ]
    kept = [
        each for each in rated if each.points >= SURE and not _is_rivalled(each, rated, told.found)
    ]
    asked = [each for each in kept if not _follows(each, kept, told)]
    return sorted(asked, key=lambda each: (-each.points, each.one, each.other))


def _follows(pair: Duplicate, kept: Sequence[Duplicate], told: Told) -> bool:
    """Tell whether a pair is asked about by two others already, and nobody is named with both:
    Yoshida and 吉田直樹, where Yoshida may be 吉田, and 吉田 may be 吉田直樹.
    """
    one, other = (told.found.by_slug[slug] for slug in (pair.one, pair.other))
    if (
        pair.alike is not Likeness.PART
        or unspaced(pair.one) == unspaced(pair.other)
        or told.company(one) & told.company(other)
    ):
        return False
    full, romanised = sorted((pair.one, pair.other), key=unspaced, reverse=True)
    alike = {frozenset({each.one, each.other}): each.alike for each in kept}
    return any(
        alike.get(both ^ {romanised, full}) in _SAME_SOUND
        for both, kind in alike.items()
        if kind is Likeness.PART and full in both and all(map(unspaced, both))
    )


def _points(
    one: Entity,
    other: Entity,
    alike: Likeness,
    told: Told,
    sounds_so: Mapping[str, Collection[str]],
) -> float:
    points = _by_name(one, other, alike)
    points += _met(one, other, alike, told)
    points += _company(one, other, told, sounds_so)
    points += _subjects(one, other, told)
    points += _roles(one, other, told)
    points += NAMESAKES * any(told.has_namesakes(entity) for entity in (one, other))
    return points


def _by_name(one: Entity, other: Entity, alike: Likeness) -> float:
    """Weigh the names themselves, and what they are the names of."""
    names = [[name_of(key) for key in entity.keys] for entity in (one, other)]
    whole = all(any(name.whole for name in known) for known in names)
    shortest = min(len(sound) for known in names for name in known for sound in name.sounds)
    points = ALIKE[alike] + WHOLE * whole
    kinds = {one.kind, other.kind} - {EntityKind.UNKNOWN}
    points += OTHER_SORT * (len(kinds) > 1) + PLACES * (kinds == {EntityKind.PLACE})
    if alike is Likeness.PART:
        spellings = (*one.aliases, one.name, *other.aliases, other.name)
        titled = any(map(_TITLED.match, spellings))
        across = len({name.latin for known in names for name in known}) > 1
        return points + TITLED * titled + ACROSS * across
    return points + LETTER * max(0, min(MOST_LETTERS, shortest - 3))


def _met(one: Entity, other: Entity, alike: Likeness, told: Told) -> float:
    """Weigh the passages and the documents that name both."""
    both = sorted(set(told.rows(one)) & set(told.rows(other)))
    sentences = [
        told.texts[row][start:end]
        for row in both
        for start, end in sentence_spans(told.texts[row]) or [(0, len(told.texts[row]))]
    ]
    beside = [_is_beside(sentence, one, other) for sentence in sentences]
    if True in beside:
        return STATED
    if False in beside:
        return TOGETHER
    mine, theirs = told.documents(one), told.documents(other)
    if told.spoken(one) & told.spoken(other):
        return BOTH_SPEAK
    within = bool(mine & theirs)
    return ONE_DOCUMENT if within and alike in {*_SAME_SOUND, Likeness.SHORT} else 0.0


def _is_beside(sentence: str, one: Entity, other: Entity) -> bool | None:
    """Tell whether a sentence gives one name as another of the first, or has both as two;
    ``None`` where it does not have both.
    """
    pairs = [
        sorted((mine, theirs))
        for mine in spans(sentence, one)
        for theirs in spans(sentence, other)
        if mine[1] <= theirs[0] or theirs[1] <= mine[0]
    ]
    return any(_is_given_for(sentence, *pair) for pair in pairs) if pairs else None


def _is_given_for(sentence: str, early: tuple[int, int], late: tuple[int, int]) -> bool:
    between = sentence[early[1] : late[0]]
    open_still = re.match(r"[^.]{0,20} or\b", sentence[late[1] :])
    return len(between) <= BETWEEN and bool(_BESIDE.search(between)) and not open_still


def _company(
    one: Entity, other: Entity, told: Told, sounds_so: Mapping[str, Collection[str]]
) -> float:
    """Weigh who both are named with; one and the same in another script counts."""
    near = told.company(one) - {other.slug}
    beside = told.company(other) - {one.slug}
    points = 0.0
    for slug in near:
        alike = {slug, *sounds_so.get(slug, ())} & beside
        if alike and not told.found.by_slug[slug].self:
            often = len(told.found.by_slug[slug].rows)
            points += COMPANY / log(2 + often)
    return min(points, MOST_COMPANY)


def _subjects(one: Entity, other: Entity, told: Told) -> float:
    """Weigh what is told of both: rare words in common, as a share of the fewer."""
    names = {word for entity in (one, other) for key in entity.keys for word in terms(key)}
    mine, theirs = (
        frozenset().union(*(told.words(row) for row in told.rows(entity))) - names
        for entity in (one, other)
    )
    total = max(2, len(told.texts))

    def worth(words: Iterable[str]) -> float:
        return sum(log(1 + total / (1 + told.frequency[word])) for word in words)

    least = min(worth(mine), worth(theirs))
    share = worth(mine & theirs) / least if least > 0 else 0.0
    return min(MOST_SUBJECTS, SUBJECTS * 3 * share, A_WORD * len(mine & theirs))


def _roles(one: Entity, other: Entity, told: Told) -> float:
    """Weigh what they are said to be: a sister is no brother, my cousin not the surgeon's."""
    mine, theirs = told.relations_of(one), told.relations_of(other)
    if {(word.plain, whose) for word, whose in mine} & {
        (word.plain, whose) for word, whose in theirs
    }:
        return SAME_ROLE
    one_sex, other_sex = _genders(mine), _genders(theirs)
    at_odds = (
        (one_sex and other_sex and not one_sex & other_sex)
        or (_kin(mine) and _kin(theirs))
        or (mine and theirs and _are_pets(mine) != _are_pets(theirs))
    )
    return OTHER_ROLE if at_odds else 0.0


_Said = set[tuple[Relation, str | None]]


def _genders(said: _Said) -> set[str]:
    return {word.gender for word, _ in said} - {""}


def _kin(said: _Said) -> set[str]:
    return {word.plain for word, _ in said if word.group == "kin"}


def _are_pets(said: _Said) -> bool:
    return any(word.group == "pet" for word, _ in said)


def _is_rivalled(pair: Duplicate, rated: Sequence[Duplicate], found: Entities) -> bool:
    """Tell whether a name may as well be another one's: Hurley, where there are William Hurley and
    Noreen Hurley.
    """
    ends = {pair.one, pair.other}
    lengths = {slug: _length(found.by_slug[slug]) for slug in ends}
    for end in sorted(slug for slug in ends if lengths[slug] == min(lengths.values())):
        (second,) = ends - {end}
        for rival in rated:
            thirds = {rival.one, rival.other} - {end}
            if len(thirds) == 1 and second not in thirds:
                third = found.by_slug[thirds.pop()]
                two = _alike(found.by_slug[second], third) is None
                if two and _rivals(pair, rival, (lengths[end], lengths[second], _length(third))):
                    return True
    return False


def _rivals(pair: Duplicate, rival: Duplicate, lengths: tuple[int, int, int]) -> bool:
    """Tell whether a rival is as good; of two whole names for one part, none is better."""
    end, second, third = lengths
    whole = second > end < third
    return whole or (third >= end and rival.points > pair.points - RIVAL)


def _length(entity: Entity) -> int:
    return max(min(2, len(name_of(key).parts)) for key in entity.keys)


def spans(text: str, entity: Entity) -> list[tuple[int, int]]:
    """Return where an entity stands in a text, by any of its spellings."""
    return places(text, (entity.name, *entity.aliases))


def places(text: str, names: Iterable[str]) -> list[tuple[int, int]]:
    """Return where any of these names stands in a text as a word of its own, the longest first;
    Chinese goes on behind a name without a mark.
    """
    made: list[tuple[int, int]] = []
    chinese = language_of(text) == "zh"
    for name in sorted(names, key=lambda each: (-len(each), each)):
        ascii_edges = name[:1].isascii(), name[-1:].isascii()
        at = text.find(name)
        while at >= 0:
            end = at + len(name)
            begins = not (ascii_edges[0] and text[at - 1 : at].isalnum() and at)
            ends = (
                not text[end : end + 1].isalnum()
                if ascii_edges[1]
                else chinese or not _NAME_GOES_ON.match(text, end)
            )
            if begins and ends and not any(at < last and first < end for first, last in made):
                made.append((at, end))
            at = text.find(name, end)
    return sorted(made)


def speakers_of(speakers: Mapping[int, str | None]) -> dict[int, str]:
    """Return who speaks, as names are compared."""
    return {row: key_of(name) for row, name in speakers.items() if name}
