"""When something is asked: what “yesterday” counts from, for whoever asks about another day."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Turn, TurnState
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.turns import counted_from

pytestmark = pytest.mark.integration

DIARY = {
    "2024-05-03.md": "I walked to the mill and back.",
    "2024-05-09.md": "I walked to the weir and back.",
}
QUESTION = "Where did I walk yesterday?"
SIXTH, FOURTH = "2024-05-10T09:00:00+09:00", "2024-05-04T09:00:00+09:00"


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


def posted(client: FlaskClient, path: str, **body: object) -> TestResponse:
    return client.post(path, json=body)


def first_found(response: TestResponse) -> str:
    """Return what was found first, before an answer began."""
    told = response.get_data(as_text=True)
    found = told.split("event: evidence")[1].split("data: ")[1].splitlines()[0]
    return str(json.loads(found)["items"][0]["content"])


@pytest.mark.parametrize(("now", "place"), [(SIXTH, "weir"), (FOURTH, "mill")])
def test_yesterday_counts_from_when_it_is_asked(client: FlaskClient, now: str, place: str) -> None:
    found = posted(client, "/api/recall", query=QUESTION, now=now).get_json()
    assert place in found["items"][0]["content"]
    chat = posted(client, "/api/conversations").get_json()["id"]
    told = posted(client, f"/api/conversations/{chat}/turns", text=QUESTION, now=now)
    assert "event: done" in told.get_data(as_text=True)
    last = client.get(f"/api/conversations/{chat}").get_json()["items"][-1]
    assert place in last["text"]
    messages = [{"role": "user", "content": QUESTION}]
    answer = posted(
        client, "/v1/chat/completions", model="second-me", messages=messages, now=now
    ).get_json()
    assert place in answer["choices"][0]["message"]["content"]


def test_answered_again_on_another_day_yesterday_is_still_the_day_before_it_was_asked(
    client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    frozen_clock.advance(datetime.fromisoformat(FOURTH) - frozen_clock.now())
    chat = posted(client, "/api/conversations").get_json()["id"]
    posted(client, f"/api/conversations/{chat}/turns", text=QUESTION).get_data()
    asked, told = client.get(f"/api/conversations/{chat}").get_json()["items"]
    assert "mill" in told["text"]
    frozen_clock.advance(datetime.fromisoformat(SIXTH) - frozen_clock.now())
    again = f"/api/conversations/{chat}/turns/{asked['id']}/again"
    assert "mill" in first_found(client.post(again))
    assert "weir" in first_found(client.post(again, query_string={"now": SIXTH}))
    assert client.post(again, query_string={"now": "soon"}).status_code == 422


def test_a_question_that_names_no_day_is_answered_again_from_today(
    frozen_clock: FrozenClock,
) -> None:
    then, now = frozen_clock.now(), frozen_clock.now() + timedelta(days=40)
    turn = Turn(TurnId("t_1"), ConversationId("v_1"), "user", "", TurnState.DONE, then)
    assert counted_from(replace(turn, text="Where do I live?"), now) is None
    assert counted_from(replace(turn, text="昨日はどこを歩いた？"), now) == then


def test_what_is_no_moment_is_refused_and_the_model_alone_has_no_use_for_one(
    client: FlaskClient,
) -> None:
    assert posted(client, "/api/recall", query=QUESTION, now="soon").status_code == 422
    messages = [{"role": "user", "content": QUESTION}]
    alone = posted(client, "/v1/chat/completions", model="base", messages=messages, now=SIXTH)
    assert alone.status_code == 422
    assert "Leave now out" in alone.get_data(as_text=True)
