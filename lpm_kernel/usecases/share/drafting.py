"""An answer as it would leave, drafted for the person to read before it does: nothing leaves that
they did not see, or did not write.

A draft is made by what makes every answer (:mod:`lpm_kernel.usecases.share.answering`) and kept
with the request. It names the rows that it was made from, and counts only while all of them still
lie inside the grant, in the same words.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from lpm_kernel.domain.library.documents import text_hash
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import InboxRow, InboxState
from lpm_kernel.domain.stores import Documents, Files, Permissions, Post
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.share import answering, offers
from lpm_kernel.usecases.share.answering import Answerer, PeerReply, composed, decided, read_request
from lpm_kernel.usecases.share.forms import masked
from lpm_kernel.usecases.share.grants import allowed
from lpm_kernel.usecases.share.inside import Inside
from protocol.messages import ANSWERS, Message, Verb
from protocol.refusals import Code, Refusal
from protocol.shape import write_json

MOST_HELD_BACK = 6
"""Rows that belong to the question and stay here, of which the person is told."""


def draft(
    post: Post, permissions: Permissions, clock: Clock, answerer: Answerer, name: tuple[str, str]
) -> InboxRow:
    """Write the answer to a request that waits, and keep it with the request.

    Raises ``NotFoundError``, and ``ConflictError`` where it cannot be answered any more.
    """
    row = waiting(post, name)
    try:
        asked, scope = decided(post, permissions, clock, *name, asking=True)
        may = allowed(permissions, asked.grant or "")
        inside = answerer.inside(scope, may)
        made = composed(answerer, asked, scope, inside)
    except Refusal as refusal:
        raise ConflictError(
            "This request can no longer be answered.",
            "Its grant has ended, or does not cover it.",
        ) from refusal
    question = str(asked.body.get("question") or asked.body.get("query") or "")
    kept = {
        "id": secrets.token_hex(8),
        "made_at": clock.now().isoformat(),
        "body": dict(made.body or {}),
        "rows": [[chunk_id, text_hash(inside.rows[chunk_id].text)] for chunk_id in made.rows],
        "cited": list(made.cited),
        "held_back": [list(each) for each in answerer.held_back(question, scope, may)],
        "own": False,
    }
    post.draft(*name, kept, made.documents)
    return waiting(post, row_name(row))


def sendable(
    post: Post,
    permissions: Permissions,
    clock: Clock,
    answerer: Answerer,
    name: tuple[str, str],
    chosen: tuple[str | None, str | None],
) -> Mapping[str, Any]:
    """Return the draft that shall leave: ``chosen`` is its id, and the words that the person put in
    place of it.

    Raises ``ConflictError`` where it is another one, or rests on what changed, and
    ``InvalidInputError``, also where no draft is named.
    """
    row, (identifier, text) = waiting(post, name), chosen
    if identifier is None:
        raise InvalidInputError(
            "Nothing is sent that you have not read.",
            "Ask for the draft, and give its id when you send it.",
        )
    known = row.draft
    if known is None or known.get("id") != identifier:
        raise ConflictError(
            "This is not the answer that was drafted last.", "Read the draft again."
        )
    if not stands(permissions, clock, post, answerer, name):
        raise ConflictError(
            "The sources of the draft have changed since.", "Have it drafted again."
        )
    return known if text is None else _in_own_words(answerer, read_request(row), known, text)


def stands(
    permissions: Permissions, clock: Clock, post: Post, answerer: Answerer, name: tuple[str, str]
) -> bool:
    """Tell whether all that a draft was made from still lies inside, in the same words."""
    row = post.arrived(*name)
    if row is None or row.draft is None or "body" not in row.draft:
        return False
    try:
        asked, scope = decided(post, permissions, clock, *name, asking=True)
    except Refusal:
        return False
    inside: Inside = answerer.inside(scope, allowed(permissions, asked.grant or ""))
    rows = inside.rows
    return all(
        each in rows and text_hash(rows[each].text) == words for each, words in row.draft["rows"]
    )


def reply(
    post: Post, permissions: Permissions, clock: Clock, answerer: Answerer, name: tuple[str, str]
) -> PeerReply:
    """Answer a message: with what the person read and sent, and otherwise as its grant says."""
    row = post.arrived(*name)
    if row is None or row.draft is None or row.state is not InboxState.DECIDED:
        return answering.reply(post, permissions, clock, answerer, *name)
    # erased, made private or put right since they read it
    if not stands(permissions, clock, post, answerer, name):
        return PeerReply(code=Code.NO_GRANT.value)
    return PeerReply(row.draft["body"], row.documents)


def is_about_a_table(row: InboxRow) -> bool:
    """Tell whether a message is about a table."""
    return row.verb == Verb.DISCUSS.value


def is_of_an_offer(row: InboxRow) -> bool:
    """Tell whether a message fetches what the person offered, which needs no grant."""
    return row.verb == Verb.FETCH.value and not row.grant


def piece(
    permissions: Permissions, documents: Documents, files: Files, clock: Clock, row: InboxRow
) -> PeerReply:
    """Give a piece of what the person offered."""
    try:
        body, document = offers.piece(permissions, documents, files, clock, read_request(row))
    except Refusal as refusal:
        return PeerReply(code=refusal.code.value)
    return PeerReply(body, (document,))


def waiting(post: Post, name: tuple[str, str]) -> InboxRow:
    """Return a request that waits. Raises ``NotFoundError`` and ``ConflictError``."""
    row = post.arrived(*name)
    if row is None:
        raise NotFoundError("request", name[1])
    if row.state is not InboxState.WAITING:
        raise ConflictError(
            "This request is no longer waiting for you.", "Look at the request again."
        )
    return row


def row_name(row: InboxRow) -> tuple[str, str]:
    """Return issuer and id of a request."""
    return row.issuer, row.id


def _in_own_words(
    answerer: Answerer, asked: Message, known: Mapping[str, Any], text: str
) -> Mapping[str, Any]:
    """Put the person's words in place of the draft's; they cite nothing, and are masked like any
    others.
    """
    if asked.verb is not Verb.ASK:
        raise InvalidInputError("Passages are sent as they are.", "Send them, or refuse.")
    words = masked(text.strip(), answerer.identity.languages)
    if not words:
        raise InvalidInputError("There are no words to send.", "Write something, or refuse.")
    body = {**known["body"], "text": words, "abstained": False, "cites": []}
    try:
        ANSWERS[Verb.ASK].check(body, "body")
    except Refusal as misfit:
        raise InvalidInputError(
            "This cannot be sent as an answer.",
            "Write at least a word, and at most 65,536 characters.",
        ) from misfit
    if len(write_json(body)) > int(asked.body["bytes"]):
        raise InvalidInputError("The answer is longer than was asked for.", "Make it shorter.")
    return {**known, "body": body, "rows": [], "cited": [], "own": True}
