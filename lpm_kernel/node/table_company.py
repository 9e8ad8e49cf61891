"""Tables over the wire: contacts at those of this node, and this person at those of contacts.

A class beside the floors, like ``discussing``, which has it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.discussions import (
    DiscussionId,
    TableContact,
)
from lpm_kernel.domain.share.network import Contact, ContactState, InboxRow
from lpm_kernel.errors import ConflictError, ModelUnavailableError, NodeError, NotFoundError
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.share import table_guests, table_hosting, table_joining, table_turns
from lpm_kernel.usecases.share.answering import BUSY, Answerer, PeerReply, read_request
from lpm_kernel.usecases.share.decisions import RequestOutcome
from lpm_kernel.usecases.share.outgoing import Signing
from lpm_kernel.usecases.share.table_guests import GuestPorts
from lpm_kernel.usecases.share.table_hosting import HostPorts
from lpm_kernel.usecases.share.table_joining import TableForm
from lpm_kernel.usecases.share.tables import NextEntry, Sitting, TablePorts, Typed, load
from protocol.messages import Verb
from protocol.refusals import Code, Refusal
from protocol.scope import Form, Layer, RowKind, Scope

log = logging.getLogger(__name__)

OWN_PURPOSE: Final = "a table of my own"


class TableCompany:
    """Contacts at tables, over an open node."""

    def __init__(
        self,
        ports: Ports,
        tables: Callable[[], TablePorts],
        answerer: Callable[[], Answerer],
    ) -> None:
        self._ports = ports
        self._tables = tables
        self._answerer = answerer
        self._composing = threading.Lock()

    @property
    def hosting(self) -> HostPorts:
        """Return what contacts at tables of this node are asked by."""
        return HostPorts(self._tables(), self._ports.contacts, self._ports.post)

    @property
    def _guests(self) -> GuestPorts:
        return GuestPorts(self._tables(), self._compose)

    @property
    def _signing(self) -> Signing:
        return Signing(self._ports.post, self._tables().keystore, self._ports.clock)

    # --- what comes in ---------------------------------------------------------------------------

    def reply(self, row: InboxRow) -> PeerReply:
        """Answer a message about a table. What cannot be answered now is refused as busy."""
        contact = self._ports.contacts.by_did(row.issuer)
        if contact is None or contact.state is not ContactState.ACTIVE:
            return PeerReply(code=Code.NO_GRANT.value)
        try:
            return self._reply(contact, row)
        except Refusal as refusal:
            log.info("A message about a table was refused: %s", refusal)
            return PeerReply(code=refusal.code.value)
        except NodeError as error:
            log.warning("A table could not be gone on with: %s", type(error).__name__)
            return BUSY

    def _reply(self, contact: Contact, row: InboxRow) -> PeerReply:
        message = read_request(row)
        [(what, body)] = message.body.items()
        self._ports.post.forget_said(row.issuer, str(body["table"]), row.id)
        match what:
            case "seat":
                return PeerReply({"have": table_guests.seat(self._guests, contact, body)})
            case "news":
                return PeerReply({"have": table_guests.news(self._guests, contact, body)})
            case "word":
                return self._word(contact, body)
            case _:
                return PeerReply({"have": table_hosting.came(self.hosting, contact, what, body)})

    def _word(self, contact: Contact, body: Mapping[str, Any]) -> PeerReply:
        if not self._composing.acquire(blocking=False):  # what is said twice at once is made once
            return BUSY
        try:
            have, entry, words, documents = table_guests.word(self._guests, contact, body)
        finally:
            self._composing.release()
        self._ports.audit.append(
            self._ports.clock.now(),
            AuditKind.PEER_DECIDED,
            contact=contact.id,
            verb=Verb.DISCUSS.value,
            outcome=RequestOutcome.ANSWERED.value,
            table=entry.table,
            n=entry.n,
            step=entry.step.value,
        )
        said = {} if words is None else {"words": words.json}
        return PeerReply({"have": have, "entry": entry.text, **said}, tuple(documents))

    def _compose(self, sitting: Sitting, member: str, number: int, scope: Scope) -> NextEntry:
        try:
            return table_turns.compose(
                self._answerer, sitting, member, number, _bounded(sitting, scope)
            )
        except ModelUnavailableError as error:
            raise Refusal(Code.BUSY, "model") from error

    # --- at tables of this node ------------------------------------------------------------------

    def speak(self, sitting: Sitting, member: str, number: int) -> NextEntry:
        """Make the turn of the second self at a table with contacts: what leaves is made from what
        the table may use, and from nothing else. Raises ``ModelUnavailableError``.
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
        return table_turns.compose(
            self._answerer, sitting, member, number, _bounded(sitting, scope)
        )

    def there(self, discussion: DiscussionId) -> list[TableContact]:
        """Return the contacts at a table."""
        return self._ports.discussions.contacts_at(discussion)

    # --- at tables of contacts -------------------------------------------------------------------

    def accept(self, discussion: DiscussionId, form: TableForm) -> Sitting:
        """Sit down at the table of a contact, under a grant for it. Raises ``NotFoundError``,
        ``InvalidInputError``, ``ConflictError``.
        """
        here = self._ports
        table_joining.accept(self._tables(), here.contacts, self._signing, discussion, form)
        here.audit.append(
            here.clock.now(),
            AuditKind.GRANT_GIVEN,
            grant=table_joining.grant_of(self.there(discussion)[0]).id,
            contact=here.discussions.get(discussion).host,
            table=discussion,
        )
        return load(here.discussions, discussion)

    def decline(self, discussion: DiscussionId) -> Sitting:
        """Do not sit down. Raises ``NotFoundError`` and ``ConflictError``."""
        here = self._ports
        table_joining.decline(self._tables(), here.contacts, self._signing, discussion)
        return load(here.discussions, discussion)

    def leave(self, discussion: DiscussionId) -> Sitting:
        """Go, and take the grant back. Raises ``NotFoundError`` and ``ConflictError``."""
        here = self._ports
        table_joining.leave(self._tables(), discussion)
        there = self.there(discussion)[0]
        here.audit.append(
            here.clock.now(),
            AuditKind.GRANT_REVOKED,
            grant=table_joining.grant_of(there).id,
            contact=there.contact,
            table=discussion,
        )
        self.raise_hands(discussion)
        return load(here.discussions, discussion)

    def say(self, discussion: DiscussionId, typed: Typed) -> Sitting:
        """Have the host asked for the word, to say something. Raises as ``tables.say``."""
        table_joining.say(self._tables(), discussion, typed)
        self.raise_hands(discussion)
        return load(self._ports.discussions, discussion)

    def strike(self, discussion: DiscussionId, number: int) -> Sitting:
        """Erase what this person's side said, here at once, and have the host strike it. Raises
        ``NotFoundError`` and ``ConflictError``.
        """
        table_joining.strike(self._tables(), discussion, number)
        self.raise_hands(discussion)
        return load(self._ports.discussions, discussion)

    def raise_hands(self, discussion: DiscussionId) -> bool:
        """Tell the host that there is something to say, once for each. Returns whether it was."""
        with suppress(ConflictError, NotFoundError):  # no contact any more
            return table_joining.raise_hands(
                self._tables(), self._ports.contacts, self._signing, discussion
            )
        return False

    def tend(self) -> bool:
        """Raise hands for what was erased here and has to be struck. Returns whether there was."""
        told = [self.raise_hands(each) for each in self._ports.discussions.wordless()]
        return any(told)


def _bounded(sitting: Sitting, scope: Scope) -> table_turns.Bounded:
    rules = sitting.table.opening.fields
    return table_turns.Bounded(scope, int(rules["bytes"]), int(rules["tokens"]))
