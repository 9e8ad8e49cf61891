"""Opening ``node.db``: create it, or bring an older one up to date, then hand out the stores over it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Engine, inspect, text

from lpm_kernel.backends.store.access import AccessStore, DepartureStore
from lpm_kernel.backends.store.conversations import ConversationStore
from lpm_kernel.backends.store.documents import DocumentStore
from lpm_kernel.backends.store.jobs import JobStore
from lpm_kernel.backends.store.sqlite import open_engine

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0001"
"""The newest migration. Kept here so that an up-to-date home opens without importing Alembic; a test compares."""


class NodeDatabase:
    """``node.db`` and the stores over it."""

    def __init__(self, path: Path) -> None:
        self.engine = open_engine(path)
        if _revision(self.engine) != HEAD:
            migrate(self.engine)
        self.documents = DocumentStore(self.engine)
        self.jobs = JobStore(self.engine)
        self.conversations = ConversationStore(self.engine)
        self.access = AccessStore(self.engine)
        self.departures = DepartureStore(self.engine)

    def close(self) -> None:
        """Let go of the file."""
        self.engine.dispose()


def migration_config() -> Config:
    """Return Alembic's configuration; there is no ini file."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    return config


def migrate(engine: Engine) -> None:
    """Bring the database to :data:`HEAD`. Two processes may try at once: one waits for the other."""
    from alembic import command

    config = migration_config()
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
