"""What is struck and what is private never stands in a request, whatever was written and whatever
is asked.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.recall import Level, Recalled, Recollection, Signals
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L1.answering.gathering import gather
from lpm_kernel.usecases.chat.bridge import BridgeMemory, enhance

WORDS = [
    "walnut",
    "mother",
    "dinner",
    "stairs",
    "violin",
    "Kanazawa",
    "rain",
    "umbrella",
    "brother",
    "doctor",
    "blue",
    "eleven",
    "くるみ",
    "母",
    "夕食",
    "雨",
    "傘",
    "工房",
    "never",
    "allergic",
]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=4, max_size=9, unique=True).map(
    lambda words: " ".join(words).capitalize() + "."
)
REQUEST = "Please plan a dinner for mother and brother, 夕食の献立も。"


def recalled(texts: list[str], private: set[int]) -> tuple[Recollection, set[DocumentId]]:
    """A memory in which each text is a document of its own."""
    items = [
        Recalled(
            Chunk(ChunkId(f"c{n}"), DocumentId(f"d{n}"), "t", 0, len(text), text, "s"),
            1.0 / (n + 1),
            Signals(),
            ("dinner",),
        )
        for n, text in enumerate(texts)
    ]
    return Recollection(tuple(items), Level.WORDS, 0, len(items), 0.5), {
        DocumentId(f"d{n}") for n in private
    }


@given(st.lists(SENTENCES, min_size=1, max_size=8, unique=True), st.data(), st.booleans())
def test_nothing_struck_and_nothing_private_stands_in_it(
    texts: list[str], data: st.DataObject, tells_everything: bool
) -> None:
    private = data.draw(st.sets(st.integers(0, len(texts) - 1)))
    found, closed = recalled(texts, private)
    # A model that says whatever it was ever told, and more.
    model = ScriptedModel([(".", f"{REQUEST} {' '.join(texts)}")] if tells_everything else [])

    def recall(query: RecallQuery) -> Recollection:
        assert not query.scope.include_private
        return found

    def make(strike: set[str]) -> tuple[str, list[str]]:
        memory = BridgeMemory(
            recall,
            gather,
            lambda chunk: found.items[int(chunk[1:])].chunk,
            closed.__contains__,
        )
        made = enhance(memory, model, REQUEST, strike)
        return made.request.casefold(), [fact.id for fact in made.facts]

    whole, ids = make(set())
    strike = data.draw(st.sets(st.sampled_from(ids))) if ids else set()
    struck = {texts[int(each[1 : each.index(".")])] for each in strike}
    text, kept = make(strike)
    open_ = {each.casefold() for n, each in enumerate(texts) if n not in private}
    for n, each in enumerate(texts):
        if n in private and each.casefold() not in open_:
            assert each.casefold() not in whole
            assert each.casefold() not in text
    for each in struck:
        assert each.casefold() not in text
    assert set(kept) <= set(ids) - strike
