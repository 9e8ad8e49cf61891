"""What another program sees with a key that may not do everything: nothing private, through any
door.
"""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from flask.testing import FlaskClient

from lpm_kernel.domain.chat.conversations import AnswerPart, PartKind
from lpm_kernel.domain.home.jobs import JobState, Lane
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key

SECRET = "The kingfisher keeps its ledger under the ninth stair."
OPEN = "The cello was built in 1911 by a carpenter from Bergen."
TITLE = "Kingfisher"


@pytest.fixture
def sealed(node: Node) -> str:
    document = node.library.add_text(SECRET, title=TITLE, private=True).document
    node.library.add_text(OPEN, title="Cello")
    node.run_jobs()
    return str(document.id)


@pytest.fixture
def key(node: Node) -> dict[str, str]:
    _, made = create_key(
        node.ports.access, node.ports.clock, "another program", ["recall", "chat", "write"]
    )
    return {"Authorization": f"Bearer {made}"}


def zipped(texts: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return packed.getvalue()


class TestAnotherProgram:
    @pytest.mark.parametrize("door", ["", "/text", "/original", "/passages"])
    def test_a_private_document_is_not_there(
        self, client: FlaskClient, sealed: str, key: dict[str, str], door: str
    ) -> None:
        assert client.get(f"/api/documents/{sealed}{door}").status_code == 200
        assert client.get(f"/api/documents/{sealed}{door}", headers=key).status_code == 404

    def test_it_is_not_listed(self, client: FlaskClient, sealed: str, key: dict[str, str]) -> None:
        assert len(client.get("/api/documents").get_json()["items"]) == 2
        listed = (
            client.get("/api/documents?q=King", headers=key).get_json()["items"]
            + client.get("/api/documents", headers=key).get_json()["items"]
        )
        assert [each["title"] for each in listed] == ["Cello"]
        assert sealed not in json.dumps(listed)

    def test_it_cannot_be_opened_or_deleted(
        self, client: FlaskClient, node: Node, sealed: str, key: dict[str, str]
    ) -> None:
        assert (
            client.patch(
                f"/api/documents/{sealed}", json={"private": False}, headers=key
            ).status_code
            == 404
        )
        assert client.delete(f"/api/documents/{sealed}", headers=key).status_code == 404
        assert {each.id for each in node.ports.documents.all() if each.private} == {sealed}

    def test_who_has_the_bytes_learns_nothing_that_was_known_of_them(
        self, client: FlaskClient, sealed: str, key: dict[str, str]
    ) -> None:
        sent = {"file": (io.BytesIO(SECRET.encode()), "guess.md")}
        answer = client.post(
            "/api/documents", data=sent, content_type="multipart/form-data", headers=key
        )
        shown = answer.get_json()["document"]
        assert (
            shown["title"],
            shown["name"],
            shown["keywords"],
            shown["passages"],
            shown["state"],
        ) == ("guess", "guess.md", [], 0, "received")
        new = client.post(
            "/api/documents", json={"text": OPEN + OPEN, "title": "guess"}, headers=key
        )
        assert (
            (answer.status_code, shown["private"])
            == (new.status_code, new.get_json()["document"]["private"])
            == (202, False)
        )
        assert answer.get_json()["job"].keys() == new.get_json()["job"].keys()
        assert {shown["id"], answer.get_json()["job"]["document"]} != {sealed}
        assert answer.get_json()["job"]["document"] == shown["id"]
        assert client.get(f"/api/documents/{shown['id']}").status_code == 404

    def test_its_job_says_no_word(
        self, client: FlaskClient, node: Node, key: dict[str, str]
    ) -> None:
        node.library.add_bytes("Kingfisher.pdf", b"%PDF-1.4 cut short", private=True)
        node.run_jobs()
        assert TITLE in client.get("/api/jobs").text
        assert TITLE not in client.get("/api/jobs", headers=key).text

    def test_its_job_is_not_listed_and_names_no_document(
        self, client: FlaskClient, node: Node, sealed: str, key: dict[str, str]
    ) -> None:
        job = node.ports.jobs.latest_for([DocumentId(sealed)])[DocumentId(sealed)].id
        mine, theirs = (
            client.get("/api/jobs", headers=headers).get_json()["items"] for headers in ({}, key)
        )
        assert job in {each["id"] for each in mine}
        assert job not in {each["id"] for each in theirs}
        assert client.get(f"/api/jobs/{job}", headers=key).get_json()["document"] is None
        assert [
            client.post(f"/api/jobs/{job}/{what}", headers=key).status_code
            for what in ("cancel", "retry")
        ] == [404, 404]

    def test_an_archive_is_not_handed_out(
        self, client: FlaskClient, node: Node, key: dict[str, str]
    ) -> None:
        """What came in it may be private, be known as a private document, or be deleted."""
        archive = node.library.add_bytes(
            "box.zip", zipped({"a.md": f"---\ntags: [secret]\n---\n{SECRET}", "b.md": OPEN})
        ).document.id
        node.run_jobs()
        assert client.get(f"/api/documents/{archive}", headers=key).status_code == 200
        assert client.get(f"/api/documents/{archive}/original").status_code == 200
        assert client.get(f"/api/documents/{archive}/original", headers=key).status_code == 404

    def test_what_was_opened_does_not_name_its_private_archive(
        self, client: FlaskClient, node: Node, key: dict[str, str]
    ) -> None:
        archive = node.library.add_bytes(
            "box.zip", zipped({"b.md": OPEN}), private=True
        ).document.id
        node.run_jobs()
        [member] = node.ports.documents.members([archive])
        client.patch(f"/api/documents/{member.id}", json={"private": False})
        assert client.get(f"/api/documents/{member.id}").get_json()["parent"] == archive
        assert client.get(f"/api/documents/{member.id}", headers=key).get_json()["parent"] is None

    def test_nothing_is_handed_out_before_it_was_read(
        self, client: FlaskClient, node: Node, key: dict[str, str]
    ) -> None:
        """It may say itself that it is private."""
        document = node.library.add_bytes(
            "a.md", f"---\nprivate: true\n---\n{SECRET}".encode()
        ).document.id
        assert [
            client.get(f"/api/documents/{document}/original", headers=each).status_code
            for each in ({}, key)
        ] == [200, 404]
        node.run_jobs()
        assert client.get(f"/api/documents/{document}", headers=key).status_code == 404

    def test_a_seal_in_the_text_cannot_be_forestalled(
        self, client: FlaskClient, node: Node, key: dict[str, str]
    ) -> None:
        document = node.library.add_bytes(
            "a.md", f"---\ntags: [secret]\n---\n{SECRET}".encode()
        ).document.id
        assert (
            client.patch(
                f"/api/documents/{document}",
                json={"tags": ["secret"], "private": False},
                headers=key,
            ).status_code
            == 200
        )
        node.run_jobs()
        assert node.ports.documents.get(document).private

    def test_what_was_deleted_is_not_brought_back(
        self, client: FlaskClient, node: Node, key: dict[str, str]
    ) -> None:
        document = node.library.add_text(OPEN, title=TITLE).document.id
        node.run_jobs()
        client.delete(f"/api/documents/{document}")
        assert client.post(f"/api/documents/{document}/restore", headers=key).status_code == 404
        assert (
            client.post(
                "/api/documents/bulk", json={"ids": [document], "restore": True}, headers=key
            ).get_json()["done"]
            == 0
        )
        assert client.post(f"/api/documents/{document}/restore").status_code == 200

    def test_a_chat_of_the_owner_is_shown_without_it(
        self, client: FlaskClient, sealed: str, key: dict[str, str]
    ) -> None:
        chat = client.post("/api/conversations", json={}).get_json()["id"]
        client.post(
            f"/api/conversations/{chat}/turns",
            json={"text": "Where does the kingfisher keep its ledger?"},
        ).get_data()
        mine, theirs = (
            client.get(f"/api/conversations/{chat}").text,
            client.get(f"/api/conversations/{chat}", headers=key).text,
        )
        assert "ninth stair" in mine
        assert "ninth stair" not in theirs
        assert sealed not in theirs

    def test_deleted_chats_are_not_listed_and_not_brought_back(
        self, client: FlaskClient, node: Node
    ) -> None:
        _, made = create_key(node.ports.access, node.ports.clock, "a program that chats", ["chat"])
        key = {"Authorization": f"Bearer {made}"}
        chat = client.post("/api/conversations", json={"title": TITLE}).get_json()["id"]
        assert TITLE in client.get("/api/conversations", headers=key).text
        assert client.delete(f"/api/conversations/{chat}", headers=key).status_code == 204
        assert [
            each["id"] for each in client.get("/api/conversations?deleted=true").get_json()["items"]
        ] == [chat]
        assert client.get("/api/conversations?deleted=true", headers=key).get_json() == {
            "items": [],
            "next_cursor": None,
        }
        assert client.get(f"/api/conversations/{chat}", headers=key).status_code == 404
        assert client.post(f"/api/conversations/{chat}/restore", headers=key).status_code == 404
        assert client.get("/api/conversations").get_json()["items"] == []
        assert client.post(f"/api/conversations/{chat}/restore").get_json()["id"] == chat


class TestWhatIsPrivateLeavesNoTrace:
    """A program gets the same answers whether there is something private or not."""

    ASKED = (
        ("POST", "/api/recall", {"query": "the cello and the kingfisher", "explain": True}),
        ("POST", "/api/recall", {"query": "cello kingf", "typing": True}),
        ("POST", "/api/recall", {"query": "cello ledger", "ranking": "decay", "spread": True}),
        ("GET", "/api/recall/names", None),
        ("GET", "/api/status", None),
        ("GET", "/api/documents?sentences=true", None),
        ("GET", "/api/documents/counts", None),
        ("GET", "/api/memories", None),
        ("GET", "/api/jobs", None),
        ("GET", "/api/timeline?detail=true", None),
        ("GET", "/api/timeline/anniversaries", None),
        ("GET", "/api/timeline/occasions", None),
        ("POST", "/api/bridge/enhance", {"request": "Who built the cello under the stair?"}),
    )

    def test_each_answer_is_the_same(
        self, client: FlaskClient, node: Node, key: dict[str, str]
    ) -> None:
        def told() -> list[str]:
            return [
                client.open(path, method=method, json=body, headers=key).text
                for method, path, body in self.ASKED
            ]

        node.library.add_text(
            f"{OPEN}\n\n## Retain\n\n- W @Bergen: lies by the sea.", title="Cello"
        )
        node.run_jobs()
        before = told()
        node.library.add_text(
            f"{SECRET}\n\n## Retain\n\n- W @Kingfisher: keeps a ledger in Bergen.",
            title=TITLE,
            private=True,
        )
        node.run_jobs()
        assert told() == before


class TestWhatStandsBeforeAQuotation:
    def test_the_note_that_says_whose_words_they_are_goes_along(
        self, client: FlaskClient, node: Node
    ) -> None:
        said = {
            "text": SECRET,
            "speaker": "Ottoline",
            "timestamp": "2024-05-06T10:00:00Z",
            "session": "s",
            "id": "1",
        }
        document = node.library.add_bytes("talk.jsonl", json.dumps(said).encode()).document
        node.run_jobs()
        chat = client.post("/api/conversations", json={}).get_json()["id"]
        client.post(
            f"/api/conversations/{chat}/turns",
            json={"text": "Where does the kingfisher keep its ledger?"},
        ).get_data()
        assert "Ottoline, 6 May 2024:" in client.get(f"/api/conversations/{chat}").text
        node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
        node.run_jobs()
        after = client.get(f"/api/conversations/{chat}").text
        assert "Ottoline" not in after
        assert "2024" not in after
        assert AnswerPart(PartKind.NOTE, "What stood here was erased with its source.") in next(
            turn.parts for turn in node.ports.conversations.every_turn() if turn.role == "assistant"
        )


class TestWhatIsSaid:
    @pytest.mark.parametrize("said", ["?!.,;:", "😀😀😀", "— …"])
    def test_marks_and_pictures_ask_nothing(
        self, client: FlaskClient, sealed: str, said: str
    ) -> None:
        assert sealed
        chat = client.post("/api/conversations", json={}).get_json()["id"]
        client.post(f"/api/conversations/{chat}/turns", json={"text": said}).get_data()
        answer = client.get(f"/api/conversations/{chat}").get_json()["items"][-1]
        assert (answer["abstained"], answer["citations"]) == (True, [])

    @pytest.mark.parametrize(
        ("way", "body"),
        [
            ("/api/conversations", {"title": "\ud83d"}),
            ("/api/documents", {"text": "\ud83d"}),
            ("/api/recall", {"query": "\ud83d"}),
        ],
    )
    def test_half_a_character_is_a_sentence(
        self, client: FlaskClient, way: str, body: dict[str, str]
    ) -> None:
        assert (
            client.post(way, data=json.dumps(body), content_type="application/json").status_code
            == 422
        )
        chat = client.post("/api/conversations", json={}).get_json()["id"]
        assert (
            client.post(
                f"/api/conversations/{chat}/turns",
                data=json.dumps({"text": "\ud83d"}),
                content_type="application/json",
            ).status_code
            == 422
        )

    @pytest.mark.parametrize("what", ["cancel", "retry"])
    def test_work_on_the_whole_home_is_not_stopped_or_repeated(
        self, client: FlaskClient, node: Node, key: dict[str, str], what: str
    ) -> None:
        job = node.ports.jobs.add("backup", Lane.HEAVY, None, node.ports.clock.now())
        assert client.post(f"/api/jobs/{job.id}/{what}", headers=key).status_code == 404
        assert node.ports.jobs.get(job.id).state is JobState.QUEUED
