"""An answer shows what its prompt held besides what was found: what was told lately in other chats,
and lines of the profile. Nothing of it outlives what it comes from, and no program sees it.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.profile import InMindKind
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.profile import TOLD_FOR
from lpm_kernel.usecases.home.access import create_key
from lpm_kernel.usecases.library.intake import NewDocument
from tests.integration.test_threads import begin, say
from tests.scan import traces

AFRAID = "I am so afraid of the exam."
ASKED = "Which trees have bee houses?"


def in_mind(client: FlaskClient, answer: dict[str, Any], chat: str) -> dict[str, Any]:
    found = client.get(f"/api/conversations/{chat}/turns/{answer['id']}/in-mind")
    assert found.status_code == 200, found.text
    return dict(found.get_json())


def named(shown: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["kind"], each["name"]) for each in shown["items"]]


BEES = "".join(
    json.dumps(
        {
            "id": f"T{number}",
            "text": f"Bee house {number} stands below the pear tree.",
            "session": "bees",
            "timestamp": "2026-01-02T10:00:00+00:00",
        }
    )
    + "\n"
    for number in range(12)
)
"""More than is found for a question."""


@pytest.fixture
def told(node: Node, client: FlaskClient, frozen_clock: FrozenClock) -> dict[str, str]:
    """Chats in which something was told, and one that asks of something else."""
    node.library.receive(NewDocument("bees.jsonl", BEES.encode()))
    node.run_jobs()
    music = begin(client, "Music")
    for number in range(2):
        say(client, music, f"I repaired the accordion with Farah on day {number}.")
    exam = begin(client, "Exam")
    say(client, exam, AFRAID)
    frozen_clock.advance(TOLD_FOR)
    return {"music": music, "exam": exam, "asking": begin(client, "Trees")}


@pytest.fixture
def answer(told: dict[str, str], client: FlaskClient, scripted: ScriptedModel) -> dict[str, Any]:
    assert scripted.card().parameters is None
    return say(client, told["asking"], ASKED)


def test_an_answer_shows_what_its_prompt_held(
    client: FlaskClient,
    scripted: ScriptedModel,
    told: dict[str, str],
    answer: dict[str, Any],
    frozen_clock: FrozenClock,
) -> None:
    prompt = "\n".join(message.content for message in scripted.seen[-1])
    assert AFRAID in prompt
    late = [item for item in answer["evidence"] if item["lately"]]
    assert AFRAID in [item["content"] for item in late]
    of_exam = next(item for item in late if item["content"] == AFRAID)
    assert of_exam["said_in"]["conversation"] == told["exam"]
    assert of_exam["said_in"]["turn"]
    shown = in_mind(client, answer, told["asking"])
    assert ("topics", "accordion") in named(shown)
    assert ("people", "Farah") in named(shown)
    assert (answer["in_mind"], shown["gone"]) == (len(shown["items"]), 0)
    for _, name in named(shown):
        assert name in prompt
    frozen_clock.advance(timedelta(days=3))
    say(client, told["asking"], "Thanks!")
    (kept,) = [
        turn
        for turn in client.get(f"/api/conversations/{told['asking']}").get_json()["items"]
        if turn["id"] == answer["id"]
    ]
    assert kept["evidence"] == [{**each, "marks": []} for each in answer["evidence"]]
    assert kept["in_mind"] == answer["in_mind"]


def test_lines_are_called_as_they_are_now_and_hidden_ones_are_not_shown(
    client: FlaskClient, scripted: ScriptedModel, told: dict[str, str], answer: dict[str, Any]
) -> None:
    lines = {
        each["name"]: each["line"] for each in in_mind(client, answer, told["asking"])["items"]
    }
    asked = say(client, told["asking"], "Which of them bloom?")["answers"]
    client.patch(f"/api/profile/{lines['accordion']}", json={"name": "Squeezebox"})
    client.patch(f"/api/profile/{lines['Farah']}", json={"hidden": True})
    shown = in_mind(client, answer, told["asking"])
    assert ("topics", "Squeezebox") in named(shown)
    assert "Farah" not in [name for _, name in named(shown)]
    assert shown["gone"] == 1
    made = client.post(
        f"/api/conversations/{told['asking']}/branch", json={"turn": asked}
    ).get_json()
    turns = client.get(f"/api/conversations/{made['id']}").get_json()["items"]
    copied = next(turn for turn in turns if turn["role"] == "assistant")
    assert in_mind(client, copied, made["id"]) == shown
    # nothing stood in a prompt where no model was asked
    prompts = len(scripted.seen)
    greeted = say(client, told["asking"], "Hello!")
    assert (len(scripted.seen), greeted["in_mind"], greeted["evidence"]) == (prompts, 0, [])
    assert in_mind(client, greeted, told["asking"]) == {"items": [], "gone": 0}


def lines_of(node: Node, answer: dict[str, Any]) -> dict[str, str]:
    turn = node.ports.conversations.turn(TurnId(answer["id"]))
    assert turn is not None
    assert turn.given is not None
    return {each.line: each.kind.value for each in turn.given.profile}


def test_what_is_erased_leaves_no_line_of_it_with_an_answer(
    node: Node, client: FlaskClient, told: dict[str, str], answer: dict[str, Any]
) -> None:
    line = next(
        each["line"]
        for each in in_mind(client, answer, told["asking"])["items"]
        if each["name"] == "accordion"
    )
    node.home.back_up()
    proposal = node.home.propose_erasure([], [ConversationId(told["music"])])
    node.home.confirm_erasure(proposal.token)
    assert line not in lines_of(node, answer)
    node.run_jobs()
    root = node.ports.home.root
    node.close()
    assert traces(root, [line]) == []


@pytest.mark.parametrize("keeping", ["summary", "none"])
def test_what_a_chat_does_not_keep_leaves_no_line_of_it_with_an_answer(
    node: Node,
    client: FlaskClient,
    told: dict[str, str],
    frozen_clock: FrozenClock,
    keeping: str,
) -> None:
    chat = begin(client)
    for day in range(2):
        say(client, chat, f"I put the vermouth into the cellar on day {day}.")
    frozen_clock.advance(TOLD_FOR)
    answer = say(client, told["asking"], ASKED)
    line = next(
        each["line"]
        for each in in_mind(client, answer, told["asking"])["items"]
        if each["name"] == "vermouth"
    )
    client.patch(f"/api/conversations/{chat}", json={"keeping": keeping})
    frozen_clock.advance(timedelta(minutes=11))
    node.chat.flush()
    node.run_jobs()
    assert line not in lines_of(node, answer)
    assert InMindKind.TOPICS.value in lines_of(node, answer).values()
    root = node.ports.home.root
    node.close()
    assert traces(root, [line]) == []


def test_a_program_sees_none_of_it(
    node: Node, client: FlaskClient, told: dict[str, str], answer: dict[str, Any]
) -> None:
    _, key = create_key(node.ports.access, node.ports.clock, "program", ("chat", "recall", "write"))
    headers = {"Authorization": f"Bearer {key}"}
    stranger = client.application.test_client()
    whole = stranger.get(f"/api/conversations/{told['asking']}", headers=headers)
    assert whole.status_code == 200
    for turn in whole.get_json()["items"]:
        assert turn["in_mind"] == 0
        assert not any(item["lately"] for item in turn["evidence"])
    asked = f"/api/conversations/{told['asking']}/turns/{answer['id']}/in-mind"
    assert stranger.get(asked, headers=headers).status_code == 404
    own = say(stranger, told["asking"], ASKED, headers=headers)
    assert own["in_mind"] == 0
    assert not any(item["lately"] for item in own["evidence"])
