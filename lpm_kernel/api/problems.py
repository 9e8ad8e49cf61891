"""Errors leave as ``application/problem+json`` (RFC 9457). Here, and only here, an error gets its
HTTP status.
"""

from __future__ import annotations

import json
import logging
import traceback
from dataclasses import replace
from http import HTTPStatus

from flask import Flask, Response, request
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from lpm_kernel import errors
from lpm_kernel.api.context import home
from lpm_kernel.api.refusals import (
    INSIDE,
    NOT_AS_DESCRIBED,
    REFUSALS,
    REQUEST_TOO_LARGE,
    ApiRefusal,
)
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.usecases import mishaps

log = logging.getLogger(__name__)

STATUS: dict[type[errors.NodeError], HTTPStatus] = {
    errors.NotFoundError: HTTPStatus.NOT_FOUND,
    errors.ExpiredTokenError: HTTPStatus.GONE,
    errors.TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.UnsupportedFileError: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.InvalidInputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.SealedHomeError: HTTPStatus.LOCKED,
    errors.WrongPassphraseError: HTTPStatus.FORBIDDEN,
    errors.ConflictError: HTTPStatus.CONFLICT,
    errors.UnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.NodeError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
ABOUT_BLANK = "about:blank"
"""Nothing more is known than what the status says: there is no such path, or not for this
method.
"""


def kinds() -> list[type[errors.NodeError]]:
    """Return every class of error, from the root of the tree on."""
    found = [errors.NodeError]
    for each in found:  # grows while it is walked
        found += each.__subclasses__()
    return found


def type_of(slug: str) -> str:
    """Return the ``type`` of a problem: a reference, the same for ever, that a program can tell it
    by.

    >>> type_of("not-found")
    '/problems/not-found'
    """
    return f"/problems/{slug}"


TYPES = (
    ABOUT_BLANK,
    *sorted(
        type_of(each)
        for each in {*(kind.slug for kind in kinds()), *(refusal.slug for refusal in REFUSALS)}
    ),
)
"""Every ``type`` that an answer may have."""


def status_of(error: errors.NodeError) -> HTTPStatus:
    """Return its HTTP status."""
    return status_of_kind(type(error))


def status_of_kind(kind: type[errors.NodeError]) -> HTTPStatus:
    """Return the HTTP status of a class of errors: that of the nearest one in the table.

    >>> status_of_kind(errors.ModelUnavailableError).value
    503
    """
    return next(STATUS[each] for each in kind.__mro__ if each in STATUS)


def response(problem: Problem, status: int, kind: str = ABOUT_BLANK) -> Response:
    """Make the answer. Under ``/v1`` it also has the ``error`` object that OpenAI clients read."""
    body: dict[str, object] = {
        "type": kind,
        "title": problem.title,
        "status": int(status),
        "detail": problem.detail,
        "hint": problem.hint,
    }
    if request.path.startswith("/v1/"):
        message = " ".join(part for part in (problem.detail, problem.hint) if part)
        body["error"] = {
            "message": message,
            "type": HTTPStatus(status).phrase.lower().replace(" ", "_"),
            "param": None,
            "code": None,
        }
    return Response(
        json.dumps(body, ensure_ascii=False),
        status=int(status),
        content_type="application/problem+json",
    )


def refuse(refusal: ApiRefusal, detail: str = "") -> Response:
    """Make the answer of a refusal; ``detail`` where it says more than the refusal itself."""
    problem = replace(refusal.problem, detail=detail) if detail else refusal.problem
    return response(problem, refusal.status, type_of(refusal.slug))


def from_validation(error: ValidationError) -> Response:
    """Name the fields that cannot be used, never what was in them."""
    named = [
        (".".join(str(step) for step in row["loc"]) or "body", row["type"], row["msg"])
        for row in error.errors(include_input=False, include_url=False, include_context=False)
    ]
    unknown = [field for field, kind, _ in named if kind == "extra_forbidden"]
    other = [f"{field}: {message}" for field, kind, message in named if kind != "extra_forbidden"]
    sentences = ([f"Unknown field: {', '.join(unknown)}."] if unknown else []) + (
        [f"{'; '.join(other)}."] if other else []
    )
    return refuse(NOT_AS_DESCRIBED, " ".join(sentences))


def register(app: Flask) -> None:
    """Let every error leave as a problem."""

    @app.errorhandler(errors.NodeError)
    def _known(error: errors.NodeError) -> Response:
        return response(Problem.of(error), status_of(error), type_of(error.slug))

    @app.errorhandler(ValidationError)
    def _invalid(error: ValidationError) -> Response:
        return from_validation(error)

    @app.errorhandler(HTTPException)
    def _http(error: HTTPException) -> Response:
        status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
        if isinstance(error, RequestEntityTooLarge):
            return refuse(REQUEST_TOO_LARGE)
        return response(
            Problem(
                HTTPStatus(status).phrase,
                error.description or "",
                "GET /docs lists every call and what it takes.",
            ),
            status,
        )

    @app.errorhandler(Exception)
    def _unknown(error: Exception) -> Response:
        report(error)
        told = mishaps.told(error, home())
        return (
            refuse(INSIDE)
            if told is None
            else response(Problem.of(told), status_of(told), type_of(told.slug))
        )


def report(error: Exception) -> None:
    """Log where it happened. The error's own words stay out: they may quote a memory."""
    frames = traceback.extract_tb(error.__traceback__)
    log.error(
        "%s at %s",
        type(error).__name__,
        " < ".join(
            f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in reversed(frames)
        ),
    )
