"""What a document is about, without a model: its keywords, and the sentences that carry most of them.

The summary is made of the document's own sentences and points at them, so nothing in it can be wrong about the text.
It depends on the document alone: an unchanged document needs no work when others come in.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log, sqrt

from lpm_kernel.domain.passages import Passage, Trait
from lpm_kernel.L0.analyse import spoken, terms, traits
from lpm_kernel.L0.chunk import sentence_spans

KEYWORDS = 8
NAMES = 3
SENTENCES = 2
LONGEST = 240
"""Characters of a sentence of the summary; longer ones summarise nothing."""
SHORTEST = 20
PASSAGES = 2000
"""Passages of a long document that are looked at, evenly spread."""


@dataclass(frozen=True)
class Digest:
    """What a document is about."""

    keywords: tuple[str, ...] = field(repr=False)
    """As they are written in the document, the weightiest first."""
    summary: tuple[tuple[int, int], ...]
    """Where the sentences of the summary stand in the canonical text, in the order of the text."""


def digest(passages: Sequence[Passage]) -> Digest:
    """Return what the passages of one document are about."""
    looked_at = passages[:: max(1, len(passages) // PASSAGES)]
    counts: Counter[str] = Counter()
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for passage in looked_at:
        for word in spoken(passage.chunk.text):
            key = _key(word)
            if key:
                counts[key] += 1
                written[key][word] += 1
    weight = {key: log(1 + count) * (1 + log(len(key))) for key, count in counts.items()}
    names = [name for name, _ in Counter(name for passage in looked_at for name in dict.fromkeys(passage.names)).most_common(NAMES)]
    known = {name.casefold() for name in names}
    words = [written[key].most_common(1)[0][0] for key in sorted(weight, key=lambda key: (-weight[key], key))]
    keywords = tuple([*names, *(word for word in words if not any(word in name for name in known))][:KEYWORDS])
    return Digest(keywords, _summary(looked_at, weight))


def _summary(passages: Sequence[Passage], weight: dict[str, float]) -> tuple[tuple[int, int], ...]:
    best: list[tuple[float, int, int]] = []
    for number, passage in enumerate(passages):
        text = passage.chunk.text
        for start, end in sentence_spans(text):
            if SHORTEST <= end - start <= LONGEST and not text[start:end].endswith("?"):
                keys = {key for word in spoken(text[start:end]) if (key := _key(word))}
                worth = sum(weight.get(key, 0.0) for key in keys) / sqrt(len(keys) + 3) * (1.15 if number == 0 else 1.0)
                best.append((-worth, passage.chunk.start + start, passage.chunk.start + end))
    return tuple(sorted((start, end) for _, start, end in sorted(best)[:SENTENCES]))


@lru_cache(maxsize=20_000)
def _key(word: str) -> str:
    """Return the stem of a word that says something, else nothing; dates and numbers say little about what a text is about."""
    found = [] if traits(word) & (Trait.TIME | Trait.NUMBER) else terms(word)
    return found[0] if found and (len(found[0]) > 1 or not found[0].isascii()) and not found[0].isdigit() else ""
