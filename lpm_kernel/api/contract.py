"""The OpenAPI description: what the signatures say, and what they cannot – uploads, downloads,
streams, and how errors leave.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask_openapi3.openapi import OpenAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from lpm_kernel.api.chat.openai_schemas import ChatEvent
from lpm_kernel.api.chat.role_schemas import TrialEvent
from lpm_kernel.api.chat.turn_schemas import AgainEvent, TurnEvent
from lpm_kernel.api.home import job_schemas
from lpm_kernel.api.library.document_schemas import DocumentIn
from lpm_kernel.api.schemas import HttpProblem
from lpm_kernel.api.share.discussion_schemas import DiscussionEvent

_REFERENCES = "#/components/schemas/{model}"
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n|[-*|] )|(?<!<br/>)<br/>(?!<br/>)")
_FILE = {"type": "string", "format": "binary"}
_ANYTHING = {"type": "object"}
_STREAMS = (
    TurnEvent,
    AgainEvent,
    TrialEvent,
    job_schemas.JobEvent,
    DiscussionEvent,
    ChatEvent,
)
"""What is sent as server-sent events (WHATWG HTML, section 9.2): each the shape of one event."""
_FORM = {
    "type": "object",
    "required": ["file"],
    "additionalProperties": False,
    "properties": {
        "file": _FILE,
        "title": {"type": "string"},
        "created_at": {"type": "string", "format": "date-time"},
        "tags": {"type": "string", "description": "Separated by commas."},
        "private": {"type": "string", "enum": ["true", "false"]},
        "folder": {
            "type": "string",
            "description": (
                "Where it lies in the library: the path that it came by, without its name. Other"
                " bytes by the same path are a new version."
            ),
        },
        "version_of": {
            "type": "string",
            "description": "The document that it is a new version of.",
        },
    },
}
_ARCHIVE_FORM = {
    "type": "object",
    "required": ["file"],
    "additionalProperties": False,
    "properties": {"file": _FILE},
}


def _stream(model: type[BaseModel]) -> dict[str, Any]:
    return {"text/event-stream": {"$ref": _REFERENCES.format(model=model.__name__)}}


BODIES: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("/api/documents", "post"): {
        "multipart/form-data": _FORM,
        "application/json": DocumentIn.model_json_schema(ref_template=_REFERENCES),
    },
    ("/api/imports", "post"): {"multipart/form-data": _ARCHIVE_FORM},
}
"""What is sent where the body is not one JSON document."""

ANSWERS: Mapping[tuple[str, str], Mapping[str, Mapping[str, Any]]] = {
    ("/api/conversations/{id}/turns", "post"): {"200": _stream(TurnEvent)},
    ("/api/conversations/{id}/turns/{turn}/again", "post"): {"200": _stream(AgainEvent)},
    ("/api/roles/try", "post"): {"200": _stream(TrialEvent)},
    ("/api/jobs/{id}/events", "get"): {"200": _stream(job_schemas.JobEvent)},
    ("/api/discussions/{id}/events", "get"): {"200": _stream(DiscussionEvent)},
    ("/api/discussions/{id}/export", "get"): {"200": {"text/markdown": _FILE}},
    ("/api/documents/{id}/original", "get"): {"200": {"application/octet-stream": _FILE}},
    ("/api/documents/{id}/pages/{page}", "get"): {"200": {"image/png": _FILE}},
    ("/api/documents/{id}/sound", "get"): {"200": {"audio/*": _FILE}, "206": {"audio/*": _FILE}},
    ("/api/exports/{id}/archive", "get"): {"200": {"application/zip": _FILE}},
    ("/api/training/runs/{id}/merged/{kind}", "get"): {"200": {"application/octet-stream": _FILE}},
    ("/healthz", "get"): {"200": {"application/json": _ANYTHING}},
    ("/readyz", "get"): {
        "200": {"application/json": _ANYTHING},
        "503": {"application/json": _ANYTHING},
    },
    ("/v1/chat/completions", "post"): {"200": {"application/json": _ANYTHING} | _stream(ChatEvent)},
    ("/v1/embeddings", "post"): {"200": {"application/json": _ANYTHING}},
    ("/v1/models", "get"): {"200": {"application/json": _ANYTHING}},
    ("/v1/models/{id}", "get"): {"200": {"application/json": _ANYTHING}},
}
"""What comes back where it is not one of ours."""

_PROBLEM = {
    "application/problem+json": {"schema": {"$ref": _REFERENCES.format(model=HttpProblem.__name__)}}
}
_ERRORS = {
    "4XX": {
        "description": "What was asked cannot be done; the problem says why and what to do.",
        "content": _PROBLEM,
    },
    "5XX": {
        "description": "The node cannot do it now; the problem says what to do.",
        "content": _PROBLEM,
    },
}


def description(app: OpenAPI) -> dict[str, Any]:
    """Return the OpenAPI 3.1 description of the application."""
    made: dict[str, Any] = app.api_doc
    for path, methods in made["paths"].items():
        for method, call in methods.items():
            told = {
                status: answer
                for status, answer in call["responses"].items()
                if status.startswith("2")
            }
            for status, kinds in ANSWERS.get((path, method), {}).items():
                told[status] = {
                    "description": {"200": "OK", "206": "A part of it"}.get(status, "Not ready"),
                    "content": _content(kinds),
                }
            call["responses"] = told | _ERRORS
            if (path, method) in BODIES:
                call["requestBody"] = {"required": True, "content": _content(BODIES[path, method])}
    _, shapes = models_json_schema(
        [(model, "validation") for model in _STREAMS], ref_template=_REFERENCES
    )
    made["components"]["schemas"] = shapes["$defs"] | made["components"]["schemas"]
    _unwrap(made)
    return made


def _unwrap(part: object) -> None:
    """Join the lines of each description: docstrings are wrapped, what is shown of them is not."""
    if isinstance(part, dict):
        words = part.get("description")
        if isinstance(words, str):
            part["description"] = _LINE_BREAK.sub(" ", words)
        for each in part.values():
            _unwrap(each)
    elif isinstance(part, list):
        for each in part:
            _unwrap(each)


def _content(kinds: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: {"schema": schema} for kind, schema in kinds.items()}
