"""Commands about what is in the memory: add, find, ask, make the index anew."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say, wait_for
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.ids import is_thread
from lpm_kernel.errors import NodeError

if TYPE_CHECKING:
    from lpm_kernel.domain.chat.conversations import Citation
    from lpm_kernel.domain.chat.recall import Recalled, Recollection
    from lpm_kernel.domain.home.jobs import Job
    from lpm_kernel.domain.library.documents import Problem
    from lpm_kernel.node import Node
    from lpm_kernel.usecases.library.documents import PassagePlace
    from lpm_kernel.usecases.library.intake import NewDocument

    Source = tuple[str, Callable[[], NewDocument]]
    """A name, and what reads the document that it names."""


class MemoryQuery(StrEnum):
    """What is looked for: statements of one kind, or passages."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OPINION = "opinion"
    OBSERVATION = "observation"
    PASSAGE = "passage"
    TURN = "turn"


DECAY = "Rank by nearness and newness alone, each day counting this much (0.05)."
REMARKS = 20
"""Remarks that are shown after adding."""
STANDS = {"opinion": " (believed)", "observation": " (summary)"}
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
    tag: Annotated[list[str] | None, typer.Option(help="A tag; can be repeated.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Only for your own recall.")] = False,
    folder: Annotated[
        str,
        typer.Option(
            help=(
                "Folder in the library, for example letters/2024; otherwise the path below the"
                " folder you name."
            )
        ),
    ] = "",
    version_of: Annotated[
        str,
        typer.Option(
            help="Id of the document that this file or text is a new version of.", metavar="ID"
        ),
    ] = "",
    wait: Annotated[bool, typer.Option(help="Wait until it has been read.")] = True,
    as_json: AsJson = False,
) -> None:
    """Add files, folders or a text, and read them. A folder that was added before gives new
    versions of the files that changed.
    """
    _check(paths or [], text, version_of)
    with opened(must_exist=False) as node:
        label = _Label(_moment(at), tuple(tag or ()), private, folder, version_of)
        sources = _files(node, paths or [], label) if text is None else _note(node, text, label)
        received = _received(node, sources)
        ended = _read(node, received, quiet=as_json) if wait else received.jobs
        failed = {job.id for job in ended if job.error is not None}
        refused = [*received.refused, *_failures(ended)]
        added = sum(job.id not in failed for job in received.jobs)
        say(
            _outcome(received, added, refused),
            [
                _summary(added, received.known, len(refused)),
                *_about_versions(received),
                *_grouped(refused),
                *_remarks_on(node, ended),
            ],
            as_json=as_json,
        )
        if refused and not added and not received.known:
            raise typer.Exit(1)


def _check(paths: list[Path], text: str | None, version_of: str) -> None:
    if bool(paths) == (text is not None):
        raise typer.BadParameter("Give files and folders, or --text, but not both.")
    if version_of and (len(paths) > 1 or any(path.is_dir() for path in paths)):
        raise typer.BadParameter("--version-of takes one file, or --text.")


@dataclass(frozen=True)
class _Label:
    """What is noted of all that one command adds."""

    moment: datetime | None
    tags: tuple[str, ...]
    private: bool
    folder: str
    version_of: str

    def on(self, name: str, data: bytes, folder: str | None = None) -> NewDocument:
        """Label what one file holds; a text has no ``folder``, a file by itself an empty one."""
        from lpm_kernel.domain.ids import DocumentId
        from lpm_kernel.usecases.library.file_names import file_path
        from lpm_kernel.usecases.library.intake import NewDocument

        path = "" if folder is None else file_path(f"{self.folder}/{folder}", name)
        return NewDocument(
            name,
            data,
            None,
            self.moment,
            self.tags,
            self.private,
            folder=self.folder or folder or "",
            path=path,
            version_of=DocumentId(self.version_of) if self.version_of else None,
        )


