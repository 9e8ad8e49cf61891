"""What the person decided about a sentence of a document: it is right, it reads otherwise, it is
not to be used, or it is not worth keeping.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from lpm_kernel.domain.ids import DocumentId, FindingId
from lpm_kernel.domain.library.documents import Chunk

CORRECTION_NAME = "correction-"
"""How the file name of a correction begins."""
_CORRECTION_FILE = re.compile(rf"{CORRECTION_NAME}\d{{4}}-\d\d-\d\d\.md")


def is_correction(name: str) -> bool:
    """Tell by its file name whether a document was made as a correction: for what was written
    before that was kept with the document.

    >>> is_correction("correction-2026-03-14.md"), is_correction("correction-of-proofs.md")
    (True, False)
    """
    return _CORRECTION_FILE.fullmatch(name) is not None


class Verdict(StrEnum):
    """What was decided."""

    KEEP = "keep"
    MEND = "mend"
    """It reads otherwise: the correction is a document of its own, and outranks the sentence for
    ever.
    """
    FORGET = "forget"
    """No answer rests on it; the document keeps it."""
    DISMISS = "dismiss"
    """It is not worth keeping, and is not proposed again. Answers may rest on it as before."""


@dataclass(frozen=True)
class Decision:
    """About one sentence, known by its document and its wording, so that it holds when the text is
    read anew.
    """

    id: FindingId
    document: DocumentId
    quote: str = field(repr=False)
    text_version: str
    start: int
    end: int
    """Where it stood in that version of the text."""
    verdict: Verdict
    at: datetime
    correction: DocumentId | None = None

    @property
    def strikes(self) -> bool:
        """Whether the sentence is not used any more."""
        return self.verdict in (Verdict.MEND, Verdict.FORGET)


class Placed(Protocol):
    """Something that was said of a sentence, known by its wording and by where it stood."""

    @property
    def quote(self) -> str:
        """The words."""
        ...

    @property
    def text_version(self) -> str:
        """The version of the text in which they stood."""
        ...

    @property
    def start(self) -> int:
        """Where they stood."""
        ...

    @property
    def end(self) -> int:
        """Until where."""
        ...


def stretches(decision: Placed, chunk: Chunk) -> list[tuple[int, int]]:
    """Return where the decided sentence stands in a chunk: spans of its text, end exclusive.

    In the version of the text that was decided about it stands where it stood; in any other,
    wherever the same words stand.
    """
    found, at = [], chunk.text.find(decision.quote) if decision.quote else -1
    while at >= 0:
        found.append((at, at + len(decision.quote)))
        at = chunk.text.find(decision.quote, at + len(decision.quote))
    start, end = (
        max(decision.start, chunk.start) - chunk.start,
        min(decision.end, chunk.end) - chunk.start,
    )
    if chunk.text_version == decision.text_version and start < end and (start, end) not in found:
        found.append((start, end))
    return sorted(found)


def whole_in(
    decision: Placed, chunks: Sequence[Chunk], every: Callable[[], Iterable[Chunk]]
) -> bool:
    """Tell whether the decided words stand in these chunks as a whole: in one of them, or in
    several that are all among them.

    ``every`` gives all chunks of the document; it is asked where some hold a part of the words
    only.
    """
    there = [chunk for chunk in chunks if stretches(decision, chunk)]
    if not there or any(decision.quote in chunk.text for chunk in there):
        return bool(there)
    mine = {chunk.id for chunk in there}
    return all(
        chunk.id in mine
        for chunk in every()
        if decision.quote not in chunk.text and stretches(decision, chunk)
    )


@dataclass(frozen=True)
class JudgedSentence:
    """A sentence that may have been decided about."""

    text: str = field(repr=False)
    text_version: str | None
    start: int
    end: int


def concerns(decision: Placed, said: JudgedSentence) -> bool:
    """Tell whether a decision about words of a document is about this sentence of it: by place in
    the text that was decided about, by wording in any.

    A part of the decided words, and a sentence that holds them, are meant too.
    """
    if (
        decision.text_version == said.text_version
        and decision.start < said.end
        and said.start < decision.end
    ):
        return True
    text, quote = " ".join(said.text.split()), " ".join(decision.quote.split())
    return bool(quote) and (text in quote or quote in text)


def settles(decision: Placed, said: JudgedSentence) -> bool:
    """Tell whether a decision about words of a document leaves nothing to decide about this
    sentence of it: by place in the text that was decided about, by wording in any other.

    The same words are decided about once, wherever they stand; a part of them that stands elsewhere
    in the same text is another sentence.
    """
    text, quote = " ".join(said.text.split()), " ".join(decision.quote.split())
    if decision.text_version != said.text_version:
        return bool(quote) and (text in quote or quote in text)
    return text == quote or (decision.start < said.end and said.start < decision.end)
