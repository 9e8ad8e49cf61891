"""Drives the product's own ingest and recall for the recall benchmark: one JSON object a line in,
one a line out.

    python bench_recall.py --data locomo-dev.json \\
        --system "cmd:.venv/bin/python tests/bench/recall_adapter.py"

Each bank is a fresh home in a temporary folder. What is to be remembered becomes a JSONL transcript
that the node reads as it reads any other; what it finds is named by the ids that the turns came
with. ``--words`` runs without an embedder; ``--rerank`` has the reader rank what was found.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.recall_options import RecallOptions

Message = dict[str, Any]


class Adapter:
    """Answers the benchmark's four messages."""

    def __init__(self, options: RecallOptions) -> None:
        self._options = options
        self._folder: Path | None = None
        self._node: Node | None = None
        self._memories: dict[str, list[Message]] = {}

    @property
    def node(self) -> Node:
        """The node of the open bank."""
        if self._node is None:
            message = "open a bank first"
            raise RuntimeError(message)
        return self._node

    def open(self, message: Message) -> Message:
        """Begin with an empty home."""
        del message
        self.close()
        self._folder = Path(tempfile.mkdtemp(prefix="recall-"))
        self._node = Node.open(self._folder)
        return {}

    def ingest(self, message: Message) -> Message:
        """Gather turns by conversation, which the id names before its first slash."""
        for memory in message["memories"]:
            self._memories.setdefault(memory["id"].partition("/")[0], []).append(memory)
        return {}

    def flush(self, message: Message) -> Message:
        """Let the node read what was gathered, one transcript for each conversation."""
        del message
        for name, memories in self._memories.items():
            lines = [
                json.dumps(
                    {key: memory[key] for key in ("id", "text", "speaker", "timestamp", "session")},
                    ensure_ascii=False,
                )
                for memory in memories
            ]
            self.node.library.add_bytes(f"{name}.jsonl", ("\n".join(lines) + "\n").encode())
        self._memories.clear()
        self.node.run_jobs()
        self.node.memory.recall("warm", k=1)
        return {}

    def query(self, message: Message) -> Message:
        """Ask, as of ``now``."""
        now = datetime.fromisoformat(message["now"]).astimezone() if message.get("now") else None
        found = self.node.memory.recall(
            message["text"], k=message["k"], options=self._options, now=now
        )
        return {
            "level": found.level,
            "hits": [{"source_id": item.chunk.turn, "score": item.score} for item in found.items],
        }

    def close(self) -> None:
        """Forget the bank."""
        if self._node is not None:
            self._node.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._memories.clear()


def main() -> int:
    """Answer until the input ends. An error is said on its line and ends the run."""
    if "--words" in sys.argv[1:]:
        os.environ["LPM_EMBEDDER"] = "none"
    adapter = Adapter(RecallOptions(rerank="--rerank" in sys.argv[1:]))
    answers = {
        "open": adapter.open,
        "ingest": adapter.ingest,
        "flush": adapter.flush,
        "query": adapter.query,
    }
    try:
        for line in sys.stdin:
            message = json.loads(line)
            print(
                json.dumps({"ok": True, **answers[message["op"]](message)}, ensure_ascii=False),
                flush=True,
            )
    finally:
        adapter.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
