"""What a step of the recipe of preferences costs beside trl's own, with the bundled model. Run by
`make bench`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from lpm_kernel.backends.llm.weights import bundled_gguf
from lpm_kernel.backends.train.child import ChildTrainer
from lpm_kernel.L2.recipes.export.base import BaseMeasures
from lpm_kernel.L2.recipes.loop.folder import rows_in
from tests.adapters import write_peft_adapter

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(not ChildTrainer.is_there(), reason="torch, trl and peft are not installed"),
]

ROUNDS, STEPS = 2, 6
PAIR = {
    "prompt": [{"role": "user", "content": "Where do you keep the oil varnish in winter?"}],
    "chosen": [{"role": "assistant", "content": "Cellar, behind the stairs. It stays cool."}],
    "rejected": [
        {"role": "assistant", "content": "I am glad to say that I keep it in the cellar!"}
    ],
}


def folder(run: Path) -> Path:
    run.mkdir(parents=True)
    rows = [json.dumps({"id": f"{number:012}", "rule": "voice", **PAIR}) for number in range(16)]
    (run / "pairs.jsonl").write_text("\n".join(rows), "utf-8")
    recipe = {"base": str(bundled_gguf()), "batch": 4, "steps": STEPS, "checkpoint_every": STEPS}
    (run / "dpo.json").write_text(json.dumps(recipe), "utf-8")
    write_peft_adapter(
        run / "adapter", BaseMeasures.read(bundled_gguf()), seed=1, strength=0.01, rank=16
    )
    return run


def seconds_of(run: Path, module: str, *words: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-m", module, *words], capture_output=True, text=True, check=True
    )
    if module == "tests.bench.in_torch":
        found: list[float] = json.loads(done.stdout.splitlines()[-1])
        return found
    return [row["seconds"] for row in rows_in(run / "dpo/progress.jsonl") if "loss" in row][1:]


def test_a_step_costs_little_more_than_trls_own(tmp_path: Path) -> None:
    """By turns, since whatever else the machine does weighs on both."""
    ours: list[float] = []
    bare: list[float] = []
    for number in range(ROUNDS):
        run = folder(tmp_path / str(number))
        bare += seconds_of(run, "tests.bench.in_torch", "bare-dpo", str(run), str(STEPS))
        ours += seconds_of(run, "lpm_kernel.L2.recipes.dpo", str(run))
    ratio = statistics.median(ours) / statistics.median(bare)
    print(
        f"\na step: {statistics.median(ours):.2f} s, of trl's own {statistics.median(bare):.2f} s,"
        f" ratio {ratio:.2f}"
    )
    assert ratio <= 1.15
