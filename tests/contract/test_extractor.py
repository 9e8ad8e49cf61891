"""What an extractor promises, over every one: the rules, and a language model – the bundled one,
the twin, one that rambles, one that was never asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

import pytest

from lpm_kernel.backends.llm.gguf_model import GgufModel
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id, text_hash
from lpm_kernel.domain.memory.proposals import Extractor
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L1.statements.extraction import RuleExtractor
from lpm_kernel.L1.statements.extraction_model import ModelExtractor, question

DOCUMENT = DocumentId("d_1")
TOLD = (
    '{"statements": [{"sentence": \\1, "says": "\\2", "kind": "world", "about": [], "sure":'
    ' "high"}]}'
)
TWIN = [(r"(\d+)\. ((?:Priya lives|兄の拓海|I bought)[^\n]*)", TOLD), (".", '{"statements": []}')]


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


PASSAGES = [
    passage("Good morning! Priya lives in Ghent with her two sons. How are you?", 0),
    passage("# Plans\n\n兄の拓海は松江で働いている。おはよう。", 100),
    passage("I bought a loom in May 2021.", 200, speaker="Mai"),
    passage("Priya lives in Oslo.", 300, speaker="assistant"),
    passage("Priya lives in Bergen.", 400, kind=StatementKind.WORLD),
    passage("| a | b |\n| - | - |\n\nPlease come in. \ud800 🦊", 500),
    passage("。。。", 600),
]


class Asked:
    """Asks a model about a passage once, and keeps what it said."""

    def __init__(self, model: LanguageModel, most: int | None = None) -> None:
        self.model = model
        self.most = most
        """Tokens of an answer, where it is to be cut short."""
        self.said: dict[str, str] = {}

    def __call__(self, chunks: Sequence[Chunk]) -> Mapping[str, str]:
        for chunk in chunks:
            asked, key = question(chunk), text_hash(chunk.content)
            if asked is not None and key not in self.said:
                messages, sampling = asked
                cut = sampling if self.most is None else replace(sampling, max_tokens=self.most)
                self.said[key] = "".join(delta.text for delta in self.model.stream(messages, cut))
        return self.said


@pytest.fixture(scope="module", params=["rules", "twin", "rambling", "never asked", "bundled"])
def extractor(request: pytest.FixtureRequest) -> Iterator[Extractor]:
    if request.param == "rules":
        yield RuleExtractor()
    elif request.param == "bundled":
        with closing(GgufModel(bundled_model(), context=1024)) as model:
            yield ModelExtractor(Asked(model, 120))
    elif request.param == "never asked":
        yield ModelExtractor(lambda _: {})
    else:
        yield ModelExtractor(
            Asked(
                ScriptedModel(
                    TWIN if request.param == "twin" else [(".", '{"statements": [{"sentence": 1, ')]
                )
            )
        )


def test_it_says_what_it_is(extractor: Extractor) -> None:
    assert extractor.name in {"rules", "model"}
    assert extractor.version


def test_the_same_passages_give_the_same_whatever_stands_beside_them(extractor: Extractor) -> None:
    together = extractor.extract(PASSAGES)
    assert together == extractor.extract(PASSAGES)
    assert together == [each for chunk in PASSAGES for each in extractor.extract([chunk])]
    assert [each.start for each in together] == sorted(each.start for each in together)
    assert extractor.extract([]) == []


def test_a_proposal_is_a_sentence_of_its_passage(extractor: Extractor) -> None:
    for each in extractor.extract(PASSAGES):
        chunk = next(
            chunk for chunk in PASSAGES if chunk.start <= each.start and each.end <= chunk.end
        )
        assert each.text == chunk.text[each.start - chunk.start : each.end - chunk.start]
        assert (each.document, each.text_version) == (chunk.document, chunk.text_version)
        assert 0 <= each.confidence <= 1
        assert each.kind in {StatementKind.WORLD, StatementKind.EXPERIENCE, StatementKind.OPINION}
        assert all(name in chunk.content for name in each.about)
        assert each.wording is None or set(terms(each.wording)) <= set(terms(chunk.content))
        assert each.text not in repr(each)
    assert len({(each.start, each.end) for each in extractor.extract(PASSAGES)}) == len(
        extractor.extract(PASSAGES)
    )


def test_what_a_program_said_and_what_is_kept_already_is_not_proposed(extractor: Extractor) -> None:
    assert extractor.extract([PASSAGES[3], PASSAGES[4]]) == []


def test_greetings_questions_biddings_and_headings_are_not_proposed(extractor: Extractor) -> None:
    texts = {each.text for each in extractor.extract(PASSAGES)}
    assert not texts & {
        "Good morning!",
        "How are you?",
        "おはよう。",
        "Please come in.",
        "# Plans",
        "Plans",
    }


def test_what_everybody_would_keep_is_proposed(extractor: Extractor) -> None:
    if (
        isinstance(extractor, ModelExtractor)
        and isinstance(asked := extractor._answers, Asked)
        and isinstance(asked.model, GgufModel)
    ):
        pytest.skip("nothing to prove: the bundled model is too small to choose")
    found = {each.text: each for each in extractor.extract(PASSAGES)}
    assert {
        "Priya lives in Ghent with her two sons.",
        "兄の拓海は松江で働いている。",
        "I bought a loom in May 2021.",
    } == set(found)
    assert found["Priya lives in Ghent with her two sons."].about[0] == "Priya"
