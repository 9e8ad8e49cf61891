"""The doors to what cannot be remade: documents, jobs, conversations, access and the files themselves.

One contract suite per port runs over every backend (SQLite now; PostgreSQL by the same code).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from lpm_kernel.domain.audit import AuditKind, Entry, Fact, Head
from lpm_kernel.domain.backups import Backup
from lpm_kernel.domain.conversations import Conversation, Identity, Judgement, Match, Turn
from lpm_kernel.domain.decisions import Decision
from lpm_kernel.domain.documents import Document, DocumentKind, Member, ParsedText, Problem
from lpm_kernel.domain.erasing import Erasure
from lpm_kernel.domain.ids import ConversationId, DocumentId, FindingId, JobId, TurnId
from lpm_kernel.domain.jobs import Job, JobState, Lane
from lpm_kernel.domain.library import Counted, Sort, Wanted


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

    def words(self, sha256: str, version: str) -> str | None:
        """Return the canonical text without its parts, which take longer to read than the text itself."""
        ...

    def listing(self) -> dict[str, dict[str, Path]]:
        """Return everything that is kept, by the hash of the original and the ending: none for the original itself."""
        ...

    def keep_file(self, sha256: str, pieces: Iterable[bytes], ending: str = "") -> bool:
        """Keep an original, or with an ending a text beside it, piece by piece. ``False``: the bytes are not what the hash says."""
        ...

    def drop_all(self, hashes: Collection[str]) -> None:
        """Remove several originals and every text made from them, in one pass."""
        ...

    def locked(self) -> AbstractContextManager[None]:
        """Hold off every other process that keeps or drops, so that a file and its row come and go together."""
        ...

    def kept(self) -> set[str]:
        """Return the hashes of everything that is kept."""
        ...

    def drop_text(self, sha256: str, version: str) -> None:
        """Remove a text; it can be made again."""
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

    def page_sizes(self, name: str, kind: DocumentKind, data: bytes) -> list[tuple[float, float]]:
        """Return width and height of every page, where a kind has pages that can be drawn. Raises ``UnreadableDocumentError``."""
        ...

    def draw(self, name: str, kind: DocumentKind, data: bytes, page: int, width: int) -> bytes:
        """Draw a page, counted from 1, as PNG. Raises ``NotFoundError``, ``UnreadableDocumentError``."""
        ...

    def places(self, name: str, kind: DocumentKind, data: bytes, page: int, cited: str, share: float) -> list[tuple[float, float, float, float]]:
        """Say where on a page ``cited`` stands, which begins about ``share`` of the way down its text: left, top, right, bottom as shares of the page."""
        ...

    def members(self, name: str, data: bytes) -> Iterator[Member]:
        """Yield the files of an archive, those that are left out with the reason. Raises ``UnreadableDocumentError``."""
        ...


class Documents(Protocol):
    """What is known of each original."""

    def receive(self, document: Document, kind: str, lane: Lane, job: JobId) -> tuple[Document, Job | None]:
        """Record a document and the job that reads it, in one transaction.

        The same bytes again: the known document comes back, with no job. One that was put away is there again, with a job.
        """
        ...

    def get(self, document: DocumentId, *, away: bool = False) -> Document:
        """Return one; with ``away`` also one that was put away. Raises ``NotFoundError``."""
        ...

    def many(self, documents: Sequence[DocumentId], *, away: bool = False) -> list[Document]:
        """Return those of these that are there, or with ``away`` those that were put away, in the order asked for."""
        ...

    def by_hash(self, sha256: str) -> Document | None:
        """Return the document of these bytes, put away or not: it holds the file."""
        ...

    def page(
        self, *, limit: int, cursor: str | None = None, offset: int = 0, wanted: Wanted | None = None, sort: Sort = Sort.ADDED, descending: bool = True
    ) -> tuple[list[Document], str | None]:
        """Return one page, and the cursor of the next. Of those that were put away, ``Sort.ADDED`` means when."""
        ...

    def ids(self, wanted: Wanted) -> list[DocumentId]:
        """Name everything that a filter finds, newest first."""
        ...

    def counts(self, wanted: Wanted) -> Counted:
        """Count what a filter finds. Kind, state, folder and privacy are each counted as if nothing were chosen there."""
        ...

    def all(self) -> list[Document]:
        """Return every document that is there, oldest first."""
        ...

    def everything(self) -> list[Document]:
        """Return every document, those that were put away too: what has to do with files, backups or erasing asks this."""
        ...

    def count(self) -> int:
        """Count the documents that are there."""
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

    def change_many(self, changes: Mapping[DocumentId, Mapping[str, object]], now: datetime) -> None:
        """Change several documents, put away or not, in one transaction; what is not there is passed over. What is made private or open is recorded."""
        ...

    def put_away(self, documents: Sequence[DocumentId], now: datetime) -> list[DocumentId]:
        """Put documents away, cancel their work and record it, in one transaction. Returns those that were there; from then on only ``away`` finds them."""
        ...

    def restore(self, documents: Sequence[DocumentId], now: datetime) -> list[Job]:
        """Bring documents back that were put away, each with the job that reads it, in one transaction."""
        ...

    def delete(self, document: DocumentId) -> Document:
        """Forget the row for good, its jobs included, and return what it was. Raises ``NotFoundError``."""
        ...


class Decisions(Protocol):
    """What the person decided about sentences of documents. A decision goes with its document, and with its correction."""

    def put(self, decision: Decision, correction: Document | None = None) -> tuple[Decision, list[DocumentId]]:
        """Record it, together with the document that holds the correction and the job that reads it; another one about the same sentence gives way.

        All in one transaction, which also puts away what corrects nothing any more, so that the next sweep removes it. Returns the decision
        as it was recorded, since known bytes are the known document, and what was put away. Raises ``NotFoundError`` for a document that is not there.
        """
        ...

    def get(self, finding: FindingId) -> Decision:
        """Return one. Raises ``NotFoundError``."""
        ...

    def keep(self, decision: Decision) -> None:
        """Record it as it was elsewhere. Raises ``NotFoundError`` for a document that is not there."""
        ...

    def remove(self, finding: FindingId, now: datetime) -> list[DocumentId]:
        """Take it back, and put away what corrects nothing any more, in one transaction. Returns what was put away."""
        ...

    def about(self, documents: Collection[DocumentId], *, away: bool = False) -> dict[DocumentId, list[Decision]]:
        """Return what was decided about these documents, and about the corrections that this leads to; with ``away`` also where one of them was put away."""
        ...

    def correcting(self, documents: Collection[DocumentId], *, away: bool = False) -> list[Decision]:
        """Return the decisions whose corrections are among these documents; with ``away`` also those that rest because something was put away."""
        ...

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Decision], str | None]:
        """Return the newest first."""
        ...

    def all(self) -> list[Decision]:
        """Return every decision, oldest first."""
        ...

    def count(self) -> int:
        """Count them, on all pages together."""
        ...


class Jobs(Protocol):
    """Background work with leases: claim, heartbeat, finish."""

    def add(self, kind: str, lane: Lane, document: DocumentId | None, now: datetime, request: Mapping[str, Any] | None = None) -> Job:
        """Queue work; where the same work is queued or running already, return that."""
        ...

    def get(self, job: JobId) -> Job:
        """Return one. Raises ``NotFoundError``."""
        ...

    def page(self, *, limit: int, cursor: str | None = None, states: Sequence[JobState] = (), kind: str = "") -> tuple[list[Job], str | None]:
        """Return the newest first."""
        ...

    def latest_for(self, documents: Sequence[DocumentId]) -> dict[DocumentId, Job]:
        """Return the newest job of each document that has one."""
        ...

    def claim(self, lanes: Sequence[Lane], worker: str, now: datetime) -> Job | None:
        """Take the oldest queued job of these lanes, what erases first, with a lease."""
        ...

    def heartbeat(self, job: JobId, worker: str, now: datetime, *, progress: float, step: str, message: str) -> bool:
        """Renew the lease and say how far it is. ``False``: it is no longer this worker's (cancelled, or taken over)."""
        ...

    def finish(self, job: JobId, worker: str, now: datetime, message: str, result: Mapping[str, Any] | None = None) -> bool:
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

    def get(self, conversation: ConversationId, *, put_away: bool = False) -> Conversation:
        """Return one; one that was put away only with ``put_away``. Raises ``NotFoundError``."""
        ...

    def page(self, *, limit: int, cursor: str | None = None, put_away: bool = False) -> tuple[list[Conversation], str | None]:
        """Return the latest first: those that are there, or with ``put_away`` those that were put away."""
        ...

    def search(self, text: str, *, limit: int, cursor: str | None = None) -> tuple[list[Match], str | None]:
        """Return the chats in whose title, or in one turn of which, every word of ``text`` stands, the latest first."""
        ...

    def branches(self, conversation: ConversationId) -> list[Conversation]:
        """Return the chats that were branched from this one, oldest first."""
        ...

    def rename(self, conversation: ConversationId, title: str) -> Conversation:
        """Give it another title."""
        ...

    def put_away(self, conversation: ConversationId, at: datetime) -> None:
        """Put it away, so that it can be brought back. Raises ``NotFoundError``."""
        ...

    def bring_back(self, conversation: ConversationId, at: datetime) -> Conversation:
        """Bring back what was put away; what is there stays. Raises ``NotFoundError``."""
        ...

    def let_go(self, before: datetime) -> int:
        """Delete for good what was put away before then, and return how many."""
        ...

    def delete(self, conversation: ConversationId) -> None:
        """Delete it for good, with its turns."""
        ...

    def turns(self, conversation: ConversationId, *, limit: int | None = None, before: TurnId | None = None, every: bool = False) -> list[Turn]:
        """Return its turns, oldest first: all of them, or the last ``limit``, or those before one of them; ``every``: also the answers that are not shown.

        Raises ``NotFoundError`` when ``before`` is none of them.
        """
        ...

    def every_turn(self) -> Iterator[Turn]:
        """Yield the turns of all chats, with the answers that are not shown and the chats that were put away."""
        ...

    def keep(self, conversation: Conversation, turns: Sequence[Turn]) -> bool:
        """Record a whole chat as it was elsewhere. ``False``: it, or a turn of it, is known, and nothing was changed."""
        ...

    def rewrite(self, turn: Callable[[Turn], Turn], title: Callable[[str], str]) -> int:
        """Put every turn and title through these and keep what comes out. Returns how many turns changed."""
        ...

    def say(self, turn: Turn) -> Turn:
        """Record a turn. The same turn id twice, or two answers to one turn, are one: the first stands and is returned.

        An answer that failed, or was stopped before its first word, gives way to the next.
        """
        ...

    def say_again(self, turn: Turn) -> Turn:
        """Record another answer beside those that were given, and show it. One that failed, or has no words, gives way."""
        ...

    def answers(self, conversation: ConversationId) -> dict[TurnId, list[TurnId]]:
        """Return the answers that were given to each turn of a chat, oldest first, shown or not."""
        ...

    def show(self, turn: TurnId) -> Turn:
        """Show this one of several answers. Raises ``NotFoundError``."""
        ...

    def judge(self, turn: TurnId, verdict: Judgement | None) -> Turn:
        """Keep what the person says of an answer, or take it back. Raises ``NotFoundError``."""
        ...

    def turn(self, turn: TurnId) -> Turn | None:
        """Return one turn."""
        ...

    def answer_to(self, turn: TurnId) -> Turn | None:
        """Return the answer to a turn that is shown, if there is one."""
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

    def revoke_key(self, key_id: str, now: datetime) -> None:
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


