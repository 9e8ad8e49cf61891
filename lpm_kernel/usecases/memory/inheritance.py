"""What holds in a new version of a text too: what the person decided about sentences of it, and
from when until when they are so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.domain.memory.validity import Dated, Validities
from lpm_kernel.domain.stores import Decisions, Files
from lpm_kernel.usecases.memory.findings import finding_id


@dataclass(frozen=True)
class NewText:
    """A new version, and what stands in it."""

    document: Document
    text: str
    version: str
    """Of the text: which reader made it."""


def inherit(
    files: Files,
    decisions: Decisions,
    validities: Validities,
    now: NewText,
    earlier: Sequence[Document],
) -> None:
    """Have what was decided about older versions, oldest first, hold wherever the words still
    stand. Doing it twice is doing it once.

    Words that stood in several were settled by the last of these, also where that left them open.
    """
    later: list[str] = []
    for before in reversed(earlier):
        carry(decisions, validities, before, now, settled=later)
        if before.text_version is not None:
            later.append(files.words(before.sha256, before.text_version) or "")


def carry(
    decisions: Decisions,
    validities: Validities,
    before: Document,
    now: NewText,
    *,
    settled: Sequence[str] = (),
) -> None:
    """Have what was decided about one version hold in the next, wherever its words still stand and
    none of the ``settled`` texts has them.
    """
    about = decisions.about([before.id, now.document.id])
    known = {decision.id for decision in about.get(now.document.id, ())}
    for decision in about.get(before.id, ()):
        carried = _decided(decision, now)
        if carried and carried.id not in known and not _in_any(decision.quote, settled):
            decisions.keep(carried)
    dates = validities.about([before.id, now.document.id])
    there = {(dated.id, dated.ruling) for dated in dates if dated.document == now.document.id}
    for dated in dates:
        moved = _dated(dated, before, now) if dated.document == before.id else None
        if moved and (moved.id, moved.ruling) not in there and not _in_any(dated.quote, settled):
            validities.put(moved)


def _in_any(words: str, texts: Sequence[str]) -> bool:
    return any(words in text for text in texts)


def _decided(decision: Decision, now: NewText) -> Decision | None:
    """Return a decision as it is about the new text; nothing where its words do not stand there."""
    start = now.text.find(decision.quote)
    if not decision.quote or start < 0:
        return None
    end = start + len(decision.quote)
    return replace(
        decision,
        id=finding_id(now.document.id, start, end),
        document=now.document.id,
        start=start,
        end=end,
        text_version=now.version,
    )


def _dated(dated: Dated, before: Document, now: NewText) -> Dated | None:
    start = now.text.find(dated.quote)
    if start < 0:
        return None
    end = start + len(dated.quote)
    by_place = dated.id == finding_id(before.id, dated.start, dated.end)
    return replace(
        dated,
        id=finding_id(now.document.id, start, end) if by_place else dated.id,
        document=now.document.id,
        start=start,
        end=end,
        text_version=now.version,
    )