@dataclass(frozen=True)
class _Received:
    """What came of handing documents in."""

    jobs: list[Job]
    unread: list[Job]
    """Of documents that came in before and were not read to their end."""
    refused: list[tuple[str, Problem]]
    known: int
    versions: int
    """How many are new versions of what was there."""
    same_name: list[dict[str, str]]
    """What came alone and may be a new version of something called so."""


def _note(node: Node, text: str, label: _Label) -> Iterable[Source]:
    from lpm_kernel.usecases.library.intake import pasted

    name, data = pasted(text, None, node.ports.clock.now())
    yield name, lambda: label.on(name, data)


def _files(node: Node, paths: list[Path], label: _Label) -> Iterable[Source]:
    from lpm_kernel.usecases.library.intake import walk

    limit = node.ports.settings.max_upload_bytes
    for path in walk(paths):
        yield path.name, partial(_document, path, paths, limit, label)


def _document(path: Path, paths: list[Path], limit: int, label: _Label) -> NewDocument:
    from lpm_kernel.usecases.library.intake import folder_of

    return label.on(path.name, _bytes(path, limit), folder_of(path, paths))


def _received(node: Node, sources: Iterable[Source]) -> _Received:
    """Hand the documents in; one that is refused does not keep the others out."""
    from lpm_kernel.domain.library.documents import Problem

    jobs: list[Job] = []
    unread: list[Job] = []
    refused: list[tuple[str, Problem]] = []
    known = versions = 0
    same_name: list[dict[str, str]] = []
    for name, document in sources:
        try:
            received = node.library.receive(document())
        except NodeError as error:
            refused.append((name, Problem.of(error)))
            continue
        versions += received.before is not None
        proposed = node.library.proposed(received.document)
        if proposed is not None:
            document_id = received.document.id
            same_name.append({"name": name, "document": document_id, "there": proposed.id})
        if received.job is not None:
            jobs.append(received.job)
            continue
        known += 1
        if received.document.state == "received":
            unread += node.ports.jobs.latest_for([received.document.id]).values()
    return _Received(jobs, unread, refused, known, versions, same_name)


def _read(node: Node, received: _Received, *, quiet: bool) -> list[Job]:
    """Wait until all is read, what archives hold too."""
    ended = wait_for(node, [*received.jobs, *received.unread], quiet=quiet)
    inside = _of_archives(node, ended)
    return [*ended, *wait_for(node, inside, quiet=quiet)] if inside else ended


def _outcome(received: _Received, added: int, refused: list[tuple[str, Problem]]) -> dict[str, Any]:
    return {
        "added": added,
        "known": received.known,
        "refused": [{"name": name, **asdict(problem)} for name, problem in refused],
        "documents": [job.document for job in received.jobs],
        "versions": received.versions,
        "same_name": received.same_name,
    }


def _failures(ended: Iterable[Job]) -> Iterable[tuple[str, Problem]]:
    yield from (("", job.error) for job in ended if job.error is not None)


def _summary(added: int, known: int, refused: int) -> str:
    return (
        f"{added} added"
        + (f", {known} already known" if known else "")
        + (f", {refused} could not be read:" if refused else ".")
    )


def _about_versions(received: _Received) -> Iterable[str]:
    """Say what is a new version, and what may be one."""
    if received.versions:
        yield f"  {received.versions} of them a new version of what was there."
    for each in received.same_name[:NAMED]:
        yield (
            f"  “{each['name']}” is there already. If this is a new version of it:"
            f" lpm add {each['name']} --version-of {each['there']}"
        )


def _remarks_on(node: Node, ended: Iterable[Job]) -> Iterable[str]:
    """Say once what there is to remark on what was read; of very much the first."""
    read = (job for job in ended if job.error is None)
    remarks = list(dict.fromkeys(remark for job in read for remark in _remarks(node, job)))
    yield from (f"  {remark}" for remark in remarks[:REMARKS])
    if len(remarks) > REMARKS:
        yield f"  … and {counted(len(remarks) - REMARKS, 'more remark')}."


