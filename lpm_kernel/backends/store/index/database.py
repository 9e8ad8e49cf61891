"""`index.db`: chunks, their words and their vectors, so that recall can find them.

Everything here is made from the documents. A file that is missing, damaged or of another shape is
made anew, and `fresh` tells the caller to put every document again. Rows are never changed, only
added and taken out, and their numbers are never used twice: a reader in another process keeps what
it has read and asks for the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.index.claims import ClaimStore
from lpm_kernel.backends.store.index.file import open_file
from lpm_kernel.backends.store.index.graph import GraphStore
from lpm_kernel.backends.store.index.replies import ReplyStore, forget
from lpm_kernel.backends.store.index.rows import (
    CHUNKS,
    chunk_of,
    key_of,
    matrix,
    rows_of,
    vector_rows,
)
from lpm_kernel.backends.store.index.tables import chunk, document, stamp, token, vector
from lpm_kernel.backends.store.sqlite import MANY, compact, complaints, parts, reading, writing
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import (
    TOKEN_WIDTH,
    Batch,
    Counts,
    Embedded,
    Indexed,
    Labels,
    Passage,
)
from lpm_kernel.errors import NotFoundError


class IndexDb:
    """The passage index in SQLite. One object serves all threads of a process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine, self.fresh = open_file(path)
        self.graph = GraphStore(self._engine, fresh=self.fresh)
        """What the job found out about who and what is named."""
        self.claims = ClaimStore(self._engine, fresh=self.fresh)
        """What the passages state, for reflection."""
        self.replies = ReplyStore(self._engine, fresh=self.fresh)
        """What a language model answered about passages."""

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    # --- what the ingest writes ------------------------------------------------------------------

    def put(
        self,
        document_id: DocumentId,
        passages: Sequence[Passage],
        *,
        private: bool = False,
        tags: Sequence[str] = (),
        created_at: datetime | None = None,
        embedded: Embedded | None = None,
    ) -> None:
        """Make these the document's passages, in place of what was there."""
        rows = list(rows_of(passages, created_at))
        order = [row.pop("position") for row in rows]
        keys = [row["hash"] for row in rows]
        version = passages[0].chunk.text_version if passages else ""
        with writing(self._engine) as connection:
            _take_out(connection, document_id, keep={row["hash"] for row in rows})
            values = {
                "id": document_id,
                "text_version": version,
                "private": private,
                "tags": json.dumps(sorted(set(tags)), ensure_ascii=False),
            }
            ordinal = connection.execute(
                insert(document).values(**values).returning(document.c.ordinal)
            ).scalar_one()
            for part in parts(rows):
                connection.execute(insert(chunk), [{"ordinal": ordinal, **row} for row in part])
            if rows:
                connection.execute(
                    text(
                        "INSERT INTO words(rowid, terms) SELECT row, terms FROM chunk WHERE ordinal"
                        " = :ordinal"
                    ),
                    {"ordinal": ordinal},
                )
            if embedded:
                _keep(connection, keys, embedded, order)
            _mark(connection)

    def remove(self, document_id: DocumentId) -> bool:
        """Forget a document's passages and the vectors that no other passage has."""
        with writing(self._engine) as connection:
            known = _take_out(connection, document_id, keep=set())
            if known:
                _mark(connection)
        return known

    def remove_all(self, documents: Sequence[DocumentId]) -> int:
        """Forget several documents at once and return how many there were."""
        with writing(self._engine) as connection:
            known = sum(_take_out(connection, document_id, keep=set()) for document_id in documents)
            if known:
                _mark(connection)
        return known

    def put_away(self, documents: Sequence[DocumentId]) -> int:
        """Forget the passages of several documents and keep their vectors."""
        known = 0
        with writing(self._engine) as connection:
            for part in parts(list(documents)):
                ordinals = list(
                    connection.execute(
                        select(document.c.ordinal).where(document.c.id.in_(part))
                    ).scalars()
                )
                taken = text(
                    "INSERT INTO words(words, rowid, terms) SELECT 'delete', row, terms FROM chunk"
                    " WHERE ordinal IN :ordinals"
                ).bindparams(bindparam("ordinals", expanding=True))
                connection.execute(taken, {"ordinals": ordinals})
                connection.execute(delete(document).where(document.c.ordinal.in_(ordinals)))
                known += len(ordinals)
            if known:
                _mark(connection)
        return known

    def drop_unused(self, hashes: Sequence[str]) -> None:
        """Forget the vectors and answers of these texts, where no passage has them."""
        with writing(self._engine) as connection:
            _drop_unused(connection, [key_of(each) for each in hashes])

    def set_labels(self, document_id: DocumentId, *, private: bool, tags: Sequence[str]) -> None:
        """Change what the person set on the document."""
        values = {"private": private, "tags": json.dumps(sorted(set(tags)), ensure_ascii=False)}
        with writing(self._engine) as connection:
            if connection.execute(
                update(document).where(document.c.id == document_id).values(**values)
            ).rowcount:
                _mark(connection)

    def set_all_labels(self, labels: Mapping[DocumentId, tuple[bool, Sequence[str]]]) -> None:
        """Change what the person set on several documents."""
        with writing(self._engine) as connection:
            changed = 0
            for document_id, (private, tags) in labels.items():
                values = {
                    "private": private,
                    "tags": json.dumps(sorted(set(tags)), ensure_ascii=False),
                }
                changed += connection.execute(
                    update(document).where(document.c.id == document_id).values(**values)
                ).rowcount
            if changed:
                _mark(connection)

    def cached_vectors(
        self, hashes: Sequence[str], embedder: str
    ) -> dict[str, NDArray[np.float32]]:
        """Give the vectors that are known already."""
        names = {key_of(each): each for each in hashes}
        found: dict[str, NDArray[np.float32]] = {}
        with reading(self._engine) as connection:
            for part in parts(list(names)):
                query = select(vector.c.hash, vector.c.scale, vector.c.codes).where(
                    vector.c.embedder == embedder, vector.c.hash.in_(part)
                )
                for key, scale, codes in connection.execute(query):
                    found[names[key]] = np.frombuffer(codes, np.int8).astype(
                        np.float32
                    ) * np.float32(scale)
        return found

    def cache_vectors(self, hashes: Sequence[str], embedded: Embedded) -> None:
        """Keep vectors before their passages are put."""
        with writing(self._engine) as connection:
            _keep(connection, [key_of(each) for each in hashes], embedded, range(len(hashes)))

    def lacking(
        self, embedder: str, *, private: bool = True, after: int = 0, limit: int = 100
    ) -> list[tuple[int, Chunk]]:
        """Give passages beyond row ``after`` whose text has no vector of this embedder."""
        query = CHUNKS.where(chunk.c.row > after, _without(embedder))
        if not private:
            query = query.where(~document.c.private)
        with reading(self._engine) as connection:
            return [
                (row.row, chunk_of(row))
                for row in connection.execute(query.order_by(chunk.c.row).limit(limit))
            ]

    def generations(self) -> dict[str, int]:
        """Say how many passages have a vector of each embedder."""
        query = (
            select(vector.c.embedder, func.count())
            .join(chunk, chunk.c.hash == vector.c.hash)
            .group_by(vector.c.embedder)
        )
        with reading(self._engine) as connection:
            return {embedder: int(count) for embedder, count in connection.execute(query)}

    def drop_vectors(self, keep: str | None) -> None:
        """Forget the vectors and tokens of every other embedder."""
        for table in (vector, token):
            while True:
                with writing(self._engine) as connection:
                    others = (
                        table.c.embedder != keep
                        if keep is not None
                        else table.c.embedder.is_not(None)
                    )
                    some = connection.execute(
                        select(table.c.hash, table.c.embedder).where(others).limit(MANY)
                    ).all()
                    if not some:
                        break
                    for embedder in {row.embedder for row in some}:
                        mine = [row.hash for row in some if row.embedder == embedder]
                        connection.execute(
                            delete(table).where(
                                table.c.embedder == embedder, table.c.hash.in_(mine)
                            )
                        )

    # --- what is there ---------------------------------------------------------------------------

    def indexed(self) -> dict[DocumentId, Indexed]:
        """Say of every document what is there."""
        rows = (
            select(document.c.id, document.c.text_version, func.count(chunk.c.row))
            .outerjoin(chunk, chunk.c.ordinal == document.c.ordinal)
            .group_by(document.c.id)
        )
        vectors = (
            select(document.c.id, vector.c.embedder, func.count())
            .join(chunk, chunk.c.ordinal == document.c.ordinal)
            .join(vector, vector.c.hash == chunk.c.hash)
            .group_by(document.c.id, vector.c.embedder)
        )
        with reading(self._engine) as connection:
            known: dict[str, dict[str, int]] = {}
            for identifier, embedder, count in connection.execute(vectors):
                known.setdefault(identifier, {})[embedder] = count
            return {
                DocumentId(i): Indexed(text_version=version, chunks=count, vectors=known.get(i, {}))
                for i, version, count in connection.execute(rows)
            }

    def counts(self) -> Counts:
        """Say how much there is."""
        with reading(self._engine) as connection:
            sizes = [
                connection.execute(select(func.count()).select_from(table)).scalar_one()
                for table in (document, chunk, vector)
            ]
        return Counts(*sizes)

    def passage_counts(self, documents: Sequence[DocumentId]) -> dict[DocumentId, int]:
        """Say how many passages each of these has."""
        query = (
            select(document.c.id, func.count(chunk.c.row))
            .outerjoin(chunk, chunk.c.ordinal == document.c.ordinal)
            .group_by(document.c.id)
        )
        with reading(self._engine) as connection:
            return {
                DocumentId(name): int(count)
                for part in parts(list(documents))
                for name, count in connection.execute(query.where(document.c.id.in_(part)))
            }

    def chunk(self, identifier: ChunkId) -> Chunk:
        """Give one chunk."""
        with reading(self._engine) as connection:
            row = connection.execute(CHUNKS.where(chunk.c.id == identifier)).one_or_none()
        if row is None:
            raise NotFoundError("passage", identifier)
        return chunk_of(row)

    def chunks_of(
        self, document_id: DocumentId, after: ChunkId | None = None, limit: int = 100
    ) -> list[Chunk]:
        """Give a document's chunks in the order of the text."""
        query = (
            CHUNKS.where(document.c.id == document_id)
            .order_by(chunk.c.start, chunk.c.end)
            .limit(limit)
        )
        if after is not None:
            query = query.where(
                chunk.c.start > select(chunk.c.start).where(chunk.c.id == after).scalar_subquery()
            )
        with reading(self._engine) as connection:
            return [chunk_of(row) for row in connection.execute(query)]

    def find_documents(self, terms: Sequence[str], limit: int = 100) -> list[DocumentId]:
        """Name the documents in which all of these terms stand, best first."""
        wanted = [
            "".join(sign for sign in term if sign.isprintable() and sign != '"')
            for term in dict.fromkeys(terms)
        ]
        if not (wanted := [term for term in wanted if term]):
            return []
        # bm25() stands alone with MATCH, so the ranks are taken first and grouped afterwards.
        ranked = (
            "WITH hit AS MATERIALIZED (SELECT rowid, bm25(words) AS rank FROM words WHERE words"
            " MATCH :term) SELECT ordinal, min(rank) FROM hit JOIN chunk ON row = hit.rowid GROUP"
            " BY ordinal"
        )
        with reading(self._engine) as connection:
            score: dict[int, float] = {}
            for number, term in enumerate(wanted):
                found = {
                    row[0]: row[1]
                    for row in connection.execute(text(ranked), {"term": f'"{term}"'})
                }
                score = (
                    found
                    if number == 0
                    else {
                        ordinal: score[ordinal] + rank
                        for ordinal, rank in found.items()
                        if ordinal in score
                    }
                )
            best = sorted(score, key=score.__getitem__)[:limit]
            names = {
                row.ordinal: row.id
                for row in connection.execute(
                    select(document.c.ordinal, document.c.id).where(
                        document.c.ordinal.in_(best[:MANY])
                    )
                )
            }
        return [DocumentId(names[ordinal]) for ordinal in best if ordinal in names]

    def complaints(self) -> list[str]:
        """Return what SQLite itself finds wrong with the file."""
        return complaints(self._engine)

    def compact(self) -> None:
        """Leave no trace of what was removed."""
        with writing(self._engine) as connection:
            for table in (vector, token):
                connection.execute(
                    delete(table).where(
                        ~select(chunk.c.row).where(chunk.c.hash == table.c.hash).exists()
                    )
                )
            forget(connection)
            connection.execute(text("INSERT INTO words(words) VALUES ('rebuild')"))
        compact(self._engine)

    # --- what the ranker reads -------------------------------------------------------------------

    def revision(self) -> int:
        """Give a number that grows with every change."""
        with reading(self._engine) as connection:
            return int(connection.execute(_REVISION).scalar_one())

    def labels(self) -> list[Labels]:
        """Give the documents that have rows, in the order of their ordinals."""
        query = select(
            document.c.ordinal, document.c.id, document.c.private, document.c.tags
        ).order_by(document.c.ordinal)
        with reading(self._engine) as connection:
            return [
                Labels(ordinal, DocumentId(name), private, frozenset(json.loads(tags)))
                for ordinal, name, private, tags in connection.execute(query)
            ]

    def batch(self, after: int = 0, *, embedder: str | None = None, limit: int = 10_000) -> Batch:
        """Read rows beyond ``after``, with the vectors of this embedder."""
        with reading(self._engine) as connection:
            rows = connection.execute(
                _BATCH, {"after": after, "embedder": embedder, "limit": limit}
            ).all()
        columns = list(zip(*rows, strict=True)) or [()] * len(_BATCH.selected_columns)
        codes, scales = matrix(columns[9], columns[8])
        return Batch(
            rows=np.array(columns[0], np.int64),
            ordinals=np.array(columns[1], np.int64),
            groups=np.array(columns[2], np.int64),
            moments=np.array(
                [np.nan if moment is None else moment for moment in columns[3]], np.float64
            ),
            traits=np.array(columns[4], np.int16),
            terms=columns[5],
            names=columns[6],
            speakers=columns[7],
            codes=codes,
            scales=scales,
        )

    def tokens(self, rows: Sequence[int], embedder: str) -> dict[int, NDArray[np.int8]]:
        """Give the tokens of these rows."""
        query = select(chunk.c.row, token.c.codes).join(
            token, and_(token.c.embedder == embedder, token.c.hash == chunk.c.hash)
        )
        found: dict[int, NDArray[np.int8]] = {}
        with reading(self._engine) as connection:
            for part in parts(list(rows)):
                found.update(
                    {
                        row: np.frombuffer(codes, np.int8).reshape(-1, TOKEN_WIDTH)
                        for row, codes in connection.execute(query.where(chunk.c.row.in_(part)))
                    }
                )
        return found

    def chunks(self, rows: Sequence[int]) -> dict[int, Chunk]:
        """Give the chunks of these rows."""
        found: dict[int, Chunk] = {}
        with reading(self._engine) as connection:
            for part in parts(list(rows)):
                found.update(
                    {
                        row.row: chunk_of(row)
                        for row in connection.execute(CHUNKS.where(chunk.c.row.in_(part)))
                    }
                )
        return found


