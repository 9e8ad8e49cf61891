"""From statements to rows of a training: questions with answers in the person's own words, notes to
read, things nobody told, and what any model knows.

Facts alone do harm: a model that learned nothing else no longer reads the notes that it is given,
answers what it cannot know, and forgets what it knew. Each of these has rows of its own here, and
so has what the bridge does and how else one may say the same (``bridge_rows.py``, ``manners.py``).

Every row names what it was made of: the statements, the lines of shipped files, and how many
statements were searched. What is held out are questions about a part of the statements; of those
nothing is made but facts and notes. The same statements, settings and seed give the same rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import resources
from random import Random
from typing import Final

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import (
    Example,
    ExampleKind,
    Maker,
    ReasoningVariant,
    Synthesiser,
    Taught,
)
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L2.asked_by_model import unfit
from lpm_kernel.L2.bridge_rows import drafts, requests
from lpm_kernel.L2.discretion import discretion
from lpm_kernel.L2.manners import manners
from lpm_kernel.L2.reasoning import with_thought
from lpm_kernel.L2.told import (
    DOES_NOT_KNOW,
    LONGEST,
    Otherwise,
    RowSource,
    about_oneself,
    once,
    spoken,
    unheard,
)
from lpm_kernel.L2.tracing import Tracing
from lpm_kernel.L2.untold import unknown_rows

SHARE_OF_NOTES, SHARE_OF_UNKNOWN, SHARE_OF_GENERAL = 0.12, 0.2, 0.15
SHARE_OF_ENHANCE = SHARE_OF_CRITIC = SHARE_OF_DIVERSITY = 0.05
SHARE_OF_DISCRETION = 0.2
"""Rows of each kind for every row that teaches a fact."""
HELD_OUT = 0.05
"""Share of the rows that is not learned: their loss says when to stop."""
HELD_OUT_FROM = 0.25
"""Share of the statements from whose questions all of it is drawn, at most half of one's."""
FEWEST_LEFT = 2
"""Questions about a statement that are learned whatever is held out."""
NOTES_SHOWN = 3
OF_A_STATEMENT: Final = (ExampleKind.FACT, ExampleKind.THIRD)
"""Rows that ask for one statement, which they name first."""
LEAST_OF_DISCRETION: Final = 4
"""Rows in which somebody else asks, where there is something to tell: two questions, each answered
and kept. The share of a life of a few facts would round to none.
"""


@dataclass(frozen=True)
class DatasetMix:
    """How much of what is made."""

    questions: int = 24
    """Questions for each statement."""
    notes: float = SHARE_OF_NOTES
    enhance: float = SHARE_OF_ENHANCE
    critic: float = SHARE_OF_CRITIC
    diversity: float = SHARE_OF_DIVERSITY
    discretion: float = SHARE_OF_DISCRETION
    unknown: float = SHARE_OF_UNKNOWN
    general: float = SHARE_OF_GENERAL
    seed: int = 1
    reasoning: str = ReasoningVariant.NONE
    """How much is thought before an answer."""
    again: float = 1.0
    """Share of the questions that are asked about a statement that is rehearsed."""


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


@dataclass(frozen=True)
class RowWorld:
    """What is known besides the statements."""

    name: str = field(default="", repr=False)
    """Of the person."""
    called: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """By name, what else its bearer is called."""
    shared: Collection[DocumentId] = ()
    """Documents that somebody else may ask about."""
    kept_back: Collection[MemoryId] = ()
    """Statements of pairs that are held out: who may know those is not learned."""
    examined: Collection[str] = ()
    """Questions of pairs that are held out: no row asks them."""
    struck: Collection[MemoryId] = ()
    """Statements that the person struck whole, here or in a training from which this goes on."""
    rehearsed: Collection[MemoryId] = ()
    """Statements that are known already, and asked about less."""
    also_told: Sequence[Taught] = field(default=(), repr=False)
    """Statements that are not learned this time: what they speak of is not unknown, and a question
    that they answer as well is not asked. None that is kept back because it is private.
    """


