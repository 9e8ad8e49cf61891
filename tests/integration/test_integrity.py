"""A home whose parts contradict each other: it says so, nothing is touched, and one command brings
it back.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.errors import CorruptHomeError
from lpm_kernel.node import Node
from tests.integration.test_cli import lpm
from tests.scale import only_in_full

WORDS = [f"Thought {number}: the kiln was lit on day {number} of the month." for number in range(8)]


def opened(home: Path, clock: FrozenClock) -> Node:
    return Node.open(
        home,
        clock=clock,
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
    )


def content(home: Path) -> dict[str, bytes]:
    """Everything of a home that is a person's, byte for byte."""
    parts = (home / "files", home / "backups", home / "workspace", home / "keys")
    found = {
        str(path.relative_to(home)): path.read_bytes()
        for part in parts
        for path in part.rglob("*")
        if path.is_file() and path.name != ".lock"
    }
    return found | {
        name: (home / name).read_bytes()
        for name in ("node.db", "audit.json", "home.json")
        if (home / name).exists()
    }


@pytest.fixture
def lived(node: Node, home: Path) -> Path:
    """A home with eight documents and a backup, closed."""
    for text in WORDS:
        node.library.add_text(text)
    node.run_jobs()
    node.reconcile()
    node.home.back_up()
    node.close()
    return home


def remove(home: Path) -> None:
    for path in home.glob("node.db*"):
        path.unlink()


def empty(home: Path) -> None:
    remove(home)
    (home / "node.db").touch()


