"""The ports of entities and their map: what the index keeps of them, and what the person
decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.library.documents import (
    Chunk,
    Document,
    DocumentKind,
    DocumentState,
    chunk_id,
)
from lpm_kernel.domain.memory.entities import (
    EntityDecision,
    EntityKind,
    EntityVerdict,
    Mention,
    Party,
    Sign,
)
from lpm_kernel.domain.memory.graph import Made, Spot
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.analysis import passages

pytestmark = pytest.mark.contract

NOW = datetime(2026, 3, 14, 9, tzinfo=UTC)
MADE = Made(NOW, 3, "abc", "louvain-1")
ONE, TWO = DocumentId("d1"), DocumentId("d2")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexDb]:
    opened = IndexDb(tmp_path / "index.db")
    for document in (ONE, TWO):
        chunk = Chunk(
            chunk_id(document, "v", 0, 9), document, "v", 0, 9, "Mai in Noto", "s", said_at=NOW
        )
        opened.put(document, passages([chunk]), private=document == TWO)
    yield opened
    opened.close()


class TestGraphContract:
    def test_it_gives_back_what_was_put(self, index: IndexDb) -> None:
        assert index.graph.kept().made is None
        mentions = [Mention(1, "Mai", Sign.ACTS | Sign.WITH), Mention(2, "Noto")]
        index.graph.swap(MADE, mentions, {b"k" * 16: Spot(0.25, 0.5, 3), b"l" * 16: Spot(0.0, 1.0)})
        kept = index.graph.kept()
        assert (kept.made, list(kept.mentions)) == (MADE, mentions)
        assert kept.spots == {b"k" * 16: Spot(0.25, 0.5, 3), b"l" * 16: Spot(0.0, 1.0)}
        assert {
            row: (each.document, each.private, each.moment, each.statement)
            for row, each in kept.standings.items()
        } == {
            1: (ONE, False, NOW.timestamp(), False),
            2: (TWO, True, NOW.timestamp(), False),
        }

    def test_a_swap_leaves_nothing_of_what_was_there(self, index: IndexDb) -> None:
        index.graph.swap(MADE, [Mention(1, "Mai")], {b"k" * 16: Spot(0.1, 0.1)})
        before = index.graph.serial()
        index.graph.swap(replace(MADE, digest="d"), [Mention(1, "Noto")], {})
        kept = index.graph.kept()
        assert [each.surface for each in kept.mentions] == ["Noto"]
        assert not kept.spots
        assert index.graph.serial() != before
        # no passage changed: recall need not read again
        assert index.graph.serial()[0] == before[0]

    def test_mentions_go_with_their_passages_and_come_from_no_other(self, index: IndexDb) -> None:
        index.graph.swap(MADE, [Mention(1, "Mai"), Mention(2, "Mai"), Mention(77, "Mai")], {})
        assert [each.row for each in index.graph.kept().mentions] == [1, 2]
        before = index.graph.serial()
        index.remove_all([ONE])
        assert [each.row for each in index.graph.kept().mentions] == [2]
        assert index.graph.serial() != before
        index.put_away([TWO])
        assert not index.graph.kept().mentions

    def test_places_are_forgotten(self, index: IndexDb) -> None:
        index.graph.swap(MADE, [], {bytes([each]) * 16: Spot(0.1, 0.1) for each in range(3)})
        index.graph.keep_only([bytes([1]) * 16, b"x"], [])
        assert set(index.graph.kept().spots) == {bytes([1]) * 16}

    def test_another_shape_empties_the_map_alone(self, index: IndexDb, tmp_path: Path) -> None:
        index.graph.swap(MADE, [Mention(1, "Mai")], {})
        with index._engine.begin() as connection:
            connection.execute(text("UPDATE graph SET stamp = 'graph-0'"))
        index.close()
        again = IndexDb(tmp_path / "index.db")
        assert (again.fresh, again.counts().chunks, again.graph.kept().made) == (False, 2, None)
        again.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[NodeDatabase]:
    opened = NodeDatabase(tmp_path / "node.db")
    for number, document in enumerate((ONE, TWO)):
        made = Document(
            document, "T", DocumentKind.TEXT, f"{number:064x}", 1, DocumentState.READY, NOW
        )
        opened.documents.receive(made, "ingest", Lane.INGEST, JobId(f"j{number}"))
    yield opened
    opened.close()


MERGE = EntityDecision(
    "n1",
    EntityVerdict.MERGE,
    NOW,
    (
        Party("mai", "Mai", {"mai": frozenset({ONE, TWO})}),
        Party("舞", "舞", {"舞": frozenset({ONE}), "舞さん": frozenset({TWO})}),
    ),
)
SPLIT = EntityDecision(
    "n2",
    EntityVerdict.SPLIT,
    NOW + timedelta(seconds=1),
    (Party("ren", "Ren", {"ren": frozenset({ONE, TWO})}),),
    "Ren T.",
    documents=frozenset({TWO}),
)
CHANGE = EntityDecision(
    "n3",
    EntityVerdict.CHANGE,
    NOW + timedelta(seconds=2),
    (Party("tofu", "Tofu", {"tofu": frozenset({TWO})}),),
    "豆腐",
    EntityKind.THING,
    hidden=False,
)


class TestEntityDecisionsContract:
    def test_it_gives_back_what_was_put_oldest_first(self, database: NodeDatabase) -> None:
        for each in (CHANGE, MERGE, SPLIT):
            database.entity_decisions.put(each)
        assert database.entity_decisions.all() == [MERGE, SPLIT, CHANGE]

    def test_what_is_kept_from_elsewhere_changes_nothing_that_is_there(
        self, database: NodeDatabase
    ) -> None:
        database.entity_decisions.keep(MERGE)
        database.entity_decisions.keep(replace(MERGE, name="x"))
        assert database.entity_decisions.all() == [MERGE]
        database.entity_decisions.keep(
            replace(CHANGE, parties=(Party("x", "x", {"x": frozenset({DocumentId("gone")})}),))
        )
        assert database.entity_decisions.all() == [MERGE]

    def test_one_without_a_document_is_refused_and_leaves_nothing(
        self, database: NodeDatabase
    ) -> None:
        with pytest.raises(NotFoundError):
            database.entity_decisions.put(
                replace(CHANGE, parties=(Party("x", "x", {"x": frozenset({DocumentId("gone")})}),))
            )
        assert database.entity_decisions.all() == []
        assert [each.kind for each in database.audit.all()] == []

    def test_it_is_taken_back_once(self, database: NodeDatabase) -> None:
        database.entity_decisions.put(MERGE)
        database.entity_decisions.remove("n1", NOW)
        assert database.entity_decisions.all() == []
        with pytest.raises(NotFoundError):
            database.entity_decisions.remove("n1", NOW)
        assert [each.kind for each in database.audit.all()] == [
            "entity-decided",
            "entity-taken-back",
        ]

    def test_it_goes_with_the_last_document_that_it_is_known_by(
        self, database: NodeDatabase
    ) -> None:
        for each in (MERGE, SPLIT, CHANGE):
            database.entity_decisions.put(each)
        database.documents.delete(TWO)
        left = replace(
            MERGE,
            parties=(
                Party("mai", "Mai", {"mai": frozenset({ONE})}),
                Party("舞", "舞", {"舞": frozenset({ONE})}),
            ),
        )
        assert database.entity_decisions.all() == [left]
        database.documents.delete(ONE)
        assert database.entity_decisions.all() == []

    def test_a_file_of_the_workspace_is_known_as_it_reads_now(self, database: NodeDatabase) -> None:
        file = Document(
            DocumentId("w1"),
            "T",
            DocumentKind.MARKDOWN,
            "a" * 64,
            1,
            DocumentState.READY,
            NOW,
            origin="memory/x.md",
        )
        database.documents.supersede(file, "ingest", Lane.INGEST, JobId("jw1"))
        database.entity_decisions.put(
            replace(CHANGE, parties=(Party("tofu", "Tofu", {"tofu": frozenset({file.id})}),))
        )
        database.documents.supersede(
            replace(file, id=DocumentId("w2"), sha256="b" * 64), "ingest", Lane.INGEST, JobId("jw2")
        )
        (known,) = database.entity_decisions.all()
        assert known.parties[0].forms == {"tofu": {DocumentId("w2")}}
