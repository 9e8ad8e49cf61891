"""Commands about the reader: let it learn from your verdicts, and choose which one reads."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say

if TYPE_CHECKING:
    from lpm_kernel.usecases.training.readers import LearnedReader
    from lpm_kernel.usecases.training.verdict_examples import VerdictExamples

reader_app = typer.Typer(
    help="What reads passages before an answer, and learns from your verdicts.",
    no_args_is_help=True,
)
app.add_typer(reader_app, name="reader")


@command(reader_app)
def learn(as_json: AsJson = False) -> None:
    """Let the reader learn from your verdicts, and examine it. It is not in use before you say
    so. Ctrl-C stops it; the same command goes on.
    """

    def said(share: float, _step: str, message: str) -> None:
        if not as_json:
            typer.echo(f"\r{share:4.0%} {message:60}", nl=False, err=True)

    with opened() as node:
        try:
            made = node.readers.learn(said)
        finally:
            if not as_json:
                typer.echo("", err=True)
        use = f"Use it: `lpm reader use {made.id}`." if made.usable else _refused(made)
        say(_shown(made), [*_sentences(made), use], as_json=as_json)


@command(reader_app)
def show(as_json: AsJson = False) -> None:
    """Show which reader is in use, those that learned, and how much there is to learn from."""
    with opened() as node:
        known, used, gathered = node.readers.every(), node.readers.in_use, node.readers.gathered()
        lines = [_in_use(used)]
        for each in known:
            lines += ["", *_sentences(each)]
            lines += [] if each.usable else [_refused(each)]
        say(
            {
                "in_use": used,
                "items": [_shown(each) for each in known],
                "verdicts": gathered.counts,
                "left_out": dict(gathered.left_out),
            },
            [*lines, "", _verdicts(gathered)],
            as_json=as_json,
        )


@command(reader_app)
def use(
    reader: Annotated[str, typer.Argument(help="Its id.", metavar="ID")], as_json: AsJson = False
) -> None:
    """Have a reader that learned read from now on."""
    with opened() as node:
        used = node.readers.use(reader)
        say({"in_use": used.id}, _in_use(used.id), as_json=as_json)


@command(reader_app)
def reset(as_json: AsJson = False) -> None:
    """Go back to the reader that the node ships."""
    with opened() as node:
        changed = node.readers.reset()
        say({"in_use": None, "changed": changed}, _in_use(None), as_json=as_json)


def _in_use(used: str | None) -> str:
    return "The reader that the node ships is in use." if used is None else f"{used} is in use."


def _verdicts(gathered: VerdictExamples) -> str:
    from lpm_kernel.usecases.training.reader_course import VERDICTS_NEEDED

    count = gathered.verdicts
    return (
        f"{count} verdict{'' if count == 1 else 's'} to learn from; it takes {VERDICTS_NEEDED}."
        " Learn: `lpm reader learn`."
    )


def _refused(reader: LearnedReader) -> str:
    return f"It may not be used: {', '.join(reader.reasons)}."


def _shown(reader: LearnedReader) -> dict[str, Any]:
    row = asdict(reader)
    del row["sources"]
    return row | {"usable": reader.usable, "turns": [each["turn"] for each in reader.sources]}


def _sentences(reader: LearnedReader) -> list[str]:
    from lpm_kernel.usecases.training.reader_exam import LEARNED, SHIPPED

    counts = reader.examples
    asked = counts["questions"] + counts["kept_apart"]
    lines = [
        f"{reader.id}  {reader.made_at[:16].replace('T', ' ')}",
        f"{counts['verdicts']} verdicts, {counts['kept_apart']} of {asked} questions kept apart",
        f"{'':24}{'shipped':>10}{'learned':>10}",
    ]
    for kind, arms in reader.figures.items():
        lines += [
            f"{f'{kind}, {measure}':24}{value:>10.1%}{arms[LEARNED].get(measure, 0.0):>10.1%}"
            for measure, value in arms[SHIPPED].items()
        ]
    return lines
