"""Contacts, grants and messages, as clients see them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from lpm_kernel.api.context import node
from lpm_kernel.api.schemas import meeting as shape
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.share.network import (
    Contact,
    ContactId,
    InboxRow,
    InboxState,
    Invite,
    InviteState,
    OutboxRow,
    OutboxState,
    SentSummary,
)
from lpm_kernel.errors import NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.node.meeting import Suspect
from lpm_kernel.usecases.share import grants, reading
from lpm_kernel.usecases.share.asking import PeerQuestion
from lpm_kernel.usecases.share.people import places
from lpm_kernel.usecases.share.reach import Reach
from lpm_kernel.usecases.share.view import Covered, Preview

PURPOSE = "questions"
"""What a grant is for that names neither a purpose nor a tag."""
EVERY = frozenset({"*"})


def moment(seconds: int) -> datetime:
    """Read seconds since 1970 as a moment."""
    return datetime.fromtimestamp(seconds, UTC)


def invite(row: Invite, known: dict[ContactId, Contact]) -> shape.InviteOut:
    """Show an invite; one that can no longer be used, without its link."""
    over = row.state is InviteState.OPEN and row.expires <= node().ports.clock.now().timestamp()
    who = known.get(row.contact) if row.contact else None
    return shape.InviteOut(
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


def reach(known: Reach) -> shape.ReachOut:
    """Show whether others reach this node."""
    return shape.ReachOut(
        on=known.on,
        everywhere=known.everywhere,
        state=known.state.value,
        addresses=list(known.addresses),
        locked=known.locked,
    )


def next_try(row: OutboxRow) -> datetime | None:
    """Say when a message is tried again."""
    return moment(row.next_try) if row.state is OutboxState.WAITING else None


def greeting(row: OutboxRow) -> shape.GreetingOut:
    """Show a greeting on its way."""
    return shape.GreetingOut(
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


def question(contact: ContactId, asked: PeerQuestion) -> shape.PeerQuestionOut:
    """Show what was asked of somebody and what came back."""
    row = asked.row
    return shape.PeerQuestionOut(
        id=row.id,
        contact=contact,
        question=asked.words,
        purpose=asked.purpose,
        grant=asked.grant,
        state=row.state.value,
        made_at=row.made_at,
        until=moment(row.until),
        tries=row.tries,
        next_try=next_try(row),
        code=row.code,
        answer=asked.answer,
        abstained=asked.abstained,
        quotes=list(asked.quotes),
        kept=row.kept if row.kept and node().ports.documents.many([DocumentId(row.kept)]) else None,
    )


def contact(known: Contact) -> shape.ContactOut:
    """Show one contact."""
    [fields] = contacts([known])
    return shape.ContactOut(**fields)


def contacts(found: Sequence[Contact]) -> list[dict[str, object]]:
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
        for each in found
    ]


def wanted(body: shape.GrantWish) -> grants.GrantForm:
    """Read what a grant shall be."""
    return grants.GrantForm(
        body.template,
        body.purpose or ", ".join(body.tags)[:80].strip() or PURPOSE,
        tags=tuple(body.tags),
        kinds=tuple(body.kinds),
        since=body.since,
        until=body.until,
        form=body.form,
        daily=grants.daily(
            body.template, body.calls_per_day, body.bytes_per_day, body.tokens_per_day
        ),
        consent=body.consent,
        passed_on=body.passed_on,
        verbs=tuple(body.verbs),
        layers=tuple(body.layers),
        expires=body.expires_at,
        words=body.words,
        allow=tuple(body.allow),
    )


def all_grants(contact: ContactId | None, direction: str | None = None) -> list[shape.GrantOut]:
    """Show the grants both ways."""
    here = node().meeting
    given = here.given(contact) if direction != "had" else []
    covers = here.covers(given)
    had = here.had(contact) if direction != "given" else []
    asked = {who: here.asked_today(who) for who in {each.row.contact for each in had}}
    return [
        *(given_grant(each, covers) for each in given),
        *(_had(each, asked[each.row.contact].get(each.row.id, 0)) for each in had),
    ]


def given_grant(each: grants.StandingGrant, covers: dict[str, int]) -> shape.GrantOut:
    """Show a grant that was given, and how much it covers."""
    row, spent = each.row, each.row.spent
    state = (
        "revoked"
        if row.revoked_at
        else "expired"
        if _over(row.expires)
        else "holds"
        if row.active
        else "resting"
    )
    return shape.GrantOut.model_validate(
        {
            **_signed(each),
            "direction": "given",
            "contact": row.contact,
            "name": node().meeting.named(row.contact),
            "state": state,
            "template": row.template,
            "spent": {"calls": spent.calls, "bytes": spent.bytes, "tokens": spent.tokens},
            "given_at": row.given_at,
            "ended_at": row.revoked_at,
            "words": row.words,
            "covers": covers.get(row.id),
        }
    )


def _had(each: grants.Had, asked: int) -> shape.GrantOut:
    row = each.row
    return shape.GrantOut.model_validate(
        {
            **_signed(each),
            "direction": "had",
            "contact": row.contact,
            "name": node().meeting.named(row.contact),
            "state": "revoked" if row.ended_at else "expired" if _over(each.grant.exp) else "holds",
            "template": "",
            "spent": {"calls": asked, "bytes": 0, "tokens": 0},
            "given_at": row.received_at,
            "ended_at": row.ended_at,
            "words": "",
            "covers": None,
        }
    )


def _over(seconds: int) -> bool:
    return seconds <= node().ports.clock.now().timestamp()


def _signed(each: grants.StandingGrant | grants.Had) -> dict[str, object]:
    """Show what the grant itself says."""
    grant, scope = each.grant, each.grant.scope
    return {
        "id": grant.id,
        "verbs": sorted(grant.verbs),
        "layers": sorted(scope.layers),
        "tags": [] if scope.tags == EVERY else sorted(scope.tags),
        "kinds": sorted(scope.kinds),
        "since": None if scope.since is None else moment(scope.since),
        "until": None if scope.until is None else moment(scope.until),
        "form": scope.form,
        "daily": {
            "calls": grant.daily.calls,
            "bytes": grant.daily.bytes,
            "tokens": grant.daily.tokens,
        },
        "purpose": scope.purpose,
        "consent": grant.consent,
        "expires_at": moment(grant.exp),
        "passed_on": grant.depth > 0,
        "parent": grant.parent,
    }


def suspect(row: Covered, allowed: bool | None) -> shape.SuspectOut:
    """Show a row that looks like a secret."""
    return shape.SuspectOut.model_validate(
        {
            "id": row.name,
            "looks": row.looks,
            "allowed": allowed,
            "document": row.document.id,
            "title": row.document.title,
            "text": row.text,
            "start": row.chunk.start,
            "end": row.chunk.end,
        }
    )


def suspects(found: Sequence[Suspect]) -> list[shape.SuspectOut]:
    """Show rows that look like a secret, with the grants that they lie inside."""
    shown = []
    for each in found:
        who = each.standing.row.contact
        about = {"grant": each.standing.row.id, "contact": who, "name": node().meeting.named(who)}
        shown.append(suspect(each.row, each.allowed).model_copy(update=about))
    return shown


def preview(found: Preview, allowed: Sequence[str] = ()) -> shape.PreviewOfGrant:
    """Show what a grant would cover."""
    return shape.PreviewOfGrant(
        rows=found.passages + found.statements,
        documents=found.documents,
        passages=found.passages,
        statements=found.statements,
        private_documents=found.private,
        kinds={kind.value: count for kind, count in found.kinds.items()},
        by_document=[
            shape.DocumentRows(id=document.id, title=document.title, rows=rows)
            for document, rows in found.by_document
        ],
        first=[
            shape.CoveredOut(
                document=each.document.id,
                title=each.document.title,
                kind=each.chunk.kind.value if each.chunk.kind else "passage",
                text=each.text,
                at=each.chunk.said_at or each.document.created_at,
                start=each.chunk.start,
                end=each.chunk.end,
            )
            for each in found.first
        ],
        left_out=[
            shape.LeftOutRows(reason=why.value, rows=rows)
            for why, rows in sorted(found.left_out.items(), key=lambda pair: -pair[1])
        ],
        secrets=[suspect(each, each.name in allowed) for each in found.suspects],
    )


def request(here: Node, row: InboxRow) -> shape.RequestOut:
    """Show what somebody asked."""
    said, under = reading.said(row), here.meeting.held(row.grant)
    over = row.state is InboxState.WAITING and _over(row.until)
    return shape.RequestOut(
        id=reading.handle(row),
        contact=row.contact,
        name=here.meeting.named(row.contact),
        verb=row.verb,
        words=said.words,
        purpose=said.purpose,
        grant=row.grant or None,
        grant_words=under.words if under else "",
        state="expired" if over else row.state.value,
        came_at=row.came_at,
        until=moment(row.until),
        decided_at=row.decided_at,
        answered_at=row.answered_at,
        answer=str((row.answer or {}).get("text", "")),
        code=row.code,
        draft=draft(here, row),
    )


def draft(here: Node, row: InboxRow) -> shape.DraftOut | None:
    """Show the answer that was drafted, with what it rests on and what stays here."""
    known = row.draft
    if known is None or "body" not in known or row.state is InboxState.ANSWERED:
        return None
    body = known["body"]
    texts = [body["text"]] if "text" in body else [each["text"] for each in body.get("items", ())]
    # a draft of an earlier release does not say
    cited = {*known.get("cited", [chunk for chunk, _ in known["rows"]])}
    held = [(_source(here, chunk), why) for chunk, why in known["held_back"]]
    return shape.DraftOut(
        id=known["id"],
        made_at=datetime.fromisoformat(known["made_at"]),
        text="\n\n".join(texts),
        abstained=bool(body.get("abstained", not texts)),
        form=body.get("form"),
        own=known["own"],
        editable="text" in body,
        bytes=len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()),
        sources=[
            shape.DraftSourceOut.model_validate({**each, "cited": chunk in cited})
            for chunk, _ in known["rows"]
            if (each := _source(here, chunk))
        ],
        held_back=[
            shape.HeldBackOut.model_validate({**each, "reason": why}) for each, why in held if each
        ],
    )


def _source(here: Node, chunk: str) -> dict[str, object] | None:
    """Show a row; nothing where it is gone."""
    try:
        known = here.ports.index.chunk(ChunkId(chunk))
        document = here.ports.documents.get(known.document)
    except NotFoundError:
        return None
    return {
        "document": document.id,
        "title": document.title,
        "text": known.text,
        "start": known.start,
        "end": known.end,
    }


def message(row: OutboxRow, named: Callable[[ContactId | None], str]) -> shape.MessageOut:
    """Show a message out."""
    return shape.MessageOut(
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


def sent(each: SentSummary, named: Callable[[ContactId | None], str]) -> shape.SentOut:
    """Show how much left."""
    day = datetime.fromtimestamp(each.day * shape.DAY_SECONDS, UTC).date().isoformat()
    return shape.SentOut(
        day=day,
        contact=each.contact,
        name=named(each.contact),
        category=each.category,
        bytes=each.bytes,
    )
