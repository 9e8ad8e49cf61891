"""``create_app(node)``: the whole HTTP surface of one node."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from flask import Response, jsonify
from flask_openapi3.models.info import Info
from flask_openapi3.openapi import OpenAPI
from pydantic import ValidationError

import lpm_kernel
from lpm_kernel.api import context, gate, inward, problems, web
from lpm_kernel.api.chat import bridge, conversations, identity, openai, roles, style, threads
from lpm_kernel.api.contract import description
from lpm_kernel.api.home import (
    archives,
    audit,
    backups,
    disk_usage,
    erasures,
    exposure,
    health,
    jobs,
    keys,
    lock,
    sample,
    settings,
)
from lpm_kernel.api.library import documents, embedders, passages, versions
from lpm_kernel.api.memory import (
    biography,
    entities,
    findings,
    graph,
    memories,
    opinions,
    profile,
    recall,
    reflections,
    timeline,
    workspace,
)
from lpm_kernel.api.models import models, thinking
from lpm_kernel.api.schemas import HttpProblem
from lpm_kernel.api.share import (
    contacts,
    discussions,
    grants,
    inbox,
    invites,
    network,
    offers,
    questions,
)
from lpm_kernel.api.training import examinations, growth, pairs, progress, rows, runs
from lpm_kernel.node import FRONT_END, Node

FORM_OVERHEAD = 1_000_000
"""Bytes that a multipart form may be larger than its file."""

ROUTES = (
    health,
    exposure,
    documents,
    passages,
    versions,
    findings,
    memories,
    workspace,
    entities,
    graph,
    reflections,
    biography,
    opinions,
    profile,
    runs,
    rows,
    pairs,
    progress,
    examinations,
    growth,
    invites,
    contacts,
    questions,
    offers,
    grants,
    inbox,
    network,
    discussions,
    timeline,
    recall,
    conversations,
    threads,
    roles,
    bridge,
    jobs,
    identity,
    style,
    settings,
    models,
    thinking,
    keys,
    embedders,
    sample,
    erasures,
    audit,
    disk_usage,
    backups,
    lock,
    archives,
    openai,
)
"""Every module with routes, in the order in which the contract names their tags."""


def create_app(node: Node, front_end: Path = FRONT_END) -> OpenAPI:
    """Build the application: gate first, then routes, then the screens."""
    app = OpenAPI(
        "second-me",
        info=Info(
            title="Second Me",
            version=lpm_kernel.__version__,
            description="One person's node. Everything stays on their machine.",
        ),
        security_schemes={"token": {"type": "http", "scheme": "bearer"}},
        validation_error_model=HttpProblem,
        validation_error_callback=_invalid,
        doc_ui=False,
        static_folder=None,
    )
    app.extensions[context.KEY] = node
    app.extensions[context.HOME] = node.ports.home
    app.config["MAX_CONTENT_LENGTH"] = node.ports.settings.max_upload_bytes + FORM_OVERHEAD
    app.config["MAX_FORM_MEMORY_SIZE"] = FORM_OVERHEAD
    app.json.ensure_ascii = False  # type: ignore[attr-defined]  # Flask's default provider has it
    problems.register(app)
    gate.register(app, front_end)
    for module in ROUTES:
        app.register_api(module.api)

    @app.get("/openapi.json", doc_ui=False)
    def openapi() -> Response:
        """Hand out the full contract."""
        return jsonify(description(app))

    @app.get("/docs", doc_ui=False)
    def docs() -> Response:
        """Show the contract as a page to read, without scripts."""
        return Response(_page(description(app)), content_type="text/html; charset=utf-8")

    inward.register(app)
    web.register(app, front_end)
    return app


def _invalid(error: ValidationError) -> Response:
    return problems.from_validation(error)


def _page(made: dict[str, Any]) -> str:
    rows = [
        f"<tr><td><code>{method.upper()}</code></td><td><code>{html.escape(path)}</code></td>"
        f"<td>{html.escape(each.get('summary', ''))}</td>"
        f"<td>{html.escape(each.get('description', ''))}</td></tr>"
        for path, methods in sorted(made["paths"].items())
        for method, each in methods.items()
    ]
    head = (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Second Me: the API</title><h1>The"
        " API of this node</h1><p>The whole contract: <a href=/openapi.json>openapi.json</a></p>"
    )
    return (
        f"{head}<table><tr><th>Method<th>Path<th>What it"
        f" does<th>More</tr>{''.join(rows)}</table></html>"
    )
