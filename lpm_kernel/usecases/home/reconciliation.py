"""Bringing a home up to date when it is opened and now and then: what is old enough goes for good,
and what the index lacks is queued.
"""

from __future__ import annotations

from dataclasses import dataclass

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ports import Embedder
from lpm_kernel.domain.stores import Audit, Conversations, Erasures, Roles
from lpm_kernel.usecases.chat import roles, turns
from lpm_kernel.usecases.library import documents, ingestion
from lpm_kernel.usecases.library.ports import LibraryPorts


@dataclass(frozen=True)
class ReconciliationPorts:
    """What is held against each other, and what something goes from."""

    library: LibraryPorts
    conversations: Conversations
    roles: Roles
    erasures: Erasures
    audit: Audit


def let_go(ports: ReconciliationPorts) -> None:
    """Remove for good what was put away long ago, and files that no document has."""
    library = ports.library
    files, clock = library.files, library.clock
    gone = documents.clear_out(files, library.documents, library.index, clock)
    chats = turns.let_go(ports.conversations, clock)
    roles.let_go(ports.roles, clock)
    if gone or chats:
        ports.audit.append(clock.now(), AuditKind.REMOVED, documents=gone, conversations=chats)
    if not ports.erasures.unfinished():
        ingestion.sweep_files(files, library.documents, clock)


def queue_lacking(ports: ReconciliationPorts, embedder: Embedder | None, *, texts_too: bool) -> int:
    """Queue what the index lacks, and with ``texts_too`` what lost its text. Returns how many jobs
    were queued.
    """
    here = ports.library
    again = (
        ingestion.read_again(here.files, here.documents, here.jobs, here.reader, here.clock)
        if texts_too
        else 0
    )
    return again + ingestion.reconcile(
        here.documents, here.jobs, here.index, embedder, here.reader, here.clock
    )
