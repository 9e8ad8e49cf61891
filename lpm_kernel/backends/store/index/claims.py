"""The ``Claims`` port over SQL, in the index: claims beside the passages that they stand in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Row,
    bindparam,
    delete,
    func,
    insert,
    inspect,
    or_,
    select,
    text,
    update,
)

from lpm_kernel.backends.store.index.claims_tables import (
    FORMER_NAMES,
    STAMP,
    claim,
    claim_extraction,
    claim_name,
    metadata,
    shape,
)
from lpm_kernel.backends.store.index.file import fit
from lpm_kernel.backends.store.index.graph_tables import entity, entity_key
from lpm_kernel.backends.store.index.tables import document
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.claims import Claim, KnownEntity, KnownTopic
from lpm_kernel.domain.statements import StatementKind

_CLAIMS = select(claim, document.c.id, document.c.private).join(
    document, document.c.ordinal == claim.c.ordinal
)
_OPEN = document.c.private.is_(False)
_BEST = (claim.c.weight.desc(), claim.c.moment.desc(), claim.c.text, document.c.id, claim.c.start)
_SAYING = text(
    """WITH hit AS MATERIALIZED (
        SELECT rowid, bm25(words) AS rank FROM words WHERE words MATCH :term
        ORDER BY rank LIMIT :most
    )
    SELECT claim.number FROM hit JOIN chunk ON chunk.row = hit.rowid
    JOIN claim ON claim.ordinal = chunk.ordinal
        AND claim.start >= chunk.start AND claim."end" <= chunk."end"
    ORDER BY hit.rank, chunk.row, claim.start LIMIT :most"""
)


class ClaimStore:
    """What was found in the passages that states something."""

    def __init__(self, engine: Engine, *, fresh: bool = False) -> None:
        self._engine = engine
        fit(
            engine,
            metadata,
            _fits,
            insert(shape).values(stamp=STAMP),
            fresh=fresh,
            former=FORMER_NAMES,
        )

    def unread(self, extractor: str) -> list[DocumentId]:
        """Return the documents whose claims this extractor did not look for yet."""
        joined = select(document.c.id).join(
            claim_extraction, claim_extraction.c.ordinal == document.c.ordinal, isouter=True
        )
        query = joined.where(
            or_(claim_extraction.c.extractor.is_(None), claim_extraction.c.extractor != extractor)
        ).order_by(document.c.ordinal)
        with reading(self._engine) as connection:
            return [DocumentId(each) for each in connection.execute(query).scalars()]

    def put(
        self,
        document_id: DocumentId,
        extractor: str,
        claims: Sequence[tuple[Claim, Collection[str]]],
    ) -> None:
        """Make these the claims of a document."""
        with writing(self._engine) as connection:
            ordinal = connection.execute(
                select(document.c.ordinal).where(document.c.id == document_id)
            ).scalar_one_or_none()
            if ordinal is None:
                return
            for table in (claim, claim_extraction):
                connection.execute(delete(table).where(table.c.ordinal == ordinal))
            for each, keys in claims:
                number = connection.execute(
                    insert(claim).values(ordinal=ordinal, **_row(each)).returning(claim.c.number)
                ).scalar_one()
                if keys:
                    connection.execute(
                        insert(claim_name),
                        [{"key": key, "claim": number} for key in sorted(set(keys))],
                    )
            connection.execute(
                insert(claim_extraction).values(ordinal=ordinal, extractor=extractor, settled=False)
            )

    def fresh(self, since: float | None = None) -> list[DocumentId]:
        """Return the documents that were read and not reflected on."""
        wanted: ColumnElement[bool] = claim_extraction.c.settled.is_(False)
        if since is not None:
            wanted = or_(
                wanted,
                select(claim.c.number)
                .where(claim.c.ordinal == claim_extraction.c.ordinal, claim.c.moment >= since)
                .exists(),
            )
        query = (
            select(document.c.id)
            .join(claim_extraction, claim_extraction.c.ordinal == document.c.ordinal)
            .where(wanted)
            .order_by(document.c.ordinal)
        )
        with reading(self._engine) as connection:
            return [DocumentId(each) for each in connection.execute(query).scalars()]

    def settle(self, documents: Collection[DocumentId]) -> None:
        """Note that these were reflected on."""
        with writing(self._engine) as connection:
            for part in parts(sorted(documents)):
                ordinals = select(document.c.ordinal).where(document.c.id.in_(part))
                connection.execute(
                    update(claim_extraction)
                    .where(claim_extraction.c.ordinal.in_(ordinals))
                    .values(settled=True)
                )

    def keys(self, documents: Collection[DocumentId]) -> set[str]:
        """Return the keys of everything that the claims of these documents name."""
        found: set[str] = set()
        with reading(self._engine) as connection:
            for part in parts(sorted(documents)):
                query = (
                    select(claim_name.c.key)
                    .distinct()
                    .join(claim, claim.c.number == claim_name.c.claim)
                )
                found.update(
                    connection.execute(
                        query.join(document, document.c.ordinal == claim.c.ordinal).where(
                            document.c.id.in_(part)
                        )
                    ).scalars()
                )
        return found

    def naming(self, keys: Collection[str], limit: int) -> list[Claim]:
        """Return the open claims with one of these keys, the weightiest first."""
        numbers = select(claim_name.c.claim).where(claim_name.c.key.in_(sorted(keys)))
        return self._all(
            _CLAIMS.where(claim.c.number.in_(numbers), _OPEN).order_by(*_BEST).limit(limit)
        )

    def mine(
        self, limit: int, since: float | None = None, until: float | None = None
    ) -> list[Claim]:
        """Return the open claims about the person, the weightiest first."""
        query = _CLAIMS.where(claim.c.mine.is_(True), _OPEN)
        query = query if since is None else query.where(claim.c.moment >= since)
        query = query if until is None else query.where(claim.c.moment < until)
        return self._all(query.order_by(*_BEST).limit(limit))

    def views(self, limit: int) -> list[Claim]:
        """Return what the person thinks of things and did not keep, the newest first."""
        query = _CLAIMS.where(
            claim.c.mine.is_(True),
            claim.c.kept.is_(False),
            claim.c.kind == StatementKind.OPINION.value,
            _OPEN,
        )
        newest = (claim.c.moment.is_(None), claim.c.moment.desc(), claim.c.number)
        return self._all(query.order_by(*newest).limit(limit))

    def weightiest(self, limit: int) -> list[Claim]:
        """Return the open claims, the weightiest first."""
        return self._all(_CLAIMS.where(_OPEN).order_by(*_BEST).limit(limit))

    def saying(self, terms: Collection[str], limit: int) -> list[Claim]:
        """Return claims of the passages that share most of these terms."""
        quoted = ['"' + term.replace('"', '""') + '"' for term in sorted(set(terms))]
        if not quoted:
            return []
        with reading(self._engine) as connection:
            numbers = list(
                connection.execute(_SAYING, {"term": " OR ".join(quoted), "most": limit}).scalars()
            )
            rows = {
                row.number: row
                for row in connection.execute(
                    _CLAIMS.where(claim.c.number.in_(bindparam("numbers", expanding=True))),
                    {"numbers": numbers},
                )
            }
        return [_claim(rows[number]) for number in dict.fromkeys(numbers) if number in rows]

    def named(self, keys: Collection[str]) -> list[KnownEntity]:
        """Return the entities that have one of these keys."""
        with reading(self._engine) as connection:
            return _entities(connection, entity_key.c.key, keys)

    def entities(self, slugs: Collection[str]) -> list[KnownEntity]:
        """Return the entities with these slugs."""
        with reading(self._engine) as connection:
            return _entities(connection, entity_key.c.slug, slugs)

    def largest(self, limit: int) -> list[KnownEntity]:
        """Return the entities that are named most often."""
        with reading(self._engine) as connection:
            slugs = list(
                connection.execute(
                    select(entity.c.slug)
                    .order_by(entity.c.passages.desc(), entity.c.slug)
                    .limit(limit)
                ).scalars()
            )
            known = {
                known_entity.slug: known_entity
                for known_entity in _entities(connection, entity_key.c.slug, slugs)
            }
        return [known[slug] for slug in slugs if slug in known]

    def topics(self, limit: int, least: int) -> list[KnownTopic]:
        """Return the topics with the most entities."""
        many = func.count()
        others = (
            select(entity.c.topic)
            .where(entity.c.topic != "", entity.c.self.is_(False))
            .group_by(entity.c.topic)
        )
        with reading(self._engine) as connection:
            ids = list(
                connection.execute(
                    others.having(many >= least).order_by(many.desc(), entity.c.topic).limit(limit)
                ).scalars()
            )
            slugs = list(
                connection.execute(
                    select(entity.c.slug).where(entity.c.topic.in_(ids), entity.c.self.is_(False))
                ).scalars()
            )
            known = _entities(connection, entity_key.c.slug, slugs)
        return [
            KnownTopic(
                each,
                tuple(
                    sorted((one for one in known if one.topic == each), key=lambda one: one.place)
                ),
            )
            for each in ids
        ]

    def _all(self, query: Any) -> list[Claim]:  # noqa: ANN401  a select of the columns above
        with reading(self._engine) as connection:
            return [_claim(row) for row in connection.execute(query)]


def _entities(
    connection: Connection, column: Column[Any], values: Collection[str]
) -> list[KnownEntity]:
    found: dict[str, Row[Any]] = {}
    spelt: dict[str, set[str]] = {}
    for part in parts(sorted(values)):
        slugs = select(entity_key.c.slug).where(column.in_(part))
        found.update(
            (row.slug, row)
            for row in connection.execute(select(entity).where(entity.c.slug.in_(slugs)))
        )
    for part in parts(sorted(found)):
        for row in connection.execute(select(entity_key).where(entity_key.c.slug.in_(part))):
            spelt.setdefault(row.slug, set()).add(row.key)
    return [
        KnownEntity(
            slug,
            row.name,
            row.kind,
            frozenset(spelt[slug]),
            row.passages,
            bool(row.self),
            row.topic,
            row.place,
        )
        for slug, row in sorted(found.items())
    ]


def _fits(connection: Connection) -> bool:
    """Tell whether the tables are there, in this shape."""
    return (
        inspect(connection).has_table(shape.name)
        and connection.execute(select(shape.c.stamp)).scalar_one_or_none() == STAMP
    )


def _row(each: Claim) -> dict[str, Any]:
    return {
        "start": each.start,
        "end": each.end,
        "text_version": each.text_version,
        "text": each.text,
        "kind": each.kind.value,
        "about": "\n".join(each.about),
        "confidence": each.confidence,
        "kept": each.kept,
        "mine": each.mine,
        "signs": " ".join(each.signs),
        "weight": each.weight,
        "moment": each.moment,
    }


def _claim(row: Row[Any]) -> Claim:
    return Claim(
        document=DocumentId(row.id),
        text_version=row.text_version,
        start=row.start,
        end=row.end,
        text=row.text,
        kind=StatementKind(row.kind),
        about=tuple(row.about.split("\n")) if row.about else (),
        confidence=row.confidence,
        kept=bool(row.kept),
        mine=bool(row.mine),
        signs=tuple(row.signs.split()),
        private=bool(row.private),
        moment=row.moment,
    )
