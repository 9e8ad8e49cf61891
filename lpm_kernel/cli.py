"""The ``lpm`` command. It imports what a command needs when that command runs, so that ``lpm --help`` is quick.

Every command takes ``--json``, exits 0 on success, 1 when it could not do it (one sentence on standard error), 2 on
wrong usage.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from lpm_kernel.errors import InvalidInputError, NodeError, NodeNotRunningError

if TYPE_CHECKING:
    from lpm_kernel.domain.documents import Problem
    from lpm_kernel.domain.jobs import Job
    from lpm_kernel.node import Node

P = ParamSpec("P")

app = typer.Typer(
    name="lpm", help="Your second self, on your own machine.", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)
keys_app = typer.Typer(help="Keys for other programs.", no_args_is_help=True)
models_app = typer.Typer(help="The model that answers.", no_args_is_help=True)
app.add_typer(keys_app, name="keys")
app.add_typer(models_app, name="models")

LOOK_EVERY = 0.5
"""Seconds between two looks at jobs that are waited for."""
NAMED = 6
"""Files that are named when several have the same trouble."""
AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]


def main() -> None:
    """Run the command line; an error is one sentence on standard error."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # a model in this process must not spin on cores that others use
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin too: twice the processor time, and no sooner done
    try:
        app()
    except NodeError as error:
        print(" ".join(part for part in (error.detail, error.hint) if part), file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        if os.environ.get("LPM_DEBUG"):
            raise
        print(
            f"This did not work: {type(error).__name__}. Is the disk full, or the home read-only? LPM_DEBUG=1 shows where it happened.",
            file=sys.stderr,
        )
        sys.exit(1)


def command(group: typer.Typer, name: str | None = None) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Register a command whose errors leave as one sentence."""

    def register(function: Callable[P, None]) -> Callable[P, None]:
        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            function(*args, **kwargs)

        group.command(name)(run)
        return run

    return register


def say(data: dict[str, Any], sentence: str | Iterable[str], *, as_json: bool) -> None:
    """Print the data as JSON, or the sentences."""
    if as_json:
        print(json.dumps(data, ensure_ascii=False, default=str))
    else:
        for line in [sentence] if isinstance(sentence, str) else sentence:
            print(line)


def _node(*, must_exist: bool = True, lenient: bool = False) -> Node:
    from lpm_kernel.config import default_home
    from lpm_kernel.node import Node

    home = default_home()
    if must_exist and not home.exists:
        raise InvalidInputError(f"There is no home at {home.root}.", "Make one with `lpm init`, or name another with LPM_HOME.")
    return Node(home, lenient=lenient)


@command(app)
def init(name: Annotated[str, typer.Option(help="Your name, in any script.")] = "", as_json: AsJson = False) -> None:
    """Make the home, the folder that holds everything."""
    from dataclasses import replace

    with _node(must_exist=False) as node:
        if name.strip():
            node.conversations.set_identity(replace(node.conversations.identity(), name=name.strip()))
        say({"home": str(node.home.root)}, f"Your home is {node.home.root}. Start the node with `lpm start`.", as_json=as_json)


@command(app)
def start(
    detach: Annotated[bool, typer.Option("--detach", help="Return once it runs.")] = False,
    port: Annotated[int | None, typer.Option(help="Port to listen on; a taken one is named and the next is offered.")] = None,
) -> None:
    """Start the node and open it in the browser."""
    from lpm_kernel.config import default_home
    from lpm_kernel.worker import supervise

    home = default_home()
    if detach:
        supervise.detach(home, port)
    else:
        supervise.run(home, port)


@command(app)
def demo(port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None) -> None:
    """Start a node of its own with an invented life, to look around in."""
    from lpm_kernel.config import Home, default_home
    from lpm_kernel.node import Node
    from lpm_kernel.usecases.sample import SAMPLE, add_sample_life
    from lpm_kernel.worker import supervise

    if not SAMPLE.exists():
        raise InvalidInputError("The sample life is not here: it comes with the repository.", "Run `make demo` in a clone of it.")
    home = Home(default_home().root.with_name(f"{default_home().root.name}-demo"))
    with Node(home) as node:
        left_out = add_sample_life(node.receive, node.conversations)
    print(
        f"The invented life of Nagi Sorrel lies in {home.root}, apart from your own."
        + (f" {left_out} of her files are of kinds that are not read yet." if left_out else "")
    )
    supervise.run(home, port)


@command(app)
def stop(as_json: AsJson = False) -> None:
    """Stop the node."""
    from lpm_kernel.config import default_home
    from lpm_kernel.worker import supervise

    stopped = supervise.stop(default_home())
    say({"stopped": stopped}, "Stopped." if stopped else "The node was not running.", as_json=as_json)


@command(app)
def status(as_json: AsJson = False) -> None:
    """Say how the node is, at a glance."""
    from lpm_kernel.worker import supervise

    with _node(lenient=True) as node:
        where = supervise.address(node.home)
        counts, jobs = node.index.counts(), node.jobs.active()
        data = {
            "running": where is not None,
            "address": where,
            "documents": node.documents.count(),
            "passages": counts.chunks,
            "jobs": jobs,
            "home": str(node.home.root),
        }
        lines = [
            f"Running at {where}." if where else "Not running. Start it with `lpm start`.",
            f"{data['documents']} documents, {counts.chunks} passages, {jobs} jobs waiting or running.",
            f"Home: {node.home.root}",
        ]
        say(data, lines, as_json=as_json)


@command(app, "open")
def open_(as_json: AsJson = False) -> None:
    """Open the running node in the browser, with a fresh login link."""
    from lpm_kernel.usecases.access import new_login_code
    from lpm_kernel.worker import supervise

    with _node(lenient=True) as node:
        where = supervise.address(node.home)
        if where is None:
            raise NodeNotRunningError
        link = f"{where}/login?code={new_login_code(node.access, node.clock)}"
        say({"link": link}, link, as_json=as_json)
        if node.settings.open and not as_json:
            typer.launch(link)


@command(app)
def doctor(as_json: AsJson = False) -> None:
    """Check everything that can be checked, and say what to do about it."""
    with _node(must_exist=False, lenient=True) as node:
        checks = list(node.examine())
        marks = {"fine": "✓", "look": "!", "broken": "✗"}
        lines = [f"{marks[check.state]} {check.sentence}" + (f"  →  {check.command}" if check.command and check.state != "fine" else "") for check in checks]
        say({"checks": [asdict(check) for check in checks]}, lines, as_json=as_json)
        if any(check.state == "broken" for check in checks):
            raise typer.Exit(1)


@command(app)
def add(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files and folders.", metavar="PATH...")] = None,
    text: Annotated[str | None, typer.Option(help="A text instead of files.")] = None,
    at: Annotated[str | None, typer.Option(help="When it was written, for example 2025-11-20.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be given several times.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Only for your own recall.")] = False,
    wait: Annotated[bool, typer.Option(help="Wait until it is read.")] = True,
    as_json: AsJson = False,
) -> None:
    """Add files, folders or a text, and read them."""
    from lpm_kernel.domain.documents import Problem
    from lpm_kernel.usecases.add import NewDocument, pasted, walk

    if bool(paths) == (text is not None):
        raise typer.BadParameter("Give files and folders, or --text, not both and not neither.")
    with _node(must_exist=False) as node:
        moment = _moment(at)
        new: list[NewDocument] = []
        refused: list[tuple[str, Problem]] = []
        jobs: list[Job] = []
        unread: list[Job] = []
        known = 0
        if text is not None:
            name, data = pasted(text, None, node.clock.now())
            new.append(NewDocument(name, data, None, moment, tuple(tag or ()), private))
        sources: Iterable[NewDocument | Path] = new or walk(paths or [])
        for source in sources:
            try:
                document = (
                    NewDocument(source.name, _bytes(source, node.settings.max_upload_bytes), None, moment, tuple(tag or ()), private)
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
                if received.document.state == "received" and (left := node.jobs.latest_for([received.document.id])):
                    unread += left.values()  # it came in before and was not read to its end
        ended = _wait(node, [*jobs, *unread], quiet=as_json) if wait else jobs
        failed = [job for job in ended if job.error is not None]
        refused += [("", job.error) for job in failed if job.error is not None]
        added = len(jobs) - len([job for job in failed if job.id in {each.id for each in jobs}])
        remarks = [job.message.partition(". ")[2] for job in ended if "Left out" in job.message]
        head = f"{added} added" + (f", {known} known already" if known else "") + (f", {len(refused)} could not be read:" if refused else ".")
        rows = [{"name": name, **asdict(problem)} for name, problem in refused]
        say(
            {"added": added, "known": known, "refused": rows, "documents": [job.document for job in jobs]},
            [head, *_grouped(refused), *(f"  {remark}" for remark in remarks)],
            as_json=as_json,
        )
        if refused and not added and not known:
            raise typer.Exit(1)


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
            yield f"  {title}: {', '.join(names[:NAMED])}{' …' if len(names) > NAMED else ''}. {hint}"


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
        raise UnreadableDocumentError(path.name, "the system does not let it be opened.", "Check its permissions.") from error


def _moment(at: str | None) -> datetime | None:
    if at is None:
        return None
    try:
        return datetime.fromisoformat(at).astimezone()
    except ValueError as error:
        raise typer.BadParameter("--at takes a date such as 2025-11-20.") from error


def _wait(node: Node, jobs: list[Job], *, quiet: bool) -> list[Job]:
    """Wait for jobs with a progress bar. Where no worker runs, do them here."""
    from lpm_kernel.domain.jobs import ENDED
    from lpm_kernel.usecases.processes import running

    elsewhere = any(name == "work" for name, _ in running(node.home))
    ended: list[Job] = []
    with typer.progressbar(length=max(1, len(jobs)), label="Reading", file=sys.stderr, hidden=quiet or not jobs) as bar:
        waiting = {job.id: job for job in jobs}
        looked = 0.0
        while waiting:
            if elsewhere:
                time.sleep(LOOK_EVERY)
            elif not node.do_one_job():
                node.recover_jobs()
                time.sleep(LOOK_EVERY)
                looked = 0.0
            if time.monotonic() - looked < LOOK_EVERY:
                continue
            looked = time.monotonic()
            done = [job for each in waiting if (job := node.jobs.get(each)).state in ENDED]
            bar.update(len(done))
            ended += done
            for job in done:
                del waiting[job.id]
            if elsewhere and waiting and not any(name == "work" for name, _ in running(node.home)):
                elsewhere = False  # the worker went away: go on here
    return ended


@command(app)
def recall(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[int, typer.Option("--k", help="How many at most.", min=1, max=200)] = 10,
    since: Annotated[str | None, typer.Option(help="30d, 2w, 2025-11-20, …")] = None,
    until: Annotated[str | None, typer.Option(help="Like --since; the day itself included.")] = None,
    budget: Annotated[int | None, typer.Option(help="At most this many tokens.", min=1)] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each was found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find passages that answer a question, with the place of each."""
    with _node() as node:
        found = node.recall(query, k=k, since=since, until=until, token_budget=budget, explain=explain)
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
                    "content": chunk.text,
                    "speaker": chunk.speaker,
                    "timestamp": chunk.said_at,
                    "source": place.source,
                    "document": place.document.title,
                    "score": item.score,
                }
            )
            lines.append(f"{chunk.content}\n    {place.document.title} · {place.source}" + (f" · {chunk.said_at:%Y-%m-%d}" if chunk.said_at else ""))
            if explain:
                rows[-1]["signals"] = asdict(item.signals)
                lines.append("    " + "  ".join(f"{name} {value:+.2f}" for name, value in asdict(item.signals).items()))
        if found.level == "words":
            print("(found by words alone: no embedder answers)", file=sys.stderr)
        say({"items": rows, "tokens": found.tokens, "level": found.level}, lines or ["Nothing found."], as_json=as_json)


