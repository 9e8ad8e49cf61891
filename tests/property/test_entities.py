"""What always holds of entities: order is no matter, and what is taken back was never there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import (
    EntityDecision,
    EntityKind,
    EntityVerdict,
    Mention,
    PassageStanding,
    Sign,
)
from lpm_kernel.L1.entities.graph import edges
from lpm_kernel.L1.entities.layout import layout
from lpm_kernel.L1.entities.resolution import entities, key_of, party, slug_of

pytestmark = pytest.mark.property

DAY = datetime(2026, 3, 14, tzinfo=UTC)
NAMES = st.sampled_from(
    [
        "Mai",
        "Mai Kurose",
        "mai",
        "Mr Ide",
        "Ide",
        "井出さん",
        "井出",
        "The Castle",
        "the-castle",
        "Kanazawa",
        "Ren",
        "Ren T.",
        "Ren Takeda",
        "凪",
    ]
)
SIGNS = st.sampled_from([Sign(0), Sign.SPEAKS, Sign.WITHIN, Sign.TITLED, Sign.OWNED | Sign.MARKED])
MENTIONS = st.lists(st.builds(Mention, st.integers(1, 12), NAMES, SIGNS), min_size=1, max_size=40)
STANDINGS = {
    row: PassageStanding(
        row, DocumentId(f"d{row % 5}"), (row % 5, row % 2), float(row), row % 7 == 0, row % 3 == 0
    )
    for row in range(1, 13)
}


@given(mentions=MENTIONS, dice=st.randoms(use_true_random=False))
def test_the_order_of_mentions_does_not_matter(mentions: list[Mention], dice: object) -> None:
    shuffled = list(mentions)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]  # a random.Random
    assert entities(mentions, STANDINGS, (), "凪") == entities(shuffled, STANDINGS, (), "凪")


@given(mentions=MENTIONS, data=st.data())
def test_a_decision_moves_mentions_and_loses_none_and_without_it_all_is_as_before(
    mentions: list[Mention], data: st.DataObject
) -> None:
    before = entities(mentions, STANDINGS)
    made: list[EntityDecision] = []
    for number in range(data.draw(st.integers(1, 4))):
        now = entities(mentions, STANDINGS, made)
        slugs = sorted(now.by_slug)
        verdict = data.draw(st.sampled_from(EntityVerdict))
        chosen = data.draw(st.lists(st.sampled_from(slugs), min_size=1, max_size=3, unique=True))
        parties = tuple(
            party(now.by_slug[slug], mentions, STANDINGS)
            for slug in (chosen if verdict is EntityVerdict.MERGE else chosen[:1])
        )
        documents = frozenset(
            DocumentId(f"d{each}") for each in data.draw(st.sets(st.integers(0, 4), min_size=1))
        )
        made.append(
            EntityDecision(
                f"n{number}",
                verdict,
                DAY + timedelta(seconds=number),
                parties,
                "Another",
                EntityKind.IDEA,
                None,
                documents,
            )
        )
    after = entities(mentions, STANDINGS, made)
    assert {row for each in after.by_slug.values() for row in each.rows} == {
        row for each in before.by_slug.values() for row in each.rows
    }
    assert all(slug in after.by_slug for slug in after.became.values())
    assert all(after.find(slug) is not None for slug in before.by_slug)
    assert entities(mentions, STANDINGS, []) == before


@given(mentions=MENTIONS)
def test_an_edge_lies_between_two_that_are_named_together(mentions: list[Mention]) -> None:
    found = entities(mentions, STANDINGS)
    for edge in edges(found, STANDINGS):
        assert edge.source < edge.target
        assert edge.weight > 0
        assert set(edge.rows) <= set(found.by_slug[edge.source].rows) & set(
            found.by_slug[edge.target].rows
        )


@given(text=st.text(min_size=1, max_size=40))
def test_any_text_has_a_key_and_a_slug(text: str) -> None:
    assert key_of(key_of(text)) in {key_of(text), key_of(key_of(text))}
    assert slug_of(key_of(text))
    assert "/" not in slug_of(key_of(text))


@given(
    count=st.integers(0, 30),
    pairs=st.lists(
        st.tuples(st.integers(0, 29), st.integers(0, 29), st.floats(0.01, 9)), max_size=40
    ),
)
def test_everything_has_one_place_in_the_square_and_the_same_each_time(
    count: int, pairs: list[tuple[int, int, float]]
) -> None:
    names = [f"e{number:02}" for number in range(count)]
    joined = [
        (names[one], names[other], weight) for one, other, weight in pairs if one < other < count
    ]
    made = layout(names, joined, {})
    assert set(made) == set(names)
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in made.values())
    assert layout(names[::-1], joined[::-1], {}) == made
