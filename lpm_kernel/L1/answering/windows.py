"""Passages as a model that has learned to read takes them in: a few sentences at a time, headed by
the day and by who said them.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.models.reading import BESIDE, WIDTH, TextReading, width
from lpm_kernel.domain.ports import ReadingModel
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.sentences import PassageSentence

SHORT = 120
"""Letters up to which a passage is not understood alone: what stands beside it is read along."""
LEARNED = ("span", "relevant")
"""What is learned of a sentence by reading it: how likely an answer begins in it, and how likely
its window answers at all.
"""

SURE = 12.0
"""Logits beyond which a reading is no surer."""

Floats = NDArray[np.float64]
Place = tuple[int, int]
"""A stretch of a passage, in code points, end exclusive."""
Numbered = tuple[int, PassageSentence]
"""A sentence with its number among all of them."""


@dataclass(frozen=True)
class PassageWindow:
    """Sentences of one passage that are read together."""

    text: str = field(repr=False)
    sentences: tuple[tuple[int, int, int], ...]
    """The number of each among all sentences, and where it stands in the text, end exclusive."""


def windows(items: Sequence[Recalled], found: Sequence[PassageSentence]) -> list[PassageWindow]:
    """Put the sentences of each passage together, as many as fit."""
    made: list[PassageWindow] = []
    for item, there in groupby(enumerate(found), lambda pair: pair[1].item):
        groups = _grouped(list(there))
        made += [
            _window(items[item], group, _beside(items[item], groups, n))
            for n, group in enumerate(groups)
        ]
    return made


def _grouped(there: Sequence[Numbered]) -> list[list[Numbered]]:
    groups: list[list[Numbered]] = [[]]
    for number, sentence in there:
        size = sum(width(each.text) for _, each in groups[-1]) + width(sentence.text)
        if groups[-1] and size > WIDTH:
            groups.append([])
        groups[-1].append((number, sentence))
    return groups


def _beside(item: Recalled, groups: Sequence[Sequence[Numbered]], n: int) -> tuple[str, str]:
    """Return what is read along before and after sentences that are not understood alone: what
    stands beside a short passage, or before the last words of a long one.
    """
    if sum(width(sentence.text) for _, sentence in groups[n]) > SHORT:
        return "", ""
    if n:
        return groups[n - 1][-1][1].text[-BESIDE:], ""
    if len(groups) > 1:
        return "", ""
    before, after = (chunk.content if chunk else "" for chunk in (item.before, item.after))
    return before[-BESIDE:], after[:BESIDE]


def headed(chunk: Chunk, before: str = "") -> str:
    """Return what stands before a passage: its day, what was said before it, and who said it."""
    day = f"{chunk.said_at:%Y-%m-%d} " if chunk.said_at else ""
    head = f"{day}{before}\n" if before else day
    return f"{head}{chunk.speaker}: " if chunk.speaker else head


def _window(item: Recalled, group: Sequence[Numbered], beside: tuple[str, str]) -> PassageWindow:
    before, after = beside
    text, places = headed(item.chunk, before), []
    for number, sentence in group:
        places.append((number, len(text), len(text) + len(sentence.text)))
        text += sentence.text + " "
    text = f"{text.rstrip()}\n{after}" if after else text.rstrip()
    return PassageWindow(text, tuple(places))


class ReadOnce:
    """A model that reads no text twice with the same question in mind: what was read to rank
    passages is read again to choose sentences. It keeps numbers and no text: what is forgotten
    leaves nothing here.
    """

    def __init__(self, inner: ReadingModel, most: int = 512) -> None:
        self.inner = inner
        self.id = inner.id
        self._most = most
        self._kept: OrderedDict[bytes, TextReading] = OrderedDict()
        self._key = secrets.token_bytes(32)
        self._lock = Lock()

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:
        """Read those texts that were not read yet, and say what is known of the others."""
        digests = {text: self._digest(question, text) for text in texts}
        with self._lock:
            known = {text: self._kept.get(digest) for text, digest in digests.items()}
        fresh = [text for text, reading in known.items() if reading is None]
        if fresh:
            made = dict(zip(fresh, self.inner.read(question, fresh), strict=True))
            known |= made
            with self._lock:
                self._kept.update({digests[text]: made[text] for text in fresh})
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return [reading for text in texts if (reading := known[text]) is not None]

    def _digest(self, question: str, text: str) -> bytes:
        """Return a name for the two of them that says nothing to who does not have the key."""
        pair = f"{question}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(pair, key=self._key, digest_size=16).digest()


@dataclass(frozen=True)
class LearnedSigns:
    """What a model that has learned to read says of sentences. n sentences."""

    features: dict[str, Floats]
    """By name (:data:`LEARNED`), each of shape (n,)."""
    answers: tuple[Place | None, ...]
    """Of each, the stretch of its passage that answers most likely."""


def learned_signs(
    model: ReadingModel,
    question: Question,
    items: Sequence[Recalled],
    found: Sequence[PassageSentence],
) -> LearnedSigns:
    """Read the sentences, and say of each how likely an answer begins in it, which words of it
    answer, and how likely its window answers at all. Raises ``ReaderUnavailableError``.
    """
    parts = windows(items, found)
    readings = model.read(question.text, [part.text for part in parts])
    span, relevant = np.full(len(found), -SURE), np.full(len(found), -SURE)
    answers: list[Place | None] = [None] * len(found)
    for part, reading in zip(parts, readings, strict=True):
        for number, start, end in part.sentences:
            relevant[number] = bounded(reading.relevance)
            if best := reading.best(start, end):
                score, first, last = best
                span[number] = bounded(score)
                offset = found[number].start - start
                answers[number] = (max(start, first) + offset, min(end, last) + offset)
    return LearnedSigns(dict(zip(LEARNED, (span, relevant), strict=True)), tuple(answers))


def bounded(logit: float) -> float:
    """Return a logit that is no surer than :data:`SURE`."""
    return max(-SURE, min(SURE, logit))
