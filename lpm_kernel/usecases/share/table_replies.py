"""Messages of other nodes about tables, each answered by what this node is at that table; and what
this person's second self says where contacts listen.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.discussions import DiscussionId, TableContactState
from lpm_kernel.domain.share.network import Contact, ContactState, InboxRow
from lpm_kernel.domain.stores import Audit, Contacts, Post
from lpm_kernel.errors import ModelUnavailableError, NodeError
from lpm_kernel.usecases.share import table_guests, table_hosting, table_turns
from lpm_kernel.usecases.share.answering import BUSY, NOT_SPOKEN, Answerer, PeerReply, read_request
from lpm_kernel.usecases.share.decisions import RequestOutcome
from lpm_kernel.usecases.share.table_answers import HostPorts
from lpm_kernel.usecases.share.table_guests import GuestPorts
from lpm_kernel.usecases.share.tables import NextEntry, Sitting, TablePorts
from protocol import handing
from protocol.discussion import Entry, Words
from protocol.messages import Verb
from protocol.refusals import Code, Refusal
from protocol.scope import Form, Layer, RowKind, Scope

log = logging.getLogger(__name__)

OWN_PURPOSE: Final = "a table of my own"


class ComposingLock(Protocol):
    """What one at a time has."""

    def acquire(self, blocking: bool = True) -> bool:
        """Take it."""

    def release(self) -> None:
        """Give it back."""


@dataclass(frozen=True)
class TableReplyPorts:
    """What a message about a table is answered with."""

    tables: TablePorts
    contacts: Contacts
    post: Post
    audit: Audit
    answerer: Callable[[], Answerer]
    composing: ComposingLock
    """Held while a turn is made: what is asked twice at once is made once."""

    @property
    def guests(self) -> GuestPorts:
        """Give what tables of others are kept by."""

        def compose(sitting: Sitting, member: str, number: int, scope: Scope) -> NextEntry:
            try:
                return table_turns.compose(
                    self.answerer, sitting, member, number, _bounded(sitting, scope)
                )
            except ModelUnavailableError as error:
                raise Refusal(Code.BUSY, "model") from error

        return GuestPorts(self.tables, compose)


def reply(ports: TableReplyPorts, row: InboxRow) -> PeerReply:
    """Answer a message about a table. What cannot be answered now is refused as busy."""
    contact = ports.contacts.by_did(row.issuer)
    if contact is None or contact.state is not ContactState.ACTIVE:
        return PeerReply(code=Code.NO_GRANT.value)
    try:
        return _reply(ports, contact, row)
    except Refusal as refusal:
        log.info("A message about a table was refused: %s", refusal)
        return PeerReply(code=refusal.code.value)
    except NodeError as error:
        log.warning("A table could not be gone on with: %s", type(error).__name__)
        return BUSY


def while_off(ports: TableReplyPorts, row: InboxRow) -> PeerReply:
    """Answer where the person has switched tables with contacts off: busy about a table that this
    contact and this node have in common, since they may be on again; else as a node without tables.
    """
    contact = ports.contacts.by_did(row.issuer)
    try:
        table = DiscussionId(table_guests.table_of(read_request(row)))
    except Refusal:
        return NOT_SPOKEN
    there_are = ports.tables.discussions.contacts_at(table)
    shared = contact is not None and any(
        each.contact == contact.id and each.state is not TableContactState.DECLINED
        for each in there_are
    )
    return BUSY if shared else NOT_SPOKEN


def _reply(ports: TableReplyPorts, contact: Contact, row: InboxRow) -> PeerReply:
    message = read_request(row)
    [(what, body)] = message.body.items()
    ports.post.forget_said(row.issuer, str(body["table"]), row.id)
    match what:
        case "seat":
            return PeerReply({"have": table_guests.seat(ports.guests, contact, body)})
        case "news":
            return PeerReply({"have": table_guests.news(ports.guests, contact, body)})
        case "word":
            return _word(ports, contact, body)
        case "behind":
            return _behind(ports, contact, body)
        case _:
            hosting = HostPorts(ports.tables, ports.contacts, ports.post)
            return PeerReply({"have": table_hosting.came(hosting, contact, what, body)})


def _word(ports: TableReplyPorts, contact: Contact, body: Mapping[str, Any]) -> PeerReply:
    if not ports.composing.acquire(blocking=False):
        return BUSY
    try:
        have, said = table_guests.word(ports.guests, contact, body)
    finally:
        ports.composing.release()
    if said is None:
        return PeerReply({"have": have})
    entry, words, documents = said
    ports.audit.append(
        ports.tables.clock.now(),
        AuditKind.PEER_DECIDED,
        contact=contact.id,
        verb=Verb.DISCUSS.value,
        outcome=RequestOutcome.ANSWERED.value,
        table=entry.table,
        n=entry.n,
        step=entry.step.value,
    )
    told = {} if words is None else {"words": words.json}
    return PeerReply({"have": have, "entry": entry.text, **told}, tuple(documents))


def _behind(ports: TableReplyPorts, contact: Contact, body: Mapping[str, Any]) -> PeerReply:
    lost, have = table_guests.behind(ports.guests, contact, body)
    handed = handing.hand(
        (Entry.read(each.entry), None if each.words is None else Words.read(each.words))
        for each in lost
    )
    made_from = dict.fromkeys(each for row in lost[: len(handed)] for each in row.documents)
    return PeerReply({"have": have, "entries": handed}, tuple(made_from))


def speak(
    answerer: Callable[[], Answerer], sitting: Sitting, member: str, number: int
) -> NextEntry:
    """Make the turn of the second self at a table of this node with contacts: what leaves is made
    from what the table may use, and from nothing else. Raises ``ModelUnavailableError``.
    """
    scope = Scope(
        frozenset(sitting.discussion.tags),
        frozenset(RowKind),
        frozenset({Layer.SAID, Layer.WORDS}),
        None,
        None,
        Form.EXCERPT,
        OWN_PURPOSE,
    )
    return table_turns.compose(answerer, sitting, member, number, _bounded(sitting, scope))


def _bounded(sitting: Sitting, scope: Scope) -> table_turns.Bounded:
    rules = sitting.table.opening.fields
    return table_turns.Bounded(scope, int(rules["bytes"]), int(rules["tokens"]))
