"""The ``Replies`` port over SQL, in the index: what a language model answered about passages,
beside those passages.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    delete,
    func,
    inspect,
    select,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.index.file import fit
from lpm_kernel.backends.store.index.rows import CHUNKS, chunk_of, key_of
from lpm_kernel.backends.store.index.tables import chunk, document
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk

metadata = MetaData()

reply = Table(
    "reply_1",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("asker", String, nullable=False),
    Column("answer", Text, nullable=False),
    UniqueConstraint("hash", "asker"),
    sqlite_autoincrement=True,
)
"""The name carries its shape: another one is another table. A number is never used twice, so the
highest tells whether anything changed.
"""


class ReplyStore:
    """What is kept of answers."""

    def __init__(self, engine: Engine, *, fresh: bool = False) -> None:
        self._engine = engine
        fit(
            engine,
            metadata,
            lambda connection: inspect(connection).has_table(reply.name),
            fresh=fresh,
        )

    def known(self, contents: Sequence[str], asker: str) -> dict[str, str]:
        """Give the answers that are known."""
        names = {key_of(content): content for content in contents}
        found: dict[str, str] = {}
        with reading(self._engine) as connection:
            for part in parts(list(names)):
                for key, answer in connection.execute(
                    select(reply.c.hash, reply.c.answer).where(
                        reply.c.asker == asker, reply.c.hash.in_(part)
                    )
                ):
                    found[names[key]] = answer
        return found

    def keep(self, content: str, asker: str, answer: str) -> None:
        """Keep an answer of a passage that is still there."""
        key = key_of(content)
        with writing(self._engine) as connection:
            if (
                connection.execute(select(chunk.c.row).where(chunk.c.hash == key).limit(1)).first()
                is not None
            ):
                connection.execute(delete(reply).where(reply.c.hash == key, reply.c.asker == asker))
                connection.execute(upsert(reply).values(hash=key, asker=asker, answer=answer))

    def lacking(
        self, asker: str, most: int, *, after: int = 0, limit: int = 100
    ) -> list[tuple[int, Chunk]]:
        """Give passages that have no answer."""
        without = (
            ~select(reply.c.number)
            .where(reply.c.hash == chunk.c.hash, reply.c.asker == asker)
            .exists()
        )
        query = (
            CHUNKS.where(chunk.c.row > after, chunk.c.kind.is_(None), chunk.c.start < most, without)
            .order_by(chunk.c.row)
            .limit(limit)
        )
        with reading(self._engine) as connection:
            return [(row.row, chunk_of(row)) for row in connection.execute(query)]

    def newest(self, documents: Sequence[DocumentId], asker: str) -> dict[DocumentId, int]:
        """Give the highest number among each document's answers."""
        query = (
            select(document.c.id, func.max(reply.c.number))
            .join(chunk, chunk.c.ordinal == document.c.ordinal)
            .join(reply, reply.c.hash == chunk.c.hash)
            .where(reply.c.asker == asker)
            .group_by(document.c.id)
        )
        with reading(self._engine) as connection:
            return {
                DocumentId(name): int(most)
                for part in parts(list(documents))
                for name, most in connection.execute(query.where(document.c.id.in_(part)))
            }

    def drop(self, keep: str | None) -> None:
        """Forget the answers of every other asker."""
        with writing(self._engine) as connection:
            connection.execute(
                delete(reply) if keep is None else delete(reply).where(reply.c.asker != keep)
            )


def forget(connection: Connection, hashes: Sequence[bytes] | None = None) -> None:
    """Forget the answers of these contents, or with ``None`` of those that no passage has."""
    alone = ~select(chunk.c.row).where(chunk.c.hash == reply.c.hash).exists()
    connection.execute(delete(reply).where(alone if hashes is None else reply.c.hash.in_(hashes)))
