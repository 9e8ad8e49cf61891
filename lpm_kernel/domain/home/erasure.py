"""Erasing: what a person asked to be gone for good, and how far that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lpm_kernel.domain.ids import ConversationId, DocumentId, JobId


class ErasureState(StrEnum):
    """How far an erasure is. It only goes forward."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    """Nobody sees it any more; a job takes it out of every place."""
    CLEANED = "cleaned"
    """Taken out everywhere and written down; free pages are left."""
    DONE = "done"


@dataclass(frozen=True)
class Doomed:
    """A document that goes. Title and name are known only until its traces are gone."""

    id: DocumentId
    sha256: str
    title: str = field(default="", repr=False)
    name: str = field(default="", repr=False)


@dataclass(frozen=True)
class Erasure:
    """One request to erase."""

    id: str
    state: ErasureState
    created_at: datetime
    expires_at: datetime
    documents: tuple[Doomed, ...] = ()
    conversations: tuple[ConversationId, ...] = ()
    job: JobId | None = None
