"""Backups of the home."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.home.backup_schemas import BackupList, BackupOut
from lpm_kernel.api.schemas import ById, Queued
from lpm_kernel.api.serialisers import queued
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import HOME
from lpm_kernel.domain.home.jobs import Lane

api = HOME.blueprint("backups", __name__)


@api.get("/backups", summary="List backups, newest first", responses={200: BackupList})
def list_backups() -> Response:
    """Show those that lie in the folder of the backups."""
    shelf = node().home.backups
    items = [
        BackupOut(
            id=backup.id,
            at=backup.at,
            label=backup.label,
            documents=backup.documents,
            bytes=backup.bytes,
            lost=backup.lost,
        )
        for backup in reversed(shelf.all())
    ]
    return json_response(BackupList(items=items, folder=str(shelf.folder)))


@api.post("/backups", summary="Make a backup now", responses={202: Queued})
def make_backup() -> Response:
    """Copy the database, link the files, check both. Restoring is `lpm restore`, while the node is
    stopped.
    """
    return queued(
        node().ports.jobs.add(
            "backup", Lane.HEAVY, None, node().ports.clock.now(), {"label": "asked"}
        )
    )


@api.delete("/backups/<string:id>", summary="Remove a backup", responses={204: None})
def remove_backup(path: ById) -> Response:
    """Remove it; the others stay whole."""
    node().home.backups.remove(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)
