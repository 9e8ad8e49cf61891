"""What the reader learns from: questions with answers, made into pairs of tokens, and the encoder
that it starts from.

    python -m lpm_kernel.backends.embed.e5.course prepare RUN DATA...   # base.npz, examples-*.npz
    python -m lpm_kernel.L2.recipes.reader RUN                     # learned.npz
    python -m lpm_kernel.backends.embed.e5.course take RUN               # reader.npz, in eight bits

DATA are files of lines of JSON, `.jsonl` or `.jsonl.xz`, of one of two forms. A set of questions: a
line ``{"context_id", "title", "lang", "context"}``, and after it its questions ``{"question",
"answers": [[start, text], ...]}``. Papers of lives: a line is a document, ``{"life", "kind",
"date", "text", "qa": [{"q", "a": [text, ...]}], "none": [question, ...], "yes": [claim, ...], "no":
[claim, ...]}``; what a document does not answer, none of that life does.

For each question there is the window that answers and others that do not: of the same text, or of
another that shares words with the question.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lpm_kernel.backends.embed.e5.graph import HEADS, NORMS, PARTS, quantize
from lpm_kernel.backends.embed.e5.reader import TokenPair, pair, plain
from lpm_kernel.backends.embed.e5.tokenizer import E5Tokenizer, vocabulary_file
from lpm_kernel.backends.embed.e5.weights import E5Weights, bundled_file
from lpm_kernel.backends.embed.sessions import default_cache
from lpm_kernel.domain.models.reading import BESIDE, WIDE_SIGN, WIDTH, width

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTHS: Final = (420, 420, 300, 200)
"""Windows are cut in several ways, as passages come in several lengths."""
FITTED_ON: Final = ("en04", "ja03", "mx03")
"""Lives that the weights of the other signs are learned on (`tests/bench/fit_reader.py`)."""
MEASURED_ON: Final = (
    *("en28", "en29", "en30"),
    *("ja17", "ja18", "ja19"),
    *("mx21", "mx22", "mx23"),
    "zh09",
)
"""Lives that nothing is learned on (`tests/bench/test_reading.py`)."""
UNKNOWN: Final = -1
HALF: Final = 0.5
CLAIMED: Final = 0.4
"""Share of the answers that are made a claim too."""
SAME_TEXT: Final = 0.7
"""Share of the windows without an answer that are of the text that has it."""
REST: Final = 0.35
"""Share of the other windows of a document that are taken."""
WITH_DAY: Final = 0.8
HEADED: Final = 0.65
"""Share of the texts of public sets that are headed by a day, as those of a life are: otherwise the
day itself would say which questions are answered.
"""

_END: Final = re.compile(r"[。！？][\"”」』)]*\s*|[.!?][\"”)]*\s+|\n\s*")
"""Where a sentence ends, with the space behind it."""
_WORD: Final = re.compile(r"[a-z0-9]{3,}")
_SAID: Final = re.compile(r"(?:\[[^\]]*\]\s*|\d{1,2}:\d\d\s+)?([^:：\n]{1,24})[:：]\s*")


@dataclass(frozen=True)
class Window:
    """A stretch of a document as it is read, with what stands before it."""

    head: str
    text: str
    start: int
    """Where it begins in the document."""

    @property
    def whole(self) -> str:
        """What is read."""
        return self.head + self.text


@dataclass
class ExampleWriter:
    """Collects pairs."""

    tokens: E5Tokenizer
    ids: list[list[int]] = field(default_factory=list)
    labels: list[tuple[int, int, int, int]] = field(default_factory=list)
    texts: list[int] = field(default_factory=list)
    """Of each pair: the token where the text begins."""
    questions: list[int] = field(default_factory=list)
    """Of each pair: the number of the question that all windows found for it are weighed against;
    -1 where it stands alone.
    """
    question: int = UNKNOWN
    """Of the pairs that come next."""

    def answers(self, question: str, window: Window, span: tuple[int, int]) -> None:
        """Add a window that answers; ``span`` counts code points of the document."""
        shift = len(window.head) - window.start
        made = pair(self.tokens(plain(question)), self.tokens(window.whole))
        inside = [
            made.offset + at
            for at, (start, end) in enumerate(made.text.tolist())
            if end > span[0] + shift and start < span[1] + shift
        ]
        if inside:
            self._add(made, (inside[0], inside[-1], 1, UNKNOWN))

    def does_not(self, question: str, text: str) -> None:
        """Add a window that does not answer."""
        self._add(pair(self.tokens(plain(question)), self.tokens(text)), (0, 0, 0, UNKNOWN))

    def claims(self, claim: str, text: str, *, carried: bool) -> None:
        """Add a claim that a text carries, or does not."""
        made = pair(self.tokens(plain(claim)), self.tokens(text))
        self._add(made, (0, 0, UNKNOWN, int(carried)))

    def _add(self, made: TokenPair, labels: tuple[int, int, int, int]) -> None:
        self.ids.append(made.ids)
        self.labels.append(labels)
        self.texts.append(made.offset)
        self.questions.append(self.question)

    def write(self, path: Path) -> None:
        """Write what was collected, as `L2.recipes.reader.ReadingExamples` reads it."""
        np.savez(
            path,
            tokens=np.array([token for ids in self.ids for token in ids], np.int32),
            starts=np.cumsum([0, *map(len, self.ids)]),
            labels=np.array(self.labels, np.int32).reshape(-1, 4),
            texts=np.array(self.texts, np.int32),
            questions=np.array(self.questions, np.int32),
        )


def stretches(text: str, most: float = WIDTH) -> list[tuple[int, int]]:
    """Cut a text between sentences. Code points, end exclusive.

    >>> stretches("Rain all day. We stayed in. Mai called.", 30)
    [(0, 28), (28, 39)]
    """
    made: list[tuple[int, int]] = []
    ends = [found.end() for found in _END.finditer(text)]
    for start, end in pairwise(dict.fromkeys([0, *ends, len(text)])):
        if made and width(text[made[-1][0] : end]) <= most:
            made[-1] = (made[-1][0], end)
        else:
            made.append((start, end))
    return made or [(0, len(text))]


def words(text: str) -> set[str]:
    """Return what two texts may share: words, and pairs of signs where none are written apart."""
    text = text.lower()
    pairs = (text[at : at + 2] for at in range(len(text) - 1))
    return set(_WORD.findall(text)) | {
        two for two in pairs if all(WIDE_SIGN.match(sign) for sign in two)
    }


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of lines of JSON."""
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    yield from (json.loads(line) for line in data.decode("utf-8").split("\n") if line.strip())


