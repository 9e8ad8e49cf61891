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

import os
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from types import TracebackType
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from lpm_kernel.backends.clock import SystemClock
from lpm_kernel.backends.embed.endpoint import EndpointEmbedder
from lpm_kernel.backends.llm.client import EndpointModel, estimate_tokens, is_local
from lpm_kernel.backends.llm.launch import host_endpoint
from lpm_kernel.backends.llm.probe import probe, probe_file
from lpm_kernel.backends.llm.state import NOT_THERE, host_state
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.backends.parse.reading import Reader
from lpm_kernel.backends.store.files import LocalFiles
from lpm_kernel.backends.store.index_db import IndexDb
from lpm_kernel.backends.store.node_db import NodeDatabase
from lpm_kernel.config import HOST_SERVES, MODEL_WINDOW, Home, Settings, default_home, read_settings, write_settings
from lpm_kernel.domain.conversations import Citation
from lpm_kernel.domain.documents import Chunk, Document, text_hash
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.jobs import Job
from lpm_kernel.domain.ports import Clock, Embedder, Endpoint, LanguageModel
from lpm_kernel.domain.recall import Recalled, RecallQuery, Recollection, Scope, Signals
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, NotFoundError
from lpm_kernel.L0.dates import moment
from lpm_kernel.L1.recall import Recall
from lpm_kernel.usecases import doctor, library, models, work
from lpm_kernel.usecases import ingest as reading
from lpm_kernel.usecases.add import NewDocument, Received, pasted, receive
from lpm_kernel.usecases.departures import RecordedModel
from lpm_kernel.usecases.processes import running

