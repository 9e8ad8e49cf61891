"""Supervised fine-tuning on Apple Silicon: the recipe of ``sft.py``, learned by mlx-lm.

    python -m lpm_kernel.L2.recipes.mlx RUN            # learn, or go on where it stood
    python -m lpm_kernel.L2.recipes.mlx RUN --measure  # three steps: what would the whole need?

RUN is the same folder, and what comes out is the same: ``progress.jsonl``, ``estimate.json``,
``adapter/`` as PEFT keeps it, and ``outcome.json``. Answers to sample questions are not given while
it learns. mlx-lm is started by its documented command (``python -m mlx_lm lora --config FILE``) and
read line by line; it reads a Hugging Face folder, no GGUF file.

Where it goes on, the optimiser begins anew: mlx-lm keeps the weights of an adapter alone.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

from lpm_kernel.L2.recipes.loop.folder import alone, append, rows_in, write
from lpm_kernel.L2.recipes.loop.machine import division
from lpm_kernel.L2.recipes.loop.settings import LoopSettings, command
from lpm_kernel.L2.recipes.mlx.adapter import MLX_WEIGHTS, to_mlx, to_peft

LAYERS: Final = (
    *(f"self_attn.{name}_proj" for name in "qkvo"),
    *(f"mlp.{name}_proj" for name in ("gate", "up", "down")),
)
"""What is learned on: all linear layers of a block, as Llama, Qwen and Mistral name them."""
LONGEST: Final = 2048
"""Tokens of a row."""
MEASURED_STEPS: Final = 3

_LOSS: Final = re.compile(r"Iter (?P<at>\d+): (?P<which>Train|Val) loss (?P<loss>[\d.]+)")
_PEAK: Final = re.compile(r"Peak mem (?P<peak>[\d.]+) GB")


@dataclass(frozen=True)
class MlxRecipe(LoopSettings):
    """What is trained, and how: the settings of ``sft.py``."""

    file: ClassVar[str] = "recipe.json"

    start: str | None = None
    rank: int = 16
    alpha: int = 32
    strength: float = 1.0
    dropout: float = 0.0
    samples: tuple[str, ...] = field(default=())

    def over(self, rows: int) -> tuple[int, int, int]:
        """Return rows at once, how many times a step, and steps."""
        at_once, times = division(self.batch, self.micro_batch, 1)
        return at_once, times, self.steps_over(rows)


def main(given: list[str] | None = None) -> None:
    """Run one training, or measure it."""
    run, only_measured = command(
        "lpm_kernel.L2.recipes.mlx", "Teach a language model by MLX.", given
    )
    recipe = MlxRecipe.read(run)
    if not Path(recipe.base).is_dir():
        raise SystemExit("MLX reads a Hugging Face folder; this base is another file.")
    with alone(run):
        if only_measured:
            _measure(run, recipe)
        elif not (run / "outcome.json").exists():
            _learn(run, recipe)


def settings_of(run: Path, recipe: MlxRecipe, rows: int, done: int, steps: int) -> dict[str, Any]:
    """Return mlx-lm's settings for the steps after ``done``, up to ``steps``. It counts
    micro-batches where the recipe counts steps.
    """
    at_once, times, _ = recipe.over(rows)
    place = run / "mlx"
    going_on = place / "adapter" / MLX_WEIGHTS
    start = place / "start" / MLX_WEIGHTS
    resumed = going_on if done else start if recipe.start else None
    return {
        "model": recipe.base,
        "train": True,
        "fine_tune_type": "lora",
        "data": str(place / "data"),
        "adapter_path": str(place / "adapter"),
        "resume_adapter_file": None if resumed is None else str(resumed),
        "seed": recipe.seed + done,
        "num_layers": -1,
        "mask_prompt": True,
        "max_seq_length": LONGEST,
        "learning_rate": recipe.learning_rate,
        "optimizer": "adamw",
        "batch_size": at_once,
        "grad_accumulation_steps": times,
        "iters": (steps - done) * times,
        "steps_per_report": times,
        "steps_per_eval": recipe.checkpoint_every * times,
        "save_every": recipe.checkpoint_every * times,
        "val_batches": -1,
        "test": False,
        "lora_parameters": {
            "keys": list(LAYERS),
            "rank": recipe.rank,
            "scale": recipe.alpha * recipe.strength / recipe.rank,
            "dropout": recipe.dropout,
        },
    }


def told(line: str, times: int) -> dict[str, float] | None:
    """Read a line of mlx-lm's: at which step, and the loss; ``None`` for another.

    >>> told("Iter 8: Train loss 1.250, Learning Rate 1.0e-05, It/sec 2.0, Peak mem 3.2 GB", 4)
    {'step': 2, 'loss': 1.25}
    >>> told("Iter 1: Val loss 2.5, Val took 1.0s", 4)
    {'step': 0, 'held_out': 2.5}
    """
    found = _LOSS.search(line)
    if found is None:
        return None
    name = "loss" if found["which"] == "Train" else "held_out"
    return {"step": int(found["at"]) // times, name: float(found["loss"])}


def _prepare(run: Path, recipe: MlxRecipe) -> int:
    """Write the rows as mlx-lm reads them, and return how many are learned."""
    data = run / "mlx" / "data"
    data.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, target in (("examples", "train"), ("held_out", "valid")):
        rows = list(rows_in(run / f"{name}.jsonl"))
        count = count or len(rows)
        with (data / f"{target}.jsonl").open("w", encoding="utf-8") as handle:
            for row in rows:
                said = {"messages": [*row["prompt"], *row["completion"]]}
                handle.write(json.dumps(said, ensure_ascii=False) + "\n")
    if recipe.start:
        to_mlx(Path(recipe.start), run / "mlx" / "start")
    return count


def _lines(run: Path, settings: Mapping[str, Any]) -> Iterator[str]:
    """Run mlx-lm and give what it writes. A file ``stop`` in the folder ends it. Raises
    ``SystemExit``.
    """
    file = run / "mlx" / "settings.yaml"
    file.write_text(json.dumps(settings), "utf-8")  # JSON is YAML
    asked = [sys.executable, "-m", "mlx_lm", "lora", "--config", str(file)]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=None, text=True) as child:  # noqa: S603 - our own settings
        for line in child.stdout or ():
            print(line, end="")  # noqa: T201 - the log of the training
            yield line
            if (run / "stop").exists():
                child.terminate()
                return
    if child.returncode:
        raise SystemExit(f"mlx-lm ended with {child.returncode}.")


def _learn(run: Path, recipe: MlxRecipe) -> None:
    rows = _prepare(run, recipe)
    _, times, steps = recipe.over(rows)
    noted = run / "mlx" / "done.json"
    done = json.loads(noted.read_text("utf-8"))["steps"] if noted.exists() else 0
    started, last, peak = time.monotonic(), time.monotonic(), 0.0
    for line in _lines(run, settings_of(run, recipe, rows, done, steps)) if done < steps else ():
        peak = max(peak, *(float(each) for each in _PEAK.findall(line)), 0.0)
        row = told(line, times)
        if row is None:
            if "Saved adapter weights" in line:
                write(noted, {"steps": done + last_step(run, done)})
            continue
        now = time.monotonic()
        seconds = {"seconds": round(now - last, 2)} if "loss" in row else {}
        last = now
        append(run / "progress.jsonl", {**row, "step": done + row["step"], "of": steps, **seconds})
    if (run / "stop").exists():
        return
    scratch = run / ".adapter"
    shutil.rmtree(scratch, ignore_errors=True)
    to_peft(run / "mlx" / "adapter", scratch, recipe.base)
    shutil.rmtree(run / "adapter", ignore_errors=True)
    scratch.rename(run / "adapter")
    spent = round(time.monotonic() - started, 1)
    write(run / "outcome.json", {"steps": steps, "seconds": spent, "peak_bytes": round(peak * 1e9)})
    shutil.rmtree(run / "mlx", ignore_errors=True)


def last_step(run: Path, done: int) -> int:
    """Return the last step that was noted, counted from ``done``."""
    learned = [row["step"] for row in rows_in(run / "progress.jsonl") if "loss" in row]
    return max(0, learned[-1] - done) if learned else 0


def _measure(run: Path, recipe: MlxRecipe) -> None:
    rows = _prepare(run, recipe)
    _, _, steps = recipe.over(rows)
    started, peak = time.monotonic(), 0.0
    for line in _lines(run, settings_of(run, recipe, rows, 0, MEASURED_STEPS)):
        peak = max(peak, *(float(each) for each in _PEAK.findall(line)), 0.0)
    each = (time.monotonic() - started) / MEASURED_STEPS
    estimate = {"steps": steps, "seconds": round(each * steps), "peak_bytes": round(peak * 1e9)}
    write(run / "estimate.json", {**estimate, "device": "mlx"})
    shutil.rmtree(run / "mlx", ignore_errors=True)


if __name__ == "__main__":
    main()