# --- sets of questions ---------------------------------------------------------------------------


def from_questions(
    lines: Iterable[dict[str, Any]], into: ExampleWriter, draw: random.Random, most: int
) -> None:
    """Make pairs of up to ``most`` questions of a set; those kept for measuring are left out."""
    contexts: dict[str, dict[str, Any]] = {}
    asked: list[dict[str, Any]] = []
    for line in lines:
        if "context" in line:
            contexts[line["context_id"]] = line
        elif line.get("split", "train") == "train":
            asked.append(line)
    siblings: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in asked:
        siblings[question["context_id"]].append(question)
    pool = list(contexts.values())
    for question in draw.sample(asked, min(most, len(asked))):
        context = contexts[question["context_id"]]["context"]
        away = max(
            draw.sample(pool, min(8, len(pool))),
            key=lambda other: len(words(question["question"]) & words(other["context"])),
        )["context"]
        _question(question, context, away, into, draw)
        if draw.random() < CLAIMED:
            others = [other["answers"][0][1] for other in siblings[question["context_id"]]]
            _answer_as_claim(question, context, others, into, draw)


def _question(
    question: dict[str, Any],
    context: str,
    away: str,
    into: ExampleWriter,
    draw: random.Random,
) -> None:
    """Add the window that answers, and a hard one that does not."""
    start, text = draw.choice(question["answers"])
    asked, cuts = question["question"], stretches(context, draw.choice(WIDTHS))
    head = _some_day(draw) if draw.random() < HEADED else ""
    spans = [(at, at + len(answer)) for at, answer in question["answers"]]
    for first, last in cuts:
        if first <= start and start + len(text) <= last:
            window = Window(head, context[first:last], first)
            into.answers(asked, window, (start, start + len(text)))
    rest = [cut for cut in cuts if not any(cut[0] < end and at < cut[1] for at, end in spans)]
    if rest and draw.random() < SAME_TEXT:
        shared = words(asked)
        first, last = max(rest, key=lambda cut: len(shared & words(context[cut[0] : cut[1]])))
        into.does_not(asked, head + context[first:last])
    elif away != context:
        first, last = draw.choice(stretches(away))
        into.does_not(asked, head + away[first:last])


def _some_day(draw: random.Random) -> str:
    return f"{draw.randint(2008, 2026)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d} "


