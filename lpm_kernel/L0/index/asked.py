"""Questions as vectors, each embedded once as long as it is among the last that were asked.

One turn asks recall several times: each voice of a chat of three, another answer to the same turn,
a search that is typed. What is kept are numbers under a name that says nothing to who has not the
key of this process; an erasure empties it all the same, since numbers can be read back in part.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np

from lpm_kernel.domain.caching import QUESTIONS, VersionedCache
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.domain.ports import Embedder, TokenEmbedder
from lpm_kernel.errors import EmbedderUnavailableError
from lpm_kernel.L0.language import analysis

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

ASKED: Final = 2000
"""Characters of a question that are embedded; the embedder reads no more either."""


class EmbeddedQuestions:
    """Embeds questions, and knows the last ``most``. One object serves all threads."""

    def __init__(self, embedder: Embedder | None, most: int = QUESTIONS) -> None:
        self.embedder = embedder
        self._kept = VersionedCache[bytes, Embedded](most)
        self._key = secrets.token_bytes(32)

    def embed(self, text: str, *, closely: bool) -> Embedded | None:
        """Embed a question, with its tokens where they help: the bundled model knows Japanese and
        Chinese by single signs, which mislead. ``None``: there is no embedder, it cannot be
        reached, or nothing was asked.
        """
        embedder, asked = self.embedder, text[:ASKED]
        if embedder is None or not text.strip():
            return None
        with_tokens = (
            closely and isinstance(embedder, TokenEmbedder) and not analysis.unspaced(asked)
        )

        def make() -> Embedded:
            if with_tokens and isinstance(embedder, TokenEmbedder):
                return embedder.embed_tokens([asked])
            return Embedded(embedder.id, embedder.embed([asked]))

        try:
            return self._kept.get(self._name(asked, with_tokens), embedder.id, make)
        except EmbedderUnavailableError:
            return None

    def forget(self) -> None:
        """Keep nothing of what was asked."""
        self._kept.forget()

    def embedder_of_told(self) -> Embedder | None:
        """Return the embedder for what was asked a moment ago, and is remembered now: the bundled
        one embeds a question as a passage.
        """
        embedder = self.embedder
        return _OfTold(embedder, self) if isinstance(embedder, TokenEmbedder) else embedder

    def _name(self, asked: str, with_tokens: bool) -> bytes:
        """Return a name for a question that says nothing to who does not have the key."""
        data = asked.encode("utf-8", "surrogatepass")
        return blake2b(data, key=self._key, digest_size=16, salt=bytes([with_tokens])).digest()


class _OfTold:
    """An embedder that takes from memory what was asked lately."""

    def __init__(self, embedder: TokenEmbedder, asked: EmbeddedQuestions) -> None:
        self._embedder = embedder
        self._asked = asked

    @property
    def id(self) -> str:
        """Name of model and version."""
        return self._embedder.id

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text."""
        return self._embedder.embed(texts)

    def embed_tokens(self, texts: Sequence[str]) -> Embedded:
        """Embed each text, and give its tokens too."""
        if not texts:
            return self._embedder.embed_tokens(texts)
        known = [self._known(text) for text in texts]
        tokens = [token for each in known for token in each.tokens or ()]
        return Embedded(
            self.id,
            np.concatenate([each.vectors for each in known]),
            tokens if len(tokens) == len(texts) else None,
        )

    def _known(self, text: str) -> Embedded:
        """Return what was embedded of a text with its tokens, now where it is longer than a
        question, or a question in its language is embedded otherwise.
        """
        otherwise = len(text) > ASKED or analysis.unspaced(text)
        asked = None if otherwise else self._asked.embed(text, closely=True)
        if asked is not None and asked.tokens is not None:
            return asked
        return self._embedder.embed_tokens([text])
