"""Who can reach what of a node, from where and since when; to whom texts go; and what has left so
far. One page of the screens shows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from lpm_kernel.config import Settings
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.network import Contact, Exchange, Invite, SentSummary
from lpm_kernel.domain.stores import ApiKey, Audit, Browser, Departed, Post
from lpm_kernel.usecases.models.choice import host_of
from lpm_kernel.usecases.share.grants import StandingGrant
from lpm_kernel.usecases.share.reach import Reach
from lpm_kernel.usecases.share.sockets import ListeningPort

LOOKED_THROUGH: Final = 20_000
"""Entries of the audit in which it is looked for since when a model elsewhere is in use."""
AT_ONCE: Final = 500


@dataclass(frozen=True)
class Elsewhere:
    """A model or an embedder on another machine, to which texts go."""

    what: Literal["model", "embedder", "thinking"]
    host: str
    since: datetime | None
    """When it was chosen here; nothing where it was written into the settings by hand."""


@dataclass(frozen=True)
class Granted:
    """What somebody may ask now."""

    standing: StandingGrant
    covers: int
    """Rows that it reaches."""
    last_asked_at: datetime | None


@dataclass(frozen=True)
class ReachingContact:
    """A contact who may come in, with what they may ask."""

    contact: Contact
    name: str = field(repr=False)
    grants: Sequence[Granted]
    last_asked_at: datetime | None
    answers: int
    """That they got."""
    last_answer_at: datetime | None
    bytes: int
    """That left for them, greetings and receipts too."""


@dataclass(frozen=True)
class Exposure:
    """Everything that has a way in, and everything that went out."""

    reached: Reach
    listeners: Sequence[ListeningPort]
    keys: Sequence[ApiKey]
    browsers: Sequence[Browser]
    people: Sequence[ReachingContact]
    invites: Sequence[Invite]
    elsewhere: Sequence[Elsewhere]
    departed: Sequence[Departed]
    forgotten: int
    """Bytes that left for contacts who are deleted by now."""


def since_chosen(audit: Audit, kind: AuditKind, host: str) -> datetime | None:
    """Say since when a model or an embedder elsewhere is in use: when it was chosen last."""
    before: int | None = None
    for _ in range(LOOKED_THROUGH // AT_ONCE):
        entries, before = audit.page(limit=AT_ONCE, before=before)
        for audit_entry in entries:
            if audit_entry.kind == kind.value:
                return (
                    datetime.fromisoformat(audit_entry.at)
                    if json.loads(audit_entry.facts).get("host") == host
                    else None
                )
        if before is None:
            return None
    return None


def last_asked(
    exchanges: Sequence[Exchange], *, contact: str = "", grant: str = ""
) -> datetime | None:
    """Say when somebody last asked, or when something was last asked under a grant."""
    found = [
        exchange.last_asked_at
        for exchange in exchanges
        if contact in ("", exchange.contact) and grant in ("", exchange.grant)
    ]
    return max(found, default=None)


def person(
    contact: Contact,
    name: str,
    grants: Sequence[Granted],
    exchanges: Sequence[Exchange],
    sent: Sequence[SentSummary],
) -> ReachingContact:
    """Put together what is known of one contact."""
    mine = [exchange for exchange in exchanges if exchange.contact == contact.id]
    answered = [exchange.last_answer_at for exchange in mine if exchange.last_answer_at is not None]
    return ReachingContact(
        contact,
        name,
        grants,
        last_asked(mine, contact=contact.id),
        sum(exchange.answers for exchange in mine),
        max(answered, default=None),
        sum(sent_summary.bytes for sent_summary in sent if sent_summary.contact == contact.id),
    )


def elsewhere(settings: Settings, audit: Audit, is_local: Callable[[str], bool]) -> list[Elsewhere]:
    """Name the models and the embedder that are served on other machines."""
    served: list[tuple[Literal["model", "embedder", "thinking"], str, AuditKind]] = [
        ("model", settings.model, AuditKind.MODEL_CHANGED),
        ("thinking", settings.thinking_model, AuditKind.THINKING_MODEL_CHANGED),
        ("embedder", settings.embedder, AuditKind.EMBEDDER_CHANGED),
    ]
    return [
        Elsewhere(what, host_of(url), since_chosen(audit, kind, host_of(url)))
        for what, url, kind in served
        if url.startswith("http") and not is_local(url)
    ]


def udp_ports(reached: Reach) -> frozenset[int]:
    """Return the ports over which contacts reach this node by UDP."""
    return frozenset(
        int(port)
        for address in reached.addresses
        for port in re.findall(r"/udp/(\d{1,5})", address)
    )


def forgotten(post: Post) -> int:
    """Count the bytes that left for contacts who are deleted by now."""
    return sum(sent.bytes for sent in post.all_left() if sent.contact is None)
