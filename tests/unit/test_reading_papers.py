"""The papers that reading is to be learned from are whole: every answer stands in its text."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.L2 import dataset

pytestmark = pytest.mark.unit

DATA = Path(dataset.__file__).with_name("data") / "reading"
KINDS = {"diary", "note", "mail", "chat", "letter", "table", "web", "list"}


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted(DATA.glob("*.xz"))
        for line in lzma.decompress(path.read_bytes()).decode("utf-8").split("\n")
        if line.strip()
    ]


def test_every_answer_stands_in_its_text(documents: list[dict[str, Any]]) -> None:
    assert len(documents) == 2225
    assert sum(len(document["qa"]) for document in documents) == 11511
    for document in documents:
        assert document["kind"] in KINDS
        assert document["lang"] in {"en", "ja", "zh"}
        for asked in document["qa"]:
            assert asked["q"].strip()
            assert asked["a"]
            assert all(answer in document["text"] for answer in asked["a"]), asked


def test_no_document_stands_twice_and_no_claim_is_both_true_and_false(
    documents: list[dict[str, Any]],
) -> None:
    texts = Counter((document["life"], document["text"]) for document in documents)
    assert [text for text, count in texts.items() if count > 1] == []
    for document in documents:
        assert set(document["yes"]).isdisjoint(document["no"])
