"""What `index.db` keeps of claims. Tables with a stamp of their own: another shape empties these,
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
    MetaData,
    String,
    Table,
    Text,
)

from lpm_kernel.backends.store.index.tables import document

STAMP = "claims-1"
FORMER_NAMES = {"looked": "claim_extraction"}
"""Tables by the names that they had; an index of then is renamed, not made anew."""

metadata = MetaData()

shape = Table("claims", metadata, Column("stamp", String, primary_key=True))

claim_extraction = Table(
    "claim_extraction",
    metadata,
    Column(
        "ordinal",
        Integer,
        ForeignKey(document.c.ordinal, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("extractor", String, nullable=False),
    Column("settled", Boolean, nullable=False),
)
"""From which documents claims were extracted, and which were reflected on since."""

claim = Table(
    "claim",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("ordinal", Integer, ForeignKey(document.c.ordinal, ondelete="CASCADE"), nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("text_version", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("about", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("kept", Boolean, nullable=False),
    Column("mine", Boolean, nullable=False),
    Column("signs", String, nullable=False),
    Column("weight", Float, nullable=False),
    Column("moment", Float),
    Index("claim_place", "ordinal", "start"),
    Index("claim_mine", "mine", "weight"),
    Index("claim_mine_lately", "mine", "moment"),
)

claim_name = Table(
    "claim_name",
    metadata,
    Column("key", Text, primary_key=True),
    Column("claim", Integer, ForeignKey(claim.c.number, ondelete="CASCADE"), primary_key=True),
    Index("claim_name_claim", "claim"),
    sqlite_with_rowid=False,
)
