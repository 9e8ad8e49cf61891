"""Erasing: what a person asked to be gone for good, and how far that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lpm_kernel.domain.chat.threads import Thread
from lpm_kernel.domain.ids import DISCARD, STRIKE, ConversationId, DocumentId, JobId, TurnId


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
    turns: tuple[TurnId, ...] = ()
    """Turns whose words go, and which stay without them; of a strike what goes of tables."""

    @property
    def is_discard(self) -> bool:
        """Tell whether a chat threw its words away, and the person named nothing."""
        return self.id.startswith(DISCARD)

    @property
    def is_strike(self) -> bool:
        """Tell whether it takes out what was said at a table."""
        return self.id.startswith(STRIKE)


@dataclass(frozen=True)
class Discard:
    """What chats throw away that do not keep what was said in them."""

    reduced: tuple[tuple[DocumentId, Thread], ...] = ()
    """Threads, each under the id that it had, and as it is when only its summary is left."""
    documents: tuple[Doomed, ...] = ()
    """What was told in threads and is more than their summaries, or is remembered no more."""
    threadless: tuple[ConversationId, ...] = ()
    """Chats of which no thread is kept any more."""
    conversations: tuple[ConversationId, ...] = ()
    """Chats that go whole."""
    everywhere: bool = False
    """Backups and archives may hold it."""
