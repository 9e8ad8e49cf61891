"""Commands about memory in weights: train, examine, take into use, go back, and ask what a training
knows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, follow, opened, say
from lpm_kernel.domain.counting import counted
from lpm_kernel.errors import InvalidInputError, NodeError, NotFoundError

if TYPE_CHECKING:
    from lpm_kernel.domain.training.runs import Run, Scorecard, TrainingVerdict
    from lpm_kernel.node import Node
    from lpm_kernel.node.training import WordsWish

GIGABYTE = 1e9


Private = Annotated[
    bool,
    typer.Option(
        "--private", help="Learn private memories too; such a training answers nobody but you."
    ),
]
Own = Annotated[
    bool,
    typer.Option("--own", help="Learn what you wrote in your documents too, and did not keep."),
]
OwnDocuments = Annotated[
    list[str] | None,
    typer.Option(
        "--document", help="Learn what you wrote in this document too; can be given more than once."
    ),
]
Reasoning = Annotated[
    str | None, typer.Option(help="Thinking before the answer: none, weak, multi or strong.")
]
Seed = Annotated[
    int | None, typer.Option(help="The same seed gives the same rows and the same result.")
]
Device = Annotated[str | None, typer.Option(help="Where it learns: auto, cpu, cuda or mps.")]
RecentDays = Annotated[
    int | None,
    typer.Option(help="Learn what was kept in this many last days, and a share of the rest."),
]
Older = Annotated[
    float | None, typer.Option(help="Share of the questions about older memories, 0 to 1.")
]
Wording = Annotated[
    str | None,
    typer.Option(help="Who words the questions: templates, model (the one in use) or endpoint."),
]
WordsBy = Annotated[
    str | None,
    typer.Option(help="URL of an OpenAI-compatible endpoint that words the questions."),
]
WordsModel = Annotated[str | None, typer.Option(help="Which model at that endpoint.")]
WordsKey = Annotated[str | None, typer.Option(help="Key of that endpoint.", envvar="LPM_WORDS_KEY")]
Yes = Annotated[bool, typer.Option("--yes", help="Agree that sentences are sent to that endpoint.")]

Thoughts = Annotated[
    str | None,
    typer.Option(help="Who words what it thinks: rules, or the model that thinks (Settings)."),
]

Preferences = Annotated[
    bool,
    typer.Option("--preferences", help="Learn from pairs of a better and a worse answer too."),
]
OtherSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting, as the API names it, such as discretion=0.1; may be repeated.",
    ),
]


@command(app)
def train(
    context: typer.Context,
    steps: Annotated[
        int | None, typer.Option(help="At most so many steps; otherwise as many as epochs take.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="How many times every row is read.")] = None,
    rank: Annotated[int | None, typer.Option(help="Rank of the adapter.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate.")] = None,
    seed: Seed = None,
    batch: Annotated[int | None, typer.Option(help="Rows that one step learns from.")] = None,
    device: Device = None,
    recent_days: RecentDays = None,
    older: Older = None,
    own: Own = False,
    document: OwnDocuments = None,
    wording: Wording = None,
    words_by: WordsBy = None,
    words_model: WordsModel = None,
    words_key: WordsKey = None,
    yes: Yes = False,
    reasoning: Reasoning = None,
    thoughts: Thoughts = None,
    preferences: Preferences = False,
    other: OtherSettings = None,
    private: Private = False,
    rows: Annotated[
        Path | None,
        typer.Option(
            help='Your own: {"question", "answer"} or {"question", "chosen", "rejected"} a line.',
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    exam: Annotated[
        Path | None,
        typer.Option(
            help='Questions for the examination, JSON lines: {"question", "accept", "fact"}.',
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Only prepare the rows and say how long it takes.")
    ] = False,
    again: Annotated[
        str | None,
        typer.Option(
            help="Learn with the settings of this training, and with private memories where it"
            " did, as after an erasure took it out of service."
        ),
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="Continue a training that was prepared or stopped.")
    ] = None,
    weekly: Annotated[
        bool,
        typer.Option(
            "--weekly",
            help="Learn what is new now, as it is done every week: a small training that goes on"
            " from the one in use.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Teach the model on this machine your memories, as an adapter."""
    from lpm_kernel.node.training import WordsWish

    _refuse_left_aside(context)
    with opened() as node:
        if weekly:
            _grow(node, as_json=as_json)
            return
        if resume is not None:
            run = _found(node, resume)
        else:
            given: dict[str, object] = {"steps": steps, "epochs": epochs, "rank": rank}
            given |= {"learning_rate": learning_rate, "seed": seed}
            given |= {"wording": wording, "reasoning": reasoning, "thoughts": thoughts}
            given |= {"batch": batch, "device": device, "recent_days": recent_days, "older": older}
            given |= {"dpo": preferences or None} | _set(other or ())
            if own or document:
                given["documents"] = "own" if own else document
            if words_by is not None:
                given |= {"wording": "endpoint", "words_at": words_by, "words_model": words_model}
            chosen, wish = _chosen(node, given, again), WordsWish(words_key, yes)
            private = private or (again is not None and _answers_one(node, again))
            run = node.training.prepare_training(
                chosen,
                private=private,
                words=_words(node, chosen, wish, private=private, quiet=as_json),
                **_own(rows),
                questions=exam.read_text("utf-8") if exam else "",
            )
        _carry_through(node, run, "measured" if measure else "examined", as_json=as_json)