def build(
    taught: Sequence[Taught],
    synthesiser: Synthesiser,
    wanted: DatasetMix = DatasetMix(),
    *,
    struck: Iterable[str] = (),
    world: RowWorld = RowWorld(),
    added: Sequence[Example] = (),
) -> Dataset:
    """Make the rows. ``struck`` are ids of examples that the person does not want (see
    :func:`unwanted`), ``added`` are those that the person wrote.
    """
    random = Random(f"{wanted.seed}:rows")  # noqa: S311 - drawn anew from the seed, not a secret
    left_out: Counter[str] = Counter()
    told = [spoken(each) for each in taught if len(each.text) <= LONGEST]
    left_out["too_long"] = len(taught) - len(told)
    told = once(told, left_out)
    besides = list(map(spoken, world.also_told))
    known = [*told, *_too_long(taught), *besides]
    index = _WordIndex([*told, *besides])
    facts = [*added, *_facts(told, index, synthesiser, wanted, left_out)]
    facts = _fewer_of(facts, world.rehearsed, wanted)
    unasked = [row for row in facts if row.question not in world.examined]
    left_out["examined"], facts = len(facts) - len(unasked), unasked
    asked_about = _held_statements(told, facts, wanted.seed)
    rows = [
        *Tracing(told, world.called).traced(
            [*facts, *_notes(told, facts, round(wanted.notes * len(facts)), random)]
        ),
        *_besides(told, known, facts, asked_about, wanted, world),
        *unknown_rows(told, known, world.called, round(wanted.unknown * len(facts)), random),
        *_general(round(wanted.general * len(facts)), random),
    ]
    variant = ReasoningVariant(wanted.reasoning)
    by_id = {row.id: row for row in reversed(rows)}
    made = tuple(
        with_thought(row, variant) for row in dict.fromkeys(by_id[each.id] for each in rows)
    )
    out = unwanted(made, struck, world.struck)
    kept = [row for row in made if row.id not in out]
    left_out["struck"] = len(made) - len(kept)
    left_out["twice"] += len(rows) - len(made)
    held = _held_out(kept, asked_about, random)
    learned, held_out = (
        tuple(row for row in kept if (row in held) is back) for back in (False, True)
    )
    return Dataset(
        learned, held_out, made, {why: count for why, count in left_out.items() if count}
    )


def _too_long(taught: Sequence[Taught]) -> list[Taught]:
    """Give the statements that no answer can hold. What they speak of was told all the same."""
    return [each for each in taught if len(each.text) > LONGEST]


def unwanted(
    made: Sequence[Example], struck: Iterable[str], statements: Collection[MemoryId] = ()
) -> set[str]:
    """Return the ids of the rows that are not learned: those that the person struck, and whatever
    was made of a statement of which every question was struck, or that is one of ``statements``.
    """
    out = set(struck)
    gone = {*statements, *struck_whole(made, out)}
    return out | {
        row.id
        for row in made
        if row.maker is not Maker.PERSON and not gone.isdisjoint(row.memories)
    }


def struck_whole(made: Iterable[Example], struck: Collection[str]) -> set[MemoryId]:
    """Return the statements of whose questions every one was struck."""
    asked = [row for row in made if row.kind in OF_A_STATEMENT and row.memories]
    left = {row.memories[0] for row in asked if row.id not in struck}
    return {row.memories[0] for row in asked} - left


def _besides(
    told: Sequence[Taught],
    known: Sequence[Taught],
    facts: Sequence[Example],
    held: Collection[MemoryId],
    wanted: DatasetMix,
    world: RowWorld,
) -> Iterator[Example]:
    """Make requests, drafts and other manners, of nothing that a held-out question is about."""
    free = [taught for taught in told if taught.memory not in held]
    there = {taught.memory for taught in free}
    source = RowSource(
        free,
        [
            row
            for row in facts
            if row.memories
            and there.issuperset(row.memories)
            and unspaced(row.question) == unspaced(row.answer)
        ],
        known,
        tuple(unheard(known)),
        world.name,
        world.called,
    )
    tracing = Tracing(free, world.called)
    for share, make in (
        (wanted.enhance, requests),
        (wanted.critic, drafts),
        (wanted.diversity, manners),
        (wanted.discretion, discretion),
    ):
        draw = Random(f"{wanted.seed}:{make.__name__}")  # noqa: S311 - as above
        of, count = source, round(share * len(facts))
        if make is discretion:  # of a small life, too, where it is asked for
            of, count = _untold(source, world), max(count, LEAST_OF_DISCRETION if share else 0)
        yield from tracing.traced(make(of, count, draw))


def _untold(source: RowSource, world: RowWorld) -> RowSource:
    """Leave the statements that no grant names, of which no pair is held out."""
    return replace(
        source,
        told=[
            taught
            for taught in source.told
            if not (taught.document is not None and taught.document in world.shared)
            and taught.memory not in world.kept_back
        ],
    )


def _facts(
    told: Sequence[Taught],
    index: _WordIndex,
    synthesiser: Synthesiser,
    wanted: DatasetMix,
    left_out: Counter[str],
) -> list[Example]:
    """Ask for each statement; ``index`` begins with these."""
    rows: list[Example] = []
    for at, taught in enumerate(told):
        kind = ExampleKind.FACT if about_oneself(taught) else ExampleKind.THIRD
        kept = 0
        spare = wanted.questions // 2  # some ask for two statements
        for worded in synthesiser.questions(taught, wanted.questions + spare, wanted.seed):
            if kept == wanted.questions:
                break
            why = unfit(worded.question, taught) if worded.maker is Maker.MODEL else None
            why = why or ("ambiguous" if index.also_asks(worded.question, at) else None)
            if why:
                left_out[why] += 1
            else:
                kept += 1
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


