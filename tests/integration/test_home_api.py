"""The home as a whole over HTTP and by command: shapes, errors, and the whole way round."""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from tests.integration.test_cli import answer, lpm
from tests.scale import only_in_full

NOTHING_SAID = "The kingfisher keeps its ledger under the ninth stair."


def add(client: FlaskClient, node: Node, text: str = NOTHING_SAID) -> str:
    document = client.post("/api/documents", json={"text": text, "title": text[:20]}).get_json()[
        "document"
    ]["id"]
    node.run_jobs()
    return str(document)


class TestErasures:
    def test_two_steps(self, client: FlaskClient, node: Node) -> None:
        document = add(client, node)
        asked = client.post("/api/erasures", json={"documents": [document]})
        assert asked.status_code == 201
        body = asked.get_json()
        assert body["documents"] == [{"id": document, "title": "The kingfisher keeps"}]
        assert {share["place"] for share in body["goes"]} == {
            "originals",
            "texts",
            "index",
            "conversations",
            "turns",
            "backups",
            "exports",
            "trainings",
        }
        assert {share["place"] for share in body["stays"]} == {
            "handed_out",
            "elsewhere",
            "git",
            "disk",
        }
        assert client.get(f"/api/documents/{document}").status_code == 200
        confirmed = client.post(f"/api/erasures/{body['token']}/confirm")
        assert confirmed.status_code == 202
        assert client.get(f"/api/documents/{document}").status_code == 404
        node.run_jobs()
        job = client.get(f"/api/jobs/{confirmed.get_json()['job']['id']}").get_json()
        assert (job["state"], job["result"]["documents"]) == ("succeeded", 1)
        assert NOTHING_SAID[:12] not in json.dumps(job)

    @pytest.mark.parametrize("token", ["x", "%00", "a" * 100])
    def test_a_wrong_token_is_refused_in_words(self, client: FlaskClient, token: str) -> None:
        answer = client.post(f"/api/erasures/{token}/confirm")
        assert answer.status_code in {404, 410}
        assert answer.content_type == "application/problem+json"

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({}, 422),
            ({"documents": ["d_none"]}, 404),
            ({"conversations": ["v_none"]}, 404),
            ({"documents": "all"}, 422),
            ({"everything": True}, 422),
        ],
    )
    def test_what_cannot_be_erased_says_why(
        self, client: FlaskClient, body: dict[str, object], status: int
    ) -> None:
        refused = client.post("/api/erasures", json=body)
        assert refused.status_code == status
        assert refused.get_json()["detail"]

    def test_a_program_without_everything_may_not(self, client: FlaskClient, node: Node) -> None:
        _, key = create_key(node.ports.access, node.ports.clock, "x", ["chat", "recall", "write"])
        for method, path in [
            ("POST", "/api/erasures"),
            ("GET", "/api/audit"),
            ("POST", "/api/exports"),
            ("POST", "/api/imports"),
            ("POST", "/api/backups"),
            ("POST", "/api/verifications"),
        ]:
            assert (
                client.open(
                    path, method=method, json={}, headers={"Authorization": f"Bearer {key}"}
                ).status_code
                == 403
            )


