"""Plain text, which may be a chat log, and Markdown. Front matter may give title, date, tags and
whether it is private.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time

import yaml

from lpm_kernel.backends.parse.chats import read_chat
from lpm_kernel.backends.parse.decode import decode
from lpm_kernel.domain.library.documents import ParsedText, Segment

MOST_TITLE, MOST_TAG, MOST_TAGS = 300, 60, 50
MOST_FRONT_MATTER = 10_000
"""Characters; more than this between two ``---`` lines is text, not front matter."""
_FRONT = re.compile(
    r"\A\n*(?:---|\+\+\+)[ \t]*\n(.*?)\n(?:---|\.\.\.|\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL
)
_LINE = re.compile(r"^[ \t]*(private|tags?)[ \t]*[:=：](.*)$", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*+-[ \t](.*)$")
_YES = frozenset({"true", "yes", "on", "1", "y", "はい", "是"})
_TITLE = re.compile(r"^# (.*)$", re.MULTILINE)


def read_text(name: str, data: bytes) -> ParsedText:
    """Read plain text: the turns of a chat log, or one segment from end to end."""
    text = decode(name, data)
    return read_chat(text) or ParsedText(text, (Segment(0, len(text)),))


def read_markdown(name: str, data: bytes) -> ParsedText:
    """Read Markdown. The text stays as it is, so that line numbers are those of the file; front
    matter is not indexed.
    """
    text = decode(name, data)
    front = _FRONT.match(text)
    known = _mapping(front[1]) if front and len(front[1]) <= MOST_FRONT_MATTER else {}
    body = front.end() if front and known else 0
    if front and not known:
        known = _sealing_lines(front[1])
    heading = _TITLE.search(text, body)
    title = _scalar(known.get("title")) or (
        heading[1].strip().rstrip("#").strip()
        if heading and heading.start() - body < MOST_FRONT_MATTER
        else ""
    )
    tags = known.get("tags") or known.get("tag")
    named = tags if isinstance(tags, list) else re.split(r"[\s,、，]+", _scalar(tags))
    return ParsedText(
        text,
        (Segment(body, len(text)),),
        title=title[:MOST_TITLE] or None,
        created_at=_moment(known.get("date") or known.get("created") or known.get("created_at")),
        tags=tuple(tag for each in named if (tag := _scalar(each)[:MOST_TAG]))[:MOST_TAGS],
        private=str(known.get("private")).strip().lower() in _YES,
    )


def _sealing_lines(front: str) -> dict[str, object]:
    """Return what seals out of front matter that is none as YAML has it, since a colon in a title
    shall not open a note.
    """
    private, tags, listing = "", [], False
    for line in front.splitlines():
        if said := _LINE.match(line):
            listing = said[1].lower() != "private"
            if listing:
                tags += re.split(r"[\s,、，\[\]\"']+", said[2])
            else:
                private = said[2].partition(" #")[0].strip(" \t\"'")
        elif listing and (item := _ITEM.match(line)):
            tags.append(item[1].strip(" \t\"'"))
        else:
            listing = False
    return {"private": private, "tags": tags}


def _scalar(value: object) -> str:
    return str(value) if isinstance(value, str | int | float | date) else ""


def _mapping(front: str) -> dict[str, object]:
    try:
        if any(
            isinstance(event, yaml.AliasEvent)
            for event in yaml.parse(front, Loader=yaml.SafeLoader)
        ):
            return {}  # a few aliases of aliases unfold to gigabytes, and no note needs one
        known = yaml.safe_load(front)
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date such as 2025-13-40
        return {}
    return (
        {str(key).lower(): value for key, value in known.items()} if isinstance(known, dict) else {}
    )


def _moment(value: object) -> datetime | None:
    try:
        if isinstance(value, datetime):
            return value.astimezone()
        if isinstance(value, date):
            return datetime.combine(value, time(12)).astimezone()
        return datetime.fromisoformat(str(value)).astimezone() if value else None
    except (ValueError, OverflowError):  # no date, or one outside the calendar
        return None
