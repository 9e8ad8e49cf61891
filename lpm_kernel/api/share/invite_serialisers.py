"""Invites and greetings, as clients see them."""

from __future__ import annotations

from lpm_kernel.api.context import node
from lpm_kernel.api.share.invite_schemas import GreetingOut, InviteOut
from lpm_kernel.api.share.moments import moment, next_try
from lpm_kernel.domain.share.network import Contact, ContactId, Invite, InviteState, OutboxRow
from lpm_kernel.usecases.share.people import places


def serialise_invite(row: Invite, known: dict[ContactId, Contact]) -> InviteOut:
    """Show an invite; one that can no longer be used, without its link."""
    over = row.state is InviteState.OPEN and row.expires <= node().ports.clock.now().timestamp()
    who = known.get(row.contact) if row.contact else None
    return InviteOut(
        id=row.id,
        invite=row.link if row.link and not over else None,
        label=row.note,
        state="expired" if over else row.state.value,
        made_at=row.made_at,
        expires_at=moment(row.expires),
        contact=who.id if who else None,
        words=list(who.words) if who else [],
        addresses=[] if over else places(row),
    )


def serialise_greeting(row: OutboxRow) -> GreetingOut:
    """Show a greeting on its way."""
    return GreetingOut(
        id=row.id,
        name=row.name,
        state=row.state.value,
        made_at=row.made_at,
        until=moment(row.until),
        tries=row.tries,
        next_try=next_try(row),
        code=row.code,
        contact=row.contact,
    )
