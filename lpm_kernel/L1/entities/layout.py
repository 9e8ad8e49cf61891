"""Where entities are drawn: forces that push all apart and pull together what is named together,
until it settles.

The forces are those of ForceAtlas2 (Jacomy, Venturini, Heymann, Bastian 2014), cooled as by
Fruchterman and Reingold (1991): every entity pushes the more, the more edges it has, and an edge
pulls in proportion to its length. Up to ``EXACT`` entities every pair is looked at. Beyond that,
what is far away pushes as its square of a grid does, by the centre of its members, and only what
lies near in the same square pushes by itself. Nothing is drawn by lot. The first time, the
communities are laid out as points and their members around them; afterwards everything begins where
it was, and goes only a part of the way to where the forces would have it, so that the map does not
jump.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

EXACT = 1000
GRID = 36
"""Squares on a side."""
NEIGHBOURS = 6
"""Others of the same square that an entity is held against."""
ROUNDS = 80
ROUNDS_AGAIN = 30
"""Where most of it has a place already."""
HEAT = 0.05
"""How far a step may go at first, as a share of the map."""
AGAIN = 0.2
"""How much of the way what was drawn before goes to its new place."""
GRAVITY = 1.0
"""Pull towards the middle, so that parts without an edge between them do not drift apart for
ever.
"""
REPULSION = 0.3
"""How hard all push; an edge of middle weight pulls with 1."""
MARGIN = 0.03
DIGITS = 4
"""Digits that a place is kept with."""
GOLDEN = 0.618034
"""The grid is shifted by this from round to round, so that its lines leave no mark."""

Points = NDArray[np.float64]
Edges = Sequence[tuple[str, str, float]]


def layout(
    nodes: Sequence[str],
    edges: Edges,
    before: Mapping[str, tuple[float, float]],
    groups: Sequence[Sequence[str]] = (),
) -> dict[str, tuple[float, float]]:
    """Return a place between 0 and 1 for each node. ``before`` is where some of them were,
    ``groups`` which belong together.
    """
    if not nodes:
        return {}
    names = sorted(nodes)
    order = {name: number for number, name in enumerate(names)}
    kept = [edge for edge in sorted(edges) if edge[0] in order and edge[1] in order]
    ends = np.array(
        [(order[source], order[target]) for source, target, _ in kept], np.int64
    ).reshape(-1, 2)
    pull = np.array([weight for _, _, weight in kept], np.float64)
    known = np.array([name in before for name in names], bool)
    settled = bool(2 * known.sum() >= len(names))
    points = (
        _beside_the_known(names, ends, known, before)
        if settled
        else _around_their_groups(names, kept, groups)
    )
    joined = np.bincount(ends.ravel(), minlength=len(names)) > 0
    drawn = _fitted(
        _settle(
            points, ends, pull, ROUNDS_AGAIN if settled else ROUNDS, HEAT / 4 if settled else HEAT
        ),
        joined,
    )
    if settled:
        drawn = np.where(known[:, None], points + AGAIN * (drawn - points), drawn)
    drawn = np.clip(drawn, MARGIN / 2, 1 - MARGIN / 2)
    return {
        name: (round(float(drawn[number, 0]), DIGITS), round(float(drawn[number, 1]), DIGITS))
        for name, number in order.items()
    }


def seed(name: str) -> tuple[float, float]:
    """Return the place that a name begins at: evenly spread, and always the same.

    >>> seed("kanazawa") == seed("kanazawa")
    True
    """
    made = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(made[:6], "big") / 2**48, int.from_bytes(made[6:12], "big") / 2**48


def _beside_the_known(
    names: Sequence[str],
    ends: NDArray[np.int64],
    known: NDArray[np.bool_],
    before: Mapping[str, tuple[float, float]],
) -> Points:
    """Return where each was; what is new stands beside what it is named with."""
    points = np.array([before.get(name) or seed(name) for name in names], np.float64)
    both = np.concatenate([ends, ends[:, ::-1]])
    use = both[known[both[:, 1]] & ~known[both[:, 0]]]
    count = np.bincount(use[:, 0], minlength=len(names)).astype(np.float64)
    for axis in (0, 1):
        middle = np.bincount(
            use[:, 0], weights=points[use[:, 1], axis], minlength=len(names)
        ) / np.maximum(count, 1)
        points[:, axis] = np.where(
            count > 0, middle + 0.04 * (points[:, axis] - 0.5), points[:, axis]
        )
    return points


def _around_their_groups(
    names: Sequence[str], edges: Edges, groups: Sequence[Sequence[str]]
) -> Points:
    """Lay the groups out as points, and return their members around them; what is in none begins at
    its own place.
    """
    home = {name: f"{number:06}" for number, group in enumerate(groups) for name in group}
    points = np.array([seed(name) for name in names], np.float64)
    there = sorted({home[name] for name in names if name in home})
    if len(there) < 2:  # noqa: PLR2004  one group is no arrangement
        return points
    between: dict[tuple[str, str], float] = {}
    for source, target, weight in edges:
        pair = (
            min(home.get(source, ""), home.get(target, "")),
            max(home.get(source, ""), home.get(target, "")),
        )
        if pair[0] and pair[0] != pair[1]:
            between[pair] = between.get(pair, 0.0) + weight
    centres = layout(there, [(one, other, weight) for (one, other), weight in between.items()], {})
    for number, name in enumerate(names):
        if name in home:
            size = 0.5 * np.sqrt(len(groups[int(home[name])]) / len(names))
            points[number] = np.array(centres[home[name]]) + size * (points[number] - 0.5)
    return points


def _settle(
    points: Points, ends: NDArray[np.int64], pull: NDArray[np.float64], rounds: int, heat: float
) -> Points:
    degree = 1.0 + np.bincount(ends.ravel(), minlength=len(points))
    mass = degree / degree.mean()
    scale = REPULSION / len(points)
    strength = np.clip(pull / np.median(pull), 0.2, 3.0) if len(pull) else pull
    for turn in range(rounds):
        push = (
            _apart(points, mass, scale)
            if len(points) <= EXACT
            else _apart_roughly(points, mass, scale, turn)
        )
        force = (
            push
            + _together(points, ends, strength)
            - GRAVITY * mass[:, None] * (points - points.mean(axis=0))
        )
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-12)
        points = points + force / length * np.minimum(
            length / degree[:, None], heat * (1 - turn / rounds)
        )
    return points


def _apart(points: Points, mass: NDArray[np.float64], scale: float) -> Points:
    away = points[:, None, :] - points[None, :, :]
    weight = scale * mass[:, None] * mass[None, :] / np.maximum((away**2).sum(axis=2), 0.02 * scale)
    return np.asarray(np.einsum("ij,ijk->ik", weight, away))


def _apart_roughly(points: Points, mass: NDArray[np.float64], scale: float, turn: int) -> Points:
    low, high = np.quantile(points, 0.01, axis=0), np.quantile(points, 0.99, axis=0)
    shift = (turn * GOLDEN) % 1.0
    cell = np.clip(
        ((points - low) / np.maximum(high - low, 1e-9) * (GRID - 1) + shift).astype(np.int64),
        0,
        GRID - 1,
    )
    cells = cell[:, 0] * GRID + cell[:, 1]
    heavy = np.bincount(cells, weights=mass, minlength=GRID * GRID)
    full = np.flatnonzero(heavy)
    centre = np.stack(
        [
            np.bincount(cells, weights=points[:, axis] * mass, minlength=GRID * GRID)[full]
            / heavy[full]
            for axis in (0, 1)
        ],
        axis=1,
    )
    number = np.zeros(GRID * GRID, np.int64)
    number[full] = np.arange(len(full))
    force = np.zeros_like(points)
    for first in range(0, len(points), EXACT):
        part = slice(first, first + EXACT)
        across, down = (points[part, axis][:, None] - centre[None, :, axis] for axis in (0, 1))
        weight = heavy[full][None, :] / np.maximum(across * across + down * down, 0.02 * scale)
        mine = number[cells[part]]
        weight[np.arange(len(mine)), mine] = 0.0
        force[part, 0], force[part, 1] = (weight * across).sum(axis=1), (weight * down).sum(axis=1)
    force *= scale * mass[:, None]
    order = np.lexsort((points[:, 1], points[:, 0], cells))
    ranked, at, weighed = points[order], cells[order], mass[order]
    for step in range(1, NEIGHBOURS + 1):
        away = ranked[step:] - ranked[:-step]
        near = (
            scale
            * weighed[step:]
            * weighed[:-step]
            * (at[step:] == at[:-step])
            / np.maximum((away**2).sum(axis=1), 0.02 * scale)
        )
        np.add.at(force, order[step:], away * near[:, None])
        np.add.at(force, order[:-step], -away * near[:, None])
    return force


def _together(points: Points, ends: NDArray[np.int64], strength: NDArray[np.float64]) -> Points:
    total = np.zeros_like(points)
    for axis in (0, 1) if len(ends) else ():
        force = (points[ends[:, 1], axis] - points[ends[:, 0], axis]) * strength
        total[:, axis] = np.bincount(
            ends[:, 0], weights=force, minlength=len(points)
        ) - np.bincount(ends[:, 1], weights=force, minlength=len(points))
    return total


def _fitted(points: Points, joined: NDArray[np.bool_]) -> Points:
    """Fill the square with what has edges, whatever the outermost few do; what has none stands
    around it.
    """
    core = points[joined] if joined.any() else points
    low, high = np.quantile(core, 0.02, axis=0), np.quantile(core, 0.98, axis=0)
    half = max(float((high - low).max()) / 2, 1e-9)
    out = (points - (low + high) / 2) / half
    # What lies beyond is drawn in towards the edge instead of on it.
    far = np.abs(out)
    near = np.where(far <= 0.9, far, 0.9 + 0.2 * np.tanh((far - 0.9) / 0.2) / 2)  # noqa: PLR2004  the outer tenth is where it bends
    return np.asarray(0.5 + np.sign(out) * near * (0.5 - MARGIN))
