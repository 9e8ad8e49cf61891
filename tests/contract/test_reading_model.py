"""What a reading model promises, over every backend: the one that has learned to read, the twin,
the twin behind the host, and the twin brought up late.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.embed.e5.reader import MOST_ASKED, E5Reader, pair
from lpm_kernel.backends.embed.e5.tokenizer import Tokens
from lpm_kernel.backends.embed.reading import DeferredReader, EndpointReader, LiteralReader
from lpm_kernel.domain.models.reading import TextReading
from lpm_kernel.domain.ports import Endpoint, ReadingModel
from lpm_kernel.errors import ReaderUnavailableError
from tests.hosts import Host

TEXTS = st.lists(st.text(max_size=200), max_size=4)
QUESTION = "Who lent me the ladder?"
LENT = "2024-05-03 Mai lent me her ladder, and I gave it back on Sunday."
RAIN = "2024-05-04 It rained all day, and we stayed in with the children."


@pytest.fixture(scope="module", params=["literal", "bundled", "host", "deferred"])
def model(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ReadingModel]:
    if request.param == "literal":
        yield LiteralReader()
    elif request.param == "bundled":
        yield E5Reader()
    elif request.param == "deferred":
        yield DeferredReader(LiteralReader)
    else:
        with (
            Host(
                tmp_path_factory.mktemp("home"),
                reader="lpm_kernel.backends.embed.reading:LiteralReader",
            ) as host,
            closing(EndpointReader(host.endpoint)) as asked,
        ):
            yield asked


def same(one: TextReading, other: TextReading) -> bool:
    return (
        (one.relevance, one.none) == (other.relevance, other.none)
        and np.array_equal(one.spans, other.spans)
        and np.array_equal(one.begins, other.begins)
        and np.array_equal(one.ends, other.ends)
    )


@settings(max_examples=15, deadline=None)
@given(question=st.text(min_size=1, max_size=60), texts=TEXTS)
def test_company_does_not_matter_and_every_token_stands_in_its_text(
    model: ReadingModel, question: str, texts: list[str]
) -> None:
    readings = model.read(question, texts)
    assert len(readings) == len(texts)
    for reading, text in zip(readings, texts, strict=True):
        assert same(reading, model.read(question, [text])[0])
        assert len(reading.spans) == len(reading.begins) == len(reading.ends)
        assert np.isfinite([reading.relevance, reading.none]).all()
        for start, end in reading.spans.tolist():
            assert 0 <= start <= end <= len(text)


def test_what_answers_is_likelier_than_what_does_not(model: ReadingModel) -> None:
    lent, rain = model.read(QUESTION, [LENT, RAIN])
    assert lent.relevance > rain.relevance


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "🦊" * 400, "\ud800", "word " * 3000, "漢字かな交じり文"]
)
def test_nothing_that_can_be_typed_breaks_it(model: ReadingModel, text: str) -> None:
    assert np.isfinite(model.read("Who?", [text])[0].relevance)
    assert np.isfinite(model.read(text or "-", [LENT])[0].relevance)


def test_no_texts_give_no_readings(model: ReadingModel) -> None:
    assert list(model.read(QUESTION, [])) == []


def test_the_one_that_has_learned_finds_the_words_that_answer() -> None:
    reading = E5Reader().read(QUESTION, [LENT])[0]
    best = reading.best(0, len(LENT))
    assert best is not None
    score, start, end = best
    assert score > 0
    assert LENT[start:end].strip() == "Mai"


def test_of_a_long_question_the_end_is_read() -> None:
    asked = list(range(100, 100 + MOST_ASKED + 20))
    spans = np.zeros((len(asked), 2), np.int32)
    text = Tokens([7, 8], np.array([(0, 1), (1, 2)], np.int32))
    ids = pair(Tokens(asked, spans), text).ids
    assert asked[-1] in ids
    assert asked[0] not in ids


def test_a_reader_that_cannot_be_reached_is_left_alone_for_a_while() -> None:
    asked: list[Endpoint] = []

    def nowhere() -> Endpoint:
        asked.append(Endpoint("http://127.0.0.1:9/v1", "", ""))
        return asked[-1]

    with closing(EndpointReader(nowhere)) as reader:
        for _ in range(3):
            with pytest.raises(ReaderUnavailableError, match="cannot be reached"):
                reader.read(QUESTION, [LENT])
    assert len(asked) == 1


def test_a_reader_that_cannot_be_brought_up_is_tried_once() -> None:
    tried: list[int] = []

    def load() -> ReadingModel:
        tried.append(1)
        raise ReaderUnavailableError("The weights are not installed.")

    reader = DeferredReader(load)
    for _ in range(2):
        with pytest.raises(ReaderUnavailableError, match="not installed"):
            reader.read(QUESTION, [LENT])
    assert len(tried) == 1


def test_damaged_files_are_named_with_what_to_do_about_them(tmp_path: Path) -> None:
    E5Reader(cache=tmp_path)
    for path in tmp_path.glob("reader-*/model.onnx"):
        path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ReaderUnavailableError, match="cannot be read") as told:
        E5Reader(cache=tmp_path)
    assert str(tmp_path) in told.value.hint


def test_a_library_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ReaderUnavailableError, match="sentencepiece"):
        E5Reader(cache=tmp_path)
