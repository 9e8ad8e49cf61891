"""What was decided about requests of other nodes, by a grant or by the person: kept with the
request, and in the audit.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import InboxRow, InboxState
from lpm_kernel.domain.stores import Audit, Post
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.usecases.share.offers import noted
from protocol.messages import Verb
from protocol.refusals import Code

QUIET = 60
"""Seconds between two entries about what a contact sent that could not even be read."""


class RequestOutcome(StrEnum):
    """What became of a request."""

    WAITING = "waiting"
    """The person is asked."""
    ALLOWED = "allowed"
    """The person said yes."""
    DECLINED = "declined"
    """The person said no."""
    ANSWERED = "answered"
    REFUSED = "refused"


def wait(post: Post, audit: Audit, clock: Clock, issuer: str, message: str) -> InboxRow:
    """Put a request to the person. It is done once, however often the same message comes."""
    row = _known(post, issuer, message)
    if post.advance(issuer, message, InboxState.WAITING, clock.now()):
        _note(audit, clock, row, RequestOutcome.WAITING)
    return row


def consent(
    post: Post, audit: Audit, clock: Clock, issuer: str, message: str, *, yes: bool
) -> InboxRow:
    """Take what the person says to a request that waits. After a no the same message gets
    ``no_grant``, and nobody learns why.

    Raises ``NotFoundError``, and ``ConflictError`` where it does not wait any more.
    """
    row, now = _known(post, issuer, message), clock.now()
    if row.state is not InboxState.WAITING:
        raise ConflictError(
            "This request is no longer waiting for you.", "Look at the request again."
        )
    if row.until < now.timestamp():
        raise ConflictError(
            "This request has expired.", "If they still want to know, their node asks again."
        )
    taken = (
        post.advance(issuer, message, InboxState.DECIDED, now)
        if yes
        else post.answer(issuer, message, now, None, Code.NO_GRANT)
    )
    if not taken:
        raise ConflictError("This request has already been decided.", "Look at the request again.")
    _note(audit, clock, row, RequestOutcome.ALLOWED if yes else RequestOutcome.DECLINED)
    return _known(post, issuer, message)


def answered(
    post: Post,
    audit: Audit,
    clock: Clock,
    request: tuple[str, str],
    answer: Mapping[str, Any],
    documents: Sequence[str],
) -> bool:
    """Keep an answer to a request, named by its issuer and id, with what it was made from, before
    it is sent. ``False``: there is one already, which is the one to send.

    Of a piece of an item no byte is kept, nor of the draft of one.
    """
    issuer, message = request
    known = _known(post, issuer, message)
    if known.verb == Verb.FETCH:
        answer = noted(answer)
        if known.draft is not None and "body" in known.draft:
            draft = {**known.draft, "body": noted(known.draft["body"])}
            post.draft(issuer, message, draft, known.documents)
    kept = post.answer(issuer, message, clock.now(), answer, documents=documents)
    if kept:
        _note(audit, clock, _known(post, issuer, message), RequestOutcome.ANSWERED)
    return kept


def refused(post: Post, audit: Audit, clock: Clock, issuer: str, message: str, code: Code) -> bool:
    """Keep a refusal, before it is sent. ``False``: the request has its answer already."""
    kept = post.answer(issuer, message, clock.now(), None, code)
    if kept:
        _note(audit, clock, _known(post, issuer, message), RequestOutcome.REFUSED)
    return kept


def _note(audit: Audit, clock: Clock, row: InboxRow, outcome: RequestOutcome) -> None:
    facts = {
        "contact": row.contact or "",
        "message": row.id,
        "verb": row.verb,
        "grant": row.grant,
        "outcome": outcome.value,
        "code": row.code,
    }
    audit.append(clock.now(), AuditKind.PEER_DECIDED, **facts)


def _known(post: Post, issuer: str, message: str) -> InboxRow:
    row = post.arrived(issuer, message)
    if row is None:
        raise NotFoundError("request", message)
    return row


class TurnedAway:
    """What was refused before it had a name: broken, forged, from the wrong sender. Written down
    for each contact and code at most once a minute, with how often.

    Otherwise whoever sends rubbish would fill the audit. What came in the minute after an entry is
    counted in the next one, which is written when the minute is over (:meth:`settle`), whether more
    comes or not; a process that is killed takes the count of a minute along.
    """

    def __init__(self, audit: Audit, clock: Clock) -> None:
        self._audit, self._clock = audit, clock
        self._since: dict[tuple[str, Code], tuple[float, int, str]] = {}
        self._lock = threading.Lock()

    def note(self, contact: str, code: Code, where: str) -> None:
        """Note one. ``contact``: empty for a stranger; ``where``: a field of ours, never anything
        that came in.
        """
        now = self._clock.now()
        with self._lock:
            last, times, _ = self._since.get((contact, code), (float("-inf"), 0, ""))
            due = now.timestamp() - last >= QUIET
            self._since[contact, code] = (
                (now.timestamp(), 0, "") if due else (last, times + 1, where)
            )
        if due:
            self._write(now, contact, code, where, times + 1)

    def settle(self, *, last: bool = False) -> int:
        """Write down what was counted and whose minute is over; ``last``: everything. Returns how
        many entries that made.
        """
        now = self._clock.now()
        with self._lock:
            over = {
                name: (times, where)
                for name, (since, times, where) in self._since.items()
                if last or now.timestamp() - since >= QUIET
            }
            for name, (times, _) in over.items():
                # the next one is counted from this entry on
                if times:
                    self._since[name] = (now.timestamp(), 0, "")
                else:
                    del self._since[name]
        counted = {name: said for name, said in over.items() if said[0]}
        for (contact, code), (times, where) in counted.items():
            self._write(now, contact, code, where, times)
        return len(counted)

    def _write(self, now: datetime, contact: str, code: Code, where: str, times: int) -> None:
        self._audit.append(
            now,
            AuditKind.PEER_DECIDED,
            contact=contact,
            outcome=RequestOutcome.REFUSED.value,
            code=code.value,
            where=where,
            times=times,
        )


def approve(
    post: Post, audit: Audit, clock: Clock, request: tuple[str, str], draft: Mapping[str, Any]
) -> InboxRow:
    """Let the draft that the person read leave. Raises ``NotFoundError`` and ``ConflictError``."""
    issuer, message = request
    with post.together():
        arrived = post.arrived(issuer, message)
        post.draft(issuer, message, draft, arrived.documents if arrived else ())
        return consent(post, audit, clock, issuer, message, yes=True)
