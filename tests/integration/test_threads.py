"""What a person says in one chat is known in the next, opens at its turn, goes with its chat."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.chat.roles import Sees
from lpm_kernel.domain.chat.threads import ThreadEnd
from lpm_kernel.domain.ids import ConversationId, is_thread
from lpm_kernel.domain.ports import ModelCard
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.share.view import shareable
from tests.scan import traces

SMALL = ModelCard(id="small", context_window=8192, local=True, parameters=135_000_000)
SOLD = "I sold the blue van to Conor for nine hundred euros."


def begin(client: FlaskClient, title: str = "") -> str:
    return str(client.post("/api/conversations", json={"title": title}).get_json()["id"])


def say(client: FlaskClient, conversation: str, text: str, **more: object) -> dict[str, Any]:
    """Say something, and return the answer as it is kept."""
    answer = client.post(f"/api/conversations/{conversation}/turns", json={"text": text}, **more)
    events = answer.get_data(as_text=True)
    done = events.rsplit("event: done\ndata: ", 1)[1].split("\n", 1)[0]
    turn: dict[str, Any] = json.loads(done)["turn"]
    return turn


def recall(client: FlaskClient, query: str, **more: object) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.post(
        "/api/recall", json={"query": query, **more}
    ).get_json()["items"]
    return items


def test_what_was_told_in_one_chat_is_known_in_the_next(node: Node, client: FlaskClient) -> None:
    first = begin(client, "The van")
    say(client, first, "Hello!")
    say(client, first, SOLD)
    answer = say(client, begin(client), "Who did I sell the van to?")
    (citation,) = answer["citations"]
    assert citation["quote"] == SOLD
    assert (citation["kind"], citation["title"]) == ("turn", "The van")
    assert citation["source"] == f"conversations/{first}#T3"
    assert citation["said_in"]["conversation"] == first
    assert node.ports.conversations.turn(citation["said_in"]["turn"]).text == SOLD  # type: ignore[union-attr]
    assert citation["author"] == {"own": True, "name": None}
    assert "in the chat “The van”" in answer["text"]


def test_what_was_said_at_two_times_is_quoted_apart_each_at_its_turn(
    client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    first = begin(client, "The van")
    sayings = [
        "I repaired the accordion for Conor.",
        SOLD,
        "Conor paid for the blue van in two parts.",
    ]
    for said in sayings:
        say(client, first, said)
        frozen_clock.advance(timedelta(minutes=2))
    answer = say(client, begin(client), "What did Conor pay for the blue van?")
    assert answer["citations"]
    for citation in answer["citations"]:
        number = 2 * sayings.index(citation["quote"]) + 1
        assert citation["source"] == f"conversations/{first}#T{number}"
    item = answer["evidence"][0]
    assert item["content"] == "\n".join(sayings)
    assert item["said_in"]["turn"] == answer["citations"][0]["said_in"]["turn"]


def test_turns_of_two_days_are_two_passages(client: FlaskClient, frozen_clock: FrozenClock) -> None:
    frozen_clock.advance(
        frozen_clock.now().astimezone().replace(hour=23, minute=58) - frozen_clock.now()
    )
    first = begin(client)
    say(client, first, "I repaired the accordion.")
    frozen_clock.advance(timedelta(minutes=4))
    say(client, first, "I sold the van to Conor today.")
    assert {item["content"] for item in recall(client, "accordion van", kinds=["turn"])} == set()
    say(client, begin(client), "Good morning!")
    found = {
        item["content"]: item["timestamp"]
        for item in recall(client, "accordion van", kinds=["turn"])
    }
    assert set(found) == {"I repaired the accordion.", "I sold the van to Conor today."}
    days = {datetime.fromisoformat(each).astimezone().date() for each in found.values()}
    assert len(days) == 2


def test_what_was_talked_of_is_told_by_the_day(
    client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    say(client, begin(client, "The van"), SOLD)
    frozen_clock.advance(timedelta(days=1))
    say(client, begin(client, "Bees"), "Which bees swarm in May?")
    frozen_clock.advance(timedelta(days=1))
    chat = begin(client)
    answer = say(client, chat, "What did we talk about on 14 March 2026?")
    assert answer["text"] == f"14 March 2026: “{SOLD[:-1]}”."
    assert [citation["quote"] for citation in answer["citations"]] == [SOLD]
    answer = say(client, chat, "What did we talk about yesterday?")
    assert answer["text"] == "15 March 2026: you only asked questions."
    assert answer["citations"] == []
    answer = say(client, chat, "What did we talk about on 3 January 2026?")
    assert answer["text"] == "We didn’t talk on 3 January 2026."


def test_a_question_is_asked_and_not_told(client: FlaskClient) -> None:
    say(client, begin(client), "Who did I sell the van to?")
    answer = say(client, begin(client), "Who did I sell the van to?")
    assert answer["abstained"]
    assert recall(client, "van") == []


def test_a_thread_that_is_idle_ends_and_its_chat_goes_on(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    chat = begin(client)
    say(client, chat, SOLD)
    assert node.chat.flush() == 0
    frozen_clock.advance(timedelta(minutes=11))
    assert node.chat.flush() == 1
    assert node.chat.flush() == 0
    say(client, chat, "The bees swarmed on the pear tree.")
    frozen_clock.advance(timedelta(minutes=11))
    assert node.chat.flush() == 1
    threads = node.ports.threads.of(ConversationId(chat))
    assert [(each.number, each.reason, each.told) for each in threads] == [
        (1, ThreadEnd.IDLE, True),
        (3, ThreadEnd.IDLE, True),
    ]
    assert threads[0].spoken == {"user": 1, "": 1}
    assert [item["content"] for item in recall(client, "bees pear")][:1] == [
        "The bees swarmed on the pear tree."
    ]


def test_the_thirteenth_turn_ends_a_thread_while_its_chat_goes_on(
    node: Node, client: FlaskClient
) -> None:
    chat = begin(client)
    for number in range(6):
        say(client, chat, f"Hive {number} has a new queen.")
    assert node.ports.threads.of(ConversationId(chat)) == []
    say(client, chat, "The pear tree is in blossom.")
    (thread,) = node.ports.threads.of(ConversationId(chat))
    assert (thread.reason, thread.number, thread.last_number) == (ThreadEnd.LIMIT, 1, 12)
    assert thread.spoken == {"user": 6, "": 6}


def test_a_program_neither_tells_nor_hears(client: FlaskClient) -> None:
    made = client.post("/api/keys", json={"name": "editor", "scopes": ["chat", "recall"]})
    program = {"headers": {"Authorization": f"Bearer {made.get_json()['key']}"}}
    other = client.application.test_client()
    say(client, begin(client), SOLD)
    said = say(client, begin(client), "The kiln is in the cellar.", **program)
    assert said["role"] == "assistant"
    say(client, begin(client), "Good morning!")
    assert [item["content"] for item in recall(client, "van", kinds=["turn"])] == [SOLD]
    found = other.post("/api/recall", json={"query": "blue van", "kinds": ["turn"]}, **program)
    assert found.get_json()["items"] == []
    asked = other.post("/api/conversations", json={}, **program).get_json()["id"]
    assert say(other, asked, "Who did I sell the van to?", **program)["abstained"]


def test_a_chat_that_is_deleted_takes_along_what_was_told_in_it(
    node: Node, client: FlaskClient
) -> None:
    chat = begin(client)
    say(client, chat, SOLD)
    say(client, begin(client), "Good morning!")
    assert recall(client, "blue van")
    client.delete(f"/api/conversations/{chat}")
    assert recall(client, "blue van") == []
    client.post(f"/api/conversations/{chat}/restore")
    node.run_jobs()
    assert [item["content"] for item in recall(client, "blue van")] == [SOLD]


def test_a_thread_is_no_document_of_the_library(node: Node, client: FlaskClient) -> None:
    say(client, begin(client), SOLD)
    say(client, begin(client), "Good morning!")
    assert client.get("/api/documents").get_json()["items"] == []
    assert client.get("/api/timeline").get_json()["days"] == []
    assert client.get("/api/health").get_json().get("passages", 0) == 0
    assert node.reflection.read_claims() >= 0
    assert client.get("/api/findings").get_json()["items"] == []


@pytest.mark.parametrize("step", ["row", "document", "read"])
def test_a_flush_that_is_cut_off_loses_nothing_and_doubles_nothing(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock, step: str
) -> None:
    chat = begin(client)
    say(client, chat, SOLD)
    frozen_clock.advance(timedelta(minutes=11))
    node.chat.flush()
    (thread,) = node.ports.threads.of(ConversationId(chat))
    # what a process leaves that was killed after it had done the step before
    if step == "row":
        node.ports.threads.drop(ConversationId(chat))
        node.ports.index.remove(thread.id)
        node.ports.documents.delete(thread.id)
    if step == "document":
        node.ports.index.remove(thread.id)
        node.ports.documents.delete(thread.id)
    if step == "read":
        node.ports.index.remove(thread.id)
    node.chat.flush()
    node.reconcile()
    node.run_jobs()
    assert node.ports.threads.of(ConversationId(chat)) == [thread]
    assert [item["content"] for item in recall(client, "blue van")] == [SOLD]
    assert [each.id for each in node.ports.documents.everything() if is_thread(each.id)] == [
        thread.id
    ]


def test_a_chat_that_is_branched_tells_nothing_twice(client: FlaskClient) -> None:
    chat = begin(client)
    say(client, chat, SOLD)
    asked = say(client, chat, "Who has the van?")["answers"]
    branch = client.post(f"/api/conversations/{chat}/branch", json={"turn": asked}).get_json()["id"]
    say(client, branch, "The bees swarmed on the pear tree.")
    say(client, begin(client), "Good morning!")
    found = [item["content"] for item in recall(client, "blue van bees pear", kinds=["turn"])]
    assert sorted(found) == [SOLD, "The bees swarmed on the pear tree."]


def erase(node: Node, client: FlaskClient, **what: object) -> str:
    """Erase for good, and say what went."""
    token = client.post("/api/erasures", json=what).get_json()["token"]
    job = client.post(f"/api/erasures/{token}/confirm").get_json()["job"]["id"]
    node.run_jobs()
    return str(client.get(f"/api/jobs/{job}").get_json()["message"])


def test_a_chat_that_is_erased_leaves_no_word(node: Node, client: FlaskClient) -> None:
    chat = begin(client)
    say(client, chat, SOLD)
    say(client, begin(client), "Who did I sell the van to?")
    assert traces(node.ports.home.root, ["nine hundred"])
    assert erase(node, client, conversations=[chat]).startswith("Erased 0 documents and 1 conver")
    assert recall(client, "blue van") == []
    assert traces(node.ports.home.root, ["nine hundred"]) == []


def test_what_quotes_an_erased_document_goes_from_what_was_told_too(
    node: Node, client: FlaskClient
) -> None:
    letter = node.library.add_text(
        "The kingfisher keeps its ledger under the ninth stair of the old mill.", title="Letter"
    ).document
    node.run_jobs()
    chat = begin(client)
    say(client, chat, SOLD)
    say(client, chat, "The kingfisher keeps its ledger under the ninth stair of the old mill.")
    answer = say(client, begin(client), "Where does the kingfisher keep its ledger?")
    assert "ninth stair" in answer["text"]
    assert any(SOLD in item["content"] for item in recall(client, "kingfisher van", kinds=["turn"]))
    erase(node, client, documents=[letter.id])
    node.chat.flush()
    say(client, begin(client), "Good morning!")
    assert [item["content"] for item in recall(client, "kingfisher", kinds=["turn"])] == [SOLD]
    assert traces(node.ports.home.root, ["ninth stair"]) == []


def test_no_role_and_no_grant_reaches_what_was_told(node: Node, client: FlaskClient) -> None:
    node.library.add_text("The kiln is in the cellar.")
    node.run_jobs()
    say(client, begin(client), SOLD)
    say(client, begin(client), "Good morning!")
    query = RecallQuery(Question("Who has the blue van?"), k=50)
    for sees in (Sees(), Sees(private=True), Sees(tags=()), Sees(private=True, folder="")):
        found = node.chat.within(sees, owner=True).recall(query)
        assert not [item for item in found.items if is_thread(item.chunk.document)]
    named = replace(query, scope=Scope(kinds=("turn",)))
    assert node.memory.scopes.memory(private=True).recall(named).items == ()
    assert all(not is_thread(each.id) for each in shareable(node.ports.documents))


def test_a_thread_cannot_be_changed_as_a_document(node: Node, client: FlaskClient) -> None:
    chat = begin(client)
    say(client, chat, SOLD)
    say(client, begin(client), "Good morning!")
    (thread,) = node.ports.threads.of(ConversationId(chat))
    there = f"/api/documents/{thread.id}"
    assert client.get(there).status_code == 200
    refused = client.patch(there, json={"private": False})
    assert (refused.status_code, refused.get_json()["hint"]) == (
        409,
        "Change or delete the chat.",
    )
    assert client.delete(there).status_code == 409
    assert (
        client.post("/api/documents/bulk", json={"ids": [thread.id], "delete": True}).get_json()[
            "done"
        ]
        == 0
    )
    shown = client.get(f"/api/conversations/{chat}").get_json()["threads"]
    assert [(each["id"], each["reason"]) for each in shown] == [(thread.id, "elsewhere")]


def test_an_erased_chat_leaves_no_word_in_what_was_told_of_that_day(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    first, asked = begin(client), begin(client)
    say(client, first, "The kingfisher nests under the ninth stair of the mill.")
    say(client, begin(client), SOLD)
    say(client, asked, "Is the ninth stair of the mill rotten?")
    frozen_clock.advance(timedelta(days=1))
    other = begin(client)
    answer = say(client, other, "What did we talk about yesterday?")
    assert "ninth stair" in answer["text"]
    assert SOLD[:-1] in answer["text"]
    assert "rotten" not in answer["text"]
    erase(node, client, conversations=[first, asked])
    assert "ninth stair" not in client.get(f"/api/conversations/{other}").get_data(as_text=True)
    assert traces(node.ports.home.root, ["ninth stair"]) == []


def test_what_was_said_after_an_erasure_was_looked_at_is_looked_at_again(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    chat = begin(client)
    say(client, chat, SOLD)
    frozen_clock.advance(timedelta(seconds=1))
    looked = client.post("/api/erasures", json={"conversations": [chat]}).get_json()
    frozen_clock.advance(timedelta(seconds=1))
    say(client, chat, "The kingfisher nests under the ninth stair of the mill.")
    refused = client.post(f"/api/erasures/{looked['token']}/confirm")
    assert refused.status_code == 409
    assert erase(node, client, conversations=[chat]).startswith("Erased 0 documents and 1 conver")
    assert traces(node.ports.home.root, ["ninth stair", "nine hundred"]) == []


def test_what_was_told_is_no_version_and_is_not_reworded(node: Node, client: FlaskClient) -> None:
    kiln = node.library.add_text("The kiln is in the cellar.", title="Kiln").document
    node.run_jobs()
    chat = begin(client)
    say(client, chat, SOLD)
    say(client, begin(client), "Good morning!")
    (thread,) = node.ports.threads.of(ConversationId(chat))
    joined = client.post(f"/api/documents/{kiln.id}/versions", json={"document": thread.id})
    assert joined.status_code == 422
    mended = client.post(
        "/api/findings",
        json={
            "document": thread.id,
            "start": 0,
            "end": 10,
            "decision": "mend",
            "content": "I sold the blue van to Mai.",
        },
    )
    assert mended.status_code == 409


@pytest.mark.parametrize(
    "text",
    [
        "Please translate this into Japanese:\n\nI quit my job yesterday, I am moving to Lisbon.",
        "Conor wrote: “I am pregnant and I owe the bank nine thousand.” What should I answer?",
        "Reply to this: I am moving to Lisbon in March.",
        "> I am moving to Lisbon in March.\nWhat does he mean?",
    ],
)
def test_the_words_of_others_are_not_what_the_person_told(client: FlaskClient, text: str) -> None:
    say(client, begin(client), text)
    say(client, begin(client), "Good morning!")
    assert recall(client, "Lisbon bank pregnant", kinds=["turn"]) == []


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (SOLD, "Noted. You can ask me about it in any chat."),
        ("Conor's phone number?\nI need it for the form.", "I found nothing about that."),
        ("I forgot where the kiln is.", "I found nothing about that."),
        ("Remind me what the kiln costs.", "I found nothing about that."),
    ],
)
def test_what_is_only_told_is_noted_where_memory_has_nothing(
    client: FlaskClient,
    scripted: ScriptedModel,
    text: str,
    answer: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scripted, "card", lambda: SMALL)
    assert say(client, begin(client), text)["text"] == answer


def test_a_file_that_comes_again_brings_nothing_back_that_was_deleted(
    node: Node, client: FlaskClient
) -> None:
    before = node.library.receive(
        NewDocument("a.md", b"The affair is secret.", folder="Notes")
    ).document
    node.run_jobs()
    client.delete(f"/api/documents/{before.id}")
    node.library.receive(NewDocument("a.md", b"The garden is dry.", folder="Notes"))
    node.run_jobs()
    (away,) = node.ports.documents.many([before.id], away=True)
    assert (away.deleted_at is not None, away.superseded_by) == (True, None)


BOUGHT = "Conor bought the blue van for nine hundred euros."


def asked_about_the_van(client: FlaskClient, scripted: ScriptedModel, **more: object) -> str:
    """Have the second self say something of the van in its own words. Returns the chat."""
    scripted.script = ScriptedModel([("^.*Who bought", BOUGHT)]).script
    say(client, begin(client), SOLD)
    chat = str(client.post("/api/conversations", json=more).get_json()["id"])
    assert say(client, chat, "Who bought the van?")["text"] == BOUGHT
    scripted.script = []
    return chat


def test_what_the_second_self_said_is_told_as_its_own_words(
    client: FlaskClient, frozen_clock: FrozenClock, scripted: ScriptedModel
) -> None:
    asked_about_the_van(client, scripted)
    frozen_clock.advance(timedelta(days=1))
    answer = say(client, begin(client), "What did you tell me about the van?")
    assert answer["text"] == (
        f"On 14 March 2026 I said: “{BOUGHT[:-1]}”. Those are my words, not something you told me."
    )
    assert [citation["quote"] for citation in answer["citations"]] == [SOLD]
    for again in ("What did you say about the van yesterday?", "What did you tell me about vans?"):
        assert say(client, begin(client), again)["text"] == answer["text"]
    for other in ("What did you tell me about the boiler?", "What did you say about an?"):
        assert "I said" not in say(client, begin(client), other)["text"]


@pytest.mark.parametrize("keeping", ["summary", "none"])
def test_what_was_said_in_a_chat_that_does_not_keep_it_is_not_told_again(
    client: FlaskClient, scripted: ScriptedModel, keeping: str
) -> None:
    asked_about_the_van(client, scripted, keeping=keeping)
    assert "I said" not in say(client, begin(client), "What did you tell me about the van?")["text"]


def test_what_is_told_again_goes_to_no_program_and_with_the_chat_it_was_said_in(
    node: Node, client: FlaskClient, scripted: ScriptedModel, home: Path
) -> None:
    chat = asked_about_the_van(client, scripted)
    again = begin(client)
    assert BOUGHT[:-1] in say(client, again, "What did you tell me about the van?")["text"]
    made = client.post("/api/keys", json={"name": "A program", "scopes": ["chat"]}).get_json()
    bearer = {"Authorization": f"Bearer {made['key']}"}
    seen = client.get(f"/api/conversations/{again}", headers=bearer)
    assert BOUGHT[:-1] not in seen.get_data(as_text=True)
    node.home.back_up()
    erase(node, client, conversations=[chat])
    assert BOUGHT[:-1] not in client.get(f"/api/conversations/{again}").get_data(as_text=True)
    assert traces(home, [BOUGHT[:-1]]) == []


def test_threads_are_parted_and_joined_by_hand(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    chat = begin(client, "Both")
    say(client, chat, SOLD)
    frozen_clock.advance(timedelta(minutes=1))
    say(client, chat, "The bees swarmed on the pear tree.")
    first, _, second, _ = client.get(f"/api/conversations/{chat}").get_json()["items"]

    def threads(done: TestResponse) -> list[tuple[str, str]]:
        assert done.status_code == 200, done.get_json()
        return [(each["first"], each["reason"]) for each in done.get_json()["items"]]

    place = f"/api/conversations/{chat}/threads/{second['id']}"
    assert threads(client.put(place)) == [(first["id"], "person"), (second["id"], "elsewhere")]
    assert threads(client.put(place)) == [(first["id"], "person"), (second["id"], "elsewhere")]
    swarmed = "The bees swarmed on the pear tree."
    assert {SOLD, swarmed} <= {item["content"] for item in recall(client, "bees van")}
    assert len({each.id for each in node.ports.documents.everything()}) == 2
    assert threads(client.delete(place)) == [(first["id"], "elsewhere")]
    assert len({each.id for each in node.ports.documents.everything()}) == 1
    (together,) = recall(client, "bees", kinds=["turn"])
    assert together["content"] == f"{SOLD}\n{swarmed}"
    assert (together["source"], together["said_in"]["turn"], together["turn"]) == (
        f"conversations/{chat}#T3",
        second["id"],
        "T3",
    )
    assert recall(client, "van", kinds=["turn"])[0]["source"].endswith("#T1")
    assert node.chat.keep_threads() == 0
    answered = client.get(f"/api/conversations/{chat}").get_json()["items"][1]["id"]
    for refused in (
        client.delete(place),
        client.delete(f"/api/conversations/{chat}/threads/{first['id']}"),
        client.put(f"/api/conversations/{chat}/threads/{answered}"),
    ):
        assert refused.status_code == 422
    assert client.put(f"/api/conversations/v_none/threads/{first['id']}").status_code == 404


def test_what_was_kept_of_a_thread_is_not_lost_by_parting_it(
    node: Node, client: FlaskClient
) -> None:
    chat = begin(client)
    say(client, chat, SOLD)
    say(client, chat, "The bees swarmed on the pear tree.")
    _, _, second, _ = client.get(f"/api/conversations/{chat}").get_json()["items"]
    node.chat.threads_of([ConversationId(chat)])
    (thread,) = node.ports.threads.of(ConversationId(chat))
    text = node.memory.text_of(thread.id)
    start = text.index(SOLD)
    place = {"document": thread.id, "start": start, "end": start + len(SOLD)}
    assert client.post("/api/findings", json={**place, "decision": "keep"}).status_code == 200
    refused = client.put(f"/api/conversations/{chat}/threads/{second['id']}")
    assert refused.status_code == 409
    assert [each["content"] for each in client.get("/api/memories").get_json()["items"]] == [SOLD]
