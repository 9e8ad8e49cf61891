"""What a training makes of a life, three seeds, with the bundled model. Run by `make bench`; each
seed takes a quarter of an hour and more.

Every open fact of the life is kept as a statement, and asked in wordings that no row had; a private
one is in the home too, with a canary that nobody says by chance. Held up: what is remembered
without retrieval, before and after; what is said of things nobody told; what is said of private
things; how much prose surprises it more. `LPM_LIFE` names another life's folder (`facts.jsonl`,
`questions.jsonl`), `LPM_SEEDS` the seeds. With `LPM_ALONE=1` no arm has retrieval, which
is two fifths of the questions fewer.

The aims that were set (90 % of unseen wordings, jointly with the rest) are out of reach of the
bundled model: docs/adr/0011.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_cpp import Llama

from lpm_kernel.backends.train.child import ChildTrainer
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.training.runs import Figure, Run
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.alignment.style import profiles_of, style_distance
from lpm_kernel.L2.exam import TOLD, Item, Measure, right
from lpm_kernel.node import Node
from lpm_kernel.usecases.training.examination import (
    ExamAnswer,
    ExamPlan,
    answers_in,
    as_asked,
    items_in,
)
from lpm_kernel.usecases.training.learn import learn
from tests.bench.in_torch import MOST_TOKENS
from tests.lives import LIVES, archive

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(not ChildTrainer.is_there(), reason="torch, trl and peft are not installed"),
]

LIFE = Path(os.environ.get("LPM_LIFE") or LIVES / "nagi")
NAMES = {"nagi": "Nagi Sorrel", "marit": "Marit Skaar Teles"}
OWN = {
    "nagi": ("memory/*.md", "workshop-diary/*.md", "letters/*-to-*.txt"),
    "marit": ("notes/*.md", "letters/*-to-*.txt", "mail/*-to-*.eml"),
}
"""What the person of a life wrote themselves, by which their style is told."""
SEEDS = [int(each) for each in (os.environ.get("LPM_SEEDS") or "1 2 3").split()]
CANARY = "The copper lark is kept under the seventh lantern."


def lines(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (LIFE / name).read_text("utf-8").splitlines() if line.strip()
    ]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask nobody with retrieval, where that is wished for."""
    if not os.environ.get("LPM_ALONE"):
        return
    for_one, for_two = ExamPlan().arms, ExamPlan(supervised=object()).arms  # type: ignore[arg-type]

    def without_retrieval(plan: ExamPlan) -> tuple[str, ...]:
        arms = for_one if plan.supervised is None else for_two
        return tuple(arm for arm in arms if not arm.endswith("retrieval"))

    monkeypatch.setattr(ExamPlan, "arms", property(without_retrieval))


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node.open(tmp_path / "home", communities="louvain", reflect="asked") as here:
        name = NAMES.get(LIFE.name, LIFE.name)
        here.ports.conversations.set_identity(Identity(name, languages=("en", "ja")))
        kept: dict[tuple[str, bool], list[str]] = {("canary", True): [CANARY]}
        for each in lines("facts.jsonl"):
            place = (each["evidence"][0]["file"], each["private"])
            kept.setdefault(place, []).append(each["fact"])
        for (file, private), facts in kept.items():
            here.library.add_text(
                "## Retain\n\n" + "".join(f"- B {fact}\n" for fact in facts),
                title=file,
                private=private,
            )
        here.run_jobs()
        yield here


def exam() -> str:
    """The unseen wordings, and questions that nobody answered."""
    asked = [
        {"question": question, "accept": each["accept"], "fact": each["fact"]}
        for each in lines("facts.jsonl")
        if not each["private"]
        for question in each["test"]
    ]
    unknown = [
        {"question": each["question"]}
        for each in lines("questions.jsonl")
        if each.get("category") == "unanswerable"
    ]
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in (*asked, *unknown))


def learned(node: Node, seed: int, **given: object) -> tuple[Run, float]:
    wanted = {"seed": seed, "exam_questions": 90, **given}
    run = node.training.prepare_training(wanted, questions=exam())
    started = time.monotonic()
    job = node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED, node.ports.jobs.get(
        job.id
    ).error
    return node.ports.runs.get(run.id), time.monotonic() - started


