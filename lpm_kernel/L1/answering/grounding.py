"""The guard: a sentence of the model is released only when a passage carries it, and with that
passage's citation.

A small model misreads its evidence about half the time. So each sentence is held against the
passages: what is new in it (every word that the question did not bring) has to stand in one
sentence of a passage or in two that follow each other, every number and every name in it has to
stand there too, names in the same order, and both have to deny or affirm. Who is said to have said
something has to be who said it. Where the question is how things are, what a newer passage puts
otherwise does not pass. What fails is not shown. When nothing passes, the evidence itself is
quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise

from lpm_kernel.domain.chat.conversations import PartKind
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.dates import Span
from lpm_kernel.L0.language.identification import day_in_words, language_of
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.sentences import sentence_spans, sentences
from lpm_kernel.L1.answering.day_questions import nearest
from lpm_kernel.L1.answering.leads import Whose, lead, nobody_known
from lpm_kernel.L1.answering.reader import Pick, length
from lpm_kernel.L1.answering.sentences import overlaps
from lpm_kernel.L1.answering.signs import present
from lpm_kernel.L1.answering.voice import Voice, has_nothing, has_nothing_from, not_sure

COPIED = {"en": 0.88, "ja": 0.8, "zh": 0.8}
"""Likeness above which a statement is a copy with slips, and the original is quoted in its place.