if TYPE_CHECKING:
    from typing import Self

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
        self._recaller: tuple[IndexDb, Recall] | None = None
        self._in_process = in_process
        self.worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock = threading.Lock()
        self._database = NodeDatabase(home.node_db)
        self.documents = self._database.documents
        self.jobs = self._database.jobs
        self.conversations = self._database.conversations
        self.access = self._database.access
        self.departures = self._database.departures
        self._index = (self._index_stamp(), IndexDb(home.index_db))
        self._index = (self._index_stamp(), self._index[1])
        self.files = LocalFiles(home.files)
        self.reader = Reader()
        self.places = library.Places(self.files, self.documents)

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
            self._settings = (self._settings_stamp(), read_settings(self.home, **self._overrides))

    def _settings_stamp(self) -> int:
        file = self.home.settings_file
        return file.stat().st_mtime_ns if file.exists() else 0

    # --- adding and reading ---------------------------------------------------------------------

    def receive(self, new: NewDocument) -> Received:
        """Take a document in; a worker reads it."""
        return receive(self.files, self.documents, self.reader, self.clock, new, self.settings.max_upload_bytes)

    def add_bytes(
        self, name: str, data: bytes, *, title: str | None = None, created_at: datetime | None = None, tags: Sequence[str] = (), private: bool = False
    ) -> Received:
        """Take the bytes of a file in."""
        return self.receive(NewDocument(name, data, title, created_at, tuple(tags), private))

    def add_text(self, text: str, *, title: str | None = None, created_at: datetime | None = None, tags: Sequence[str] = (), private: bool = False) -> Received:
        """Take a text in."""
        name, data = pasted(text, title, self.clock.now())
        return self.add_bytes(name, data, title=title, created_at=created_at, tags=tags, private=private)

    def ingest(self, document: DocumentId, progress: reading.Progress) -> str:
        """Read one document now."""
        return reading.ingest(self.files, self.documents, self.reader, self.index, self.embedder, document, progress)

    def reconcile(self) -> int:
        """Queue what the index lacks, and sweep what a killed process left."""
        self.files.sweep()
        return reading.reconcile(
            self.files, self.documents, self.jobs, self.index, self.embedder if self.embedder_state().state == "ready" else None, self.reader, self.clock
        )

    def recover_jobs(self) -> int:
        """Queue again what a dead worker left behind."""
        return work.recover(self.jobs, self.clock)

    def do_one_job(self) -> bool:
        """Do the oldest waiting job. ``False``: none was waiting."""
        return work.do_one(self.jobs, self.documents, self.clock, self.worker, {"ingest": self._ingest_job})

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
        wanted = set(documents)
        return {identifier: have.chunks for identifier, have in self.index.indexed().items() if identifier in wanted}

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
        token_budget: int | None = None,
        explain: bool = True,
        now: datetime | None = None,
        include_private: bool = True,
    ) -> Recollection:
        """Find what answers a question. ``since`` and ``until`` take a time, a date, or a span such as ``30d``."""
        seen_from = now or self.clock.now()
        scope = Scope(
            since=moment(since, seen_from) if isinstance(since, str) else since,
            until=moment(until, seen_from, until=True) if isinstance(until, str) else until,
            tags=tuple(tags),
            speakers=tuple(speakers),
            include_private=include_private,
        )
        return self.recall_query(RecallQuery(query, k, scope, token_budget, explain), now)

    def recall_query(self, query: RecallQuery, now: datetime | None = None) -> Recollection:
        """Find what answers a question that is already taken apart."""
        return self._recall(query, now)

    @property
    def _recall(self) -> Recall:
        index = self.index
        if self._recaller is None or self._recaller[0] is not index:
            self._recaller = (index, Recall(index, self.embedder, self.clock, estimate_tokens))
        return self._recaller[1]

    def recall_for(self, *, owner: bool) -> Callable[[RecallQuery], Recollection]:
        """Return recall as somebody may use it: what is private stays with the owner, and goes to no model elsewhere."""

        def recall(query: RecallQuery) -> Recollection:
            here = not self.settings.model.startswith("http") or is_local(self.settings.model)
            return self.recall_query(replace(query, scope=replace(query.scope, include_private=query.scope.include_private and owner and here)))

        return recall

    def warm(self) -> None:
        """Read the index into memory now rather than at the first question."""
        self._recall.warm()

    def as_recalled(self, chunk: Chunk) -> Recalled:
        """Show a chunk among things found without asking why."""
        return Recalled(chunk, 0.0, Signals(), entities=(chunk.speaker,) if chunk.speaker else ())

    def quote(self, document: Document, citation: Citation) -> str:
        """Return the cited words, or nothing where they are not what was cited any more."""
        parsed = self.files.text(document.sha256, citation.text_version)
        words = parsed.text[citation.start : citation.end] if parsed else ""
        return words if text_hash(words) == citation.quote_hash else ""

    def sentences(self, document: Document) -> list[str]:
        """Return the sentences of a document's summary."""
        parsed = self.files.text(document.sha256, document.text_version) if document.text_version and document.summary else None
        return [parsed.text[start:end] if parsed else "" for start, end in document.summary]

    def page_of(self, document: Document, citation: Citation) -> int | None:
        """Return the page on which a citation begins, where the document has pages."""
        parsed = self.files.text(document.sha256, citation.text_version)
        return next((s.page for s in parsed.segments if s.page is not None and s.start <= citation.start < s.end), None) if parsed else None

    # --- models ---------------------------------------------------------------------------------

    @cached_property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors: the model host's, or one in this process when no host runs and that is allowed."""
        if self._given[1] is not None:
            return self._given[1]
        served = HOST_SERVES.get(self.settings.embedder)
        if served is None:
            return None
        name, identity, dimension = served
        if self._in_process and host_state(self.home.root)["embedder"] == NOT_THERE:
            made: Embedder = resolve_name(name)()
            return made
        return EndpointEmbedder(lambda: host_endpoint(self.home.root), identity=identity, dimension=dimension, tokens=True)

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
        served = HOST_SERVES.get(self.settings.embedder)
        if served is None:
            return doctor.PartState("none", "down", "No embedder is chosen: recall goes by words alone.")
        if self._in_process and self.embedder is not None and not isinstance(self.embedder, EndpointEmbedder):
            return doctor.PartState(served[1], "ready", "The embedder is ready.")
        return doctor.PartState(served[1], *host_state(self.home.root)["embedder"])

    def left(self) -> doctor.Left:
        """Say what left this machine."""
        return doctor.left(self.departures)

    def examine(self) -> Iterator[doctor.Check]:
        """Run the doctor's checks."""
        runs = {name for name, _ in running(self.home)}
        model, embedder = self.model_state(), self.embedder_state()
        if self.settings_problem:
            yield doctor.Check("settings", "broken", self.settings_problem, f"Mend {self.home.settings_file}")
        yield from doctor.examine(self.settings, self.home, self.documents, self.index, self.departures, model, embedder, runs=runs, front_end=FRONT_END)
