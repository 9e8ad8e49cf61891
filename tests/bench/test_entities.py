"""How good the list of entities is, against names labelled by hand, and how long the map takes. Run
by `make bench`.
"""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path

import numpy as np
import pytest

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.L1.entities.layout import layout
from lpm_kernel.node import Node
from tests.lives import archive

pytestmark = pytest.mark.bench

DATA = Path(__file__).parents[1] / "data"
OWNERS = {"nagi": "Nagi Sorrel (ソレル 凪)", "marit": "Marit Skaar Teles (マリット)"}
OFTEN = 3
"""Passages in which a name has to stand."""
NODES, EDGES = 5_000, 15_000


def rated(
    shown: list[tuple[list[str], str]], labels: dict[str, tuple[str, str]]
) -> dict[str, float]:
    """Say of what was shown, each by its spellings and kind, how much is a name, how much is shown
    twice, and how many kinds are right.
    """
    known = [next((labels[name] for name in names if name in labels), None) for names, _ in shown]
    assert None not in known, [
        names for (names, _), label in zip(shown, known, strict=True) if label is None
    ]
    right = [
        (who, kind, said)
        for (who, kind), (_, said) in zip(filter(None, known), shown, strict=True)
        if who != "-"
    ]
    return {
        "shown": len(shown),
        "precision": round(len(right) / len(shown), 3),
        "duplicates": round(1 - len({who for who, _, _ in right}) / len(right), 3),
        "kinds": round(sum(kind == said for _, kind, said in right) / len(right), 3),
    }


@pytest.mark.parametrize("life", OWNERS)
def test_names_against_labels(life: str, tmp_path: Path) -> None:
    rows = csv.DictReader(
        (DATA / "entities" / f"{life}.tsv").read_text("utf-8").splitlines(), delimiter="\t"
    )
    labels = {row["name"]: (row["who"], row["kind"]) for row in rows}
    with Node.open(tmp_path, embedder=HashingEmbedder(), communities="louvain") as node:
        node.ports.conversations.set_identity(Identity(OWNERS[life], "", "", ()))
        for path in sorted(archive(life).rglob("*")):
            if path.is_file():
                node.library.add_bytes(path.name, path.read_bytes())
        node.run_jobs()
        plain = [
            ([each.name], "")
            for each in node.memory.names("", 1000, include_private=True)
            if each.passages >= OFTEN
        ]
        began = time.monotonic()
        node.graph.draw()
        took = time.monotonic() - began
        found = [
            ([each.name, *each.aliases], each.kind.value)
            for each in node.graph.named().found.by_slug.values()
            if len(each.rows) >= OFTEN
        ]
        before, after = rated(plain, labels), rated(found, labels)
        print(
            json.dumps(
                {"life": life, "names": before, "entities": after, "seconds": round(took, 1)}
            )
        )
    assert after["precision"] >= 0.95
    assert after["duplicates"] < before["duplicates"]
    assert after["kinds"] >= 0.75


def test_a_large_map_is_drawn_within_a_minute() -> None:
    dice = np.random.default_rng(20260314)
    names = [f"e{number:05}" for number in range(NODES)]
    groups = dice.integers(0, 60, NODES)
    edges: list[tuple[str, str, float]] = []
    while len(edges) < EDGES:
        one, other = (int(each) for each in dice.integers(0, NODES, 2))
        if one != other and (groups[one] == groups[other] or dice.random() < 0.02):
            edges.append(
                (names[min(one, other)], names[max(one, other)], float(dice.random() + 0.2))
            )
    began = time.monotonic()
    first = layout(
        names,
        edges,
        {},
        [
            [name for name, mine in zip(names, groups, strict=True) if mine == group]
            for group in range(60)
        ],
    )
    took = time.monotonic() - began
    began = time.monotonic()
    again = layout([*names, "new"], [*edges, (names[0], "new", 1.0)], first)
    moved = np.array(
        [
            np.hypot(again[name][0] - first[name][0], again[name][1] - first[name][1])
            for name in names
        ]
    )
    print(
        json.dumps(
            {
                "nodes": NODES,
                "edges": EDGES,
                "seconds": round(took, 1),
                "again": round(time.monotonic() - began, 1),
                "moved": round(float(np.median(moved)), 4),
            }
        )
    )
    assert took < 60
    assert np.median(moved) < 0.05
