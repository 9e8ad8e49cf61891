"""Commands about the home as a whole: erase for good, what happened, backups, archives, verify."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say, wait_for
from lpm_kernel.domain.counting import counted
from lpm_kernel.errors import NodeError, NotFoundError

if TYPE_CHECKING:
    from lpm_kernel.domain.home.jobs import Job
    from lpm_kernel.domain.ids import DocumentId
    from lpm_kernel.node import Node

MARKS = {"fine": "✓", "repaired": "+", "look": "!", "damaged": "✗"}


@command(app)
def erase(
    documents: Annotated[
        list[str] | None,
        typer.Argument(help="Documents, by id, file name or title.", metavar="DOCUMENT..."),
    ] = None,
    conversation: Annotated[
        list[str] | None,
        typer.Option(help="A conversation, by id; can be repeated."),
    ] = None,
    confirm: Annotated[
        str | None, typer.Option(help="The token that was shown; erases without asking.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Erase without asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase documents and conversations for good, with every trace of them in the home and its
    backups.
    """
    from lpm_kernel.domain.ids import ConversationId

    with opened() as node:
        if confirm is None:
            proposal = node.home.propose_erasure(
                [_document(node, document) for document in documents or []],
                [ConversationId(each) for each in conversation or []],
            )
            lines = [
                "This will be erased:",
                *(f"  {share.sentence}" for share in proposal.goes if share.count),
                "This is out of reach:",
                *(f"  {share.sentence}" for share in proposal.stays),
            ]
            titles = [document.title for document in proposal.documents]
            if not yes and as_json:
                shares = {
                    name: [asdict(each) for each in getattr(proposal, name)]
                    for name in ("goes", "stays")
                }
                data = {
                    "token": proposal.token,
                    "expires_at": proposal.erasure.expires_at,
                    "documents": titles,
                    **shares,
                }
                say(data, "", as_json=True)
                return
            if not as_json:
                print(
                    "\n".join(
                        [*titles[:20], *(["…"] if len(titles) > len(titles[:20]) else []), *lines]
                    )
                )
            if not yes and not typer.confirm("Erase it for good?", err=True):
                print("Nothing was erased.")
                raise typer.Exit(1)
            confirm = proposal.token
        done = _done(node, node.home.confirm_erasure(confirm), quiet=as_json)
        say({"erased": done.result}, done.message, as_json=as_json)


@command(app)
def audit(
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Check the whole chain and name the first broken entry."),
    ] = False,
    limit: Annotated[int, typer.Option(help="How many entries.", min=1, max=10_000)] = 20,
    as_json: AsJson = False,
) -> None:
    """List what happened to the home, newest first."""
    with opened() as node:
        entries, _ = node.ports.audit.page(limit=limit)
        broken = node.home.first_break() if verify else None
        rows = [asdict(row) | {"facts": json.loads(row.facts)} for row in entries]
        lines = [
            f"{row.number:5}  {datetime.fromisoformat(row.at).astimezone():%Y-%m-%d %H:%M} "
            f" {row.kind}  {_plain(row.facts)}"
            for row in entries
        ]
        verdict = (
            ["The chain is intact."]
            if verify and broken is None
            else [broken.sentence]
            if broken
            else []
        )
        data = {
            "items": rows,
            "verified": None if not verify else broken is None,
            "broken": None if broken is None else asdict(broken),
        }
        say(data, [*lines, *verdict], as_json=as_json)
        if broken is not None:
            raise typer.Exit(1)


