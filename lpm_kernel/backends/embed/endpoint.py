"""An embedder behind an OpenAI-compatible endpoint: the model host on this machine, or a server elsewhere."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np

from lpm_kernel.domain.passages import TOKEN_WIDTH, Embedded
from lpm_kernel.domain.ports import Endpoint
from lpm_kernel.errors import EmbedderUnavailableError, ModelUnavailableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpm_kernel.domain.ports import Vectors

AT_ONCE = 64
"""Texts in one request: short enough that a stop comes soon, long enough that the way does not count."""

READ_SECONDS = 120.0

NO_EMBEDDINGS = "The endpoint answers, but not with embeddings."


class EndpointEmbedder:
    """Asks an endpoint for vectors. ``where`` is asked before each request, since the host on this machine moves when it restarts.

    ``identity`` and ``dimension`` are what the rows in the index are kept under; vectors of another length are refused.
    An empty ``identity`` takes the name that the endpoint gives, a ``dimension`` of 0 the length of the first vector. ``tokens`` asks for the tokens of each text too, which the model host
    gives and other endpoints do not. ``served_as``: the name under which the endpoint has to say that it embeds; the host on
    this machine may still, or already, serve another embedder.
    """

    def __init__(
        self,
        where: Endpoint | Callable[[], Endpoint],
        *,
        identity: str,
        dimension: int = 0,
        tokens: bool = False,
        served_as: str = "",
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self.id = identity
        self.dimension = dimension
        self._where = where
        self._with_tokens = tokens
        self._served_as = served_as
        # What stays on this machine goes through no proxy, whatever the environment says.
        here: dict[str, None] = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}
        self._client = httpx.Client(timeout=httpx.Timeout(read_seconds, connect=5.0), mounts=here)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text by itself."""
        return self._ask_in_parts(texts, tokens=False).vectors

    def embed_tokens(self, texts: Sequence[str]) -> Embedded:
        """Embed each text, and give its tokens where the endpoint does."""
        return self._ask_in_parts(texts, tokens=self._with_tokens)

    def _ask_in_parts(self, texts: Sequence[str], *, tokens: bool) -> Embedded:
        made: list[Vectors] = []
        kept: list[NDArray[np.int8]] = []
        for start in range(0, len(texts), AT_ONCE):
            vectors, given = self._ask(texts[start : start + AT_ONCE], tokens=tokens)
            made.append(vectors)
            kept += given
        whole = np.concatenate(made) if made else np.empty((0, self.dimension), np.float32)
        return Embedded(self.id, whole, kept if tokens and len(kept) == len(texts) else None)

    def _ask(self, texts: Sequence[str], *, tokens: bool) -> tuple[Vectors, list[NDArray[np.int8]]]:
        rows = self._rows(texts, tokens=tokens)
        vectors = self._vectors([row.get("embedding") for row in rows], len(texts))
        if not tokens or not all("tokens" in row for row in rows):
            return vectors, []
        try:
            return vectors, [np.frombuffer(base64.b64decode(row["tokens"]), np.int8).reshape(-1, TOKEN_WIDTH) for row in rows]
        except (ValueError, TypeError, binascii.Error) as error:
            raise EmbedderUnavailableError(NO_EMBEDDINGS) from error

    def _rows(self, texts: Sequence[str], *, tokens: bool) -> list[dict[str, Any]]:
        """Return what the endpoint says of each text, in order. Raises ``EmbedderUnavailableError``."""
        try:
            endpoint = self._where if isinstance(self._where, Endpoint) else self._where()
        except ModelUnavailableError as error:
            raise EmbedderUnavailableError(error.detail) from error
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        body: dict[str, Any] = {"input": clean, "model": endpoint.model, "encoding_format": "base64"}
        if tokens:
            body["tokens"] = True
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        try:
            response = self._client.post(f"{endpoint.url.rstrip('/')}/embeddings", json=body, headers=headers)
        except httpx.TimeoutException as error:
            raise EmbedderUnavailableError("The embedder took the texts but did not answer in time.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbedderUnavailableError("The embedder cannot be reached.") from error
        if response.status_code != HTTPStatus.OK:
            raise EmbedderUnavailableError(_reason(response))
        try:
            said = response.json()
            rows = [dict(row) for row in sorted(said["data"], key=lambda row: int(row["index"]))]
        except (ValueError, KeyError, TypeError) as error:
            raise EmbedderUnavailableError(NO_EMBEDDINGS) from error
        if self._served_as and said.get("model") != self._served_as:
            raise EmbedderUnavailableError("The model host serves another embedder right now; it is about to change.")
        self.id = self.id or str(said.get("model", ""))
        return rows

    def _vectors(self, rows: Sequence[object], count: int) -> Vectors:
        try:
            vectors = np.array([np.frombuffer(base64.b64decode(row), "<f4") if isinstance(row, str) else np.asarray(row, "<f4") for row in rows], np.float32)
        except (ValueError, TypeError, binascii.Error) as error:
            raise EmbedderUnavailableError(NO_EMBEDDINGS) from error
        if vectors.ndim == 2 and not self.dimension:  # noqa: PLR2004  rows and numbers
            self.dimension = vectors.shape[1]
        if vectors.shape != (count, self.dimension) or not self.dimension:
            raise EmbedderUnavailableError(f"The endpoint gives vectors of another shape than {self.dimension} numbers for each text.")
        if not np.isfinite(vectors).all():
            raise EmbedderUnavailableError("The endpoint gives vectors with numbers that are none.")
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _reason(response: httpx.Response) -> str:
    if response.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return "The embedder refuses the key."
    try:
        return str(response.json()["error"]["message"])[:300]
    except (ValueError, KeyError, TypeError):
        return f"The embedder cannot answer (status {response.status_code})."
