"""Letting go and bringing back, folders, tags, filters, and many documents at once: through Flask's
own client, on a real home.
"""

from __future__ import annotations

import io
import unicodedata
import zipfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.errors import NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.usecases.home import access
from lpm_kernel.usecases.home.archive_export import ExportOptions
from lpm_kernel.usecases.library.documents import AWAY_DAYS
from lpm_kernel.usecases.library.intake import NewDocument

COATS = "First coats of oil varnish on Ottilie's cello: 9, 19 and 29 August 2025."
GOUGE = "The lost gouge was behind the piano."


def add(
    node: Node,
    name: str,
    text: str,
    *,
    tags: Sequence[str] = (),
    private: bool = False,
    folder: str = "",
    created_at: datetime | None = None,
) -> Document:
    new = NewDocument(name, text.encode(), None, created_at, tuple(tags), private, folder=folder)
    document = node.library.receive(new).document
    node.run_jobs()
    return node.ports.documents.get(document.id)


def found(client: FlaskClient, query: str, **more: object) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.post(
        "/api/recall", json={"query": query, **more}
    ).get_json()["items"]
    return items


def listed(client: FlaskClient, query: str = "") -> list[str]:
    return [each["name"] for each in client.get(f"/api/documents?{query}").get_json()["items"]]


def program(node: Node, *scopes: str) -> FlaskClient:
    """A client of another program, with a key of these scopes."""
    _, key = access.create_key(node.ports.access, node.ports.clock, "a program", scopes)
    browser: FlaskClient = create_app(node).test_client()
    browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {key}"
    return browser


