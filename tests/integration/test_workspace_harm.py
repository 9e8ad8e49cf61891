"""The workspace against what goes wrong around it: nothing that a person wrote is lost, and nothing
private becomes open by it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
import zipfile
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store.home.workspace import LocalWorkspace
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import MemoryFilter, MemoryId
from lpm_kernel.errors import ConflictError, ExpiredTokenError, InvalidInputError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node import Node
from lpm_kernel.usecases.home import archive_export
from lpm_kernel.worker import loop
from tests.integration.test_workspace import found, read, write


def believed(node: Node) -> dict[str, str]:
    return {
        each.memory: each.statement.text
        for each in node.ports.memories.page(MemoryFilter(), limit=100)[0]
    }


def exported(node: Node, path: Path, *, private: bool = True) -> bytes:
    node.home.export(path, archive_export.ExportOptions(private=private))
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def test_a_token_that_has_expired_leaves_the_file(node: Node, frozen_clock: FrozenClock) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    token = node.home.propose_erasure([node.ports.documents.all()[0].id]).token
    frozen_clock.advance(timedelta(hours=1))
    with pytest.raises(ExpiredTokenError):
        node.home.confirm_erasure(token)
    assert (node.ports.home.workspace / "bank/world.md").exists()


def test_a_file_that_was_moved_out_and_back_is_kept(
    node: Node, tmp_path: Path, frozen_clock: FrozenClock
) -> None:
    write(node, "memory/2026-01-05.md", "The lease runs until May.")
    file = node.ports.home.workspace / "memory/2026-01-05.md"
    old = frozen_clock.now().timestamp() - 60
    os.utime(file, (old, old))
    read(node)
    file.rename(tmp_path / "away.md")
    read(node)
    (tmp_path / "away.md").rename(file)
    read(node)
    assert file.read_text() == "The lease runs until May."
    assert found(node, "lease") == ["The lease runs until May."]


def test_a_private_file_that_is_renamed_stays_private_and_keeps_what_it_was(node: Node) -> None:
    write(node, "bank/world.md", "The lease ran until April.")
    read(node)
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    (before,) = node.ports.documents.all()
    node.ports.documents.change(before.id, private=True, tags=("home",))
    (node.ports.home.workspace / "bank/world.md").rename(
        node.ports.home.workspace / "bank/World.md"
    )
    read(node)
    (now,) = node.ports.documents.all()
    assert (now.origin, now.name, now.private, now.tags) == (
        "bank/World.md",
        "World.md",
        True,
        ("home",),
    )
    assert found(node, "lease") == ["The lease runs until May."]
    assert len(node.ports.documents.revisions(now.id)) == 2
    assert [each.deleted_at for each in node.ports.documents.everything()] == [None, None, None]


def test_a_private_file_that_is_renamed_and_edited_at_once_stays_private(node: Node) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    node.ports.documents.change(node.ports.documents.all()[0].id, private=True)
    (node.ports.home.workspace / "bank/world.md").rename(node.ports.home.workspace / "lease.md")
    with (node.ports.home.workspace / "lease.md").open("a") as handle:
        handle.write(" Then it ends.")
    read(node)
    assert {each.private for each in node.ports.documents.everything()} == {True}
    assert found(node, "lease") == ["The lease runs until May. Then it ends."]


def test_a_copy_of_a_private_file_is_private(node: Node) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    node.ports.documents.change(node.ports.documents.all()[0].id, private=True)
    write(node, "copy.md", "The lease runs until May.")
    read(node)
    assert {each.private for each in node.ports.documents.everything()} == {True}
    assert node.ports.documents.count() == 2


def test_erasing_a_file_that_was_renamed_leaves_nothing_of_it(node: Node) -> None:
    write(node, "bank/world.md", "Saffron code word.")
    read(node)
    (node.ports.home.workspace / "bank/world.md").rename(node.ports.home.workspace / "moved.md")
    read(node)
    write(node, "moved.md", "Another word.")
    read(node)
    (document,) = node.ports.documents.all()
    node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    node.run_jobs()
    assert [
        path
        for path in node.ports.home.root.rglob("*")
        if path.is_file() and b"Saffron" in path.read_bytes()
    ] == []


def test_a_file_that_calls_itself_private_closes_what_it_said_before(
    node: Node, tmp_path: Path, client: FlaskClient
) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    item = client.post("/api/recall", json={"query": "lease"}).get_json()["items"][0]
    place = {"document": item["document"]["id"], "start": item["start"], "end": item["end"]}
    assert (
        client.post(
            "/api/findings",
            json={**place, "decision": "mend", "content": "The lease runs until Quince."},
        ).status_code
        == 200
    )
    node.run_jobs()
    write(
        node, "bank/world.md", "---\nprivate: true\n---\n\nThe lease runs until May. It is secret."
    )
    read(node)
    assert {each.title: each.private for each in node.ports.documents.everything()} == {
        each.title: True for each in node.ports.documents.everything()
    }
    assert not [
        word
        for word in (b"until May", b"Quince")
        if word in exported(node, tmp_path / "a.zip", private=False)
    ]


def test_what_a_deleted_file_said_before_is_neither_shown_nor_exported(
    node: Node, client: FlaskClient, tmp_path: Path
) -> None:
    for words in ("The kiln stands in Teramachi.", "The kiln stands in Nomachi."):
        write(node, "bank/world.md", words)
        read(node)
    (document,) = node.ports.documents.all()
    (earlier,) = node.ports.documents.revisions(document.id)
    assert client.delete(f"/api/documents/{document.id}").status_code in {200, 204}
    assert client.get(f"/api/documents/{earlier.id}/text").status_code == 404
    assert b"Teramachi" not in exported(node, tmp_path / "a.zip")
    assert [
        each["id"] for each in client.get("/api/documents?deleted=true").get_json()["items"]
    ] == [document.id]
    client.post(f"/api/documents/{document.id}/restore")
    read(node)
    assert (
        client.get(f"/api/documents/{earlier.id}/text").get_json()["text"]
        == "The kiln stands in Teramachi."
    )


def test_a_folder_that_cannot_be_read_does_not_put_everything_away(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    real = os.scandir

    def scandir(path: object = ".") -> object:
        if str(path).endswith("bank"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)  # type: ignore[call-overload]

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", scandir)
        node.workspace.keep_step()
    assert node.ports.documents.count() == 1


def test_a_name_that_is_no_text_and_a_pipe_do_not_keep_the_others_from_being_read(
    node: Node,
) -> None:
    write(node, "note.md", "The lease runs until May.")
    (Path(os.fsdecode(bytes(node.ports.home.workspace) + b"/caf\xe9.md"))).write_text("Coffee.")
    os.mkfifo(node.ports.home.workspace / "a.md")
    read(node)
    assert found(node, "lease") == ["The lease runs until May."]
    assert len(node.workspace.workspace_troubles) == 1
    node.workspace.keep_step()
    assert len(node.workspace.workspace_troubles) == 1


def test_a_folder_in_whose_place_stands_a_file_is_no_fault(node: Node, client: FlaskClient) -> None:
    write(node, "notes/kiln.md", "The kiln is old.")
    read(node)
    (document,) = node.ports.documents.all()
    (node.ports.home.workspace / "notes/kiln.md").unlink()
    (node.ports.home.workspace / "notes").rmdir()
    (node.ports.home.workspace / "notes").write_text("no folder")
    read(node)
    assert node.ports.documents.count() == 0
    assert client.post(f"/api/documents/{document.id}/restore").status_code in {202, 409, 422}
    node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    node.run_jobs()
    assert node.ports.documents.everything() == []


def test_a_line_that_is_copied_does_not_take_the_memory_with_it(node: Node) -> None:
    write(node, "bank/world.md", "## Retain\n\n- W The kiln is old. ^mabcd\n")
    read(node)
    write(node, "copy.md", "## Retain\n\n- W The kiln is new. ^mabcd\n")
    read(node)
    first, second = sorted(believed(node).items(), key=lambda each: each[1], reverse=True)
    assert first == ("mabcd", "The kiln is old.")
    assert second[1] == "The kiln is new."
    assert [each.statement.text for each in node.ports.memories.history(MemoryId("mabcd"))] == [
        "The kiln is old."
    ]
    write(node, "bank/world.md", "## Retain\n\n- W Rain.\n- W The kiln is old. ^mabcd\n")
    read(node)
    assert believed(node)["mabcd"] == "The kiln is old."
    assert set(believed(node).values()) == {"The kiln is old.", "The kiln is new.", "Rain."}


def test_a_line_that_is_moved_takes_its_memory_with_it(node: Node) -> None:
    for order in (("a.md", "b.md"), ("b.md", "a.md")):
        write(node, order[0], "## Retain\n\n- W The kiln is old. ^mabcd\n")
        write(node, order[1], "Nothing.")
        read(node)
        write(node, order[0], "Nothing.")
        write(node, order[1], "## Retain\n\n- W The kiln is old. ^mabcd\n")
        read(node)
        assert believed(node) == {"mabcd": "The kiln is old."}


def test_a_line_that_comes_back_elsewhere_in_its_first_wording_is_read(node: Node) -> None:
    write(node, "a.md", "## Retain\n\n- W The kiln is old. ^mabcd\n")
    read(node)
    write(node, "a.md", "## Retain\n\n- W The kiln is new. ^mabcd\n")
    read(node)
    (node.ports.home.workspace / "a.md").unlink()
    read(node)
    write(node, "b.md", "More.\n\n## Retain\n\n- W The kiln is old. ^mabcd\n")
    read(node)
    assert believed(node) == {"mabcd": "The kiln is old."}
    assert {each.state.value for each in node.ports.documents.all()} == {"ready"}


def test_an_archive_brings_back_a_file_that_was_deleted(
    node: Node, client: FlaskClient, tmp_path: Path
) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    exported(node, tmp_path / "a.zip")
    (document,) = node.ports.documents.all()
    client.delete(f"/api/documents/{document.id}")
    read(node)
    node.home.take_in(tmp_path / "a.zip")
    read(node)
    read(node)
    assert (node.ports.home.workspace / "bank/world.md").read_text() == "The lease runs until May."
    assert found(node, "lease") == ["The lease runs until May."]


def test_what_a_file_said_before_does_not_keep_a_document_out_of_an_import(
    node: Node, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    node.library.add_text("The kiln is old.", title="Kiln")
    read(node)
    exported(node, tmp_path / "a.zip")
    name = node.ports.documents.all()[0].name
    with Node.open(
        tmp_path_factory.mktemp("other"), embedder=HashingEmbedder(), model=ScriptedModel(())
    ) as other:
        for words in (
            node.ports.files.original(node.ports.documents.all()[0].sha256).decode(),
            "Rain.",
        ):
            write(other, name, words)
            read(other)
        assert other.home.take_in(tmp_path / "a.zip").documents == 1
        read(other)
        assert "The kiln is old." in found(other, "kiln")


def test_an_edit_between_restoring_and_starting_is_not_written_over(node: Node) -> None:
    write(node, "bank/world.md", "The kiln stands in Teramachi.")
    read(node)
    backup = node.home.back_up("test")
    node.home.restore(backup.id)
    write(node, "bank/world.md", "The kiln stands in Nomachi.")
    with Node.open(
        node.ports.home.root, embedder=HashingEmbedder(), model=ScriptedModel(())
    ) as again:
        again.reconcile()
        read(again)
        assert (
            again.ports.home.workspace / "bank/world.md"
        ).read_text() == "The kiln stands in Nomachi."
        assert found(again, "kiln") == ["The kiln stands in Nomachi."]


def test_a_line_that_was_edited_and_not_read_yet_is_not_written_over(node: Node) -> None:
    write(node, "a.md", "## Retain\n\n- W The kiln is old. ^mabcd\n")
    read(node)
    (belief,) = node.ports.memories.history(MemoryId("mabcd"))
    write(node, "a.md", "## Retain\n\n- W The kiln burned down in May. ^mabcd\n")
    with pytest.raises(ConflictError):
        node.workspace.reword(belief, None)
    assert "burned down" in (node.ports.home.workspace / "a.md").read_text()


def test_a_memory_can_be_corrected_twice_before_it_is_read(node: Node, client: FlaskClient) -> None:
    write(node, "a.md", "## Retain\n\n- W The kiln is old.\n- W Rain.\n")
    read(node)
    memory = next(each for each, text in believed(node).items() if "kiln" in text)
    for words in ("The kiln is new.", "The kiln is very new."):
        assert client.patch(f"/api/memories/{memory}", json={"content": words}).status_code == 202
    node.run_jobs()
    assert believed(node)[memory] == "The kiln is very new."


def test_a_line_is_not_put_into_a_file_of_another_encoding_or_through_a_link(
    node: Node, tmp_path: Path
) -> None:
    wide = "## Retain\n\n- W The kiln is old.\n".encode("utf-16")
    (node.ports.home.workspace / "memory").mkdir(parents=True)
    (node.ports.home.workspace / "wide.md").write_bytes(wide)
    (tmp_path / "elsewhere.md").write_text("elsewhere")
    (node.ports.home.workspace / "link.md").symlink_to(tmp_path / "elsewhere.md")
    (node.ports.home.workspace / "folder").symlink_to(tmp_path, target_is_directory=True)
    for path in (
        "wide.md",
        "link.md",
        "folder/new.md",
        "a.md/b.md/\0.md",
        f"{'x' * 190}/{'y' * 300}.md",
        "\ud800.md",
    ):
        with pytest.raises((InvalidInputError, ConflictError)):
            node.workspace.retain("W Rain.", path)
    assert (node.ports.home.workspace / "wide.md").read_bytes() == wide
    assert (tmp_path / "elsewhere.md").read_text() == "elsewhere"
    assert not (tmp_path / "new.md").exists()


def test_a_given_id_does_not_take_over_another_memory(node: Node) -> None:
    write(node, "a.md", "## Retain\n\n- W The kiln is old. ^mabcd\n")
    read(node)
    _, identifier, _ = node.workspace.retain("W Rain. ^mabcd", "a.md")
    node.run_jobs()
    assert believed(node) == {"mabcd": "The kiln is old.", identifier: "Rain."}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_was_forgotten_stays_forgotten_in_files_of_every_kind(
    node: Node, client: FlaskClient, newline: str
) -> None:
    text = newline.join(["# World", "", "The course has", "six places.", ""])
    (node.ports.home.workspace / "bank").mkdir(parents=True)
    (node.ports.home.workspace / "bank/world.md").write_bytes(b"\xef\xbb\xbf" + text.encode())
    read(node)
    item = client.post("/api/recall", json={"query": "How many places?"}).get_json()["items"][0]
    place = {"document": item["document"]["id"], "start": item["start"], "end": item["end"]}
    assert client.post("/api/findings", json={**place, "decision": "forget"}).status_code == 200
    assert not any("six" in each for each in found(node, "How many places has the course?"))
    (node.ports.home.workspace / "bank/world.md").write_bytes(
        f"# World{newline}Rain.{newline}{text}".encode()
    )
    read(node)
    assert not any("six" in each for each in found(node, "How many places has the course?"))


def test_a_correction_that_is_taken_back_after_an_edit_is_gone(
    node: Node, client: FlaskClient
) -> None:
    write(node, "bank/world.md", "The course has six places.")
    read(node)
    item = client.post("/api/recall", json={"query": "How many places?"}).get_json()["items"][0]
    place = {"document": item["document"]["id"], "start": item["start"], "end": item["end"]}
    client.post(
        "/api/findings",
        json={**place, "decision": "mend", "content": "The course has nine places."},
    )
    node.run_jobs()
    write(node, "bank/world.md", "Rain.\n\nThe course has six places.")
    read(node)
    assert found(node, "How many places has the course?")[0] == "The course has nine places."
    (document,) = [each for each in node.ports.documents.all() if each.origin]
    (decision,) = node.ports.decisions.about([DocumentId(document.id)])[document.id]
    assert client.delete(f"/api/findings/{decision.id}").status_code in {200, 204}
    node.run_jobs()
    assert not any("nine" in each for each in found(node, "How many places has the course?"))


def test_a_control_character_does_not_spoil_the_file_of_the_day(
    node: Node, client: FlaskClient
) -> None:
    assert client.post("/api/memories", json={"content": "The kiln is\0 old."}).status_code == 202
    assert client.post("/api/memories", json={"line": "W Rain\0."}).status_code == 202
    node.run_jobs()
    assert set(believed(node).values()) == {"The kiln is old.", "Rain ."}
    assert not any(b"\0" in path.read_bytes() for path in node.ports.home.workspace.rglob("*.md"))


def test_a_database_that_fails_for_a_moment_does_not_end_the_watching(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "LOOK_EVERY_MS", 100)
    node.workspace.keep_step()
    stop = threading.Event()
    with closing(sqlite3.connect(node.ports.home.node_db)) as database:
        database.execute("ALTER TABLE document RENAME TO elsewhere")
        watching = threading.Thread(target=loop.watch_workspace, args=(node, stop))
        watching.start()
        try:
            stop.wait(0.5)
            assert watching.is_alive()
            database.execute("ALTER TABLE elsewhere RENAME TO document")
            write(node, "note.md", "The lease runs until May.")
            until = time.monotonic() + 30
            while node.ports.documents.count() == 0 and time.monotonic() < until:
                time.sleep(0.05)
        finally:
            stop.set()
            watching.join()
    assert node.ports.documents.count() == 1


def test_a_file_made_private_before_its_edit_is_read_is_closed_at_once(
    node: Node, client: FlaskClient
) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    write(node, "bank/world.md", "The lease runs until June.")
    node.workspace.keep_step()
    (document,) = node.ports.documents.all()
    assert client.patch(f"/api/documents/{document.id}", json={"private": True}).status_code == 200
    open_to_programs = RecallQuery(
        Question("When does the lease end?"), scope=Scope(include_private=False)
    )
    assert node.memory.recall_query(open_to_programs).items == ()


def test_a_file_that_goes_before_its_edit_is_read_is_found_no_more(node: Node) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    write(node, "bank/world.md", "The lease runs until June.")
    node.workspace.keep_step()
    (node.ports.home.workspace / "bank/world.md").unlink()
    read(node)
    assert found(node, "When does the lease end?") == []


def test_a_line_that_was_taken_out_comes_back_as_the_same_memory(
    node: Node, client: FlaskClient
) -> None:
    path, identifier, _ = node.workspace.retain("W The kiln is old.")
    node.run_jobs()
    assert client.delete(f"/api/memories/{identifier}").status_code == 202
    assert node.workspace.retain(f"W The kiln is old. ^{identifier}", path)[1] == identifier
    node.run_jobs()
    assert believed(node) == {identifier: "The kiln is old."}


def test_a_file_that_goes_just_after_it_was_taken_in_has_its_job(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.workspace.keep_step()
    node.run_jobs()
    really, asked = LocalWorkspace.read, Counter[str]()

    def read_once_less(folder: LocalWorkspace, path: str) -> bytes | None:
        asked[path] += 1
        if path.endswith("02.md") and asked[path] == asked["memory/2026-03-01.md"]:
            raise OSError(errno.EIO, "Input/output error")
        return really(folder, path)

    with monkeypatch.context() as gone:
        gone.setattr(LocalWorkspace, "read", read_once_less)
        write(node, "memory/2026-03-01.md", "## Retain\n\n- B I rowed.\n")
        assert len(node.workspace.keep_step()) == 1
        write(node, "memory/2026-03-02.md", "## Retain\n\n- B I swam.\n")
        [job] = node.workspace.keep_step()
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED
    assert "I swam." in believed(node).values()
