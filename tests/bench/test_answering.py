"""What it costs to answer under a grant: choosing its rows among 10,000 the first time and again,
and what the time of an answer tells of what lies outside.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from random import Random

import pytest

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.node import Node
from lpm_kernel.node.replying import Replying
from protocol.messages import Verb
from protocol.scope import Form, Layer, RowKind, Scope
from tests.asking import asked, given

DOCUMENTS, ROWS = 100, 100
WORDS = [
    "goat",
    "roof",
    "elm",
    "clarinet",
    "glue",
    "walk",
    "canal",
    "letter",
    "harbour",
    "bench",
    "winter",
    "tin",
    "aunt",
    "bread",
    "ladder",
    "stone",
    "river",
    "moss",
    "paint",
    "brush",
]
TIMES = 30
QUESTIONS = {
    "inside": "Where is the ladder with the goat?",
    "outside": "Where does the walrus dance in the crypt?",
}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A tenth of the rows carry the tag that is granted."""
    dice = Random(1)
    with Node.open(
        tmp_path_factory.mktemp("answering"),
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
    ) as opened:
        for number in range(DOCUMENTS):
            lines = (
                f"- W {' '.join(dice.choices(WORDS, k=8))} {dice.randint(0, 10**6)}."
                for _ in range(ROWS)
            )
            text = "## Retain\n\n" + "\n".join(lines) + "\n"
            opened.library.add_bytes(
                f"n{number}.md", text.encode(), tags=["granted" if number % 10 == 0 else "other"]
            )
        opened.run_jobs()
        opened.memory.warm()
        yield opened


def took(work: Callable[[], object], times: int = TIMES) -> tuple[float, float]:
    """Give median and 95th percentile in milliseconds."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(1_000 * (time.perf_counter() - start))
    return statistics.median(spent), sorted(spent)[int(0.95 * (times - 1))]


@pytest.mark.parametrize(
    ("tags", "rows"), [(frozenset({"granted"}), 1_000), (frozenset({"*"}), 10_000)]
)
def test_how_long_a_view_takes(
    node: Node, tags: frozenset[str], rows: int, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = Scope(tags, frozenset(RowKind), frozenset(Layer), None, None, Form.EXCERPT, "a visit")
    parts = node.ports, node.models, node.training, node.memory
    first = took(lambda: Replying(*parts).answerer().inside(scope), 3)[0]
    kept = Replying(*parts)
    assert len(kept.answerer().inside(scope).rows) == rows
    again = took(lambda: kept.answerer().inside(scope))[0]
    with capsys.disabled():
        print(f"\nview of {rows:,} of 10,000 rows: first {first:.0f} ms, again {again:.0f} ms")


def test_what_the_time_of_an_answer_tells(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    """The same questions under the same grant, before and after something is added that lies
    outside it and answers them.
    """
    under = given(
        node,
        Scope(
            frozenset({"granted"}),
            frozenset(RowKind),
            frozenset(Layer),
            None,
            None,
            Form.EXCERPT,
            "a visit",
        ),
    )

    def ask(question: str) -> object:
        return asked(
            node,
            Verb.ASK,
            {"question": question, "purpose": "a visit", "bytes": 20_000, "tokens": 100},
            under,
        ).body

    def measured(when: str) -> None:
        first = took(lambda: ask(QUESTIONS["outside"]), 1)[0]
        told = [
            f"{where} {median:.0f} ms (p95 {slow:.0f})"
            for where, (median, slow) in ((name, times(text)) for name, text in QUESTIONS.items())
        ]
        with capsys.disabled():
            print(f"\n{when}: the first answer {first:.0f} ms, then {', '.join(told)}")

    def times(question: str) -> tuple[float, float]:
        return took(lambda: ask(question))

    measured("before")
    node.library.add_text("The walrus dances in the crypt.", title="Outside", tags=["other"])
    node.run_jobs()
    measured("after")
