"""Which spellings are one, what they are called, and what decisions do: in tables."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import (
    Entities,
    EntityDecision,
    EntityKind,
    EntityVerdict,
    Mention,
    Party,
    PassageStanding,
    Sign,
)
from lpm_kernel.L1.entities.graph import communities, edges, within
from lpm_kernel.L1.entities.resolution import entities, key_of, known_by, slug_of

DAY = datetime(2026, 3, 14, tzinfo=UTC)
PERSON, PLACE = Sign.TITLED, Sign.WITHIN


def standing(
    row: int, document: str = "", session: int = 0, *, private: bool = False
) -> PassageStanding:
    return PassageStanding(
        row,
        DocumentId(document or f"d{row}"),
        (row if not session else 1000, session),
        float(row),
        private,
        statement=False,
    )


def found(
    *said: tuple[int, str, Sign], owner: str = "", decisions: tuple[EntityDecision, ...] = ()
) -> Entities:
    mentions = [Mention(row, surface, sign) for row, surface, sign in said]
    return entities(mentions, {row: standing(row) for row, _, _ in said}, decisions, owner)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The Castle", "the-castle", True),
        ("KANAZAWA", "Kanazawa", True),
        ("Mr Ide", "Ide", True),
        ("Ide-san", "Ide", True),
        ("井出さん", "井出", True),
        ("Café Lune", "Cafe Lune", True),
        ("Ｋａｎａｅ", "Kanae", True),
        ("Mai's", "Mai", True),
        ("濱出 蓮", "濱出蓮", True),
        ("Ren", "Wren", False),
        ("Kiku-machi", "Kiku", False),
        ("さん", "様", False),
        ("Theo", "o", False),
    ],
)
def test_spellings_that_are_one(one: str, other: str, same: bool) -> None:
    assert (key_of(one) == key_of(other)) is same


@pytest.mark.parametrize(
    ("key", "slug"),
    [("mai terasawa", "mai-terasawa"), ("井出", "井出"), ("a/b?c", "a-b-c"), ("!!", "x2121")],
)
def test_slugs_can_stand_in_an_address(key: str, slug: str) -> None:
    assert slug_of(key) == slug


def test_a_given_name_joins_the_one_full_name_that_begins_with_it() -> None:
    one = found((1, "Mai", PERSON), (2, "Mai Kurose", PERSON), (3, "Mai", PERSON))
    assert [(each.slug, each.name, each.aliases) for each in one.by_slug.values()] == [
        ("mai-kurose", "Mai", ("Mai Kurose",))
    ]
    assert one.became == {"mai": "mai-kurose"}
    two = found((1, "Ren", PERSON), (2, "Ren Takeda", PERSON), (3, "Ren Hamade", PERSON))
    assert set(two.by_slug) == {"ren", "ren-takeda", "ren-hamade"}
    place = found((1, "Kanazawa", PLACE), (2, "Kanazawa Castle", PLACE))
    assert set(place.by_slug) == {"kanazawa", "kanazawa-castle"}


def test_a_japanese_family_name_joins_a_full_name_only_in_one_circle() -> None:
    """
    1  吉田さん、ケーキ          2  吉田直樹さん、保健所      nobody is named with both
    3  吉田さん、美和            4  吉田直樹、美和            Miwa is
    """
    apart = found((1, "吉田", PERSON), (2, "吉田直樹", PERSON))
    assert set(apart.by_slug) == {"吉田", "吉田直樹"}
    both = found(
        (3, "吉田", PERSON), (3, "美和", PERSON), (4, "吉田直樹", PERSON), (4, "美和", PERSON)
    )
    assert set(both.by_slug) == {"吉田直樹", "美和"}
    mine = found(
        (3, "吉田", PERSON),
        (3, "早川", PERSON),
        (4, "吉田直樹", PERSON),
        (4, "早川", PERSON),
        owner="早川",
    )
    assert set(mine.by_slug) == {"吉田", "吉田直樹", "早川"}
    one_document = found((5, "吉田", PERSON), (5, "吉田直樹", PERSON))
    assert set(one_document.by_slug) == {"吉田直樹"}


def test_two_people_with_one_family_name_and_two_titles_stay_two() -> None:
    two = found((1, "Mr Hartley", PERSON), (2, "Mrs. Hartley", PERSON), (3, "Hartley", PERSON))
    assert {slug: entity.aliases for slug, entity in two.by_slug.items()} == {
        "mr-hartley": (),
        "mrs-hartley": (),
        "hartley": (),
    }
    one = found((1, "Ms Hartley", PERSON), (2, "Mrs. Hartley", PERSON), (3, "Hartley", PERSON))
    assert set(one.by_slug) == {"hartley"}


def test_the_owners_names_are_one_and_marked() -> None:
    one = found(
        (1, "Nagi", PERSON),
        (2, "Nagi Sorrel", PERSON),
        (3, "凪", PERSON),
        (4, "Mai", PERSON),
        owner="Nagi Sorrel (ソレル 凪)",
    )
    assert {each.slug: each.self for each in one.by_slug.values()} == {
        "nagi-sorrel": True,
        "mai": False,
    }


def test_a_handle_is_no_name_where_there_is_another_spelling() -> None:
    (castle,) = found(
        (1, "the-castle", Sign.MARKED),
        (2, "the-castle", Sign.MARKED),
        (3, "The Castle", Sign.OWNED),
    ).by_slug.values()
    assert (castle.name, castle.slug, castle.kind) == ("The Castle", "castle", EntityKind.THING)


def test_a_decision_finds_its_entity_by_its_spellings_when_the_slug_is_another_by_now() -> None:
    hide = EntityDecision(
        "n1",
        EntityVerdict.CHANGE,
        DAY,
        (Party("mai", "Mai", {"mai": frozenset({DocumentId("d1")})}),),
        hidden=True,
    )
    (mai,) = found(
        (1, "Mai", PERSON), (2, "Mai Kurose", PERSON), decisions=(hide,)
    ).by_slug.values()
    assert (mai.slug, mai.hidden) == ("mai-kurose", True)
    rests = EntityDecision(
        "n2", EntityVerdict.CHANGE, DAY, (Party("lin", "Lin", {"lin": frozenset()}),), hidden=True
    )
    assert not found((1, "Mai", PERSON), decisions=(rests,)).by_slug["mai"].hidden


def test_what_somebody_knows_of_a_decision_who_has_some_of_its_documents() -> None:
    one, two = DocumentId("d1"), DocumentId("d2")
    merge = EntityDecision(
        "n1",
        EntityVerdict.MERGE,
        DAY,
        (
            Party("ide", "the old oak", {"ide": frozenset({one}), "old oak": frozenset({two})}),
            Party("kantor", "Kantor", {"kantor": frozenset({one})}),
        ),
    )
    known = known_by(merge, {one})
    assert known is not None
    assert [(each.slug, each.name, set(each.forms)) for each in known.parties] == [
        ("ide", "ide", {"ide"}),
        ("kantor", "Kantor", {"kantor"}),
    ]
    assert known_by(merge, {two}) is None
    assert known_by(merge, {one, two}) == merge


class TestEdges:
    def test_what_meets_often_and_seldom_meets_others_weighs_most(self) -> None:
        said = [
            (row, name, PERSON)
            for row, names in {1: "AB", 2: "AB", 3: "AC", 4: "C", 5: "C", 6: "CD", 7: "A"}.items()
            for name in names
        ]
        known = found(*said)
        weights = {
            (each.source, each.target): each.weight
            for each in edges(known, {row: standing(row) for row in range(1, 8)})
        }
        assert set(weights) == {("a", "b"), ("a", "c"), ("c", "d")}
        assert weights["a", "b"] > weights["c", "d"] > weights["a", "c"]

    def test_a_second_passage_of_one_session_adds_less_than_one_of_another(self) -> None:
        said = [
            (row, name, PERSON)
            for row in (1, 2, 3, 4)
            for name in ("A", "B", "C")
            if row < 4 or name == "C"
        ]
        apart = edges(found(*said), {row: standing(row) for row in range(1, 5)})
        together = edges(found(*said), {row: standing(row, "d", 1) for row in range(1, 5)})
        assert apart[0].weight > together[0].weight

    def test_open_evidence_makes_an_edge_open(self) -> None:
        said = [(row, name, PERSON) for row in (1, 2) for name in "AB"]
        (edge,) = edges(found(*said), {1: standing(1, private=True), 2: standing(2)})
        assert (edge.private, edge.rows, edge.first, edge.last) == (False, (2, 1), 1.0, 2.0)
        (edge,) = edges(found(*said), {1: standing(1, private=True), 2: standing(2, private=True)})
        assert edge.private

    def test_what_lies_around_one(self) -> None:
        said = [
            (row, name, PERSON)
            for row, names in enumerate(["AB", "BC", "CD", "EF"])
            for name in names
        ]
        known = found(*said)
        joined = edges(known, {row: standing(row) for row in range(4)})
        assert within(known, joined, "a", 1, 10) == {"a", "b"}
        assert within(known, joined, "a", 2, 10) == {"a", "b", "c"}
        assert within(known, joined, "a", 4, 2) == {"a", "b"}

    def test_a_community_is_called_by_its_heaviest_names(self) -> None:
        said = [
            (row, name, PERSON)
            for row, names in enumerate(["AB", "AB", "AC", "D"])
            for name in names
        ]
        known = found(*said)
        made = communities(
            known, [["c", "b", "a"], ["d"]], edges(known, {row: standing(row) for row in range(4)})
        )
        assert [(each.id, each.title, each.members) for each in made] == [
            ("a", "A · B · C", ("a", "b", "c"))
        ]
