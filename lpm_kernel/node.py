"""The composition root: from settings to a node. It builds everything and decides nothing.

``Node.open(home)`` is also the library for scripts::

    from lpm_kernel.node import Node

    with Node.open() as node:
        node.add_text("The cello is of 1911.", title="Cello")
        node.run_jobs()
        for item in node.recall("How old is the cello?").items:
            print(item.chunk.text)
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import asdict, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from lpm_kernel.backends.clock import SystemClock
from lpm_kernel.backends.embed.endpoint import EndpointEmbedder
from lpm_kernel.backends.embed.probe import probe as embed_probe
from lpm_kernel.backends.embed.probe import probe_endpoint
from lpm_kernel.backends.llm.client import EndpointModel, estimate_tokens, is_local
from lpm_kernel.backends.llm.fetch import Source, check_address, fetch, file_name
from lpm_kernel.backends.llm.launch import host_endpoint
from lpm_kernel.backends.llm.probe import probe, probe_file
from lpm_kernel.backends.llm.spare import spare_host
from lpm_kernel.backends.llm.state import NOT_THERE, host_state
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.backends.parse.reading import Reader
from lpm_kernel.backends.store.backups import LocalBackups, check_backup
from lpm_kernel.backends.store.files import LocalFiles
from lpm_kernel.backends.store.index_db import IndexDb
from lpm_kernel.backends.store.node_db import NodeDatabase
from lpm_kernel.config import HOST_SERVES, MODEL_WINDOW, Home, Settings, default_home, read_settings, write_settings
from lpm_kernel.domain.audit import AuditKind, Break, first_break
from lpm_kernel.domain.backups import Backup
from lpm_kernel.domain.conversations import Citation, Turn
from lpm_kernel.domain.decisions import Decision, Verdict, stretches
from lpm_kernel.domain.documents import Anchor, Chunk, Document, DocumentKind, text_hash
from lpm_kernel.domain.ids import ConversationId, DocumentId, FindingId
from lpm_kernel.domain.jobs import Job, JobState, Lane
from lpm_kernel.domain.library import Wanted
from lpm_kernel.domain.ports import Clock, Embedder, Endpoint, LanguageModel
from lpm_kernel.domain.recall import Level, Named, Recalled, RecallQuery, Recollection, Scope, Signals
from lpm_kernel.domain.stores import Contents
from lpm_kernel.errors import (
    ConflictError,
    ConsentNeededError,
    CorruptHomeError,
    EmbedderUnavailableError,
    InvalidInputError,
    ModelUnavailableError,
    NotFoundError,
    UnusableArchiveError,
)
from lpm_kernel.L0.dates import moment
from lpm_kernel.L0.gloss import Glossed
from lpm_kernel.L1 import reader
from lpm_kernel.L1.corrections import heeded
from lpm_kernel.L1.recall import Recall
from lpm_kernel.usecases import backup, chat, doctor, embedders, exporting, importing, library, models, reckoning, work
from lpm_kernel.usecases import erase as erasing
from lpm_kernel.usecases import findings as judging
from lpm_kernel.usecases import ingest as reading
from lpm_kernel.usecases import restore as restoring
from lpm_kernel.usecases import verify as verifying
from lpm_kernel.usecases.access import new_login_code
from lpm_kernel.usecases.add import NewDocument, Received, arrive, pasted, receive
from lpm_kernel.usecases.departures import RecordedEmbedder, RecordedModel
from lpm_kernel.usecases.pictures import Pictures
from lpm_kernel.usecases.processes import reading_documents, running, running_as, waiting_for
from lpm_kernel.usecases.sample import Beside

if TYPE_CHECKING:
    from typing import Self

ARCHIVE_SECONDS = 86_400.0
"""How long an exported archive lies ready."""
DAMAGED = "damaged"
"""Folder of the home for a database that could not be read when another was put in its place."""
UNDER_WAY = (JobState.QUEUED, JobState.RUNNING)
WAIT_SECONDS = 0.1
"""Between two looks at whether something may go on."""
FRONT_END = Path(__file__).resolve().parent.parent / "lpm_frontend" / "out"


class Node:
    """One person's node: the stores, the files, the index, the models, and what is built from them."""

    def __init__(
        self,
        home: Home,
        *,
        clock: Clock | None = None,
        model: LanguageModel | None = None,
        embedder: Embedder | None = None,
        in_process: bool = True,
        lenient: bool = False,
        **overrides: object,
    ) -> None:
        restoring.finish(home)
        home.make()
        self.home = home
        self.clock: Clock = clock or SystemClock()
        self._overrides = overrides
        self.settings_problem = ""
        """What is wrong with settings.toml as it stands now, in a sentence; empty when nothing is."""
        try:
            self._settings = (self._settings_stamp(), read_settings(home, **overrides))
        except InvalidInputError as error:
            if not lenient:
                raise
            self._settings = (self._settings_stamp(), Settings())
            self.settings_problem = f"{error.detail} The defaults are in use."
        self._given = (model, embedder)
        self._recaller: tuple[IndexDb, Embedder | None, Recall] | None = None
        self._embeds: tuple[embedders.Wanted, Embedder | None] | None = None
        self._in_process = in_process
        self.worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock = threading.Lock()
        self._database = NodeDatabase(home.node_db, home.secret("audit-key"))
        self.documents = self._database.documents
        self.decisions = self._database.decisions
        self.jobs = self._database.jobs
        self.conversations = self._database.conversations
        self.access = self._database.access
        self.departures = self._database.departures
        self.audit = self._database.audit
        self.erasures = self._database.erasures
        self._index = (self._index_stamp(), IndexDb(home.index_db))
        self._index = (self._index_stamp(), self._index[1])
        self.files = LocalFiles(home.files)
        self.reader = Reader()
        self.places = library.Places(self.files, self.documents)
        self.beside = Beside(home)
        self.pictures = Pictures(self.files, self.reader)

    @classmethod
    def open(cls, home: Path | str | None = None, **parts: object) -> Self:
        """Open a home, making it if it is not there. ``parts``: twins for clock, model and embedder, or any setting."""
        return cls(default_home() if home is None else Home(Path(home).expanduser().absolute()), **parts)  # type: ignore[arg-type]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the databases."""
        self._index[1].close()
        self._database.close()

    @property
    def index(self) -> IndexDb:
        """The passage index; opened anew when somebody deleted the file under a running node."""
        stamp = self._index_stamp()
        if stamp != self._index[0]:
            with self._lock:
                if self._index_stamp() != self._index[0]:
                    self._index[1].close()
                    opened = IndexDb(self.home.index_db)
                    self._index = (self._index_stamp(), opened)
        return self._index[1]

    def _index_stamp(self) -> int:
        path = self.home.index_db
        return path.stat().st_ino if path.exists() else 0

    # --- settings -------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """The settings as they stand now: another process may have changed the file."""
        stamp = self._settings_stamp()
        if stamp != self._settings[0]:
            try:
                self._settings = (stamp, read_settings(self.home, **self._overrides))
                self.settings_problem = ""
            except InvalidInputError as error:  # half written, or a slip of the pen: those before it hold
                self._settings = (stamp, self._settings[1])
                self.settings_problem = f"{error.detail} The settings before it are still in use."
        return self._settings[1]

    def change_settings(self, **changes: object) -> None:
        """Write settings to the file; they count from the next look on."""
        with self._lock:
            write_settings(self.home, **changes)
            self.audit.append(self.clock.now(), AuditKind.SETTINGS_CHANGED, settings=tuple(sorted(changes)))
            self._settings = (self._settings_stamp(), read_settings(self.home, **self._overrides))

    def _settings_stamp(self) -> int:
        file = self.home.settings_file
        return file.stat().st_mtime_ns if file.exists() else 0

    # --- adding and reading ---------------------------------------------------------------------

    def receive(self, new: NewDocument) -> Received:
        """Take a document in; a worker reads it."""
        return receive(self.files, self.documents, self.reader, self.clock, new, self.settings.max_upload_bytes)

    def _arrive(self, new: NewDocument) -> Document:
        return arrive(self.files, self.reader, self.clock, new)

    def add_bytes(
        self,
        name: str,
        data: bytes,
        *,
        title: str | None = None,
        created_at: datetime | None = None,
        tags: Sequence[str] = (),
        private: bool = False,
        folder: str = "",
    ) -> Received:
        """Take the bytes of a file in."""
        return self.receive(NewDocument(name, data, title, created_at, tuple(tags), private, folder=folder))

    def add_text(self, text: str, *, title: str | None = None, created_at: datetime | None = None, tags: Sequence[str] = (), private: bool = False) -> Received:
        """Take a text in."""
        name, data = pasted(text, title, self.clock.now())
        return self.add_bytes(name, data, title=title, created_at=created_at, tags=tags, private=private)

    def ingest(self, document: DocumentId, progress: reading.Progress) -> str:
        """Read one document now."""
        with reading_documents(self.home):
            return self._ingest(document, progress)

    def _ingest(self, document: DocumentId, progress: reading.Progress) -> str:
        return reading.ingest(self.files, self.documents, self.reader, self.index, self.embedder, document, progress, self.receive)

    def reconcile(self) -> int:
        """Queue what the index lacks, and sweep what a killed process left."""
        self.files.sweep()
        erasing.resume(self.erasures, self.jobs, self.clock)
        self._drop_imported()
        self._sweep_archives()
        documents, conversations = library.clear_out(self.files, self.documents, self.index, self.clock), chat.let_go(self.conversations, self.clock)
        if documents or conversations:
            self.audit.append(self.clock.now(), AuditKind.REMOVED, documents=documents, conversations=conversations)
        return reading.reconcile(
            self.files, self.documents, self.jobs, self.index, self.embedder if self._embedder_answers() else None, self.reader, self.clock
        )

    def _embedder_answers(self) -> bool:
        if self.embedder_state().state != "ready" or self.embedder is None:
            return False
        try:
            self.embedder.embed(["A sign of life."])
        except EmbedderUnavailableError:
            return False
        return True

    def recover_jobs(self) -> int:
        """Queue again what a dead worker left behind."""
        return work.recover(self.jobs, self.clock)

    def do_one_job(self, lanes: Sequence[Lane] = work.LANES, stopping: Callable[[], bool] = lambda: False) -> bool:
        """Do the oldest waiting job of these lanes. ``False``: none was waiting."""
        done = work.do_one(self.jobs, self.documents, self.clock, self.worker, self._handlers, lanes, stopping)
        if done:
            self._drop_imported()
        return done

    def retry_failed(self) -> list[Job]:
        """Queue again everything that failed and was not done since."""
        return library.retry_failed(self.documents, self.jobs, self.clock)

    @property
    def _handlers(self) -> dict[str, work.Handler]:
        return {
            "ingest": self._ingest_job,
            "erase": self._erase_job,
            "backup": self._backup_job,
            "export": self._export_job,
            "import": self._import_job,
            "verify": self._verify_job,
            "reembed": self._reembed_job,
            "download": self._download_job,
        }

    def run_jobs(self) -> None:
        """Do what is queued, here and now, for scripts; `lpm work` does it otherwise."""
        self.recover_jobs()
        while self.do_one_job():
            pass

    def _ingest_job(self, job: Job, progress: work.Progress) -> str:
        if job.document is None:
            raise NotFoundError("document", "")
        return self.ingest(job.document, progress)

    def passage_counts(self, documents: Sequence[DocumentId]) -> dict[DocumentId, int]:
        """Return how many passages each of these documents has in the index."""
        return self.index.passage_counts(documents)

    # --- the home as a whole --------------------------------------------------------------------

    def all_that_was_told(self) -> tuple[list[DocumentId], list[ConversationId]]:
        """Return every document and every conversation, put away or not."""
        conversations = []
        for put_away in (False, True):
            found, cursor = self.conversations.page(limit=500, put_away=put_away)
            conversations += found
            while cursor is not None:
                found, cursor = self.conversations.page(limit=500, cursor=cursor, put_away=put_away)
                conversations += found
        return [each.id for each in self.documents.everything()], [each.id for each in conversations]

    def propose_erasure(self, documents: Sequence[DocumentId], conversations: Sequence[ConversationId] = ()) -> erasing.Proposal:
        """Say what erasing these would take away, and give the token that does it."""
        kept = (sum(len(shelf.all()) for shelf in self.shelves), len(self.exported()))
        return erasing.propose(
            self.documents,
            self.decisions,
            self.conversations,
            self.files,
            self.index,
            self.erasures,
            self.clock,
            documents,
            conversations,
            backups=kept[0],
            exports=kept[1],
        )

    def confirm_erasure(self, token: str) -> Job:
        """Erase: nobody finds it from now on, and the job takes out its traces."""
        job = erasing.confirm(self.erasures, self.index, self.clock, token)
        self.pictures.forget()
        return job

    def _erase_job(self, job: Job, progress: work.Progress) -> work.Outcome:
        identifier = str(job.request.get("erasure", ""))
        progress(0.0, "wait", "Waiting until no document is being read")
        with waiting_for(self.home, "backup"), reading_documents(self.home, undisturbed=True):
            went = erasing.erase(
                self.erasures,
                self.documents,
                self.conversations,
                self.files,
                self.index,
                self.shelves,
                self.clock,
                self._forget_prompts,
                (self.home.exports, self.home.imports, self.home.root / DAMAGED),
                identifier,
                progress,
            )
        out_of_reach = self.settings.backup_folder and not Path(self.settings.backup_folder).expanduser().is_dir()
        more = " The folder of the backups is not there; they are rewritten when it is back, and before one of them is restored." if out_of_reach else ""
        return work.Outcome(f"{went['documents']} documents and {went['conversations']} conversations are gone.{more}", went)

    def _forget_prompts(self) -> None:
        model = self._given[0] or EndpointModel(lambda: host_endpoint(self.home.root))
        if (forget := getattr(model, "forget", None)) is not None:
            forget()

    @property
    def backups(self) -> LocalBackups:
        """The backups, where the settings say that they go."""
        folder = self.settings.backup_folder
        return LocalBackups(Path(folder).expanduser().absolute() if folder else self.home.backups)

    @property
    def shelves(self) -> list[LocalBackups]:
        """Every folder that backups of this home may lie in: where they go now, and where they went before the settings named another."""
        return [self.backups, *([LocalBackups(self.home.backups)] if self.backups.folder != self.home.backups else [])]

    def back_up(self, label: str = "asked", progress: work.Progress = lambda *_: None) -> Backup:
        """Make a backup now."""
        return backup.back_up(
            self.backups,
            self.audit,
            self.erasures,
            self.files,
            self.clock,
            self.home,
            self._database.copy_to,
            self._database.fingerprint,
            label,
            progress,
        )

    def backup_is_due(self) -> bool:
        """Tell whether the schedule wants a backup now."""
        return backup.due(self.backups, self.clock, self._database.fingerprint, self.settings.backup_minutes)

    def _backup_job(self, job: Job, progress: work.Progress) -> work.Outcome:
        made = self.back_up(str(job.request.get("label", "asked")), progress)
        return work.Outcome(f"Backup {made.id}: {made.documents} documents.", {"backup": made.id, "documents": made.documents, "bytes": made.bytes})

    def restore(self, wanted: str, to: Path | None = None) -> str:
        """Bring a backup back and return where the present state was put aside. The node has to be opened anew afterwards.

        With ``to``, make another home of it instead and leave this one as it is.
        """
        if Path(wanted).expanduser().is_file():
            return self._restore_archive(Path(wanted).expanduser(), to)
        source = backup.found(self.backups, wanted)
        if wrong := check_backup(source):
            raise CorruptHomeError(f"The backup is not as it was written: {wrong[0]}. Nothing was restored.", "Choose another one: `lpm backup --list`.")
        return self._restore(source, to)

    def _restore_archive(self, archive: Path, to: Path | None) -> str:
        with TemporaryDirectory(dir=self.home.imports) as folder:
            with Node(Home(Path(folder)), clock=self.clock, in_process=False) as fresh:
                fresh.take_in(archive.absolute())
            return self._restore(Path(folder), to)

    def _restore(self, source: Path, to: Path | None) -> str:
        present = restoring.Present(self.erasures.tombstones(), list(self.audit.all()), len(self.erasures.unfinished()))
        if to is not None:
            restoring.restore_to(Home(to.expanduser().absolute()), source, present, self._prepare)
            return ""
        restoring.refuse_while_running(self.home)
        with running_as(self.home, "node"):
            return restoring.restore(self.home, source, present, self._prepare, lambda: self.back_up("before-restore").id, self.close)

    def _prepare(self, staging: Path, present: restoring.Present) -> None:
        with closing(NodeDatabase(staging / "node.db", self.home.secret("audit-key"))) as database:
            held = Contents(database.documents, database.decisions, database.conversations, database.erasures, LocalFiles(staging / "files"))
            erasing.take_out(held, present.tombstones)
            newest = database.audit.newest()
            same = newest is None or any(each.hash == newest.hash for each in present.entries)
            if same:
                database.audit.take_over(present.entries)
            database.audit.append(self.clock.now(), AuditKind.RESTORED, continues=same, erased=len(present.tombstones))
            database.erasures.compact()
            stay = {document.sha256 for document in database.documents.everything()}
        for path in (staging / "files").iterdir():
            if path.name[:64] not in stay:
                path.unlink()

    def export(self, path: Path, wanted: exporting.Wanted, progress: work.Progress = lambda *_: None) -> dict[str, object]:
        """Write everything into one archive."""
        return exporting.export(self.documents, self.decisions, self.conversations, self.files, self.audit, self.settings, self.clock, wanted, path, progress)

    def _export_job(self, job: Job, progress: work.Progress) -> work.Outcome:
        wanted = exporting.Wanted(private=job.request.get("private") is not False, conversations=job.request.get("conversations") is not False)
        made = self.export(self.home.exports / f"{job.id}.zip", wanted, progress)
        return work.Outcome(f"{made['documents']} documents and {made['conversations']} conversations in one archive.", made)

    def exported(self) -> list[Path]:
        """Return the archives that lie ready, oldest first."""
        return sorted(self.home.exports.glob("*.zip"), key=lambda path: path.stat().st_mtime)

    def take_in(self, path: Path, progress: work.Progress = lambda *_: None) -> importing.TakenIn:
        """Take an archive in; a worker reads what came with it."""
        return importing.take_in(
            self.documents,
            self.decisions,
            self.conversations,
            self.files,
            self.audit,
            self.erasures.tombstones,
            self.clock,
            self.settings,
            lambda changes: self.change_settings(**changes),
            path,
            progress,
        )

    def _import_job(self, job: Job, progress: work.Progress) -> work.Outcome:
        path = self.home.imports / PurePath(str(job.request.get("archive", ""))).name
        if not path.is_file():
            raise NotFoundError("archive", path.name)
        try:
            came = self.take_in(path, progress)
        except UnusableArchiveError:
            path.unlink(missing_ok=True)
            raise
        return work.Outcome(came.sentence, asdict(came))

    def _drop_imported(self) -> None:
        """Remove what was taken in. Not before its job has ended: a job that is killed then is done again, and needs it."""
        waiting = list(self.home.imports.iterdir())
        if waiting:
            jobs = [(PurePath(str(job.request.get("archive", ""))).name, job.state) for job in self.jobs.page(limit=500, kind="import")[0]]
            taken_in = {name for name, state in jobs if state is JobState.SUCCEEDED} - {name for name, state in jobs if state is not JobState.SUCCEEDED}
            for path in waiting:
                if path.name in taken_in:
                    path.unlink(missing_ok=True)

    def verify(self, *, repair: bool = False, progress: work.Progress = lambda *_: None) -> Iterator[verifying.Finding]:
        """Hold everything against everything."""
        return verifying.verify(
            self.documents,
            self.conversations,
            self.files,
            self.index,
            self.jobs,
            self.audit,
            self.backups,
            self.reader,
            self.embedder if self.embedder_state().state == "ready" else None,
            self.clock,
            {"node.db": self._database.complaints(), "index.db": self.index.complaints()},
            repair=repair,
            progress=progress,
        )

    def _verify_job(self, job: Job, progress: work.Progress) -> work.Outcome:
        found = list(self.verify(repair=job.request.get("repair") is True, progress=progress))
        count = {state: sum(each.state == state for each in found) for state in ("damaged", "look", "repaired")}
        sentence = "Everything is as it should be." if not any(count.values()) else ", ".join(f"{n} {state}" for state, n in count.items() if n) + "."
        return work.Outcome(sentence, {**count, "findings": [asdict(each) for each in found]})

    def first_break(self) -> Break | None:
        """Walk the audit chain, held against what the home and its backups noted."""
        return first_break(self.audit.all(), verifying.heads(self.audit, self.backups))

    def _sweep_archives(self) -> None:
        """Remove archives that were made for export and are a day old, and what came for import and has no job any more."""
        wanted = {PurePath(str(job.request.get("archive", ""))).name for job in self.jobs.page(limit=500, kind="import")[0] if job.ended_at is None}
        now = self.clock.now().timestamp()
        for folder, keep in ((self.home.exports, set[str]()), (self.home.imports, wanted)):
            for half_written in (folder, self.home.root):
                LocalFiles(half_written).sweep()
            for path in folder.iterdir():
                if path.name not in keep and now - path.stat().st_mtime > ARCHIVE_SECONDS:
                    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    # --- finding --------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        *,
        k: int = 25,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        tags: Sequence[str] = (),
        speakers: Sequence[str] = (),
        entities: Sequence[str] = (),
        kinds: Sequence[DocumentKind] = (),
        folder: str = "",
        as_of: datetime | None = None,
        token_budget: int | None = None,
        explain: bool = True,
        typing: bool = False,
        now: datetime | None = None,
        include_private: bool = True,
    ) -> Recollection:
        """Find what answers a question. ``since`` and ``until`` take a time, a date, or a span such as ``30d``.

        ``as_of`` looks from another day: what was said or written later, or nobody knows when, does not take part.
        """
        seen_from = now or as_of or self.clock.now()
        ends = [moment(until, seen_from, until=True) if isinstance(until, str) else until, as_of]
        scope = Scope(
            since=moment(since, seen_from) if isinstance(since, str) else since,
            until=min((end for end in ends if end is not None), default=None, key=lambda end: end.astimezone()),
            tags=tuple(tags),
            speakers=tuple(speakers),
            entities=tuple(entities),
            include_private=include_private,
        )
        if kinds or folder:
            scope = replace(scope, documents=tuple(self.documents.ids(Wanted(kinds=tuple(kinds), folder=folder, open_only=not include_private))))
            if not scope.documents:
                return Recollection((), Level.WORDS, 0, 0, 0.0)
        return self.recall_query(RecallQuery(query, k, scope, token_budget, explain, typing), now or as_of)

    def names(self, beginning: str, limit: int, *, include_private: bool) -> list[Named]:
        """Return who and what is named in the passages, or said them, most often first."""
        return self._recall.names(beginning, limit, Scope(include_private=include_private))

    def recall_query(self, query: RecallQuery, now: datetime | None = None) -> Recollection:
        """Find what answers a question that is already taken apart."""
        found = self._recall(query, now)
        decided = self.decisions.about([item.chunk.document for item in found.items])
        return heeded(query, found, decided, lambda correction: self._corrections_of(correction, query.scope), estimate_tokens) if decided else found

    def _corrections_of(self, document: DocumentId, scope: Scope) -> list[Chunk]:
        with suppress(NotFoundError):
            if scope.include_private or not self.documents.get(document).private:
                return self.index.chunks_of(document)
        return []

    def findings(self) -> list[judging.Finding]:
        """Return what was found in what came last, and not decided about."""
        return judging.undecided(self.documents, self.decisions, self.files)

    def judged(self, finding: FindingId, verdict: Verdict, content: str = "") -> judging.Judged:
        """Say what is decided about something that was found."""
        return judging.judged(self.decisions, finding, verdict, content)

    def decide(self, judged: judging.Judged) -> judging.Finding:
        """Record what the person decided about a sentence."""
        return judging.decide(self.files, self.documents, self.decisions, self.index, self.clock, self._arrive, judged)

    def correction(self, decision: Decision) -> str | None:
        """Return how a mended sentence reads rightly."""
        if decision.correction is None:
            return None
        with suppress(NotFoundError):
            return self.files.original(self.documents.get(decision.correction).sha256).decode("utf-8", "replace")
        return None

    def undecide(self, finding: FindingId) -> None:
        """Take a decision back."""
        judging.undo(self.files, self.documents, self.decisions, self.index, self.clock, finding)

    @property
    def _recall(self) -> Recall:
        index = self.index
        embedder = self.embedder
        if self._recaller is None or self._recaller[0] is not index or self._recaller[1] is not embedder:
            self._recaller = (index, embedder, Recall(index, embedder, self.clock, estimate_tokens))
        return self._recaller[2]

    def recall_for(self, *, owner: bool) -> Callable[[RecallQuery], Recollection]:
        """Return recall as somebody may use it: what is private stays with the owner, and goes to no model elsewhere."""

        def recall(query: RecallQuery) -> Recollection:
            seen = query.scope.include_private and owner and self._model_is_here
            return self.recall_query(replace(query, scope=replace(query.scope, include_private=seen)))

        return recall

    @property
    def _model_is_here(self) -> bool:
        return not self.settings.model.startswith("http") or is_local(self.settings.model)

    def may_go(self, turns: Sequence[Turn]) -> list[Turn]:
        """Return earlier turns as the model may see them: one elsewhere sees nothing that rests on what is private, or that is not there any more and may have been."""
        if self._model_is_here:
            return list(turns)
        cited = {each.document for turn in turns for each in turn.citations}
        open_ones = {each.id for each in self.documents.many(list(cited)) if not each.private}
        return [erasing.without(turn, cited - open_ones, instead=erasing.LEFT_OUT) for turn in turns]

    def read(self, question: str, found: Recollection) -> reader.Found:
        """Choose what answers a question."""
        told = reckoning.told(question, found, self.documents, self.decisions, self.files, self.clock.now())
        return reader.Found((), 1.0, told) if told is not None else reader.read(question, found, self.embedder)

    def read_rest(self, question: str, found: Recollection, shown: Sequence[reader.Span]) -> reader.Found:
        """Choose what answers a question besides what was shown already."""
        return reader.rest(question, found, shown, self.embedder)

    def gather(self, request: str, found: Recollection) -> tuple[reader.Pick, ...]:
        """Choose the sentences that belong to a request."""
        return reader.gather(request, found, self.embedder)

    def is_private(self, document: DocumentId) -> bool:
        """Tell whether a document is private; one that is gone may have been."""
        with suppress(NotFoundError):
            return self.documents.get(document).private
        return True

    def warm(self) -> None:
        """Read the index into memory now rather than at the first question."""
        self._recall.warm()

    def as_recalled(self, chunks: Sequence[Chunk]) -> list[Recalled]:
        """Show chunks among things found without asking why; what the person decided against is struck."""
        decided = self.decisions.about([chunk.document for chunk in chunks])
        return [
            Recalled(
                chunk,
                0.0,
                Signals(),
                entities=(chunk.speaker,) if chunk.speaker else (),
                struck=tuple(sorted(span for each in decided.get(chunk.document, ()) if each.strikes for span in stretches(each, chunk))),
            )
            for chunk in chunks
        ]

    def quote(self, document: Document, citation: Citation) -> str:
        """Return the cited words, or nothing where they are not what was cited any more."""
        words = (self.files.words(document.sha256, citation.text_version) or "")[citation.start : citation.end]
        return words if text_hash(words) == citation.quote_hash else ""

    def sentences(self, document: Document) -> list[str]:
        """Return the sentences of a document's summary."""
        words = self.files.words(document.sha256, document.text_version) if document.text_version and document.summary else None
        return [words[start:end] if words else "" for start, end in document.summary]

    def remarks(self, document: Document) -> list[str]:
        """Say what was left out of a document when it was read."""
        parsed = self.files.text(document.sha256, document.text_version) if document.text_version else None
        return list(parsed.remarks) if parsed else []

    def anchor_of(self, document: Document, citation: Citation) -> Anchor | None:
        """Return the page, row, message, turn or paragraph in which a citation begins, where the document has any."""
        with suppress(NotFoundError):  # read anew since: then its place is looked for in the text that was cited
            return self.index.chunk(citation.chunk).anchor
        parsed = self.files.text(document.sha256, citation.text_version)
        if parsed is None:
            return None
        return next((s.anchor_at(parsed.text, citation.start) for s in parsed.segments if s.start <= citation.start < s.end), None)

    # --- models ---------------------------------------------------------------------------------

    @property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors: the model host's, one in this process when no host runs and that is allowed, or an endpoint's."""
        if self._given[1] is not None:
            return self._given[1]
        serves = embedders.Wanted.of(self.settings)
        if self._embeds is None or self._embeds[0] != serves:
            self._embeds = (serves, self._embedder_of(serves))
        return self._embeds[1]

    def _embedder_of(self, serves: embedders.Wanted) -> Embedder | None:
        served = HOST_SERVES.get(serves.embedder)
        if serves.kind == "none" or (served is None and not (serves.id and serves.dimension)):
            return None
        if serves.kind == "endpoint":
            return self._recorded(serves, self._endpoint_embedder(serves))
        if self._in_process and host_state(self.home.root)["embedder"] == NOT_THERE:
            from lpm_kernel.backends.llm.host import embedder_loader

            made = embedder_loader(served[0] if served else serves.embedder, self.settings.model_threads)()
        else:
            identity, dimension = served[1:] if served else (serves.id, serves.dimension)
            made = EndpointEmbedder(
                lambda: host_endpoint(self.home.root), identity=identity, dimension=dimension, tokens=served is not None, served_as=identity
            )
        return Glossed(made) if serves.kind == "bundled" else made

    def _endpoint_embedder(self, serves: embedders.Wanted) -> EndpointEmbedder:
        return EndpointEmbedder(self._embedding_endpoint(serves.embedder, serves.model), identity=serves.id, dimension=serves.dimension)

    def _recorded(self, serves: embedders.Wanted, made: Embedder) -> Embedder:
        host = urlsplit(serves.embedder).netloc.rpartition("@")[2]
        return made if is_local(serves.embedder) else RecordedEmbedder(made, host, self.departures, self.clock)

    def _embedding_endpoint(self, url: str, model: str) -> Endpoint:
        key = self.home.keys / _embedder_key(url)
        return Endpoint(url, key.read_text("utf-8").strip() if key.exists() else "", model)

    @contextmanager
    def _embedder_for(self, wanted: embedders.Wanted) -> Iterator[Embedder | None]:
        """Bring up an embedder beside the one that serves."""
        served = HOST_SERVES.get(wanted.embedder)
        if wanted.kind == "none":
            yield None
        elif wanted.kind == "endpoint":
            with closing(self._endpoint_embedder(wanted)) as asked:
                yield self._recorded(wanted, asked)
        elif served is not None:
            from lpm_kernel.backends.llm.host import embedder_loader

            made = embedder_loader(served[0])()
            yield Glossed(made) if wanted.kind == "bundled" else made
        else:
            with (
                spare_host(self.home.root, wanted.embedder, self.settings.model_threads) as endpoint,
                closing(EndpointEmbedder(endpoint, identity=wanted.id, dimension=wanted.dimension, served_as=wanted.id)) as made_here,
            ):
                yield made_here

    def probe_embedder(self, choice: embedders.Choice) -> embedders.Tried:
        """Try an embedder and say in words how it went; nothing is changed, and nothing of the person's is sent."""
        setting = choice.as_setting()
        wanted = embedders.Wanted(setting)
        if wanted.kind == "none":
            return embedders.Tried(ok=True, sentence="Passages are found by their words, names and dates; nothing has to be embedded.")
        model = ""
        try:
            if wanted.kind == "endpoint":
                model, found = probe_endpoint(Endpoint(setting, choice.key or self._embedding_endpoint(setting, "").key, choice.model or ""))
            elif wanted.kind == "file":
                with (
                    spare_host(self.home.root, setting, self.settings.model_threads) as endpoint,
                    closing(EndpointEmbedder(endpoint, identity="")) as made_here,
                ):
                    found = embed_probe(made_here)
            else:
                with self._embedder_for(wanted) as made:
                    found = embed_probe(cast("Embedder", made))
        except EmbedderUnavailableError as error:
            return embedders.Tried(ok=False, sentence=f"{error.detail} {error.hint}".strip())
        return embedders.Tried(
            ok=True,
            sentence=found.sentence,
            id=found.id,
            dimension=found.dimension,
            sentences_per_second=found.sentences_per_second,
            model=model,
            elsewhere=wanted.kind == "endpoint" and not is_local(setting),
        )

    def use_embedder(self, choice: embedders.Choice, *, consent: bool = False) -> tuple[embedders.Tried, Job]:
        """Embed everything with another embedder in the background; it serves once that is done.

        Raises ``ConsentNeededError`` where texts would leave this machine, and ``EmbedderUnavailableError`` when the probe fails.
        """
        if "LPM_EMBEDDER" in os.environ:
            raise InvalidInputError("The variable LPM_EMBEDDER names the embedder, so it cannot be changed here.", "Start the node without it.")
        setting = choice.as_setting()
        if choice.kind == "endpoint" and not is_local(setting):
            embedders.ask_consent(setting, consent=consent)
        tried = self.probe_embedder(choice)
        if not tried.ok:
            raise EmbedderUnavailableError(tried.sentence, "The embedder before it is still in use.")
        if choice.kind == "endpoint" and choice.key is not None:
            self.home.write_secret(_embedder_key(setting), choice.key)
        kept = choice.kind in {"endpoint", "file"}
        wanted = embedders.Wanted(setting, tried.model, tried.id if kept else "", tried.dimension if kept else 0)
        for job in self.jobs.page(limit=100, states=UNDER_WAY, kind="reembed")[0]:
            if embedders.Wanted(**job.request) == wanted:
                return tried, job
            self.jobs.cancel(job.id, self.clock.now())
        return tried, self.jobs.add("reembed", Lane.MODELS, None, self.clock.now(), asdict(wanted))

    def _reembed_job(self, job: Job, progress: work.Progress) -> work.Outcome:
        wanted = embedders.Wanted(**job.request)
        share = job.progress

        def wait(seconds: float) -> None:
            until = time.monotonic() + seconds
            while time.monotonic() < until or self.jobs.page(limit=1, states=UNDER_WAY, kind="erase")[0]:
                progress(share, "embed", "Waiting")
                time.sleep(WAIT_SECONDS)

        progress(share, "load", "Bringing the embedder up")
        with self._embedder_for(wanted) as embedder:
            if embedder is not None:
                embedders.embed_anew(self.index, embedder, lambda: reading_documents(self.home), wait, progress)
            with reading_documents(self.home, undisturbed=True):  # nothing comes in between the last passage and the change
                if embedder is not None:
                    embedders.embed_anew(self.index, embedder, nullcontext, lambda _: None, progress)
                progress(0.96, "switch", "Putting it to use")
                if embedders.Wanted.of(self.settings) != wanted:
                    self.change_settings(**wanted.as_settings())
                    host = urlsplit(wanted.embedder).netloc.rpartition("@")[2] if wanted.kind == "endpoint" else ""
                    self.audit.append(self.clock.now(), AuditKind.EMBEDDER_CHANGED, to=wanted.kind, host=host)
            progress(0.97, "tidy", "Dropping the old vectors")
            self.index.drop_vectors(embedder.id if embedder is not None else None)
            with reading_documents(self.home, undisturbed=True):
                self.index.compact()
            passages = self.index.generations().get(embedder.id, 0) if embedder is not None else 0
        sentence = f"{wanted.name} serves now: {passages} passages." if embedder is not None else "Passages are found by words alone now."
        return work.Outcome(sentence, {"passages": passages, "embedder": wanted.name})

    def embedder_choices(self) -> list[embedders.Offered]:
        """List the embedders that can be chosen."""
        serves = self.embedder
        return embedders.choices(self.settings, self.home.models, serves.id if serves else None, self.index.generations())

    @property
    def model(self) -> LanguageModel:
        """What writes: the model host's, or an endpoint elsewhere, whose prompts are recorded before they leave."""
        if self._given[0] is not None:
            return self._given[0]
        if not self.settings.model.startswith("http"):
            return self._host_model
        model = EndpointModel(self._endpoint(self.settings.model, self.settings.model_name))
        return model if is_local(self.settings.model) else RecordedModel(model, urlsplit(self.settings.model).netloc, self.departures, self.clock)

    @cached_property
    def _host_model(self) -> LanguageModel:
        if self._in_process and host_state(self.home.root)["model"] == NOT_THERE:
            from lpm_kernel.backends.llm.host import model_loader

            return cast(
                "LanguageModel", model_loader(self.settings.model, MODEL_WINDOW, self.settings.model_threads)()
            )  # takes one more argument than the port asks
        return EndpointModel(lambda: host_endpoint(self.home.root))

    def _endpoint(self, url: str, name: str) -> Endpoint:
        key = self.home.keys / "endpoint-key"
        return Endpoint(url, key.read_text("utf-8").strip() if key.exists() else "", name)

    def probe(self, choice: models.Choice) -> models.Tried:
        """Try a model and say in words how it went; nothing is changed."""
        try:
            if choice.kind == "endpoint":
                found = probe(Endpoint(choice.as_setting(), choice.key or "", choice.model or ""))
            else:
                found = probe_file(bundled_model() if choice.kind == "bundled" else Path(choice.as_setting()))
        except ModelUnavailableError as error:
            return models.Tried(ok=False, sentence=f"{error.detail} {error.hint}".strip())
        return models.Tried(ok=True, sentence=found.sentence, context_window=found.card.context_window, words_per_second=found.words_per_second)

    def use_model(self, choice: models.Choice) -> None:
        """Use a model from the next question on. Raises ``ModelUnavailableError`` and keeps the one before when the probe fails."""
        tried = self.probe(choice)
        if not tried.ok:
            raise ModelUnavailableError(tried.sentence, "The model before it is still in use.")
        if choice.kind == "endpoint":
            self.home.write_secret("endpoint-key", choice.key or "")
        self.change_settings(model=choice.as_setting(), model_name=choice.model or "")
        host = urlsplit(choice.as_setting()).netloc.rpartition("@")[2] if choice.kind == "endpoint" else ""
        self.audit.append(self.clock.now(), AuditKind.MODEL_CHANGED, to=choice.kind, host=host)

    def model_choices(self) -> list[models.Offered]:
        """List the models that can be chosen, and those that can be fetched."""
        return models.choices(self.settings, self.home.models, models.catalogue(), self.jobs.page(limit=100, kind="download")[0])

    def download(self, identifier: str, url: str | None = None, *, consent: bool = False) -> Job:
        """Fetch a model of the catalogue, or with ``url`` one of the person's own choice, in the background.

        Raises ``ConsentNeededError`` for an address that the catalogue does not have, and ``UnusableDownloadError``.
        """
        if url is None:
            entry = models.found(models.catalogue(), identifier)
            wanted = Source(entry.url, file_name(entry.url), entry.sha256)
        else:
            wanted = Source(check_address(url.strip()), file_name(url.strip()))
            if not consent:
                host = urlsplit(wanted.url).netloc.rpartition("@")[2]
                raise ConsentNeededError(
                    f"{host} is not in the catalogue. A model from there is a stranger's work: it is run on this machine, and {host} sees that you ask for it. Nothing was fetched."
                )
        for job in self.jobs.page(limit=100, states=UNDER_WAY, kind="download")[0]:
            if job.request.get("name") == wanted.name:
                return job
        return self.jobs.add("download", Lane.MODELS, None, self.clock.now(), asdict(wanted))

    def _download_job(self, job: Job, progress: work.Progress) -> work.Outcome:
        wanted = Source(**job.request)

        def wait(seconds: float) -> None:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                progress(job.progress, "wait", "The connection broke; trying again")
                time.sleep(WAIT_SECONDS)

        came = fetch(wanted, self.home.models, progress, wait)
        return work.Outcome(f"{wanted.name} is here, checked by {came.checked}.", {"path": str(came.path), "bytes": came.bytes, "checked": came.checked})

    # --- how it is ------------------------------------------------------------------------------

    def model_state(self) -> doctor.PartState:
        """Return how the language model is."""
        setting = self.settings.model
        if self._given[0] is not None:
            return doctor.PartState(self._given[0].card().id, "ready", "The model is ready.")
        if setting.startswith("http"):
            return doctor.PartState(self.settings.model_name or setting, "ready", f"Answers come from {urlsplit(setting).netloc}.")
        name = models.BUNDLED_NAME if setting == "bundled" else Path(setting).stem
        return doctor.PartState(name, *host_state(self.home.root)["model"])

    def embedder_state(self) -> doctor.PartState:
        """Return how the embedder is."""
        if self._given[1] is not None:
            return doctor.PartState(self._given[1].id, "ready", "The embedder is ready.")
        serves = embedders.Wanted.of(self.settings)
        if serves.kind == "none":
            return doctor.PartState("none", "down", "No embedder is chosen: recall goes by words alone.")
        if self.embedder is None:
            return doctor.PartState(serves.name, "down", "This embedder was never tried, so recall goes by words alone: choose it with `lpm embedder use`.")
        if serves.kind == "endpoint":
            return doctor.PartState(serves.name, "ready", f"Meaning comes from {urlsplit(serves.embedder).netloc.rpartition('@')[2]}.")
        served = HOST_SERVES.get(serves.embedder, ("", serves.id))
        if self._in_process and not isinstance(getattr(self.embedder, "inner", self.embedder), EndpointEmbedder):
            return doctor.PartState(served[1], "ready", "The embedder is ready.")
        return doctor.PartState(served[1], *host_state(self.home.root)["embedder"])

    def left(self) -> doctor.Left:
        """Say what left this machine."""
        return doctor.left(self.departures)

    def link_beside(self) -> str:
        """Make a link that opens the sample life once. Raises ``ConflictError`` while it does not run."""
        where = self.beside.address()
        if where is None:
            raise ConflictError("The sample life is not running.", "Open her home first.")
        with Node(self.beside.home) as sample:
            return f"{where}/login?code={new_login_code(sample.access, sample.clock)}"

    def examine(self) -> Iterator[doctor.Check]:
        """Run the doctor's checks."""
        runs = dict(running(self.home))
        model, embedder = self.model_state(), self.embedder_state()
        if self.settings_problem:
            yield doctor.Check("settings", "broken", self.settings_problem, f"Mend {self.home.settings_file}")
        yield from doctor.examine(self.settings, self.home, self.documents, self.index, self.departures, model, embedder, runs=runs, front_end=FRONT_END)
        yield from (doctor.Check("plug_ins", "fine", sentence) for sentence in self.reader.plug_ins())


def _embedder_key(url: str) -> str:
    """Name the secret of an embedding endpoint; one for each, so that the one that serves keeps its own while another is tried."""
    return "embedder-key-" + hashlib.sha256(url.encode()).hexdigest()[:12]