def _of_archives(node: Node, ended: list[Job]) -> list[Job]:
    """Return the jobs that read what was taken out of archives."""
    archives = {job.document for job in ended if job.document is not None and job.error is None}
    inside = [document.id for document in node.ports.documents.all() if document.parent in archives]
    return list(node.ports.jobs.latest_for(inside).values()) if inside else []


def _remarks(node: Node, job: Job) -> list[str]:
    return (
        node.library.remarks(node.ports.documents.get(job.document))
        if job.document is not None
        else []
    )


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
            path.name, "you have no permission to open it.", "Check its permissions."
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
        str | None,
        typer.Option("--as-of", help="Search as of this day: the memories as they were then."),
    ] = None,
    kind: Annotated[
        list[MemoryQuery] | None,
        typer.Option(help="A kind of memory, passage, or turn; can be repeated."),
    ] = None,
    entity: Annotated[
        list[str] | None,
        typer.Option(help="Said by or naming this person, place or thing; can be repeated."),
    ] = None,
    budget: Annotated[int | None, typer.Option(help="At most this many tokens.", min=1)] = None,
    decay: Annotated[float | None, typer.Option(help=DECAY, min=0.0001, max=10)] = None,
    spread: Annotated[
        bool,
        typer.Option(
            "--spread",
            help="Also search up to two steps away on the map from the names in the question.",
        ),
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each was found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find passages that answer a question, each with its source."""
    from lpm_kernel.L0.language.dates import moment
    from lpm_kernel.usecases.chat.recall_options import RecallOptions

    with opened() as node:
        found = node.memory.recall(
            query,
            k=k,
            options=RecallOptions(
                since=since,
                until=until,
                as_of=moment(as_of, node.ports.clock.now(), until=True) if as_of else None,
                memory_kinds=kind or (),
                entities=entity or (),
                token_budget=budget,
                decay_rate=decay,
                explain=explain,
                spread=spread,
                threads=not kind or "turn" in kind,
            ),
        )
        places = node.ports.places.found(found.items)
        _say_found(found, places, explain=explain, as_json=as_json)


def _say_found(
    found: Recollection, places: Iterable[PassagePlace], *, explain: bool, as_json: bool
) -> None:
    there = [
        (item, place)
        for item, place in zip(found.items, places, strict=True)
        if place.document is not None
    ]
    if found.level == "words":
        print("(keyword search only: no embedder is running)", file=sys.stderr)
    say(
        {
            "items": [_row(item, place, explain=explain) for item, place in there],
            "tokens": found.tokens,
            "level": found.level,
        },
        [line for item, place in there for line in _lines(item, place, explain=explain)]
        or ["Nothing found."],
        as_json=as_json,
    )


def _row(item: Recalled, place: PassagePlace, *, explain: bool) -> dict[str, Any]:
    chunk = item.chunk
    row: dict[str, Any] = {
        "id": chunk.id,
        "kind": chunk.kind or ("turn" if is_thread(chunk.document) else "passage"),
        "content": chunk.text,
        "entities": chunk.about,
        "confidence": chunk.confidence,
        "speaker": chunk.speaker,
        "timestamp": chunk.said_at,
        "source": place.source,
        "anchor": asdict(chunk.anchor) if chunk.anchor else None,
        "document": place.document.title if place.document else "",
        "score": item.score,
    }
    if item.path:
        row["path"] = item.path
    if explain:
        row["signals"] = asdict(item.signals)
    return row


def _lines(item: Recalled, place: PassagePlace, *, explain: bool) -> Iterable[str]:
    chunk = item.chunk
    title = place.document.title if place.document else ""
    yield (
        f"{chunk.content}\n    {title} · {place.source}"
        + (f" · {chunk.anchor}" if chunk.anchor else "")
        + (f" · {chunk.said_at:%Y-%m-%d}" if chunk.said_at else "")
    )
    if item.path:
        yield f"    {' → '.join(item.path)}"
    if explain:
        signals = asdict(item.signals).items()
        yield "    " + "  ".join(f"{name} {value:+.2f}" for name, value in signals)


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
        typer.Option(
            help="A file in the workspace, for example bank/world.md; today's unless given."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--from", help="Since when it is true: 2024, 2025-03-01, “last May”."),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Until when it was true, that day or year included.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add a memory: a line in the workspace, found from now on."""
    from lpm_kernel.cli.memories import moment_of
    from lpm_kernel.domain.memory.validity import Validity

    with opened(must_exist=False) as node:
        path, identifier, jobs = node.workspace.retain(
            line, file, Validity(moment_of(node, since), moment_of(node, until, until=True))
        )
        document = node.ports.documents.by_origin(path)
        wait_for(
            node,
            jobs or list(node.ports.jobs.latest_for([document.id] if document else []).values()),
            quiet=True,
        )
        say({"id": identifier, "file": path}, f"Saved in {path} as ^{identifier}.", as_json=as_json)


@command(app)
def chat(
    question: Annotated[str, typer.Argument(help="What to ask.")],
    role: Annotated[
        str, typer.Option(help="Id of the role that answers; see `lpm roles list`.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Ask your second self, or a role, once; the sources are listed below the answer."""
    from lpm_kernel.domain.chat.roles import RoleId
    from lpm_kernel.L1.answering.answer import AnswerStretch, Ended
    from lpm_kernel.usecases.chat.ask import SingleQuestion, ask

    with opened() as node:
        end: Ended | None = None
        by = node.chat.speaks(node.ports.roles.get(RoleId(role)) if role else None, owner=True)
        for event in ask(by, node.ports.conversations.identity(), SingleQuestion(question)):
            if isinstance(event, Ended):
                end = event
                node.memory.cited(event.citations)
            elif isinstance(event, AnswerStretch) and not as_json:
                print(f"“{event.text}”" if event.kind == "quotation" else event.text, flush=True)
        sources = _sources(node, end.citations if end else ())
        text = " ".join(part.text for part in end.parts) if end else ""
        say(
            {
                "answer": text,
                "abstained": bool(end and end.abstained),
                "outcome": end.outcome.value if end else None,
                "sources": sources,
            },
            [
                f"  [{row['n']}] {row['title']} · {row['source']}{STANDS.get(row['kind'], '')}"
                for row in sources
            ],
            as_json=as_json,
        )


def _sources(node: Node, citations: Iterable[Citation]) -> list[dict[str, Any]]:
    seen: dict[Any, Any] = {}
    cited = [
        (
            citation,
            node.ports.places.span(
                seen, citation.document, citation.text_version, citation.start, citation.end
            ),
        )
        for citation in citations
    ]
    kinds = {
        chunk.id: chunk.kind.value
        for chunk in node.memory.passages(citation.chunk for citation, _ in cited)
        if chunk.kind
    }
    return [
        {
            "n": citation.n,
            "kind": kinds.get(citation.chunk, "passage"),
            "source": place.source,
            "title": place.document.title if place.document else "",
        }
        for citation, place in cited
    ]


@command(app)
def reindex(as_json: AsJson = False) -> None:
    """Rebuild the index from the documents."""
    from lpm_kernel.usecases.library.documents import reindex as queue

    with opened() as node:
        node.ports.discard_damaged_index()
        count = queue(node.ports.documents, node.ports.jobs, node.ports.clock)
        jobs, _ = node.ports.jobs.page(limit=max(1, count))
        wait_for(node, jobs[:count], quiet=as_json)
        node.graph.queue_graph()
        there = len(node.ports.index.indexed())
        say(
            {"documents": there},
            f"{there:,} of {counted(count, 'document')} indexed again.",
            as_json=as_json,
        )
