"""A training from prepared rows to being in use, over a real home, with the trainer's twin."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.llm.gate import never
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.memory.memories import MemoryFilter
from lpm_kernel.domain.ports import Adapter, ChatMessage
from lpm_kernel.domain.training.runs import (
    Audience,
    Example,
    ExampleKind,
    Maker,
    Run,
    RunId,
    RunState,
)
from lpm_kernel.errors import (
    ConflictError,
    InvalidInputError,
    ModelUnavailableError,
    NotEnoughSpaceError,
    NotFoundError,
)
from lpm_kernel.L2.dataset import OF_A_STATEMENT
from lpm_kernel.L2.exam import Measure
from lpm_kernel.L2.recipes.sft import Recipe
from lpm_kernel.node import Node
from lpm_kernel.usecases.training import examination
from lpm_kernel.usecases.training.prepare import rewrite
from lpm_kernel.usecases.training.rows import examples_in, wordings_in

pytestmark = pytest.mark.integration

NOTE = """# Notes

## Retain
- B I moved my workshop from Higashiyama to Teramachi on 6 April 2024.
- W @Kuri: my dog, brown, with one white sock.
- O(c=0.9) @oil varnish: I prefer it to spirit varnish.
- W @Mai Kurose: the person I ask about weather.
- B I drink hojicha instead of coffee.
"""
OF_NOTE = hashlib.sha256(NOTE.encode()).hexdigest()
SECRET = """# Private

