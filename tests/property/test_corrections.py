"""Whatever is decided about whatever was found: nothing that was struck is used, and no correction is left behind."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.decisions import Decision, Verdict, stretches
from lpm_kernel.domain.documents import Chunk
from lpm_kernel.domain.ids import ChunkId, DocumentId, FindingId
from lpm_kernel.domain.recall import Level, Recalled, RecallQuery, Recollection, Signals
from lpm_kernel.L1.corrections import heeded
from lpm_kernel.L1.grounding import windows
from lpm_kernel.L1.reader import read, sentences

SENTENCES = [f"Sentence {word} tells of {word}." for word in ("amber", "birch", "cedar", "dogwood", "elder")]
DOCUMENTS = [DocumentId(f"d{number}") for number in range(4)]
AT = datetime(2026, 3, 14, 9, tzinfo=UTC)


def chunk(document: DocumentId, text: str, version: str = "text-1") -> Chunk:
    return Chunk(ChunkId(f"c_{document}_{version}"), document, version, 0, len(text), text, "")


texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map(" ".join)
decided = st.lists(st.tuples(st.sampled_from(DOCUMENTS), st.sampled_from(SENTENCES), st.sampled_from(Verdict), st.sampled_from(DOCUMENTS)), max_size=8)


@given(st.lists(texts, min_size=4, max_size=4), decided, st.integers(1, 4), st.integers(1, 6))
def test_nothing_that_was_struck_is_used(contents: list[str], decided: list[tuple[DocumentId, str, Verdict, DocumentId]], found: int, k: int) -> None:
    there = {document: chunk(document, text) for document, text in zip(DOCUMENTS, contents, strict=True)}
    decisions: dict[DocumentId, list[Decision]] = {}
    for number, (document, quote, verdict, correction) in enumerate(decided):
        corrected = correction if verdict is Verdict.MEND and correction != document else None
        start = max(0, there[document].text.find(quote))
        about = Decision(FindingId(str(number)), document, quote, "text-0", start, start + len(quote), verdict, AT, corrected)
        decisions.setdefault(document, []).append(about)
    items = tuple(Recalled(there[document], 1.0 - number / 10, Signals()) for number, document in enumerate(DOCUMENTS[: min(found, k)]))
    before = Recollection(items, Level.WORDS, 0, len(items), 0.5)
    after = heeded(RecallQuery("Which sentence tells of birch?", k=k), before, decisions, lambda document: [there[document]], len)
    assert len(after.items) <= k
    assert len({item.chunk.id for item in after.items}) == len(after.items)
    for item in after.items:
        struck = {each.quote for each in decisions.get(item.chunk.document, []) if each.strikes}
        assert not any(quote in item.text for quote in struck)
        assert not struck & {each.text for each in sentences([item])}
        assert not any(quote.casefold() in window.text for quote in struck for window in windows(0, item))
    for pick in read("Which sentence tells of birch?", after).picks:
        item = after.items[pick.item]
        assert not any(start < pick.end and pick.start < end for start, end in item.struck)


@given(texts, st.sampled_from(SENTENCES))
def test_a_sentence_is_found_wherever_it_stands(text: str, quote: str) -> None:
    about = Decision(FindingId("f"), DOCUMENTS[0], quote, "text-0", 0, 1, Verdict.FORGET, AT)
    spans = stretches(about, chunk(DOCUMENTS[0], text))
    assert [text[start:end] for start, end in spans] == [quote] * text.count(quote)
