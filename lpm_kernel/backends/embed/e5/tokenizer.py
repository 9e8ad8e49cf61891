"""The vocabulary of multilingual-e5-small for sentencepiece, which keeps it in a tenth of the
memory that `tokenizers` needs.

A sentencepiece model is a protocol buffer: pieces with their scores, and what is done to a text
beforehand. The normalisation that the model was trained with is sentencepiece's own `nmt_nfkc`,
which is taken from a tiny model that sentencepiece trains on the spot.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from lpm_kernel.backends.embed.e5.weights import E5Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECIPE: Final = 1
"""Counts up when what is written below changes."""
NORMAL, UNKNOWN, CONTROL = 1, 2, 3
"""Kinds of pieces, as sentencepiece numbers them."""
SEED: Final = ["hello world this is a test"] * 20


@dataclass(frozen=True)
class Tokens:
    """A text in pieces. n pieces."""

    ids: list[int]
    spans: NDArray[np.int32]
    """Shape (n, 2): where each stands in the text, in code points, end exclusive."""


class E5Tokenizer:
    """Takes texts apart as the model was trained to read them."""

    def __init__(self, path: Path) -> None:
        from sentencepiece import SentencePieceProcessor

        self._model = SentencePieceProcessor(model_file=str(path))

    def __call__(self, text: str) -> Tokens:
        """Take a text apart, without marks at its ends."""
        text = text.encode("utf-8", "replace").decode("utf-8")  # halves of surrogate pairs
        pieces = self._model.encode(text, out_type="immutable_proto").pieces
        spans = np.array([(piece.begin, piece.end) for piece in pieces], np.int32)
        return Tokens([piece.id for piece in pieces], spans.reshape(-1, 2))


def vocabulary_file(source: Path, cache: Path) -> Path:
    """Return the vocabulary of the weights under ``cache``, written if it is not there yet."""
    with source.open("rb") as handle:
        fingerprint = hashlib.file_digest(handle, "sha256").hexdigest()[:16]
    path = cache / f"e5-{RECIPE}-{fingerprint}.model"
    if not path.exists():
        write_vocabulary(E5Weights(source), path)
    return path


def write_vocabulary(weights: E5Weights, path: Path) -> None:
    """Write the vocabulary as a sentencepiece model. Whole or not at all."""
    from sentencepiece import sentencepiece_model_pb2 as shapes

    model = shapes.ModelProto()
    model.ParseFromString(_seed())
    del model.pieces[:]
    special = {weights.unknown: UNKNOWN} | dict.fromkeys(
        (weights.begin, weights.end, weights.pad, len(weights.pieces) - 1), CONTROL
    )
    for number, (piece, score) in enumerate(
        zip(weights.pieces, weights.scores.tolist(), strict=True)
    ):
        model.pieces.add(piece=piece, score=score, type=special.get(number, NORMAL))
    trainer = model.trainer_spec
    trainer.vocab_size = len(weights.pieces)
    trainer.unk_id, trainer.bos_id = weights.unknown, weights.begin
    trainer.eos_id, trainer.pad_id = weights.end, weights.pad
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".building-") as scratch:
        finished = Path(scratch) / path.name
        finished.write_bytes(model.SerializeToString())
        finished.replace(path)


def _seed() -> bytes:
    from sentencepiece import SentencePieceTrainer

    written = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(SEED),
        model_writer=written,
        vocab_size=20,
        model_type="unigram",
        normalization_rule_name="nmt_nfkc",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return written.getvalue()
