"""Commands about roles: list them, create one from a template or a file, export one."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say
from lpm_kernel.domain.counting import counted
from lpm_kernel.errors import InvalidInputError

if TYPE_CHECKING:
    from lpm_kernel.domain.chat.roles import Role
    from lpm_kernel.node import Node

roles_app = typer.Typer(
    help="Ways in which your second self speaks, each with a limit on what it sees.",
    no_args_is_help=True,
)
app.add_typer(roles_app, name="roles")


class Language(StrEnum):
    """The languages that starters are written in."""

    EN = "en"
    JA = "ja"


@command(roles_app, "list")
def list_roles(as_json: AsJson = False) -> None:
    """List the roles, with how much each may see."""
    with opened() as node:
        known = node.ports.roles.all()
        sights = [node.chat.sight(role.sees, most=0, owner=True) for role in known]
        rows = [
            {"id": role.id, "name": role.name, "purpose": role.purpose, "passages": sight.passages}
            for role, sight in zip(known, sights, strict=True)
        ]
        lines = [
            f"  {role.id}  {role.name} · sees {counted(sight.passages, 'passage')} · {role.purpose}"
            for role, sight in zip(known, sights, strict=True)
        ]
        say(
            {"items": rows},
            lines or ["No roles yet. Start with `lpm roles add interview-coach`."],
            as_json=as_json,
        )


@command(roles_app)
def show(
    role: Annotated[str, typer.Argument(help="Id of the role.", metavar="ID")],
    as_json: AsJson = False,
) -> None:
    """Show a role: its prompt, how it speaks, and what it may see."""
    with opened() as node:
        known = _known(node, role)
        _say(
            node,
            known,
            [
                known.name,
                known.purpose,
                "",
                known.prompt,
                "",
                *([known.speech.style] if known.speech.style else []),
            ],
            as_json=as_json,
        )


@command(roles_app)
def add(
    starter: Annotated[
        str,
        typer.Argument(
            help=("The template: interview-coach, brand-voice, creative-partner, subject-adviser.")
        ),
    ],
    language: Annotated[Language, typer.Option(help="Its language.")] = Language.EN,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="It sees only documents with this tag; can be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a role from a template."""
    from dataclasses import replace

    from lpm_kernel.domain.chat.roles import Sees
    from lpm_kernel.usecases.chat import roles

    with opened() as node:
        made = roles.add(
            node.ports.roles,
            node.ports.clock,
            replace(roles.starter(starter, language.value), sees=Sees(tags=tuple(tag or ()))),
        )
        _say(
            node,
            made,
            [f"“{made.name}” is now {made.id}: `lpm chat --role {made.id} …`"],
            as_json=as_json,
        )


@command(roles_app)
def remove(
    role: Annotated[str, typer.Argument(help="Id of the role.", metavar="ID")],
    as_json: AsJson = False,
) -> None:
    """Delete a role; it can be restored on the screen for 30 days."""
    with opened() as node:
        known = _known(node, role)
        node.ports.roles.put_away(known.id, node.ports.clock.now())
        say(
            {"id": known.id},
            f"Deleted “{known.name}”. You can restore it on the screen for 30 days.",
            as_json=as_json,
        )


@command(roles_app, "export")
def export_role(
    role: Annotated[str, typer.Argument(help="Id of the role.", metavar="ID")],
    file: Annotated[
        Path | None, typer.Argument(help="Where to write it; otherwise it is printed.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Export a role as a small file: what it is, never what it saw."""
    from lpm_kernel.usecases.chat import roles

    with opened() as node:
        written = json.dumps(roles.to_file(_known(node, role)), ensure_ascii=False, indent=1)
    if file is None:
        print(written)
        return
    file.write_text(f"{written}\n", "utf-8")
    say({"file": str(file)}, f"Written to {file}.", as_json=as_json)


@command(roles_app, "import")
def import_role(
    file: Annotated[Path, typer.Argument(help="The file; - reads it from standard input.")],
    as_json: AsJson = False,
) -> None:
    """Import a role from a file."""
    from lpm_kernel.usecases.chat import roles

    with opened() as node:
        try:
            row = json.loads(sys.stdin.read() if str(file) == "-" else file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InvalidInputError(
                f"“{file.name}” could not be read as a role.",
                "It is a small JSON file that `lpm roles export` writes.",
            ) from error
        made = roles.add(node.ports.roles, node.ports.clock, roles.from_file(row))
        _say(
            node,
            made,
            [f"“{made.name}” is now {made.id}: `lpm chat --role {made.id} …`"],
            as_json=as_json,
        )


def _known(node: Node, role: str) -> Role:
    from lpm_kernel.domain.chat.roles import RoleId

    return node.ports.roles.get(RoleId(role))


def _say(node: Node, role: Role, lines: list[str], *, as_json: bool) -> None:
    from lpm_kernel.usecases.chat import roles

    sight = node.chat.sight(role.sees, most=0, owner=True)
    more = {"passages": sight.passages, "of": sight.of}
    say(
        roles.to_file(role) | more,
        [*lines, f"It sees {sight.passages:,} of {counted(sight.of, 'passage')}."],
        as_json=as_json,
    )
