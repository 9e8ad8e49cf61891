"""Learn the reader's weights from invented lives, and write `lpm_kernel/L1/answering/reader.json`.

    python -m tests.bench.fit_reader            # report how well held-out lives are read
    python -m tests.bench.fit_reader --write    # the same, and write the weights

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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.recall import Recalled, Scope
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import passages
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.recall import Recall
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
RIDGE = 2.0
STEPS = 400
AGAINST = frozenset({"asking", "heading", "short"})
EITHER = frozenset({"mine", "first", "new"})
AS_OFTEN = 2

Floats = NDArray[np.float64]
Right = dict[tuple[str, str], list[tuple[str, list[str]]]]
"""By question and day: quotations of the evidence, and the patterns that an answer matches."""


@dataclass(frozen=True)
class Read:
    """A question with its sentences, and which of them are right."""

    life: str
    asked: Asked
    reading: reader.Reading
    right: NDArray[np.bool_]
    answerable: float


def read_life(
    library: Library, name: str, documents: Documents, asked: Sequence[Asked], right: Right
) -> list[Read]:
    """Ask a life's questions as the product does, and read what comes back."""
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
    found = []
    for each in asked:
        items = recall(
            RecallQuery(Question(each.text), k=reader.PASSAGES, scope=Scope(until=each.at)), each.at
        )
        sentences = reader.sentences(items.items)
        if not sentences:
            continue
        embedded = library.embedder.embed_tokens(
            reader.texts(Question(each.text), items.items, sentences)
        )
        reading = reader.look(Question(each.text), items.items, sentences, embedded)
        labels = np.array(
            [holds(each, right, items.items[s.item], s.text) for s in sentences], np.bool_
        )
        found.append(Read(name, each, reading, labels, items.answerable))
    return found


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
    spread = np.concatenate([rows for rows, _ in cases]).std(axis=0) + 1e-6
    sign = np.array([-1.0 if name in AGAINST else 1.0 for name in names])
    free = np.array([name in EITHER for name in names])
    weights, mean, square = (np.zeros(len(names)) for _ in range(3))
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


def hits(reads: Sequence[Read], names: Sequence[str], weights: Floats) -> str:
    counts = np.zeros(4)
    total = 0
    for read in reads:
        if read.asked.gold:
            order = np.argsort(-(matrix(read, names) @ weights), kind="stable")
            counts += [read.right[order[:k]].any() for k in (1, 2, 4, len(order))]
            total += 1
    first, two, four, ever = counts / max(1, total)
    return (
        f"right first {first:.2f}, in two {two:.2f}, in four {four:.2f}, among those read"
        f" {ever:.2f} ({total} questions)"
    )


def summaries(
    reads: Sequence[Read], weights: reader.ReaderWeights
) -> tuple[Floats, NDArray[np.bool_]]:
    """Sum each reading up, and say whether there is an answer."""
    rows = [
        [reader.summary(read.reading, weights, read.answerable)[name] for name in reader.ANSWERED]
        for read in reads
    ]
    return np.array(rows), np.array([bool(read.asked.gold) for read in reads])


def report(lives: dict[str, list[Read]], names: Sequence[str]) -> None:
    chances, theirs = [], []
    for left, held_out in lives.items():
        learned = [
            read
            for name, reads in lives.items()
            if name != left
            for read in (AS_OFTEN if name == NOTES else 1) * reads
        ]
        weights = fit(learned, names)
        print(f"{left:12} left out: {hits(held_out, names, weights)}")
        as_weights = reader.ReaderWeights(dict(zip(names, weights.tolist(), strict=True)), {})
        judged = logistic(*summaries(learned, as_weights))
        seen, there = summaries(held_out, as_weights)
        chances.append(1 / (1 + np.exp(-(seen @ judged[:-1] + judged[-1]))))
        theirs.append(there)
    chance, there = np.concatenate(chances), np.concatenate(theirs)
    print(
        f"is there an answer: AUC {area(chance, there):.3f} over {int((~there).sum())} unanswerable"
    )
    for bar in np.quantile(chance[there], (0.02, 0.05, 0.1, 0.2, 0.3)):
        print(
            f"   below {bar:.3f}: {100 * np.mean(chance[~there] < bar):.0f} % of the unanswerable,"
            f" {100 * np.mean(chance[there] < bar):.0f} % of the others"
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--quick", action="store_true", help="do not leave lives out")
    wanted = parser.parse_args()
    talks, asked = load()
    lives: dict[str, list[Read]] = {}
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        for name, turns in talks.items():
            lives[name] = read_life(
                library,
                name,
                as_document(name, turns),
                [each for each in asked if each.conversation == name],
                {},
            )
        documents, questions = life(NOTES)
        right: Right = {
            (line["question"], line["asked_at"][:10]): [
                (_flat(each["quote"]), line["accept"]) for each in line["evidence"]
            ]
            for line in _lines(LIVES / NOTES / "questions.jsonl")
        }
        lives[NOTES] = read_life(library, NOTES, documents, questions, right)
    names = sorted(
        {name for reads in lives.values() for read in reads for name in read.reading.features}
    )
    if not wanted.quick:
        report(lives, names)
    everything = [
        read for name, reads in lives.items() for read in (AS_OFTEN if name == NOTES else 1) * reads
    ]
    learned = dict(zip(names, fit(everything, names).round(4).tolist(), strict=True))
    judged = logistic(*summaries(everything, reader.ReaderWeights(learned, {})))
    found = {
        "sentence": learned,
        "answered": dict(zip((*reader.ANSWERED, "bias"), judged.round(4).tolist(), strict=True)),
    }
    print(json.dumps(found, indent=1))
    if wanted.write:
        WEIGHTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


def as_document(name: str, turns: Sequence[Turn]) -> Documents:
    made: list[Chunk] = _chunks(DocumentId(name), turns)
    return [("", made)]


if __name__ == "__main__":
    sys.exit(main())
