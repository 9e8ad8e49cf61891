"""Whatever a text holds: what is proposed of it are its own words, and nothing breaks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import ParsedText
from lpm_kernel.L0.text.chunks import chunks
from lpm_kernel.L1.statements.extraction import RuleExtractor
from lpm_kernel.usecases.memory.proposals import PAGE, PER_DOCUMENT, PER_PAGE, best
from tests.bench.fit_extract import load

SENTENCES = [each.text for each in load("dev")]


@given(
    parts=st.lists(st.one_of(st.sampled_from(SENTENCES), st.text(max_size=40)), max_size=20),
    joint=st.sampled_from([" ", "\n", "\n\n- "]),
)
def test_proposals_are_stretches_of_the_text_and_few_of_a_page(
    parts: list[str], joint: str
) -> None:
    text = joint.join(parts)
    found = RuleExtractor().extract(chunks(DocumentId("d_1"), "text-1", ParsedText(text, ()), None))
    assert all(text[each.start : each.end] == each.text for each in found)
    chosen = best(found)
    assert len(chosen) <= PER_DOCUMENT
    assert all(
        sum(each.start // PAGE == page for each in chosen) <= PER_PAGE
        for page in {each.start // PAGE for each in chosen}
    )
    assert [each.confidence for each in chosen] == sorted(
        (each.confidence for each in chosen), reverse=True
    )