def truncate(home: Path) -> None:
    with (home / "node.db").open("r+b") as handle:
        handle.truncate((home / "node.db").stat().st_size // 2)


def garble(home: Path) -> None:
    (home / "node.db").write_bytes(b"\x93garbage" * 4000)


def put_foreign(home: Path) -> None:
    remove(home)
    with sqlite3.connect(home / "node.db") as database:
        database.execute("CREATE TABLE recipes (name TEXT)")


def make_another(home: Path) -> None:
    """The database of a home that was never used."""
    remove(home)
    with Node.open(
        home.parent / "another", model=ScriptedModel([(".", "x")]), embedder=HashingEmbedder()
    ):
        pass
    shutil.copy(home.parent / "another" / "node.db", home / "node.db")


def lose_originals(home: Path) -> None:
    for path in (home / "files").iterdir():
        path.unlink()


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (remove, "is missing, and 8 originals are still there"),
    "empty": (empty, "is empty, and 8 originals are still there"),
    "truncated": (truncate, "is damaged"),
    "garbage": (garble, "is damaged"),
    "foreign": (put_foreign, "that of another program"),
    "another home's": (make_another, "an older copy|another home"),
    "originals lost": (lose_originals, "8 of 8 originals are not in the folder"),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_home_that_lost_a_part_does_not_open_and_stays_as_it_is(
    lived: Path, frozen_clock: FrozenClock, how: str
) -> None:
    damage, sentence = DAMAGE[how]
    damage(lived)
    before = content(lived)
    with pytest.raises(CorruptHomeError, match=sentence):
        opened(lived, frozen_clock)
    with pytest.raises(CorruptHomeError, match=sentence) as caught:
        opened(lived, frozen_clock)
    assert "lpm restore newest" in caught.value.hint
    assert content(lived) == before


@pytest.mark.parametrize("how", DAMAGE)
def test_one_command_brings_it_back(lived: Path, frozen_clock: FrozenClock, how: str) -> None:
    DAMAGE[how][0](lived)
    done = lpm(lived, "restore", "newest")
    assert done.returncode == 0, done.stderr
    with opened(lived, frozen_clock) as again:
        again.reconcile()
        again.run_jobs()
        assert (
            sorted(
                again.ports.files.original(each.sha256).decode()
                for each in again.ports.documents.all()
            )
            == WORDS
        )
        assert again.home.first_break() is None


@pytest.mark.parametrize(
    "how", ["missing", "empty", "truncated", "garbage", "foreign", "another home's"]
)
def test_without_a_backup_the_originals_are_taken_in_again(
    lived: Path, frozen_clock: FrozenClock, how: str
) -> None:
    shutil.rmtree(lived / "backups")
    DAMAGE[how][0](lived)
    done = lpm(lived, "recover")
    assert done.returncode == 0, done.stderr
    assert "8" in done.stdout
    with opened(lived, frozen_clock) as again:
        again.run_jobs()
        assert (
            sorted(
                again.ports.files.original(each.sha256).decode()
                for each in again.ports.documents.all()
            )
            == WORDS
        )
        assert all(each.private for each in again.ports.documents.all())
        assert again.home.first_break() is None


@only_in_full
def test_the_doctor_says_it_too_and_touches_nothing(lived: Path) -> None:
    remove(lived)
    before = content(lived)
    for command in (
        ("doctor",),
        ("status",),
        ("recall", "kiln"),
        ("start", "--detach"),
        ("backup",),
        ("verify", "--repair"),
        ("reindex",),
    ):
        done = lpm(lived, *command)
        assert done.returncode == 1, command
        assert "node.db" in done.stdout + done.stderr, command
        assert "lpm restore newest" in done.stdout + done.stderr, command
    assert content(lived) == before


def test_an_older_copy_of_the_database_is_told_from_the_present_one(
    lived: Path, frozen_clock: FrozenClock
) -> None:
    older = (lived / "node.db").read_bytes()
    with opened(lived, frozen_clock) as node:
        node.library.add_text("What came after.")
        node.home.back_up()
    remove(lived)
    (lived / "node.db").write_bytes(older)
    with pytest.raises(CorruptHomeError, match="older copy"):
        opened(lived, frozen_clock)


def test_a_new_home_opens_also_where_its_making_was_interrupted(
    home: Path, frozen_clock: FrozenClock
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "files").mkdir()
    (home / "node.db").touch()
    with opened(home, frozen_clock) as node:
        assert node.ports.documents.all() == []
    assert (home / "home.json").exists()


def test_files_that_no_document_has_are_put_aside_and_kept_for_a_month(
    lived: Path, frozen_clock: FrozenClock
) -> None:
    with opened(lived, frozen_clock) as node:
        stray = node.ports.files.keep(b"Nobody knows where this came from.")
        node.reconcile()
        assert stray not in node.ports.files.kept()
        assert node.ports.files.aside()[stray].read_bytes() == b"Nobody knows where this came from."
        frozen_clock.advance(timedelta(days=29))
        node.reconcile()
        assert stray in node.ports.files.aside()
        frozen_clock.advance(timedelta(days=2))
        node.reconcile()
        assert node.ports.files.aside() == {}


def test_what_was_put_aside_is_within_the_reach_of_an_erasure(
    lived: Path, frozen_clock: FrozenClock
) -> None:
    with opened(lived, frozen_clock) as node:
        doomed = node.ports.documents.all()[0]
        data = node.ports.files.original(doomed.sha256)
        node.ports.files.put_aside({doomed.sha256}, frozen_clock.now())
        node.ports.files.keep(data)
        node.home.confirm_erasure(node.home.propose_erasure([doomed.id]).token)
        node.run_jobs()
        assert node.ports.files.aside() == {}
        assert node.ports.documents.removals() == set()


def test_a_removal_that_was_interrupted_goes_on_and_is_no_loss(
    lived: Path, frozen_clock: FrozenClock
) -> None:
    with opened(lived, frozen_clock) as node:
        for each in node.ports.documents.all():
            node.ports.documents.delete(each.id)  # and killed before the files went
    with opened(lived, frozen_clock) as again:
        again.reconcile()
        assert again.ports.files.kept() == set()
        assert again.ports.files.aside() == {}


def test_a_training_that_the_registry_does_not_have_is_put_aside(
    lived: Path, frozen_clock: FrozenClock
) -> None:
    with opened(lived, frozen_clock) as node:
        (lived / "versions" / "t_0123").mkdir(parents=True)
        (lived / "versions" / "t_0123" / "run.json").write_text("{}")
        node.training.sweep_trainings()
        assert (lived / "aside" / "t_0123" / "run.json").exists()


def test_a_backup_that_lost_much_stands_beside_the_one_before(
    lived: Path, frozen_clock: FrozenClock
) -> None:
    with opened(lived, frozen_clock) as node:
        whole = node.home.backups.all()[-1]
        with node.ports.database.engine.begin() as connection:  # what no command of ours does
            connection.exec_driver_sql("DELETE FROM document WHERE rowid % 2")
        frozen_clock.advance(timedelta(hours=1))
        made = node.home.back_up()
        assert made.lost == 4
        assert "4 documents fewer" in " ".join(check.sentence for check in node.examine())
        for _ in range(80):
            frozen_clock.advance(timedelta(days=1))
            node.home.back_up()
        assert whole.id in {each.id for each in node.home.backups.all()}
    assert lpm(lived, "restore", "newest").returncode == 0
    with opened(lived, frozen_clock) as again:
        assert len(again.ports.documents.all()) == len(WORDS)


def test_what_the_person_removed_is_no_loss(lived: Path, frozen_clock: FrozenClock) -> None:
    with opened(lived, frozen_clock) as node:
        first, second, *rest = [each.id for each in node.ports.documents.all()]
        node.home.confirm_erasure(node.home.propose_erasure([first, second]).token)
        node.run_jobs()
        node.ports.documents.put_away(rest[:4], frozen_clock.now())
        frozen_clock.advance(timedelta(days=31))
        node.reconcile()
        assert len(node.ports.documents.all()) == 2
        assert node.home.back_up().lost == 0


def test_a_note_that_is_damaged_is_named_and_stops_nobody(
    lived: Path, frozen_clock: FrozenClock
) -> None:
    (lived / "audit.json").write_text("{")
    with opened(lived, frozen_clock) as node:
        assert "audit.json" in " ".join(check.sentence for check in node.examine())
        node.ports.change_settings(theme="dark")
        assert json.loads((lived / "audit.json").read_text())["number"]
