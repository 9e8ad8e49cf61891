"""Answering from what was recalled: the reading, the prompt, the model, the guard, and the
citations beside each sentence.

Evidence first. The reader chooses what is quoted without the model, and says how likely it is that
there is an answer. A small model, which misreads what it is given about half the time, is led by
those quotations and may only add what they carry. A larger one answers from all the evidence; what
the guard does not let through gives way to the quotations.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, Protocol

from lpm_kernel.domain.chat.conversations import (
    AnswerPart,
    Citation,
    Identity,
    Length,
    Outcome,
    PartKind,
    Turn,
    outcome_of,
)
from lpm_kernel.domain.chat.recall import Level, Recalled, Recollection
from lpm_kernel.domain.ids import TurnId
from lpm_kernel.domain.library.documents import text_hash
from lpm_kernel.domain.ports import ChatMessage, Delta, LanguageModel, Sampling
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import spoken, terms
from lpm_kernel.L0.language.identification import NAMES, language_of
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.direct_lines import as_sentence, spells_out
from lpm_kernel.L1.answering.grounding import Guard, Piece, nothing, quotation, widened
from lpm_kernel.L1.answering.leads import Whose, nobody_known
from lpm_kernel.L1.answering.reader import CLOSE, DOUBTFUL, NOTHING
from lpm_kernel.L1.answering.small_talk import reply_to, small_talk
from lpm_kernel.L1.answering.voice import (
    OwnStyle,
    Voice,
    untold,
    voice_of,
    wanted_length,
    wanted_manner,
)
from lpm_kernel.L1.prompts import prompt

EVIDENCE_TOKENS = 900
"""Tokens of evidence that are read; a small model gets only the passages that are quoted."""
EVIDENCE_ITEMS = 10
READS_WELL = 1_000_000_000
"""Parameters from which a model is trusted to choose among the evidence by itself."""

HISTORY_TURNS = 6
HISTORY_CHARACTERS = 400
"""Of each earlier turn, so that an old essay does not push the evidence out."""
SHORT_QUESTION = 2
"""With this many content words or fewer, a question is taken to lean on the one before it."""
ANSWER_TOKENS, LONG_ANSWER_TOKENS = 120, 320
MOST_REPEATS = 2
"""A model that says the same sentence again this often has lost its way."""
MOST_SENTENCES = {Length.SHORT: 1, Length.NORMAL: 3, Length.FULL: 6}
MOST_WORDS = {Length.SHORT: 30, Length.NORMAL: 60, Length.FULL: 150}
"""Words up to which a small model may add to what is quoted."""

HALF, NEARLY_ALL = 0.5, 0.65
"""Share of the question's words in a quoted passage: with half, it is shown and can be judged by
the person; with most, it is not doubted.
"""


_MARKS = re.compile(r"^\s*(?:#{1,6} |[-*+] (?:[BWOS](?:\(c=[\d.]+\))? )?@?|> )")
_GOES_ON = re.compile(
    r"\W*(?:and|but|or|so|what about|how about|also)\b|(?:では|じゃ|それで|それなら|あと)",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|theirs?|that|this|those|these|there|then|ones?"
    r"|same|else|more|another|other|others)\b|それ|その|そこ|そちら|彼|あれ|あの|そのとき|ほか|他に|もっと|同じ"
    r"|它|他|她|那|这|這|其他|还有|還有|别的",
    re.IGNORECASE,
)
"""Words that mean something said before."""
_FAMILIAR = re.compile(r"[a-zA-Z\u3041-\u30ff\u3400-\u9fff]")
"""Letters of which the embedder, or the dictionary before it, knows the meaning."""
_RETAIN = re.compile(r"^\s*#+ Retain\s*$")


@dataclass(frozen=True)
class AnswerStretch:
    """A stretch of the answer."""

    part: int
    kind: PartKind
    text: str = field(repr=False)


@dataclass(frozen=True)
class Thought:
    """What the model thinks before it answers. Nobody checked it; it is shown, and not kept."""

    text: str = field(repr=False)


@dataclass(frozen=True)
class Cited:
    """What a part rests on."""

    part: int
    citation: Citation


@dataclass(frozen=True)
class Ended:
    """The answer is complete, or was stopped."""

    parts: tuple[AnswerPart, ...]
    citations: tuple[Citation, ...]
    abstained: bool
    prompt_hash: str | None
    finish_reason: Literal["stop", "length"]
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def outcome(self) -> Outcome:
        """What came of the question."""
        return outcome_of(self.parts, abstained=self.abstained)


AnswerEvent = AnswerStretch | Cited | Ended | Thought
Read = Callable[[Question, Recollection], reader.ReadingResult]
"""Chooses what answers a question."""


@dataclass(frozen=True)
class AnswerRequest:
    """What is to be answered, and what is known."""

    question: Question
    sought: Question
    """What was looked for: a short question leans on the one before it (:func:`leaning`)."""
    found: Recollection
    reading: reader.ReadingResult
    """What of it answers the question."""
    identity: Identity
    history: Sequence[Turn] = field(default=(), repr=False)
    core: Sequence[str] = field(default=(), repr=False)
    """What the person wants to be kept in mind always."""
    told: str = field(default="", repr=False)
    """What a calling program wants besides (its system message)."""
    whose: Whose = nobody_known
    """Whose words a quotation brings."""
    own_style: OwnStyle = field(default=untold, repr=False)
    """How the person writes, as their texts show; what they say of style themselves comes first."""


class Tell(Protocol):
    """How an answer is told: as the second self (:func:`answer`) or in a role (``play``)."""

    def __call__(
        self,
        request: AnswerRequest,
        model: LanguageModel,
        draft: Draft,
        /,
        *,
        sampling: Sampling | None = ...,
        gone: Callable[[], bool] = ...,
    ) -> Generator[AnswerEvent]:
        """Answer from the passages, each sentence with what carries it."""
        ...


@dataclass
class Draft:
    """An answer as it grows; what is in it when the model is stopped is kept."""

    parts: list[AnswerPart] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    prompt_hash: str | None = None
    whole: bool = False
    """It was computed from more than it cites."""
    retold: tuple[TurnId, ...] = ()
    """The earlier answers that it tells again."""

    @property
    def text(self) -> str:
        """The answer as plain text."""
        return plain_text(self.parts)

    def add(self, piece: Piece, items: Sequence[Recalled]) -> Iterator[AnswerStretch | Cited]:
        """Take a piece in, and say so."""
        place = len(self.parts)
        if piece.item is None:
            self.parts.append(AnswerPart(piece.kind, piece.text))
            yield AnswerStretch(place, piece.kind, piece.text)
            return
        citation = self._citation(items[piece.item], piece.span)
        self.parts.append(AnswerPart(piece.kind, piece.text, (citation.n,)))
        yield AnswerStretch(place, piece.kind, piece.text)
        yield Cited(place, citation)

    def tell(self, told: reader.TableAnswer) -> Iterator[AnswerStretch | Cited]:
        """Take in what was computed, with the rows that it rests on; without any, the node says
        something of itself.
        """
        kind = PartKind.STATEMENT if told.citations else PartKind.NOTE
        if told.retold:
            kind, self.retold = PartKind.RETOLD, told.retold
        self.parts.append(
            AnswerPart(kind, told.sentence, tuple(citation.n for citation in told.citations))
        )
        self.citations += told.citations
        self.whole = told.whole
        yield AnswerStretch(0, kind, told.sentence)
        for citation in told.citations:
            yield Cited(0, citation)

    def _citation(self, item: Recalled, span: tuple[int, int] | None) -> Citation:
        chunk = item.chunk
        start, end = (
            (chunk.start, chunk.end)
            if span is None
            else (chunk.start + span[0], chunk.start + span[1])
        )
        for known in self.citations:
            if (known.chunk, known.start, known.end) == (chunk.id, start, end):
                return known
        quote = chunk.text[start - chunk.start : end - chunk.start]
        citation = Citation(
            len(self.citations) + 1,
            chunk.id,
            chunk.document,
            chunk.text_version,
            start,
            end,
            text_hash(quote),
        )
        self.citations.append(citation)
        return citation


def evidence_for(question: Question, *, explain: bool = False) -> RecallQuery:
    """Return what recall is asked before an answer."""
    return RecallQuery(
        question, k=EVIDENCE_ITEMS, token_budget=EVIDENCE_TOKENS, explain=explain, rerank=True
    )


def recalled_for(
    sought: Question, recall: Callable[[RecallQuery], Recollection], *, explain: bool = False
) -> Recollection:
    """Recall what may answer; for small talk nothing is looked for."""
    if small_talk(sought.text):
        return Recollection((), Level.WORDS, 0, 0, 0.0)
    return recall(evidence_for(sought, explain=explain))


def plain_text(parts: Sequence[AnswerPart]) -> str:
    """Return an answer's parts as one text.

    >>> said = AnswerPart(PartKind.QUOTATION, "Rain.")
    >>> plain_text([AnswerPart(PartKind.NOTE, "This stands there:"), said])
    'This stands there: “Rain.”'
    """
    return " ".join(
        f"“{part.text}”" if part.kind is PartKind.QUOTATION else part.text for part in parts
    )


def answer(
    request: AnswerRequest,
    model: LanguageModel,
    draft: Draft,
    *,
    sampling: Sampling | None = None,
    gone: Callable[[], bool] = lambda: False,
) -> Generator[AnswerEvent]:
    """Answer from the passages, sentence by sentence, each with its citation.

    ``gone`` tells that nobody listens any more.

    Raises ``ModelUnavailableError``; what was released until then stays in ``draft``.
    """
    question, found, reading = request.question, request.found, request.reading
    items = found.items[:EVIDENCE_ITEMS]
    voice, led = voice_of(question, request.identity), not reads_well(model)
    if said := [*_at_once(draft, request, voice, led=led)]:
        yield from said
        return
    chance = likelihood(question, found, reading)
    quote = partial(_quoted, draft, request, items, voice, sure=chance >= DOUBTFUL)
    if led:
        yield from quote()
    on_the_table = _picked(items, reading) if led else items
    messages = compose(request, on_the_table)
    draft.prompt_hash = hash_of(messages)
    guard = Guard(question, items, reading.picks if led else None)
    fit = partial(_worded, request, items, led)
    most_sentences, most_words = _limits(voice.length, led=led)
    last = None
    stream = model.stream(messages, sampling or _sampling(voice.length))
    with closing(stream):  # type: ignore[type-var]  # generators close; the port promises no more than an iterator
        for delta in stream:
            if gone():
                return
            if delta.thought:
                yield Thought(delta.thought)
            yield from added(draft, fit(guard.feed(delta.text)), items, most_words)
            last = delta
            if guard.repeats >= MOST_REPEATS or guard.released >= most_sentences:
                break
    yield from added(draft, fit(guard.finish()), items, most_words)
    silent = not guard.released and not led
    if silent and guard.does_not_know and chance < DOUBTFUL:
        yield from _abstaining(draft, request, items, voice)
        return
    if silent:
        yield from quote()
    yield ended(draft, last, quoted=led or silent)


def _at_once(
    draft: Draft, request: AnswerRequest, voice: Voice, *, led: bool
) -> Iterator[AnswerEvent]:
    """Give the whole answer where no model is needed: to small talk, from a table, where there is
    nothing, and where a model that is ``led`` would have to speak of what may be another thing.
    """
    question, found, reading = request.question, request.found, request.reading
    items = found.items[:EVIDENCE_ITEMS]
    if talk := small_talk(question.text):
        yield from draft.add(Piece(PartKind.NOTE, reply_to(talk, voice, request.identity)), items)
        yield ended(draft)
    elif reading.told is not None:
        yield from draft.tell(reading.told)
        yield ended(draft)
    elif (chance := likelihood(question, found, reading)) < NOTHING:
        yield from _abstaining(draft, request, items, voice)
    elif led and chance < DOUBTFUL:
        yield from _quoted(draft, request, items, voice, sure=False)
        yield ended(draft, quoted=True)


def ended(draft: Draft, last: Delta | None = None, *, quoted: bool = False) -> Ended:
    """Say that an answer is complete. ``last`` is what the model sent last; where evidence was
    ``quoted``, it does not matter why the model ended.
    """
    return Ended(
        tuple(draft.parts),
        tuple(draft.citations),
        abstained=False,
        prompt_hash=draft.prompt_hash,
        finish_reason="stop" if quoted or last is None else last.finish_reason or "stop",
        prompt_tokens=last.prompt_tokens if last else 0,
        completion_tokens=last.completion_tokens if last else 0,
    )


def _abstaining(
    draft: Draft, request: AnswerRequest, items: Sequence[Recalled], voice: Voice
) -> Iterator[AnswerEvent]:
    """Say that there is nothing about it, or nothing from that day."""
    days = request.reading.days
    yield from draft.add(nothing(voice, days[0] if days else None, items), items)
    yield replace(ended(draft), citations=(), abstained=True)


def _picked(items: Sequence[Recalled], reading: reader.ReadingResult) -> list[Recalled]:
    return [items[at] for at in dict.fromkeys(pick.item for pick in reading.picks)]


def _limits(length: Length, *, led: bool) -> tuple[int, int | None]:
    """Give the sentences after which the model is stopped, and the words that may stand in all."""
    return (1, MOST_WORDS[length]) if led else (MOST_SENTENCES[length], None)


def _sampling(length: Length) -> Sampling:
    return Sampling(
        temperature=0.0,
        max_tokens=LONG_ANSWER_TOKENS if length is Length.FULL else ANSWER_TOKENS,
    )


def likelihood(question: Question, found: Recollection, reading: reader.ReadingResult) -> float:
    """Give the chance that what would be quoted answers the question, 0..1: the calibrated one, but
    no less than its words warrant where no model has read it, and the face of an answer only where
    a passage that is quoted has a word of the question, in whatever language.
    """
    # only marks or pictures: nothing was asked
    if not reading.picks or not any(sign.isalnum() for sign in question.text):
        return 0.0
    asked = set(question.terms)
    # a script that stands nowhere here: its meaning is not known
    if not _FAMILIAR.search(question.text) and not any(item.matched for item in found.items):
        return 0.0
    if reading.learned:
        # a model that reads across languages is often wrong where no word is shared
        shared = reading.days or any(found.items[pick.item].matched for pick in reading.picks)
        return reading.chance if shared else min(reading.chance, NOTHING)
    share = max(
        len(asked & set(found.items[pick.item].matched)) / max(1, len(asked))
        for pick in reading.picks
    )
    floor = DOUBTFUL if share >= NEARLY_ALL else NOTHING if share >= HALF else 0.0
    chance = max(reading.chance, floor)
    return min(chance, CLOSE) if reading.elsewhere else chance


def reads_well(model: LanguageModel) -> bool:
    """Tell whether a model is large enough to be trusted with choosing among the evidence. One of
    unknown size is.
    """
    return (model.card().parameters or READS_WELL) >= READS_WELL


def _quoted(
    draft: Draft, request: AnswerRequest, items: Sequence[Recalled], voice: Voice, *, sure: bool
) -> Iterator[AnswerStretch | Cited]:
    """Let the evidence speak."""
    reading = request.reading
    picks = widened(reading.picks, items) if voice.length is Length.FULL else reading.picks
    pieces = quotation(request.question, items, picks, sure=sure, voice=voice, whose=request.whose)
    if sure and (line := _line(pieces, reading, items)) is not None:
        yield from draft.add(line, items)
    for piece in pieces:
        yield from draft.add(piece, items)


def _line(
    pieces: Sequence[Piece], reading: reader.ReadingResult, items: Sequence[Recalled]
) -> Piece | None:
    """Return the words that answer by themselves, where they stand in what is quoted first."""
    line = reading.line
    first = next((piece for piece in pieces if piece.kind is PartKind.QUOTATION), None)
    if line is None or first is None or first.item != line.item or first.span is None:
        return None
    if not first.span[0] <= line.start < line.end <= first.span[1]:
        return None
    words = items[line.item].chunk.text[line.start : line.end]
    return Piece(
        PartKind.STATEMENT, as_sentence(words, language_of(first.text)), line.item, first.span
    )


def _worded(
    request: AnswerRequest,
    items: Sequence[Recalled],
    led: bool,
    pieces: Sequence[Piece],
) -> Sequence[Piece]:
    """Keep what words the answer that was read, of what a model that is ``led`` says: that all its
    words stand in the evidence does not make it so.
    """
    likeliest = request.reading.likeliest
    if not led or likeliest is None:
        return pieces
    answer = items[likeliest.item].chunk.text[likeliest.start : likeliest.end]
    return [each for each in pieces if spells_out(each.text, request.question.text, answer)]


def added(
    draft: Draft, pieces: Sequence[Piece], items: Sequence[Recalled], most: int | None
) -> Iterator[AnswerStretch | Cited]:
    """Take in what the guard let through; after quotations (``most`` words in all) only what says
    it in other words.
    """
    for piece in pieces:
        if most is not None and (
            piece.kind is PartKind.QUOTATION
            or stutters(piece.text)
            or reader.length(draft.text) + reader.length(piece.text) > most
        ):
            continue
        yield from draft.add(piece, items)


def stutters(sentence: str) -> bool:
    """Tell whether a sentence says three words in a row twice, as small models do.

    >>> stutters("He was a light keeper who was a light keeper."), stutters("Mai came by boat.")
    (True, False)
    """
    words = spoken(sentence)
    threes = list(zip(words, words[1:], words[2:], strict=False))
    return len(set(threes)) < len(threes)


def compose(request: AnswerRequest, items: Sequence[Recalled]) -> list[ChatMessage]:
    """Build the prompt so that its beginning stays: core, history without old evidence, evidence,
    question. ``items`` are on the table. What the person said of style stands behind what was
    measured, and so outweighs it.
    """
    identity = request.identity
    voice = voice_of(request.question, identity)
    name = identity.name or "the person"
    values = f"What matters to {name}: {identity.values.strip()}" if identity.values.strip() else ""
    about = " ".join(
        part.strip()
        for part in (
            identity.introduction,
            values,
            request.own_style(voice),
            identity.style,
            request.told,
        )
        if part.strip()
    )
    in_mind = "".join(f"\n- {line}" for line in request.core)
    begins = prompt("core").substitute(
        name=name,
        about=about,
        core=f"\nAlways keep in mind:{in_mind}" if in_mind else "",
        language=NAMES[voice.language],
        length=wanted_length(voice),
        manner=wanted_manner(voice),
    )
    notes = "\n".join(f"{dated(item)}{plain(item.content)}" for item in items)
    return [
        ChatMessage("system", begins),
        *_earlier(request.history),
        ChatMessage(
            "user", prompt("question").substitute(notes=notes, question=request.question.text)
        ),
    ]


def _earlier(history: Sequence[Turn]) -> list[ChatMessage]:
    return [
        ChatMessage(turn.role, turn.text[:HISTORY_CHARACTERS])
        for turn in [each for each in history if each.text][-HISTORY_TURNS:]
    ]


def hash_of(messages: Sequence[ChatMessage]) -> str:
    """Return what tells two prompts apart."""
    return hashlib.sha256(json.dumps([(m.role, m.content) for m in messages]).encode()).hexdigest()


def dated(item: Recalled) -> str:
    """Return how a note begins: with when it was said, where that is known."""
    return f"Note from {item.chunk.said_at:%d %B %Y}: " if item.chunk.said_at else "Note: "


def plain(text: str) -> str:
    """Return a passage without the marks of headings and lists, which a small model would copy."""
    return " ".join(
        " ".join(
            _MARKS.sub("", line) for line in text.splitlines() if not _RETAIN.match(line)
        ).split()
    )


def leaning(question: Question, history: Sequence[Turn]) -> Question:
    """Return what to look for: a short question is read together with the one before it ("And
    when?"), unless it names what it is about, or says enough and points back to nothing.
    """
    words = len(terms(question.text))
    goes_on = bool(_GOES_ON.match(question.text))
    points_back = goes_on or bool(_POINTS_BACK.search(question.text))
    if (
        words > SHORT_QUESTION
        or (words == SHORT_QUESTION and not points_back)
        or (question.names and not goes_on)
        or small_talk(question.text)
    ):
        return question
    before = next(
        (
            turn.text
            for turn in reversed(history)
            if turn.role == "user" and turn.text not in {"", question.text}
        ),
        "",
    )
    if not before or (words and not points_back and language_of(before) != question.language):
        return question
    return Question(f"{before}\n{question.text}", question.text)
