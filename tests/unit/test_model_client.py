"""Whoever lets go of a model that is asked over HTTP lets go of its connections."""

from __future__ import annotations

import gc

import pytest

from lpm_kernel.backends.embed.endpoint import EndpointEmbedder
from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.domain.ports import Endpoint

pytestmark = pytest.mark.unit


def test_a_model_that_nobody_holds_has_no_connection() -> None:
    made = EndpointModel(Endpoint("http://127.0.0.1:9/v1"))
    client = made._client
    assert not client.is_closed
    del made
    gc.collect()
    assert client.is_closed


def test_an_embedder_that_nobody_holds_has_no_connection() -> None:
    made = EndpointEmbedder(Endpoint("http://127.0.0.1:9/v1"), identity="x", dimension=3)
    client = made._client
    del made
    gc.collect()
    assert client.is_closed
