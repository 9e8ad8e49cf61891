"""Backups: made when something changed, thinned as they grow old, and never a way back for what was
erased.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, timedelta
from pathlib import Path

import lpm_kernel
from lpm_kernel.config import Home
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.backups import Backup, is_due, kept, lost
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import (
    Audit,
    Backups,
    BackupSource,
    Contents,
    Documents,
    Erasures,
    Files,
)
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.home.erasure import take_out
from lpm_kernel.usecases.processes import waiting_for

PEER = "peer."
"""How the files of the keys for other nodes begin."""


@dataclass(frozen=True)
class BackupPorts:
    """What backups are made of, and where they go."""

    backups: Backups
    home: Home
    documents: Documents
    erasures: Erasures
    files: Files
    audit: Audit
    clock: Clock
    copy_database: Callable[[Path], None]
    fingerprint: Callable[[], str]
    """Tells one state of the database from another."""


@dataclass(frozen=True)
class BackupOptions:
    """What a backup is made for, and with."""

    label: str = "asked"
    peer_keys: bool = False
    accept_loss: bool = False
    """What the last backup has and this one has not is not missed."""


def back_up(
    ports: BackupPorts, options: BackupOptions, progress: Progress = lambda *_: None
) -> Backup:
    """Make a backup now, bring older ones up to date with what was erased, and thin them.

    The keys with which the node speaks to others stay out unless ``peer_keys``: whoever has them
    can speak as the person. Raises ``UnavailableError`` and ``CorruptHomeError``. One that lost
    much against the last whole one says so in its manifest, and stands beside that;
    ``accept_loss``: the person says that it is as it should be.
    """
    backups, erasures, home, clock = ports.backups, ports.erasures, ports.home, ports.clock
    with waiting_for(home, "backup"):
        backups.sweep()
        progress(0.1, "erased", "Taking out of older backups what was erased since")
        catch_up(backups, erasures, clock)
        progress(0.2, "copy", "Copying the database, linking the files, checking both")
        now, newest = clock.now(), ports.audit.newest()
        with ports.files.locked():
            made = backups.take(
                f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}",
                now,
                options.label,
                BackupSource(
                    ports.copy_database,
                    home.files,
                    {
                        "settings.toml": home.settings_file,
                        **{
                            f"keys/{path.name}": path
                            for path in _keys(home, peer=options.peer_keys)
                        },
                    },
                ),
                about={
                    "release": lpm_kernel.__version__,
                    "audit_number": newest.number if newest else 0,
                    "audit_hash": newest.hash if newest else "",
                    "fingerprint": ports.fingerprint(),
                    "tombstones": len(erasures.tombstones()),
                    "lost": 0 if options.accept_loss else _lost(ports),
                },
            )
        ports.audit.append(
            now,
            AuditKind.BACKED_UP,
            backup=made.id,
            documents=made.documents,
            label=options.label,
        )
        progress(0.95, "thin", "Removing what is no longer kept")
        everything = backups.all()
        stay = kept(everything, now)
        for backup in everything:
            if backup.id not in stay:
                backups.remove(backup.id)
        return made


def do(ports: BackupPorts, job: Job, progress: Progress) -> JobOutcome:
    """Make a backup, as a job."""
    options = BackupOptions(str(job.request.get("label", "asked")))
    made = back_up(ports, options, progress)
    return JobOutcome(
        f"Backup {made.id}: {counted(made.documents, 'document')}.",
        {"backup": made.id, "documents": made.documents, "bytes": made.bytes},
    )


def _lost(ports: BackupPorts) -> int:
    backups, documents, erasures = ports.backups, ports.documents, ports.erasures
    whole = [backup for backup in backups.all() if not backup.lost]
    if not whole:
        return 0
    removed = erasures.tombstones().keys() | documents.removed_ids()
    return lost(
        backups.originals(whole[-1].id),
        {document.sha256 for document in documents.everything()},
        removed,
    )


def _keys(home: Home, *, peer: bool) -> list[Path]:
    """Name the files of ``keys/`` that belong into a backup."""
    whole = [path for path in sorted(home.keys.iterdir()) if not path.name.endswith(".new")]
    return [path for path in whole if peer or not path.name.startswith(PEER)]


def due(backups: Backups, clock: Clock, fingerprint: Callable[[], str], minutes: int) -> bool:
    """Tell whether a backup is to be made by the schedule."""
    newest = next(iter(reversed(backups.all())), None)
    every = timedelta(minutes=minutes)
    if newest is not None and timedelta(0) <= clock.now() - newest.at < every:
        return False
    return is_due(newest, fingerprint(), every, clock.now())


def catch_up(backups: Backups, erasures: Erasures, clock: Clock) -> int:
    """Take out of backups what was erased while their folder was out of reach. Returns how many
    were rewritten.
    """
    erased = erasures.tombstones()
    behind = backups.behind(len(erased)) if erased else []

    def out_of(backup: Contents) -> None:
        take_out(backup, erased, erasures.take_over)

    for each in behind:
        backups.erase(each, out_of, clock.now())
    return len(behind)


def found(backups: Backups, wanted: str, is_whole: Callable[[Path], bool] = lambda _: True) -> Path:
    """Return the folder of a backup, named by its id, by the beginning of it, by `newest`, or by a
    path. Raises ``NotFoundError``.

    `newest` is the newest that lost nothing and ``is_whole``; where none is, the newest that lost
    nothing.
    """
    path = Path(wanted).expanduser()
    if (path / "backup.json").is_file():
        return path.absolute()
    everything = backups.all()
    ids, whole = (
        [backup.id for backup in everything],
        [backup.id for backup in everything if not backup.lost],
    )
    if wanted == "newest" and whole:
        return backups.path(
            next((each for each in reversed(whole) if is_whole(backups.path(each))), whole[-1])
        )
    matching = ids[-1:] if wanted == "newest" else [each for each in ids if each.startswith(wanted)]
    if len(matching) != 1:
        raise NotFoundError("backup", wanted)
    return backups.path(matching[0])
