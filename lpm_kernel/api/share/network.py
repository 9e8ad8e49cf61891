"""Whether others reach this node, and what left this machine."""

from __future__ import annotations

import json
from datetime import datetime

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.share.network_schemas import NetworkOut, PeerEntry, ReachIn, ReachOut, UnlockIn
from lpm_kernel.api.share.network_serialisers import (
    serialise_message,
    serialise_reach,
    serialise_sent,
)
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import PEOPLE
from lpm_kernel.domain.share.network import ContactId

api = PEOPLE.blueprint("network", __name__)


@api.get(
    "/network/reach", summary="Whether contacts can reach this node", responses={200: ReachOut}
)
def get_reach() -> Response:
    """Say whether contacts can reach this node, where, and what stands in the way."""
    return json_response(serialise_reach(node().meeting.reached()))


@api.put(
    "/network/reach",
    summary="Let contacts reach this node, or stop listening",
    responses={200: ReachOut},
)
def put_reach(body: ReachIn) -> Response:
    """Have a host listen for contacts from now on, or end it. It listens a moment later."""
    return json_response(
        serialise_reach(
            node().meeting.switch(
                on=body.on,
                everywhere=body.everywhere,
                relays_for_contacts=body.relays_for_contacts,
                find_on_network=body.find_on_network,
                map_port=body.map_port,
            )
        )
    )


@api.post("/network/unlock", summary="Unlock the keys", responses={200: ReachOut})
def unlock(body: UnlockIn) -> Response:
    """Open the keys that a passphrase locks, until the node ends. It is kept in memory alone, and
    the host starts with it.
    """
    return json_response(serialise_reach(node().meeting.unlock(body.passphrase)))


@api.get("/network", summary="What left this machine", responses={200: NetworkOut})
def network() -> Response:
    """Say what left, by day, person and kind, what waits to be sent, and what was decided. Never a
    word of it.
    """
    here = node().meeting
    found = here.network()
    entries = []
    for audit_entry in found.entries:
        facts = json.loads(audit_entry.facts)
        under = here.held(facts.get("grant", ""))
        who = (
            ContactId(facts["contact"])
            if facts.get("contact")
            else under.contact
            if under
            else None
        )
        entries.append(
            PeerEntry(
                number=audit_entry.number,
                at=datetime.fromisoformat(audit_entry.at),
                kind=audit_entry.kind,
                contact=who,
                name=here.named(who),
                facts=facts,
            )
        )
    return json_response(
        NetworkOut(
            sent=[serialise_sent(sent_summary, here.named) for sent_summary in found.sent],
            bytes=sum(sent_summary.bytes for sent_summary in found.sent),
            elsewhere=found.elsewhere,
            hosts=list(found.hosts),
            outbox=[serialise_message(outbox_row, here.named) for outbox_row in found.outbox],
            entries=entries,
        )
    )
