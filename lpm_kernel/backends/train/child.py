"""Training in a process of its own: torch takes seconds to import and gigabytes to run, and a
training that dies takes nothing along.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from lpm_kernel.domain.training.runs import LOG, Learned, adapter_in
from lpm_kernel.errors import OutOfMemoryError, TrainingFailedError, UnavailableError

LOOK_EVERY = 0.25
"""Seconds between two looks at what the recipe wrote."""
LEAVE_WITHIN = 20.0
"""Seconds in which a recipe that was asked to stop writes its checkpoint; then it is killed, and
the checkpoint before it counts.
"""
LAST_LINES = 30
_NO_MEMORY = ("MemoryError", "out of memory", "can't allocate memory", "not enough memory")


class ChildTrainer:
    """Runs the recipes."""

    id = "trl/1"

    def __init__(self, devices: int = 0) -> None:
        """``devices`` is how many may learn together at most; 0: as many as there are."""
        self._devices = devices

    @staticmethod
    def is_there() -> bool:
        """Tell whether what trains is installed, without importing it."""
        return all(
            importlib.util.find_spec(name) is not None
            for name in ("torch", "transformers", "trl", "peft")
        )

    def measure(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Take three steps and return what the whole would need: seconds, steps, peak_bytes,
        device.
        """
        with suppress(FileNotFoundError):
            (run / "estimate.json").unlink()
        self._follow(run, self._shared("sft", run, run / "recipe.json", "--measure"), said)
        found: dict[str, Any] = json.loads((run / "estimate.json").read_text("utf-8"))
        return found

    def learn(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn, going on from what is there, and return steps, seconds and peak_bytes. What
        ``said`` raises stops it with a checkpoint.
        """
        with suppress(FileNotFoundError):
            (run / "stop").unlink()
        self._follow(run, self._shared("sft", run, run / "recipe.json"), said)
        found: dict[str, Any] = json.loads((run / "outcome.json").read_text("utf-8"))
        return found

    def prefer(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn from pairs which answers are better, going on from what is there."""
        place = run / "dpo"
        place.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):
            (place / "stop").unlink()
        self._follow(place, self._shared("dpo", run, run / "dpo.json"), said)
        found: dict[str, Any] = json.loads((place / "outcome.json").read_text("utf-8"))
        return found

    def export(self, adapter: Path, target: Path, base: Path, name: str) -> None:
        """Write the adapter as llama.cpp reads it."""
        self._follow(
            target.parent,
            [
                "export",
                "adapter",
                str(adapter),
                str(target),
                "--base",
                str(base),
                "--name",
                name,
            ],
            lambda _: None,
        )

    def merge(
        self,
        run: Path,
        base: Path,
        target: Path,
        kind: str,
        scale: float,
        said: Callable[[Learned], None],
    ) -> Path:
        """Write base and adapter as one model of their own. There is no half of it to keep: what
        ``said`` raises ends it at once.
        """
        command = [
            "export",
            "merge",
            str(adapter_in(run)),
            str(base),
            str(target),
            "--type",
            kind,
            "--scale",
            str(scale),
            "--name",
            run.name,
        ]
        self._follow(run, command, said, leave_within=0.0)
        return target

    def _shared(self, recipe: str, run: Path, settings: Path, *more: str) -> list[str]:
        """Return how a recipe is run: by `accelerate launch` where several devices can share its
        batch evenly.
        """
        given = json.loads(settings.read_text("utf-8"))
        if recipe == "sft" and _learns_by_mlx(given):
            return ["mlx", str(run), *more]
        there = self._devices or _devices_there(str(given.get("device", "auto")))
        count = most_sharing(int(given["batch"]), there) if given.get("batch") else 1
        alone = [recipe, str(run), *more]
        return ["launch", str(count), *alone] if count > 1 else alone

    def _follow(
        self,
        run: Path,
        command: list[str],
        said: Callable[[Learned], None],
        leave_within: float = LEAVE_WITHIN,
    ) -> None:
        """Run a recipe and hand on what it writes, line by line. Raises ``TrainingFailedError``."""
        if not self.is_there():
            raise UnavailableError(
                "The training software is not installed.",
                "Run `make setup` again; it installs torch, trl and peft.",
            )
        recipe, *rest = command
        progress = run / "progress.jsonl"
        at = progress.stat().st_size if progress.exists() else 0
        log = run / LOG
        began = log.stat().st_size if log.exists() else 0
        with (
            log.open("ab") as errors,
            self._child(
                [sys.executable, "-m", f"lpm_kernel.L2.recipes.{recipe}", *rest], errors
            ) as child,
        ):
            try:
                while child.poll() is None:
                    time.sleep(LOOK_EVERY)
                    at = self._hand_on(progress, at, said)
                    said(Learned())
            except BaseException:
                if leave_within:
                    (run / "stop").touch()
                    with suppress(subprocess.TimeoutExpired):
                        child.wait(leave_within)
                raise
        self._hand_on(progress, at, said)
        if child.returncode:
            words = log.read_bytes()[began:].decode("utf-8", "replace")
            raise (
                _refused(words)
                if recipe == "export" and child.returncode == 1
                else _failure(words, child.returncode)
            )

    @staticmethod
    @contextmanager
    def _child(command: list[str], errors: Any) -> Iterator[subprocess.Popen[bytes]]:  # noqa: ANN401 - an open file
        """Run it, and let it not outlive this."""
        # its log is read by people
        env = {
            **os.environ,
            "LPM_PARENT": str(os.getpid()),
            "TQDM_DISABLE": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        }
        child = subprocess.Popen(  # noqa: S603  our own recipe
            command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, env=env
        )
        try:
            yield child
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()

    @staticmethod
    def _hand_on(progress: Path, at: int, said: Callable[[Learned], None]) -> int:
        """Hand on the whole lines that came since."""
        if not progress.exists():
            return at
        with progress.open("rb") as handle:
            handle.seek(at)
            new = handle.read()
        whole = new[: new.rfind(b"\n") + 1]
        for line in whole.splitlines():
            row = json.loads(line)
            said(
                Learned(
                    row.get("step", 0),
                    row.get("of", 0),
                    row.get("loss"),
                    row.get("held_out"),
                    row.get("seconds"),
                )
            )
        return at + len(whole)


