"""Thinking before the answer: what a row teaches a model to think, made by rule of the row alone.

Three variants, from a hint to steps that are checked. All of it is of the words of the row: what
is remembered, and what its notes say. No thought contradicts the answer behind it. Rows that
anybody could answer are answered at once, and so is somebody else, who is told or not.

The form is that of models that were trained to think (``domain/thoughts.py``), so that what is
learned is hidden as theirs is, and never taken for an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from lpm_kernel.domain.thoughts import CLOSES, OPENS
from lpm_kernel.domain.training.preferences import PreferencePair
from lpm_kernel.domain.training.runs import Example, ExampleKind, ReasoningVariant
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L2.bridge_rows import DRAFTS, HOLDS
from lpm_kernel.L2.frames import filling
from lpm_kernel.L2.manners import ASKED
from lpm_kernel.L2.told import DOES_NOT_KNOW

MOST_WORDS: Final = 6
"""Words of a question that are named as what it asks about."""
_WORD: Final = re.compile(r"[\w'’-]+")
SPEAKS: Final = 0.3
"""Share of the words of a question, or of an answer, from which on a note speaks of it."""
SAYS: Final = 0.7
"""Share of an answer's words beyond which a note says it."""
_AT_ONCE: Final = frozenset({ExampleKind.GENERAL, ExampleKind.DISCRETION})
"""Rows without a thought. What one keeps to oneself is remembered all the same, and who asks
decides, so that a thought before it would be the same before both answers.
"""
_MANNERS: Final = tuple(
    frame for frames in ASKED.values() for each in frames.values() for frame in each
)
_DRAFTS: Final = tuple(frame for frames in DRAFTS.values() for frame in frames)

_ENGLISH: Final = {
    "asked": "This asks about {words}.",
    "known": "I remember that: {answer}",
    "unknown": "Nothing that I remember answers it.",
    "aside": "Note {number} is about something else.",
    "speaks": "Note {number} speaks of it: {note}",
    "named": "Note {number} speaks of it.",
    "answered": "The notes answer it.",
    "unanswered": "No note answers it.",
    "counts": "What the notes say counts, also where I remember otherwise.",
    "mine": "It is about me and I was told it, so I can say it.",
    "theirs": "It is about somebody or something else, and I must not mix them up.",
    "guess": "I must not guess.",
}
_JAPANESE: Final = {
    "asked": "{words}について聞かれている。",
    "known": "覚えている：{answer}",
    "unknown": "覚えていることの中に答えはない。",
    "aside": "メモ{number}は別の話。",
    "speaks": "メモ{number}はその話：{note}",
    "named": "メモ{number}はその話。",
    "answered": "メモに答えがある。",
    "unanswered": "答えのあるメモはない。",
    "counts": "覚えていることと違っても、メモのほうを取る。",
    "mine": "自分のことで、覚えているから言える。",
    "theirs": "ほかの人や物のことだから、取り違えない。",
    "guess": "推測はしない。",
}


def with_thought(example: Example, variant: ReasoningVariant) -> Example:
    """Return a row with what is thought before its answer.

    >>> row = Example(ExampleKind.FACT, "Who lent me the ladder?", "Mai lent me her ladder.")
    >>> with_thought(row, ReasoningVariant.WEAK).thought
    'This asks about lent, ladder. I remember that: Mai lent me her ladder.'
    """
    if variant is ReasoningVariant.NONE or example.kind in _AT_ONCE:
        return example
    remembered = _remembered(example)
    said = _said_in(remembered.question)
    steps = _STEPS[variant](remembered, said)
    return replace(example, thought=_written(steps, variant, said))


def pair_thought(pair: PreferencePair, variant: ReasoningVariant) -> str:
    """Return what is thought before both answers of a pair: what is asked about, and which notes
    speak of it, where that gives neither answer away; of somebody else's question nothing.

    >>> from lpm_kernel.domain.training.preferences import PairRule
    >>> pair = PreferencePair(PairRule.INVENTED, "Who lent me the ladder?", "Mai did.", "Ida did.")
    >>> pair_thought(pair, ReasoningVariant.STRONG)
    '1. This asks about lent, ladder.'
    """
    if variant is ReasoningVariant.NONE or pair.asker:
        return ""
    said = _said_in(pair.question)
    steps = [_asked(pair.question, said)]
    if variant is not ReasoningVariant.WEAK:
        steps += (said["named"].format(number=number + 1) for number in _named(pair))
    return _written(steps, variant, said)


def _named(pair: PreferencePair) -> list[int]:
    """Return the places of the notes that speak of what a pair asks; none where one of its answers
    is of them and the other is not, or one is that nobody knows.
    """
    sides = (pair.chosen, pair.rejected)
    places = _speaking(pair.notes, pair.question)
    chosen, rejected = (not set(places).isdisjoint(_speaking(pair.notes, each)) for each in sides)
    return places if chosen is rejected and not any(map(_unknown, sides)) else []


def _said_in(question: str) -> dict[str, str]:
    return _JAPANESE if unspaced(question) else _ENGLISH