@command(app)
def chat(question: Annotated[str, typer.Argument(help="What to ask.")], as_json: AsJson = False) -> None:
    """Ask your second self once; the sources stand below the answer."""
    from lpm_kernel.L1.answer import Ended, Said
    from lpm_kernel.usecases.ask import ask

    with _node() as node:
        end: Ended | None = None
        for event in ask(node.recall_for(owner=True), node.model, node.conversations.identity(), question):
            if isinstance(event, Ended):
                end = event
            elif isinstance(event, Said) and not as_json:
                print(f"“{event.text}”" if event.kind == "quotation" else event.text, flush=True)
        seen: dict[Any, Any] = {}
        cited = [(each, node.places.span(seen, each.document, each.text_version, each.start, each.end)) for each in (end.citations if end else ())]
        sources = [{"n": each.n, "source": place.source, "title": place.document.title if place.document else ""} for each, place in cited]
        text = " ".join(part.text for part in end.parts) if end else ""
        say(
            {"answer": text, "abstained": bool(end and end.abstained), "sources": sources},
            [f"  [{row['n']}] {row['title']} · {row['source']}" for row in sources],
            as_json=as_json,
        )


@command(app)
def reindex(as_json: AsJson = False) -> None:
    """Make the index anew from the documents."""
    from lpm_kernel.usecases.library import reindex as queue

    with _node() as node:
        count = queue(node.documents, node.jobs, node.clock)
        jobs, _ = node.jobs.page(limit=max(1, count))
        _wait(node, jobs[:count], quiet=as_json)
        there = len(node.index.indexed())
        say({"documents": there}, f"{there} of {count} documents are in the index again.", as_json=as_json)


