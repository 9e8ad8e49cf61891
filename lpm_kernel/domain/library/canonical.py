"""How a canonical text is written down: its text as it is, and beside it what is known of its
parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lpm_kernel.domain.library.documents import Anchor, ParsedText, Segment


def details_of(parsed: ParsedText) -> dict[str, Any]:
    """Return all but the text, ready for JSON. What is at its default is left out of a segment, so
    that a long table stays small.
    """
    return {
        "title": parsed.title,
        "created_at": parsed.created_at.isoformat() if parsed.created_at else None,
        "tags": list(parsed.tags),
        "private": parsed.private,
        "remarks": list(parsed.remarks),
        "kept_only": parsed.kept_only,
        "segments": [_row(segment) for segment in parsed.segments],
    }


def with_details(text: str, details: Mapping[str, Any]) -> ParsedText:
    """Put a text and its details together again."""
    return ParsedText(
        text=text,
        segments=tuple(_segment(row) for row in details["segments"]),
        title=details["title"],
        created_at=_moment(details["created_at"]),
        tags=tuple(details["tags"]),
        private=details["private"],
        remarks=tuple(details["remarks"]),
        kept_only=details.get("kept_only", False),
    )


def _row(segment: Segment) -> dict[str, Any]:
    row: dict[str, Any] = {"start": segment.start, "end": segment.end}
    row |= {
        name: value
        for name in ("page", "session", "speaker", "turn")
        if (value := getattr(segment, name)) is not None
    }
    if segment.said_at is not None:
        row["said_at"] = segment.said_at.isoformat()
    if segment.whole:
        row["whole"] = True
    if segment.anchor is not None:
        row["anchor"] = str(segment.anchor)
    return row


def _segment(row: Mapping[str, Any]) -> Segment:
    return Segment(
        start=row["start"],
        end=row["end"],
        page=row.get("page"),
        session=row.get("session"),
        speaker=row.get("speaker"),
        said_at=_moment(row.get("said_at")),
        turn=row.get("turn"),
        whole=row.get("whole", False),
        anchor=Anchor.read(row["anchor"]) if "anchor" in row else None,
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
