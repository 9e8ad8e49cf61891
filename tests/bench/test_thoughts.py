"""What a life's training is worth that teaches a model to think before it answers, with the bundled
model: each variant beside one that answers at once. Run by `make bench`; a quarter of an hour and
more for each.

The life, the statements and the questions are those of `test_training.py`. `LPM_REASONING` names
the variants. Held up: what is remembered with and without a thought, whether the model that is
served thinks as it learned to, and that no sign of a thought stands in an answer.
"""

from __future__ import annotations

import os
import statistics

import pytest

from lpm_kernel.backends.train.child import ChildTrainer
from lpm_kernel.domain.ports import Sampling
from lpm_kernel.domain.thoughts import CLOSES, OPENS
from lpm_kernel.domain.training.runs import ReasoningVariant, Run
from lpm_kernel.L2.exam import Measure, right
from lpm_kernel.node import Node
from lpm_kernel.usecases.training.examination import as_asked, items_in
from tests.bench.test_training import alone, learned, node

__all__ = ["alone", "node"]  # fixtures

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(not ChildTrainer.is_there(), reason="torch, trl and peft are not installed"),
]

VARIANTS = [
    ReasoningVariant(each)
    for each in (os.environ.get("LPM_REASONING") or "none weak multi").split()
]
SHARE = 0.9
"""Of what is asked about the life: so often it thinks first."""


def asked(here: Node, run: Run) -> dict[str, float]:
    """Ask what is served about the life: how often it thinks first and then answers, how often a
    sign of a thought stands in the answer, and how often that is right.
    """
    adapter = here.training.adapter_of(run)
    name = here.ports.conversations.identity().name
    items = items_in(here.ports.home.versions / run.id / "exam.jsonl")
    about = [each for each in items if each.measure is Measure.FACT_RETENTION]
    found: dict[str, list[bool]] = {}
    for number, item in enumerate(about):
        sampling = Sampling(temperature=0.0, max_tokens=60, adapter=adapter)
        deltas = list(here.models.model.stream(as_asked(item, (), name), sampling))
        said = "".join(delta.text for delta in deltas)
        thought = "".join(delta.thought for delta in deltas)
        for what, holds in {
            "thinks": bool(thought.strip()),
            "answers": bool(said.strip()),
            "signs in answers": OPENS in said or CLOSES in said,
            "right": right(item, said),
            "right in thought": right(item, thought),
        }.items():
            found.setdefault(what, []).append(holds)
        if number % (len(about) // 6 or 1) == 0:
            print(f"    {item.question}\n      thinks: {thought!r}\n      says: {said!r}")
    return {what: statistics.mean(each) for what, each in found.items()}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_training_that_thinks(node: Node, variant: ReasoningVariant) -> None:
    run, seconds = learned(node, 1, reasoning=variant.value)
    assert run.scorecard is not None
    assert run.outcome is not None
    print(f"\n{variant}: {run.rows}, learned in {run.outcome['seconds']:.0f} s, {seconds:.0f} s")
    for arm, figures in run.scorecard.arms.items():
        print(
            f"  {arm:18}",
            "  ".join(
                f"{name} {each.value:.3f} [{each.low:.2f} {each.high:.2f}] of {each.n}"
                for name, each in figures.items()
            ),
        )
    shares = asked(node, run)
    print(" ", {what: round(share, 3) for what, share in shares.items()}, flush=True)
    assert shares["signs in answers"] == 0
    assert shares["answers"] >= SHARE
    assert variant is ReasoningVariant.NONE or shares["thinks"] >= SHARE