@command(app)
def serve(port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None) -> None:
    """Answer HTTP on loopback (one of the processes that `lpm start` keeps)."""
    from lpm_kernel.api.server import serve as run
    from lpm_kernel.config import default_home

    run(default_home(), port)


@command(app)
def work() -> None:
    """Do background work (one of the processes that `lpm start` keeps)."""
    from lpm_kernel.config import default_home
    from lpm_kernel.worker.process import run

    run(default_home())


@command(keys_app, "create")
def keys_create(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    scope: Annotated[list[str], typer.Option(help="chat, recall, write or admin; may be given several times.")],
    as_json: AsJson = False,
) -> None:
    """Make a key for another program; it is shown this once."""
    from lpm_kernel.usecases.access import EVERYTHING, create_key

    if unknown := sorted(set(scope) - set(EVERYTHING)):
        raise typer.BadParameter(f"There is no scope {', '.join(unknown)}; there are {', '.join(EVERYTHING)}.")
    with _node() as node:
        key, secret = create_key(node.access, node.clock, name, scope)
        say({"id": key.id, "key": secret}, [secret, "It is not shown again."], as_json=as_json)


@command(keys_app, "list")
def keys_list(as_json: AsJson = False) -> None:
    """List the keys, without their secrets."""
    with _node() as node:
        rows: list[dict[str, Any]] = [
            {"id": key.id, "name": key.name, "scopes": list(key.scopes), "created_at": key.created_at} for key in node.access.all_keys()
        ]
        say({"items": rows}, [f"{row['id']}  {row['name']}  {', '.join(row['scopes'])}" for row in rows] or ["No keys."], as_json=as_json)


