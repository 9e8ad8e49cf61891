"""What a document is about, without a model: its keywords, and the sentences that carry most of
them.

The summary is made of the document's own sentences and points at them, so nothing in it can be
wrong about the text. It depends on the document alone: an unchanged document needs no work when
others come in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from itertools import islice
from math import fsum, log, sqrt

from lpm_kernel.domain.library.passages import Passage, Trait
from lpm_kernel.L0.language.analysis import spoken, terms, traits
from lpm_kernel.L0.text.chunks import Span
from lpm_kernel.L0.text.salutations import past_salutation
from lpm_kernel.L0.text.sentences import sentence_spans

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
    sentences: list[tuple[Span, set[str]]] = []
    written: Counter[str] = Counter()
    for passage in looked_at:
        for first, end in sentence_spans(passage.chunk.text):
            start = past_salutation(passage.chunk.text, first, end)
            words = spoken(passage.chunk.text[start:end])
            written.update(words)
            if SHORTEST <= end - start <= LONGEST and passage.chunk.text[end - 1] != "?":
                sentences.append(
                    (
                        (passage.chunk.start + start, passage.chunk.start + end),
                        {_key(word) for word in words} - {""},
                    )
                )
    counts: Counter[str] = Counter()
    spelling: dict[str, str] = {}
    for word, count in written.items():
        key = _key(word)
        counts[key] += count
        if key not in spelling or count > written[spelling[key]]:
            spelling[key] = word
    weight = {key: log(1 + count) * (1 + log(len(key))) for key, count in counts.items() if key}
    names = [
        name
        for name, _ in Counter(
            name for passage in looked_at for name in dict.fromkeys(passage.names)
        ).most_common(NAMES)
    ]
    known = {name.casefold() for name in names}
    best = (spelling[key] for key in sorted(weight, key=lambda key: (-weight[key], key)))
    keywords = tuple(
        [
            *names,
            *islice((word for word in best if not any(word in name for name in known)), KEYWORDS),
        ][:KEYWORDS]
    )
    first = looked_at[0].chunk.end if looked_at else 0
    return Digest(keywords, _summary(sentences, weight, first))


def _summary(
    sentences: Sequence[tuple[Span, set[str]]], weight: Mapping[str, float], first: int
) -> tuple[Span, ...]:
    """Return where the weightiest sentences stand; those that begin before ``first`` weigh a little
    more.
    """
    best: list[tuple[float, Span]] = []
    for span, keys in sentences:
        worth = (
            fsum(weight[key] for key in keys)
            / sqrt(len(keys) + 3)
            * (1.15 if span[0] < first else 1.0)
        )
        best.append((-worth, span))
    return tuple(sorted(span for _, span in nsmallest(SENTENCES, best)))


@lru_cache(maxsize=20_000)
def _key(word: str) -> str:
    """Return the stem of a word that says something, else nothing; dates and numbers say little
    about what a text is about.
    """
    found = [] if traits(word) & (Trait.TIME | Trait.NUMBER) else terms(word)
    return (
        found[0]
        if found and (len(found[0]) > 1 or not found[0].isascii()) and not found[0].isdigit()
        else ""
    )