def _refuse_left_aside(context: typer.Context) -> None:
    """Refuse settings for a training that has its own already. Raises ``InvalidInputError``."""
    if context.params["weekly"]:
        chosen, fitting = "--weekly", {"weekly", "as_json"}
    elif context.params["resume"] is not None:
        chosen, fitting = "--resume", {"resume", "measure", "as_json"}
    else:
        return
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in fitting or source is None or source.name != "COMMANDLINE":
            continue
        raise InvalidInputError(
            f"{option.opts[0]} changes nothing together with {chosen}.",
            "Leave it out. To learn with other settings, prepare a training without"
            f" {chosen}; --again TRAINING begins with the settings of an earlier one.",
        )


def _set(other: Sequence[str]) -> dict[str, object]:
    """Read settings that are given as ``name=value``: numbers and truth values as JSON has them,
    anything else as words. Raises ``InvalidInputError``.
    """
    given: dict[str, object] = {}
    for each in other:
        name, equals, value = each.partition("=")
        if not (name and equals):
            raise InvalidInputError(
                f"“{each}” sets nothing.", "Write --set NAME=VALUE, such as --set discretion=0.1."
            )
        try:
            given[name] = json.loads(value)
        except ValueError:
            given[name] = value
    return given


def _words(
    node: Node, chosen: Mapping[str, Any], wish: WordsWish, *, private: bool, quiet: bool
) -> WordsWish:
    """Say what would leave for the endpoint that words the questions, and ask, where nobody said
    yes. Raises ``typer.Exit`` where the answer is no.
    """
    if chosen.get("wording") != "endpoint" or wish.consent or quiet:
        return wish
    leaving = node.training.words_leaving(chosen, private=private)
    typer.echo(leaving.sentence(), err=True)
    if leaving.here or not leaving.sentences:
        return wish
    if not typer.confirm("Send them?", err=True):
        typer.echo("Nothing was sent or prepared.", err=True)
        raise typer.Exit(1)
    return replace(wish, consent=True)


def _chosen(node: Node, given: Mapping[str, Any], again: str | None) -> dict[str, Any]:
    """Return what was chosen, over the settings of a training that is learned again."""
    before = node.training.settings_again(_found(node, again).id) if again is not None else {}
    return {**before, **{name: value for name, value in given.items() if value is not None}}


def _answers_one(node: Node, name: str) -> bool:
    """Tell whether a training answers its owner alone. Raises ``NotFoundError``."""
    from lpm_kernel.domain.training.runs import Audience

    return _found(node, name).audience is Audience.OWNER


