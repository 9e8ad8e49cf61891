"""What was found in what was added, as clients see it."""

from __future__ import annotations

from lpm_kernel.api.library.document_serialisers import serialise_author, serialise_document_ref
from lpm_kernel.api.memory.finding_schemas import DecisionOut, FindingOut
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.findings import Finding


def serialise_finding(node: Node, finding: Finding) -> FindingOut:
    """Show something that was found, with what was decided about it."""
    document, decision = finding.document, finding.decision
    version = decision.text_version if decision else document.text_version or ""
    said = node.chat.said_in(document.id, None)
    return FindingOut(
        id=finding.id,
        content=finding.text,
        timestamp=document.created_at,
        source=node.ports.places.span({}, document.id, version, finding.start, finding.end).source,
        document=serialise_document_ref(document, None if said is None else said.title),
        author=serialise_author(node, document, version, finding.start),
        start=finding.start,
        end=finding.end,
        decision=(
            None
            if decision is None
            else DecisionOut(
                verdict=decision.verdict.value,
                at=decision.at,
                content=node.memory.correction(decision),
                correction=decision.correction,
            )
        ),
        kind=finding.statement.kind.value if finding.statement else "passage",
        inferred=finding.statement is None and decision is None,
        entities=list(finding.statement.entities) if finding.statement else [],
        confidence=finding.statement.confidence if finding.statement else None,
        wording=finding.proposal.wording if finding.proposal else None,
    )
