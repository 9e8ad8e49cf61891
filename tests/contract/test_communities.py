"""What finding communities promises. The suite is the port's definition; both backends go through
it, graphrag where it is installed.
"""

from __future__ import annotations

import random

import pytest

from lpm_kernel.backends.graph.leiden import Leiden
from lpm_kernel.backends.graph.louvain import Louvain
from lpm_kernel.domain.memory.graph import Communities

pytestmark = pytest.mark.contract

GRAPHRAG = pytest.param(
    Leiden,
    marks=[
        pytest.mark.slow,
        pytest.mark.skipif(not Leiden.is_there(), reason="graphrag is not installed"),
    ],
)


def clique(names: str, weight: float = 1.0) -> list[tuple[str, str, float]]:
    return [(one, other, weight) for one in names for other in names if one < other]


@pytest.fixture(params=[Louvain, GRAPHRAG], scope="module")
def communities(request: pytest.FixtureRequest) -> Communities:
    made: Communities = request.param()
    return made


class TestCommunitiesContract:
    def test_what_hangs_together_is_one_group_and_order_is_no_matter(
        self, communities: Communities
    ) -> None:
        edges = [
            *clique("abcde"),
            *clique("pqrst"),
            *clique("xyz"),
            ("e", "p", 0.2),
            ("凪", "蓮", 1.0),
        ]
        groups = communities.groups(edges)
        assert groups == [list("abcde"), list("pqrst"), list("xyz"), ["凪", "蓮"]]
        shuffled = list(edges)
        random.Random(1).shuffle(shuffled)
        assert communities.groups(shuffled) == groups

    def test_nothing_gives_nothing(self, communities: Communities) -> None:
        assert communities.groups([]) == []

    def test_every_node_is_in_exactly_one_group(self, communities: Communities) -> None:
        dice = random.Random(2)
        edges = sorted(
            {
                (f"n{one}", f"n{other}", round(dice.random() + 0.1, 3))
                for one, other in (sorted(dice.sample(range(60), 2)) for _ in range(150))
            }
        )
        groups = communities.groups(edges)
        assert sorted(name for group in groups for name in group) == sorted(
            {name for edge in edges for name in edge[:2]}
        )
        assert 1 < len(groups) < 30
