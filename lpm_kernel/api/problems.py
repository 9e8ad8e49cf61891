"""Errors leave as ``application/problem+json`` (RFC 9457). Here, and only here, an error gets its HTTP status."""

from __future__ import annotations

import json
import logging
import traceback
from http import HTTPStatus

from flask import Flask, Response, request
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from lpm_kernel import errors
from lpm_kernel.domain.documents import Problem

log = logging.getLogger(__name__)

STATUS: dict[type[errors.NodeError], HTTPStatus] = {
    errors.NotFoundError: HTTPStatus.NOT_FOUND,
    errors.ExpiredTokenError: HTTPStatus.GONE,
    errors.TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.UnsupportedFileError: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.InvalidInputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.ConflictError: HTTPStatus.CONFLICT,
    errors.UnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.NodeError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
INSIDE = Problem(
    "Something went wrong inside the node",
    "Nothing was lost. The log in the home says where it happened.",
    "Try again. If it happens again, `lpm doctor` says what is wrong.",
)


def status_of(error: errors.NodeError) -> HTTPStatus:
    """Return its HTTP status: that of the nearest class in the table."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def response(problem: Problem, status: int) -> Response:
    """Make the answer. Under ``/v1`` it also has the ``error`` object that OpenAI clients read."""
    body: dict[str, object] = {"type": "about:blank", "title": problem.title, "status": int(status), "detail": problem.detail, "hint": problem.hint}
    if request.path.startswith("/v1/"):
        message = " ".join(part for part in (problem.detail, problem.hint) if part)
        body["error"] = {"message": message, "type": HTTPStatus(status).phrase.lower().replace(" ", "_"), "param": None, "code": None}
    return Response(json.dumps(body, ensure_ascii=False), status=int(status), content_type="application/problem+json")


def from_validation(error: ValidationError) -> Response:
    """Name the fields that cannot be used, never what was in them."""
    named = [
        (".".join(str(step) for step in row["loc"]) or "body", row["type"], row["msg"])
        for row in error.errors(include_input=False, include_url=False, include_context=False)
    ]
    unknown = [field for field, kind, _ in named if kind == "extra_forbidden"]
    other = [f"{field}: {message}" for field, kind, message in named if kind != "extra_forbidden"]
    sentences = ([f"Unknown field: {', '.join(unknown)}."] if unknown else []) + ([f"{'; '.join(other)}."] if other else [])
    problem = Problem("The request is not as it should be", " ".join(sentences), "GET /openapi.json describes every request.")
    return response(problem, HTTPStatus.UNPROCESSABLE_ENTITY)


def register(app: Flask) -> None:
    """Let every error leave as a problem."""

    @app.errorhandler(errors.NodeError)
    def _known(error: errors.NodeError) -> Response:
        return response(Problem.of(error), status_of(error))

    @app.errorhandler(ValidationError)
    def _invalid(error: ValidationError) -> Response:
        return from_validation(error)

    @app.errorhandler(HTTPException)
    def _http(error: HTTPException) -> Response:
        status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
        if isinstance(error, RequestEntityTooLarge):
            return response(
                Problem("Too large", "The request is larger than the limit.", "Cut it into parts, or raise max_upload_mb in settings.toml."), status
            )
        return response(Problem(HTTPStatus(status).phrase, error.description or "", "GET /docs lists every call and what it takes."), status)

    @app.errorhandler(Exception)
    def _unknown(error: Exception) -> Response:
        report(error)
        return response(INSIDE, HTTPStatus.INTERNAL_SERVER_ERROR)


def report(error: Exception) -> None:
    """Log where it happened. The error's own words stay out: they may quote a memory."""
    frames = traceback.extract_tb(error.__traceback__)
    log.error("%s at %s", type(error).__name__, " < ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in reversed(frames)))
