"""What keeps claims and what the node wrote: the ``Claims`` and ``Reflections`` ports over every
backend (SQLite now).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

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
from lpm_kernel.domain.memory.claims import Claim, KnownEntity
from lpm_kernel.domain.memory.graph import Made
from lpm_kernel.domain.memory.reflection import Evidence, PageChange, What, WrittenLine
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.analysis import passages, terms

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ONE, TWO = DocumentId("d_1"), DocumentId("d_2")


def a_claim(document: DocumentId, text: str, **more: object) -> Claim:
    made = Claim(
        document,
        "text-1",
        0,
        len(text),
        text,
        StatementKind.WORLD,
        ("Nora",),
        0.9,
        kept=False,
        mine=False,
        signs=("named",),
        moment=100.0,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def put(index: IndexDb, document: DocumentId, text: str, *, private: bool = False) -> None:
    chunk = Chunk(
        chunk_id(document, "text-1", 0, len(text)), document, "text-1", 0, len(text), text, "s"
    )
    index.put(document, passages([chunk]), private=private)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexDb]:
    made = IndexDb(tmp_path / "index.db")
    put(made, ONE, "Nora bought a boat in Oslo.")
    put(made, TWO, "Nora sold the boat.", private=True)
    yield made
    made.close()


def test_claims_go_with_their_document_and_are_looked_for_once(index: IndexDb) -> None:
    claims = index.claims
    assert claims.unread("rules 1") == [ONE, TWO]
    claims.put(ONE, "rules 1", [(a_claim(ONE, "Nora bought a boat in Oslo."), {"nora", "oslo"})])
    claims.put(TWO, "rules 1", [])
    claims.put(DocumentId("d_gone"), "rules 1", [(a_claim(DocumentId("d_gone"), "x"), {"nora"})])
    assert claims.unread("rules 1") == []
    assert claims.unread("rules 2") == [ONE, TWO]
    assert claims.keys([ONE]) == {"nora", "oslo"}
    assert [each.text for each in claims.saying(terms("a boat in Oslo"), 5)] == [
        "Nora bought a boat in Oslo."
    ]
    index.remove(ONE)
    assert claims.keys([ONE]) == set()
    assert claims.naming({"nora"}, 5) == []
    put(index, ONE, "Nora bought a boat in Oslo.")
    assert claims.unread("rules 1") == [ONE]


def test_what_is_private_is_named_by_no_page(index: IndexDb) -> None:
    claims = index.claims
    claims.put(ONE, "rules 1", [(a_claim(ONE, "Nora bought a boat in Oslo.", mine=True), {"nora"})])
    claims.put(
        TWO, "rules 1", [(a_claim(TWO, "Nora sold the boat.", mine=True, kept=True), {"nora"})]
    )
    assert [each.document for each in claims.naming({"nora"}, 5)] == [ONE]
    assert [each.document for each in claims.mine(5)] == [ONE]
    index.set_labels(TWO, private=False, tags=())
    # what is kept weighs more
    assert [each.document for each in claims.naming({"nora"}, 5)] == [TWO, ONE]
    assert [each.document for each in claims.mine(5, since=100.0, until=101.0)] == [TWO, ONE]
    assert claims.mine(5, since=100.5) == []


def test_views_are_the_persons_own_open_ones_that_they_did_not_keep_newest_first(
    index: IndexDb,
) -> None:
    def view(text: str, **more: object) -> tuple[Claim, set[str]]:
        said = a_claim(ONE, text, kind=StatementKind.OPINION, mine=True)
        return replace(said, **more), {"nora"}  # type: ignore[arg-type]

    older, newer = view("I hate boats.", moment=50.0), view("I love boats.", moment=90.0)
    others = [
        view("Nora loves boats.", mine=False),
        view("I trust Nora.", kept=True),
        view("I bought a boat.", kind=StatementKind.EXPERIENCE),
    ]
    index.claims.put(ONE, "rules 1", [older, *others, newer])
    assert [claim.text for claim in index.claims.views(9)] == ["I love boats.", "I hate boats."]
    assert [claim.text for claim in index.claims.views(1)] == ["I love boats."]


def test_what_was_reflected_on_is_not_fresh(index: IndexDb) -> None:
    claims = index.claims
    for each in (ONE, TWO):
        claims.put(each, "rules 1", [(a_claim(each, "Nora."), {"nora"})])
    assert claims.fresh() == [ONE, TWO]
    claims.settle([ONE])
    assert claims.fresh() == [TWO]
    assert claims.fresh(since=50.0) == [ONE, TWO]
    assert claims.fresh(since=150.0) == [TWO]


def test_entities_are_as_the_map_had_them_last(index: IndexDb) -> None:
    nora = KnownEntity("nora", "Nora", "person", frozenset({"nora", "nora vik"}), 3)
    oslo = KnownEntity("oslo", "Oslo", "place", frozenset({"oslo"}), 5)
    made = Made(NOW, 1, "d", "louvain")
    index.graph.swap(made, [], {}, [nora, oslo])
    assert index.claims.named({"nora vik", "nobody"}) == [nora]
    assert index.claims.entities(["oslo", "nobody"]) == [oslo]
    assert index.claims.largest(1) == [oslo]
    index.graph.keep_only([], [nora])
    assert index.claims.largest(5) == [nora]


def test_topics_are_the_largest_groups_without_the_person(index: IndexDb) -> None:
    def known(slug: str, topic: str, place: int, *, self: bool = False) -> KnownEntity:
        return KnownEntity(slug, slug.title(), "person", frozenset({slug}), 1, self, topic, place)

    boat = [known("nora", "nora", 0), known("ida", "nora", 1, self=True), known("ketch", "nora", 2)]
    home = [known("oslo", "oslo", 1), known("bakery", "oslo", 2), known("aksel", "oslo", 0)]
    index.graph.swap(Made(NOW, 1, "d", "louvain"), [], {}, [*boat, *home, known("alone", "", 0)])
    found = index.claims.topics(5, 2)
    assert [(each.id, [one.slug for one in each.members]) for each in found] == [
        ("oslo", ["aksel", "oslo", "bakery"]),
        ("nora", ["nora", "ketch"]),
    ]
    assert [each.id for each in index.claims.topics(5, 3)] == ["oslo"]
    assert [each.id for each in index.claims.topics(1, 2)] == ["oslo"]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[NodeDatabase]:
    made = NodeDatabase(tmp_path / "node.db", "key")
    for identifier in (ONE, TWO):
        document = Document(
            identifier,
            "A day",
            DocumentKind.MARKDOWN,
            identifier.ljust(64, "0"),
            1,
            DocumentState.READY,
            NOW,
        )
        made.documents.receive(document, "ingest", Lane.INGEST, JobId(f"j_{identifier}"))
    yield made
    made.close()


def a_line(key: str, *documents: DocumentId) -> WrittenLine:
    return WrittenLine(
        "bank/a.md",
        key,
        f"mark{key}",
        "found",
        f"Words {key}.",
        tuple(Evidence(each, "text-1", 0, 5) for each in documents),
    )


def test_lines_are_written_struck_brought_back_and_left(database: NodeDatabase) -> None:
    store = database.reflections
    store.begin("r_1", NOW, 2)
    store.begin("r_1", NOW, 2)
    store.will_write("r_1", PageChange("bank/a.md", None, "f" * 64), ())
    store.wrote("bank/a.md", [a_line("1", ONE), a_line("2", ONE, TWO)], NOW)
    assert store.lines("bank/a.md") == [a_line("1", ONE), a_line("2", ONE, TWO)]
    store.strike("bank/a.md", ["1"], NOW)
    assert [each.struck_at is not None for each in store.lines("bank/a.md")] == [True, False]
    store.unstrike("bank/a.md", ["1"])
    store.will_write("r_1", PageChange("bank/a.md", "e" * 64, None), ["2"])
    assert store.lines("bank/a.md") == [a_line("1", ONE)]
    # the first "before" holds: what was there when it began
    assert store.get("r_1").pages == (PageChange("bank/a.md", None, None),)
    assert (store.paths(), store.resting_on([TWO]), store.resting_on([ONE])) == (
        ["bank/a.md"],
        [],
        ["bank/a.md"],
    )
    store.undone("r_1", NOW)
    assert store.latest(5)[0].undone_at == NOW
    with pytest.raises(NotFoundError):
        store.get("r_2")


def test_a_line_goes_with_the_last_thing_that_it_rests_on(database: NodeDatabase) -> None:
    store = database.reflections
    store.wrote(
        "bank/a.md",
        [a_line("1", ONE), a_line("2", ONE, TWO), a_line("3", DocumentId("d_gone"))],
        NOW,
    )
    assert [each.key for each in store.lines("bank/a.md")] == ["1", "2"]
    assert store.unsupported() == []
    database.documents.change(ONE, private=True)
    assert store.unsupported() == ["bank/a.md"]
    database.erasures.take_over({ONE: NOW})
    assert [
        (each.key, [place.document for place in each.evidence]) for each in store.lines("bank/a.md")
    ] == [("2", [TWO])]


def test_the_last_word_about_something_counts(database: NodeDatabase) -> None:
    store = database.reflections
    store.rule("x", What.CORE, "accepted", NOW)
    store.rule("x", What.CORE, "rejected", NOW)
    store.rule("y", What.DISAGREEMENT, "both", NOW)
    assert store.rulings(What.CORE) == {"x": "rejected"}
    store.unrule("x")
    assert store.rulings(What.CORE) == {}
    with pytest.raises(NotFoundError):
        store.unrule("x")
