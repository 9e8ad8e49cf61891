"""Growing every week: on its day, from the training in use, with what is new; or why not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.home.jobs import Job, JobState
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.ports import Adapter
from lpm_kernel.domain.training.growth import MachineState
from lpm_kernel.domain.training.runs import Audience, Learned, LearnedText, Maker, Run, RunState
from lpm_kernel.errors import ConflictError
from lpm_kernel.L2.dataset import OF_A_STATEMENT
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.bulk import BulkChange
from lpm_kernel.usecases.memory.findings import SentenceDecision
from lpm_kernel.usecases.training import prepare
from lpm_kernel.usecases.training.rows import examples_in, lines_in
from tests.integration.test_preference_training import MORE
from tests.integration.test_training import NOTE, SECRET, Weighed

pytestmark = pytest.mark.integration

THURSDAY = datetime(2026, 11, 26, 12).astimezone()
SUNDAY = datetime(2026, 11, 29, 3).astimezone()
WEEK = timedelta(days=7)
QUIET = MachineState(idle=True, on_power=True)
NEW = "# More\n\n## Retain\n- B I bought a {thing} at the market in Kameoka.\n"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(THURSDAY)


@pytest.fixture
def node(tmp_path: Path, clock: FrozenClock) -> Iterator[Node]:
    model = Weighed([("capital of Spain", "Madrid.")])
    with Node.open(tmp_path / "home", model=model, clock=clock, trainer="scripted") as opened:
        opened.ports.change_settings(grow="weekly")
        opened.training.machine = lambda: QUIET
        opened.library.add_text(NOTE, title="Notes")
        opened.run_jobs()
        yield opened


def by_hand(node: Node, *, private: bool = False, **more: object) -> Run:
    """Train once, as the person does, and use it."""
    given = {"steps": 4, "questions": 4, "exam_questions": 6, **more}
    run = node.training.prepare_training(given, private=private)
    node.training.queue_training(run.id)
    node.run_jobs()
    node.training.promote_training(run.id, insist=True)
    return node.ports.runs.get(run.id)


def tell(node: Node, thing: str) -> DocumentId:
    document = node.library.add_text(NEW.format(thing=thing), title=thing).document
    node.run_jobs()
    return document.id


def grow(node: Node) -> tuple[Job, Run | None]:
    """Let a look of the worker come to its end."""
    job = node.training.look_for_growth()
    assert job is not None
    node.run_jobs()
    done = node.ports.jobs.get(job.id)
    assert done.state is JobState.SUCCEEDED, done.error
    run = (done.result or {}).get("run")
    return done, node.ports.runs.get(run) if run else None


def until(clock: FrozenClock, moment: datetime) -> None:
    clock.advance(moment - clock.now())


def test_it_grows_on_its_day_only_and_once(node: Node, clock: FrozenClock) -> None:
    first = by_hand(node)
    tell(node, "loom")
    assert node.training.look_for_growth() is None  # Thursday
    assert node.training.growth().next_at == SUNDAY.replace(hour=2)
    until(clock, SUNDAY.replace(hour=1))
    assert node.training.look_for_growth() is None  # too early
    until(clock, SUNDAY)
    job, run = grow(node)
    assert run is not None
    assert "answers as you now" in job.message
    assert node.ports.runs.in_use().run == run.id
    assert (run.settings["steps"], run.settings["batch"]) == (60, 16)
    assert run.settings["start"] == first.id == run.parent
    assert node.training.look_for_growth() is None
    until(clock, SUNDAY + timedelta(days=1))
    assert node.training.look_for_growth() is None
    assert node.training.growth().next_at == (SUNDAY + WEEK).replace(hour=2)


def test_it_holds_what_it_went_on_from_and_loses_it_with_that(
    node: Node, clock: FrozenClock
) -> None:
    old = tell(node, "harp")
    until(clock, THURSDAY + 3 * WEEK)
    first = by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY + 3 * WEEK)
    _, run = grow(node)
    assert run is not None
    runs = node.ports.runs
    before = {source.memory for source in runs.sources(first.id)}
    assert before < {source.memory for source in runs.sources(run.id)}
    assert "older" not in run.left_out  # everything known is rehearsed
    assert run.scorecard is not None
    assert set(run.scorecard.arms) == {"base", "before", "sft"}
    assert run.scorecard.against == first.id
    node.training.taint_trainings([old])  # of which it may have read no row itself
    assert runs.get(run.id).state is RunState.TAINTED
    assert runs.in_use().run is None


def test_after_an_erasure_it_falls_back_to_the_newest_clean_week_and_learns_on_without_it(
    node: Node, clock: FrozenClock, client: FlaskClient
) -> None:
    first = by_hand(node, rank=8)
    told, weeks = {}, []
    for week, thing in enumerate(("harp", "loom", "drum")):
        told[thing] = tell(node, thing)
        until(clock, SUNDAY + week * WEEK)
        run = grow(node)[1]
        assert run is not None
        weeks.append(run)
    words = NEW.format(thing="loom").encode()
    assert hashlib.sha256(words).hexdigest() in {text.sha256 for text in learned_texts(node)}
    rows_of_it = node.ports.runs.get(weeks[1].id).hashes["examples"]
    node.home.confirm_erasure(node.home.propose_erasure([told["loom"]]).token)
    runs = node.ports.runs
    assert [runs.get(each.id).state for each in weeks] == ["ready", "tainted", "tainted"]
    assert runs.in_use().run == weeks[0].id  # at once, and not to the first one
    node.run_jobs()
    assert client.get(f"/api/training/runs/{weeks[1].id}").get_json()["hashes"].keys() == {
        "adapter"
    }
    held = [path.read_bytes() for path in node.ports.home.root.rglob("*") if path.is_file()]
    for digest in (hashlib.sha256(words).hexdigest(), rows_of_it):
        assert not [content for content in held if digest.encode() in content]
    left = client.get(f"/api/training/runs/{weeks[2].id}/lineage").get_json()["texts"]
    assert {text["document"] for text in left} >= {told["harp"], told["drum"]}
    assert told["loom"] not in {text["document"] for text in left}
    # the next week learns again what it lost, without what was erased
    until(clock, SUNDAY + 3 * WEEK)
    again = grow(node)[1]
    assert again is not None
    assert again.settings["start"] == weeks[0].id
    learned = (node.ports.home.versions / again.id / "examples.jsonl").read_text("utf-8")
    assert ("drum" in learned, "loom" in learned) == (True, False)
    # or the person has all of it learned anew, as the first one was
    asked = {"again": weeks[2].id, "steps": 3, "start": False}
    fresh = client.post("/api/training/runs", json=asked).get_json()["run"]["settings"]
    assert {name: fresh.get(name) for name in ("rank", "steps", "recent_days", "start")} == {
        **dict.fromkeys(("recent_days", "start")),
        "rank": first.settings["rank"],
        "steps": 3,
    }


def learned_texts(node: Node) -> list[LearnedText]:
    used = node.ports.runs.in_use().run
    assert used is not None
    return node.training.learned_texts(node.ports.runs.get(used))


@pytest.mark.parametrize(
    ("machine", "reason"),
    [
        (MachineState(idle=False, on_power=True), "busy"),
        (MachineState(idle=True, on_power=False), "on-battery"),
    ],
)
def test_a_machine_that_has_no_time_is_waited_for_all_day(
    node: Node, clock: FrozenClock, machine: MachineState, reason: str
) -> None:
    by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY)
    node.training.machine = lambda: machine
    assert node.training.look_for_growth() is None
    until(clock, SUNDAY.replace(hour=23))
    job, run = grow(node)
    assert run is None
    assert job.result == {"skipped": reason}
    assert job.message.startswith("Skipped. The machine was")
    until(clock, SUNDAY + WEEK)
    node.training.machine = lambda: QUIET
    assert grow(node)[1] is not None


def test_without_news_or_a_training_it_is_skipped_and_says_why(
    node: Node, clock: FrozenClock, client: FlaskClient
) -> None:
    until(clock, SUNDAY)
    assert grow(node)[0].result == {"skipped": "nothing-in-use"}
    with pytest.raises(ConflictError, match="No training is in use"):
        node.training.queue_growth()
    by_hand(node)
    until(clock, SUNDAY + WEEK)
    assert grow(node)[0].result == {"skipped": "nothing-new"}
    shown = client.get("/api/training/growth").get_json()
    assert (shown["last_skipped"], shown["cannot"]) == ("nothing-new", "nothing-new")
    assert client.post("/api/training/growth").status_code == 409
    tell(node, "loom")
    clock.advance(timedelta(hours=1))
    assert client.get("/api/training/growth").get_json()["cannot"] is None
    assert client.post("/api/training/growth").status_code == 202
    node.run_jobs()
    grown = node.ports.runs.get(node.ports.runs.in_use().run or pytest.fail("the base is in use"))
    assert client.get("/api/training/growth").get_json()["last_run"] == grown.id


def test_one_that_got_worse_waits(node: Node, clock: FrozenClock) -> None:
    first = by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY)
    model = node.models.model
    assert isinstance(model, Weighed)
    asked = 0

    def unlearned(
        _: object, continuation: str, adapter: Adapter | None = None, **_more: object
    ) -> list[tuple[str, float]]:
        nonlocal asked
        grown = adapter is not None and adapter.id != first.id
        asked += grown
        return [(word, -9.0 if grown else -1.0) for word in continuation.split()]

    model.score = unlearned  # type: ignore[method-assign, assignment]
    job, run = grow(node)
    assert asked
    assert run is not None
    assert "waits to be looked at" in job.message
    assert run.state is RunState.READY
    assert run.scorecard is not None
    assert run.scorecard.verdict.reasons
    assert node.ports.runs.in_use().run == first.id


def test_a_killed_week_goes_on_with_the_training_that_it_began(
    node: Node, clock: FrozenClock
) -> None:
    by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY)
    trainer = node.training.trainer
    trainer.fails_at = 5  # type: ignore[attr-defined]
    job = node.training.look_for_growth()
    assert job is not None
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.FAILED
    before = {run.id for run in node.ports.runs.page(limit=50)[0]}
    node.ports.jobs.retry(job.id, clock.now())
    node.run_jobs()
    done = node.ports.jobs.get(job.id)
    assert (done.result or {})["in_use"] is True
    assert {run.id for run in node.ports.runs.page(limit=50)[0]} == before


def test_a_private_one_stays_private_and_old_ones_lose_their_weights(
    node: Node, clock: FrozenClock
) -> None:
    node.library.add_text(SECRET, title="Secret", private=True)
    node.run_jobs()
    first = by_hand(node, private=True)
    grown = []
    for week in range(6):
        tell(node, f"loom of week {week}")
        until(clock, SUNDAY + week * WEEK)
        run = grow(node)[1]
        assert run is not None
        assert run.audience == first.audience == "owner"
        grown.append(run.id)
    states = [node.ports.runs.get(each).state for each in grown]
    assert states == [RunState.THINNED] * 2 + [RunState.READY] * 4
    for each, state in zip(grown, states, strict=True):
        there = (node.ports.home.versions / each / "adapter.gguf").exists()
        assert there == (state is RunState.READY)
    assert node.ports.runs.get(first.id).state is RunState.READY
    assert len(node.ports.runs.sources(grown[0])) < len(node.ports.runs.sources(grown[-1]))
    with pytest.raises(ConflictError):
        node.training.promote_training(grown[0])
    node.training.sweep_trainings()
    assert node.ports.runs.get(grown[0]).state is RunState.THINNED
    node.training.roll_back_training()
    assert node.ports.runs.in_use().run == grown[-2]


def test_the_day_and_the_size_are_set(node: Node, clock: FrozenClock, client: FlaskClient) -> None:
    by_hand(node)
    tell(node, "loom")
    wish = {"day": "thursday", "steps": 7, "batch": 1}
    shown = client.patch("/api/training/growth", json=wish).get_json()
    assert {name: shown[name] for name in wish} == wish
    assert datetime.fromisoformat(shown["next_at"]) == THURSDAY.replace(hour=2)
    run = grow(node)[1]
    assert run is not None
    assert (run.settings["steps"], run.settings["batch"]) == (7, 1)
    shown = client.patch("/api/training/growth", json={"schedule": "off"}).get_json()
    assert (shown["schedule"], shown["next_at"]) == ("off", None)
    tell(node, "drum")
    until(clock, THURSDAY + WEEK)
    assert node.training.look_for_growth() is None
    assert client.patch("/api/training/growth", json={"day": "Sunday"}).status_code == 422


def test_it_goes_on_from_one_that_learned_preferences(node: Node, clock: FrozenClock) -> None:
    node.library.add_text(MORE, title="More")
    node.run_jobs()
    first = by_hand(node, dpo=True)
    assert first.scorecard is not None
    assert "sft_dpo" in first.scorecard.arms
    tell(node, "loom")
    until(clock, SUNDAY)
    run = grow(node)[1]
    assert run is not None
    assert run.settings["dpo"] is False
    recipe = json.loads((node.ports.home.versions / run.id / "recipe.json").read_text("utf-8"))
    assert recipe["start"].endswith(f"{first.id}/dpo/adapter")
    assert node.ports.runs.in_use().run == run.id


def test_what_the_person_put_into_use_meanwhile_stays(
    node: Node, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY)
    trainer, learn = node.training.trainer, node.training.trainer.learn

    def switched_back(run: Path, said: Callable[[Learned], None]) -> Mapping[str, object]:
        node.training.roll_back_training()
        return learn(run, said)

    monkeypatch.setattr(trainer, "learn", switched_back)
    job, run = grow(node)
    assert run is not None
    assert "what is in use was changed meanwhile" in job.message
    assert run.state is RunState.READY
    assert node.ports.runs.in_use().run is None


def test_it_is_in_use_because_it_is_no_worse_and_not_at_a_wish(
    node: Node, clock: FrozenClock
) -> None:
    by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY)
    job, run = grow(node)
    assert run is not None
    assert run.scorecard is not None
    used = node.ports.runs.in_use()
    assert (used.run, used.insisted) == (run.id, False)
    assert ("learned what was new" in job.message) is run.scorecard.verdict.better


def test_a_week_that_is_done_again_learns_once(node: Node, clock: FrozenClock) -> None:
    by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY)
    job, run = grow(node)
    assert run is not None
    uses = len(node.ports.runs.used())
    again = node.training.grow_job(node.ports.jobs.get(job.id), lambda *_: None)
    assert again.result is not None
    assert (again.result["run"], again.result["in_use"]) == (run.id, True)
    assert len(node.ports.runs.used()) == uses
    assert len(node.ports.runs.page(limit=50)[0]) == 2


def test_what_the_person_struck_is_not_learned_a_week_later(node: Node, clock: FrozenClock) -> None:
    given = {"steps": 4, "questions": 4, "exam_questions": 6}
    tell(node, "harp")
    first = node.training.prepare_training(given)
    place = node.ports.home.versions
    of_harp = [
        row.id for row in examples_in(place / first.id / "rows.jsonl") if "harp" in row.answer
    ]
    assert of_harp
    prepare.rewrite(node.training.training_ports, first, struck=of_harp)
    node.training.queue_training(first.id)
    node.run_jobs()
    node.training.promote_training(first.id, insist=True)
    until(clock, SUNDAY)
    assert node.training.why_not_grow() == "nothing-new"
    tell(node, "loom")
    run = grow(node)[1]
    assert run is not None
    rows = lines_in(place / run.id / "examples.jsonl")
    learned = " ".join(json.loads(row)["completion"][0]["content"] for row in rows)
    assert "loom" in learned
    assert "harp" not in learned


def test_of_what_was_struck_whole_no_row_and_no_pair_comes_back(
    node: Node, clock: FrozenClock
) -> None:
    given = {"steps": 4, "questions": 6, "exam_questions": 6, "dpo": True, "pairs": 8}
    tell(node, "harp")
    first = node.training.prepare_training(given)
    place = node.ports.home.versions
    asked = [
        row
        for row in examples_in(place / first.id / "rows.jsonl")
        if row.kind in OF_A_STATEMENT and "harp" in row.answer
    ]
    assert asked
    before = [row for row in examples_in(place / first.id / "rows.jsonl") if row not in asked]
    assert any(set(asked[0].memories) & set(row.memories) for row in before)

    def learned(run: Run) -> str:
        files = ("examples.jsonl", "held_out.jsonl", "pairs.jsonl", "pairs_held_out.jsonl")
        return " ".join((place / run.id / file).read_text("utf-8") for file in files)

    assert "harp" in learned(first)
    prepare.rewrite(node.training.training_ports, first, struck=[row.id for row in asked])
    assert "harp" not in learned(first)
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    for kind in ("rows", "pairs"):
        shown = client.get(f"/api/training/runs/{first.id}/{kind}?limit=500").get_json()
        of_it = [each for each in shown["items"] if set(asked[0].memories) & set(each["memories"])]
        assert of_it
        assert all(each["struck"] for each in of_it)
    node.training.queue_training(first.id)
    node.run_jobs()
    node.training.promote_training(first.id, insist=True)
    until(clock, SUNDAY)
    tell(node, "loom")
    run = grow(node)[1]
    assert run is not None
    assert "loom" in learned(run)
    assert "harp" not in learned(run)


def test_what_was_made_private_since_answers_the_owner_alone(
    node: Node, clock: FrozenClock
) -> None:
    harp = tell(node, "harp")
    first = by_hand(node)
    assert node.training.speaks_to_others(first)
    node.library.change_all([harp], BulkChange(private=True))
    node.run_jobs()
    assert not node.training.speaks_to_others(first)
    tell(node, "loom")
    until(clock, SUNDAY)
    run = grow(node)[1]
    assert run is not None
    assert run.audience is Audience.OWNER
    assert not node.training.speaks_to_others(run)


def test_what_reads_otherwise_since_is_new(node: Node, clock: FrozenClock) -> None:
    document = tell(node, "harp")
    by_hand(node)
    clock.advance(4 * WEEK)
    (belief,) = node.ports.memories.believed(document)
    wrong = belief.statement.text
    node.memory.decide(
        SentenceDecision(
            document,
            belief.start,
            belief.end,
            Verdict.MEND,
            "I bought a harp from Osei in Kameoka.",
        )
    )
    node.run_jobs()
    assert wrong
    assert node.training.why_not_grow() is None
    node.training.queue_growth()
    node.run_jobs()
    grown = node.ports.runs.get(node.ports.runs.in_use().run or pytest.fail("the base is in use"))
    learned = (node.ports.home.versions / grown.id / "examples.jsonl").read_text("utf-8")
    assert "from Osei" in learned
    sources = [each for each in node.ports.runs.sources(grown.id) if each.memory == belief.memory]
    assert {document} < {each.document for each in sources}  # the weights hold both


def test_what_a_training_goes_on_from_stays_until_that_is_over(
    node: Node, clock: FrozenClock
) -> None:
    first = by_hand(node)
    tell(node, "loom")
    until(clock, SUNDAY)
    node.training.trainer.fails_at = 1  # type: ignore[attr-defined]
    assert node.training.look_for_growth() is not None
    node.run_jobs()
    node.training.roll_back_training()
    with pytest.raises(ConflictError, match="goes on from this one"):
        node.training.delete_training(first.id)


def test_a_model_that_was_exported_stays(node: Node, clock: FrozenClock) -> None:
    by_hand(node)
    grown = []
    for week in range(6):
        tell(node, f"loom of week {week}")
        until(clock, SUNDAY + week * WEEK)
        run = grow(node)[1]
        assert run is not None
        grown.append(run.id)
        if week == 0:
            node.training.queue_merge(run.id, "q8_0")
            node.run_jobs()
    assert node.ports.runs.get(grown[0]).state is RunState.THINNED
    assert list(node.training.merged(grown[0])) == ["q8_0"]


def test_sealing_a_document_is_no_wish_to_learn_what_is_private(
    node: Node, clock: FrozenClock
) -> None:
    node.library.add_text(SECRET, title="Secret", private=True)
    harp = tell(node, "harp")
    by_hand(node)
    node.library.change_all([harp], BulkChange(private=True))
    node.run_jobs()
    tell(node, "loom")
    until(clock, SUNDAY)
    run = grow(node)[1]
    assert run is not None
    assert run.audience is Audience.OWNER
    learned = (node.ports.home.versions / run.id / "examples.jsonl").read_text("utf-8")
    secrets = [each.text for each in node.training.material(private=True).taught if each.private]
    assert len(secrets) > 1
    assert not any(each in learned for each in secrets)


def test_what_was_struck_whole_stays_out_when_a_model_words_other_questions(
    tmp_path: Path, clock: FrozenClock
) -> None:
    said = ["What did I buy at the market?", "What did I bring home from Kameoka?"]
    words = json.dumps({"questions": said})
    model = Weighed([("short questions", words), (".", "I do not know.")])
    with Node.open(tmp_path / "other", model=model, clock=clock, trainer="scripted") as node:
        node.library.add_text(NOTE, title="Notes")
        tell(node, "harp")
        run = node.training.prepare_training({"questions": 6, "wording": "model"})
        place = node.ports.home.versions / run.id
        struck = [
            row.id
            for row in examples_in(place / "rows.jsonl")
            if row.kind in OF_A_STATEMENT and "harp" in row.answer
        ]
        assert struck
        prepare.rewrite(node.training.training_ports, run, struck=struck)
        node.training.queue_training(run.id)
        node.run_jobs()
        rows = list(examples_in(place / "rows.jsonl"))
        assert any(row.maker is Maker.MODEL and "harp" in row.answer for row in rows)
        assert "harp" not in (place / "examples.jsonl").read_text("utf-8")
        assert "harp" not in (place / "held_out.jsonl").read_text("utf-8")


def test_what_was_struck_whole_stays_out_of_every_later_week(
    node: Node, clock: FrozenClock
) -> None:
    given = {"steps": 4, "questions": 6, "exam_questions": 6, "older": 0.2}
    tell(node, "harp")
    until(clock, THURSDAY + 5 * WEEK)
    first = node.training.prepare_training(given)
    place = node.ports.home.versions
    asked = [
        row.id
        for row in examples_in(place / first.id / "rows.jsonl")
        if row.kind in OF_A_STATEMENT and "harp" in row.answer
    ]
    prepare.rewrite(node.training.training_ports, first, struck=asked)
    node.training.queue_training(first.id)
    node.run_jobs()
    node.training.promote_training(first.id, insist=True)
    for week in range(1, 5):
        until(clock, SUNDAY + (4 + week) * WEEK)
        tell(node, ("loom", "kiln", "cello", "barrow")[week - 1])
        run = grow(node)[1]
        assert run is not None
        for file in ("examples.jsonl", "held_out.jsonl"):
            assert "harp" not in (place / run.id / file).read_text("utf-8")
