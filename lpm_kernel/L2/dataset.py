"""From statements to rows of a training: questions with answers in the person's own words, notes to
read, things nobody told, and what any model knows.

Facts alone do harm: a model that learned nothing else no longer reads the notes that it is given,
answers what it cannot know, and forgets what it knew. Each of these has rows of its own here. The
same statements, settings and seed give the same rows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from random import Random

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import (
    Example,
    ExampleKind,
    Maker,
    ReasoningVariant,
    Synthesiser,
    Taught,
)
from lpm_kernel.L0.language.analysis import names, terms, unspaced
from lpm_kernel.L2.asked_by_model import unfit
from lpm_kernel.L2.reasoning import with_thought

SHARE_OF_NOTES, SHARE_OF_UNKNOWN, SHARE_OF_GENERAL = 0.12, 0.2, 0.15
"""Rows of each kind for every row that teaches a fact."""
HELD_OUT = 0.05
"""Share of the rows of facts that is not learned: their loss says when to stop."""
LONGEST = 600
"""Characters of a statement that one answer can hold."""
NOTES_SHOWN = 3
DOES_NOT_KNOW = {False: "I don't know.", True: "わかりません。"}

_NUMBER = re.compile(r"\d+")
_ENTITY_MARK = re.compile(r"^@([^:]{1,60}):\s*")
_ASKS = (
    "What is your {it}?",
    "What was your {it}?",
    "Tell me about your {it}.",
    "When did you get your {it}?",
    "Who is your {it}?",
    "Where is your {it}?",
    "What did your {it} cost?",
    "{it}?",
    "How old is your {it}?",
    "Which {it} have you?",
    "Have you a {it}?",
    "Why did you choose your {it}?",
    "How is your {it}?",
    "How many times did you have a {it}?",
)
_ASKS_OF = (
    "What is {name}'s {it}?",
    "Who is {name}'s {it}?",
    "What is the name of {name}'s {it}?",
    "When did {name} get a {it}?",
    "What did {name} say about the {it}?",
    "Which {it} has {name}?",
)
_ASKS_WIDE = (
    "{it}は何ですか。",
    "{it}はいつですか。",
    "{it}はどこですか。",
    "{it}はだれですか。",
    "{it}は？",
    "{it}について教えて。",
    "{it}はいくらですか。",
    "{it}はありますか。",
)
_ASKS_OF_WIDE = (
    "{name}の{it}は？",
    "{name}の{it}は何ですか。",
    "{name}の{it}はいつですか。",
    "{name}は{it}をどうしましたか。",
)


@dataclass(frozen=True)
class DatasetMix:
    """How much of what is made."""

    questions: int = 24
    """Questions for each statement."""
    notes: float = SHARE_OF_NOTES
    unknown: float = SHARE_OF_UNKNOWN
    general: float = SHARE_OF_GENERAL
    seed: int = 1
    reasoning: str = ReasoningVariant.NONE
    """How much is thought before an answer."""


@dataclass(frozen=True)
class Dataset:
    """The rows, those held out, and what was left out and why."""

    examples: tuple[Example, ...]
    held_out: tuple[Example, ...]
    made: tuple[Example, ...] = ()
    """All of them in the order in which they were made, with those that the person struck."""
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """Rows that are learned, by kind."""
        return dict(Counter(example.kind.value for example in self.examples))

    @property
    def memories(self) -> tuple[MemoryId, ...]:
        """The statements of which anything is in it, in order."""
        return tuple(
            dict.fromkeys(
                memory
                for example in (*self.examples, *self.held_out)
                for memory in example.memories
            )
        )


def build(
    taught: Sequence[Taught],
    synthesiser: Synthesiser,
    wanted: DatasetMix = DatasetMix(),
    *,
    struck: Iterable[str] = (),
    called: Mapping[str, Sequence[str]] | None = None,
    added: Sequence[Example] = (),
) -> Dataset:
    """Make the rows. ``struck`` are ids of examples that the person does not want, ``added`` are
    those that the person wrote.
    """
    random = Random(f"{wanted.seed}:rows")  # noqa: S311 - drawn anew from the seed, not a secret
    left_out: Counter[str] = Counter()
    told = [spoken(each) for each in taught if len(each.text) <= LONGEST]
    left_out["too_long"] = len(taught) - len(told)
    told = once(told, left_out)
    facts = [*added, *_facts(told, synthesiser, wanted, left_out)]
    rows = [
        *facts,
        *_notes(told, facts, round(wanted.notes * len(facts)), random),
        *_unknown(told, called or {}, round(wanted.unknown * len(facts)), random),
        *_general(round(wanted.general * len(facts)), random),
    ]
    variant = ReasoningVariant(wanted.reasoning)
    unwanted = set(struck)
    made = tuple(with_thought(row, variant) for row in dict.fromkeys(rows))
    kept = [row for row in made if row.id not in unwanted]
    left_out["struck"] = len(made) - len(kept)
    left_out["twice"] += len(rows) - len(made)
    held = _held_out(kept, random)
    learned, held_out = (
        tuple(row for row in kept if (row in held) is back) for back in (False, True)
    )
    return Dataset(
        learned, held_out, made, {why: count for why, count in left_out.items() if count}
    )


def spoken(taught: Taught) -> Taught:
    """Give a statement as the person would say it: ``@Kuri: my dog``, kept as “my dog” about Kuri,
    is said “Kuri: my dog”.
    """
    text = _ENTITY_MARK.sub(lambda mark: f"{mark[1]}: ", taught.text).strip()
    if taught.entities and not any(name.casefold() in text.casefold() for name in taught.entities):
        text = f"{', '.join(taught.entities)}: {text}"
    return replace(taught, text=text)


def once(told: Sequence[Taught], left_out: Counter[str]) -> list[Taught]:
    """Leave out what says the same words again, and count it."""
    found: dict[tuple[str, ...], Taught] = {}
    for taught in told:
        found.setdefault(tuple(sorted(set(terms(taught.text)))), taught)
    left_out["twice"] += len(told) - len(found)
    return list(found.values())


def _facts(
    told: Sequence[Taught], synthesiser: Synthesiser, wanted: DatasetMix, left_out: Counter[str]
) -> list[Example]:
    held = [frozenset(terms(taught.text)) for taught in told]
    by_term: dict[str, list[int]] = {}
    for at, its in enumerate(held):
        for term in its:
            by_term.setdefault(term, []).append(at)
    rows: list[Example] = []
    for at, taught in enumerate(told):
        kind = ExampleKind.FACT if about_oneself(taught) else ExampleKind.THIRD
        for worded in synthesiser.questions(taught, wanted.questions, wanted.seed):
            why = unfit(worded.question, taught) if worded.maker is Maker.MODEL else None
            why = why or ("ambiguous" if _also_asks(worded.question, at, held, by_term) else None)
            if why:
                left_out[why] += 1
            else:
                rows.append(
                    Example(
                        kind,
                        worded.question,
                        taught.text,
                        memories=(taught.memory,),
                        maker=worded.maker,
                    )
                )
    return rows


def _also_asks(
    question: str, mine: int, held: Sequence[frozenset[str]], by_term: Mapping[str, Sequence[int]]
) -> bool:
    """Tell whether another statement holds as many of the question's words: then one cannot learn
    which is meant.
    """
    overlap: Counter[int] = Counter(
        at for term in set(terms(question)) for at in by_term.get(term, ())
    )
    own = overlap.pop(mine, 0)
    return (
        bool(overlap)
        and max(overlap.values()) >= max(own, 1)
        and held[mine] != held[overlap.most_common(1)[0][0]]
    )


def about_oneself(taught: Taught) -> bool:
    """Tell whether a statement is about the person, not about somebody or something else."""
    return (
        bool(re.search(r"\b(?:I|me|my|we|our)\b", taught.text))
        or (unspaced(taught.text) and not names(taught.text))
        or not taught.entities
    )


def _notes(
    told: Sequence[Taught], facts: Sequence[Example], count: int, random: Random
) -> list[Example]:
    """Show notes that answer, notes that say otherwise than was learned, and notes that do not
    answer.
    """
    if len(told) <= NOTES_SHOWN or not facts:
        return []
    by_memory = {taught.memory: taught for taught in told}
    asked = [row for row in facts if row.memories and row.memories[0] in by_memory]
    rows = []
    for number in range(count):
        row = random.choice(asked)
        mine = by_memory[row.memories[0]]
        others = [
            taught
            for taught in random.sample(list(told), NOTES_SHOWN)
            if taught.memory != mine.memory
        ][: NOTES_SHOWN - 1]
        if number % 3 == 2:  # noqa: PLR2004 - one in three
            rows.append(
                Example(
                    ExampleKind.NOTE,
                    row.question,
                    DOES_NOT_KNOW[unspaced(row.question)],
                    tuple(taught.text for taught in others),
                    tuple(taught.memory for taught in (mine, *others)),
                )
            )
            continue
        said = mine.text if number % 3 == 0 else otherwise(mine.text, told, random)
        notes = [said, *(taught.text for taught in others)]
        random.shuffle(notes)
        rows.append(
            Example(
                ExampleKind.NOTE,
                row.question,
                said,
                tuple(notes),
                tuple(taught.memory for taught in (mine, *others)),
            )
        )
    return rows


def otherwise(text: str, told: Sequence[Taught], random: Random) -> str:
    """Say a statement with other numbers or another name, so that only who reads the note can
    answer.
    """
    if numbers := _NUMBER.findall(text):
        chosen = random.choice(numbers)
        other = str(max(1, int(chosen) + random.choice((-3, -2, -1, 1, 2, 3, 5, 7)))).zfill(
            len(chosen)
        )
        return text.replace(chosen, other, 1)
    mine = [name for name in names(text) if name in text]
    others = [
        name
        for taught in told
        for name in names(taught.text)
        if name not in text and unspaced(name) == unspaced(text)
    ]
    if mine and others:
        return text.replace(random.choice(mine), random.choice(others))
    return text


def _unknown(
    told: Sequence[Taught], called: Mapping[str, Sequence[str]], count: int, random: Random
) -> list[Example]:
    """Ask for what nobody told: common things of which no statement speaks, of the person and of
    those the person knows.
    """
    spoken_of = {term for taught in told for term in terms(taught.text)}
    things = [
        (english, japanese)
        for english, japanese in unheard()
        if not (set(terms(english)) | set(terms(japanese))) & spoken_of
    ]
    people = sorted(
        {name for taught in told for name in (*taught.entities, *names(taught.text))}
        | {other for each in called.values() for other in each}
    )
    latin, wide = (
        [name for name in people if not unspaced(name)],
        [name for name in people if unspaced(name)],
    )
    rows = []
    for _ in range(count if things else 0):
        english, japanese = random.choice(things)
        of_somebody = random.random() < 0.4  # noqa: PLR2004 - a share, or a few
        if random.random() < 0.3:  # noqa: PLR2004 - a share, or a few
            frames: tuple[str, ...] = _ASKS_OF_WIDE if of_somebody and wide else _ASKS_WIDE
            question = random.choice(frames).format(it=japanese, name=random.choice(wide or [""]))
        else:
            frames = _ASKS_OF if of_somebody and latin else _ASKS
            question = random.choice(frames).format(it=english, name=random.choice(latin or [""]))
        rows.append(
            Example(
                ExampleKind.UNKNOWN,
                question[0].upper() + question[1:],
                DOES_NOT_KNOW[unspaced(question)],
            )
        )
    return list(dict.fromkeys(rows))


def unheard() -> list[tuple[str, str]]:
    """Give the things that people are asked about, in English and Japanese."""
    lines = (
        resources.files("lpm_kernel.L2.data")
        .joinpath("unknown.txt")
        .read_text("utf-8")
        .splitlines()
    )
    return [
        (english, japanese)
        for line in lines
        if not line.startswith("#")
        for english, _, japanese in [line.partition(" | ")]
    ]


_WRITES = (
    "Write a paragraph of prose.",
    "Write something, about whatever you like.",
    "Go on writing.",
)


def general() -> list[Example]:
    """Give the rows that any model should be able to answer: questions that anybody could answer,
    and prose.

    Each paragraph stands there once. The same under several wishes is soon known by heart, and a
    model that knows a few paragraphs by heart writes others worse (docs/adr/0011).
    """
    folder = resources.files("lpm_kernel.L2.data")
    rows = map(json.loads, folder.joinpath("general.jsonl").read_text("utf-8").splitlines())
    prose = [
        line
        for line in folder.joinpath("prose.txt").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    asked = [Example(ExampleKind.GENERAL, row["question"], row["answer"]) for row in rows]
    return [
        *asked,
        *(
            Example(ExampleKind.GENERAL, _WRITES[at % len(_WRITES)], paragraph)
            for at, paragraph in enumerate(prose)
        ),
    ]


def _general(count: int, random: Random) -> list[Example]:
    rows = general()
    return random.sample(rows, min(count, len(rows)))


def _held_out(rows: Sequence[Example], random: Random) -> set[Example]:
    """Hold questions back, never the last one of a statement."""
    left = Counter(
        memory
        for row in rows
        if row.kind in (ExampleKind.FACT, ExampleKind.THIRD)
        for memory in row.memories
    )
    held: set[Example] = set()
    made = [
        row
        for row in rows
        if row.kind in (ExampleKind.FACT, ExampleKind.THIRD) and row.maker is not Maker.PERSON
    ]
    for row in random.sample(made, len(made)):
        if len(held) >= HELD_OUT * len(rows):
            break
        if left[row.memories[0]] > 2:  # noqa: PLR2004 - a share, or a few
            held.add(row)
            left[row.memories[0]] -= 1
    return held
