"""A reader that has learned to read: which words of a text answer a question, and whether any do.

multilingual-e5-small reads question and text together. What it learned, and from what, is in
`L2/recipes/reader.py`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from lpm_kernel.backends.embed.e5.graph import LEARNED, graph_file
from lpm_kernel.backends.embed.e5.tokenizer import E5Tokenizer, Tokens, vocabulary_file
from lpm_kernel.backends.embed.e5.weights import bundled_file
from lpm_kernel.backends.embed.sessions import cpu_session, default_cache
from lpm_kernel.domain.models.reading import TextReading
from lpm_kernel.errors import ReaderUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST: Final = 192
"""Tokens of a question with a text; it learned from pairs of this length."""
MOST_ASKED: Final = 56
"""Tokens of a question."""
MARKS: Final = 4
"""Tokens that stand around and between them."""
BEGIN, END = 0, 2

LAST: Final = " \t\n\u3000?？!！.。．、,…"
"""Signs at the end of a question that say nothing of what is asked."""


@dataclass(frozen=True)
class TokenPair:
    """A question and a text as the model reads them."""

    ids: list[int]
    text: NDArray[np.int32]
    """Where the tokens of the text stand in it."""
    offset: int
    """Tokens before those of the text."""


class E5Reader:
    """Reads texts with a question in mind. One call at a time; threads wait."""

    id = "e5-reader/1"

    def __init__(
        self,
        source: Path | None = None,
        cache: Path | None = None,
        *,
        learned: Path = LEARNED,
        threads: int = 2,
    ) -> None:
        source, cache = source or bundled_file(), cache or default_cache()
        try:
            # what was learned from the person lies with it alone, so that it goes with it
            graph = graph_file(source, cache if learned == LEARNED else learned.parent, learned)
            vocabulary = vocabulary_file(source, cache)
            self._session = cpu_session(graph, threads)
            self._tokens = E5Tokenizer(vocabulary)
        except Exception as error:  # onnxruntime and sentencepiece raise what they like
            if learned != LEARNED and not isinstance(
                error, ImportError | MemoryError | OSError | ReaderUnavailableError
            ):
                raise ReaderUnavailableError(
                    "The reader that learned from your verdicts cannot be read.",
                    "`lpm reader reset` goes back to the one that the node ships.",
                ) from error
            raise _unavailable(error, cache) from error
        self._lock = threading.Lock()

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:
        """Read each text by itself with the question in mind."""
        return [_reading(read, spans, whole) for read, spans, whole in self._run(question, texts)]

    def _run(
        self, question: str, texts: Sequence[str]
    ) -> list[tuple[TokenPair, NDArray[np.float32], NDArray[np.float32]]]:
        """Return each pair with its logits, of shape (tokens, 2) and (2,). One pair at a time: in
        eight bits, what goes through together touches each other.
        """
        asked = self._tokens(plain(question))
        pairs = [pair(asked, self._tokens(text)) for text in texts]
        with self._lock:
            return [(read, *self._logits(read)) for read in pairs]

    def _logits(self, read: TokenPair) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        ids = np.array([read.ids], np.int32)
        lengths = np.array([len(read.ids)], np.int32)
        spans, whole = self._session.run(["spans", "whole"], {"ids": ids, "lengths": lengths})
        return spans[0], whole[0]


def _unavailable(error: Exception, cache: Path) -> ReaderUnavailableError:
    """Say why the reader could not be brought up, and what helps."""
    match error:
        case ReaderUnavailableError():
            return error
        case ImportError():
            return ReaderUnavailableError(
                f"The reader needs {error.name}, which is not installed.", "Run `make setup` again."
            )
        case MemoryError():
            return ReaderUnavailableError(
                "There is not enough memory for the reader.", "It needs 150 MB."
            )
        case OSError():
            return ReaderUnavailableError(
                f"The reader could not be prepared: {error.strerror or error}.",
                "Check that the disk has 200 MB free.",
            )
        case _:
            return ReaderUnavailableError(
                f"The reader's files cannot be read ({type(error).__name__}).",
                f"Delete reader-* and e5-* in {cache}, and run `make setup` again.",
            )


def plain(question: str) -> str:
    """Return a question as the model reads all of them: without the mark at its end, and without a
    capital in front. In what it learns from, how a question is written goes with whether it is
    answered, and it would go by that.

    >>> plain("Who was the keeper? "), plain("何時ですか？"), plain("?")
    ('who was the keeper', '何時ですか', '?')
    """
    said = question.strip().rstrip(LAST) or question.strip()
    return said[:1].lower() + said[1:]


def pair(asked: Tokens, text: Tokens) -> TokenPair:
    """Put a question and a text together, as much of them as the model reads: of a long question
    its end, where it asks.
    """
    question = asked.ids[-MOST_ASKED:]
    room = MOST - len(question) - MARKS
    ids = [BEGIN, *question, END, END, *text.ids[:room], END]
    return TokenPair(ids, text.spans[:room], len(question) + MARKS - 1)


def _reading(
    read: TokenPair, spans: NDArray[np.float32], whole: NDArray[np.float32]
) -> TextReading:
    there = spans[read.offset : read.offset + len(read.text)]
    return TextReading(
        relevance=float(whole[0]),
        none=float(spans[0].sum()),
        spans=read.text,
        begins=there[:, 0],
        ends=there[:, 1],
    )


def main() -> None:
    """Build the reader's files and read a line, so that trouble shows at set-up."""
    E5Reader().read("Who called?", ["Mai called."])
    print(f"Reader: {graph_file(bundled_file(), default_cache())}")  # noqa: T201 - `make setup` shows where it lies


if __name__ == "__main__":
    main()
