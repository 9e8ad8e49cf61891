"""Whose words stand at a place, in each kind of document, and who is told so."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Attribution
from lpm_kernel.node import Node

OWN, NOBODY = Attribution(own=True), None
MAIL = (
    "From: Nora Hurley <nora@example.org>\nTo: nagi@example.org\nSubject: eels\n"
    "Date: Mon, 10 Nov 2025 09:00:00 +0000\n\nThe eels came up in the night.\n\n"
    "> I set the trap on Sunday.\n"
)


def author(node: Node, document: DocumentId, words: str) -> Attribution | None:
    known = node.ports.documents.get(document)
    version = known.text_version or ""
    text = node.ports.files.words(known.sha256, version) or ""
    return node.ports.authors.at(known, version, text.index(words))


def added(node: Node, name: str, content: str) -> DocumentId:
    document = node.library.add_bytes(name, content.encode()).document.id
    node.run_jobs()
    return document


@pytest.fixture(autouse=True)
def named(node: Node) -> None:
    node.ports.conversations.set_identity(Identity("Nagi Sorrel"))


@pytest.mark.parametrize(
    ("name", "content", "words", "whose"),
    [
        ("Diary.md", "I planed the door until it shut.", "planed", OWN),
        ("工房日誌.md", "工房を寺町へ移した。雨が続く。", "移した", OWN),
        ("5月.md", "駅まで歩いた。\n\n## Retain\n\n- B 傘を買った。\n", "駅", OWN),
        ("Kelp.md", "The stream is interrupted for maintenance on Mondays.", "stream", NOBODY),
        ("Rent.md", "Dear Nagi,\nThe rent goes up in May.\nYours, Mrs Pryce", "rent", "Mrs Pryce"),
        ("Chat.md", "Mam: I moved the hens.\nNagi: I did not.\nMam: You did.", "did not", OWN),
        ("Chat.md", "Mam: I moved the hens.\nNagi: I did not.\nMam: You did.", "hens", "Mam"),
        ("Diary.md", "I met Lea. “Never varnish in the rain,” she said.", "varnish", ""),
        ("eels.eml", MAIL, "came up", "Nora Hurley"),
        ("eels.eml", MAIL, "set the trap", ""),
        ("page.html", "<p>I walked the coast path for nine days.</p>", "coast", ""),
        ("scores.csv", "day,score\n2024-05-01,I won\n2024-05-02,I lost\n", "won", NOBODY),
    ],
)
def test_whose_words_stand_there(
    node: Node, name: str, content: str, words: str, whose: Attribution | str | None
) -> None:
    wanted = Attribution(own=False, name=whose or None) if isinstance(whose, str) else whose
    assert author(node, added(node, name, content), words) == wanted


def test_a_talk_with_a_model_is_the_person_s_and_a_program_s(node: Node) -> None:
    turns = [
        {"speaker": "user", "text": "How do I bend ash?"},
        {"speaker": "assistant", "text": "With steam, an hour for each inch."},
    ]
    talk = added(node, "talk.jsonl", "\n".join(json.dumps(turn) for turn in turns))
    assert author(node, talk, "bend ash") == OWN
    assert author(node, talk, "steam") == Attribution(own=False)


def test_another_name_is_another_person(node: Node) -> None:
    chat = added(node, "Chat.md", "Mam: I moved the hens.\nNagi: I did not.\nMam: You did.")
    assert author(node, chat, "hens") == Attribution(own=False, name="Mam")
    node.ports.conversations.set_identity(Identity("Mam"))
    assert author(node, chat, "hens") == OWN
    assert author(node, chat, "did not") == Attribution(own=False, name="Nagi")


def test_what_was_retained_is_the_person_s_and_a_page_of_the_node_is_nobody_s(
    node: Node, client: FlaskClient
) -> None:
    client.post("/api/memories", json={"content": "I sold the boat.", "kind": "experience"})
    node.run_jobs()
    items = client.post("/api/recall", json={"query": "boat", "explain": True}).get_json()["items"]
    assert items[0]["author"] == {"own": True, "name": None}
    for day in (1, 2, 3):
        added(node, f"2025-05-0{day}.md", f"I met Lea Berg on the quay. Lea Berg sold {day} eels.")
    client.post("/api/reflections", json={})
    node.run_jobs()
    pages = [
        page
        for path in node.ports.reflections.paths()
        if (page := node.ports.documents.by_origin(path)) is not None
    ]
    assert pages
    for page in pages:
        assert node.ports.authors.at(page, page.text_version or "", 0) is None


def test_it_is_told_where_words_are_shown_and_not_to_a_program(
    node: Node, client: FlaskClient
) -> None:
    added(node, "Rent.md", "Dear Nagi,\nThe rent goes up in May.\nYours, Mrs Pryce")
    whose = {"own": False, "name": "Mrs Pryce"}
    asked = {"query": "When does the rent go up?", "explain": True}
    (item,) = client.post("/api/recall", json=asked).get_json()["items"]
    assert item["author"] == whose
    (item,) = client.post("/api/recall", json=asked | {"explain": False}).get_json()["items"]
    assert item["author"] is None
    key = client.post("/api/keys", json={"name": "p", "scopes": ["recall"]}).get_json()["key"]
    told = client.post("/api/recall", json=asked, headers={"Authorization": f"Bearer {key}"})
    assert [each["author"] for each in told.get_json()["items"]] == [None]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("亲爱的.md", "亲爱的小敏：\n我昨天离婚了。\n爱你的，妈妈", "离婚"),
        (
            "List.md",
            "Dear Nagi,\nI am sorry.\nSue: soup\nNagi: tent\n\nI leave.\nLove, Mia",
            "leave",
        ),
        ("To let.txt", "The room has two windows and a stove.", "room"),
        ("Letter.md", "Dear Nagi,\nI told nobody yet.\nLove, N.", "nobody"),
        ("Notice.md", "Our office is closed on Monday.", "closed"),
        ("Release notes.md", "Version 2.4 fixes two crashes.", "fixes"),
        ("Habits.md", "Mood: good\nI left the bank.\n\nMood: bad\nI told Mia.", "told"),
        ("Talk.md", "Nagi: look\n> I have left Tom.\nSue: oh\nNagi: yes", "left Tom"),
        ("Kiss.md", "Hi,\nI am pregnant.\nMia xx", "pregnant"),
    ],
)
def test_in_doubt_words_are_not_the_person_s(
    node: Node, name: str, content: str, words: str
) -> None:
    whose = author(node, added(node, name, content), words)
    assert whose is None or not whose.own


def test_a_name_that_ends_another_is_another_person(node: Node) -> None:
    node.ports.conversations.set_identity(Identity("Bjørn Haugen"))
    chat = added(node, "Chat.md", "Jørn: I left the bank.\nKari: Why?\nJørn: It was dull.")
    assert author(node, chat, "left") == Attribution(own=False, name="Jørn")