def _without(embedder: str) -> ColumnElement[bool]:
    return (
        ~select(vector.c.hash)
        .where(vector.c.hash == chunk.c.hash, vector.c.embedder == embedder)
        .exists()
    )


_REVISION = select(stamp.c.revision)
_BATCH = (
    select(
        chunk.c.row,
        chunk.c.ordinal,
        chunk.c.session_number,
        chunk.c.moment,
        chunk.c.traits,
        chunk.c.terms,
        chunk.c.names,
        chunk.c.speaker,
        vector.c.scale,
        vector.c.codes,
    )
    .outerjoin(
        vector, and_(vector.c.embedder == bindparam("embedder"), vector.c.hash == chunk.c.hash)
    )
    .where(chunk.c.row > bindparam("after"))
    .order_by(chunk.c.row)
    .limit(bindparam("limit"))
)


def _mark(connection: Connection) -> None:
    connection.execute(update(stamp).values(revision=stamp.c.revision + 1))


def _take_out(connection: Connection, document_id: DocumentId, *, keep: set[bytes]) -> bool:
    """Take a document's rows out, and the vectors that are nobody's then, except those that are to
    be used again.
    """
    ordinal = connection.execute(
        select(document.c.ordinal).where(document.c.id == document_id)
    ).scalar_one_or_none()
    if ordinal is None:
        return False
    hashes = (
        set(connection.execute(select(chunk.c.hash).where(chunk.c.ordinal == ordinal)).scalars())
        - keep
    )
    connection.execute(
        text(
            "INSERT INTO words(words, rowid, terms) SELECT 'delete', row, terms FROM chunk WHERE"
            " ordinal = :ordinal"
        ),
        {"ordinal": ordinal},
    )
    connection.execute(delete(document).where(document.c.ordinal == ordinal))
    _drop_unused(connection, list(hashes))
    return True


