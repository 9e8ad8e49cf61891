"""Learn the reader's weights from invented lives, and write `lpm_kernel/L1/answering/reader.json`.

    python -m tests.bench.fit_reader            # report how well held-out lives are read
    python -m tests.bench.fit_reader --write    # the same, and write the weights
    python -m tests.bench.fit_reader --learned  # the same with the model that has learned to read:
                                                # `reader-learned.json`

What is learned from is what the ranker learns from: the talks, and Marit's archive. The sample life
is left out: it is what answers are measured on (`test_answers.py`). A sentence is right if it holds
the evidence or says all that an answer must say; in a talk, if it stands in a right turn.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.e5 import graph
from lpm_kernel.backends.embed.e5.course import FITTED_ON, lines_of
from lpm_kernel.backends.embed.e5.reader import E5Reader
from lpm_kernel.backends.parse.reading import FileReader
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.recall import Recalled, Recollection, Scope
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.domain.ports import ReadingModel
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import passages
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.chunks import chunks
from lpm_kernel.L0.text.masking import sanitise
from lpm_kernel.L1.answering import reader, signs
from lpm_kernel.L1.answering.reranking import RERANKED, cut, passage_signs, reranked
from lpm_kernel.L1.answering.sentences import PASSAGES, sentences
from lpm_kernel.L1.answering.windows import LEARNED, ReadOnce, learned_signs
from lpm_kernel.L1.recall import Recall
from lpm_kernel.L2 import dataset
from tests.bench.fit_ranker import (
    NOTES,
    Asked,
    Documents,
    Library,
    Turn,
    _chunks,
    _flat,
    _lines,
    area,
    life,
    load,
    logistic,
)
from tests.lives import LIVES

WEIGHTS = Path(reader.__file__).with_name("reader.json")
WITH_MODEL = WEIGHTS.with_name("reader-learned.json")
RIDGE = 2.0
STEPS = 400
AGAINST = frozenset({"asking", "heading", "short"})
EITHER = frozenset({"mine", "first", "new"})
AS_OFTEN = 2
PAPERS = Path(dataset.__file__).with_name("data") / "reading"
FALSE_NOTHING = 0.08
"""Share of what is there that may be told “nothing”, on lives left out."""
WRONG_ANSWERED = 0.08
"""Share of all questions that may get something wrong with the face of an answer."""
LATER = datetime(2026, 6, 1, 23, tzinfo=UTC)

Floats = NDArray[np.float64]
Right = dict[tuple[str, str], list[tuple[str, list[str]]]]
"""By question and day: quotations of the evidence, and the patterns that an answer matches."""


@dataclass(frozen=True)
class Read:
    """A question with its sentences, and which of them are right."""

    life: str
    asked: Asked
    items: Sequence[Recalled]
    reading: signs.Reading
    right: NDArray[np.bool_]
    answerable: float


@dataclass(frozen=True)
class Life:
    """A life in the index, with the questions that are asked of it."""

    name: str
    recall: Recall
    asked: Sequence[Asked]
    right: Right


def taken_in(
    library: Library, name: str, documents: Documents, asked: Sequence[Asked], right: Right
) -> Life:
    """Put a life into an index of its own."""
    index = IndexDb(library.folder / f"read-{name}.db")
    for title, made in documents:
        content = [chunk.content for chunk in made]
        vectors = library.embed(content)
        index.put(
            made[0].document,
            passages(made, title),
            embedded=Embedded(
                library.embedder.id, vectors, [library.tokens[text] for text in content]
            ),
        )
    recall = Recall(index, library.embedder, FrozenClock(asked[0].at), len)
    return Life(name, recall, asked, right)


def recalled(life: Life, asked: Asked, k: int) -> Recollection:
    scope = Scope(until=asked.at)
    query = RecallQuery(Question(asked.text), k=k, scope=scope, rerank=k == RERANKED)
    return life.recall(query, asked.at)


def read_life(
    library: Library, life: Life, model: ReadingModel | None, passage: Mapping[str, float]
) -> list[Read]:
    """Ask a life's questions as the product does, and read what comes back."""
    found = []
    for asked in life.asked:
        question = Question(asked.text)
        memory = recalled(life, asked, PASSAGES if model is None else RERANKED)
        if model is not None:
            memory = cut(reranked(question, memory, model, passage), PASSAGES, None, len)
        known = sentences(memory.items)
        if not known:
            continue
        embedded = library.embedder.embed_tokens(signs.texts(question, memory.items, known))
        reading = signs.look(question, memory.items, known, embedded)
        if model is not None:
            learned = learned_signs(model, question, memory.items, known)
            reading = replace(reading, features=reading.features | learned.features)
        labels = np.array(
            [holds(asked, life.right, memory.items[s.item], s.text) for s in known], np.bool_
        )
        found.append(Read(life.name, asked, memory.items, reading, labels, memory.answerable))
    return found


