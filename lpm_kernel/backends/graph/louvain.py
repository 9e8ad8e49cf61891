"""Louvain's method (Blondel, Guillaume, Lambiotte, Lefebvre 2008, "Fast unfolding of communities in
large networks"), in plain Python.

The twin of graphrag's Leiden: needs nothing installed, draws no lots, and gives the same groups for
the same edges in any order. Nodes are visited in the order of their names, and of two equal moves
the one to the first group wins.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST_ROUNDS = 50
"""Rounds of moving on one level; nearly always a few are enough."""
GAIN = 1e-9
"""A move has to be better by this much: rounding is no reason to move."""

Weights = list[dict[int, float]]


class Louvain:
    """Groups by modularity."""

    name = "louvain-1"

    def groups(self, edges: Sequence[tuple[str, str, float]]) -> list[list[str]]:
        """Divide the nodes of these edges."""
        names = sorted({name for source, target, _ in edges for name in (source, target)})
        numbers = {name: number for number, name in enumerate(names)}
        beside: Weights = [{} for _ in names]
        for source, target, weight in sorted(edges):
            one, other = numbers[source], numbers[target]
            if one != other:
                beside[one][other] = beside[one].get(other, 0.0) + weight
                beside[other][one] = beside[other].get(one, 0.0) + weight
        own = [0.0] * len(names)
        home = list(range(len(names)))
        while True:
            moved = _moved(beside, own)
            if len(set(moved)) == len(beside):
                break
            home = [moved[each] for each in home]
            beside, own = _joined(beside, own, moved)
        found: dict[int, list[str]] = {}
        for number, name in enumerate(names):
            found.setdefault(home[number], []).append(name)
        return sorted(found.values(), key=lambda group: (-len(group), group))


def _moved(beside: Weights, own: list[float]) -> list[int]:
    """Move each node to the group that gains most, round by round, and number the groups in the
    order in which they are met. ``own`` is what a node weighs within itself.
    """
    degree = [2 * own[node] + sum(near.values()) for node, near in enumerate(beside)]
    total = sum(degree) or 1.0
    group, weight = list(range(len(beside))), list(degree)
    for _ in range(MOST_ROUNDS):
        changed = False
        for node, near in enumerate(beside):
            towards: dict[int, float] = {}
            for other in sorted(near):
                towards[group[other]] = towards.get(group[other], 0.0) + near[other]
            weight[group[node]] -= degree[node]
            gains = {
                each: worth - degree[node] * weight[each] / total for each, worth in towards.items()
            }
            best, stay = (
                group[node],
                gains.get(group[node], -degree[node] * weight[group[node]] / total),
            )
            for gain in sorted(gains):
                if gains[gain] > stay + GAIN:
                    best, stay = gain, gains[gain]
            weight[best] += degree[node]
            changed = changed or best != group[node]
            group[node] = best
        if not changed:
            break
    numbered: dict[int, int] = {}
    return [numbered.setdefault(each, len(numbered)) for each in group]


def _joined(beside: Weights, own: list[float], moved: list[int]) -> tuple[Weights, list[float]]:
    """Make one node of each group."""
    within = [0.0] * (max(moved) + 1)
    joined: Weights = [{} for _ in within]
    for node, near in enumerate(beside):
        within[moved[node]] += own[node]
        for other in sorted(near):
            one, two = moved[node], moved[other]
            if one == two:
                within[one] += near[other] / 2
            else:
                joined[one][two] = joined[one].get(two, 0.0) + near[other]
    return joined, within
