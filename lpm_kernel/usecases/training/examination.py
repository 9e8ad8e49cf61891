"""Examining a training: the same questions to the base and to what was learned, with retrieval and
without, each answer judged by rule and kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ports import ChatMessage
from lpm_kernel.domain.training.runs import (
    Audience,
    Figure,
    Run,
    RunState,
    Scorecard,
    Taught,
)
from lpm_kernel.L2.alignment.style import style_distance
from lpm_kernel.L2.exam import (
    TOLD,
    Draw,
    Item,
    Measure,
    examination,
    figure,
    final_arm,
    likeliest,
    neutral,
    scorecard,
)
from lpm_kernel.L2.exam_bridge import bridge_items, worth
from lpm_kernel.L2.render import as_person, as_person_to, with_notes
from lpm_kernel.L2.shares import share
from lpm_kernel.usecases.training.names import named_in
from lpm_kernel.usecases.training.pair_rows import PREFERENCES, used_in
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.rows import cut_off, lines_in, write_lines, write_whole

BASE, RETRIEVAL, SFT, SFT_RETRIEVAL = "base", "retrieval", "sft", "sft_retrieval"
SFT_DPO, SFT_DPO_RETRIEVAL = "sft_dpo", "sft_dpo_retrieval"
"""After preferences were learned too; then the two before are without them."""
BEFORE = "before"
"""What a training went on from, asked the same."""
ARMS: Mapping[str, tuple[bool, bool]] = {
    BASE: (False, False),
    RETRIEVAL: (False, True),
    SFT: (True, False),
    SFT_RETRIEVAL: (True, True),
    SFT_DPO: (True, False),
    SFT_DPO_RETRIEVAL: (True, True),
    BEFORE: (True, False),
}
"""By name: with the adapter, with retrieval."""
READ = frozenset(
    {
        Measure.FACT_RETENTION,
        Measure.CHOICE,
        Measure.THIRD_PARTY,
        Measure.ABSTENTION,
        Measure.ENHANCE,
        Measure.CRITIC,
    }
)
"""Measures for which retrieval makes a difference; the others are taken without."""
PROSE = "Write a paragraph of plain prose."
"""Before each paragraph whose likelihood is taken."""


class ExaminedModel(Protocol):
    """A model with an adapter and without."""

    def answer(self, messages: Sequence[ChatMessage], *, trained: bool) -> str:
        """Answer greedily and shortly. Raises ``ModelUnavailableError``."""
        ...

    def likelihood(
        self, messages: Sequence[ChatMessage], continuation: str, *, trained: bool
    ) -> tuple[float, int]:
        """Return the log-probability of a continuation and how many tokens it has. Raises
        ``ModelUnavailableError``.
        """
        ...


@dataclass(frozen=True)
class ExamAnswer:
    """One answer of the examination."""

    arm: str
    item: int
    answer: str
    value: float


@dataclass(frozen=True)
class ExamPlan:
    """What an examination asks, and of whom."""

    given: Sequence[Item] = ()
    """Questions of the person's own."""
    supervised: ExaminedModel | None = None
    """What it was before preferences were learned, where they were."""
    before: ExaminedModel | None = None
    """What it is held against on the same questions: what it went on from, or what is in use."""
    against: str = BASE
    """The training that this is."""
    goes_on: bool = False
    """It went on from that."""

    @property
    def arms(self) -> tuple[str, ...]:
        """Who is asked: one that goes on from another is asked without retrieval."""
        before = () if self.before is None else (BEFORE,)
        if before and self.goes_on:
            return (BASE, *before, SFT)
        learned = (SFT, SFT_RETRIEVAL)
        preferred = () if self.supervised is None else (SFT_DPO, SFT_DPO_RETRIEVAL)
        return (BASE, RETRIEVAL, *before, *learned, *preferred)

    def asked(self, arm: str, mind: ExaminedModel) -> ExaminedModel:
        """Return who answers for an arm; ``mind`` is what the training came to."""
        if arm == BEFORE and self.before is not None:
            return self.before
        return self.supervised if arm in (SFT, SFT_RETRIEVAL) and self.supervised else mind


