"""An embedder from a GGUF file, by llama.cpp, in the model host's process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

# as in gguf_model.py: read when llama.cpp is loaded
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
import llama_cpp

from lpm_kernel.backends.llm.probe import GGUF_MAGIC
from lpm_kernel.errors import EmbedderUnavailableError

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

CONTEXT = 512
"""Tokens of a text that are read; the rest does not count, as with the bundled embedder."""


class GgufEmbedder:
    """One GGUF file. Texts are embedded one by one, so that order and company do not matter."""

    def __init__(self, path: Path, *, threads: int = 2) -> None:
        try:
            with path.open("rb") as handle:
                magic = handle.read(len(GGUF_MAGIC))
                handle.seek(0)
                digest = hashlib.file_digest(handle, "sha256").hexdigest()
        except OSError as error:
            raise EmbedderUnavailableError(
                f"There is no file at {path} that can be read.", "Check the path."
            ) from error
        if magic != GGUF_MAGIC:
            raise EmbedderUnavailableError(
                f"“{path.name}” is not a GGUF file.",
                "Model pages offer files that end in .gguf; take one of these.",
            )
        try:
            self._llama = llama_cpp.Llama(
                str(path),
                embedding=True,
                n_ctx=CONTEXT,
                n_batch=CONTEXT,
                n_ubatch=CONTEXT,
                n_threads=threads,
                n_threads_batch=threads,
                verbose=False,
            )
        except (ValueError, AssertionError, RuntimeError) as error:
            raise EmbedderUnavailableError(
                f"“{path.name}” could not be loaded: it is damaged, or of a kind that llama.cpp"
                " does not know."
            ) from error
        self.dimension: int = self._llama.n_embd()
        self.id = f"{path.stem}/{digest[:16]}"
        """The file's content stands in it: another file of the same name makes other vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text by itself."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            tokens = self._llama.tokenize(
                text.encode("utf-8", "replace"), add_bos=True, special=False
            )[:CONTEXT]
            if not tokens:
                vectors[at, 0] = 1.0
                continue
            vectors[at] = self._one(tokens)
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def _one(self, tokens: list[int]) -> Vectors:
        """Return the pooled vector of the tokens: as the model pools, or their mean where it does
        not say how.
        """
        context = self._llama.ctx
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
        batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
        try:
            batch.n_tokens = len(tokens)
            for index, token in enumerate(tokens):
                batch.token[index] = token
                batch.pos[index] = index
                batch.n_seq_id[index] = 1
                batch.seq_id[index][0] = 0
                batch.logits[index] = True
            if (status := llama_cpp.llama_decode(context, batch)) != 0:
                raise EmbedderUnavailableError(
                    f"The embedder stopped while reading (llama.cpp says {status})."
                )
        finally:
            llama_cpp.llama_batch_free(batch)
        if llama_cpp.llama_pooling_type(context) != llama_cpp.LLAMA_POOLING_TYPE_NONE:
            pooled = llama_cpp.llama_get_embeddings_seq(context, 0)
            return np.ctypeslib.as_array(pooled, (self.dimension,)).copy()
        every = np.ctypeslib.as_array(
            llama_cpp.llama_get_embeddings(context), (len(tokens), self.dimension)
        )
        mean: Vectors = every.mean(axis=0)
        return mean

    def close(self) -> None:
        """Give the memory back."""
        self._llama.close()
