"""Questions to a contact, as clients see them."""

from __future__ import annotations

from lpm_kernel.api.context import node
from lpm_kernel.api.share.moments import moment, next_try
from lpm_kernel.api.share.question_schemas import PeerQuestionOut
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.share.network import ContactId
from lpm_kernel.usecases.share.asking import PeerQuestion


def serialise_question(contact: ContactId, asked: PeerQuestion) -> PeerQuestionOut:
    """Show what was asked of somebody and what came back."""
    row = asked.row
    return PeerQuestionOut(
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
