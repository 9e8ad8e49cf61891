"""Commands about what is in the memory: add, find, ask, make the index anew."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say, wait_for
from lpm_kernel.errors import NodeError

if TYPE_CHECKING:
    from lpm_kernel.domain.documents import Problem
    from lpm_kernel.domain.jobs import Job
    from lpm_kernel.node import Node


class Memory(StrEnum):
    """What is looked for: statements of one kind, or passages."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OPINION = "opinion"
    OBSERVATION = "observation"
    PASSAGE = "passage"


REMARKS = 20
"""Remarks that are shown after adding."""
STANDS = {"opinion": " (believed)", "observation": " (summed up)"}
"""What is said of a source that was not observed."""
NAMED = 6
"""Files that are named when several have the same trouble."""


@command(app)
def add(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files and folders.", metavar="PATH...")
    ] = None,
    text: Annotated[str | None, typer.Option(help="A text instead of files.")] = None,
    at: Annotated[
        str | None, typer.Option(help="When it was written, for example 2025-11-20.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="A tag; may be given several times.")
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Only for your own recall.")] = False,
    folder: Annotated[
        str,
        typer.Option(
            help=(
                "Where it lies in the library, for example letters/2024; otherwise the path below"
                " the folder that you name."
            )
        ),
    ] = "",
    wait: Annotated[bool, typer.Option(help="Wait until it is read.")] = True,
    as_json: AsJson = False,
) -> None:
    """Add files, folders or a text, and read them."""
    from lpm_kernel.domain.documents import Problem
    from lpm_kernel.usecases.library.intake import NewDocument, folder_of, pasted, walk

    if bool(paths) == (text is not None):
        raise typer.BadParameter("Give files and folders, or --text, not both and not neither.")
    with opened(must_exist=False) as node:
        moment = _moment(at)
        new: list[NewDocument] = []
        refused: list[tuple[str, Problem]] = []
        jobs: list[Job] = []
        unread: list[Job] = []
        known = 0
        if text is not None:
            name, data = pasted(text, None, node.clock.now())
            new.append(
                NewDocument(name, data, None, moment, tuple(tag or ()), private, folder=folder)
            )
        sources: Iterable[NewDocument | Path] = new or walk(paths or [])
        for source in sources:
            try:
                document = (
                    NewDocument(
                        source.name,
                        _bytes(source, node.settings.max_upload_bytes),
                        None,
                        moment,
                        tuple(tag or ()),
                        private,
                        folder=folder or folder_of(source, paths or []),
                    )
                    if isinstance(source, Path)
                    else source
                )
                received = node.receive(document)
            except NodeError as error:
                refused.append((source.name, Problem.of(error)))
                continue
            if received.job is not None:
                jobs.append(received.job)
            else:
                known += 1
                if received.document.state == "received" and (
                    left := node.jobs.latest_for([received.document.id])
                ):
                    unread += left.values()  # it came in before and was not read to its end
        ended = wait_for(node, [*jobs, *unread], quiet=as_json) if wait else jobs
        if wait and (inside := _of_archives(node, ended)):
            ended = [*ended, *wait_for(node, inside, quiet=as_json)]
        failed = [job for job in ended if job.error is not None]
        refused += [("", job.error) for job in failed if job.error is not None]
        added = len(jobs) - len([job for job in failed if job.id in {each.id for each in jobs}])
        remarks = list(
            dict.fromkeys(
                remark for job in ended if job.error is None for remark in _remarks(node, job)
            )
        )
        head = (
            f"{added} added"
            + (f", {known} known already" if known else "")
            + (f", {len(refused)} could not be read:" if refused else ".")
        )
        rows = [{"name": name, **asdict(problem)} for name, problem in refused]
        say(
            {
                "added": added,
                "known": known,
                "refused": rows,
                "documents": [job.document for job in jobs],
            },
            [
                head,
                *_grouped(refused),
                *(f"  {remark}" for remark in remarks[:REMARKS]),
                *(
                    [f"  … and {len(remarks) - REMARKS} remarks more."]
                    if len(remarks) > REMARKS
                    else []
                ),
            ],
            as_json=as_json,
        )
        if refused and not added and not known:
            raise typer.Exit(1)


def _of_archives(node: Node, ended: list[Job]) -> list[Job]:
    """Return the jobs that read what was taken out of archives."""
    archives = {job.document for job in ended if job.document is not None and job.error is None}
    inside = [document.id for document in node.documents.all() if document.parent in archives]
    return list(node.jobs.latest_for(inside).values()) if inside else []


def _remarks(node: Node, job: Job) -> list[str]:
    return node.remarks(node.documents.get(job.document)) if job.document is not None else []


def _grouped(refused: list[tuple[str, Problem]]) -> Iterable[str]:
    """Say once what is the matter with several files of one folder."""
    groups: dict[tuple[str, str], list[tuple[str, Problem]]] = {}
    for name, problem in refused:
        groups.setdefault((problem.title, problem.hint), []).append((name, problem))
    for (title, hint), group in groups.items():
        names = [name for name, _ in group if name]
        if len(group) == 1 or len(names) < len(group):
            yield from (f"  {problem.detail} {hint}" for _, problem in group)
        else:
            yield (
                f"  {title}: {', '.join(names[:NAMED])}{' …' if len(names) > NAMED else ''}. {hint}"
            )


def _bytes(path: Path, limit: int) -> bytes:
    from lpm_kernel.errors import NotFoundError, TooLargeError, UnreadableDocumentError

    try:
        size = path.stat().st_size
        if size > limit:
            raise TooLargeError(path.name, size, limit)
        return path.read_bytes()
    except FileNotFoundError as error:
        raise NotFoundError("file", str(path)) from error
    except OSError as error:
        raise UnreadableDocumentError(
            path.name, "the system does not let it be opened.", "Check its permissions."
        ) from error


def _moment(at: str | None) -> datetime | None:
    if at is None:
        return None
    try:
        return datetime.fromisoformat(at).astimezone()
    except ValueError as error:
        raise typer.BadParameter("--at takes a date such as 2025-11-20.") from error


@command(app)
def recall(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[int, typer.Option("--k", help="How many at most.", min=1, max=200)] = 10,
    since: Annotated[str | None, typer.Option(help="30d, 2w, 2025-11-20, …")] = None,
    until: Annotated[
        str | None, typer.Option(help="Like --since; the day itself included.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="Look from this day: what was believed then.")
    ] = None,
    kind: Annotated[
        list[Memory] | None,
        typer.Option(help="Kind of memory: a statement's, or passage; may be given several times."),
    ] = None,
    entity: Annotated[
        list[str] | None,
        typer.Option(
            help="Said by, or naming, this person, place or thing; may be given several times."
        ),
    ] = None,
    budget: Annotated[int | None, typer.Option(help="At most this many tokens.", min=1)] = None,
    decay: Annotated[
        float | None,
        typer.Option(
            help="Rank by nearness and newness alone, each day counting this much (0.05).",
            min=0.0001,
            max=10,
        ),
    ] = None,
    spread: Annotated[
        bool,
        typer.Option(
            "--spread",
            help="Also what lies two steps away on the map from what the question names.",
        ),
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each was found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find passages that answer a question, with the place of each."""
    from lpm_kernel.L0.language.dates import moment

    with opened() as node:
        found = node.recall(
            query,
            k=k,
            since=since,
            until=until,
            as_of=moment(as_of, node.clock.now(), until=True) if as_of else None,
            memory_kinds=kind or (),
            entities=entity or (),
            token_budget=budget,
            decay_rate=decay,
            explain=explain,
            spread=spread,
        )
        places = node.places.of(item.chunk for item in found.items)
        rows: list[dict[str, Any]] = []
        lines: list[str] = []
        for item, place in zip(found.items, places, strict=True):
            if place.document is None:
                continue
            chunk = item.chunk
            rows.append(
                {
                    "id": chunk.id,
                    "kind": chunk.kind or "passage",
                    "content": chunk.text,
                    "entities": chunk.about,
                    "confidence": chunk.confidence,
                    "speaker": chunk.speaker,
                    "timestamp": chunk.said_at,
                    "source": place.source,
                    "anchor": asdict(chunk.anchor) if chunk.anchor else None,
                    "document": place.document.title,
                    "score": item.score,
                }
            )
            lines.append(
                f"{chunk.content}\n    {place.document.title} · {place.source}"
                + (f" · {chunk.anchor}" if chunk.anchor else "")
                + (f" · {chunk.said_at:%Y-%m-%d}" if chunk.said_at else "")
            )
            if item.path:
                rows[-1]["path"] = item.path
                lines.append(f"    {' → '.join(item.path)}")
            if explain:
                rows[-1]["signals"] = asdict(item.signals)
                lines.append(
                    "    "
                    + "  ".join(
                        f"{name} {value:+.2f}" for name, value in asdict(item.signals).items()
                    )
                )
        if found.level == "words":
            print("(found by words alone: no embedder answers)", file=sys.stderr)
        say(
            {"items": rows, "tokens": found.tokens, "level": found.level},
            lines or ["Nothing found."],
            as_json=as_json,
        )


@command(app)
def retain(
    line: Annotated[
        str,
        typer.Argument(
            help=(
                "W, B, O(c=0.9) or S, whom it is about, and what: “O(c=0.9) @Peter: prefers short"
                " replies”."
            )
        ),
    ],
    file: Annotated[
        str | None,
        typer.Option(help="A file of the workspace, for example bank/world.md; otherwise today's."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--from", help="Since when it is so: 2024, 2025-03-01, “last May”."),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Until when it was so, the day or the year itself included.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Keep a statement: a line of the workspace, found from now on."""
    from lpm_kernel.cli.memories import moment_of
    from lpm_kernel.domain.validity import Validity

    with opened(must_exist=False) as node:
        path, identifier, jobs = node.retain(
            line, file, Validity(moment_of(node, since), moment_of(node, until, until=True))
        )
        document = node.documents.by_origin(path)
        wait_for(
            node,
            jobs or list(node.jobs.latest_for([document.id] if document else []).values()),
            quiet=True,
        )
        say({"id": identifier, "file": path}, f"Kept in {path} as ^{identifier}.", as_json=as_json)


@command(app)
def chat(
    question: Annotated[str, typer.Argument(help="What to ask.")],
    role: Annotated[
        str, typer.Option(help="The id of the role that answers: `lpm roles list`.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Ask your second self, or a role, once; the sources stand below the answer."""
    from lpm_kernel.domain.roles import RoleId
    from lpm_kernel.L1.answering.answer import Ended, Said
    from lpm_kernel.usecases.chat.ask import ask

    with opened() as node:
        end: Ended | None = None
        by = node.speaks(node.roles.get(RoleId(role)) if role else None, owner=True)
        for event in ask(
            by.recall,
            by.model,
            node.conversations.identity(),
            question,
            read=by.read,
            core=by.core,
            tell=by.tell,
        ):
            if isinstance(event, Ended):
                end = event
                node.cited(event.citations)
            elif isinstance(event, Said) and not as_json:
                print(f"“{event.text}”" if event.kind == "quotation" else event.text, flush=True)
        seen: dict[Any, Any] = {}
        cited = [
            (each, node.places.span(seen, each.document, each.text_version, each.start, each.end))
            for each in (end.citations if end else ())
        ]
        kinds = {
            each.id: each.kind.value
            for each in node.passages(each.chunk for each, _ in cited)
            if each.kind
        }
        sources: list[dict[str, Any]] = [
            {
                "n": each.n,
                "kind": kinds.get(each.chunk, "passage"),
                "source": place.source,
                "title": place.document.title if place.document else "",
            }
            for each, place in cited
        ]
        text = " ".join(part.text for part in end.parts) if end else ""
        say(
            {"answer": text, "abstained": bool(end and end.abstained), "sources": sources},
            [
                f"  [{row['n']}] {row['title']} · {row['source']}{STANDS.get(row['kind'], '')}"
                for row in sources
            ],
            as_json=as_json,
        )


@command(app)
def reindex(as_json: AsJson = False) -> None:
    """Make the index anew from the documents."""
    from lpm_kernel.usecases.library.documents import reindex as queue

    with opened() as node:
        node.discard_damaged_index()
        count = queue(node.documents, node.jobs, node.clock)
        jobs, _ = node.jobs.page(limit=max(1, count))
        wait_for(node, jobs[:count], quiet=as_json)
        node.queue_graph()
        there = len(node.index.indexed())
        say(
            {"documents": there},
            f"{there} of {count} documents are in the index again.",
            as_json=as_json,
        )
