"""The command that asks others the same: plain retrieval and GraphRAG."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say
from lpm_kernel.errors import ConflictError, InvalidInputError

if TYPE_CHECKING:
    from lpm_kernel.node import Node


@command(app)
def compare(
    questions: Annotated[
        Path | None,
        typer.Option(
            help='Questions of your own, JSON lines: {"question", "accept", "fact"}.',
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            min=1,
            max=500,
            help="Questions about what you kept; half as many more that nothing answers.",
        ),
    ] = 16,
    seed: Annotated[int, typer.Option(help="The same seed asks the same.")] = 1,
    graph: Annotated[
        bool, typer.Option("--graph/--no-graph", help="With GraphRAG, or without.")
    ] = True,
    elsewhere: Annotated[
        bool,
        typer.Option("--elsewhere", help="Even where the model in use is not on this machine."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write it into this file: JSON where it ends so, with the answers.", dir_okay=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask plain retrieval, this node's recall and GraphRAG the same, with the model in use."""
    from lpm_kernel.usecases.training import comparison

    if out is not None and out.exists():
        raise InvalidInputError(f"{out} is there already.", "Choose another name, or delete it.")
    with opened() as node:
        if not (elsewhere or _all_is_here(node)):
            raise ConflictError(
                "The model or the embedder in use is not on this machine, and all your open texts"
                " would go to it.",
                "Choose ones on this machine, or say `--elsewhere`.",
            )

        def told(share: float, _step: str, message: str) -> None:
            if not as_json:
                typer.echo(f"\r{share:4.0%} {message:60}", nl=False, err=True)

        given = questions.read_text("utf-8") if questions else ""
        found, about = node.training.compare(told, limit=limit, seed=seed, given=given, graph=graph)
        data = {"about": about, **comparison.as_data(found)}
        if out is not None:
            whole = json.dumps(data, ensure_ascii=False, indent=2, default=str) + "\n"
            text = whole if out.suffix == ".json" else comparison.as_markdown(found, about)
            out.write_text(text, "utf-8")
        say(data, comparison.in_sentences(found), as_json=as_json)


def _all_is_here(node: Node) -> bool:
    """Tell whether what words and what embeds are both on this machine."""
    from lpm_kernel.usecases.models.egress import may_embed

    embedder = node.models.embedder
    return node.models.model_is_here and (embedder is None or may_embed(embedder, private=True))
