"""Every call of the contract, with whatever the contract allows and much that it does not: no 500,
and every answer is as described.

Schemathesis makes the requests from `openapi.json` and holds the answers against it.
``LPM_OPENAPI_EXAMPLES`` says how many for each call.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
import schemathesis
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from lpm_kernel.api.app import create_app
from lpm_kernel.api.describe import FILE
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.node import Node
from tests.scale import many

EXAMPLES = int(os.environ.get("LPM_OPENAPI_EXAMPLES", many(5, 2)))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
APART = {
    ("get", "/api/jobs/{id}/events"): "follows a job until it ends",
    ("post", "/api/sample"): "starts another node",
}
CALLS = [
    (method, path)
    for path, methods in json.loads(FILE.read_text("utf-8"))["paths"].items()
    for method in methods
    if (method, path) not in APART
]


@pytest.fixture
def known(node: Node, client: FlaskClient) -> dict[str, list[str]]:
    """A node in which something lies under every kind of id."""
    read = node.library.add_text("Ottilie's cello is of 1911. 雨の日は膠を煮ない。", title="Cello")
    node.run_jobs()
    waiting = node.library.add_text("Not read yet.")
    assert read.job is not None
    assert waiting.job is not None
    talk = client.post("/api/conversations", json={"title": "A talk"}).get_json()
    backup = node.ports.jobs.add(
        "backup", Lane.HEAVY, None, node.ports.clock.now(), {"label": "test"}
    )
    return {
        "documents": [read.document.id, waiting.document.id],
        "jobs": [read.job.id, waiting.job.id, backup.id],
        "conversations": [talk["id"]],
    }


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> tuple[Flask, Any]:
    """An application, and its contract as it says it: reading that, and looking through the code
    for constants worth trying, takes longer than any test. Each test puts its own behind it.
    """
    with Node.open(tmp_path_factory.mktemp("home"), model=ScriptedModel([])) as node:
        app = create_app(node)
        headers = {"Authorization": f"Bearer {node.ports.home.secret('api-token')}"}
        return app, schemathesis.openapi.from_wsgi("/openapi.json", app, headers=headers)


def modes(
    call: Any,  # noqa: ANN401  the library's own type is generic over schemas
) -> list[GenerationMode]:
    """What is as described, and what is not, where there is anything to get wrong."""
    return [
        GenerationMode.POSITIVE,
        *([GenerationMode.NEGATIVE] if list(call.iter_parameters()) or list(call.body) else []),
    ]


def loads_a_model(body: object) -> bool:
    """Tell whether a request would load a model into memory, which takes seconds; tests of their
    own do that.
    """
    return isinstance(body, dict) and body.get("kind") == "bundled"


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_whatever_is_asked_is_answered_as_described(
    method: str,
    path: str,
    node: Node,
    known: dict[str, list[str]],
    described: tuple[Flask, Any],
) -> None:
    headers = {"Authorization": f"Bearer {node.ports.home.secret('api-token')}"}
    door, contract = described
    door.wsgi_app = create_app(node).wsgi_app  # type: ignore[method-assign]  # as Flask documents it
    call: Any = contract[path][method]
    there = next((ids for kind, ids in known.items() if f"/{kind}/" in path), [])

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(
        case=st.one_of([call.as_strategy(generation_mode=mode) for mode in modes(call)]),
        data=st.data(),
    )
    def asked(case: Any, data: st.DataObject) -> None:  # noqa: ANN401  as above
        assume(not loads_a_model(case.body))
        if there and "id" in case.path_parameters and data.draw(st.booleans()):
            case.path_parameters["id"] = data.draw(st.sampled_from(there))
        case.validate_response(case.call(headers=headers), checks=CHECKS)

    asked()
