"""How well a language model chooses what is worth keeping, beside the rules, on the labelled
sentences. Run by `make bench`.

Each passage is six of the sentences, so that the model has to choose; `LPM_BENCH_MODEL` names
another GGUF file, and `LPM_BENCH_PASSAGES` how many passages (12 unless told otherwise). The twin
chooses what the labels choose: what is lost with it is lost to the guard and to the most statements
of a passage.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from lpm_kernel.backends.llm.gguf_model import GgufModel
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id, text_hash
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.L1.statements.extraction import RuleExtractor, sentences_of
from lpm_kernel.L1.statements.extraction_model import ModelExtractor, question, read
from tests.bench.fit_extract import Labelled, load, measured

pytestmark = pytest.mark.bench

SIZE = 6
"""Sentences of a passage."""


class Nothing:
    """Proposes nothing, so that what the model says stands alone."""

    name = version = "nothing"

    def extract(self, _: Sequence[Chunk]) -> list[Proposal]:
        return []


def passage_of(sentences: Sequence[Labelled]) -> Chunk:
    text = "\n\n".join(each.text for each in sentences)
    document = DocumentId("d")
    return Chunk(chunk_id(document, "v", 0, len(text)), document, "v", 0, len(text), text, "s")


def script(sentences: Iterable[Labelled]) -> list[tuple[str, str | None]]:
    """Answer each passage as the labels would: by its first sentence, which stands in one passage
    alone.
    """
    found: list[tuple[str, str | None]] = []
    known = {each.text: each for each in sentences}
    for those in passages(list(known.values())):
        chunk = passage_of(those)
        texts = [chunk.text[start:end] for start, end in sentences_of(chunk)]
        kept = [
            (number, text)
            for number, text in enumerate(texts, 1)
            if text in known and known[text].keep
        ]
        items = [
            {
                "sentence": number,
                "says": text,
                "kind": known[text].kind,
                "about": known[text].about,
                "sure": "high",
            }
            for number, text in kept
        ]
        found.append(
            (
                re.escape(f"1. {texts[0]}\n"),
                json.dumps({"statements": items}, ensure_ascii=False).replace("\\", "\\\\"),
            )
        )
    return found


def passages(sentences: list[Labelled]) -> list[list[Labelled]]:
    shuffled = random.Random(7).sample(sentences, len(sentences))
    most = int(os.environ.get("LPM_BENCH_PASSAGES", "12"))
    return [shuffled[at : at + SIZE] for at in range(0, len(shuffled), SIZE)][:most]


def rate(name: str, extractor: Extractor, those: Sequence[Sequence[Labelled]]) -> None:
    flat = [each for part in those for each in part]
    found = {each.text for part in those for each in extractor.extract([passage_of(part)])}
    print(f"{name:40} {measured(flat, [each.text in found for each in flat])}")


@pytest.mark.parametrize("which", ["twin", "model"])
def test_what_a_model_chooses(which: str) -> None:
    sentences = load("blind")
    those = passages(sentences)
    file = Path(os.environ.get("LPM_BENCH_MODEL") or bundled_model())
    made: LanguageModel
    with (
        nullcontext(ScriptedModel(script(sentences)))
        if which == "twin"
        else closing(GgufModel(file, context=4096))
    ) as made:
        said: dict[str, str] = {}
        started = time.perf_counter()
        for part in those:
            chunk = passage_of(part)
            asked = question(chunk)
            assert asked is not None
            said[text_hash(chunk.content)] = "".join(delta.text for delta in made.stream(*asked))
        took = (time.perf_counter() - started) / len(those)
    answers = [read(said[text_hash(passage_of(part).content)], passage_of(part)) for part in those]
    given = sum(
        len(json.loads(said[text_hash(passage_of(part).content)])["statements"])
        for part, each in zip(those, answers, strict=True)
        if each is not None
    )
    passed = sum(len(each) for each in answers if each is not None)
    print(
        f"\n{which}: {len(those)} passages, {took:.1f} s each;"
        f" {sum(each is None for each in answers)} answers that are none; {passed} of {given}"
        " statements carried"
    )
    rate("rules", RuleExtractor(), those)
    rate("model alone", ModelExtractor(lambda _: said, otherwise=Nothing()), those)
    rate("model, rules where it has no answer", ModelExtractor(lambda _: said), those)
