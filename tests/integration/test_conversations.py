"""Conversations over time: several answers, branches, verdicts, deleting with a way back, finding,
and long ones page by page.
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import AnswerVerdict, Conversation, Turn, TurnState
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.ports import ModelCard
from lpm_kernel.L1.answering.answer import AnswerStretch
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import turns as chat
from lpm_kernel.usecases.home.access import create_key
from lpm_kernel.usecases.home.archive_export import ExportOptions
from tests.integration.test_api import add, events

SMALL = ModelCard(id="small", context_window=8192, local=True, parameters=135_000_000)
TERAMACHI = (
    "I moved the workshop to Teramachi on 6 April 2024. The workshop in Teramachi has two north"
    " windows."
)
WINDOWS = (
    (
        "The landlady of the workshop in Teramachi is Mrs Tsuda, and she counts the umbrellas every"
        " evening after the rain."
    ),
    (
        "Spruce from Paneveggio lies in the workshop in Teramachi since the autumn in which the old"
        " van broke down for good."
    ),
    (
        "The bench of the workshop in Teramachi was carried up the stairs by four friends, of whom"
        " one still has a bad back."
    ),
)


def begin(client: FlaskClient, title: str = "") -> str:
    return str(client.post("/api/conversations", json={"title": title}).get_json()["id"])


def ask(client: FlaskClient, conversation: str, question: str) -> dict[str, Any]:
    told = events(client.post(f"/api/conversations/{conversation}/turns", json={"text": question}))
    assert told[-1][0] == "done", told[-1]
    answer: dict[str, Any] = told[-1][1]["turn"]
    return answer


def read(client: FlaskClient, conversation: str, **query: object) -> dict[str, Any]:
    answer = client.get(f"/api/conversations/{conversation}", query_string=query)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.get_json()
    return shown


@pytest.fixture
def small(scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    """The scripted model as one that is led by quotations."""
    monkeypatch.setattr(scripted, "card", lambda: SMALL)
    return scripted


class TestAgain:
    def test_a_small_model_is_led_by_what_was_not_quoted_yet(
        self, client: FlaskClient, node: Node, small: ScriptedModel
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        for number, text in enumerate(WINDOWS):
            add(client, node, f"{number}.txt", text)
        conversation = begin(client)
        first = ask(client, conversation, "What do I know of the workshop in Teramachi?")
        told = events(client.post(f"/api/conversations/{conversation}/turns/{first['id']}/again"))
        assert next(name for name, _ in told) == "evidence"
        second = told[-1][1]["turn"]
        spans = [
            {(c["document"], c["start"]) for c in answer["citations"]} for answer in (first, second)
        ]
        assert spans[1]
        assert not spans[0] & spans[1]
        assert second["variants"] == [first["id"], second["id"]]
        assert len(small.seen) == 2

    @pytest.mark.usefixtures("small")
    def test_where_memory_offers_nothing_else_that_is_said_and_nothing_is_kept(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", "I moved the workshop to Teramachi on 6 April 2024.")
        conversation = begin(client)
        first = ask(client, conversation, "When did I move the workshop to Teramachi?")
        told = events(client.post(f"/api/conversations/{conversation}/turns/{first['id']}/again"))
        assert [name for name, _ in told] == ["evidence", "exhausted"]
        assert told[-1][1]["turn"]["id"] == first["id"]
        assert read(client, conversation)["items"][1]["variants"] == [first["id"]]

    def test_a_larger_model_draws_its_words_anew_and_the_first_answer_is_one_page_back(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        scripted.script = ScriptedModel(
            [("moved?", "You moved the workshop to Teramachi on 6 April 2024.")]
        ).script
        first = ask(client, conversation, "When was the workshop moved?")
        question = read(client, conversation)["items"][0]["id"]
        later = ask(client, conversation, "When was the workshop moved to Teramachi?")
        scripted.script = ScriptedModel(
            [(".", "The workshop in Teramachi has two north windows.")]
        ).script
        told = events(client.post(f"/api/conversations/{conversation}/turns/{question}/again"))
        second = told[-1][1]["turn"]
        assert second["text"] != first["text"]
        items = read(client, conversation)["items"]
        assert [item["id"] for item in items][1::2] == [second["id"], later["id"]]
        assert (
            client.patch(
                f"/api/conversations/{conversation}/turns/{first['id']}", json={"shown": True}
            ).get_json()["text"]
            == first["text"]
        )
        assert [item["id"] for item in read(client, conversation)["items"]][1::2] == [
            first["id"],
            later["id"],
        ]

    def test_an_answer_that_breaks_down_leaves_the_one_that_stands(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        first = ask(client, conversation, "When did I move the workshop to Teramachi?")
        scripted.script = ScriptedModel([(".", None)]).script
        told = events(client.post(f"/api/conversations/{conversation}/turns/{first['id']}/again"))
        assert told[-1][0] == "failed"
        assert read(client, conversation)["items"][1]["id"] == first["id"]

    def test_a_turn_of_another_conversation_is_not_found(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        one, other = begin(client), begin(client)
        answer = ask(client, one, "When did I move the workshop?")
        for call in (
            client.post(f"/api/conversations/{other}/turns/{answer['id']}/again"),
            client.patch(f"/api/conversations/{other}/turns/{answer['id']}", json={"shown": True}),
            client.put(
                f"/api/conversations/{other}/turns/{answer['id']}/verdict",
                json={"verdict": "right"},
            ),
            client.post(f"/api/conversations/{other}/branch", json={"turn": answer["id"]}),
        ):
            assert call.status_code == 404, call.text


class TestBranching:
    def test_a_branch_holds_what_came_before_and_both_know_of_each_other(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        ask(client, conversation, "When did I move the workshop?")
        ask(client, conversation, "Which windows has the workshop in Teramachi?")
        before = read(client, conversation)
        question = before["items"][2]
        made = client.post(
            f"/api/conversations/{conversation}/branch", json={"turn": question["id"]}
        )
        assert made.status_code == 201
        branch = read(client, made.get_json()["id"])
        assert branch["branched_from"] == {
            "conversation": conversation,
            "turn": question["id"],
            "title": before["title"],
        }
        assert [item["text"] for item in branch["items"]] == [
            item["text"] for item in before["items"][:2]
        ]
        assert [[c["quote"] for c in item["citations"]] for item in branch["items"]] == [
            [c["quote"] for c in item["citations"]] for item in before["items"][:2]
        ]
        after = read(client, conversation)
        assert after["items"] == before["items"]
        assert [(each["conversation"], each["turn"]) for each in after["branches"]] == [
            (branch["id"], question["id"])
        ]

    def test_a_branch_outlives_what_it_came_from(self, client: FlaskClient, node: Node) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        answer = ask(client, conversation, "When did I move the workshop?")
        branch = client.post(
            f"/api/conversations/{conversation}/branch", json={"turn": answer["id"]}
        ).get_json()["id"]
        client.delete(f"/api/conversations/{conversation}")
        assert read(client, branch)["branched_from"]["title"] is None
        node.ports.conversations.delete(ConversationId(conversation))
        assert read(client, branch)["branched_from"]["title"] is None


class TestVerdicts:
    def test_a_verdict_is_kept_changed_and_taken_back(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        answer = ask(client, conversation, "When did I move the workshop?")
        place = f"/api/conversations/{conversation}/turns/{answer['id']}/verdict"
        assert (
            client.put(place, json={"verdict": "right"}).get_json()["verdict"]["verdict"] == "right"
        )
        kept = client.put(
            place, json={"verdict": "better", "better": " In April 2024. "}
        ).get_json()["verdict"]
        assert (kept["verdict"], kept["better"]) == ("better", "In April 2024.")
        assert read(client, conversation)["items"][1]["verdict"] == kept
        assert client.delete(place).get_json()["verdict"] is None
        assert read(client, conversation)["items"][1]["verdict"] is None

    def test_what_is_right_instead_is_kept_with_an_answer_that_is_not(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        answer = ask(client, conversation, "When did I move the workshop?")
        place = f"/api/conversations/{conversation}/turns/{answer['id']}/verdict"
        assert client.put(place, json={"verdict": "wrong"}).get_json()["verdict"]["better"] == ""
        client.put(place, json={"verdict": "wrong", "better": "In May."})
        kept = read(client, conversation)["items"][1]["verdict"]
        assert (kept["verdict"], kept["better"]) == ("wrong", "In May.")
        assert (
            client.put(place, json={"verdict": "right", "better": "In May."}).get_json()["verdict"][
                "better"
            ]
            == ""
        )

    def test_what_is_right_instead_is_known_by_the_next_question(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        answer = ask(client, conversation, "When did I move the workshop?")
        place = f"/api/conversations/{conversation}/turns/{answer['id']}/verdict"
        before = node.workspace.numbers()

        client.put(place, json={"verdict": "wrong", "better": "In May 2031."})
        node.run_jobs()
        [known] = client.get("/api/memories").get_json()["items"]
        assert known["content"] == "When did I move the workshop? In May 2031."
        assert (node.workspace.numbers().documents, node.workspace.numbers().memories) == (
            before.documents,
            before.memories + 1,
        )
        found = client.post(
            "/api/recall", json={"query": "In which year was the workshop moved?", "k": 5}
        ).get_json()["items"]
        assert any("In May 2031." in each["content"] for each in found)

        client.put(
            place, json={"verdict": "wrong", "better": "The workshop was moved in June 2031."}
        )
        node.run_jobs()
        assert [
            (each["id"], each["content"])
            for each in client.get("/api/memories").get_json()["items"]
        ] == [(known["id"], "The workshop was moved in June 2031.")]
        client.put(
            place, json={"verdict": "wrong", "better": "The workshop was moved in June 2031."}
        )
        node.run_jobs()
        assert node.workspace.numbers().memories == before.memories + 1

        client.delete(place)
        node.run_jobs()
        assert client.get("/api/memories").get_json()["items"] == []
        client.put(
            place, json={"verdict": "wrong", "better": "The workshop was moved in July 2031."}
        )
        node.run_jobs()
        assert [each["id"] for each in client.get("/api/memories").get_json()["items"]] == [
            known["id"]
        ]

    def test_what_is_right_instead_is_private_where_the_answer_rested_on_what_is(
        self, client: FlaskClient, node: Node
    ) -> None:
        made = add(client, node, "a.txt", TERAMACHI)
        client.patch(f"/api/documents/{made['id']}", json={"private": True})
        node.run_jobs()
        conversation = begin(client)
        answer = ask(client, conversation, "When did I move the workshop to Teramachi?")
        assert answer["citations"]
        client.put(
            f"/api/conversations/{conversation}/turns/{answer['id']}/verdict",
            json={"verdict": "wrong", "better": "The workshop was moved in May 2031."},
        )
        node.run_jobs()
        [known] = client.get("/api/memories").get_json()["items"]
        assert known["private"] is True

    def test_a_program_that_may_only_chat_makes_no_memory_by_a_verdict(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        answer = ask(client, conversation, "When did I move the workshop?")
        key = create_key(node.ports.access, node.ports.clock, "Editor", ("chat",))[1]
        said = {"Authorization": f"Bearer {key}"}
        place = f"/api/conversations/{conversation}/turns/{answer['id']}/verdict"
        assert (
            create_app(node)
            .test_client()
            .put(place, json={"verdict": "wrong", "better": "In May."}, headers=said)
            .status_code
            == 200
        )
        node.run_jobs()
        assert node.workspace.numbers().memories == 0

    def test_a_better_wording_that_is_missing_is_asked_for(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        answer = ask(client, conversation, "When did I move the workshop?")
        refused = client.put(
            f"/api/conversations/{conversation}/turns/{answer['id']}/verdict",
            json={"verdict": "better", "better": "  "},
        )
        assert (refused.status_code, refused.get_json()["detail"]) == (
            422,
            "The better wording is missing.",
        )

    def test_erasing_a_document_takes_it_out_of_the_better_wording_too(
        self, client: FlaskClient, node: Node
    ) -> None:
        made = add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        answer = ask(client, conversation, "When did I move the workshop to Teramachi?")
        client.put(
            f"/api/conversations/{conversation}/turns/{answer['id']}/verdict",
            json={"verdict": "better", "better": "It was moved to Teramachi."},
        )
        node.home.confirm_erasure(node.home.propose_erasure([DocumentId(made["id"])]).token)
        node.run_jobs()
        assert "Teramachi" not in json.dumps(
            [item["verdict"] for item in read(client, conversation)["items"]]
        )


class TestDeleting:
    def test_what_is_deleted_is_nowhere_and_comes_back_whole(
        self, client: FlaskClient, node: Node, tmp_path: Path
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client, "The move")
        ask(client, conversation, "When did I move the workshop?")
        before = read(client, conversation)
        assert client.delete(f"/api/conversations/{conversation}").status_code == 204
        assert client.get(f"/api/conversations/{conversation}").status_code == 404
        assert client.delete(f"/api/conversations/{conversation}").status_code == 404
        assert client.get("/api/conversations").get_json()["items"] == []
        assert client.get("/api/conversations?q=workshop").get_json()["items"] == []
        assert (
            client.post(
                f"/api/conversations/{conversation}/turns", json={"text": "And why?"}
            ).status_code
            == 404
        )
        assert node.home.export(tmp_path / "a.zip", ExportOptions())["conversations"] == 0
        (kept,) = client.get("/api/conversations?deleted=true").get_json()["items"]
        assert (kept["id"], kept["deleted_at"] is not None) == (conversation, True)
        assert (
            client.post(f"/api/conversations/{conversation}/restore").get_json()["id"]
            == conversation
        )
        assert read(client, conversation) == before

    def test_after_thirty_days_it_is_gone_for_good(
        self, client: FlaskClient, node: Node, frozen_clock: FrozenClock
    ) -> None:
        kept, gone = begin(client, "kept"), begin(client, "gone")
        client.delete(f"/api/conversations/{gone}")
        frozen_clock.advance(timedelta(days=30))
        client.delete(f"/api/conversations/{kept}")
        node.reconcile()
        assert len(client.get("/api/conversations?deleted=true").get_json()["items"]) == 2
        frozen_clock.advance(timedelta(seconds=1))
        node.reconcile()
        assert client.post(f"/api/conversations/{gone}/restore").status_code == 404
        assert client.post(f"/api/conversations/{kept}/restore").status_code == 200

    def test_erasing_everything_reaches_what_was_deleted(
        self, client: FlaskClient, node: Node
    ) -> None:
        kept, deleted = begin(client, "kept"), begin(client, "deleted")
        client.delete(f"/api/conversations/{deleted}")
        assert set(node.home.all_that_was_told()[1]) == {kept, deleted}

    def test_erasing_reaches_what_was_deleted_and_says_what_was_branched(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client)
        ask(client, conversation, "When did I move the workshop?")
        second = ask(client, conversation, "Which windows has the workshop in Teramachi?")
        client.post(f"/api/conversations/{conversation}/branch", json={"turn": second["id"]})
        client.delete(f"/api/conversations/{conversation}")
        proposal = client.post("/api/erasures", json={"conversations": [conversation]}).get_json()
        assert [share["count"] for share in proposal["stays"] if share["place"] == "branches"] == [
            1
        ]
        client.post(f"/api/erasures/{proposal['token']}/confirm")
        node.run_jobs()
        assert client.get("/api/conversations?deleted=true").get_json()["items"] == []
        assert not [
            turn
            for turn in node.ports.conversations.every_turn()
            if turn.conversation == conversation
        ]


class TestFinding:
    def test_titles_and_both_sides_are_looked_through_in_any_width_and_case(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel
    ) -> None:
        add(client, node, "a.txt", "2024年4月6日、工房を寺町へ移した。")
        titled, asked = begin(client, "Cello of Ottilie"), begin(client)
        scripted.script = ScriptedModel([("工房", "工房は2024年4月6日に寺町へ移しました。")]).script
        ask(client, asked, "工房はいつ移した？")
        for query, found in (
            ("ｃＥＬＬＯ", titled),
            ("ottilie cello", titled),
            ("寺町", asked),
            ("いつ 工房", asked),
        ):
            items = client.get("/api/conversations", query_string={"q": query}).get_json()["items"]
            assert [item["id"] for item in items] == [found], query
        (item,) = client.get("/api/conversations", query_string={"q": "寺町"}).get_json()["items"]
        assert [item["snippet"]["text"][start:end] for start, end in item["snippet"]["spans"]] == [
            "寺町"
        ]
        assert item["snippet"]["turn"] == read(client, asked)["items"][1]["id"]
        assert client.get("/api/conversations?q=%25").get_json()["items"] == []

    def test_what_is_renamed_rewritten_or_not_shown_is_found_as_it_stands(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel
    ) -> None:
        made = add(client, node, "a.txt", TERAMACHI)
        conversation = begin(client, "First name")
        scripted.script = ScriptedModel(
            [(".", "You moved the workshop to Teramachi on 6 April 2024.")]
        ).script
        first = ask(client, conversation, "When was the workshop moved?")
        scripted.script = ScriptedModel(
            [(".", "The workshop in Teramachi has two north windows.")]
        ).script
        events(client.post(f"/api/conversations/{conversation}/turns/{first['id']}/again"))

        def found(query: str) -> bool:
            return bool(
                client.get("/api/conversations", query_string={"q": query}).get_json()["items"]
            )

        assert (found("north windows"), found("6 April")) == (True, False)
        client.patch(f"/api/conversations/{conversation}/turns/{first['id']}", json={"shown": True})
        assert (found("north windows"), found("6 April")) == (False, True)
        client.patch(f"/api/conversations/{conversation}", json={"title": "Second"})
        assert (found("first name"), found("second")) == (False, True)
        node.home.confirm_erasure(node.home.propose_erasure([DocumentId(made["id"])]).token)
        assert not found("Teramachi")

    def test_programs_do_not_look_through_what_may_be_private(self, client: FlaskClient) -> None:
        key = client.post("/api/keys", json={"name": "p", "scopes": ["chat"]}).get_json()["key"]
        refused = client.get("/api/conversations?q=a", headers={"Authorization": f"Bearer {key}"})
        assert refused.status_code == 422


def test_a_long_conversation_is_read_page_by_page_from_its_end(
    client: FlaskClient, node: Node
) -> None:
    now = node.ports.clock.now()
    talk = ConversationId("v_long")
    turns = [
        Turn(
            TurnId(f"t_{n}"),
            talk,
            "assistant" if n % 2 else "user",
            f"said {n}",
            TurnState.DONE,
            now,
            answers=TurnId(f"t_{n - 1}") if n % 2 else None,
        )
        for n in range(51)
    ]
    node.ports.conversations.keep(Conversation(talk, "Long", now, now), turns)
    page = read(client, talk, limit=20)
    seen = [item["id"] for item in page["items"]]
    assert page["turns"] == 51
    while page["before"]:
        assert page["before"] == page["items"][0]["id"]
        page = read(client, talk, limit=20, before=page["before"])
        seen = [item["id"] for item in page["items"]] + seen
        assert page["items"][0]["role"] == "user"
    assert seen == [turn.id for turn in turns]
    assert client.get(f"/api/conversations/{talk}?before=t_none").status_code == 404


def test_an_archive_carries_variants_verdicts_and_branches(
    client: FlaskClient, node: Node, tmp_path: Path, scripted: ScriptedModel
) -> None:
    add(client, node, "a.txt", TERAMACHI)
    conversation = begin(client)
    first = ask(client, conversation, "When did I move the workshop to Teramachi?")
    scripted.script = ScriptedModel(
        [(".", "The workshop in Teramachi has two north windows.")]
    ).script
    events(client.post(f"/api/conversations/{conversation}/turns/{first['id']}/again"))
    chat.judge(
        node.ports.conversations,
        node.ports.clock,
        ConversationId(conversation),
        TurnId(first["id"]),
        AnswerVerdict.BETTER,
        "In April.",
    )
    client.patch(f"/api/conversations/{conversation}/turns/{first['id']}", json={"shown": True})
    client.post(f"/api/conversations/{conversation}/branch", json={"turn": first["id"]})
    node.home.export(tmp_path / "a.zip", ExportOptions())
    with Node.open(tmp_path / "other", model=scripted, embedder=HashingEmbedder()) as other:
        other.home.take_in(tmp_path / "a.zip")
        for each in node.ports.conversations.page(limit=9)[0]:
            assert other.ports.conversations.get(each.id) == each
            assert other.ports.conversations.turns(
                each.id, every=True
            ) == node.ports.conversations.turns(each.id, every=True)
            assert other.ports.conversations.turns(each.id) == node.ports.conversations.turns(
                each.id
            )


def test_a_list_of_a_larger_model_stays_a_list_and_a_line_that_nothing_carries_goes(
    client: FlaskClient, node: Node, scripted: ScriptedModel
) -> None:
    add(client, node, "a.txt", TERAMACHI)
    scripted.script = ScriptedModel(
        [(".", "- You moved the workshop on 6 April 2024.\n- The workshop is in Paris.\n")]
    ).script
    answer = ask(client, begin(client), "What about the workshop in Teramachi?")
    assert [(part["kind"], part["text"], part["citations"]) for part in answer["parts"]] == [
        ("statement", "- You moved the workshop on 6 April 2024.", [1])
    ]


def test_a_long_first_question_names_the_chat_and_shows_that_it_goes_on(
    client: FlaskClient,
) -> None:
    conversation = begin(client)
    ask(
        client,
        conversation,
        "Tell me, if you can, everything that I wrote down about the workshop in Teramachi",
    )
    title = client.get(f"/api/conversations/{conversation}").get_json()["title"]
    assert title == "Tell me, if you can, everything that I wrote down about the…"
    assert len(title) <= chat.TITLE


def test_an_answer_that_is_stopped_before_it_quotes_anything_has_no_words(
    client: FlaskClient,
    node: Node,
    small: ScriptedModel,  # noqa: ARG001  it answers
) -> None:
    node.library.add_text("The workshop moved to Teramachi on 6 April 2024.")
    node.run_jobs()
    conversation = ConversationId(begin(client))
    memory = node.memory.memory_for(owner=True)
    by = chat.TurnSpeaker(memory.recall, node.models.model, memory.read)
    telling = chat.take_turn(
        node.ports.conversations,
        by,
        node.ports.clock,
        chat.NewTurn(conversation, "When did the workshop move?"),
    )
    for event in telling:
        if isinstance(event, AnswerStretch):
            assert event.kind == "note"
            break
    telling.close()
    answered = node.ports.conversations.turns(conversation)[-1]
    assert (answered.role, answered.state, answered.parts, answered.text) == (
        "assistant",
        TurnState.STOPPED,
        (),
        "",
    )
