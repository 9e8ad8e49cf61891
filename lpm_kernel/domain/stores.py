"""The doors to what cannot be remade: documents, jobs, conversations, access and the files themselves.

One contract suite per port runs over every backend (SQLite now; PostgreSQL by the same code).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.conversations import Conversation, Identity, Turn
from lpm_kernel.domain.documents import Document, DocumentKind, DocumentState, ParsedText, Problem
from lpm_kernel.domain.ids import ConversationId, DocumentId, JobId, TurnId
from lpm_kernel.domain.jobs import Job, JobState, Lane


class Files(Protocol):
    """Content-addressed bytes: originals, and the canonical text of each per parser version."""

    def keep(self, data: bytes) -> str:
        """Keep an original durably and return its SHA-256 in hex. Keeping it twice is keeping it once."""
        ...

    def original(self, sha256: str) -> bytes:
        """Return an original. Raises ``NotFoundError``."""
        ...

    def keep_text(self, sha256: str, version: str, parsed: ParsedText) -> None:
        """Keep the canonical text that one parser version made of an original."""
        ...

    def text(self, sha256: str, version: str) -> ParsedText | None:
        """Return the canonical text, or ``None`` where that version was not made."""
        ...

    def locked(self) -> AbstractContextManager[None]:
        """Hold off every other process that keeps or drops, so that a file and its row come and go together."""
        ...

    def kept(self) -> set[str]:
        """Return the hashes of everything that is kept."""
        ...

    def drop(self, sha256: str) -> None:
        """Remove an original and every text made from it."""
        ...


class Reader(Protocol):
    """Tells kinds of files apart and turns bytes into canonical text."""

    version: str
    """Stands in every canonical text."""

    def kind(self, name: str, head: bytes) -> DocumentKind:
        """Tell how a file is read. Raises ``UnsupportedFileError`` and ``EmptyDocumentError``."""
        ...

    def read(self, name: str, kind: DocumentKind, data: bytes) -> ParsedText:
        """Turn bytes into text. Raises ``UnreadableDocumentError`` and ``EmptyDocumentError``."""
        ...


class Documents(Protocol):
    """What is known of each original."""

    def receive(self, document: Document, kind: str, lane: Lane, job: JobId) -> tuple[Document, Job | None]:
        """Record a document and the job that reads it, in one transaction.

        The same bytes again: the known document comes back, with no job.
        """
        ...

    def get(self, document: DocumentId) -> Document:
        """Return one. Raises ``NotFoundError``."""
        ...

    def by_hash(self, sha256: str) -> Document | None:
        """Return the document of these bytes."""
        ...

    def page(self, *, limit: int, cursor: str | None = None, state: DocumentState | None = None, text: str = "") -> tuple[list[Document], str | None]:
        """Return the newest first, and the cursor of the next page."""
        ...

    def all(self) -> list[Document]:
        """Return every document, oldest first."""
        ...

    def count(self) -> int:
        """Count documents."""
        ...

    def fill_in(
        self, document: DocumentId, *, default_title: str, title: str | None, created_at: datetime | None, tags: Sequence[str], private: bool
    ) -> Document:
        """Take over what the document says of itself, where the person has said nothing; in one transaction.

        Tags and privacy count at the first reading only: afterwards the person may have taken them away.
        """
        ...

    def change(self, document: DocumentId, **changes: object) -> Document:
        """Change fields of one document and return it. Raises ``NotFoundError``."""
        ...

    def delete(self, document: DocumentId) -> Document:
        """Forget the row, its jobs included, and return what it was. Raises ``NotFoundError``."""
        ...


class Jobs(Protocol):
    """Background work with leases: claim, heartbeat, finish."""

    def add(self, kind: str, lane: Lane, document: DocumentId | None, now: datetime) -> Job:
        """Queue work; where the same work is queued or running already, return that."""
        ...

    def get(self, job: JobId) -> Job:
        """Return one. Raises ``NotFoundError``."""
        ...

    def page(self, *, limit: int, cursor: str | None = None, states: Sequence[JobState] = ()) -> tuple[list[Job], str | None]:
        """Return the newest first."""
        ...

    def latest_for(self, documents: Sequence[DocumentId]) -> dict[DocumentId, Job]:
        """Return the newest job of each document that has one."""
        ...

    def claim(self, lanes: Sequence[Lane], worker: str, now: datetime) -> Job | None:
        """Take the oldest queued job of these lanes, with a lease."""
        ...

    def heartbeat(self, job: JobId, worker: str, now: datetime, *, progress: float, step: str, message: str) -> bool:
        """Renew the lease and say how far it is. ``False``: it is no longer this worker's (cancelled, or taken over)."""
        ...

    def finish(self, job: JobId, worker: str, now: datetime, message: str) -> bool:
        """End it well. ``False``: it was no longer this worker's."""
        ...

    def fail(self, job: JobId, worker: str, now: datetime, problem: Problem) -> bool:
        """End it with a problem. ``False``: it was no longer this worker's."""
        ...

    def cancel(self, job: JobId, now: datetime) -> Job:
        """Cancel it; an ended job stays as it ended."""
        ...

    def retry(self, job: JobId, now: datetime) -> Job:
        """Queue a failed or cancelled job again; any other stays as it is."""
        ...

    def workers(self) -> list[str]:
        """Return the workers that hold a running job."""
        ...

    def recover(self, now: datetime, dead: Sequence[str] = ()) -> int:
        """Queue again what lapsed or is held by workers known to be dead, and return how many."""
        ...

    def release(self, worker: str, now: datetime) -> int:
        """Queue again what this worker holds, because it is stopping."""
        ...

    def active(self) -> int:
        """Count queued and running jobs."""
        ...


