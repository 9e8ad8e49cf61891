"""What `index.db` keeps of the map. Tables with a stamp of their own: another shape empties these,
and leaves passages and vectors alone.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

from lpm_kernel.backends.store.index.tables import chunk

STAMP = "graph-3"
FORMER_NAMES = {"spot": "entity_position"}
"""Tables by the names that they had; an index of then is renamed, not made anew."""

metadata = MetaData()

made = Table(
    "graph",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("stamp", String, nullable=False),
    Column("serial", Integer, nullable=False),
    Column("at", String),
    Column("revision", Integer, nullable=False),
    Column("digest", String, nullable=False),
    Column("clusters", String, nullable=False),
)

mention = Table(
    "mention",
    metadata,
    Column(
        "row",
        Integer,
        ForeignKey(chunk.c.row, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("surface", Text, primary_key=True),
    Column("signs", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""A passage that goes takes its names along."""

entity_position = Table(
    "entity_position",
    metadata,
    Column("key", LargeBinary, primary_key=True),
    Column("x", Float, nullable=False),
    Column("y", Float, nullable=False),
    Column("community", Integer),
    sqlite_with_rowid=False,
)

entity = Table(
    "entity",
    metadata,
    Column("slug", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("passages", Integer, nullable=False),
    Column("self", Boolean, nullable=False),
    Column("topic", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Index("entity_topic", "topic", "place"),
    sqlite_with_rowid=False,
)
"""The entities that are shown, as the last job found them: for who must not work them out from all
mentions.
"""

entity_key = Table(
    "entity_key",
    metadata,
    Column("key", Text, primary_key=True),
    Column("slug", Text, ForeignKey("entity.slug", ondelete="CASCADE"), primary_key=True),
    Index("entity_key_slug", "slug"),
    sqlite_with_rowid=False,
)
