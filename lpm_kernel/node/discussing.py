"""Tables at which the second self, roles and people who type talk, over the stores of an open node.

A class beside the floors, like ``meeting``: it speaks the protocol, and is made when somebody first
sits down.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from lpm_kernel.domain.chat.recall import Level, Recollection
from lpm_kernel.domain.chat.roles import Role, Sees
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.share.discussions import Discussion, DiscussionId
from lpm_kernel.domain.share.network import InboxRow
from lpm_kernel.errors import ConflictError, NodeError, NotFoundError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L1.answering.role_play import Company
from lpm_kernel.node.chat import Chat
from lpm_kernel.node.library import Library
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.table_company import TableCompany
from lpm_kernel.usecases.chat.turns import TurnSpeaker
from lpm_kernel.usecases.library.documents import put_away
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.share import table_export, table_guests, table_hosting, table_steps, tables
from lpm_kernel.usecases.share.answering import Answerer, PeerReply
from lpm_kernel.usecases.share.keys import Keystore
from lpm_kernel.usecases.share.ready_tables import ready_table
from lpm_kernel.usecases.share.ready_tables import seats as ready_seats
from lpm_kernel.usecases.share.table_voices import VoicePorts, speak
from lpm_kernel.usecases.share.tables import (
    NewSeat,
    NewTable,
    NextEntry,
    Sitting,
    TablePorts,
    Typed,
)

log = logging.getLogger(__name__)

MOST_FAILURES = 6
"""Steps that fail in a row before a table is paused."""
LONGEST_REST = 300
"""Seconds for which a table is let be at which no step can be taken."""
FROM_TABLES = "from tables"
"""The folder of the library for what was said at tables and the person kept."""


class Discussing:
    """What the person does at tables, and what goes on there by itself."""

    def __init__(
        self,
        ports: Ports,
        chat: Chat,
        library: Library,
        keystore: Keystore,
        answerer: Callable[[], Answerer],
    ) -> None:
        self._ports = ports
        self._chat = chat
        self._library = library
        self._keystore = keystore
        self._resting: dict[DiscussionId, tuple[int, datetime]] = {}
        """Tables at which no step could be taken: how often in a row, and until when they rest."""
        self.company = TableCompany(ports, lambda: self._table_ports, answerer)

    @property
    def _table_ports(self) -> TablePorts:
        here = self._ports
        name = here.conversations.identity().name
        return TablePorts(
            here.discussions, here.roles, self._keystore, here.clock, name, here.contacts
        )

    def reply(self, row: InboxRow) -> PeerReply:
        """Answer a message of another node about a table."""
        reply = self.company.reply(row) if self.with_contacts else None
        if reply is None or not self.with_contacts:  # or off since, while a turn was made
            return self.company.while_off(row)
        return reply

    @property
    def with_contacts(self) -> bool:
        """Whether contacts can be asked to tables, and ask."""
        return self._ports.settings.tables_with_contacts

    @property
    def stopped(self) -> int:
        """How many open tables with contacts wait because those are off."""
        return 0 if self.with_contacts else self._ports.discussions.shared()

    @property
    def invited(self) -> int:
        """How many invitations to tables wait for the person."""
        return table_guests.invited(self._table_ports) if self.with_contacts else 0

    def is_recovering(self, sitting: Sitting) -> bool:
        """Tell whether contacts are asked for what was said since the backup that was restored."""
        return not sitting.discussion.host and tables.is_recovering(self._table_ports, sitting)

    def _is_hosted(self, discussion: DiscussionId) -> bool:
        return bool(self._ports.discussions.get(discussion).host)

    def _own(self, discussion: DiscussionId) -> DiscussionId:
        if self._is_hosted(discussion):
            raise ConflictError("This is for the host of the table to do.", "You can leave it.")
        return discussion

    def open(self, wanted: NewTable) -> Sitting:
        """Open a table. Raises ``InvalidInputError``, ``NotFoundError`` and ``ConflictError``."""
        if not self.with_contacts and any(each.contact for each in wanted.seats):
            raise ConflictError(
                "Contacts cannot be invited to a table, because that is off.",
                "Set `tables_with_contacts = true`. The guide to tables says what to expect.",
            )
        return tables.open_table(self._table_ports, wanted)

    def begin(
        self,
        aim: str,
        seats: Sequence[NewSeat],
        template: str,
        language: str,
        rules: Mapping[str, Any],
    ) -> Sitting:
        """Open a table as a ready-made one has it, where one is named, but for what is given.
        Raises ``InvalidInputError``, ``NotFoundError`` and ``ConflictError``.
        """
        here = self._ports
        if template:
            ready = ready_table(template)
            own = {"strategy": ready.strategy, "rounds": ready.rounds, "stop": ready.stop}
            rules = {**own, **rules}
            aim = aim or ready.told(language)["aim"]
            seats = seats or ready_seats(here.roles, here.clock, ready, language)
        return self.open(NewTable(aim, seats, template=template, **rules))

    def page(self, limit: int, cursor: str | None = None) -> tuple[list[Discussion], str | None]:
        """Return the tables, newest first."""
        return self._ports.discussions.page(limit=limit, cursor=cursor)

    def get(self, discussion: DiscussionId) -> Sitting:
        """Return a table with its record. Raises ``NotFoundError``."""
        return tables.load(self._ports.discussions, discussion)

    def say(self, discussion: DiscussionId, typed: Typed) -> Sitting:
        """Say something at it. Raises ``NotFoundError``, ``InvalidInputError``,
        ``ConflictError``.
        """
        if self._is_hosted(discussion):
            return self.company.say(discussion, typed)
        return tables.say(self._table_ports, discussion, typed)

    def pause(self, discussion: DiscussionId) -> Sitting:
        """Pause it. Raises ``NotFoundError`` and ``ConflictError``."""
        return tables.pause(self._table_ports, self._own(discussion))

    def resume(self, discussion: DiscussionId) -> Sitting:
        """Go on. Raises ``NotFoundError`` and ``ConflictError``."""
        return tables.resume(self._table_ports, self._own(discussion))

    def strike(self, discussion: DiscussionId, n: int) -> Sitting:
        """Erase the words of an entry. Raises ``NotFoundError``."""
        if self._is_hosted(discussion):
            return self.company.strike(discussion, n)
        return tables.strike(self._table_ports, discussion, n)

    def leave(self, discussion: DiscussionId, member: str) -> Sitting:
        """Have a member go; at a contact's table this person with their second self. Raises
        ``NotFoundError`` and ``ConflictError``.
        """
        if self._is_hosted(discussion):
            return self.company.leave(discussion)
        sitting = self.get(discussion)
        if table_hosting.remove(self.company.hosting, sitting, member):
            return self.get(discussion)
        return tables.leave(self._table_ports, discussion, member)

    def close(self, discussion: DiscussionId) -> Sitting:
        """Sum up and end it. Raises ``NotFoundError``."""
        return table_steps.close(self._table_ports, self._own(discussion))

    def delete(self, discussion: DiscussionId) -> None:
        """Delete it with all that was said; the host of an open invitation is told no, where tables
        are off once they are on again. Raises ``NotFoundError``.
        """
        if self._is_hosted(discussion):
            with suppress(ConflictError, NotFoundError):  # it was answered, or they are no contact
                self.company.decline(discussion)
        self._ports.discussions.delete(discussion, self._ports.clock.now())

    def step(self, discussion: DiscussionId) -> Sitting | None:
        """Do what comes next; ``None`` where nothing is to be done, or a contact is waited for.
        Raises ``NotFoundError`` and ``ConflictError``.
        """
        sitting = self.get(discussion)
        if sitting.discussion.host:
            return None
        if sitting.is_shared and not self.with_contacts:
            return None  # nothing more is handed out
        if sitting.is_shared:
            if table_hosting.attend(self.company.hosting, sitting):
                return self.get(discussion)
            if table_hosting.is_waiting(self.company.hosting, sitting):
                return None
        return table_steps.step(self._table_ports, discussion, self._speak)

    def go_on(self) -> bool:
        """Take one step at each table that is open, and hand contacts what they do not have; no
        where there was nothing to be done.
        """
        went = False
        if self._keystore.locked:  # nothing that is said could be signed
            return went
        now, here = self._ports.clock.now(), self._ports.discussions
        shared = here.hosted() if self.with_contacts else []
        going_on = list(dict.fromkeys([*here.going_on(), *shared]))
        self._resting = {each: rest for each, rest in self._resting.items() if each in going_on}
        for discussion in going_on:
            failed, until = self._resting.get(discussion, (0, now))
            if now < until:
                continue
            try:
                went = self.step(discussion) is not None or went
                self._resting.pop(discussion, None)
            except Exception as error:  # noqa: BLE001  one table keeps none of the others
                log.warning("A table cannot go on now: %s", type(error).__name__)
                self._rest(discussion, failed + 1)
        return (self.with_contacts and self.company.tend()) or went

    def _rest(self, discussion: DiscussionId, failed: int) -> None:
        """Let a table be for a while, longer each time; one that failed again and again waits for
        the person.
        """
        pause = timedelta(seconds=min(2**failed, LONGEST_REST))
        self._resting[discussion] = failed, self._ports.clock.now() + pause
        if failed >= MOST_FAILURES:
            with suppress(NodeError):
                tables.pause(self._table_ports, discussion)

    def _speak(self, sitting: Sitting, member: str, number: int) -> NextEntry:
        here, seat = self._ports, sitting.seat(member)
        if seat.contact:
            return table_hosting.speak(self.company.hosting, sitting, member, number)
        if sitting.is_shared and not seat.role:
            return self.company.speak(sitting, member, number)
        identity, key = here.conversations.identity(), here.home.secret("table-rows")
        at_table = self._from_talk_alone if sitting.is_shared else self._chat.at_table
        ports = VoicePorts(here.roles, here.index, at_table, identity, key)
        return speak(ports, sitting, member, number)

    def _from_talk_alone(
        self, role: Role | None, sees: Sequence[Sees], company: Company
    ) -> TurnSpeaker:
        """Return who speaks where contacts hear it: a role knows of nothing but the talk."""

        def nothing(_query: RecallQuery) -> Recollection:
            return Recollection((), Level.WORDS, 0, 0, 0.0)

        by = self._chat.at_table(role, sees, company)
        return replace(by, recall=nothing, core=(), core_of=(), core_basis=())

    def markdown(self, discussion: DiscussionId) -> str:
        """Write it as Markdown. Raises ``NotFoundError``."""
        return table_export.markdown(self.get(discussion))

    def keep(self, discussion: DiscussionId, n: int) -> str:
        """Make a document of a turn, and give its id. Raises ``NotFoundError`` and
        ``ConflictError``.
        """

        def receive(name: str, data: bytes, title: str, when: datetime) -> str:
            new = NewDocument(name, data, title, when, folder=FROM_TABLES)
            return self._library.receive(new).document.id

        return table_export.keep(self._ports.discussions, discussion, n, receive)

    def let_go(self, discussion: DiscussionId, n: int) -> None:
        """Take what was kept of a turn out of memory again. Raises ``NotFoundError``."""
        document = table_export.kept(self._ports.discussions, discussion, n)
        with suppress(NotFoundError):  # the person deleted it before
            here = self._ports
            put_away(here.documents, here.index, here.clock, [DocumentId(document)])
        self._ports.discussions.keep(discussion, n, None)
