"""Asking a contact's second self: the question goes out by the outbox, and what comes back is
theirs until the person keeps it.

An answer is a stranger's text. It is shown with where it came from, and reaches memory only as a
document that says so, when the person wants it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import DAY, Contact, ContactId, OutboxRow, OutboxState
from lpm_kernel.domain.stores import Permissions, Post
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.share import grants
from lpm_kernel.usecases.share.outgoing import Signing, message_of, queue
from lpm_kernel.usecases.share.people import called
from protocol import limits
from protocol.messages import Verb

MOST_BYTES: Final = 20_000
"""Bytes that one answer may have, where the grant gives that much in a day."""
MOST_TOKENS: Final = 800
LEAST_BYTES: Final = 1_024
LONGEST_QUESTION: Final = 4_000
SHOWN: Final = 200
"""Questions to one contact that are shown."""


@dataclass(frozen=True)
class PeerQuestion:
    """What was asked of a contact, and what came back."""

    row: OutboxRow
    words: str = field(repr=False)
    purpose: str = field(repr=False)
    grant: str
    answer: str = field(repr=False)
    """Their second self's words; nobody here checked them."""
    abstained: bool
    """They have nothing to say about it."""
    quotes: tuple[str, ...] = field(repr=False)
    """Sentences of theirs that the answer rests on, where the grant lets them be quoted."""


def usable(permissions: Permissions, clock: Clock, contact: ContactId) -> list[grants.Had]:
    """Return the grants of a contact's own under which this person may ask now, the one that holds
    longest first.
    """
    now = clock.now().timestamp()
    found = [
        had
        for had in grants.had(permissions, contact)
        if had.row.ended_at is None and not had.row.owner
    ]
    return sorted(
        (
            had
            for had in found
            if Verb.ASK in had.grant.verbs and had.grant.nbf - limits.SKEW <= now < had.grant.exp
        ),
        key=lambda each: -each.grant.exp,
    )


def ask(
    permissions: Permissions,
    signing: Signing,
    to: Contact,
    question: str,
    grant: str = "",
    language: str = "",
) -> OutboxRow:
    """Put a question into the outbox, under a grant of theirs or under the one that holds longest.

    Raises ``InvalidInputError`` for a question that is none, and ``ConflictError`` without a grant,
    or where its day is used up.
    """
    words = question.strip()
    if not 0 < len(words) <= LONGEST_QUESTION:
        raise InvalidInputError(
            "A question has between 1 and 4,000 characters.", "Write one, or make it shorter."
        )
    found = [had for had in usable(permissions, signing.clock, to.id) if grant in {"", had.row.id}]
    if not found:
        raise ConflictError(
            f"{called(to)} has not given you a grant, or it has ended.", "Ask them for a grant."
        )
    under, spent = found[0].grant, asked_today(signing.post, signing.clock, to.id)
    if spent.get(under.id, 0) >= under.daily.calls:
        raise ConflictError(
            "This grant is used up for today.", "It can be used again after midnight, UTC."
        )
    if under.daily.bytes < LEAST_BYTES or under.daily.tokens < 1:
        raise ConflictError("This grant is too small for an answer.", "Ask them for a wider one.")
    body: dict[str, Any] = {
        "question": words,
        "purpose": under.scope.purpose,
        "bytes": min(MOST_BYTES, under.daily.bytes),
        "tokens": min(MOST_TOKENS, under.daily.tokens),
    }
    if language:
        body["language"] = language
    life = min(limits.MESSAGE_LIFE, under.exp - int(signing.clock.now().timestamp()))
    return queue(signing, to, Verb.ASK, body, under.id, life)


def asked_today(post: Post, clock: Clock, contact: ContactId) -> dict[str, int]:
    """Count the questions of this day (UTC) by the grant that each went out under. Their node
    counts for itself; this is what is known here.
    """
    today, counted = int(clock.now().timestamp()) // DAY, dict[str, int]()
    for row in _rows(post, contact):
        under = message_of(row).grant
        if (
            under is not None
            and int(row.made_at.timestamp()) // DAY == today
            and row.state is not OutboxState.WITHDRAWN
        ):
            counted[under] = counted.get(under, 0) + 1
    return counted


def questions(post: Post, contact: ContactId) -> list[PeerQuestion]:
    """Return what a contact was asked, newest first."""
    return [read(row) for row in _rows(post, contact)]


def _rows(post: Post, contact: ContactId) -> Sequence[OutboxRow]:
    return post.outbox(limit=SHOWN, contact=contact, verb=Verb.ASK.value)[0]


def read(row: OutboxRow) -> PeerQuestion:
    """Say what a question was, and what came back."""
    message, came = message_of(row), row.receipt or {}
    quotes = tuple(str(each["quote"]) for each in came.get("cites", ()) if "quote" in each)
    words, purpose = str(message.body["question"]), str(message.body["purpose"])
    return PeerQuestion(
        row,
        words,
        purpose,
        message.grant or "",
        str(came.get("text", "")),
        came.get("abstained") is True,
        quotes,
    )


def of(post: Post, contact: ContactId, message: str) -> PeerQuestion:
    """Return one question. Raises ``NotFoundError``."""
    row = post.outgoing(message)
    if row is None or row.contact != contact or row.verb != Verb.ASK.value:
        raise NotFoundError("question", message)
    return read(row)


def keep(
    post: Post,
    to: Contact,
    question: PeerQuestion,
    receive: Callable[[str, bytes, str, datetime], str],
) -> str:
    """Make a document of an answer, and give its id. ``receive`` takes name, bytes, title and the
    time of the answer; the same bytes make one document.

    It is a transcript in which their second self speaks, so that no sentence of it is taken for the
    person's own. Raises ``ConflictError`` without an answer.
    """
    if question.row.state is not OutboxState.ANSWERED or not question.answer:
        raise ConflictError("There is no answer to keep.", "Wait for it, or ask again.")
    who, when = called(to), question.row.made_at.astimezone(UTC)
    note = (
        f"Asked of {who}’s second self on {when:%Y-%m-%d}, under the grant “{question.purpose}”,"
        " not checked"
    )
    turns = [
        {
            "id": question.row.id,
            "speaker": f"{who} (second self)",
            "timestamp": when.isoformat(),
            "session": note,
            "text": question.answer,
        }
    ]
    data = "".join(f"{json.dumps(turn, ensure_ascii=False)}\n" for turn in turns).encode()
    document = receive(
        f"answer-{question.row.id}.jsonl", data, f"{who}: {question.words}"[:200], when
    )
    post.keep(question.row.id, document)
    return document


def take_back(post: Post, contact: ContactId, message: str) -> PeerQuestion:
    """Send a question no more. Raises ``NotFoundError``, and ``ConflictError`` where it has its
    answer already.
    """
    of(post, contact, message)
    if not post.settle(message, OutboxState.WITHDRAWN):
        raise ConflictError("This question is no longer waiting.", "Look at what came back.")
    return of(post, contact, message)
