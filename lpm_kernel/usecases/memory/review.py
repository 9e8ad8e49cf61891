"""Going through what was found: many decisions at once, each whole or not at all, and the way
back.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lpm_kernel.domain.ids import DocumentId, FindingId, is_thread
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.stores import Documents
from lpm_kernel.errors import ConflictError, InvalidInputError, NodeError, NotFoundError
from lpm_kernel.usecases.memory.findings import (
    DecisionPorts,
    SentenceDecision,
    finding_id,
    place,
    place_now,
)


class ReviewOutcome(StrEnum):
    """What became of one of many decisions."""

    DECIDED = "decided"
    ELSEWHERE = "elsewhere"
    """It was decided about before, and that holds."""
    GONE = "gone"
    """The words are not there any more."""
    REFUSED = "refused"
    """It cannot be decided so."""


@dataclass(frozen=True)
class Reviewed:
    """What the person says of something that was found."""

    finding: FindingId
    verdict: Verdict
    """To keep, to dismiss or to forget; what is to be mended is written one by one."""
    said: str = field(default="", repr=False)
    """The words as they were shown; nothing else at that place is decided about."""


@dataclass(frozen=True)
class ReviewedFinding:
    """What became of it."""

    finding: FindingId
    outcome: ReviewOutcome
    decision: Decision | None = None
    """What holds now."""
    problem: NodeError | None = None
    """Why it is not what was asked for."""


def decide_all(ports: DecisionPorts, reviewed: Sequence[Reviewed]) -> list[ReviewedFinding]:
    """Record many decisions in one step, and say of each what became of it. What one process
    decided meanwhile is not overruled by another, and what cannot be decided keeps nothing else
    from it. Raises ``InvalidInputError`` for a correction.

    All are made at one moment, by which :func:`take_back` knows them.
    """
    if any(each.verdict is Verdict.MEND for each in reviewed):
        raise InvalidInputError(
            "A correction is written for one sentence at a time.",
            "Keep, dismiss or forget many at once.",
        )
    now = ports.clock.now()
    read = [_decision(ports, each, now) for each in reviewed]
    made = [each for each in read if isinstance(each, Decision)]
    held = iter(ports.decisions.put_new(made))
    return [
        _became(each.finding, decision, next(held))
        if isinstance(decision, Decision)
        else _refused(each.finding, decision)
        for each, decision in zip(reviewed, read, strict=True)
    ]


def take_back(ports: DecisionPorts, made: Sequence[tuple[FindingId, datetime]]) -> list[bool]:
    """Take many decisions back in one step, as if they had not been made, and say of each whether
    it was. What was decided since about the same words stays.
    """
    return ports.decisions.take_back(made, ports.clock.now())


def touched(documents: Documents, findings: Sequence[FindingId]) -> list[DocumentId]:
    """Return the documents that these are about, in every version since."""
    found, further = set[DocumentId](), set[DocumentId]()
    for each in findings:
        with suppress(NotFoundError):  # it is no name, and nothing is decided about it
            further.add(place(each)[0])
    while further - found:
        found |= further
        known = documents.many(sorted(further))
        further = {each.superseded_by for each in known if each.superseded_by is not None}
    return sorted(found)


def _decision(ports: DecisionPorts, reviewed: Reviewed, now: datetime) -> Decision | NodeError:
    """Say what would be recorded, or why nothing can be."""
    try:
        document = ports.documents.get(place(reviewed.finding)[0])
        if is_thread(document.id) and reviewed.verdict is not Verdict.KEEP:
            return ConflictError(
                "This was said in a chat, and stays as it was said.", "Let it fade instead."
            )
        judged = SentenceDecision(*place(reviewed.finding), reviewed.verdict, quote=reviewed.said)
        start, end, quote = place_now(ports.files, document, judged)
    except (NotFoundError, InvalidInputError) as error:
        return error
    identifier, version = finding_id(document.id, start, end), document.text_version or ""
    return Decision(identifier, document.id, quote, version, start, end, reviewed.verdict, now)


def _became(asked: FindingId, decision: Decision, held: Decision | None) -> ReviewedFinding:
    if held is None:
        return ReviewedFinding(
            asked, ReviewOutcome.GONE, problem=NotFoundError("document", decision.document)
        )
    outcome = ReviewOutcome.DECIDED if held == decision else ReviewOutcome.ELSEWHERE
    return ReviewedFinding(asked, outcome, held)


def _refused(asked: FindingId, problem: NodeError) -> ReviewedFinding:
    refused = isinstance(problem, ConflictError)
    return ReviewedFinding(
        asked, ReviewOutcome.REFUSED if refused else ReviewOutcome.GONE, problem=problem
    )
