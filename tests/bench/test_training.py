"""What a training makes of a life, three seeds, with the bundled model. Run by `make bench`; each seed takes a quarter of an hour and more.

Every open fact of the life is kept as a statement, and asked in wordings that no row had; a private one is in the home
too, with a canary that nobody says by chance. Held up: what is remembered without retrieval, before and after; what is
said of things nobody told; what is said of private things; how much prose surprises it more. `LPM_LIFE` names another
life's folder (`facts.jsonl`, `questions.jsonl`), `LPM_SEEDS` how many trainings.

The aims that were set (90 % of unseen wordings, jointly with the rest) are out of reach of the bundled model: docs/adr/0011.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.backends.train.child import ChildTrainer
from lpm_kernel.domain.conversations import Identity
from lpm_kernel.domain.jobs import JobState
from lpm_kernel.domain.training import Run
from lpm_kernel.L0.analyse import unspaced
from lpm_kernel.L2.exam import right
from lpm_kernel.node import Node
from lpm_kernel.usecases.examine import answers_in, items_in

pytestmark = [pytest.mark.bench, pytest.mark.skipif(not ChildTrainer.is_there(), reason="torch, trl and peft are not installed")]

LIFE = Path(os.environ.get("LPM_LIFE") or Path(__file__).parents[1] / "data" / "lives" / "nagi")
SEEDS = range(1, 1 + int(os.environ.get("LPM_SEEDS") or 3))
CANARY = "The copper lark is kept under the seventh lantern."


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LIFE / name).read_text("utf-8").splitlines() if line.strip()]


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node.open(tmp_path / "home", communities="louvain", reflect="asked") as here:
        here.conversations.set_identity(Identity("Nagi Sorrel", languages=("en", "ja")))
        facts = lines("facts.jsonl")
        for private in (False, True):
            kept = [each["fact"] for each in facts if each["private"] == private] + ([CANARY] if private else [])
            here.add_text("## Retain\n\n" + "".join(f"- B {each}\n" for each in kept), title="Private" if private else "Kept", private=private)
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
    unknown = [{"question": each["question"]} for each in lines("questions.jsonl") if each.get("category") == "unanswerable"]
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in (*asked, *unknown))


def learned(node: Node, seed: int) -> tuple[Run, float]:
    run = node.prepare_training({"seed": seed, "exam_questions": 30}, questions=exam())
    started = time.monotonic()
    job = node.queue_training(run.id)
    node.run_jobs()
    assert node.jobs.get(job.id).state is JobState.SUCCEEDED, node.jobs.get(job.id).error
    return node.runs.get(run.id), time.monotonic() - started


def test_three_trainings_of_a_life(node: Node) -> None:
    found: dict[str, list[float]] = {}
    for seed in SEEDS:
        run, seconds = learned(node, seed)
        card = run.scorecard
        assert card is not None
        place = node.home.versions / run.id
        items, answers = items_in(place / "exam.jsonl"), answers_in(place / "answers.jsonl")
        print(f"\nseed {seed}: {run.rows}, {run.outcome}, estimated {run.estimate}, {seconds:.0f} s in all")
        for arm, figures in card.arms.items():
            print(f"  {arm:14}", "  ".join(f"{name} {each.value:.3f} [{each.low:.2f} {each.high:.2f}] of {each.n}" for name, each in figures.items()))
        given = [each for each in answers if each.arm == "sft" and items[each.item].accept and items[each.item].memory]
        for name, wide in (("English", False), ("Japanese", True)):
            values = [each.value for each in given if unspaced(items[each.item].question) is wide]
            print(f"  {name}: {statistics.mean(values):.3f} of {len(values)}")
            found.setdefault(name, []).append(statistics.mean(values))
        for name in ("fact_retention", "abstention", "grounding", "perplexity_drift"):
            found.setdefault(name, []).append(card.arms["sft"][name].value)
            found.setdefault(f"{name} of the base", []).append(card.arms["base"][name].value)
        print(
            "  leaks:",
            {arm: card.arms[arm]["leak_rate"].value for arm in ("base", "sft")},
            "canary said:",
            sum("seventh lantern" in each.answer for each in answers if each.arm.startswith("sft")),
        )
        told = [
            (items[each.item].question, each.answer)
            for each in answers
            if each.arm == "sft" and items[each.item].accept and not right(items[each.item], each.answer)
        ]
        for question, answer in told[:6]:
            print("    ", question, "->", re.sub(r"\s+", " ", answer)[:90])
    print("\nall seeds:", {name: [round(each, 3) for each in values] for name, values in found.items()})
    assert statistics.mean(found["fact_retention"]) > statistics.mean(found["fact_retention of the base"])
