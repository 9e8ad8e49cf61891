"""Commands that make, start, stop and examine the node."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, opened, say
from lpm_kernel.domain.counting import counted
from lpm_kernel.errors import InvalidInputError, NodeNotRunningError


@command(app)
def init(
    name: Annotated[str, typer.Option(help="Your name, in any script.")] = "",
    as_json: AsJson = False,
) -> None:
    """Create the home, the folder that holds everything."""
    from dataclasses import replace

    with opened(must_exist=False) as node:
        if name.strip():
            node.ports.conversations.set_identity(
                replace(node.ports.conversations.identity(), name=name.strip())
            )
        say(
            {"home": str(node.ports.home.root)},
            f"Your home is {node.ports.home.root}. Start the node with `lpm start`.",
            as_json=as_json,
        )


@command(app)
def start(
    detach: Annotated[bool, typer.Option("--detach", help="Return once it runs.")] = False,
    port: Annotated[
        int | None,
        typer.Option(help="Port to listen on; if it is taken, the next free one is offered."),
    ] = None,
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
def demo(
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Return once it runs.")] = False,
) -> None:
    """Start a separate node with an invented life, to look around in."""
    from lpm_kernel.config import default_home
    from lpm_kernel.node import Node
    from lpm_kernel.usecases.home.sample import add_sample_life, is_here, sample_home
    from lpm_kernel.worker import supervise

    if not is_here():
        raise InvalidInputError(
            "The sample life is missing from this installation.",
            "Reinstall Second Me; it comes with the package.",
        )
    home = sample_home(default_home())
    with Node(home) as node:
        left_out = add_sample_life(node.library.receive, node.ports.conversations)
    print(
        f"The invented life of Nagi Sorrel is in {home.root}, apart from your own."
        + (f" {left_out} of her files are of kinds that are not read yet." if left_out else "")
    )
    if detach:
        supervise.detach(home, port)
    else:
        supervise.run(home, port)


@command(app)
def stop(as_json: AsJson = False) -> None:
    """Stop the node, and the sample life that was opened beside it."""
    from lpm_kernel.config import default_home
    from lpm_kernel.usecases.home.sample import sample_home
    from lpm_kernel.worker import supervise

    home = default_home()
    try:
        stopped = supervise.stop(home)
    finally:  # a node that does not end holds nothing else up
        sample_stopped = supervise.stop(sample_home(home))
    said = {
        (True, False): "Stopped.",
        (True, True): "Stopped, and the sample life with it.",
        (False, True): "The sample life is stopped; the node was not running.",
        (False, False): "The node was not running.",
    }
    say(
        {"stopped": stopped, "sample_stopped": sample_stopped},
        said[stopped, sample_stopped],
        as_json=as_json,
    )


@command(app)
def status(as_json: AsJson = False) -> None:
    """Show the node's status at a glance."""
    from lpm_kernel.backends.vault.certificate import known_certificate
    from lpm_kernel.config import is_encrypted
    from lpm_kernel.usecases.processes import address
    from lpm_kernel.usecases.share.reach import reach

    with opened() as node:
        where = address(node.ports.home)
        counts, jobs = node.workspace.numbers(), node.ports.jobs.active()
        reached = reach(node.ports.home, node.ports.settings)
        encrypted = is_encrypted(node.ports.settings)
        shown = known_certificate(node.ports.home.certificate) if encrypted else None
        data = {
            "running": where is not None,
            "address": where,
            "certificate": None
            if shown is None
            else {"sha256": shown.fingerprint, "ends_at": shown.ends_at},
            "peers": {"state": reached.state.value, "addresses": list(reached.addresses)},
            "documents": counts.documents,
            "passages": counts.passages,
            "memories": counts.memories,
            "pages": counts.pages,
            "jobs": jobs,
            "home": str(node.ports.home.root),
        }
        lines = [
            f"Running at {where}." if where else "Not running. Start it with `lpm start`.",
            (
                f"{counted(counts.documents, 'document')}, {counted(counts.passages, 'passage')},"
                f" {counted(counts.memories, 'memory', 'memories')},"
                f" {counted(counts.pages, 'page')}; {counted(jobs, 'job')} waiting or running."
            ),
            f"Home: {node.ports.home.root}",
        ]
        if shown is not None:
            lines.append(f"Certificate, SHA-256: {shown.fingerprint}")
        if reached.addresses:
            lines.append(f"Contacts can reach you at {', '.join(reached.addresses)}.")
        say(data, lines, as_json=as_json)


@command(app, "open")
def open_(as_json: AsJson = False) -> None:
    """Open the running node in the browser, with a fresh login link."""
    from lpm_kernel.config import default_home, usable_settings
    from lpm_kernel.usecases.home.access import new_login_code
    from lpm_kernel.usecases.processes import address

    home = default_home()
    if home.is_locked and (locked_at := address(home)) is not None:
        say({"link": locked_at}, f"The home is locked: {locked_at}", as_json=as_json)
        if usable_settings(home)[0].open and not as_json:
            typer.launch(locked_at)
        return
    with opened() as node:
        where = address(node.ports.home)
        if where is None:
            raise NodeNotRunningError
        link = f"{where}/login?code={new_login_code(node.ports.access, node.ports.clock)}"
        say({"link": link}, link, as_json=as_json)
        if node.ports.settings.open and not as_json:
            typer.launch(link)


@command(app)
def doctor(as_json: AsJson = False) -> None:
    """Check everything that can be checked, and say what to do."""
    with opened(must_exist=False) as node:
        checks = list(node.examine())
        marks = {"fine": "✓", "look": "!", "broken": "✗"}
        lines = [
            f"{marks[check.state]} {check.sentence}"
            + (f"  →  {check.command}" if check.command and check.state != "fine" else "")
            for check in checks
        ]
        say({"checks": [asdict(check) for check in checks]}, lines, as_json=as_json)
        if any(check.state == "broken" for check in checks):
            raise typer.Exit(1)


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
