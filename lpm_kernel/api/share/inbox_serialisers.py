"""What others asked, as clients see it."""

from __future__ import annotations

import json
from datetime import datetime

from lpm_kernel.api.share.inbox_schemas import DraftOut, DraftSourceOut, HeldBackOut, RequestOut
from lpm_kernel.api.share.moments import is_over, moment
from lpm_kernel.domain.ids import ChunkId
from lpm_kernel.domain.share.network import InboxRow, InboxState
from lpm_kernel.errors import NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.usecases.share import reading


def serialise_request(here: Node, row: InboxRow) -> RequestOut:
    """Show what somebody asked."""
    said, under = reading.said(row), here.meeting.held(row.grant)
    over = row.state is InboxState.WAITING and is_over(row.until)
    return RequestOut(
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
        draft=serialise_draft(here, row),
    )


def serialise_draft(here: Node, row: InboxRow) -> DraftOut | None:
    """Show the answer that was drafted, with what it rests on and what stays here."""
    known = row.draft
    if known is None or "body" not in known or row.state is InboxState.ANSWERED:
        return None
    body = known["body"]
    texts = [body["text"]] if "text" in body else [each["text"] for each in body.get("items", ())]
    # a draft of an earlier release does not say
    cited = {*known.get("cited", [chunk for chunk, _ in known["rows"]])}
    held = [(_source(here, chunk), why) for chunk, why in known["held_back"]]
    return DraftOut(
        id=known["id"],
        made_at=datetime.fromisoformat(known["made_at"]),
        text="\n\n".join(texts),
        abstained=bool(body.get("abstained", not texts)),
        form=body.get("form"),
        own=known["own"],
        editable="text" in body,
        bytes=len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()),
        sources=[
            DraftSourceOut.model_validate({**each, "cited": chunk in cited})
            for chunk, _ in known["rows"]
            if (each := _source(here, chunk))
        ],
        held_back=[
            HeldBackOut.model_validate({**each, "reason": why}) for each, why in held if each
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