def _answer_as_claim(
    question: dict[str, Any],
    context: str,
    others: Sequence[str],
    into: ExampleWriter,
    draw: random.Random,
) -> None:
    start, text = question["answers"][0]
    there = next((cut for cut in stretches(context) if cut[0] <= start < cut[1]), None)
    if there is None:
        return
    carried = draw.random() < HALF
    wrong = [other for other in others if other not in text and text not in other]
    if carried or wrong:
        claim = f"{question['question']} {text if carried else draw.choice(wrong)}"
        into.claims(claim, context[there[0] : there[1]], carried=carried)


# --- papers of lives -----------------------------------------------------------------------------


class Papers:
    """The documents of lives, with those of one life that share words."""

    def __init__(self, documents: Sequence[dict[str, Any]], draw: random.Random) -> None:
        self.documents = documents
        self._draw = draw
        self._held = {id(document): words(document["text"]) for document in documents}
        self._lives: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for document in documents:
            self._lives[document["life"]].append(document)

    def near(self, document: dict[str, Any], question: str, n: int) -> list[dict[str, Any]]:
        """Return other documents of the same life, those first that share most with a question."""
        asked = words(question)

        def likeness(other: dict[str, Any]) -> float:
            held = self._held[id(other)]
            shared: float = len(asked & held) / (1 + math.sqrt(len(held)))
            return shared + 0.05 * self._draw.random()

        others = [other for other in self._lives[document["life"]] if other is not document]
        return sorted(others, key=likeness, reverse=True)[:n]

    def cut(self, document: dict[str, Any]) -> list[Window]:
        """Cut a document into windows; a chat, half the time, into what each said."""
        text, day = document["text"], f"{document['date']} "
        if document["kind"] == "chat" and self._draw.random() < HALF:
            lines = list(re.finditer(r"[^\n]+", text))
            return [
                _line(f"{day}{before.group()[-BESIDE:]}\n" if before else day, line)
                for before, line in zip([None, *lines], lines, strict=False)
            ]
        head = day if self._draw.random() < WITH_DAY else ""
        return [
            Window(head, text[start:end], start)
            for start, end in stretches(text, self._draw.choice(WIDTHS))
        ]


def _line(day: str, line: re.Match[str]) -> Window:
    said = _SAID.match(line.group())
    if said is None:
        return Window(day, line.group(), line.start())
    head = f"{day}{said.group(1).strip()}: "
    return Window(head, line.group()[said.end() :], line.start() + said.end())


def from_lives(papers: Papers, into: ExampleWriter, draw: random.Random) -> None:
    """Make pairs of all questions and claims of lives."""
    for document in papers.documents:
        for asked in document["qa"]:
            _asked(papers, document, asked, into, draw)
        for question in document["none"]:
            windows = papers.cut(document)
            for window in draw.sample(windows, min(2, len(windows))):
                into.does_not(question, window.whole)
            for other in papers.near(document, question, 1):
                into.does_not(question, draw.choice(papers.cut(other)).whole)
        _claimed(papers, document, into, draw)


def _asked(
    papers: Papers,
    document: dict[str, Any],
    asked: dict[str, Any],
    into: ExampleWriter,
    draw: random.Random,
) -> None:
    text, question, answers = document["text"], asked["q"], asked["a"]
    spans = [found.span() for answer in answers for found in re.finditer(re.escape(answer), text)]
    for window in papers.cut(document):
        end = window.start + len(window.text)
        inside = [span for span in spans if window.start <= span[0] and span[1] <= end]
        if inside:
            into.answers(question, window, inside[0])
        elif draw.random() < REST:
            into.does_not(question, window.whole)
    for other in papers.near(document, question, 2):
        if not any(answer in other["text"] for answer in answers):
            into.does_not(question, draw.choice(papers.cut(other)).whole)
    if spans and draw.random() < CLAIMED:
        _answered_as_claim(document, asked, spans[0][0], into, draw)


def _answered_as_claim(
    document: dict[str, Any],
    asked: dict[str, Any],
    start: int,
    into: ExampleWriter,
    draw: random.Random,
) -> None:
    """Make a claim of the question and its answer, or of another answer of the document."""
    answer = asked["a"][0]
    others = [other["a"][0] for other in document["qa"] if other is not asked]
    wrong = [other for other in others if other not in answer]
    carried = draw.random() < HALF
    if carried or wrong:
        text = document["text"]
        first, last = next(cut for cut in stretches(text) if cut[0] <= start < cut[1])
        claim = f"{asked['q']} {answer if carried else draw.choice(wrong)}"
        into.claims(claim, f"{document['date']} {text[first:last]}", carried=carried)


