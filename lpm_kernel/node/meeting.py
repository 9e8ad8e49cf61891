"""Other people: who they are, what they may ask and asked, and what left this machine for them.

A class beside the floors rather than one of them: it speaks the protocol, and ``Node.meeting``
makes it when somebody first asks for it, so that a node that speaks to nobody does not load the
protocol. Nothing here opens a connection: what goes out is put into the outbox.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from lpm_kernel.backends.store.node.access import CONTACTS
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.share.network import (
    DAY,
    Contact,
    ContactId,
    GrantRow,
    InboxRow,
    Invite,
    Offer,
    OutboxRow,
    OutboxState,
)
from lpm_kernel.node.library import Library
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.share import (
    asking,
    decisions,
    exposure,
    grants,
    offers,
    outgoing,
    passing,
    people,
    reading,
    view,
)
from lpm_kernel.usecases.share.keys import Keystore
from lpm_kernel.usecases.share.offers import OfferPreview
from lpm_kernel.usecases.share.quarantine import Quarantine
from lpm_kernel.usecases.share.reach import Reach, places, reach, switch
from lpm_kernel.usecases.share.standing import GivenGrants, Suspect

FROM_OTHERS: Final = "from others"
"""The folder of the library for what contacts answered and the person kept."""


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

    def switch(
        self,
        *,
        on: bool,
        everywhere: bool | None = None,
        relays_for_contacts: bool | None = None,
        find_on_network: bool | None = None,
        map_port: bool | None = None,
    ) -> Reach:
        """Let others reach this node from now on, or nobody; ``everywhere``: on every interface, or
        on this machine alone; ``relays_for_contacts``: contacts reach each other through it;
        ``find_on_network``: on the local network they find it, and it them; ``map_port``: the
        router is asked to forward the port.
        """
        switch(
            self._ports.live_settings,
            on=on,
            everywhere=everywhere,
            relays_for_contacts=relays_for_contacts,
            find_on_network=find_on_network,
            map_port=map_port,
        )
        return self.reached()

    def places(self) -> list[str]:
        """Return where others reach this node, and have the host started for it; nothing where no
        node runs that would start it.

        Raises ``UnavailableError`` while it is still being started.
        """
        here, opened = self._ports, not self.keystore.locked
        return places(here.home, here.live_settings, opened=opened)

    # --- people ----------------------------------------------------------------------------------

    def invite(
        self, note: str = "", addresses: Sequence[str] = (), seconds: int | None = None
    ) -> Invite:
        """Make a link that one person can use once. It names these addresses, or those at which the
        host listens. Raises ``InvalidInputError`` and ``UnavailableError``.
        """
        here, name = self._ports, self.name
        terms = people.InviteTerms(addresses or self.places(), note=note)
        if seconds is not None:
            terms = replace(terms, life=seconds)
        return people.invite(here.contacts, self.keystore, here.clock, name, terms)

    @property
    def name(self) -> str:
        """What the card calls the person. Raises ``InvalidInputError`` where they have not said
        their name.
        """
        return people.named(self._ports.conversations.identity().name)

    def open_invite(self, invite: str) -> Invite:
        """Return an invite that can still be used. Raises ``NotFoundError``."""
        return people.open_invite(self._ports.contacts, self._ports.clock, invite)

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
        sent = asking.ask(here.permissions, self._signing, to, question, grant, language)
        return asking.read(sent)

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
        return asking.take_back(self._ports.post, contact, message)

    def keep_answer(self, contact: ContactId, message: str) -> asking.PeerQuestion:
        """Make a document of an answer. Raises ``NotFoundError`` and ``ConflictError``."""
        here, known = self._ports, self._ports.contacts.get(contact)

        def receive(name: str, data: bytes, title: str, when: datetime) -> str:
            new = NewDocument(name, data, title, when, folder=FROM_OTHERS)
            return self._library.receive(new).document.id

        asking.keep(here.post, known, asking.of(here.post, contact, message), receive)
        return asking.of(here.post, contact, message)

    # --- what is offered -------------------------------------------------------------------------

    def offers(self, contact: ContactId | None = None) -> list[Offer]:
        """Return what was offered, both ways, those that last longest first."""
        return self._ports.permissions.offers(contact)

    def offer(self, contact: ContactId, document: str, days: int) -> Offer:
        """Offer a document to a contact. Raises ``NotFoundError``, ``ConflictError``,
        ``InvalidInputError``.
        """
        here = self._ports
        known = here.documents.get(DocumentId(document))
        to = here.contacts.get(contact)
        return offers.offer(here.permissions, self._signing, here.files, to, known, days)

    def was_told(self, offer: Offer) -> bool:
        """Tell whether word of an offer has reached them."""
        return offers.was_told(self._ports.post, offer)

    def withdraw_offer(self, offer: str) -> None:
        """Take an offer back, and do not send it where it waits still. Raises ``NotFoundError``."""
        self._ports.permissions.withdraw_offer(offer, self._ports.clock.now())
        self._ports.post.settle(offer, OutboxState.WITHDRAWN)

    def fetch(self, contact: ContactId, offer: str) -> Offer:
        """Fetch what was offered into the quarantine. Raises ``NotFoundError``, ``ConflictError``,
        ``InvalidInputError``.
        """
        here = self._ports
        return offers.fetch(here.permissions, self._signing, here.contacts.get(contact), offer)

    def fetch_item(self, contact: ContactId, item: str, grant: str = "") -> Offer:
        """Fetch the text that an item of their answers lies in, under a grant of theirs. Raises
        ``ConflictError`` and ``InvalidInputError``.
        """
        here = self._ports
        to = here.contacts.get(contact)
        return offers.fetch_item(here.permissions, self._signing, to, item, grant)

    def look(self, contact: ContactId, offer: str) -> OfferPreview:
        """Show what was fetched. Raises ``NotFoundError`` and ``ConflictError``."""
        known = offers.found(self._ports.permissions, contact, offer)
        return offers.look(Quarantine(self._ports.home), known)

    def keep_offer(self, contact: ContactId, offer: str) -> Offer:
        """Make a document of what was fetched. Raises ``NotFoundError`` and ``ConflictError``."""
        here = self._ports

        def receive(name: str, data: bytes, title: str) -> str:
            new = NewDocument(name, data, title, folder=FROM_OTHERS)
            return self._library.receive(new).document.id

        to = here.contacts.get(contact)
        return offers.keep(Quarantine(here.home), here.permissions, to, offer, receive)

    def refuse_offer(self, contact: ContactId, offer: str) -> Offer:
        """Do not want it, and throw away what came. Raises ``NotFoundError`` and
        ``ConflictError``.
        """
        here = self._ports
        return offers.refuse(Quarantine(here.home), here.permissions, contact, offer)

    def reconsider_offer(self, contact: ContactId, offer: str) -> Offer:
        """Take a refusal back. Raises ``NotFoundError`` and ``ConflictError``."""
        return offers.reconsider(self._ports.permissions, self._ports.clock, contact, offer)

    def last_seen(self) -> dict[ContactId, InboxRow]:
        """Return the newest message of each contact, among those that came lately."""
        return reading.last_seen(self._ports.post)

    def change(
        self, contact: ContactId, *, name: str | None = None, notes: str | None = None
    ) -> Contact:
        """Call somebody otherwise, or keep notes on them. Raises ``NotFoundError`` and
        ``InvalidInputError``.
        """
        return people.change(self._ports.contacts, contact, name, notes)

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
        return outgoing.end(self._ports.contacts, self._signing, contact)

    def accept(self, contact: ContactId) -> Contact:
        """Believe that somebody goes on under another identity. Raises ``ConflictError``."""
        return people.accept(self._ports.contacts, self._ports.clock, contact)

    def decline(self, contact: ContactId) -> Contact:
        """Do not believe it: the contact ends. Raises ``ConflictError``."""
        return people.decline(self._ports.contacts, self._ports.clock, contact)

    def delete(self, contact: ContactId) -> None:
        """Forget somebody. Raises ``NotFoundError``."""
        people.delete(self._ports.contacts, self._ports.clock, contact)
        offers.sweep(Quarantine(self._ports.home), self._ports.permissions, self._ports.post)

    # --- grants ----------------------------------------------------------------------------------

    def given(self, contact: ContactId | None = None) -> list[grants.StandingGrant]:
        """Return every grant that was given, those that are over too, newest first."""
        return self._given.all(contact)

    def had(self, contact: ContactId | None = None) -> list[grants.Had]:
        """Return every grant that others gave, newest first."""
        return grants.had(self._ports.permissions, contact)

    def holds(self, standing: grants.StandingGrant) -> bool:
        """Tell whether a grant may be used now."""
        return self._given.holds(standing)

    def covers(self, standing: Sequence[grants.StandingGrant]) -> dict[str, int]:
        """Count what each of these grants covers now, by its id; one that does not hold covers
        nothing.
        """
        return self._given.covers(standing)

    def preview(self, wanted: grants.GrantForm) -> view.Preview:
        """Show what a grant would cover. Raises ``InvalidInputError``."""
        return self._given.preview(wanted)

    def give(self, contact: ContactId, wanted: grants.GrantForm) -> grants.StandingGrant:
        """Give a grant, and put word of it into the outbox. Raises ``InvalidInputError``,
        ``NotFoundError``, ``ConflictError``.
        """
        return self._given.give(self._signing, contact, wanted)

    def suspects(self, contact: ContactId | None = None) -> list[Suspect]:
        """Return what lies inside the grants that hold and looks like a secret, with what was said
        of it.
        """
        return self._given.suspects(contact)

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
        return grants.revoke(here.permissions, here.contacts, self._signing, grant)

    @property
    def _signing(self) -> outgoing.Signing:
        return outgoing.Signing(self._ports.post, self.keystore, self._ports.clock)

    @property
    def _given(self) -> GivenGrants:
        here = self._ports
        sources = view.RowSources(here.documents, here.decisions, passages_of(here.index))
        return GivenGrants(
            here.permissions, here.contacts, here.post, here.clock, sources, here.pages()
        )

    # --- what came in and what left --------------------------------------------------------------

    def waiting(self) -> list[InboxRow]:
        """Return what waits for the person's word and may still be answered, oldest first."""
        return reading.waiting(self._ports.post, self._ports.clock)

    def approve(self, name: str, draft: Mapping[str, Any]) -> InboxRow:
        """Let the draft that the person read leave. Raises ``NotFoundError`` and
        ``ConflictError``.
        """
        here = self._ports
        return decisions.approve(here.post, here.audit, here.clock, reading.handled(name), draft)

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
        return self._given.people()

    def open_invites(self) -> list[Invite]:
        """Return the links by which somebody can still become a contact."""
        return people.open_invites(self._ports.contacts, self._ports.clock)

    def network(self) -> reading.Network:
        """Say what left, day by day."""
        here = self._ports
        return reading.network(here.post, here.departures, here.audit, CONTACTS)

    def named(self, contact: ContactId | None) -> str:
        """Say how the person calls somebody; nothing where they were deleted."""
        return people.name_of(self._ports.contacts, contact)
