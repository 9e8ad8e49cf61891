"""“What do you know about Olga?” is answered with the sentences that name her and say most."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from lpm_kernel.node import Node

LIFE = {
    "stairs.md": (
        "Olga from upstairs has stopped teaching at the music school after thirty-one years."
        " The cat slept. She plays Schubert with the practice pedal down."
    ),
    "exam.md": "Olga passed the language exam in November with seventy-eight per cent.",
    "bus.md": "Is Olga coming? The number nine bus was late again.",
    "島.md": "名護の港で新しい船を見た。船は白くて、思ったより大きかった。",
}


@pytest.fixture(autouse=True)
def life(node: Node) -> None:
    for name, text in LIFE.items():
        node.library.add_text(text, title=name)
    node.run_jobs()


def said(client: FlaskClient, question: str) -> list[tuple[str, str]]:
    parts = client.post(
        "/api/identity/preview", json={"question": question, "identity": {"name": "N"}}
    ).get_json()["parts"]
    return [(part["kind"], part["text"]) for part in parts]


@pytest.mark.parametrize(
    "question",
    ["What do you know about Olga?", "Tell me about Olga.", "Olgaについて教えてください。"],
)
def test_every_sentence_that_is_quoted_names_what_is_asked_about(
    client: FlaskClient, question: str
) -> None:
    quoted = [text for kind, text in said(client, question) if kind == "quotation"]
    assert len(quoted) == 2
    assert all("Olga" in text for text in quoted)
    assert not any("bus" in text or "cat" in text for text in quoted)


def test_what_is_said_of_somebody_comes_before_what_they_say(
    client: FlaskClient, node: Node
) -> None:
    """
    talk      Vera: three lines of her own
    letter    Vera lent the choir her piano ...
    """
    talk = "".join(
        f"Vera: I shall bring {what} to the old hall before dark\nNagi: fine\n"
        for what in ("the lanterns", "four chairs", "a kettle", "the red rope")
    )
    node.library.add_text(talk, title="talk.md")
    node.library.add_text("Vera lent the choir her piano for the winter.", title="letter.md")
    node.run_jobs()
    quoted = [text for kind, text in said(client, "Tell me about Vera.") if kind == "quotation"]
    assert any("piano" in text for text in quoted)


def test_it_is_asked_in_japanese_too(client: FlaskClient) -> None:
    quoted = [text for kind, text in said(client, "名護について教えて。") if kind == "quotation"]
    assert quoted
    assert all("名護" in text for text in quoted)


def test_what_only_ends_like_a_name_is_not_told_of(client: FlaskClient, node: Node) -> None:
    text = "昨日は小林さんと港の新しい船を見に行って、遅く帰った。"
    node.library.add_text(text, title="other.md")
    node.run_jobs()
    parts = said(client, "林さんについて教えてください。")
    assert all(shown not in text for kind, shown in parts if kind == "quotation")


def test_a_name_behind_another_word_is_told_of(client: FlaskClient, node: Node) -> None:
    text = "今日林さんと港の新しい船を見に行って、遅く帰った。"
    node.library.add_text(text, title="other.md")
    node.run_jobs()
    shown = [part for kind, part in said(client, "林さんについて教えて。") if kind == "quotation"]
    assert shown
    assert all(part in text for part in shown)


def test_what_nobody_named_is_not_told_of(client: FlaskClient) -> None:
    kinds = {kind for kind, _ in said(client, "What do you know about Ragnhild?")}
    assert "statement" not in kinds


@pytest.mark.parametrize(
    ("question", "told", "others"),
    [
        (
            "林さんについて教えてください。",
            "林さんは隣の村で古い窯を直して、茶碗を焼いている。",
            "小林さんは駅前の本屋で新しい地図と辞書を売っている。",
        ),
        (
            "カナについて教えて。",
            "カナは春から港の市場で魚を売っている。",
            "カナダの港の市場で魚を売る船を見た。",
        ),
        (
            "Tell me about Rose.",
            "My neighbour Rose keeps bees behind the old school.",
            "The price of bread rose again at the bakery in March.",
        ),
    ],
)
def test_a_name_within_a_longer_word_or_without_its_capital_is_not_told_of(
    client: FlaskClient, node: Node, question: str, told: str, others: str
) -> None:
    node.library.add_text(others, title="others.md")
    node.library.add_text(told, title="told.md")
    node.run_jobs()
    quoted = [text for kind, text in said(client, question) if kind == "quotation"]
    assert any(told in text for text in quoted)
    assert not any(others in text for text in quoted)