def fit_passages(lives: Sequence[Life], model: ReadingModel) -> dict[str, float]:
    """Learn what speaks for a passage, from those that hold the evidence; say what came of it."""
    names = ("score", "rank", "span", "relevant")
    cases: list[tuple[Floats, NDArray[np.bool_]]] = []
    for one in lives:
        for asked in one.asked:
            memory = recalled(one, asked, RERANKED)
            right = np.array([is_gold(asked, item) for item in memory.items], np.bool_)
            if right.any() and not right.all():
                seen = passage_signs(Question(asked.text), memory, model)
                cases.append((np.stack([seen[name] for name in names], axis=1), right))
    weights = softmax_fit(cases, np.ones(len(names)), np.zeros(len(names), np.bool_))
    for name, order in (("recall", [1.0, 0, 0, 0]), ("reranked", weights)):
        hit = np.zeros(3)
        for rows, right in cases:
            best = np.argsort(-(rows @ np.asarray(order)), kind="stable")
            hit += [right[best[:k]].sum() / right.sum() for k in (1, 3, PASSAGES)]
        print(
            f"{name:9} of the evidence in 25: first {hit[0] / len(cases):.3f}, in three"
            f" {hit[1] / len(cases):.3f}, in ten {hit[2] / len(cases):.3f} ({len(cases)})"
        )
    return dict(zip(names, weights.round(4).tolist(), strict=True))


def is_gold(asked: Asked, item: Recalled) -> bool:
    return item.chunk.id in asked.gold or (item.chunk.turn or "") in asked.gold


