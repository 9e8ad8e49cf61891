"""``create_locked_app(home)``: all that a locked home answers. The screens, how it is locked, and
what unlocks it; everything else is told that it is locked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

from flask import Flask, Response, redirect
from flask_openapi3.openapi import OpenAPI
from pydantic import ValidationError

import lpm_kernel
from lpm_kernel.api import context, gate, problems, web
from lpm_kernel.api.home import lock
from lpm_kernel.api.schemas import HttpProblem
from lpm_kernel.config import Home
from lpm_kernel.node import FRONT_END

MOST_BODY = 16_384
"""Bytes of a request: nothing but a passphrase is taken."""


def create_locked_app(
    home: Home, unlocked: Callable[[], None], front_end: Path = FRONT_END
) -> Flask:
    """Build the application. ``unlocked`` is called once the home is open, before that is
    answered.
    """
    app = OpenAPI(
        "second-me-locked",
        validation_error_model=HttpProblem,
        validation_error_callback=_invalid,
        doc_ui=False,
        static_folder=None,
    )
    app.extensions[context.HOME] = home
    app.extensions[lock.UNLOCKED] = unlocked
    app.config["MAX_CONTENT_LENGTH"] = MOST_BODY
    app.json.ensure_ascii = False  # type: ignore[attr-defined]  # Flask's default provider has it
    problems.register(app)
    gate.register(app, front_end)
    app.register_api(lock.api)

    @app.get("/healthz", doc_ui=False)
    def healthz() -> Response:
        """Answer that the node runs, and that its home is locked."""
        return _json({"status": "locked", "version": lpm_kernel.__version__})

    @app.get("/readyz", doc_ui=False)
    def readyz() -> Response:
        """Answer 503: everything waits for the passphrase."""
        sentence = "The home is locked by your passphrase. Jobs, nights and contacts wait."
        waiting = [{"id": "home", "state": "locked", "sentence": sentence}]
        return _json({"ready": False, "waiting": waiting}, HTTPStatus.SERVICE_UNAVAILABLE)

    @app.get("/login", doc_ui=False)
    def login() -> Response:
        """Lead a link that comes too early to the screen that unlocks the home."""
        return redirect("/")  # type: ignore[return-value]  # werkzeug's response is Flask's here

    web.register_pages(app, front_end)
    return app


def _invalid(error: ValidationError) -> Response:
    return problems.from_validation(error)


def _json(body: dict[str, object], status: int = HTTPStatus.OK) -> Response:
    return Response(json.dumps(body), status, content_type="application/json")
