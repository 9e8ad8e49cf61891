"""What a chat does not keep is nowhere: not in the databases and their logs, not in a backup that
is made, not in the index, not in jobs.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Keeping, Turn, TurnState
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId, is_thread
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.archive_export import ExportOptions
from lpm_kernel.usecases.processes import running_as
from lpm_kernel.worker.loop import leave_private
from tests.integration.test_threads import recall, say
from tests.scan import traces, windows

KEPT = (
    "I sold the turquoise caravan to Ottilie for nine hundred crowns.",
    "I decided to plant quinces behind the stables this November.",
    "I'll bring Ottilie the ignition keys on Thursday evening.",
    "The beekeeper Szymon moved into our gatehouse last winter.",
    "My grandmother Philippa taught woodcarving in Heidelberg.",
    "The lighthouse keeper repaired our barometer with candlewax.",
)
GONE = (
    "It drizzled.",
    "Honestly the vestibule wallpaper annoys.",
    "明日の朝は靄がかかるらしいです。",
    "Which upholsterer mends footstools around Wexford?",
)
ELSEWHERE = "The cello is of 1911."


def begin(client: FlaskClient, keeping: str = "full") -> str:
    made = client.post("/api/conversations", json={"keeping": keeping})
    return str(made.get_json()["id"])


def whole(client: FlaskClient, conversation: str) -> dict[str, Any]:
    read: dict[str, Any] = client.get(f"/api/conversations/{conversation}").get_json()
    return read


def tell(client: FlaskClient, conversation: str, sentences: Sequence[str]) -> None:
    """Say the sentences, two in a turn."""
    for at in range(0, len(sentences), 2):
        say(client, conversation, " ".join(sentences[at : at + 2]))


def told(client: FlaskClient, keeping: str = "full") -> str:
    """Begin a chat with what is telling, and with what is less so."""
    conversation = begin(client, keeping)
    tell(client, conversation, [GONE[1], *KEPT[:3], GONE[0], *KEPT[3:], *GONE[2:]])
    return conversation


def distinctive(sentences: Sequence[str] = GONE) -> set[str]:
    return set(sorted(windows(sentences, but=KEPT))[::3])


def end(node: Node, clock: FrozenClock) -> None:
    """Let the threads end, and do what is to be done then."""
    clock.advance(timedelta(minutes=11))
    node.chat.flush()
    node.chat.leave_idle()
    node.reconcile()
    node.run_jobs()


@pytest.fixture
def scripted() -> ScriptedModel:
    return ScriptedModel([(".", "The marmalade cupboard squeaks on Wednesdays.")])


def test_a_chat_that_keeps_summaries_keeps_no_other_word(
    node: Node, client: FlaskClient, home: Path, frozen_clock: FrozenClock
) -> None:
    chat = told(client, "summary")
    assert {path[:4] for path, _ in traces(home, distinctive())} == {"node"}
    end(node, frozen_clock)
    shown = whole(client, chat)
    (thread,) = shown["threads"]
    assert [each["text"] for each in thread["summary"]] == list(KEPT)
    assert [each["kind"] for each in thread["summary"]][1:3] == ["decided", "promised"]
    assert thread["reduced"]
    assert {turn["state"] for turn in shown["items"]} == {"discarded"}
    assert {turn["text"] for turn in shown["items"]} == {""}
    assert shown["title"] == "I sold the turquoise caravan to Ottilie for nine hundred cr…"
    node.home.back_up()
    node.home.export(node.ports.home.exports / "made.zip", ExportOptions())
    node.close()
    assert traces(home, distinctive()) == []
    assert all(path.stat().st_size == 0 for path in home.glob("*.db-wal"))


def test_what_its_summary_holds_is_recalled_and_cited_at_its_turn(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    chat = told(client, "summary")
    end(node, frozen_clock)
    found = recall(client, "turquoise caravan")
    assert found[0]["content"].startswith(KEPT[0])
    assert found[0]["source"] == f"conversations/{chat}#T1"
    others = recall(client, "vestibule wallpaper", kinds=["turn"])
    assert GONE[1] not in [item["content"] for item in others]
    answer = say(client, begin(client), "Who did I sell the turquoise caravan to?")
    citation = answer["citations"][0]
    assert citation["quote"].startswith(KEPT[0])
    assert citation["said_in"]["turn"] in {turn["id"] for turn in whole(client, chat)["items"]}


def test_an_unflushed_thread_is_whole_and_in_no_backup(
    node: Node, client: FlaskClient, home: Path
) -> None:
    chat = told(client, "summary")
    node.home.back_up()
    assert {turn["state"] for turn in whole(client, chat)["items"]} == {"done"}
    assert {path.partition("/")[0] for path, _ in traces(home / "backups", distinctive())} == set()


@pytest.mark.parametrize("away", [False, True])
def test_a_chat_that_kept_all_can_keep_summaries_from_then_on(
    node: Node, client: FlaskClient, home: Path, frozen_clock: FrozenClock, away: bool
) -> None:
    chat = told(client)
    frozen_clock.advance(timedelta(minutes=11))
    node.chat.flush()
    tell(client, chat, ["The weathercock Balthasar creaks whenever it hails."])
    other = begin(client)
    quoting = say(client, other, "Where did Szymon the beekeeper move?")
    assert quoting["citations"]
    node.home.back_up()
    node.home.export(node.ports.home.exports / "made.zip", ExportOptions())
    before = {path[:4] for path, _ in traces(home, distinctive())}
    assert before == {"node", "inde", "back", "file", "expo"} - {"expo"}
    client.patch(f"/api/conversations/{chat}", json={"keeping": "summary"})
    if away:
        node.home.confirm_erasure(node.home.propose_erasure([], [ConversationId(other)]).token)
    node.reconcile()
    node.run_jobs()
    first, second = whole(client, chat)["threads"]
    assert [each["text"] for each in first["summary"]] == list(KEPT)
    assert [each["own"] for each in second["summary"]] == [True]
    documents = [each.id for each in node.ports.documents.everything() if is_thread(each.id)]
    assert sorted(documents) == sorted(each["id"] for each in (first, second))
    node.home.back_up()
    node.close()
    assert traces(home, distinctive()) == []


def test_what_comes_after_is_kept_when_all_is_kept_again(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    chat = told(client, "summary")
    end(node, frozen_clock)
    client.patch(f"/api/conversations/{chat}", json={"keeping": "full"})
    say(client, chat, GONE[1])
    end(node, frozen_clock)
    items = whole(client, chat)["items"]
    assert next(turn["text"] for turn in items if turn["text"]) == GONE[1]
    assert [each["reduced"] for each in whole(client, chat)["threads"]] == [True, False]


@pytest.mark.parametrize("how", ["left", "deleted", "idle", "start"])
def test_of_a_private_chat_nothing_is_left(
    node: Node, client: FlaskClient, home: Path, frozen_clock: FrozenClock, how: str
) -> None:
    say(client, begin(client), ELSEWHERE)
    chat = told(client, "none")
    frozen_clock.advance(timedelta(minutes=9))
    node.chat.flush()
    node.chat.leave_idle()
    node.home.back_up()
    assert whole(client, chat)["keeping"] == "none"
    found = recall(client, "turquoise caravan Ottilie", kinds=["turn"])
    assert {item["content"] for item in found} <= {ELSEWHERE}
    assert node.ports.threads.of(ConversationId(chat)) == []
    if how == "left":
        assert client.post(f"/api/conversations/{chat}/leave").status_code == 204
    elif how == "deleted":
        assert client.delete(f"/api/conversations/{chat}").status_code == 204
    elif how == "idle":
        frozen_clock.advance(timedelta(minutes=1))
        assert node.chat.leave_idle() == 1
    else:
        leave_private(node, at_start=True)
    node.run_jobs()
    assert client.get(f"/api/conversations/{chat}").status_code == 404
    assert client.get("/api/conversations?deleted=true").get_json()["items"] == []
    node.close()
    assert traces(home, windows([KEPT[0], GONE[2]], but=[ELSEWHERE])) == []


def test_a_chat_that_becomes_private_is_forgotten_at_once_and_erased_when_it_is_left(
    node: Node, client: FlaskClient, home: Path, frozen_clock: FrozenClock
) -> None:
    chat = told(client)
    end(node, frozen_clock)
    node.home.back_up()
    assert recall(client, "turquoise caravan", kinds=["turn"])
    client.patch(f"/api/conversations/{chat}", json={"keeping": "none"})
    assert recall(client, "turquoise caravan", kinds=["turn"]) == []
    node.run_jobs()
    assert KEPT[0] in whole(client, chat)["items"][0]["text"]
    client.delete(f"/api/conversations/{chat}")
    node.run_jobs()
    node.close()
    assert traces(home, windows([KEPT[0], GONE[2]])) == []


def test_a_chat_that_is_kept_is_not_left(client: FlaskClient) -> None:
    for keeping in ("full", "summary"):
        chat = begin(client, keeping)
        assert client.post(f"/api/conversations/{chat}/leave").status_code == 409
        assert whole(client, chat)["keeping"] == keeping


def test_a_verdict_in_a_private_chat_makes_no_memory(node: Node, client: FlaskClient) -> None:
    for keeping, many in (("none", 0), ("full", 1)):
        chat = begin(client, keeping)
        answer = say(client, chat, "How old is the cello?")
        client.put(
            f"/api/conversations/{chat}/turns/{answer['id']}/verdict",
            json={"verdict": "wrong", "better": ELSEWHERE},
        )
        node.run_jobs()
        assert len(client.get("/api/memories").get_json()["items"]) == many


def test_nothing_is_done_with_words_that_are_gone(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    chat = told(client, "summary")
    end(node, frozen_clock)
    asked, answered = whole(client, chat)["items"][:2]
    base = f"/api/conversations/{chat}"
    for refused in (
        client.post(f"{base}/turns/{asked['id']}/again"),
        client.post(f"{base}/branch", json={"turn": asked["id"]}),
        client.patch(f"{base}/turns/{answered['id']}", json={"shown": True}),
        client.put(f"{base}/turns/{answered['id']}/verdict", json={"verdict": "right"}),
    ):
        assert refused.status_code == 409
        assert refused.get_json()["title"] == "Only the summary was kept"
    assert client.get(f"/api/conversations?q={'wallpaper'}").get_json()["items"] == []
    later = say(client, chat, "Who is Szymon the beekeeper?")
    branch = client.post(f"{base}/branch", json={"turn": later["answers"]}).get_json()
    assert (branch["turns"], branch["keeping"]) == (0, "summary")


def test_an_answer_that_comes_after_its_question_went_is_not_kept(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    chat = told(client, "summary")
    answer = whole(client, chat)["items"][1]
    late = node.ports.conversations.turn(answer["id"])
    assert late is not None
    end(node, frozen_clock)
    kept = node.ports.conversations.say_again(late)
    assert (kept.text, kept.state) == ("", TurnState.DISCARDED)


@pytest.mark.parametrize("when", [0, 1])
def test_a_restored_backup_holds_no_word_that_went(
    node: Node, client: FlaskClient, home: Path, frozen_clock: FrozenClock, when: int
) -> None:
    chat = told(client)
    backups = [node.home.back_up().id]
    client.patch(f"/api/conversations/{chat}", json={"keeping": "summary"})
    node.run_jobs()
    backups.append(node.home.back_up().id)
    node.home.restore(backups[when])
    node.close()
    with Node.open(home, clock=frozen_clock) as restored:
        restored.reconcile()
        restored.run_jobs()
        threads = restored.ports.threads.of(ConversationId(chat))
        assert [each.reduced for each in threads] == [True] * when
        turns = restored.ports.conversations.turns(ConversationId(chat))
        assert {turn.text for turn in turns} == {""}
    assert traces(home, distinctive()) == []


def test_summaries_travel_in_an_archive(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock, tmp_path: Path
) -> None:
    chat = told(client, "summary")
    end(node, frozen_clock)
    private = told(client, "none")
    say(client, chat, GONE[1])
    archive = tmp_path / "made.zip"
    node.home.export(archive, ExportOptions())
    rows = [
        json.loads(line)
        for line in zipfile.ZipFile(io.BytesIO(archive.read_bytes()))
        .read("conversations.jsonl")
        .splitlines()
    ]
    assert [row["id"] for row in rows] == [chat]
    assert GONE[1] not in json.dumps(rows)
    assert private not in json.dumps(rows)
    with Node.open(tmp_path / "other", clock=frozen_clock) as other:
        other.home.take_in(archive)
        other.reconcile()
        other.run_jobs()
        (thread,) = other.ports.threads.of(ConversationId(chat))
        assert [each.text for each in thread.summary] == list(KEPT)
        assert other.ports.conversations.get(ConversationId(chat)).keeping is Keeping.SUMMARY
        assert other.ports.documents.get(thread.id).private


def test_an_erased_document_goes_from_the_summaries_that_quote_it(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock, home: Path
) -> None:
    document = node.library.add_text(KEPT[3], title="Gatehouse").document.id
    node.run_jobs()
    chat = begin(client, "summary")
    say(client, chat, "Who is Szymon?")
    say(client, chat, KEPT[0])
    end(node, frozen_clock)
    (thread,) = whole(client, chat)["threads"]
    assert KEPT[3] in [each["text"] for each in thread["summary"]]
    node.home.confirm_erasure(node.home.propose_erasure([DocumentId(document)]).token)
    node.run_jobs()
    (thread,) = whole(client, chat)["threads"]
    assert thread["reduced"]
    assert KEPT[0] in [each["text"] for each in thread["summary"]]
    node.close()
    assert traces(home, windows([KEPT[3]])) == []


def test_a_new_chat_keeps_what_the_settings_say(client: FlaskClient) -> None:
    standard = client.get("/api/settings").get_json()
    assert standard["keeping"] == "full"
    client.put("/api/settings", json=standard | {"keeping": "summary"})
    assert client.post("/api/conversations", json={}).get_json()["keeping"] == "summary"
    assert client.post("/api/conversations", json={"keeping": "none"}).get_json()["keeping"] == (
        "none"
    )


def test_a_program_changes_nothing_of_what_a_chat_keeps(client: FlaskClient) -> None:
    made = client.post("/api/keys", json={"name": "editor", "scopes": ["chat"]}).get_json()
    program = {"headers": {"Authorization": f"Bearer {made['key']}"}}
    chat = begin(client)
    other = client.application.test_client()
    refused = other.patch(f"/api/conversations/{chat}", json={"keeping": "none"}, **program)
    assert refused.status_code == 422
    assert whole(client, chat)["keeping"] == "full"


@pytest.mark.parametrize(
    ("node_runs", "ago", "left"), [(False, 1, True), (True, -1, True), (True, 1, False)]
)
def test_a_worker_that_starts_again_leaves_the_private_chat_that_one_is_in(
    node: Node,
    client: FlaskClient,
    home: Path,
    frozen_clock: FrozenClock,
    *,
    node_runs: bool,
    ago: int,
    left: bool,
) -> None:
    chat = told(client, "none")
    place = Home(home)
    with running_as(place, "node") if node_runs else nullcontext():
        if node_runs:  # the node started a minute before that was said, or after it
            since = (frozen_clock.now() - timedelta(minutes=ago)).timestamp()
            os.utime(place.run / "node.lock", (since, since))
        leave_private(node, at_start=True)
        assert client.get(f"/api/conversations/{chat}").status_code == (404 if left else 200)
        frozen_clock.advance(timedelta(minutes=10))
        leave_private(node, at_start=True)
        assert client.get(f"/api/conversations/{chat}").status_code == 404


def keep_memories(node: Node, client: FlaskClient, conversation: str) -> None:
    """Consolidate what was told in a chat, and keep all that is found there."""
    for thread in node.ports.threads.of(ConversationId(conversation)):
        client.patch(f"/api/threads/{thread.id}", json={"consolidated": True})
    while items := client.get("/api/findings").get_json()["items"]:
        for each in items:
            said = {"document": each["document"]["id"], "start": each["start"], "end": each["end"]}
            client.post("/api/findings", json=said | {"decision": "keep"})
    node.reconcile()


def memories(client: FlaskClient) -> set[str]:
    items = client.get("/api/memories?limit=100").get_json()["items"]
    return {each["content"] for each in items}


def test_kept_memories_stay_where_their_words_do(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    chat = told(client)
    end(node, frozen_clock)
    keep_memories(node, client, chat)
    before = memories(client)
    assert {*KEPT[:3], GONE[2]} <= before
    (thread,) = whole(client, chat)["threads"]
    assert thread["kept"] == len(before)
    assert thread["kept_outside"] == len(before - {*KEPT})
    client.patch(f"/api/conversations/{chat}", json={"keeping": "summary"})
    node.reconcile()
    assert memories(client) == before & {*KEPT}
    (thread,) = whole(client, chat)["threads"]
    assert (thread["kept"], thread["kept_outside"]) == (len(before & {*KEPT}), 0)


def test_an_erasure_leaves_what_was_kept_of_other_threads(
    node: Node, client: FlaskClient, home: Path, frozen_clock: FrozenClock
) -> None:
    secret = "Szymonek Vandermeulen suffers from porphyria."
    document = node.library.add_text(secret, title="Note").document.id
    node.run_jobs()
    say(client, begin(client), f"Is it true that {secret[:-1]}?")
    chat = begin(client)
    tell(client, chat, KEPT[:4])
    end(node, frozen_clock)
    tell(client, chat, [secret, KEPT[4]])
    end(node, frozen_clock)
    keep_memories(node, client, chat)
    before = node.ports.threads.of(ConversationId(chat))
    node.home.back_up()
    node.home.confirm_erasure(node.home.propose_erasure([DocumentId(document)]).token)
    node.run_jobs()
    end(node, frozen_clock)
    after = node.ports.threads.of(ConversationId(chat))
    assert after[0] == before[0]
    assert [each.consolidated for each in after] == [each.consolidated for each in before]
    assert {*KEPT[:4]} <= memories(client)
    node.close()
    assert traces(home, {"Vandermeulen", "vandermeulen", "porphyria"}) == []


def test_a_chat_that_was_private_for_a_while_is_told_anew(
    node: Node, client: FlaskClient, home: Path, frozen_clock: FrozenClock
) -> None:
    chat = told(client)
    end(node, frozen_clock)
    before = node.home.back_up()
    for keeping in ("none", "full"):
        client.patch(f"/api/conversations/{chat}", json={"keeping": keeping})
    node.run_jobs()
    end(node, frozen_clock)
    answer = say(client, begin(client), "Who did I sell the turquoise caravan to?")
    assert KEPT[0] in answer["text"]
    (thread,) = node.ports.threads.of(ConversationId(chat))
    assert thread.id not in node.ports.erasures.tombstones()
    node.home.restore(before.id)
    node.close()
    with Node.open(home, clock=frozen_clock) as restored:
        restored.chat.flush()
        restored.reconcile()
        restored.run_jobs()
        there = {each.id for each in restored.ports.documents.everything() if is_thread(each.id)}
        assert there == {thread.id}


def test_a_private_chat_is_not_there_for_a_program(client: FlaskClient) -> None:
    made = client.post("/api/keys", json={"name": "editor", "scopes": ["chat"]}).get_json()
    program = {"headers": {"Authorization": f"Bearer {made['key']}"}}
    other = client.application.test_client()
    private, kept = told(client, "none"), begin(client)
    listed = other.get("/api/conversations", **program).get_json()["items"]
    assert [each["id"] for each in listed] == [kept]
    base = f"/api/conversations/{private}"
    for refused in (
        other.get(base, **program),
        other.patch(base, json={"title": "Mine"}, **program),
        other.post(f"{base}/turns", json={"text": "Who are you?"}, **program),
        other.post(f"{base}/leave", **program),
        other.delete(base, **program),
    ):
        assert refused.status_code == 404
    assert whole(client, private)["turns"] == 10
    begun = other.post("/api/conversations", json={"keeping": "none"}, **program)
    assert begun.status_code == 422
    standard = client.get("/api/settings").get_json()
    client.put("/api/settings", json=standard | {"keeping": "none"})
    own = other.post("/api/conversations", json={}, **program).get_json()["id"]
    other.post(f"/api/conversations/{own}/turns", json={"text": "Hello!"}, **program).get_data()
    assert other.get(f"/api/conversations/{own}", **program).get_json()["turns"] == 2
    assert other.post(f"/api/conversations/{own}/leave", **program).status_code == 204


@pytest.mark.parametrize("away", [False, True])
def test_an_answer_under_way_is_not_thrown_away(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock, away: bool
) -> None:
    chat = begin(client, "summary")
    words = "Which upholsterer mends footstools?"
    now = node.ports.clock.now()
    asked = Turn(
        TurnId("t_asked"), ConversationId(chat), "user", words, TurnState.DONE, now, by_owner=True
    )
    node.ports.conversations.say(asked)
    if away:
        client.delete(f"/api/conversations/{chat}")
        assert [turn.text for turn in node.ports.conversations.turns(ConversationId(chat))] == [""]
        return
    say(client, begin(client), "Good morning!")
    given = replace(
        asked, id=TurnId("t_given"), role="assistant", text="Padraig does.", answers=asked.id
    )
    assert node.ports.conversations.say(given).text == "Padraig does."
    end(node, frozen_clock)
    (thread,) = whole(client, chat)["threads"]
    assert (thread["reduced"], thread["turns"]) == (True, 2)


@pytest.fixture
def ten_turns(client: FlaskClient) -> ConversationId:
    """A chat in which one question was answered twice."""
    chat = told(client)
    last = whole(client, chat)["items"][-1]
    client.post(f"/api/conversations/{chat}/turns/{last['answers']}/again").get_data()
    return ConversationId(chat)


@given(st.integers(1, 12), st.integers(1, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
def test_the_turns_between_two_places_are_those_of_the_chat(
    node: Node, ten_turns: ConversationId, first: int, last: int
) -> None:
    known = node.ports.conversations
    assert known.turns_between(ten_turns, first, last) == [
        turn for turn in known.turns(ten_turns) if first <= turn.number <= last
    ]