def _carry_through(node: Node, run: Run, until: str, *, as_json: bool) -> None:
    from lpm_kernel.usecases.training.rows import rows_of
    from lpm_kernel.usecases.training.thinking import thought_in
    from lpm_kernel.usecases.training.words_elsewhere import worded_in

    if not as_json:
        typer.echo(
            f"Training {run.number}: {rows_of(run)} rows from"
            f" {counted(len(node.ports.runs.sources(run.id)), 'memory', 'memories')}.",
            err=True,
        )
    done = follow(
        node,
        node.training.queue_training(run.id, until=until),
        "Training",
        quiet=as_json,
    )
    if done.error is not None:
        raise NodeError(done.error.detail, done.error.hint)
    run = node.ports.runs.get(run.id)
    place = node.ports.home.versions / run.id
    worded, thought = worded_in(place), thought_in(place)
    say(
        _shown(run) | {"worded": worded and asdict(worded), "thought": thought and asdict(thought)},
        [*(each.sentence() for each in (worded, thought) if each), *_sentences(node, run)],
        as_json=as_json,
    )


def _grow(node: Node, *, as_json: bool) -> None:
    done = follow(node, node.training.queue_growth(), "Weekly training", quiet=as_json)
    if done.error is not None:
        raise NodeError(done.error.detail, done.error.hint)
    say(dict(done.result or {}), [done.message], as_json=as_json)


