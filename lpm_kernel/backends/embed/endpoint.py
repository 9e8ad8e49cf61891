"""An embedder behind an OpenAI-compatible endpoint: the model host on this machine, or a server elsewhere."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING

import httpx
import numpy as np

from lpm_kernel.domain.ports import Endpoint
from lpm_kernel.errors import EmbedderUnavailableError, ModelUnavailableError

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

AT_ONCE = 64
"""Texts in one request: short enough that a stop comes soon, long enough that the way does not count."""

READ_SECONDS = 120.0


class EndpointEmbedder:
    """Asks an endpoint for vectors. ``where`` is asked before each request, since the host on this machine moves when it restarts.

    ``identity`` and ``dimension`` are what the rows in the index are kept under; vectors of another length are refused.
    """

    def __init__(self, where: Endpoint | Callable[[], Endpoint], *, identity: str, dimension: int, read_seconds: float = READ_SECONDS) -> None:
        self.id = identity
        self.dimension = dimension
        self._where = where
        # What stays on this machine goes through no proxy, whatever the environment says.
        here: dict[str, None] = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}
        self._client = httpx.Client(timeout=httpx.Timeout(read_seconds, connect=5.0), mounts=here)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text by itself."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), AT_ONCE):
            part = texts[start : start + AT_ONCE]
            vectors[start : start + len(part)] = self._ask(part)
        return vectors

    def _ask(self, texts: Sequence[str]) -> Vectors:
        try:
            endpoint = self._where if isinstance(self._where, Endpoint) else self._where()
        except ModelUnavailableError as error:
            raise EmbedderUnavailableError(error.detail) from error
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        body = {"input": clean, "model": endpoint.model, "encoding_format": "base64"}
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
            rows = [row["embedding"] for row in sorted(response.json()["data"], key=lambda row: int(row["index"]))]
            vectors = np.array([np.frombuffer(base64.b64decode(row), "<f4") if isinstance(row, str) else np.asarray(row, "<f4") for row in rows], np.float32)
        except (ValueError, KeyError, TypeError, binascii.Error) as error:
            raise EmbedderUnavailableError("The endpoint answers, but not with embeddings.") from error
        if vectors.shape != (len(texts), self.dimension):
            raise EmbedderUnavailableError(f"The endpoint gives vectors of another shape than {self.dimension} numbers for each text.")
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
