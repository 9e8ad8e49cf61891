"""Preference pairs: what the person did, and what can be made by rule of statements.

A model that only ever saw right answers does not know what is wrong with another. Here each prompt
has an answer that is preferred and one that is near it and worse: it ignores the notes, says
another name or number, invents where nothing is known, speaks in another's voice, or tells a
stranger what they may not know. A voice is asked for with notes and without, since it does not hang
on whether a fact is remembered. What makes the difference must not be the length, so both sides are
about as long, rule by rule. Where one answer is a stock phrase ("I don't know."), another pair
prefers the statement to it, or the phrase would be learned for everything (``ALONE``: where not).

Whole sources are held out, and nothing that is learned is made of one of them; where one source
holds everything, single statements are. The same statements, settings and seed give the same pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import EntityKind
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.preferences import BY_RULE, PairRule, PreferencePair
from lpm_kernel.domain.training.runs import Maker, Synthesiser, Taught
from lpm_kernel.L0.language.analysis import names, unspaced
from lpm_kernel.L2.alignment.asking import PlainQuestions
from lpm_kernel.L2.alignment.distractors import Distractors
from lpm_kernel.L2.alignment.holding_out import Sourced, held_out
from lpm_kernel.L2.alignment.voices import LET_IN, STOCK, STRANGERS, in_assistant_voice, reserved
from lpm_kernel.L2.told import DOES_NOT_KNOW, about_somebody, once, spoken
from lpm_kernel.L2.untold import unanswered

LONGEST = 300
"""Characters of a statement that an answer of a pair can hold."""
SHORTEST = 12
"""Characters below which a statement is a label, and not an answer."""
BESIDE = 2
"""Other notes that are shown with the one that answers."""
TOLERANCE = 0.1
"""By how much the mean length of the preferred answers and of the rejected ones may differ."""
ROOM = 0.08
"""By how much another's voice may be longer than the person's, on average."""
MOST_TRIED = 40
"""Statements among which one is looked for that could be taken for an answer."""
ALONE = 3
"""All other pairs ask in the language of the statements, and what they teach, to answer, carries
over to the other language. There, with as many pairs for not knowing as against it, half of not
knowing was lost; with twice as many, a sixth more of what was told was not known (docs/log.md).
"""
HELD_OUT_SHARE = 4
"""Of each rule so many times fewer pairs are held out than are learned."""

_AMOUNT = re.compile(r"\bcost\b|\bhow (?:many|much|old)\b|いくら|何人|何歳", re.IGNORECASE)
_MOMENT = re.compile(r"\bwhen\b|いつ", re.IGNORECASE)
_WHO = re.compile(r"\bwho\b|\bname of\b|だれ|どなた", re.IGNORECASE)


@dataclass(frozen=True)
class PairMix:
    """How many pairs are made by rule."""

    per_rule: int = 60
    """Of each rule at most so many are learned."""
    seed: int = 1


@dataclass(frozen=True)
class PairWorld:
    """What is known besides the statements."""

    synthesiser: Synthesiser
    name: str = field(default="", repr=False)
    """Of the person."""
    called: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """By name, what else its bearer is called."""
    kinds: Mapping[str, EntityKind] = field(default_factory=dict, repr=False)
    """By name, what its bearer is."""
    shared: Collection[DocumentId] = ()
    """Documents that somebody else may ask about."""
    struck: Collection[MemoryId] = ()
    """Statements of which nothing is learned."""
    also_told: Sequence[Taught] = field(default=(), repr=False)
    """Statements of which no pair is made this time, which are known all the same."""


@dataclass(frozen=True)
class PairSet:
    """The pairs, those held out, and what was left out and why."""

    learned: tuple[PreferencePair, ...]
    held_out: tuple[PreferencePair, ...]
    made: tuple[PreferencePair, ...] = ()
    """All of them, with those that the person struck."""
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """Pairs that are learned, by rule."""
        return dict(Counter(pair.rule.value for pair in self.learned))

    @property
    def lengths(self) -> tuple[float, float]:
        """Mean characters of the preferred and of the rejected answers that are learned."""
        count = max(1, len(self.learned))
        return (
            sum(len(pair.chosen) for pair in self.learned) / count,
            sum(len(pair.rejected) for pair in self.learned) / count,
        )


def build_pairs(
    taught: Sequence[Taught],
    done: Sequence[PreferencePair],
    world: PairWorld,
    mix: PairMix = PairMix(),
    *,
    struck: Iterable[str] = (),
) -> PairSet:
    """Make the pairs. ``done`` are those of what the person did, ``struck`` ids of pairs that the
    person does not want.
    """
    left_out: Counter[str] = Counter()
    every = once(list(map(spoken, taught)), left_out)
    told = [each for each in every if SHORTEST <= len(each.text) <= LONGEST]
    known = once([*every, *map(spoken, world.also_told)], Counter())
    fits = set(told)
    rest = [each for each in known if each not in fits]
    made = _both_sides(told, done, replace(world, also_told=rest), mix)
    distinct = _distinct(made)
    left_out["twice"] += len(made) - len(distinct)
    even = _even(distinct)
    left_out["uneven"] = len(distinct) - len(even)
    out = unwanted_pairs(even, struck, world.struck)
    kept = [pair for pair in even if pair.id not in out]
    left_out["struck"] = len(even) - len(kept)
    return PairSet(
        tuple(pair for pair in kept if not pair.held_out),
        tuple(pair for pair in kept if pair.held_out),
        tuple(even),
        {why: count for why, count in left_out.items() if count},
    )


def unwanted_pairs(
    made: Iterable[PreferencePair], struck: Iterable[str], statements: Collection[MemoryId]
) -> set[str]:
    """Return the ids of the pairs that are not learned: those that the person struck, and those
    that were made by rule of one of ``statements``.
    """
    return set(struck) | {
        pair.id
        for pair in made
        if pair.rule in BY_RULE
        and pair.maker is not Maker.PERSON
        and not set(statements).isdisjoint(pair.memories)
    }


def _both_sides(
    told: Sequence[Taught], done: Sequence[PreferencePair], world: PairWorld, mix: PairMix
) -> list[PreferencePair]:
    """Make what is held out, then what is learned, each of its own sources."""
    source = _source
    of_done = [Sourced(pair.sources, f"{pair.question}\n{pair.chosen}", pair.rule) for pair in done]
    held = held_out([*_sourced(told, source), *of_done], mix.seed)
    if len({_source(each) for each in told}) == 1:
        source = _statement
        held |= held_out(_sourced(told, source), mix.seed)
    known = [*told, *world.also_told]
    unknown = list(unanswered(known, _random(mix)))
    questions = PlainQuestions(known, world.synthesiser, mix.seed)
    made: list[PreferencePair] = []
    for back in (True, False):
        here = [each for each in told if (source(each) in held) is back]
        few = -(-mix.per_rule // HELD_OUT_SHARE) if back else mix.per_rule
        side = _Side(here, questions, unknown[int(back) :: 2], world, replace(mix, per_rule=few))
        mine = [pair for pair in done if bool(held & set(pair.sources)) is back]
        made += (replace(pair, held_out=back) for pair in (*mine, *side.pairs()))
    return made


def matched(pairs: Sequence[PreferencePair]) -> list[PreferencePair]:
    """Leave out what makes the preferred or the rejected answers longer than the others on average,
    the most uneven pair first, until their means differ by no more than ``TOLERANCE``.
    """
    kept = list(pairs)
    while kept:
        chosen, rejected = (
            sum(len(pair.chosen) for pair in kept),
            sum(len(pair.rejected) for pair in kept),
        )
        over = chosen - rejected
        if abs(over) <= TOLERANCE * max(chosen, rejected):
            break
        sign = 1 if over > 0 else -1
        kept.remove(max(kept, key=lambda pair: sign * (len(pair.chosen) - len(pair.rejected))))
    return kept


def _even(pairs: Sequence[PreferencePair]) -> list[PreferencePair]:
    """Leave out pairs made by rule until both answers are as long, rule by rule; what the person
    did stays as it is.
    """
    kept = [pair.id for pair in pairs if pair.maker is not Maker.TEMPLATE]
    for rule in BY_RULE:
        for back in (True, False):
            kept += [
                pair.id
                for pair in matched(
                    [
                        pair
                        for pair in pairs
                        if (pair.maker, pair.rule, pair.held_out) == (Maker.TEMPLATE, rule, back)
                    ]
                )
            ]
    wanted = set(kept)
    return [pair for pair in pairs if pair.id in wanted]


def _distinct(made: Iterable[PreferencePair]) -> list[PreferencePair]:
    """Leave out what says the same as another pair, whichever of its answers is preferred. What is
    held out comes first, so that nothing of it is learned under another source.
    """
    seen: set[tuple[str, ...]] = set()
    found = []
    for pair in made:
        answers = sorted((pair.chosen, pair.rejected))
        stock = {*STOCK, *DOES_NOT_KNOW.values()} & set(answers)
        keys = {(pair.asker, pair.question, *pair.notes, *answers)} | (
            set() if stock else {tuple(answers)}
        )
        if pair.chosen != pair.rejected and not keys & seen:
            found.append(pair)
            seen |= keys
    return found


@dataclass(frozen=True)
class _Asked:
    """What is asked, with which notes, and by whom."""

    question: str
    notes: tuple[str, ...] = ()
    asker: str = ""


class _Side:
    """The pairs that are made by rule of what is learned, or of what is held out."""

    def __init__(
        self,
        told: Sequence[Taught],
        questions: PlainQuestions,
        unknown: Sequence[str],
        world: PairWorld,
        mix: PairMix,
    ) -> None:
        """``unknown`` are questions that nothing answers."""
        self._told, self._unknown, self._world, self._mix = told, unknown, world, mix
        self._questions = questions
        self._distractors = Distractors(told, world.kinds, world.called, world.also_told)

    def pairs(self) -> list[PreferencePair]:
        """Make them, rule by rule."""
        found: list[PreferencePair] = []
        for rule, make in (
            (PairRule.EVIDENCE, self._evidence),
            (PairRule.INVENTED, self._invented),
            (PairRule.VOICE, self._voice),
            (PairRule.STRANGER, self._stranger),
        ):
            made: list[PreferencePair] = []
            for pair in make():
                if len(made) >= self._mix.per_rule:
                    break
                made.append(pair)
            found += (replace(pair, rule=rule) for pair in made)
        return found

    def _asked(self, rule: PairRule) -> Iterator[tuple[Taught, str, Random]]:
        """Yield statements with a question about each, in an order of the rule's own."""
        order = _random(self._mix, rule)
        for taught in order.sample(list(self._told), len(self._told)):
            random = _random(self._mix, f"{rule}:{taught.text}")
            question = self._questions.about(taught, random)
            if question is not None:
                yield taught, question, random

    def _evidence(self) -> Iterator[PreferencePair]:
        """Show notes that say otherwise than was learned, notes of which another one does not
        answer, and notes that answer or do not.
        """
        for number, (mine, question, random) in enumerate(self._asked(PairRule.EVIDENCE)):
            beside = _beside(mine, self._told, random)
            if not beside:
                continue
            if number % 3 == 0:
                distorted = self._distractors.distort(mine, question, random)
                if distorted is not None:
                    said, donor = distorted
                    notes = _shuffled([said, *_texts(beside)], random)
                    yield self._pair(
                        _Asked(question, notes), said, mine.text, [mine, *beside], donor
                    )
            elif number % 3 == 1:
                asked = _Asked(question, _shuffled([mine.text, *_texts(beside)], random))
                near = min(beside, key=lambda each: abs(len(each.text) - len(mine.text)))
                yield self._pair(asked, mine.text, near.text, [mine, *beside])
            else:
                nothing = DOES_NOT_KNOW[unspaced(question)]
                without = _Asked(question, tuple(_texts(beside)))
                yield self._pair(without, nothing, mine.text, [mine, *beside])
                having = _Asked(question, _shuffled([mine.text, *_texts(beside)], random))
                yield self._pair(having, mine.text, nothing, [mine, *beside])

    def _invented(self) -> Iterator[PreferencePair]:
        """Hold what is so against what is not, for every second statement; and for each not knowing
        where nothing was told against knowing where it was. In the language that the statements
        are not in, every ``ALONE``th not knowing has nothing against it.
        """
        unknown, used, across = iter(self._unknown), Counter[MemoryId](), 0
        for number, (mine, question, random) in enumerate(self._asked(PairRule.INVENTED)):
            distorted = self._distractors.distort(mine, question, random) if number % 2 else None
            if distorted is not None:
                said, donor = distorted
                yield self._pair(_Asked(question), mine.text, said, [mine], donor)
            asked = next(unknown, None)
            instead = None if asked is None else self._instead(asked, used, random)
            if asked is None or instead is None:
                continue
            told, known = instead
            used[told.memory] += 1
            nothing = DOES_NOT_KNOW[unspaced(asked)]
            yield self._pair(_Asked(asked), nothing, told.text, [told])
            across += unspaced(asked) is not unspaced(told.text)
            if unspaced(asked) is unspaced(told.text) or across % ALONE:
                yield self._pair(_Asked(known), told.text, nothing, [told])

    def _instead(
        self, asked: str, used: Mapping[MemoryId, int], random: Random
    ) -> tuple[Taught, str] | None:
        """Return a statement that could be taken for an answer to a question that none answers, one
        that was seldom used, and a question in the same language that it does answer.
        """
        tried = random.sample(self._told, min(len(self._told), MOST_TRIED))
        for told in sorted(tried, key=lambda each: used.get(each.memory, 0)):
            if _could_answer(told, asked):
                known = self._questions.about_in(told, random, wide=unspaced(asked))
                if known is not None:
                    return told, known
        return None

    def _voice(self) -> Iterator[PreferencePair]:
        """Hold the person's own words against how an assistant would say it: every second statement
        shown among others, as a chat shows what it finds, the rest from memory.
        """
        own = longer = 0
        for number, (mine, question, random) in enumerate(self._asked(PairRule.VOICE)):
            room = ROOM * (own + len(mine.text)) - longer
            said = in_assistant_voice(mine.text, self._world.name, room, random)
            if said is not None:
                own += len(mine.text)
                longer += len(said) - len(mine.text)
                beside = _beside(mine, self._told, random) if number % 2 else []
                notes = _shuffled([mine.text, *_texts(beside)], random) if beside else ()
                yield self._pair(_Asked(question, notes), mine.text, said, [mine, *beside])

    def _stranger(self) -> Iterator[PreferencePair]:
        """Keep from strangers what is open and which no grant names, and tell it to those whom the
        person let in, for every second statement. Only who asks makes the difference.
        """
        could_ask = (each for each in self._asked(PairRule.STRANGER) if self._is_kept(each[0]))
        for mine, question, random in islice(could_ask, 0, None, 2):
            kept = reserved(mine.text, random)
            for asker, chosen, rejected in (
                (random.choice(STRANGERS), kept, mine.text),
                (random.choice(LET_IN), mine.text, kept),
            ):
                yield self._pair(_Asked(question, asker=asker), chosen, rejected, [mine])

    def _is_kept(self, mine: Taught) -> bool:
        """Tell whether a statement about somebody is open, and no grant names where it stands."""
        return mine.document not in self._world.shared and not mine.private and about_somebody(mine)

    def _pair(
        self,
        asked: _Asked,
        chosen: str,
        rejected: str,
        of: Sequence[Taught],
        donor: MemoryId | None = None,
    ) -> PreferencePair:
        """Make a pair of these statements, and of the one that something was taken from; its rule
        is given by whoever asked for it.
        """
        used = [*of, *(each for each in self._told if each.memory == donor)]
        return PreferencePair(
            PairRule.VOICE,
            asked.question,
            chosen,
            rejected,
            asked.notes,
            asked.asker,
            tuple(dict.fromkeys(each.memory for each in used)),
            tuple(dict.fromkeys(each.document for each in used if each.document is not None)),
            private=any(each.private for each in used),
        )


