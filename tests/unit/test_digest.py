"""What a document is about: its own words, pointing at where they stand."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import ParsedText
from lpm_kernel.L0.language.analysis import passages
from lpm_kernel.L0.text.chunks import chunks
from lpm_kernel.L0.text.digest import Digest, digest
from tests.lives import SAMPLE


def about(text: str) -> Digest:
    return digest(passages(chunks(DocumentId("d"), "text-1", ParsedText(text, ()), None)))


def test_the_keywords_are_what_it_speaks_of() -> None:
    text = (
        "Ottilie wrote about the cello. The cello needs oil varnish. Oil varnish dries slowly, and"
        " Ottilie waits for the cello. It rained."
    )
    assert {"Ottilie", "cello", "varnish"} <= set(about(text).keywords[:5])


def test_the_summary_is_made_of_the_documents_own_sentences() -> None:
    text = (SAMPLE / "memory" / "2025-08-30.md").read_text()
    spans = about(text).summary
    assert 0 < len(spans) <= 2
    assert all(
        text[start:end].strip() == text[start:end] and text[end - 1] in ".:" for start, end in spans
    )


@pytest.mark.parametrize("text", ["", "?", "a b c", "1 2 3", "雨。", "# Heading", "word " * 5000])
def test_little_gives_little(text: str) -> None:
    found = about(text)
    assert len(found.keywords) <= 8
    assert len(found.summary) <= 2


def test_japanese_has_keywords_too() -> None:
    assert "膠" in about("膠を煮る。雨の日は膠を煮ない。膠は生きものだ。").keywords