class TestLettingGo:
    def test_what_was_deleted_comes_back_whole_and_recall_answers_the_same(
        self, node: Node, client: FlaskClient
    ) -> None:
        kept = add(node, "coats.md", COATS, tags=["bench"], private=True, folder="letters/2025")
        add(node, "gouge.md", GOUGE)
        before = found(client, "varnish on the cello")
        assert client.delete(f"/api/documents/{kept.id}").status_code == 204
        assert client.get(f"/api/documents/{kept.id}").status_code == 404
        assert listed(client) == ["gouge.md"]
        assert all(
            item["document"]["id"] != kept.id for item in found(client, "varnish on the cello")
        )
        back = client.post(f"/api/documents/{kept.id}/restore").get_json()
        assert back["job"]["kind"] == "ingest"
        node.run_jobs()
        assert node.ports.documents.get(kept.id) == kept
        assert found(client, "varnish on the cello") == before

    def test_vectors_wait_for_what_may_come_back(self, node: Node, client: FlaskClient) -> None:
        kept = add(node, "coats.md", COATS)
        vectors = node.ports.index.counts().vectors
        client.delete(f"/api/documents/{kept.id}")
        assert (node.ports.index.counts().chunks, node.ports.index.counts().vectors) == (0, vectors)

    def test_it_is_listed_with_the_day_on_which_it_goes(
        self, node: Node, client: FlaskClient, frozen_clock: FrozenClock
    ) -> None:
        kept = add(node, "coats.md", COATS)
        client.delete(f"/api/documents/{kept.id}")
        (row,) = client.get("/api/documents?deleted=true").get_json()["items"]
        assert row["id"] == kept.id
        assert datetime.fromisoformat(row["goes_at"]) == frozen_clock.now() + timedelta(
            days=AWAY_DAYS
        )
        assert client.get("/api/documents/counts?deleted=true").get_json()["total"] == 1
        assert client.get(f"/api/documents/{row['id']}").status_code == 404
        shown = client.get(f"/api/documents/{row['id']}?deleted=true").get_json()
        assert (shown["title"], shown["goes_at"]) == (row["title"], row["goes_at"])

    def test_after_thirty_days_nothing_of_it_is_left(
        self, node: Node, client: FlaskClient, frozen_clock: FrozenClock
    ) -> None:
        kept = add(node, "coats.md", COATS)
        add(node, "gouge.md", GOUGE)
        client.delete(f"/api/documents/{kept.id}")
        frozen_clock.advance(timedelta(days=AWAY_DAYS) - timedelta(minutes=1))
        node.reconcile()
        assert client.get("/api/documents?deleted=true").get_json()["items"]
        frozen_clock.advance(timedelta(minutes=2))
        node.reconcile()
        assert client.get("/api/documents?deleted=true").get_json()["items"] == []
        assert kept.sha256 not in node.ports.files.kept()
        assert node.ports.index.counts().vectors == 1
        assert client.post(f"/api/documents/{kept.id}/restore").status_code == 404

    def test_adding_the_same_bytes_brings_it_back(self, node: Node, client: FlaskClient) -> None:
        kept = add(node, "coats.md", COATS, tags=["bench"])
        client.delete(f"/api/documents/{kept.id}")
        answer = client.post(
            "/api/documents", data={"file": (io.BytesIO(COATS.encode()), "again.md")}
        )
        assert (answer.status_code, answer.get_json()["document"]["id"]) == (202, kept.id)
        node.run_jobs()
        assert node.ports.documents.get(kept.id) == kept

    def test_what_is_deleted_while_it_is_read_is_neither_found_nor_lost(
        self, node: Node, client: FlaskClient
    ) -> None:
        coming = node.library.add_bytes("coats.md", COATS.encode()).document

        def meanwhile(_share: float, step: str, _message: str) -> None:
            if step == "index":
                client.delete(f"/api/documents/{coming.id}")

        with pytest.raises(NotFoundError):
            node.library.ingest(coming.id, meanwhile)
        assert found(client, "varnish") == []
        client.post(f"/api/documents/{coming.id}/restore")
        node.run_jobs()
        assert len(found(client, "varnish")) == 1

    def test_its_work_ends_with_it_and_it_is_not_tried_again(
        self, node: Node, client: FlaskClient
    ) -> None:
        coming = node.library.add_bytes("coats.md", COATS.encode())
        assert coming.job is not None
        client.delete(f"/api/documents/{coming.document.id}")
        assert node.ports.jobs.get(coming.job.id).state is JobState.CANCELLED
        assert client.post(f"/api/jobs/{coming.job.id}/retry").status_code == 404
        assert node.library.retry_failed() == []

    def test_a_crash_before_the_index_was_told_is_mended(
        self, node: Node, client: FlaskClient
    ) -> None:
        kept = add(node, "coats.md", COATS)
        node.ports.documents.put_away([kept.id], node.ports.clock.now())
        assert found(client, "varnish") == []
        node.reconcile()
        assert node.ports.index.counts().chunks == 0
        assert kept.sha256 in node.ports.files.kept()

    def test_erasing_reaches_what_was_put_away(self, node: Node, client: FlaskClient) -> None:
        kept = add(node, "coats.md", COATS)
        client.delete(f"/api/documents/{kept.id}")
        token = client.post("/api/erasures", json={"documents": [kept.id]}).get_json()["token"]
        client.post(f"/api/erasures/{token}/confirm")
        node.run_jobs()
        assert node.ports.files.kept() == set()
        assert (node.ports.documents.everything(), node.ports.index.counts().vectors) == ([], 0)

    def test_verify_watches_its_original_and_misses_no_passages(
        self, node: Node, client: FlaskClient
    ) -> None:
        kept = add(node, "coats.md", COATS)
        client.delete(f"/api/documents/{kept.id}")
        assert {each.state for each in node.home.verify()} == {"fine"}
        (node.ports.home.files / kept.sha256).write_bytes(b"damaged")
        assert [each.document for each in node.home.verify() if each.state == "damaged"] == [
            kept.id
        ]

    def test_reindexing_leaves_it_alone(self, node: Node, client: FlaskClient) -> None:
        kept = add(node, "coats.md", COATS)
        client.delete(f"/api/documents/{kept.id}")
        assert node.reconcile() == 0
        node.run_jobs()
        assert node.ports.index.counts().chunks == 0

    def test_an_archive_leaves_it_behind_and_a_backup_keeps_it(
        self, node: Node, client: FlaskClient, tmp_path: Path
    ) -> None:
        kept = add(node, "coats.md", COATS)
        client.delete(f"/api/documents/{kept.id}")
        assert node.home.export(tmp_path / "out.zip", ExportOptions())["documents"] == 0
        node.home.back_up()
        node.home.restore("newest", tmp_path / "copy")
        with Node.open(
            tmp_path / "copy", embedder=None, clock=node.ports.clock, in_process=False
        ) as copy:
            assert [each.id for each in copy.ports.documents.everything()] == [kept.id]
            assert copy.ports.files.original(kept.sha256) == COATS.encode()

    def test_an_import_brings_it_back(
        self, node: Node, client: FlaskClient, tmp_path: Path
    ) -> None:
        kept = add(node, "coats.md", COATS, folder="bench")
        node.home.export(tmp_path / "out.zip", ExportOptions())
        client.delete(f"/api/documents/{kept.id}")
        node.home.take_in(tmp_path / "out.zip")
        node.run_jobs()
        assert node.ports.documents.get(kept.id).folder == "bench"
        assert found(client, "varnish")

    def test_a_program_learns_nothing_of_what_was_deleted(
        self, node: Node, client: FlaskClient
    ) -> None:
        kept = add(node, "coats.md", COATS, private=True)
        client.delete(f"/api/documents/{kept.id}")
        other = program(node, "recall", "write")
        assert other.get("/api/documents?deleted=true").get_json()["items"] == []
        assert other.get("/api/documents/counts?deleted=true").get_json()["total"] == 0
        assert {
            other.get(f"/api/documents/{each.id}?deleted=true").status_code
            for each in node.ports.documents.everything()
            if each.deleted_at
        } == {404}
        assert other.post(f"/api/documents/{kept.id}/restore").status_code == 404
        assert (
            other.post("/api/documents/bulk", json={"ids": [kept.id], "restore": True}).get_json()[
                "done"
            ]
            == 0
        )


