"""What it costs to embed a question that was asked before, beside one that was not, and to read the
identity beside asking whether anything changed. Run by `make bench`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.embed.minilm import MiniLmEmbedder
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.L0.index.asked import EmbeddedQuestions
from lpm_kernel.L0.language.glosses import Glossed
from lpm_kernel.node import Node

pytestmark = pytest.mark.bench

QUESTIONS = {
    "English": "Where did I put the key of the blue van before we drove to Kanazawa?",
    "Japanese": "金沢へ行く前に、青い車の鍵をどこに置いたっけ？",
}


def milliseconds(work: Callable[[], object], runs: int) -> float:
    """Return the processor time of one run, after one that is not counted."""
    work()
    started = time.process_time()
    for _ in range(runs):
        work()
    return (time.process_time() - started) * 1000 / runs


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_question_that_is_asked_again(language: str) -> None:
    embedder = Glossed(MiniLmEmbedder())
    text = QUESTIONS[language]
    each_time, kept = EmbeddedQuestions(embedder, most=0), EmbeddedQuestions(embedder)
    without = milliseconds(lambda: each_time.embed(text, closely=True), 40)
    with_it = milliseconds(lambda: kept.embed(text, closely=True), 4_000)
    print(
        f"\n{language}: {without:.2f} ms without the cache, {with_it:.4f} ms with it, ratio"
        f" {without / with_it:,.0f}"
    )
    assert without / with_it > 50


def test_the_identity_needs_none(tmp_path: Path) -> None:
    with Node.open(tmp_path, embedder=HashingEmbedder()) as node:
        node.ports.conversations.set_identity(Identity(name="Nagi Sorrel"))
        read = milliseconds(node.ports.conversations.identity, 1_000)
        changed = milliseconds(node.ports.index.revision, 1_000)
    print(f"\nidentity: {read:.3f} ms to read, {changed:.3f} ms to ask whether a database changed")
    assert read < 5
