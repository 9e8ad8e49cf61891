"""Commands about the lock of the home."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, say
from lpm_kernel.errors import InvalidInputError, NodeError

if TYPE_CHECKING:
    from lpm_kernel.config import Home
    from lpm_kernel.usecases.home.locking import HomeLock

lock_app = typer.Typer(help="The lock of the home.", no_args_is_help=True)
app.add_typer(lock_app, name="lock")

LOOK_EVERY = 0.2
LOCKED_WITHIN = 600.0
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        help="File whose first line is the passphrase; otherwise you are asked.",
    ),
]


@command(lock_app, "set")
def lock_set(
    passphrase_file: PassphraseFile = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", help="You know that nobody can open it without the passphrase."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Set a passphrase that locks the home whenever the node ends, or another one."""
    lock = _lock()
    before = _asked("The present passphrase") if lock.is_set else None
    if not yes:
        typer.confirm(
            "Without the passphrase nobody can open the home: no one can reset it, and backups in"
            " the home are locked with it. Go on?",
            abort=True,
            err=True,
        )
    lock.set(_passphrase(passphrase_file, new=True), before)
    say(
        {"state": "open"},
        "The home is locked when the node ends, and now by `lpm lock now`.",
        as_json=as_json,
    )


@command(lock_app, "remove")
def lock_remove(passphrase_file: PassphraseFile = None, as_json: AsJson = False) -> None:
    """Have no passphrase any more; the home is left open."""
    _lock().remove(_passphrase(passphrase_file))
    say({"state": "off"}, "The home has no passphrase any more.", as_json=as_json)


@command(lock_app, "now")
def lock_now(as_json: AsJson = False) -> None:
    """Lock the home. A running node then serves the screen that unlocks it."""
    from lpm_kernel.usecases.processes import running

    lock, home = _lock(), _home()
    if home.run.is_dir() and "node" in dict(running(home)):
        lock.ask()
        until = time.monotonic() + LOCKED_WITHIN
        while not home.is_locked:
            if (trouble := lock.look().trouble) or time.monotonic() > until:
                raise NodeError(trouble or "The home was not locked within ten minutes.")
            time.sleep(LOOK_EVERY)
    else:
        lock.seal()
    say({"state": "locked"}, "The home is locked.", as_json=as_json)


@command(lock_app, "open")
def lock_open(
    passphrase_file: PassphraseFile = None,
    partly: Annotated[
        bool, typer.Option("--partly", help="Leave out what is damaged, and open the rest.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Unlock the home for commands, and for the next start of the node; a running one starts to
    work.
    """
    from lpm_kernel.usecases.processes import running

    lock, home = _lock(), _home()
    made = lock.open(_passphrase(passphrase_file), partly=partly)
    if "node" not in dict(running(home)):
        lock.leave_open()
    lines = ["The home is open."]
    if made.damaged:
        lines += ["These files are damaged and were left out:", *(f"  {p}" for p in made.damaged)]
    say({"state": "open", "damaged": list(made.damaged)}, lines, as_json=as_json)


@command(lock_app, "show")
def lock_show(as_json: AsJson = False) -> None:
    """Say how the home is locked, and what can be read without the passphrase."""
    known = _lock().look()
    told = {
        "off": "The home has no passphrase.",
        "open": "The home has a passphrase, and is open.",
        "locked": "The home is locked.",
    }
    said = {
        "home": "All of it, while it is open",
        "workspace": "The pages, which other programs open",
        "models": "Models that were fetched",
        "run": "Process numbers and ports",
        "backups_elsewhere": "Backups outside the home",
        "strays": "Files that another program put here since",
    }
    lines = [told[known.state], "What can be read without a passphrase:"]
    lines += [f"  {said[plain.code]}: {plain.place}" for plain in known.plain]
    data = {
        "state": known.state,
        "plain": [{"code": plain.code, "place": plain.place} for plain in known.plain],
    }
    say(data, lines, as_json=as_json)


def _home() -> Home:
    from lpm_kernel.config import default_home

    return default_home()


def _lock() -> HomeLock:
    from lpm_kernel.node.home_lock import home_lock

    home = _home()
    if not home.root.is_dir():
        raise InvalidInputError(
            f"There is no home at {home.root}.",
            "Create one with `lpm init`, or set LPM_HOME to another.",
        )
    return home_lock(home)


def _passphrase(file: Path | None, *, new: bool = False) -> str:
    if file is not None:
        return file.read_text("utf-8").partition("\n")[0].rstrip("\r")
    return _asked("Passphrase of the home", new=new)


def _asked(what: str, *, new: bool = False) -> str:
    return str(typer.prompt(what, hide_input=True, confirmation_prompt=new, err=True))
