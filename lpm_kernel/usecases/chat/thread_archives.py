"""Threads of which only the summary is left, as an archive has them: those of other chats are
divided again from the words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from lpm_kernel.domain.chat.conversations import PartKind
from lpm_kernel.domain.chat.threads import SentenceKind, Thread, ThreadEnd, ThreadSentence
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId, is_thread

LONGEST_ID: Final = 80
MOST_NUMBER: Final = 10_000_000


def to_archive(thread: Thread) -> dict[str, Any]:
    """Write a thread as a JSON object."""
    times = {name: getattr(thread, name).isoformat() for name in ("started_at", "ended_at")}
    return asdict(thread) | times


def from_archive(
    row: Mapping[str, Any],
    conversation: ConversationId,
    as_moment: Callable[[object], datetime],
    quotes: Callable[[str], bool],
    erased: Collection[str],
) -> Thread:
    """Read one, without the sentences that ``quotes`` finds in what was erased here, or that rest
    on that. Raises ``KeyError``, ``ValueError`` and ``TypeError``.
    """
    sentences = [_sentence(each) for each in row["summary"]]
    identifier = _short(row["id"])
    if not is_thread(identifier):
        raise ValueError(identifier)
    return Thread(
        id=DocumentId(identifier),
        conversation=conversation,
        first=TurnId(_short(row["first"])),
        last=TurnId(_short(row["last"])),
        number=_number(row["number"]),
        last_number=_number(row["last_number"]),
        started_at=as_moment(row["started_at"]),
        ended_at=as_moment(row["ended_at"]),
        reason=ThreadEnd(row["reason"]),
        keywords=tuple(word for each in row["keywords"] if not quotes(word := str(each))),
        spoken={_short(name): _number(count) for name, count in row["spoken"].items()},
        told=row["told"] is True,
        summary=tuple(
            each for each in sentences if not (quotes(each.text) or set(each.documents) & {*erased})
        ),
        reduced=True,
    )


def _sentence(row: Mapping[str, Any]) -> ThreadSentence:
    return ThreadSentence(
        TurnId(_short(row["turn"])),
        _number(row["number"]),
        SentenceKind(row["kind"]),
        str(row["text"]),
        _short(row["speaker"]),
        None if row["part"] is None else PartKind(row["part"]),
        tuple(DocumentId(_short(each)) for each in row["documents"]),
    )


def _short(value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_ID:
        raise ValueError(value)
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= MOST_NUMBER:
        raise ValueError(value)
    return value
