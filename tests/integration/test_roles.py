"""Roles over HTTP, in chats, in archives and on the command line."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest
from flask.testing import FlaskClient
from typer.testing import CliRunner
from werkzeug.test import TestResponse

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.cli import app as commands
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import roles
from lpm_kernel.usecases.home.archive_export import ExportOptions

BENCH = "The glue for the cello was mixed on 9 May 2025 and held."
HOME = "Grandmother hid the key under the plum tree."
COACH = {
    "name": "Interview coach",
    "prompt": "Ask one question at a time.",
    "purpose": "Rehearse.",
    "sees": {"tags": ["bench"]},
}


@pytest.fixture
def life(node: Node, scripted: ScriptedModel) -> Node:
    scripted.script = []  # it repeats what it is asked
    node.library.add_text(BENCH, title="Bench", tags=["bench"])
    node.library.add_text(HOME, title="Home", tags=["family"])
    node.library.add_text(
        "The safe opens with nineteen.", title="Safe", tags=["bench"], private=True
    )
    node.run_jobs()
    return node


def events(answer: TestResponse) -> list[tuple[str, dict[str, Any]]]:
    """Read a stream of events."""
    assert answer.status_code == 200, answer.text
    return [
        (part.split("\n")[0][7:], json.loads(part.split("\ndata: ")[1]))
        for part in answer.text.strip().split("\n\n")
    ]


def made(client: FlaskClient, **changes: object) -> dict[str, Any]:
    """Make a role."""
    answer = client.post("/api/roles", json=COACH | changes)
    assert answer.status_code == 201, answer.text
    return dict(answer.get_json())


class TestKeeping:
    @pytest.mark.usefixtures("life")
    def test_a_role_is_made_read_changed_deleted_and_brought_back(
        self, client: FlaskClient
    ) -> None:
        role = made(client)
        assert (role["id"], role["model"], role["seal"], role["origin"]) == (
            "interview-coach",
            "second-me/interview-coach",
            "I",
            "written",
        )
        assert (role["passages"], role["of"]) == (1, 3)
        changed = client.put(
            f"/api/roles/{role['id']}", json=COACH | {"name": "Coach", "sees": {}}
        ).get_json()
        assert (changed["name"], changed["passages"], changed["created_at"]) == (
            "Coach",
            2,
            role["created_at"],
        )
        assert client.delete(f"/api/roles/{role['id']}").status_code == 204
        assert client.get(f"/api/roles/{role['id']}").status_code == 404
        listed = client.get("/api/roles").get_json()
        assert (listed["items"], [each["name"] for each in listed["deleted"]]) == ([], ["Coach"])
        assert client.post(f"/api/roles/{role['id']}/restore").get_json()["name"] == "Coach"

    @pytest.mark.usefixtures("life")
    def test_an_id_that_is_taken_or_means_something_else_gets_a_number(
        self, client: FlaskClient
    ) -> None:
        assert [made(client)["id"], made(client)["id"]] == ["interview-coach", "interview-coach-2"]
        assert made(client, name="面接の練習相手")["id"] == "role"
        assert made(client, name="Starters")["id"] == "starters-2"
        assert client.post("/api/roles", json=COACH | {"id": "Not An Id"}).status_code == 422

    def test_what_was_deleted_long_ago_is_gone(
        self, life: Node, client: FlaskClient, frozen_clock: FrozenClock
    ) -> None:
        role = made(client)
        client.delete(f"/api/roles/{role['id']}")
        frozen_clock.advance(timedelta(days=31))
        life.reconcile()
        assert client.post(f"/api/roles/{role['id']}/restore").status_code == 404

    def test_the_starters_stand_in_both_languages_and_can_be_kept(self) -> None:
        for each in roles.starters():
            assert set(each.words) == {"en", "ja"}
            for language in roles.LANGUAGES:
                assert roles.checked(each.role(language)).name == each.words[language]["name"]
        assert {each.role("ja").name for each in roles.starters()}.isdisjoint(
            each.role("en").name for each in roles.starters()
        )

    def test_only_its_owner_keeps_roles(self, life: Node, client: FlaskClient) -> None:
        key = client.post(
            "/api/keys", json={"name": "a program", "scopes": ["chat", "recall", "write"]}
        ).get_json()["key"]
        other = create_app(life).test_client()
        other.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {key}"
        made(client)
        assert other.get("/api/roles").status_code == 403
        assert "second-me/interview-coach" in [
            each["id"] for each in other.get("/v1/models").get_json()["data"]
        ]


class TestSeeing:
    @pytest.mark.usefixtures("life")
    def test_a_scope_is_counted_and_its_newest_rows_are_shown(self, client: FlaskClient) -> None:
        seen = client.post("/api/roles/sees", json={"tags": ["bench"]}).get_json()
        assert (
            seen["passages"],
            seen["documents"],
            seen["of"],
            [each["content"] for each in seen["items"]],
        ) == (1, 1, 3, [BENCH])
        assert (
            client.post("/api/roles/sees?limit=1", json={"private": True}).get_json()["passages"]
            == 3
        )
        assert (
            client.post("/api/roles/sees", json={"tags": ["no such tag"]}).get_json()["passages"]
            == 0
        )
        assert (
            client.post("/api/roles/sees", json={"folder": "no/such/folder"}).get_json()["passages"]
            == 0
        )
        assert (
            client.post("/api/roles/sees", json={"memory_kinds": ["world"]}).get_json()["passages"]
            == 0
        )

    @pytest.mark.usefixtures("life")
    def test_a_role_is_tried_before_it_is_kept(
        self, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        told = events(
            client.post("/api/roles/try", json={"role": COACH, "text": "When was the glue mixed?"})
        )
        assert [kind for kind, _ in told][-1] == "done"
        assert any(kind == "citation" and each["citation"]["quote"] == BENCH for kind, each in told)
        assert client.get("/api/roles").get_json()["items"] == []
        assert client.get("/api/conversations").get_json()["items"] == []
        assert str(COACH["prompt"]) in scripted.seen[-1][0].content

    def test_what_lies_outside_is_in_no_prompt(
        self, life: Node, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        life.workspace.append("memory.md", "\n- W The plum tree stands behind the house.\n")
        life.run_jobs()
        for question in (
            "Where is the key under the plum tree?",
            "How does the safe open?",
            "Who am I?",
        ):
            events(client.post("/api/roles/try", json={"role": COACH, "text": question}))
        told = "\n".join(each.content for prompt in scripted.seen for each in prompt)
        assert "Grandmother" not in told
        assert "nineteen" not in told
        assert "stands behind" not in told

    def test_a_line_of_memory_md_is_kept_in_mind_where_it_lies_inside(
        self, life: Node, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        life.workspace.append("memory.md", "\n- W The plum tree stands behind the house.\n")
        life.run_jobs()
        events(client.post("/api/roles/try", json={"role": COACH | {"sees": {}}, "text": "Begin."}))
        assert "The plum tree stands behind the house." in scripted.seen[-1][0].content

    @pytest.mark.usefixtures("life")
    def test_what_the_person_said_of_themselves_stays_with_them(
        self, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        client.put(
            "/api/identity",
            json={"name": "Nagi", "introduction": "A violin maker.", "values": "Quiet."},
        )
        events(client.post("/api/roles/try", json={"role": COACH, "text": "Begin."}))
        begins = scripted.seen[-1][0].content
        assert "Nagi" in begins
        assert "violin" not in begins
        assert "Quiet" not in begins


class TestChats:
    @pytest.mark.usefixtures("life")
    def test_a_chat_is_with_a_role_and_says_so(
        self, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        scripted.script = ScriptedModel([("glue", f"{BENCH} What did you learn from it?")]).script
        made(client)
        talk = client.post("/api/conversations", json={"role": "interview-coach"}).get_json()
        assert talk["role"] == {"id": "interview-coach", "name": "Interview coach", "seal": "I"}
        told = events(
            client.post(
                f"/api/conversations/{talk['id']}/turns", json={"text": "Ask me about the glue."}
            )
        )
        parts = told[-1][1]["turn"]["parts"]
        assert [(each["kind"], bool(each["citations"])) for each in parts] == [
            ("quotation", True),
            ("role", False),
        ]
        assert client.get("/api/conversations").get_json()["items"][0]["role"]["seal"] == "I"
        branch = client.post(
            f"/api/conversations/{talk['id']}/branch", json={"turn": told[0][1]["turn"]["id"]}
        ).get_json()
        assert branch["role"]["id"] == "interview-coach"
        again = events(
            client.post(f"/api/conversations/{talk['id']}/turns/{told[-1][1]['turn']['id']}/again")
        )
        assert again[-1][0] == "done"

    @pytest.mark.usefixtures("life")
    def test_an_answer_that_rested_on_what_the_role_may_not_see_any_more_is_forgotten(
        self, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        made(client, sees={})
        talk = client.post("/api/conversations", json={"role": "interview-coach"}).get_json()["id"]
        events(
            client.post(
                f"/api/conversations/{talk}/turns",
                json={"text": "Where did Grandmother hide the key?"},
            )
        )
        client.put("/api/roles/interview-coach", json=COACH)
        events(
            client.post(
                f"/api/conversations/{talk}/turns", json={"text": "Go on with the glue, please."}
            )
        )
        assert "Grandmother" not in "".join(each.content for each in scripted.seen[-1])

    @pytest.mark.usefixtures("life")
    def test_a_chat_whose_role_was_deleted_can_be_read_and_not_continued(
        self, client: FlaskClient
    ) -> None:
        made(client)
        talk = client.post("/api/conversations", json={"role": "interview-coach"}).get_json()["id"]
        client.delete("/api/roles/interview-coach")
        assert client.get(f"/api/conversations/{talk}").get_json()["role"]["name"] == ""
        refused = client.post(f"/api/conversations/{talk}/turns", json={"text": "Are you there?"})
        assert refused.status_code == 409
        assert (
            client.post("/api/conversations", json={"role": "interview-coach"}).status_code == 404
        )


class TestHandingOn:
    @pytest.mark.usefixtures("life")
    def test_a_role_comes_out_as_it_went_in(self, client: FlaskClient) -> None:
        made(
            client, sees={"tags": ["bench"], "since": "2025-01-01T00:00:00+00:00", "private": True}
        )
        written = client.get("/api/roles/interview-coach/export").get_json()
        assert "private" not in written["sees"]
        came = client.post("/api/roles/import", json=written).get_json()
        assert (came["id"], came["origin"], came["sees"]["private"], came["sees"]["tags"]) == (
            "interview-coach-2",
            "file",
            False,
            ["bench"],
        )
        assert client.get("/api/roles/interview-coach-2/export").get_json() == written | {
            "id": "interview-coach-2"
        }

    @pytest.mark.parametrize("where", ["", "speech", "sees"])
    @pytest.mark.usefixtures("life")
    def test_a_field_that_is_not_known_is_refused_by_its_name(
        self, client: FlaskClient, where: str
    ) -> None:
        made(client)
        written = client.get("/api/roles/interview-coach/export").get_json()
        (written[where] if where else written)["tool"] = True
        refused = client.post("/api/roles/import", json=written)
        assert refused.status_code == 422
        assert "tool" in refused.text
        with pytest.raises(Exception, match="tool"):
            roles.from_file(written)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"version": 2},
            {"format": "x"},
            {"sees": {"private": True}},
            {"speech": {"temperature": "hot"}},
            {"sees": {"kinds": ["spell"]}},
            {"name": 3},
            {"sees": []},
        ],
    )
    @pytest.mark.usefixtures("life")
    def test_a_file_that_is_none_is_refused(
        self, client: FlaskClient, wrong: dict[str, Any]
    ) -> None:
        made(client)
        written = client.get("/api/roles/interview-coach/export").get_json() | wrong
        assert client.post("/api/roles/import", json=written).status_code == 422
        with pytest.raises(InvalidInputError):
            roles.from_file(written)

    def test_archives_carry_roles_and_who_spoke(
        self, life: Node, client: FlaskClient, tmp_path: Path
    ) -> None:
        made(client, sees={"tags": ["bench"], "private": True})
        talk = client.post(
            "/api/conversations", json={"role": "interview-coach", "title": "Rehearsal"}
        ).get_json()["id"]
        life.home.export(tmp_path / "all.zip", ExportOptions())
        with Node.open(
            tmp_path / "other",
            clock=life.ports.clock,
            model=ScriptedModel(),
            embedder=HashingEmbedder(),
        ) as other:
            other.home.take_in(tmp_path / "all.zip")
            assert other.ports.roles.all() == life.ports.roles.all()
            assert other.ports.conversations.get(talk).cast == ("interview-coach",)


class Run(Protocol):
    """Runs a command and returns what it printed."""

    def __call__(self, *words: str) -> str: ...


@pytest.fixture
def command(life: Node) -> Run:  # noqa: ARG001  its home is the one that the commands open
    def run(*words: str) -> str:
        answer = CliRunner().invoke(commands, list(words))
        assert answer.exit_code == 0, (answer.output, answer.exception)
        return answer.output

    return run


def test_the_command_line_makes_shows_hands_on_and_removes(command: Run, tmp_path: Path) -> None:
    assert "No roles yet" in command("roles", "list")
    assert "interview-coach" in command("roles", "add", "interview-coach", "--tag", "bench")
    assert "sees 1 passage" in command("roles", "list")
    assert "1 of 3" in command("roles", "show", "interview-coach")
    command("roles", "export", "interview-coach", str(tmp_path / "coach.json"))
    assert (
        json.loads(command("roles", "import", str(tmp_path / "coach.json"), "--json"))["id"]
        == "interview-coach-2"
    )
    command("roles", "remove", "interview-coach-2")
    assert len(json.loads(command("roles", "list", "--json"))["items"]) == 1
