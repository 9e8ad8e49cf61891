"""What happened on a day: everything of that day, and of no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.node import Node

pytestmark = pytest.mark.integration

DIARY = {
    "2024-05-03.md": "I walked to the mill with Mai and we carried the old bench home.",
    "2024-05-03 letter.md": "The tax office wants the papers of the workshop by the end of June.",
    "2024-05-09.md": "We sold the blue cello to a student from Osaka for less than I wanted.",
    "2024-08-01.md": "On 20 May 2024 the roof was mended by the two brothers from the harbour.",
}


@pytest.fixture
def client(home: Path, frozen_clock: FrozenClock) -> Iterator[FlaskClient]:
    model = ScriptedModel([(".", "Bananas were on the moon.")])
    with Node.open(home, clock=frozen_clock, model=model, embedder=HashingEmbedder()) as node:
        for name, text in DIARY.items():
            node.library.add_bytes(name, text.encode())
        node.run_jobs()
        browser = create_app(node).test_client()
        token = node.ports.home.secret("api-token")
        browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        yield browser


def said(client: FlaskClient, text: str) -> tuple[str, str]:
    chat = client.post("/api/conversations", json={}).get_json()["id"]
    told = client.post(f"/api/conversations/{chat}/turns", json={"text": text})
    assert "event: done" in told.get_data(as_text=True)
    last = client.get(f"/api/conversations/{chat}").get_json()["items"][-1]
    return last["text"], last["outcome"]


@pytest.mark.parametrize(
    "question",
    [
        "What happened on 3 May 2024?",
        "What did I do on 2024-05-03?",
        "2024年5月3日に何がありましたか？",
        "2024年5月3日发生了什么？",
    ],
)
def test_a_day_is_told_of_by_all_that_was_written_then(client: FlaskClient, question: str) -> None:
    text, outcome = said(client, question)
    assert outcome == "answered"
    assert "the mill" in text
    assert "tax office" in text
    assert "cello" not in text


def test_a_month_is_told_of_in_its_order(client: FlaskClient) -> None:
    text, outcome = said(client, "What happened in May 2024?")
    assert outcome == "answered"
    assert -1 < text.index("the mill") < text.index("cello")
    assert "roof" not in text


def test_a_day_that_nobody_wrote_on_has_nothing_and_the_nearest_is_named(
    client: FlaskClient,
) -> None:
    text, outcome = said(client, "What happened on 11 May 2024?")
    assert (text, outcome) == (
        "There is nothing from 11 May 2024. The nearest day is 9 May 2024.",
        "nothing",
    )


def test_what_a_later_note_says_of_the_day_is_found(client: FlaskClient) -> None:
    text, _ = said(client, "What happened on 20 May 2024?")
    assert "roof" in text


def test_a_question_about_something_else_on_that_day_is_read_as_ever(client: FlaskClient) -> None:
    text, _ = said(client, "What did we sell on 9 May 2024?")
    assert "cello" in text


def test_a_greeting_leaves_memory_alone(client: FlaskClient) -> None:
    text, outcome = said(client, "Hello!")
    assert (text, outcome) == ("Hello. What would you like to know?", "talk")