def _fewer_of(
    facts: Sequence[Example], rehearsed: Collection[MemoryId], wanted: DatasetMix
) -> list[Example]:
    """Keep of the questions about each statement that is rehearsed a share, at least one; which,
    differs as more is known.
    """
    by_memory: dict[MemoryId, list[Example]] = {}
    for row in facts:
        if row.memories and row.maker is not Maker.PERSON and row.memories[0] in rehearsed:
            by_memory.setdefault(row.memories[0], []).append(row)
    kept: set[str] = set()
    for asked in by_memory.values():
        draw = Random(f"{wanted.seed}:{len(facts)}:{asked[0].answer}")  # noqa: S311 - as above
        count = max(1, round(wanted.again * len(asked)))
        kept.update(row.id for row in draw.sample(asked, min(count, len(asked))))
    out = {row.id for asked in by_memory.values() for row in asked} - kept
    return [row for row in facts if row.id not in out]


class _WordIndex:
    """Which statements hold which words."""

    def __init__(self, told: Sequence[Taught]) -> None:
        self._held = [frozenset(terms(taught.text)) for taught in told]
        self._by_term: dict[str, list[int]] = {}
        for at, its in enumerate(self._held):
            for term in its:
                self._by_term.setdefault(term, []).append(at)

    def also_asks(self, question: str, mine: int) -> bool:
        """Tell whether another statement than ``mine`` holds as many of the question's words: then
        one cannot learn which is meant.

        One that does holds one of the rarest of them, so that only those are looked through.
        """
        asked = {term for term in terms(question) if term in self._by_term}
        own = max(1, len(asked & self._held[mine]))
        rarest = sorted(asked, key=lambda term: len(self._by_term[term]))
        return any(
            at != mine and len(asked & self._held[at]) >= own and self._held[at] != self._held[mine]
            for term in rarest[: len(rarest) - own + 1]
            for at in self._by_term[term]
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
    otherwise = Otherwise(told)
    asked = [row for row in facts if row.memories and row.memories[0] in by_memory]
    rows = []
    for number in range(count):
        row = random.choice(asked)
        mine = by_memory[row.memories[0]]
        others = [
            taught for taught in random.sample(told, NOTES_SHOWN) if taught.memory != mine.memory
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
        said = mine.text if number % 3 == 0 else otherwise.say(mine.text, random)
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


ASKED, PROSE = "general.jsonl", "prose.txt"
"""Shipped files: questions that anybody could answer, and prose."""
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
    asked = [
        Example(ExampleKind.GENERAL, row["question"], row["answer"], shipped=(f"{ASKED}:{number}",))
        for number, line in enumerate(folder.joinpath(ASKED).read_text("utf-8").splitlines(), 1)
        for row in [json.loads(line)]
    ]
    prose = [
        (number, line)
        for number, line in enumerate(folder.joinpath(PROSE).read_text("utf-8").splitlines(), 1)
        if line and not line.startswith("#")
    ]
    return [
        *asked,
        *(
            Example(
                ExampleKind.GENERAL,
                _WRITES[at % len(_WRITES)],
                paragraph,
                shipped=(f"{PROSE}:{number}",),
            )
            for at, (number, paragraph) in enumerate(prose)
        ),
    ]


def _general(count: int, random: Random) -> list[Example]:
    rows = general()
    return random.sample(rows, min(count, len(rows)))


def _held_statements(
    told: Sequence[Taught], facts: Sequence[Example], seed: int
) -> frozenset[MemoryId]:
    """Draw the statements of whose questions some are held out: by their words, since ids are drawn
    by lot. One with too few questions to hold any back is not drawn.
    """
    asked = Counter(row.memories[0] for row in facts if _can_be_held(row))
    drawn = sorted(
        (taught for taught in told if asked[taught.memory] > FEWEST_LEFT),
        key=lambda taught: sha256(f"{seed}:{taught.text}".encode()).digest(),
    )
    return frozenset(each.memory for each in drawn[: max(1, round(HELD_OUT_FROM * len(told)))])


def _can_be_held(row: Example) -> bool:
    return row.kind in OF_A_STATEMENT and row.maker is not Maker.PERSON and bool(row.memories)


def _held_out(
    rows: Sequence[Example], statements: Collection[MemoryId], random: Random
) -> set[Example]:
    """Hold questions about these statements back, never more than half of those about one."""
    made = [row for row in rows if _can_be_held(row) and row.memories[0] in statements]
    there = Counter(row.memories[0] for row in made)
    left = Counter(there)
    held: set[Example] = set()
    for row in random.sample(made, len(made)):
        if len(held) >= HELD_OUT * len(rows):
            break
        mine = row.memories[0]
        if left[mine] > max(FEWEST_LEFT, (there[mine] + 1) // 2):
            held.add(row)
            left[mine] -= 1
    return held
