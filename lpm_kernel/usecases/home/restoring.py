"""Bringing a backup or an archive back into a home that opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from lpm_kernel.config import Home
from lpm_kernel.domain.stores import Audit, Backups, Erasures
from lpm_kernel.errors import CorruptHomeError
from lpm_kernel.usecases.home import restore
from lpm_kernel.usecases.home.backups import found
from lpm_kernel.usecases.processes import running_as


@dataclass(frozen=True)
class BackupCheck:
    """How the folder of a backup is looked at."""

    is_whole: Callable[[Path], bool]
    faults: Callable[[Path], Sequence[str]]
    """Says what is not as it was written."""


@dataclass(frozen=True)
class RestorePorts:
    """What a home is brought back with."""

    home: Home
    backups: Backups
    erasures: Erasures
    audit: Audit
    check: BackupCheck
    prepare: Callable[[Path, restore.Present], None]
    """Takes out of a home that is laid out what was erased since."""
    take_in_elsewhere: Callable[[Home, Path], None]
    """Takes an archive into another home."""
    keep_step: Callable[[], object]
    """Takes in what was written to the workspace."""
    back_up: Callable[[], str]
    """Makes a backup, and gives its id."""
    close: Callable[[], None]
    """Lets go of the databases."""


def checked_backup(backups: Backups, wanted: str, check: BackupCheck) -> Path:
    """Return the folder of a backup that is as it was written. Raises ``NotFoundError`` and
    ``CorruptHomeError``.
    """
    source = found(backups, wanted, check.is_whole)
    if wrong := check.faults(source):
        raise CorruptHomeError(
            f"The backup is damaged: {wrong[0]}. Nothing was restored.",
            "Choose another one: `lpm backup --list`.",
        )
    return source


def bring_back(ports: RestorePorts, wanted: str, to: Path | None) -> str:
    """Bring a backup or an archive back and return where the present state was put aside. The node
    has to be opened anew afterwards.

    With ``to``, make another home of it instead and leave this one as it is.
    """
    archive = Path(wanted).expanduser()
    if not archive.is_file():
        return _restore(ports, checked_backup(ports.backups, wanted, ports.check), to)
    with TemporaryDirectory(dir=ports.home.imports) as folder:
        ports.take_in_elsewhere(Home(Path(folder)), archive.absolute())
        return _restore(ports, Path(folder), to)


def _restore(ports: RestorePorts, source: Path, to: Path | None) -> str:
    present = restore.Present(
        ports.erasures.tombstones(),
        list(ports.audit.all()),
        len(ports.erasures.unfinished()),
    )
    if to is not None:
        restore.restore_to(Home(to.expanduser().absolute()), source, present, ports.prepare)
        return ""
    restore.refuse_while_running(ports.home)
    with running_as(ports.home, "node"):
        # so that what was written there and not read yet is in the backup that is made first
        ports.keep_step()
        return restore.restore(
            ports.home, source, present, ports.prepare, ports.back_up, ports.close
        )
