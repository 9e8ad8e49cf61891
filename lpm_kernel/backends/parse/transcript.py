"""A transcript as JSON lines: ``{"id", "text", "speaker", "timestamp", "session"}``, one turn a line, one turn a chunk."""

from __future__ import annotations

import json
from datetime import datetime

from lpm_kernel.backends.parse.decode import decode
from lpm_kernel.domain.documents import ParsedText, Segment
from lpm_kernel.errors import UnreadableDocumentError

MOST_NAMED = 5
"""Bad lines that are named one by one."""


def read_transcript(name: str, data: bytes) -> ParsedText:
    """Read turns; a line that is no turn is named and left out. Raises when no line is one."""
    pieces: list[str] = []
    segments: list[Segment] = []
    bad: list[int] = []
    length, session = 0, ""
    for number, line in enumerate(decode(name, data).split("\n"), start=1):
        if not line.strip():
            continue
        turn = _turn(line)
        if turn is None:
            bad.append(number)
            continue
        this = str(turn.get("session") or "1")
        moment = _moment(turn.get("timestamp"))
        if this != session:
            head = f"{'' if not pieces else chr(10)}— {this}{f', {moment:%Y-%m-%d %H:%M}' if moment else ''} —\n"
            pieces.append(head)
            length += len(head)
            session = this
        speaker = str(turn["speaker"]).strip() if turn.get("speaker") else None
        lead = f"{speaker}: " if speaker else ""
        text = str(turn["text"]).strip().replace("\r\n", "\n").replace("\f", "\n")
        start = length + len(lead)
        pieces.append(f"{lead}{text}\n")
        length = start + len(text) + 1
        segments.append(
            Segment(start, start + len(text), session=this, speaker=speaker, said_at=moment, turn=str(turn["id"]) if turn.get("id") else None, whole=True)
        )
    if not segments:
        raise UnreadableDocumentError(
            name,
            "none of its lines is a turn of a conversation.",
            'Each line has to be a JSON object with at least "text"; "speaker", "timestamp", "session" and "id" help.',
        )
    return ParsedText("".join(pieces), tuple(segments), created_at=segments[0].said_at, remarks=_remarks(bad))


def _turn(line: str) -> dict[str, object] | None:
    try:
        turn = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(turn, dict) or not isinstance(turn.get("text"), str) or not turn["text"].strip():
        return None
    return {key: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for key, value in turn.items()}


def _moment(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(value).astimezone() if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def _remarks(bad: list[int]) -> tuple[str, ...]:
    if not bad:
        return ()
    named = ", ".join(str(number) for number in bad[:MOST_NAMED]) + (" …" if len(bad) > MOST_NAMED else "")
    return (f"Left out {len(bad)} lines that are no turns (line {named}).",)
