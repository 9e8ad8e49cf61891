"""Grants and what they cover, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.api.context import node
from lpm_kernel.api.share.grant_schemas import (
    CoveredOut,
    DocumentRows,
    GrantOut,
    GrantWish,
    LeftOutRows,
    PreviewOfGrant,
    SuspectOut,
)
from lpm_kernel.api.share.moments import is_over, moment
from lpm_kernel.domain.share.network import ContactId
from lpm_kernel.usecases.share import grants
from lpm_kernel.usecases.share.standing import Suspect
from lpm_kernel.usecases.share.view import Covered, Preview

PURPOSE = "questions"
"""What a grant is for that names neither a purpose nor a tag."""
EVERY = frozenset({"*"})


def parse_grant(body: GrantWish) -> grants.GrantForm:
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


def serialise_grants(contact: ContactId | None, direction: str | None = None) -> list[GrantOut]:
    """Show the grants both ways."""
    here = node().meeting
    given = here.given(contact) if direction != "had" else []
    covers = here.covers(given)
    had = here.had(contact) if direction != "given" else []
    asked = {who: here.asked_today(who) for who in {each.row.contact for each in had}}
    return [
        *(serialise_given_grant(grant, covers) for grant in given),
        *(_had(each, asked[each.row.contact].get(each.row.id, 0)) for each in had),
    ]


def serialise_given_grant(each: grants.StandingGrant, covers: dict[str, int]) -> GrantOut:
    """Show a grant that was given, and how much it covers."""
    row, spent = each.row, each.row.spent
    state = (
        "revoked"
        if row.revoked_at
        else "expired"
        if is_over(row.expires)
        else "holds"
        if row.active
        else "resting"
    )
    return GrantOut.model_validate(
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


def _had(each: grants.Had, asked: int) -> GrantOut:
    row = each.row
    return GrantOut.model_validate(
        {
            **_signed(each),
            "direction": "had",
            "contact": row.contact,
            "name": node().meeting.named(row.contact),
            "state": "revoked"
            if row.ended_at
            else "expired"
            if is_over(each.grant.exp)
            else "holds",
            "template": "",
            "spent": {"calls": asked, "bytes": 0, "tokens": 0},
            "given_at": row.received_at,
            "ended_at": row.ended_at,
            "words": "",
            "covers": None,
        }
    )


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


def serialise_suspect(row: Covered, allowed: bool | None) -> SuspectOut:
    """Show a row that looks like a secret."""
    return SuspectOut.model_validate(
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


def serialise_suspects(suspects: Sequence[Suspect]) -> list[SuspectOut]:
    """Show rows that look like a secret, with the grants that they lie inside."""
    shown = []
    for suspect in suspects:
        who = suspect.standing.row.contact
        about = {
            "grant": suspect.standing.row.id,
            "contact": who,
            "name": node().meeting.named(who),
        }
        shown.append(serialise_suspect(suspect.row, suspect.allowed).model_copy(update=about))
    return shown


def serialise_preview(preview: Preview, allowed: Sequence[str] = ()) -> PreviewOfGrant:
    """Show what a grant would cover."""
    return PreviewOfGrant(
        rows=preview.passages + preview.statements,
        documents=preview.documents,
        passages=preview.passages,
        statements=preview.statements,
        private_documents=preview.private,
        kinds={kind.value: count for kind, count in preview.kinds.items()},
        by_document=[
            DocumentRows(id=document.id, title=document.title, rows=rows)
            for document, rows in preview.by_document
        ],
        first=[
            CoveredOut(
                document=covered.document.id,
                title=covered.document.title,
                kind=covered.chunk.kind.value if covered.chunk.kind else "passage",
                text=covered.text,
                at=covered.chunk.said_at or covered.document.created_at,
                start=covered.chunk.start,
                end=covered.chunk.end,
            )
            for covered in preview.first
        ],
        left_out=[
            LeftOutRows(reason=why.value, rows=rows)
            for why, rows in sorted(preview.left_out.items(), key=lambda pair: -pair[1])
        ],
        secrets=[
            serialise_suspect(covered, covered.name in allowed) for covered in preview.suspects
        ],
    )
