"""Whatever is decided about whatever was found: nothing that was struck is used, and no correction
is left behind.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.chat.recall import Level, Recalled, Recollection, Signals
from lpm_kernel.domain.ids import ChunkId, DocumentId, FindingId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.decisions import Decision, Verdict, stretches
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.grounding import windows
from lpm_kernel.L1.answering.reader import read
from lpm_kernel.L1.answering.sentences import sentences
from lpm_kernel.L1.statements.changes import FactChange, change_of, told_again
from lpm_kernel.L1.statements.corrections import PassageDecisions, with_corrections

SENTENCES = [
    f"Sentence {word} tells of {word}." for word in ("amber", "birch", "cedar", "dogwood", "elder")
]
DOCUMENTS = [DocumentId(f"d{number}") for number in range(4)]
AT = datetime(2026, 3, 14, 9, tzinfo=UTC)


def chunk(document: DocumentId, text: str, version: str = "text-1") -> Chunk:
    return Chunk(ChunkId(f"c_{document}_{version}"), document, version, 0, len(text), text, "")


texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map(" ".join)
decided = st.lists(
    st.tuples(
        st.sampled_from(DOCUMENTS),
        st.sampled_from(SENTENCES),
        st.sampled_from(Verdict),
        st.sampled_from(DOCUMENTS),
    ),
    max_size=8,
)


@given(st.lists(texts, min_size=4, max_size=4), decided, st.integers(1, 4), st.integers(1, 6))
def test_nothing_that_was_struck_is_used(
    contents: list[str],
    decided: list[tuple[DocumentId, str, Verdict, DocumentId]],
    found: int,
    k: int,
) -> None:
    there = {
        document: chunk(document, text) for document, text in zip(DOCUMENTS, contents, strict=True)
    }
    decisions: dict[DocumentId, list[Decision]] = {}
    for number, (document, quote, verdict, correction) in enumerate(decided):
        corrected = correction if verdict is Verdict.MEND and correction != document else None
        start = max(0, there[document].text.find(quote))
        about = Decision(
            FindingId(str(number)),
            document,
            quote,
            "text-0",
            start,
            start + len(quote),
            verdict,
            AT,
            corrected,
        )
        decisions.setdefault(document, []).append(about)
    items = tuple(
        Recalled(there[document], 1.0 - number / 10, Signals())
        for number, document in enumerate(DOCUMENTS[: min(found, k)])
    )
    before = Recollection(items, Level.WORDS, 0, len(items), 0.5)
    after = with_corrections(
        RecallQuery(Question("Which sentence tells of birch?"), k=k),
        before,
        PassageDecisions(decisions),
        lambda document: [there[document]],
        len,
    )
    assert len(after.items) <= k
    assert len({item.chunk.id for item in after.items}) == len(after.items)
    for item in after.items:
        struck = {each.quote for each in decisions.get(item.chunk.document, []) if each.strikes}
        assert not any(quote in item.text for quote in struck)
        assert not struck & {each.text for each in sentences([item])}
        assert not any(
            quote.casefold() in window.text for quote in struck for window in windows(0, item)
        )
    for pick in read(Question("Which sentence tells of birch?"), after).picks:
        item = after.items[pick.item]
        assert not any(start < pick.end and pick.start < end for start, end in item.struck)


@given(texts, st.sampled_from(SENTENCES))
def test_a_sentence_is_found_wherever_it_stands(text: str, quote: str) -> None:
    about = Decision(FindingId("f"), DOCUMENTS[0], quote, "text-0", 0, 1, Verdict.FORGET, AT)
    spans = stretches(about, chunk(DOCUMENTS[0], text))
    assert [text[start:end] for start, end in spans] == [quote] * text.count(quote)


PEOPLE, PLACES = ["Hanako", "Ruth", "Bo", "Ingrid"], ["Wajima", "Machino", "Oslo", "Porto"]
TELLS = [
    "{who} lives in {where}.",
    "{who} sells bread in {where}.",
    "{who} lives with a cat.",
    "The train to {where} leaves at six.",
    "{who} met {other} in {where}.",
]
told = st.builds(
    lambda how, who, other, where: how.format(who=who, other=other, where=where),
    st.sampled_from(TELLS),
    st.sampled_from(PEOPLE),
    st.sampled_from(PEOPLE),
    st.sampled_from(PLACES),
)


def corrected(quote: str, content: str) -> tuple[FactChange | None, Chunk]:
    about = Decision(
        FindingId("f"),
        DocumentId("wrong"),
        quote,
        "text-1",
        0,
        len(quote),
        Verdict.MEND,
        AT,
        DocumentId("right"),
    )
    return change_of(about, content), chunk(DocumentId("right"), content)


@given(
    st.lists(st.lists(told, min_size=1, max_size=3), min_size=1, max_size=5),
    st.sampled_from(PEOPLE),
    st.permutations(PLACES),
    st.integers(-3, 3),
)
def test_a_correction_changes_no_answer_that_does_not_tell_the_old_fact(
    contents: list[list[str]], who: str, places: list[str], later: int
) -> None:
    wrong, right = f"{who} lives in {places[0]}.", f"{who} lives in {places[1]}."
    change, correction = corrected(wrong, right)
    assert change is not None
    items = tuple(
        Recalled(chunk(DocumentId(f"d{n}"), " ".join(said)), 1.0 - n / 10, Signals())
        for n, said in enumerate(contents)
    )
    written = AT + timedelta(days=later)
    before = Recollection(items, Level.WORDS, 0, len(items), 0.5)
    after = with_corrections(
        RecallQuery(Question("Where?"), k=20),
        before,
        PassageDecisions({}, [change], lambda _: written),
        lambda _: [correction],
        len,
    )
    reached = [item for item in items if wrong in item.chunk.text and written < AT]
    assert [item for item in after.items if item.chunk.document != "right"] == [
        (
            item
            if item not in reached
            else replace(
                item, struck=next(each.struck for each in after.items if each.chunk == item.chunk)
            )
        )
        for item in items
        if item not in reached or set(item.chunk.text.replace(wrong, "").split())
    ]
    for item in after.items:
        for start, end in item.struck:
            assert item.chunk.text[start:end] == wrong
    assert all(wrong not in item.text for item in after.items if written < AT)
    assert ("right" in {item.chunk.document for item in after.items}) == bool(reached)
    if reached:
        assert next(
            n for n, item in enumerate(after.items) if item.chunk.document == "right"
        ) <= items.index(reached[0])


@given(told, told)
def test_a_correction_that_rewrites_the_sentence_reaches_nothing_else(one: str, other: str) -> None:
    change, _ = corrected(one, other)
    if change is not None:
        assert change.stayed
        assert not told_again(change, chunk(DocumentId("d"), other))


@pytest.mark.parametrize(
    ("quote", "content", "elsewhere", "reached"),
    [
        (
            "The summer course has six places.",
            "The summer course has eight places.",
            "Summer course: 6 places, in July.",
            True,
        ),
        ("夏の講座は六人です。", "夏の講座は八人です。", "夏の講座は、6人だそうです。", True),
        (
            "The summer course has six places.",
            "The summer course has eight places.",
            "The summer course has six teachers.",
            False,
        ),
        (
            "The summer course has six places.",
            "The summer course has eight places.",
            "The summer course has eight places, not six.",
            False,
        ),
        (
            "The summer course has six places.",
            "The summer course has eight places.",
            "Does the summer course have six places?",
            False,
        ),
        (
            "津田さんは寺町に住んでいる。",
            "津田さんは東山に住んでいる。",
            "Mrs Tsuda lives in Teramachi.",
            True,
        ),
        (
            "津田さんは寺町に住んでいる。",
            "津田さんは東山に住んでいる。",
            "津田さんは寺町の店で働いている。",
            False,
        ),
        (
            "津田さんは寺町に住んでいる。",
            "津田さんは東山に住んでいる。",
            "以前、津田さんは寺町に住んでいた。",
            False,
        ),
        ("I live in Oslo.", "I live in Porto.", "Ruth lives in Oslo.", False),
        ("I live in Oslo.", "I live in Porto.", "I live in Oslo.", True),
        ("I live in Oslo.", "I live in Porto.", "I live in Oslo with three cats.", False),
    ],
)
def test_the_same_fact_is_known_in_other_words(
    quote: str, content: str, elsewhere: str, reached: bool
) -> None:
    change, _ = corrected(quote, content)
    assert change is not None
    assert bool(told_again(change, chunk(DocumentId("d"), elsewhere))) is reached


def test_what_somebody_else_says_of_themselves_is_left_alone() -> None:
    change, _ = corrected("I live in Oslo.", "I live in Porto.")
    assert change is not None
    assert not told_again(
        change, replace(chunk(DocumentId("d"), "I live in Oslo."), speaker="Ruth")
    )
    change, _ = corrected("Ruth lives in Oslo.", "Ruth lives in Porto.")
    assert change is not None
    assert told_again(change, replace(chunk(DocumentId("d"), "I live in Oslo."), speaker="Ruth"))
    assert not told_again(change, replace(chunk(DocumentId("d"), "I live in Oslo."), speaker="Bo"))


def test_two_corrections_one_after_the_other_leave_the_later_one() -> None:
    first = Decision(
        FindingId("1"),
        DocumentId("a"),
        "Ruth lives in Oslo.",
        "text-1",
        0,
        19,
        Verdict.MEND,
        AT,
        DocumentId("c1"),
    )
    second = Decision(
        FindingId("2"),
        DocumentId("b"),
        "Ruth lives in Porto.",
        "text-1",
        0,
        20,
        Verdict.MEND,
        AT + timedelta(hours=1),
        DocumentId("c2"),
    )
    right = {
        DocumentId("c1"): chunk(DocumentId("c1"), "Ruth lives in Porto."),
        DocumentId("c2"): chunk(DocumentId("c2"), "Ruth lives in Oslo."),
    }
    changes = [
        each
        for each in (
            change_of(first, right[DocumentId("c1")].text),
            change_of(second, right[DocumentId("c2")].text),
        )
        if each is not None
    ]
    moments = {"c1": first.at, "c2": second.at}
    items = tuple(
        Recalled(each, 1.0, Signals())
        for each in (chunk(DocumentId("old"), "Ruth lives in Oslo, by the sea."), *right.values())
    )
    after = with_corrections(
        RecallQuery(Question("Where does Ruth live?")),
        Recollection(items, Level.WORDS, 0, 3, 0.5),
        PassageDecisions(
            {}, changes, lambda each: moments.get(each.document, AT - timedelta(days=9))
        ),
        lambda each: [right[each]],
        len,
    )
    assert [item.text for item in after.items] == ["Ruth lives in Oslo."]
