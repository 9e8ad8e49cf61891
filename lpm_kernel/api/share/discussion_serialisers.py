"""Tables and their entries, as clients see them."""

from __future__ import annotations

from typing import Any, cast

from lpm_kernel.api.memory.recall_serialisers import serialise_citations
from lpm_kernel.api.share.discussion_schemas import (
    DiscussionDetail,
    DiscussionOut,
    ReadyRoleOut,
    ReadyTableOut,
    SummaryPointOut,
    TableCiteOut,
    TableEntryOut,
    TableGrantOut,
    TableMemberOut,
)
from lpm_kernel.api.share.moments import moment
from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.share.discussions import Discussion, SaidEntry, TableContact
from lpm_kernel.domain.share.network import ContactId
from lpm_kernel.node import Node
from lpm_kernel.usecases.share.ready_tables import ReadyTable
from lpm_kernel.usecases.share.table_joining import standing, unsaid
from lpm_kernel.usecases.share.table_views import (
    SeenEntry,
    SeenGrant,
    SeenTable,
    seen_cites,
    seen_entry,
    seen_grant,
    seen_table,
)
from lpm_kernel.usecases.share.tables import Sitting


def serialise_table(node: Node, sitting: Sitting) -> DiscussionOut:
    """Show a table, without what was said."""
    return DiscussionOut(**_table(node, sitting))


def serialise_broken(known: Discussion) -> DiscussionOut:
    """Show a table whose record is not as it was signed: that it is there, and who sits there."""
    members = [
        TableMemberOut(
            id=each.member,
            kind=cast("Any", each.kind),
            name=each.name,
            role=each.role,
            present=False,
            due=False,
            turns=0,
            failed=False,
        )
        for each in known.seats
    ]
    return DiscussionOut(
        id=known.id,
        aim="",
        state="broken",
        template=known.template,
        strategy="round_robin",
        rounds=0,
        round=0,
        stop=[],
        until=known.changed_at,
        opened_at=known.opened_at,
        changed_at=known.changed_at,
        tags=list(known.tags),
        members=members,
        turns=0,
        entries=known.entries,
        head="",
        why=None,
    )


def serialise_sitting(node: Node, sitting: Sitting) -> DiscussionDetail:
    """Show a table with what was said."""
    items = [serialise_entry(node, sitting, n) for n in range(len(sitting.said))]
    return DiscussionDetail(**_table(node, sitting), items=items)


def _table(node: Node, sitting: Sitting) -> dict[str, Any]:
    known = sitting.discussion
    there = node.discussing.company.there(known.id) if sitting.is_shared else []
    seen: SeenTable = seen_table(sitting, there)
    grant = seen_grant(there[0]) if known.host and there else None
    return {
        "id": known.id,
        "aim": sitting.aim,
        "state": known.state.value,
        "template": known.template,
        "strategy": seen.strategy,
        "rounds": seen.rounds,
        "round": seen.round,
        "stop": list(seen.stop),
        "until": moment(seen.until),
        "opened_at": known.opened_at,
        "changed_at": known.changed_at,
        "tags": list(known.tags),
        "members": [
            TableMemberOut(
                id=each.id,
                kind=cast("Any", each.kind),
                name=each.name,
                role=each.role,
                present=each.present,
                due=each.due,
                turns=each.turns,
                failed=each.failed,
                contact=each.contact,
                mine=each.mine,
                state=cast("Any", each.state),
            )
            for each in seen.members
        ],
        "turns": seen.turns,
        "entries": len(sitting.said),
        "head": seen.head,
        "why": seen.why,
        "host": known.host,
        "host_name": node.meeting.named(ContactId(known.host)) if known.host else "",
        "invitation": _invitation(node, there[0], seen.until) if known.host and there else "",
        "grant": None if grant is None else _grant(grant),
        "recovering": node.discussing.is_recovering(sitting),
        "unsaid": unsaid(there[0]) if known.host and there else [],
    }


def _invitation(node: Node, there: TableContact, until: int) -> str:
    return standing(there, until, int(node.ports.clock.now().timestamp()))


def _grant(seen: SeenGrant) -> TableGrantOut:
    return TableGrantOut(
        id=seen.id,
        tags=list(seen.tags),
        form=seen.form,
        turns=seen.turns,
        spent=seen.spent,
        until=moment(seen.until),
        revoked=seen.revoked,
    )


def serialise_entry(node: Node, sitting: Sitting, n: int) -> TableEntryOut:
    """Show one entry of a table, with what it rests on."""
    seen: SeenEntry = seen_entry(sitting, n)
    row: SaidEntry = sitting.said[n]
    cited = [Citation(**each) for each in row.basis] if not seen.gone else []
    return TableEntryOut(
        n=n,
        hash=seen.hash,
        step=cast("Any", seen.step),
        by=seen.by,
        at=moment(seen.ts),
        round=seen.round,
        text=seen.text,
        gone=seen.gone,
        abstained=seen.abstained,
        on=seen.on,
        stance=cast("Any", seen.stance),
        evidence=serialise_citations(node, cited),
        cites=[
            TableCiteOut(
                layer=each.layer,
                kind=each.kind,
                at=None if each.at is None else moment(each.at),
                quote=each.quote,
            )
            for each in (seen_cites(sitting, n) if sitting.is_shared and not cited else [])
        ],
        points=[
            SummaryPointOut(
                by=each.by, turn=each.turn, says=cast("Any", each.says), quotes=list(each.quotes)
            )
            for each in seen.points
        ],
        why=cast("Any", seen.why),
        code=seen.code,
        kept=row.kept,
    )


def serialise_ready(table: ReadyTable, language: str) -> ReadyTableOut:
    """Show a table to begin from."""
    words = table.told(language)
    roles = [each.role(language) for each in table.roles]
    return ReadyTableOut(
        id=table.id,
        name=words["name"],
        purpose=words["purpose"],
        aim=words["aim"],
        strategy=cast("Any", table.strategy),
        rounds=table.rounds,
        stop=cast("Any", list(table.stop)),
        twin=table.twin,
        roles=[ReadyRoleOut(id=each.id, name=each.name, purpose=each.purpose) for each in roles],
    )
