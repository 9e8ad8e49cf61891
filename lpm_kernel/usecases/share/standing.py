"""The grants that hold now: what they cover, what in them looks like a secret, who has them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import ContactId, ContactState
from lpm_kernel.domain.stores import Contacts, Permissions, Post
from lpm_kernel.usecases.share import exposure, grants, people, view
from lpm_kernel.usecases.share.grants import GrantForm, StandingGrant
from lpm_kernel.usecases.share.outgoing import Signing
from lpm_kernel.usecases.share.view import RowSources


@dataclass(frozen=True)
class Suspect:
    """A row that lies inside a grant and looks like a secret."""

    standing: StandingGrant
    row: view.Covered
    allowed: bool | None
    """What the person said of it; ``None``: it came since, and waits for a word."""


@dataclass(frozen=True)
class GivenGrants:
    """The grants of this home, over the rows that they may cover."""

    permissions: Permissions
    contacts: Contacts
    post: Post
    clock: Clock
    sources: RowSources
    written: Collection[DocumentId]
    """The pages that the node wrote by itself."""

    def all(self, contact: ContactId | None = None) -> list[StandingGrant]:
        """Return every grant that was given, those that are over too, newest first."""
        return grants.standing(self.permissions, self.clock, contact)

    def holds(self, standing: StandingGrant) -> bool:
        """Tell whether a grant may be used now."""
        return (
            standing.row.revoked_at is None
            and standing.row.active
            and standing.row.expires > self.clock.now().timestamp()
        )

    def covers(self, standing: Sequence[StandingGrant]) -> dict[str, int]:
        """Count what each of these grants covers now, by its id; one that does not hold covers
        nothing.
        """
        holding = [grant for grant in standing if self.holds(grant)]
        scopes = [
            (grant.grant.scope, grants.allowed(self.permissions, grant.row.id)) for grant in holding
        ]
        sources = self.sources
        counted = view.counts(
            sources.documents, sources.decisions, sources.passages, scopes, self.written
        )
        return dict(zip((grant.row.id for grant in holding), counted, strict=True))

    def preview(self, form: GrantForm) -> view.Preview:
        """Show what a grant would cover. Raises ``InvalidInputError``."""
        scope = grants.scope_of(form)
        return view.preview(self.sources, scope, written=self.written, allowed=form.allow)

    def give(self, signing: Signing, contact: ContactId, form: GrantForm) -> StandingGrant:
        """Give a grant, and put word of it into the outbox. Raises ``InvalidInputError``,
        ``NotFoundError``, ``ConflictError``.
        """
        row, _ = grants.give(self.permissions, self.contacts, signing, contact, form)
        suspects = self.preview(form).suspects
        said = {suspect.name: suspect.name in form.allow for suspect in suspects}
        self.permissions.decide_secrets(row.id, said, self.clock.now())
        return grants.as_given(row)

    def suspects(self, contact: ContactId | None) -> list[Suspect]:
        """Return what lies inside the grants that hold and looks like a secret, with what was said
        of it.
        """
        suspects: list[Suspect] = []
        sources = self.sources
        for standing in filter(self.holds, self.all(contact)):
            if standing.row.parent is not None:
                continue
            said = self.permissions.secrets(standing.row.id)
            rows = view.sorted_out(
                sources.documents,
                sources.decisions,
                sources.passages,
                standing.grant.scope,
                self.written,
            )
            looks = (row for row in rows if isinstance(row, view.Covered) and row.looks)
            suspects += [
                Suspect(standing, row, said.get(row.name)) for row in looks if not row.gone
            ]
        return suspects

    def people(self) -> list[exposure.ReachingContact]:
        """Return everybody who may come in, with what they may ask now, had answered, and what left
        for them.
        """
        may_come_in = {ContactState.ACTIVE, ContactState.CHANGED}
        contacts = [one for one in self.contacts.all() if one.state in may_come_in]
        if not contacts:
            return []
        holding = [grant for grant in self.all() if self.holds(grant)]
        covers, exchanges, sent = self.covers(holding), self.post.exchanges(), self.post.all_left()
        granted = [
            (
                grant.row.contact,
                exposure.Granted(
                    grant,
                    covers.get(grant.row.id, 0),
                    exposure.last_asked(exchanges, grant=grant.row.id),
                ),
            )
            for grant in holding
        ]
        return [
            exposure.person(
                contact,
                people.called(contact),
                [grant for holder, grant in granted if holder == contact.id],
                exchanges,
                sent,
            )
            for contact in contacts
        ]
