"""Several roles in one chat: each with its own voice, all of them with the same memory and history,
and taking turns.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.roles import Role, RoleId
from lpm_kernel.domain.ids import ConversationId
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.casting import next_to_speak
from lpm_kernel.usecases.home.archive_export import ExportOptions
from tests.integration.test_roles import BENCH, HOME, events

COACH = {
    "name": "Coach",
    "prompt": "Ask one question at a time.",
    "speech": {"style": "Short and dry.", "temperature": 0.2},
    "sees": {"tags": ["bench"]},
}
MUSE = {
    "name": "Muse",
    "prompt": "Propose what nobody thought of.",
    "speech": {"style": "Full of pictures.", "temperature": 1.1},
}


@pytest.fixture
def life(node: Node, scripted: ScriptedModel) -> Node:
    scripted.script = ScriptedModel(
        [
            ("as “Muse”|What do you say", "Muse: Let the glue sing!"),
            ("as “Coach”|glue|quiet", "How long did it hold?"),
        ]
    ).script
    node.library.add_text(BENCH, title="Bench", tags=["bench"])
    node.library.add_text(HOME, title="Home", tags=["family"])
    node.run_jobs()
    return node


@pytest.fixture
def table(life: Node, client: FlaskClient) -> str:
    """A chat with both of them."""
    assert life.ports.conversations.identity().name == ""
    client.put("/api/identity", json={"name": "Nagi"})
    for each in (COACH, MUSE):
        assert client.post("/api/roles", json=each).status_code == 201
    begun = client.post("/api/conversations", json={"cast": ["coach", "muse"]})
    assert begun.status_code == 201, begun.text
    return str(begun.get_json()["id"])


def say(client: FlaskClient, table: str, text: str = "", to: str = "") -> dict[str, Any]:
    """Say something, and give the answer as it is kept."""
    kind, last = events(
        client.post(f"/api/conversations/{table}/turns", json={"text": text, "to": to})
    )[-1]
    assert kind == "done", last
    return dict(last["turn"])


class TestTakingTurns:
    def test_each_answers_in_its_turn_and_is_counted(self, client: FlaskClient, table: str) -> None:
        answered = [
            say(client, table, "How is the glue?"),
            say(client, table),
            say(client, table),
            say(client, table, "Muse, and you?"),
        ]
        assert [each["speaker"]["name"] for each in answered] == ["Coach", "Muse", "Coach", "Muse"]
        shown = client.get(f"/api/conversations/{table}").get_json()
        assert [(each["id"], each["turns"]) for each in shown["cast"]] == [
            ("coach", 2),
            ("muse", 2),
        ]
        asked = [each for each in shown["items"] if each["role"] == "user"]
        assert [(each["text"], each["speaker"]["id"]) for each in asked] == [
            ("How is the glue?", "coach"),
            ("", "muse"),
            ("", "coach"),
            ("Muse, and you?", "muse"),
        ]

    def test_who_is_asked_answers(self, client: FlaskClient, table: str) -> None:
        assert say(client, table, "Coach, be quiet.", to="muse")["speaker"]["id"] == "muse"
        assert (
            client.post(
                f"/api/conversations/{table}/turns", json={"text": "Hello?", "to": "stranger"}
            ).status_code
            == 422
        )

    def test_the_same_turn_twice_is_one_with_one_speaker(
        self, client: FlaskClient, table: str
    ) -> None:
        said = {"text": "How is the glue?", "client_id": "12345678-aaaa"}
        first, again = (
            events(client.post(f"/api/conversations/{table}/turns", json=said))[-1][1]["turn"]
            for _ in range(2)
        )
        assert (first["id"], first["speaker"]["id"]) == (again["id"], "coach")
        assert again["speaker"] == first["speaker"]

    def test_another_answer_is_of_the_same_role(self, client: FlaskClient, table: str) -> None:
        say(client, table, "How is the glue?")
        cued = say(client, table)
        kind, last = events(
            client.post(f"/api/conversations/{table}/turns/{cued['answers']}/again")
        )[-1]
        assert (kind, last["turn"]["speaker"]["id"], len(last["turn"]["variants"])) == (
            "done",
            "muse",
            2,
        )
        assert [
            each["turns"] for each in client.get(f"/api/conversations/{table}").get_json()["cast"]
        ] == [1, 1]

    def test_nobody_goes_on_from_nothing(self, client: FlaskClient, table: str) -> None:
        refused = client.post(f"/api/conversations/{table}/turns", json={"text": " "})
        assert (refused.status_code, refused.get_json()["hint"]) == (
            422,
            "Say something first; then the roles can go on by themselves.",
        )
        alone = client.post("/api/conversations", json={"role": "coach"}).get_json()["id"]
        assert (
            client.post(f"/api/conversations/{alone}/turns", json={"text": ""}).status_code == 422
        )

    def test_one_that_was_deleted_is_passed_over(self, client: FlaskClient, table: str) -> None:
        say(client, table, "How is the glue?")
        client.delete("/api/roles/muse")
        assert say(client, table)["speaker"]["id"] == "coach"
        gone = client.post(
            f"/api/conversations/{table}/turns", json={"text": "Muse?", "to": "muse"}
        )
        assert gone.status_code == 409
        assert [
            each["name"] for each in client.get(f"/api/conversations/{table}").get_json()["cast"]
        ] == ["Coach", ""]
        client.delete("/api/roles/coach")
        assert (
            client.post(f"/api/conversations/{table}/turns", json={"text": "Anybody?"}).status_code
            == 409
        )

    @pytest.mark.parametrize(
        "cast", [["coach", "coach"], ["coach", "nobody"], [f"r{n}" for n in range(7)]]
    )
    @pytest.mark.usefixtures("table")
    def test_a_cast_that_cannot_be_is_refused(self, client: FlaskClient, cast: list[str]) -> None:
        assert client.post("/api/conversations", json={"cast": cast}).status_code in {404, 422}


class TestVoices:
    def test_each_is_told_its_own_prompt_and_hears_the_others_by_name(
        self, client: FlaskClient, table: str, scripted: ScriptedModel
    ) -> None:
        for text in ("How is the glue?", "", ""):
            say(client, table, text)
        coach, muse, back = (scripted.seen[-3], scripted.seen[-2], scripted.seen[-1])
        assert "Ask one question at a time. Short and dry." in coach[0].content
        assert "Others speak here too: Muse." in coach[0].content
        assert "Propose what nobody thought of. Full of pictures." in muse[0].content
        assert "Nagi: How is the glue?\n\nCoach: How long did it hold?" in muse[1].content
        assert [each.role for each in back] == ["system", "user", "assistant", "user"]
        assert "Muse: Let the glue sing!" in back[-1].content
        assert "It is your turn to speak as “Coach”." in back[-1].content

    def test_a_role_speaks_for_itself_alone(self, client: FlaskClient, table: str) -> None:
        assert say(client, table, "What do you say?", to="muse")["text"] == "Let the glue sing!"

    def test_alone_nothing_is_said_of_others(
        self, client: FlaskClient, table: str, scripted: ScriptedModel
    ) -> None:
        assert table
        alone = client.post("/api/conversations", json={"cast": ["coach"]}).get_json()
        assert (alone["cast"], alone["role"]["id"], alone["together"]) == ([], "coach", None)
        say(client, alone["id"], "How is the glue?")
        assert "speak here too" not in scripted.seen[-1][0].content
        assert scripted.seen[-1][-1].content.endswith("\n\nHow is the glue?")


class TestSharedMemory:
    def test_together_they_see_what_every_one_of_them_may_see(
        self, client: FlaskClient, table: str, scripted: ScriptedModel
    ) -> None:
        assert client.get(f"/api/conversations/{table}").get_json()["together"] == 1
        assert client.post("/api/roles/together", json={"roles": ["coach", "muse"]}).get_json() == {
            "passages": 1,
            "documents": 1,
            "of": 2,
        }
        assert (
            client.post("/api/roles/together", json={"roles": ["muse"]}).get_json()["passages"] == 2
        )
        for to in ("muse", "coach"):
            say(client, table, "Where did grandmother hide the key under the plum tree?", to)
        assert "Grandmother hid" not in "\n".join(
            each.content for prompt in scripted.seen for each in prompt
        )
        alone = client.post("/api/conversations", json={"role": "muse"}).get_json()["id"]
        say(client, alone, "Where did grandmother hide the key under the plum tree?")
        assert "Grandmother hid" in scripted.seen[-1][-1].content


class TestKeeping:
    def test_a_branch_has_the_same_cast(self, client: FlaskClient, table: str) -> None:
        say(client, table, "How is the glue?")
        asked = say(client, table, "And then?")["answers"]
        branch = client.post(f"/api/conversations/{table}/branch", json={"turn": asked}).get_json()
        assert [(each["id"], each["turns"]) for each in branch["cast"]] == [
            ("coach", 1),
            ("muse", 0),
        ]

    def test_a_cast_and_its_speakers_come_along_in_an_archive(
        self, life: Node, client: FlaskClient, table: str, tmp_path: Path
    ) -> None:
        say(client, table, "How is the glue?")
        say(client, table)
        archive = tmp_path / "life.zip"
        life.home.export(archive, ExportOptions())
        with Node.open(
            tmp_path / "other", model=ScriptedModel(), embedder=HashingEmbedder()
        ) as other:
            other.home.take_in(archive)
            kept = other.ports.conversations.get(ConversationId(table))
            assert kept.cast == ("coach", "muse")
            assert [turn.speaker for turn in other.ports.conversations.turns(kept.id)] == [
                "coach",
                "coach",
                "muse",
                "muse",
            ]
            assert other.ports.conversations.spoken(kept.id) == {"coach": 1, "muse": 1}


@given(
    named=st.lists(st.sampled_from(["Anna", "Ann", "編集者", "Ben"]), unique=True, min_size=1),
    rounds=st.integers(1, 20),
)
def test_turns_are_shared_fairly(named: list[str], rounds: int) -> None:
    cast = [Role(RoleId(f"r{number}"), name, "", "x") for number, name in enumerate(named)]
    spoken: dict[str, int] = {}
    for _ in range(rounds):
        speaks = next_to_speak(cast, spoken)
        spoken[speaks.id] = spoken.get(speaks.id, 0) + 1
    counts = [spoken.get(each.id, 0) for each in cast]
    assert max(counts) - min(counts) <= 1
    for each in cast:
        assert next_to_speak(cast, spoken, f"{each.name}, what do you think?").name == each.name
        assert next_to_speak(cast, spoken, f"@{each.id} what do you think?") is each
