"""Reading: which sentences of the passages answer the question, and whether any does.

A small model misreads its evidence, so what is quoted is chosen without it. Each sentence of the
best passages is weighed by what speaks for it: where its passage stands, how its words and their
meaning meet the question's, whether it has the form of an answer (a date for a when, a number for a
how many, a name for a who). The weights are learned on invented lives (`tests/bench/fit_reader.py`)
and ship in `reader.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from importlib import resources

import numpy as np

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recalled, Recollection
from lpm_kernel.domain.ids import DocumentId, TurnId, is_thread
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.domain.ports import Embedder, ReadingModel, TokenEmbedder
from lpm_kernel.errors import EmbedderUnavailableError, ReaderUnavailableError
from lpm_kernel.L0.language.dates import Span, fit, spans
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.direct_lines import tells_whether, trimmed
from lpm_kernel.L1.answering.mismatches import is_another
from lpm_kernel.L1.answering.sentences import PassageSentence, is_row, sentences
from lpm_kernel.L1.answering.signs import FORMS, Floats, Reading, look, texts
from lpm_kernel.L1.answering.windows import LEARNED, bounded, learned_signs

PICKS = 2
WORDS = 42
"""What is quoted has together no more words; with who said it when, an answer stays below sixty."""

BESIDE = 4.0
"""Points of the score by which a neighbouring sentence may be worse and still be quoted along."""

APART, EVEN = 1.5, 1.0
"""Points of the score by which a second stretch may be worse than the first and still be quoted,
and those within which it may even be of another document and have no word of the question. An
answer that is certain has no second one beyond the latter: of 48 such in four archives and six
talks eight held an answer, three of them the only one (`docs/log.md`).
"""

LOST = 4.0
"""Points of the score that a sentence loses which was not so at the time that is asked about, or
tells of the first where the last is asked for, and a row of a table that has no word of the
question: as many as a neighbour may be worse and still be quoted along.
"""
CERTAIN = 11.0
"""Points by which a span has to be likelier than none to stand above the quotation as the answer.
Of plain questions to three lives 95 % of such lines were right, of those to ten others 92 %
(`docs/log.md`).
"""
LINE_WORDS, LINE_SHARE = 12, 0.7
"""Words that it may have, and its share of what is quoted: beyond, the quotation says it itself."""
HEAD = 3
"""Sentences on which it depends whether there is an answer."""

ANSWERED = ("margin", "form", "recall")
"""What is known of a whole reading, for judging whether there is an answer. Of 19 signs that were
tried, these held on lives that they were not learned from.
"""
RIGHT = (*ANSWERED, "span_first", "relevant_first")
"""What is known of the sentence that is quoted first, for judging whether it is the answer."""
NOTHING, CLOSE, DOUBTFUL = 0.3, 0.4, 0.45
"""Chance that there is an answer below which nothing is quoted, and below which what is quoted is
said to be no more than what comes closest; between them, what is given to a quotation that speaks
of another than is asked. `docs/adr/0005` and `0016` have the trade-off.
"""

_LATIN_WORD = re.compile(r"[A-Za-z0-9\u00c0-\u024f][\w’'.,:-]*")
_WIDE_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
Stretch = tuple[DocumentId, int, int]
"""A stretch of a document, in code points, end exclusive."""


@dataclass(frozen=True)
class Pick:
    """What is quoted: a sentence, or two that follow each other in one passage. A span of the
    passage, end exclusive.
    """

    item: int
    start: int
    end: int


@dataclass(frozen=True)
class TableAnswer:
    """An answer that was computed from rows of a table, or from threads of chats, with these."""

    sentence: str = field(repr=False)
    citations: tuple[Citation, ...]
    whole: bool = False
    """Rows that are not cited may have been counted."""
    retold: tuple[TurnId, ...] = ()
    """The earlier answers that are told again; it cites what they cited."""


@dataclass(frozen=True)
class ReadingResult:
    """What a reading came to."""

    picks: tuple[Pick, ...]
    """Best first."""
    chance: float
    """0..1: how likely it is that what is picked answers (:func:`judged`)."""
    told: TableAnswer | None = None
    """What was computed, where that was asked for: it needs no quotation."""
    learned: bool = False
    """A model that has learned to read has read it: the chance is its judgement too."""
    days: tuple[Span, ...] = ()
    """The times that the question asks about as a whole."""
    line: Pick | None = None
    """The words of what is picked first that answer by themselves."""
    likeliest: Pick | None = None
    """The words of what is picked first that a model takes for the answer, sure of them or not."""
    elsewhere: bool = False
    """What is picked first speaks plainly of another, or of another time, than is asked: it is the
    closest at most, whatever words it shares.
    """


@dataclass(frozen=True)
class ReaderWeights:
    """What a feature counts for a sentence, and what the best ones count for there being an
    answer.
    """

    sentence: Mapping[str, float]
    answered: Mapping[str, float]
    passage: Mapping[str, float] = field(default_factory=dict)
    """What a feature counts for a passage that was read to rank it."""
    right: Mapping[str, float] = field(default_factory=dict)
    """What it counts for the first sentence's being the answer, where that is judged apart."""