@command(keys_app, "revoke")
def keys_revoke(key: Annotated[str, typer.Argument(help="The id of the key.")], as_json: AsJson = False) -> None:
    """End a key now."""
    with _node() as node:
        node.access.revoke_key(key)
        say({"revoked": key}, "Revoked.", as_json=as_json)


@command(models_app, "list")
def models_list(as_json: AsJson = False) -> None:
    """List the models that can be chosen."""
    from lpm_kernel.usecases.models import choices

    with _node(must_exist=False) as node:
        rows = [asdict(each) for each in choices(node.settings, node.home.root / "models")]
        say({"items": rows}, [f"{'*' if row['active'] else ' '} {row['name']}  {row['detail']}" for row in rows], as_json=as_json)


@command(models_app, "use")
def models_use(
    model: Annotated[str, typer.Argument(help="bundled, the path of a GGUF file, or the URL of an OpenAI-compatible endpoint.")],
    name: Annotated[str | None, typer.Option(help="Which model of the endpoint.")] = None,
    key: Annotated[str | None, typer.Option(help="The endpoint's key.", envvar="LPM_ENDPOINT_KEY")] = None,
    as_json: AsJson = False,
) -> None:
    """Probe a model and use it from the next question on."""
    with _node(must_exist=False) as node:
        node.use_model(_choice(model, name, key))
        say({"model": node.settings.model}, f"Answers come from {node.settings.model} now.", as_json=as_json)


@command(models_app, "probe")
def models_probe(
    model: Annotated[str, typer.Argument(help="bundled, the path of a GGUF file, or the URL of an endpoint.")],
    name: Annotated[str | None, typer.Option(help="Which model of the endpoint.")] = None,
    key: Annotated[str | None, typer.Option(help="The endpoint's key.", envvar="LPM_ENDPOINT_KEY")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a model for a sign of life; nothing is changed."""
    with _node(must_exist=False) as node:
        tried = node.probe(_choice(model, name, key))
        say(asdict(tried), tried.sentence, as_json=as_json)
        if not tried.ok:
            raise typer.Exit(1)


def _choice(model: str, name: str | None, key: str | None) -> Any:  # noqa: ANN401  the type is imported only when it is needed
    from lpm_kernel.usecases.models import Choice

    if model == "bundled":
        return Choice("bundled")
    if model.startswith(("http://", "https://")):
        return Choice("endpoint", url=model, key=key, model=name)
    return Choice("file", path=str(Path(model).expanduser().absolute()))
