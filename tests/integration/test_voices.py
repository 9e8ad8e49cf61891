"""The same question and two identities, in three languages: another manner, the same facts, and the
language of the question.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from flask.testing import FlaskClient

from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.node import Node

LIFE = {
    "boat.md": "Sold the boat to Halvard on 3 May 2024 for nine thousand crowns.",
    "蔵.md": "2024年6月2日、長谷川さんと蔵の屋根を直した。瓦は二百枚使った。",
    "上海.md": "2024年7月6日，我妹妹小敏搬到了上海，住在黄浦江边。",
}
IDENTITIES = (
    {"name": "Nagi", "manner": "plain", "values": "Frugality.", "languages": ["ja"]},
    {"name": "Nagi", "manner": "warm", "values": "Generosity.", "languages": ["zh", "en"]},
    {"name": "Nagi", "manner": "formal", "style": "Long and polite.", "languages": ["en"]},
)
QUESTIONS: tuple[tuple[str, Language], ...] = (
    ("When did I sell the boat to Halvard?", "en"),
    ("When did 小敏 move to Shanghai?", "en"),
    ("What do you know about 長谷川さん?", "en"),
    ("蔵の屋根を直したのはいつですか。", "ja"),
    ("Halvardに船を売ったのはいつ？", "ja"),
    ("小敏什么时候搬到上海的？", "zh"),
    ("Who is 小敏?", "en"),
    ("谁是小敏？", "zh"),
    ("What did the zeppelin cost?", "en"),
    ("飛行船はいくらでしたか。", "ja"),
    ("飞艇花了多少钱？", "zh"),
)


@pytest.fixture(autouse=True)
def life(node: Node) -> None:
    for name, text in LIFE.items():
        node.library.add_text(text, title=name)
    node.run_jobs()


def answered(
    client: FlaskClient, question: str, identity: Mapping[str, object]
) -> list[tuple[str, str]]:
    parts = client.post(
        "/api/identity/preview", json={"question": question, "identity": identity}
    ).get_json()["parts"]
    return [(part["kind"], part["text"]) for part in parts]


@pytest.mark.parametrize(("question", "language"), QUESTIONS)
def test_who_speaks_changes_no_fact_and_no_language(
    client: FlaskClient, question: str, language: Language
) -> None:
    answers = [answered(client, question, identity) for identity in IDENTITIES]
    facts = [
        [text for kind, text in said if kind in {"quotation", "statement"}] for said in answers
    ]
    assert facts[0] == facts[1] == facts[2]
    own_words = [
        text for said in answers for kind, text in said if kind not in {"quotation", "statement"}
    ]
    assert own_words or facts[0]
    assert {_language(text) for text in own_words} <= {language}


def test_the_manner_is_heard(client: FlaskClient) -> None:
    said = {
        str(answered(client, "What did the zeppelin cost?", identity)) for identity in IDENTITIES
    }
    assert len(said) == len(IDENTITIES)


def _language(text: str) -> Language:
    bare = text.replace("長谷川", "").replace("小敏", "")
    return language_of(bare)
