"""The twin of what teaches the reader: it walks the steps and learns nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lpm_kernel.backends.embed.reading import LiteralReader
from lpm_kernel.domain.training.reading import ReadingExample, ReadWindow
from lpm_kernel.domain.training.runs import Learned


class ScriptedReaderTrainer:
    """Writes down what it was given, and reads by the words that question and text share."""

    base = "literal-reader/1"
    recipe: Mapping[str, Any] = {"steps": 2}

    def prepare(self, run: Path, examples: Sequence[ReadingExample]) -> None:
        """Write into a folder how much there is to learn."""
        (run / "recipe.json").write_text(json.dumps({"examples": len(examples)}), "utf-8")

    def learn(self, run: Path, said: Callable[[Learned], None]) -> None:
        """Walk the steps; one that was walked is not walked again."""
        walked = run / "steps"
        for step in range(int(walked.read_text()) if walked.exists() else 0, self.recipe["steps"]):
            said(Learned(step + 1, self.recipe["steps"]))
            walked.write_text(str(step + 1))

    def finish(self, run: Path) -> Path:
        """Write what stands for weights."""
        target = run / "reader.npz"
        target.write_text("learned", "utf-8")
        return target

    def papers(self) -> list[ReadingExample]:
        """Return one question to a paper."""
        windows = (ReadWindow("Mai lent me the ladder.", (0, 3)), ReadWindow("It rained."))
        return [ReadingExample("Who lent me the ladder?", windows)]

    def reader(self, weights: Path | None = None) -> LiteralReader:  # noqa: ARG002 - the port's
        """Return the twin of a reader, whatever was learned."""
        return LiteralReader()
