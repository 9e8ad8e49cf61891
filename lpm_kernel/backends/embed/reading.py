"""The reader of the model host on this machine, and its twin."""

from __future__ import annotations

import base64
import binascii
import math
import re
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np

from lpm_kernel.backends.embed.endpoint import received
from lpm_kernel.domain.models import bounds
from lpm_kernel.domain.models.bounds import Bound, TooMuchError
from lpm_kernel.domain.models.reading import TextReading
from lpm_kernel.domain.ports import Endpoint, ReadingModel
from lpm_kernel.errors import ModelUnavailableError, ReaderUnavailableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

READ_SECONDS = 10.0
REST_SECONDS = 10.0
"""How long nothing is asked of a reader that could not be reached or took too long: an answer does
not wait for it twice.
"""
MOST_BYTES = 16_000_000
"""Of one answer."""
AWAY = "The reader cannot be reached."
NO_READINGS = "The model host answers, but not with readings."

_WORD = re.compile(r"\w+")


class EndpointReader:
    """Asks the model host. ``where`` is asked before each request, since the host moves when it
    restarts.
    """

    id = "host-reader"

    def __init__(
        self, where: Callable[[], Endpoint], *, read_seconds: float = READ_SECONDS
    ) -> None:
        self._where = where
        here: dict[str, None] = {"all://127.0.0.1": None, "all://localhost": None}
        plain = {"Accept-Encoding": "identity"}
        self._client = httpx.Client(
            timeout=httpx.Timeout(read_seconds, connect=5.0), mounts=here, headers=plain
        )
        weakref.finalize(self, self._client.close)
        self._bound = Bound(MOST_BYTES, read_seconds)
        self._rests_until = -math.inf

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:
        """Read each text by itself with the question in mind."""
        if not texts:
            return []
        if time.monotonic() < self._rests_until:
            raise ReaderUnavailableError(AWAY)
        rows = bounds.sequence(self._ask(question, texts).get("data"))
        if len(rows) != len(texts):
            raise ReaderUnavailableError(NO_READINGS)
        try:
            return [_reading(bounds.mapping(row)) for row in rows]
        except (ValueError, TypeError, binascii.Error) as error:
            raise ReaderUnavailableError(NO_READINGS) from error

    def _ask(self, question: str, texts: Sequence[str]) -> dict[str, object]:
        try:
            endpoint = self._where()
        except ModelUnavailableError as error:
            raise ReaderUnavailableError(error.detail) from error
        body: dict[str, Any] = {
            "question": _clean(question),
            "texts": [_clean(text) for text in texts],
        }
        try:
            with self._client.stream(
                "POST",
                f"{endpoint.url.rstrip('/')}/read",
                json=body,
                headers={"Authorization": f"Bearer {endpoint.key}"},
            ) as response:
                said = received(response, self._bound)
        except TooMuchError as error:
            self._rests_until = time.monotonic() + REST_SECONDS
            raise ReaderUnavailableError("The reader did not finish.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._rests_until = time.monotonic() + REST_SECONDS
            raise ReaderUnavailableError(AWAY) from error
        if response.status_code != HTTPStatus.OK:
            reason = bounds.text(bounds.mapping(said.get("error")).get("message"), 300)
            raise ReaderUnavailableError(reason or "The reader cannot answer.")
        return said

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class DeferredReader:
    """A reader in this process, brought up when something is to be read for the first time. Where
    it cannot be, whoever asks is told why.
    """

    id = "deferred-reader"

    def __init__(self, load: Callable[[], ReadingModel]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._brought_up: ReadingModel | ReaderUnavailableError | None = None

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:
        """Read each text by itself with the question in mind."""
        reader = self.bring_up()
        if isinstance(reader, ReaderUnavailableError):
            raise ReaderUnavailableError(reader.detail, reader.hint)
        return list(reader.read(question, texts))

    def bring_up(self) -> ReadingModel | ReaderUnavailableError:
        """Return the reader, or why it is not there."""
        with self._lock:
            if self._brought_up is None:
                try:
                    self._brought_up = self._load()
                except ReaderUnavailableError as error:
                    self._brought_up = error
            return self._brought_up


def _clean(text: str) -> str:
    """Replace halves of surrogate pairs, which are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _reading(row: dict[str, object]) -> TextReading:
    begins, ends = (_numbers(row, name, "<f4") for name in ("begins", "ends"))
    spans = _numbers(row, "spans", "<i4").reshape(-1, 2)
    relevance, none = row.get("relevance"), row.get("none")
    if not (isinstance(relevance, int | float) and isinstance(none, int | float)):
        raise TypeError(NO_READINGS)
    if not len(begins) == len(ends) == len(spans):
        raise ValueError(NO_READINGS)
    return TextReading(float(relevance), float(none), spans, begins, ends)


def _numbers(row: dict[str, object], name: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(str(row.get(name))), kind)


class LiteralReader:
    """The twin of a reader: a text answers as far as it holds the question's words, and the answer
    begins with the first word that the question does not have.

    >>> read = LiteralReader().read("Who lent me the ladder?", ["Mai lent me the ladder.", "Rain."])
    >>> [reading.relevance > 0 for reading in read]
    [True, False]
    """

    id = "literal-reader/1"

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:
        """Read each text by itself with the question in mind."""
        asked = set(_words(question))
        return [_literal(asked, text) for text in texts]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _share(asked: set[str], text: str) -> float:
    """Return -4 for none of the words up to 4 for all of them."""
    held = len(asked.intersection(_words(text)))
    return 8.0 * held / max(1, len(asked)) - 4.0


def _literal(asked: set[str], text: str) -> TextReading:
    words = list(_WORD.finditer(text))
    relevance = _share(asked, text)
    spans = np.array([word.span() for word in words], np.int32).reshape(-1, 2)
    new = np.array([word.group().casefold() not in asked for word in words], np.float32)
    logits = (relevance + new).astype(np.float32)
    return TextReading(relevance, 0.0, spans, logits, logits)