class TestAudit:
    def test_pages_and_verifies(self, client: FlaskClient) -> None:
        for theme in ("dark", "light", "dark"):
            client.put(
                "/api/settings", json={"language": "ja", "theme": theme, "single_keys": True}
            )
        first = client.get("/api/audit?limit=2&verify=true").get_json()
        assert [entry["number"] for entry in first["items"]] == [3, 2]
        assert (first["verified"], first["broken"]) == (True, None)
        assert first["items"][0]["facts"] == {"settings": ["language", "single_keys", "theme"]}
        rest = client.get(f"/api/audit?limit=2&cursor={first['next_cursor']}").get_json()
        assert (
            [entry["number"] for entry in rest["items"]],
            rest["next_cursor"],
            rest["verified"],
        ) == ([1], None, None)
        assert client.get("/api/audit?cursor=x").status_code == 422

    def test_what_was_done_to_documents_and_chats_stands_there_without_a_word_of_them(
        self, client: FlaskClient, node: Node
    ) -> None:
        words = "The kingfisher keeps its ledger under the ninth stair."
        here = client.post(
            "/api/documents", json={"text": words, "title": "Kingfisher"}
        ).get_json()["document"]["id"]
        node.run_jobs()
        for private in (True, True, False):
            client.patch(f"/api/documents/{here}", json={"private": private})
        body = {
            "document": here,
            "start": 0,
            "end": len(words),
            "decision": "mend",
            "content": "It keeps two ledgers.",
        }
        finding = client.post("/api/findings", json=body).get_json()["id"]
        client.post(f"/api/findings/{finding}", json={"decision": "forget"})
        client.delete(f"/api/findings/{finding}")
        client.post(f"/api/findings/{finding}", json={"decision": "keep"})
        client.delete(f"/api/findings/{finding}")
        client.delete(f"/api/documents/{here}")
        client.post("/api/documents/bulk", json={"ids": [here], "restore": True})
        chat = client.post("/api/conversations", json={"title": "Kingfisher"}).get_json()["id"]
        client.delete(f"/api/conversations/{chat}")
        for _ in range(2):
            client.post(f"/api/conversations/{chat}/restore")
        answer = client.get("/api/audit?verify=true")
        of_document, of_chat, of_sentence = (
            {"documents": 1, "ids": [here]},
            {"conversations": 1, "ids": [chat]},
            {"document": here, "finding": finding},
        )
        assert [(each["kind"], each["facts"]) for each in reversed(answer.get_json()["items"])] == [
            ("made-private", of_document),
            ("made-open", of_document),
            ("corrected", of_sentence),
            ("forgotten", of_sentence),
            ("taken-back", of_sentence),
            ("deleted", of_document),
            ("brought-back", of_document),
            ("deleted", of_chat),
            ("brought-back", of_chat),
        ]
        assert answer.get_json()["verified"]
        assert "ledger" not in answer.text
        assert "Kingfisher" not in answer.text

    def test_what_went_because_its_time_was_over_stands_there(
        self, client: FlaskClient, node: Node, frozen_clock: FrozenClock
    ) -> None:
        here = node.library.add_text("The cello is of 1911.").document.id
        chat = client.post("/api/conversations", json={"title": "Cello"}).get_json()["id"]
        client.delete(f"/api/documents/{here}")
        client.delete(f"/api/conversations/{chat}")
        frozen_clock.advance(timedelta(days=31))
        for _ in range(2):
            node.reconcile()
        (entry,) = [
            each
            for each in client.get("/api/audit").get_json()["items"]
            if each["kind"] == "removed"
        ]
        assert entry["facts"] == {"documents": 1, "conversations": 1}

    def test_an_entry_names_a_few_and_counts_all(self, client: FlaskClient, node: Node) -> None:
        ids = [str(node.library.add_text(f"Note {number}.").document.id) for number in range(25)]
        client.post("/api/documents/bulk", json={"ids": ids, "delete": True})
        (entry,) = client.get("/api/audit").get_json()["items"]
        assert (entry["facts"]["documents"], len(entry["facts"]["ids"])) == (25, 20)

    @pytest.mark.parametrize("language", ["en", "ja"])
    def test_the_screen_says_each_kind_in_both_languages(self, language: str) -> None:
        words = (
            Path(__file__).parents[2]
            / "lpm_frontend"
            / "src"
            / "lib"
            / "i18n"
            / f"{language}-settings.ts"
        ).read_text("utf-8")
        said = set(
            re.findall(r'^ +"?([a-z-]+)"?: "', words.partition("activity: {")[2], re.MULTILINE)
        )
        assert {kind.value for kind in AuditKind} <= said


