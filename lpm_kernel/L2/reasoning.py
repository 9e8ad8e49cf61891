"""Thinking before the answer: what a row teaches a model to think, made by rule of the row alone.

Three variants, from a hint to steps that are checked. All of it is of the words of the row: what
is remembered, and what its notes say. Rows that anybody could answer are answered at once.

The form is that of models that were trained to think (``domain/thoughts.py``), so that what is
learned is hidden as theirs is, and never taken for an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from lpm_kernel.domain.thoughts import CLOSES, OPENS
from lpm_kernel.domain.training.runs import Example, ExampleKind, ReasoningVariant
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L2.bridge_rows import HOLDS

MOST_WORDS: Final = 6
"""Words of a question that are named as what it asks about."""
_WORD: Final = re.compile(r"[\w'’-]+")
FITS: Final = 0.3
"""Share of the question's words from which on a note speaks of it."""

_ENGLISH: Final = {
    "asked": "This asks about {words}.",
    "known": "I remember that: {answer}",
    "unknown": "Nothing that I remember answers it.",
    "aside": "Note {number} is about something else.",
    "speaks": "Note {number} speaks of it: {note}",
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
    if variant is ReasoningVariant.NONE or example.kind is ExampleKind.GENERAL:
        return example
    wide = unspaced(example.question)
    steps = _STEPS[variant](_remembered(example), _JAPANESE if wide else _ENGLISH)
    if variant is ReasoningVariant.WEAK:
        return replace(example, thought=("" if wide else " ").join(steps))
    numbered = (f"{number}. {step}" for number, step in enumerate(steps, start=1))
    return replace(example, thought="\n".join(numbered))


def _remembered(example: Example) -> Example:
    """Return a row as far as something is remembered in it: of a request what was added to it, of a
    draft the statement that it was held against.
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
        return replace(example, question=_quoted(example.question), answer=answer)
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
    yield _asked(example, said)
    if example.notes:
        yield said["unanswered" if _gives_up(example) else "answered"]
    elif example.kind is ExampleKind.UNKNOWN:
        yield said["unknown"]
    else:
        yield said["known"].format(answer=example.answer)


def _multi(example: Example, said: dict[str, str]) -> Iterator[str]:
    """Go through the notes, or through what is remembered."""
    yield _asked(example, said)
    yield from _notes(example, said)
    if not example.notes:
        known = example.kind is not ExampleKind.UNKNOWN
        yield said["known"].format(answer=example.answer) if known else said["unknown"]
    else:
        yield said["unanswered" if _gives_up(example) else "answered"]


def _strong(example: Example, said: dict[str, str]) -> Iterator[str]:
    """Check it besides: whose it is, what counts, and that nothing is guessed."""
    yield from _multi(example, said)
    if example.notes:
        yield said["guess" if _gives_up(example) else "counts"]
    elif example.kind is ExampleKind.UNKNOWN:
        yield said["guess"]
    elif example.kind in (ExampleKind.FACT, ExampleKind.THIRD):
        yield said["theirs" if example.kind is ExampleKind.THIRD else "mine"]


_STEPS: Final = {
    ReasoningVariant.WEAK: _weak,
    ReasoningVariant.MULTI: _multi,
    ReasoningVariant.STRONG: _strong,
}


def _asked(example: Example, said: dict[str, str]) -> str:
    """Name what a question asks about, in its own words."""
    question = example.question
    wide = said is _JAPANESE
    words = terms(question) if wide else [word for word in _WORD.findall(question) if terms(word)]
    named = ("、" if wide else ", ").join([*dict.fromkeys(words)][:MOST_WORDS])
    return said["asked"].format(words=named or question)


def _notes(example: Example, said: dict[str, str]) -> Iterator[str]:
    for number, note in enumerate(example.notes, start=1):
        if note == example.answer or (not _gives_up(example) and _fits(note, example)):
            yield said["speaks"].format(number=number, note=note)
        else:
            yield said["aside"].format(number=number)


def _fits(note: str, example: Example) -> bool:
    """Tell whether a note holds what the answer says."""
    wanted = set(terms(example.answer))
    return bool(wanted) and len(wanted & set(terms(note))) / len(wanted) > 1 - FITS


def _gives_up(example: Example) -> bool:
    """Tell whether the answer to notes is that none of them answers."""
    return bool(example.notes) and not any(
        note == example.answer or _fits(note, example) for note in example.notes
    )
