"""Whether others reach this node, and what left it, as clients see it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from lpm_kernel.api.share.moments import moment, next_try
from lpm_kernel.api.share.network_schemas import (
    DAY_SECONDS,
    MessageOut,
    ReachOut,
    RelayPlaceOut,
    SentOut,
)
from lpm_kernel.domain.share.network import ContactId, OutboxRow, SentSummary
from lpm_kernel.usecases.share.reach import Reach


def serialise_reach(reach: Reach) -> ReachOut:
    """Show whether others reach this node."""
    return ReachOut(
        on=reach.on,
        everywhere=reach.everywhere,
        state=reach.state.value,
        addresses=list(reach.addresses),
        locked=reach.locked,
        relays=[
            RelayPlaceOut(address=each.address, kept=each.kept, contact=each.contact)
            for each in reach.relays
        ],
        relays_for_contacts=reach.relays_for_contacts,
        find_on_network=reach.find_on_network,
        rendezvous=reach.rendezvous,
        map_port=reach.map_port,
        port_mapping=reach.port_mapping.value,
    )


def serialise_message(row: OutboxRow, named: Callable[[ContactId | None], str]) -> MessageOut:
    """Show a message out."""
    return MessageOut(
        id=row.id,
        contact=row.contact,
        name=named(row.contact),
        verb=row.verb,
        state=row.state.value,
        made_at=row.made_at,
        until=moment(row.until),
        tries=row.tries,
        next_try=next_try(row),
        code=row.code,
        bytes=len(row.signed),
    )


def serialise_sent(each: SentSummary, named: Callable[[ContactId | None], str]) -> SentOut:
    """Show how much left."""
    day = datetime.fromtimestamp(each.day * DAY_SECONDS, UTC).date().isoformat()
    return SentOut(
        day=day,
        contact=each.contact,
        name=named(each.contact),
        category=each.category,
        bytes=each.bytes,
    )