class TestFoldersAndFilters:
    @pytest.fixture
    def shelf(self, node: Node) -> Node:
        add(
            node,
            "a.md",
            COATS,
            folder="letters/2024",
            tags=["bench", "varnish"],
            created_at=node.ports.clock.now() - timedelta(days=400),
        )
        add(
            node,
            "b.md",
            GOUGE,
            folder="letters",
            tags=["bench"],
            private=True,
            created_at=node.ports.clock.now(),
        )
        add(node, "c.txt", "Hide glue keeps a fortnight in the cold. " * 9, folder="Letters")
        add(node, "d.csv", "bird,count\nwren,4\n", tags=["walks"])
        return node

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ("folder=letters", {"a.md", "b.md"}),
            ("folder=letters/2024", {"a.md"}),
            ("folder=/", {"d.csv"}),
            ("tag=bench&tag=varnish", {"a.md"}),
            ("kind=table&kind=text", {"c.txt", "d.csv"}),
            ("private=true", {"b.md"}),
            ("private=false&kind=markdown", {"a.md"}),
            ("since=30d", {"b.md"}),
            ("until=30d", {"a.md"}),
            ("state=failed", set()),
            ("q=.MD", {"a.md", "b.md"}),
        ],
    )
    @pytest.mark.usefixtures("shelf")
    def test_each_filter_finds_what_it_says(
        self, client: FlaskClient, query: str, names: set[str]
    ) -> None:
        assert set(listed(client, query)) == names
        assert client.get(f"/api/documents/counts?{query}").get_json()["total"] == len(names)

    @pytest.mark.usefixtures("shelf")
    def test_counts_say_what_another_choice_would_give(self, client: FlaskClient) -> None:
        counts = client.get("/api/documents/counts?kind=markdown").get_json()
        assert counts["kinds"] == {"markdown": 2, "text": 1, "table": 1}
        assert counts["tags"] == {"bench": 2, "varnish": 1}
        assert counts["folders"] == {"letters/2024": 1, "letters": 1}
        assert (counts["total"], counts["private"]) == (2, 1)

    @pytest.mark.parametrize("sort", ["added", "created", "title", "size"])
    @pytest.mark.parametrize("order", ["asc", "desc"])
    @pytest.mark.usefixtures("shelf")
    def test_pages_of_every_order_hold_each_document_once(
        self, client: FlaskClient, sort: str, order: str
    ) -> None:
        whole = listed(client, f"sort={sort}&order={order}")
        seen: list[str] = []
        cursor = ""
        while True:
            page = client.get(
                f"/api/documents?sort={sort}&order={order}&limit=1{cursor}"
            ).get_json()
            seen += [each["name"] for each in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert seen == whole
        assert sorted(seen) == ["a.md", "b.md", "c.txt", "d.csv"]
        assert listed(client, f"sort={sort}&order={order}&limit=2&offset=1") == whole[1:3]

    @pytest.mark.usefixtures("shelf")
    def test_what_has_no_date_comes_last_either_way(self, client: FlaskClient) -> None:
        assert listed(client, "sort=created&order=asc")[:2] == ["a.md", "b.md"]
        assert listed(client, "sort=created&order=desc")[:2] == ["b.md", "a.md"]

    @pytest.mark.usefixtures("shelf")
    def test_a_cursor_of_another_order_is_refused(self, client: FlaskClient) -> None:
        cursor = client.get("/api/documents?sort=title&limit=1").get_json()["next_cursor"]
        assert client.get(f"/api/documents?sort=size&cursor={cursor}").status_code == 422
        assert client.get(f"/api/documents?sort=title&order=asc&cursor={cursor}").status_code == 422

    def test_a_program_counts_nothing_private(self, shelf: Node) -> None:
        other = program(shelf, "recall")
        assert set(listed(other)) == {"a.md", "c.txt", "d.csv"}
        assert listed(other, "private=true") == []
        counts = other.get("/api/documents/counts").get_json()
        assert (counts["total"], counts["private"], counts["tags"]["bench"]) == (3, 0, 1)

    def test_what_came_in_an_archive_lies_where_it_lay_there(
        self, node: Node, client: FlaskClient
    ) -> None:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("memory/2025/a.md", COATS)
            archive.writestr("../../b.md", GOUGE)
        whole = node.library.receive(NewDocument("life.zip", out.getvalue(), folder="old")).document
        node.run_jobs()
        assert {each.name: each.folder for each in node.ports.documents.all()} == {
            "life.zip": "old",
            "a.md": "old/life/memory/2025",
            "b.md": "old/life",
        }
        assert set(listed(client, f"parent={whole.id}")) == {"a.md", "b.md"}

    def test_a_path_that_a_file_came_by_becomes_its_folder(self, client: FlaskClient) -> None:
        answer = client.post(
            "/api/documents",
            data={"file": (io.BytesIO(COATS.encode()), "a.md"), "folder": "../letters//2024/"},
        )
        assert answer.get_json()["document"]["folder"] == "letters/2024"
        made = answer.get_json()["document"]["id"]
        assert (
            client.patch(f"/api/documents/{made}", json={"folder": "bench"}).get_json()["folder"]
            == "bench"
        )
        assert (
            client.patch(f"/api/documents/{made}", json={"folder": "/".join("a" * 30)}).status_code
            == 422
        )


class TestManyAtOnce:
    def test_labels_change_in_recall_too_and_go_back(self, node: Node, client: FlaskClient) -> None:
        ids = [
            add(node, "a.md", COATS, tags=["old"], folder="x").id,
            add(node, "b.md", GOUGE, tags=["old", "own"]).id,
        ]
        done = client.post(
            "/api/documents/bulk",
            json={
                "ids": ids,
                "add_tags": ["new"],
                "remove_tags": ["old"],
                "folder": "bench/2025",
                "private": True,
            },
        ).get_json()
        assert (done["done"], set(done["ids"])) == (2, set(ids))
        assert [each.tags for each in node.ports.documents.many(ids)] == [("new",), ("own", "new")]
        assert [item["document"]["id"] for item in found(client, "gouge", tags=["own"])] == [ids[1]]
        assert found(client, "varnish", tags=["old"]) == []
        assert found(program(node, "recall"), "varnish") == []
        assert (
            client.post("/api/documents/bulk", json={"put_back": done["before"]}).get_json()["done"]
            == 2
        )
        assert {(each.tags, each.folder, each.private) for each in node.ports.documents.all()} == {
            (("old",), "x", False),
            (("old", "own"), "", False),
        }
        assert found(client, "varnish", tags=["old"])

    def test_what_a_filter_finds_goes_and_comes_back(self, node: Node, client: FlaskClient) -> None:
        for number in range(5):
            node.library.add_bytes(
                f"{number}.md",
                f"{GOUGE} {number}".encode(),
                tags=["even" if number % 2 == 0 else "odd"],
            )
        node.run_jobs()
        before = found(client, "gouge")
        done = client.post(
            "/api/documents/bulk", json={"filter": {"tag": ["even"]}, "delete": True}
        ).get_json()
        assert done["done"] == 3
        assert {item["document"]["title"] for item in found(client, "gouge")} == {"1", "3"}
        assert (
            client.post(
                "/api/documents/bulk", json={"ids": done["ids"], "restore": True}
            ).get_json()["done"]
            == 3
        )
        node.run_jobs()
        assert {item["id"]: item["score"] for item in found(client, "gouge")} == {
            item["id"]: item["score"] for item in before
        }

    def test_what_could_not_be_read_is_tried_again(self, node: Node, client: FlaskClient) -> None:
        broken = node.library.add_bytes("a.pdf", b"%PDF-1.4 nothing").document
        node.run_jobs()
        assert node.ports.documents.get(broken.id).state == "failed"
        assert client.post(
            "/api/documents/bulk", json={"filter": {"state": ["failed"]}, "retry": True}
        ).get_json()["ids"] == [broken.id]
        assert node.ports.documents.get(broken.id).state == "received"

    @pytest.mark.parametrize(
        "body",
        [
            {"ids": []},
            {"ids": [], "filter": {}, "private": True},
            {"private": True},
            {"ids": [], "delete": True, "restore": True},
            {"ids": [], "delete": True, "add_tags": ["a"]},
            {"put_back": [], "private": True},
            {"ids": ["x"], "add_tags": ["a" * 61]},
            {"filter": {"kind": ["novel"]}, "private": True},
        ],
    )
    def test_what_is_not_one_thing_is_refused_in_words(
        self, node: Node, client: FlaskClient, body: dict[str, object]
    ) -> None:
        add(node, "a.md", COATS)
        body = (
            {**body, "ids": [node.ports.documents.all()[0].id]}
            if body.get("ids") == ["x"]
            else body
        )
        answer = client.post("/api/documents/bulk", json=body)
        assert answer.status_code == 422
        assert answer.get_json()["hint"]
        assert node.ports.documents.all()[0].tags == ()

    def test_a_program_changes_nothing_private(self, node: Node) -> None:
        sealed = add(node, "a.md", COATS, private=True)
        other = program(node, "write")
        assert (
            other.post("/api/documents/bulk", json={"ids": [sealed.id], "delete": True}).get_json()[
                "done"
            ]
            == 0
        )
        assert (
            other.post("/api/documents/bulk", json={"filter": {}, "add_tags": ["x"]}).get_json()[
                "done"
            ]
            == 0
        )
        assert (
            other.post(
                "/api/documents/bulk",
                json={"put_back": [{"id": sealed.id, "tags": [], "folder": "", "private": False}]},
            ).get_json()["done"]
            == 0
        )
        assert node.ports.documents.get(sealed.id) == sealed


class TestWhatWasDecided:
    def test_goes_and_comes_back_with_the_document_and_with_the_correction(
        self, node: Node, client: FlaskClient
    ) -> None:
        kept = add(node, "coats.md", COATS)
        made = client.post(
            "/api/findings",
            json={
                "document": kept.id,
                "start": 0,
                "end": len(COATS),
                "decision": "mend",
                "content": "Four coats.",
            },
        ).get_json()
        node.run_jobs()
        (correction,) = [each.id for each in node.ports.documents.all() if each.id != kept.id]
        for each in (kept.id, correction):
            client.delete(f"/api/documents/{each}")
            assert client.get("/api/findings?decided=true").get_json()["items"] == []
            client.post(f"/api/documents/{each}/restore")
            node.run_jobs()
            assert [
                one["id"] for one in client.get("/api/findings?decided=true").get_json()["items"]
            ] == [made["id"]]

    def test_a_correction_is_sealed_with_many_others(self, node: Node, client: FlaskClient) -> None:
        kept = add(node, "coats.md", COATS)
        client.post(
            "/api/findings",
            json={
                "document": kept.id,
                "start": 0,
                "end": len(COATS),
                "decision": "mend",
                "content": "Four coats.",
            },
        )
        node.run_jobs()
        client.post("/api/documents/bulk", json={"ids": [kept.id], "private": True})
        assert [each.private for each in node.ports.documents.all()] == [True, True]
        assert found(program(node, "recall"), "coats") == []


class TestSearching:
    """What the body of recall in API.md promises, where it can hold now."""

    @pytest.fixture
    def life(self, node: Node) -> dict[str, Document]:
        chat = (
            '{"speaker": "Ottilie", "text": "The varnish is dry."}\n{"speaker": "Jonas", "text":'
            ' "Is the varnish dry?"}\n'
        )
        return {
            "coats": add(
                node,
                "coats.md",
                COATS,
                tags=["bench"],
                folder="bench/2025",
                created_at=datetime(2025, 8, 30, 12).astimezone(),
            ),
            "letter": add(
                node,
                "letter.txt",
                "We met Ottilie about the varnish.",
                folder="letters",
                private=True,
                created_at=datetime(2024, 1, 5, 12).astimezone(),
            ),
            "chat": add(node, "chat.jsonl", chat),
        }

    @pytest.mark.parametrize(
        ("asked", "names"),
        [
            ({}, {"coats", "letter", "chat"}),
            ({"kinds": ["passage", "world"]}, {"coats", "letter", "chat"}),
            ({"document_kinds": ["text"]}, {"letter"}),
            ({"document_kinds": ["mail"]}, set()),
            ({"tags": ["bench", "nothing"]}, {"coats"}),
            ({"folder": "bench"}, {"coats"}),
            ({"folder": "/"}, {"chat"}),
            ({"entities": ["ottilie"]}, {"coats", "letter", "chat"}),
            ({"entities": ["Jonas"]}, {"chat"}),
            ({"entities": ["Nobody"]}, set()),
            ({"as_of": "2024-12-31T00:00:00+00:00"}, {"letter"}),
            ({"as_of": "2025-12-31T00:00:00+00:00", "since": "2025-01-01"}, {"coats"}),
            ({"until": "2024-12-31"}, {"letter"}),
        ],
    )
    def test_each_field_narrows_what_is_found(
        self,
        client: FlaskClient,
        life: dict[str, Document],
        asked: dict[str, object],
        names: set[str],
    ) -> None:
        ids = {life[name].id for name in names}
        assert {item["document"]["id"] for item in found(client, "varnish", **asked)} == ids

    @pytest.mark.usefixtures("life")
    @pytest.mark.usefixtures("life")
    def test_matched_words_are_marked_where_they_stand(self, client: FlaskClient) -> None:
        for item in found(client, "varnishes of the cello", explain=True):
            marked = [
                item["content"][each["start"] : each["end"]].casefold() for each in item["marks"]
            ]
            assert marked
            assert set(marked) <= {"varnish", "cello"}

    @pytest.mark.usefixtures("life")
    def test_a_word_is_found_while_it_is_typed_and_a_finished_question_ranks_as_ever(
        self, client: FlaskClient
    ) -> None:
        assert (
            found(client, "varn", tags=["bench"]) == []
            or "varnish" not in found(client, "varn", explain=True)[0]["matched"]
        )
        first = found(client, "oil on Ottilie's cel", typing=True, explain=True)[0]
        assert first["document"]["title"] == "coats"
        assert "cello" in [first["content"][each["start"] : each["end"]] for each in first["marks"]]
        whole = found(client, "varnish on the cello. ")
        assert [item["id"] for item in found(client, "varnish on the cello. ", typing=True)] == [
            item["id"] for item in whole
        ]

    @pytest.mark.usefixtures("life")
    def test_names_are_suggested_and_those_of_sealed_documents_to_their_owner_alone(
        self, node: Node, client: FlaskClient
    ) -> None:
        mine = {
            each["name"]: each for each in client.get("/api/recall/names?q=ott").get_json()["items"]
        }
        assert (mine["Ottilie"]["passages"], mine["Ottilie"]["speaks"]) == (3, True)
        theirs = program(node, "recall").get("/api/recall/names?q=ott").get_json()["items"]
        assert [each["passages"] for each in theirs] == [2]
        assert found(program(node, "recall"), "varnish", folder="letters") == []


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        ("Österreich im Sommer", "österreich"),
        ("Москва", "москва"),
        ("プール日記", unicodedata.normalize("NFD", "プール")),
        ("ＡＢＣ会議", "abc"),
        (unicodedata.normalize("NFD", "Café"), "CAFÉ"),
    ],
)
def test_a_title_is_found_in_any_case_width_and_composition(
    client: FlaskClient, node: Node, title: str, asked: str
) -> None:
    node.library.add_text("Something to read.", title=title)
    node.library.add_text("Something else to read.", title="Other")
    assert len(client.get("/api/documents", query_string={"q": asked}).get_json()["items"]) == 1
    assert client.get("/api/documents/counts", query_string={"q": asked}).get_json()["total"] == 1
