"""What is open while a node runs: the home, its settings, the databases and the files."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from lpm_kernel.backends.clock import SystemClock
from lpm_kernel.backends.parse.reading import FileReader
from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.backends.store.home.files import LocalFiles
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.config import Home, Settings, usable_settings, write_settings
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.ports import Clock
from lpm_kernel.usecases import mishaps
from lpm_kernel.usecases.home import integrity
from lpm_kernel.usecases.home import restore as restoring
from lpm_kernel.usecases.home.sample import Beside
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library.page_images import Pictures
from lpm_kernel.usecases.memory.forgetting import Uses
from lpm_kernel.usecases.memory.workspace import Known

if TYPE_CHECKING:
    from typing import Self


class Ports:
    """The home, its settings, and everything that is kept."""

    def __init__(
        self, home: Home, *, clock: Clock | None = None, checked: bool = True, **overrides: object
    ) -> None:
        try:
            self._open(home, clock, overrides, checked=checked)
        except Exception as error:
            known = mishaps.told(error, home)
            if known is None or known is error:
                raise
            raise known from error

    def _open(
        self, home: Home, clock: Clock | None, overrides: Mapping[str, object], *, checked: bool
    ) -> None:
        restoring.finish(home)
        if checked:
            integrity.ensure_whole(home)
        home.make()
        self.home = home
        self.clock: Clock = clock or SystemClock()
        self._overrides = overrides
        self.settings_problem: str
        """What is wrong with settings.toml as it stands now, in a sentence; empty when nothing
        is.
        """
        stamp = self._settings_stamp()
        settings, self.settings_problem = usable_settings(home, None, overrides)
        self._settings = (stamp, settings)
        self.worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock = threading.Lock()
        self.workspace_lock = threading.Lock()
        self.workspace_known = Known()
        self.database = NodeDatabase(home.node_db, home.secret("audit-key"))
        integrity.mark(home)
        self.documents = self.database.documents
        self.decisions = self.database.decisions
        self.memories = self.database.memories
        self.reflections = self.database.reflections
        self.validities = self.database.validities
        self.holding = self.database.holding
        self.uses = Uses(self.memories, self.holding, self.clock)
        self.entity_decisions = self.database.entity_decisions
        self.jobs = self.database.jobs
        self.runs = self.database.runs
        self.conversations = self.database.conversations
        self.roles = self.database.roles
        self.access = self.database.access
        self.departures = self.database.departures
        self.audit = self.database.audit
        self.erasures = self.database.erasures
        self.contacts = self.database.contacts
        self.permissions = self.database.permissions
        self.post = self.database.post
        self._index = (self._index_stamp(), IndexDb(home.index_db))
        self._index = (self._index_stamp(), self._index[1])
        self.files = LocalFiles(home.files)
        self.reader = FileReader()
        self.places = library.Places(self.files, self.documents)
        self.beside = Beside(home)
        self.pictures = Pictures(self.files, self.reader)

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
        self._index[1].close()
        self.database.close()

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

    def discard_damaged_index(self) -> bool:
        """Begin the index anew where its file is damaged; what has to be read again is for the
        caller. ``False``: it is whole.
        """
        if not self.index.complaints():
            return False
        with self._lock:
            self._index[1].close()
            self.home.drop_index()
            opened = IndexDb(self.home.index_db)
            self._index = (self._index_stamp(), opened)
        return True

    def pages(self) -> frozenset[DocumentId]:
        """Return the pages that the node wrote by itself."""
        known = (self.documents.by_origin(path) for path in self.reflections.paths())
        return frozenset(each.id for each in known if each is not None)

    def _index_stamp(self) -> int:
        path = self.home.index_db
        return path.stat().st_ino if path.exists() else 0

    @property
    def settings(self) -> Settings:
        """The settings as they stand now: another process may have changed the file."""
        stamp = self._settings_stamp()
        if stamp != self._settings[0]:
            settings, self.settings_problem = usable_settings(
                self.home, self._settings[1], self._overrides
            )
            self._settings = (stamp, settings)
        return self._settings[1]

    def change_settings(self, **changes: object) -> None:
        """Write settings to the file; they count from the next look on. Raises
        ``InvalidInputError``, and then nothing is written.
        """
        with self._lock:
            write_settings(self.home, **changes)
            self.audit.append(
                self.clock.now(), AuditKind.SETTINGS_CHANGED, settings=tuple(sorted(changes))
            )
            stamp = self._settings_stamp()
            settings, self.settings_problem = usable_settings(
                self.home, self._settings[1], self._overrides
            )
            self._settings = (stamp, settings)

    def _settings_stamp(self) -> int:
        file = self.home.settings_file
        return file.stat().st_mtime_ns if file.exists() else 0
