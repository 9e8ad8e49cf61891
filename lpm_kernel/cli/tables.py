"""Having several talk something over in a terminal, and writing a table as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say
from lpm_kernel.domain.share.discussions import DiscussionId

if TYPE_CHECKING:
    from lpm_kernel.node import Node
    from lpm_kernel.usecases.share.tables import Sitting


@command(app)
def discuss(
    aim: Annotated[str, typer.Argument(help="What is to be worked out.", metavar="AIM")] = "",
    template: Annotated[
        str, typer.Option("--as", help="Ready-made: trip, decision, interview, writers-room.")
    ] = "decision",
    rounds: Annotated[int, typer.Option(help="Rounds, at most.", min=1, max=100)] = 2,
    show: Annotated[str, typer.Option(help="Id of a table to read, in place of a new one.")] = "",
    as_json: AsJson = False,
) -> None:
    """Have your second self and roles talk something over until it ends, and read what they
    said.
    """
    with opened() as node:
        known = DiscussionId(show)
        if not show:
            rules = {"rounds": rounds}
            known = node.discussing.begin(aim, [], template, "en", rules).discussion.id
            while node.discussing.step(known) is not None:
                pass
        sitting, text = node.discussing.get(known), node.discussing.markdown(known)
        data = {
            "id": known,
            "state": sitting.discussion.state.value,
            "head": sitting.table.head.hash,
            "members": _members(node, sitting),
            "text": text,
        }
        say(data, text, as_json=as_json)


def _members(node: Node, sitting: Sitting) -> list[dict[str, str]]:
    """Say who sits there, and whose they are."""
    from lpm_kernel.usecases.share.table_views import seen_table  # it speaks the protocol

    there = node.discussing.company.there(sitting.discussion.id)
    return [
        {
            "id": each.id,
            "kind": each.kind,
            "name": each.name,
            "contact": each.contact,
            "state": each.state,
        }
        for each in seen_table(sitting, there).members
    ]