def holds(asked: Asked, right: Right, item: Recalled, sentence: str) -> bool:
    """Say whether a sentence answers."""
    if (key := (asked.text, f"{asked.at:%Y-%m-%d}")) not in right:  # a talk: its turns are short
        return (item.chunk.turn or "") in asked.gold
    if item.chunk.id not in asked.gold:
        return False
    said = f"{item.chunk.speaker or ''}: {sentence}"
    flat = _flat(sentence)
    for quote, accept in right[key]:
        if all(re.search(pattern, said, re.IGNORECASE) for pattern in accept):
            return True
        if (quote in flat or (flat in quote and len(flat) > len(quote) // 3)) and any(
            re.search(pattern, said, re.IGNORECASE) for pattern in accept
        ):
            return True
    return False


def matrix(read: Read, names: Sequence[str]) -> Floats:
    return np.stack(
        [read.reading.features.get(name, np.zeros(len(read.right))) for name in names], axis=1
    )


def fit(reads: Sequence[Read], names: Sequence[str]) -> Floats:
    """Learn the weights: softmax over a question's sentences, the right ones together against the
    rest.
    """
    cases = [
        (matrix(read, names), read.right)
        for read in reads
        if read.right.any() and not read.right.all()
    ]
    sign = np.array([-1.0 if name in AGAINST else 1.0 for name in names])
    free = np.array([name in EITHER for name in names])
    return softmax_fit(cases, sign, free)


def fit_beside(reads: Sequence[Read]) -> dict[str, float]:
    """Learn what the reading model's word counts for beside the other signs, which keep what they
    count for among themselves: fitted anew beside it, they forgot what holds where words are
    shared (a life that nothing was fitted to: 41 % right first before, 37 % so, 43 % this way).
    """
    alone = reader.shipped().sentence
    names = ("alone", *LEARNED)
    cases = []
    for read in reads:
        if read.right.any() and not read.right.all():
            total = sum(
                count * read.reading.features[name]
                for name, count in alone.items()
                if name in read.reading.features
            )
            rows = [np.asarray(total), *(read.reading.features[name] for name in LEARNED)]
            cases.append((np.stack(rows, axis=1), read.right))
    share, *learned = softmax_fit(cases, np.ones(len(names)), np.zeros(len(names), np.bool_))
    kept = {name: float(share) * count for name, count in alone.items()}
    return kept | dict(zip(LEARNED, map(float, learned), strict=True))


def softmax_fit(
    cases: Sequence[tuple[Floats, NDArray[np.bool_]]], sign: Floats, free: NDArray[np.bool_]
) -> Floats:
    """Learn weights of the given sign, or of either where they are ``free``. Cases: rows of shape
    (candidates, features), and which of them are right.
    """
    spread = np.concatenate([rows for rows, _ in cases]).std(axis=0) + 1e-6
    weights, mean, square = (np.zeros(len(sign)) for _ in range(3))
    for step in range(1, STEPS + 1):
        slope = RIDGE * weights
        for rows, right in cases:
            scaled = rows / spread
            score = scaled @ weights
            odds = np.exp(score - score.max())
            share = odds / odds.sum()
            slope -= (odds * right / (odds * right).sum() - share) @ scaled
        slope /= len(cases)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope * slope
        rate = 0.05 if step < 0.7 * STEPS else 0.01
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights = np.where(free, weights, sign * np.maximum(sign * weights, 0.0))
    learned: Floats = weights / spread
    return learned


def fitted(reads: Sequence[Read]) -> dict[str, float]:
    """Learn what a sentence is weighed by, with the reading model where it has read."""
    names = sorted({name for read in reads for name in read.reading.features})
    if LEARNED[0] in names:
        return fit_beside(reads)
    return dict(zip(names, fit(reads, names).tolist(), strict=True))


def hits(reads: Sequence[Read], weights: reader.ReaderWeights) -> str:
    counts = np.zeros(4)
    total = 0
    for read in reads:
        if read.asked.gold:
            order = np.argsort(-reader.scores(read.reading, weights), kind="stable")
            counts += [read.right[order[:k]].any() for k in (1, 2, 4, len(order))]
            total += 1
    first, two, four, ever = counts / max(1, total)
    return (
        f"right first {first:.2f}, in two {two:.2f}, in four {four:.2f}, among those read"
        f" {ever:.2f} ({total} questions)"
    )


def quotes_right(read: Read, weights: reader.ReaderWeights) -> bool:
    """Say whether what would be quoted answers."""
    picks = reader.pick(read.reading, reader.scores(read.reading, weights), read.items)
    return any(
        right
        and any(
            pick.item == sentence.item and pick.start <= sentence.start and sentence.end <= pick.end
            for pick in picks
        )
        for sentence, right in zip(read.reading.sentences, read.right, strict=True)
    )


@dataclass(frozen=True)
class Judged:
    """Readings summed up, with what is to be judged of them. n readings."""

    seen: Sequence[Mapping[str, float]]
    there: NDArray[np.bool_]
    """Whether there is an answer."""
    right: NDArray[np.bool_]
    """Whether what would be quoted is one."""

    def rows(self, names: Sequence[str]) -> Floats:
        return np.array([[seen[name] for name in names] for seen in self.seen])


def judged(reads: Sequence[Read], sentence: Mapping[str, float]) -> Judged:
    weights = reader.ReaderWeights(sentence, {})
    return Judged(
        [reader.summary(read.reading, weights, read.answerable) for read in reads],
        np.array([bool(read.asked.gold) for read in reads]),
        np.array([quotes_right(read, weights) for read in reads]),
    )


@dataclass(frozen=True)
class Judgement:
    """A logistic regression over what is known of a reading."""

    names: Sequence[str]
    weights: Floats
    """The last is the bias."""

    def logits(self, seen: Judged) -> Floats:
        logits: Floats = seen.rows(self.names) @ self.weights[:-1] + self.weights[-1]
        return logits

    def with_bar(self, logit: float, bar: float) -> dict[str, float]:
        """Give its weights, moved so that a logit comes to lie at a chance of ``bar``."""
        moved = self.weights.copy()
        moved[-1] += np.log(bar / (1 - bar)) - logit
        return dict(zip((*self.names, "bias"), moved.round(4).tolist(), strict=True))


def judgements(seen: Judged) -> tuple[Judgement, Judgement]:
    """Learn to judge whether there is an answer, and whether what is quoted is one."""
    learned = LEARNED[0] in seen.seen[0]
    names = LEARNED if learned else reader.ANSWERED
    of_right = reader.RIGHT if learned else reader.ANSWERED
    return (
        Judgement(names, logistic(seen.rows(names), seen.there)),
        Judgement(of_right, logistic(seen.rows(of_right), seen.right)),
    )


@dataclass(frozen=True)
class HeldOut:
    """Logits of both judgements about lives that were left out. n readings."""

    there: Floats
    right: Floats
    is_there: NDArray[np.bool_]
    is_right: NDArray[np.bool_]

    def bars(self) -> tuple[float, float]:
        """Return the logits from which something is quoted, and from which it is the answer."""
        nothing = float(np.quantile(self.there[self.is_there], FALSE_NOTHING, method="lower"))
        order = np.argsort(-np.where(self.there < nothing, -np.inf, self.right), kind="stable")
        wrong = np.cumsum(~self.is_right[order]) / len(order)
        last = int(np.searchsorted(wrong, WRONG_ANSWERED, side="right")) - 1
        return nothing, float(self.right[order[max(0, last)]])

    def told(self, nothing: float, answer: float) -> str:
        quoted = self.there >= nothing
        shown = quoted & (self.right >= answer)
        return (
            f"told “nothing”: {(~quoted)[~self.is_there].mean():.2f} of what is not there,"
            f" {(~quoted)[self.is_there].mean():.2f} of what is;"
            f" right {self.is_right[self.is_there].mean():.2f} of what is,"
            f" {shown[self.is_right].mean():.2f} of them with the face of an answer;"
            f" wrong with it {(shown & ~self.is_right).mean():.2f} of all"
        )


def report(lives: dict[str, list[Read]]) -> HeldOut:
    """Leave each life out in turn, and say how it is read."""
    parts: list[HeldOut] = []
    for left, held_out in lives.items():
        weights = fitted(counted({name: lives[name] for name in lives if name != left}))
        print(f"{left:12} left out: {hits(held_out, reader.ReaderWeights(weights, {}))}")
        others = [read for name, reads in lives.items() if name != left for read in reads]
        there, right = judgements(judged(others, weights))
        seen = judged(held_out, weights)
        parts.append(HeldOut(there.logits(seen), right.logits(seen), seen.there, seen.right))
    found = HeldOut(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("there", "right", "is_there", "is_right")
        )
    )
    print(
        f"is there an answer: AUC {area(found.there, found.is_there):.3f}; is it what is quoted:"
        f" AUC {area(found.right, found.is_right):.3f}"
    )
    print(found.told(*found.bars()))
    return found


