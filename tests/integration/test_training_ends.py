"""What becomes of a training whose job ends otherwise than by learning, and what clients can do
about it then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.train.scripted import ScriptedTrainer
from lpm_kernel.domain.home.jobs import Job, JobState
from lpm_kernel.domain.training.growth import WEEK, MachineState
from lpm_kernel.domain.training.runs import Audience, Learned, Run, RunState
from lpm_kernel.errors import ConflictError
from lpm_kernel.node import Node
from tests.integration.test_growth import SUNDAY, THURSDAY, by_hand, grow, tell, until
from tests.integration.test_training import NOTE, SECRET, Weighed

pytestmark = pytest.mark.integration

SMALL = {"steps": 4, "questions": 4, "exam_questions": 6}


class Meanwhile(ScriptedTrainer):
    """Has something happen once while it learns or measures, and then goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.learning: Callable[[], object] = lambda: None
        self.needs = 100_000_000

    def measure(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Need as much memory as was said."""
        return {**super().measure(run, said), "peak_bytes": self.needs}

    def learn(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn, once it has happened."""
        happens, self.learning = self.learning, lambda: None
        happens()
        return super().learn(run, said)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(THURSDAY)


@pytest.fixture
def trainer() -> Meanwhile:
    return Meanwhile()


@pytest.fixture
def node(tmp_path: Path, clock: FrozenClock, trainer: Meanwhile) -> Iterator[Node]:
    model = Weighed([("capital of Spain", "Madrid.")])
    with Node.open(tmp_path / "home", model=model, clock=clock, trainer="scripted") as opened:
        opened.training.__dict__["trainer"] = trainer
        opened.training.machine = lambda: MachineState(idle=True, on_power=True)
        opened.ports.change_settings(grow="weekly")
        opened.library.add_text(NOTE, title="Notes")
        opened.run_jobs()
        yield opened


def queued(node: Node, **given: object) -> tuple[Run, Job]:
    run = node.training.prepare_training({**SMALL, **given})
    return run, node.training.queue_training(run.id)


def seen(client: FlaskClient, run: Run) -> Any:  # noqa: ANN401 - JSON
    return client.get(f"/api/training/runs/{run.id}").get_json()


def test_a_job_that_is_cancelled_before_or_while_it_learns_leaves_a_training_that_goes_on(
    node: Node, client: FlaskClient, trainer: Meanwhile
) -> None:
    run, job = queued(node)
    client.post(f"/api/jobs/{job.id}/cancel")  # it waits still
    assert (seen(client, run)["state"], seen(client, run)["job"]) == ("stopped", None)
    job = node.training.queue_training(run.id)
    trainer.learning = lambda: client.post(f"/api/jobs/{job.id}/cancel")
    node.run_jobs()
    assert seen(client, run)["state"] == "stopped"
    assert client.post(f"/api/training/runs/{run.id}/resume").status_code == 202
    node.run_jobs()
    assert seen(client, run)["state"] == "ready"


def test_a_failure_that_nobody_foresaw_is_said_at_the_training(
    node: Node, client: FlaskClient, trainer: Meanwhile
) -> None:
    def breaks() -> None:
        raise OSError("the disk")

    run, job = queued(node)
    trainer.learning = breaks
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.FAILED
    found = seen(client, run)
    assert (found["state"], found["error"]["title"]) == (
        "stopped",
        "Something went wrong inside the node",
    )
    assert client.delete(f"/api/training/runs/{run.id}").status_code == 204


def test_what_learns_is_not_measured_meanwhile(
    node: Node, client: FlaskClient, trainer: Meanwhile
) -> None:
    def measures() -> None:
        answer = client.post(f"/api/training/runs/{run.id}/measure")
        said.append((answer.status_code, answer.get_json()["detail"]))

    said: list[tuple[int, str]] = []
    run, _ = queued(node)
    trainer.learning = measures
    node.run_jobs()
    assert said == [(409, "This training is learning.")]
    assert seen(client, run)["state"] == "ready"


def test_what_could_not_be_measured_can_still_be_changed_and_measured_again(
    node: Node, client: FlaskClient, trainer: Meanwhile
) -> None:
    trainer.needs = 10**15
    run = node.training.prepare_training({**SMALL, "micro_batch_size": 4})
    node.training.queue_training(run.id, until="measured")
    node.run_jobs()
    found = seen(client, run)
    assert (found["state"], "memory" in found["error"]["title"]) == ("prepared", True)
    row = client.get(f"/api/training/runs/{run.id}/rows?limit=1").get_json()["items"][0]["id"]
    struck = client.patch(f"/api/training/runs/{run.id}/rows", json={"strike": [row]})
    assert struck.status_code == 200
    trainer.needs = 100
    client.post(f"/api/training/runs/{run.id}/measure")
    assert seen(client, run)["error"] is None
    node.run_jobs()
    assert seen(client, run)["estimate"]["peak_bytes"] == 100


def test_a_week_shows_its_job_and_can_be_stopped_and_continued(
    node: Node, client: FlaskClient, clock: FrozenClock, trainer: Meanwhile
) -> None:
    def stops() -> None:
        [run] = [each for each in node.ports.runs.page(limit=9)[0] if each.settings.get("grown")]
        shown.append(seen(client, run))
        client.post(f"/api/training/runs/{run.id}/cancel")
        weeks.append(run)

    shown: list[Any] = []
    weeks: list[Run] = []
    by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY)
    job = node.training.look_for_growth()
    assert job is not None
    trainer.learning = stops
    node.run_jobs()
    [found], [run] = shown, weeks
    assert (found["state"], found["job"]["id"], found["job"]["kind"]) == ("working", job.id, "grow")
    assert node.ports.jobs.get(job.id).state is JobState.CANCELLED
    assert seen(client, run)["state"] == "stopped"
    client.post(f"/api/jobs/{job.id}/retry")
    node.run_jobs()
    assert node.ports.runs.in_use().run == run.id
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED
    until(clock, SUNDAY + WEEK)
    tell(node, "drum")
    assert grow(node)[1] is not None


