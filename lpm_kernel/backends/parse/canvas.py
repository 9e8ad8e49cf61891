"""What a parser writes on: paragraphs, rows, turns, each with its place, put together to one
canonical text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from lpm_kernel.domain.library.documents import Anchor, AnchorKind, ParsedText, Segment

LONGEST_WHOLE = 2000
"""Characters of a turn or a row that stay in one passage; a longer one is cut at its sentences."""
_SPACE = re.compile(r"[ \t\u00a0]+")
_BLANK = re.compile(r"\n\s*\n")


def plain(text: str) -> str:
    """Drop what no encoding can carry, and what would look like the end of a page."""
    return (
        text.encode("utf-8", "ignore")
        .decode()
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .replace("\f", "\n")
        .replace("\x00", "")
    )


def row_text(cells: Sequence[tuple[str, str]]) -> str:
    """Write a row so that it can be read alone: each value with its heading. A semicolon in a value
    becomes a comma.

    >>> row_text([("date", "2023-05-21"), ("km", "9.8"), ("note", "")])
    'date: 2023-05-21; km: 9.8'
    """
    return "; ".join(
        f"{heading}: {words}" if heading else words
        for heading, value in cells
        if (words := value.replace("; ", ", "))
    )


class Canvas:
    """Takes the parts of a document in order."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._segments: list[Segment] = []
        self._length = 0
        # where the run of paragraphs began, and the number of its first
        self._run: tuple[int, int] | None = None
        self._paragraphs = 0
        self._turns = 0
        self._session: str | None = None

    def line(self, text: str) -> None:
        """Write a line that helps the reader and is not to be found itself."""
        self._end_run()
        self._write(f"{plain(text)}\n")

    def paragraph(self, text: str) -> None:
        """Write a paragraph; an empty line follows it, and none stands in it."""
        text = _BLANK.sub("\n", plain(text)).strip()
        if not text:
            return
        self._paragraphs += 1
        if self._run is None:
            self._run = (self._length, self._paragraphs)
        self._write(f"{text}\n\n")

    def row(
        self, number: int, text: str, said_at: datetime | None = None, session: str | None = None
    ) -> None:
        """Write a row of a table on a line of its own."""
        self._end_run()
        text = " ".join(plain(text).split("\n")).strip()
        if text:
            self._part(text, Anchor(AnchorKind.ROW, number), said_at=said_at, session=session)

    def part(
        self,
        text: str,
        anchor: Anchor,
        *,
        session: str,
        speaker: str | None,
        said_at: datetime | None,
    ) -> None:
        """Write a stretch that is cut like any text."""
        self._end_run()
        text = plain(text).strip("\n")
        if not text.strip():
            return
        start = self._length
        self._write(f"{text}\n\n")
        self._segments.append(
            Segment(
                start,
                start + len(text),
                session=session,
                speaker=speaker,
                said_at=said_at,
                anchor=anchor,
            )
        )

    def turn(
        self,
        session: str,
        speaker: str | None,
        text: str,
        said_at: datetime | None,
        identifier: str | None = None,
    ) -> None:
        """Write a turn of a conversation behind the name of who said it; a new session gets a line
        with its name.
        """
        text = plain(text).strip()
        if not text:
            return
        self._turns += 1
        if session != self._session:
            self._session = session
            self._write(
                f"{'' if not self._pieces else chr(10)}—"
                f" {session}{f', {said_at:%Y-%m-%d %H:%M}' if said_at else ''} —\n"
            )
        if speaker:
            self._write(f"{speaker}: ")
        self._part(
            text,
            Anchor(AnchorKind.TURN, self._turns),
            said_at=said_at,
            session=session,
            speaker=speaker,
            turn=identifier,
        )

    def gap(self) -> None:
        """Leave a line empty."""
        self._end_run()
        if self._pieces:
            self._write("\n")

    def __len__(self) -> int:
        return len(self._segments) + (self._run is not None)

    def parsed(
        self,
        *,
        title: str | None = None,
        created_at: datetime | None = None,
        remarks: Sequence[str] = (),
        kept_only: bool = False,
        private: bool = False,
    ) -> ParsedText:
        """Put everything together."""
        self._end_run()
        return ParsedText(
            "".join(self._pieces),
            tuple(self._segments),
            title=" ".join(plain(title).split()) or None if title else None,
            created_at=created_at,
            remarks=tuple(remarks),
            kept_only=kept_only,
            private=private,
        )

    def _part(
        self,
        text: str,
        anchor: Anchor,
        *,
        said_at: datetime | None,
        session: str | None,
        speaker: str | None = None,
        turn: str | None = None,
    ) -> None:
        start = self._length
        self._write(f"{text}\n")
        end = start + len(text)
        self._segments.append(
            Segment(
                start,
                end,
                session=session,
                speaker=speaker,
                said_at=said_at,
                turn=turn,
                whole=len(text) <= LONGEST_WHOLE,
                anchor=anchor,
            )
        )

    def _end_run(self) -> None:
        if self._run is not None:
            start, number = self._run
            self._segments.append(
                Segment(start, self._length - 2, anchor=Anchor(AnchorKind.PARAGRAPH, number))
            )
            self._run = None

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def one_line(text: str) -> str:
    """Return a text without line breaks and double spaces."""
    return " ".join(_SPACE.sub(" ", plain(text)).split())


def headed(headings: Sequence[str], cells: Sequence[str]) -> list[tuple[str, str]]:
    """Pair cells with their headings; a cell beyond the last heading is named by its column."""
    return [
        (headings[at] if at < len(headings) else f"column {at + 1}", one_line(cell))
        for at, cell in enumerate(cells)
    ]


def distinct(headings: Sequence[str]) -> list[str]:
    """Give each column a heading of its own.

    >>> distinct(["km", "", "km"])
    ['km', 'column 2', 'km 2']
    """
    seen: dict[str, int] = {}
    named = []
    for at, heading in enumerate(headings, start=1):
        name = one_line(heading) or f"column {at}"
        seen[name] = seen.get(name, 0) + 1
        named.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return named
