"""GraphRAG on texts: a graph that the model makes of them, and its local and global search, in a
process of its own that reaches the model over an endpoint on this machine.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lpm_kernel.domain.training.comparison import GraphAnswer, GraphMade, SourceText
from lpm_kernel.errors import UnavailableError


@dataclass(frozen=True)
class GraphEndpoint:
    """Where the model and the embedder answer. A stage's name goes between address and
    ``/v1``.
    """

    address: str
    key: str = field(repr=False)
    model: str
    window: int
    """Tokens that the model reads at once."""
    dimension: int
    """Length of a vector of the embedder."""


class GraphRag:
    """Searches by graphrag."""

    def __init__(self, endpoint: GraphEndpoint) -> None:
        self._endpoint = endpoint

    @staticmethod
    def is_there() -> bool:
        """Tell whether graphrag is installed, without importing it."""
        return importlib.util.find_spec("graphrag") is not None

    def answers(
        self, texts: Sequence[SourceText], questions: Sequence[str], place: Path
    ) -> Generator[GraphMade | GraphAnswer, None, None]:
        """Make the graph in an empty folder, then give each search's answer to each question.
        Closing the iterator ends the process. Raises ``UnavailableError`` where it breaks down.
        """
        here = self._endpoint
        asked = {
            "folder": str(place),
            "address": here.address,
            "key": here.key,
            "model": here.model,
            "window": here.window,
            "dimension": here.dimension,
            "texts": [{"id": each.id, "title": each.title, "text": each.text} for each in texts],
            "questions": list(questions),
        }
        with subprocess.Popen(
            (sys.executable, "-m", "lpm_kernel.backends.graph.search_child"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=_alone(),
        ) as child:
            try:
                yield from _told(child, json.dumps(asked))
            finally:
                child.kill()


def _told(child: subprocess.Popen[str], asked: str) -> Iterator[GraphMade | GraphAnswer]:
    assert child.stdin is not None  # noqa: S101 - both are pipes
    assert child.stdout is not None  # noqa: S101 - both are pipes
    child.stdin.write(asked)
    child.stdin.close()
    for line in child.stdout:
        yield _read(json.loads(line))
    if child.wait() != 0:
        raise UnavailableError(
            "GraphRAG broke down before it had answered.", "Leave it out, or ask less."
        )


def _read(row: dict[str, Any]) -> GraphMade | GraphAnswer:
    if "made" in row:
        return GraphMade(row["made"], row["problem"])
    return GraphAnswer(row["search"], row["question"], row["answer"], row["problem"])


def _alone() -> dict[str, str]:
    """Give an environment in which nothing is fetched and no proxy is asked."""
    kept = {
        name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")
    }
    return kept | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*"}
