"""The four doors to the memory: words, somebody's name, a time, an opinion; each leads to what lies
behind it, among a whole life.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.recall_options import RecallOptions
from tests.lives import SAMPLE

STATEMENTS = (
    "O(c=0.9) @Peter: short replies over long ones",
    "O(c=0.6) @Peter: elm over cherry for a bench",
    "O(c=0.8) @凪: 電話より手紙がいい",
    "W @Peter: owns the house in the lane behind the bakery",
    "B I carried the elm bench up to the long room.",
)


@pytest.fixture
def lived(node: Node) -> Node:
    for path in sorted((SAMPLE / "memory").glob("*.md")):
        node.library.add_bytes(path.name, path.read_bytes())
    for line in STATEMENTS:
        node.workspace.retain(line)
    node.run_jobs()
    return node


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who carried the elm bench?", "carried the elm bench up to the long room"),
        ("What does Peter prefer?", "@Peter: "),
        ("What is Peter's opinion of wood for a bench?", "elm over cherry for a bench"),
        ("凪は何が好き?", "電話より手紙がいい"),
    ],
)
def test_words_and_opinions(lived: Node, question: str, expected: str) -> None:
    first = lived.memory.recall(question, k=3).items[0].chunk
    assert expected in first.text


def test_somebody_s_name_gives_what_is_known_of_them(lived: Node) -> None:
    found = lived.memory.recall("Tell me about Peter", k=3).items
    assert {item.chunk.text for item in found} == {
        line[line.index("@") :] for line in STATEMENTS if "@Peter" in line
    }
    narrowed = lived.memory.recall(
        "bench", k=5, options=RecallOptions(entities=["peter"], memory_kinds=["opinion"])
    ).items
    assert narrowed[0].chunk.text == "@Peter: elm over cherry for a bench"
    assert all(item.chunk.kind == "opinion" for item in narrowed)


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("What did I do around 18 November 2025?", "2025-11-14", "2025-11-22"),
        ("What happened in the autumn of 2025?", "2025-09-01", "2025-11-30"),
        ("2025年7月に何をした?", "2025-07-01", "2025-07-31"),
    ],
)
def test_a_time_gives_what_was_said_then(
    lived: Node, question: str, since: str, until: str
) -> None:
    first = lived.memory.recall(question, k=1).items[0].chunk
    assert first.said_at is not None
    assert since <= first.said_at.date().isoformat() <= until


def test_the_last_week_is_the_one_before_the_clock_s_day(lived: Node) -> None:
    now = next(
        item.chunk.said_at
        for item in lived.memory.recall(
            "workshop", k=1, options=RecallOptions(since="2025-11-10", until="2025-11-20")
        ).items
    )
    assert now is not None
    found = lived.memory.recall("What did I do yesterday and today?", k=1, now=now).items[0].chunk
    assert found.said_at is not None
    assert abs((found.said_at - now).days) <= 1


def test_a_browser_that_asks_for_a_favicon_by_itself_gets_the_icon(
    node: Node, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text("<title>Second Me</title>")
    (tmp_path / "icon-192.png").write_bytes(b"an icon")
    with create_app(node, tmp_path).test_client().get("/favicon.ico") as answer:
        assert (answer.status_code, answer.mimetype, answer.data) == (200, "image/png", b"an icon")
