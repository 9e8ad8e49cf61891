"""Commands about what is believed: list it, and say from when until when something is so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say

if TYPE_CHECKING:
    from datetime import datetime

    from lpm_kernel.domain.memory.validity import Validity
    from lpm_kernel.node import Node

EVERY = 100_000
"""Statements among which those that fade are looked for."""
memories_app = typer.Typer(help="Your memories, one by one.", no_args_is_help=True)
app.add_typer(memories_app, name="memories")


@command(memories_app, "list")
def list_memories(
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=500)] = 50,
    forgotten: Annotated[
        bool, typer.Option("--forgotten", help="Those that are no longer held true.")
    ] = False,
    fading: Annotated[
        bool,
        typer.Option(
            "--fading",
            help="Those that fade because they have not been used for long, weakest first.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List memories, newest first, with how strong each is and the period in which it is true."""
    from lpm_kernel.domain.memory.forgetting import FADING
    from lpm_kernel.domain.memory.memories import MemoryFilter
    from lpm_kernel.usecases.memory.forgetting import weakest_first
    from lpm_kernel.usecases.memory.validity import of_memories

    with opened() as node:
        found, _ = node.ports.memories.page(
            MemoryFilter(forgotten=forgotten), limit=EVERY if fading else limit
        )
        found = weakest_first(found, node.memory.strengths, FADING)[:limit] if fading else found
        there = {
            document.id: document
            for document in node.ports.documents.many(sorted({belief.document for belief in found}))
        }
        standing = [
            (belief, there[belief.document]) for belief in found if belief.document in there
        ]
        rows: list[dict[str, Any]] = []
        lines = []
        held = node.memory.strengths([belief for belief, _ in standing])
        for (belief, _), valid, (strength, pinned) in zip(
            standing, of_memories(node.ports.validities, standing), held, strict=True
        ):
            said = belief.statement
            more = {"strength": round(strength, 4), "pinned": pinned, **_dates(valid)}
            rows.append(
                {
                    "id": belief.memory,
                    "kind": said.kind.value,
                    "content": said.text,
                    "entities": list(said.entities),
                    **more,
                }
            )
            about = f"{', '.join(said.entities)}: " if said.entities else ""
            lines.append(
                f"{' pinned' if pinned else f'{strength:6.0%} '} ^{belief.memory} "
                f" {about}{said.text}{_in_words(valid)}"
            )
        say(
            {"items": rows},
            lines or ["No memories yet. Add one with `lpm retain`."],
            as_json=as_json,
        )


@command(memories_app)
def pin(
    memory: Annotated[
        str, typer.Argument(help="Id of the memory, as in `lpm memories list`.", metavar="ID")
    ],
    off: Annotated[bool, typer.Option("--off", help="Let it fade again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Pin a memory so that it never fades."""
    from lpm_kernel.domain.memory.memories import MemoryId

    with opened() as node:
        known = node.ports.memories.history(MemoryId(memory.removeprefix("^")))[-1]
        node.memory.pin(known, pinned=not off)
        say(
            {"id": known.memory, "pinned": not off},
            f"{known.statement.text}  ({'fades again' if off else 'pinned'})",
            as_json=as_json,
        )


@command(memories_app)
def date(
    memory: Annotated[
        str, typer.Argument(help="Id of the memory, as in `lpm memories list`.", metavar="ID")
    ],
    since: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Since when it is true: 2024, 2025-03-01, “last May”; - removes the date.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Until when it was true, that day or year included; - removes the date."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say from when until when a memory is true."""
    from lpm_kernel.domain.memory.memories import MemoryId
    from lpm_kernel.domain.memory.validity import Validity
    from lpm_kernel.usecases.memory.validity import given

    with opened() as node:
        known = node.ports.memories.history(MemoryId(memory.removeprefix("^")))[-1]
        before = given(node.ports.validities, known)
        after = Validity(
            before.start if since is None else moment_of(node, since),
            before.end if until is None else moment_of(node, until, until=True),
        )
        node.workspace.date_memory(known, after)
        say(
            {"id": known.memory, **_dates(after)},
            f"{known.statement.text}{_in_words(after)}",
            as_json=as_json,
        )


def moment_of(node: Node, text: str | None, *, until: bool = False) -> datetime | None:
    """Read a date as the person says it; nothing for nothing and for ``-``. Raises
    ``InvalidInputError``.
    """
    from lpm_kernel.L0.language.dates import moment

    return (
        None
        if text is None or text == "-"
        else moment(text, node.ports.clock.now().astimezone(), until=until)
    )


def _dates(valid: Validity) -> dict[str, datetime | None]:
    return {"valid_from": valid.start, "valid_until": valid.end}


def _in_words(valid: Validity) -> str:
    said = [
        *([f"from {valid.start:%Y-%m-%d}"] if valid.start else []),
        *([f"until {valid.end:%Y-%m-%d}"] if valid.end else []),
    ]
    return f"  ({' '.join(said)})" if said else ""
