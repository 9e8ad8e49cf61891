"""An embedder behind an OpenAI-compatible endpoint: the model host on this machine, or a server
elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import weakref
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np

from lpm_kernel.domain.library.passages import TOKEN_WIDTH, Embedded
from lpm_kernel.domain.models import bounds
from lpm_kernel.domain.models.bounds import Bound, TooMuchError
from lpm_kernel.domain.ports import Endpoint
from lpm_kernel.errors import EmbedderUnavailableError, ModelUnavailableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpm_kernel.domain.ports import Vectors

AT_ONCE = 64
"""Texts in one request: short enough that a stop comes soon, long enough that the way does not
count.
"""

READ_SECONDS = 120.0

MOST_BYTES = 64_000_000
"""Of one answer: 64 texts with their tokens have a quarter of it."""

MOST_NUMBERS = 65_536
"""Of one vector."""

NO_EMBEDDINGS = "The endpoint answers, but not with embeddings."


class EndpointEmbedder:
    """Asks an endpoint for vectors. ``where`` is asked before each request, since the host on this
    machine moves when it restarts.

    ``identity`` and ``dimension`` are what the rows in the index are kept under; vectors of another
    length are refused. An empty ``identity`` takes the name that the endpoint gives, a
    ``dimension`` of 0 the length of the first vector. ``tokens`` asks for the tokens of each text
    too, which the model host gives and other endpoints do not. ``served_as``: the name under which
    the endpoint has to say that it embeds; the host on this machine may still, or already, serve
    another embedder.
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
        here: dict[str, None] = {
            "all://127.0.0.1": None,
            "all://localhost": None,
            "all://[::1]": None,
        }
        # nothing is unpacked: a kilobyte could become a gigabyte
        plain = {"Accept-Encoding": "identity"}
        self._client = httpx.Client(
            timeout=httpx.Timeout(read_seconds, connect=5.0), mounts=here, headers=plain
        )
        weakref.finalize(self, self._client.close)
        self._bound = Bound(MOST_BYTES, read_seconds)

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
            return vectors, [
                np.frombuffer(base64.b64decode(str(row["tokens"])), np.int8).reshape(
                    -1, TOKEN_WIDTH
                )
                for row in rows
            ]
        except (ValueError, TypeError, binascii.Error) as error:
            raise EmbedderUnavailableError(NO_EMBEDDINGS) from error

    def _rows(self, texts: Sequence[str], *, tokens: bool) -> list[dict[str, object]]:
        """Return what the endpoint says of each text, in order. Raises
        ``EmbedderUnavailableError``.
        """
        try:
            endpoint = self._where if isinstance(self._where, Endpoint) else self._where()
        except ModelUnavailableError as error:
            raise EmbedderUnavailableError(error.detail) from error
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        body: dict[str, Any] = {
            "input": clean,
            "model": endpoint.model,
            "encoding_format": "base64",
        }
        if tokens:
            body["tokens"] = True
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        try:
            with self._client.stream(
                "POST", f"{endpoint.url.rstrip('/')}/embeddings", json=body, headers=headers
            ) as response:
                said = received(response, self._bound)
        except TooMuchError as error:
            raise EmbedderUnavailableError(
                "The embedder sent too long an answer, or one without an end."
            ) from error
        except httpx.TimeoutException as error:
            raise EmbedderUnavailableError(
                "The embedder took the texts but did not answer in time."
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbedderUnavailableError("The embedder cannot be reached.") from error
        if response.status_code != HTTPStatus.OK:
            raise EmbedderUnavailableError(_reason(response, said))
        listed = said.get("data")
        rows = [bounds.mapping(row) for row in bounds.sequence(listed)]
        places = [place for row in rows if (place := bounds.count(row.get("index"))) is not None]
        if not isinstance(listed, list) or sorted(places) != list(range(len(rows))):
            raise EmbedderUnavailableError(NO_EMBEDDINGS)
        if self._served_as and said.get("model") != self._served_as:
            raise EmbedderUnavailableError(
                "The model host serves another embedder right now; it is about to change."
            )
        self.id = self.id or bounds.text(said.get("model"), 200)
        return sorted(rows, key=lambda row: bounds.count(row.get("index")) or 0)

    def _vectors(self, rows: Sequence[object], count: int) -> Vectors:
        try:
            vectors = np.array([_numbers(row) for row in rows], np.float32)
        except (ValueError, TypeError, OverflowError, binascii.Error) as error:
            raise EmbedderUnavailableError(NO_EMBEDDINGS) from error
        if vectors.ndim == 2 and not self.dimension:  # noqa: PLR2004  rows and numbers
            self.dimension = vectors.shape[1]
        if vectors.shape != (count, self.dimension) or not self.dimension:
            raise EmbedderUnavailableError(
                f"The endpoint does not return a vector of {self.dimension} numbers for each text."
            )
        if not np.isfinite(vectors).all():
            raise EmbedderUnavailableError("The endpoint returns vectors with invalid numbers.")
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def received(response: httpx.Response, bound: Bound) -> dict[str, object]:
    """Return the object that an answer is, an empty one where it is none. Raises
    ``TooMuchError``.
    """
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in {"", "identity"}:
        return {}
    try:
        return bounds.mapping(bounds.parsed(bounds.gather(response.iter_raw(), bound)))
    except ValueError:
        return {}


def _numbers(row: object) -> NDArray[np.float32]:
    """Return a vector, from base64 or from a flat list of numbers. Raises ``ValueError`` and its
    kin.
    """
    if isinstance(row, str):
        return np.frombuffer(base64.b64decode(row), "<f4").astype(np.float32)
    flat = bounds.sequence(row)
    if len(flat) > MOST_NUMBERS or not all(isinstance(each, int | float) for each in flat):
        raise ValueError(NO_EMBEDDINGS)
    return np.asarray(flat, np.float32)


def _reason(response: httpx.Response, said: dict[str, object]) -> str:
    if response.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return "The embedder rejects the key."
    reason = bounds.text(bounds.mapping(said.get("error")).get("message"), 300)
    return reason or f"The embedder cannot answer (status {response.status_code})."
