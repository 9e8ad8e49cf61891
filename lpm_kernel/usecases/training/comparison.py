"""The same questions to other ways of answering from the same texts with the same model: plain
retrieval, what this node recalls, and GraphRAG's local and global search. Judged by rule, with what
each cost.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ports import ChatMessage, Embedder, LanguageModel, Sampling
from lpm_kernel.domain.training.comparison import (
    Cost,
    GraphAnswer,
    GraphMade,
    GraphSearch,
    SourceText,
)
from lpm_kernel.domain.training.runs import Figure, Taught
from lpm_kernel.errors import ConflictError, NodeError
from lpm_kernel.L2.exam import Draw, Item, Measure, examination, figure, right
from lpm_kernel.L2.render import as_person, with_notes
from lpm_kernel.usecases.training.report import shown

SHORT = Sampling(temperature=0.0, max_tokens=120)
"""An answer has as much room as GraphRAG's."""
PIECE, OVERLAP = 450, 80
"""Characters of a piece of plain retrieval, and those that it shares with the one before."""
NOTES = 4
"""Pieces that are read with a question; this node's recall gives as many."""
RETRIEVAL, RECALL = "retrieval", "recall"
GRAPHS: Mapping[str, str] = {"local": "graphrag_local", "global": "graphrag_global"}
SYSTEMS: Mapping[str, str] = {
    RETRIEVAL: f"pieces of {PIECE} characters, the {NOTES} nearest by meaning",
    RECALL: f"what this node recalls, {NOTES} passages",
    GRAPHS["local"]: "GraphRAG, local search: entities near the question, and what is around them",
    GRAPHS["global"]: "GraphRAG, global search: reports of communities, mapped and reduced",
}
FIGURES: Mapping[str, str] = {
    "right": "of questions that the texts answer, the answer says what the statement says",
    "said_falsely": "of all questions, something was said that is not so, or that nobody told",
    "abstained": "of questions that nothing answers, it said that it does not know",
    "withheld": "of questions that the texts answer, it said that it does not know, or nothing",
}
METHOD = (
    "Each answer is judged by rule; no model judges. In brackets: the interval of 95 % (bootstrap,"
    " 1,000 resamples), and n, the number of questions."
)
_UNABLE = re.compile(
    r"\b(?:unable|not able) to (?:answer|find|determine|provide|remember|recall|say|tell)\b"
    r"|^(?:I['’]m sorry[,.]? (?:but )?)?I['’]m not sure\b"
    r"|\b(?:no|not enough|insufficient) (?:relevant )?(?:information|data)\b"
    r"|\bnot (?:provided|specified|stated|available|contain)\b",
    re.IGNORECASE,
)
"""How models say that they do not know where they were told to report on data."""


class AnswerOutcome(StrEnum):
    """What an answer is."""

    RIGHT = "right"
    FALSE = "false"
    ABSTAINED = "abstained"
    SILENT = "silent"
    """Nothing came, or the search broke down."""


@dataclass(frozen=True)
class ComparedAnswer:
    """An answer, and how it was judged."""

    question: str = field(repr=False)
    expected: str = field(repr=False)
    answer: str = field(repr=False)
    outcome: AnswerOutcome
    problem: str = ""


@dataclass(frozen=True)
class Compared:
    """What one way of answering came to."""

    system: str
    figures: Mapping[str, Figure]
    cost: Cost
    """Of answering, of all questions."""
    index: Cost
    """Of making what is searched."""
    made: Mapping[str, int] = field(default_factory=dict)
    """What the index holds."""
    problem: str = ""
    """Why it answered nothing, where it could not."""
    answers: Sequence[ComparedAnswer] = field(default=(), repr=False)


@dataclass(frozen=True)
class ComparisonPorts:
    """What is compared with."""

    model: LanguageModel
    embedder: Embedder
    recall: Callable[[str], Sequence[str]]
    texts: Sequence[SourceText]
    """What is open of the person's; all are answered from these."""
    name: str = field(repr=False)
    graph: GraphSearch | None
    """None where it is left out or not installed."""
    place: Path
    """An empty folder; whoever gave it removes it."""


