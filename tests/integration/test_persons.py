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


LETTERS = {
    "harbour.md": "Dear Nagi,\n\nThe boat is in and the nets are dry.\n\nYour brother Fergal",
    "snow.md": "凪さんへ\n\n昨日は雪でした。灯油は足りています。\n\n姉の美冬より",
    "not mine.md": "Dear Ole,\n\nThe roof leaks again.\n\nYour sister Ingrid",
    "mine.md": "Dear Vera,\n\nI am coming on Friday.\n\nYour nephew Nagi",
}


@pytest.mark.parametrize(
    ("question", "answer", "signed"),
    [
        ("Who is Fergal?", "Fergal is your brother.", "Your brother Fergal"),
        ("What is my brother's name?", "Your brother is Fergal.", "Your brother Fergal"),
        ("美冬って誰？", "美冬は、あなたのお姉さんです。", "姉の美冬より"),
    ],
)
def test_a_letter_says_by_its_signature_who_wrote_it(
    node: Node, client: FlaskClient, question: str, answer: str, signed: str
) -> None:
    client.put("/api/identity", json={"name": "凪 (Nagi)"})
    for name, text in LETTERS.items():
        node.library.add_bytes(name, text.encode())
    node.run_jobs()
    assert told(client, question) == (answer, [signed])


@pytest.mark.parametrize("question", ["Who is Ingrid?", "Who is my sister?", "Who is my nephew?"])
def test_a_letter_to_another_or_by_the_person_says_nothing_of_the_person(
    node: Node, client: FlaskClient, question: str
) -> None:
    client.put("/api/identity", json={"name": "Nagi"})
    for name, text in LETTERS.items():
        node.library.add_bytes(name, text.encode())
    node.run_jobs()
    said, words = told(client, question)
    assert (said.count("your"), words) == (0, [])


def test_who_sent_a_mail_is_who_signed_it_as_mum(node: Node, client: FlaskClient) -> None:
    client.put("/api/identity", json={"name": "Nagi"})
    mail = (
        "From: Nora Hurley <nora@example.org>\nTo: nagi@example.org\nSubject: eels\n"
        "Date: Sun, 3 Mar 2024 09:00:00 +0000\n\nDear Nagi,\n\nBring the big scissors.\n\n"
        "Love, Mum\n"
    )
    node.library.add_bytes("eels.eml", mail.encode())
    node.run_jobs()
    assert told(client, "Who is Nora Hurley?") == (
        "Nora Hurley is your mother.",
        ["Love, Mum"],
    )


CHINESE = {
    "2024-03-01.md": "我妹妹小敏在上海上班。王老师来电话了，我说下周去。",
    "2024-03-02.md": "小敏昨天说她要搬家。王老师是我的邻居。",
    "2024-03-03.md": "我的医生叫林晓雯。她说我要多睡觉。",
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("谁是小敏？", "小敏是你的妹妹。"),
        ("小敏是谁？", "小敏是你的妹妹。"),
        ("我妹妹叫什么？", "你的妹妹是小敏。"),
        ("王老师是谁？", "王老师是你的邻居。"),
        ("我的医生叫什么名字？", "你的医生是林晓雯。"),
        ("Who is 小敏?", "小敏 is your younger sister."),
    ],
)
def test_chinese_texts_say_who_somebody_is(
    node: Node, client: FlaskClient, question: str, answer: str
) -> None:
    client.put("/api/identity", json={"name": "林芳"})
    for name, text in CHINESE.items():
        node.library.add_bytes(name, text.encode())
    node.run_jobs()
    said, words = told(client, question)
    assert said == answer
    assert len(words) == 1


@pytest.mark.parametrize("question", ["我弟弟叫什么？", "谁是小兰？", "你是谁？"])
def test_of_whom_chinese_texts_do_not_tell_nothing_is_claimed(
    node: Node, client: FlaskClient, question: str
) -> None:
    for name, text in CHINESE.items():
        node.library.add_bytes(name, text.encode())
    node.run_jobs()
    said, words = told(client, question)
    assert ("你的" in said, words) == (False, [])
