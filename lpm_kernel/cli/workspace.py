"""Commands about the workspace: what is in it, tools that write to its files, and what they said
before.
"""

from __future__ import annotations

import sys
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say, wait_for
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.errors import NotFoundError

if TYPE_CHECKING:
    from lpm_kernel.node import Node
    from lpm_kernel.usecases.library.versions import Version
    from lpm_kernel.usecases.memory.workspace import FileChange

workspace_app = typer.Typer(
    help="The folder of Markdown files, and their earlier versions.", no_args_is_help=True
)
app.add_typer(workspace_app, name="workspace")

File = Annotated[str, typer.Argument(help="A file in the workspace, such as memory.md.")]
Words = Annotated[str, typer.Argument(help="What to write; - reads it from standard input.")]
MARKS = {"same": " ", "added": "+", "removed": "-", "skipped": "…"}


@command(workspace_app, "list")
def list_files(as_json: AsJson = False) -> None:
    """List its files, and how much of memory.md is in every prompt."""
    with opened() as node:
        rows: list[dict[str, Any]] = [
            {
                "path": workspace_file.path,
                "bytes": workspace_file.document.bytes,
                "read_at": workspace_file.document.added_at,
                "versions": workspace_file.versions,
            }
            for workspace_file in node.workspace.workspace_files()
        ]
        core = node.memory.core_for(owner=True)
        lines = [
            f"{row['path']}  {row['bytes']:,} bytes  {row['versions']}"
            f" version{'' if row['versions'] == 1 else 's'}"
            for row in rows
        ]
        lines += [
            f"In every prompt: {counted(len(core.lines), 'line')} of memory.md."
            + (
                f" {counted(core.left_out, 'more line')} left out for lack of room."
                if core.left_out
                else ""
            )
        ]
        lines += [*node.workspace.workspace_troubles, *node.workspace.workspace_unread]
        data = {
            "folder": str(node.ports.home.workspace),
            "items": rows,
            "core": list(core.lines),
            "left_out": core.left_out,
        }
        say(data, [str(node.ports.home.workspace), *lines], as_json=as_json)


@command(workspace_app)
def append(path: File, text: Words, as_json: AsJson = False) -> None:
    """Add text at the end of a file."""
    with opened(must_exist=False) as node:
        _written(node, node.workspace.append(path, _given(text)), as_json=as_json)


@command(workspace_app)
def replace(
    path: File,
    old: Annotated[
        str, typer.Argument(help="Words exactly as in the file, where they occur once.")
    ],
    new: Annotated[str, typer.Argument(help="The words to put in their place.")],
    as_json: AsJson = False,
) -> None:
    """Replace words in a file."""
    with opened() as node:
        _written(node, node.workspace.replace(path, old, new), as_json=as_json)


@command(workspace_app)
def insert(
    path: File,
    line: Annotated[int, typer.Argument(help="Number of the line above; 0 for the top.", min=0)],
    text: Words,
    as_json: AsJson = False,
) -> None:
    """Insert text below a line."""
    with opened() as node:
        _written(node, node.workspace.insert(path, line, _given(text)), as_json=as_json)


@command(workspace_app)
def log(path: File, as_json: AsJson = False) -> None:
    """List the versions of a file, newest first."""
    with opened() as node:
        found = node.workspace.versions(path)
        rows = [
            {
                "number": version.number,
                "document": version.document,
                "at": version.at,
                "bytes": version.bytes,
                "current": version.current,
            }
            for version in found
        ]
        say(
            {"items": rows},
            [
                f"{version.number:>4}  {version.at:%Y-%m-%d %H:%M}  {version.bytes:,} bytes"
                + ("  now" if version.current else "")
                for version in found
            ],
            as_json=as_json,
        )


@command(workspace_app)
def diff(
    path: File,
    before: Annotated[
        int | None,
        typer.Option("--from", help="The older version; the one before the last unless given."),
    ] = None,
    after: Annotated[
        int | None, typer.Option("--to", help="The newer version; the last unless given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what changed between two versions."""
    with opened() as node:
        found = node.workspace.versions(path)
        newer = _numbered(found, path, after or found[0].number)
        older = _numbered(found, path, before or max(1, newer.number - 1))
        lines = node.workspace.changed_between(path, older.document, newer.document)
        rows = [
            {
                "part": diff_line.part.value,
                "text": diff_line.text,
                "before": diff_line.before,
                "after": diff_line.after,
            }
            for diff_line in lines
        ]
        say(
            {"lines": rows},
            [f"{MARKS[diff_line.part.value]} {diff_line.text}" for diff_line in lines]
            or ["No changes."],
            as_json=as_json,
        )


@command(workspace_app)
def restore(
    path: File,
    number: Annotated[
        int, typer.Argument(help="Number of the version, as in `lpm workspace log`.")
    ],
    as_json: AsJson = False,
) -> None:
    """Restore an earlier version; the current one is kept as a version."""
    with opened() as node:
        wanted = _numbered(node.workspace.versions(path), path, number)
        _written(
            node, node.workspace.restore_version(path, DocumentId(wanted.document)), as_json=as_json
        )


def _numbered(found: list[Version], path: str, number: int) -> Version:
    for version in found:
        if version.number == number:
            return version
    raise NotFoundError(f"version of {PurePosixPath(path).name}", str(number))


def _given(text: str) -> str:
    return sys.stdin.read() if text == "-" else text


def _written(node: Node, made: FileChange, *, as_json: bool) -> None:
    wait_for(node, list(made.jobs), quiet=True)
    data = {"path": made.path, "document": made.document, "jobs": [job.id for job in made.jobs]}
    say(
        data,
        f"Written to {node.ports.home.workspace / made.path}."
        if made.jobs
        else "It already reads like that.",
        as_json=as_json,
    )
