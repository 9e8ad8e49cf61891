"""Rows that ask for the same memory in another manner, so that it is not one question and one
answer that are learned: in passing, in a few words, with what belongs to it, said to the person,
said of them, and in a formal register or among friends.

Each is made of a statement by rule, and only where the rule is sure; a statement that a manner does
not suit is asked for in the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, ExampleKind, Taught
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.english import tagged
from lpm_kernel.L1.answering.perspective import GrammaticalPerson, called_in, turned
from lpm_kernel.L2.alignment.voices import politely
from lpm_kernel.L2.told import RowSource, beside

TRIES = 4
"""For every row that is wanted; what does not come of so many is not made."""
FEWEST_WORDS = 3
"""Of a sentence that is cut short, and of what is cut away."""


class RowManner(StrEnum):
    """How a memory is asked for."""

    PASSING = "passing"
    """In other words around the question; the answer is the statement."""
    SHORT = "short"
    LONG = "long"
    """With what belongs to it."""
    SECOND_PERSON = "second person"
    THIRD_PERSON = "third person"
    FORMAL = "formal"
    FAMILIAR = "familiar"


ASKED: Mapping[RowManner, Mapping[bool, Sequence[str]]] = {
    RowManner.PASSING: {
        False: (
            "By the way: {question}",
            "One more thing, if you have a minute. {question}",
            "{question} I was just thinking of it.",
        ),
        True: ("ところで、{question}", "{question}ふと気になりました。"),
    },
    RowManner.SHORT: {
        False: ("In a few words: {question}", "{question} Keep it short."),
        True: ("手短に：{question}", "{question}一文でお願いします。"),
    },
    RowManner.LONG: {
        False: ("At more length: {question}", "{question} Go on, tell all that belongs to it."),
        True: ("もう少し長く：{question}", "{question}関わることも聞かせて。"),
    },
    RowManner.SECOND_PERSON: {
        False: ("Speak to me and call me “you”. {question}",),
        True: ("私に「あなた」と話しかける形で。{question}",),
    },
    RowManner.THIRD_PERSON: {
        False: ("As somebody else would tell it of {name}: {question}",),
        True: ("{name}のことを、ほかの人が話すように：{question}",),
    },
    RowManner.FORMAL: {
        False: ("As in a letter to an office: {question}", "{question} Put it formally."),
        True: ("丁寧な言葉で：{question}",),
    },
    RowManner.FAMILIAR: {
        False: ("As among friends: {question}", "{question} Say it the way one talks."),
        True: (),
    },
}
"""Around a question, by whether the answer is Japanese."""

_CONTRACTED: Mapping[str, str] = {
    "I am": "I'm",
    "cannot": "can't",
    "do not": "don't",
    "does not": "doesn't",
    "did not": "didn't",
    "is not": "isn't",
    "are not": "aren't",
    "was not": "wasn't",
    "were not": "weren't",
    "will not": "won't",
    "would not": "wouldn't",
    "could not": "couldn't",
    "should not": "shouldn't",
    "have not": "haven't",
    "has not": "hasn't",
    "had not": "hadn't",
}
_TURN = re.compile(r"; |,? (?:because|since|so that|which|until) ")
_LABEL = re.compile(r"^[^:,.。]{1,40}: [^,;.]+(?=, )")
_HOLDS_ON = re.compile(
    r"\b(?:not|no|never|only|except|unless|but|if|nor|without)\b|n['’]t\b", re.IGNORECASE
)
"""What is cut away may turn what is left into something else."""
_OPENS_ASIDE = frozenset(
    "in on at when after before since if while although because for by with from until as".split()  # noqa: SIM905  reads better as prose
)


@dataclass(frozen=True)
class _Said:
    """What a memory comes to in a manner, and what that was made of."""

    text: str
    memories: tuple[MemoryId, ...]


def manners(source: RowSource, count: int, random: Random) -> list[Example]:
    """Make so many rows, or fewer, of the manners by turns."""
    said = _sayings(source)
    by_memory = {taught.memory: taught for taught in source.told}
    asked = [row for row in source.facts if row.memories[0] in by_memory]
    order = list(RowManner)
    found: dict[str, Example] = {}
    for number in range(TRIES * count if asked else 0):
        if len(found) >= count:
            break
        fact = random.choice(asked)
        taught = by_memory[fact.memories[0]]
        turn = number % len(order)
        for manner in (*order[turn:], *order[:turn]):
            row = _row(source, manner, said[manner](taught), fact.question, random)
            if row is not None:
                found.setdefault(row.id, row)
                break
    return list(found.values())


def _row(
    source: RowSource, manner: RowManner, said: _Said | None, question: str, random: Random
) -> Example | None:
    if said is None:
        return None
    wide = unspaced(said.text)
    frames = ASKED[manner][wide]
    if not frames or (manner is RowManner.THIRD_PERSON and not source.name):
        return None
    name = called_in(source.name, "ja" if wide else "en")
    return Example(
        ExampleKind.DIVERSITY,
        random.choice(frames).format(question=question, name=name),
        said.text,
        memories=said.memories,
    )


def _sayings(source: RowSource) -> Mapping[RowManner, Callable[[Taught], _Said | None]]:
    near = beside(source.told)

    def alone(make: Callable[[str], str | None]) -> Callable[[Taught], _Said | None]:
        def say(taught: Taught) -> _Said | None:
            text = make(taught.text)
            return None if text is None else _Said(text, (taught.memory,))

        return say

    def with_what_belongs(taught: Taught) -> _Said | None:
        other = near.get(taught.memory)
        if other is None:
            return None
        joint = "" if unspaced(taught.text) else " "
        return _Said(joint.join((taught.text, other.text)), (taught.memory, other.memory))

    return {
        RowManner.PASSING: alone(lambda text: text),
        RowManner.SHORT: alone(shortened),
        RowManner.LONG: with_what_belongs,
        RowManner.SECOND_PERSON: alone(
            lambda text: _other(text, turned(text, GrammaticalPerson.SECOND))
        ),
        RowManner.THIRD_PERSON: alone(lambda text: _of(text, source.name)),
        RowManner.FORMAL: alone(formally),
        RowManner.FAMILIAR: alone(familiarly),
    }


def _of(text: str, name: str) -> str | None:
    called = called_in(name, "ja" if unspaced(text) else "en")
    return _other(text, turned(text, GrammaticalPerson.THIRD, called, named=True))


def _other(text: str, made: str | None) -> str | None:
    return made if made != text else None


def shortened(text: str) -> str | None:
    """Cut a statement short where what is left says the same, only less; ``None`` where that cannot
    be told by rule.

    >>> shortened("I sold the van in May because the brakes had failed twice.")
    'I sold the van in May.'
    >>> shortened("Kuri: my dog, brown, with one white sock.")
    'Kuri: my dog.'
    >>> shortened("I eat no meat, except at my aunt's.")
    """
    if unspaced(text):
        first, _, rest = text.partition("。")
        return f"{first}。" if rest.strip() and len(first) > FEWEST_WORDS else None
    if _HOLDS_ON.search(text):
        return None
    label = _LABEL.match(text)
    if label:
        return f"{label[0]}."
    turn = _TURN.search(text)
    if turn is None:
        return None
    left, away = text[: turn.start()].split(), text[turn.end() :].split()
    whole = any(token.finite for token in tagged(" ".join(left))[1:])
    if (
        min(len(left), len(away)) < FEWEST_WORDS
        or not whole
        or left[0].lower() in _OPENS_ASIDE
        or "." in " ".join(left)
    ):
        return None
    return f"{' '.join(left).rstrip(',;')}."


def formally(text: str) -> str | None:
    """Say a statement in a formal register: contractions written out, Japanese in polite forms.

    >>> formally("I'm glad that it didn't rain."), formally("雨だった。"), formally("It rained.")
    ('I am glad that it did not rain.', '雨でした。', None)
    """
    if unspaced(text):
        return _other(text, politely(text))
    made = text.replace("’", "'")
    for written_out, contracted in _CONTRACTED.items():
        made = _exchanged(made, contracted, written_out)
    return _other(text.replace("’", "'"), made)


def familiarly(text: str) -> str | None:
    """Say an English statement as one talks among friends, with contractions.

    >>> familiarly("I do not drive."), familiarly("I drive.")
    ("I don't drive.", None)
    """
    made = text
    for written_out, contracted in _CONTRACTED.items():
        made = _exchanged(made, written_out, contracted)
    return _other(text, made)


def _exchanged(text: str, old: str, new: str) -> str:
    def instead(match: re.Match[str]) -> str:
        return new[0].upper() + new[1:] if match[0][0].isupper() else new

    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", instead, text, flags=re.IGNORECASE)
