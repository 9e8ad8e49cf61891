"""Commands about what was found in what was added and waits for a decision: list it, keep or
dismiss many at once, take that back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say
from lpm_kernel.domain.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lpm_kernel.domain.memory.decisions import Decision
    from lpm_kernel.node import Node
    from lpm_kernel.usecases.memory.findings import Finding

suggestions_app = typer.Typer(
    help="What was found in what you added: keep it or dismiss it.", no_args_is_help=True
)
app.add_typer(suggestions_app, name="suggestions")

Named = Annotated[
    list[str] | None,
    typer.Argument(
        help="Ids, as in `lpm suggestions list`.", metavar="[ID]...", show_default=False
    ),
]
Document = Annotated[
    str | None,
    typer.Option("--document", help="All that wait in this document.", metavar="ID"),
]
First = Annotated[
    int | None, typer.Option("--first", help="The first so many of the list.", min=1, max=500)
]


@command(suggestions_app, "list")
def list_suggestions(
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=500)] = 50,
    document: Document = None,
    as_json: AsJson = False,
) -> None:
    """List what waits, what is nearest to who you are first."""
    with opened() as node:
        waiting = node.findings.waiting()
        found = _of(waiting.findings, document)
        more = "; older documents were not looked through" if waiting.further else ""
        say(
            {
                "items": [_row(each) for each in found[:limit]],
                "total": len(found),
                "further": waiting.further,
            },
            [
                *(f"{each.id}  {each.text}\n    {_source(each)}" for each in found[:limit]),
                f"{min(limit, len(found))} of {len(found)}{more}"
                if found
                else f"Nothing waits{more}.",
            ],
            as_json=as_json,
        )


@command(suggestions_app)
def keep(
    named: Named = None, document: Document = None, first: First = None, as_json: AsJson = False
) -> None:
    """Keep suggestions: each becomes a memory."""
    _decide("keep", named, document, first, as_json=as_json)


@command(suggestions_app)
def dismiss(
    named: Named = None, document: Document = None, first: First = None, as_json: AsJson = False
) -> None:
    """Dismiss suggestions: they are not put to you again. Answers may rest on them as before."""
    _decide("dismiss", named, document, first, as_json=as_json)


@command(suggestions_app)
def undo(as_json: AsJson = False) -> None:
    """Take back what was decided last, one or many; repeated, what was decided before that."""
    from lpm_kernel.errors import NotFoundError

    with opened() as node:
        last, _ = node.ports.decisions.page(limit=1)
        if not last:
            raise NotFoundError("decision", "the last one")
        made = [each for each in node.ports.decisions.all() if each.at == last[0].at]
        taken = _take_back(node, made)
        say(
            {"taken_back": [{"id": each.id, "content": each.quote} for each in taken]},
            f"{counted(len(taken), 'decision')} taken back.",
            as_json=as_json,
        )


def _take_back(node: Node, made: list[Decision]) -> list[Decision]:
    """Take them back; one that has a correction goes with it, alone."""
    corrected = [each for each in made if each.correction is not None]
    for each in corrected:
        node.memory.undecide(each.id)
    others = [each for each in made if each.correction is None]
    taken = node.memory.take_back([(each.id, each.at) for each in others])
    return [*corrected, *(each for each, done in zip(others, taken, strict=True) if done)]


def _decide(
    verdict: str,
    named: list[str] | None,
    document: str | None,
    first: int | None,
    *,
    as_json: bool,
) -> None:
    from lpm_kernel.domain.ids import FindingId
    from lpm_kernel.domain.memory.decisions import Verdict
    from lpm_kernel.errors import InvalidInputError
    from lpm_kernel.usecases.memory.review import Reviewed

    if not named and document is None and first is None:
        raise InvalidInputError(
            "Nothing was named.", "Give ids, --document or --first; see `lpm suggestions list`."
        )
    with opened() as node:
        if named:
            chosen = [Reviewed(FindingId(each), Verdict(verdict)) for each in named]
        else:
            found = _of(node.findings.waiting().findings, document)[:first]
            chosen = [Reviewed(each.id, Verdict(verdict), each.text) for each in found]
        settled = node.memory.decide_all(chosen)
        done = sum(each.outcome == "decided" for each in settled)
        lines = [f"{counted(done, 'suggestion')} {'kept' if verdict == 'keep' else 'dismissed'}."]
        for each in settled:
            if each.outcome != "decided":
                held = each.decision and f"decided before ({each.decision.verdict})"
                lines.append(f"  {each.finding}: {held or each.problem}")
        say(
            {
                "decided": done,
                "items": [{"id": each.finding, "outcome": each.outcome} for each in settled],
            },
            [*lines, *(["`lpm suggestions undo` takes it back."] if done else [])],
            as_json=as_json,
        )


def _of(found: Iterable[Finding], document: str | None) -> list[Finding]:
    return [each for each in found if document in (None, each.document.id)]


def _source(finding: Finding) -> str:
    when = finding.document.created_at
    return finding.document.title + (f", {when:%Y-%m-%d}" if when else "")


def _row(finding: Finding) -> dict[str, Any]:
    document = finding.document
    return {
        "id": finding.id,
        "content": finding.text,
        "document": {"id": document.id, "title": document.title},
        "timestamp": document.created_at,
        "start": finding.start,
        "end": finding.end,
    }
