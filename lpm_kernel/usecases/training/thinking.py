"""Having a model that thinks word what a training teaches to think before its answers, row by row,
each thought kept as it comes.

It goes before measuring, behind the wording of questions. Killed, it goes on where it stood. Where
the model cannot answer about a row, or what it says brings in anything of its own, the rule's
thought stays, and beside the training stands how many did. A model on another machine is asked
about nothing of a training that learned something private.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Protocol

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.domain.training.runs import Audience, Example, ReasoningVariant, Run
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError
from lpm_kernel.L2.thought_by_model import asked, key, read
from lpm_kernel.usecases.training.material import is_sealed, material_of
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.prepare import remake
from lpm_kernel.usecases.training.rows import (
    THOUGHTS,
    cut_off,
    examples_in,
    wordings_in,
    write_whole,
)

SEALED = "It was not asked, because something private is among the rows and it is elsewhere."
GIVEN_UP = 3
"""Rows in a row about which the model could not be asked, after which it is asked no more."""
THOUGHT = "thought.json"
"""In the folder of a training: what came of having a model think."""


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

    @property
    def host(self) -> str:
        """Where it is; empty for one that is not reached over HTTP."""
        ...


Thinking = Callable[[], AbstractContextManager[ThinkingModel | None]]
"""Brings it up; ``None`` where none is chosen. Raises ``ModelUnavailableError``."""


@dataclass(frozen=True)
class ThoughtByModel:
    """What came of it."""

    host: str
    here: bool
    rows: int
    """That are thought about."""
    sent: int
    """Rows that were asked about."""
    thought: int
    """Whose thought is the model's; the others have the rule's."""
    problem: str = ""
    """Why it was not asked, or asked no more."""

    def sentence(self) -> str:
        """Say it.

        >>> ThoughtByModel("", True, 8, 8, 6).sentence()
        'The model that thinks worded the thoughts of 6 of 8 rows. The others have theirs by rule.'
        """
        who = self.host or "The model that thinks"
        problem = f" {self.problem}" if self.problem else ""
        rest = " The others have theirs by rule." if self.thought < self.rows else ""
        return (
            f"{who} worded the thoughts of {self.thought:,} of {self.rows:,} rows.{problem}{rest}"
        )


def thought_in(place: Path) -> ThoughtByModel | None:
    """Return what came of it; ``None`` where no model was to think."""
    file = place / THOUGHT
    if not file.exists():
        return None
    known = json.loads(file.read_text("utf-8"))
    return ThoughtByModel(**{field.name: known[field.name] for field in fields(ThoughtByModel)})


def think(ports: TrainingPorts, run: Run, thinking: Thinking, progress: Progress) -> Run:
    """Ask about every row that is thought about and was not asked about, and make the rows anew
    with what came. Where the model cannot be brought up, the rules' thoughts stay.
    """
    variant = ReasoningVariant(run.settings.get("reasoning", "none"))
    by_model = run.settings.get("thoughts") == "model"
    if not by_model or variant is ReasoningVariant.NONE or run.estimate is not None:
        return run
    place = ports.folder / run.id
    # what was sealed or erased since it was prepared is in no row any more
    run = remake(ports, run, material_of(ports, run))
    asking = _Asking(ports, run, variant)
    try:
        with thinking() as thinker:
            if thinker is None:
                return run
            asking.host, asking.here = thinker.host, thinker.here
            if thinker.here or is_open(ports, run):
                _ask_about_rows(asking, thinker.model, progress)
            else:
                asking.problem = SEALED
    except ModelUnavailableError as error:
        asking.problem = f"{error.detail} {error.hint}".strip()
    run = remake(ports, run, material_of(ports, run))
    _note(place, asking)
    return run


def is_open(ports: TrainingPorts, run: Run) -> bool:
    """Tell whether nothing private is in a training, so that its rows may be sent elsewhere."""
    return run.audience is not Audience.OWNER and not is_sealed(ports, run)


@dataclass
class _Asking:
    """What is asked, of whom, for which training, and how it goes."""

    ports: TrainingPorts
    run: Run
    variant: ReasoningVariant
    host: str = ""
    here: bool = True
    sent: int = 0
    problem: str = ""


def _note(place: Path, asking: _Asking) -> None:
    """Note beside a training what came of it; one that was killed counts what went before it."""
    said, before = wordings_in(place, THOUGHTS), thought_in(place)
    rows = [row for row in examples_in(place / "rows.jsonl") if row.thought]
    record = ThoughtByModel(
        asking.host,
        asking.here,
        len(rows),
        max(asking.sent + (before.sent if before else 0), len(said)),
        sum(row.thought == read(said.get(key(row, asking.variant), "")) for row in rows),
        asking.problem,
    )
    write_whole(place / THOUGHT, json.dumps(asdict(record), ensure_ascii=False))


def _ask_about_rows(asking: _Asking, model: LanguageModel, progress: Progress) -> None:
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
            if not (asking.here or is_open(asking.ports, asking.run)):
                asking.problem = SEALED  # made private meanwhile
                break
            answer = _answer(asking, model, row)
            missed = missed + 1 if answer is None else 0
            if answer is not None:
                known[name] = answer
                handle.write(json.dumps({"key": name, "answer": answer}, ensure_ascii=False) + "\n")
                handle.flush()


def _answer(asking: _Asking, model: LanguageModel, row: Example) -> str | None:
    """Return what the model says; nothing where this cannot be asked, ``None`` where it could not
    answer now.
    """
    asking.sent += 1
    try:
        messages, sampling = asked(row, asking.variant)
        return "".join(delta.text for delta in model.stream(messages, sampling))
    except (PromptTooLongError, InvalidInputError):
        return ""
    except ModelUnavailableError as error:
        asking.problem = f"{error.detail} {error.hint}".strip()
        return None
