"""Who gets in, before any route runs: Host, Origin, then token, key or cookie; and the headers on
everything that goes out.

A page of another site can make a browser call 127.0.0.1. It cannot choose the Host header (DNS
rebinding shows there), cannot hide its Origin, and has no token; the cookie is SameSite=Strict
besides.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path

from flask import Flask, Response, g, request

from lpm_kernel.api.context import home, is_locked, node
from lpm_kernel.api.problems import refuse
from lpm_kernel.api.refusals import (
    LOCKED,
    NOT_IN_SCOPE,
    NOT_SIGNED_IN,
    WRONG_HOST,
    WRONG_ORIGIN,
    ApiRefusal,
)
from lpm_kernel.config import usable_settings
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import scopes_of

INWARD = "/inward"
"""Below it the other processes of this home ask; they have a key of their own, and nobody else
has.
"""
INWARD_KEY = "inward-key"
OPEN_PATHS = frozenset({"/healthz", "/login"})
OPEN_WHILE_LOCKED = frozenset(
    {("GET", "/api/home/lock"), ("POST", "/api/home/unlock"), ("GET", "/readyz")}
)
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
_READING = frozenset({"GET", "HEAD"})
_WRITING = frozenset(f"/api/workspace/{each}" for each in ("append", "replace", "insert"))


def cookie_name(node: Node) -> str:
    """Return the cookie's name: each home has its own, since cookies do not tell ports apart."""
    return f"lpm_{node.ports.home.secret('home-id')}"


def needed_scope(method: str, path: str) -> str:
    """Return the scope that a call needs.

    >>> (needed_scope("POST", "/v1/chat/completions"), needed_scope("POST", "/api/recall"),
    ...  needed_scope("GET", "/api/keys"))
    ('chat', 'recall', 'admin')
    """
    if path.startswith("/v1/"):
        return "chat"
    if (
        path == "/api/recall"
        or path.startswith("/api/recall/")
        or (
            method in _READING
            and path.startswith(("/api/documents", "/api/jobs", "/api/status", "/api/timeline"))
        )
    ):
        return "recall"
    if path in _WRITING or (
        path.startswith(("/api/documents", "/api/jobs")) and path != "/api/jobs/retry"
    ):
        return "write"
    if path == "/api/memories" or path.startswith("/api/memories/"):
        return "recall" if method in _READING else "write"
    if path.startswith(("/api/conversations", "/api/bridge/")):
        return "chat"
    return "admin"


def host_is_known(host: str, allowed: Sequence[str]) -> bool:
    """Tell whether the node may be called by this Host header.

    >>> (host_is_known("127.0.0.1:3000", ()), host_is_known("evil.example:3000", ()),
    ...  host_is_known("[::1]:3000", ()))
    (True, False, True)
    """
    name = (
        host.rpartition(":")[0]
        if (":" in host and not host.endswith("]") and host.count(":") == 1) or "]:" in host
        else host
    )
    if name.lower() in _LOCAL or name.lower() in {other.lower() for other in allowed}:
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def register(app: Flask, front_end: Path) -> None:
    """Put the gate in front of every route and the headers behind it."""

    @app.before_request
    def _check() -> Response | None:
        refused = refusal()
        return None if refused is None else refuse(refused)

    @app.after_request
    def _headers(answer: Response) -> Response:
        answer.headers.setdefault(
            "Content-Security-Policy", content_security_policy(front_end / "csp.json")
        )
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers["Referrer-Policy"] = "no-referrer"
        answer.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        answer.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        answer.headers["X-Frame-Options"] = "DENY"
        if guarded(request.path) or is_inward(request.path):
            answer.headers.setdefault("Cache-Control", "no-store")
        return answer


def wants_body(path: str) -> bool:
    """Tell whether anything at a path takes a body: the screens and the health sign do not."""
    return guarded(path) or is_inward(path)


