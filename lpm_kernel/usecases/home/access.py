"""Who may call the node: the local token, single-use login links, cookie sessions, keys of other
programs.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Access, ApiKey, Browser

CODE_MINUTES = 15
SESSION_DAYS = 180
EVERYTHING = ("chat", "recall", "write", "admin")
PREFIX = "lpm-"
NOTED_EVERY = timedelta(minutes=1)
"""How exactly it is known when a key or a browser was last used."""
LONGEST_AGENT = 400
"""Characters of a browser's description of itself that are looked at."""
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrom", "Chromium"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)
"""How a browser and its system show in what it sends, the most telling first."""


def digest(secret: str) -> str:
    """Hash a secret that has the entropy of a key, so that a plain hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_login_code(access: Access, clock: Clock) -> str:
    """Make a code that opens one session within a quarter of an hour."""
    code = secrets.token_urlsafe(24)
    access.new_code(digest(code), clock.now() + timedelta(minutes=CODE_MINUTES))
    return code


def program_of(agent: str) -> str:
    """Say in two words which browser calls.

    >>> program_of("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
    ...     " Chrome/142.0.0.0 Safari/537.36")
    'Chromium, Linux'
    >>> program_of("curl/8.5.0")
    ''
    """
    known = agent[:LONGEST_AGENT]
    said = (
        next((name for sign, name in names if sign in known), "") for names in (_BROWSERS, _SYSTEMS)
    )
    return ", ".join(each for each in said if each)


def log_in(access: Access, clock: Clock, code: str, program: str = "") -> str | None:
    """Use a code up and return the secret of a new session, or ``None``."""
    if not access.use_code(digest(code), clock.now()):
        return None
    session = secrets.token_urlsafe(32)
    access.new_session(digest(session), clock.now(), program)
    return session


def scopes_of(
    access: Access,
    clock: Clock,
    token: str,
    bearer: str | None,
    session: str | None,
    *,
    note: bool = True,
) -> Sequence[str]:
    """Return what a caller may do; nothing at all without a valid token, key or session. ``note``:
    write down that they called, too.
    """
    if bearer is not None:
        if hmac.compare_digest(bearer.encode(), token.encode()):
            return EVERYTHING
        key = access.key(digest(bearer))
        if note and key is not None and _is_old(key.last_used_at, clock):
            access.used_key(key.id, clock.now())
        return () if key is None else key.scopes
    known = None if session is None else session_of(access, clock, session)
    if note and known is not None and _is_old(known.last_used_at, clock):
        access.used_session(known.id, clock.now())
    return () if known is None else EVERYTHING


def session_of(access: Access, clock: Clock, secret: str) -> Browser | None:
    """Return the browser that has this cookie, while it is signed in."""
    return access.session(digest(secret), clock.now() - timedelta(days=SESSION_DAYS))


def browsers(access: Access, clock: Clock) -> list[Browser]:
    """Return the browsers that are signed in, the newest first."""
    return access.all_sessions(clock.now() - timedelta(days=SESSION_DAYS))


def _is_old(noted: datetime | None, clock: Clock) -> bool:
    """Tell whether the last use has to be noted again; a clock that was put back counts, too."""
    return noted is None or abs(clock.now() - noted) >= NOTED_EVERY


def create_key(
    access: Access, clock: Clock, name: str, scopes: Sequence[str]
) -> tuple[ApiKey, str]:
    """Make a key for another program; the secret is returned this once."""
    secret = PREFIX + secrets.token_urlsafe(32)
    key = ApiKey("k_" + secrets.token_hex(6), name, tuple(dict.fromkeys(scopes)), clock.now())
    access.new_key(key, digest(secret))
    return key, secret