def questions(
    taught: Sequence[Taught],
    limit: int,
    seed: int,
    *,
    names: Mapping[str, Sequence[str]],
    given: Sequence[Item] = (),
) -> list[Item]:
    """Choose the questions: those that are given, else so many about what was kept, in words that
    no statement has, and half as many that nothing answers. The same seed gives the same ones.
    Raises ``ConflictError`` where there is nothing to ask about.
    """
    if given:
        return list(given)
    made = examination(taught, (), Draw(seed, each=1, most=limit), names=names)
    answerable = [
        item for item in made if item.measure in (Measure.FACT_RETENTION, Measure.THIRD_PARTY)
    ]
    unknown = [item for item in made if item.measure is Measure.ABSTENTION]
    # a question that leaves nothing to say is answered by repeating it
    answerable = [item for item in answerable if item.say]
    if not answerable:
        raise ConflictError(
            "Nothing is kept that could be asked about.",
            "Keep some statements first, or give questions of your own.",
        )
    if len(unknown) < limit // 2:  # an examination asks fewer
        wider = examination(taught, (), Draw(seed, each=1, most=3 * limit), names=names)
        unknown = [item for item in wider if item.measure is Measure.ABSTENTION]
    return [*answerable[:limit], *unknown[: max(1, len(answerable[:limit]) // 2)]]


def compare(
    ports: ComparisonPorts,
    asked: Sequence[Item],
    progress: Progress,
    costs: Callable[[], Mapping[str, Cost]] = dict,
) -> list[Compared]:
    """Put the questions to each way of answering. ``costs`` tells what the graph's stages cost. A
    way that cannot answer says why and does not keep the others.
    """
    share = 1 / (2 + 2 * bool(ports.graph))

    def told(number: int, system: str) -> Callable[[int], None]:
        return lambda done: progress(
            share * (number + done / len(asked)), system, f"{system}: {done} of {len(asked)}"
        )

    began = time.monotonic()
    nearest = _nearest(ports)
    index = Cost(seconds=round(time.monotonic() - began, 3))
    found = [
        _answered(ports, RETRIEVAL, asked, nearest, told(0, RETRIEVAL)),
        _answered(ports, RECALL, asked, ports.recall, told(1, RECALL)),
    ]
    found[0] = replace(found[0], index=index)
    if ports.graph is not None:
        found += _graphs(ports, ports.graph, asked, progress, costs)
    return found


def judged(item: Item, answer: str) -> AnswerOutcome:
    """Judge an answer by rule.

    >>> known = Item(Measure.FACT_RETENTION, "Where is my workshop?", say=("teramachi",))
    >>> unknown = Item(Measure.ABSTENTION, "What about my boat?")
    >>> [judged(known, said).value for said in ("In Teramachi.", "I don't know.", "In Rome.", " ")]
    ['right', 'abstained', 'false', 'silent']
    >>> [judged(unknown, said).value for said in ("The data is not provided.", "It is red.")]
    ['abstained', 'false']
    """
    if not answer.strip():
        return AnswerOutcome.SILENT
    abstains = right(replace(item, measure=Measure.ABSTENTION), answer) or bool(
        _UNABLE.search(answer)
    )
    if item.measure is Measure.ABSTENTION:
        return AnswerOutcome.ABSTAINED if abstains else AnswerOutcome.FALSE
    if right(item, answer):
        return AnswerOutcome.RIGHT
    return AnswerOutcome.ABSTAINED if abstains else AnswerOutcome.FALSE


def figures(asked: Sequence[Item], outcomes: Sequence[AnswerOutcome]) -> dict[str, Figure]:
    """Put outcomes together, one for each question, with intervals."""
    known = [
        outcome
        for item, outcome in zip(asked, outcomes, strict=True)
        if item.measure is not Measure.ABSTENTION
    ]
    unknown = [
        outcome
        for item, outcome in zip(asked, outcomes, strict=True)
        if item.measure is Measure.ABSTENTION
    ]
    held_back = {AnswerOutcome.ABSTAINED, AnswerOutcome.SILENT}
    return {
        "right": figure([float(each is AnswerOutcome.RIGHT) for each in known]),
        "said_falsely": figure([float(each is AnswerOutcome.FALSE) for each in outcomes]),
        "abstained": figure([float(each is AnswerOutcome.ABSTAINED) for each in unknown]),
        "withheld": figure([float(each in held_back) for each in known]),
    }


def pieces(text: str) -> list[str]:
    """Cut a text into pieces that overlap, as plain retrieval does.

    >>> [len(piece) for piece in pieces("word " * 200)]
    [450, 450, 260]
    """
    step = PIECE - OVERLAP
    return [text[start : start + PIECE] for start in range(0, max(1, len(text) - OVERLAP), step)]


def _nearest(ports: ComparisonPorts) -> Callable[[str], Sequence[str]]:
    every = [piece for each in ports.texts for piece in pieces(each.text) if piece.strip()]
    vectors = ports.embedder.embed(every) if every else np.zeros((0, 1), np.float32)

    def nearest(question: str) -> Sequence[str]:
        if not every:
            return ()
        likeness = vectors @ ports.embedder.embed([question])[0]
        return [every[at] for at in np.argsort(-likeness, kind="stable")[:NOTES]]

    return nearest


def _answered(
    ports: ComparisonPorts,
    system: str,
    asked: Sequence[Item],
    notes_for: Callable[[str], Sequence[str]],
    told: Callable[[int], None],
) -> Compared:
    cost, answers = Cost(), []
    for number, item in enumerate(asked):
        told(number)
        began = time.monotonic()
        said, problem = "", ""
        try:
            notes = notes_for(item.question)
            messages = (
                with_notes(item.question, notes, ports.name)
                if notes
                else as_person(item.question, ports.name)
            )
            said, cost = _said(ports.model, messages, cost)
        except NodeError as error:
            problem = error.detail
        cost = replace(cost, seconds=cost.seconds + time.monotonic() - began)
        answers.append(_judged(item, said, problem))
    return _compared(system, asked, answers, cost)


def _said(model: LanguageModel, messages: Sequence[ChatMessage], cost: Cost) -> tuple[str, Cost]:
    text, last = "", None
    for last in model.stream(messages, SHORT):
        text += last.text
    return text.strip(), replace(
        cost,
        calls=cost.calls + 1,
        prompt_tokens=cost.prompt_tokens + (last.prompt_tokens if last else 0),
        completion_tokens=cost.completion_tokens + (last.completion_tokens if last else 0),
    )


def _judged(item: Item, said: str, problem: str = "") -> ComparedAnswer:
    outcome = AnswerOutcome.SILENT if problem else judged(item, said)
    return ComparedAnswer(item.question, item.expected, said, outcome, problem)


def _compared(
    system: str, asked: Sequence[Item], answers: Sequence[ComparedAnswer], cost: Cost
) -> Compared:
    rounded = replace(cost, seconds=round(cost.seconds, 3))
    return Compared(
        system, figures(asked, [each.outcome for each in answers]), rounded, Cost(), answers=answers
    )


def _graphs(
    ports: ComparisonPorts,
    graph: GraphSearch,
    asked: Sequence[Item],
    progress: Progress,
    costs: Callable[[], Mapping[str, Cost]],
) -> Iterator[Compared]:
    made, problem = GraphMade({}), ""
    said: dict[tuple[str, int], GraphAnswer] = {}
    progress(0.5, "graphrag", "GraphRAG makes its graph")
    began, took = time.monotonic(), 0.0
    try:
        with closing(
            graph.answers(ports.texts, [item.question for item in asked], ports.place)
        ) as (answers):
            for each in answers:
                if isinstance(each, GraphMade):
                    made, took = each, time.monotonic() - began
                    continue
                said[each.search, each.question] = each
                done = len(said) / (len(GRAPHS) * len(asked))
                progress(0.5 + done / 2, "graphrag", f"GraphRAG: {100 * done:.0f} %")
    except NodeError as error:
        problem = error.detail
    problem = made.problem or problem
    spent = costs()
    index = replace(spent.get("index", Cost()), seconds=round(took, 3))
    for search, system in GRAPHS.items():
        if problem and not any(key[0] == search for key in said):
            yield Compared(system, {}, Cost(), index, made.counts, problem)
            continue
        found = [
            _judged(item, answer.answer, answer.problem if not answer.answer.strip() else "")
            for number, item in enumerate(asked)
            for answer in [said.get((search, number), GraphAnswer(search, number, "", problem))]
        ]
        compared = _compared(system, asked, found, spent.get(search, Cost()))
        yield replace(compared, index=index, made=made.counts)


# --- as a page ------------------------------------------------------------------------------------


def as_data(found: Sequence[Compared]) -> dict[str, Any]:
    """Give what was found, as JSON can be made of it."""
    return {"systems": {each.system: _row(each) for each in found}}


def _row(compared: Compared) -> dict[str, Any]:
    row = asdict(compared)
    del row["system"]
    return row


def as_markdown(found: Sequence[Compared], about: Mapping[str, object]) -> str:
    """Write what was found as Markdown, without the answers. ``about`` says of what it is."""
    rows = [
        f"| | {' | '.join(FIGURES)} |",
        f"| -- | {' | '.join('--' for _ in FIGURES)} |",
        *(
            f"| `{each.system}` | {' | '.join(shown(each.figures.get(n)) for n in FIGURES)} |"
            for each in found
        ),
    ]
    parts = (
        "# The same questions, several ways",
        "\n".join(f"- {name}: {value}" for name, value in about.items()),
        "\n".join(rows),
        "\n".join(
            f"- `{each.system}` answered nothing: {each.problem}" for each in found if each.problem
        ),
        "## What it cost",
        _costs(found),
        "## What this means",
        "\n".join(f"- `{name}`: {meaning}" for name, meaning in FIGURES.items()),
        "\n".join(f"- `{each.system}`: {SYSTEMS.get(each.system, '')}" for each in found),
        METHOD,
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _costs(found: Sequence[Compared]) -> str:
    columns = "calls | prompt tokens | answer tokens | refused | seconds"
    rows = [
        f"| | {columns} | index: calls | tokens | seconds | index |",
        "| -- | -- | -- | -- | -- | -- | -- | -- | -- | -- |",
    ]
    for each in found:
        cost, index = each.cost, each.index
        held = ", ".join(f"{name} {count}" for name, count in each.made.items())
        rows.append(
            f"| `{each.system}` | {cost.calls} | {cost.prompt_tokens} | {cost.completion_tokens} |"
            f" {cost.refused} | {cost.seconds:.1f} | {index.calls} |"
            f" {index.prompt_tokens + index.completion_tokens} | {index.seconds:.1f} | {held} |"
        )
    return "\n".join(rows)


def in_sentences(found: Sequence[Compared]) -> list[str]:
    """Say what was found, a line for each way of answering."""
    lines = [f"{'':18}" + "".join(f"{name:>28}" for name in FIGURES)]
    for each in found:
        if each.problem:
            lines.append(f"{each.system:18}  answered nothing: {each.problem}")
            continue
        lines.append(
            f"{each.system:18}" + "".join(f"{shown(each.figures[name]):>28}" for name in FIGURES)
        )
    lines += [
        f"{each.system:18}  {counted(each.cost.calls, 'call')},"
        f" {each.cost.prompt_tokens + each.cost.completion_tokens} tokens,"
        f" {each.cost.seconds:.1f} s; index: {counted(each.index.calls, 'call')},"
        f" {each.index.prompt_tokens + each.index.completion_tokens} tokens,"
        f" {each.index.seconds:.1f} s"
        for each in found
    ]
    return lines
