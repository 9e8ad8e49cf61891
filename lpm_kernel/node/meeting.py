"""Other people: who they are, what they may ask and asked, and what left this machine for them.

A class beside the floors rather than one of them: it speaks the protocol, and ``Node.meeting``
makes it when somebody first asks for it, so that a node that speaks to nobody does not load the
protocol. Nothing here opens a connection: what goes out is put into the outbox.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from lpm_kernel.backends.store.node.access import CONTACTS
from lpm_kernel.domain.home.audit import AuditEntry
from lpm_kernel.domain.share.network import (
    DAY,
    MOST_ADDRESSES,
    Contact,
    ContactId,
    ContactState,
    GrantRow,
    InboxRow,
    InboxState,
    Invite,
    InviteState,
    OutboxRow,
    OutboxState,
    SentSummary,
)
from lpm_kernel.domain.stores import Decisions, Documents
from lpm_kernel.errors import ConflictError, NotFoundError, UnavailableError
from lpm_kernel.node.library import Library
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.library.passages import Passages, passages_of
from lpm_kernel.usecases.share import (
    asking,
    decisions,
    exposure,
    grants,
    outgoing,
    passing,
    people,
    reading,
    view,
)
from lpm_kernel.usecases.share.keys import Keystore
from lpm_kernel.usecases.share.reach import HostState, Reach, begun, reach

DECIDED_SHOWN = 100
"""Entries of the audit about other nodes that are shown with what left."""
SENT_SHOWN = 100
"""Messages of the person's own, likewise."""
FROM_OTHERS: Final = "from others"
"""The folder of the library for what contacts answered and the person kept."""
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104  chosen by the person
ALONE: Final = "127.0.0.1"


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


@dataclass(frozen=True)
class Suspect:
    """A row that lies inside a grant and looks like a secret."""

    standing: grants.StandingGrant
    row: view.Covered
    allowed: bool | None
    """What the person said of it; ``None``: it came since, and waits for a word."""


