"""Verify finds every kind of damage, and repairs what can be repaired."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.errors import CorruptHomeError
from lpm_kernel.node import Node
from tests.integration.test_erasing import say
from tests.integration.test_node import answers
from tests.lives import SAMPLE


def states(node: Node, *, repair: bool = False) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in node.home.verify(repair=repair):
        found.setdefault(each.area, set()).add(each.state)
    return found


def lived(node: Node, client: FlaskClient, scripted: ScriptedModel) -> Document:
    scripted.script = ScriptedModel(
        [("workshop", "I moved the workshop from Higashiyama to Teramachi on 6 April 2024.")]
    ).script
    for path in sorted((SAMPLE / "memory").glob("2024-0[1-5]*.md")):
        node.library.add_bytes(path.name, path.read_bytes())
    node.run_jobs()
    say(client, "When did I move the workshop?")
    node.home.back_up()
    return next(
        document for document in node.ports.documents.all() if document.name == "2024-04-06.md"
    )


def test_a_home_in_order_is_fine(node: Node, client: FlaskClient, scripted: ScriptedModel) -> None:
    lived(node, client, scripted)
    assert set(states(node)) == {"database", "originals", "index", "citations", "audit"}
    assert set().union(*states(node).values()) == {"fine"}


def test_archives_pictures_and_recordings_are_in_order_too(node: Node) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a.md", "The cello is of 1911.")
    node.library.add_bytes("some.zip", made.getvalue())
    node.library.add_bytes(
        "talk.mp3", b"ID3\x04\x00\x00\x00\x00\x00\x00" + b"\xff\xfb\x90\x00" * 200
    )
    node.library.add_bytes("dot.gif", b"GIF89a\x01\x00\x01\x00\x00\x00\x00;")
    node.run_jobs()
    assert {each.state.value for each in node.ports.documents.all()} == {"ready"}
    assert [each.sentence for each in node.home.verify() if each.state != "fine"] == []


def overwrite(node: Node, document: Document) -> None:
    path = node.ports.home.files / document.sha256
    path.unlink()  # a backup shares the file, so it is replaced rather than written into
    path.write_bytes(b"garbage")


DAMAGE: dict[str, Callable[[Node, Document], object]] = {
    "an original is missing": lambda node, document: (
        node.ports.home.files / document.sha256
    ).unlink(),
    "an original is damaged": overwrite,
    "a text is missing": (
        lambda node, document: (
            node.ports.home.files / f"{document.sha256}.{document.text_version}.txt"
        ).unlink()
    ),
    "a text is damaged": (
        lambda node, document: (
            node.ports.home.files / f"{document.sha256}.{document.text_version}.txt"
        ).write_text("garbage")
    ),
    "the parts of a text are damaged": (
        lambda node, document: (
            node.ports.home.files / f"{document.sha256}.{document.text_version}.json"
        ).write_text("garbage")
    ),
    "a document is not in the index": lambda node, document: node.ports.index.remove(document.id),
    "the index says something else": lambda node, _document: _sql(
        node, "UPDATE chunk SET text = 'garbage' WHERE text LIKE '%6 April 2024%'"
    ),
    "vectors are missing": lambda node, _document: _sql(
        node, "DELETE FROM vector WHERE rowid IS NULL OR hash IN (SELECT hash FROM chunk LIMIT 3)"
    ),
}


def _sql(node: Node, change: str) -> None:
    with sqlite3.connect(node.ports.home.index_db) as connection:
        connection.execute(change.replace("rowid IS NULL OR ", ""))


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named_and_repaired(
    node: Node,
    client: FlaskClient,
    scripted: ScriptedModel,
    damage: Callable[[Node, Document], object],
) -> None:
    document = lived(node, client, scripted)
    before = answers(node)
    damage(node, document)
    assert set().union(*states(node).values()) & {"look", "damaged"}
    assert "repaired" in set().union(*states(node, repair=True).values())
    node.run_jobs()
    assert set().union(*states(node).values()) == {"fine"}
    assert answers(node) == before


def test_an_original_that_no_backup_has_is_named_with_what_to_do(node: Node) -> None:
    document = node.library.add_text("The cello is of 1911.", title="Cello").document
    node.run_jobs()
    (node.ports.home.files / document.sha256).unlink()
    (found,) = [each for each in node.home.verify(repair=True) if each.state == "damaged"]
    assert found.document == document.id
    assert "Add the file again" in found.hint


def test_a_broken_audit_chain_is_named(node: Node) -> None:
    node.ports.change_settings(theme="dark")
    node.ports.change_settings(theme="light")
    with sqlite3.connect(node.ports.home.node_db) as connection:
        connection.execute("DROP TRIGGER audit_no_update")
        connection.execute("UPDATE audit SET facts = '{}' WHERE number = 1")
    (found,) = [each for each in node.home.verify() if each.state == "damaged"]
    assert (found.area, "Entry 1" in found.sentence) == ("audit", True)


def test_a_citation_whose_text_is_gone_is_counted(
    node: Node, client: FlaskClient, scripted: ScriptedModel
) -> None:
    lived(node, client, scripted)
    with sqlite3.connect(node.ports.home.node_db) as connection:
        connection.execute(
            "UPDATE turn SET citations = replace(citations, '\"start\": ', '\"start\": 1')"
        )
    assert "look" in states(node)["citations"]


def test_what_happens_to_the_home_is_written_down_without_words_or_secrets(
    node: Node, client: FlaskClient
) -> None:
    key = client.post(
        "/api/keys", json={"name": "my diary program", "scopes": ["recall"]}
    ).get_json()
    client.delete(f"/api/keys/{key['id']}")
    client.put("/api/settings", json={"language": "ja", "theme": "dark", "single_keys": True})
    node.ports.departures.record(node.ports.clock.now(), "models.example", 1200, "model")
    node.home.back_up()
    entries = list(node.ports.audit.all())
    assert [entry.kind for entry in entries] == [
        "key-created",
        "key-revoked",
        "settings-changed",
        "left",
        "backed-up",
    ]
    facts = " ".join(entry.facts for entry in entries)
    assert "diary" not in facts
    assert key["key"] not in facts
    assert '"settings":["language","single_keys","theme"]' in facts


def flip_bytes(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(3 * 4096, 3 * 4096 + 300):
        data[at] ^= 0x5A
    path.write_bytes(data)


def test_a_database_with_flipped_bytes_is_not_worked_with(node: Node, home: Path) -> None:
    node.library.add_text("The cello is of 1911.")
    node.close()
    flip_bytes(home / "node.db")
    with pytest.raises(CorruptHomeError, match="parts of it cannot be read"):
        Node.open(home, clock=node.ports.clock, embedder=HashingEmbedder())


def test_an_index_with_flipped_bytes_is_made_anew(node: Node, home: Path) -> None:
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    node.close()
    flip_bytes(home / "index.db")
    with Node.open(home, clock=node.ports.clock, embedder=HashingEmbedder()) as again:
        assert again.ports.index.fresh
        again.reconcile()
        again.run_jobs()
        assert [item.chunk.text for item in again.memory.recall("cello").items] == [
            "The cello is of 1911."
        ]
        assert [each for each in again.home.verify() if each.state != "fine"] == []


def test_entries_taken_off_the_end_together_with_the_note_of_them(node: Node, home: Path) -> None:
    for _ in range(3):
        node.ports.change_settings(theme="dark")
    with closing(sqlite3.connect(home / "node.db")) as database:
        for (trigger,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute("DELETE FROM audit WHERE number = 3")
        database.commit()
    (home / "audit.json").unlink()
    broken = node.home.first_break()
    assert broken is not None
    assert broken.number == 3
