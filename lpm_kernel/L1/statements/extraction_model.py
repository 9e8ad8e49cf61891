"""Statements from passages by a language model, each held to the one sentence that it names.

One passage a prompt, its sentences numbered. The model answers in JSON whose form is a grammar, so
it can name no sentence that is not there; what it says of one is held against that sentence alone
by the guard that answers are held against (`grounding.py`). What does not pass is left out, and the
others stay. Where there is no answer, or none that can be read, the rules stand in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lpm_kernel.domain.chat.recall import Recalled, Signals
from lpm_kernel.domain.library.documents import Chunk, text_hash
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.ports import ChatMessage, Sampling
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.grounding import Guard
from lpm_kernel.L1.prompts import prompt
from lpm_kernel.L1.statements.extraction import (
    LONGEST,
    NEVER,
    SHORTEST,
    RuleExtractor,
    about_of,
    is_read,
    reasons,
    signs,
    told_spans,
)

MOST = 4
"""Statements of one passage."""
MOST_NAMES = 6
TOKENS = 480
"""Of an answer: four statements of a long sentence each."""
SURE = {"low": 0.5, "middle": 0.7, "high": 0.9}
KINDS = ("world", "experience", "opinion")
READING = "model-1"
"""Another one reads the same answers otherwise."""

Answers = Callable[[Sequence[Chunk]], Mapping[str, str]]
"""What the model said of passages, by the hash of their content; those that it was not asked about
are missing.
"""


class ModelExtractor:
    """Proposes what a model said of passages before. Asks nothing itself: see
    ``usecases/memory/extraction.py``.
    """

    name = "model"

    def __init__(
        self, answers: Answers, version: str = READING, otherwise: Extractor | None = None
    ) -> None:
        """``version`` changes with the answers; ``otherwise`` reads what has none that can be
        read.
        """
        self.version = version
        self._answers = answers
        self._otherwise = RuleExtractor() if otherwise is None else otherwise

    def extract(self, chunks: Sequence[Chunk]) -> list[Proposal]:
        """See ``Extractor``."""
        known = self._answers([chunk for chunk in chunks if is_read(chunk)])
        found: list[Proposal] = []
        for chunk in chunks:
            said = known.get(text_hash(chunk.content)) if is_read(chunk) else None
            stated = None if said is None else read(said, chunk)
            found += self._otherwise.extract([chunk]) if stated is None else stated
        return found


def asker(model: str) -> str:
    """Name who is asked and how: whatever stands in a prompt beside the passage. Another one asks
    anew.

    >>> asker("bundled") == asker("bundled"), asker("bundled") == asker("another")
    (True, False)
    """
    whole = json.dumps([model, prompt("extracting").template, form(1), TOKENS])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def question(chunk: Chunk) -> tuple[list[ChatMessage], Sampling] | None:
    """Return what a model is asked about a passage, and how it answers; ``None`` where there is
    nothing to ask about.
    """
    spans = told_spans(chunk) if is_read(chunk) else []
    if not any(SHORTEST <= end - start <= LONGEST for start, end in spans):
        return None
    listed = "\n".join(
        f"{number}. {' '.join(chunk.text[start:end].split())}"
        for number, (start, end) in enumerate(spans, 1)
    )
    asked = prompt("extracting").substitute(
        speaker=chunk.speaker or "the person who keeps these notes", sentences=listed
    )
    return [ChatMessage("user", asked)], Sampling(
        temperature=0.0, max_tokens=TOKENS, response_format=form(len(spans))
    )


def form(count: int) -> dict[str, Any]:
    """Return the form of an answer about so many sentences."""
    of_one = {
        "sentence": {"enum": list(range(1, count + 1))},
        "says": {"type": "string"},
        "kind": {"enum": list(KINDS)},
        "about": {"type": "array", "maxItems": MOST_NAMES, "items": {"type": "string"}},
        "sure": {"enum": list(SURE)},
    }
    item = {
        "type": "object",
        "properties": of_one,
        "required": list(of_one),
        "additionalProperties": False,
    }
    whole = {
        "type": "object",
        "properties": {"statements": {"type": "array", "maxItems": MOST, "items": item}},
        "required": ["statements"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "statements", "schema": whole}}


def read(answer: str, chunk: Chunk) -> list[Proposal] | None:
    """Read an answer about a passage, in the order of the text: one statement a sentence, none that
    its sentence does not carry.

    ``None``: it is no answer at all, or nothing of it is carried: then whoever gave it did not read
    the passage.
    """
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not isinstance(said.get("statements"), list):
        return None
    spans = told_spans(chunk)
    found: dict[int, Proposal] = {}
    for each in said["statements"][:MOST]:
        made = _statement(each, chunk, spans)
        if made is not None:
            found.setdefault(made.start, made)
    return [found[start] for start in sorted(found)] if found or not said["statements"] else None


def _statement(said: object, chunk: Chunk, spans: Sequence[tuple[int, int]]) -> Proposal | None:
    """Read one statement; ``None`` where it has another form, names no sentence, or says what that
    does not.
    """
    if not isinstance(said, dict):
        return None
    number, kind, sure, names = (said.get(name) for name in ("sentence", "kind", "sure", "about"))
    if (
        type(number) is not int
        or not 1 <= number <= len(spans)
        or kind not in KINDS
        or not isinstance(sure, str)
        or sure not in SURE
    ):
        return None
    start, end = spans[number - 1]
    text, says = chunk.text[start:end], said.get("says")
    known = signs(text)
    if (
        not SHORTEST <= len(text) <= LONGEST
        or NEVER & known
        or not isinstance(says, str)
        or len(says) > LONGEST
    ):
        return None
    wording = " ".join(says.split())
    if not _carries(text, wording, chunk):
        return None
    given = (
        [name for name in names if isinstance(name, str) and name.strip() and name in text]
        if isinstance(names, list)
        else []
    )
    about = about_of(chunk, text, StatementKind(kind), given[:MOST_NAMES] or None)
    at = chunk.start + start, chunk.start + end
    return Proposal(
        chunk.document,
        chunk.text_version,
        *at,
        text,
        StatementKind(kind),
        about,
        SURE[sure],
        reasons(known),
        chunk.page,
        None if wording == text else wording,
    )


def _carries(sentence: str, wording: str, chunk: Chunk) -> bool:
    """Tell whether a sentence says what its wording says: every word, number and name of it stands
    there, and both deny or affirm.
    """
    if wording == " ".join(sentence.split()):
        return True
    alone = Recalled(
        replace(chunk, text=sentence, start=chunk.start, end=chunk.start + len(sentence)),
        0.0,
        Signals(),
    )
    return Guard(Question(""), [alone]).carrier(wording) is not None
