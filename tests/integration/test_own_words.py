"""What a role says in its own words cites nothing; it goes wherever that may not be seen which the
role was given.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.domain.ports import Adapter, ChatMessage
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import turns as chat
from lpm_kernel.usecases.chat.redaction import GONE, LEFT_OUT
from lpm_kernel.usecases.home.archive_export import ExportOptions

DIARY = "The kingfisher keeps its ledger under the ninth stair."
RETOLD = "A small bird hides its book below step nine."
CELLO = "The cello is of 1911."
OWN = "Let us make a song of it."
MUSE = RoleId("muse")


class Paraphrasing(ScriptedModel):
    """Tells what it was given in words of its own, also what it heard itself tell."""

    def _answer(self, messages: Sequence[ChatMessage], adapter: Adapter | None) -> str:  # noqa: ARG002  the twin has it
        given = "\n".join(each.content for each in messages)
        return RETOLD if "ninth stair" in given or RETOLD in given else OWN


@pytest.fixture
def scripted() -> ScriptedModel:
    return Paraphrasing()


@pytest.fixture
def program(client: FlaskClient) -> dict[str, dict[str, str]]:
    """A program that may chat, as its requests say so."""
    key = client.post("/api/keys", json={"name": "editor", "scopes": ["chat"]}).get_json()["key"]
    return {"headers": {"Authorization": f"Bearer {key}"}}


@dataclass(frozen=True)
class Told:
    """Two chats with one role: in the first it told of the diary, and told that again; in the
    second it told nothing of it.
    """

    diary: DocumentId
    about: str
    beside: str


@pytest.fixture
def told(node: Node, client: FlaskClient) -> Told:
    diary = node.library.add_text(DIARY, title="Diary").document
    for number in range(12):  # more than an answer rests on
        node.library.add_text(f"{CELLO} So says letter {number}.")
    node.run_jobs()
    now = node.ports.clock.now()
    node.ports.roles.add(
        Role(MUSE, "Muse", "", "Propose.", sees=Sees(private=True), created_at=now, updated_at=now)
    )
    about, beside = (
        talk(client, "Where does the kingfisher keep its ledger?", "Of when is the cello?"),
        talk(client, "Of when is the cello?"),
    )
    assert words(client, about) == [RETOLD, RETOLD]
    assert words(client, beside) == [OWN]
    return Told(diary.id, about, beside)


def talk(client: FlaskClient, *questions: str) -> str:
    conversation = client.post("/api/conversations", json={"role": MUSE}).get_json()["id"]
    for question in questions:
        client.post(f"/api/conversations/{conversation}/turns", json={"text": question}).get_data()
    return str(conversation)


def words(client: FlaskClient, conversation: str, **asked: object) -> list[str]:
    items = client.get(f"/api/conversations/{conversation}", **asked).get_json()["items"]
    return [each["text"] for each in items if each["role"] == "assistant"]


def test_a_program_does_not_see_what_was_told_of_something_private(
    node: Node, client: FlaskClient, told: Told, program: dict[str, dict[str, str]]
) -> None:
    node.library.relabel(
        told.diary,
        private=True,
    )
    assert words(client, told.about, **program) == [LEFT_OUT["en"], LEFT_OUT["en"]]
    assert words(client, told.beside, **program) == [OWN]
    assert words(client, told.about) == [RETOLD, RETOLD], "the person does"
    asked = client.post(
        f"/api/conversations/{told.about}/turns", json={"text": "And of the cello?"}, **program
    ).get_data(as_text=True)
    assert RETOLD not in asked, "nor does the model, when a program asks it"


def test_an_archive_without_what_is_private_does_not_tell_it(
    node: Node, told: Told, tmp_path: Path
) -> None:
    node.library.relabel(
        told.diary,
        private=True,
    )
    for private in (True, False):
        node.home.export(tmp_path / "archive.zip", ExportOptions(private=private))
        with zipfile.ZipFile(tmp_path / "archive.zip") as archive:
            rows = [json.loads(row) for row in archive.read("conversations.jsonl").splitlines()]
        said = {each["id"]: json.dumps(each) for each in rows}
        assert (RETOLD in said[told.about]) is private
        assert OWN in said[told.beside]


def test_what_was_told_of_something_goes_when_that_is_erased(
    node: Node, client: FlaskClient, told: Told, home: Path
) -> None:
    backup = node.home.back_up()
    proposal = node.home.propose_erasure([told.diary])
    assert next(each for each in proposal.goes if each.place == "turns").count == 2
    node.home.confirm_erasure(proposal.token)
    assert words(client, told.about) == [GONE["en"], GONE["en"]], "at once"
    node.run_jobs()
    assert words(client, told.about) == [GONE["en"], GONE["en"]]
    assert words(client, told.beside) == [OWN]
    node.home.restore(backup.id)
    with Node.open(home, embedder=HashingEmbedder(), clock=node.ports.clock) as restored:
        assert [
            each.text
            for each in restored.ports.conversations.turns(ConversationId(told.about))
            if each.role == "assistant"
        ] == [GONE["en"], GONE["en"]]
        assert [
            each.text
            for each in restored.ports.conversations.turns(ConversationId(told.beside))
            if each.role == "assistant"
        ] == [OWN]


def test_an_archive_that_was_made_before_does_not_bring_it_back(
    node: Node, client: FlaskClient, told: Told, frozen_clock: FrozenClock, tmp_path: Path
) -> None:
    node.home.export(tmp_path / "before.zip", ExportOptions())
    erased = node.home.propose_erasure([told.diary], [ConversationId(told.beside)])
    node.home.confirm_erasure(erased.token)
    node.run_jobs()
    chat.put_away(node.ports.conversations, node.ports.clock, ConversationId(told.about))
    frozen_clock.advance(timedelta(days=40))
    assert chat.let_go(node.ports.conversations, node.ports.clock) == 1
    node.home.take_in(tmp_path / "before.zip")
    assert words(client, told.about) == [GONE["en"], GONE["en"]]


def test_what_a_program_asks_goes_on_from_no_quotation_of_something_private(
    node: Node, client: FlaskClient, scripted: ScriptedModel, program: dict[str, dict[str, str]]
) -> None:
    diary = node.library.add_text(DIARY, title="Diary").document
    node.library.add_text(CELLO)
    node.run_jobs()
    chats = [client.post("/api/conversations", json={}).get_json()["id"] for _ in range(2)]
    for each in chats:
        client.post(
            f"/api/conversations/{each}/turns",
            json={"text": "Where does the kingfisher keep its ledger?"},
        ).get_data()
        assert DIARY in words(client, each)[0]
    node.library.relabel(
        diary.id,
        private=True,
    )
    for each, asked in zip(chats, ({}, program), strict=True):
        scripted.seen.clear()
        client.post(
            f"/api/conversations/{each}/turns",
            json={"text": "Of when is the cello, by the way?"},
            **asked,
        ).get_data()
        given = "\n".join(each.content for prompt in scripted.seen for each in prompt)
        assert CELLO in given
        assert ("ninth stair" in given) is (not asked)
