"""Tables over the wire: contacts at those of this node, and this person at those of contacts.

A class beside the floors, like ``discussing``, which has it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.discussions import DiscussionId, TableContact
from lpm_kernel.domain.share.network import InboxRow
from lpm_kernel.errors import ConflictError, CorruptHomeError, NotFoundError
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.share import table_joining, table_replies
from lpm_kernel.usecases.share.answering import Answerer, PeerReply
from lpm_kernel.usecases.share.outgoing import Signing
from lpm_kernel.usecases.share.table_answers import HostPorts
from lpm_kernel.usecases.share.table_joining import TableForm
from lpm_kernel.usecases.share.table_replies import TableReplyPorts
from lpm_kernel.usecases.share.tables import NextEntry, Sitting, TablePorts, Typed, load


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
    def _signing(self) -> Signing:
        return Signing(self._ports.post, self._tables().keystore, self._ports.clock)

    def reply(self, row: InboxRow) -> PeerReply:
        """Answer a message about a table. What cannot be answered now is refused as busy."""
        return table_replies.reply(self._replying, row)

    def while_off(self, row: InboxRow) -> PeerReply:
        """Answer a message about a table while there are none with contacts."""
        return table_replies.while_off(self._replying, row)

    @property
    def _replying(self) -> TableReplyPorts:
        return TableReplyPorts(
            self._tables(),
            self._ports.contacts,
            self._ports.post,
            self._ports.audit,
            self._answerer,
            self._composing,
        )

    def speak(self, sitting: Sitting, member: str, number: int) -> NextEntry:
        """Make the turn of the second self at a table of this node with contacts. Raises
        ``ModelUnavailableError``.
        """
        return table_replies.speak(self._answerer, sitting, member, number)

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
        table_joining.leave(self._tables(), here.contacts, self._signing, discussion)
        self._note_revoked(discussion)
        self.raise_hands(discussion)
        return load(here.discussions, discussion)

    def _note_revoked(self, discussion: DiscussionId) -> None:
        there = self.there(discussion)[0]
        self._ports.audit.append(
            self._ports.clock.now(),
            AuditKind.GRANT_REVOKED,
            grant=table_joining.grant_of(there).id,
            contact=there.contact,
            table=discussion,
        )

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
        """Raise hands for what was erased here and has to be struck, and see whether hosts let this
        person sit down. Returns whether there was something to do.
        """
        waiting = self._ports.discussions.wordless()
        did = [self._settle_seat(each) or self.raise_hands(each) for each in waiting]
        return any(did)

    def _settle_seat(self, discussion: DiscussionId) -> bool:
        here = self._ports
        with suppress(ConflictError, NotFoundError, CorruptHomeError):  # no contact, or no record
            if table_joining.settle_seat(self._tables(), here.contacts, self._signing, discussion):
                self._note_revoked(discussion)
                return True
        return False