def _drop_unused(connection: Connection, hashes: list[bytes]) -> None:
    """Take out what was made of these contents, where no passage has them."""
    for part in parts(hashes):
        gone = set(part) - set(
            connection.execute(select(chunk.c.hash).where(chunk.c.hash.in_(part))).scalars()
        )
        for table in (vector, token):
            connection.execute(delete(table).where(table.c.hash.in_(gone)))
        forget(connection, list(gone))


def _keep(
    connection: Connection, keys: Sequence[bytes], embedded: Embedded, order: Sequence[int]
) -> None:
    """Keep what an embedder made; ``order`` says which row of it belongs to each key."""
    if len(embedded.vectors) != len(keys):
        message = f"{len(embedded.vectors)} vectors for {len(keys)} texts"
        raise ValueError(message)
    if not keys:
        return
    # a whole book at once would lie in memory several times
    for part in parts(list(zip(keys, order, strict=True))):
        connection.execute(
            upsert(vector).on_conflict_do_nothing(),
            vector_rows([key for key, _ in part], embedded, [at for _, at in part]),
        )
        if embedded.tokens is not None:
            rows = [
                {"embedder": embedded.embedder, "hash": key, "codes": embedded.tokens[at].tobytes()}
                for key, at in part
            ]
            connection.execute(upsert(token).on_conflict_do_nothing(), rows)