def examine(
    ports: TrainingPorts,
    run: Run,
    mind: ExaminedModel,
    recall: Callable[[str], Sequence[str]],
    progress: Progress,
    plan: ExamPlan = ExamPlan(),
) -> Scorecard:
    """Ask everything that was not asked yet, and put the figures together. What was answered before
    a kill is not asked again.
    """
    place, arms = ports.folder / run.id, plan.arms
    items = _items(ports, place, run, plan.given)
    _hold_against(place, plan.against)
    cut_off(place / "answers.jsonl")
    known = {(answer.arm, answer.item): answer for answer in answers_in(place / "answers.jsonl")}
    wanted = [
        (arm, number)
        for arm in arms
        for number, item in enumerate(items)
        if _belongs(arm, item.measure)
    ]
    with (place / "answers.jsonl").open("a", encoding="utf-8") as handle:
        for done, (arm, number) in enumerate(wanted):
            progress(
                0.75 + 0.24 * done / len(wanted), "examine", f"Question {done + 1} of {len(wanted)}"
            )
            if (arm, number) in known:
                continue
            answered = _ask(items[number], arm, number, plan.asked(arm, mind), recall, ports.name)
            handle.write(json.dumps(asdict(answered), ensure_ascii=False) + "\n")
            handle.flush()
            known[arm, number] = answered
    figures = {arm: _figures(arm, items, known) for arm in arms}
    final = final_arm(arms)
    figures[final][Measure.DRIFT] = _drift(mind, place)
    if plan.supervised is not None:
        figures[SFT][Measure.DRIFT] = _drift(plan.supervised, place, "drift-sft.json")
        _add_preferences(figures, run)
    figures[BASE][Measure.DRIFT] = figure([0.0] * len(neutral()))
    _add_style(figures, ports, run, items, known)
    held_against = BASE if plan.before is None else BEFORE
    if plan.before is not None:
        figures[BEFORE][Measure.DRIFT] = _drift(plan.before, place, "drift-before.json")
    same = {
        measure: (mine, theirs)
        for measure, mine in _outcomes(final, items, known).items()
        if (theirs := _outcomes(held_against, items, known).get(measure))
    }
    card = scorecard(figures, plan.against, figures[held_against], same)
    ports.runs.change(
        run.id, state=RunState.READY, scorecard=card, ended_at=ports.clock.now(), error=None
    )
    return card


def _hold_against(place: Path, against: str) -> None:
    """Note what a training is held against; what another one answered in its place goes."""
    noted = place / "against.txt"
    if noted.exists() and noted.read_text("utf-8") == against:
        return
    known = answers_in(place / "answers.jsonl")
    write_lines(place / "answers.jsonl", (asdict(each) for each in known if each.arm != BEFORE))
    (place / "drift-before.json").unlink(missing_ok=True)
    write_whole(noted, against)


def _items(ports: TrainingPorts, place: Path, run: Run, given: Sequence[Item]) -> list[Item]:
    """Make the questions once; a training that goes on is asked the same ones."""
    file = place / "exam.jsonl"
    if not file.exists():
        taught, withheld, older = _statements(ports, place, run)
        called = named_in(ports, taught).called
        draw = Draw(run.settings["seed"], most=run.settings["exam_questions"])
        made = [
            *examination(taught, withheld, draw, names=called, given=given, also_told=older),
            *bridge_items(taught, draw, names=called),
            *_preferred(place, run),
        ]
        write_whole(
            file, "".join(json.dumps(_as_row(item), ensure_ascii=False) + "\n" for item in made)
        )
    return items_in(file)


def _statements(
    ports: TrainingPorts, place: Path, run: Run
) -> tuple[list[Taught], list[Taught], list[Taught]]:
    """Return what a training learned, what it is not to tell, and what else was told."""
    learned = {source.memory for source in ports.runs.sources(run.id)}
    taught, withheld, older = list[Taught](), list[Taught](), list[Taught]()
    for row in map(json.loads, lines_in(place / "material.jsonl")):
        each = Taught(
            row["memory"],
            row["text"],
            tuple(row.get("entities", ())),
            document=row.get("document"),
            private=row["private"],
        )
        # what was made private since is not to be told by one that may answer anybody
        sealed = each.private and run.audience is not Audience.OWNER
        if each.memory in learned and not sealed:
            taught.append(each)
        else:
            (withheld if each.private else older).append(each)
    return taught, withheld, older


def _preferred(place: Path, run: Run) -> Iterator[Item]:
    """Ask what the held-out pairs ask, where preferences are learned."""
    if run.settings.get("dpo") and (place / PREFERENCES).exists():
        for pair in used_in(place):
            if pair.held_out:
                yield Item(
                    Measure.PREFERRED,
                    pair.question,
                    pair.notes,
                    expected=pair.chosen,
                    worse=pair.rejected,
                    asker=pair.asker,
                )


def items_in(file: Path) -> list[Item]:
    """Read the questions as they were written."""
    if not file.exists():
        return []
    rows = [json.loads(line) for line in lines_in(file)]
    return [
        Item(
            Measure(row["measure"]),
            row["question"],
            tuple(row["notes"]),
            tuple(row["accept"]),
            tuple(row["say"]),
            tuple(row["options"]),
            row["memory"],
            row["expected"],
            row.get("sought", ""),  # an older examination looked for the question
            row.get("worse", ""),
            row.get("asker", ""),
        )
        for row in rows
    ]