class Audit(Protocol):
    """The chain of what happened to the home; see ``domain/audit.py``."""

    def append(self, at: datetime, kind: AuditKind, **facts: Fact) -> Entry:
        """Record what happened."""
        ...

    def page(self, *, limit: int, before: int | None = None) -> tuple[list[Entry], int | None]:
        """Return the newest first, and the number to go on from."""
        ...

    def all(self) -> Iterator[Entry]:
        """Yield every entry, oldest first."""
        ...

    def newest(self) -> Entry | None:
        """Return the last entry."""
        ...

    def noted(self) -> Head | None:
        """Return the newest entry as the home noted it outside the database."""
        ...


class Erasures(Protocol):
    """What the person asked to be gone for good, step by step."""

    def propose(self, erasure: Erasure, token_hash: str) -> None:
        """Record a request that is not confirmed yet; requests that expired unconfirmed are forgotten."""
        ...

    def by_token(self, token_hash: str) -> Erasure | None:
        """Return the request of this token."""
        ...

    def get(self, erasure: str) -> Erasure:
        """Return one. Raises ``NotFoundError``."""
        ...

    def confirm(self, erasure: str, job: JobId, now: datetime, rewrite: Callable[[Turn], Turn]) -> Job:
        """In one transaction: take the rows away, put every turn through ``rewrite``, leave tombstones, queue the job.

        Confirming twice is confirming once.
        """
        ...

    def clean(self, erasure: str, now: datetime, facts: Mapping[str, Fact]) -> None:
        """Forget titles and names, and write it into the audit chain, once."""
        ...

    def done(self, erasure: str) -> None:
        """Nothing is left to do."""
        ...

    def unfinished(self) -> list[Erasure]:
        """Return what was confirmed and is not done."""
        ...

    def tombstones(self) -> dict[str, datetime]:
        """Return the ids of everything that was erased, and when."""
        ...

    def take_over(self, tombstones: Mapping[str, datetime]) -> None:
        """Remember these too, and take their rows away."""
        ...

    def compact(self) -> None:
        """Leave no trace of removed rows in free pages and the write-ahead log."""
        ...


