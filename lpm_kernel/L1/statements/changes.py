"""What a correction changes, and where the old fact is told again: in another passage, another
document, the other language.

A correction of one sentence says which words went, which came, and which stayed: the subject and
what is said of it. Another sentence tells the old fact if it holds what went and what stayed, and
none of what came. Where that is not plain (a denial, a past that is told as past, a sentence that
goes on about much else) it is left alone: a wrong fact that is quoted once more can be mended, a
right one that is never quoted again is not missed by anybody.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lpm_kernel.domain.library.documents import AnchorKind, Chunk
from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.L0.language.analysis import spoken, terms, traits, unspaced
from lpm_kernel.L0.language.glosses import Tongues, stems
from lpm_kernel.L0.text.sentences import sentence_spans

MOST_CHANGED = 3
"""Words that went. Where more did, it is another sentence and no other value."""
CONSIDERED = 200
"""Corrections that are looked at, the newest."""

_DENIES = re.compile(
    r"\b(?:not|never|no|no longer|neither|nor|instead|rather|wrong\w*|mistak\w*|correct\w*)\b"
    r"|n['’]t\b|ない|ません|なかった|ではなく|じゃなく|間違|訂正|不|没",
    re.IGNORECASE,
)
_FORMERLY = re.compile(
    r"\b(?:was|were|had|used to|formerly|previously|until|till|before|then|once|back then"
    r"|at that time)\b|まで|以前|昔|かつて|当時|だった|でした|(?:い|っ|し)た[。．]?$|从前|以前|曾",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]\s*$|(?:ですか|ますか|でしょうか)[。]?\s*$")
_CAPITAL = re.compile(r"\b[A-ZÀ-Þ][\w'’-]*")
_WIDE = re.compile(r"[^\x00-\u02ff]")
_NUMERALS = {
    word: str(n)
    for n, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_NUMERAL_STEMS = {stem: number for word, number in _NUMERALS.items() for stem in terms(word)}
_EITHER = {"life": "live", "leaf": "leav"}
"""What "lives" and "leaves" are taken for, which are verbs as often as not: here both count as
one.
"""


@dataclass(frozen=True)
class FactChange:
    """What a correction changes in the sentence that it corrects."""

    decision: Decision
    stayed: frozenset[str] = field(repr=False)
    went: frozenset[str] = field(repr=False)
    came: frozenset[str] = field(repr=False)
    denies: bool
    past: bool
    own: bool
    """It is told in the first person, so whoever else says it says it of themselves."""


def change_of(decision: Decision, content: str) -> FactChange | None:
    """Say what a correction changes; ``None`` where it rewrites the sentence, or takes words away
    alone.

    >>> from lpm_kernel.domain.memory.decisions import Verdict
    >>> from datetime import UTC, datetime
    >>> about = Decision("f", "d", "Ren lives in Wajima.", "t", 0, 20, Verdict.MEND,
    ...     datetime(2025, 1, 1, tzinfo=UTC), "c")
    >>> change = change_of(about, "Ren lives in Machino.")
    >>> sorted(change.stayed), sorted(change.went), sorted(change.came)
    (['live', 'ren'], ['wajima'], ['machino'])
    >>> change_of(about, "Nothing is known about that man.") is None
    True
    """
    before, after = words(decision.quote), words(content)
    stayed, went, came = before & after, before - after, after - before
    if (
        not stayed
        or not came
        or not 0 < len(went) <= min(MOST_CHANGED, len(stayed) + 1)
        or len(came) > MOST_CHANGED + 1
    ):
        return None
    if bool(_DENIES.search(decision.quote)) != bool(_DENIES.search(content)):
        return None
    own = bool(traits(decision.quote) & Trait.FIRST_PERSON)
    return FactChange(
        decision,
        stayed,
        went,
        came,
        bool(_DENIES.search(decision.quote)),
        bool(_FORMERLY.search(decision.quote)),
        own,
    )


def words(text: str) -> frozenset[str]:
    """Give the content words, numbers in figures; not the pairs of signs that full text search
    needs besides.

    >>> sorted(words("The course has six places.")), sorted(words("定員は六名です。"))
    (['6', 'cours', 'place'], ['6', '名', '定員'])
    """
    known = set(spoken(text))
    found = [term for term in terms(text) if not _WIDE.search(term) or term in known] or terms(text)
    return frozenset(_figure(term) for term in found)


def _figure(term: str) -> str:
    term = _EITHER.get(term, term)
    if term in _NUMERAL_STEMS:
        return _NUMERAL_STEMS[term]
    value = unicodedata.numeric(term, None) if len(term) == 1 else None
    return term if value is None else f"{value:g}"


def told_again(change: FactChange, chunk: Chunk) -> list[tuple[int, int]]:
    """Return the sentences of a chunk that tell the old fact: spans of its text, end exclusive."""
    # a row tells of itself, in the words of every other row
    if chunk.anchor is not None and chunk.anchor.kind is AnchorKind.ROW:
        return []
    if not _Words(chunk.content).has(change.went | change.stayed):
        return []
    return [
        (start, end)
        for start, end in sentence_spans(chunk.text)
        if _tells(change, chunk.text[start:end], chunk.speaker or "")
    ]


def _tells(change: FactChange, sentence: str, speaker: str) -> bool:
    if (
        _ASKS.search(sentence)
        or bool(_DENIES.search(sentence)) != change.denies
        or bool(_FORMERLY.search(sentence)) != change.past
    ):
        return False
    own = bool(traits(sentence) & Trait.FIRST_PERSON)
    if own != change.own and not (own and words(speaker) & change.stayed):
        return False
    if change.own and speaker:  # somebody else may say the same of themselves
        return False
    said = _Words(f"{speaker}: {sentence}" if speaker and not change.own else sentence)
    if (
        not said.has(change.went | change.stayed)
        or not _Words(sentence).has(change.went)
        or said.has_any(change.came)
    ):
        return False
    # A sentence with as much else to say is about something else.
    besides = said.besides(change.went | change.stayed) - words(speaker)
    return sum(not term.isdigit() for term in besides) < len(change.stayed)


class _Words:
    """The words of a text, in which those of another language are found as well."""

    def __init__(self, text: str) -> None:
        self._own = words(text)
        self._spaced = not unspaced(text)
        self._named = words(" ".join(_CAPITAL.findall(text)))
        self._vocabulary = {term: number for number, term in enumerate(sorted(self._own))}
        self._others: dict[str, frozenset[str]] = {}
        self._tongues = Tongues()

    def _meant(self, term: str) -> frozenset[str]:
        """Give the words of this text that say a word of another one."""
        if term in self._own:
            return frozenset([term])
        # the same language, or a number: it stands there or it does not
        if bool(_WIDE.search(term)) != self._spaced or term.isdigit():
            return frozenset()
        if term not in self._others:
            found = frozenset(self._tongues.others([term], self._vocabulary).get(term, ()))
            # What a dictionary does not have is known by its sound, and then it is a name.
            self._others[term] = found if not self._spaced or stems(term) else found & self._named
        return self._others[term]

    def has(self, wanted: Collection[str]) -> bool:
        """Tell whether each stands there, in a word of its own."""
        meant = [self._meant(term) for term in wanted]
        return all(meant) and len(frozenset().union(*meant)) >= len(wanted)

    def has_any(self, wanted: Iterable[str]) -> bool:
        return any(self._meant(term) for term in wanted)

    def besides(self, wanted: Iterable[str]) -> frozenset[str]:
        return self._own.difference(*(self._meant(term) for term in wanted))


def applying(
    changes: Sequence[FactChange], chunk: Chunk, written: datetime | None
) -> Iterator[tuple[FactChange, list[tuple[int, int]]]]:
    """Yield the changes that reach a chunk, with its sentences that they reach. What was written
    after a correction knew better, or says something newer.
    """
    for change in changes:
        about = change.decision
        if chunk.document == about.correction or (written is not None and written >= about.at):
            continue
        if spans := told_again(change, chunk):
            yield change, spans
