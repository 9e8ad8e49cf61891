"""Having a model word the questions of a training, statement by statement, each answer kept as it
comes.

It goes before measuring, while nothing is learned yet: rows stay as they are from then on. Killed,
it goes on where it stood. Where the model cannot answer about a statement, templates word its
questions; where it answers about none any more, the rest is left to the templates.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ports import ChatMessage, Sampling
from lpm_kernel.domain.training.runs import Run, Taught
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError
from lpm_kernel.L2.asked_by_model import asked, key
from lpm_kernel.L2.told import LONGEST, spoken
from lpm_kernel.usecases.training.material import material_of
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.prepare import remake
from lpm_kernel.usecases.training.rows import WORDINGS, cut_off, wordings_in

GIVEN_UP = 3
"""Statements in a row about which the model could not be asked, after which it is asked no more."""

Asking = Callable[[Sequence[ChatMessage], Sampling], str]
"""Raises ``ModelUnavailableError``, and ``PromptTooLongError`` or ``InvalidInputError`` for what
cannot be asked.
"""


def word(ports: TrainingPorts, run: Run, ask: Asking, progress: Progress) -> Run:
    """Ask about every statement that was not asked about, and make the rows anew with what came."""
    if run.settings.get("wording") != "model" or run.estimate is not None:
        return run
    place = ports.folder / run.id
    cut_off(place / WORDINGS)
    known = wordings_in(place)
    found = material_of(ports, run)
    wanted = {
        key(each, run.base, ports.name): each
        for each in map(spoken, found.taught)
        if len(each.text) <= LONGEST
    }
    missed = 0
    with (place / WORDINGS).open("a", encoding="utf-8") as handle:
        for done, (name, taught) in enumerate(wanted.items()):
            if missed == GIVEN_UP:
                break
            progress(
                0.04 * done / len(wanted),
                "word",
                f"Questions about {done} of {len(wanted)} statements",
            )
            if name in known:
                continue
            answer = _answer(ask, taught, ports.name)
            missed = missed + 1 if answer is None else 0
            if answer is not None:
                handle.write(json.dumps({"key": name, "answer": answer}, ensure_ascii=False) + "\n")
                handle.flush()
    return remake(ports, run, found)


def _answer(ask: Asking, taught: Taught, name: str) -> str | None:
    """Return what the model says; nothing where this cannot be asked, ``None`` where it could not
    answer now.
    """
    try:
        return ask(*asked(taught, name))
    except (PromptTooLongError, InvalidInputError):
        return ""
    except ModelUnavailableError:
        return None
