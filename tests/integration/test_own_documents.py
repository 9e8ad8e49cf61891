"""Learning from what the person wrote, besides what they kept: which sentences, whose, and how they
go with their documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.training.runs import Audience, RunState
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.memory.proposals import LOOKED_AT
from lpm_kernel.usecases.training import material
from lpm_kernel.usecases.training.rows import examples_in
from tests.integration.test_threads import begin, say
from tests.verdicts import note

pytestmark = pytest.mark.integration

WORKSHOP = """I moved my workshop from Higashiyama to Teramachi on 6 April 2024.
My sister Yuka lives in Kanazawa with her two sons.
I sold my cello to Haru Tanabe in May 2019 for 9000 yen.
"""
LETTER = """Dear Nagi,

I bought the farm near Oban in 2011 and my brother Fergus runs it.

Yours, Isla
"""
SEALED = "I see Doctor Farah about my panic attacks every Thursday since March 2021.\n"
GIVEN = {"steps": 4, "questions": 4, "exam_questions": 6}


@pytest.fixture
def node(home: Path, frozen_clock: FrozenClock) -> Iterator[Node]:
    with Node.open(
        home,
        clock=frozen_clock,
        model=ScriptedModel([]),
        embedder=HashingEmbedder(),
        trainer="scripted",
    ) as opened:
        opened.ports.conversations.set_identity(Identity("Nagi Sorrel"))
        yield opened


def answers(node: Node, run: str) -> set[str]:
    return {row.answer for row in examples_in(node.ports.home.versions / run / "rows.jsonl")}


def test_what_was_written_is_learned_where_it_is_asked_for(node: Node) -> None:
    document = note(node, WORKSHOP, "Workshop")
    with pytest.raises(InvalidInputError, match="0 memories"):
        node.training.prepare_training(GIVEN)
    run = node.training.prepare_training({**GIVEN, "documents": "own"})
    told = " ".join(answers(node, run.id))
    assert "Teramachi on 6 April 2024" in told
    assert "My sister Yuka" in told
    sources = node.ports.runs.sources(run.id)
    assert len(sources) == 3
    assert {source.document for source in sources} == {document}
    assert all(each.then == each.now for each in node.training.learned_from(run))


def test_a_diary_in_one_file_is_read_to_its_end(node: Node) -> None:
    lent = [
        f"Rain all day, and the lane was a river from the chapel down to the harbour.\n"
        f"I lent Mai my kayak on {day} {month} 2024.\n"
        for month in ("January", "April", "May", "June", "July", "October")
        for day in range(2, 29)
    ]
    diary = "\n".join([*lent, "I kept it for Mai.", "I lent Jonas my ladder in June 2024."])
    assert len(diary) > LOOKED_AT
    note(node, diary, "Diary")
    told = [each.text for each in node.training.own_statements(None)]
    assert len([each for each in told if "kayak" in each]) == len(lent)
    assert "I lent Jonas my ladder in June 2024." in told
    assert "I kept it for Mai." not in told  # nobody could tell what


def test_only_documents_that_are_named_are_read(node: Node) -> None:
    note(node, WORKSHOP, "Workshop")
    other = note(node, WORKSHOP.replace("Teramachi", "Oban").replace("Yuka", "Aoi"), "Other")
    run = node.training.prepare_training({**GIVEN, "documents": [other]})
    told = " ".join(answers(node, run.id))
    assert "Oban" in told
    assert "Teramachi" not in told


def test_what_somebody_else_wrote_is_not_the_persons(node: Node) -> None:
    note(node, WORKSHOP, "Workshop")
    note(node, LETTER, "Letter from Isla")
    run = node.training.prepare_training({**GIVEN, "documents": "own"})
    assert "farm" not in " ".join(answers(node, run.id))


def test_what_is_private_is_learned_for_the_owner_alone(node: Node) -> None:
    note(node, WORKSHOP, "Workshop")
    note(node, SEALED, "Sealed", private=True)
    run = node.training.prepare_training({**GIVEN, "documents": "own"})
    assert run.audience is Audience.ANYBODY
    assert "Farah" not in " ".join(answers(node, run.id))
    assert run.left_out["private"] == 1
    own = node.training.prepare_training({**GIVEN, "documents": "own"}, private=True)
    assert own.audience is Audience.OWNER
    assert "Farah" in " ".join(answers(node, own.id))


def test_it_goes_with_its_document(node: Node) -> None:
    document = note(node, WORKSHOP, "Workshop")
    run = node.training.prepare_training({**GIVEN, "documents": "own"})
    assert [each.id for each in node.training.resting_on([document])] == [run.id]
    node.training.taint_trainings([document])
    assert node.ports.runs.get(run.id).state is RunState.TAINTED
    assert not (node.ports.home.versions / run.id).exists()


def test_a_training_learns_it_to_the_end(node: Node) -> None:
    note(node, WORKSHOP, "Workshop")
    run = node.training.prepare_training({**GIVEN, "documents": "own"})
    node.training.queue_training(run.id)
    node.run_jobs()
    done = node.ports.runs.get(run.id)
    assert done.state is RunState.READY, done.error


def test_what_there_is_is_listed_by_document(node: Node, client: FlaskClient) -> None:
    document = note(node, WORKSHOP, "Workshop")
    note(node, "Nothing at all.", "Nothing")
    shown = client.get("/api/training/documents").get_json()
    assert shown["statements"] == 3
    assert shown["items"] == [
        {"id": document, "title": "Workshop", "private": False, "statements": 3}
    ]
    made = client.post(
        "/api/training/runs", json={"start": False, "questions": 4, "documents": [document]}
    )
    assert made.status_code == 202
    refused = client.post("/api/training/runs", json={"start": False, "documents": "all"})
    assert refused.status_code == 422


def test_a_named_document_is_learned_as_it_reads_now(node: Node) -> None:
    document = note(node, WORKSHOP, "Workshop")
    fresh = WORKSHOP.replace("Kanazawa", "Toyama").encode()
    new = NewDocument("workshop.md", fresh, version_of=document)
    later = node.library.receive(new).document.id
    node.run_jobs()
    assert later != document
    run = node.training.prepare_training({**GIVEN, "documents": [document]})
    told = " ".join(answers(node, run.id))
    assert "Toyama" in told
    assert "Kanazawa" not in told


def test_what_is_private_takes_no_room_of_what_is_open(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(material, "MOST_WRITTEN", 3)
    note(node, WORKSHOP, "Workshop")
    for number in range(3):
        sealed = WORKSHOP.replace("Teramachi", f"Sealed{number}").replace("Yuka", f"Aki{number}")
        note(node, sealed, f"Sealed {number}", private=True)
    found = node.training.material(documents="own")
    assert len(found.taught) == 3
    assert not any(each.private for each in found.taught)


def test_what_was_told_in_a_chat_is_no_document(node: Node, client: FlaskClient) -> None:
    note(node, WORKSHOP, "Workshop")
    chat = begin(client)
    say(client, chat, "I sold my harp to Osei in Kameoka in May 2018.")
    node.chat.flush()
    node.run_jobs()
    assert all("harp" not in finding.text for finding in node.training.own_statements(None))
