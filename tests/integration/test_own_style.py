"""How the person writes is measured in what is there now, told to nobody but their own second self,
and kept nowhere.
"""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from tests.integration.test_threads import begin, say
from tests.scan import traces

NOTE = (
    "well, the {thing} is late again! nobody minds, maybe. i put number {number} on the shelf and"
    " went out, lol. vorpalith does it all the time!\n"
)
STYLE = "as their own texts show"


def note(of: int) -> str:
    """A note of one day, in small letters and with many signs."""
    return "".join(
        NOTE.format(thing=thing, number=of * 10 + place)
        for place, thing in enumerate(("boat", "bread", "post", "choir"))
    )


def shown(client: FlaskClient) -> dict[str, Any]:
    answer = client.get("/api/identity/style")
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def english(client: FlaskClient) -> dict[str, Any] | None:
    return next((each for each in shown(client)["styles"] if each["language"] == "en"), None)


def figure(client: FlaskClient, name: str) -> float:
    style = english(client)
    assert style is not None
    return float(next(each["own"] for each in style["figures"] if each["name"] == name))


@pytest.fixture
def written(node: Node) -> list[DocumentId]:
    """Twenty notes of the person's own."""
    node.ports.conversations.set_identity(Identity("Nagi Sorrel"))
    made = [node.library.add_text(note(of), title=f"Diary {of}").document.id for of in range(20)]
    node.run_jobs()
    return made


def test_too_little_has_no_figures_and_says_how_much_there_is(client: FlaskClient) -> None:
    assert shown(client) == {
        "own_voice": "auto",
        "taken_on": True,
        "documents": 0,
        "turns": 0,
        "languages": [],
        "styles": [],
    }
    say(client, begin(client), "I came home late, and the boat was gone.")
    found = shown(client)
    assert (found["turns"], found["styles"]) == (1, [])
    assert found["languages"][0]["needed"] > found["languages"][0]["characters"] > 20


@pytest.mark.usefixtures("written")
def test_it_is_measured_beside_general_text(client: FlaskClient) -> None:
    style = english(client)
    assert style is not None
    assert (style["texts"], style["tells_apart"]) == (20, True)
    figures = {each["name"]: each for each in style["figures"]}
    assert figures["small_start"]["own"] > 0.9
    assert figures["small_start"]["general"] < 0.1
    assert figures["exclamation"]["own"] > figures["exclamation"]["general"]
    words = [each["word"] for each in style["words"]]
    assert "maybe" in words
    assert all(each["z"] >= 1.96 and each["own"] > each["general"] for each in style["words"])
    assert "“Well”" in style["told"]
    assert "vorpalith" not in style["told"]


def test_what_another_says_does_not_count(node: Node, client: FlaskClient) -> None:
    node.ports.conversations.set_identity(Identity("Nagi Sorrel"))
    talk = "".join(
        f"Mam: IT IS {of} AND YOU SLEEP!\nNagi: i do not, mam {of}.\n" for of in range(9)
    )
    node.library.add_text(talk, title="Kitchen")
    node.library.add_text("I said so. “You never DID!!” she said. I did.", title="Diary")
    node.run_jobs()
    say(client, begin(client), "Please translate this: WIR GEHEN HEIM!!!")
    texts = " ".join(node.style.own_texts(private=True))
    assert "i do not, mam 3." in texts
    assert "Nagi:" not in texts
    assert not any(words in texts for words in ("SLEEP", "DID", "HEIM"))


def test_an_erased_document_counts_no_more_and_leaves_nothing(
    node: Node, client: FlaskClient, written: list[DocumentId]
) -> None:
    node.library.add_text("Umbergast? " * 30, title="Diary of questions")
    node.run_jobs()
    before = figure(client, "question")
    assert before > 0
    [last] = {each.id for each in node.ports.documents.all()} - set(written)
    asked = client.post("/api/erasures", json={"documents": [last]}).get_json()
    client.post(f"/api/erasures/{asked['token']}/confirm")
    node.run_jobs()
    assert figure(client, "question") == 0
    assert traces(node.ports.home.root, ["Umbergast"]) == []


def test_nothing_of_it_is_on_the_disk(
    node: Node, client: FlaskClient, written: list[DocumentId]
) -> None:
    assert len(written) == 20
    before = {path for path in node.ports.home.root.rglob("*") if path.is_file()}
    assert english(client) is not None
    say(client, begin(client), "Where is the boat?")
    after = {path for path in node.ports.home.root.rglob("*") if path.is_file()}
    assert after - before <= {path for path in after if path.suffix in {".db-wal", ".db-shm"}}
    assert traces(node.ports.home.root, [STYLE, "small_start"]) == []


def test_what_is_put_away_or_private_counts_for_fewer(
    node: Node, client: FlaskClient, written: list[DocumentId]
) -> None:
    node.library.add_text("Is it so? " * 40 + "Why? Really? No?", title="Diary", private=True)
    node.run_jobs()
    assert figure(client, "question") > 0
    for_others = node.style.measured(private=False).profiles["en"]
    assert {each.name: each.own for each in for_others.figures}["question"] == 0
    client.delete(f"/api/documents/{written[0]}")
    style = english(client)
    assert style is not None
    assert style["texts"] == 20


@pytest.mark.usefixtures("written")
class TestTold:
    """What a model is told of it."""

    def last(self, scripted: ScriptedModel) -> str:
        """What the model was told before the newest question."""
        return scripted.seen[-1][0].content

    def test_the_second_self_is_told_beneath_what_the_person_says_of_style(
        self, node: Node, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        node.ports.conversations.set_identity(Identity("Nagi Sorrel", style="Always in verse."))
        say(client, begin(client), "Where is the boat?")
        told = self.last(scripted)
        assert 0 < told.index(STYLE) < told.index("Always in verse.")

    def test_a_role_is_not(self, client: FlaskClient, scripted: ScriptedModel) -> None:
        coach = {"name": "Coach", "prompt": "Ask.", "purpose": "Rehearse.", "sees": {}}
        role = client.post("/api/roles", json=coach).get_json()
        chat = client.post("/api/conversations", json={"role": role["id"]}).get_json()["id"]
        say(client, chat, "Where is the boat?")
        assert STYLE not in "".join(message.content for message in scripted.seen[-1])

    def test_whoever_is_not_the_person_is_not(
        self, node: Node, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        _, key = create_key(node.ports.access, node.ports.clock, "program", ("chat",))
        stranger = client.application.test_client()
        headers = {"Authorization": f"Bearer {key}"}
        question = {"role": "user", "content": "Where is the boat?"}
        asked = {"model": "second-me", "messages": [question]}
        answer = stranger.post("/v1/chat/completions", json=asked, headers=headers)
        assert answer.status_code == 200
        assert STYLE not in "".join(message.content for message in scripted.seen[-1])
        assert stranger.get("/api/identity/style", headers=headers).status_code == 403

    def test_nobody_is_where_the_person_does_not_want_it(
        self, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        answer = client.put("/api/identity/style", json={"own_voice": "off"})
        assert (answer.get_json()["own_voice"], answer.get_json()["taken_on"]) == ("off", False)
        say(client, begin(client), "Where is the boat?")
        assert STYLE not in self.last(scripted)
        assert client.put("/api/identity/style", json={"own_voice": "loud"}).status_code == 422
