"""Who may call the node: the local token, single-use login links, cookie sessions, keys of other programs."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import timedelta

from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Access, ApiKey

CODE_MINUTES = 15
SESSION_DAYS = 180
EVERYTHING = ("chat", "recall", "write", "admin")
PREFIX = "lpm-"


def digest(secret: str) -> str:
    """Hash a secret that has the entropy of a key, so that a plain hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_login_code(access: Access, clock: Clock) -> str:
    """Make a code that opens one session within a quarter of an hour."""
    code = secrets.token_urlsafe(24)
    access.new_code(digest(code), clock.now() + timedelta(minutes=CODE_MINUTES))
    return code


def log_in(access: Access, clock: Clock, code: str) -> str | None:
    """Use a code up and return the secret of a new session, or ``None``."""
    if not access.use_code(digest(code), clock.now()):
        return None
    session = secrets.token_urlsafe(32)
    access.new_session(digest(session), clock.now())
    return session


def scopes_of(access: Access, clock: Clock, token: str, bearer: str | None, session: str | None) -> Sequence[str]:
    """Return what a caller may do; nothing at all without a valid token, key or session."""
    if bearer is not None:
        if hmac.compare_digest(bearer.encode(), token.encode()):
            return EVERYTHING
        key = access.key(digest(bearer))
        return () if key is None else key.scopes
    if session is not None and access.knows_session(digest(session), clock.now() - timedelta(days=SESSION_DAYS)):
        return EVERYTHING
    return ()


def create_key(access: Access, clock: Clock, name: str, scopes: Sequence[str]) -> tuple[ApiKey, str]:
    """Make a key for another program; the secret is returned this once."""
    secret = PREFIX + secrets.token_urlsafe(32)
    key = ApiKey("k_" + secrets.token_hex(6), name, tuple(dict.fromkeys(scopes)), clock.now())
    access.new_key(key, digest(secret))
    return key, secret
