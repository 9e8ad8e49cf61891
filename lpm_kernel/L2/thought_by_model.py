"""What is thought before an answer, by a model that thinks, instead of by rule.

The model is told the question, its notes and the right answer, and words the way from one to the
other (rationalisation: STaR, arXiv:2203.14465). What it writes is kept under the hash of all that
was asked, so that making the rows anew asks nothing. A thought that brings in names or numbers of
its own, or is of another language or too long, teaches to invent: the rule's thought stands in for
it (``unfit_thought``).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from lpm_kernel.domain.ports import ChatMessage, Sampling
from lpm_kernel.domain.thoughts import CLOSES, OPENS
from lpm_kernel.domain.training.runs import Example, ReasoningVariant
from lpm_kernel.L0.language.analysis import names, terms, unspaced
from lpm_kernel.L0.language.glosses import ordinary
from lpm_kernel.L0.language.identification import NAMES, language_of
from lpm_kernel.L1.prompts import prompt

READING: Final = "thought-by-model/1"
"""Another one asks or reads otherwise."""
TOKENS: Final = 320
LONGEST: Final = {
    ReasoningVariant.WEAK: 240,
    ReasoningVariant.MULTI: 700,
    ReasoningVariant.STRONG: 1_000,
}
"""Characters of a thought."""
FORMS: Final = {
    ReasoningVariant.WEAK: "One short sentence.",
    ReasoningVariant.MULTI: "Two to four short steps, each on a line, numbered.",
    ReasoningVariant.STRONG: (
        "Three to six short steps, each on a line, numbered; the last one checks the answer."
    ),
}
_NUMBER: Final = re.compile(r"\d+")
_CAPITAL: Final = re.compile(r"\b[A-Z][a-zà-ÿ’'-]+")
_STEP: Final = re.compile(r"^[ \t]{0,8}\d{1,2}[.)、．]", re.MULTILINE)


def asked(example: Example, variant: ReasoningVariant) -> tuple[list[ChatMessage], Sampling]:
    """Return what a model is asked about a row, and how it answers."""
    notes = "".join(f"Note {number}: {note}\n" for number, note in enumerate(example.notes, 1))
    wish = prompt("thinking").substitute(
        question=example.question,
        answer=example.answer,
        notes=notes,
        form=FORMS[variant],
        language=NAMES[language_of(example.question)],
    )
    return [ChatMessage("user", wish)], Sampling(temperature=0.0, max_tokens=TOKENS)


def key(example: Example, variant: ReasoningVariant) -> str:
    """Name a thought by all that was asked."""
    wish, sampling = asked(example, variant)
    whole = json.dumps([READING, wish[0].content, sampling.max_tokens], ensure_ascii=False)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def unfit_thought(thought: str, example: Example, variant: ReasoningVariant) -> str | None:
    """Say why a thought is not to be learned; ``None`` where it is.

    >>> from lpm_kernel.domain.training.runs import ExampleKind
    >>> row = Example(ExampleKind.FACT, "Who lent me the ladder?", "Mai lent me her ladder.")
    >>> unfit_thought("I remember that Mai lent it.", row, ReasoningVariant.WEAK)
    >>> unfit_thought("I remember that Mai lent it in 2019.", row, ReasoningVariant.WEAK)
    'number'
    """
    known = "\n".join((example.question, example.answer, *example.notes)).casefold()
    steps = _STEP.sub("", thought)
    signs: dict[str, bool] = {
        "empty": not thought,
        "long": len(thought) > LONGEST[variant],
        "signs": OPENS in thought or CLOSES in thought,
        "language": unspaced(thought) != unspaced(example.question),
        "number": not set(_NUMBER.findall(steps)) <= set(_NUMBER.findall(known)),
        "name": any(name.casefold() not in known for name in names(steps))
        or any(_is_new(word.casefold(), known) for word in _CAPITAL.findall(steps)),
    }
    return next((why for why, found in signs.items() if found), None)


def _is_new(word: str, known: str) -> bool:
    """Tell whether a word with a capital stands nowhere in what was asked and may be a name: words
    of grammar and of the dictionary begin sentences, too.
    """
    return word not in known and bool(terms(word)) and not ordinary(word)


def read(said: str) -> str:
    r"""Return a thought as it is learned: without blank lines and what is around it.

    >>> read(" 1. It asks.\n\n2. I know. ")
    '1. It asks.\n2. I know.'
    """
    return "\n".join(line.strip() for line in said.splitlines() if line.strip())


def with_model_thought(
    example: Example, variant: ReasoningVariant, said: Mapping[str, str]
) -> Example:
    """Return a row with the thought that a model worded, where there is one that can be learned;
    ``said`` has them by :func:`key`. Asks nothing.
    """
    if not example.thought or variant is ReasoningVariant.NONE:
        return example
    thought = read(said.get(key(example, variant), ""))
    if unfit_thought(thought, example, variant):
        return example
    return replace(example, thought=thought)
