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
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import (
    ContactId,
    InboxRow,
    InboxState,
    OutboxRow,
    SentSummary,
)
from lpm_kernel.domain.stores import Audit, Departures, Post
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


DECIDED_SHOWN = 100
"""Entries of the audit about other nodes that are shown with what left."""
SENT_SHOWN = 100
"""Messages of the person's own, likewise."""


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
    return list(
        islice(
            (audit_entry for audit_entry in _newest(audit) if audit_entry.kind in ABOUT_PEERS),
            limit,
        )
    )


def _newest(audit: Audit) -> Iterator[AuditEntry]:
    before: int | None = None
    for _ in range(LOOKED_THROUGH // PAGE):
        found, before = audit.page(limit=PAGE, before=before)
        yield from found
        if before is None:
            return


@dataclass(frozen=True)
class Network:
    """What left this machine for other people, and what was decided about what they asked. Kinds
    and bytes, never words.
    """

    sent: Sequence[SentSummary]
    """By day, contact and category, newest day first."""
    outbox: Sequence[OutboxRow]
    entries: Sequence[AuditEntry]
    elsewhere: int
    """Bytes that left for others than contacts: models and embedders that are served elsewhere."""
    hosts: Sequence[str]


def network(post: Post, departures: Departures, audit: Audit, contacts_host: str) -> Network:
    """Say what left, day by day. ``contacts_host`` stands for contacts among the hosts."""
    sent = post.all_left()
    total, hosts = departures.total()
    outbox, _ = post.outbox(limit=SENT_SHOWN)
    return Network(
        sent,
        outbox,
        about_peers(audit, DECIDED_SHOWN),
        max(0, total - sum(sent_summary.bytes for sent_summary in sent)),
        [host for host in hosts if host != contacts_host],
    )


def last_seen(post: Post) -> dict[ContactId, InboxRow]:
    """Return the newest message of each contact, among those that came lately."""
    newest: dict[ContactId, InboxRow] = {}
    for row in post.inbox(limit=500)[0]:
        if row.contact is not None:
            newest.setdefault(row.contact, row)
    return newest


def waiting(post: Post, clock: Clock) -> list[InboxRow]:
    """Return what waits for the person's word and may still be answered, oldest first."""
    now = clock.now().timestamp()
    return [row for row in post.unfinished(InboxState.WAITING) if row.until >= now]