@lru_cache(maxsize=2)
def shipped(*, learned: bool = False) -> ReaderWeights:
    """Read the weights that ship with the node: those for the signs alone, or those that count
    what a model has ``learned`` to read too.
    """
    name = "reader-learned.json" if learned else "reader.json"
    raw = json.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))
    return ReaderWeights(
        raw["sentence"], raw["answered"], raw.get("passage", {}), raw.get("right", {})
    )


@dataclass(frozen=True)
class ReaderPorts:
    """What a reading goes through. Without either, or while it does not answer, words and form
    decide.
    """

    embedder: Embedder | None = None
    model: ReadingModel | None = None


def read(
    question: Question, found: Recollection, ports: ReaderPorts = ReaderPorts()
) -> ReadingResult:
    """Choose what answers the question."""
    return rest(question, found, (), ports)


def rest(
    question: Question,
    found: Recollection,
    shown: Sequence[Stretch],
    ports: ReaderPorts = ReaderPorts(),
) -> ReadingResult:
    """Choose what answers the question besides what was shown already, there or in the same words
    elsewhere.
    """
    items = found.items
    known = _besides(sentences(items), items, shown) if shown else sentences(items)
    if not known:
        return ReadingResult((), 0.0)
    reading = reading_of(question, items, known, ports)
    learned = "span" in reading.features
    weights = shipped(learned=learned)
    score = scores(reading, weights)
    picks = pick(reading, score, items)
    chance = judged(reading, weights, found.answerable)
    elsewhere = bool(picks) and _is_another(question, picks[0], items)
    if elsewhere:
        chance = min(chance, CLOSE)
    elif chance >= DOUBTFUL:
        picks = pick(reading, score, items, EVEN)
    return ReadingResult(
        picks,
        chance,
        learned=learned,
        elsewhere=elsewhere,
        line=_line(question, reading, picks, items) if learned else None,
        likeliest=_likeliest(reading, picks[0], items)[0] if learned and picks else None,
    )


def _is_another(question: Question, first: Pick, items: Sequence[Recalled]) -> bool:
    item = items[first.item]
    quoted = item.chunk.text[first.start : first.end]
    return is_another(question.text, quoted, item.content)


def of_that_time(
    read: ReadingResult, question: Question, found: Recollection, now: datetime
) -> ReadingResult:
    """Call what was said at quite another time than the question names, and tells of no such time,
    no more than what comes closest.
    """
    asked = question.dates(now)
    if not asked or not read.picks or any(each.open for each in asked):
        return read
    chunk = found.items[read.picks[0].item].chunk
    if chunk.said_at is None:
        return read
    told = [span for span in spans(chunk.text, chunk.said_at) if not span.open]
    if fit(asked, np.array([chunk.said_at.timestamp()]))[0] > 0 or any(
        one.start < other.end and other.start < one.end for one in asked for other in told
    ):
        return read
    return replace(read, chance=min(read.chance, CLOSE), elsewhere=True)


def _line(
    question: Question, reading: Reading, picks: Sequence[Pick], items: Sequence[Recalled]
) -> Pick | None:
    """Return what answers by itself of what is quoted first: in a conversation that may be two
    stretches.
    """
    best = picks[:1]
    if best and is_thread(items[best[0].item].chunk.document):
        best = [each for each in picks[:2] if each.item == best[0].item]
    found = next(filter(None, (direct_line(reading, each, items) for each in best)), None)
    if found is None:
        return None
    words = items[found.item].chunk.text[found.start : found.end]
    return found if tells_whether(question.text, words) else None


