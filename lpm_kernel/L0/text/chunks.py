"""Cutting canonical text into chunks that are small enough to be cited whole.

A turn of a transcript, a row of a table and a statement under ``## Retain`` are one chunk. Other
text is cut at paragraphs, then at sentences; short paragraphs of one section are joined, and so are
the short turns that a person told in one thread: one seldom says alone what it is about. Chunks are
stretches of the text itself, in order and without overlap: what lies between two is white space
alone, or lines in which the node repeated what stands elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime

from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import Chunk, ParsedText, Segment, chunk_id
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.domain.memory.retain import parse

AIM = 280
"""Characters up to which short paragraphs are joined."""
LIMIT = 450
"""Characters above which a paragraph is cut at sentences."""
SECTION = 40
"""Chunks of a long text that count as one session: what lies further apart says little about each
other.
"""

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\n(?=#{1,6} )")
_SENTENCE_END = re.compile(
    r"(?<!\bMr\.)(?<!\bDr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<=[.!?…])[\"'”’)\]]*(?=\s)"
    r"|[。！？]+[」』）]*|\n"
)
"""Where a long paragraph may be cut; a passage once cut stays so, so that this is never changed
for finer ends of sentences (those are in `sentences.py`).
"""
_ONLY_HEADINGS = re.compile(r"(?:[ \t]*(?:#{1,6} [^\n]*)?(?:\n|\Z))*")
_HEADING = re.compile(r"\s*#{1,6} ")

Span = tuple[int, int]


def chunks(
    document: DocumentId, version: str, parsed: ParsedText, said_at: datetime | None
) -> list[Chunk]:
    """Cut a document's canonical text. ``said_at`` is the date of the whole, for parts without one
    of their own.
    """
    made: list[Chunk] = []
    repeated = {(own_line.start, own_line.end) for own_line in own_lines(parsed.text)}
    retained = {
        each.about: each
        for each in parse(parsed.text).statements
        if not any(start <= each.start < end for start, end in repeated)
    }
    for segment in _segments(document, parsed):
        for start, end in _around(parsed.text, segment, sorted({*retained, *repeated})):
            if (start, end) in repeated:
                continue
            said = retained.get((start, end))
            made.append(
                Chunk(
                    id=chunk_id(document, version, start, end),
                    document=document,
                    text_version=version,
                    start=start,
                    end=end,
                    text=parsed.text[start:end],
                    # A statement stands for itself: what is said of somebody else on the next line
                    # says nothing about it.
                    session=(
                        f"statement-{start}"
                        if said
                        else segment.session or f"part-{len(made) // SECTION + 1}"
                    ),
                    speaker=segment.speaker,
                    said_at=segment.said_at or said_at,
                    turn=segment.turn,
                    page=segment.page,
                    anchor=segment.anchor_at(parsed.text, start),
                    kind=said.statement.kind if said else None,
                    about=said.statement.entities if said else (),
                    confidence=said.statement.confidence if said else None,
                )
            )
    return made


def _segments(document: DocumentId, parsed: ParsedText) -> Iterable[Segment]:
    segments = parsed.segments or (Segment(0, len(parsed.text)),)
    return _joined(segments) if is_thread(document) else segments


def _joined(turns: Sequence[Segment]) -> Iterator[Segment]:
    """Join neighbouring turns of one speaker and day until :data:`LIMIT`, as sentences of a
    paragraph.
    """
    held: Segment | None = None
    for turn in turns:
        if held is None:
            held = turn
        elif (
            held.whole
            and turn.whole
            and (turn.session, turn.speaker) == (held.session, held.speaker)
            and _day(turn) == _day(held)
            and turn.end - held.start <= LIMIT
        ):
            held = replace(held, end=turn.end)
        else:
            yield held
            held = turn
    if held is not None:
        yield held


def _day(turn: Segment) -> date | None:
    """Return the day on which something was said, where the person is: “today” is another one after
    midnight.
    """
    return turn.said_at and turn.said_at.astimezone().date()


def _around(text: str, segment: Segment, apart: list[Span]) -> Iterator[Span]:
    """Cut a segment at what stands apart in it, each a chunk of its own; what stands whole is left
    whole.
    """
    at = segment.start
    for start, end in apart if not segment.whole else ():
        if at <= start and end <= segment.end:
            before = text.rfind("\n", at, start) + 1 or at
            if not _ONLY_HEADINGS.fullmatch(text, at, before):
                yield from _spans(text, replace(segment, start=at, end=before))
            yield start, end
            at = text.find("\n", end, segment.end)
            at = segment.end if at < 0 else at
    if at == segment.start or not _ONLY_HEADINGS.fullmatch(text, at, segment.end):
        yield from _spans(text, replace(segment, start=at))


def _spans(text: str, segment: Segment) -> Iterator[Span]:
    """Join neighbouring pieces until :data:`AIM`; a heading opens a chunk and stays with what
    follows it.
    """
    if segment.whole:
        yield from _trimmed(text, segment.start, segment.end)
        return
    held: Span | None = None
    for start, end in _pieces(text, segment.start, segment.end):
        if held is not None:
            together = end - held[0]
            if (
                _HEADING.match(text, start)
                or together > LIMIT
                or (together > AIM and not _is_heading(text, *held))
            ):
                yield held
                held = None
        held = (start if held is None else held[0], end)
    if held is not None:
        yield held


def _is_heading(text: str, start: int, end: int) -> bool:
    return _HEADING.match(text, start) is not None and "\n" not in text[start:end]


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """Paragraphs; one over the limit as runs of sentences; a sentence over the limit cut by
    force.
    """
    for left, right in _split(text, start, end, _PARAGRAPH_END):
        if right - left <= LIMIT:
            yield left, right
            continue
        run: Span | None = None
        for sentence in _split(text, left, right, _SENTENCE_END):
            for first, last in _forced(text, *sentence):
                if run is not None and last - run[0] > LIMIT:
                    yield run
                    run = None
                run = (first if run is None else run[0], last)
        if run is not None:
            yield run


def _forced(text: str, start: int, end: int) -> Iterator[Span]:
    while end - start > LIMIT:
        space = text.rfind(" ", start + LIMIT // 2, start + LIMIT)
        cut = space if space > 0 else start + LIMIT
        yield from _trimmed(text, start, cut)
        start = cut
    yield from _trimmed(text, start, end)


def _split(text: str, start: int, end: int, at: re.Pattern[str]) -> Iterator[Span]:
    """Cut where the pattern ends."""
    left = start
    for match in at.finditer(text, start, end):
        yield from _trimmed(text, left, match.end())
        left = match.end()
    yield from _trimmed(text, left, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    if piece.strip():
        yield start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
