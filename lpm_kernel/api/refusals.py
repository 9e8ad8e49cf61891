"""What the API itself refuses, before or beside the use cases: each with its slug, its status and
its sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from lpm_kernel.domain.library.documents import Problem


@dataclass(frozen=True)
class ApiRefusal:
    """A problem that is no error of the node's. The slug is never changed."""

    slug: str
    status: HTTPStatus
    problem: Problem
    when: str
    """For the reference."""


NOT_SIGNED_IN = ApiRefusal(
    "not-signed-in",
    HTTPStatus.UNAUTHORIZED,
    Problem(
        "Not signed in",
        "This browser or program has no key to the node.",
        "Open it with `lpm open`, or send `Authorization: Bearer <token>`; the token is in"
        " keys/api-token in the home.",
    ),
    "There is no token, key or cookie, or it does not count.",
)
NOT_IN_SCOPE = ApiRefusal(
    "not-in-scope",
    HTTPStatus.FORBIDDEN,
    Problem(
        "Not in this key's scope",
        "The key is valid, but may not do this.",
        "Create a key with more scopes in Settings, or with `lpm keys create`.",
    ),
    "The key may do other things.",
)
WRONG_HOST = ApiRefusal(
    "unknown-host",
    HTTPStatus.MISDIRECTED_REQUEST,
    Problem(
        "Unknown host name",
        "The node answers only under loopback names and those you allowed.",
        "Call it as 127.0.0.1 or localhost, or add the name to allowed_hosts in settings.toml.",
    ),
    "The Host header names something else.",
)
WRONG_ORIGIN = ApiRefusal(
    "another-site",
    HTTPStatus.FORBIDDEN,
    Problem(
        "Another site asked",
        "The request came from a page of another origin, so it was refused.",
        "Open the node itself with `lpm open`.",
    ),
    "The Origin header is not the node's own.",
)
USED_UP = ApiRefusal(
    "login-link-used-up",
    HTTPStatus.UNAUTHORIZED,
    Problem(
        "This link was already used, or is too old",
        "A login link works once, within 15 minutes.",
        "Get a new one with `lpm open`.",
    ),
    "The code of a login link does not count.",
)
LOCKED = ApiRefusal(
    "unlock-first",
    HTTPStatus.LOCKED,
    Problem(
        "The home is locked",
        "The home is locked by your passphrase.",
        "Unlock it on its screen, or with `lpm lock open`.",
    ),
    "Anything but its screen was asked of a locked home.",
)
NOT_BUILT = ApiRefusal(
    "screens-not-built",
    HTTPStatus.SERVICE_UNAVAILABLE,
    Problem(
        "The screens are not built",
        "The API answers; the front end was not built yet.",
        "Run `make setup`, then open this page again.",
    ),
    "A page was asked for before there was one.",
)
NOT_AS_DESCRIBED = ApiRefusal(
    "not-as-described",
    HTTPStatus.UNPROCESSABLE_ENTITY,
    Problem("The request is not valid", "", "GET /openapi.json describes every request."),
    "A field is unknown, missing, or not of its kind; `detail` names it.",
)
REQUEST_TOO_LARGE = ApiRefusal(
    "request-too-large",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Problem(
        "Too large",
        "The request is larger than the limit.",
        "Split it, or raise max_upload_mb in settings.toml.",
    ),
    "The whole request is over the limit.",
)
INSIDE = ApiRefusal(
    "inside",
    HTTPStatus.INTERNAL_SERVER_ERROR,
    Problem(
        "Something went wrong inside the node",
        "Nothing was lost. The log in the home says where it happened.",
        "Try again. If it happens again, `lpm doctor` says what is wrong.",
    ),
    "An error that nobody expected.",
)
BUSY = ApiRefusal(
    "busy",
    HTTPStatus.SERVICE_UNAVAILABLE,
    Problem(
        "Busy",
        "The node is at its limit with requests of this kind.",
        "Try again in a moment; `Retry-After` says when.",
    ),
    "More requests of a kind wait than there are places, or one waited for too long.",
)
REFUSALS = (
    NOT_SIGNED_IN,
    NOT_IN_SCOPE,
    WRONG_HOST,
    WRONG_ORIGIN,
    USED_UP,
    LOCKED,
    NOT_BUILT,
    NOT_AS_DESCRIBED,
    REQUEST_TOO_LARGE,
    INSIDE,
    BUSY,
)
