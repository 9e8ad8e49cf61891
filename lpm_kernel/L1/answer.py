"""Answering from what was recalled: the prompt, the model, the guard, and the citations beside each sentence."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal

from lpm_kernel.domain.conversations import Citation, Identity, Part, PartKind, Turn
from lpm_kernel.domain.documents import text_hash
from lpm_kernel.domain.ports import ChatMessage, LanguageModel, Sampling
from lpm_kernel.domain.recall import Recalled, Recollection
from lpm_kernel.L0.analyse import terms
from lpm_kernel.L1.grounding import QUOTED_FROM, Guard, Piece, nothing, quotation
from lpm_kernel.L1.language import NAMES, language_of
from lpm_kernel.L1.prompts import prompt

EVIDENCE_TOKENS = 600
"""Tokens of evidence in a prompt: about a second of reading for the bundled model on two cores."""
EVIDENCE_ITEMS = 8
HISTORY_TURNS = 6
HISTORY_CHARACTERS = 400
"""Of each earlier turn, so that an old essay does not push the evidence out."""
SHORT_QUESTION = 2
"""With this many content words or fewer, a question is taken to lean on the one before it."""
ANSWER_TOKENS = 120
MOST_REPEATS = 2
"""A model that says the same sentence again this often has lost its way."""
MOST_SENTENCES = 3
SURELY_NOTHING, UNLIKELY, DOUBTFUL = 0.03, 0.2, 0.5
"""Chances of an answer among the passages, for :func:`abstains`."""
HALF = 0.5


_MARKS = re.compile(r"^\s*(?:#{1,6} |[-*+] (?:[BWOS](?:\(c=[\d.]+\))? )?@?|> )")
_RETAIN = re.compile(r"^\s*#+ Retain\s*$")


@dataclass(frozen=True)
class Said:
    """A stretch of the answer."""

    part: int
    kind: PartKind
    text: str = field(repr=False)


@dataclass(frozen=True)
class Cited:
    """What a part rests on."""

    part: int
    citation: Citation


@dataclass(frozen=True)
class Ended:
    """The answer is complete, or was stopped."""

    parts: tuple[Part, ...]
    citations: tuple[Citation, ...]
    abstained: bool
    prompt_hash: str | None
    finish_reason: Literal["stop", "length"]
    prompt_tokens: int = 0
    completion_tokens: int = 0


AnswerEvent = Said | Cited | Ended


@dataclass
class Draft:
    """An answer as it grows; what is in it when the model is stopped is kept."""

    parts: list[Part] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    prompt_hash: str | None = None

    @property
    def text(self) -> str:
        """The answer as plain text."""
        return plain_text(self.parts)

    def add(self, piece: Piece, items: Sequence[Recalled]) -> Iterator[Said | Cited]:
        """Take a piece in, and say so."""
        place = len(self.parts)
        if piece.item is None:
            self.parts.append(Part(piece.kind, piece.text))
            yield Said(place, piece.kind, piece.text)
            return
        citation = self._citation(items[piece.item], piece.span)
        self.parts.append(Part(piece.kind, piece.text, (citation.n,)))
        yield Said(place, piece.kind, piece.text)
        yield Cited(place, citation)

    def _citation(self, item: Recalled, span: tuple[int, int] | None) -> Citation:
        chunk = item.chunk
        start, end = (chunk.start, chunk.end) if span is None else (chunk.start + span[0], chunk.start + span[1])
        for known in self.citations:
            if (known.chunk, known.start, known.end) == (chunk.id, start, end):
                return known
        quote = chunk.text[start - chunk.start : end - chunk.start]
        citation = Citation(len(self.citations) + 1, chunk.id, chunk.document, chunk.text_version, start, end, text_hash(quote))
        self.citations.append(citation)
        return citation


def plain_text(parts: Sequence[Part]) -> str:
    """Return an answer's parts as one text.

    >>> plain_text([Part(PartKind.NOTE, "This stands there:"), Part(PartKind.QUOTATION, "Rain.")])
    'This stands there: “Rain.”'
    """
    return " ".join(f"“{part.text}”" if part.kind is PartKind.QUOTATION else part.text for part in parts)


def answer(
    question: str,
    found: Recollection,
    history: Sequence[Turn],
    identity: Identity,
    model: LanguageModel,
    draft: Draft,
    *,
    sampling: Sampling | None = None,
    told: str = "",
    gone: Callable[[], bool] = lambda: False,
) -> Generator[AnswerEvent]:
    """Answer from the passages, sentence by sentence, each with its citation.

    ``told`` is what a calling program wants besides (its system message). ``gone`` tells that nobody listens any more.

    Raises ``ModelUnavailableError``; what was released until then stays in ``draft``.
    """
    items = found.items[:EVIDENCE_ITEMS]
    if abstains(question, found):
        yield from draft.add(nothing(question), items)
        yield Ended(tuple(draft.parts), (), abstained=True, prompt_hash=None, finish_reason="stop")
        return
    messages = compose(question, items, history, identity, told)
    draft.prompt_hash = hashlib.sha256(json.dumps([(m.role, m.content) for m in messages]).encode()).hexdigest()
    guard = Guard(question, items)
    last = None
    wanted = sampling or Sampling(temperature=0.0, max_tokens=ANSWER_TOKENS)
    stream = model.stream(messages, wanted)
    with closing(stream):  # type: ignore[type-var]  # generators close; the port promises no more than an iterator
        for delta in stream:
            if gone():
                return
            for piece in guard.feed(delta.text):
                yield from draft.add(piece, items)
            last = delta
            if guard.repeats >= MOST_REPEATS or guard.released >= MOST_SENTENCES:
                break
    for piece in guard.finish():
        yield from draft.add(piece, items)
    quoted = not guard.released
    if quoted:
        for piece in quotation(question, items):
            yield from draft.add(piece, items)
    yield Ended(
        tuple(draft.parts),
        tuple(draft.citations),
        abstained=False,
        prompt_hash=draft.prompt_hash,
        finish_reason="stop" if quoted or last is None else last.finish_reason or "stop",
        prompt_tokens=last.prompt_tokens if last else 0,
        completion_tokens=last.completion_tokens if last else 0,
    )


def abstains(question: str, found: Recollection) -> bool:
    """Tell whether the passages are so unlikely to hold an answer that the model is not asked.

    The calibrated chance decides together with the words: a passage that has most of the question's words is shown
    even where the chance is low, since it can be judged by the person; without a common word more is demanded.
    """
    if not found.items:
        return True
    asked = set(terms(question))
    share = max(len(asked & set(item.matched)) / max(1, len(asked)) for item in found.items[:QUOTED_FROM])
    chance = found.answerable
    return chance < SURELY_NOTHING or (chance < UNLIKELY and share < HALF) or (chance < DOUBTFUL and share == 0.0)


def compose(question: str, items: Sequence[Recalled], history: Sequence[Turn], identity: Identity, told: str = "") -> list[ChatMessage]:
    """Build the prompt so that its beginning stays: core, history without old evidence, evidence, question."""
    about = " ".join(part.strip() for part in (identity.introduction, identity.style, told) if part.strip())
    core = prompt("core").substitute(name=identity.name or "the person", about=about, language=NAMES[language_of(question)])
    notes = "\n".join(f"{_dated(item)}{_plain(item.chunk.content)}" for item in items)
    earlier = [ChatMessage(turn.role, turn.text[:HISTORY_CHARACTERS]) for turn in history[-HISTORY_TURNS:] if turn.text]
    return [ChatMessage("system", core), *earlier, ChatMessage("user", prompt("question").substitute(notes=notes, question=question))]


def _dated(item: Recalled) -> str:
    return f"Note from {item.chunk.said_at:%d %B %Y}: " if item.chunk.said_at else "Note: "


def _plain(text: str) -> str:
    """Return a passage without the marks of headings and lists, which a small model would copy."""
    return " ".join(" ".join(_MARKS.sub("", line) for line in text.splitlines() if not _RETAIN.match(line)).split())


def leaning(question: str, history: Sequence[Turn]) -> str:
    """Return what to look for: a short question is read together with the one before it ("And when?")."""
    if len(terms(question)) > SHORT_QUESTION:
        return question
    before = next((turn.text for turn in reversed(history) if turn.role == "user"), "")
    return f"{before}\n{question}" if before else question
