"""Who somebody is, asked in the chat: said from the sentences that carry it, and whose they are."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from lpm_kernel.domain.chat.roles import Sees
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node import Node

pytestmark = pytest.mark.integration

LIFE = {
    "2024-02-01.md": "Dr Byrne, the vet, has a cold. My brother Conor came by boat.",
    "2024-02-02.md": "妹のカヤと話した。カヤさんは笑った。",
    "2024-02-03.md": "My aunt Rose sang. My aunt Vera did not.",
    "2024-02-04 chat.md": "Nagi: are you in\nMai: my husband Ole is, I am not\nNagi: ok",
}


@pytest.fixture
def asked(node: Node, client: FlaskClient) -> FlaskClient:
    client.put("/api/identity", json={"name": "Nagi"})
    for name, text in LIFE.items():
        node.library.add_bytes(name, text.encode())
    node.run_jobs()
    return client


def told(client: FlaskClient, question: str) -> tuple[str, list[str]]:
    """Return the statements of an answer, and the words that they rest on."""
    chat = client.post("/api/conversations", json={}).get_json()["id"]
    client.post(f"/api/conversations/{chat}/turns", json={"text": question}).get_data()
    turn = client.get(f"/api/conversations/{chat}").get_json()["items"][-1]
    said = [part["text"] for part in turn["parts"] if part["kind"] == "statement"]
    words = [
        client.get(
            f"/api/documents/{each['document']}/text?start={each['start']}&end={each['end']}"
        ).get_json()["text"]
        for each in turn["citations"]
    ]
    return " ".join(said), words if said else []


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        ("Who is Conor?", "Conor is your brother.", ["My brother Conor came by boat."]),
        ("Who's Dr Byrne?", "Dr Byrne is a vet.", ["Dr Byrne, the vet, has a cold."]),
        (
            "What is my brother's name?",
            "Your brother is Conor.",
            ["My brother Conor came by boat."],
        ),
        ("カヤって誰？", "カヤは、あなたの妹さんです。", ["妹のカヤと話した。"]),
        ("妹の名前は？", "妹さんは、カヤです。", ["妹のカヤと話した。"]),
    ],
)
def test_who_somebody_is_comes_with_the_words_that_carry_it(
    asked: FlaskClient, question: str, answer: str, words: list[str]
) -> None:
    assert told(asked, question) == (answer, words)


@pytest.mark.parametrize(
    "question",
    ["Who is my aunt?", "Who is my husband?", "Who is Nagi?", "Who is Zelda?", "Who are you?"],
)
def test_of_two_aunts_of_anothers_husband_and_of_oneself_nothing_is_claimed(
    asked: FlaskClient, question: str
) -> None:
    said, words = told(asked, question)
    assert (said.count(" is your "), words) == (0, [])


@pytest.mark.usefixtures("asked")
def test_whoever_is_let_into_a_scope_is_not_told_who_is_their_brother(node: Node) -> None:
    question = Question("Who is Conor?")
    mine = node.memory.memory_for(owner=True)
    theirs = node.memory.scopes.within(Sees(), owner=False)
    for memory, said in ((mine, "Conor is your brother."), (theirs, None)):
        found = memory.recall(RecallQuery(question, k=5))
        told = memory.read(question, found).told
        assert found.items
        assert (told and told.sentence) == said
