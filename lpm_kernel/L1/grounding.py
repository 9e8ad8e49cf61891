"""The guard: a sentence of the model is released only when a passage carries it, and with that passage's citation.

A small model misreads its evidence about half the time. So each sentence is held against the passages: what is new
in it (every word that the question did not bring) has to stand in one sentence of a passage or in two that follow each
other, every number and every name in it has to stand there too, names in the same order, and both have to deny or affirm. What fails is not
shown. When nothing passes, the evidence itself is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise

from lpm_kernel.domain.conversations import PartKind
from lpm_kernel.domain.passages import Trait
from lpm_kernel.domain.recall import Recalled
from lpm_kernel.L0.analyse import Asks, asks, terms, traits
from lpm_kernel.L0.chunk import sentence_spans, sentences
from lpm_kernel.L1.language import language_of

COPIED = {"en": 0.88, "ja": 0.8, "zh": 0.8}
"""Likeness above which a statement is a copy with slips, and the original is quoted in its place.

A sign of Japanese or Chinese says more than a letter, so fewer have to agree.
"""
SHORT_ANSWER = 5
"""Content words up to which a sentence counts as an answer without saying any word of the question."""
QUOTED_FROM = 4
"""How many of the first passages may be quoted."""
PER_RANK = 0.1
FORM = 0.25
SHORT_QUOTE = 60

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<![.!?:“\"] )(?<!^)\b[A-ZÀ-Þ][\w’'-]+")
_LIGHT = {"go", "get", "happen", "becom"}
"""Verbs that say nothing of their own: "the coats went on in August"."""
_PERSON = {"i", "you", "your", "my"}
_DOES_NOT_KNOW = re.compile(
    r"\b(?:don[’']?t|do not|does not|doesn[’']?t|cannot|can[’']?t) (?:know|say|mention|specify|have (?:any|enough))|\bno information\b|分かりません|わかりません|不知道",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:not|never|no longer|nobody|nothing|none|neither|nor|without)\b|n[’']t\b|ない|ません|なかった|ず[、。に]|不|没", re.IGNORECASE)
_NOTE_MARK = re.compile(r"^\s*(?:Note(?: from [^:]{4,20})?: ?|\d{1,2}\.(?:\s+|$)|\(\d{1,2} \w+ \d{4}\)\s*|[-*] )+")
"""How the prompt marks its notes; a small model copies the marks."""
_HAS_NOTHING = {
    "en": "I have nothing about that.",
    "ja": "それについての記憶はありません。",
    "zh": "关于这件事，我没有任何记录。",
}
_STANDS_THERE = {
    "en": "This is what stands there:",
    "ja": "記録にはこうあります。",
    "zh": "记录里是这样写的：",
}


@dataclass(frozen=True)
class Piece:
    """A stretch of an answer and the passage that carries it (its place among the items), if it needs one."""

    kind: PartKind
    text: str = field(repr=False)
    item: int | None = None
    span: tuple[int, int] | None = None
    """For a quotation: where it stands inside the passage, end exclusive."""


@dataclass(frozen=True)
class Window:
    """One sentence of a passage, or two that follow each other: what a statement may rest on."""

    item: int
    span: tuple[int, int]
    text: str = field(repr=False)
    terms: frozenset[str] = field(repr=False)
    numbers: frozenset[str] = field(repr=False)
    denies: bool


class Guard:
    """Cuts a stream into sentences and lets through those that the evidence carries."""

    def __init__(self, question: str, items: Sequence[Recalled]) -> None:
        self._asked = set(terms(question))
        self._words = self._asked | set(question.casefold().split())
        self._items = items
        self._windows = [window for number, item in enumerate(items) for window in windows(number, item)]
        self._held = ""
        self._seen: set[str] = set()
        self.released = 0
        self.repeats = 0
        """How often the model said the same sentence again: it is going round in circles."""

    def feed(self, text: str) -> list[Piece]:
        """Take what the model wrote and return the sentences that are complete and carried."""
        self._held += text
        complete = sentences(self._held)
        if complete and self._held.endswith("\n"):
            self._held = ""
        elif complete:
            self._held = self._held[self._held.rindex(complete.pop()) :]  # with the space after it, which may end it
        return self._passed(complete)

    def finish(self) -> list[Piece]:
        """Return what is left, if it is carried."""
        rest, self._held = sentences(self._held), ""
        return self._passed(rest)

    def _passed(self, complete: Sequence[str]) -> list[Piece]:
        pieces = []
        for each in complete:
            sentence = _NOTE_MARK.sub("", each)
            if not sentence:
                continue
            if sentence in self._seen:
                self.repeats += 1
                continue
            self._seen.add(sentence)
            if (window := self.carrier(sentence)) is None:
                continue
            text = self._items[window.item].chunk.text
            start = text.find(sentence)
            if start >= 0:  # the person's own words, to the letter
                pieces.append(Piece(PartKind.QUOTATION, sentence, window.item, (start, start + len(sentence))))
            elif SequenceMatcher(None, sentence.casefold(), window.text, autojunk=False).ratio() >= COPIED[language_of(sentence)]:  # almost: then to the letter
                own = text[slice(*window.span)]
                if own not in self._seen:
                    self._seen.add(own)
                    pieces.append(Piece(PartKind.QUOTATION, own, window.item, window.span))
            else:
                pieces.append(Piece(PartKind.STATEMENT, sentence, window.item))
        self.released += len(pieces)
        return pieces

    def carrier(self, sentence: str) -> Window | None:
        """Return what carries the sentence, or ``None``."""
        said = set(terms(sentence))
        if _DOES_NOT_KNOW.search(sentence) or not any(not term.isdigit() for term in said):
            return None
        if self._asked and not said & self._asked and len(said) > SHORT_ANSWER:  # carried perhaps, and no answer
            return None
        numbers = set(_NUMBER.findall(sentence))
        names = {name.casefold() for name in _NAME.findall(sentence)} - self._words - _PERSON
        denies = bool(_DENIES.search(sentence))
        order = [name.casefold() for name in _NAME.findall(f"– {sentence}")]
        for window in self._windows:
            new = {term for term in said - _LIGHT if term not in self._asked or term in window.terms}
            if not new - self._asked and not numbers:  # it only says the question again
                continue
            if denies != window.denies or not numbers <= window.numbers or not all(name in window.text for name in names):
                continue
            if new <= window.terms and _in_order(order, window.text):
                return window
        return None


def _in_order(names: Sequence[str], text: str) -> bool:
    """Tell whether the names that stand in the text stand there in this order: who did what to whom is not turned round."""
    places = [text.find(name) for name in names if name in text]
    return places == sorted(places)


def windows(number: int, item: Recalled) -> list[Window]:
    """Return the sentences of a passage and their neighbouring pairs.

    The day on which the passage was written is none of them: a note often tells of another day than its own.
    """
    text = item.chunk.text
    spans = sentence_spans(text)
    found = []
    for start, end in [*spans, *((first[0], second[1]) for first, second in pairwise(spans))]:
        stretch = f"{item.chunk.speaker or ''} {text[start:end]}"
        found.append(
            Window(number, (start, end), stretch.casefold(), frozenset(terms(stretch)), frozenset(_NUMBER.findall(stretch)), bool(_DENIES.search(stretch)))
        )
    return found


def quotation(question: str, items: Sequence[Recalled]) -> list[Piece]:
    """Let the evidence speak: of the first passages, the sentence that has most of the question and the form of an answer."""
    asked, wants = set(terms(question)), asks(question)
    best: tuple[float, int, tuple[int, int]] | None = None
    for number, item in enumerate(items[:QUOTED_FROM]):
        for start, end in sentence_spans(item.chunk.text):
            sentence = item.chunk.text[start:end]
            said = set(terms(sentence))
            worth = len(said & asked) / max(1, len(asked)) - PER_RANK * number - (0.5 if not said - asked else 0.0)
            form = traits(sentence)
            if (wants & Asks.WHEN and form & Trait.TIME) or (wants & Asks.COUNT and form & Trait.NUMBER):
                worth += FORM
            if best is None or worth > best[0]:
                best = (worth, number, (start, end))
    pieces = [Piece(PartKind.NOTE, _STANDS_THERE[language_of(question)])]
    if best is not None:
        _, number, span = best
        start, end = _with_next(items[number].chunk.text, span)
        pieces.append(Piece(PartKind.QUOTATION, items[number].chunk.text[start:end], number, (start, end)))
    return pieces


def nothing(question: str) -> Piece:
    """Say that there is no memory of it, in the question's language."""
    return Piece(PartKind.NOTE, _HAS_NOTHING[language_of(question)])


def _with_next(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Take the following sentence along when the one found is short and both stand in one line."""
    spans = sentence_spans(text)
    place = spans.index(span)
    if place + 1 < len(spans) and span[1] - span[0] < SHORT_QUOTE and "\n" not in text[span[0] : spans[place + 1][1]]:
        return span[0], spans[place + 1][1]
    return span
