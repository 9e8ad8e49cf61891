"""Bringing the tables that were found to the computation, and its rows to their places in the
documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import (
    Anchor,
    AnchorKind,
    Document,
    ParsedText,
    Segment,
    chunk_id,
    text_hash,
)
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.stores import Decisions, Documents, Files
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.reader import TableAnswer
from lpm_kernel.L1.answering.table_qa import compute, wanted
from lpm_kernel.L1.answering.tables import Table, rows_of

TABLES = 3
"""Tables among what was found that are looked at."""
LARGEST = 5_000_000
"""Characters of a table that is computed with."""


def told(
    question: Question,
    found: Recollection,
    documents: Documents,
    decisions: Decisions,
    files: Files,
    now: datetime,
) -> TableAnswer | None:
    """Compute what a question asks for in the tables that were found. A row of which anything is
    forgotten does not count; a table with a mended row is left to quotation.
    """
    if wanted(question) is None:
        return None
    known = _tables_in(found, documents, files)
    struck = decisions.about([document.id for document, _ in known])
    tables = [
        _as_decided(
            document,
            parsed,
            [decision for decision in struck.get(document.id, ()) if decision.strikes],
        )
        for document, parsed in known
    ]
    made = compute(question, now, tables)
    if made is None:
        return None
    document, parsed = known[made.table]
    version = document.text_version or ""
    return TableAnswer(
        made.sentence,
        tuple(
            Citation(
                n,
                chunk_id(document.id, version, row.start, row.end),
                document.id,
                version,
                row.start,
                row.end,
                text_hash(parsed.text[row.start : row.end]),
            )
            for n, row in enumerate(made.rows, start=1)
        ),
        whole=True,
    )


def _tables_in(
    found: Recollection, documents: Documents, files: Files
) -> list[tuple[Document, ParsedText]]:
    """Read the tables of which rows were found, the first few."""
    known: list[tuple[Document, ParsedText]] = []
    for identifier in dict.fromkeys(
        item.chunk.document for item in found.items if _is_row(item.chunk.anchor)
    ):
        if len(known) < TABLES and (table := _table(documents, files, identifier)) is not None:
            known.append(table)
    return known


def _is_row(anchor: Anchor | None) -> bool:
    return anchor is not None and anchor.kind is AnchorKind.ROW


def _as_decided(document: Document, parsed: ParsedText, against: Sequence[Decision]) -> Table:
    """Make the table without the rows that were decided against; without any where one was
    mended.
    """
    if any(decision.verdict is Verdict.MEND for decision in against):
        return Table(document.title, ())
    lines = (
        (parsed.text[segment.start : segment.end], segment)
        for segment in parsed.segments
        if _is_row(segment.anchor)
    )
    kept = (
        (text, segment.start, segment.end, segment.said_at)
        for text, segment in lines
        if not any(_struck(one, document, text, segment) for one in against)
    )
    return Table(document.title, rows_of(kept))


def _struck(decision: Decision, document: Document, text: str, row: Segment) -> bool:
    """Tell whether a decision touches a row: by its place in the text that was decided about, or by
    its words.
    """
    there = (
        decision.text_version == document.text_version
        and decision.start < row.end
        and row.start < decision.end
    )
    return there or decision.quote in text or text in decision.quote


def _table(
    documents: Documents, files: Files, identifier: DocumentId
) -> tuple[Document, ParsedText] | None:
    try:
        document = documents.get(identifier)
    except NotFoundError:
        return None
    parsed = files.text(document.sha256, document.text_version) if document.text_version else None
    return None if parsed is None or len(parsed.text) > LARGEST else (document, parsed)
