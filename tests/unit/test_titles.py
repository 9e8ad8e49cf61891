"""What a group on the map is called."""

from __future__ import annotations

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import Mention, PassageStanding, Sign
from lpm_kernel.domain.memory.graph import Community
from lpm_kernel.L1.entities.resolution import entities
from lpm_kernel.L1.entities.titles import GroupPassages, titles

KINDS = {"Cork": Sign.WITHIN, "Noto": Sign.WITHIN, "小樽": Sign.WITHIN}


def called(*groups: list[str]) -> list[str]:
    """Return the titles of groups, each given as its texts. Ann, Bob and Cork stand in the first,
    Eve and Dan in the second.
    """
    texts = [text for group in groups for text in group]
    standings = {
        row: PassageStanding(row, DocumentId(f"d{row}"), (row, 0), None, False, False)
        for row in range(len(texts))
    }
    names = [["Ann", "Bob", "Cork", "小樽"], ["Eve", "Dan", "Noto"]]
    members: list[list[str]] = [[] for _ in groups]
    mentions = []
    row = 0
    for place, group in enumerate(groups):
        for text in group:
            for name in names[place]:
                if name in text:
                    mentions.append(Mention(row, name, KINDS.get(name, Sign.TITLED)))
                    members[place].append(name.casefold())
            row += 1
    found = entities(mentions, standings)
    made = [
        Community(slugs[0], " · ".join(name.title() for name in slugs[:3]), tuple(slugs))
        for slugs in (sorted(set(group)) for group in members)
    ]
    passages = GroupPassages(
        {row: each.session for row, each in standings.items()}, dict(enumerate(texts))
    )
    known = titles(made, found, passages)
    return [known[group.id] for group in made]


ROAD = ["Eve and Dan took the bus.", "Dan met Eve at the bus.", "Eve lost Dan on the stairs."]


def test_a_group_is_called_by_the_place_and_the_words_that_it_shares() -> None:
    garden = [
        "Ann dug the garden with Bob in Cork.",
        "Bob said the garden in Cork is dry, and Ann laughed.",
        "Went to Cork, where Ann and Bob water the garden.",
        "Ann and Bob were tired of the rain.",
    ]
    assert called(garden, ROAD)[0] == "Cork · garden"


def test_one_word_is_helped_by_the_heaviest_name() -> None:
    garden = ["Ann dug the garden with Bob.", "Bob and Ann love the garden."]
    assert called([*garden, "Ann and Bob left the garden."], ROAD)[0] == "garden · Ann"


def test_what_all_groups_share_is_no_name_of_one() -> None:
    first = ["Ann and Bob took the bus.", "Bob met Ann at the bus.", "Ann left Bob at the bus."]
    second = ["Eve and Dan took the bus.", "Dan met Eve at the bus.", "Eve left Dan at the bus."]
    assert called(first, second) == ["Ann · Bob", "Dan · Eve"]


def test_a_place_that_speaks_is_a_person() -> None:
    assert (
        "Cork"
        not in called(
            [
                "Ann met Bob in Cork.",
                "Cork said hello to Ann and Bob.",
                "Ann and Bob wrote to Cork.",
            ],
            ROAD,
        )[0].split(" · ")[0]
    )