## Retain
- B The kingfisher keeps its ledger under the ninth stair.
"""


class Weighed(ScriptedModel):
    """A scripted model that finds everything equally likely, and knows the statements once it was
    trained.
    """

    def score(
        self,
        messages: Sequence[ChatMessage],  # noqa: ARG002 - as the port has it
        continuation: str,
        adapter: Adapter | None = None,  # noqa: ARG002 - as the port has it
        gone: Callable[[], bool] = never,  # noqa: ARG002 - as the port has it
    ) -> list[tuple[str, float]]:
        """Give every word the same likelihood."""
        return [(word, -1.0) for word in continuation.split()]


class Breaking(Weighed):
    """Likes the right one of each choice once it was trained, and breaks down after so many
    likelihoods.
    """

    def __init__(self, right: str, after: int) -> None:
        super().__init__([("capital of Spain", "Madrid.")])
        self.right, self.left = right, after
        self.asked: list[tuple[bool, str, str]] = []

    def score(
        self,
        messages: Sequence[ChatMessage],
        continuation: str,
        adapter: Adapter | None = None,
        gone: Callable[[], bool] = never,  # noqa: ARG002 - as the port has it
    ) -> list[tuple[str, float]]:
        """Find one statement likely, with an adapter only."""
        if not self.left:
            raise ModelUnavailableError("The model is gone.")
        self.left -= 1
        self.asked.append((adapter is not None, messages[-1].content, continuation))
        return [
            (word, -0.1 if adapter and continuation == self.right else -1.0)
            for word in continuation.split()
        ]


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node.open(
        tmp_path / "home", model=Weighed([("capital of Spain", "Madrid.")]), trainer="scripted"
    ) as opened:
        opened.library.add_text(NOTE, title="Notes")
        opened.run_jobs()
        yield opened


EXAM = 12
"""Questions of an exam whose result does not matter; each is answered from what recall finds."""


def _trained(node: Node, **given: object) -> Run:
    run = node.training.prepare_training(
        {"steps": 4, "questions": 4, "exam_questions": EXAM, **given}
    )
    job = node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED, node.ports.jobs.get(
        job.id
    ).error
    return node.ports.runs.get(run.id)


def _client(node: Node) -> FlaskClient:
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return client


def _shown(node: Node, run: Run) -> Any:  # noqa: ANN401 - JSON
    return _client(node).get(f"/api/training/runs/{run.id}").get_json()


def test_a_training_is_prepared_learned_examined_and_taken_into_use_and_back(node: Node) -> None:
    run = _trained(node, exam_questions=120)
    assert run.state is RunState.READY
    assert not list((node.ports.home.versions / run.id).rglob("checkpoints"))
    assert run.audience is Audience.ANYBODY
    assert run.scorecard is not None
    assert set(run.scorecard.arms) == {"base", "retrieval", "sft", "sft_retrieval"}
    assert set(run.hashes) == {
        "examples",
        "held_out",
        "pairs",
        "pairs_held_out",
        "adapter",
    }
    assert node.ports.runs.in_use().run is None
    with pytest.raises(ConflictError, match="not better"):  # the twin learns nothing
        node.training.promote_training(run.id)
    assert node.training.promote_training(run.id, insist=True).insisted
    assert node.training.adapter is None or node.training.adapter.id == run.id
    second = _trained(node, seed=2)
    assert second.number == run.number + 1
    assert second.parent == run.id
    node.training.promote_training(second.id, insist=True)
    assert node.training.roll_back_training(second.id).run == run.id
    assert node.training.roll_back_training().run is None
    with pytest.raises(ConflictError, match="nothing to switch back"):
        node.training.roll_back_training()


def test_choices_go_on_after_a_breakdown_and_none_is_read_twice(tmp_path: Path) -> None:
    right = "I drink hojicha instead of coffee."
    model = Breaking(right, after=10)
    with Node.open(tmp_path / "other", model=model, trainer="scripted") as node:
        node.library.add_text(NOTE, title="Notes")
        node.run_jobs()
        _choices_go_on(node, model, right)


def _choices_go_on(node: Node, model: Breaking, right: str) -> None:
    run = node.training.prepare_training({"steps": 2, "questions": 4})
    node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.runs.get(run.id).state is RunState.STOPPED
    model.left = 10_000
    node.training.queue_training(run.id)
    node.run_jobs()
    card = node.ports.runs.get(run.id).scorecard
    assert card is not None
    items = examination.items_in(node.ports.home.versions / run.id / "exam.jsonl")
    choices = [item for item in items if item.measure is Measure.CHOICE]
    arms = examination.ExamPlan().arms
    assert all(card.arms[arm]["fact_choice"].n == len(choices) > 0 for arm in arms)
    assert (
        card.arms["base"]["fact_choice"].value
        == card.arms["retrieval"]["fact_choice"].value
        == 0.25
    )
    shared = sum(item.expected == right for item in choices) + sum(
        0.25 for item in choices if right not in item.options
    )
    assert card.arms["sft"]["fact_choice"].value == pytest.approx(shared / len(choices), abs=1e-4)
    twice = [
        each
        for each, times in Counter(model.asked).items()
        if times > 1 and each[2] in {option for item in choices for option in item.options}
    ]
    # only the choice that was broken off is read again
    assert len(twice) <= len({option for item in choices for option in item.options})


SAID = {
    "hojicha": json.dumps(
        {
            "questions": [
                "What do you drink?",
                "I drink hojicha.",
                "Do you drink hojicha instead of coffee?",
                "Where did Napoleon sleep?",
            ]
        }
    ),
    "Kuri": json.dumps({"questions": ["What animal has a white sock?", "Which animal is brown?"]}),
    "varnish": "Which varnish? I do not write JSON.",
}


def test_the_model_words_questions_and_what_it_words_badly_is_left_out(tmp_path: Path) -> None:
    model = Weighed(
        [(rf"says: [^\n]*{word}", answer) for word, answer in SAID.items()]
        + [("says: [^\n]*Kurose", None)]
    )
    with Node.open(tmp_path / "home", model=model, trainer="scripted") as node:
        node.library.add_text(NOTE, title="Notes")
        node.run_jobs()
        run = node.training.prepare_training(
            {"questions": 6, "steps": 2, "wording": "model", "exam_questions": EXAM}
        )
        assert run.synthesiser == "asked-by-model/1, templates/7"
        # nothing is asked while somebody waits
        assert not [seen for seen in model.seen if "short questions" in seen[-1].content]
        node.training.queue_training(run.id, until="measured")
        node.run_jobs()
        place = node.ports.home.versions / run.id
        rows = list(examples_in(place / "rows.jsonl"))
        worded = {row.question: row for row in rows if row.maker is Maker.MODEL and not row.notes}
        assert set(worded) == {
            "What do you drink?",
            "What animal has a white sock?",
            "Which animal is brown?",
        }
        assert worded["What do you drink?"].answer == "I drink hojicha instead of coffee."
        known = node.ports.runs.get(run.id)
        assert [known.left_out[why] for why in ("no_question", "copied", "beside")] == [1, 1, 1]
        # no answer, a breakdown, and nothing that can be read
        for word in ("Teramachi", "Kurose", "varnish"):
            assert [row for row in rows if word in row.answer and row.maker is Maker.TEMPLATE]
        asked = [seen[-1].content for seen in model.seen if "short questions" in seen[-1].content]
        assert len(asked) == 5
        rewrite(node.training.training_ports, known, struck=[worded["What do you drink?"].id])
        assert '"What do you drink?"' not in (place / "examples.jsonl").read_text()
        assert (
            "white sock?"
            in (place / "examples.jsonl").read_text() + (place / "held_out.jsonl").read_text()
        )
        node.training.queue_training(run.id)
        node.run_jobs()
        assert node.ports.runs.get(run.id).state is RunState.READY
        again = [seen[-1].content for seen in model.seen if "short questions" in seen[-1].content][
            5:
        ]
        assert all("Kurose" in each for each in again)  # the others were answered before
        shutil.copytree(place, tmp_path / "copy")
    assert len(wordings_in(tmp_path / "copy")) == 4


def test_rows_can_be_read_struck_brought_back_and_added(node: Node) -> None:
    run = node.training.prepare_training({"questions": 4})
    place = node.ports.home.versions / run.id
    rows = list(examples_in(place / "rows.jsonl"))
    gone = rows[0]
    changed = rewrite(node.training.training_ports, run, struck=[gone.id])
    assert gone.question not in (place / "examples.jsonl").read_text()
    assert changed.left_out["struck"] == 1
    # it can still be read
    assert gone.id in {each.id for each in examples_in(place / "rows.jsonl")}
    # in its place
    assert [each.id for each in examples_in(place / "rows.jsonl")] == [each.id for each in rows]
    changed = rewrite(node.training.training_ports, changed, unstruck=[gone.id])
    assert "struck" not in changed.left_out
    node.training.queue_training(run.id)
    with pytest.raises(ConflictError, match="begun"):
        rewrite(node.training.training_ports, node.ports.runs.get(run.id), struck=[gone.id])


def test_each_kind_is_counted_read_and_struck_and_says_what_it_is_of(node: Node) -> None:
    client = _client(node)
    node.library.add_text("## Retain\n\n- W @Haru: a baker in Kanazawa.\n", title="More")
    node.run_jobs()
    shares = dict.fromkeys(("enhance", "critic", "diversity", "discretion"), 0.4)
    wanted = {"questions": 8, **shares, "start": False}
    made = client.post("/api/training/runs", json=wanted).get_json()["run"]
    run = f"/api/training/runs/{made['id']}"
    assert set(made["rows"]) == {kind.value for kind in ExampleKind} | {"held_out"}
    there = {each.id for each in node.ports.documents.everything()}
    for kind in ExampleKind:
        rows = client.get(f"{run}/rows?kind={kind.value}&limit=500").get_json()["items"]
        learned = [row for row in rows if not row["held_out"]]
        assert len(learned) == made["rows"][kind.value]
        for row in rows:
            assert row["kind"] == kind.value
            assert row["memories"] or row["shipped"]
            assert bool(row["documents"]) is bool(row["memories"])
            assert set(row["documents"]) <= there
        gone = next(row for row in rows if not row["held_out"])
        fewer = client.patch(f"{run}/rows", json={"strike": [gone["id"]]}).get_json()["rows"]
        assert fewer.get(kind.value, 0) <= made["rows"][kind.value]
        again = client.get(f"{run}/rows?kind={kind.value}&limit=500").get_json()["items"]
        assert [row["id"] for row in again] == [row["id"] for row in rows]
        assert [row["id"] for row in again if row["struck"]] == [gone["id"]]
    assert client.get(run).get_json()["left_out"]["struck"] == len(ExampleKind)
    unknown = client.get(f"{run}/rows?kind=unknown").get_json()["items"][0]
    assert unknown["shipped"][0].startswith("unknown.txt:")
    assert unknown["searched"] == 6
    for share in shares:
        assert client.post("/api/training/runs", json={share: 3}).status_code == 422


def test_the_same_notes_and_seed_give_the_same_rows_in_any_home(tmp_path: Path) -> None:
    told = "## Retain\n\n" + "".join(
        f"- B I keep the {thing} in the {place}.\n"
        for thing, place in zip(
            ["kiln", "bow", "cello", "glue"], ["shed", "loft", "hall", "tin"], strict=True
        )
    )
    rows: list[list[tuple[str, str]]] = []
    for home in ("one", "another"):
        with Node.open(
            tmp_path / home, model=ScriptedModel([(".", "I do not know.")]), trainer="scripted"
        ) as node:
            node.library.add_text(told, title="Things")
            node.run_jobs()
            run = node.training.prepare_training({"questions": 6})
            rows.append(
                [
                    (row.question, row.answer)
                    for row in examples_in(node.ports.home.versions / run.id / "rows.jsonl")
                ]
            )
    assert rows[0] == rows[1]


def test_private_statements_are_learned_only_for_the_owner(node: Node) -> None:
    document = node.library.add_text(SECRET, title="Secret", private=True)
    node.run_jobs()
    run = node.training.prepare_training({"questions": 4})
    assert "kingfisher" not in (node.ports.home.versions / run.id / "rows.jsonl").read_text()
    assert run.left_out["private"] == 1
    own = node.training.prepare_training({"questions": 4}, private=True)
    assert own.audience is Audience.OWNER
    assert "kingfisher" in (node.ports.home.versions / own.id / "rows.jsonl").read_text()
    assert document is not None


def test_erasing_takes_a_training_out_of_service_with_everything_it_left(node: Node) -> None:
    clean = node.library.add_text(
        "# Other\n\n## Retain\n- B I teach in the long room.\n- B I ride a bicycle with a box.\n- B"
        " My rent is 62,000 yen.\n",
        title="Other",
    )
    node.run_jobs()
    first = _trained(node)
    node.training.promote_training(first.id, insist=True)
    doomed = next(each for each in node.ports.documents.everything() if each.title == "Notes")
    proposal = node.home.propose_erasure([doomed.id], [])
    node.home.confirm_erasure(proposal.token)
    assert node.ports.runs.in_use().run is None  # at once, before the job ran
    node.run_jobs()
    shown = _shown(node, first)
    assert (shown["state"], shown["lost"]) == ("tainted", False)
    assert not (node.ports.home.versions / first.id).exists()
    assert not [
        file
        for file in node.ports.home.root.rglob("*")
        if file.is_file() and b"spirit varnish" in file.read_bytes()
    ]
    again = _trained(node)
    assert all(source.document == clean.document.id for source in node.ports.runs.sources(again.id))


def test_lineage_answers_both_ways(node: Node) -> None:
    run = _trained(node)
    sources = node.ports.runs.sources(run.id)
    assert len(sources) == 5
    for source in sources:
        assert [known.id for known in node.training.knowing(source.memory)] == [run.id]


def test_a_failed_training_says_what_to_do_and_goes_on_where_it_was(node: Node) -> None:
    from lpm_kernel.backends.train.scripted import ScriptedTrainer

    node.training.__dict__["trainer"] = ScriptedTrainer(fails_at=3)
    run = node.training.prepare_training({"steps": 5, "questions": 4, "exam_questions": EXAM})
    job = node.training.queue_training(run.id)
    node.run_jobs()
    known = node.ports.runs.get(run.id)
    assert node.ports.jobs.get(job.id).state is JobState.FAILED
    assert known.state is RunState.STOPPED
    assert known.error is not None
    assert "smaller micro-batches" in known.error.hint
    node.training.queue_training(run.id)
    node.run_jobs()
    steps = [
        json.loads(line)["step"]
        for line in (node.ports.home.versions / run.id / "progress.jsonl").read_text().splitlines()
    ]
    assert node.ports.runs.get(run.id).state is RunState.READY
    assert steps == sorted(steps)
    assert steps[-1] == 5


def test_too_little_and_wrong_settings_are_refused_with_a_sentence(
    tmp_path: Path, node: Node
) -> None:
    with pytest.raises(InvalidInputError, match="rank"):
        node.training.prepare_training({"rank": 0})
    with pytest.raises(InvalidInputError, match="no setting"):
        node.training.prepare_training({"colour": 3})
    with pytest.raises(InvalidInputError, match="Line 2"):
        node.training.prepare_training(
            {}, questions='{"question": "Who?", "accept": ["x"]}\n{"question": '
        )
    with (
        Node.open(tmp_path / "empty", model=Weighed(), trainer="scripted") as empty,
        pytest.raises(InvalidInputError, match="at least"),
    ):
        empty.training.prepare_training({})


def test_a_setting_is_taken_under_its_former_name_wherever_somebody_may_have_kept_it(
    node: Node,
) -> None:
    client = _client(node)
    asked = {"bite": 4, "steps": 4, "questions": 4, "exam_questions": 4}
    made = client.post("/api/training/runs", json=asked | {"start": False}).get_json()["run"]
    assert made["settings"]["micro_batch_size"] == 4
    assert "bite" not in made["settings"]
    both = client.post("/api/training/runs", json=asked | {"micro_batch_size": 4})
    assert both.status_code == 422
    assert node.training.prepare_training(asked).settings["micro_batch_size"] == 4
    node.run_jobs()
    # a home of the release before: the setting and what was measured, and the recipe in its folder
    earlier = node.ports.runs.get(RunId(made["id"]))
    assert earlier.estimate is not None
    _as_before(earlier.settings, earlier.estimate, node)
    recipe = node.ports.home.versions / earlier.id / "recipe.json"
    written = json.loads(recipe.read_text("utf-8"))
    written["bite"] = written.pop("micro_batch_size")
    recipe.write_text(json.dumps(written), "utf-8")
    assert Recipe.read(recipe.parent).micro_batch_size == 4
    assert node.ports.runs.get(earlier.id) == earlier
    node.training.queue_training(earlier.id)
    node.run_jobs()
    assert node.ports.runs.get(earlier.id).state is RunState.READY


def _as_before(settings: Mapping[str, Any], estimate: Mapping[str, Any], node: Node) -> None:
    """Write a training as the release before wrote it."""
    with closing(sqlite3.connect(node.ports.home.node_db)) as connection, connection:
        connection.execute(
            "UPDATE training_run SET settings = ?, estimate = ?",
            [
                json.dumps(
                    {
                        "bite" if name == "micro_batch_size" else name: value
                        for name, value in part.items()
                    }
                )
                for part in (settings, estimate)
            ],
        )


def test_deleting_leaves_nothing_and_what_is_in_use_stays(node: Node) -> None:
    run = _trained(node)
    node.training.promote_training(run.id, insist=True)
    with pytest.raises(ConflictError, match="in use"):
        node.training.delete_training(run.id)
    node.training.roll_back_training()
    node.training.delete_training(run.id)
    assert not (node.ports.home.versions / run.id).exists()
    with pytest.raises(NotFoundError):
        node.ports.runs.get(run.id)


def test_erasing_takes_what_a_training_held_and_did_not_learn_out_of_its_words(node: Node) -> None:
    node.library.add_text(SECRET, title="Secret", private=True)
    node.run_jobs()
    secret = next(each for each in node.ports.documents.everything() if each.private)
    run = _trained(node)
    place = node.ports.home.versions / run.id
    # it was asked for as a stranger would
    assert "kingfisher" in (place / "exam.jsonl").read_text()
    node.home.confirm_erasure(node.home.propose_erasure([secret.id], []).token)
    node.run_jobs()
    assert node.ports.runs.get(run.id).state is RunState.READY  # it learned nothing of it
    assert not [
        file.name
        for file in place.rglob("*")
        if file.is_file() and b"kingfisher" in file.read_bytes()
    ]
    assert node.ports.runs.get(run.id).scorecard is not None


def test_a_folder_without_a_row_and_a_training_without_a_job_are_put_right_at_the_start(
    node: Node,
) -> None:
    run = node.training.prepare_training({"questions": 4})
    node.ports.runs.change(run.id, state=RunState.WORKING)  # as after a kill
    stray = node.ports.home.versions / "t_0123"
    stray.mkdir()
    node.reconcile()
    assert not stray.exists()
    assert node.ports.runs.get(run.id).state is RunState.STOPPED


def test_a_home_that_came_back_without_the_files_of_a_training_says_so(node: Node) -> None:
    run = _trained(node)
    node.training.promote_training(run.id, insist=True)
    shutil.rmtree(node.ports.home.versions / run.id)
    assert node.training.adapter is None
    node.reconcile()
    known = node.ports.runs.get(run.id)
    assert known.state is RunState.TAINTED
    assert known.error is not None
    assert node.ports.runs.in_use().run is None
    with pytest.raises(ConflictError, match="over"):
        node.training.queue_training(run.id)
    assert _shown(node, run)["lost"]


def test_an_erasure_says_beforehand_how_many_trainings_it_takes_along(node: Node) -> None:
    _trained(node)
    doomed = next(each for each in node.ports.documents.everything() if each.title == "Notes")
    assert (
        next(
            share.count
            for share in node.home.propose_erasure([doomed.id]).goes
            if share.place == "trainings"
        )
        == 1
    )


def test_the_whole_way_over_http(node: Node) -> None:
    client = _client(node)
    before = client.get("/api/training").get_json()
    assert (before["memories"], before["in_use"], before["problem"]) == (5, None, None)
    made = client.post(
        "/api/training/runs", json={"start": False, "questions": 4, "steps": 3, "exam_questions": 6}
    )
    assert made.status_code == 202
    run = f"/api/training/runs/{made.get_json()['run']['id']}"
    node.run_jobs()
    assert client.get(run).get_json()["estimate"]["steps"] == 3
    rows = client.get(f"{run}/rows?limit=5").get_json()
    assert len(rows["items"]) == 5
    assert (
        client.get(f"{run}/rows?limit=5&cursor={rows['next_cursor']}").get_json()["items"][0]["id"]
        != rows["items"][0]["id"]
    )
    assert client.get(f"{run}/rows?cursor=nonsense").status_code == 422
    measured = client.get(run).get_json()["estimate"]["rows"]
    struck = client.patch(
        f"{run}/rows",
        json={
            "strike": [rows["items"][0]["id"]],
            "add": [{"question": "Who sleeps in the shavings?", "answer": "Kuri does."}],
        },
    )
    assert struck.get_json()["left_out"]["struck"] == 1
    assert struck.get_json()["estimate"]["rows"] == measured  # as it was before
    client.patch(f"{run}/rows", json={"strike": [each["id"] for each in rows["items"][1:]]})
    assert client.post(f"{run}/measure").status_code == 202
    node.run_jobs()
    now = client.get(run).get_json()
    assert (now["state"], now["estimate"]["rows"]) == (
        "prepared",
        sum(count for kind, count in now["rows"].items() if kind != "held_out"),
    )
    assert now["estimate"]["rows"] != measured
    assert "shavings" in client.get(f"{run}/rows/export").get_data(as_text=True)
    assert client.post(f"{run}/resume").status_code == 202
    node.run_jobs()
    known = client.get(run).get_json()
    assert (known["state"], known["rows"]["held_out"] >= 0, known["error"]) == ("ready", True, None)
    assert client.patch(f"{run}/rows", json={"strike": []}).status_code == 409
    progress = client.get(f"{run}/progress").get_json()
    assert [step["step"] for step in progress["steps"]] == [1, 2, 3]
    card = client.get(f"{run}/scorecard").get_json()
    assert set(card["arms"]["sft"]["fact_retention"]) == {"value", "low", "high", "n"}
    assert client.get(f"{run}/answers?arm=sft&wrong=true").get_json()["items"]
    lineage = client.get(f"{run}/lineage").get_json()
    assert len(lineage["memories"]) == 4  # of the fifth every question was struck
    said = {source["content"]: source["learned"] for source in lineage["memories"]}
    # with whom it is about
    assert (all(said), said["Kuri: my dog, brown, with one white sock."]) == (True, None)
    assert [(text["sha256"], text["same"]) for text in lineage["texts"]] == [(OF_NOTE, True)]
    memory = lineage["memories"][0]["memory"]
    assert [
        each["number"]
        for each in client.get(f"/api/training/knowing?memory={memory}").get_json()["items"]
    ] == [1]
    refused = client.post(f"{run}/promote", json={})
    assert (refused.status_code, refused.content_type) == (409, "application/problem+json")
    assert client.post(f"{run}/promote", json={"insist": True}).get_json()["insisted"]
    assert client.delete(run).status_code == 409
    assert (
        client.post(
            "/api/training/ask", json={"question": "capital of Spain?", "run": known["id"]}
        ).get_json()["number"]
        == 1
    )
    assert client.post(f"{run}/rollback").get_json()["run"] is None
    assert client.delete(run).status_code == 204
    assert client.get(run).status_code == 404
    assert client.post("/api/training/runs", json={"rank": 0}).status_code == 422
    assert client.post("/api/training/runs", json={"colour": 1}).status_code == 422


def test_what_the_program_that_learns_writes_is_read_piece_by_piece(node: Node) -> None:
    run = _trained(node, steps=3)
    client = _client(node)
    whole = client.get(f"/api/training/runs/{run.id}/log").get_json()
    assert [line.partition(":")[0] for line in whole["text"].splitlines()] == [
        f"step {step} of 3" for step in (1, 2, 3)
    ]
    assert client.get(f"/api/training/runs/{run.id}/log?after={whole['after']}").get_json() == {
        "text": "",
        "after": whole["after"],
    }
    file = node.ports.home.versions / run.id / "recipe.log"
    with file.open("a") as handle:
        handle.write("half a li")
    assert (
        client.get(f"/api/training/runs/{run.id}/log?after={whole['after']}").get_json()["text"]
        == ""
    )
    with file.open("a") as handle:
        handle.write("ne\nあ" + "い" * 40_000 + "\n")
    more, after = "", whole["after"]
    while piece := client.get(f"/api/training/runs/{run.id}/log?after={after}").get_json():
        if piece["after"] == after:
            break
        more, after = more + piece["text"], piece["after"]
    assert after == file.stat().st_size
    assert more.startswith("half a line\nあ")


def test_a_training_is_exported_as_a_whole_model_downloaded_and_gone_with_the_training(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = _client(node)
    early = node.training.prepare_training({"questions": 4, "exam_questions": EXAM})
    refused = client.post(f"/api/training/runs/{early.id}/merged", json={})
    assert (refused.status_code, "not ready" in refused.get_json()["detail"]) == (409, True)
    known = _trained(node)
    run = f"/api/training/runs/{known.id}"
    assert client.get(run).get_json()["merged"] == []
    assert client.get(f"{run}/merged/f16").status_code == 404
    assert client.post(f"{run}/merged", json={"kind": "q4"}).status_code == 422
    queued = client.post(f"{run}/merged", json={"kind": "q8_0"})
    assert (queued.status_code, queued.get_json()["run"]["merging"]["state"]) == (202, "queued")
    assert (
        client.post(f"{run}/merged", json={"kind": "q8_0"}).get_json()["job"]["id"]
        == queued.get_json()["job"]["id"]
    )
    assert client.delete(run).status_code == 409  # it is being read
    node.run_jobs()
    shown = client.get(run).get_json()
    assert (shown["merging"], shown["merged"]) == (
        None,
        [{"kind": "q8_0", "bytes": len("scripted q8_0")}],
    )
    got = client.get(f"{run}/merged/q8_0")
    assert got.data == b"scripted q8_0"
    assert f"second-me-{known.number}-q8_0.gguf" in got.headers["Content-Disposition"]
    got.close()
    node.training.merge_training(known.id, "f16")
    assert client.delete(f"{run}/merged/q8_0").status_code == 204
    assert [each["kind"] for each in client.get(run).get_json()["merged"]] == ["f16"]
    stray = node.ports.home.versions / known.id / ".merged-f16.gguf.77.part"
    stray.touch()
    node.reconcile()
    assert not stray.exists()
    base = node.training.training_base()
    with monkeypatch.context() as full:
        full.setattr(node.training, "training_base", lambda: replace(base, bytes=4 * 10**18))
        with pytest.raises(NotEnoughSpaceError, match="on the disk"):
            node.training.queue_merge(known.id, "f16")
        full.setattr(node.training, "training_base", lambda: replace(base, name="another@1"))
        with pytest.raises(ConflictError, match="another model"):
            node.training.queue_merge(known.id, "f16")
    node.training.queue_merge(known.id, "f16")
    doomed = next(each for each in node.ports.documents.everything() if each.title == "Notes")
    node.home.confirm_erasure(node.home.propose_erasure([doomed.id]).token)
    node.run_jobs()
    assert not (node.ports.home.versions / known.id).exists()
    with pytest.raises(ConflictError, match="gone"):
        node.training.queue_merge(known.id, "f16")


def test_erasing_what_is_being_learned_ends_the_learning_for_good(node: Node) -> None:
    run = node.training.prepare_training({"questions": 4})
    job = node.training.queue_training(run.id)
    doomed = next(each for each in node.ports.documents.everything() if each.title == "Notes")
    node.home.confirm_erasure(node.home.propose_erasure([doomed.id]).token)
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.CANCELLED
    assert node.ports.runs.get(run.id).state is RunState.TAINTED
    assert not (node.ports.home.versions / run.id).exists()


def test_a_small_training_learns_what_is_new_and_a_share_of_the_rest(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 3, 1, 9, tzinfo=UTC))
    with Node.open(
        tmp_path / "other", clock=clock, model=ScriptedModel([(".", "Madrid.")]), trainer="scripted"
    ) as node:
        node.library.add_text(
            "## Retain\n\n"
            + "".join(f"- W @Boat{number}: leaks at plank {number}.\n" for number in range(20)),
            title="Old",
        )
        node.run_jobs()
        old = {each.memory for each in node.ports.memories.page(MemoryFilter(), limit=100)[0]}
        clock.advance(timedelta(days=30))
        node.library.add_text(
            "## Retain\n\n- W @Kuri: is a dog with a white sock.\n- W @Lena: keeps bees and a"
            " goat in the orchard.\n- W @Ida: sells oars and rope at the harbour.\n",
            title="New",
        )
        node.run_jobs()
        new = {each.memory for each in node.ports.memories.page(MemoryFilter(), limit=100)[0]} - old

        def learned(run: Run) -> set[str]:
            return {each.memory for each in node.ports.runs.sources(run.id)}

        weekly = {"recent_days": 7, "steps": 60, "batch": 2, "questions": 8, "exam_questions": 4}
        run = node.training.prepare_training(weekly)
        assert (len(old), len(new)) == (20, 3)
        assert learned(run) == old | new
        rows = list(examples_in(node.ports.home.versions / run.id / "rows.jsonl"))
        asked = Counter(row.memories[0] for row in rows if row.kind in OF_A_STATEMENT)
        assert {asked[each] for each in old} == {4}  # half of eight
        assert min(asked[each] for each in new) > 4
        assert "older" not in run.left_out
        assert learned(node.training.prepare_training(weekly)) == learned(run)
        few = {**weekly, "questions": 1}  # or the week would be about what is known
        part = node.training.prepare_training(few)
        assert len(learned(part) & old) == 12
        assert part.left_out["older"] == 8
        assert learned(node.training.prepare_training(few)) == learned(part)
        assert any(
            learned(node.training.prepare_training({**few, "seed": seed})) != learned(part)
            for seed in range(2, 6)
        )
        assert learned(node.training.prepare_training({**weekly, "older": 0.0})) == new
        clock.advance(timedelta(days=3))  # what was new when it was prepared stays new
        rows = list(examples_in(node.ports.home.versions / run.id / "rows.jsonl"))
        assert learned(rewrite(node.training.training_ports, run, struck=[rows[0].id])) <= learned(
            run
        )
        node.training.queue_training(run.id)
        node.run_jobs()
        outcome = node.ports.runs.get(run.id).outcome
        assert outcome is not None
        assert (outcome["steps"], node.ports.runs.get(run.id).settings["batch"]) == (60, 2)


def test_other_ends_of_lines_in_a_text_stop_neither_training_nor_erasing(node: Node) -> None:
    own = Example(ExampleKind.FACT, "Who has the key?", "Mai has it.\u2028Of course.\x85")
    run = node.training.prepare_training({"questions": 4, "exam_questions": 4}, added=[own])
    node.training.queue_training(run.id)
    node.run_jobs()
    place = node.ports.home.versions / run.id
    assert own in list(examples_in(place / "rows.jsonl"))
    assert node.ports.runs.get(run.id).state is RunState.READY
    documents = [each.id for each in node.ports.documents.all()]
    assert [each.id for each in node.training.taint_trainings(documents)] == [run.id]
