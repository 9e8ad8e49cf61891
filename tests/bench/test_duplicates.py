"""How good the proposals are that two entities may be one, against labelled pairs. Run by
`make bench`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.L1.entities.resolution import key_of
from lpm_kernel.node import Node

pytestmark = pytest.mark.bench

DATA = Path(__file__).parents[1] / "data" / "entities"
PRECISION, RECALL = 0.9, 0.6
"""What the half for measuring has to reach."""


def documents(life: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the files of a life: short notes that stand with its pairs, or those of its archive."""
    for place, text in enumerate(life.get("documents", ())):
        yield f"2024-01-{place + 1:02} note {place}.md", text
    if "documents" not in life:
        lines = (DATA / "lives" / f"{life['life']}.jsonl").read_text("utf-8").splitlines()
        for place, each in enumerate(map(json.loads, lines)):
            title = each["title"].replace("/", "-")
            yield f"{each['date']} {place:02} {title}.md", each["text"]


def judged(life: dict[str, Any], home: Path) -> dict[str, int]:
    """Count the right and the wrong of a life. A proposal that nobody labelled is wrong; a pair of
    which one name was not found counts as not proposed.
    """
    with Node.open(home, embedder=HashingEmbedder(), communities="louvain") as node:
        node.ports.conversations.set_identity(Identity(life["owner"], "", "", ()))
        for name, text in documents(life):
            node.library.add_bytes(name, text.encode())
        node.run_jobs()
        node.graph.draw()
        shown = node.graph.named()
        proposed = {frozenset({each.one, each.other}) for each in node.graph.duplicates(shown)}
    slugs = {key: each.slug for each in shown.found.by_slug.values() for key in each.keys}
    counts = {"right": 0, "wrong": 0, "missed": 0, "left alone": 0}
    labelled = set()
    for pair in life["pairs"]:
        same = " = " in pair
        one, other = (slugs.get(key_of(each)) for each in pair.split(" = " if same else " / "))
        ends = frozenset({one, other})
        labelled.add(ends)
        said = ends in proposed or (one is not None and one == other)
        outcomes = ("right", "missed") if same else ("wrong", "left alone")
        counts[outcomes[0 if said else 1]] += 1
    counts["wrong"] += len(proposed - labelled)
    return counts


@pytest.mark.parametrize("half", ["tune", "measure"])
def test_proposals_against_labels(half: str, tmp_path: Path) -> None:
    lives = yaml.safe_load((DATA / "pairs.yaml").read_text("utf-8"))
    found = [judged(life, tmp_path / life["life"]) for life in lives if life["half"] == half]
    total = {name: sum(each[name] for each in found) for name in found[0]}
    precision = total["right"] / (total["right"] + total["wrong"])
    recall = total["right"] / (total["right"] + total["missed"])
    rates = {"precision": round(precision, 3), "recall": round(recall, 3)}
    print(json.dumps({"half": half, "lives": len(found), **total, **rates}))
    assert precision >= PRECISION
    assert recall >= RECALL
