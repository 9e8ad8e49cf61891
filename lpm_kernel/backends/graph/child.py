"""The process in which graphrag works: ``python -m lpm_kernel.backends.graph.child``. Edges come in
as JSON, groups go out; nothing is kept and no model is asked.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

SEED = 20260314
LARGEST = 60
"""Entities of a community, from which on graphrag divides it further."""


class _Rows:
    """As much of graphrag's table as finding communities asks for: rows out, rows in."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.written: list[dict[str, Any]] = []

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        for row in self.rows:
            yield row

    async def write(self, row: Mapping[str, Any]) -> None:
        """Take a community."""
        self.written.append(dict(row))


def main() -> None:
    """Answer one question."""
    edges: list[tuple[int, int, float]] = [
        (int(one), int(other), float(weight)) for one, other, weight in json.load(sys.stdin)
    ]
    answers = os.fdopen(os.dup(1), "w")
    # what graphrag and its libraries print is no answer
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    json.dump(list(groups(edges)), answers)
    answers.flush()


def groups(edges: list[tuple[int, int, float]]) -> Iterator[list[int]]:
    """Yield the groups of the deepest division, each node in one."""
    # or it fetches a list from the network when it is imported
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import pandas as pd
    from graphrag.index.workflows.create_communities import create_communities

    rows = [
        {
            "id": f"e{number}",
            "source": f"{one:07}",
            "target": f"{other:07}",
            "weight": weight,
            "text_unit_ids": [],
        }
        for number, (one, other, weight) in enumerate(edges)
    ]
    nodes = sorted({name for row in rows for name in (str(row["source"]), str(row["target"]))})
    entities, communities = _Rows([{"title": name, "id": name} for name in nodes]), _Rows([])
    asyncio.run(
        create_communities(
            communities,
            entities,
            pd.DataFrame(rows),
            max_cluster_size=LARGEST,
            use_lcc=False,
            seed=SEED,
        )
    )
    home: dict[str, tuple[int, int]] = {}
    for row in communities.written:
        for name in row["entity_ids"]:
            home[name] = max(home.get(name, (-1, -1)), (int(row["level"]), int(row["community"])))
    for name in nodes:  # a community without an edge inside is not written
        home.setdefault(name, (-1, int(name)))
    found: dict[tuple[int, int], list[int]] = {}
    for name in nodes:
        found.setdefault(home[name], []).append(int(name))
    yield from found.values()


if __name__ == "__main__":
    main()
