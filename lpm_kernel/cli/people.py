"""Commands about who and what is named: list them, draw the map."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, follow, opened, say
from lpm_kernel.errors import NodeError

LISTED = 50


class EntityKindOption(StrEnum):
    """What an entity is."""

    PERSON = "person"
    PLACE = "place"
    THING = "thing"
    IDEA = "idea"
    UNKNOWN = "unknown"


@command(app)
def entities(
    text: Annotated[str, typer.Argument(help="Start of a name.")] = "",
    kind: Annotated[EntityKindOption | None, typer.Option(help="Only of this kind.")] = None,
    limit: Annotated[int, typer.Option(help="At most this many.")] = LISTED,
    as_json: AsJson = False,
) -> None:
    """List the people, places and things named in your texts."""
    from lpm_kernel.domain.memory.entities import EntityKind
    from lpm_kernel.usecases.memory.graph import matching

    with opened() as node:
        found = matching(node.graph.named(), text, EntityKind(kind.value) if kind else None)[
            : max(0, limit)
        ]
        rows = [
            {
                "slug": entity.slug,
                "name": entity.name,
                "kind": entity.kind.value,
                "aliases": list(entity.aliases),
                "mentions": len(entity.rows),
            }
            for entity in found
        ]
        lines = [
            f"{len(entity.rows):6}  {entity.kind.value:8}{entity.name}"
            + (f"  ({', '.join(entity.aliases)})" if entity.aliases else "")
            for entity in found
        ]
        nobody = (
            "Nothing has that name."
            if text or kind
            else "No names yet. Find them with `lpm graph`."
        )
        say({"entities": rows}, lines or nobody, as_json=as_json)


@command(app)
def graph(as_json: AsJson = False) -> None:
    """Find names in everything that was read, and redraw the map."""
    with opened() as node:
        done = follow(node, node.graph.queue_graph(), "Drawing", quiet=as_json)
        if done.error is not None:
            raise NodeError(done.error.detail, done.error.hint)
        say({"graph": done.result}, done.message, as_json=as_json)