def _besides(
    known: Sequence[PassageSentence], items: Sequence[Recalled], shown: Sequence[Stretch]
) -> list[PassageSentence]:
    def is_shown(each: PassageSentence) -> bool:
        chunk = items[each.item].chunk
        return any(
            chunk.document == document
            and chunk.start + each.start < end
            and chunk.start + each.end > start
            for document, start, end in shown
        )

    said = {" ".join(sentence.text.split()) for sentence in known if is_shown(sentence)}
    return [sentence for sentence in known if " ".join(sentence.text.split()) not in said]


def reading_of(
    question: Question,
    items: Sequence[Recalled],
    known: Sequence[PassageSentence],
    ports: ReaderPorts,
) -> Reading:
    """Observe what speaks for each sentence, as far as the ports answer."""
    embedded = None
    if ports.embedder is not None:
        with suppress(EmbedderUnavailableError):
            embedded = embedded_by(ports.embedder, texts(question, items, known))
    reading = look(question, items, known, embedded)
    if ports.model is not None:
        with suppress(ReaderUnavailableError):
            learned = learned_signs(ports.model, question, items, known)
            reading = replace(
                reading, features=reading.features | learned.features, answers=learned.answers
            )
    return reading


def embedded_by(embedder: Embedder, asked: Sequence[str]) -> Embedded:
    """Embed texts, with their tokens where the embedder gives them."""
    if isinstance(embedder, TokenEmbedder):
        return embedder.embed_tokens(asked)
    return Embedded(embedder.id, embedder.embed(asked))


def pick(
    reading: Reading, score: Floats, items: Sequence[Recalled], apart: float = APART
) -> tuple[Pick, ...]:
    """Choose up to :data:`PICKS` stretches of one or two neighbouring sentences, together no longer
    than :data:`WORDS`, the second at most ``apart`` points of the score worse than the first.
    """
    chosen: list[Pick] = []
    stretches = 0
    used: set[int] = set()
    room = float(WORDS)
    for best in np.argsort(-score, kind="stable"):
        at = int(best)
        if stretches == PICKS or (chosen and score[at] < score.max() - apart):
            break
        if at in used or (
            chosen
            and not (
                _fits_beside(reading, at, room)
                and (score[at] > score.max() - EVEN or _is_related(reading, at, chosen, items))
            )
        ):
            continue
        both = [at]
        other = _neighbour(reading, score, items, at, used)
        if other is not None and _words_of(reading, at, other) <= room:
            both = sorted((at, other))
        used.update(both)
        chosen += _quoted([reading.sentences[n] for n in both], items)
        stretches += 1
        room -= _words_of(reading, *both)
    return tuple(chosen)


def _quoted(both: Sequence[PassageSentence], items: Sequence[Recalled]) -> list[Pick]:
    """Return what is quoted of neighbouring sentences: one stretch, but two where they were said
    one after the other in a conversation.
    """
    first, last = both[0], both[-1]
    chunk = items[first.item].chunk
    if is_thread(chunk.document) and "\n" in chunk.text[first.end : last.start]:
        return [Pick(each.item, each.start, each.end) for each in both]
    return [Pick(first.item, first.start, last.end)]


def direct_line(reading: Reading, quoted: Pick, items: Sequence[Recalled]) -> Pick | None:
    """Return the words of what is quoted first that answer by themselves, where the model is
    :data:`CERTAIN` of them and they are much shorter than the quotation.
    """
    text = items[quoted.item].chunk.text
    likeliest, certain = _likeliest(reading, quoted, items)
    if likeliest is None or certain < CERTAIN:
        return None
    words = length(text[likeliest.start : likeliest.end])
    if not 0 < words <= LINE_WORDS or words > LINE_SHARE * length(text[quoted.start : quoted.end]):
        return None
    return likeliest


def _likeliest(
    reading: Reading, quoted: Pick, items: Sequence[Recalled]
) -> tuple[Pick | None, float]:
    """Return the words of a quotation that the model takes for the answer, and how sure it is."""
    certain = reading.features["span"]
    inside = [
        at
        for at, each in enumerate(reading.sentences)
        if each.item == quoted.item and quoted.start <= each.start and each.end <= quoted.end
    ]
    best = max(inside, key=lambda at: float(certain[at]), default=None)
    if best is None or (place := reading.answers[best]) is None:
        return None, 0.0
    start, end = trimmed(items[quoted.item].chunk.text, *place)
    return Pick(quoted.item, start, end), float(certain[best])


