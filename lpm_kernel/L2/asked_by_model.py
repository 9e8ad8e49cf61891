"""Questions about a statement by a language model, those that teach nothing left out.

One statement a prompt. The model answers in JSON whose form is a grammar; each answer is kept under
the hash of all that was asked, so that making the rows anew asks nothing. What a small model words
is often no question, or says the answer, or asks for something that the statement does not tell:
such a question would teach to answer at random (``unfit``). Where there is no answer, or none that
can be read, the templates stand in for that statement.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lpm_kernel.domain.ports import ChatMessage, Sampling
from lpm_kernel.domain.training.runs import Maker, Synthesiser, Taught, Worded
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.identification import NAMES, language_of
from lpm_kernel.L1.prompts import prompt
from lpm_kernel.L2.wording import units

READING = "asked-by-model/1"
"""Another one asks or reads otherwise."""
WORDED = 8
"""Questions that a model words about a statement; templates word the rest."""
LONGEST = 200
"""Characters of a question."""
TOKENS = 320
LEFT = 0.25
"""Share of a statement's words that a question has to leave for its answer."""

_ASKS = re.compile(r"(?:[?？]|(?:か|ください|教えて)[。.]?)$")


class AskedByModel:
    """The synthesiser over what a model said before. Asks nothing itself: see ``word`` in
    ``usecases/training/``.
    """

    def __init__(
        self, said: Mapping[str, str], model: str, name: str, otherwise: Synthesiser
    ) -> None:
        """``said`` has the answers by ``key``; ``otherwise`` words what has none that can be read,
        and what is wanted besides.
        """
        self.id = identifier(otherwise)
        self._said, self._model, self._name, self._otherwise = said, model, name, otherwise

    def questions(self, taught: Taught, wanted: int, seed: int) -> Sequence[Worded]:
        """See ``Synthesiser``. The model's come first."""
        answer = self._said.get(key(taught, self._model, self._name))
        asked = read(answer)[:wanted] if answer is not None else []
        rest = [
            worded
            for worded in self._otherwise.questions(taught, wanted, seed)
            if worded.question not in asked
        ]
        return [
            *(Worded(question, Maker.MODEL) for question in asked),
            *rest[: wanted - len(asked)],
        ]


def identifier(otherwise: Synthesiser) -> str:
    """Name who words, as it stands in the record of a training."""
    return f"{READING}, {otherwise.id}"


def asked(taught: Taught, name: str) -> tuple[list[ChatMessage], Sampling]:
    """Return what a model is asked about a statement, and how it answers."""
    wish = prompt("asked").substitute(
        name=name or "Somebody",
        statement=taught.text,
        count=WORDED,
        language=NAMES[language_of(taught.text)],
    )
    return [ChatMessage("user", wish)], Sampling(
        temperature=0.0, max_tokens=TOKENS, response_format=form()
    )


def form() -> dict[str, Any]:
    """Return the form of an answer."""
    questions = {"type": "array", "maxItems": WORDED, "items": {"type": "string"}}
    whole = {
        "type": "object",
        "properties": {"questions": questions},
        "required": ["questions"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "questions", "schema": whole}}


def key(taught: Taught, model: str, name: str) -> str:
    """Name an answer by all that was asked, and whom. Another statement, prompt or model asks
    anew.
    """
    wish, sampling = asked(taught, name)
    whole = json.dumps(
        [READING, model, wish[0].content, sampling.max_tokens, sampling.response_format],
        ensure_ascii=False,
    )
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def read(answer: str) -> list[str]:
    """Read an answer, each question once; nothing where it has another form.

    >>> read('{"questions": ["Who is  Kuri?", "Who is Kuri?", 3]}'), read("Who is Kuri?")
    (['Who is Kuri?'], [])
    """
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return []
    questions = said.get("questions") if isinstance(said, dict) else None
    plain = (
        (" ".join(question.split()) for question in questions if isinstance(question, str))
        if isinstance(questions, list)
        else ()
    )
    return list(dict.fromkeys(filter(None, plain)))[:WORDED]


def unfit(question: str, taught: Taught) -> str | None:
    """Say why a question that a model worded is not learned, ``None`` for one that is.

    >>> kuri = Taught("m1", "Kuri is my brown dog.")
    >>> [unfit(each, kuri)
    ...     for each in ("What is your dog called?", "A brown dog.", "Is Kuri your brown dog?",
    ...     "Where is Lisbon?")]
    [None, 'no_question', 'copied', 'beside']
    """
    if not _ASKS.search(question) or len(question) > LONGEST:
        return "no_question"
    here, said = set(terms(taught.text)), set(terms(question))
    left = here - said
    if len(left) < max(1.0, LEFT * len(here)):
        return "copied"
    near = {
        term
        for unit in units(taught.text, taught.entities)
        for word in (*unit.near, *unit.wide)
        for term in terms(word)
    }
    return None if said & (here | near) else "beside"
