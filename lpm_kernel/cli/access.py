"""Commands about keys of other programs, the models, and background work."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lpm_kernel.cli.frame import AsJson, app, command, follow, opened, say

if TYPE_CHECKING:
    from lpm_kernel.domain.home.jobs import Job
    from lpm_kernel.node import Node

keys_app = typer.Typer(help="Keys for other programs.", no_args_is_help=True)
models_app = typer.Typer(help="The model that answers.", no_args_is_help=True)
embedder_app = typer.Typer(
    help="The embedder: what search by meaning works with.", no_args_is_help=True
)
jobs_app = typer.Typer(help="Background work.", no_args_is_help=True)
app.add_typer(keys_app, name="keys")
app.add_typer(models_app, name="models")
app.add_typer(embedder_app, name="embedder")
app.add_typer(jobs_app, name="jobs")


@command(keys_app, "create")
def keys_create(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    scope: Annotated[
        list[str], typer.Option(help="chat, recall, write or admin; can be repeated.")
    ],
    as_json: AsJson = False,
) -> None:
    """Create a key for another program; it is shown only once."""
    from lpm_kernel.usecases.home.access import EVERYTHING, create_key

    if unknown := sorted(set(scope) - set(EVERYTHING)):
        raise typer.BadParameter(
            f"Unknown scope: {', '.join(unknown)}. Choose from {', '.join(EVERYTHING)}."
        )
    with opened() as node:
        key, secret = create_key(node.ports.access, node.ports.clock, name, scope)
        say({"id": key.id, "key": secret}, [secret, "It is not shown again."], as_json=as_json)


@command(keys_app, "list")
def keys_list(as_json: AsJson = False) -> None:
    """List the keys, without their secrets."""
    with opened() as node:
        rows: list[dict[str, Any]] = [
            {
                "id": key.id,
                "name": key.name,
                "scopes": list(key.scopes),
                "created_at": key.created_at,
            }
            for key in node.ports.access.all_keys()
        ]
        say(
            {"items": rows},
            [f"{row['id']}  {row['name']}  {', '.join(row['scopes'])}" for row in rows]
            or ["No keys."],
            as_json=as_json,
        )


@command(keys_app, "revoke")
def keys_revoke(
    key: Annotated[str, typer.Argument(help="Id of the key.")], as_json: AsJson = False
) -> None:
    """Revoke a key, with immediate effect."""
    with opened() as node:
        node.ports.access.revoke_key(key, node.ports.clock.now())
        say({"revoked": key}, "Revoked.", as_json=as_json)


@command(models_app, "list")
def models_list(as_json: AsJson = False) -> None:
    """List the models you can use, and those you can download."""
    with opened(must_exist=False) as node:
        rows = [asdict(option) for option in node.models.model_choices()]
        lines = [
            f"{'*' if row['active'] else ' '} {row['name']}  {row['detail']}"
            for row in rows
            if row["kind"] != "catalogue"
        ]
        lines += [
            f"  {row['id']}  {row['bytes'] / 1e9:.1f} GB, {row['licence']}; {row['detail']}"
            f" Download it: lpm models get {row['id']}"
            for row in rows
            if row["kind"] == "catalogue"
        ]
        say({"items": rows}, lines, as_json=as_json)


@command(models_app, "get")
def models_get(
    model: Annotated[
        str,
        typer.Argument(
            help="A name from the catalogue (`lpm models list`), or the address of a GGUF file."
        ),
    ],
    yes: Annotated[
        bool,
        typer.Option("--yes", help="Download from an address that is not in the catalogue."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Download a model; an interrupted download continues where it stopped."""
    from lpm_kernel.usecases.models.catalogue import OWN

    with opened(must_exist=False) as node:
        own = "://" in model
        job = node.models.download(OWN if own else model, model if own else None, consent=yes)
        _follow(node, job, "Downloading", as_json=as_json)