def test_a_training_that_is_learned_again_keeps_what_is_private(
    node: Node, client: FlaskClient
) -> None:
    node.library.add_text(SECRET, title="Private", private=True)
    node.run_jobs()
    first = node.training.prepare_training(SMALL, private=True)
    again = client.post("/api/training/runs", json={"again": first.id, "start": False})
    assert again.get_json()["run"]["audience"] == Audience.OWNER
    node.run_jobs()
    open_one = {"again": first.id, "private": False, "start": False}
    found = client.post("/api/training/runs", json=open_one).get_json()["run"]
    assert (found["audience"], found["left_out"]["private"]) == (Audience.ANYBODY, 1)


def test_the_base_and_a_time_since_are_taken_as_they_are_promised(
    node: Node, client: FlaskClient, clock: FrozenClock
) -> None:
    base = client.get("/api/training").get_json()["base"]
    since = (clock.now() - timedelta(days=2, hours=1)).isoformat()
    asked = {"base": base, "since": since, "start": False}
    made = client.post("/api/training/runs", json=asked)
    assert made.get_json()["run"]["settings"]["recent_days"] == 3
    other = client.post("/api/training/runs", json={"base": "another"})
    assert (other.status_code, "model in use" in other.get_json()["detail"]) == (409, True)
    both = client.post("/api/training/runs", json={"since": since, "recent_days": 3})
    later = (clock.now() + timedelta(days=1)).isoformat()
    future = client.post("/api/training/runs", json={"since": later})
    assert (both.status_code, future.status_code) == (422, 422)
    assert len(node.ports.runs.page(limit=9)[0]) == 1


def test_what_fades_or_was_put_away_is_told_apart_from_what_reads_otherwise(node: Node) -> None:
    run, _ = queued(node)
    node.run_jobs()
    learned = node.training.learned_from(run)
    assert all(each.now is not None and not each.outdated for each in learned)
    node.memory.__dict__["fading"] = lambda beliefs: {each.memory for each in beliefs}
    assert node.training.learned_from(run) == learned
    with pytest.raises(ConflictError):
        node.training.queue_training(run.id)
    assert node.ports.runs.get(run.id).state is RunState.READY
