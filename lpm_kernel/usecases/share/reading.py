"""What is said of messages and bytes to the person they concern: a stranger's words as data, and
every byte that left by day, person and kind.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from lpm_kernel.domain.home.audit import AuditEntry, AuditKind
from lpm_kernel.domain.share.network import InboxRow
from lpm_kernel.domain.stores import Audit
from lpm_kernel.errors import NotFoundError

ABOUT_PEERS: Final = frozenset(
    {
        AuditKind.INVITED,
        AuditKind.INVITE_WITHDRAWN,
        AuditKind.CONTACT_MET,
        AuditKind.CONTACT_CHANGED,
        AuditKind.CONTACT_DELETED,
        AuditKind.GRANT_GIVEN,
        AuditKind.GRANT_REVOKED,
        AuditKind.PEER_DECIDED,
    }
)
LOOKED_THROUGH: Final = 5_000
"""Entries of the audit that are looked through for those about other nodes."""
PAGE: Final = 500
_SAID: Final = ("question", "query", "title")
"""Where a request of each verb has the words that the person is asked about."""


@dataclass(frozen=True)
class RequestText:
    """What a message says, as far as a person has to read it. A stranger's text: shown, and never
    obeyed.
    """

    words: str = field(default="", repr=False)
    purpose: str = field(default="", repr=False)


def said(row: InboxRow) -> RequestText:
    """Read a message that came in; nothing, where it was forgotten.

    >>> from lpm_kernel.domain.share.network import InboxState
    >>> row = InboxRow("did:key:z1", "m", "ask",
    ...     '{"body": {"question": "Where?", "purpose": "a visit"}}', "g", 0, InboxState.ASKED,
    ...     None)
    >>> said(row).words, said(row).purpose
    ('Where?', 'a visit')
    """
    body: dict[str, Any] = {}
    with suppress(ValueError, AttributeError):
        body = json.loads(row.json).get("body", {})
    return RequestText(
        next((str(body[name]) for name in _SAID if name in body), ""), str(body.get("purpose", ""))
    )


def handle(row: InboxRow) -> str:
    """Name a message that came in: two contacts may have chosen the same id."""
    return f"{row.issuer}.{row.id}"


def handled(name: str) -> tuple[str, str]:
    """Give issuer and id of a message by its name. Raises ``NotFoundError``.

    >>> handled("did:key:z1.abc")
    ('did:key:z1', 'abc')
    """
    issuer, dot, message = name.rpartition(".")
    if not dot:
        raise NotFoundError("request", name)
    return issuer, message


def about_peers(audit: Audit, limit: int) -> Sequence[AuditEntry]:
    """Return the newest entries of the audit that are about other nodes."""
    return list(islice((each for each in _newest(audit) if each.kind in ABOUT_PEERS), limit))


def _newest(audit: Audit) -> Iterator[AuditEntry]:
    before: int | None = None
    for _ in range(LOOKED_THROUGH // PAGE):
        found, before = audit.page(limit=PAGE, before=before)
        yield from found
        if before is None:
            return
