"""Whatever the bytes, a parser gives a text or a sentence: what once broke one, and a few hundred
fresh files for each.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.fuzz import check, corpus, fuzz
from tests.fuzz.seeds import ENTRIES


@pytest.mark.parametrize("path", list(corpus()), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_once_broke_a_parser_does_so_no_more(path: Path) -> None:
    assert check(path.name, path.read_bytes())


@pytest.mark.parametrize("entry", ENTRIES)
def test_broken_files_give_a_text_or_a_sentence(entry: str) -> None:
    came, kept = fuzz(entry, seconds=60.0, seed=20251120, most=150)
    assert kept == []
    assert came.total() == 150


@pytest.mark.parametrize("entry", ENTRIES)
def test_whole_files_give_more_than_a_sentence(entry: str) -> None:
    assert {check(name, data) for name, data in ENTRIES[entry]()} <= {"a text", "files"}