class TestBackupsAndArchives:
    def test_a_backup_is_made_listed_and_removed(self, client: FlaskClient, node: Node) -> None:
        add(client, node)
        assert client.post("/api/backups").status_code == 202
        node.run_jobs()
        (made,) = client.get("/api/backups").get_json()["items"]
        assert (made["documents"], made["label"]) == (1, "asked")
        assert client.delete(f"/api/backups/{made['id']}").status_code == 204
        assert client.get("/api/backups").get_json()["items"] == []
        assert client.delete("/api/backups/none").status_code == 404

    def test_out_and_in_again(self, client: FlaskClient, node: Node) -> None:
        document = add(client, node)
        talk = client.post("/api/conversations", json={"title": "A talk"}).get_json()["id"]
        queued = client.post("/api/exports", json={}).get_json()
        assert client.get(f"/api/exports/{queued['export']['id']}/archive").status_code == 404
        node.run_jobs()
        (ready,) = client.get("/api/exports").get_json()["items"]
        assert ready["id"] == queued["export"]["id"]
        archive = client.get(f"/api/exports/{ready['id']}/archive")
        assert archive.content_type == "application/zip"
        assert zipfile.ZipFile(io.BytesIO(archive.data)).testzip() is None
        archive.close()
        client.delete(f"/api/documents/{document}")
        client.delete(f"/api/conversations/{talk}")
        taken = client.post("/api/imports", data={"file": (io.BytesIO(archive.data), "all.zip")})
        assert taken.status_code == 202
        node.run_jobs()
        job = client.get(f"/api/jobs/{taken.get_json()['job']['id']}").get_json()
        assert (job["state"], job["result"]["documents"]) == ("succeeded", 1)
        assert client.get(f"/api/documents/{document}").get_json()["state"] == "ready"
        assert client.get(f"/api/conversations/{talk}").get_json()["title"] == "A talk"
        assert list(node.ports.home.imports.iterdir()) == []
        assert client.delete(f"/api/exports/{ready['id']}").status_code == 204
        assert client.get(f"/api/exports/{ready['id']}/archive").status_code == 404

    @pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x05\x06" + b"\0" * 18])
    def test_a_bad_archive_fails_in_words_and_leaves_nothing(
        self, client: FlaskClient, node: Node, data: bytes
    ) -> None:
        taken = client.post("/api/imports", data={"file": (io.BytesIO(data), "all.zip")})
        node.run_jobs()
        job = client.get(f"/api/jobs/{taken.get_json()['job']['id']}").get_json()
        assert (job["state"], job["error"]["title"]) == ("failed", "The archive cannot be used")
        assert list(node.ports.home.imports.iterdir()) == []

    @pytest.mark.parametrize("form", [{}, {"x": "y"}, {"file": "text"}])
    def test_an_upload_without_a_file_says_so(
        self, client: FlaskClient, form: dict[str, str]
    ) -> None:
        assert (
            client.post("/api/imports", data=form, content_type="multipart/form-data").status_code
            == 422
        )
        assert client.post("/api/imports", json={}).status_code == 422

    def test_verify_says_what_it_found(self, client: FlaskClient, node: Node) -> None:
        add(client, node)
        (document,) = node.ports.documents.all()
        (node.ports.home.files / document.sha256).unlink()
        job = client.post("/api/verifications", json={}).get_json()["job"]["id"]
        node.run_jobs()
        result = client.get(f"/api/jobs/{job}").get_json()["result"]
        assert result["damaged"] == 1
        assert any(
            found["document"] == document.id and found["state"] == "damaged"
            for found in result["findings"]
        )


def found(home: Path) -> list[tuple[str, str]]:
    return [
        (row["id"], row["content"])
        for row in answer(home, "recall", "How old is the cello?")["items"]
    ]


@only_in_full
@pytest.mark.slow
def test_by_command(tmp_path: Path) -> None:
    home = tmp_path / "home"
    answer(home, "add", "--text", NOTHING_SAID)
    answer(home, "add", "--text", "The cello is of 1911.")
    before = found(home)
    assert answer(home, "verify")["findings"]
    made = answer(home, "backup")
    assert [row["id"] for row in answer(home, "backup", "--list")["items"]] == [made["backup"]]
    archive = str(tmp_path / "all.zip")
    assert answer(home, "export", archive)["documents"] == 2
    assert lpm(home, "export", archive).returncode == 1
    assert answer(tmp_path / "copy", "import", archive)["documents"] == 2
    assert found(tmp_path / "copy") == before
    assert answer(home, "restore", archive, "--to", str(tmp_path / "third"))["home"] == str(
        tmp_path / "third"
    )
    answer(tmp_path / "third", "reindex")
    assert found(tmp_path / "third") == before
    token = answer(home, "erase", "The kingfisher keeps its ledger under the ninth stair.md")[
        "token"
    ]
    assert answer(home, "erase", "--confirm", token)["erased"]["documents"] == 1
    assert lpm(home, "erase", "--confirm", token).returncode == 0
    assert lpm(home, "erase", "--confirm", "wrong").returncode == 1
    assert lpm(home, "erase", "no such thing").returncode == 1
    audit = answer(home, "audit", "--verify")
    assert (audit["verified"], audit["items"][0]["kind"]) == (True, "erased")
    (home / "node.db").write_bytes(b"garbage" * 1000)
    assert answer(home, "restore", "newest")["damaged"] is True
    answer(home, "reindex")
    assert [row["content"] for row in answer(home, "recall", "kingfisher cello")["items"]] == [
        "The cello is of 1911."
    ]
    for path in home.glob("index.db*"):
        path.unlink()
    answer(home, "reindex")
    assert found(home) == [row for row in before if "cello" in row[1]]
