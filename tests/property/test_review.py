"""Whatever is decided at once and taken back, in whatever order: it is as if each sentence had been
decided about alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ids import FindingId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.memories import MemoryFilter
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.review import Reviewed, ReviewOutcome

MORNING = datetime(2026, 3, 14, 9, tzinfo=UTC)
LETTER = """Dear Mai,

Ottilie moved to Bergen in May 2021 and works at the harbour. My brother Colm lives in Cork since
2019. I gave up the workshop in Kyoto in June 2020.

五月に京都の工房を辞めた。
"""
DIARY = """Halvard married Sunniva in Oslo in August 2018. My sister Edda was born in Turku in 1991.

## Retain
- W @Peter: Peter sails every Sunday
"""
FEW = 6
"""Sentences that are decided about; the rest stay open."""

verdict = st.sampled_from([Verdict.KEEP, Verdict.DISMISS, Verdict.FORGET])
batch = st.lists(
    st.tuples(st.integers(0, FEW - 1), verdict), min_size=1, max_size=FEW, unique_by=lambda i: i[0]
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("decide"), batch),
        st.tuples(st.just("elsewhere"), batch),
        st.tuples(st.just("undo"), st.integers(0, 3)),
    ),
    max_size=5,
)
Step = tuple[str, list[tuple[int, Verdict]] | int]
Batch = list[tuple[FindingId, datetime]]


class Side:
    """A home, in which the same steps are taken in one way or the other."""

    def __init__(self, node: Node, clock: FrozenClock, *, at_once: bool) -> None:
        self.node, self.clock, self.at_once = node, clock, at_once
        for text, title in ((LETTER, "Letter"), (DIARY, "Diary")):
            node.library.add_text(text, title=title)
            clock.advance(timedelta(minutes=1))  # which came last is no chance
        node.run_jobs()
        self.asked = [(each.id, each.text) for each in node.findings.waiting().findings][:FEW]
        self.batches: list[Batch] = []

    def decide(self, chosen: list[tuple[int, Verdict]]) -> None:
        if self.at_once:
            reviewed = [Reviewed(self.asked[i][0], each, self.asked[i][1]) for i, each in chosen]
            settled = self.node.memory.decide_all(reviewed)
            made = [each.decision for each in settled if each.outcome is ReviewOutcome.DECIDED]
        else:
            made = []
            for i, each in chosen:
                if self.asked[i][0] not in self.decided():
                    found = self.node.memory.decide(self.node.memory.judged(self.asked[i][0], each))
                    made.append(found.decision)
        self.batches.append([(each.id, each.at) for each in made if each is not None])

    def elsewhere(self, chosen: list[tuple[int, Verdict]]) -> None:
        """Somebody decides on another page, and overrules what is there."""
        for i, each in chosen:
            self.node.memory.decide(self.node.memory.judged(self.asked[i][0], each))

    def undo(self, back: int) -> None:
        if not self.batches:
            return
        made = self.batches[-1 - back % len(self.batches)]
        if self.at_once:
            self.node.memory.take_back(made)
            return
        for finding, at in made:
            if self.decided().get(finding, (None, None))[1] == at:
                self.node.memory.undecide(finding)

    def decided(self) -> dict[FindingId, tuple[Verdict, datetime]]:
        return {each.id: (each.verdict, each.at) for each in self.node.ports.decisions.all()}

    def take(self, step: Step) -> None:
        self.clock.advance(timedelta(seconds=1))
        what, how = step
        getattr(self, what)(how)

    def state(self) -> object:
        believed, _ = self.node.ports.memories.page(MemoryFilter(), limit=100)
        return (
            sorted((each.quote, each.verdict) for each in self.node.ports.decisions.all()),
            [each.text for each in self.node.findings.waiting().findings],
            sorted((each.statement.text, each.statement.kind.value) for each in believed),
        )

    def clear(self) -> None:
        for finding in self.decided():
            self.node.memory.undecide(finding)
        self.batches = []


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, Side]]:
    opened = []
    for name in ("at-once", "one-by-one"):
        clock = FrozenClock(MORNING)
        node = Node.open(
            tmp_path_factory.mktemp(name),
            clock=clock,
            model=ScriptedModel([(".", "I do not know.")]),
            embedder=HashingEmbedder(),
        )
        opened.append(Side(node, clock, at_once=name == "at-once"))
    yield opened[0], opened[1]
    for side in opened:
        side.node.close()


@settings(max_examples=12)
@given(steps)
@example(
    [
        ("decide", [(0, Verdict.KEEP), (1, Verdict.DISMISS)]),
        ("elsewhere", [(0, Verdict.FORGET)]),
        ("undo", 0),
    ]
)
def test_deciding_at_once_is_deciding_one_by_one(
    sides: tuple[Side, Side], taken: list[Step]
) -> None:
    at_once, one_by_one = sides
    for side in sides:
        side.clear()
    assert [words for _, words in at_once.asked] == [words for _, words in one_by_one.asked]
    assert len(at_once.asked) == FEW
    begun = at_once.state()
    for step in taken:
        for side in sides:
            side.take(step)
        assert at_once.state() == one_by_one.state()
    for side in sides:
        side.clear()
        assert side.state() == begun


@settings(max_examples=8)
@given(batch, batch)
def test_taking_it_back_restores_exactly(
    sides: tuple[Side, Side], first: list[tuple[int, Verdict]], second: list[tuple[int, Verdict]]
) -> None:
    side = sides[0]
    side.clear()
    side.take(("decide", first))
    before, stays = side.state(), side.decided()
    side.take(("decide", second))
    side.take(("undo", 0))
    assert (side.state(), side.decided()) == (before, stays)
