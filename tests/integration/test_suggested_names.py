"""What is suggested asks about somebody, about a place or about one thing, and not about a word of
the language.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.node import Node

pytestmark = pytest.mark.integration


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(Home(tmp_path), embedder=HashingEmbedder(), communities="louvain") as here:
        here.ports.conversations.set_identity(Identity("Ada Moe"))
        yield here


def suggested(node: Node, *texts: str) -> list[str]:
    for number, text in enumerate(texts):
        node.library.add_text(text, title=f"Page {number}")
    node.run_jobs()
    return [each.question for each in node.memory.suggestions(12)]


@pytest.mark.parametrize(
    ("texts", "word", "kept"),
    [
        (
            (
                "I waited in the Institute car park until Halvard came with the key of the gate.",
                "The Institute closed early, so Halvard and I walked back along the river wall.",
            ),
            "Institute",
            "Halvard",
        ),
        (
            (
                "I had a letter from Reviewer 2 about the winter figures, and Halvard laughed.",
                "Halvard says Reviewer 2 asked again for the winter figures and the harbour map.",
            ),
            "Reviewer",
            "Halvard",
        ),
        (
            (
                "I wrote to Tove in English about the wool, and she answered within two days.",
                "In English the pattern is called moss stitch, so Tove and I laughed a good deal.",
            ),
            "English",
            "Tove",
        ),
        (
            (
                "Jake swam four lengths at the baths on Monday and wanted chips all the way home.",
                "I drove over because of Jakes swimming, and Jake had left his towel at school.",
            ),
            "Jakes",
            "Jake",
        ),
    ],
)
def test_a_word_that_is_no_name_here_is_not_asked_about(
    node: Node, texts: tuple[str, ...], word: str, kept: str
) -> None:
    asked = suggested(node, *texts)
    assert not any(f"{word}?" in each or f"{word}." in each for each in asked)
    assert any(kept in each for each in asked)


def test_a_word_of_the_language_that_speaks_or_stands_free_is_a_name(node: Node) -> None:
    asked = suggested(
        node,
        "Pop: I left the ladder behind the barn for you.\nAda: I will fetch it tomorrow morning.\n"
        "Pop: Bring the long rope with you as well, please.",
        "We took the night train to Nice and swam before breakfast, and Pop carried the bags.",
        "It rains in Nice as well, so we sat in a cafe below the castle and wrote nine cards.",
    )
    assert any("Pop" in each for each in asked)
    assert any("Nice" in each for each in asked)


def test_japanese_names_are_asked_about_and_common_nouns_are_not(node: Node) -> None:
    asked = suggested(
        node,
        "会長: 今年の会費を五百円上げます。\n西岡: 両手が痛いので、集金は来月で。",
        "両手で鍋を持って、西岡さんの家まで歩いた。メーカーに電話したが、会長は留守だった。",
        "メーカーの人が鍋を見に来て、両手で持ち上げた。西岡さんは会長と縁側で茶を飲んでいた。",
    )
    assert any("西岡さん" in each for each in asked)
    assert not any(word in each for each in asked for word in ("両手", "メーカー", "会長"))