def _written(steps: Iterable[str], variant: ReasoningVariant, said: dict[str, str]) -> str:
    if variant is ReasoningVariant.WEAK:
        return ("" if said is _JAPANESE else " ").join(steps)
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))


def _remembered(example: Example) -> Example:
    """Return a row as far as something is remembered in it: of a request what was added to it, of a
    draft the statement that it was held against, of another manner the question.
    """
    if example.kind is ExampleKind.ENHANCE:
        request = _quoted(example.question)
        added = example.answer.removeprefix(request).strip()
        kind = example.kind if added or example.notes else ExampleKind.UNKNOWN
        return replace(example, kind=kind, question=request, answer=added)
    if example.kind is ExampleKind.CRITIC:
        answer = example.answer
        for verdict in (verdict for both in HOLDS.values() for verdict in both):
            answer = answer.removeprefix(verdict)
        drafted = filling(_DRAFTS, example.question) or {"question": _quoted(example.question)}
        return replace(example, question=drafted["question"], answer=answer)
    if example.kind is ExampleKind.DIVERSITY:
        asked = filling(_MANNERS, example.question) or {"question": example.question}
        return replace(example, question=asked["question"])
    return example


def _quoted(question: str) -> str:
    """Return what stands between the first and the last quotation mark; all of it where there are
    none.
    """
    marks = "「」" if "「" in question else "“”"
    start, end = question.find(marks[0]), question.rfind(marks[1])
    return question[start + 1 : end] if -1 < start < end else question


def completion(example: Example) -> str:
    r"""Return what a model is to write: what it thinks, and the answer.

    >>> completion(Example(ExampleKind.FACT, "Who?", "Mai.", thought="I remember."))
    '<think>\nI remember.\n</think>\n\nMai.'
    """
    if not example.thought:
        return example.answer
    return f"{OPENS}\n{example.thought}\n{CLOSES}\n\n{example.answer}"


def _weak(example: Example, said: dict[str, str]) -> Iterator[str]:
    """Name what is asked about, and whether it is known."""
    yield _asked(example.question, said)
    yield _found(example, said)


def _multi(example: Example, said: dict[str, str]) -> Iterator[str]:
    """Go through the notes, or through what is remembered."""
    yield _asked(example.question, said)
    speaking = _answering(example)
    for place, note in enumerate(example.notes):
        step = said["speaks" if place in speaking else "aside"]
        yield step.format(number=place + 1, note=note)
    yield _found(example, said)


def _strong(example: Example, said: dict[str, str]) -> Iterator[str]:
    """Check it besides: whose it is, what counts, and that nothing is guessed."""
    yield from _multi(example, said)
    if _is_unknown(example):
        yield said["guess"]
    elif _answering(example):
        yield said["counts"]
    elif example.kind in (ExampleKind.FACT, ExampleKind.THIRD):
        yield said["theirs" if example.kind is ExampleKind.THIRD else "mine"]


_STEPS: Final = {
    ReasoningVariant.WEAK: _weak,
    ReasoningVariant.MULTI: _multi,
    ReasoningVariant.STRONG: _strong,
}


def _asked(question: str, said: dict[str, str]) -> str:
    """Name what a question asks about, in its own words."""
    wide = said is _JAPANESE
    words = terms(question) if wide else [word for word in _WORD.findall(question) if terms(word)]
    named = ("、" if wide else ", ").join([*dict.fromkeys(words)][:MOST_WORDS])
    return said["asked"].format(words=named or question)


def _found(example: Example, said: dict[str, str]) -> str:
    """Say where the answer is: in the notes, in memory, or nowhere."""
    if _is_unknown(example):
        return said["unanswered" if example.notes else "unknown"]
    if _answering(example):
        return said["answered"]
    return said["known"].format(answer=example.answer)


def _is_unknown(example: Example) -> bool:
    """Tell whether the answer is that nobody knows, or of a request that nothing is added."""
    nothing = not example.answer and bool(example.notes)
    return nothing or example.kind is ExampleKind.UNKNOWN or _unknown(example.answer)


def _unknown(answer: str) -> bool:
    return answer.strip() in DOES_NOT_KNOW.values()


def _answering(example: Example) -> list[int]:
    """Return the places of the notes that answer: those that say it, or else those that it may be
    put together from.
    """
    if _is_unknown(example):
        return []
    places = range(len(example.notes))
    saying = [place for place in places if _says(example.notes[place], example.answer)]
    return saying or _speaking(example.notes, example.answer)


def _speaking(notes: Sequence[str], text: str) -> list[int]:
    """Return the places of the notes that speak of what a text speaks of."""
    return [place for place, note in enumerate(notes) if _share(note, text) >= SPEAKS]


def _says(note: str, answer: str) -> bool:
    return note == answer or _share(note, answer) > SAYS


def _share(note: str, text: str) -> float:
    """Return how much of the words of a text a note holds."""
    wanted = set(terms(text))
    return len(wanted & set(terms(note))) / len(wanted) if wanted else 0.0
