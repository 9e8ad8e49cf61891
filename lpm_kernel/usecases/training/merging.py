"""A training as a whole model of its own: the base with what was learned in its weights, in one
file that other programs read.

The file lies in the training's folder, so that it goes when the training goes, or where the person
says. It is whole or not there, and says what it needs before it begins.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.training.runs import Learned, Run, RunState
from lpm_kernel.errors import ConflictError, InvalidInputError, NotEnoughSpaceError
from lpm_kernel.usecases.training.ports import TrainingBase, TrainingPorts

KINDS: Mapping[str, float] = {"f16": 2.0, "q8_0": 34 / 32}
"""How numbers are kept, and how many bytes each takes: blocks of 32 share a scale of two bytes in
q8_0.
"""
BESIDES = 1.02
"""Vocabulary, names and the norms, which stay whole, as a share of the rest."""


def merged_in(place: Path) -> dict[str, Path]:
    """Return the whole models that lie ready in a training's folder, by kind."""
    return {kind: file for kind in KINDS if (file := _file(place, kind)).is_file()}


def merge(
    ports: TrainingPorts,
    run: Run,
    base: TrainingBase,
    kind: str,
    progress: Progress,
    target: Path | None = None,
) -> Path:
    """Write base and adapter as one model; without a target into the training's folder.

    Raises ``ConflictError`` for a training that has no weights to give, ``InvalidInputError`` for a
    place that cannot be written, ``NotEnoughSpaceError``, and ``TrainingFailedError``.
    """
    out = target or _file(ports.folder / run.id, kind)
    expected = check(ports, run, base, kind, out)

    def said(_: Learned) -> None:
        written = sum(part.stat().st_size for part in _parts(out))
        progress(
            min(0.99, written / max(1, expected)),
            "merge",
            f"{written / 1e6:.0f} of about {expected / 1e6:.0f} MB",
        )

    try:
        return ports.trainer.merge(ports.folder / run.id, base.serves, out, kind, 1.0, said)
    finally:
        for part in _parts(out):
            part.unlink(missing_ok=True)  # of a writer that was killed


def check(
    ports: TrainingPorts, run: Run, base: TrainingBase, kind: str, out: Path | None = None
) -> int:
    """Say how many bytes a model will have, where it can be written at all. Raises as ``merge``
    does.
    """
    out = out or _file(ports.folder / run.id, kind)
    if kind not in KINDS:
        raise InvalidInputError(
            f"A model cannot be exported as “{kind[:20]}”.", f"It is one of {', '.join(KINDS)}."
        )
    if run.state is RunState.TAINTED:
        raise ConflictError(
            "The weights of this training are gone.",
            "Train again; what it learned from is still here, except what was erased.",
        )
    if run.state is not RunState.READY or not (ports.folder / run.id / "adapter").is_dir():
        raise ConflictError(
            "This training is not ready to be exported.", "Let the training finish first."
        )
    if run.base != base.name:
        raise ConflictError(
            f"This training belongs to {run.base.partition('@')[0]}, and another model is in use"
            " now.",
            "Use that model again, then export.",
        )
    if not out.parent.is_dir():
        raise InvalidInputError(
            f"There is no folder {out.parent}.", "Create it first, or choose another place."
        )
    parameters, serves = base.bytes / 4, base.serves.stat().st_size if base.serves.is_file() else 0
    # What the adapter does not change stays in the base's own type, which may take more.
    expected = round(BESIDES * max(parameters * KINDS[kind], serves))
    free = shutil.disk_usage(out.parent).free
    if expected > free:
        raise NotEnoughSpaceError(
            expected,
            free,
            "Free some space, choose another place with `--to`, or take q8_0, half of f16.",
        )
    return expected


def _file(place: Path, kind: str) -> Path:
    return place / f"merged-{kind}.gguf"


def _parts(out: Path) -> list[Path]:
    """Return what is being written: under another name until it is whole."""
    return [
        path
        for path in out.parent.iterdir()
        if path.name.startswith(f".{out.name}.") and path.suffix == ".part"
    ]
