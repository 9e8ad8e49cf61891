"""Giving each decision a correction of its own, where an earlier release let several have one."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.stores import Decisions, Documents, Files
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.memory.findings import Arrive, new_correction

MOST_AGAIN = 8
"""Times that a correction is put right itself, as far as this is followed."""


def divide(files: Files, documents: Documents, decisions: Decisions, arrive: Arrive) -> int:
    """Give each decision a correction of its own, where a release before 0018 of the schema let
    several have one, or had a text of the person's own be one.

    One that is carried from wording to wording of a file stays one. A new one reads as the shared
    one does with what was put right in it since, and is private where that is. Returns how many
    corrections were made; what cannot be read is left as it is.
    """
    mended = [(each, each.correction) for each in decisions.all() if each.correction]
    counts = Counter(correction for _, correction in mended)
    theirs = {*documents.corrections()}
    common = [
        (each, correction)
        for each, correction in mended
        if counts[correction] > 1 or correction not in theirs
    ]
    private = (
        {document.id for document in documents.everything() if document.private}
        if common
        else set()
    )
    own: dict[tuple[DocumentId, DocumentId, str], DocumentId | None] = {}
    taken: set[DocumentId] = set()
    made = 0
    # what is open keeps what is open
    for each, shared in sorted(common, key=lambda known: known[0].document in private):
        with suppress(NotFoundError):  # an original that is not on the disk
            corrected = documents.get(each.document)
            key = (shared, corrected.superseded_by or corrected.id, each.quote)
            if key not in own and shared in theirs and shared not in taken:
                own[key] = shared
                taken.add(shared)
            elif key not in own:
                with files.locked():
                    words = _reads_now(files, documents, decisions, shared)
                    decision = _put_own(
                        decisions, arrive, each, words, corrected, private=shared in private
                    )
                own[key] = decision.correction
                made += 1
            elif own[key] != shared:
                verdict = Verdict.FORGET if own[key] is None else Verdict.MEND
                decisions.put(replace(each, verdict=verdict, correction=own[key]))
    return made


def _put_own(
    decisions: Decisions,
    arrive: Arrive,
    decision: Decision,
    words: str,
    corrected: Document,
    *,
    private: bool,
) -> Decision:
    if not words:  # all of it was struck since
        return decisions.put(replace(decision, verdict=Verdict.FORGET, correction=None))[0]
    new = new_correction(words, decision.at, corrected)
    return decisions.put(decision, arrive(replace(new, private=new.private or private)))[0]


def _reads_now(
    files: Files,
    documents: Documents,
    decisions: Decisions,
    correction: DocumentId,
    known: dict[DocumentId, str] | None = None,
    times: int = 0,
) -> str:
    """Return the words of a correction with what was put right in it since; in a circle, and put
    right too often, as they stand.
    """
    known = {} if known is None else known
    if correction not in known:
        known[correction] = words = files.original(documents.get(correction).sha256).decode(
            "utf-8", "replace"
        )
        for decision in (
            decisions.about([correction]).get(correction, []) if times < MOST_AGAIN else ()
        ):
            if decision.strikes:
                words = words.replace(
                    decision.quote,
                    (
                        _reads_now(
                            files, documents, decisions, decision.correction, known, times + 1
                        )
                        if decision.correction
                        else ""
                    ),
                )
        known[correction] = " ".join(words.split())
    return known[correction]