class Conversations(Protocol):
    """Chats, and who the second self is."""

    def start(self, conversation: Conversation) -> Conversation:
        """Record a new chat."""
        ...

    def get(self, conversation: ConversationId) -> Conversation:
        """Return one. Raises ``NotFoundError``."""
        ...

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Conversation], str | None]:
        """Return the latest first."""
        ...

    def rename(self, conversation: ConversationId, title: str) -> Conversation:
        """Give it another title."""
        ...

    def delete(self, conversation: ConversationId) -> None:
        """Delete it with its turns."""
        ...

    def turns(self, conversation: ConversationId) -> list[Turn]:
        """Return its turns, oldest first."""
        ...

    def say(self, turn: Turn) -> Turn:
        """Record a turn. The same turn id twice, or two answers to one turn, are one: the first stands and is returned.

        An answer that failed, or was stopped before its first word, gives way to the next.
        """
        ...

    def turn(self, turn: TurnId) -> Turn | None:
        """Return one turn."""
        ...

    def answer_to(self, turn: TurnId) -> Turn | None:
        """Return the answer that was given to a turn, if it was."""
        ...

    def identity(self) -> Identity:
        """Return who the node is the second self of; empty until somebody said."""
        ...

    def set_identity(self, identity: Identity) -> None:
        """Record who it is."""
        ...


@dataclass(frozen=True)
class ApiKey:
    """A key for another program. The key itself is shown once and kept as a hash."""

    id: str
    name: str = field(repr=False)
    scopes: tuple[str, ...]
    created_at: datetime


class Access(Protocol):
    """Who may call: single-use login codes, cookie sessions, keys of programs. Only hashes are kept."""

    def new_code(self, code_hash: str, expires_at: datetime) -> None:
        """Record a login code."""
        ...

    def use_code(self, code_hash: str, now: datetime) -> bool:
        """Use a login code up: true once, before it expires."""
        ...

    def new_session(self, session_hash: str, now: datetime) -> None:
        """Record a cookie session."""
        ...

    def knows_session(self, session_hash: str, since: datetime) -> bool:
        """Tell whether a cookie session is open that began after ``since``."""
        ...

    def new_key(self, key: ApiKey, key_hash: str) -> None:
        """Record a key."""
        ...

    def key(self, key_hash: str) -> ApiKey | None:
        """Return the key of this hash."""
        ...

    def all_keys(self) -> list[ApiKey]:
        """Return all keys, newest first."""
        ...

    def revoke_key(self, key_id: str) -> None:
        """End a key now. Raises ``NotFoundError``."""
        ...


class Departures(Protocol):
    """What left this machine: where to and how much, never what."""

    def record(self, at: datetime, host: str, size: int, why: str) -> None:
        """Record that bytes are about to leave; called before they do."""
        ...

    def total(self) -> tuple[int, list[str]]:
        """Return how many bytes left since the home was made, and the hosts that they went to."""
        ...
