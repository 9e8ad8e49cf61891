"""What is done with a text takes time that grows with it and no faster, whatever the text."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from lpm_kernel.backends.parse.reading import parse
from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.domain.memory import retain
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L0.language import analysis, dates
from lpm_kernel.L0.text import masking, sentences
from lpm_kernel.L1.answering.redaction import redact
from lpm_kernel.L1.statements.extraction import signs
from tests.growth import MOST_GROWTH, PUMPS, growth

pytestmark = [pytest.mark.property, pytest.mark.slow]
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
SHORT, LONG = 2_000, 8_000
NOTICED = 0.1
"""Seconds for the longer text below which nothing is said."""


def _reads(name: str, kind: DocumentKind, lead: str = "") -> Callable[[str], object]:
    def read(text: str) -> None:
        with suppress(InvalidInputError):
            parse(name, kind, (lead + text).encode())

    return read


DONE: dict[str, Callable[[str], object]] = {
    "sanitise": masking.find,
    "dates": lambda text: dates.spans(text, NOW),
    "sentences": sentences.sentences,
    "terms": analysis.terms,
    "names": analysis.names,
    "traits": analysis.traits,
    "asks": analysis.asks,
    "signs": signs,
    "redact": redact,
    "retain": lambda text: retain.parse("# Retain\n" + text),
    "text": _reads("a.txt", DocumentKind.TEXT),
    "markdown": _reads("a.md", DocumentKind.MARKDOWN, "---\n"),
    "mail": _reads("a.eml", DocumentKind.MAIL, "From: a@b.example\nSubject: "),
    "page": _reads("a.html", DocumentKind.HTML, "<html><body>"),
    "table": _reads("a.csv", DocumentKind.TABLE, "day,what\n"),
    "json": _reads("a.json", DocumentKind.TABLE),
    "chat": _reads("a.txt", DocumentKind.TRANSCRIPT),
}


@pytest.mark.parametrize("name", DONE)
def test_four_times_the_text_takes_about_four_times_as_long(name: str) -> None:
    def times(pump: str) -> float:
        return growth(lambda length: DONE[name](pump * (length // len(pump))), SHORT, LONG, NOTICED)

    grown = {pump: times(pump) for pump in PUMPS}
    assert {pump: round(grows) for pump, grows in grown.items() if grows > MOST_GROWTH} == {}
