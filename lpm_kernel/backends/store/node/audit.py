"""The ``Audit`` port over SQL, and the file that notes the newest entry outside the database."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Row, insert, select

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.prepared import Prepared
from lpm_kernel.backends.store.sqlite import afterwards, make_lasting, reading, writing
from lpm_kernel.domain.home.audit import AuditEntry, AuditKind, Fact, Head, entry

logger = logging.getLogger(__name__)

_rows = tables.audit
_NEWEST = Prepared(select(_rows).order_by(_rows.c.number.desc()).limit(1))
_ADD = Prepared(insert(_rows))
MANY = 500
"""Entries that are read at once."""
NOTE_SECONDS = 1.0
"""How far behind the note may be of what happens many times a second."""


class AuditStore:
    """What happened to the home, entry by entry.

    ``note`` is a small file beside the database with the newest entry, sealed with ``key``: it
    shows that entries were taken off the end. Whoever can read the key can write a new note;
    against them only a copy elsewhere helps.
    """

    def __init__(self, engine: Engine, note: Path, key: bytes) -> None:
        self._engine, self._note, self._key = engine, note, key
        self._apart = False
        self._due = threading.Event()

    def append(self, at: datetime, kind: AuditKind, **facts: Fact) -> AuditEntry:
        """Record what happened."""
        with self.recording() as connection:
            return add(connection, at, kind, facts)

    @contextmanager
    def recording(self) -> Iterator[Connection]:
        """Open a transaction for something together with its entry; the newest entry is noted once
        it is committed.
        """
        with writing(self._engine) as connection:
            yield connection
        afterwards(self._engine, self._due.set if self._apart else self.note)

    @contextmanager
    def noting_apart(self, every: float = NOTE_SECONDS) -> Iterator[None]:
        """Until the block ends, let a thread of its own note the newest entry, once for all that
        came meanwhile: nobody waits for that file.

        What was not noted when the process was killed is noted at the beginning of the next block.
        """
        over = threading.Event()
        thread = threading.Thread(
            target=self._keep_noting, args=(over, every), name="audit", daemon=True
        )
        self._apart = True
        self._due.set()
        thread.start()
        try:
            yield
        finally:
            self._apart = False
            over.set()
            thread.join()

    def _keep_noting(self, over: threading.Event, every: float) -> None:
        last = False
        while not last:
            last = over.wait(every)
            if self._due.is_set():
                self._due.clear()
                try:
                    self.note()
                except Exception as error:  # noqa: BLE001  tried again; what happened stands in the database
                    self._due.set()
                    logger.warning(
                        "The newest audit entry could not be noted: %s", type(error).__name__
                    )

    def page(self, *, limit: int, before: int | None = None) -> tuple[list[AuditEntry], int | None]:
        """Return the newest first, and the number to go on from."""
        query = select(_rows).order_by(_rows.c.number.desc()).limit(limit + 1)
        if before is not None:
            query = query.where(_rows.c.number < before)
        with reading(self._engine) as connection:
            found = [_entry(row) for row in connection.execute(query)]
        return found[:limit], found[limit - 1].number if len(found) > limit else None

    def all(self) -> Iterator[AuditEntry]:
        """Yield every entry, oldest first."""
        last = -1
        while True:
            with reading(self._engine) as connection:
                found = [
                    _entry(row)
                    for row in connection.execute(
                        select(_rows)
                        .where(_rows.c.number > last)
                        .order_by(_rows.c.number)
                        .limit(MANY)
                    )
                ]
            if not found:
                return
            yield from found
            last = found[-1].number

    def newest(self) -> AuditEntry | None:
        """Return the last entry."""
        with reading(self._engine) as connection:
            return _newest(connection)

    def take_over(self, entries: list[AuditEntry]) -> None:
        """Write entries of the same chain that came after these: a home that was restored keeps
        what happened since.
        """
        with self.recording() as connection:
            last = _newest(connection)
            for audit_entry in entries:
                if audit_entry.number > (0 if last is None else last.number):
                    connection.execute(insert(_rows).values(**asdict(audit_entry)))

    def note(self) -> None:
        """Write the newest entry into the file beside the database. It may be behind after a crash,
        never ahead.
        """
        newest = self.newest()
        if newest is None:
            return
        make_lasting(self._engine, others=True)
        body = {"number": newest.number, "hash": newest.hash}
        fresh = self._note.with_name(f"{self._note.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
        fresh.write_text(json.dumps(body | {"seal": self._seal(body)}), "utf-8")
        fresh.chmod(0o600)
        fresh.replace(self._note)

    def noted(self) -> Head | None:
        """Return what the file says. A file that is not as this home wrote it counts as a head that
        no chain has.
        """
        try:
            body = json.loads(self._note.read_text("utf-8"))
            number, known = int(body["number"]), str(body["hash"])
            intact = hmac.compare_digest(
                self._seal({"number": number, "hash": known}), str(body["seal"])
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            intact, number, known = False, 1, ""
        return Head(number, known if intact else "", f"the file {self._note.name}")

    def _seal(self, body: Mapping[str, object]) -> str:
        return hmac.new(
            self._key, json.dumps(body, sort_keys=True).encode(), hashlib.sha256
        ).hexdigest()


def add(
    connection: Connection, at: datetime, kind: AuditKind, facts: Mapping[str, Fact]
) -> AuditEntry:
    """Record what happened within the transaction in which it happens."""
    made = entry(_newest(connection), at, kind, facts)
    _ADD.run(connection, **asdict(made))
    return made


def _newest(connection: Connection) -> AuditEntry | None:
    row = _NEWEST.first(connection)
    return None if row is None else _entry(row)


def _entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(row.number, row.at, row.kind, row.facts, row.previous, row.hash)
