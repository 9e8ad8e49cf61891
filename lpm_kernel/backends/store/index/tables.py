"""The tables of `index.db`. All of it can be made again, so there are no migrations: another stamp
makes another file.
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
    UniqueConstraint,
)

from lpm_kernel.domain.library.passages import ANALYSIS

STAMP = f"index-5 {ANALYSIS}"
"""Shape of the tables and version of the words in them."""

metadata = MetaData()

stamp = Table(
    "stamp",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("stamp", String, nullable=False),
    Column("revision", Integer, nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("ordinal", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("text_version", String, nullable=False),
    Column("private", Boolean, nullable=False),
    Column("tags", Text, nullable=False),
    sqlite_autoincrement=True,
)

chunk = Table(
    "chunk",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column(
        "ordinal",
        Integer,
        ForeignKey("document.ordinal", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("session_number", Integer, nullable=False),
    Column("session", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("speaker", Text),
    Column("said_at", String),
    Column("moment", Float),
    Column("turn", Text),
    Column("page", Integer),
    Column("anchor", String),
    Column("kind", String),
    Column("about", Text, nullable=False, server_default=""),
    Column("confidence", Float),
    Column("terms", Text, nullable=False),
    Column("names", Text, nullable=False),
    Column("traits", Integer, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Index("chunk_hash", "hash"),
    UniqueConstraint("ordinal", "start", "end"),
    sqlite_autoincrement=True,
)

# The hash stands first in both keys: rows are looked for by text and embedder, and taken out by
# text alone.
vector = Table(
    "vector",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    Column("embedder", String, primary_key=True),
    Column("scale", Float, nullable=False),
    Column("codes", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

token = Table(
    "token",
    metadata,
    Column("hash", LargeBinary, primary_key=True),
    Column("embedder", String, primary_key=True),
    Column("codes", LargeBinary, nullable=False),
)
"""A table of its own, so that reading all vectors does not read these."""

FULL_TEXT = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(terms, content='chunk',"
    " content_rowid='row', tokenize='unicode61 remove_diacritics 2')"
)
"""External content: the terms themselves stand in ``chunk``, so that a row can be taken out
again.
"""
