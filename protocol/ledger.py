"""The record of a table as it is checked from its opening on, and as it comes in over the wire.

What comes twice is taken once, and what comes too early waits. Whatever the order was, the table is
the same; protocol/spec/discussion.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from protocol import limits
from protocol.discussion import Entry, Step, Words
from protocol.identity import Did
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.shape import misshapen
from protocol.tables import Table

Said = tuple[Entry, Words | None]
"""An entry, and its words where they are there: some have none, and some were erased."""


def verify(said: Iterable[Said], *, whole: bool = False) -> Table:
    """Check a record from its opening on, and give the table. ``whole``: all words are there but
    those that were struck, and it is closed; else it is ``malformed``.
    """
    entries = iter(said)
    first = next(entries, None)
    if first is None:
        misshapen("entry")
    table = Table.open(*first)
    for entry, words in entries:
        if not table.take(entry, words):
            raise Refusal(Code.REPLAY, "entry.n")
    if whole and (table.withheld or table.closed is None):
        misshapen("words" if table.withheld else "entry.step")
    return table


class Ledger:
    """Entries of one table as they come in: twice, out of order, the opening last. Whatever the
    order was, the table is the same.
    """

    def __init__(self, table: str, host: Did) -> None:
        """``host`` is who the table has to be opened by."""
        self._id, self._host = table, host
        self._table: Table | None = None
        self._ahead: dict[str, Said] = {}

    @property
    def table(self) -> Table:
        """Give the table; ``LocalProtocolError`` while its opening has not come."""
        if self._table is None:
            raise LocalProtocolError("This table has no opening yet.")
        return self._table

    @property
    def opened(self) -> bool:
        """Say whether the opening has come."""
        return self._table is not None

    def accept(self, entry: Entry, words: Words | None, now: int) -> list[Entry]:
        """Take one entry, and those that waited for it; give what was added. What comes too early
        waits.

        Refuses as :class:`Table` does, ``sender_mismatch`` for an opening by another, ``busy`` for
        too much that comes early.
        """
        if entry.table != self._id:
            raise Refusal(Code.WRONG_AUDIENCE, "entry.table")
        if entry.ts > now + limits.SKEW:
            raise Refusal(Code.FROM_FUTURE, "entry.ts")
        if self._table is None and entry.step is Step.OPENING:
            if entry.iss != self._host:
                raise Refusal(Code.SENDER_MISMATCH, "entry.iss")
            self._table = Table.open(entry, words, now)
            return [entry, *self._caught_up()]
        if self._table is None or entry.n > len(self._table.entries):
            self._wait(entry, words)
            return []
        return [entry, *self._caught_up()] if self._table.take(entry, words) else []

    def _wait(self, entry: Entry, words: Words | None) -> None:
        if entry.prev is None or entry.hash in self._ahead:
            return
        if len(self._ahead) >= limits.AHEAD:
            raise Refusal(Code.BUSY, "entry.n")
        self._ahead[entry.hash] = entry, words

    def _caught_up(self) -> list[Entry]:
        added: list[Entry] = []
        table = self.table
        while True:
            ready = [
                name for name, (each, _) in self._ahead.items() if each.n <= len(table.entries)
            ]
            if not ready:
                return added
            for name in ready:
                entry, words = self._ahead.pop(name)
                try:
                    added += [entry] if table.take(entry, words) else []
                except Refusal:  # it came early, and does not follow
                    continue
