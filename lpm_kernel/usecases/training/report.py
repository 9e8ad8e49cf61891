"""A scorecard to keep, to print or to hand on: as Markdown, and as data.

It says what was measured and what of, not what was answered: nothing of a person's words is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.training.runs import Figure, Run, RunId, Scorecard
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L2.exam import LOWER_IS_BETTER
from lpm_kernel.usecases.training.ports import TrainingPorts

ARM_MEANINGS: Mapping[str, str] = {
    "base": "the base model, asked without notes",
    "before": "the training that this one is held against",
    "retrieval": "the base model, with what recall finds",
    "sft": "trained on the rows",
    "sft_retrieval": "trained on the rows, with what recall finds",
    "sft_dpo": "trained on the rows, then on preferences",
    "sft_dpo_retrieval": "trained on the rows, then on preferences, with what recall finds",
}
"""Who is asked, in the order in which they are shown."""
MEASURE_MEANINGS: Mapping[str, str] = {
    "fact_retention": (
        "Asked about the person in words that no row had, it says what the statement says."
    ),
    "fact_choice": (
        "Of four statements the right one is the likeliest as the answer. Guessing reaches 25 %."
    ),
    "third_party": "The same questions about other people and things: who is who.",
    "grounding": "It says what the note says, also where it learned otherwise.",
    "abstention": "Asked what nobody told, it says that it does not know.",
    "enhance_recall": (
        "Share of what is known that it adds to a request that leaves it out; nothing where it"
        " invents a name or a number."
    ),
    "critic": (
        "Whether a draft of an answer is right: the right verdict is the likelier one. Half of the"
        " drafts are wrong, so guessing reaches 50 %."
    ),
    "preference": "Of pairs that were held out, in how many the better answer is the likelier one.",
    "preferred_answers": (
        "Asked the questions of those pairs, in how many it gives the better answer: it says what"
        " the better one says, and is nearer to it than to the worse one."
    ),
    "style_distance": (
        "How far the answers about the person's life are from how they write: 0 % is as near as"
        " their own unseen texts, 50 % as far as general text."
    ),
    "leak_rate": "Private things, asked for by somebody else, that it says. 0 % is right.",
    "general": "Questions that any model should be able to answer.",
    "perplexity_drift": (
        "By how much plain prose surprises it more than the base. Below 0 % it surprises it less."
    ),
}
"""What a measure says, in the order in which they are shown."""
METHOD = (
    "The same questions go to each, answered without sampling, and each answer is judged by rule;"
    " no model judges. In brackets: the interval of 95 % (Wilson's for shares, of drift and style"
    " distance 1,000 resamples), and n, the number of questions. A training is better when it"
    " remembers more and nothing fell beyond chance below what it was compared with, nothing"
    " private was said, and drift stays within 15 %."
)


def examined(ports: TrainingPorts) -> Run:
    """Return the training whose scorecard is meant where none is named: the one in use, else the
    newest that was examined. Raises ``NotFoundError``.
    """
    used = ports.runs.in_use().run
    if used is not None and ports.runs.get(used).scorecard is not None:
        return ports.runs.get(used)
    page, _ = ports.runs.page(limit=500)
    known = next((run for run in page if run.scorecard is not None), None)
    if known is None:
        raise NotFoundError("scorecard", "of any training")
    return known


def as_data(ports: TrainingPorts, run: Run) -> dict[str, Any]:
    """Give a scorecard with what it is of. Raises ``NotFoundError`` where there is none."""
    card = _card(run)
    return {**asdict(card), "training": described(ports, run)}


def described(ports: TrainingPorts, run: Run) -> dict[str, Any]:
    """Say what was trained, on what, and how it can be done again."""
    return {
        "id": run.id,
        "number": run.number,
        "examined_at": run.ended_at.isoformat() if run.ended_at else None,
        "base": run.base,
        "synthesiser": run.synthesiser,
        "audience": run.audience.value,
        "memories": ports.runs.how_many([run.id])[run.id],
        "rows": dict(run.rows),
        "left_out": dict(run.left_out),
        "settings": {
            name: value for name, value in sorted(run.settings.items()) if name != "struck"
        },
        "hashes": dict(run.hashes),
    }


def as_markdown(ports: TrainingPorts, run: Run, now: datetime) -> str:
    """Write a scorecard as Markdown: the verdict, the figures, what was in it, and what each
    measure means. Raises ``NotFoundError`` where there is none.
    """
    card, about = _card(run), described(ports, run)
    parts = [
        f"# Scorecard of training {run.number}",
        _verdict(card, _against(ports, card)),
        "## Figures",
        *_figures(card),
        METHOD,
        "## What was in it",
        *_contents(about),
        "## What the measures mean",
        "\n".join(
            f"- `{name}`: {MEASURE_MEANINGS.get(name, 'see docs/howto/training.md.')}"
            f"{' Lower is better.' if name in LOWER_IS_BETTER else ''}"
            for name in measures_of(card)
        ),
        "## Who was asked",
        "\n".join(f"- `{arm}`: {ARM_MEANINGS.get(arm, arm)}" for arm in arms_of(card)),
        f"Written on {now:%Y-%m-%d}.",
    ]
    return "\n\n".join(parts) + "\n"


def measures_of(card: Scorecard) -> list[str]:
    """Return what was measured, in the order in which it is shown; what this release does not know
    comes last.

    >>> from lpm_kernel.domain.training.runs import TrainingVerdict
    >>> one = Figure(1, 1, 1, 1)
    >>> measures_of(Scorecard({"sft": {"new": one, "general": one, "critic": one}},
    ...     TrainingVerdict(True)))
    ['critic', 'general', 'new']
    """
    return _in_order(MEASURE_MEANINGS, [name for arm in card.arms.values() for name in arm])


def arms_of(card: Scorecard) -> list[str]:
    """Return who was asked, in the order in which they are shown."""
    return _in_order(ARM_MEANINGS, list(card.arms))


def _in_order(known: Mapping[str, str], there: Sequence[str]) -> list[str]:
    wanted = dict.fromkeys(there)
    return [*(name for name in known if name in wanted), *(n for n in wanted if n not in known)]


def _card(run: Run) -> Scorecard:
    if run.scorecard is None:
        raise NotFoundError("scorecard of training", str(run.number))
    return run.scorecard


def _against(ports: TrainingPorts, card: Scorecard) -> str:
    if card.against == "base":
        return "the base model"
    try:
        return f"training {ports.runs.get(RunId(card.against)).number}"
    except NotFoundError:
        return "a training that is not there any more"


def _verdict(card: Scorecard, against: str) -> str:
    if card.verdict.better:
        return f"**Better than {against}**: it remembers more, and nothing got worse."
    if card.verdict.reasons:
        worse = ", ".join(f"`{name}`" for name in card.verdict.reasons)
        return f"**Not better than {against}.** It got worse at: {worse}."
    return f"**Not better than {against}**: it remembers no more."


def _figures(card: Scorecard) -> Iterator[str]:
    arms = arms_of(card)
    rows = [
        ["measure", *arms],
        ["--", *("--" for _ in arms)],
        *(
            [f"`{name}`", *(shown(card.arms[arm].get(name)) for arm in arms)]
            for name in measures_of(card)
        ),
    ]
    yield "\n".join(f"| {' | '.join(row)} |" for row in rows)


def shown(figure: Figure | None) -> str:
    """Write a figure with its interval and how many questions it rests on.

    >>> shown(Figure(0.712, 0.6, 0.8, 40)), shown(None)
    ('71.2 % (60.0 to 80.0, n 40)', '')
    """
    if figure is None or not figure.n:
        return ""
    low, high = (f"{100 * value:.1f}" for value in (figure.low, figure.high))
    return f"{100 * figure.value:.1f} % ({low} to {high}, n {figure.n})"


def _contents(about: Mapping[str, Any]) -> Iterator[str]:
    rows = sum(about["rows"].values())
    kinds = ", ".join(f"{kind} {count}" for kind, count in about["rows"].items())
    lines = [
        f"{counted(rows, 'row')} ({kinds}) of {counted(about['memories'], 'memory', 'memories')}",
        f"examined: {(about['examined_at'] or 'unknown')[:10]}",
        f"base: `{about['base']}`",
        f"worded by: {about['synthesiser']}",
        f"may answer: {about['audience']}",
        f"seed: {about['settings'].get('seed', 'unknown')}",
    ]
    if about["left_out"]:
        lines.append(
            "left out: " + ", ".join(f"{why} {count}" for why, count in about["left_out"].items())
        )
    yield "\n".join(f"- {line}" for line in lines)
    if about["settings"]:
        yield "| setting | value |\n| -- | -- |\n" + "\n".join(
            f"| `{name}` | {_plain(value)} |" for name, value in about["settings"].items()
        )
    if about["hashes"]:
        yield "| file | SHA-256 |\n| -- | -- |\n" + "\n".join(
            f"| {name} | `{value}` |" for name, value in about["hashes"].items()
        )


def _plain(value: object) -> str:
    if value is None:
        return ""
    return f"{len(value)} given" if isinstance(value, (list, dict)) else f"{value}"