def counted(lives: Mapping[str, list[Read]]) -> list[Read]:
    """Give the readings as often as each life counts."""
    return [
        read for name, reads in lives.items() for read in (AS_OFTEN if name == NOTES else 1) * reads
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--quick", action="store_true", help="do not leave lives out")
    parser.add_argument("--most", type=int, help="questions of a talk")
    parser.add_argument("--learned", action="store_true", help="with the model that reads")
    parser.add_argument("--model", type=Path, default=graph.LEARNED, help="what it has learned")
    wanted = parser.parse_args()
    talks, asked = load()
    model = ReadOnce(E5Reader(learned=wanted.model), 10**6) if wanted.learned else None
    lives: dict[str, list[Read]] = {}
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        known: list[Life] = []
        for name, turns in talks.items():
            those = [each for each in asked if each.conversation == name][: wanted.most]
            known.append(taken_in(library, name, as_document(name, turns), those, {}))
        documents, questions = life(NOTES)
        right: Right = {
            (line["question"], line["asked_at"][:10]): [
                (_flat(each["quote"]), line["accept"]) for each in line["evidence"]
            ]
            for line in _lines(LIVES / NOTES / "questions.jsonl")
        }
        known.append(taken_in(library, NOTES, documents, questions, right))
        if model is not None:
            known += [taken_in(library, name, *papers(name)) for name in FITTED_ON]
        passage = {} if model is None else fit_passages(known, model)
        for one in known:
            lives[one.name] = read_life(library, one, model, passage)
    learned = {name: round(weight, 4) for name, weight in fitted(counted(lives)).items()}
    seen = judged([read for reads in lives.values() for read in reads], learned)
    is_there, is_right = judgements(seen)
    found: dict[str, Any] = {"sentence": learned}
    if model is None:
        if not wanted.quick:
            report(lives)
        found["answered"] = is_there.with_bar(0.0, 0.5)
    else:
        held_out = (
            HeldOut(is_there.logits(seen), is_right.logits(seen), seen.there, seen.right)
            if wanted.quick
            else report(lives)
        )
        nothing, answer = held_out.bars()
        found |= {
            "answered": is_there.with_bar(nothing, reader.NOTHING),
            "right": is_right.with_bar(answer, reader.DOUBTFUL),
            "passage": passage,
        }
    print(json.dumps(found, indent=1))
    if wanted.write:
        (WITH_MODEL if model else WEIGHTS).write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


def papers(name: str) -> tuple[Documents, list[Asked], Right]:
    """Take the papers of a life that the reading model did not learn from, as the product reads
    them, with what is asked of them: also what they do not tell.
    """
    lines = [
        line
        for path in sorted(PAPERS.glob("*.xz"))
        for line in lines_of(path)
        if line["life"] == name
    ]
    documents = as_documents(name, lines)
    asked: list[Asked] = []
    right: Right = {}
    for (_, made), line in zip(documents, lines, strict=True):
        for question in line["qa"]:
            answers = "|".join(re.escape(answer) for answer in question["a"])
            gold = frozenset(
                chunk.id for chunk in made if re.search(answers, chunk.text, re.IGNORECASE)
            )
            asked.append(Asked(name, question["q"], gold, LATER))
            right[question["q"], f"{LATER:%Y-%m-%d}"] = [
                (_flat(question["a"][0]), [answers]),
            ]
        asked += [Asked(name, question, frozenset(), LATER) for question in line["none"]]
    return [each for each in documents if each[1]], asked, right


def as_documents(name: str, lines: Sequence[Mapping[str, Any]]) -> Documents:
    """Cut papers into passages, as the product does."""
    reads = FileReader()
    documents: Documents = []
    for number, line in enumerate(lines):
        day = datetime.fromisoformat(line["date"]).replace(tzinfo=UTC)
        data = line["text"].encode()
        parsed = sanitise(reads.read("note.txt", reads.kind("note.txt", data), data))
        made = chunks(DocumentId(f"{name}:{number}"), reads.version, parsed, day)
        documents.append((line["title"], made))
    return documents


def as_document(name: str, turns: Sequence[Turn]) -> Documents:
    made: list[Chunk] = _chunks(DocumentId(name), turns)
    return [("", made)]


if __name__ == "__main__":
    sys.exit(main())
