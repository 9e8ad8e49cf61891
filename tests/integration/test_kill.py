"""SIGKILL at random moments of ingest and chat, on real processes: nothing is lost, nothing is
doubled.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.store.home.files import LocalFiles
from lpm_kernel.node import Node
from tests.lives import SAMPLE
from tests.processes import RunningNode
from tests.scale import many

KILLS = many(50, 2)
QUESTIONS = (
    "When did I move the workshop?",
    "Who painted the sign?",
    "豆腐",
    "oil varnish on the cello",
)

pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def state(home: Path) -> tuple[Any, ...]:
    """What there is in the end: documents, passages, and what recall answers."""
    with Node.open(home, embedder=HashingEmbedder()) as node:
        documents = sorted(
            (document.sha256, document.state.value, document.title)
            for document in node.ports.documents.all()
        )
        names = {document.id: document.sha256 for document in node.ports.documents.all()}
        indexed = sorted(
            (names[identifier], have.chunks, have.vectors)
            for identifier, have in node.ports.index.indexed().items()
        )
        answers = [
            [
                (names[item.chunk.document], item.chunk.start)
                for item in node.memory.recall(question, k=10).items
            ]
            for question in QUESTIONS
        ]
        return documents, indexed, answers


def test_killed_again_and_again_while_reading_and_answering(tmp_path: Path) -> None:
    dice = random.Random(20260314)
    files = sorted((SAMPLE / "memory").glob("*.md")) + sorted((SAMPLE / "letters").glob("*.txt"))
    with RunningNode(tmp_path / "still", free_port()) as node:
        for path in files:
            node.ask("POST", "/api/documents", files={"file": (path.name, path.read_bytes())})
        node.settle()
    expected = state(tmp_path / "still")

    shaken = RunningNode(tmp_path / "shaken", free_port())
    shaken.start()
    done = threading.Event()
    kills: list[str] = []

    def shake() -> None:
        while len(kills) < KILLS:
            time.sleep(dice.uniform(0.05, 0.9))
            name = dice.choice(["work", "work", "work", "serve", "serve", "host", "supervisor"])
            if name == "supervisor":
                shaken.kill()
                shaken.start()
            elif pid := shaken.pid(name):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            else:
                continue
            kills.append(name)
        done.set()

    shaker = threading.Thread(target=shake)
    shaker.start()
    conversation = shaken.ask("POST", "/api/conversations", json={}).json()["id"]
    queue, asked = list(files), 0
    while queue or not done.is_set():
        if queue:
            path = queue.pop()
            answer = shaken.ask(
                "POST", "/api/documents", files={"file": (path.name, path.read_bytes())}
            )
            assert answer.status_code in {200, 202}, answer.text
        text = QUESTIONS[asked % len(QUESTIONS)]
        # A connection that breaks is asked again under the same id, as the screen does.
        answer = shaken.ask(
            "POST",
            f"/api/conversations/{conversation}/turns",
            json={"text": text, "client_id": f"question-{asked:04d}"},
        )
        assert answer.status_code == 200, answer.text
        asked += 1
        if not queue:
            time.sleep(0.2)
    shaker.join()
    shaken.settle()
    turns = shaken.ask("GET", f"/api/conversations/{conversation}").json()["items"]
    shaken.stop()

    assert len(kills) == KILLS
    assert state(tmp_path / "shaken") == expected
    assert [turn["id"] for turn in turns if turn["role"] == "user"] == [
        f"t_question-{n:04d}" for n in range(asked)
    ]
    answers = [turn for turn in turns if turn["role"] == "assistant"]
    assert len(answers) == asked
    LocalFiles(tmp_path / "shaken" / "files").sweep()
    assert not list((tmp_path / "shaken" / "files").glob("*.new"))
