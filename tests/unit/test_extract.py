"""What is proposed by rule: how often it is right, where it stands, and what is never proposed."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L1.statements import extraction
from lpm_kernel.L1.statements.extraction import RuleExtractor
from tests.bench.fit_extract import load, measured, proposed

DOCUMENT = DocumentId("d_1")


def passage(
    text: str, start: int = 0, *, speaker: str | None = None, kind: StatementKind | None = None
) -> Chunk:
    end = start + len(text)
    return Chunk(
        chunk_id(DOCUMENT, "text-1", start, end),
        DOCUMENT,
        "text-1",
        start,
        end,
        text,
        "part-1",
        speaker=speaker,
        kind=kind,
    )


def read(text: str, *, speaker: str | None = None) -> list[Proposal]:
    return RuleExtractor().extract([passage(text, speaker=speaker)])


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("name", ["dev", "blind", "other"])
def test_most_of_what_is_proposed_is_worth_keeping_and_most_of_that_is_proposed(
    name: str, lang: str
) -> None:
    sentences = [each for each in load(name) if each.lang == lang]
    found = measured(sentences, [proposed(each.text) for each in sentences])
    assert found.precision >= 0.85, found
    assert found.recall >= 0.7, found


def test_half_of_the_sentences_say_nothing_worth_keeping_and_no_sentence_stands_in_two_files() -> (
    None
):
    dev, blind, other = load("dev"), load("blind"), load("other")
    assert len(blind) + len(other) >= (len(dev) + len(blind) + len(other)) / 3
    assert len(dev) >= 200
    assert len(blind) >= 100
    assert all(
        abs(sum(each.keep for each in part) / len(part) - 0.45) < 0.06
        for part in (dev, blind, other)
    )
    every = [*dev, *blind, *other]
    assert len({each.text for each in every}) == len(every)
    assert all((each.kind is not None) == each.keep for each in every)


def test_a_proposal_stands_where_its_words_stand_and_says_why() -> None:
    text = (
        "Good morning!\n\n- Priya lives in Ghent with her two sons. What a day.\n-"
        " 兄の拓海は松江で働いている。"
    )
    first, second = RuleExtractor().extract([passage(text, 100)])
    assert [text[each.start - 100 : each.end - 100] for each in (first, second)] == [
        first.text,
        second.text,
    ]
    assert (first.text, first.kind, first.about[0]) == (
        "Priya lives in Ghent with her two sons.",
        StatementKind.WORLD,
        "Priya",
    )
    assert (second.text, second.about) == ("兄の拓海は松江で働いている。", ("拓海",))
    assert {"named", "life", "place"} <= set(first.reason)
    assert 0.6 <= first.confidence <= 1
    assert "Priya" not in repr(first)


@pytest.mark.parametrize(
    "text",
    [
        "Did Priya move to Ghent in May?",
        "Please ask Priya about the lease in Ghent.",
        "He moved to Ghent in May 2021.",
        "They sold the house in Ghent.",
        "# Priya moved to Ghent in May 2021.",
        "| Priya | moved to Ghent | May 2021 |",
        "拓海は五月に松江へ引っ越したのですか?",
        "五月までに松江へ引っ越してください。",
        "彼は五月に松江へ引っ越した。",
        "",
        "。。。",
    ],
)
def test_questions_biddings_headings_and_people_without_a_name_are_not_proposed(text: str) -> None:
    assert read(text) == []


def test_what_a_model_said_and_what_was_retained_already_is_not_proposed() -> None:
    said = "I moved to Ghent in May 2021."
    assert read(said, speaker="Osman")[0].about == ("Osman", "Ghent")
    assert read(said, speaker="assistant") == []
    assert RuleExtractor().extract([passage(said, kind=StatementKind.EXPERIENCE)]) == []


def test_what_it_tells_of() -> None:
    kinds = {
        text: read(text)[0].kind.value
        for text in (
            "I moved to Ghent in May.",
            "I love the old harbour in Ghent.",
            "Priya lives in Ghent.",
        )
    }
    assert list(kinds.values()) == ["experience", "opinion", "world"]
    assert read("四月に松江へ引っ越した。")[0].kind is StatementKind.EXPERIENCE


def test_the_same_passages_give_the_same_whatever_stands_beside_them() -> None:
    extractor: Extractor = RuleExtractor()
    chunks = [passage(each.text, 1000 * i) for i, each in enumerate(load("dev"))]
    together = extractor.extract(chunks)
    assert together == [proposal for chunk in chunks for proposal in extractor.extract([chunk])]
    assert [each.start for each in together] == sorted(each.start for each in together)


def test_every_weight_belongs_to_a_sign_and_what_speaks_against_never_speaks_for() -> None:
    weights = extraction.weights()
    assert set(weights.of) <= set(extraction.SIGNS)
    assert all(
        weights.of.get(name, 0.0) <= 0
        for name in (*extraction.NEVER, "short", "vague", "supposes", "ordains")
    )