A sign of Japanese or Chinese says more than a letter, so fewer have to agree.
"""
SHORT_ANSWER = 5
"""Content words up to which a sentence counts as an answer without saying any word of the
question.
"""
SAME_WORDS = 0.8
"""Share of the words of two sentences of a role that are in both, from which the second says
nothing new.
"""
SAME_SUBJECT = 0.6
"""Share of what a passage has of the question from which a newer one speaks of the same."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"\w[\w’'-]*")
_NAME = re.compile(r"(?<![.!?:“\"] )(?<!^)\b[A-ZÀ-Þ][\w’'-]+")
_LIGHT = {"go", "get", "happen", "becom", "sai", "tell", "write", "ask", "answer", "repli", "note"}
"""Verbs that say nothing of their own: "the coats went on in August", "Mai said that"; who said it
is checked by itself.
"""
_PERSON = {"i", "you", "your", "my"}
_DOES_NOT_KNOW = re.compile(
    r"\b(?:don[’']?t|do not|does not|doesn[’']?t|cannot|can[’']?t) "
    r"(?:know|say|mention|specify|have (?:any|enough))|\bno information\b|分かりません"
    r"|わかりません|不知道",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no longer|nobody|nothing|none|neither|nor|without)\b|n[’']t\b|ない|ません"
    r"|なかった|ず[、。に]|不|没",
    re.IGNORECASE,
)
_NOTE_MARK = re.compile(
    r"^\s*(?:Note(?: from [^:]{4,20})?: ?|\d{1,2}\.(?:\s+|$)|\(\d{1,2} \w+ \d{4}\)\s*|[-*] )+"
)
"""How the prompt marks its notes; a small model copies the marks."""
_LIST_MARK = re.compile(r"^\s*(?:[-*]|\d{1,2}\.)[ \t]+(?=\S)")
_SAYS = re.compile(
    r"\b(?P<name>[A-ZÀ-Þ][\w’'-]{1,40})(?: [A-ZÀ-Þ][\w’'-]{1,40}){0,4} (?:has |had |also )?"
    r"(?:said|says|say|wrote|writes|told|tells|asked|asks|answered|replied|suggested|claimed"
    r"|thinks|thought|promised)\b"
    r"|(?P<wide>[^、。\s]{1,12}?)(?:さん|くん|ちゃん|先生|様)?[はが][^。]{0,120}"
    r"(?:と言|と書|と聞|と答|と話)"
)
WIDE_WORDS = 60
"""Words up to which a quotation is shown with the sentences around it."""


@dataclass(frozen=True)
class Piece:
    """A stretch of an answer and the passage that carries it (its place among the items), if it
    needs one.
    """

    kind: PartKind
    text: str = field(repr=False)
    item: int | None = None
    span: tuple[int, int] | None = None
    """Where inside the passage it stands, or what carries it; end exclusive."""


@dataclass(frozen=True)
class GroundingWindow:
    """One sentence of a passage, or two that follow each other: what a statement may rest on."""

    item: int
    span: tuple[int, int]
    text: str = field(repr=False)
    terms: frozenset[str] = field(repr=False)
    numbers: frozenset[str] = field(repr=False)
    denies: bool


@dataclass(frozen=True)
class _Claim:
    """What a sentence says, as far as it can be held against a passage."""

    said: set[str] = field(repr=False)
    numbers: set[str] = field(repr=False)
    names: set[str] = field(repr=False)
    """Those that the question does not name."""
    denies: bool
    order: list[str] = field(repr=False)
    """Its names, in their order."""
    speaker: str = field(repr=False)


class Guard:
    """Cuts a stream into sentences and lets through those that the evidence carries."""

    def __init__(
        self,
        question: Question,
        items: Sequence[Recalled],
        within: Sequence[Pick] | None = None,
        *,
        plays: bool = False,
    ) -> None:
        """``within`` leaves only these stretches to rest on: those that were chosen without the
        model.

        ``plays``: what nothing carries is let through as well, as words of the role.
        """
        self._plays = plays
        self._present = present(question)
        self._asked = set(question.terms)
        self._words = self._asked | set(question.text.casefold().split())
        self._items = items
        self._windows = [
            window for number, item in enumerate(items) for window in windows(number, item)
        ]
        self._open = (
            self._windows
            if within is None
            else [
                window for window in self._windows if any(_touches(window, pick) for pick in within)
            ]
        )
        self._held = ""
        self._seen: set[str] = set()
        self.released = 0
        self.repeats = 0
        """How often the model said the same sentence again: it is going round in circles."""
        self.does_not_know = False
        """The model said that the evidence does not tell."""

    def feed(self, text: str) -> list[Piece]:
        """Take what the model wrote and return the sentences that are complete and carried."""
        self._held += text
        complete = sentences(self._held)
        if complete and self._held.endswith("\n"):
            self._held = ""
        elif complete:
            # with the space after it, which may end it
            self._held = self._held[self._held.rindex(complete.pop()) :]
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
            if sentence in self._seen or (self._plays and self._says_again(sentence)):
                self.repeats += 1
                continue
            self._seen.add(sentence)
            self.does_not_know = self.does_not_know or bool(_DOES_NOT_KNOW.search(sentence))
            if (window := self.carrier(sentence)) is None:
                pieces += [Piece(PartKind.ROLE, each.strip())] if self._plays else []
                continue
            text = self._items[window.item].chunk.text
            start = text.find(sentence)
            # the person's own words, to the letter
            if start >= 0 and not overlaps(
                self._items[window.item].struck, start, start + len(sentence)
            ):
                pieces.append(
                    Piece(PartKind.QUOTATION, sentence, window.item, (start, start + len(sentence)))
                )
            # almost: then to the letter
            elif (
                SequenceMatcher(None, sentence.casefold(), window.text, autojunk=False).ratio()
                >= COPIED[language_of(sentence)]
            ):
                own = text[slice(*window.span)]
                if own not in self._seen:
                    self._seen.add(own)
                    pieces.append(Piece(PartKind.QUOTATION, own, window.item, window.span))
            else:
                mark = _LIST_MARK.match(each)  # what was written as a list is shown as one
                pieces.append(
                    Piece(
                        PartKind.STATEMENT,
                        f"{mark[0].lstrip()}{sentence}" if mark else sentence,
                        window.item,
                        window.span,
                    )
                )
        self.released += len(pieces)
        return pieces

    def _says_again(self, sentence: str) -> bool:
        """Tell whether a sentence has nearly the same words as one before it."""
        words = set(terms(sentence))
        return bool(words) and any(
            len(words & (other := set(terms(before)))) >= SAME_WORDS * len(words | other)
            for before in self._seen
        )

    def carrier(self, sentence: str) -> GroundingWindow | None:
        """Return what carries the sentence, or ``None``."""
        said = set(terms(sentence))
        if _DOES_NOT_KNOW.search(sentence) or all(term.isdigit() for term in said):
            return None
        # carried perhaps, and no answer
        if self._asked and not said & self._asked and len(said) > SHORT_ANSWER:
            return None
        claim = self._claim(sentence, said)
        best: GroundingWindow | None = None
        for window in self._open:
            if best is not None and (
                window.item != best.item or len(said & window.terms) <= len(said & best.terms)
            ):
                continue  # of the first passage that carries it, the stretch that says most of it
            if self._carries(window, claim):
                best = window
        return best

    def _claim(self, sentence: str, said: set[str]) -> _Claim:
        return _Claim(
            said=said,
            numbers=set(_NUMBER.findall(sentence)),
            names={name.casefold() for name in _NAME.findall(sentence)} - self._words - _PERSON,
            denies=bool(_DENIES.search(sentence)),
            order=[name.casefold() for name in _NAME.findall(f"– {sentence}")],
            speaker=_speaker(sentence),
        )

    def _carries(self, window: GroundingWindow, claim: _Claim) -> bool:
        """Tell whether all that a sentence says beside the question stands in a stretch, in the
        same sense, said by the same, and still holds.
        """
        new = {
            term for term in claim.said - _LIGHT if term not in self._asked or term in window.terms
        }
        if not new - self._asked and not claim.numbers:  # it only says the question again
            return False
        return (
            claim.denies == window.denies
            and claim.numbers <= window.numbers
            and all(name in window.text for name in claim.names)
            and new <= window.terms
            and _in_order(claim.order, window.text)
            and self._said_by(claim.speaker, window)
            and not (self._present and self._outdated(window))
        )

    def _said_by(self, speaker: str, window: GroundingWindow) -> bool:
        """Tell whether who is said to have said it is who said it: the passage's speaker, or whom
        the passage itself names so.
        """
        if not speaker:
            return True
        own = (self._items[window.item].chunk.speaker or "").casefold()
        return (
            speaker in own
            or _speaker(self._items[window.item].chunk.text[slice(*window.span)]) == speaker
        )

    def _outdated(self, window: GroundingWindow) -> bool:
        """Tell whether a newer passage has other numbers on the same subject, or denies what this
        one affirms.
        """
        then = self._items[window.item].chunk.said_at
        mine = window.terms & self._asked
        if then is None or not mine:
            return False
        for other in self._windows:
            now = self._items[other.item].chunk.said_at
            if (
                now is None
                or now.date() <= then.date()
                or len(other.terms & mine) < SAME_SUBJECT * len(mine)
            ):
                continue
            if (
                window.numbers and other.numbers and not window.numbers & other.numbers
            ) or window.denies != other.denies:
                return True
        return False


def _touches(window: GroundingWindow, pick: Pick) -> bool:
    return window.item == pick.item and window.span[0] < pick.end and window.span[1] > pick.start


def _speaker(sentence: str) -> str:
    """Return whom a sentence names as having said something, in lower case; empty when nobody.

    >>> _speaker("Mai said that it will rain."), _speaker("It will rain.")
    ('mai', '')
    """
    match = _SAYS.search(sentence)
    found = (match["name"] or match["wide"] or "").casefold() if match else ""
    return "" if found in _PERSON else found


def _in_order(names: Sequence[str], text: str) -> bool:
    """Tell whether the names that stand in the text stand there in this order: who did what to whom
    is not turned round.
    """
    places = [text.find(name) for name in names if name in text]
    return places == sorted(places)


def windows(number: int, item: Recalled) -> list[GroundingWindow]:
    """Return the sentences of a passage and their neighbouring pairs.

    The day on which the passage was written is none of them: a note often tells of another day than
    its own.
    """
    text = item.chunk.text
    spans = sentence_spans(text)
    found = []
    for start, end in [*spans, *((first[0], second[1]) for first, second in pairwise(spans))]:
        if overlaps(item.struck, start, end):
            continue
        stretch = f"{item.chunk.speaker or ''} {text[start:end]}"
        found.append(
            GroundingWindow(
                number,
                (start, end),
                stretch.casefold(),
                frozenset(terms(stretch)),
                frozenset(_NUMBER.findall(stretch)),
                bool(_DENIES.search(stretch)),
            )
        )
    return found


def quotation(
    question: Question,
    items: Sequence[Recalled],
    picks: Sequence[Pick],
    *,
    sure: bool = True,
    voice: Voice | None = None,
    whose: Whose = nobody_known,
) -> list[Piece]:
    """Let the evidence speak: each stretch that was chosen, led by who said it and when.

    Where the question is how things are, the newest stands first. ``sure`` false says that it may
    not be an answer.
    """
    speaks = voice or Voice(question.language)
    pieces = [] if sure else [Piece(PartKind.DOUBT, not_sure(speaks))]
    said = ""
    for pick in _newest_first(picks, items) if present(question) else picks:
        chunk = items[pick.item].chunk
        text = chunk.text[pick.start : pick.end]
        before, said = said, lead(chunk, text, question, speaks, whose(chunk, pick.start))
        if said != before:
            pieces.append(Piece(PartKind.NOTE, said))
        pieces.append(Piece(PartKind.QUOTATION, text, pick.item, (pick.start, pick.end)))
    return pieces


def widened(picks: Sequence[Pick], items: Sequence[Recalled]) -> list[Pick]:
    """Return each stretch with the sentences before and after it, while that stays readable: for a
    person who wants the circumstances.
    """
    wider: list[Pick] = []
    for pick in picks:
        text, struck = items[pick.item].chunk.text, items[pick.item].struck
        spans = sentence_spans(text)
        inside = [
            at for at, (start, end) in enumerate(spans) if start < pick.end and end > pick.start
        ]
        start, end = pick.start, pick.end
        if inside:
            before, after = (
                spans[max(0, inside[0] - 1)][0],
                spans[min(len(spans) - 1, inside[-1] + 1)][1],
            )
            if length(text[start:after]) <= WIDE_WORDS and not overlaps(struck, start, after):
                end = max(end, after)
            if length(text[before:end]) <= WIDE_WORDS and not overlaps(struck, before, end):
                start = min(start, before)
        if not any(
            known.item == pick.item and known.start <= start and known.end >= end for known in wider
        ):
            wider = [
                known
                for known in wider
                if not (known.item == pick.item and start <= known.start and end >= known.end)
            ]
            wider.append(replace(pick, start=start, end=end))
    return wider


def _newest_first(picks: Sequence[Pick], items: Sequence[Recalled]) -> Sequence[Pick]:
    dated = [
        (moment.timestamp(), -at)
        for at, pick in enumerate(picks)
        if (moment := items[pick.item].chunk.said_at)
    ]
    return (
        [picks[-at] for _, at in sorted(dated, reverse=True)] if len(dated) == len(picks) else picks
    )


def nothing(voice: Voice, asked: Span | None = None, items: Sequence[Recalled] = ()) -> Piece:
    """Say that there is no memory of it; where a day was ``asked`` about as a whole, that nothing
    is from that day, and which day with something is nearest.
    """
    if asked is None or asked.days > 1:
        return Piece(PartKind.NOTE, has_nothing(voice))
    near = nearest(items, asked)
    said = (
        day_in_words(asked.start, voice.language),
        day_in_words(near, voice.language) if near else "",
    )
    return Piece(PartKind.NOTE, has_nothing_from(voice, *said))
