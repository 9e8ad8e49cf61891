"""What was found in what was added: kept, mended, forgotten; and what that does to answers."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.ids import DocumentId, FindingId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.recall_options import RecallOptions
from lpm_kernel.usecases.home import archive_export
from lpm_kernel.usecases.library.intake import arrive
from lpm_kernel.usecases.memory import findings
from tests.scan import traces, windows

DIARY = "We talked for an hour. The summer course has six places. Ottilie wants to come again."
OTHER = "Halvard fired the kiln on Tuesday and the glaze came out green."
MENDED = "The summer course has eight places."
QUESTION = "How many places does the summer course have?"


@pytest.fixture
def diary(node: Node, frozen_clock: FrozenClock) -> str:
    node.library.add_text(OTHER, title="Kiln")
    frozen_clock.advance(timedelta(minutes=1))
    document = node.library.add_text(DIARY, title="Diary").document
    node.run_jobs()
    return document.id


def stretch(
    client: FlaskClient, document: str, words: str, decision: str, content: str = ""
) -> dict[str, object]:
    start = DIARY.index(words)
    answer = client.post(
        "/api/findings",
        json={
            "document": document,
            "start": start,
            "end": start + len(words),
            "decision": decision,
            "content": content,
        },
    )
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def said(client: FlaskClient, question: str = QUESTION) -> str:
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    client.post(f"/api/conversations/{conversation}/turns", json={"text": question}).get_data()
    return str(client.get(f"/api/conversations/{conversation}").get_json()["items"][-1]["text"])


def found(node: Node, question: str = QUESTION) -> list[str]:
    return [item.text for item in node.memory.recall(question).items]


@pytest.mark.usefixtures("diary")
def test_what_was_found_is_shown_with_its_place_newest_first(
    client: FlaskClient, node: Node
) -> None:
    listed = client.get("/api/findings").get_json()
    assert [each["document"]["title"] for each in listed["items"][:2]] == ["Diary", "Kiln"]
    assert listed["total"] == len(listed["items"])
    for each in listed["items"]:
        document = node.ports.documents.get(DocumentId(each["document"]["id"]))
        assert (node.ports.files.words(document.sha256, document.text_version or "") or "")[
            each["start"] : each["end"]
        ] == each["content"]
    page = client.get("/api/findings?limit=1").get_json()
    following = client.get(f"/api/findings?limit=1&cursor={page['next_cursor']}").get_json()
    assert [page["items"][0]["id"], following["items"][0]["id"]] == [
        each["id"] for each in listed["items"][:2]
    ]


def test_what_was_retained_in_so_many_words_comes_first_with_its_kind(
    client: FlaskClient, node: Node
) -> None:
    text = (
        "# Sunday\n\nIt rained all day, and the loft stayed dry for once.\n\n## Retain\n- O(c=0.7)"
        " @Peter: prefers short replies\n- a line that is none\n- B I swam."
    )
    node.library.add_text(text, title="Sunday")
    node.run_jobs()
    items = client.get("/api/findings").get_json()["items"]
    assert [
        (each["content"], each["kind"], each["entities"], each["confidence"]) for each in items[:2]
    ] == [
        ("prefers short replies", "opinion", ["Peter"], 0.7),
        ("I swam.", "experience", [], None),
    ]
    assert all(text[each["start"] : each["end"]] == each["content"] for each in items)
    assert all("kind" in each and "Retain" not in each["content"] for each in items)


@pytest.mark.usefixtures("diary")
def test_what_was_decided_is_not_asked_again_and_can_be_taken_back(client: FlaskClient) -> None:
    first = client.get("/api/findings").get_json()["items"][0]
    assert (
        client.post(f"/api/findings/{first['id']}", json={"decision": "keep"}).get_json()[
            "decision"
        ]["verdict"]
        == "keep"
    )
    assert first["id"] not in {
        each["id"] for each in client.get("/api/findings").get_json()["items"]
    }
    assert [
        each["id"] for each in client.get("/api/findings?decided=true").get_json()["items"]
    ] == [first["id"]]
    assert client.delete(f"/api/findings/{first['id']}").status_code == 204
    assert client.get("/api/findings").get_json()["items"][0] == first
    assert client.delete(f"/api/findings/{first['id']}").status_code == 404


def test_a_mended_fact_is_answered_as_it_was_mended_and_the_wrong_one_is_never_quoted(
    client: FlaskClient, node: Node, diary: str
) -> None:
    assert "six places" in said(client)
    mended = stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    assert mended["decision"]["content"] == MENDED  # type: ignore[index]
    node.run_jobs()
    assert "eight places" in said(client)
    assert "six places" not in said(client)
    assert found(node)[0] == MENDED
    assert not any("six places" in text for text in found(node))
    items = client.post("/api/recall", json={"query": QUESTION}).get_json()["items"]
    assert (items[0]["corrects"], items[0]["struck"]) == (True, False)
    assert {(each["document"]["title"], each["struck"]) for each in items} >= {("Diary", True)}


def test_a_larger_model_never_reads_the_wrong_one(node: Node, diary: str) -> None:
    model = ScriptedModel([(".", "The summer course has six places.")])
    with Node(
        node.ports.home, clock=node.ports.clock, model=model, embedder=HashingEmbedder()
    ) as large:
        client = create_app(large).test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
        stretch(client, diary, "The summer course has six places.", "mend", MENDED)
        large.run_jobs()
        assert "six" not in said(client)
        assert not any("six places" in message.content for message in model.seen[-1])
        assert any("eight places" in message.content for message in model.seen[-1])


def test_an_answer_says_that_what_it_rests_on_was_changed_and_another_one_counts_none_of_it(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock, diary: str
) -> None:
    conversation = client.post("/api/conversations", json={}).get_json()["id"]

    def answers() -> dict[str, object]:
        return dict(client.get(f"/api/conversations/{conversation}").get_json()["items"][-1])

    def struck() -> list[bool]:
        return [each["struck"] for each in answers()["citations"]]  # type: ignore[attr-defined]

    client.post(f"/api/conversations/{conversation}/turns", json={"text": QUESTION}).get_data()
    assert struck() == [False] * len(struck()) != []
    frozen_clock.advance(timedelta(minutes=1))
    kept = stretch(client, diary, "We talked for an hour.", "keep")
    forgotten = stretch(client, diary, "The summer course has six places.", "forget")
    assert any(struck())
    client.delete(f"/api/findings/{forgotten['id']}")
    assert not any(struck())
    client.delete(f"/api/findings/{kept['id']}")
    stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    node.run_jobs()
    frozen_clock.advance(timedelta(minutes=1))
    client.post(f"/api/conversations/{conversation}/turns/{answers()['id']}/again").get_data()
    assert "eight places" in str(answers()["text"])
    assert not any(struck())


def test_a_mended_fact_can_be_mended_again_and_the_way_back_is_the_first_one(
    client: FlaskClient, node: Node, diary: str
) -> None:
    first = stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    again = stretch(
        client,
        diary,
        "The summer course has six places.",
        "mend",
        "The summer course has nine places.",
    )
    assert first["id"] == again["id"]
    node.run_jobs()
    assert "nine" in said(client)
    assert not any("eight" in text for text in found(node))
    client.delete(f"/api/findings/{again['id']}")
    assert "six places" in said(client)
    assert {document.title for document in node.ports.documents.all()} == {"Diary", "Kiln"}


def test_a_correction_that_was_itself_corrected_gives_way(
    client: FlaskClient, node: Node, diary: str
) -> None:
    first = stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    node.run_jobs()
    correction = first["decision"]["correction"]  # type: ignore[index]
    client.post(
        "/api/findings",
        json={
            "document": correction,
            "start": 0,
            "end": len(MENDED),
            "decision": "mend",
            "content": "The summer course has ten places.",
        },
    )
    node.run_jobs()
    assert "ten places" in said(client)
    assert not any("six" in text or "eight" in text for text in found(node))


def test_what_is_forgotten_is_in_no_answer_and_stays_in_its_document(
    client: FlaskClient, node: Node, diary: str
) -> None:
    stretch(client, diary, "The summer course has six places.", "forget")
    assert "six places" not in said(client)
    assert not any("six places" in text for text in found(node))
    assert "six places" in client.get(f"/api/documents/{diary}/text").get_json()["text"]
    assert "Ottilie" in said(client, "Who wants to come again?")


def test_decisions_hold_when_everything_is_read_anew(
    client: FlaskClient, node: Node, diary: str
) -> None:
    stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    node.run_jobs()
    before = found(node)
    node.ports.index.remove_all([each.id for each in node.ports.documents.all()])
    assert not found(node)
    node.reconcile()
    node.run_jobs()
    assert found(node) == before


def test_a_correction_is_as_private_as_what_it_corrects(
    client: FlaskClient, node: Node, diary: str
) -> None:
    stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    node.run_jobs()
    client.patch(f"/api/documents/{diary}", json={"private": True})
    assert not any(
        "places" in item.text
        for item in node.memory.recall(QUESTION, options=RecallOptions(include_private=False)).items
    )
    client.patch(f"/api/documents/{diary}", json={"private": False})
    assert not any(
        "places" in item.text
        for item in node.memory.recall(QUESTION, options=RecallOptions(include_private=False)).items
    )
    (correction,) = [each.id for each in node.ports.documents.all() if each.private]
    client.patch(f"/api/documents/{correction}", json={"private": False})
    assert any(
        "eight places" in item.text
        for item in node.memory.recall(QUESTION, options=RecallOptions(include_private=False)).items
    )


def test_erasing_a_document_takes_its_corrections_along(
    client: FlaskClient, node: Node, diary: str
) -> None:
    node.home.back_up()
    stretch(
        client,
        diary,
        "The summer course has six places.",
        "mend",
        "The xylographic summer course has eight places, says Wilhelmina.",
    )
    node.run_jobs()
    node.home.back_up()
    proposal = node.home.propose_erasure([DocumentId(diary)])
    assert len(proposal.documents) == 2
    node.home.confirm_erasure(proposal.token)
    node.run_jobs()
    assert client.get("/api/findings?decided=true").get_json()["items"] == []
    secret = "xylographic summer course has eight places, says Wilhelmina"
    assert not list(traces(node.ports.home.root, windows([secret])))


def test_an_archive_carries_decisions_and_the_copy_answers_the_same(
    client: FlaskClient, node: Node, diary: str, tmp_path: Path
) -> None:
    stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    stretch(client, diary, "We talked for an hour.", "forget")
    node.run_jobs()
    node.home.export(tmp_path / "all.zip", archive_export.ExportOptions())
    with Node.open(
        tmp_path / "copy",
        embedder=HashingEmbedder(),
        model=ScriptedModel([(".", "I do not know.")]),
    ) as copy:
        copy.home.take_in(tmp_path / "all.zip")
        copy.home.take_in(tmp_path / "all.zip")
        copy.run_jobs()
        assert found(copy) == found(node)
        assert [(each.quote, each.verdict) for each in copy.ports.decisions.all()] == [
            (each.quote, each.verdict) for each in node.ports.decisions.all()
        ]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"start": 5, "end": 5}, 422),
        ({"start": 0, "end": 10_000}, 422),
        ({"document": "d_none"}, 404),
        ({"decision": "mend"}, 422),
        ({"decision": "burn"}, 422),
        ({"start": -1}, 422),
    ],
)
def test_what_cannot_be_decided_says_why(
    client: FlaskClient, diary: str, change: dict[str, object], status: int
) -> None:
    body: dict[str, object] = {
        "document": diary,
        "start": 0,
        "end": 21,
        "decision": "forget",
        "content": "",
    }
    answer = client.post("/api/findings", json=body | change)
    assert answer.status_code == status, answer.text
    assert answer.get_json()["hint"]


@pytest.mark.parametrize(
    "name", ["nothing", "d_1.", "d_1.a-b", "d_1.1-2", ".1-2", "d_1.99999999999999-3"]
)
def test_a_finding_that_is_none_is_not_found(client: FlaskClient, name: str) -> None:
    assert client.post(f"/api/findings/{name}", json={"decision": "keep"}).status_code == 404


def test_a_sentence_that_says_the_same_is_kept(client: FlaskClient, diary: str) -> None:
    kept = stretch(
        client,
        diary,
        "The summer course has six places.",
        "mend",
        " The summer course has  six places. ",
    )
    assert kept["decision"]["verdict"] == "keep"  # type: ignore[index]


def test_a_correction_can_be_put_right_as_it_was_before(
    client: FlaskClient, node: Node, diary: str
) -> None:
    whole = node.library.add_text("The cello is of 1911.", title="Cello").document.id
    node.run_jobs()
    length = len("The cello is of 1911.")
    first = client.post(
        "/api/findings",
        json={
            "document": whole,
            "start": 0,
            "end": length,
            "decision": "mend",
            "content": "The cello is of 1912.",
        },
    ).get_json()
    node.run_jobs()
    back = {
        "document": first["decision"]["correction"],
        "start": 0,
        "end": length,
        "decision": "mend",
        "content": "The cello is of 1911.",
    }
    again = client.post("/api/findings", json=back).get_json()
    node.run_jobs()
    assert found(node, "Of which year is the cello?")[0] == "The cello is of 1911."
    assert again["decision"]["correction"] != whole
    assert diary


def test_taking_a_correction_back_takes_along_what_corrected_it(
    client: FlaskClient, node: Node, diary: str
) -> None:
    first = stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    node.run_jobs()
    correction = first["decision"]["correction"]  # type: ignore[index]
    client.post(
        "/api/findings",
        json={
            "document": correction,
            "start": 0,
            "end": len(MENDED),
            "decision": "mend",
            "content": "The summer course has ten places.",
        },
    )
    node.run_jobs()
    client.delete(f"/api/findings/{first['id']}")
    assert {document.title for document in node.ports.documents.all()} == {"Diary", "Kiln"}
    assert "six places" in said(client)


class KilledError(Exception):
    """The process ended here."""


class DyingIndex(IndexDb):
    """An index whose process ends when something is to be removed from it."""

    def remove(self, document_id: DocumentId) -> bool:
        raise KilledError(document_id)


@pytest.mark.parametrize("content", ["The summer course has nine places.", ""])
def test_a_correction_whose_process_died_before_it_was_dropped_goes_at_the_next_start(
    client: FlaskClient, node: Node, diary: str, content: str
) -> None:
    first = stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    node.run_jobs()
    judged = node.memory.judged(
        FindingId(str(first["id"])), Verdict.MEND if content else Verdict.FORGET, content
    )
    dying = DyingIndex(node.ports.home.index_db)
    with pytest.raises(KilledError):
        findings.decide(
            with_index(node, dying),
            lambda new: arrive(node.ports.files, node.ports.reader, node.ports.clock, new),
            judged,
        )
    dying.close()
    with Node.open(
        node.ports.home.root,
        clock=node.ports.clock,
        embedder=HashingEmbedder(),
        model=ScriptedModel([(".", "I do not know.")]),
    ) as later:
        assert MENDED not in {document.title for document in later.ports.documents.all()}
        later.reconcile()
        later.run_jobs()
        assert {document.title for document in later.ports.documents.everything()} == {
            "Diary",
            "Kiln",
            *([content] if content else []),
        }
        assert not any("eight" in text or "six" in text for text in found(later))
        assert later.ports.files.kept() == {
            document.sha256 for document in later.ports.documents.everything()
        }


def with_index(node: Node, index: IndexDb) -> findings.DecisionPorts:
    ports = node.ports
    return findings.DecisionPorts(ports.files, ports.documents, ports.decisions, index, ports.clock)


def test_taking_back_is_finished_at_the_next_start_too(
    client: FlaskClient, node: Node, diary: str
) -> None:
    first = stretch(client, diary, "The summer course has six places.", "mend", MENDED)
    node.run_jobs()
    dying = DyingIndex(node.ports.home.index_db)
    with pytest.raises(KilledError):
        findings.undo(with_index(node, dying), FindingId(str(first["id"])))
    dying.close()
    node.reconcile()
    assert {document.title for document in node.ports.documents.everything()} == {"Diary", "Kiln"}
    assert "six places" in said(client)


def test_what_is_struck_stands_neither_in_the_evidence_of_an_old_answer_nor_in_a_citation(
    client: FlaskClient, node: Node
) -> None:
    text = "The red gate belongs to Mr Ide. The code of the safe is 4711-squirrel."
    document = node.library.add_text(text, title="Gate").document.id
    node.run_jobs()
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    start = text.index("The code")
    client.post(
        "/api/findings",
        json={"document": document, "start": start, "end": len(text), "decision": "forget"},
    )
    told = client.post(
        f"/api/conversations/{conversation}/turns",
        json={"text": "To whom does the red gate belong?"},
    ).get_data(as_text=True)
    kept = client.get(f"/api/conversations/{conversation}").get_data(as_text=True)
    assert "Mr Ide" in kept
    assert "squirrel" not in told
    assert "squirrel" not in kept


def test_a_program_that_may_write_cannot_open_a_correction_that_was_made_private(
    client: FlaskClient, node: Node, diary: str
) -> None:
    correction = stretch(client, diary, "The summer course has six places.", "mend", MENDED)[
        "decision"
    ]["correction"]  # type: ignore[index]
    node.run_jobs()
    client.patch(f"/api/documents/{correction}", json={"private": True})
    key = client.post(
        "/api/keys", json={"name": "editor", "scopes": ["write", "recall"]}
    ).get_json()["key"]
    other = {"Authorization": f"Bearer {key}"}
    client.patch(f"/api/documents/{diary}", json={"private": False}, headers=other)
    client.post("/api/documents/bulk", json={"ids": [diary], "private": False}, headers=other)
    assert client.get(f"/api/documents/{correction}", headers=other).status_code == 404


def test_making_a_document_private_reaches_a_correction_that_was_put_away(
    client: FlaskClient, node: Node, diary: str
) -> None:
    correction = stretch(client, diary, "The summer course has six places.", "mend", MENDED)[
        "decision"
    ]["correction"]  # type: ignore[index]
    node.run_jobs()
    client.delete(f"/api/documents/{correction}")
    client.patch(f"/api/documents/{diary}", json={"private": True})
    client.post(f"/api/documents/{correction}/restore")
    node.run_jobs()
    assert not any(
        "places" in item.text
        for item in node.memory.recall(QUESTION, options=RecallOptions(include_private=False)).items
    )


def test_earlier_answers_from_what_is_private_do_not_go_to_a_model_elsewhere(
    client: FlaskClient, node: Node, scripted: ScriptedModel
) -> None:
    node.library.add_text("My therapist is Dr Weiss in Nagano.", title="Therapy", private=True)
    node.library.add_text("Bread needs flour, water, salt and time.", title="Bread")
    node.run_jobs()
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    client.post(
        f"/api/conversations/{conversation}/turns", json={"text": "Who is my therapist?"}
    ).get_data()
    assert "Weiss" in client.get(f"/api/conversations/{conversation}").get_data(as_text=True)
    node.ports.change_settings(model="https://models.example.com/v1", model_name="big")
    client.post(
        f"/api/conversations/{conversation}/turns",
        json={"text": "What does bread need besides flour?"},
    ).get_data()
    assert not any("Weiss" in message.content for message in scripted.seen[-1])
    asked = client.get(f"/api/conversations/{conversation}").get_json()["items"][0]["id"]
    client.post(f"/api/conversations/{conversation}/turns/{asked}/again").get_data()
    assert not any("Weiss" in message.content for message in scripted.seen[-1])


class TestElsewhere:
    """A correction reaches the sentences that tell the same old fact, and no others."""

    @pytest.fixture
    def corrected(self, client: FlaskClient, node: Node, frozen_clock: FrozenClock) -> str:
        frozen_clock.advance(timedelta(minutes=1))
        text = "Hanako lives in Wajima. She likes the sea."
        document = node.library.add_text(text, title="Hanako").document.id
        for title, told in {
            "Letter": "Tea at four. Hanako lives in Wajima with her cat. It rained.",
            "手紙": "花子は輪島に住んでいる。雨が降った。",
            "Market": "The market in Wajima opens at six. Hanako sells bowls there.",
            "Past": "Hanako lived in Wajima until the winter of 2019.",
            "Ruth": "Ruth lives in Wajima.",
        }.items():
            node.library.add_text(told, title=title)
        node.run_jobs()
        frozen_clock.advance(timedelta(minutes=1))
        body = {
            "document": document,
            "start": 0,
            "end": len("Hanako lives in Wajima."),
            "decision": "mend",
            "content": "Hanako lives in Machino.",
        }
        assert client.post("/api/findings", json=body).status_code == 200
        node.run_jobs()
        frozen_clock.advance(timedelta(minutes=1))
        return document

    @pytest.mark.parametrize(
        "question", ["Where does Hanako live?", "花子はどこに住んでいますか。"]
    )
    @pytest.mark.usefixtures("corrected")
    def test_it_comes_before_them_in_either_language(
        self, node: Node, client: FlaskClient, question: str
    ) -> None:
        texts = found(node, question)
        assert "Hanako lives in Machino." in texts
        assert not any(
            "Hanako lives in Wajima" in text or "花子は輪島に住んでいる" in text for text in texts
        )
        assert "Machino" in said(client, question)
        assert "Hanako lives in Wajima" not in said(client, question)

    @pytest.mark.usefixtures("corrected")
    def test_what_shares_words_with_it_is_left_alone(self, node: Node) -> None:
        texts = found(node, "Who lives in Wajima, and when does the market open?")
        for told in (
            "The market in Wajima opens at six. Hanako sells bowls there.",
            "Hanako lived in Wajima until the winter of 2019.",
            "Ruth lives in Wajima.",
        ):
            assert told in texts
        assert any("It rained." in text for text in texts)
        assert any("雨が降った。" in text for text in texts)

    @pytest.mark.usefixtures("corrected")
    def test_what_is_written_later_wins(self, node: Node, client: FlaskClient) -> None:
        node.library.add_text("Hanako lives in Wajima again, in a new house.", title="Later")
        node.run_jobs()
        assert any(
            "again, in a new house" in text for text in found(node, "Where does Hanako live?")
        )
        assert "again, in a new house" in said(client, "Where does Hanako live in a new house?")

    def test_taken_back_everything_is_as_it_was(
        self, node: Node, client: FlaskClient, corrected: str
    ) -> None:
        client.delete(f"/api/findings/{corrected}.0-{len('Hanako lives in Wajima.')}")
        texts = found(node, "Where does Hanako live?")
        assert sum("Hanako lives in Wajima" in text for text in texts) == 2
        assert any("花子は輪島に住んでいる" in text for text in texts)

    def test_it_reaches_nothing_where_it_may_not_be_seen(
        self, node: Node, client: FlaskClient, corrected: str
    ) -> None:
        client.patch(f"/api/documents/{corrected}", json={"private": True})
        texts = [
            item.text
            for item in node.memory.recall(
                "Where does Hanako live?", options=RecallOptions(include_private=False)
            ).items
        ]
        assert any("Hanako lives in Wajima with her cat" in text for text in texts)
        assert not any("Machino" in text for text in texts)


def test_facts_of_the_person_come_first_and_no_row_or_head_is_found(
    client: FlaskClient, node: Node
) -> None:
    node.ports.conversations.set_identity(Identity("Ann Reyes"))
    node.library.add_text(
        "My sister Ola lives in Tralee with her husband. I live in Cork with Rui.", title="About me"
    )
    node.library.add_text("day, washes, coins\nMon, 14, 212\nTue, 11, 160\n", title="Takings")
    node.library.add_text(
        "Dear Ann,\n\nI live in Gdańsk with Marek and his brother.\n\nYours, Ewa", title="From Ewa"
    )
    node.library.add_text("I sold the van to Declan in May 2023.", title="Van")
    node.run_jobs()
    listed = [each["content"] for each in client.get("/api/findings").get_json()["items"]]
    assert set(listed[:2]) == {
        "My sister Ola lives in Tralee with her husband.",
        "I live in Cork with Rui.",
    }
    assert listed[2] == "I sold the van to Declan in May 2023."
    assert not any("14, 212" in each for each in listed)


def of_life(node: Node, *texts: str) -> list[str]:
    """Add texts, and have the facts of a life read off them; return their documents."""
    node.ports.conversations.set_identity(Identity("Ann Reyes"))
    added: list[str] = [
        node.library.add_text(text, title=f"Page {n}").document.id for n, text in enumerate(texts)
    ]
    node.run_jobs()
    node.reflection.reflect()
    node.run_jobs()
    return added


def offered(client: FlaskClient) -> list[str]:
    items = client.get("/api/findings").get_json()["items"]
    return [" ".join(each["content"].split()) for each in items]


def test_a_fact_of_a_life_begins_behind_the_salutation(client: FlaskClient, node: Node) -> None:
    fact = "We would like to offer you the post of Driver Trainer, starting on 22 July."
    (document,) = of_life(node, f"Dear Ann Reyes, {fact} Please sign the form.\n\nP. Sand")
    (found,) = client.get("/api/findings").get_json()["items"]
    assert found["content"] == fact
    assert found["id"] == f"{document}.16-{16 + len(fact)}"
    decided = {"document": document, "start": 16, "end": 16 + len(fact), "decision": "forget"}
    assert client.post("/api/findings", json=decided).status_code == 200
    assert offered(client) == []


BROTHER = "My brother Colm rang about the roof."


def test_what_was_forgotten_in_one_file_is_not_offered_from_another(
    client: FlaskClient, node: Node
) -> None:
    first, _ = of_life(node, f"{BROTHER} I live in Cork with Rui.", f"It rained. {BROTHER}")
    assert offered(client).count(BROTHER) == 1
    decided = {"document": first, "start": 0, "end": len(BROTHER), "decision": "forget"}
    assert client.post("/api/findings", json=decided).status_code == 200
    assert BROTHER not in offered(client)
    assert "I live in Cork with Rui." in offered(client)


def test_a_fact_of_which_a_part_was_decided_about_is_not_offered(
    client: FlaskClient, node: Node
) -> None:
    (document,) = of_life(node, BROTHER)
    assert offered(client) == [BROTHER]
    decided = {
        "document": document,
        "start": 0,
        "end": len("My brother Colm"),
        "decision": "forget",
    }
    assert client.post("/api/findings", json=decided).status_code == 200
    assert offered(client) == []
