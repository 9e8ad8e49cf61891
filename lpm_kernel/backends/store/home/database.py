"""Opening ``node.db``: create it, or bring an older one up to date, then hand out the stores over
it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sqlalchemy import Engine, inspect, select, text

from lpm_kernel.backends.store.home.erasures import ErasureStore
from lpm_kernel.backends.store.node import peer_tables, tables
from lpm_kernel.backends.store.node.access import AccessStore, DepartureStore
from lpm_kernel.backends.store.node.audit import AuditStore
from lpm_kernel.backends.store.node.conversations import ConversationStore, delete_unkept
from lpm_kernel.backends.store.node.decisions import DecisionStore
from lpm_kernel.backends.store.node.documents import DocumentStore
from lpm_kernel.backends.store.node.entities import EntityDecisionStore
from lpm_kernel.backends.store.node.forgetting import HoldingStore
from lpm_kernel.backends.store.node.jobs import JobStore
from lpm_kernel.backends.store.node.memories import MemoryStore
from lpm_kernel.backends.store.node.profile import ProfileStore
from lpm_kernel.backends.store.node.reflections import ReflectionStore
from lpm_kernel.backends.store.node.roles import RoleStore
from lpm_kernel.backends.store.node.runs import RunStore
from lpm_kernel.backends.store.node.threads import ThreadStore
from lpm_kernel.backends.store.node.tiers import TierStore
from lpm_kernel.backends.store.node.validity import ValidityStore
from lpm_kernel.backends.store.peers.contacts import ContactStore
from lpm_kernel.backends.store.peers.discussions import DiscussionStore
from lpm_kernel.backends.store.peers.permissions import PermissionStore
from lpm_kernel.backends.store.peers.post import PostStore
from lpm_kernel.backends.store.sqlite import compact, complaints, open_engine, reading, writing
from lpm_kernel.errors import NewerHomeError

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0036"
"""The newest migration. Kept here so that an up-to-date home opens without importing Alembic; a
test compares.
"""

NOTE = "audit.json"
"""The file beside the database that holds the newest audit entry."""


class NodeDatabase:
    """``node.db`` and the stores over it. ``key`` seals the note of the newest audit entry."""

    def __init__(self, path: Path, key: str = "") -> None:
        self.path = path
        self.engine = open_engine(path)
        try:
            if _revision(self.engine) != HEAD:
                migrate(self.engine)
        except NewerHomeError:
            self.engine.dispose()
            raise
        self.audit = AuditStore(self.engine, path.with_name(NOTE), key.encode())
        self.documents = DocumentStore(self.engine, self.audit)
        self.decisions = DecisionStore(self.engine, self.audit)
        self.memories = MemoryStore(self.engine)
        self.reflections = ReflectionStore(self.engine)
        self.holding = HoldingStore(self.engine)
        self.validities = ValidityStore(self.engine)
        self.entity_decisions = EntityDecisionStore(self.engine, self.audit)
        self.jobs = JobStore(self.engine)
        self.runs = RunStore(self.engine, self.audit)
        self.conversations = ConversationStore(self.engine, self.audit)
        self.threads = ThreadStore(self.engine)
        self.tiers = TierStore(self.engine)
        self.profiles = ProfileStore(self.engine)
        self.roles = RoleStore(self.engine)
        self.access = AccessStore(self.engine, self.audit)
        self.departures = DepartureStore(self.engine, self.audit)
        self.erasures = ErasureStore(self.engine, self.audit)
        self.contacts = ContactStore(self.engine, self.audit)
        self.permissions = PermissionStore(self.engine, self.audit)
        self.post = PostStore(self.engine)
        self.discussions = DiscussionStore(self.engine)

    def copy_to(self, path: Path) -> None:
        """Write the database as it is at this moment to a new file."""
        copy_to(self.engine, path)

    def copy_kept_to(self, path: Path) -> None:
        """Write it to a new file without what is not kept for good: chats of which nothing is kept,
        and words that a chat will throw away.
        """
        copy_to(self.engine, path)
        leave_out_unkept(path)

    def fingerprint(self) -> str:
        """Hash everything that a backup is made for."""
        return fingerprint(self.engine)

    def complaints(self) -> list[str]:
        """Return what SQLite itself finds wrong with the file."""
        return complaints(self.engine)

    def close(self) -> None:
        """Let go of the file."""
        self.engine.dispose()


def fingerprint(engine: Engine, *, tombstones: bool = True) -> str:
    """Hash everything that a backup is made for, so that two equal ones are told apart from two
    that differ.
    """
    made = hashlib.sha256()
    known = [
        tables.document,
        tables.decision,
        tables.memory_version,
        tables.validity,
        tables.memory_use,
        tables.memory_pin,
        tables.entity_decision,
        tables.entity_party,
        tables.written_line,
        tables.proposal_decision,
        tables.training_run,
        tables.training_source,
        tables.training_use,
        tables.role,
        tables.conversation,
        tables.turn,
        tables.verdict,
        tables.thread,
        tables.profile_edit,
        tables.identity,
        tables.api_key,
        tables.egress,
        peer_tables.contact,
        peer_tables.invite,
        peer_tables.peer_grant,
        peer_tables.received_grant,
        peer_tables.peer_offer,
        peer_tables.inbox,
        peer_tables.outbox,
        peer_tables.peer_address,
        peer_tables.discussion,
        peer_tables.discussion_entry,
        peer_tables.discussion_contact,
        *([tables.tombstone] if tombstones else []),
    ]
    with reading(engine) as connection:
        for table in known:
            for row in connection.execution_options(stream_results=True).execute(
                select(table).order_by(*table.primary_key)
            ):
                made.update(repr(tuple(row)).encode())
    return made.hexdigest()


def copy_to(engine: Engine, path: Path) -> None:
    """Write the database as it is at this moment to a new file, while others go on reading and
    writing.
    """
    path.touch(mode=0o600)
    source = engine.raw_connection()
    try:
        with closing(sqlite3.connect(path)) as target:
            cast("sqlite3.Connection", source.driver_connection).backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
    finally:
        source.close()


def leave_out_unkept(path: Path) -> None:
    """Take out of a copy what its chats do not keep, and leave no trace of it there."""
    with closing(sqlite3.connect(path)) as copy:
        unkept = "SELECT 1 FROM conversation WHERE keeping != 'full' LIMIT 1"
        if copy.execute(unkept).fetchone() is None:
            return
    engine = open_engine(path)
    try:
        with writing(engine) as connection:
            delete_unkept(connection)
        compact(engine)
    finally:
        engine.dispose()
    with closing(sqlite3.connect(path)) as target:
        target.execute("PRAGMA journal_mode=DELETE")


def migration_config() -> Config:
    """Return Alembic's configuration; there is no ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    return config


def migrate(engine: Engine, to: str = "head") -> None:
    """Bring the database to :data:`HEAD`, or to an earlier revision. Two processes may try at once:
    one waits for the other.

    Raises ``NewerHomeError`` for a database that a newer release has changed; nothing is written to
    it.
    """
    from alembic import command
    from alembic.script import ScriptDirectory

    config = migration_config()
    revision = _revision(engine)
    if revision is not None and revision not in {
        walk_revision.revision
        for walk_revision in ScriptDirectory.from_config(config).walk_revisions()
    }:
        raise NewerHomeError(revision)
    with engine.connect().execution_options(writing=True) as connection:
        driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        # a table that is made anew is dropped first, and would take along what points at it
        driver.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                config.attributes["connection"] = connection
                command.upgrade(config, to)
        finally:
            driver.execute("PRAGMA foreign_keys=ON")


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
