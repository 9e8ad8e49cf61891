"""Having a model word the questions of a training, statement by statement, each answer kept as it
comes.

It goes before measuring, while nothing is learned yet: rows stay as they are from then on. Killed,
it goes on where it stood. Where the model cannot answer about a statement, templates word its
questions; where it answers about none any more, the rest is left to the templates. It is the model
in use, or an endpoint that the person named (``words_elsewhere.py``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ports import ChatMessage, LanguageModel, Sampling
from lpm_kernel.domain.training.runs import Run, Taught
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError
from lpm_kernel.L2.asked_by_model import asked, key, read
from lpm_kernel.L2.told import LONGEST, spoken
from lpm_kernel.usecases.training.material import material_of
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.prepare import asked_of, remake
from lpm_kernel.usecases.training.rows import WORDINGS, cut_off, wordings_in
from lpm_kernel.usecases.training.words_elsewhere import (
    WordedElsewhere,
    WordsEndpoint,
    consented_in,
    may_leave,
    note_worded,
    worded_in,
    words_endpoint,
)

GIVEN_UP = 3
"""Statements in a row about which the model could not be asked, after which it is asked no more."""

Asking = Callable[[Sequence[ChatMessage], Sampling], str]
"""Raises ``ModelUnavailableError``, and ``PromptTooLongError`` or ``InvalidInputError`` for what
cannot be asked.
"""


@dataclass
class _Asked:
    """How asking goes."""

    ask: Asking
    refused_too: bool
    """What refuses so many statements in a row is asked no more: an endpoint that cannot do what is
    asked of it would be sent all of them.
    """
    may: Callable[[Taught], bool] = lambda _: True
    """Looked at before each is asked about: what was made private meanwhile stays."""
    sent: int = 0
    missed: int = 0
    problem: str = ""

    def answer(self, taught: Taught, name: str) -> str | None:
        """Return what the model says; nothing where this cannot be asked, ``None`` where it could
        not answer now.
        """
        self.sent += 1
        try:
            said = self.ask(*asked(taught, name))
        except (PromptTooLongError, InvalidInputError) as error:
            self._miss(f"{error.detail} {error.hint}", counts=self.refused_too)
            return ""
        except ModelUnavailableError as error:
            self._miss(f"{error.detail} {error.hint}", counts=True)
            return None
        self.missed = 0
        return said

    def _miss(self, why: str, *, counts: bool) -> None:
        self.missed = self.missed + 1 if counts else 0
        self.problem = why.strip() if counts else self.problem

    @property
    def given_up(self) -> bool:
        """Whether it is asked no more."""
        return self.missed >= GIVEN_UP


def saying(model: LanguageModel) -> Asking:
    """Ask a model for the whole of an answer."""

    def say(messages: Sequence[ChatMessage], sampling: Sampling) -> str:
        return "".join(delta.text for delta in model.stream(messages, sampling))

    return say


def word(ports: TrainingPorts, run: Run, ask: Asking, progress: Progress) -> Run:
    """Ask about every statement that was not asked about, and make the rows anew with what came.
    ``ask`` asks the model in use; an endpoint that the training names is asked instead.
    """
    who = asked_of(ports, run)
    if who is None or run.estimate is not None:
        return run
    place = ports.folder / run.id
    found = material_of(ports, run)
    wanted = {
        key(each, who.id, who.name): each
        for each in map(spoken, found.taught)
        if len(each.text) <= LONGEST
    }
    endpoint = words_endpoint(run.settings)
    if endpoint is None:
        _ask_all(_Asked(ask, refused_too=False), place, wanted, who.name, progress)
    else:
        _ask_elsewhere(ports, endpoint, place, wanted, progress)
    return remake(ports, run, material_of(ports, run))


def _ask_elsewhere(
    ports: TrainingPorts,
    endpoint: WordsEndpoint,
    place: Path,
    wanted: Mapping[str, Taught],
    progress: Progress,
) -> None:
    """Ask the endpoint about what may leave, and note what came of it. It is asked for its models
    first, so that nothing is sent to one that does not answer.
    """
    words = ports.words
    if words is None:
        return
    here, consented = words.is_here(endpoint), consented_in(place)
    may = {name: each for name, each in wanted.items() if may_leave(each, consented, here=here)}
    before = worded_in(place)
    model = words.model(endpoint)
    asking = _Asked(saying(model), refused_too=True, may=lambda each: here or _is_open(ports, each))
    try:
        if not may.keys() <= wordings_in(place).keys():
            model.card()
            _ask_all(asking, place, may, "", progress)
    except (ModelUnavailableError, InvalidInputError) as error:
        asking.problem = f"{error.detail} {error.hint}".strip()
    said = wordings_in(place)
    note_worded(
        place,
        WordedElsewhere(
            endpoint.host,
            here,
            statements=len(wanted),
            sent=max(asking.sent + (before.sent if before else 0), len(said.keys() & may.keys())),
            worded=sum(bool(read(said.get(name, ""))) for name in may),
            kept_here=len(wanted) - len(may),
            problem=asking.problem,
        ),
    )


def _is_open(ports: TrainingPorts, taught: Taught) -> bool:
    """Tell whether what a statement stands in is there and not private, at this moment."""
    if taught.document is None:
        return not taught.private
    there = ports.documents.many([taught.document])
    return any(not document.private for document in there)


def _ask_all(
    asking: _Asked, place: Path, wanted: Mapping[str, Taught], name: str, progress: Progress
) -> None:
    """Ask about what was not asked about, each answer kept as it comes."""
    cut_off(place / WORDINGS)
    known = wordings_in(place)
    with (place / WORDINGS).open("a", encoding="utf-8") as handle:
        for done, (mark, taught) in enumerate(wanted.items()):
            if asking.given_up:
                break
            progress(
                0.04 * done / len(wanted),
                "word",
                f"Questions about {done} of {len(wanted)} statements",
            )
            if mark in known or not asking.may(taught):
                continue
            answer = asking.answer(taught, name)
            if answer is not None:
                handle.write(json.dumps({"key": mark, "answer": answer}, ensure_ascii=False) + "\n")
                handle.flush()
