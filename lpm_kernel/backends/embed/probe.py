"""Try an embedder before it is chosen: how long its vectors are, how fast it is, and whether they
mean anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

import httpx
import numpy as np

from lpm_kernel.backends.embed.endpoint import EndpointEmbedder, received
from lpm_kernel.domain.models import bounds
from lpm_kernel.domain.models.bounds import Bound, TooMuchError
from lpm_kernel.domain.ports import Embedder, Endpoint
from lpm_kernel.errors import EmbedderUnavailableError

SECONDS = 5.0
"""How long one answer may take while an endpoint is tried."""
MOST_LISTED = 8_000_000
"""Bytes of a list of models."""
MEASURE_SECONDS = 2.0
"""How long speed is measured."""
NEAR = (
    "Every morning she walks along the river.",
    "She goes for a walk by the river each morning.",
)
FAR = "The tax form has to be handed in by April."
JAPANESE = (
    "彼女は毎朝、川沿いを散歩する。",
    "毎日、朝になると彼女は川のほとりを歩く。",
    "税の申告書は四月までに出さなければならない。",
)
ALIKE = 1e-3
"""By how much two vectors of one text may differ."""


@dataclass(frozen=True)
class ProbeResult:
    """What trying an embedder showed."""

    id: str
    dimension: int
    sentences_per_second: float
    japanese: bool
    """Japanese sentences that mean the same lie near each other."""
    sentence: str


def identity_of(url: str, model: str) -> str:
    """Name the vectors of an endpoint: another address or another model makes others.

    >>> identity_of("http://127.0.0.1:11434/v1/", "bge-m3")
    'bge-m3@127.0.0.1:11434/v1'
    """
    parts = urlsplit(url)
    return f"{model}@{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def embedding_model(endpoint: Endpoint) -> str:
    """Return the model that was named, else the endpoint's first whose name says that it embeds,
    else its first.
    """
    if endpoint.model:
        return endpoint.model
    headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    try:
        timeout = httpx.Timeout(SECONDS, connect=3.0)
        with (
            httpx.Client(
                timeout=timeout,
                trust_env=not _here(endpoint.url),
                headers={"Accept-Encoding": "identity"},
            ) as client,
            client.stream("GET", f"{endpoint.url.rstrip('/')}/models", headers=headers) as response,
        ):
            if response.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
                raise EmbedderUnavailableError("The embedder rejects the key.", "Check the key.")
            listed = received(response, Bound(MOST_LISTED, SECONDS)).get("data")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise EmbedderUnavailableError(
            "The embedder cannot be reached.", "Check the address, and that the server runs."
        ) from error
    except TooMuchError:
        listed = None
    if not isinstance(listed, list) or not all(
        isinstance(bounds.mapping(row).get("id"), str) for row in listed
    ):
        raise EmbedderUnavailableError("The endpoint does not list its models.", "Name the model.")
    names = [bounds.text(row["id"], 200) for row in listed]
    if not names:
        raise EmbedderUnavailableError(
            "The endpoint has no model.", "Load an embedding model there, or name one."
        )
    return next(
        (name for name in names if "embed" in name.lower() or "bge" in name.lower()), names[0]
    )


def probe_endpoint(endpoint: Endpoint) -> tuple[str, ProbeResult]:
    """Try an endpoint and return the model that was tried. Raises ``EmbedderUnavailableError``,
    whose sentence says what is wrong.
    """
    model = embedding_model(endpoint)
    asked = Endpoint(endpoint.url, endpoint.key, model)
    with closing(
        EndpointEmbedder(asked, identity=identity_of(endpoint.url, model), read_seconds=SECONDS)
    ) as embedder:
        return model, probe(embedder)


def probe(embedder: Embedder, clock: Callable[[], float] = time.monotonic) -> ProbeResult:
    """Try an embedder. Raises ``EmbedderUnavailableError``, whose sentence says what is wrong."""
    first = embedder.embed([NEAR[0], NEAR[1], FAR])
    again = embedder.embed([NEAR[0]])[0]
    if float(np.abs(first[0] - again).max()) > ALIKE:
        raise EmbedderUnavailableError(
            "It returns a different vector for the same text each time, so nothing could be found"
            " again.",
            "Choose another model.",
        )
    near, far = float(first[0] @ first[1]), float(first[0] @ first[2])
    if near <= far:
        raise EmbedderUnavailableError(
            "It puts two sentences that mean the same further apart than two that do not.",
            "It is probably not an embedding model. Choose another.",
        )
    there = embedder.embed(list(JAPANESE))
    japanese = float(there[0] @ there[1]) > float(there[0] @ there[2])
    speed = _speed(embedder, clock)
    knows = "" if japanese else " It does not tell Japanese sentences apart by what they mean."
    return ProbeResult(
        embedder.id,
        embedder.dimension,
        speed,
        japanese,
        f"{embedder.id} gives {embedder.dimension} numbers a text, about {speed:.0f} sentences a"
        f" second.{knows}",
    )


def _speed(embedder: Embedder, clock: Callable[[], float]) -> float:
    """Embed until two seconds are over, at most 256 sentences."""
    started = clock()
    done = 0
    while done < 256:  # noqa: PLR2004  enough to tell
        embedder.embed(
            [f"{text} ({done + at})" for at, text in enumerate([*NEAR, FAR] * 5 + [FAR])]
        )
        done += 16
        if clock() - started > MEASURE_SECONDS:
            break
    return round(done / max(clock() - started, 1e-6), 1)


def _here(url: str) -> bool:
    return urlsplit(url).hostname in {"127.0.0.1", "localhost", "::1"}
