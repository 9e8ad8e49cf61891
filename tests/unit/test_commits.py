"""Several commits wait for the disk once, and nobody goes on before theirs is on it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from lpm_kernel.backends.store import sqlite
from lpm_kernel.backends.store.commits import Commits, flush
from lpm_kernel.backends.store.sqlite import make_lasting, open_engine, together, writing


class Disk:
    """Takes as long as it is told, and says how often it was asked."""

    def __init__(self) -> None:
        self.asked, self.may = 0, threading.Event()
        self.broken = False
        self.begun = threading.Event()

    def __call__(self) -> None:
        self.asked += 1
        self.begun.set()
        assert self.may.wait(10)
        if self.broken:
            raise OSError("no disk")


def test_those_who_commit_while_the_disk_works_wait_for_its_next_turn_together() -> None:
    disk = Disk()
    commits, over = Commits(disk), list[int]()
    numbers = [commits.note() for _ in range(3)]

    def wait(number: int) -> None:
        commits.wait(number)
        over.append(number)

    with ThreadPoolExecutor(16) as threads:
        first = [threads.submit(wait, number) for number in numbers]
        assert disk.begun.wait(10)
        later = [commits.note() for _ in range(9)]
        second = [threads.submit(wait, number) for number in later]
        assert over == []
        disk.may.set()
        for each in [*first, *second]:
            each.result(10)
    assert sorted(over) == [*numbers, *later]
    assert disk.asked == 2


def test_who_is_on_disk_already_does_not_wait() -> None:
    disk = Disk()
    disk.may.set()
    commits = Commits(disk)
    commits.wait()
    number = commits.note()
    commits.wait(number)
    commits.wait(number)
    commits.wait()
    assert disk.asked == 1


def test_a_disk_that_fails_is_told_to_all_who_waited_for_it_and_to_nobody_later() -> None:
    disk = Disk()
    disk.broken = True
    commits = Commits(disk)
    numbers = [commits.note() for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(commits.wait, number) for number in numbers]
        assert disk.begun.wait(10)
        disk.may.set()
        assert all(isinstance(each.exception(10), OSError) for each in waiting)
    disk.broken = False
    with pytest.raises(OSError, match="brought to disk"):
        commits.wait(numbers[0])
    commits.wait(commits.note())
    assert disk.asked == 2


def test_a_log_that_was_taken_into_the_database_needs_no_disk(tmp_path: Path) -> None:
    flush(tmp_path / "node.db-wal")


def test_what_is_written_waits_for_the_disk_once_and_what_changes_nothing_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr(sqlite, "flush", asked.append)
    engine = open_engine(tmp_path / "node.db")
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE word (text TEXT)"))
        connection.execute(text("INSERT INTO word VALUES ('one')"))
    assert asked == [tmp_path / "node.db-wal"]
    with writing(engine) as connection:
        connection.execute(text("UPDATE word SET text = 'two' WHERE text = 'three'"))
    assert len(asked) == 1
    for _ in range(3):
        with together(engine, lasting=False), writing(engine) as connection:
            connection.execute(text("INSERT INTO word VALUES ('two')"))
    assert len(asked) == 1
    make_lasting(engine)
    make_lasting(engine)
    assert len(asked) == 2
    with together(engine), writing(engine) as connection:
        connection.execute(text("DELETE FROM word"))
    assert len(asked) == 3
    engine.dispose()


def test_what_does_not_reach_the_disk_is_told_to_who_wrote_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_log: Path) -> None:
        raise OSError("no disk")

    engine = open_engine(tmp_path / "node.db")
    with closing(engine.raw_connection()) as raw:
        raw.execute("CREATE TABLE word (text TEXT)")
    monkeypatch.setattr(sqlite, "flush", broken)
    with pytest.raises(OSError, match="no disk"), writing(engine) as connection:
        connection.execute(text("INSERT INTO word VALUES ('one')"))
    engine.dispose()
