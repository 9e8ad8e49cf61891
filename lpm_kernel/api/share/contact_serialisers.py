"""Contacts, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.api.context import node
from lpm_kernel.api.share.contact_schemas import ContactOut
from lpm_kernel.domain.share.network import Contact


def serialise_contact(contact: Contact) -> ContactOut:
    """Show one contact."""
    [fields] = contact_fields([contact])
    return ContactOut(**fields)


def contact_fields(contacts: Sequence[Contact]) -> list[dict[str, object]]:
    """Give the fields of contacts, with what was given and had."""
    here = node().meeting
    seen, now = here.last_seen(), node().ports.clock.now().timestamp()
    given, had = here.given(), here.had()
    return [
        {
            "id": each.id,
            "did": each.did,
            "name": each.name or here.own_name(each),
            "own_name": here.own_name(each),
            "state": each.state.value,
            "online": None,
            "last_seen": seen[each.id].came_at if each.id in seen else None,
            "met_at": each.met_at,
            "words": list(each.words),
            "verified_at": each.verified_at,
            "notes": each.notes,
            "given": sum(one.row.contact == each.id and here.holds(one) for one in given),
            "had": sum(
                one.row.contact == each.id and one.row.ended_at is None and one.grant.exp > now
                for one in had
            ),
        }
        for each in contacts
    ]
