"""The twin of a trainer: walks the same steps, writes the same files, and learns nothing."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lpm_kernel.domain.training.runs import LOG, Learned
from lpm_kernel.errors import TrainingFailedError

STEPS_AT_ONCE = 16


class ScriptedTrainer:
    """Says that the loss falls. ``fails_at`` is a step at which it breaks down, once."""

    id = "scripted/1"

    def __init__(self, *, pause: float = 0.0, fails_at: int = 0) -> None:
        self.pause, self.fails_at = pause, fails_at

    def measure(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Give what the whole would need, as if it had been measured."""
        said(Learned())
        return {
            "seconds": self._steps(run) * max(self.pause, 0.01),
            "steps": self._steps(run),
            "peak_bytes": 100_000_000,
            "device": "none",
        }

    def learn(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Walk the steps, from where it stopped."""
        came = run / "outcome.json"
        if came.exists():
            return dict(json.loads(came.read_text("utf-8")))
        of, at = self._steps(run), self._at(run)
        samples = json.loads((run / "recipe.json").read_text("utf-8")).get("samples", [])
        if not at:
            self._answer(run, samples, 0, "I do not know you yet.")
        for step in range(at + 1, of + 1):
            time.sleep(self.pause)
            row = {
                "step": step,
                "of": of,
                "loss": round(0.05 + 2.5 * math.exp(-3 * step / of), 4),
                "seconds": self.pause,
            }
            with (run / "progress.jsonl").open("a") as handle:
                handle.write(json.dumps(row) + "\n")
            with (run / LOG).open("a") as handle:
                handle.write(f"step {step} of {of}: loss {row['loss']}\n")
            if step == self.fails_at:
                self.fails_at = 0
                raise TrainingFailedError(
                    "There was not enough memory.",
                    "Go on with smaller micro-batches (setting `micro_batch_size`), or end"
                    " other programs first.",
                )
            said(Learned(step, of, row["loss"], None, self.pause))
        self._answer(run, samples, of, "I have learned it.")
        (run / "adapter").mkdir(exist_ok=True)
        outcome = {"steps": of, "seconds": of * self.pause, "peak_bytes": 100_000_000}
        part = came.with_suffix(".part")
        part.write_text(json.dumps(outcome), "utf-8")
        part.replace(came)
        return outcome

    def prefer(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Say that every pair that was held out is told apart now."""
        place = run / "dpo"
        (place / "adapter").mkdir(parents=True, exist_ok=True)
        said(Learned(1, 1, 0.5, None, self.pause))
        pairs = len((run / "pairs_held_out.jsonl").read_text("utf-8").splitlines())
        sides = {
            when: {
                name: {"value": value, "low": value, "high": value, "n": pairs}
                for name in ("accuracy", "margin")
            }
            for when, value in (("before", 0.5), ("after", 1.0), ("reward", 1.0))
        }
        return {"steps": 1, "seconds": self.pause, "held_out": {"pairs": pairs, **sides}}

    def export(self, adapter: Path, target: Path, base: Path, name: str) -> None:  # noqa: ARG002 - as the real one
        """Write a file that stands for the adapter: the hash of what was to be learned."""
        what = "examples.jsonl"
        if adapter.parent.name == "dpo":
            recipe = json.loads((target.parent / "dpo.json").read_text("utf-8"))
            what = recipe.get("pairs", "pairs.jsonl")
        learned = (target.parent / what).read_bytes()
        target.write_text("scripted " + hashlib.sha256(learned).hexdigest())

    def merge(
        self,
        run: Path,  # noqa: ARG002  as the real one
        base: Path,  # noqa: ARG002  as the real one
        target: Path,
        kind: str,
        scale: float,  # noqa: ARG002  as the real one
        said: Callable[[Learned], None],
    ) -> Path:
        """Write a file that stands for the merged model."""
        said(Learned())
        target.write_text(f"scripted {kind}")
        return target

    @staticmethod
    def _steps(run: Path) -> int:
        recipe = json.loads((run / "recipe.json").read_text("utf-8"))
        rows = len((run / "examples.jsonl").read_text("utf-8").splitlines())
        return int(
            recipe.get("steps")
            or math.ceil(rows / recipe.get("batch", STEPS_AT_ONCE)) * recipe.get("epochs", 3)
        )

    @staticmethod
    def _at(run: Path) -> int:
        file = run / "progress.jsonl"
        return (
            max(
                (json.loads(line).get("step", 0) for line in file.read_text().splitlines()),
                default=0,
            )
            if file.exists()
            else 0
        )

    @staticmethod
    def _answer(run: Path, samples: list[str], step: int, words: str) -> None:
        with (run / "samples.jsonl").open("a") as handle:
            for number, _ in enumerate(samples):
                handle.write(json.dumps({"step": step, "question": number, "answer": words}) + "\n")