def refusal(*, note: bool = True) -> ApiRefusal | None:
    """Return why the current request is not let in. Its body is not looked at.

    ``note``: write down when the caller was last here, which waits for whoever writes to the
    database just then.
    """
    if is_locked():
        return _locked_refusal()
    return (
        _inward_refusal(request.headers.get("Host", ""))
        if is_inward(request.path)
        else _refusal(note=note)
    )


def _refusal(*, note: bool) -> ApiRefusal | None:
    if (foreign := _foreign_refusal(node().ports.settings.allowed_hosts)) is not None:
        return foreign
    if not guarded(request.path):
        return None
    here = node()
    cookie = request.cookies.get(cookie_name(here))
    scopes = scopes_of(
        here.ports.access,
        here.ports.clock,
        here.ports.home.secret("api-token"),
        _bearer(),
        cookie,
        note=note,
    )
    if not scopes:
        return NOT_SIGNED_IN
    g.owner = "admin" in scopes
    if needed_scope(request.method, request.path) not in scopes and not g.owner:
        return NOT_IN_SCOPE
    return None


def _foreign_refusal(allowed_hosts: Sequence[str]) -> ApiRefusal | None:
    """Refuse what was asked under another name, or by a page of another site."""
    host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
    if not host_is_known(host, allowed_hosts):
        return WRONG_HOST
    foreign = (
        request.headers.get("Sec-Fetch-Site") == "cross-site" and request.method not in _READING
    )
    if foreign or (origin is not None and origin not in {f"http://{host}", f"https://{host}"}):
        return WRONG_ORIGIN
    return None


def _locked_refusal() -> ApiRefusal | None:
    """Let in what unlocks the home. Nobody's key can be checked: the passphrase is what counts."""
    return _foreign_refusal(usable_settings(home())[0].allowed_hosts) or (
        LOCKED
        if (guarded(request.path) or is_inward(request.path))
        and (request.method, request.path) not in OPEN_WHILE_LOCKED
        else None
    )


def is_inward(path: str) -> bool:
    """Tell whether a path is for the other processes of this home alone.

    >>> is_inward("/inward/replies"), is_inward("/inwardly")
    (True, False)
    """
    return path == INWARD or path.startswith(f"{INWARD}/")


def _inward_refusal(host: str) -> ApiRefusal | None:
    """Let in only who has this home's own key and is no browser: no cookie, no origin, and none of
    the headers that a page cannot leave out.
    """
    if not host_is_known(host, ()):
        return WRONG_HOST
    if any(
        name.lower() in {"origin", "cookie", "referer"} or name.lower().startswith("sec-")
        for name in request.headers.keys()  # noqa: SIM118  not a dict
    ):
        return WRONG_ORIGIN
    known = hmac.compare_digest(
        (_bearer() or "").encode(), node().ports.home.secret(INWARD_KEY).encode()
    )
    return None if known else NOT_SIGNED_IN


def guarded(path: str) -> bool:
    """Tell whether a path needs a key: everything but the static pages, the health sign and the
    login.
    """
    return path not in OPEN_PATHS and (
        path.startswith(("/api/", "/v1/", "/mcp"))
        or path in {"/readyz", "/openapi.json", "/docs", "/api", "/v1"}
    )


def content_security_policy(built: Path) -> str:
    """Return the policy: nothing from elsewhere, and inline scripts only by the hashes taken at
    build time.
    """
    return _policy(built, built.stat().st_mtime_ns if built.exists() else None)


@lru_cache(maxsize=4)
def _policy(built: Path, written: int | None) -> str:
    hashes = json.loads(built.read_text("utf-8")) if written is not None else {}
    scripts = " ".join(["'self'", *(f"'{each}'" for each in hashes.get("scripts", []))])
    styles = " ".join(["'self'", *(f"'{each}'" for each in hashes.get("styles", []))])
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src 'self' data: blob:;"
        " font-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src"
        " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    )


def _bearer() -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