def _learns_by_mlx(given: Mapping[str, Any]) -> bool:
    """Tell whether a training is left to MLX: on Apple Silicon, where it is installed and no other
    device was chosen. It reads folders alone.
    """
    return (
        sys.platform == "darwin"
        and platform.machine() == "arm64"
        and given.get("device", "auto") in ("auto", "mps")
        and importlib.util.find_spec("mlx_lm") is not None
        and Path(str(given.get("base", ""))).is_dir()
    )


def most_sharing(batch: int, devices: int) -> int:
    """Return how many of these devices can share a batch evenly, so that a step sees the whole of
    it and no more.

    >>> [most_sharing(16, 3), most_sharing(2, 8), most_sharing(7, 4), most_sharing(16, 8)]
    [2, 2, 1, 8]
    """
    return next(count for count in range(max(1, devices), 0, -1) if batch % count == 0)


@cache
def _devices_there(device: str) -> int:
    """Count the GPUs, in a process of its own; without a driver nobody is asked."""
    if device not in {"auto", "cuda"} or not any(map(shutil.which, ("nvidia-smi", "rocm-smi"))):
        return 1
    asked = "from lpm_kernel.L2.recipes.launch import devices_there; print(devices_there())"
    told = subprocess.run(  # noqa: S603  our own recipe
        [sys.executable, "-c", asked], capture_output=True, text=True, check=False
    )
    return int(told.stdout) if told.returncode == 0 else 1


def _refused(words: str) -> TrainingFailedError:
    """Say why nothing was exported, in the recipe's sentence: it names files and layers, and no
    row.
    """
    said = words.strip().rpartition("\n")[2]
    return TrainingFailedError(said[:400] or "It could not be written.", "")


def _failure(words: str, code: int) -> TrainingFailedError:
    """Say what happened, from what the recipe left; its words stay in the log, since they may quote
    a row.
    """
    last = "\n".join(words.splitlines()[-LAST_LINES:]).lower()
    if code in (-9, 137) or any(sign.lower() in last for sign in _NO_MEMORY):
        return OutOfMemoryError(
            "There was not enough memory.",
            "Close other programs, and continue; what was learned until the last checkpoint is"
            " kept. Or prepare another training, with a lower rank or of a smaller model.",
        )
    if "no space left" in last:
        return TrainingFailedError(
            "The disk is full.",
            "Free some space and continue; what was learned until the last checkpoint is kept.",
        )
    if "this machine has no device" in last:
        return TrainingFailedError(
            "This machine has no device of that kind that torch can use.",
            "Leave the device to the node (setting `device`: auto).",
        )
    return TrainingFailedError(
        "The training stopped with an error.",
        "Its log says where. What was learned until the last checkpoint is kept; you can continue.",
    )
