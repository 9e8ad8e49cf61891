"""The ``Graph`` port over SQL, in the index: what the job made, beside the passages that it was
made from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, Engine, delete, insert, inspect, select, text, update

from lpm_kernel.backends.store.index.file import fit
from lpm_kernel.backends.store.index.graph_tables import (
    FORMER_NAMES,
    STAMP,
    entity,
    entity_key,
    entity_position,
    made,
    mention,
    metadata,
)
from lpm_kernel.backends.store.index.tables import chunk, document, stamp
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.claims import KnownEntity
from lpm_kernel.domain.memory.entities import Mention, PassageStanding, Sign
from lpm_kernel.domain.memory.graph import Made, Spot, StoredGraph

_STANDINGS = (
    select(
        chunk.c.row,
        chunk.c.ordinal,
        chunk.c.session_number,
        chunk.c.moment,
        chunk.c.kind,
        document.c.id,
        document.c.private,
    )
    .join(document, document.c.ordinal == chunk.c.ordinal)
    .where(select(mention.c.row).where(mention.c.row == chunk.c.row).exists())
    .order_by(chunk.c.row)
)


class GraphStore:
    """What is kept of the map."""

    def __init__(self, engine: Engine, *, fresh: bool = False) -> None:
        self._engine = engine
        fit(
            engine,
            metadata,
            _fits,
            insert(made).values(id=1, stamp=STAMP, serial=0, revision=0, digest="", clusters=""),
            fresh=fresh,
            former=FORMER_NAMES,
        )

    def kept(self) -> StoredGraph:
        """Return all of it."""
        with reading(self._engine) as connection:
            row = connection.execute(select(made)).one()
            standings = {
                each.row: PassageStanding(
                    each.row,
                    DocumentId(each.id),
                    (each.ordinal, each.session_number),
                    each.moment,
                    bool(each.private),
                    each.kind is not None,
                )
                for each in connection.execute(_STANDINGS)
            }
            mentions = [
                Mention(each.row, each.surface, Sign(each.signs))
                for each in connection.execute(
                    select(mention).order_by(mention.c.row, mention.c.surface)
                )
            ]
            spots = {
                bytes(each.key): Spot(each.x, each.y, each.community)
                for each in connection.execute(select(entity_position))
            }
        at = None if row.at is None else datetime.fromisoformat(row.at).astimezone()
        return StoredGraph(
            None if at is None else Made(at, row.revision, row.digest, row.clusters),
            mentions,
            standings,
            spots,
        )

    def serial(self) -> tuple[int, int]:
        """Return two numbers that change with what is kept: the index's revision, and how often it
        was swapped.
        """
        with reading(self._engine) as connection:
            return (
                connection.execute(select(stamp.c.revision)).scalar_one(),
                connection.execute(select(made.c.serial)).scalar_one(),
            )

    def swap(
        self,
        made_: Made,
        mentions: Sequence[Mention],
        spots: Mapping[bytes, Spot],
        shown: Sequence[KnownEntity] = (),
    ) -> None:
        """Put this in the place of what was there."""
        with writing(self._engine) as connection:
            alive = set(connection.execute(select(chunk.c.row)).scalars())
            connection.execute(delete(mention))
            for part in parts([each for each in mentions if each.row in alive]):
                connection.execute(
                    insert(mention),
                    [
                        {"row": each.row, "surface": each.surface, "signs": int(each.signs)}
                        for each in part
                    ],
                )
            _put_spots(connection, spots)
            _put_entities(connection, shown)
            values = {
                "at": made_.at.isoformat(),
                "revision": made_.revision,
                "digest": made_.digest,
                "clusters": made_.clusters,
            }
            connection.execute(update(made).values(serial=made.c.serial + 1, **values))

    def keep_only(self, alive: Sequence[bytes], shown: Sequence[KnownEntity]) -> None:
        """Forget where anything else was drawn, and how it was called."""
        wanted = set(alive)
        with writing(self._engine) as connection:
            gone = [
                key
                for key in connection.execute(select(entity_position.c.key)).scalars()
                if key not in wanted
            ]
            _put_entities(connection, shown)
            for part in parts(gone):
                connection.execute(delete(entity_position).where(entity_position.c.key.in_(part)))
            if gone:
                connection.execute(update(made).values(serial=made.c.serial + 1))


def _fits(connection: Connection) -> bool:
    """Tell whether the tables are there, in this shape."""
    return (
        inspect(connection).has_table(made.name)
        and connection.execute(text("SELECT stamp FROM graph")).scalar_one_or_none() == STAMP
    )


def _put_spots(connection: Connection, spots: Mapping[bytes, Spot]) -> None:
    connection.execute(delete(entity_position))
    for part in parts(sorted(spots)):
        connection.execute(
            insert(entity_position),
            [
                {
                    "key": key,
                    "x": spots[key].x,
                    "y": spots[key].y,
                    "community": spots[key].community,
                }
                for key in part
            ],
        )


def _put_entities(connection: Connection, shown: Sequence[KnownEntity]) -> None:
    connection.execute(delete(entity_key))
    connection.execute(delete(entity))
    for part in parts(list(shown)):
        connection.execute(insert(entity), [_row(known_entity) for known_entity in part])
        keys = [
            {"key": key, "slug": known_entity.slug}
            for known_entity in part
            for key in sorted(known_entity.keys)
        ]
        if keys:
            connection.execute(insert(entity_key), keys)


def _row(each: KnownEntity) -> dict[str, object]:
    return {
        "slug": each.slug,
        "name": each.name,
        "kind": each.kind,
        "passages": each.passages,
        "self": each.self,
        "topic": each.topic,
        "place": each.place,
    }
