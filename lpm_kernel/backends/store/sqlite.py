"""How a SQLite file is opened here: WAL, foreign keys, a busy timeout, and writes that take their
lock at once.

A transaction that reads first and writes later can fail with "database is locked" whatever the
timeout, so :func:`writing` begins with ``BEGIN IMMEDIATE``. Where a commit has to survive a power
cut, those who write at once wait for the disk together (``commits``).
"""

from __future__ import annotations

import sqlite3
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from weakref import WeakKeyDictionary, ref

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import QueuePool

from lpm_kernel.backends.store.commits import Commits, flush
from lpm_kernel.backends.store.prepared import driver
from lpm_kernel.errors import UnavailableError

T = TypeVar("T")

MANY = 500
"""How many values go into one ``IN (...)``."""
BUSY_SECONDS = 15
IDLE = 2
"""Connections that are kept at hand for reading, and as many for writing."""
COMPACT_SECONDS = 60.0
"""How long emptying the log waits for readers to finish."""


def open_engine(path: Path, *, durable: bool = True) -> Engine:
    """Open, or create, the database at ``path``, readable by its owner alone.

    ``durable``: a commit survives a power cut, not only a killed process. What can be remade does
    without.
    """
    path.touch(mode=0o600, exist_ok=True)
    engine = create_engine(
        f"sqlite:///{path}",
        poolclass=QueuePool,
        pool_size=4,
        max_overflow=16,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        # SQLAlchemy's begin event below starts transactions, not the driver
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            f"synchronous={'FULL' if durable else 'NORMAL'}",
            "foreign_keys=ON",
            "temp_store=MEMORY",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")
        connection.create_function(
            "folded", 1, lambda text: None if text is None else folded(text), deterministic=True
        )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        driver(connection).execute(
            "BEGIN IMMEDIATE" if connection.get_execution_options().get("writing") else "BEGIN"
        )

    idle = _Idle(shared=durable)
    _idle[engine] = ref(idle)  # it holds on to the engine, and must not for ever
    if durable:
        log = path.with_name(f"{path.name}-wal")
        _commits[engine] = Commits(lambda: flush(log))
    event.listen(engine, "engine_disposed", lambda _: idle.close())
    return engine


@dataclass
class _Unit:
    """A transaction that several calls of one thread take part in."""

    connection: Connection
    afterwards: list[Callable[[], object]] = field(default_factory=list)
    depth: int = 0


class _Units(threading.local):
    """What this thread has open, by engine."""

    def __init__(self) -> None:
        self.open: dict[Engine, _Unit] = {}


class _Idle:
    """Connections of an engine that nobody uses just now, by whether they write.

    Taking one from SQLAlchemy's pool and giving it back takes longer than SQLite takes for what is
    asked. ``shared``: those that write leave the wait for the disk to :func:`writing`, and never go
    back to the pool, whose users rely on SQLite for it.
    """

    def __init__(self, *, shared: bool) -> None:
        self._shared = shared
        self._kept: dict[bool, list[Connection]] = {False: [], True: []}

    @contextmanager
    def connected(self, engine: Engine, *, writing: bool = False) -> Iterator[Connection]:
        """Lend one. After a failure it goes back to the pool, which cleans it."""
        kept = self._kept[writing]
        try:
            connection = kept.pop()
        except IndexError:
            connection = engine.connect().execution_options(writing=writing)
            if writing and self._shared:
                driver(connection).execute("PRAGMA synchronous=NORMAL")
        try:
            yield connection
        except BaseException:
            self._give_back(connection, writing=writing)
            raise
        if len(kept) < IDLE:
            kept.append(connection)
        else:
            self._give_back(connection, writing=writing)

    def _give_back(self, connection: Connection, *, writing: bool) -> None:
        if writing and self._shared:
            connection.detach()
        connection.close()

    def close(self) -> None:
        """Let go of the file."""
        for kept in self._kept.values():
            while kept:
                connection = kept.pop()
                connection.detach()
                connection.close()


_units = _Units()
_idle: WeakKeyDictionary[Engine, ref[_Idle]] = WeakKeyDictionary()
_commits: WeakKeyDictionary[Engine, Commits] = WeakKeyDictionary()
_turns: WeakKeyDictionary[Engine, threading.RLock] = WeakKeyDictionary()
_turns_lock = threading.Lock()


@contextmanager
def together(engine: Engine, *, lasting: bool = True) -> Iterator[None]:
    """Let everything that this thread writes inside be one transaction: at the end of the block all
    of it is on disk, or nothing is.

    ``lasting=False``: it does not wait for the disk. A killed process loses nothing of it, a power
    cut may, until :func:`make_lasting` or the next commit that waits.

    What fails inside and is caught there leaves no trace of itself and takes nothing else along.
    Keep it short: others wait.
    """
    if engine in _units.open:
        with writing(engine):
            yield
        return
    with _turn(engine), _connected(engine, writing=True) as connection:
        unit, before = _Unit(connection), driver(connection).total_changes
        with connection.begin():
            _units.open[engine] = unit
            try:
                yield
            finally:
                del _units.open[engine]
        commit = _noted(engine, connection, before)
    if lasting:
        _wait(engine, commit)
    for afterward in unit.afterwards:
        afterward()


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open one short transaction that will write; it commits at the end, or leaves no trace. Inside
    of :func:`together` it is a part of that.
    """
    unit = _units.open.get(engine)
    if unit is None:
        with _turn(engine), _connected(engine, writing=True) as connection:
            before = driver(connection).total_changes
            with connection.begin():
                yield connection
            commit = _noted(engine, connection, before)
        _wait(engine, commit)
        return
    unit.depth += 1
    name = f"part_{unit.depth}"
    driver(unit.connection).execute(f"SAVEPOINT {name}")
    try:
        yield unit.connection
    except BaseException:
        driver(unit.connection).execute(f"ROLLBACK TO {name}")
        raise
    finally:
        driver(unit.connection).execute(f"RELEASE {name}")
        unit.depth -= 1


def make_lasting(engine: Engine, *, others: bool = False) -> None:
    """Return once everything that this process committed is on disk; ``others``: also what other
    processes committed. Raises ``OSError``.
    """
    commits = _commits.get(engine)
    if commits is not None:
        if others:
            commits.flush()
        else:
            commits.wait()


def _noted(engine: Engine, connection: Connection, before: int) -> int:
    """Count a commit that was made, if it changed anything; 0: it did not."""
    commits = _commits.get(engine)
    return 0 if commits is None or driver(connection).total_changes == before else commits.note()


def _wait(engine: Engine, commit: int) -> None:
    if commit:
        _commits[engine].wait(commit)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open one consistent view; inside of :func:`together` it sees what was written there."""
    if engine in _units.open:
        yield _units.open[engine].connection
        return
    with _connected(engine) as connection, connection.begin():
        yield connection


def afterwards(engine: Engine, act: Callable[[], object]) -> None:
    """Do something once what was written is on disk: now, or once, when the block of
    :func:`together` has ended well.
    """
    unit = _units.open.get(engine)
    if unit is None:
        act()
    elif act not in unit.afterwards:
        unit.afterwards.append(act)


@contextmanager
def _turn(engine: Engine) -> Iterator[None]:
    """Wait until no other thread of this process writes: SQLite itself lets those that wait sleep
    longer and longer, and then whoever comes first goes on.
    """
    with _turns_lock:
        turn = _turns.setdefault(engine, threading.RLock())
    mine = turn.acquire(timeout=BUSY_SECONDS)
    try:
        yield
    finally:
        if mine:
            turn.release()


def _connected(engine: Engine, *, writing: bool = False) -> AbstractContextManager[Connection]:
    idle = _idle[engine]()
    if idle is None:
        raise RuntimeError("This engine is gone.")
    return idle.connected(engine, writing=writing)


def compact(engine: Engine) -> None:
    """Write the file anew without free pages and empty the write-ahead log. Raises
    ``UnavailableError`` while a reader holds on to it.
    """
    with closing(engine.raw_connection()) as raw:
        cursor = raw.cursor()
        try:
            cursor.execute("VACUUM")
            until = time.monotonic() + COMPACT_SECONDS
            while cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > until:
                    raise UnavailableError(
                        "The database is being read without a pause, so its log could not be"
                        " emptied yet.",
                        "Try again in a moment.",
                    )
                time.sleep(0.05)
        except sqlite3.OperationalError as error:
            raise UnavailableError(
                "The database could not be rewritten: it is busy, or the disk is full.",
                "Free some space and try again.",
            ) from error


def complaints(engine: Engine) -> list[str]:
    """Return what SQLite itself finds wrong with the file."""
    try:
        with reading(engine) as connection:
            found = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check(20)"))]
            found += [
                f"{row[0]}: a row points at something that is not there"
                for row in connection.execute(text("PRAGMA foreign_key_check"))
            ]
    except DatabaseError as error:
        return [f"it cannot be read ({error.orig})"]
    return [each for each in found if each != "ok"]


def folded(text: str) -> str:
    """Return a text as it is looked through: width and case make no difference.

    >>> folded("ＴＥＲＡＭＡＣＨＩ Straße")
    'teramachi strasse'
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def parts(values: list[T]) -> Iterator[list[T]]:
    """Cut a list into lists that one ``IN (...)`` can take.

    >>> [len(each) for each in parts(list(range(1001)))]
    [500, 500, 1]
    """
    for first in range(0, len(values), MANY):
        yield values[first : first + MANY]
