"""The workspace: Markdown that any editor writes, read at once, never overwritten, with every
earlier wording kept for what cites it.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store.home.workspace import LocalWorkspace
from lpm_kernel.cli.library import retain
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import text_hash
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.usecases.home import archive_export
from lpm_kernel.usecases.memory import workspace as usecase
from lpm_kernel.usecases.memory.workspace import MADE_ANEW, with_line
from tests.scale import many


def read(node: Node) -> None:
    node.workspace.keep_step()
    node.run_jobs()


def found(node: Node, question: str, **more: object) -> list[str]:
    return [item.text for item in node.memory.recall(question, **more).items]  # type: ignore[arg-type]


def write(node: Node, path: str, text: str) -> None:
    file = node.ports.home.workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def test_a_new_home_has_a_workspace_that_says_nothing_yet(node: Node) -> None:
    read(node)
    assert sorted(
        path.relative_to(node.ports.home.workspace).as_posix()
        for path in node.ports.home.workspace.rglob("*.md")
    ) == [
        "bank/experience.md",
        "bank/opinions.md",
        "bank/world.md",
        "memory.md",
    ]
    assert node.ports.documents.count() == 0
    assert (node.ports.home.workspace.stat().st_mode & 0o777) == 0o700


def test_what_is_retained_is_a_line_of_today_and_found_there(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    path, identifier, _ = node.workspace.retain("O(c=0.9) @Peter: prefers short replies")
    node.run_jobs()
    assert path == f"memory/{frozen_clock.now():%Y-%m-%d}.md"
    assert (
        (node.ports.home.workspace / path).read_text()
        == f"# {frozen_clock.now():%Y-%m-%d}\n\n## Retain\n\n"
        f"- O(c=0.9) @Peter: prefers short replies ^{identifier}\n"
    )
    first = client.post("/api/recall", json={"query": "What does Peter prefer?"}).get_json()[
        "items"
    ][0]
    assert (first["kind"], first["source"], first["content"]) == (
        "opinion",
        f"{path}#L5",
        "@Peter: prefers short replies",
    )
    node.workspace.retain("W Rain is forecast.")
    assert [
        line
        for line in (node.ports.home.workspace / path).read_text().splitlines()
        if line.startswith("- ")
    ][1].startswith("- W Rain is forecast. ^m")


def test_a_line_that_is_no_statement_is_refused_and_nothing_is_written(node: Node) -> None:
    with pytest.raises(InvalidInputError, match="is not between 0 and 1"):
        node.workspace.retain("O(c=1.4) Tea.")
    assert list((node.ports.home.workspace / "memory").iterdir()) == []


def test_a_hand_edit_is_found_and_what_cites_the_old_words_still_opens_them(
    node: Node, client: FlaskClient
) -> None:
    write(node, "bank/world.md", "# World\n\n## Retain\n\n- W The kiln stands in Teramachi.\n")
    read(node)
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    client.post(
        f"/api/conversations/{conversation}/turns", json={"text": "Where does the kiln stand?"}
    ).get_data()
    before = client.get(f"/api/conversations/{conversation}").get_json()["items"][-1]["citations"][
        0
    ]
    assert "Teramachi" in before["quote"]

    write(
        node,
        "bank/world.md",
        "# World\n\nA new beginning.\n\n## Retain\n\n- W The kiln stands in Nomachi.\n",
    )
    read(node)
    assert found(node, "Where does the kiln stand?")[0] == "The kiln stands in Nomachi."
    assert not any("Teramachi" in each for each in found(node, "Where does the kiln stand?"))
    after = client.get(f"/api/conversations/{conversation}").get_json()["items"][-1]["citations"][0]
    assert after["quote"] == before["quote"]
    text = client.get(
        f"/api/documents/{after['document']}/text?start={after['start']}&end={after['end']}"
    ).get_json()["text"]
    assert text == before["quote"]
    assert node.ports.documents.count() == 1
    assert [each["title"] for each in client.get("/api/documents").get_json()["items"]] == ["World"]


def test_what_was_decided_holds_through_a_hand_edit(node: Node, client: FlaskClient) -> None:
    write(node, "bank/world.md", "## Retain\n\n- W The course has six places.\n")
    read(node)
    item = client.post("/api/recall", json={"query": "How many places?"}).get_json()["items"][0]
    place = {"document": item["document"]["id"], "start": item["start"], "end": item["end"]}
    assert client.post("/api/findings", json={**place, "decision": "forget"}).status_code == 200
    write(node, "bank/world.md", "## Retain\n\n- W Rain.\n- W The course has six places.\n")
    read(node)
    assert not any("six" in each for each in found(node, "How many places has the course?"))


def test_a_file_that_is_removed_goes_and_one_that_comes_back_is_found_again(node: Node) -> None:
    write(node, "memory/2026-01-05.md", "The lease runs until May.")
    read(node)
    assert found(node, "lease") == ["The lease runs until May."]
    (node.ports.home.workspace / "memory/2026-01-05.md").unlink()
    read(node)
    assert found(node, "lease") == []
    write(node, "memory/2026-01-05.md", "The lease runs until May.")
    read(node)
    assert found(node, "lease") == ["The lease runs until May."]
    assert node.ports.documents.count() == 1


def test_two_files_may_say_the_same_and_so_may_a_document(node: Node) -> None:
    for path in ("memory/2026-01-05.md", "bank/entities/kiln.md"):
        write(node, path, "The kiln is old.")
    node.library.add_text("The kiln is old.", title="Kiln")
    read(node)
    assert node.ports.documents.count() == 3


def test_what_is_deleted_in_the_library_leaves_the_folder_and_comes_back_from_there(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    write(node, "memory/2026-01-05.md", "The lease runs until May.")
    old = frozen_clock.now().timestamp() - 60
    os.utime(node.ports.home.workspace / "memory/2026-01-05.md", (old, old))
    read(node)
    (document,) = node.ports.documents.all()
    assert client.delete(f"/api/documents/{document.id}").status_code in {200, 204}
    node.ports.workspace_known.stamps.clear()
    read(node)
    assert not (node.ports.home.workspace / "memory/2026-01-05.md").exists()
    assert client.post(f"/api/documents/{document.id}/restore").status_code in {200, 202}
    read(node)
    assert (
        node.ports.home.workspace / "memory/2026-01-05.md"
    ).read_text() == "The lease runs until May."
    assert found(node, "lease") == ["The lease runs until May."]


def test_a_folder_that_is_gone_is_written_again(node: Node) -> None:
    path, _, _ = node.workspace.retain("W The kiln is old.")
    read(node)
    for file in sorted(node.ports.home.workspace.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    node.ports.home.workspace.rmdir()
    read(node)
    assert "The kiln is old." in (node.ports.home.workspace / path).read_text()
    assert found(node, "kiln") == ["The kiln is old."]


def test_what_is_hidden_linked_or_no_markdown_is_left_alone(node: Node, tmp_path: Path) -> None:
    write(node, ".obsidian/notes.md", "hidden")
    write(node, "picture.txt", "not Markdown")
    (tmp_path / "elsewhere.md").write_text("elsewhere")
    (node.ports.home.workspace / "link.md").symlink_to(tmp_path / "elsewhere.md")
    read(node)
    assert node.ports.documents.all() == []


def test_a_file_too_large_for_a_note_is_named_and_left_alone(node: Node) -> None:
    write(node, "big.md", "word " * 1_000_001)
    read(node)
    assert [each.split(":")[0] for each in node.workspace.workspace_troubles] == ["big.md"]
    assert ["big.md" in check.sentence for check in node.examine() if check.id == "workspace"] == [
        True
    ]
    assert node.ports.documents.count() == 0


def test_erasing_a_file_takes_its_earlier_wordings_and_the_file_itself(node: Node) -> None:
    write(node, "bank/world.md", "Saffron code word.")
    read(node)
    write(node, "bank/world.md", "Another word.")
    read(node)
    (document,) = node.ports.documents.all()
    node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    node.run_jobs()
    assert not (node.ports.home.workspace / "bank/world.md").exists()
    assert node.ports.documents.everything() == []
    left = [
        path
        for path in node.ports.home.root.rglob("*")
        if path.is_file() and b"Saffron" in path.read_bytes()
    ]
    assert left == []


def test_what_was_written_to_the_workspace_is_kept_already_and_not_asked_about(
    node: Node, client: FlaskClient
) -> None:
    node.workspace.retain("W @Mai: lives in Kobe")
    node.library.add_text("## Retain\n- W @Jonas: lives in Oslo\n", title="Diary")
    node.run_jobs()
    assert [each["content"] for each in client.get("/api/findings").get_json()["items"]] == [
        "lives in Oslo"
    ]


LINE = st.sampled_from(
    ["# Day", "## Retain", "- W Rain. ^mabc1", "text", "", "### Deeper", "- B I swam."]
)


@given(st.lists(LINE, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_line_is_put_in_and_nothing_else_changes(
    lines: list[str], newline: str, ends: bool
) -> None:
    text = newline.join(lines) + (newline if ends else "")
    after = with_line(text, "- W New. ^mnew1")
    assert [
        each
        for each in after.splitlines()
        if each.strip()
        and each != "- W New. ^mnew1"
        and (each != "## Retain" or "## Retain" in lines)
    ] == [each for each in text.splitlines() if each.strip()]
    assert after.splitlines().count("- W New. ^mnew1") == 1


EDITS = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.integers(0, 60),
        st.text(st.sampled_from("ab ラ雨.\n- W#@"), max_size=40),
    ),
    min_size=1,
    max_size=25,
)


@settings(
    max_examples=many(40, 8),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(EDITS)
def test_after_any_edits_every_citation_opens_its_exact_words(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, str]]
) -> None:
    text = (
        "# World\n\n## Retain\n\n- W The kiln stands in Teramachi.\n- B I fired it in May.\n\nMore"
        " was said about glaze.\n"
    )
    with Node.open(
        tmp_path_factory.mktemp("home"), embedder=HashingEmbedder(), model=ScriptedModel(())
    ) as node:
        node.workspace.keep_step()
        cited: list[tuple[str, int, int, str, str]] = []
        for at, length, instead in edits:
            write(node, "bank/world.md", text)
            read(node)
            shown = [item.chunk for item in node.memory.recall("kiln glaze May rain").items]
            cited += [
                (each.document, each.start, each.end, each.text_version, text_hash(each.text))
                for each in shown
            ]
            text = text[:at] + instead + text[at + length :]
        for document, start, end, version, quote in cited:
            words = (
                node.ports.files.words(
                    node.ports.documents.get(DocumentId(document)).sha256, version
                )
                or ""
            )
            assert text_hash(words[start:end]) == quote


def test_a_home_that_was_exported_comes_with_its_workspace_and_its_earlier_wordings(
    node: Node, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write(node, "bank/world.md", "The kiln stands in Teramachi.")
    read(node)
    cited = node.memory.recall("kiln").items[0].chunk
    write(node, "bank/world.md", "The kiln stands in Nomachi.")
    read(node)
    node.home.export(tmp_path / "a.zip", archive_export.ExportOptions())
    with Node.open(
        tmp_path_factory.mktemp("other"), embedder=HashingEmbedder(), model=ScriptedModel(())
    ) as other:
        other.home.take_in(tmp_path / "a.zip")
        read(other)
        assert (
            other.ports.home.workspace / "bank/world.md"
        ).read_text() == "The kiln stands in Nomachi."
        assert found(other, "kiln") == ["The kiln stands in Nomachi."]
        words = (
            other.ports.files.words(
                other.ports.documents.get(cited.document).sha256, cited.text_version
            )
            or ""
        )
        assert words[cited.start : cited.end] == cited.text
        assert other.home.take_in(tmp_path / "a.zip").documents == 0
        read(other)
        assert other.ports.documents.count() == 1


def test_what_came_by_import_does_not_write_over_a_file(
    node: Node, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write(node, "bank/world.md", "The kiln stands in Nomachi.")
    read(node)
    node.home.export(tmp_path / "a.zip", archive_export.ExportOptions())
    with Node.open(
        tmp_path_factory.mktemp("other"), embedder=HashingEmbedder(), model=ScriptedModel(())
    ) as other:
        other.workspace.keep_step()
        write(other, "bank/world.md", "My own kiln.")
        other.home.take_in(tmp_path / "a.zip")
        read(other)
        assert (other.ports.home.workspace / "bank/world.md").read_text() == "My own kiln."
        assert set(found(other, "kiln")) == {"My own kiln.", "The kiln stands in Nomachi."}


def test_a_restored_home_has_the_workspace_of_that_day(node: Node) -> None:
    write(node, "bank/world.md", "The kiln stands in Teramachi.")
    read(node)
    backup = node.home.back_up("test")
    write(node, "bank/world.md", "The kiln stands in Nomachi.")
    write(node, "memory/2026-01-05.md", "Rain.")
    node.home.restore(backup.id)
    with Node.open(
        node.ports.home.root, embedder=HashingEmbedder(), model=ScriptedModel(())
    ) as again:
        again.reconcile()
        again.run_jobs()
        assert (
            again.ports.home.workspace / "bank/world.md"
        ).read_text() == "The kiln stands in Teramachi."
        assert set(found(again, "kiln rain")) == {"The kiln stands in Teramachi.", "Rain."}


def test_verify_finds_nothing_wrong_with_what_was_written_before(node: Node) -> None:
    for words in ("The kiln stands in Teramachi.", "The kiln stands in Nomachi."):
        write(node, "bank/world.md", words)
        read(node)
    assert {each.state for each in node.home.verify()} == {"fine"}


def test_making_a_file_private_reaches_what_it_said_before(node: Node, client: FlaskClient) -> None:
    for words in ("The kiln stands in Teramachi.", "The kiln stands in Nomachi."):
        write(node, "bank/world.md", words)
        read(node)
    (document,) = node.ports.documents.all()
    assert client.patch(f"/api/documents/{document.id}", json={"private": True}).status_code == 200
    assert {each.private for each in node.ports.documents.everything()} == {True}
    write(node, "bank/world.md", "The kiln stands in Owari.")
    read(node)
    assert {each.private for each in node.ports.documents.everything()} == {True}


def test_the_command_keeps_a_statement(
    node: Node, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LPM_HOME", str(node.ports.home.root))
    monkeypatch.setenv("LPM_EMBEDDER", "hashing")
    retain("W @Kiln: stands in Nomachi", None, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert said["file"].startswith("memory/")
    assert found(node, "kiln") == ["@Kiln: stands in Nomachi"]


def test_a_line_that_is_no_statement_is_named_until_it_is_mended(
    node: Node, client: FlaskClient
) -> None:
    write(
        node,
        "bank/world.md",
        "# World\n\n## Retain\n\n- W Rain falls.\n- X The kiln is cold.\n- O(c=1.4) Rain is"
        " fine.\n",
    )
    read(node)
    said = [
        "bank/world.md, line 6: There is no kind X",
        "bank/world.md, line 7: The confidence 1.4 is not between 0 and 1.",
    ]
    shown = client.get("/api/workspace").get_json()["unread"]
    assert [line.split(";")[0] for line in shown] == said
    assert [check.state for check in node.examine() if check.id == "statements"] == ["look", "look"]
    write(node, "bank/world.md", "# World\n\n## Retain\n\n- W Rain falls.\n")
    read(node)
    assert client.get("/api/workspace").get_json()["unread"] == []
    assert [check for check in node.examine() if check.id == "statements"] == []


@pytest.mark.parametrize("stopped_at", [1, 2, 3, 5, 6])
def test_a_workspace_whose_making_was_interrupted_is_made_whole(
    node: Node, monkeypatch: pytest.MonkeyPatch, stopped_at: int
) -> None:
    node.workspace.keep_step()
    write(node, "memory/2026-03-01.md", "# Sunday\n\nThe kiln is cold.\n")
    read(node)
    before = {
        path.relative_to(node.ports.home.workspace): path.read_bytes()
        for path in node.ports.home.workspace.rglob("*.md")
    }
    shutil.rmtree(node.ports.home.workspace)
    real, written = LocalWorkspace.write, 0

    def stops(workspace: LocalWorkspace, path: str, data: bytes, was: bytes | None) -> bool:
        nonlocal written
        written += 1
        if written == stopped_at:
            raise KeyboardInterrupt
        return real(workspace, path, data, was)

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(LocalWorkspace, "write", stops)
        node.workspace.keep_step()
    read(node)
    assert {
        path.relative_to(node.ports.home.workspace): path.read_bytes()
        for path in node.ports.home.workspace.rglob("*.md")
    } == before
    assert [document.name for document in node.ports.documents.all()] == ["2026-03-01.md"]
    assert not node.ports.home.workspace_pending.exists()


def test_what_is_put_where_no_workspace_was_is_not_written_over(node: Node) -> None:
    node.workspace.keep_step()
    write(node, "memory/2026-03-01.md", "# Sunday\n\nThe kiln is cold.\n")
    read(node)
    shutil.rmtree(node.ports.home.workspace)
    # its making was interrupted, and then the person's own copy came
    node.ports.home.workspace_pending.write_text(MADE_ANEW)
    path = node.ports.home.workspace / "memory" / "2026-03-01.md"
    path.parent.mkdir(parents=True)
    path.write_text("# Sunday\n\nThe kiln is warm again.\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))  # as copying with its times does
    read(node)
    assert "warm again" in path.read_text()


def test_another_process_may_be_done_with_the_workspace_first(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = usecase.write_back

    def done_by_another(*given: Any, **named: Any) -> None:  # noqa: ANN401  as the function itself takes them
        real(*given, **named)
        node.ports.home.workspace_pending.unlink()

    monkeypatch.setattr(usecase, "write_back", done_by_another)
    node.workspace.keep_step()
    assert (node.ports.home.workspace / "memory.md").exists()


def test_a_full_disk_while_the_workspace_is_made_deletes_nothing(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.workspace.keep_step()
    for day in range(1, 7):
        write(node, f"memory/2026-03-0{day}.md", f"# Day {day}\n\nThe kiln has {day} shelves.\n")
    read(node)
    shutil.rmtree(node.ports.home.workspace)
    real = LocalWorkspace.write

    def full(workspace: LocalWorkspace, path: str, data: bytes, was: bytes | None) -> bool:
        if path in {"memory/2026-03-05.md", "memory/2026-03-06.md"}:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(workspace, path, data, was)

    with monkeypatch.context() as patch:
        patch.setattr(LocalWorkspace, "write", full)
        with pytest.raises(OSError, match="No space"):
            node.workspace.keep_step()
    assert len(node.ports.documents.all()) == 6
    read(node)
    assert (
        len(list(node.ports.home.workspace.glob("memory/*.md")))
        == len(node.ports.documents.all())
        == 6
    )