def _as_row(item: Item) -> dict[str, Any]:
    return {
        "measure": item.measure.value,
        "question": item.question,
        "notes": item.notes,
        "accept": item.accept,
        "say": item.say,
        "options": item.options,
        "memory": item.memory,
        "expected": item.expected,
        "sought": item.sought,
        "worse": item.worse,
        "asker": item.asker,
    }


def answers_in(file: Path) -> list[ExamAnswer]:
    """Read what was answered; a line that a kill cut short does not count."""
    found: list[ExamAnswer] = []
    if not file.exists():
        return found
    for line in lines_in(file, "replace"):
        try:
            row = json.loads(line)
            found.append(ExamAnswer(row["arm"], row["item"], row["answer"], row["value"]))
        except (ValueError, KeyError):
            continue
    return found


def forget_what_was_read(place: Path) -> None:
    """Take out of the answers of a training those for which recall was asked: they may quote any
    document. The figures stay, in the registry.
    """
    file = place / "answers.jsonl"
    known = answers_in(file)
    kept = [each for each in known if each.arm in ARMS and not ARMS[each.arm][1]]
    if len(kept) < len(known):
        write_lines(file, map(asdict, kept))


def _belongs(arm: str, measure: Measure) -> bool:
    return not ARMS[arm][1] or measure in READ


def _ask(
    item: Item,
    arm: str,
    number: int,
    mind: ExaminedModel,
    recall: Callable[[str], Sequence[str]],
    name: str,
) -> ExamAnswer:
    trained, reading = ARMS[arm]
    notes = item.notes or (tuple(recall(item.sought or item.question)) if reading else ())
    asked = as_asked(item, notes, name)
    if item.options:
        # One after the other after the same messages: whoever reads keeps what it read of them.
        return ExamAnswer(
            arm,
            number,
            *likeliest(
                item, [mind.likelihood(asked, option, trained=trained) for option in item.options]
            ),
        )
    answer = mind.answer(asked, trained=trained)
    return ExamAnswer(arm, number, answer, worth(item, answer, notes))


def as_asked(item: Item, notes: Sequence[str], name: str) -> list[ChatMessage]:
    """Give a question as it is put to a model: with notes, in the person's place, or to anybody."""
    if notes:
        return with_notes(item.question, notes, name)
    if item.asker:
        return as_person_to(item.asker, item.question, name)
    return (
        [ChatMessage("user", item.question)]
        if item.measure is Measure.GENERAL
        else as_person(item.question, name)
    )


def _figures(
    arm: str, items: Sequence[Item], known: Mapping[tuple[str, int], ExamAnswer]
) -> dict[str, Figure]:
    found = _outcomes(arm, items, known)
    return {measure: share(values) for measure, values in found.items()}


def _outcomes(
    arm: str, items: Sequence[Item], known: Mapping[tuple[str, int], ExamAnswer]
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for number, item in enumerate(items):
        if (arm, number) in known:
            found.setdefault(item.measure, []).append(known[arm, number].value)
    return found


def _drift(mind: ExaminedModel, place: Path, name: str = "drift.json") -> Figure:
    """Give by how much plain prose surprises what was learned more than the base: growth of
    perplexity, a paragraph at a time.
    """
    file = place / name
    if not file.exists():
        growth = []
        for paragraph in neutral():
            before, tokens = mind.likelihood([ChatMessage("user", PROSE)], paragraph, trained=False)
            after, _ = mind.likelihood([ChatMessage("user", PROSE)], paragraph, trained=True)
            growth.append(math.exp((before - after) / tokens) - 1)
        write_whole(file, json.dumps(growth))
    return figure(json.loads(file.read_text("utf-8")))


def _add_style(
    figures: Mapping[str, dict[str, Figure]],
    ports: TrainingPorts,
    run: Run,
    items: Sequence[Item],
    known: Mapping[tuple[str, int], ExamAnswer],
) -> None:
    """Put in how far the answers of each arm are from how the person writes now; what is private
    counts only for what answers nobody else.
    """
    profiles = ports.own_style(run.audience is Audience.OWNER)
    asked = [number for number, item in enumerate(items) if item.measure in TOLD]
    for arm in figures:
        answers = [known[arm, number].answer for number in asked if (arm, number) in known]
        distance = style_distance(profiles, answers, run.settings["seed"])
        if distance is not None:
            figures[arm][Measure.STYLE] = distance


def _add_preferences(figures: Mapping[str, dict[str, Figure]], run: Run) -> None:
    """Put in how many held-out pairs are told apart, before preferences were learned and after."""
    held_out = ((run.outcome or {}).get("preferences") or {}).get("held_out") or {}
    for arm, when in ((SFT, "before"), (SFT_DPO, "after")):
        if when in held_out and arm in figures:
            figures[arm][Measure.PREFERENCE] = Figure(**held_out[when]["accuracy"])
