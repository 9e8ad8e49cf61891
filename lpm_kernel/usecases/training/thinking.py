"""Having a model that thinks word what a training teaches to think before its answers, row by row,
each thought kept as it comes.

It goes before measuring, behind the wording of questions. Killed, it goes on where it stood. Where
the model cannot answer about a row, or what it says brings in anything of its own, the rule's
thought stays. A model on another machine is asked about nothing of a training that learned
something private.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.domain.training.runs import Audience, Example, ReasoningVariant, Run
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError
from lpm_kernel.L2.thought_by_model import asked, key
from lpm_kernel.usecases.training.material import is_sealed, material_of
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.prepare import remake
from lpm_kernel.usecases.training.rows import THOUGHTS, cut_off, examples_in, wordings_in

GIVEN_UP = 3
"""Rows in a row about which the model could not be asked, after which it is asked no more."""


class ThinkingModel(Protocol):
    """A model that thinks, and where."""

    @property
    def model(self) -> LanguageModel:
        """The model."""
        ...

    @property
    def here(self) -> bool:
        """Whether it is on this machine."""
        ...


Thinking = Callable[[], AbstractContextManager[ThinkingModel | None]]
"""Brings it up; ``None`` where none is chosen. Raises ``ModelUnavailableError``."""


def think(ports: TrainingPorts, run: Run, thinking: Thinking, progress: Progress) -> Run:
    """Ask about every row that is thought about and was not asked about, and make the rows anew
    with what came. Where the model cannot be brought up, the rules' thoughts stay.
    """
    variant = ReasoningVariant(run.settings.get("reasoning", "none"))
    by_model = run.settings.get("thoughts") == "model"
    if not by_model or variant is ReasoningVariant.NONE or run.estimate is not None:
        return run
    try:
        with thinking() as thinker:
            if thinker is None or not (thinker.here or is_open(ports, run)):
                return run
            # what was sealed or erased since it was prepared is in no row any more
            run = remake(ports, run, material_of(ports, run))
            _ask_about_rows(_Asking(ports, run, variant, thinker.model), progress)
    except ModelUnavailableError:
        return run
    return remake(ports, run, material_of(ports, run))


def is_open(ports: TrainingPorts, run: Run) -> bool:
    """Tell whether nothing private is in a training, so that its rows may be sent elsewhere."""
    return run.audience is not Audience.OWNER and not is_sealed(ports, run)


@dataclass(frozen=True)
class _Asking:
    """What is asked, of whom, for which training."""

    ports: TrainingPorts
    run: Run
    variant: ReasoningVariant
    model: LanguageModel


def _ask_about_rows(asking: _Asking, progress: Progress) -> None:
    place = asking.ports.folder / asking.run.id
    cut_off(place / THOUGHTS)
    known = wordings_in(place, THOUGHTS)
    rows = [row for row in examples_in(place / "rows.jsonl") if row.thought]
    missed = 0
    with (place / THOUGHTS).open("a", encoding="utf-8") as handle:
        for done, row in enumerate(rows):
            if missed == GIVEN_UP:
                break
            progress(0.04 * done / len(rows), "think", f"Thoughts about {done} of {len(rows)} rows")
            name = key(row, asking.variant)
            if name in known:
                continue
            answer = _answer(asking, row)
            missed = missed + 1 if answer is None else 0
            if answer is not None:
                known[name] = answer
                handle.write(json.dumps({"key": name, "answer": answer}, ensure_ascii=False) + "\n")
                handle.flush()


def _answer(asking: _Asking, row: Example) -> str | None:
    """Return what the model says; nothing where this cannot be asked, ``None`` where it could not
    answer now.
    """
    try:
        messages, sampling = asked(row, asking.variant)
        return "".join(delta.text for delta in asking.model.stream(messages, sampling))
    except (PromptTooLongError, InvalidInputError):
        return ""
    except ModelUnavailableError:
        return None
