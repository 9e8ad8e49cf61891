"""Conversations as JSON: lines of ``{"id", "text", "speaker", "timestamp", "session"}``, one turn
each, and what ChatGPT exports.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from lpm_kernel.backends.parse.canvas import Canvas
from lpm_kernel.backends.parse.decode import decode
from lpm_kernel.backends.parse.moments import iso, posix
from lpm_kernel.backends.parse.tables import left_out, of_json, read_json_lines, whole_number
from lpm_kernel.domain.library.documents import ParsedText
from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError

TURN = frozenset({"id", "text", "speaker", "timestamp", "session"})
TOO_DEEP = ("its JSON is nested too deeply.", "Save what matters in it as plain text and add that.")
SPEAKERS = frozenset({"user", "assistant"})
"""Whose turns of a ChatGPT conversation are kept: instructions and tools are nobody's words."""


def read_transcript(name: str, data: bytes) -> ParsedText:
    """Read turns; a line that is no turn is named and left out. What is no conversation is read as
    a table.
    """
    text = decode(name, data)
    if (whole := _whole(text)) is not None:
        return _read_whole(name, whole)
    lines = text.split("\n")
    turns = {
        number: turn
        for number, line in enumerate(lines, start=1)
        if line.strip() and (turn := _turn(line))
    }
    if not turns or not any(
        turn.get("speaker") or turn.get("session") or turn.keys() <= TURN for turn in turns.values()
    ):
        return read_json_lines(name, text)
    canvas = Canvas()
    for turn in turns.values():
        canvas.turn(
            session=_word(turn.get("session")) or "1",
            speaker=_word(turn.get("speaker")),
            text=str(turn["text"]),
            said_at=iso(turn.get("timestamp")),
            identifier=_word(turn.get("id")),
        )
    bad = [
        number for number, line in enumerate(lines, start=1) if line.strip() and number not in turns
    ]
    first = next(iter(turns.values()))
    return canvas.parsed(created_at=iso(first.get("timestamp")), remarks=left_out(bad, "no turns"))


def read_json_file(name: str, data: bytes) -> ParsedText:
    """Read a JSON file: a ChatGPT export as conversations, lines as lines, anything else as a
    table.
    """
    text = decode(name, data)
    try:
        value = json.loads(text, parse_int=whole_number)
    except RecursionError as error:
        raise UnreadableDocumentError(name, *TOO_DEEP) from error
    except ValueError as error:
        if (
            sum(
                1
                for line in text.split("\n", 4)[:4]
                if line.lstrip().startswith("{") and line.rstrip().endswith("}")
            )
            > 1
        ):
            return read_transcript(name, data)
        raise UnreadableDocumentError(
            name, "it is not whole JSON.", "Export it again, or save it as plain text and add that."
        ) from error
    return _read_whole(name, value)


def _whole(text: str) -> object:
    """Return what the text holds if all of it is one JSON value with something in it, else
    ``None``.
    """
    try:
        value: object = json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError):
        return None
    return None if isinstance(value, dict) and _is_turn(value) else value


def _read_whole(name: str, value: object) -> ParsedText:
    conversations = (
        [each for each in value if isinstance(each, dict) and isinstance(each.get("mapping"), dict)]
        if isinstance(value, list)
        else []
    )
    if isinstance(value, dict) and isinstance(value.get("mapping"), dict):
        conversations = [value]
    try:
        return _chatgpt(name, conversations) if conversations else of_json(name, value)
    except RecursionError as error:
        raise UnreadableDocumentError(name, *TOO_DEEP) from error


def _chatgpt(name: str, conversations: list[dict[str, object]]) -> ParsedText:
    canvas = Canvas()
    created_at = None
    seen: dict[str, int] = {}
    for conversation in conversations:
        title = _word(conversation.get("title")) or "Untitled"
        seen[title] = seen.get(title, 0) + 1
        session = title if seen[title] == 1 else f"{title} ({seen[title]})"
        begun = posix(conversation.get("create_time"))
        created_at = min((moment for moment in (created_at, begun) if moment), default=None)
        for message in _branch(conversation):
            author = message.get("author")
            role = author.get("role") if isinstance(author, dict) else None
            if role in SPEAKERS and not _hidden(message):
                canvas.turn(
                    session,
                    str(role),
                    _words(message.get("content")),
                    posix(message.get("create_time")) or begun,
                    _word(message.get("id")),
                )
    if not len(canvas):
        raise EmptyDocumentError(name)
    return canvas.parsed(created_at=created_at)


def _branch(conversation: Mapping[str, object]) -> list[dict[str, object]]:
    """Return the messages of the branch that is shown, first to last: an edited question leaves its
    older branch behind.
    """
    mapping = conversation["mapping"]
    nodes = (
        {key: node for key, node in mapping.items() if isinstance(node, dict)}
        if isinstance(mapping, dict)
        else {}
    )
    at = conversation.get("current_node")
    if at not in nodes:
        at = _last(nodes)
    branch: list[dict[str, object]] = []
    seen: set[object] = set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        message = nodes[at].get("message")
        if isinstance(message, dict):
            branch.append(message)
        at = nodes[at].get("parent")
    return branch[::-1]


def _last(nodes: Mapping[str, dict[str, object]]) -> object:
    """Follow the newest child from the root to the end."""
    at: object = next((key for key, node in nodes.items() if node.get("parent") not in nodes), None)
    seen: set[object] = set()
    while isinstance(at, str) and at not in seen:
        seen.add(at)
        children = nodes[at].get("children")
        following = (
            [child for child in children if isinstance(child, str) and child in nodes]
            if isinstance(children, list)
            else []
        )
        if not following:
            break
        at = following[-1]
    return at


def _hidden(message: Mapping[str, object]) -> bool:
    metadata = message.get("metadata")
    return (
        isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True
    )


def _words(content: object) -> str:
    if not isinstance(content, dict) or content.get("content_type") not in {
        "text",
        "multimodal_text",
    }:
        return ""
    parts = content.get("parts")
    return (
        "\n".join(part for part in parts if isinstance(part, str))
        if isinstance(parts, list)
        else ""
    )


def _turn(line: str) -> dict[str, object] | None:
    try:
        turn = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return turn if isinstance(turn, dict) and _is_turn(turn) else None


def _is_turn(value: Mapping[str, object]) -> bool:
    text = value.get("text")
    return isinstance(text, str) and bool(text.strip())


def _word(value: object) -> str | None:
    """Return a name or an id on one line, or nothing."""
    text = (
        " ".join(str(value).encode("utf-8", "ignore").decode().split())
        if isinstance(value, str | int) and not isinstance(value, bool)
        else ""
    )
    return text or None