@command(models_app, "use")
def models_use(
    model: Annotated[
        str,
        typer.Argument(
            help="bundled, the path to a GGUF file, or the URL of an OpenAI-compatible endpoint."
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Which model at the endpoint.")] = None,
    key: Annotated[
        str | None, typer.Option(help="The endpoint's key.", envvar="LPM_ENDPOINT_KEY")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Test a model and use it from the next question on."""
    with opened(must_exist=False) as node:
        node.models.use_model(_choice(model, name, key))
        say(
            {"model": node.ports.settings.model},
            f"Answers now come from {node.ports.settings.model}.",
            as_json=as_json,
        )


@command(models_app, "probe")
def models_probe(
    model: Annotated[
        str, typer.Argument(help="bundled, the path to a GGUF file, or the URL of an endpoint.")
    ],
    name: Annotated[str | None, typer.Option(help="Which model at the endpoint.")] = None,
    key: Annotated[
        str | None, typer.Option(help="The endpoint's key.", envvar="LPM_ENDPOINT_KEY")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Test a model; nothing is changed."""
    with opened(must_exist=False) as node:
        tried = node.models.probe(_choice(model, name, key))
        say(asdict(tried), tried.sentence, as_json=as_json)
        if not tried.ok:
            raise typer.Exit(1)


@command(embedder_app, "list")
def embedder_list(as_json: AsJson = False) -> None:
    """List the embedders you can use."""
    with opened(must_exist=False) as node:
        rows = [asdict(option) for option in node.models.embedder_choices()]
        say(
            {"items": rows},
            [f"{'*' if row['active'] else ' '} {row['name']}  {row['detail']}" for row in rows],
            as_json=as_json,
        )


@command(embedder_app, "probe")
def embedder_probe(
    embedder: Annotated[
        str,
        typer.Argument(help="bundled, none, the path to a GGUF file, or the URL of an endpoint."),
    ],
    name: Annotated[str | None, typer.Option(help="Which model at the endpoint.")] = None,
    key: Annotated[
        str | None, typer.Option(help="The endpoint's key.", envvar="LPM_ENDPOINT_KEY")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Test an embedder with made-up sentences; nothing is changed."""
    with opened(must_exist=False) as node:
        tried = node.models.probe_embedder(_embedder(embedder, name, key))
        say(asdict(tried), tried.sentence, as_json=as_json)
        if not tried.ok:
            raise typer.Exit(1)


@command(embedder_app, "use")
def embedder_use(
    embedder: Annotated[
        str,
        typer.Argument(
            help=(
                "bundled, none, the path to a GGUF file, or the URL of an OpenAI-compatible"
                " endpoint."
            )
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Which model at the endpoint.")] = None,
    key: Annotated[
        str | None, typer.Option(help="The endpoint's key.", envvar="LPM_ENDPOINT_KEY")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Agree to send texts and questions to another machine.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Change the embedder; the current one stays in use until everything is embedded."""
    with opened(must_exist=False) as node:
        tried, job = node.models.use_embedder(_embedder(embedder, name, key), consent=yes)
        if not as_json:
            say({}, tried.sentence, as_json=False)
        _follow(node, job, "Embedding", as_json=as_json)


@command(jobs_app, "list")
def jobs_list(
    state: Annotated[
        list[str] | None,
        typer.Option(help="queued, running, succeeded, failed or cancelled; can be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=500)] = 20,
    as_json: AsJson = False,
) -> None:
    """List background work, newest first."""
    from lpm_kernel.domain.home.jobs import JobState

    if unknown := sorted(set(state or ()) - {job_state.value for job_state in JobState}):
        raise typer.BadParameter(
            f"Unknown state: {', '.join(unknown)}. Choose from"
            f" {', '.join(job_state.value for job_state in JobState)}."
        )
    with opened() as node:
        found, _ = node.ports.jobs.page(
            limit=limit, states=[JobState(each) for each in state or ()]
        )
        say(
            {"items": [_job_row(job) for job in found]},
            [_job_line(job) for job in found] or ["No jobs."],
            as_json=as_json,
        )


@command(jobs_app, "cancel")
def jobs_cancel(
    job: Annotated[str, typer.Argument(help="Id of the job.")], as_json: AsJson = False
) -> None:
    """Stop a job at its next step; a retry continues from what it has done."""
    from lpm_kernel.domain.ids import JobId

    with opened() as node:
        now = node.cancel_job(JobId(job))
        say(_job_row(now), _job_line(now), as_json=as_json)


@command(jobs_app, "retry")
def jobs_retry(
    job: Annotated[str | None, typer.Argument(help="Id of the job.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every failed job that has not succeeded since.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a failed or cancelled job again; it continues where it stopped."""
    from lpm_kernel.domain.ids import JobId
    from lpm_kernel.usecases.library.documents import read_again

    if (job is None) is not every:
        raise typer.BadParameter("Give a job, or --all.")
    with opened() as node:
        again = (
            node.library.retry_failed()
            if job is None
            else [read_again(node.ports.documents, node.ports.jobs, node.ports.clock, JobId(job))]
        )
        say(
            {"items": [_job_row(each) for each in again]},
            [_job_line(each) for each in again] or ["No failed jobs."],
            as_json=as_json,
        )


def _job_row(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "kind": job.kind,
        "state": job.state.value,
        "progress": job.progress,
        "step": job.step,
        "message": job.message,
        "document": job.document,
        "error": asdict(job.error) if job.error else None,
        "created_at": job.created_at,
        "ended_at": job.ended_at,
    }


def _job_line(job: Job) -> str:
    return (
        f"{job.id}  {job.kind}  {job.state.value}  {job.progress:.0%} "
        f" {job.error.detail if job.error else job.message}"
    )


def _follow(node: Node, job: Job, label: str, *, as_json: bool) -> None:
    """Wait for one job and say how it ended; Ctrl-C leaves it to the worker."""
    ended = follow(node, job, label, quiet=as_json)
    say(
        _job_row(ended),
        ended.error.detail if ended.error else ended.message or ended.state.value,
        as_json=as_json,
    )
    if ended.state.value != "succeeded":
        raise typer.Exit(1)


def _embedder(embedder: str, name: str | None, key: str | None) -> Any:  # noqa: ANN401  the type is imported only when it is needed
    from lpm_kernel.usecases.library.embedders import EmbedderChoice

    match embedder:
        case "bundled" | "hashing" | "none":
            return EmbedderChoice(embedder)
        case address if address.startswith(("http://", "https://")):
            return EmbedderChoice("endpoint", url=address, key=key, model=name)
        case path:
            return EmbedderChoice("file", path=str(Path(path).expanduser().absolute()))


def _choice(model: str, name: str | None, key: str | None) -> Any:  # noqa: ANN401  the type is imported only when it is needed
    from lpm_kernel.usecases.models.catalogue import ModelChoice

    if model == "bundled":
        return ModelChoice("bundled")
    if model.startswith(("http://", "https://")):
        return ModelChoice("endpoint", url=model, key=key, model=name)
    return ModelChoice("file", path=str(Path(model).expanduser().absolute()))