def _fits_beside(reading: Reading, at: int, room: float) -> bool:
    """Tell whether a sentence may be quoted after another: it says something, and there is room."""
    return not reading.features["short"][at] and length(reading.sentences[at].text) <= room


def _is_related(
    reading: Reading, at: int, chosen: Sequence[Pick], items: Sequence[Recalled]
) -> bool:
    """Tell whether a sentence is of the same document as what is quoted, or has a word of the
    question; else the two are of different things.
    """
    documents = {items[pick.item].chunk.document for pick in chosen}
    same = items[reading.sentences[at].item].chunk.document in documents
    return same or bool(reading.features["cover"][at] > 0)


def _neighbour(
    reading: Reading, score: Floats, items: Sequence[Recalled], at: int, used: set[int]
) -> int | None:
    """Return the better of the sentences beside one that may be quoted along with it."""
    beside = [
        n
        for n in (at - 1, at + 1)
        if n not in used
        and 0 <= n < len(score)
        and score[n] > score[at] - BESIDE
        and _side_by_side(reading.sentences[min(n, at)], reading.sentences[max(n, at)], items)
    ]
    return max(beside, key=lambda n: float(score[n]), default=None)


def _words_of(reading: Reading, *numbers: int) -> float:
    return sum(length(reading.sentences[n].text) for n in numbers)


def _side_by_side(
    one: PassageSentence, next_one: PassageSentence, items: Sequence[Recalled]
) -> bool:
    """Tell whether two sentences stand in one paragraph, with no mark of a list between them, and
    neither is a row of a table.
    """
    if is_row(one.text) or is_row(next_one.text):
        return False
    between = (
        items[one.item].chunk.text[one.end : next_one.start] if one.item == next_one.item else "."
    )
    return not between.strip() and between.count("\n") <= 1


def length(text: str) -> float:
    """Count words; two signs of Japanese or Chinese are about one.

    >>> length("Rain all day."), length("雨だった。")
    (3.0, 2.0)
    """
    return len(_LATIN_WORD.findall(text)) + len(_WIDE_SIGN.findall(text)) / 2


def scores(reading: Reading, weights: ReaderWeights) -> Floats:
    """Score the sentences. Shape (n,)."""
    total = np.zeros(len(reading.sentences))
    for name, values in reading.features.items():
        total += weights.sentence.get(name, 0.0) * values
    for name in ("lapsed", "other_row", "contrary"):
        total -= LOST * reading.features.get(name, np.zeros(len(total)))
    return total


def summary(reading: Reading, weights: ReaderWeights, recalled: float) -> dict[str, float]:
    """Sum the best sentences up. ``recalled`` is what recall says of the chance that there is an
    answer.
    """
    score = scores(reading, weights)
    order = np.argsort(-score, kind="stable")
    given = reading.features
    return {
        "margin": float(score[order[0]] - score[order[1:10]].mean()) if len(order) > 1 else 0.0,
        "form": max(
            (
                float(given[name][order[:HEAD]].max())
                for name in FORMS
                if name in given and len(order)
            ),
            default=0.0,
        ),
        "recall": recalled,
        **{name: float(given[name].max()) for name in LEARNED if name in given},
        **{f"{name}_first": float(given[name][order[0]]) for name in LEARNED if name in given},
    }


def judged(reading: Reading, weights: ReaderWeights, recalled: float) -> float:
    """Give the chance that what is picked answers, 0..1: below :data:`NOTHING` where there is no
    answer, below :data:`DOUBTFUL` where it may be another. The weights are such that these hold as
    bars.
    """
    seen = summary(reading, weights, recalled)
    there = _chance(weights.answered, seen)
    if not weights.right or there < NOTHING:
        return there
    return max(NOTHING, _chance(weights.right, seen))


def chance_of_an_answer(span: float, relevant: float) -> float:
    """Give the chance that there is an answer, 0..1, from what a model that has learned to read
    says of the best span and of the most relevant window, as logits.
    """
    seen = {"span": bounded(span), "relevant": bounded(relevant)}
    return _chance(shipped(learned=True).answered, seen)


def _chance(weights: Mapping[str, float], seen: Mapping[str, float]) -> float:
    total = weights.get("bias", 0.0) + sum(
        weights.get(name, 0.0) * value for name, value in seen.items()
    )
    return float(1 / (1 + np.exp(-np.clip(total, -30, 30))))
