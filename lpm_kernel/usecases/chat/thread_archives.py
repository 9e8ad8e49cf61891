"""Threads as an archive has them: how far they have moved, what the person said of that, and the
summary, which is all that is left of some.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Final

from lpm_kernel.domain.chat.conversations import Conversation, PartKind, Turn
from lpm_kernel.domain.chat.threads import (
    SentenceKind,
    Thread,
    ThreadEnd,
    ThreadSentence,
    Tier,
)
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId, is_thread
from lpm_kernel.usecases.chat.threads import as_told_in

LONGEST_ID: Final = 80
MOST_NUMBER: Final = 10_000_000
LAST_YEAR: Final = 9000
SALIENCE: Final = frozenset({"emotion", "novelty", "relation", "repetition", "total"})


def to_archive(thread: Thread) -> dict[str, Any]:
    """Write a thread as a JSON object."""
    row = asdict(thread)
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in row.items()
    }


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
    wanted = _choice(row.get("wanted"))
    moved_at = row.get("moved_at")
    return Thread(
        id=DocumentId(identifier),
        conversation=conversation,
        first=TurnId(_short(row["first"])),
        last=TurnId(_short(row["last"])),
        number=_number(row["number"]),
        last_number=_number(row["last_number"]),
        started_at=_near(as_moment(row["started_at"])),
        ended_at=_near(as_moment(row["ended_at"])),
        reason=ThreadEnd(row["reason"]),
        keywords=tuple(word for each in row["keywords"] if not quotes(word := str(each))),
        spoken={_short(name): _number(count) for name, count in row["spoken"].items()},
        told=row["told"] is True,
        summary=tuple(
            each for each in sentences if not (quotes(each.text) or set(each.documents) & {*erased})
        ),
        reduced=row.get("reduced") is not False,
        tier=Tier(row.get("tier", Tier.SESSION)),
        moved_at=None if moved_at is None else _near(as_moment(moved_at)),
        salience=_salience(row.get("salience")),
        consolidated=row.get("consolidated") is True if wanted is None else wanted,
        wanted=wanted,
    )


def placed(
    threads: Sequence[Thread],
    conversation: Conversation,
    turns: Sequence[Turn],
    gone: Collection[str],
) -> list[Thread]:
    """Return the threads of a chat that fit its ``turns`` as they are here, those that are not
    shown among them. From the first on that does not, none: the chat is divided again from there.
    ``gone`` are ids that were erased here.
    """
    numbers = {turn.id: turn.number for turn in turns}
    found = [thread for thread in threads if thread.reduced]
    covered = max((thread.last_number for thread in found), default=0)
    left = [turn for turn in turns if _has_words(turn) and turn.number > covered]
    whole = [thread for thread in threads if not thread.reduced]
    for thread in sorted(whole, key=lambda each: numbers.get(each.first, 0)):
        last = numbers.get(thread.last, 0)
        own = [turn for turn in left if turn.number <= last]
        # it begins with what comes next, or something between would be told nowhere
        if not own or own[0].id != thread.first:
            break
        named = as_told_in(thread, conversation, own, gone)
        found.append(replace(named, number=own[0].number, last_number=last))
        left = left[len(own) :]
    return found


def _has_words(turn: Turn) -> bool:
    return turn.shown and not turn.is_discarded


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


def _choice(value: object) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(value)


def _near(moment: datetime) -> datetime:
    """Return a moment from which one can count on."""
    if moment.year >= LAST_YEAR:
        raise ValueError(moment)
    return moment


def _salience(cell: object) -> dict[str, float] | None:
    """Read how salient something is: every part, 0..1."""
    if cell is None:
        return None
    if not isinstance(cell, dict) or set(cell) != SALIENCE:
        raise ValueError(cell)
    for value in cell.values():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise ValueError(value)
    return {name: float(value) for name, value in cell.items()}


def _number(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= MOST_NUMBER:
        raise ValueError(value)
    return value