class Meeting:
    """What the person does about other people, over the stores of an open node."""

    def __init__(self, ports: Ports, library: Library, passphrase: str = "") -> None:
        self._ports = ports
        self._library = library
        self.keystore = Keystore(ports.home, ports.clock, passphrase)

    # --- whether others reach this node ----------------------------------------------------------

    def reached(self) -> Reach:
        """Say whether and where others reach this node."""
        return reach(self._ports.home, self._ports.settings, opened=not self.keystore.locked)

    def unlock(self, passphrase: str) -> Reach:
        """Open the keys with their passphrase until the node ends; the supervisor starts the host
        with it. Raises ``ConflictError`` where it is another one.
        """
        if self.keystore.locked:
            self.keystore.open(passphrase)
            passing.pass_on(passphrase)
        return self.reached()

    def switch(self, *, on: bool, everywhere: bool | None = None) -> Reach:
        """Let others reach this node from now on, or nobody; ``everywhere``: on every interface, or
        on this machine alone. The supervisor does it.
        """
        here = self._ports
        wanted: dict[str, object] = {"peers": on}
        if everywhere is not None:
            wanted["peers_host"] = EVERYWHERE if everywhere else ALONE
        if any(getattr(here.settings, name) != value for name, value in wanted.items()):
            here.change_settings(**wanted)
        return self.reached()

    def places(self) -> list[str]:
        """Return where others reach this node, and have the host started for it; nothing where no
        node runs that would start it.

        Raises ``UnavailableError`` while it is still being started.
        """
        self.switch(on=True)
        now = begun(self._ports.home, self._ports.settings, opened=not self.keystore.locked)
        if now.state is HostState.STARTING:
            raise UnavailableError(
                "What listens for your contacts is still being started.",
                "Try again in a moment; `lpm doctor` says how it stands.",
            )
        return list(now.addresses[:MOST_ADDRESSES])

    # --- people ----------------------------------------------------------------------------------

    def invite(
        self, note: str = "", addresses: Sequence[str] = (), seconds: int | None = None
    ) -> Invite:
        """Make a link that one person can use once. It names these addresses, or those at which the
        host listens. Raises ``InvalidInputError`` and ``UnavailableError``.
        """
        here, name = self._ports, self.name
        places = addresses or self.places()
        if seconds is None:
            return people.invite(here.contacts, self.keystore, here.clock, name, places, note=note)
        return people.invite(
            here.contacts, self.keystore, here.clock, name, places, note=note, life=seconds
        )

    @property
    def name(self) -> str:
        """What the card calls the person. Raises ``InvalidInputError`` where they have not said
        their name.
        """
        return people.named(self._ports.conversations.identity().name)

    def open_invite(self, invite: str) -> Invite:
        """Return an invite that can still be used. Raises ``NotFoundError``."""
        found = self._ports.contacts.open_invite(invite)
        if (
            found is None
            or found.state is not InviteState.OPEN
            or found.expires <= self._ports.clock.now().timestamp()
        ):
            raise NotFoundError("open invite", invite)
        return found

    def greet(self, link: str, call_them: str = "") -> OutboxRow:
        """Say hello to whoever made this link, as soon as their node is reached. Raises
        ``InvalidInputError`` and ``ConflictError``.
        """
        here = self._ports
        sent = outgoing.greet(here.post, self.keystore, here.clock, link, self.name, call_them)
        self.switch(on=True)
        return sent

    def greetings(self) -> list[OutboxRow]:
        """Return the hellos that wait or met nobody, newest first."""
        return outgoing.greetings(self._ports.post)

    def drop_greeting(self, message: str) -> None:
        """Stop saying hello, or put one out of sight that met nobody. Raises ``NotFoundError``."""
        outgoing.drop_greeting(self._ports.post, message)

    def verify(self, contact: ContactId, words: Sequence[str], *, same: bool) -> Contact:
        """Note that both read the same six words. Raises ``ConflictError``."""
        return people.verify(self._ports.contacts, self._ports.clock, contact, words, same=same)

    def withdraw(self, invite: str) -> None:
        """End an invite that nobody used. Raises ``NotFoundError``."""
        people.withdraw(self._ports.contacts, self._ports.clock, invite)

    def own_name(self, contact: Contact, *, other: bool = False) -> str:
        """Say what somebody calls themselves; ``other``: under the identity that theirs goes on
        with.
        """
        return people.own_name(contact, other=other)

    # --- what is asked of them -------------------------------------------------------------------

    def ask(self, contact: ContactId, question: str, grant: str = "") -> asking.PeerQuestion:
        """Ask a contact's second self. Raises ``InvalidInputError``, ``NotFoundError``,
        ``ConflictError``.
        """
        here = self._ports
        to = here.contacts.get(contact)
        language = here.settings.language if here.settings.language != "system" else ""
        return asking.read(
            asking.ask(
                here.permissions,
                here.post,
                self.keystore,
                here.clock,
                to,
                question,
                grant,
                language,
            )
        )

    def questions(self, contact: ContactId) -> list[asking.PeerQuestion]:
        """Return what a contact was asked, newest first."""
        return asking.questions(self._ports.post, contact)

    def asked_today(self, contact: ContactId) -> dict[str, int]:
        """Count what was asked of a contact today, by grant."""
        return asking.asked_today(self._ports.post, self._ports.clock, contact)

    def take_back(self, contact: ContactId, message: str) -> asking.PeerQuestion:
        """Send a question no more. Raises ``NotFoundError``, and ``ConflictError`` where it has its
        answer already.
        """
        asking.of(self._ports.post, contact, message)
        if not self._ports.post.settle(message, OutboxState.WITHDRAWN):
            raise ConflictError("This question does not wait any more.", "Look at what came back.")
        return asking.of(self._ports.post, contact, message)

    def keep_answer(self, contact: ContactId, message: str) -> asking.PeerQuestion:
        """Make a document of an answer. Raises ``NotFoundError`` and ``ConflictError``."""
        here, known = self._ports, self._ports.contacts.get(contact)

        def receive(name: str, data: bytes, title: str, when: datetime) -> str:
            return self._library.add_bytes(
                name, data, title=title, created_at=when, folder=FROM_OTHERS
            ).document.id

        asking.keep(here.post, known, asking.of(here.post, contact, message), receive)
        return asking.of(here.post, contact, message)

    def last_seen(self) -> dict[ContactId, InboxRow]:
        """Return the newest message of each contact, among those that came lately."""
        found: dict[ContactId, InboxRow] = {}
        for row in self._ports.post.inbox(limit=500)[0]:
            if row.contact is not None:
                found.setdefault(row.contact, row)
        return found

    def change(
        self, contact: ContactId, *, name: str | None = None, notes: str | None = None
    ) -> Contact:
        """Call somebody otherwise, or keep notes on them. Raises ``NotFoundError`` and
        ``InvalidInputError``.
        """
        known = self._ports.contacts.get(contact)
        if name is not None:
            known = people.rename(self._ports.contacts, contact, name)
        return known if notes is None else people.annotate(self._ports.contacts, contact, notes)

    def block(self, contact: ContactId) -> Contact:
        """Close the door to somebody at once; grants rest. Raises ``ConflictError``."""
        return people.block(self._ports.contacts, self._ports.clock, contact)

    def unblock(self, contact: ContactId) -> Contact:
        """Open it again. Raises ``ConflictError``."""
        return people.unblock(self._ports.contacts, self._ports.clock, contact)

    def end(self, contact: ContactId) -> Contact:
        """End a contact with all grants both ways, and tell who was not blocked. Raises
        ``ConflictError``.
        """
        before = self._ports.contacts.get(contact)
        ended = people.end(self._ports.contacts, self._ports.clock, contact)
        if before.state is not ContactState.BLOCKED:
            outgoing.farewell(self._ports.post, self.keystore, self._ports.clock, ended)
        return ended

    def accept(self, contact: ContactId) -> Contact:
        """Believe that somebody goes on under another identity. Raises ``ConflictError``."""
        return people.accept(self._ports.contacts, self._ports.clock, contact)

    def decline(self, contact: ContactId) -> Contact:
        """Do not believe it: the contact ends. Raises ``ConflictError``."""
        return people.decline(self._ports.contacts, self._ports.clock, contact)

    def delete(self, contact: ContactId) -> None:
        """Forget somebody. Raises ``NotFoundError``."""
        people.delete(self._ports.contacts, self._ports.clock, contact)

    # --- grants ----------------------------------------------------------------------------------

    def given(self, contact: ContactId | None = None) -> list[grants.StandingGrant]:
        """Return every grant that was given, those that are over too, newest first."""
        return grants.standing(self._ports.permissions, self._ports.clock, contact)

    def had(self, contact: ContactId | None = None) -> list[grants.Had]:
        """Return every grant that others gave, newest first."""
        return grants.had(self._ports.permissions, contact)

    def holds(self, standing: grants.StandingGrant) -> bool:
        """Tell whether a grant may be used now."""
        return (
            standing.row.revoked_at is None
            and standing.row.active
            and standing.row.expires > self._ports.clock.now().timestamp()
        )

    def covers(self, standing: Sequence[grants.StandingGrant]) -> dict[str, int]:
        """Count what each of these grants covers now, by its id; one that does not hold covers
        nothing.
        """
        holding = [each for each in standing if self.holds(each)]
        scopes = [(each.grant.scope, self._allowed(each)) for each in holding]
        counted = view.counts(*self._rows(), scopes, self._ports.pages())
        return dict(zip((each.row.id for each in holding), counted, strict=True))

    def preview(self, wanted: grants.GrantForm) -> view.Preview:
        """Show what a grant would cover. Raises ``InvalidInputError``."""
        scope = grants.scope_of(wanted)
        return view.preview(*self._rows(), scope, written=self._ports.pages(), allowed=wanted.allow)

    def _allowed(self, standing: grants.StandingGrant) -> frozenset[str]:
        return grants.allowed(self._ports.permissions, standing.row.id)

    def give(self, contact: ContactId, wanted: grants.GrantForm) -> grants.StandingGrant:
        """Give a grant, and put word of it into the outbox. Raises ``InvalidInputError``,
        ``NotFoundError``, ``ConflictError``.
        """
        here = self._ports
        row, _ = grants.give(
            here.permissions, here.contacts, here.post, self.keystore, here.clock, contact, wanted
        )
        suspects = self.preview(wanted).suspects
        said = {each.name: each.name in wanted.allow for each in suspects}
        here.permissions.decide_secrets(row.id, said, here.clock.now())
        return grants.as_given(row)

    def suspects(self, contact: ContactId | None = None) -> list[Suspect]:
        """Return what lies inside the grants that hold and looks like a secret, with what was said
        of it.
        """
        found: list[Suspect] = []
        for standing in filter(self.holds, self.given(contact)):
            if standing.row.parent is None:
                said = self._ports.permissions.secrets(standing.row.id)
                rows = view.sorted_out(*self._rows(), standing.grant.scope, self._ports.pages())
                looks = (row for row in rows if isinstance(row, view.Covered) and row.looks)
                found += [
                    Suspect(standing, row, said.get(row.name)) for row in looks if not row.gone
                ]
        return found

    def decide_secrets(self, grant: str, said: Mapping[str, bool]) -> None:
        """Let rows that look like a secret be used under a grant, or not. Raises
        ``NotFoundError``.
        """
        self._ports.permissions.decide_secrets(grant, said, self._ports.clock.now())

    def revoke(self, grant: str) -> int:
        """Take a grant back now. Returns how many were passed on from it and go with it. Raises
        ``NotFoundError``.
        """
        here = self._ports
        return grants.revoke(
            here.permissions, here.contacts, here.post, self.keystore, here.clock, grant
        )

    def _rows(self) -> tuple[Documents, Decisions, Passages]:
        return self._ports.documents, self._ports.decisions, passages_of(self._ports.index)

    # --- what came in and what left --------------------------------------------------------------

    def waiting(self) -> list[InboxRow]:
        """Return what waits for the person's word and may still be answered, oldest first."""
        now = self._ports.clock.now().timestamp()
        return [row for row in self._ports.post.unfinished(InboxState.WAITING) if row.until >= now]

    def approve(self, name: str, draft: Mapping[str, Any]) -> InboxRow:
        """Let the draft that the person read leave. Raises ``NotFoundError`` and
        ``ConflictError``.
        """
        issuer, message = reading.handled(name)
        post, audit, clock = self._ports.post, self._ports.audit, self._ports.clock
        with post.together():
            known = post.arrived(issuer, message)
            post.draft(issuer, message, draft, known.documents if known else ())
            return decisions.consent(post, audit, clock, issuer, message, yes=True)

    def refuse(self, name: str) -> InboxRow:
        """Refuse a request. Raises ``NotFoundError`` and ``ConflictError``."""
        post, audit, clock = self._ports.post, self._ports.audit, self._ports.clock
        return decisions.consent(post, audit, clock, *reading.handled(name), yes=False)

    def held(self, grant: str) -> GrantRow | None:
        """Return a grant by its id, with what was spent of it today."""
        return (
            self._ports.permissions.held(grant, int(self._ports.clock.now().timestamp()) // DAY)
            if grant
            else None
        )

    def people(self) -> list[exposure.ReachingContact]:
        """Return everybody who may come in, with what they may ask now, had answered, and what left
        for them.
        """
        here = self._ports
        known = [
            each
            for each in here.contacts.all()
            if each.state in {ContactState.ACTIVE, ContactState.CHANGED}
        ]
        if not known:
            return []
        holding = [each for each in self.given() if self.holds(each)]
        covers, exchanges, sent = self.covers(holding), here.post.exchanges(), here.post.all_left()
        granted = {
            each.id: [
                exposure.Granted(
                    one, covers.get(one.row.id, 0), exposure.last_asked(exchanges, grant=one.row.id)
                )
                for one in holding
                if one.row.contact == each.id
            ]
            for each in known
        }
        return [
            exposure.person(each, self.named(each.id), granted[each.id], exchanges, sent)
            for each in known
        ]

    def open_invites(self) -> list[Invite]:
        """Return the links by which somebody can still become a contact."""
        now = self._ports.clock.now().timestamp()
        return [
            each
            for each in self._ports.contacts.invites()
            if each.state is InviteState.OPEN and each.expires > now
        ]

    def network(self) -> Network:
        """Say what left, day by day."""
        sent = self._ports.post.all_left()
        total, hosts = self._ports.departures.total()
        hosts = [each for each in hosts if each != CONTACTS]
        outbox, _ = self._ports.post.outbox(limit=SENT_SHOWN)
        entries = reading.about_peers(self._ports.audit, DECIDED_SHOWN)
        return Network(
            sent, outbox, entries, max(0, total - sum(each.bytes for each in sent)), hosts
        )

    def named(self, contact: ContactId | None) -> str:
        """Say how the person calls somebody; nothing where they were deleted."""
        if contact is None:
            return ""
        try:
            known = self._ports.contacts.get(contact)
        except NotFoundError:
            return ""
        return people.called(known)
