"""Homes of earlier releases open with today's code, and a home of a newer one is left as it is."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store import sqlite
from lpm_kernel.backends.store.home.database import HEAD, NodeDatabase, migrate
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.errors import NewerHomeError
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.intake import NewDocument
from tests.integration.test_cli import lpm

HOMES = Path(__file__).parents[1] / "data" / "homes"
RELEASES = sorted(path.name.removesuffix(".tar.xz") for path in HOMES.glob("*.tar.xz"))


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest, home: Path) -> str:
    """The name of a release, whose frozen home lies in ``home``."""
    with tarfile.open(HOMES / f"{request.param}.tar.xz") as archive:
        archive.extractall(home, filter="data")
    return str(request.param)


@pytest.fixture
def opened(release: str, home: Path) -> Iterator[tuple[Node, dict[str, Any]]]:
    """That home opened by today's code, its waiting work done, and what the release itself said of
    it.
    """
    with Node.open(
        home, model=ScriptedModel([(".", "I do not know.")]), embedder=HashingEmbedder()
    ) as node:
        node.reconcile()
        node.run_jobs()
        yield node, json.loads((HOMES / f"{release}.json").read_text("utf-8"))


def add(node: Node, name: str, text: str) -> DocumentId:
    return node.library.receive(NewDocument(name, text.encode())).document.id


def revision(home: Path) -> str:
    with sqlite3.connect(home / "node.db") as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def test_every_document_is_there_as_the_person_left_it(opened: tuple[Node, dict[str, Any]]) -> None:
    node, then = opened
    now = [
        {
            "id": d.id,
            "title": d.title,
            "name": d.name,
            "state": d.state.value,
            "private": d.private,
            "tags": list(d.tags),
            "sha256": d.sha256,
        }
        for d in node.ports.documents.all()
    ]
    for known, was in zip(now, then["documents"], strict=True):
        # nobody gave it one, so a later release may find a better one in it
        if was["title"] == Path(was["name"]).stem:
            was["title"] = known["title"]
        assert known == was
    assert node.ports.conversations.identity().languages == ("en", "ja")
    assert (
        node.ports.settings.language,
        node.ports.settings.theme,
        node.ports.settings.single_keys,
    ) == (
        "ja",
        "dark",
        False,
    )
    assert [key.name for key in node.ports.access.all_keys()] == ["an editor"]
    assert node.left().bytes == 1234


def test_recall_still_finds_what_it_found_first(opened: tuple[Node, dict[str, Any]]) -> None:
    node, then = opened
    names = {document.id: document.name for document in node.ports.documents.all()}
    for question, found in then["recall"].items():
        assert found[0] in [
            names[item.chunk.document] for item in node.memory.recall(question, k=5).items
        ], question


def test_conversations_open_with_the_words_that_they_cite(
    opened: tuple[Node, dict[str, Any]],
) -> None:
    node, then = opened
    browser = create_app(node).test_client()
    for known in then["conversations"]:
        answer = browser.get(
            f"/api/conversations/{known['id']}",
            headers={"Authorization": f"Bearer {node.ports.home.secret('api-token')}"},
        ).get_json()
        assert answer["title"] == known["title"]
        assert [
            {"role": t["role"], "text": t["text"], "quotes": [c["quote"] for c in t["citations"]]}
            for t in answer["items"]
        ] == known["turns"]
    assert any(turn["quotes"] for known in then["conversations"] for turn in known["turns"])


def test_it_is_brought_forward_once(opened: tuple[Node, dict[str, Any]], home: Path) -> None:
    node, _ = opened
    node.close()
    assert revision(home) == HEAD
    with Node.open(home, embedder=HashingEmbedder()) as again:
        assert again.reconcile() == 0
    assert revision(home) == HEAD


def test_who_spoke_in_a_chat_is_known_of_each_turn(home: Path) -> None:
    home.mkdir(exist_ok=True)
    engine = sqlite.open_engine(home / "node.db")
    migrate(engine, "0016")
    engine.dispose()
    at = "2026-03-14T09:00:00.000000+00:00"
    with sqlite3.connect(home / "node.db") as connection:
        for chat, role in (("v1", "coach"), ("v2", "")):
            connection.execute(
                "INSERT INTO conversation (id, title, created_at, updated_at, role) VALUES (?,"
                " 'Talk', ?, ?, ?)",
                (chat, at, at, role),
            )
            for turn, said, answers in (("q", "user", None), ("a", "assistant", f"{chat}q")):
                connection.execute(
                    "INSERT INTO turn (id, conversation, position, role, text, state, created_at,"
                    " parts, citations, evidence, abstained, answers, shown) VALUES (?, ?, 0, ?,"
                    " 'Hello.', 'done', ?, '[]', '[]', '[]', 0, ?, 1)",
                    (chat + turn, chat, said, at, answers),
                )
    with Node.open(home, embedder=HashingEmbedder()) as node:
        known = node.ports.conversations
        assert [known.get(ConversationId(each)).cast for each in ("v1", "v2")] == [("coach",), ()]
        assert [
            [turn.speaker for turn in known.turns(ConversationId(each))] for each in ("v1", "v2")
        ] == [["coach", "coach"], ["", ""]]
        assert known.spoken(ConversationId("v1")) == {"coach": 1}


def rows_of(database: Path, *tables: str) -> list[list[Any]]:
    with closing(sqlite3.connect(database)) as connection:
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()  # noqa: S608 - ours
            for table in tables
        ]


def test_tables_keep_their_rows_under_the_names_that_they_have_now(home: Path) -> None:
    home.mkdir(exist_ok=True)
    engine = sqlite.open_engine(home / "node.db")
    migrate(engine, "0023")
    engine.dispose()
    at = "2026-03-14T09:00:00.000000+00:00"
    with closing(sqlite3.connect(home / "node.db")) as connection, connection:
        connection.execute(
            "INSERT INTO document (id, title, name, kind, sha256, bytes, state, added_at, tags,"
            " private, keywords, summary, origin) VALUES ('d1', 'Day', 'day.md', 'markdown', 'ab',"
            " 9, 'ready', ?, '[]', 0, '[]', '[]', 'memory/day.md')",
            (at,),
        )
        connection.execute(
            "INSERT INTO belief (memory, number, document, start, end, kind, content, about,"
            " believed_from) VALUES ('m1', 1, 'd1', 0, 9, 'experience', 'I moved.', '[]', ?)",
            (at,),
        )
        connection.execute("INSERT INTO ruling VALUES ('r1', 'core', 'accepted', ?)", (at,))
        connection.execute("INSERT INTO departure VALUES (1, ?, 'elsewhere', 1234, 'model')", (at,))
        connection.execute(
            "INSERT INTO conversation (id, title, created_at, updated_at) VALUES ('v1', 'Rain', ?,"
            " ?)",
            (at, at),
        )
        connection.execute("INSERT INTO said VALUES ('v1', '', 'rain')")
    before = rows_of(home / "node.db", "belief", "ruling", "departure", "said")
    NodeDatabase(home / "node.db").close()
    assert before == rows_of(
        home / "node.db", "memory_version", "proposal_decision", "egress", "conversation_search"
    )
    with closing(sqlite3.connect(home / "node.db")) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        assert not {"belief", "ruling", "departure", "said"} & names
        assert not {name for name in names if name.startswith(("ix_belief", "ix_ruling"))}
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    database = NodeDatabase(home / "node.db")
    assert [each.statement.text for each in database.memories.history(MemoryId("m1"))] == [
        "I moved."
    ]
    assert [each.id for each in database.reflections.all_rulings()] == ["r1"]
    assert database.departures.total() == (1234, ["elsewhere"])
    database.close()


def test_an_index_whose_tables_had_other_names_is_not_made_anew(
    opened: tuple[Node, dict[str, Any]], home: Path
) -> None:
    node, _ = opened
    node.graph.draw()
    node.reflection.reflect(since="2000-01-01")
    node.close()
    before = rows_of(home / "index.db", "claim_extraction", "entity_position")
    assert all(before)
    with closing(sqlite3.connect(home / "index.db")) as connection, connection:
        connection.execute("ALTER TABLE claim_extraction RENAME TO looked")
        connection.execute("ALTER TABLE entity_position RENAME TO spot")
    Node.open(home, embedder=HashingEmbedder()).close()
    assert rows_of(home / "index.db", "claim_extraction", "entity_position") == before


def test_a_home_of_a_newer_release_is_refused_in_a_sentence_and_left_alone(home: Path) -> None:
    Node.open(home).close()
    with sqlite3.connect(home / "node.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerHomeError, match="newer release"):
        Node.open(home)
    said = lpm(home, "status")
    assert (said.returncode, said.stdout) == (1, "")
    assert "newer release" in said.stderr
    assert said.stderr.count("\n") == 1
    assert revision(home) == "9999"


@pytest.mark.parametrize("tag", ["Private", "health/private", "日記、秘密", "private,", "家・秘密"])
def test_what_was_under_a_tag_that_seals_is_sealed_by_the_upgrade(home: Path, tag: str) -> None:
    with tarfile.open(HOMES / f"{RELEASES[-1]}.tar.xz") as archive:
        archive.extractall(home, filter="data")
    with closing(sqlite3.connect(home / "node.db")) as database, database:
        (known,) = database.execute(
            "SELECT id FROM document WHERE NOT private ORDER BY id LIMIT 1"
        ).fetchone()
        database.execute("UPDATE document SET tags = ? WHERE id = ?", (json.dumps([tag]), known))
    with Node.open(home, model=ScriptedModel(), embedder=HashingEmbedder()) as node:
        assert node.ports.documents.get(known).private


def test_what_says_in_its_text_that_it_is_private_is_sealed_when_it_is_read_again(
    home: Path,
) -> None:
    with Node.open(home, model=ScriptedModel(), embedder=HashingEmbedder()) as node:
        said, plain = (
            add(node, f"lamp{number}.md", f"The lamp stands in the attic{tag}.")
            for number, tag in enumerate((" #plain", " #秘密"))
        )
        opened = add(node, "opened.md", "---\nprivate: true\n---\nThe lamp stands on the roof.")
        node.run_jobs()
        for each in (said, plain, opened):
            # as the release before left it
            node.ports.documents.change(each, private=False, text_version="text-2")
        node.reconcile()
        node.run_jobs()
        assert [node.ports.documents.get(each).private for each in (said, plain, opened)] == [
            False,
            True,
            False,
        ]
        assert {each.document: each.private for each in node.ports.index.labels()} == {
            said: False,
            plain: True,
            opened: False,
        }
        node.ports.documents.change(plain, private=False)  # the person opens it
        node.reconcile()
        node.run_jobs()
        assert not node.ports.documents.get(plain).private