@command(app)
def backup(
    show: Annotated[bool, typer.Option("--list", help="List the backups instead.")] = False,
    peer_keys: Annotated[
        bool,
        typer.Option(
            "--with-peer-keys",
            help="Include the keys for other nodes; whoever has them can speak as you.",
        ),
    ] = False,
    accept_loss: Annotated[
        bool,
        typer.Option(
            "--accept-loss", help="Accept that this backup lacks documents that the last one has."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make a backup now."""
    with opened() as node:
        if show:
            known = list(reversed(node.home.backups.all()))
            lines = [
                f"{each.id}  {each.at.astimezone():%Y-%m-%d %H:%M}  "
                f"{counted(each.documents, 'document')}  {each.label}"
                f"{f'  {each.lost} missing' if each.lost else ''}"
                for each in known
            ]
            say(
                {
                    "items": [asdict(each) for each in known],
                    "folder": str(node.home.backups.folder),
                },
                lines or ["There are no backups yet."],
                as_json=as_json,
            )
            return
        made = node.home.back_up(peer_keys=peer_keys, accept_loss=accept_loss)
        lost = (
            f" It has {counted(made.lost, 'original')} fewer than the one before, which is kept."
            if made.lost
            else ""
        )
        say(
            {
                "backup": made.id,
                "path": str(node.home.backups.path(made.id)),
                "documents": made.documents,
                "lost": made.lost,
            },
            f"Backup {made.id}: {counted(made.documents, 'document')}, opened and checked.{lost}"
            f" Restore it with `lpm restore {made.id}`.",
            as_json=as_json,
        )


@command(app)
def restore(
    backup: Annotated[
        str,
        typer.Argument(help="A backup by id or folder, an exported archive, or `newest`."),
    ],
    to: Annotated[
        Path | None,
        typer.Option(help="Restore into this folder as another home, and leave yours as it is."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Restore a backup; what you have now is backed up first. Stop the node before."""
    from lpm_kernel.config import default_home
    from lpm_kernel.node import Node
    from lpm_kernel.node.rescue import newest_whole, restore_broken

    backup, passed_over = newest_whole(default_home()) if backup == "newest" else (backup, [])
    aside, damaged = "", to is None and restore_broken(default_home(), backup)
    if not damaged:
        with Node(default_home()) as node:
            aside = node.home.restore(backup, to)
    where = to or default_home().root
    before = f"What was there before is now backup {aside}." if aside else ""
    if damaged:
        before = (
            "The damaged database is in the folder `damaged` of the home, and originals that the"
            " backup lacks are in `aside`."
        )
    over = "".join(f" {each} is damaged and was skipped." for each in passed_over)
    say(
        {
            "restored": backup,
            "home": str(where),
            "before": aside,
            "damaged": damaged,
            "passed_over": passed_over,
        },
        f"{backup} was restored to {where}.{over} {before} The index is rebuilt when the node"
        " starts, or with `lpm reindex`.",
        as_json=as_json,
    )


@command(app)
def recover(as_json: AsJson = False) -> None:
    """Repair a home that does not open, from what is there. Stop the node before."""
    from lpm_kernel.config import default_home
    from lpm_kernel.errors import InvalidInputError
    from lpm_kernel.node.rescue import recover as run

    home = default_home()
    if not home.root.is_dir():
        raise InvalidInputError(
            f"There is no home at {home.root}.",
            "Create one with `lpm init`, or set LPM_HOME to another.",
        )
    done = run(home)
    say(asdict(done), done.sentence, as_json=as_json)


@command(app)
def export(
    file: Annotated[Path | None, typer.Argument(help="The archive to write; a new file.")] = None,
    without_private: Annotated[
        bool,
        typer.Option("--without-private", help="Leave out what is private and what quotes it."),
    ] = False,
    without_conversations: Annotated[
        bool, typer.Option("--without-conversations", help="Leave out the conversations.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Export everything into one archive of open formats."""
    from lpm_kernel.errors import InvalidInputError
    from lpm_kernel.usecases.home.archive_export import ExportOptions

    with opened() as node:
        path = (
            (file or Path(f"second-me-{node.ports.clock.now():%Y-%m-%d}.zip"))
            .expanduser()
            .absolute()
        )
        if path.exists():
            raise InvalidInputError(
                f"{path} already exists, so nothing was written.", "Choose another file name."
            )
        if not path.parent.is_dir():
            raise NotFoundError("folder", str(path.parent))
        with typer.progressbar(length=100, label="Writing", file=sys.stderr, hidden=as_json) as bar:
            made = node.home.export(
                path,
                ExportOptions(private=not without_private, conversations=not without_conversations),
                lambda share, *_: bar.update(int(share * 100) - bar.pos),
            )
        say(
            {"archive": str(path), **made},
            f"{path}: {counted(int(str(made['documents'])), 'document')},"
            f" {counted(int(str(made['conversations'])), 'conversation')}.",
            as_json=as_json,
        )


@command(app, "import")
def import_(
    file: Annotated[Path, typer.Argument(help="An archive that `lpm export` wrote.")],
    wait: Annotated[bool, typer.Option(help="Wait until it has been read.")] = True,
    as_json: AsJson = False,
) -> None:
    """Import an archive. What is already there stays as it is."""
    from lpm_kernel.domain.home.jobs import JobState

    with opened(must_exist=False) as node:
        path = file.expanduser().absolute()
        if not path.is_file():
            raise NotFoundError("file", str(path))
        came = node.home.take_in(path)
        if wait:
            jobs, _ = node.ports.jobs.page(
                limit=max(1, came.documents),
                states=(JobState.QUEUED, JobState.RUNNING),
                kind="ingest",
            )
            wait_for(node, jobs, quiet=as_json)
        say(asdict(came), came.sentence, as_json=as_json)


@command(app)
def verify(
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help=("Repair what can be rebuilt, and restore damaged originals from a backup."),
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check everything against everything: originals, texts, index, citations, the audit chain."""
    from lpm_kernel.domain.home.jobs import JobState

    with opened() as node:
        found = list(node.home.verify(repair=repair))
        if repair:
            jobs, _ = node.ports.jobs.page(
                limit=1000, states=(JobState.QUEUED, JobState.RUNNING), kind="ingest"
            )
            wait_for(node, jobs, quiet=as_json)
        lines = [
            f"{MARKS[discrepancy.state]} {discrepancy.sentence}"
            + (f"  →  {discrepancy.hint}" if discrepancy.hint else "")
            for discrepancy in found
        ]
        say({"findings": [asdict(discrepancy) for discrepancy in found]}, lines, as_json=as_json)
        if any(discrepancy.state in {"damaged", "look"} for discrepancy in found):
            raise typer.Exit(1)


def _document(node: Node, wanted: str) -> DocumentId:
    """Return the document of this id, file name or title. Raises ``NotFoundError``, and
    ``InvalidInputError`` when several are called so.
    """
    from lpm_kernel.domain.ids import DocumentId
    from lpm_kernel.errors import InvalidInputError

    known = node.ports.documents.everything()
    found = [document.id for document in known if document.id == wanted] or [
        document.id for document in known if wanted in {document.name, document.title}
    ]
    if len(found) > 1:
        raise InvalidInputError(
            f"{len(found)} documents are called “{wanted}”.",
            f"Give its id: {', '.join(found[:10])}.",
        )
    if not found:
        raise NotFoundError("document", wanted)
    return DocumentId(found[0])


def _done(node: Node, job: Job, *, quiet: bool) -> Job:
    """Wait for one job and return it. Raises what it failed with."""
    (done,) = wait_for(node, [job], quiet=quiet)
    if done.error is not None:
        raise NodeError(done.error.detail, done.error.hint)
    return done


def _plain(facts: str) -> str:
    known: dict[str, Any] = json.loads(facts)
    return "  ".join(
        f"{name}={', '.join(value) if isinstance(value, list) else value}"
        for name, value in known.items()
    )
