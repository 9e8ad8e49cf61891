"""Backups and restoring: what was there is there again, and what was erased is not."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.share.network import InviteState
from lpm_kernel.errors import (
    ConflictError,
    CorruptHomeError,
    InvalidInputError,
    NotFoundError,
    StillRunningError,
)
from lpm_kernel.node import Node
from lpm_kernel.usecases.home import restore as restoring
from lpm_kernel.usecases.processes import running_as
from lpm_kernel.worker.loop import schedule_backup
from tests.integration.test_node import add_life, answers
from tests.scan import traces, windows


def opened(home: Path, clock: FrozenClock) -> Node:
    return Node.open(
        home,
        clock=clock,
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
    )


def test_a_backup_brings_everything_back_and_answers_the_same(
    node: Node, home: Path, frozen_clock: FrozenClock
) -> None:
    add_life(node)
    node.ports.change_settings(theme="dark")
    before, documents = answers(node), node.ports.documents.all()
    made = node.home.back_up()
    frozen_clock.advance(timedelta(hours=1))
    for document in documents[:5]:
        node.ports.documents.delete(document.id)
        node.ports.files.drop(document.sha256)
    node.library.add_text("A thought that came later.")
    node.run_jobs()
    aside = node.home.restore(made.id)
    with opened(home, frozen_clock) as again:
        again.reconcile()
        again.run_jobs()
        assert again.ports.documents.all() == documents
        assert answers(again) == before
        assert again.ports.settings.theme == "dark"
        assert again.home.first_break() is None
        assert [entry.kind for entry in again.ports.audit.all()][-1] == "restored"
        assert aside in {backup.id for backup in again.home.backups.all()}
        again.home.restore(aside)
    with opened(home, frozen_clock) as back:
        assert "A thought that came later" in {
            document.title.removesuffix(".") for document in back.ports.documents.all()
        }


def test_a_further_backup_costs_little_more_than_its_database(
    node: Node, frozen_clock: FrozenClock
) -> None:
    add_life(node)
    first = node.home.backups.path(node.home.back_up().id)
    frozen_clock.advance(timedelta(hours=1))
    node.library.add_text("One more.")
    second = node.home.backups.path(node.home.back_up().id)
    shared = [
        path for path in (second / "files").iterdir() if (first / "files" / path.name).exists()
    ]
    assert shared
    assert all(path.stat().st_ino == (first / "files" / path.name).stat().st_ino for path in shared)


def test_what_was_erased_after_a_backup_does_not_come_back_with_it(
    node: Node, home: Path, frozen_clock: FrozenClock, tmp_path: Path
) -> None:
    secret = "The kingfisher keeps its ledger under the ninth stair."
    document = node.library.add_text(secret, title="Stair").document
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    elsewhere = tmp_path / "elsewhere"
    # a copy that no erasure reaches
    shutil.copytree(node.home.backups.path(node.home.back_up().id), elsewhere)
    node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    node.run_jobs()
    node.home.restore(str(elsewhere))
    with opened(home, frozen_clock) as again:
        again.reconcile()
        again.run_jobs()
        assert [each.title for each in again.ports.documents.all()] == ["The cello is of 1911"]
        assert (
            again.memory.recall("kingfisher ledger stair").items[0].chunk.text
            == "The cello is of 1911."
        )
    assert traces(home, windows([secret])) == []


def test_an_invite_that_may_have_been_used_since_is_not_open_again(
    node: Node, home: Path, frozen_clock: FrozenClock, tmp_path: Path
) -> None:
    node.ports.conversations.set_identity(Identity("Nagi"))
    invite = node.meeting.invite("for Bram", ["/ip4/127.0.0.1/tcp/4001"])
    node.home.back_up()
    node.home.restore("newest", tmp_path / "other")
    node.home.restore("newest")
    for place in (home, tmp_path / "other"):
        with opened(place, frozen_clock) as again:
            assert [(each.id, each.state) for each in again.ports.contacts.invites()] == [
                (invite.id, InviteState.WITHDRAWN)
            ]
            assert again.ports.contacts.open_invite(invite.id) is None
            assert again.home.first_break() is None


def test_backups_out_of_reach_are_caught_up_with(node: Node, tmp_path: Path) -> None:
    node.ports.change_settings(backup_folder=str(tmp_path / "disk"))
    document = node.library.add_text(
        "The kingfisher keeps its ledger under the ninth stair."
    ).document
    node.home.back_up()
    (tmp_path / "disk").rename(tmp_path / "away")
    node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    node.run_jobs()
    assert "is not there" in node.ports.jobs.page(limit=1)[0][0].message
    (tmp_path / "away").rename(tmp_path / "disk")
    node.home.back_up()
    assert (
        traces(
            tmp_path / "disk", windows(["The kingfisher keeps its ledger under the ninth stair."])
        )
        == []
    )


def test_another_home_is_made_of_a_backup(
    node: Node, tmp_path: Path, frozen_clock: FrozenClock
) -> None:
    add_life(node)
    node.home.back_up()
    node.home.restore("newest", tmp_path / "other")
    with opened(tmp_path / "other", frozen_clock) as other:
        other.reconcile()
        other.run_jobs()
        assert answers(other) == answers(node)
    with pytest.raises(InvalidInputError, match="not empty"):
        node.home.restore("newest", tmp_path / "other")


def test_restoring_is_refused_while_the_node_runs(node: Node) -> None:
    made = node.home.back_up()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child only holds the lock until it is told to end
        try:
            with running_as(node.ports.home, "work"):
                (node.ports.home.root / "holds").touch()
                while not (node.ports.home.root / "done").exists():
                    pass
        finally:
            os._exit(0)
    while not (node.ports.home.root / "holds").exists():
        pass
    try:
        with pytest.raises(StillRunningError, match=str(pid)):
            node.home.restore(made.id)
    finally:
        (node.ports.home.root / "done").touch()
        os.waitpid(pid, 0)


def test_a_damaged_or_unknown_backup_is_refused(node: Node) -> None:
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    path = node.home.backups.path(node.home.back_up().id)
    with (path / "node.db").open("r+b") as handle:
        handle.seek(5000)
        handle.write(b"garbage")
    with pytest.raises(CorruptHomeError, match="Nothing was restored"):
        node.home.restore("newest")
    with pytest.raises(NotFoundError):
        node.home.restore("no-such-backup")


def test_nothing_is_restored_while_an_erasure_is_under_way(node: Node) -> None:
    document = node.library.add_text("The cello is of 1911.").document
    made = node.home.back_up()
    node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    with pytest.raises(ConflictError, match="erasure"):
        node.home.restore(made.id)


@pytest.mark.parametrize("done", range(len(restoring.PIECES) + 1))
def test_restoring_that_was_interrupted_is_finished_on_opening(
    home: Path, frozen_clock: FrozenClock, done: int
) -> None:
    with opened(home, frozen_clock) as node:
        node.library.add_text("The cello is of 1911.")
        node.run_jobs()
        made = node.home.backups.path(node.home.back_up().id)
        node.library.add_text("Later.")
        node.run_jobs()
        staging = home / restoring.STAGING
        restoring.stage(made, staging)
        node.home._prepare(staging, restoring.Present({}, list(node.ports.audit.all()), 0))
    (staging / restoring.READY).touch()
    for name in restoring.PIECES[:done]:
        restoring._put_in_place(staging, home, name)
    with opened(home, frozen_clock) as again:
        again.reconcile()
        again.run_jobs()
        assert [each.title for each in again.ports.documents.all()] == ["The cello is of 1911"]
        assert again.memory.recall("cello").items
    assert not staging.exists()


def test_one_that_was_not_whole_when_it_was_interrupted_leaves_the_home_as_it_was(
    home: Path, frozen_clock: FrozenClock
) -> None:
    with opened(home, frozen_clock) as node:
        node.library.add_text("The cello is of 1911.")
        made = node.home.backups.path(node.home.back_up().id)
        node.library.add_text("Later.")
    restoring.stage(made, home / restoring.STAGING)
    with opened(home, frozen_clock) as again:
        assert len(again.ports.documents.all()) == 2
    assert not (home / restoring.STAGING).exists()


def test_the_schedule_makes_one_when_something_changed(
    node: Node, frozen_clock: FrozenClock
) -> None:
    def made() -> int:
        schedule_backup(node)
        node.run_jobs()
        return len(node.home.backups.all())

    assert made() == 1
    frozen_clock.advance(timedelta(minutes=31))
    assert made() == 1
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    assert made() == 2
    frozen_clock.advance(timedelta(minutes=10))
    node.library.add_text("And something else.")
    assert made() == 2
    node.ports.change_settings(backup_minutes=0)
    frozen_clock.advance(timedelta(days=1))
    assert made() == 2


def test_a_folder_that_cannot_be_written_is_a_sentence(node: Node, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    node.ports.change_settings(backup_folder=str(tmp_path / "file"))
    job = node.ports.jobs.add("backup", Lane.HEAVY, None, node.ports.clock.now(), {})
    node.run_jobs()
    error = node.ports.jobs.get(job.id).error
    assert error is not None
    assert "could not be written" in error.detail
