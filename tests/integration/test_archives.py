"""Export and import: the copy answers the same, nothing that is there is changed, and a bad archive
is a sentence.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.chat.roles import Role, RoleId
from lpm_kernel.domain.library.documents import DocumentState, text_hash
from lpm_kernel.errors import UnusableArchiveError
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.archive_export import PORTABLE, ExportOptions
from lpm_kernel.usecases.library import documents as library
from tests.integration.test_erasing import say
from tests.integration.test_node import add_life, answers
from tests.lives import SAMPLE

CANARY = "The kingfisher keeps its ledger under the ninth stair."
EAR = SAMPLE / "private" / "2023-11-19-ear.md"


@pytest.fixture
def other(tmp_path: Path, frozen_clock: FrozenClock) -> Iterator[Node]:
    with Node.open(
        tmp_path / "other",
        clock=frozen_clock,
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
    ) as opened:
        yield opened


def lived(node: Node, client: object, scripted: ScriptedModel) -> None:
    scripted.script = ScriptedModel(
        [
            ("stair", CANARY),
            ("workshop", "I moved the workshop from Higashiyama to Teramachi on 6 April 2024."),
        ]
    ).script
    add_life(node)
    node.library.add_bytes(EAR.name, EAR.read_bytes())
    node.run_jobs()
    node.ports.conversations.set_identity(Identity("Nagi（凪）", "violins", "short", ("en", "ja")))
    node.ports.change_settings(theme="dark")
    say(client, "When did I move the workshop?", "What is under the ninth stair?")  # type: ignore[arg-type]


def test_the_copy_answers_the_same(
    node: Node, other: Node, client: object, scripted: ScriptedModel, tmp_path: Path
) -> None:
    lived(node, client, scripted)
    node.home.export(tmp_path / "all.zip", ExportOptions())
    came = other.home.take_in(tmp_path / "all.zip")
    other.run_jobs()
    assert came.documents == node.ports.documents.count()
    assert other.ports.documents.all() == node.ports.documents.all()
    assert answers(other) == answers(node)
    for chat in node.ports.conversations.page(limit=9)[0]:
        assert other.ports.conversations.get(chat.id) == chat
        assert other.ports.conversations.turns(chat.id) == node.ports.conversations.turns(chat.id)
    assert other.ports.conversations.identity() == node.ports.conversations.identity()
    assert other.ports.settings.theme == "dark"
    assert {each.state for each in other.home.verify()} == {"fine"}
    again = other.home.take_in(tmp_path / "all.zip")
    assert (again.documents, again.known, again.conversations, again.conversations_known) == (
        0,
        came.documents,
        0,
        came.conversations,
    )


def test_it_opens_without_any_program_of_ours(
    node: Node, client: object, scripted: ScriptedModel, tmp_path: Path
) -> None:
    lived(node, client, scripted)
    node.home.export(tmp_path / "all.zip", ExportOptions())
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert {
            name: hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist()
            if name != "manifest.json"
        } == manifest["members"]
        rows = [json.loads(line) for line in archive.read("documents.jsonl").splitlines()]
        ear = next(row for row in rows if row["name"] == EAR.name)
        assert archive.read(f"originals/{ear['id']}/{EAR.name}") == EAR.read_bytes()
        assert CANARY in archive.read(f"texts/{ear['id']}/{ear['text_version']}.txt").decode()
        everything = b"".join(archive.read(name) for name in archive.namelist())
    for secret in ("api-token", "audit-key", "home-id"):
        assert node.ports.home.secret(secret).encode() not in everything


def test_the_canary_is_not_in_an_archive_without_what_is_private(
    node: Node, client: object, scripted: ScriptedModel, tmp_path: Path
) -> None:
    lived(node, client, scripted)
    node.home.export(tmp_path / "open.zip", ExportOptions(private=False))
    with zipfile.ZipFile(tmp_path / "open.zip") as archive:
        everything = "\n".join(
            archive.read(name).decode("utf-8", "replace") for name in archive.namelist()
        )
    assert "ninth stair." not in everything
    assert CANARY not in everything
    assert EAR.name not in everything
    assert "6 April 2024" in everything
    node.home.export(tmp_path / "silent.zip", ExportOptions(conversations=False))
    with zipfile.ZipFile(tmp_path / "silent.zip") as archive:
        assert "conversations.jsonl" not in archive.namelist()


def test_an_archive_without_what_is_private_does_not_say_what_was_given_for_an_answer(
    node: Node, client: FlaskClient, tmp_path: Path
) -> None:
    node.library.add_text("The cello is of 1911.")
    node.workspace.append("memory.md", "\n- Hides the key under the ninth stair.\n")
    node.run_jobs()
    node.ports.roles.add(
        Role(
            RoleId("muse"),
            "Muse",
            "",
            "Propose.",
            created_at=node.ports.clock.now(),
            updated_at=node.ports.clock.now(),
        )
    )
    talk = client.post("/api/conversations", json={"role": "muse"}).get_json()["id"]
    client.post(
        f"/api/conversations/{talk}/turns", json={"text": "Of when is the cello?"}
    ).get_data()
    line = text_hash("Hides the key under the ninth stair.")
    for wanted, there in ((ExportOptions(), True), (ExportOptions(private=False), False)):
        node.home.export(tmp_path / "archive.zip", wanted)
        with zipfile.ZipFile(tmp_path / "archive.zip") as archive:
            [chat] = [json.loads(row) for row in archive.read("conversations.jsonl").splitlines()]
        assert (line in str(chat)) is there
        assert chat["title"]


def test_a_private_document_that_was_deleted_is_not_quoted_there(
    node: Node, client: object, scripted: ScriptedModel, tmp_path: Path
) -> None:
    lived(node, client, scripted)
    ear = next(each for each in node.ports.documents.all() if each.name == EAR.name)
    library.delete(node.ports.files, node.ports.documents, node.ports.index, ear.id)
    node.home.export(tmp_path / "open.zip", ExportOptions(private=False))
    with zipfile.ZipFile(tmp_path / "open.zip") as archive:
        chats = archive.read("conversations.jsonl").decode()
    assert CANARY not in chats
    assert ear.id not in chats
    assert "6 April 2024" in chats


def test_what_is_there_stays_as_the_person_has_it(node: Node, other: Node, tmp_path: Path) -> None:
    node.library.add_text("The cello is of 1911.", title="Theirs", tags=["theirs"])
    node.ports.conversations.set_identity(Identity("Theirs"))
    node.home.export(tmp_path / "all.zip", ExportOptions())
    mine = other.library.add_text("The cello is of 1911.", title="Mine", private=True).document
    other.ports.conversations.set_identity(Identity("Mine"))
    other.ports.change_settings(theme="light")
    other.home.take_in(tmp_path / "all.zip")
    (document,) = other.ports.documents.all()
    assert (document.id, document.title, document.private, document.tags) == (
        mine.id,
        "Mine",
        True,
        (),
    )
    assert other.ports.conversations.identity().name == "Mine"
    assert other.ports.settings.theme == "light"


def test_what_a_person_wrote_about_themselves_comes_whole(
    node: Node, other: Node, client: FlaskClient, tmp_path: Path
) -> None:
    written = {
        "name": "凪" * 200,
        **{
            field: (f"{field}、雨の日は膠を煮ない。" * 400)[:4000]
            for field in ("introduction", "style", "values")
        },
    }
    assert client.put("/api/identity", json=written).status_code == 200
    node.home.export(tmp_path / "all.zip", ExportOptions())
    other.home.take_in(tmp_path / "all.zip")
    assert other.ports.conversations.identity() == node.ports.conversations.identity()
    assert {
        len(getattr(other.ports.conversations.identity(), field))
        for field in ("introduction", "style", "values")
    } == {4000}


def test_what_was_erased_here_is_left_out(node: Node, tmp_path: Path) -> None:
    document = node.library.add_text("The cello is of 1911.").document
    node.run_jobs()
    node.home.export(tmp_path / "all.zip", ExportOptions())
    node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    node.run_jobs()
    came = node.home.take_in(tmp_path / "all.zip")
    assert (came.documents, came.erased) == (0, 1)
    assert node.ports.documents.all() == []


def rebuilt(source: Path, target: Path, **changes: bytes | None) -> Path:
    """Write an archive anew with other members, its manifest following unless that is given."""
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as fresh:
        members = {name: archive.read(name) for name in archive.namelist()} | changes
        manifest = json.loads(archive.read("manifest.json"))
        manifest["members"] = {
            name: hashlib.sha256(data).hexdigest()
            for name, data in members.items()
            if data is not None and name != "manifest.json"
        }
        if "manifest.json" not in changes:
            members["manifest.json"] = json.dumps(manifest).encode()
        for name, data in members.items():
            if data is not None:
                fresh.writestr(name, data)
    return target


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"../../outside.txt": b"x"}, "name or a form"),
        ({"/etc/outside": b"x"}, "name or a form"),
        ({"originals/../../x": b"x"}, "name or a form"),
        ({"originals\\..\\x": b"x"}, "name or a form"),
        ({"manifest.json": b'{"format": 99, "members": {}}'}, "newer release"),
        ({"manifest.json": b"[]"}, "not an archive of Second Me"),
        ({"manifest.json": b"{"}, "not an archive of Second Me"),
        ({"manifest.json": None}, "not an archive of Second Me"),
        ({"manifest.json": b'{"format": 1, "members": {}}'}, "do not match its manifest"),
        ({"documents.jsonl": b"{"}, "cannot be read"),
        ({"documents.jsonl": b"[]\n"}, "cannot be read"),
        ({"documents.jsonl": b'{"id": "d_1", "title": "x"}\n'}, "does not know"),
        ({"documents.jsonl": b"[" * 100_000 + b"\n"}, "cannot be read"),
        ({"conversations.jsonl": b'{"id": 3}\n'}, "does not know"),
    ],
)
def test_an_archive_that_cannot_be_used_is_a_sentence(
    node: Node, other: Node, tmp_path: Path, changes: dict[str, bytes | None], says: str
) -> None:
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    node.home.export(tmp_path / "all.zip", ExportOptions())
    bad = rebuilt(tmp_path / "all.zip", tmp_path / "bad.zip", **changes)
    with pytest.raises(UnusableArchiveError, match=says):
        other.home.take_in(bad)
    assert not (tmp_path / "outside.txt").exists()


HOSTILE: tuple[object, ...] = (
    "x",
    -5,
    10**40,
    1e308,
    True,
    None,
    "\x00",
    "\ud800",
    "a" * 10_000,
    [],
    ["x"],
    {},
    {"a": 1},
)
"""What the settings of an archive may say that no home could use."""


@pytest.mark.parametrize("name", PORTABLE)
def test_settings_of_an_archive_that_cannot_be_used_are_left_out_and_said(
    node: Node, other: Node, tmp_path: Path, name: str
) -> None:
    node.library.add_text("The cello is of 1911.")
    node.home.export(tmp_path / "all.zip", ExportOptions())
    before = other.ports.settings
    for number, value in enumerate(HOSTILE):
        body = json.dumps(
            {name: value, "theme": "dark"} if name != "theme" else {name: value}
        ).encode()
        came = other.home.take_in(
            rebuilt(
                tmp_path / "all.zip", tmp_path / f"{number}.zip", **{"settings.json": body + b"\n"}
            )
        )
        after = other.ports.settings
        assert other.ports.settings_problem == ""
        assert getattr(after, name) == getattr(before, name) or (
            type(getattr(after, name)) is type(value) and name not in came.sentence
        )
        if getattr(after, name) == getattr(before, name) != value and name != "embedder":
            assert name in came.sentence or "settings.json" in came.sentence


def test_settings_of_older_releases_in_an_archive_are_passed_over_without_a_word(
    node: Node, other: Node, tmp_path: Path
) -> None:
    node.library.add_text("The cello is of 1911.")
    node.home.export(tmp_path / "all.zip", ExportOptions())
    row = b'{"database_url": "x://y", "keep_originals": false, "theme": "dark"}\n'
    came = other.home.take_in(
        rebuilt(tmp_path / "all.zip", tmp_path / "old.zip", **{"settings.json": row})
    )
    assert other.ports.settings.theme == "dark"
    assert not any(word in came.sentence for word in ("database", "originals", "settings"))
    assert not other.ports.settings_problem


@pytest.mark.parametrize("body", [b"[]", b"{", b"[" * 100_000, b'{"theme": "dark"', b"\xff"])
def test_settings_that_cannot_be_read_do_not_spoil_the_rest(
    node: Node, other: Node, tmp_path: Path, body: bytes
) -> None:
    node.library.add_text("The cello is of 1911.")
    node.home.export(tmp_path / "all.zip", ExportOptions())
    came = other.home.take_in(
        rebuilt(tmp_path / "all.zip", tmp_path / "odd.zip", **{"settings.json": body})
    )
    assert came.documents == 1
    assert "settings.json" in came.sentence


def test_an_archive_comes_into_a_home_whose_own_settings_cannot_be_read(
    node: Node, other: Node, tmp_path: Path
) -> None:
    node.library.add_text("The cello is of 1911.")
    node.ports.change_settings(theme="dark")
    node.home.export(tmp_path / "all.zip", ExportOptions())
    other.ports.home.settings_file.write_text("theme = [")
    came = other.home.take_in(tmp_path / "all.zip")
    assert came.documents == 1
    assert "theme" in came.sentence


def test_a_byte_that_changed_is_noticed_before_anything_is_taken_in(
    node: Node, other: Node, tmp_path: Path
) -> None:
    node.library.add_text("The cello is of 1911.")
    node.home.export(tmp_path / "all.zip", ExportOptions())
    whole = (tmp_path / "all.zip").read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 60)):
        (tmp_path / "bad.zip").write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            other.home.take_in(tmp_path / "bad.zip")
        except UnusableArchiveError:
            assert other.ports.documents.all() == []
        else:  # the byte carried nothing: a date, a flag that nobody reads
            assert [each.sha256 for each in other.ports.documents.all()] == [
                each.sha256 for each in node.ports.documents.all()
            ]
            (document,) = other.ports.documents.all()
            other.ports.documents.delete(document.id)
            other.ports.files.drop(document.sha256)
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "bad.zip").write_bytes(whole[:cut])
        with pytest.raises(UnusableArchiveError):
            other.home.take_in(tmp_path / "bad.zip")


@pytest.mark.parametrize(
    "changed",
    [{"bytes": 10**30}, {"bytes": "1"}, {"id": 4}, {"title": "\ud800"}, {"sha256": "\udfff"}],
    ids=repr,
)
def test_a_document_that_no_home_could_hold_is_a_sentence(
    node: Node, other: Node, tmp_path: Path, changed: dict[str, object]
) -> None:
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    node.home.export(tmp_path / "all.zip", ExportOptions())
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        row = json.loads(archive.read("documents.jsonl"))
    bad = rebuilt(
        tmp_path / "all.zip",
        tmp_path / "bad.zip",
        **{"documents.jsonl": json.dumps(row | changed).encode() + b"\n"},
    )
    with pytest.raises(UnusableArchiveError):
        other.home.take_in(bad)
    assert other.ports.documents.all() == []


@pytest.mark.parametrize(
    "changed",
    [
        {"start": "x"},
        {"end": 10**40},
        {"document": 5},
        {"chunk": None},
        {"n": -1},
        {"text_version": "../x"},
        {"quote_hash": ["x"]},
    ],
    ids=repr,
)
def test_a_citation_that_could_not_be_shown_is_not_taken_in(
    node: Node,
    other: Node,
    client: object,
    scripted: ScriptedModel,
    tmp_path: Path,
    changed: dict[str, object],
) -> None:
    lived(node, client, scripted)
    node.home.export(tmp_path / "all.zip", ExportOptions())
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        chat = json.loads(archive.read("conversations.jsonl"))
    cited = next(turn for turn in chat["turns"] if turn["citations"])
    cited["citations"][0] |= changed
    bad = rebuilt(
        tmp_path / "all.zip",
        tmp_path / "bad.zip",
        **{"conversations.jsonl": json.dumps(chat).encode() + b"\n"},
    )
    with pytest.raises(UnusableArchiveError, match="does not know"):
        other.home.take_in(bad)
    assert other.ports.conversations.page(limit=9)[0] == []


@pytest.mark.parametrize(
    "details",
    [
        b"garbage",
        b"[]",
        b"[" * 100_000,
        b"{}",
        (
            b'{"segments": [{"start": -4, "end": 99999}], "title": 3, "created_at": null, "tags":'
            b' [], "private": 0, "remarks": []}'
        ),
    ],
    ids=["no JSON", "no object", "deep", "empty", "no text of its own"],
)
def test_a_text_that_is_none_is_made_again_from_its_original(
    node: Node, other: Node, tmp_path: Path, details: bytes
) -> None:
    document = node.library.add_text("The cello is of 1911.").document
    node.run_jobs()
    node.home.export(tmp_path / "all.zip", ExportOptions())
    bad = rebuilt(
        tmp_path / "all.zip",
        tmp_path / "bad.zip",
        **{f"texts/{document.id}/{node.ports.reader.version}.json": details},
    )
    other.home.take_in(bad)
    browser = create_app(other).test_client()
    shown = browser.get(
        f"/api/documents/{document.id}",
        headers={"Authorization": f"Bearer {other.ports.home.secret('api-token')}"},
    )
    assert shown.status_code == 200
    other.run_jobs()
    assert other.ports.documents.get(document.id).state is DocumentState.READY
    assert other.ports.files.text(
        document.sha256, other.ports.reader.version
    ) == node.ports.files.text(document.sha256, node.ports.reader.version)


def test_a_text_that_the_disk_damaged_is_made_again(node: Node, home: Path) -> None:
    document = node.library.add_text("The cello is of 1911.").document
    node.run_jobs()
    before = node.ports.files.text(document.sha256, node.ports.reader.version)
    (home / "files" / f"{document.sha256}.{node.ports.reader.version}.json").write_bytes(
        b'{"segments": ['
    )
    assert node.ports.files.text(document.sha256, node.ports.reader.version) is None
    assert "is missing" in " ".join(each.sentence for each in node.home.verify(repair=True))
    assert node.ports.files.text(document.sha256, node.ports.reader.version) == before


def test_an_archive_that_goes_while_they_are_listed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Node.open(tmp_path) as node:
        for name in ("one.zip", "two.zip"):
            (node.ports.home.exports / name).write_bytes(b"PK")
        found = Path.glob

        def glob(path: Path, pattern: str) -> list[Path]:
            listed = list(found(path, pattern))
            (node.ports.home.exports / "one.zip").unlink(missing_ok=True)
            return listed

        monkeypatch.setattr(Path, "glob", glob)
        assert [path.name for path in node.home.exported()] == ["two.zip"]
