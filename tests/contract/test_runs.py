"""The registry of trainings: one contract over every backend."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.stores import Runs
from lpm_kernel.domain.training.runs import (
    Audience,
    Figure,
    Run,
    RunId,
    RunState,
    Scorecard,
    TrainingSource,
    TrainingVerdict,
)
from lpm_kernel.errors import NotFoundError

pytestmark = pytest.mark.contract

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)


@pytest.fixture(params=["sqlite"])
def database(tmp_path: Path) -> Iterator[NodeDatabase]:
    opened = NodeDatabase(tmp_path / "node.db")
    yield opened
    opened.close()


@pytest.fixture
def runs(database: NodeDatabase) -> Runs:
    return database.runs


def _run(name: str, minute: int = 0) -> Run:
    return Run(
        RunId(name),
        0,
        RunState.PREPARED,
        NOW + timedelta(minutes=minute),
        {"rank": 8, "struck": ["a"]},
        "small@1",
        "templates/1",
        left_out={"private": 2},
    )


SOURCES = [
    TrainingSource(MemoryId("m1"), DocumentId("d1"), "5" * 64),
    TrainingSource(MemoryId("m2"), DocumentId("d2"), "6" * 64),
    TrainingSource(MemoryId("m2"), DocumentId("d2"), "7" * 64),  # its text changed since
    TrainingSource(MemoryId("m3"), None),
]


def test_a_training_reads_back_as_it_was_written(runs: Runs) -> None:
    added = runs.add(_run("t_1"), SOURCES)
    assert added.number == 1
    card = Scorecard(
        {"sft": {"fact_retention": Figure(0.9, 0.8, 1.0, 20)}},
        TrainingVerdict(False, ("leak_rate",)),
        "base",
    )
    runs.change(
        added.id,
        state=RunState.READY,
        scorecard=card,
        error=Problem("a", "b", "c"),
        outcome={"steps": 3},
        audience=Audience.OWNER,
    )
    known = runs.get(added.id)
    assert (known.scorecard, known.error, known.outcome, known.audience, known.state) == (
        card,
        Problem("a", "b", "c"),
        {"steps": 3},
        Audience.OWNER,
        RunState.READY,
    )
    assert runs.sources(added.id) == SOURCES
    assert runs.how_many([added.id, RunId("t_none")]) == {added.id: 3, "t_none": 0}
    with pytest.raises(NotFoundError):
        runs.get(RunId("t_9"))
    with pytest.raises(NotFoundError):
        runs.change(RunId("t_9"), state=RunState.READY)


def test_numbers_count_on_and_pages_go_from_new_to_old(runs: Runs) -> None:
    for minute in range(5):
        runs.add(_run(f"t_{minute}", minute), [])
    first, cursor = runs.page(limit=2)
    rest, end = runs.page(limit=5, cursor=cursor)
    assert [run.number for run in (*first, *rest)] == [5, 4, 3, 2, 1]
    assert end is None


def test_lineage_goes_both_ways_and_leaves_out_what_is_gone(runs: Runs) -> None:
    runs.add(_run("t_1"), SOURCES)
    runs.add(_run("t_2", 1), SOURCES[1:])
    assert [run.id for run in runs.knowing(MemoryId("m2"))] == ["t_2", "t_1"]
    assert [run.id for run in runs.knowing(MemoryId("m1"))] == ["t_1"]
    assert {run.id for run in runs.resting_on([DocumentId("d2"), DocumentId("d1")])} == {
        "t_1",
        "t_2",
    }
    runs.change(RunId("t_1"), state=RunState.TAINTED)
    assert {run.id for run in runs.resting_on([DocumentId("d2")])} == {"t_2"}
    runs.relearn(RunId("t_2"), SOURCES[:1])
    assert runs.sources(RunId("t_2")) == SOURCES[:1]
    runs.delete(RunId("t_2"))
    assert runs.knowing(MemoryId("m1")) == [runs.get(RunId("t_1"))]
    with pytest.raises(NotFoundError):
        runs.delete(RunId("t_2"))


def test_the_audit_has_one_line_of_what_was_learned_and_of_each_use(
    runs: Runs, database: NodeDatabase
) -> None:
    run = runs.add(_run("t_1"), SOURCES)
    for hashes in ({"adapter": "a"}, {"adapter": "b"}):  # the second by a job that was killed
        known = runs.learned(run.id, NOW, {"steps": 3}, hashes)
        assert (known.outcome, known.hashes) == ({"steps": 3}, hashes)
    runs.use(run.id, NOW, insisted=True)
    runs.use(None, NOW)
    with pytest.raises(NotFoundError):
        runs.use(RunId("t_9"), NOW)
    assert [(each.kind, json.loads(each.facts)) for each in database.audit.all()] == [
        ("trained", {"training": 1, "memories": 3}),
        ("training-in-use", {"training": 1, "insisted": True}),
        ("training-in-use", {"training": 0, "insisted": False}),
    ]
    assert len(runs.used()) == 2


def test_what_is_in_use_is_what_was_taken_last(runs: Runs) -> None:
    assert runs.in_use().run is None
    for name in ("t_1", "t_2"):
        runs.add(_run(name), [])
    runs.use(RunId("t_1"), NOW)
    runs.use(RunId("t_2"), NOW, insisted=True)
    runs.use(None, NOW)
    assert runs.in_use().run is None
    assert [(use.run, use.insisted) for use in runs.used()] == [
        (None, False),
        ("t_2", True),
        ("t_1", False),
    ]