def _claimed(
    papers: Papers, document: dict[str, Any], into: ExampleWriter, draw: random.Random
) -> None:
    whole = f"{document['date']} {document['text']}"
    for carried, claims in ((True, document["yes"]), (False, document["no"])):
        for claim in claims:
            into.claims(claim, whole, carried=carried)
    for claim in document["yes"]:
        for other in papers.near(document, claim, 1):
            into.claims(claim, draw.choice(papers.cut(other)).whole, carried=False)


# --- the commands --------------------------------------------------------------------------------


def encoder(weights: E5Weights, words: NDArray[np.float16]) -> dict[str, Any]:
    """Return the encoder as `L2.recipes.reader.Encoder` takes it. ``words``: shape (pieces, width),
    those of the vocabulary that are read.
    """
    shape = weights.shape
    kind = weights.numbers("emb.type").reshape(-1, shape.width)[0]
    base: dict[str, Any] = {
        "sizes": np.array([shape.layers, shape.heads]),
        "epsilon": np.array(shape.epsilon),
        "words": words,
        "positions": weights.numbers("emb.pos").reshape(-1, shape.width) + kind,
        **{f"embedded.{part}": weights.numbers(f"emb.ln.{part}") for part in "wb"},
    }
    for layer in range(shape.layers):
        for part, name in PARTS.items():
            inputs = shape.inner if part == "fo" else shape.width
            base[f"{layer}.{part}.w"] = weights.matrix(f"l{layer}.{name}.w", inputs)
            base[f"{layer}.{part}.b"] = weights.numbers(f"l{layer}.{name}.b")
        for norm in NORMS:
            for part in "wb":
                base[f"{layer}.{norm}.{part}"] = weights.numbers(f"l{layer}.{norm}.{part}")
    return base


def in_eight_bits(learned: dict[str, Any]) -> dict[str, Any]:
    """Return what was learned as the node ships it."""
    made: dict[str, Any] = {}
    for name, value in learned.items():
        stem, _, part = name.rpartition(".")
        if part == "w" and stem.rpartition(".")[2] in PARTS:
            made[name], made[f"{stem}.scale"] = quantize(value)
        elif stem not in HEADS:
            made[name] = value
    made["span.w"], made["span.b"] = learned["span.w"], learned["span.b"]
    for part in "wb":
        both = [learned[f"{head}.{part}"] for head in ("relevance", "support")]
        made[f"whole.{part}"] = np.concatenate(both)
    return made


def in_full(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the node ships as it was learned, as far as eight bits hold it."""
    made: dict[str, Any] = {}
    for name, value in kept.items():
        stem, _, part = name.rpartition(".")
        if f"{stem}.scale" in kept and part == "w":
            made[name] = (value.astype(np.float32) * kept[f"{stem}.scale"]).T
        elif part != "scale" and stem != "whole":
            made[name] = value
    for part in "wb":
        for row, head in enumerate(("relevance", "support")):
            made[f"{head}.{part}"] = kept[f"whole.{part}"][row : row + 1]
    return made


def prepare(run: Path, data: Sequence[Path], *, most: int) -> None:
    """Write what a training starts from: all but the lives that are kept apart."""
    run.mkdir(parents=True, exist_ok=True)
    source = bundled_file()
    tokens = E5Tokenizer(vocabulary_file(source, default_cache()))
    weights = E5Weights(source)
    words = weights.matrix("emb.word", weights.shape.width).astype(np.float16)
    np.savez(run / "base.npz", **encoder(weights, words))
    draw = random.Random(1)  # noqa: S311 - an order, no secret
    for path in data:
        lines, into = list(lines_of(path)), ExampleWriter(tokens)
        if "life" in lines[0]:
            kept = [line for line in lines if line["life"] not in (*FITTED_ON, *MEASURED_ON)]
            from_lives(Papers(kept, draw), into, draw)
        else:
            from_questions(lines, into, draw, most)
        into.write(run / f"examples-{path.name.partition('.')[0]}.npz")
        print(f"{path.name}: {len(into.labels)} pairs")  # noqa: T201 - a command


def main(arguments: Sequence[str] | None = None) -> None:
    """Prepare a training, or take in what it has learned."""
    parser = argparse.ArgumentParser(description="What the reader learns from, and what it learned")
    parser.add_argument("act", choices=("prepare", "take"))
    parser.add_argument("run", type=Path)
    parser.add_argument("data", type=Path, nargs="*")
    parser.add_argument("--most", type=int, default=10_000, help="questions of a set")
    given = parser.parse_args(arguments)
    if given.act == "prepare":
        prepare(given.run, given.data, most=given.most)
        return
    with np.load(given.run / "learned.npz") as learned:
        np.savez_compressed(given.run / "reader.npz", **in_eight_bits(dict(learned)))


if __name__ == "__main__":
    main()