@dataclass(frozen=True)
class Contents:
    """What something can be taken out of: a backup, or a home that is laid out to be restored."""

    documents: Documents
    decisions: Decisions
    conversations: Conversations
    erasures: Erasures
    files: Files


class Backups(Protocol):
    """The backups of a home, in one folder."""

    def all(self) -> list[Backup]:
        """Return them, oldest first."""
        ...

    def take(
        self,
        identifier: str,
        at: datetime,
        label: str,
        *,
        copy_database: Callable[[Path], None],
        files: Path,
        others: Mapping[str, Path],
        about: Mapping[str, Any],
    ) -> Backup:
        """Make a backup: the database as it is now, all files, and ``others`` by the names that they have in it; then check it."""
        ...

    def erase(self, identifier: str, take_out: Callable[[Contents], None], at: datetime) -> bool:
        """Have something taken out of a backup, and leave no trace of it there. ``False``: there was nothing to take out.

        Raises ``CorruptHomeError`` when its database cannot be read.
        """
        ...

    def behind(self, tombstones: int) -> list[str]:
        """Name the backups that do not know all of this many erasures yet."""
        ...

    def path(self, identifier: str) -> Path:
        """Return its folder. Raises ``NotFoundError``."""
        ...

    def remove(self, identifier: str) -> None:
        """Remove it."""
        ...

    def sweep(self) -> None:
        """Remove what was being made or removed when its process died."""
        ...
