"""Where entities are drawn: forces that push all apart and pull together what is named together, until it settles.

The forces are those of Fruchterman and Reingold (1991, "Graph drawing by force-directed placement"). Up to ``EXACT``
entities every pair is looked at. Beyond that, what is far away pushes as its square of a grid does, by the centre of its
members, and only what lies in the same square pushes by itself. Nothing is drawn by lot: an entity begins at a place
that its slug gives, or where it was before, so that the map does not jump when something is added to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

EXACT = 1000
GRID = 48
"""Squares on a side."""
NEIGHBOURS = 6
"""Others of the same square that an entity is held against."""
ROUNDS = 240
ROUNDS_AGAIN = 60
"""Where most of it has a place already."""
GRAVITY = 0.06
"""Pull towards the middle, so that parts without an edge between them do not drift apart for ever."""
MARGIN = 0.03
SPREAD = 4
"""Digits that a place is kept with."""

Points = NDArray[np.float64]


def layout(nodes: Sequence[str], edges: Sequence[tuple[str, str, float]], before: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return a place between 0 and 1 for each node; ``before`` is where some of them were."""
    if not nodes:
        return {}
    order = {name: number for number, name in enumerate(sorted(nodes))}
    kept = [edge for edge in sorted(edges) if edge[0] in order and edge[1] in order]
    ends = np.array([(order[source], order[target]) for source, target, _ in kept], np.int64).reshape(-1, 2)
    pull = np.array([weight for _, _, weight in kept], np.float64)
    if len(pull):
        pull = np.clip(pull / np.median(pull), 0.2, 3.0)
    points, settled = _begin(list(order), ends, before)
    rounds = ROUNDS_AGAIN if settled else ROUNDS
    heat = 0.02 if settled else 0.12
    ideal = 0.9 / np.sqrt(len(order))
    for turn in range(rounds):
        push = _apart(points, ideal) if len(order) <= EXACT else _apart_roughly(points, ideal)
        force = push + _together(points, ends, pull, ideal) - GRAVITY * (points - 0.5) * np.sqrt(len(order)) * ideal
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-12)
        points = points + force / length * np.minimum(length, heat * (1 - turn / rounds))
    if not settled:
        points = _fitted(points)
    points = np.clip(points, MARGIN / 2, 1 - MARGIN / 2)
    return {name: (round(float(points[number, 0]), SPREAD), round(float(points[number, 1]), SPREAD)) for name, number in order.items()}


def seed(name: str) -> tuple[float, float]:
    """Return the place that a name begins at: evenly spread, and always the same.

    >>> seed("kanazawa") == seed("kanazawa")
    True
    """
    made = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(made[:6], "big") / 2**48, int.from_bytes(made[6:12], "big") / 2**48


def _begin(names: Sequence[str], ends: NDArray[np.int64], before: Mapping[str, tuple[float, float]]) -> tuple[Points, bool]:
    """Return where each begins, and whether most of it was drawn before. What is new begins beside what it is named with."""
    points = np.array([before.get(name) or seed(name) for name in names], np.float64)
    known = np.array([name in before for name in names], bool)
    settled = bool(2 * known.sum() >= len(names))
    if settled and len(ends):
        both = np.concatenate([ends, ends[:, ::-1]])
        use = both[known[both[:, 1]] & ~known[both[:, 0]]]
        count = np.bincount(use[:, 0], minlength=len(names)).astype(np.float64)
        for axis in (0, 1):
            middle = np.bincount(use[:, 0], weights=points[use[:, 1], axis], minlength=len(names)) / np.maximum(count, 1)
            points[:, axis] = np.where(count > 0, middle + 0.04 * (points[:, axis] - 0.5), points[:, axis])
    return points, settled


def _apart(points: Points, ideal: float) -> Points:
    away = points[:, None, :] - points[None, :, :]
    square = np.maximum((away**2).sum(axis=2), 1e-6 * ideal)
    return np.asarray((away * (ideal**2 / square)[:, :, None]).sum(axis=1))


def _apart_roughly(points: Points, ideal: float) -> Points:
    low, high = points.min(axis=0), points.max(axis=0)
    cell = np.clip(((points - low) / np.maximum(high - low, 1e-9) * GRID).astype(np.int64), 0, GRID - 1)
    cells = cell[:, 0] * GRID + cell[:, 1]
    size = np.bincount(cells, minlength=GRID * GRID).astype(np.float64)
    full = np.flatnonzero(size)
    centre = np.stack([np.bincount(cells, weights=points[:, axis], minlength=GRID * GRID)[full] / size[full] for axis in (0, 1)], axis=1)
    number = np.zeros(GRID * GRID, np.int64)
    number[full] = np.arange(len(full))
    force = np.zeros_like(points)
    for first in range(0, len(points), EXACT):
        part = slice(first, first + EXACT)
        away = points[part, None, :] - centre[None, :, :]
        weight = size[full][None, :] * ideal**2 / np.maximum((away**2).sum(axis=2), 1e-6 * ideal)
        mine = number[cells[part]]
        weight[np.arange(len(mine)), mine] = 0.0
        force[part] = np.einsum("ij,ijk->ik", weight, away)
    order = np.lexsort((points[:, 1], points[:, 0], cells))
    ranked, at = points[order], cells[order]
    for step in range(1, NEIGHBOURS + 1):
        same = at[step:] == at[:-step]
        away = ranked[step:] - ranked[:-step]
        push = away * (same * ideal**2 / np.maximum((away**2).sum(axis=1), 1e-6 * ideal))[:, None]
        np.add.at(force, order[step:], push)
        np.add.at(force, order[:-step], -push)
    return force


def _together(points: Points, ends: NDArray[np.int64], pull: NDArray[np.float64], ideal: float) -> Points:
    if not len(ends):
        return np.zeros_like(points)
    away = points[ends[:, 1]] - points[ends[:, 0]]
    force = away * (np.linalg.norm(away, axis=1) * pull / ideal)[:, None]
    total = np.zeros_like(points)
    for axis in (0, 1):
        total[:, axis] = np.bincount(ends[:, 0], weights=force[:, axis], minlength=len(points)) - np.bincount(
            ends[:, 1], weights=force[:, axis], minlength=len(points)
        )
    return total


def _fitted(points: Points) -> Points:
    """Fill the square, whatever the outermost few do."""
    low, high = np.quantile(points, 0.01, axis=0), np.quantile(points, 0.99, axis=0)
    middle, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-9)
    return np.asarray(0.5 + (points - middle) / half * (0.5 - MARGIN))
