"""What is open while a node runs: the home, its settings, the databases and the files."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, TYPE_CHECKING

from lpm_kernel.backends.clock import SystemClock
from lpm_kernel.backends.parse.reading import FileReader
from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.backends.store.home.files import LocalFiles
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.backends.store.index.live import LiveIndex
from lpm_kernel.config import Home, Settings, usable_settings
from lpm_kernel.domain.chat.profile import Profiles
from lpm_kernel.domain.chat.threads import Threads
from lpm_kernel.domain.chat.tiers import ThreadTiers
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.forgetting import Holding
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.memory.reflection import Reflections
from lpm_kernel.domain.memory.validity import Validities
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import (
    Access,
    Audit,
    Contacts,
    Conversations,
    Decisions,
    Departures,
    Discussions,
    Documents,
    EntityDecisions,
    Erasures,
    Jobs,
    Permissions,
    Post,
    Roles,
    Runs,
)
from lpm_kernel.node.home_lock import home_lock
from lpm_kernel.usecases import mishaps
from lpm_kernel.usecases.home import integrity
from lpm_kernel.usecases.home import restore as restoring
from lpm_kernel.usecases.home.locking import hold_open
from lpm_kernel.usecases.home.sample import Beside
from lpm_kernel.usecases.library.authors import Authors
from lpm_kernel.usecases.library.documents import Places
from lpm_kernel.usecases.library.page_images import Pictures
from lpm_kernel.usecases.memory.forgetting import Uses
from lpm_kernel.usecases.memory.pages import own_pages
from lpm_kernel.usecases.memory.workspace import LastLook
from lpm_kernel.usecases.settings import LiveSettings

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True)
class Ports:
    """The home, its settings, and everything that is kept. No port is replaced after it was opened;
    the settings and the index are looked up behind theirs, since their files change.
    """

    home: Home
    clock: Clock
    live_settings: LiveSettings
    database: NodeDatabase
    live_index: LiveIndex
    files: LocalFiles
    reader: FileReader
    documents: Documents
    decisions: Decisions
    memories: Memories
    reflections: Reflections
    validities: Validities
    holding: Holding
    entity_decisions: EntityDecisions
    jobs: Jobs
    runs: Runs
    conversations: Conversations
    threads: Threads
    tiers: ThreadTiers
    profiles: Profiles
    roles: Roles
    access: Access
    departures: Departures
    audit: Audit
    erasures: Erasures
    contacts: Contacts
    permissions: Permissions
    post: Post
    discussions: Discussions
    uses: Uses
    places: Places
    authors: Authors
    pictures: Pictures
    beside: Beside
    held: IO[str]
    """Keeps the home from being locked while it is open."""
    worker: str = field(default_factory=lambda: f"{os.getpid()}-{secrets.token_hex(4)}")
    workspace_known: LastLook = field(default_factory=LastLook)

    @classmethod
    def open(
        cls,
        home: Home,
        clock: Clock | None,
        overrides: Mapping[str, object],
        *,
        checked: bool = True,
    ) -> Self:
        """Open a home, making it if it is not there; ``checked`` refuses one that is damaged."""
        try:
            return cls._opened(home, clock or SystemClock(), overrides, checked=checked)
        except Exception as error:
            known = mishaps.told(error, home)
            if known is None or known is error:
                raise
            raise known from error

    @classmethod
    def _opened(
        cls, home: Home, clock: Clock, overrides: Mapping[str, object], *, checked: bool
    ) -> Self:
        home_lock(home).settle()
        restoring.finish(home)
        if checked:
            integrity.ensure_whole(home)
        home.make()
        held = hold_open(home)
        try:
            return cls._built(home, clock, overrides, held)
        except BaseException:
            held.close()
            raise

    @classmethod
    def _built(
        cls, home: Home, clock: Clock, overrides: Mapping[str, object], held: IO[str]
    ) -> Self:
        usable_settings(home, None, overrides)  # a mistake there is told before anything is opened
        database = NodeDatabase(home.node_db, home.secret("audit-key"))
        integrity.mark(home)
        files, reader = LocalFiles(home.files), FileReader()
        return cls(
            home=home,
            clock=clock,
            live_settings=LiveSettings(home, overrides, database.audit, clock),
            database=database,
            live_index=LiveIndex(home.index_db, home.drop_index),
            files=files,
            reader=reader,
            documents=database.documents,
            decisions=database.decisions,
            memories=database.memories,
            reflections=database.reflections,
            validities=database.validities,
            holding=database.holding,
            entity_decisions=database.entity_decisions,
            jobs=database.jobs,
            runs=database.runs,
            conversations=database.conversations,
            threads=database.threads,
            tiers=database.tiers,
            profiles=database.profiles,
            roles=database.roles,
            access=database.access,
            departures=database.departures,
            audit=database.audit,
            erasures=database.erasures,
            contacts=database.contacts,
            permissions=database.permissions,
            post=database.post,
            discussions=database.discussions,
            uses=Uses(database.memories, database.holding, clock),
            places=Places(files, database.documents, database.threads.conversation_of),
            authors=Authors(
                files,
                lambda: database.conversations.identity().name,
                database.reflections.paths,
            ),
            pictures=Pictures(files, reader),
            beside=Beside(home),
            held=held,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what waits to be written, and let go of the databases."""
        self.uses.write()
        self.live_index.close()
        self.database.close()
        self.held.close()

    @property
    def index(self) -> IndexDb:
        """The passage index as it lies there now."""
        return self.live_index.now

    def discard_damaged_index(self) -> bool:
        """Begin the index anew where its file is damaged. ``False``: it is whole."""
        return self.live_index.discard_damaged()

    @property
    def settings(self) -> Settings:
        """The settings as they stand now."""
        return self.live_settings.now

    @property
    def settings_problem(self) -> str:
        """What is wrong with settings.toml, in a sentence; empty when nothing is."""
        return self.live_settings.problem

    def change_settings(self, **changes: object) -> None:
        """Write settings to the file. Raises ``InvalidInputError``, and then nothing is written."""
        self.live_settings.change(**changes)

    def newest_erasures(self) -> tuple[str, ...]:
        """Return the newest erasures: the worker's too, whose memory is not this process's."""
        newest, _ = self.jobs.page(limit=10, kind="erase")
        return tuple(job.id for job in newest)

    def pages(self) -> frozenset[DocumentId]:
        """Return the pages that the node wrote by itself."""
        return own_pages(self.documents, self.reflections)