@command(app)
def pairs(
    run: str,
    rule: Annotated[
        str | None,
        typer.Option(help="Only those of one rule, such as voice, invented or thumbs."),
    ] = None,
    strike: Annotated[
        list[str] | None, typer.Option(help="Leave a pair out, by its id; may be repeated.")
    ] = None,
    unstrike: Annotated[
        list[str] | None, typer.Option(help="Bring a struck pair back; may be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the preference pairs of a training, or leave some out before it learns."""
    from lpm_kernel.domain.training.preferences import PairRule
    from lpm_kernel.usecases.training.pair_rows import PREFERENCES, as_pair_row, pairs_in
    from lpm_kernel.usecases.training.prepare import rewrite_pairs
    from lpm_kernel.usecases.training.striking import unwanted_pairs_in

    rules = [each.value for each in PairRule]
    if rule is not None and rule not in rules:
        raise InvalidInputError(
            f"No rule is called “{rule}”.", f"The rules are {', '.join(rules)}."
        )
    with opened() as node:
        known = _found(node, run)
        if strike or unstrike:
            ports = node.training.training_ports
            rewrite_pairs(ports, known, struck=strike or (), unstruck=unstrike or ())
        place = node.ports.home.versions / known.id
        pairs = list(pairs_in(place / PREFERENCES))
        struck = unwanted_pairs_in(place, pairs)
        rows = [
            as_pair_row(pair) | {"struck": pair.id in struck}
            for pair in pairs
            if rule in (None, pair.rule)
        ]
        say(
            {"pairs": rows},
            [line for row in rows for line in _told(row)] or "No pairs.",
            as_json=as_json,
        )


def _told(pair: dict[str, Any]) -> list[str]:
    marks = [word for word in ("struck", "held_out", "private") if pair[word]]
    remarks = f" ({', '.join(marks).replace('_', ' ')})" if marks else ""
    return [
        f"{pair['id']}  {pair['rule']}{remarks}  {pair['question']}",
        f"  + {pair['chosen']}",
        f"  - {pair['rejected']}",
    ]


@command(app)
def evaluate(
    run: str,
    exam: Annotated[
        Path | None,
        typer.Option(help="Questions of your own, JSON lines.", exists=True, dir_okay=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Examine a training: ask it and the base the same questions, with retrieval and without."""
    with opened() as node:
        known = _found(node, run)
        node.training.examine_training(
            known.id, _bar(quiet=as_json), questions=exam.read_text("utf-8") if exam else ""
        )
        known = node.ports.runs.get(known.id)
        say(_shown(known), _sentences(node, known), as_json=as_json)


@command(app)
def scorecard(
    run: Annotated[
        str | None, typer.Argument(help="A training, by number or id; else the one in use.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write it into this file: JSON where it ends so.", dir_okay=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a training changed: base, retrieval and each stage on the same questions."""
    import json

    from lpm_kernel.usecases.training import report

    if markdown and as_json:
        raise InvalidInputError("It is Markdown or JSON.", "Leave one of the two out.")
    if out is not None and out.exists():
        raise InvalidInputError(
            f"{out} already exists.", "Choose another name, or delete it first."
        )
    with opened() as node:
        ports = node.training.training_ports
        known = _found(node, run) if run is not None else report.examined(ports)
        data = report.as_data(ports, known)
        text = report.as_markdown(ports, known, ports.clock.now())
        if out is not None:
            whole = as_json or (not markdown and out.suffix == ".json")
            written = json.dumps(data, ensure_ascii=False, indent=2, default=str) + "\n"
            out.write_text(written if whole else text, "utf-8")
            say(
                {"training": known.number, "file": str(out)},
                f"The scorecard of training {known.number} is in {out}.",
                as_json=as_json,
            )
            return
        say(data, [text.rstrip()] if markdown else _sentences(node, known), as_json=as_json)


@command(app)
def export_model(
    run: str,
    to: Annotated[Path, typer.Option("--to", help="The file to write.", dir_okay=False)],
    kind: Annotated[
        str, typer.Option("--as", help="Format of the numbers: f16, or q8_0 in half the space.")
    ] = "q8_0",
    as_json: AsJson = False,
) -> None:
    """Export a training as a whole model, in one GGUF file that other programs can read."""
    if to.exists():
        raise InvalidInputError(f"{to} already exists.", "Choose another name, or delete it first.")
    with opened() as node:
        known = _found(node, run)
        made = node.training.merge_training(known.id, kind, _bar(quiet=as_json), to.resolve())
        size = made.stat().st_size
        say(
            {"training": known.number, "kind": kind, "file": str(made), "bytes": size},
            f"Training {known.number} is a model of {size / 1e6:.0f} MB: {made}",
            as_json=as_json,
        )


@command(app)
def promote(
    run: str,
    insist: Annotated[bool, typer.Option("--insist", help="Even where it got worse.")] = False,
    as_json: AsJson = False,
) -> None:
    """Use a training."""
    with opened() as node:
        known = _found(node, run)
        node.training.promote_training(known.id, insist=insist)
        say(
            {"in_use": known.id, "number": known.number},
            f"Training {known.number} is now in use.",
            as_json=as_json,
        )


@command(app)
def rollback(as_json: AsJson = False) -> None:
    """Switch back to what was in use before."""
    with opened() as node:
        used = node.training.roll_back_training()
        number = node.ports.runs.get(used.run).number if used.run else None
        say(
            {"in_use": used.run, "number": number},
            f"Training {number} is now in use." if number else "The base model is now in use.",
            as_json=as_json,
        )


@command(app)
def lineage(
    run: Annotated[str | None, typer.Argument(help="A training, by number or id.")] = None,
    memory: Annotated[str | None, typer.Option(help="A memory: which trainings know it?")] = None,
    as_json: AsJson = False,
) -> None:
    """Show which memories are in a training, or which trainings know a memory."""
    from lpm_kernel.domain.memory.memories import MemoryId

    with opened() as node:
        if (run is None) == (memory is None):
            raise InvalidInputError(
                "Give a training or a memory.",
                "`lpm lineage 3`, or `lpm lineage --memory m0123456789ab`.",
            )
        if memory is not None:
            knowing = node.training.knowing(MemoryId(memory))
            say(
                {"memory": memory, "trainings": [_shown(each) for each in knowing]},
                [f"Training {each.number} ({each.state.value})" for each in knowing]
                or "No training knows it.",
                as_json=as_json,
            )
            return
        known = _found(node, run or "")
        rows, lines = [], []
        for learned_from in node.training.learned_from(known):
            rows.append(
                {
                    "memory": learned_from.memory,
                    "document": learned_from.document,
                    "content": learned_from.now,
                    "learned": learned_from.then if learned_from.outdated else None,
                }
            )
            lines.append(
                f"{learned_from.memory}  {learned_from.now or '(not learned any more)'}"
                + (f"  (learned: {learned_from.then})" if learned_from.outdated else "")
            )
        say(
            {
                "run": known.id,
                "number": known.number,
                "hashes": dict(known.hashes),
                "memories": rows,
                "texts": [asdict(text) for text in node.training.learned_texts(known)],
            },
            lines or "It learned none of your memories.",
            as_json=as_json,
        )


def _found(node: Node, name: str) -> Run:
    """Find a training by its number or id. Raises ``NotFoundError``."""
    from lpm_kernel.domain.training.runs import RunId

    if not name.isdigit():
        return node.ports.runs.get(RunId(name))
    page, _ = node.ports.runs.page(limit=500)
    known = next((run for run in page if run.number == int(name)), None)
    if known is None:
        raise NotFoundError("training", name)
    return known


def _own(file: Path | None) -> dict[str, Any]:
    """Read the rows and the pairs of the person's own."""
    import json

    from lpm_kernel.domain.training.preferences import PairRule, PreferencePair
    from lpm_kernel.domain.training.runs import Example, ExampleKind, Maker

    rows: list[Example] = []
    pairs: list[PreferencePair] = []
    for number, line in enumerate(file.read_text("utf-8").splitlines() if file else (), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            question = str(row["question"])
            if "chosen" in row:
                chosen, rejected = str(row["chosen"]), str(row["rejected"])
                rule = PairRule(row.get("rule", PairRule.EDITED))
                pairs.append(PreferencePair(rule, question, chosen, rejected, maker=Maker.PERSON))
            else:
                answer = str(row["answer"])
                rows.append(Example(ExampleKind.FACT, question, answer, maker=Maker.PERSON))
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInputError(
                f"Line {number} of {file} cannot be read.",
                'Each line is {"question": "…", "answer": "…"}, or {"question": "…", "chosen":'
                ' "…", "rejected": "…"}.',
            ) from error
    return {"added": rows, "pairs": pairs}


def _bar(*, quiet: bool) -> Any:  # noqa: ANN401 - a callback
    def said(share: float, _step: str, message: str) -> None:
        if not quiet:
            typer.echo(f"\r{share:4.0%} {message:60}", nl=False, err=True)

    return said


def _shown(run: Run) -> dict[str, Any]:
    card = asdict(run.scorecard) if run.scorecard else None
    return {
        "id": run.id,
        "number": run.number,
        "state": run.state.value,
        "rows": dict(run.rows),
        "left_out": dict(run.left_out),
        "estimate": run.estimate,
        "outcome": run.outcome,
        "scorecard": card,
    }


def _sentences(node: Node, run: Run) -> list[str]:
    lines = _needs(run) if run.estimate and run.scorecard is None else []
    if run.scorecard is not None:
        lines += [*_table(run.scorecard), *_judged(node, run, run.scorecard.verdict)]
    return lines or [f"Training {run.number} is {run.state.value}."]


def _needs(run: Run) -> list[str]:
    """Say what a training would need."""
    from lpm_kernel.usecases.training.rows import rows_of

    known = run.estimate or {}
    minutes = counted(max(1, round(known["seconds"] / 60)), "minute")
    needs = (
        f"About {minutes} and {known['peak_bytes'] / GIGABYTE:.1f} GB of memory. Start: `lpm train"
        f" --resume {run.number}`."
    )
    if known.get("rows", rows_of(run)) == rows_of(run):
        return [needs]
    return [f"Measured with {known['rows']} rows; it is measured again when it starts.", needs]


def _table(card: Scorecard) -> list[str]:
    """Give each measure by who was asked."""
    arms = list(card.arms)
    lines = [f"{'':18}" + "".join(f"{arm:>18}" for arm in arms)]
    for measure in dict.fromkeys(name for arm in card.arms.values() for name in arm):
        figures = [card.arms[arm].get(measure) for arm in arms]
        lines.append(
            f"{measure:18}"
            + "".join(f"{figure.value:>18.1%}" if figure else f"{'':>18}" for figure in figures)
        )
    return lines


def _judged(node: Node, run: Run, verdict: TrainingVerdict) -> list[str]:
    """Say what came of it, and how it is used."""
    from lpm_kernel.domain.training.runs import RunState

    worse = ", ".join(verdict.reasons)
    said = (
        "It knows more, and nothing got worse."
        if verdict.better
        else f"It is not better{f': {worse}' if worse else ''}."
    )
    if node.ports.runs.in_use().run == run.id:
        return [said, "It is in use."]
    usable = verdict.better and run.state is RunState.READY
    return [said, *([f"Use it: `lpm promote {run.number}`."] if usable else [])]
