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
            "id": contact.id,
            "did": contact.did,
            "name": contact.name or here.own_name(contact),
            "own_name": here.own_name(contact),
            "state": contact.state.value,
            "online": None,
            "last_seen": seen[contact.id].came_at if contact.id in seen else None,
            "met_at": contact.met_at,
            "words": list(contact.words),
            "verified_at": contact.verified_at,
            "notes": contact.notes,
            "given": sum(one.row.contact == contact.id and here.holds(one) for one in given),
            "had": sum(
                one.row.contact == contact.id and one.row.ended_at is None and one.grant.exp > now
                for one in had
            ),
        }
        for contact in contacts
    ]
