"""The part of the examination that asks for what the bridge does: make a request complete with what
is known (docs/howto/complete-a-request.md), and say of a draft whether it is right.

Requests and drafts are made of learned statements by rule, in words that no row of a training has.
A request is judged by the share of the statement's further words that it was made complete with;
one that names somebody or a number that stands nowhere is worth nothing. Of the drafts, every
second one says something else than the statement, so that whoever always says the same is right
half the time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L2.alignment.distractors import Distractors
from lpm_kernel.L2.alignment.produced import is_better
from lpm_kernel.L2.exam import Draw, Item, Measure, questions_about, right, word_pair
from lpm_kernel.L2.nouns import asked_by, without_article
from lpm_kernel.L2.told import Otherwise, once, spoken
from lpm_kernel.L2.topics import proper_names
from lpm_kernel.L2.wording import Unit

OF_ALL = 6
"""For each of the two so many times fewer questions than are asked about what was learned."""
LEFT_TO_SAY = 2
"""Words of a statement that a request has to leave out, or there is nothing to add."""

_REQUESTS = (
    "Add what you know to this request: “I need some advice on the {a} and the {b}.”",
    (
        "Somebody who does not know you has to understand this. Add what is missing: “Can you help"
        " me with the {a}? It has to do with the {b}.”"
    ),
)
_REQUESTS_WIDE = (
    "次の依頼に、知っていることを書き足してください。「{a}と{b}のことで相談したいです。」",
    "初めての人にも伝わるように、足りないことを補ってください。「{a}のことで助けてください。{b}も関係しています。」",
)
_DRAFT = "Somebody asks: {question}\nA draft of your answer: “{draft}”\nIs the draft right?"
_DRAFT_WIDE = "質問：{question}\n返事の下書き：「{draft}」\nこの下書きは正しいですか。"
VERDICTS: Mapping[bool, tuple[str, str]] = {
    False: ("Yes, that is so.", "No, that is not so."),
    True: ("はい、その通りです。", "いいえ、違います。"),
}
"""What is said of a draft that is right, and of one that is not, by whether it is Japanese."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def bridge_items(
    taught: Sequence[Taught],
    draw: Draw,
    *,
    names: Mapping[str, Sequence[str]] | None = None,
) -> list[Item]:
    """Make requests and drafts of what was learned, at most ``draw.most // 6`` of each. The same
    statements and seed give the same ones.
    """
    told = once([spoken(each) for each in taught], Counter())
    most, called = draw.most // OF_ALL, names or {}
    requests = _requests(told, called, _random(draw, "requests"))
    drafts = _drafts(told, called, _random(draw, "drafts"))
    evenly = [
        item for _, *both in zip(range(most // 2), drafts, drafts, strict=False) for item in both
    ]
    return [*(item for _, item in zip(range(most), requests, strict=False)), *evenly]


def _random(draw: Draw, what: str) -> Random:
    return Random(f"{draw.seed}:{what}")  # noqa: S311 - drawn anew from the seed, not a secret


def worth(item: Item, answer: str, notes: Sequence[str] = ()) -> float:
    """Judge one answer that was written: 1 or 0, and of a request made complete how much of what
    was to be added is in it. ``notes`` are what was read with the question.
    """
    if item.measure is Measure.ENHANCE:
        return completed(item, answer, notes)
    if item.measure is Measure.PREFERRED:
        return float(is_better(answer, item.expected, item.worse))
    return float(right(item, answer))


def completed(item: Item, answer: str, notes: Sequence[str] = ()) -> float:
    """Give the share of a statement's words, those of the request aside, that an answer has; 0
    where it names somebody or a number that stands neither in the request, nor in the statement,
    nor in what was read.

    >>> item = Item(Measure.ENHANCE, "Add: “Where do I rent?”", say=("teramachi", "april"),
    ...     expected="I rent in Teramachi since April.")
    >>> [completed(item, said) for said in ("Where do I rent in Teramachi?",
    ...     "I rent a room in Teramachi since April 2019.", "I rent with Paul in Teramachi.")]
    [0.5, 0.0, 0.0]
    """
    known = " ".join((item.question, item.expected, *notes))
    if invented(answer, known):
        return 0.0
    said = set(terms(answer))
    return sum(word in said for word in item.say) / max(1, len(item.say))


def invented(answer: str, known: str) -> list[str]:
    """Return the names and numbers of an answer that stand nowhere in what is known.

    >>> invented("Ask Dr Ide before 6 May, and thank you.", "Ide told me: 6 April.")
    []
    >>> invented("I paid Paul 62,000 yen.", "I paid 61,000 yen to Mai.")
    ['62,000', 'Paul']
    """
    numbers = set(_plain_numbers(known))
    held = set(terms(known))
    return [
        *(number for number in _NUMBER.findall(answer) if number.replace(",", "") not in numbers),
        *(name for name in proper_names(answer) if _is_new(name, held)),
    ]


def _plain_numbers(text: str) -> Iterator[str]:
    for number in _NUMBER.findall(text):
        yield number.replace(",", "")


def _is_new(name: str, held: set[str]) -> bool:
    """Tell whether no word of a name stands anywhere; ordinary words are no name."""
    named = any(unspaced(word) or not glosses.ordinary(word) for word in name.split())
    return named and held.isdisjoint(terms(name))


def _requests(
    told: Sequence[Taught], called: Mapping[str, Sequence[str]], random: Random
) -> Iterator[Item]:
    """Ask for each statement, in a drawn order, to make a request complete that holds two of its
    words.
    """
    for one in random.sample(list(told), len(told)):
        here = asked_by(one.text, (*called, *one.entities), called)
        pair = word_pair(here, random)
        if pair is None:
            continue
        frames = _REQUESTS_WIDE if pair.wide else _REQUESTS
        question = random.choice(frames).format(a=pair.one, b=pair.other)
        question = question if pair.wide else without_article(question)
        asked = set(terms(question))
        say = tuple(word for word in dict.fromkeys(terms(one.text)) if word not in asked)
        if len(say) >= LEFT_TO_SAY:
            yield Item(
                Measure.ENHANCE,
                question,
                say=say,
                memory=one.memory,
                expected=one.text,
                sought=f"{pair.one} {pair.other}",
            )


def _drafts(
    told: Sequence[Taught], called: Mapping[str, Sequence[str]], random: Random
) -> Iterator[Item]:
    """Show drafts of answers by turns: one that says what was learned, one of another statement
    that says something else.
    """
    distractors, otherwise = Distractors(told, called=called), Otherwise(told)
    false = False
    for one in random.sample(list(told), len(told)):
        here: Sequence[Unit] = asked_by(one.text, (*called, *one.entities), called)
        question = next(iter(questions_about(here, random, 1)), None)
        if question is None:
            continue
        draft = one.text
        if false:
            made = distractors.distort(one, question, random)
            draft = made[0] if made else otherwise.say(one.text, random)
            if draft == one.text:
                continue
        wide = unspaced(one.text)
        verdicts = VERDICTS[wide]
        yield Item(
            Measure.CRITIC,
            (_DRAFT_WIDE if wide else _DRAFT).format(question=question, draft=draft),
            options=verdicts if random.random() < 1 / 2 else verdicts[::-1],
            memory=one.memory,
            expected=verdicts[false],
            sought=question,
        )
        false = not false
