"""How entries of a table travel between its host and a member: which go into a message, and what is
taken of those that came.

protocol/spec/discussion.md has the messages. Who takes them checks every entry as it would check a
record from its opening on; a message of which one entry is refused changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from protocol import limits
from protocol.discussion import Entry, Step, Words
from protocol.identity import Did
from protocol.ledger import Said, verify
from protocol.refusals import Code, Refusal
from protocol.shape import write_json
from protocol.tables import Table


def hand(said: Iterable[Said]) -> list[dict[str, str | None]]:
    """Write entries down for a message: the first of these, as many as one holds."""
    handed: list[dict[str, str | None]] = []
    size = 0
    for entry, words in said:
        item = {"entry": entry.text, "words": None if words is None else words.json}
        size += len(write_json(item))
        if handed and (size > limits.HANDED_BYTES or len(handed) >= limits.HANDED):
            break
        handed.append(item)
    return handed


def read(handed: Sequence[Mapping[str, Any]]) -> list[Said]:
    """Read entries of a message, in the order of their numbers. Refuses as :class:`Entry` and
    :class:`Words` do.
    """
    said = [
        (Entry.read(each["entry"]), None if each["words"] is None else Words.read(each["words"]))
        for each in handed
    ]
    return sorted(said, key=lambda each: each[0].n)


def take(name: tuple[str, Did], known: Sequence[Said], came: Sequence[Said], now: int) -> Table:
    """Add what came to a record that is known, and give the table. ``name`` is the table's id and
    its host, ``now`` in seconds. What is there already is taken once, and what does not follow on
    yet is left out: it is sent again.

    Refuses as :class:`Table` does, ``wrong_audience`` for entries of another table,
    ``from_future``, ``sender_mismatch`` for an opening by somebody else, ``malformed`` without an
    opening.
    """
    identifier, host = name
    table = verify(known) if known else None
    for entry, words in came:
        if entry.table != identifier:
            raise Refusal(Code.WRONG_AUDIENCE, "entry.table")
        if entry.ts > now + limits.SKEW:
            raise Refusal(Code.FROM_FUTURE, "entry.ts")
        if table is None and entry.step is Step.OPENING:
            if entry.iss != host:
                raise Refusal(Code.SENDER_MISMATCH, "entry.iss")
            table = Table.open(entry, words, now)
        elif table is not None and entry.n <= len(table.entries):
            table.take(entry, words)
    if table is None:
        raise Refusal(Code.MALFORMED, "entries")
    return table


def check_end(table: Table, reader: Did, dropped: Collection[int] = ()) -> None:
    """Refuse ``malformed`` where a table is closed and words of others are kept from its reader. It
    may lack its own, those that it is about to strike (``dropped``), and what quotes either.
    """
    missing = [table.entries[number] for number in table.withheld]
    erased = {*dropped, *(each.n for each in missing if each.iss == reader)}
    if table.closed is not None and not all(each.shows(erased) for each in missing):
        raise Refusal(Code.MALFORMED, "words")