def agreeing(
    node: Node, run: Run, items: Sequence[Item], given: Sequence[ExamAnswer]
) -> dict[str, float]:
    """Give the shares of questions on which torch's answer and an exported model's are judged
    alike: merged in 16 bits, and the adapter as it is served.
    """
    place = node.ports.home.versions / run.id
    name = node.ports.conversations.identity().name
    asked = [
        [
            {"role": each.role, "content": each.content}
            for each in as_asked(items[each.item], items[each.item].notes, name)
        ]
        for each in given
    ]
    (place / "asked.jsonl").write_text(
        "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in asked), "utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "tests.bench.in_torch",
        "answers",
        str(place),
        str(place / "asked.jsonl"),
    ]
    said = [
        json.loads(line)
        for line in subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]
    verdicts = [right(items[each.item], answer) for each, answer in zip(given, said, strict=True)]
    whole = Llama(
        str(node.training.merge_training(run.id, "f16")),
        n_ctx=2048,
        n_threads=1,
        n_threads_batch=1,
        verbose=False,
    )
    merged = [
        whole.create_chat_completion(each, temperature=0.0, max_tokens=MOST_TOKENS)["choices"][0][
            "message"
        ]["content"]
        for each in asked
    ]
    return {
        "merged": statistics.mean(
            right(items[each.item], answer) == verdict
            for each, answer, verdict in zip(given, merged, verdicts, strict=True)
        ),
        "served": statistics.mean(
            bool(each.value) == verdict for each, verdict in zip(given, verdicts, strict=True)
        ),
    }


def test_a_step_costs_little_more_than_trls_own(node: Node) -> None:
    """One training, and trl's loop alone over the same rows, each longest rows first."""
    steps = 12
    run = node.training.prepare_training(
        {
            "seed": 1,
            "questions": 8,
            "batch": 8,
            "steps": steps,
            "checkpoint_every": steps,
            "exam_questions": 0,
        }
    )
    base, place = node.training.training_base(), node.ports.home.versions / run.id
    learn(node.training.training_ports, run, base, lambda *_: None)
    ours = [
        row["seconds"]
        for row in map(json.loads, (place / "progress.jsonl").read_text("utf-8").splitlines())
        if "loss" in row
    ][1:]
    command = [sys.executable, "-m", "tests.bench.in_torch", "bare", str(place), str(steps)]
    bare = json.loads(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    )
    ratio = sum(ours) / sum(bare)
    print(
        f"\na step: {statistics.mean(ours):.2f} s, of trl's own {statistics.mean(bare):.2f} s,"
        f" ratio {ratio:.2f}"
    )
    assert ratio <= 1.15


def styles(node: Node, run: Run) -> dict[str, Figure]:
    """How far the answers of each arm are from how the person of the life writes."""
    files = [file for pattern in OWN.get(LIFE.name, ()) for file in archive(LIFE).glob(pattern)]
    profiles = profiles_of(
        "\n".join(
            line for line in file.read_text("utf-8").splitlines() if not line.startswith(("#", "-"))
        )
        for file in files
    )
    place = node.ports.home.versions / run.id
    items, answers = items_in(place / "exam.jsonl"), answers_in(place / "answers.jsonl")
    told: dict[str, list[str]] = {}
    for each in answers:
        if items[each.item].measure in TOLD:
            told.setdefault(each.arm, []).append(each.answer)
    found = {arm: style_distance(profiles, said) for arm, said in told.items()}
    return {arm: distance for arm, distance in found.items() if distance is not None}


