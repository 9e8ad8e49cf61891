"""A host of a home that answers about tables, for a namespace of its own: ``python -m tests.tabled
FOLDER``. Listens on port 4001 until standard input ends.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.config import Home
from lpm_kernel.node import Node
from lpm_kernel.peer import process
from lpm_kernel.peer.speaker import Composed
from protocol.events import Asked
from protocol.refusals import Code, Refusal

PORT = 4001


def main(folder: Path) -> None:
    node = Node.open(folder, embedder=HashingEmbedder(), model=ScriptedModel([]))

    def answer(asked: Asked, _now: int) -> Composed:
        made = node.replying.reply(asked.message.iss, asked.message.id)
        if made.code:
            raise Refusal(Code(made.code), "node")
        return Composed(made.body or {}, made.documents)

    process.listen(Home(folder), "0.0.0.0", PORT, answer)  # noqa: S104  alone in its namespace


if __name__ == "__main__":
    main(Path(sys.argv[1]))
