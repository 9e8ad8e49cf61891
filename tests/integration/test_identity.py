"""Who the person is shapes what the node says, and nothing that it rests on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.suggestions import Suggested

ME = {
    "name": "Nagi",
    "introduction": "I restore violins.",
    "style": "Dry.",
    "languages": ["ja", "en"],
    "values": "Quiet mornings.",
    "length": "short",
    "manner": "formal",
}

DIARY = {
    "ferry.md": (
        "# The ferry\n\nOn 14 May 2023 we took the ferry to Hvalsey with Ragnhild. The engine"
        " stopped twice and she sang."
    ),
    "loom.md": (
        "The loom from Aunt Petra came on Tuesday. Petra had oiled every part of it before she"
        " sent it."
    ),
    "島.md": "2023年6月3日、長谷川さんと島へ渡った。長谷川さんは舟の名前を教えてくれた。",
    "梅.md": "庭のモミジが赤い。モミジの下に長椅子を置いた。",
}

NEIGHBOURS = {
    "stairs.md": (
        "Olga from upstairs has stopped teaching at the music school after thirty-one years. She"
        " says that she does not miss the stairs or the piano there."
    ),
    "exam.md": "Olga said that she passed the language exam with seventy-eight per cent.",
    "boat.md": (
        "Sold the boat to Halvard. On 3 May 2024 he came with the trailer, and I gave him the"
        " oars and both anchors as well."
    ),
    "family.md": "My brother Conor rang about the farm. Conor wants to keep the lower field.",
}


class TestIdentity:
    def test_it_is_kept_whole(self, client: FlaskClient) -> None:
        assert client.put("/api/identity", json=ME).get_json() == ME
        assert client.get("/api/identity").get_json() == ME

    def test_who_says_only_what_was_known_before_gets_the_usual_voice(
        self, client: FlaskClient
    ) -> None:
        said = client.put("/api/identity", json={"name": "Nagi"}).get_json()
        assert (said["values"], said["length"], said["manner"]) == ("", "normal", "usual")

    @pytest.mark.parametrize(
        "wrong",
        [{"manner": "rude"}, {"length": "endless"}, {"values": "x" * 4001}, {"mood": "good"}],
    )
    def test_what_is_no_choice_is_refused_and_named(
        self, client: FlaskClient, wrong: dict[str, str]
    ) -> None:
        answer = client.put("/api/identity", json={"name": "Nagi"} | wrong)
        assert answer.status_code == 422
        assert next(iter(wrong)) in answer.text

    def test_it_travels_in_an_archive(self, client: FlaskClient, node: Node) -> None:
        client.put("/api/identity", json=ME)
        assert node.ports.conversations.identity().values == "Quiet mornings."

    def test_a_preview_sounds_like_the_draft_and_keeps_nothing(
        self, client: FlaskClient, node: Node
    ) -> None:
        node.library.add_text(DIARY["loom.md"], title="Loom")
        node.run_jobs()
        sent = {"question": "When did the loom from Aunt Petra come?", "identity": {"name": "N"}}
        plain, warm = (
            client.post(
                "/api/identity/preview", json=sent | {"identity": {"name": "N", "manner": each}}
            ).get_json()["parts"]
            for each in ("plain", "warm")
        )
        quoted = [
            [part["text"] for part in said if part["kind"] == "quotation"] for said in (plain, warm)
        ]
        assert quoted[0] == quoted[1] != []
        assert plain != warm
        assert client.get("/api/conversations").get_json()["items"] == []
        assert client.get("/api/identity").get_json()["name"] == ""


class TestFirstQuestions:
    def test_nothing_added_suggests_nothing(self, client: FlaskClient) -> None:
        assert client.get("/api/questions").get_json()["items"] == []

    def test_each_has_its_answer_in_what_was_added(self, client: FlaskClient, node: Node) -> None:
        for name, text in DIARY.items():
            node.library.add_text(text, title=name)
        node.run_jobs()
        found = client.get("/api/questions?limit=4").get_json()["items"]
        assert len(found) >= 3
        assert {bool(each["question"].isascii()) for each in found} == {True, False}
        for each in found:
            text = client.get(
                f"/api/documents/{each['document']}/text?start={each['start']}&end={each['end']}"
            ).get_json()["text"]
            parts = client.post(
                "/api/identity/preview",
                json={"question": each["question"], "identity": {"name": "N"}},
            ).get_json()["parts"]
            assert text.strip()
            assert [part for part in parts if part["kind"] == "quotation"]

    def test_people_come_before_days(self, client: FlaskClient, node: Node) -> None:
        for name, text in NEIGHBOURS.items():
            node.library.add_text(text, title=name)
        node.run_jobs()
        found = client.get("/api/questions?limit=6").get_json()["items"]
        asked = [each["question"] for each in found]
        assert asked[0] == "Who is Conor?"
        assert "What do you know about Olga?" in asked
        assert sum(each.startswith("What happened on") for each in asked) <= 1
        assert len(set(asked)) == len(asked)

    def test_a_day_ahead_is_asked_for_what_is_planned(
        self, client: FlaskClient, node: Node
    ) -> None:
        now = node.ports.clock.now()
        ahead = now + timedelta(days=9)
        text = f"The dentist is on {ahead:%-d %B %Y} at half past nine; bring the old x-rays."
        node.library.add_text(text, title="Note", created_at=now - timedelta(days=2))
        node.library.add_text("The dentist moved house in May, to Risør.", title="Other")
        node.run_jobs()
        asked = f"What is planned for {ahead:%-d %B %Y}?"
        found = client.get("/api/questions?limit=3").get_json()["items"]
        assert asked in [each["question"] for each in found]
        assert not any(each["question"].startswith("What happened") for each in found)
        parts = client.post(
            "/api/identity/preview", json={"question": asked, "identity": {"name": "N"}}
        ).get_json()["parts"]
        assert [part["text"] for part in parts if part["kind"] == "quotation"] == [text]

    def test_whoever_the_person_hid_is_not_asked_about(
        self, client: FlaskClient, node: Node
    ) -> None:
        for name, text in NEIGHBOURS.items():
            node.library.add_text(text, title=name)
        node.run_jobs()
        node.graph.draw()
        assert client.patch("/api/entities/olga", json={"hidden": True}).status_code == 200
        found = client.get("/api/questions?limit=6").get_json()["items"]
        assert found
        assert not any("Olga" in each["question"] for each in found)

    def test_nothing_is_made_of_what_is_sealed(self, client: FlaskClient, node: Node) -> None:
        node.library.add_text(DIARY["ferry.md"], title="Ferry", private=True)
        node.run_jobs()
        assert client.get("/api/questions").get_json()["items"] == []

    @pytest.mark.parametrize("limit", ["0", "13", "many"])
    def test_a_limit_that_is_none_is_refused(self, client: FlaskClient, limit: str) -> None:
        assert client.get(f"/api/questions?limit={limit}").status_code == 422

    def test_a_question_stays_out_of_what_is_logged(self) -> None:
        assert "Ragnhild" not in repr(Suggested("What did I write about Ragnhild?", "d", 0, 1))  # type: ignore[arg-type]
