"""Learning to read further, from the person's own verdicts: only the last layer and the heads, from
the reader that the node ships, mixed with papers of invented lives so that nothing is forgotten.

The recipe is the reader's own (`L2/recipes/reader.py`), run in a process of its own. It knows the
words of its examples alone: a vocabulary of a hundred languages would need a gigabyte.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lpm_kernel.backends.embed.e5.course import (
    FITTED_ON,
    MEASURED_ON,
    ExampleWriter,
    Papers,
    Window,
    encoder,
    in_eight_bits,
    in_full,
    lines_of,
    words,
)
from lpm_kernel.backends.embed.e5.graph import LEARNED
from lpm_kernel.backends.embed.e5.reader import E5Reader
from lpm_kernel.backends.embed.e5.tokenizer import E5Tokenizer, vocabulary_file
from lpm_kernel.backends.embed.e5.weights import ZERO, E5Weights, bundled_file
from lpm_kernel.backends.embed.sessions import default_cache
from lpm_kernel.domain.training.reading import ReadingExample, ReadWindow
from lpm_kernel.domain.training.runs import LOG, Learned
from lpm_kernel.errors import TrainingFailedError, UnavailableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

FROZEN: Final = 11
"""Layers that stay as they are: all but the last."""
SETTINGS: Final[Mapping[str, Any]] = {
    "frozen": FROZEN,
    "learning_rate": 2e-4,
    "head_rate": 1e-5,
    "steps": 120,
    "warmup_steps": 10,
    "batch": 16,
    "checkpoint_every": 10,
    "threads": 2,
    "device": "cpu",
    "shares": (0.3, 0.7),
}
"""How it is learned (`ReaderRecipe`); three of ten batches come from verdicts, the others from
papers.
"""
PAPERS: Final = 160
"""Documents of invented lives that are learned from again."""
ASKED: Final = 400
"""Questions to papers kept apart, drawn once and for all."""
FARTHER: Final = 3
"""Windows of other documents that are read beside those of the one that answers."""
STRANGE: Final = 5
"""Windows of invented lives that are read beside those of a verdict."""
LOOK_EVERY: Final = 0.25
"""Seconds between two looks at what the recipe wrote."""
LEAVE_WITHIN: Final = 20.0
"""Seconds in which a recipe that was asked to stop writes its checkpoint."""
SPECIAL: Final = (0, 1, 2, 3)
"""Pieces of the vocabulary that every text may need, first as they came: begin, to fill up, end,
unknown.
"""


class E5ReaderTrainer:
    """Teaches the reader further. ``papers``: the folder with those of invented lives."""

    def __init__(
        self, papers: Path, *, documents: int = PAPERS, asked: int = ASKED, **settings: object
    ) -> None:
        """Take ``settings`` in the place of single ones of :data:`SETTINGS`. ``documents``: of
        papers, learned from again; ``asked``: questions to papers kept apart.
        """
        self._papers, self._documents, self._asked = papers, documents, asked
        self.recipe: Mapping[str, Any] = {**SETTINGS, **settings}

    @property
    def base(self) -> str:
        """The hash of the reader that the node ships."""
        with LEARNED.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()

    def prepare(self, run: Path, examples: Sequence[ReadingExample]) -> None:
        """Write into a folder what learning starts from. Doing it twice is doing it once."""
        source = bundled_file()
        tokens = E5Tokenizer(vocabulary_file(source, default_cache()))
        draw = random.Random(1)  # noqa: S311 - an order, no secret
        own, papers = ExampleWriter(tokens), ExampleWriter(tokens)
        lines = _sample(self._lines(kept_apart=False), self._documents, draw)
        learned_from = Papers(lines, draw)
        cut = [window.whole for line in lines for window in learned_from.cut(line)]
        strange = {text: words(text) for text in cut}
        for number, example in enumerate(examples):
            beside = map(ReadWindow, _near(example.question, strange))
            _add(replace(example, windows=(*example.windows, *beside)), number, own)
        for number, example in enumerate(_examples(learned_from, draw)):
            _add(example, number, papers)
        used = np.unique([*SPECIAL, *(token for each in (own, papers) for token in _read(each))])
        for name, made in (("own", own), ("papers", papers)):
            made.ids = [np.searchsorted(used, ids).tolist() for ids in made.ids]
            made.write(run / f"examples-{name}.npz")
        weights = E5Weights(source)
        with np.load(LEARNED) as shipped:
            base = encoder(weights, _words(weights, used)) | in_full(dict(shipped))
        np.savez(run / "base.npz", **base)
        fresh = run / "new-recipe.json"
        fresh.write_text(json.dumps(dict(self.recipe)), "utf-8")
        fresh.replace(run / "recipe.json")  # last: without it nothing is prepared

    def learn(self, run: Path, said: Callable[[Learned], None]) -> None:
        """Learn, going on from what is there. What ``said`` raises stops it with a checkpoint.
        Raises ``TrainingFailedError`` and ``UnavailableError``.
        """
        if importlib.util.find_spec("torch") is None:
            raise UnavailableError(
                "What trains the reader is not installed.",
                "Run `make setup` again; it installs torch.",
            )
        with suppress(FileNotFoundError):
            (run / "stop").unlink()
        with (run / LOG).open("ab") as log, _child(run, log) as child:
            try:
                while child.poll() is None:
                    time.sleep(LOOK_EVERY)
                    said(self._learned(run))
            except BaseException:
                with suppress(subprocess.TimeoutExpired, OSError):  # the folder may be gone
                    (run / "stop").touch()
                    child.wait(LEAVE_WITHIN)
                raise
        if child.returncode:
            raise TrainingFailedError(
                "Learning stopped with an error.",
                f"{run / LOG} says where. What was learned is kept: the same command goes on.",
            )

    def finish(self, run: Path) -> Path:
        """Write what was learned as the host reads it, whole or not at all, and return the file."""
        with np.load(LEARNED) as shipped, np.load(run / "learned.npz") as learned:
            made = dict(shipped) | in_eight_bits(dict(learned))
        fresh, target = run / "new-reader.npz", run / "reader.npz"
        np.savez_compressed(fresh, **made)
        fresh.replace(target)
        return target

    def papers(self) -> list[ReadingExample]:
        """Return questions to papers of invented lives that nothing is learned on."""
        draw = random.Random(1)  # noqa: S311 - an order, no secret
        papers = Papers(self._lines(kept_apart=True), draw)
        examples = _examples(papers, draw)
        return draw.sample(examples, min(self._asked, len(examples)))

    def reader(self, weights: Path | None = None) -> E5Reader:
        """Bring up the reader that the node ships, or one that learned further. Raises
        ``ReaderUnavailableError``.
        """
        return E5Reader() if weights is None else E5Reader(learned=weights)

    def _lines(self, *, kept_apart: bool) -> list[dict[str, Any]]:
        lines = (line for path in sorted(self._papers.glob("*.xz")) for line in lines_of(path))
        if kept_apart:
            return [line for line in lines if line["life"] in MEASURED_ON]
        return [line for line in lines if line["life"] not in (*FITTED_ON, *MEASURED_ON)]

    def _learned(self, run: Path) -> Learned:
        """Read how far the recipe is."""
        told = run / "progress.jsonl"
        lines = told.read_text("utf-8").splitlines() if told.exists() else []
        last = json.loads(lines[-1]) if lines else {}
        return Learned(last.get("step", 0), self.recipe["steps"], last.get("loss"))


def _add(example: ReadingExample, number: int, into: ExampleWriter) -> None:
    into.question = number
    for window in example.windows:
        if window.span is None:
            into.does_not(example.question, window.text)
        else:
            into.answers(example.question, Window("", window.text, 0), window.span)


def _near(question: str, strange: Mapping[str, set[str]]) -> list[str]:
    """Return windows of invented lives that share most words with a question of the person's, and
    surely do not answer it: verdicts alone would teach that most of what is read answers.
    ``strange``: texts, with what :func:`words` says of each.
    """
    asked = words(question)

    def likeness(text: str) -> float:
        return len(asked & strange[text]) / math.sqrt(1 + len(strange[text]))

    return sorted(strange, key=likeness, reverse=True)[:STRANGE]


def _read(made: ExampleWriter) -> Iterator[int]:
    return (token for ids in made.ids for token in ids)


def _sample(
    lines: Sequence[dict[str, Any]], documents: int, draw: random.Random
) -> list[dict[str, Any]]:
    """Draw whole lives that have about so many documents."""
    lives = sorted({line["life"] for line in lines})
    chosen = draw.sample(lives, max(1, round(len(lives) * min(1.0, documents / len(lines)))))
    return [line for line in lines if line["life"] in chosen]


def _words(weights: E5Weights, used: NDArray[np.int64]) -> NDArray[np.float16]:
    """Return the rows of the vocabulary that are read. Shape (pieces, width)."""
    scales, words = weights.quantized("emb.word", weights.shape.width)
    scales, words = scales[used], words[used]
    lowered = words.reshape(*scales.shape, -1).astype(np.float32) - ZERO
    rows: NDArray[np.float32] = lowered * scales[..., None].astype(np.float32)
    return rows.reshape(words.shape).astype(np.float16)


def _examples(papers: Papers, draw: random.Random) -> list[ReadingExample]:
    """Return all questions of papers, those that nothing answers too, each with its windows."""
    made = []
    for document in papers.documents:
        asked = [(question["q"], question["a"]) for question in document["qa"]]
        for question, answers in (*asked, *((none, ()) for none in document["none"])):
            windows = list(_windows(papers, document, question, answers, draw))
            if not answers or any(window.span for window in windows):
                made.append(ReadingExample(question, tuple(windows)))
    return made


def _windows(
    papers: Papers,
    document: dict[str, Any],
    question: str,
    answers: Sequence[str],
    draw: random.Random,
) -> Iterator[ReadWindow]:
    """Cut a document into windows, those with an answer among them, and add some of others."""
    for window in papers.cut(document):
        found = next((answer for answer in answers if answer in window.text), None)
        start = len(window.head) + window.text.find(found or "")
        yield ReadWindow(window.whole, None if found is None else (start, start + len(found)))
    for other in papers.near(document, question, FARTHER):
        if not any(answer in other["text"] for answer in answers):
            yield ReadWindow(draw.choice(papers.cut(other)).whole)


@contextmanager
def _child(run: Path, log: Any) -> Iterator[subprocess.Popen[bytes]]:  # noqa: ANN401 - an open file
    """Run the recipe beside this process, which alone hears Ctrl-C, and let it not outlive it."""
    command = [sys.executable, "-m", "lpm_kernel.L2.recipes.reader", str(run)]
    child = subprocess.Popen(  # noqa: S603  our own recipe
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env={**os.environ, "LPM_PARENT": str(os.getpid())},
        start_new_session=True,
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
