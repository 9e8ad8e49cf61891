"""Rows that teach what the bridge does: say a request with what is remembered about it, and judge
the draft of an answer.

All of it is words of statements. A request holds two words of a statement, and its answer is the
same request with the whole statement behind it; where nothing is remembered, or no note speaks of
it, the answer is the request as it was. Every second draft says something else than the statement:
the same with a name, a number or a date of another one, or another one instead. The examination
asks for both in words of its own (``exam_bridge.py``); none of its sentences stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, ExampleKind, Taught
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L2.alignment.distractors import Distractors
from lpm_kernel.L2.nouns import asked_by, without_article
from lpm_kernel.L2.told import Otherwise, RowSource, beside
from lpm_kernel.L2.wording import spell

LEFT_TO_SAY = 2
"""Words of a statement that a request has to leave out, or there is nothing to add."""
NOTES = 2
"""Other notes that are shown with the one that answers."""
TRIES = 4
"""For every row that is wanted; what does not come of so many is not made."""

WISHES: Mapping[bool, Sequence[str]] = {
    False: (
        "I am about to send this; put in whatever I have told you of it: “{request}”",
        "Make this fuller with my own circumstances, and make nothing up: “{request}”",
        "Write this out, so that nobody has to ask me back: “{request}”",
        "Say it for me again, with the particulars: “{request}”",
    ),
    True: (
        "これから送る文です。私が話したことを加えて書いてください。「{request}」",
        "この頼みごとを、私の事情まで分かるように書いてもらえますか。「{request}」",
        "「{request}」詳しい点を入れて、もう一度言ってもらえますか。",
    ),
}
"""How it is asked for, by whether it is Japanese."""
REQUESTS: Mapping[bool, Sequence[str]] = {
    False: (
        "I would like to know what to do about the {a} and the {b}.",
        "Please look into the {a} for me; it concerns the {b}.",
        "What would you suggest for the {a}, given the {b}?",
        "I have a question on the {a} that goes with the {b}.",
    ),
    True: (
        "{a}の件でお尋ねします。{b}のこともあります。",
        "{a}と{b}の件で、どうしたらよいか教えてください。",
        "{a}を調べてください。{b}が関わります。",
    ),
}
DRAFTS: Mapping[bool, Sequence[str]] = {
    False: (
        "Does it hold? They want to know: {question} I was going to write: “{draft}”",
        "Before I send it, look it over. Asked: {question} Written: “{draft}”",
        "Put it right where it is wrong. To “{question}” I would reply: “{draft}”",
    ),
    True: (
        "「{question}」に「{draft}」と返すつもりです。合っていますか。",
        "送る前に見てください。聞かれたこと：{question} 書いたこと：「{draft}」",
        "「{draft}」と書きました。「{question}」への返事です。違っていたら直して。",
    ),
}
_CAPITAL = re.compile(r"\b[A-Z][a-z]+\b")
HOLDS: Mapping[bool, tuple[str, str]] = {False: ("Yes. ", "No. "), True: ("はい。", "いいえ。")}
"""Before the statement, where a draft says it, and where it says something else."""


OPENING = frozenset(
    word
    for frames in (WISHES, REQUESTS, DRAFTS)
    for frame in frames[False]
    for word in _CAPITAL.findall(frame)
)
"""Words that have a capital in a frame, and name nobody."""


def requests(source: RowSource, count: int, random: Random) -> list[Example]:
    """Make so many requests, or fewer: two in four of a statement (every second of them with what
    belongs to it besides), one with notes, and one to which nothing is to be added.
    """
    near = beside(source.told)
    otherwise = Otherwise(source.told)
    japanese = _share_of_japanese(source.told)
    found: dict[str, Example] = {}
    for number, taught in enumerate(_drawn(source.told, TRIES * count, random)):
        if len(found) >= count:
            break
        match number % 4:
            case 0:
                row = _remembered(source, taught, None, random)
            case 1:
                row = _remembered(source, taught, near.get(taught.memory), random)
            case 2:
                row = _noted(source, taught, otherwise, random)
            case _:
                noted = number % 8 == 3  # noqa: PLR2004 - every second
                row = _nothing(source, random, japanese, noted=noted)
        if row is not None:
            found.setdefault(row.id, row)
    return list(found.values())


def _drawn(told: Sequence[Taught], count: int, random: Random) -> Iterator[Taught]:
    """Go through the statements in a drawn order, again and again."""
    for _ in range(-(-count // len(told)) if told else 0):
        yield from random.sample(list(told), len(told))


def _remembered(
    source: RowSource, taught: Taught, other: Taught | None, random: Random
) -> Example | None:
    request = _request(source, taught, random)
    if request is None:
        return None
    said = [taught] if other is None else [taught, other]
    return Example(
        ExampleKind.ENHANCE,
        _wish(request, random),
        _behind(request, said),
        memories=tuple(each.memory for each in said),
    )


def _noted(
    source: RowSource, taught: Taught, otherwise: Otherwise, random: Random
) -> Example | None:
    """Show notes of which one belongs to the request; it may say otherwise than was learned."""
    request = _request(source, taught, random)
    others = _others(source, taught, request or "", random)
    if request is None or not others:
        return None
    said = taught.text
    if random.random() < 1 / 3:
        changed = otherwise.say(taught.text, random)
        # a word of the request may be what was exchanged
        if set(terms(request)) & set(terms(taught.text)) <= set(terms(changed)):
            said = changed
    notes = [said, *(other.text for other in others)]
    random.shuffle(notes)
    return Example(
        ExampleKind.ENHANCE,
        _wish(request, random),
        _joined(request, [said]),
        tuple(notes),
        tuple(each.memory for each in (taught, *others)),
    )


def _nothing(source: RowSource, random: Random, japanese: float, *, noted: bool) -> Example | None:
    """Ask for what nobody told, a share of it in Japanese; with notes of other things, or
    without.
    """
    if len(source.things) < 2:  # noqa: PLR2004 - a request turns on two words
        return None
    one, other = random.sample(source.things, 2)
    wide = random.random() < japanese
    frame = random.choice(REQUESTS[wide])
    request = (
        frame.format(a=one.japanese, b=other.japanese)
        if wide
        else frame.format(a=one.english, b=other.english)
    )
    others = _others(source, None, request, random) if noted else []
    return Example(
        ExampleKind.ENHANCE,
        _wish(request, random),
        request,
        tuple(each.text for each in others),
        tuple(each.memory for each in others),
        shipped=(one.shipped, other.shipped),
        searched=len(source.every),
    )


def _request(source: RowSource, taught: Taught, random: Random) -> str | None:
    """Write a request that two words of a statement stand in; ``None`` where there are none, or too
    little is left to be added.
    """
    wide = unspaced(taught.text)
    usable = asked_by(taught.text, (*source.called, *taught.entities), source.called)
    if len(usable) < 2:  # noqa: PLR2004 - a request turns on two words
        return None
    pair = random.sample(usable, 2)
    words = [unit.surface if wide else spell(unit, random) for unit in pair]
    request = random.choice(REQUESTS[wide]).format(a=words[0], b=words[1])
    request = request if wide else without_article(request)
    left = set(terms(taught.text)) - set(terms(request))
    return request if len(left) >= LEFT_TO_SAY else None


def _wish(request: str, random: Random) -> str:
    return random.choice(WISHES[unspaced(request)]).format(request=request)


def _behind(request: str, said: Sequence[Taught]) -> str:
    return _joined(request, [each.text for each in said])


def _joined(request: str, said: Sequence[str]) -> str:
    return ("" if unspaced(request) else " ").join((request, *said))


def _others(source: RowSource, taught: Taught | None, request: str, random: Random) -> list[Taught]:
    """Draw statements that do not speak of a request."""
    asked = set(terms(request)) | (set(terms(taught.text)) if taught else set())
    few = random.sample(source.told, min(len(source.told), 8 * NOTES))
    return [
        other
        for other in few
        if not asked & set(terms(other.text)) and (taught is None or other.memory != taught.memory)
    ][:NOTES]


def _share_of_japanese(told: Sequence[Taught]) -> float:
    return sum(unspaced(taught.text) for taught in told) / max(1, len(told))


def drafts(source: RowSource, count: int, random: Random) -> list[Example]:
    """Make so many drafts of answers, or fewer, by turns one that says the statement and one that
    says something else; a third of them with notes to hold them against.
    """
    wrong = _WrongDrafts(source)
    by_memory = {taught.memory: taught for taught in source.told}
    asked = [row for row in source.facts if row.memories[0] in by_memory]
    found: dict[str, Example] = {}
    false = False
    for _ in range(TRIES * count if asked else 0):
        if len(found) >= count:
            break
        fact = random.choice(asked)
        taught = by_memory[fact.memories[0]]
        made = wrong.draft(taught, fact.question, random) if false else None
        if false and made is None:
            continue
        draft, sources = made or (taught.text, ())
        row = _judged(source, taught, fact.question, draft, random)
        if row.id not in found:
            found[row.id] = Example(
                row.kind,
                row.question,
                row.answer,
                row.notes,
                tuple(dict.fromkeys((*row.memories, *sources))),
            )
            false = not false
    return list(found.values())


def _judged(
    source: RowSource, taught: Taught, question: str, draft: str, random: Random
) -> Example:
    wide = unspaced(taught.text)
    holds, differs = HOLDS[wide]
    others = _others(source, taught, question, random) if random.random() < 1 / 3 else []
    notes = [taught.text, *(other.text for other in others)] if others else []
    random.shuffle(notes)
    return Example(
        ExampleKind.CRITIC,
        random.choice(DRAFTS[wide]).format(question=question, draft=draft),
        (holds if draft == taught.text else differs) + taught.text,
        tuple(notes),
        tuple(each.memory for each in (taught, *others)),
    )


class _WrongDrafts:
    """Says something else than a statement."""

    def __init__(self, source: RowSource) -> None:
        self._source = source
        self._distractors = Distractors(source.told, called=source.called)
        self._otherwise = Otherwise(source.told)
        self._told = {each.text.casefold() for each in source.every}

    def draft(
        self, taught: Taught, question: str, random: Random
    ) -> tuple[str, tuple[MemoryId, ...]] | None:
        """Say it, with the statement that this is from: the same with something exchanged, or,
        where nothing can be, another statement that does not answer.
        """
        made = self._distractors.distort(taught, question, random)
        if made is not None and made[0].casefold() not in self._told:
            return made[0], (made[1],)
        said = self._otherwise.say(taught.text, random)
        if said.casefold() not in self._told:
            return said, ()
        wide = unspaced(taught.text)
        others = [
            other
            for other in _others(self._source, taught, question, random)
            if unspaced(other.text) == wide
        ]
        return (others[0].text, (others[0].memory,)) if others else None
