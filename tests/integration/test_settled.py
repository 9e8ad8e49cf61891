"""What the person struck, settled, dated and pinned goes along in an archive, is checked when it
comes in, and holds there.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.domain.memory.workspace import BIOGRAPHY
from lpm_kernel.errors import UnusableArchiveError
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.archive import FORMAT
from lpm_kernel.usecases.home.archive_export import ExportOptions
from tests.integration.test_archives import rebuilt

NOTES = {
    "2024-02-01.md": (
        "Aksel lives in Bergen. I rang Aksel on the quay in Bergen. I moved to Os in May 2023."
    ),
    "2025-06-01.md": ("Aksel lives in Oslo. I rang Aksel in Oslo. I work at the boatyard in Os."),
    "2025-07-01.md": (
        "Aksel pays 300 kroner for the boat shed. I paint the gate of the churchyard every May."
    ),
    "2025-08-01.md": (
        "Aksel pays 340 kroner for the boat shed. I learned to splice rope from my aunt."
    ),
}


@pytest.fixture
def other(tmp_path: Path, frozen_clock: FrozenClock) -> Iterator[Node]:
    with Node.open(
        tmp_path / "other", clock=frozen_clock, embedder=HashingEmbedder(), communities="louvain"
    ) as opened:
        yield opened


@pytest.fixture
def settled(node: Node, client: FlaskClient) -> Node:
    """A home with a page of which a line was struck, two disagreements that were settled, a line
    that was turned down, dates, a pin and a use.
    """
    node.ports.conversations.set_identity(Identity("Ida Strand", languages=("en",)))
    for name, text in NOTES.items():
        node.library.add_bytes(name, text.encode())
    node.workspace.append(
        "bank/world.md",
        "## Retain\n\n- B I keep the key of the boat shed. ^m00001\n- W @Mai: lives in Kobe"
        " ^m00002\n",
    )
    node.run_jobs()
    node.graph.draw()
    node.reflection.reflect()
    text = (node.workspace.folder.read(BIOGRAPHY) or b"").decode()
    struck = next(each for each in own_lines(text) if "the boatyard" in text[each.start : each.end])
    node.workspace.replace(BIOGRAPHY, text[struck.start : struck.end], "")
    node.run_jobs()
    node.reflection.reflect(since="2000-01-01")
    for each in client.get("/api/disagreements").get_json()["items"]:
        client.post(
            f"/api/disagreements/{each['id']}",
            json={"verdict": "changed" if each["reason"] == "place" else "second"},
        )
    (line,) = client.get("/api/core/proposals").get_json()["items"]
    client.post(f"/api/core/proposals/{line['id']}", json={"accept": False})
    client.patch(
        "/api/memories/m00002", json={"valid_until": "2023-01-01T00:00:00Z", "pinned": True}
    )
    client.get("/api/memories/m00001")
    return node


def state(node: Node) -> dict[str, object]:
    """Everything that was settled, the documents named by what they say."""
    words = {each.id: each.sha256 for each in node.ports.documents.everything()}
    node.ports.uses.write()
    return {
        "struck": sorted(
            (line.path, line.key, line.struck_at)
            for path in node.ports.reflections.paths()
            for line in node.ports.reflections.lines(path)
            if line.struck_at
        ),
        "lines": sorted(
            (line.key, line.section, len(line.evidence))
            for line in node.ports.reflections.lines(BIOGRAPHY)
        ),
        "rulings": sorted(
            (each.id, each.what, each.verdict, each.at)
            for each in node.ports.reflections.all_rulings()
        ),
        "dated": sorted(
            (each.quote, words[each.document], str(each.validity), each.ruling, each.at)
            for each in node.ports.validities.all()
        ),
        "pins": [each.memory for each in node.ports.holding.pins()],
        "uses": [(memory, day) for memory, _, day in node.ports.holding.all_uses()],
    }


def test_everything_that_was_settled_holds_in_the_copy(
    settled: Node, other: Node, tmp_path: Path
) -> None:
    settled.home.export(tmp_path / "all.zip", ExportOptions())
    other.home.take_in(tmp_path / "all.zip")
    other.run_jobs()
    before = state(settled)
    assert len(before["rulings"]) == 3  # type: ignore[arg-type]
    assert len(before["struck"]) == 1  # type: ignore[arg-type]
    assert len(before["dated"]) == 3  # type: ignore[arg-type]
    assert before["pins"] == ["m00002"]
    assert before["uses"]
    assert state(other) == before
    other.graph.draw()
    assert other.reflection.disagreements() == []
    assert other.reflection.core_lines() == []
    other.reflection.reflect(since="2000-01-01")
    assert "the boatyard" not in (other.workspace.folder.read(BIOGRAPHY) or b"").decode()
    other.home.take_in(tmp_path / "all.zip")  # doing it twice is doing it once
    assert state(other)["rulings"] == before["rulings"]


def test_without_what_is_private_nothing_of_it_goes_along(
    settled: Node, other: Node, client: FlaskClient, tmp_path: Path
) -> None:
    for each in settled.ports.documents.everything():
        if each.name == "2025-06-01.md":
            assert (
                client.patch(f"/api/documents/{each.id}", json={"private": True}).status_code == 200
            )
    settled.home.export(tmp_path / "open.zip", ExportOptions(private=False))
    with zipfile.ZipFile(tmp_path / "open.zip") as archive:
        rows = [json.loads(line) for line in archive.read("settled.jsonl").splitlines()]
    assert not any("Oslo" in json.dumps(row) or "the boatyard" in json.dumps(row) for row in rows)
    assert {row["row"] for row in rows} >= {"line", "validity", "pin"}
    other.home.take_in(tmp_path / "open.zip")


def test_an_archive_of_before_comes_in_as_ever(settled: Node, other: Node, tmp_path: Path) -> None:
    settled.home.export(tmp_path / "all.zip", ExportOptions())
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        names = [name for name in archive.namelist() if name != "manifest.json"]
    rebuilt(tmp_path / "all.zip", tmp_path / "old.zip", **{"settled.jsonl": None})
    with zipfile.ZipFile(tmp_path / "old.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        members = {name: archive.read(name) for name in names if name != "settled.jsonl"}
    with zipfile.ZipFile(tmp_path / "older.zip", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        archive.writestr("manifest.json", json.dumps({**manifest, "format": FORMAT - 1}))
    assert other.home.take_in(tmp_path / "older.zip").documents == settled.ports.documents.count()
    assert other.ports.reflections.all_rulings() == []


@pytest.mark.parametrize(
    "row",
    [
        {"row": "rumour"},
        {
            "row": "ruling",
            "id": "../x",
            "what": "core",
            "verdict": "accepted",
            "at": "2025-01-01T00:00:00+00:00",
        },
        {
            "row": "ruling",
            "id": "a" * 24,
            "what": "core",
            "verdict": "first",
            "at": "2025-01-01T00:00:00+00:00",
        },
        {"row": "ruling", "id": "a" * 24, "what": "core", "verdict": "accepted", "at": "yesterday"},
        {"row": "pin", "memory": 3, "document": "d_1", "at": "2025-01-01T00:00:00+00:00"},
        {"row": "use", "memory": "m1", "document": "d_1"},
        {"row": "line", "path": "../outside.md", "evidence": []},
        {
            "row": "line",
            "path": "bank/a.md",
            "evidence": [{"document": "d_1", "text_version": "text-1", "start": -1, "end": 4}],
        },
        {
            "row": "validity",
            "id": "m1",
            "document": "d_1",
            "start": 0,
            "end": 4,
            "validity": ["2025-01-01T00:00:00+00:00", "2024-01-01T00:00:00+00:00"],
        },
        {"row": "validity", "id": "m1", "document": "d_1", "start": 0, "end": 4, "validity": []},
    ],
)
def test_a_row_that_this_release_does_not_know_is_a_sentence(
    settled: Node, other: Node, tmp_path: Path, row: dict[str, object]
) -> None:
    settled.home.export(tmp_path / "all.zip", ExportOptions())
    bad = (
        json.dumps(row)
        .replace('"d_1"', json.dumps(settled.ports.documents.everything()[0].id))
        .encode()
        + b"\n"
    )
    rebuilt(tmp_path / "all.zip", tmp_path / "bad.zip", **{"settled.jsonl": bad})
    with pytest.raises(UnusableArchiveError, match="does not know"):
        other.home.take_in(tmp_path / "bad.zip")
    assert not (tmp_path / "outside.md").exists()
