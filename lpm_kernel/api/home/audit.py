"""What happened to the home, and whether all of it fits together."""

from __future__ import annotations

import json
from datetime import datetime

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import number
from lpm_kernel.api.home import audit_schemas
from lpm_kernel.api.home.audit_schemas import AuditList, AuditQuery, BreakOut, VerificationIn
from lpm_kernel.api.schemas import Queued
from lpm_kernel.api.serialisers import queued
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import HOME
from lpm_kernel.domain.home.jobs import Lane

api = HOME.blueprint("audit", __name__)


@api.get("/audit", summary="What happened to the home, newest first", responses={200: AuditList})
def list_audit(query: AuditQuery) -> Response:
    """Page through the chain; `verify=true` walks it whole and names the first entry that does not
    hold.
    """
    found, following = node().ports.audit.page(limit=query.limit, before=number(query.cursor))
    items = [
        audit_schemas.AuditEntry(
            number=audit_entry.number,
            at=datetime.fromisoformat(audit_entry.at),
            kind=audit_entry.kind,
            facts=json.loads(audit_entry.facts),
            previous=audit_entry.previous,
            hash=audit_entry.hash,
        )
        for audit_entry in found
    ]
    broken = node().home.first_break() if query.verify else None
    return json_response(
        AuditList(
            items=items,
            next_cursor=None if following is None else str(following),
            verified=None if not query.verify else broken is None,
            broken=(
                None if broken is None else BreakOut(number=broken.number, sentence=broken.sentence)
            ),
        )
    )


@api.post("/verifications", summary="Check everything against everything", responses={202: Queued})
def verify(body: VerificationIn) -> Response:
    """Queue it; what was found stands in the job's `result`. `repair` makes again what can be made
    again.
    """
    return queued(
        node().ports.jobs.add(
            "verify", Lane.HEAVY, None, node().ports.clock.now(), {"repair": body.repair}
        )
    )
