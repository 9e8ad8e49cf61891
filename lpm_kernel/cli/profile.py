"""The profile on the command line: what the person speaks of in their chats, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say
from lpm_kernel.domain.counting import counted

if TYPE_CHECKING:
    from lpm_kernel.L1.tiers.profile import Line

profile_app = typer.Typer(
    help="What you speak of in your chats, of whom, and whom you ask.", no_args_is_help=True
)
app.add_typer(profile_app, name="profile")

TITLES = {
    "topic": "Topics",
    "person": "People",
    "place": "Places",
    "asked": "Asked",
}


@command(profile_app)
def show(
    limit: Annotated[int, typer.Option(help="At most this many of each.", min=1, max=1000)] = 10,
    as_json: AsJson = False,
) -> None:
    """Count topics, people, places and who is asked by your own turns."""
    from lpm_kernel.domain.chat.profile import LineKind

    with opened() as node:
        shown = node.profile.now()
        rows = []
        lines = []
        for kind in LineKind:
            found = shown.of(kind)
            if found:
                lines += [f"{TITLES[kind.value]} ({len(found)})"]
            for line in found[:limit]:
                rows.append(
                    {
                        "id": line.id,
                        "kind": kind.value,
                        "name": _called(line),
                        "count": line.count,
                        "months": dict(zip(shown.months, shown.by_month(line), strict=True)),
                        "pinned": line.pinned,
                    }
                )
                lines.append(f"  {line.count:5}  {_called(line)}  {line.id}")
        vector = [{"id": line.id, "share": share} for line, share in shown.vector()]
        say(
            {"turns": len(shown.turns), "items": rows, "vector": vector},
            lines or ["Nothing yet. It is counted from what you say in your chats."],
            as_json=as_json,
        )


@command(profile_app)
def change(
    line: Annotated[str, typer.Argument(help="Id of the line, as in `lpm profile show`.")],
    hide: Annotated[
        bool | None, typer.Option("--hide/--show", help="Leave it out, or show it again.")
    ] = None,
    pin: Annotated[bool | None, typer.Option("--pin/--unpin", help="Put it first.")] = None,
    name: Annotated[
        str | None, typer.Option(help="What it is called; empty: as you write it.")
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(help="The line that it counts in; empty: for itself again.", metavar="ID"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Hide, pin, rename or merge a line of your profile."""
    from lpm_kernel.usecases.chat.profile import ProfileChange

    with opened() as node:
        made = node.profile.change(line, ProfileChange(hide, pin, name, into))
        say(
            {"id": made.id, "line": made.line},
            f"Changed. Take it back with `lpm profile undo {made.id}`.",
            as_json=as_json,
        )


@command(profile_app)
def undo(
    change: Annotated[
        str | None, typer.Argument(help="Id of the change; without one, the last.", metavar="ID")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take a change of your profile back."""
    from lpm_kernel.errors import InvalidInputError

    with opened() as node:
        edits = node.profile.edits()
        if change is None and not edits:
            raise InvalidInputError("Nothing was changed.", "There is nothing to take back.")
        identifier = change or edits[-1].id
        node.profile.undo(identifier)
        say({"id": identifier}, "Taken back.", as_json=as_json)


@command(profile_app)
def turns(
    line: Annotated[str, typer.Argument(help="Id of the line, as in `lpm profile show`.")],
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=10_000)] = 20,
    as_json: AsJson = False,
) -> None:
    """List the turns that a line counts, newest first."""
    from lpm_kernel.usecases.chat.profile import line_of, turns_of

    with opened() as node:
        shown = node.profile.now()
        known = line_of(shown, line)
        found = turns_of(shown, known)[:limit]
        rows = [
            {
                "conversation": turn.conversation,
                "turn": turn.id,
                "number": turn.number,
                "at": turn.at,
                "text": turn.text,
            }
            for turn in found
        ]
        lines = [
            f"  {turn.at:%Y-%m-%d}  {turn.title or 'Chat'}, turn {turn.number}:"
            f" {' '.join(turn.text.split())[:100]}"
            for turn in found
        ]
        head = f"{_called(known)}: {counted(known.count, 'turn')}"
        say({"total": known.count, "items": rows}, [head, *lines], as_json=as_json)


def _called(line: Line) -> str:
    if line.name:
        return line.name
    return "a role that is gone" if line.key else "your second self"
