"""Statements that a training learns, as the person would say them, and what none of them tells.

Rows, pairs and the examination are made of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from random import Random

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, Taught
from lpm_kernel.L0.language.analysis import names, terms, unspaced
from lpm_kernel.L2.name_finder import NamesInOrder
from lpm_kernel.L2.topics import proper_names

LONGEST = 600
"""Characters of a statement that one answer can hold."""
DOES_NOT_KNOW = {False: "I don't know.", True: "わかりません。"}
MOST_COMMON = 6
"""Statements in which a word may stand that still says of two of them that they belong together."""

_NUMBER = re.compile(r"\d+")
_ENTITY_MARK = re.compile(r"^@([^:]{1,60}):\s*")


def spoken(taught: Taught) -> Taught:
    """Give a statement as the person would say it: ``@Kuri: my dog``, kept as “my dog” about Kuri,
    is said “Kuri: my dog”.
    """
    text = _ENTITY_MARK.sub(lambda mark: f"{mark[1]}: ", taught.text).strip()
    said = _undotted(text)
    if taught.entities and not any(_undotted(name) in said for name in taught.entities):
        text = f"{', '.join(taught.entities)}: {text}"
    return replace(taught, text=text)


def _undotted(text: str) -> str:
    """Write a text so that "Dr. Osei" is "Dr Osei"."""
    return text.casefold().replace(".", "")


def once(told: Sequence[Taught], left_out: Counter[str]) -> list[Taught]:
    """Leave out what says the same words again, and count it."""
    found: dict[tuple[str, ...], Taught] = {}
    for taught in told:
        found.setdefault(tuple(sorted(set(terms(taught.text)))), taught)
    left_out["twice"] += len(told) - len(found)
    return list(found.values())


def about_oneself(taught: Taught) -> bool:
    """Tell whether a statement is about the person, not about somebody or something else."""
    return (
        bool(re.search(r"\b(?:I|me|my|we|our)\b", taught.text))
        or (unspaced(taught.text) and not names(taught.text))
        or not taught.entities
    )


def about_somebody(taught: Taught) -> bool:
    """Tell whether a statement is about the person or somebody else, so that there is something to
    keep to oneself: a saying about the weather is not.
    """
    first = re.search(r"\b(?:I|me|my|we|our)\b|私|わたし|僕", taught.text)
    return bool(first or taught.entities or names(taught.text))


class Otherwise:
    """Says statements with other numbers or another name, so that only who reads the note can
    answer.
    """

    def __init__(self, told: Sequence[Taught]) -> None:
        """Take other names from ``told``: into a Japanese statement Japanese ones."""
        named = [name for taught in told for name in proper_names(taught.text)]
        self._names = {
            wide: NamesInOrder(name for name in named if unspaced(name) is wide)
            for wide in (False, True)
        }

    def say(self, text: str, random: Random) -> str:
        """Say one otherwise; as it is, where nothing in it can be exchanged."""
        if numbers := _NUMBER.findall(text):
            chosen = random.choice(numbers)
            other = str(max(1, int(chosen) + random.choice((-3, -2, -1, 1, 2, 3, 5, 7)))).zfill(
                len(chosen)
            )
            return text.replace(chosen, other, 1)
        mine = [name for name in proper_names(text) if name in text]
        others = self._names[unspaced(text)].absent_from(text)
        if mine and others:
            return text.replace(random.choice(mine), random.choice(others))
        return text


UNHEARD = "unknown.txt"
"""The shipped list of things that nobody may have told."""


@dataclass(frozen=True)
class Unheard:
    """A thing that people are asked about, and the line of the shipped list on which it stands."""

    english: str
    japanese: str
    line: int
    sort: str = ""
    """“who” for somebody, “thing” for a thing or an animal that one has, “cost” for what one pays
    for besides; anything else has none.
    """

    @property
    def shipped(self) -> str:
        """Name the list and the line, as a row names what it was made of."""
        return f"{UNHEARD}:{self.line}"


@dataclass(frozen=True)
class RowSource:
    """What rows are made of besides those that ask for one statement."""

    told: Sequence[Taught] = field(repr=False)
    """Statements of which no question is held out."""
    facts: Sequence[Example] = field(repr=False)
    """Questions about them in their language, with their answers."""
    every: Sequence[Taught] = field(default=(), repr=False)
    """All that was told, also what is not learned: what one of them says is not wrong."""
    things: Sequence[Unheard] = ()
    """What none of all statements speaks of."""
    name: str = field(default="", repr=False)
    """Of the person."""
    called: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """By name, what else its bearer is called."""


def unheard(told: Sequence[Taught] = ()) -> list[Unheard]:
    """Give the things that people are asked about, without those of which a statement speaks."""
    spoken_of = {term for taught in told for term in terms(taught.text)}
    words = {word for taught in told for word in re.findall(r"[a-z]+", taught.text.lower())}
    lines = resources.files("lpm_kernel.L2.data").joinpath(UNHEARD).read_text("utf-8").splitlines()
    every = [
        Unheard(english, japanese, number, sort)
        for number, line in enumerate(lines, start=1)
        if not line.startswith("#")
        for english, japanese, sort in [(*line.split(" | "), "")[:3]]
    ]
    return [
        each
        for each in every
        # a will is a thing too, though no term
        if not (set(terms(each.english)) | set(terms(each.japanese))) & spoken_of
        and (terms(each.english) or each.english.lower() not in words)
    ]


def people(told: Sequence[Taught], called: Mapping[str, Sequence[str]]) -> dict[str, MemoryId]:
    """Give the names that the statements have, and what else their bearers are called, each with
    the first statement that names the bearer. ``called`` gives by name what else its bearer is
    called; of whom no statement speaks is not among them.
    """
    found: dict[str, MemoryId] = {}
    for taught in told:
        for name in (*taught.entities, *proper_names(taught.text)):
            found.setdefault(name, taught.memory)
    for name, others in called.items():
        bearer = next((found[each] for each in (name, *others) if each in found), None)
        if bearer is not None:
            for each in (name, *others):
                found.setdefault(each, bearer)
    return found


def beside(told: Sequence[Taught]) -> dict[MemoryId, Taught]:
    """Give for a statement the other one that belongs to it most: of the same script, about the
    same bearer or with two rare words in common. Those without one are not there.
    """
    marks = [_marks(taught) for taught in told]
    by_mark: dict[str, list[int]] = {}
    for at, its in enumerate(marks):
        for mark in its:
            by_mark.setdefault(mark, []).append(at)
    found: dict[MemoryId, Taught] = {}
    for at, taught in enumerate(told):
        shared: Counter[int] = Counter()
        for mark, weight in marks[at].items():
            if len(by_mark[mark]) <= MOST_COMMON:
                shared.update(dict.fromkeys(by_mark[mark], weight))
        fitting = [
            (count, -other)
            for other, count in shared.items()
            if count > 1 and _goes_with(told[other], taught)
        ]
        if fitting:
            found[taught.memory] = told[-max(fitting)[1]]
    return found


def _marks(taught: Taught) -> dict[str, int]:
    """Give a statement's words and bearers, and how much each says of what belongs to it."""
    return dict.fromkeys(terms(taught.text), 1) | {f"@{name}": 2 for name in taught.entities}


def _goes_with(other: Taught, taught: Taught) -> bool:
    return unspaced(other.text) == unspaced(taught.text) and set(terms(other.text)) != set(
        terms(taught.text)
    )
