"""Write what the reader learns from beside what the course prepares: the windows that the product's
own recall brings for each question of the invented lives, those that answer among those that do
not (`L2/recipes/reader.py`, ``among``).

    python -m tests.bench.reading_groups RUN    # RUN/examples-found.npz

The lives that weights are fitted on and that reading is measured on are left out.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lpm_kernel.backends.embed.e5.course import (
    FITTED_ON,
    MEASURED_ON,
    ExampleWriter,
    Window,
    lines_of,
)
from lpm_kernel.backends.embed.e5.tokenizer import E5Tokenizer, vocabulary_file
from lpm_kernel.backends.embed.e5.weights import bundled_file
from lpm_kernel.backends.embed.sessions import default_cache
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.L1.answering.reranking import RERANKED
from lpm_kernel.L1.answering.sentences import sentences
from lpm_kernel.L1.answering.windows import headed, windows
from tests.bench.fit_ranker import Asked, Library
from tests.bench.fit_reader import LATER, PAPERS, as_documents, recalled, taken_in

WINDOWS = 7
"""Windows of a question."""
RIGHT = 2
"""Of which so many may answer."""
AROUND = 160
"""Letters around an answer that recall did not bring."""


def lives() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give the lives that may be learned from, each with its papers."""
    lines = [line for path in sorted(PAPERS.glob("*.xz")) for line in lines_of(path)]
    for name in sorted({line["life"] for line in lines}.difference(FITTED_ON, MEASURED_ON)):
        yield name, [line for line in lines if line["life"] == name]


class Group:
    """The windows of one question, as they are collected."""

    def __init__(self, question: str, answers: Sequence[str], document: DocumentId) -> None:
        self.question = question
        self._document = document
        says = "|".join(map(re.escape, answers))
        self._says = re.compile(says, re.IGNORECASE) if answers else None
        self.right: list[tuple[Window, tuple[int, int]]] = []
        self.wrong: list[str] = []

    def take(self, items: Sequence[Recalled]) -> None:
        """Part what was recalled into windows that answer and windows that do not. One of another
        document that holds the words of the answer is left out.
        """
        found = sentences(items, len(items))
        for window in windows(items, found):
            _, start, _ = window.sentences[0]
            end = window.sentences[-1][2]
            says = self._says and self._says.search(window.text, start, end)
            if says is None:
                self.wrong.append(window.text)
            elif items[found[window.sentences[0][0]].item].chunk.document == self._document:
                self.right.append((Window("", window.text, 0), says.span()))

    def look_up(self, made: Sequence[Chunk]) -> None:
        """Take the answer from its document, where recall did not bring it."""
        if self._says is None or self.right:
            return
        for chunk in made:
            if says := self._says.search(chunk.text):
                start = max(0, says.start() - AROUND)
                head = headed(chunk)
                text = chunk.text[start : says.end() + AROUND]
                self.right.append((Window(head, text, start), says.span()))

    def write(self, into: ExampleWriter, draw: random.Random) -> None:
        """Write the group, the likeliest wrong ones more often; nothing where no window answers
        what has an answer.
        """
        if self._says and not self.right:
            return
        ranked = sorted(range(len(self.wrong)), key=lambda rank: rank * draw.random())
        into.question += 1
        right = self.right[:RIGHT]
        for window, span in right:
            into.answers(self.question, window, span)
        for rank in ranked[: WINDOWS - len(right)]:
            into.does_not(self.question, self.wrong[rank])


def collect(
    library: Library, name: str, lines: Sequence[Mapping[str, Any]], into: ExampleWriter
) -> None:
    """Ask a life all its questions, and write down what was found."""
    draw = random.Random(name)
    documents = as_documents(name, lines)
    whole = [(title, made) for title, made in documents if made]
    life = taken_in(library, name, whole, [Asked(name, "", frozenset(), LATER)], {})
    for number, ((_, made), line) in enumerate(zip(documents, lines, strict=True)):
        asked = [(each["q"], each["a"]) for each in line["qa"]]
        asked += [(question, []) for question in line["none"]]
        for question, answers in asked:
            group = Group(question, answers, DocumentId(f"{name}:{number}"))
            found = recalled(life, Asked(name, question, frozenset(), LATER), RERANKED)
            group.take(found.items)
            group.look_up(made)
            group.write(into, draw)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    run: Path = parser.parse_args().run
    into = ExampleWriter(E5Tokenizer(vocabulary_file(bundled_file(), default_cache())))
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        for name, lines in lives():
            collect(library, name, lines, into)
            print(f"{name}: {into.question + 1} questions so far")
    into.write(run / "examples-found.npz")
    return 0


if __name__ == "__main__":
    sys.exit(main())
