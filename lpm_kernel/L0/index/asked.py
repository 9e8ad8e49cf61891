"""Questions as vectors, each embedded once as long as it is among the last that were asked.

One turn asks recall several times: each voice of a chat of three, another answer to the same turn,
a search that is typed. What is kept are numbers under a name that says nothing to who has not the
key of this process; an erasure empties it all the same, since numbers can be read back in part.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import Final

from lpm_kernel.domain.caching import QUESTIONS, VersionedCache
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.domain.ports import Embedder, TokenEmbedder
from lpm_kernel.errors import EmbedderUnavailableError
from lpm_kernel.L0.language import analysis

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

    def _name(self, asked: str, with_tokens: bool) -> bytes:
        """Return a name for a question that says nothing to who does not have the key."""
        data = asked.encode("utf-8", "surrogatepass")
        return blake2b(data, key=self._key, digest_size=16, salt=bytes([with_tokens])).digest()