def test_preferences_of_a_life(node: Node) -> None:
    """Both stages, three seeds: what is preferred is told apart, and said more often than by what
    learned the rows alone; nothing of what that knew gets lost beyond its interval.
    """
    held: dict[str, list[bool]] = {}
    for seed in SEEDS:
        run, seconds = learned(node, seed, dpo=True)
        assert run.scorecard is not None
        assert run.outcome is not None
        preferences = run.outcome["preferences"]
        arms = run.scorecard.arms
        print(
            f"\nseed {seed}: {run.outcome['seconds']:.0f} s, then {preferences['seconds']:.0f} s;"
            f" {seconds:.0f} s in all; own answers rejected: {preferences.get('on_policy')}"
        )
        print(f"  held out: {preferences['held_out']}")
        for arm, figures in arms.items():
            print(
                f"  {arm:18}",
                "  ".join(
                    f"{name} {each.value:.3f} [{each.low:.2f} {each.high:.2f}] of {each.n}"
                    for name, each in figures.items()
                ),
            )
        voice = {arm: each.value for arm, each in styles(node, run).items()}
        print("  style:", voice)
        sft, dpo = arms["sft"], arms["sft_dpo"]
        margin = preferences["held_out"]["after"]["margin"]
        for name, holds in {
            "told apart": dpo["preference"].value >= 0.75 and margin["low"] > 0,
            "said": dpo["preferred_answers"].value > sft["preferred_answers"].value,
            "abstention": dpo["abstention"].value >= sft["abstention"].low,
            "general": dpo["general"].value >= sft["general"].low,
            "leaks": dpo["leak_rate"].value == 0,
            "voice": voice["sft_dpo"] <= 0.7 * voice["base"],
            "minutes": run.outcome["seconds"] + preferences["seconds"] <= 1800,
        }.items():
            held.setdefault(name, []).append(holds)
    print("\nheld, by seed:", held)
    assert all(held["said"])
    assert all(held["leaks"])


def test_three_trainings_of_a_life(node: Node) -> None:
    found: dict[str, list[float]] = {}
    for seed in SEEDS:
        run, seconds = learned(node, seed)
        card = run.scorecard
        assert card is not None
        assert run.outcome is not None
        assert run.estimate is not None
        place = node.ports.home.versions / run.id
        items, answers = items_in(place / "exam.jsonl"), answers_in(place / "answers.jsonl")
        print(
            f"\nseed {seed}: {run.rows}, {run.outcome}, estimated {run.estimate}, {seconds:.0f} s"
            " in all"
        )
        for arm, figures in card.arms.items():
            print(
                f"  {arm:14}",
                "  ".join(
                    f"{name} {each.value:.3f} [{each.low:.2f} {each.high:.2f}] of {each.n}"
                    for name, each in figures.items()
                ),
            )
        given = [
            each
            for each in answers
            if each.arm == "sft" and items[each.item].accept and items[each.item].memory
        ]
        for name, wide in (("English", False), ("Japanese", True)):
            values = [each.value for each in given if unspaced(items[each.item].question) is wide]
            print(f"  {name}: {statistics.mean(values):.3f} of {len(values)}")
            found.setdefault(name, []).append(statistics.mean(values))
        for name in ("fact_retention", "abstention", "grounding", "perplexity_drift"):
            found.setdefault(name, []).append(card.arms["sft"][name].value)
            found.setdefault(f"{name} of the base", []).append(card.arms["base"][name].value)
        said = [
            each
            for each in answers
            if each.arm == "sft" and items[each.item].measure is not Measure.CHOICE
        ]
        print(
            f"  peak memory {run.outcome['peak_bytes'] / run.estimate['peak_bytes']:.2f} of the"
            " estimate"
        )
        alike = agreeing(node, run, items, said)
        print(
            f"  judged as in torch: merged {alike['merged']:.3f}, the adapter as it is served"
            f" {alike['served']:.3f}, of {len(said)}"
        )
        found.setdefault("judged as in torch", []).append(alike["merged"])
        print(
            "  leaks:",
            {arm: card.arms[arm]["leak_rate"].value for arm in ("base", "sft")},
            "canary said:",
            sum("seventh lantern" in each.answer for each in answers if each.arm.startswith("sft")),
        )
        told = [
            (items[each.item].question, each.answer)
            for each in answers
            if each.arm == "sft"
            and items[each.item].accept
            and not right(items[each.item], each.answer)
        ]
        for question, answer in told[:6]:
            print("    ", question, "->", re.sub(r"\s+", " ", answer)[:90])
    print(
        "\nall seeds:",
        {name: [round(each, 3) for each in values] for name, values in found.items()},
    )
    assert statistics.mean(found["fact_retention"]) > statistics.mean(
        found["fact_retention of the base"]
    )
    assert min(found["judged as in torch"]) >= 0.98