def _could_answer(told: Taught, question: str) -> bool:
    """Tell whether a statement could be taken for an answer: one with a number for how much, with a
    name for who.
    """
    if _AMOUNT.search(question) or _MOMENT.search(question):
        return bool(re.search(r"\d", told.text))
    return not _WHO.search(question) or bool(told.entities or names(told.text))


def _source(taught: Taught) -> str:
    return taught.document or taught.memory


def _statement(taught: Taught) -> str:
    return taught.memory


def _sourced(told: Sequence[Taught], source: Callable[[Taught], str]) -> list[Sourced]:
    return [Sourced((source(each),), each.text) for each in told]


def _shuffled(notes: Sequence[str], random: Random) -> tuple[str, ...]:
    return tuple(random.sample(list(notes), len(notes)))


def _beside(mine: Taught, told: Sequence[Taught], random: Random) -> list[Taught]:
    """Draw other statements to be shown with one."""
    wide = unspaced(mine.text)  # another language would tell the answers apart at once
    others = [each for each in told if each.memory != mine.memory and unspaced(each.text) is wide]
    return random.sample(others, min(BESIDE, len(others)))


def _texts(told: Sequence[Taught]) -> list[str]:
    return [each.text for each in told]


def _random(mix: PairMix, of: str = "") -> Random:
    return Random(f"{mix.seed}:pairs:{of}")  # noqa: S311 - drawn anew from the seed, not a secret
