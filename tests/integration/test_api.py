"""The HTTP surface, through Flask's own client, on a real home with the shipped twins."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.node import Node

COATS = "First coats of oil varnish on Ottilie's cello: 9, 19 and 29 August 2025."


def add(client: FlaskClient, node: Node, name: str, text: str, **form: str) -> dict[str, Any]:
    answer = client.post("/api/documents", data={"file": (io.BytesIO(text.encode()), name), **form})
    assert answer.status_code in {200, 202}, answer.text
    node.run_jobs()
    made: dict[str, Any] = answer.get_json()["document"]
    return made


def events(answer: TestResponse) -> list[tuple[str, dict[str, Any]]]:
    blocks = [
        dict(line.split(": ", 1) for line in block.splitlines())
        for block in answer.get_data(as_text=True).strip().split("\n\n")
    ]
    return [(block["event"], json.loads(block["data"])) for block in blocks]


class TestDocuments:
    def test_a_file_is_kept_read_and_found(self, client: FlaskClient, node: Node) -> None:
        made = add(
            client, node, "2025-08-30.md", f"# Third coat\n\n{COATS}\n", tags="bench,varnish"
        )
        shown = client.get(f"/api/documents/{made['id']}").get_json()
        assert (shown["state"], shown["title"], shown["tags"], shown["passages"]) == (
            "ready",
            "Third coat",
            ["bench", "varnish"],
            1,
        )
        assert shown["created_at"].startswith("2025-08-30")
        (item,) = client.post(
            "/api/recall", json={"query": "oil varnish on the cello", "explain": True}
        ).get_json()["items"]
        assert item["source"] == f"documents/{made['id']}#L1-L3"
        assert item["signals"]["words"] > 0
        assert (
            client.get(f"/api/documents/{made['id']}/original").data.decode()
            == f"# Third coat\n\n{COATS}\n"
        )

    def test_the_span_of_an_item_opens_its_very_words(
        self, client: FlaskClient, node: Node
    ) -> None:
        made = add(
            client,
            node,
            "雨.txt",
            "😀 前置き。\n\n" + "雨の日は膠を煮ない。" * 60 + "\n\n最後に凪が笑った。",
        )
        for item in client.post("/api/recall", json={"query": "凪が笑った"}).get_json()["items"]:
            text = client.get(
                f"/api/documents/{made['id']}/text?start={item['start']}&end={item['end']}"
            ).get_json()
            assert text["text"] == item["content"]

    def test_the_same_bytes_again_answer_200(self, client: FlaskClient, node: Node) -> None:
        made = add(client, node, "a.txt", COATS)
        again = client.post("/api/documents", data={"file": (io.BytesIO(COATS.encode()), "b.txt")})
        assert (again.status_code, again.get_json()["document"]["id"], again.get_json()["job"]) == (
            200,
            made["id"],
            None,
        )

    def test_a_pasted_text_and_its_date(self, client: FlaskClient, node: Node) -> None:
        answer = client.post(
            "/api/documents",
            json={
                "text": COATS,
                "title": "Coats",
                "created_at": "2025-08-30T10:00:00+09:00",
                "private": True,
            },
        )
        assert answer.status_code == 202
        node.run_jobs()
        (item,) = client.post("/api/recall", json={"query": "varnish"}).get_json()["items"]
        assert item["document"] == {
            "id": answer.get_json()["document"]["id"],
            "title": "Coats",
            "kind": "markdown",
            "private": True,
        }

    def test_deleting_leaves_nothing_to_find(self, client: FlaskClient, node: Node) -> None:
        made = add(client, node, "a.txt", COATS)
        assert client.delete(f"/api/documents/{made['id']}").status_code == 204
        assert client.post("/api/recall", json={"query": "varnish"}).get_json()["items"] == []
        assert client.get(f"/api/documents/{made['id']}").status_code == 404
        assert client.get("/api/documents").get_json()["items"] == []

    def test_relabelling_reaches_recall(self, client: FlaskClient, node: Node) -> None:
        made = add(client, node, "a.txt", COATS)
        client.patch(f"/api/documents/{made['id']}", json={"tags": ["bench"], "title": "New"})
        assert (
            client.post("/api/recall", json={"query": "varnish", "tags": ["bench"]}).get_json()[
                "items"
            ][0]["document"]["title"]
            == "New"
        )
        assert (
            client.post("/api/recall", json={"query": "varnish", "tags": ["other"]}).get_json()[
                "items"
            ]
            == []
        )

    def test_another_date_reaches_every_passage(self, client: FlaskClient, node: Node) -> None:
        made = add(client, node, "a.txt", COATS)
        client.patch(
            f"/api/documents/{made['id']}", json={"created_at": "2019-04-14T12:00:00+00:00"}
        )
        node.run_jobs()
        assert (
            client.post("/api/recall", json={"query": "varnish", "until": "2019-12-31"})
            .get_json()["items"][0]["timestamp"]
            .startswith("2019-04-14")
        )

    @pytest.mark.parametrize(
        ("name", "data", "status", "says"),
        [
            ("a.txt", b"", 422, "contains no text"),
            ("a.xlsx", b"PK\x03\x04", 415, "does not read yet"),
            ("../../a.exe", b"MZ", 415, "“a.exe”"),
        ],
    )
    def test_what_cannot_be_taken_in_says_why(
        self, client: FlaskClient, name: str, data: bytes, status: int, says: str
    ) -> None:
        answer = client.post("/api/documents", data={"file": (io.BytesIO(data), name)})
        assert (answer.status_code, answer.content_type) == (status, "application/problem+json")
        assert says in answer.get_json()["detail"]
        assert answer.get_json()["hint"]

    def test_what_breaks_while_it_is_read_fails_with_its_reason_and_can_be_retried(
        self, client: FlaskClient, node: Node
    ) -> None:
        made = client.post(
            "/api/documents", data={"file": (io.BytesIO(b"%PDF-1.4 cut"), "a.pdf")}
        ).get_json()
        add(client, node, "b.txt", COATS)
        shown = client.get(f"/api/documents/{made['document']['id']}").get_json()
        assert (shown["state"], shown["error"]["title"]) == ("failed", "Could not be read")
        assert client.post("/api/recall", json={"query": "varnish"}).get_json()["items"]
        assert client.post(f"/api/jobs/{made['job']['id']}/retry").get_json()["state"] == "queued"
        assert (
            client.get(f"/api/documents/{made['document']['id']}").get_json()["state"] == "received"
        )

    def test_too_large_says_so(self, client: FlaskClient, node: Node) -> None:
        node.ports.change_settings(max_upload_mb=0)
        answer = client.post("/api/documents", data={"file": (io.BytesIO(b"x" * 1000), "a.txt")})
        assert answer.status_code == 413
        assert "the limit is 0 MB" in answer.get_json()["detail"]

    def test_two_files_at_once_and_an_unclear_private_are_refused(
        self, client: FlaskClient
    ) -> None:
        two = [(io.BytesIO(b"x"), "a.txt"), (io.BytesIO(b"y"), "b.txt")]
        assert client.post("/api/documents", data={"file": two}).status_code == 422
        assert (
            client.post(
                "/api/documents", data={"file": (io.BytesIO(b"x"), "a.txt"), "private": "t"}
            ).status_code
            == 422
        )
        assert client.post(
            "/api/documents",
            data={"file": (io.BytesIO(b"x"), "a.txt"), "created_at": "0001-01-01T00:00:00"},
        ).status_code in {202, 422}

    def test_unknown_fields_are_named(self, client: FlaskClient) -> None:
        assert (
            "colour"
            in client.post("/api/documents", json={"text": "x", "colour": 1}).get_json()["detail"]
        )
        assert (
            "colour"
            in client.post(
                "/api/documents", data={"file": (io.BytesIO(b"x"), "a.txt"), "colour": "1"}
            ).get_json()["detail"]
        )


class TestChat:
    def start(self, client: FlaskClient) -> str:
        return str(client.post("/api/conversations", json={}).get_json()["id"])

    def ask(
        self, client: FlaskClient, conversation: str, text: str, **more: str
    ) -> list[tuple[str, dict[str, Any]]]:
        return events(
            client.post(f"/api/conversations/{conversation}/turns", json={"text": text, **more})
        )

    def test_evidence_comes_first_then_sentences_with_their_sources(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel
    ) -> None:
        made = add(client, node, "2025-08-30.md", f"# Third coat\n\n{COATS}\n")
        scripted.script = ScriptedModel(
            [
                (
                    "coats",
                    (
                        "The coats went on Ottilie's cello on 9, 19 and 29 August 2025. Jonas was"
                        " there."
                    ),
                )
            ]
        ).script
        told = self.ask(client, self.start(client), "When did the coats go on?")
        assert [name for name, _ in told] == ["evidence", "token", "citation", "done"]
        assert told[0][1]["items"][0]["document"]["id"] == made["id"]
        turn = told[-1][1]["turn"]
        assert turn["text"] == "The coats went on Ottilie's cello on 9, 19 and 29 August 2025."
        assert turn["citations"][0]["source"] == f"documents/{made['id']}#L3"
        assert turn["citations"][0]["quote"] in COATS

    def test_when_the_model_is_not_carried_the_evidence_speaks(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", COATS)
        turn = self.ask(
            client, self.start(client), "When did the coats of varnish go on the cello?"
        )[-1][1]["turn"]
        assert [part["kind"] for part in turn["parts"]] == ["note", "quotation"]
        assert turn["parts"][1]["text"] == COATS
        assert turn["outcome"] == "answered"

    def test_with_no_memory_of_it_it_says_so(self, client: FlaskClient) -> None:
        turn = self.ask(client, self.start(client), "Who painted the sign?")[-1][1]["turn"]
        assert (turn["abstained"], turn["outcome"]) == (True, "nothing")
        assert turn["text"].startswith("I found nothing about that.")

    def test_what_comes_closest_is_a_note_and_an_outcome_of_its_own(
        self,
        client: FlaskClient,
        node: Node,
        scripted: ScriptedModel,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        scripted.script = ScriptedModel([(".", "Bananas were on the moon.")]).script
        add(client, node, "a.txt", COATS)
        monkeypatch.setattr("lpm_kernel.L1.answering.answer.likelihood", lambda *_: 0.4)
        turn = self.ask(
            client, self.start(client), "When did the coats of varnish go on the cello?"
        )
        assert turn[-1][1]["turn"]["outcome"] == "closest"
        assert turn[-1][1]["turn"]["parts"][0]["kind"] == "note"
        (kept,) = client.get("/api/conversations").get_json()["items"]
        again = client.get(f"/api/conversations/{kept['id']}").get_json()["items"][-1]
        assert (again["outcome"], again["parts"][0]["kind"]) == ("closest", "note")

    def test_a_question_in_a_script_that_stands_nowhere_finds_nothing(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", COATS)
        turn = self.ask(client, self.start(client), "מתי עברה הסדנה?")[-1][1]["turn"]
        assert (turn["abstained"], turn["citations"]) == (True, [])

    def test_a_failed_answer_is_tried_again_under_its_client_id(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel
    ) -> None:
        add(client, node, "a.txt", COATS)
        conversation = self.start(client)
        scripted.script = ScriptedModel([(".", None)]).script
        assert (
            self.ask(
                client, conversation, "When did the coats of varnish go on?", client_id="again-0001"
            )[-1][0]
            == "failed"
        )
        scripted.script = ScriptedModel([(".", "I do not know.")]).script
        assert (
            self.ask(
                client, conversation, "When did the coats of varnish go on?", client_id="again-0001"
            )[-1][0]
            == "done"
        )
        assert len(client.get(f"/api/conversations/{conversation}").get_json()["items"]) == 2

    def test_what_is_private_stays_with_the_owner(self, client: FlaskClient, node: Node) -> None:
        add(client, node, "a.txt", COATS, private="true")
        key = client.post(
            "/api/keys", json={"name": "editor", "scopes": ["recall", "chat"]}
        ).get_json()["key"]
        assert client.post("/api/recall", json={"query": "varnish"}).get_json()["items"]
        assert (
            client.post(
                "/api/recall", json={"query": "varnish"}, headers={"Authorization": f"Bearer {key}"}
            ).get_json()["items"]
            == []
        )
        asked = {
            "model": "second-me",
            "messages": [{"role": "user", "content": "When did the coats of varnish go on?"}],
        }
        assert (
            client.post(
                "/v1/chat/completions", json=asked, headers={"Authorization": f"Bearer {key}"}
            ).get_json()["abstained"]
            is True
        )

    def test_history_is_on_the_server(self, client: FlaskClient, node: Node) -> None:
        conversation = self.start(client)
        self.ask(client, conversation, "Who painted the sign?")
        shown = client.get(f"/api/conversations/{conversation}").get_json()
        assert (shown["title"], [turn["role"] for turn in shown["items"]]) == (
            "Who painted the sign?",
            ["user", "assistant"],
        )
        with Node.open(node.ports.home.root) as other:
            assert len(other.ports.conversations.turns(shown["id"])) == 2

    def test_asked_twice_under_one_client_id_is_asked_once(
        self, client: FlaskClient, scripted: ScriptedModel, node: Node
    ) -> None:
        add(client, node, "a.txt", COATS)
        conversation = self.start(client)
        first = self.ask(
            client, conversation, "When did the coats of varnish go on?", client_id="aaaa-bbbb-1"
        )
        again = self.ask(
            client, conversation, "When did the coats of varnish go on?", client_id="aaaa-bbbb-1"
        )
        assert first[-1][1]["turn"]["id"] == again[-1][1]["turn"]["id"]
        assert len(scripted.seen) == 1

    def test_a_model_that_breaks_down_fails_in_words_and_the_evidence_stands(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel
    ) -> None:
        add(client, node, "a.txt", COATS)
        scripted.script = ScriptedModel([(".", None)]).script
        told = self.ask(client, self.start(client), "When did the coats of varnish go on?")
        assert [name for name, _ in told] == ["evidence", "failed"]
        assert told[-1][1]["turn"]["state"] == "failed"
        assert told[-1][1]["problem"]["hint"]

    def test_closing_the_stream_stops_the_model_and_keeps_what_was_said(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel
    ) -> None:
        add(client, node, "a.txt", COATS)
        scripted.script = ScriptedModel(
            [
                (
                    ".",
                    "The coats went on Ottilie's cello on 9, 19 and 29 August 2025. "
                    + "And then rain fell. " * 500,
                )
            ]
        ).script
        conversation = self.start(client)
        answer = client.post(
            f"/api/conversations/{conversation}/turns",
            json={"text": "When did the coats go on?"},
            buffered=False,
        )
        stream = answer.iter_encoded()
        while b"event: token" not in next(stream):
            pass
        answer.close()
        turns = node.ports.conversations.turns(conversation)  # type: ignore[arg-type]
        assert (turns[1].state.value, scripted.stopped) == ("stopped", 1)
        assert turns[1].text.startswith("The coats went on")

    def test_deleting_a_document_leaves_a_citation_without_words(
        self, client: FlaskClient, node: Node
    ) -> None:
        made = add(client, node, "a.txt", COATS)
        conversation = self.start(client)
        self.ask(client, conversation, "When did the coats of varnish go on?")
        client.delete(f"/api/documents/{made['id']}")
        turn = client.get(f"/api/conversations/{conversation}").get_json()["items"][1]
        assert (turn["citations"][0]["quote"], turn["evidence"]) == ("", [])

    @pytest.mark.parametrize("text", ["", "   ", "x" * 20_001])
    def test_nothing_and_too_much_are_refused(self, client: FlaskClient, text: str) -> None:
        assert (
            client.post(
                f"/api/conversations/{self.start(client)}/turns", json={"text": text}
            ).status_code
            == 422
        )


class TestJobs:
    def test_a_job_can_be_watched_to_its_end(self, client: FlaskClient, node: Node) -> None:
        job = client.post("/api/documents", json={"text": COATS}).get_json()["job"]
        node.run_jobs()
        told = events(client.get(f"/api/jobs/{job['id']}/events"))
        assert told[-1][1]["state"] == "succeeded"
        assert told[-1][1]["progress"] == 1.0

    def test_a_cancelled_job_is_not_done(self, client: FlaskClient, node: Node) -> None:
        job = client.post("/api/documents", json={"text": COATS}).get_json()["job"]
        assert client.post(f"/api/jobs/{job['id']}/cancel").get_json()["state"] == "cancelled"
        node.run_jobs()
        assert client.post("/api/recall", json={"query": "varnish"}).get_json()["items"] == []
        assert [
            row["id"] for row in client.get("/api/jobs?state=cancelled").get_json()["items"]
        ] == [job["id"]]


class TestSettings:
    def test_a_broken_file_leaves_the_settings_before_it_in_use_and_says_so(
        self, client: FlaskClient, node: Node
    ) -> None:
        client.put("/api/settings", json={"language": "ja", "theme": "dark", "single_keys": True})
        node.ports.home.settings_file.write_text("theme = ")
        assert client.get("/api/settings").get_json()["theme"] == "dark"
        assert [
            check["state"]
            for check in client.get("/api/health").get_json()["checks"]
            if check["id"] == "settings"
        ] == ["broken"]

    def test_a_japanese_name_with_a_space(self, client: FlaskClient) -> None:
        sent = {"name": "ソレル 凪", "introduction": "", "style": "", "languages": ["ja"]}
        assert sent.items() <= client.put("/api/identity", json=sent).get_json().items()
        assert client.get("/api/status").get_json()["named"] is True

    def test_settings_are_kept(self, client: FlaskClient, node: Node) -> None:
        client.put("/api/settings", json={"language": "ja", "theme": "dark", "single_keys": False})
        assert node.ports.settings.language == "ja"
        assert client.get("/api/settings").get_json() == {
            "language": "ja",
            "theme": "dark",
            "single_keys": False,
            "keeping": "full",
        }

    def test_a_probe_of_nothing_says_so_in_words(self, client: FlaskClient) -> None:
        tried = client.post(
            "/api/models/probe",
            json={"kind": "endpoint", "url": "http://127.0.0.1:9/v1", "key": "secret"},
        ).get_json()
        assert tried["ok"] is False
        assert tried["sentence"]
        assert "secret" not in tried["sentence"]

    def test_a_key_is_shown_once_and_its_scope_holds(self, client: FlaskClient) -> None:
        made = client.post("/api/keys", json={"name": "editor", "scopes": ["recall"]}).get_json()
        assert "key" not in client.get("/api/keys").get_json()["items"][0]
        as_key = {"Authorization": f"Bearer {made['key']}"}
        assert client.post("/api/recall", json={"query": "x"}, headers=as_key).status_code == 200
        assert client.get("/api/keys", headers=as_key).status_code == 403
        client.delete(f"/api/keys/{made['id']}")
        assert client.post("/api/recall", json={"query": "x"}, headers=as_key).status_code == 401


def test_every_check_of_the_doctor_is_a_sentence(client: FlaskClient) -> None:
    checks = client.get("/api/health").get_json()["checks"]
    assert {
        "listens_only_here",
        "connections_outward",
        "folder_private",
        "index",
        "worker",
        "disk",
    } <= {check["id"] for check in checks}
    assert all(check["sentence"].endswith(".") for check in checks)
    assert all(check["command"] for check in checks if check["state"] == "broken")
