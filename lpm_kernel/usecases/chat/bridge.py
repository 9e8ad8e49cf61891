"""Between a person and an expert elsewhere: a request made complete from memory, and the reply held
against it.

What is private is never used for a request. The person strikes what shall not be said, and the text
is made anew without it: nothing that repeats a struck sentence stays, and a model words only what
is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime

from lpm_kernel.domain.chat.recall import Recalled, Recollection, Scope, Signals
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.ports import ChatMessage, Clock, LanguageModel, Sampling
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, NotFoundError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import marks, terms
from lpm_kernel.L0.language.identification import NAMES, Language, language_of
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.quotations import Traces
from lpm_kernel.L1.answering.answer import reads_well
from lpm_kernel.L1.answering.critique import (
    CritiqueReason,
    CritiqueResult,
    Stated,
    Treatment,
    contradicted,
    hold,
    sentence,
    stated,
)
from lpm_kernel.L1.answering.gathering import asked_for, held_of
from lpm_kernel.L1.answering.grounding import Guard
from lpm_kernel.L1.answering.reader import Pick
from lpm_kernel.L1.prompts import prompt

MOST_SAID = 20_000
RECALLED = 12
"""Passages that are looked at."""
ALIKE = 0.6
"""Share of a struck sentence's own words from which another sentence says the same."""
SPOKEN_OF = 0.6
"""Share of a fact's words from which a worded request says it."""
WHOLE = 0.9
"""Share of the request's words that its wording has to keep."""
WORDING_TOKENS = 400
JUDGING_TOKENS = 400

_JUDGED = re.compile(
    r"^[ \t]{0,20}(\d{1,4})[ \t]{0,20}\|[ \t]{0,20}(met|missed|against"
    r"|unknown)[ \t]{0,20}\|[ \t]{0,20}[\"“「]?(.*?)[\"”」]?[ \t\r]{0,20}$",
    re.MULTILINE,
)
_CLAUSE = re.compile(
    r"\s{0,20}(?:;|(?:,\s{0,20})?\band (?=(?:also|please|tell|let|say|give|show|explain|send"
    r"|name)\b)|また、|それから、)\s*+",
    re.IGNORECASE,
)
"""Between two things that are asked for in one sentence."""
_LEAD: dict[Language, str] = {
    "en": "What you should know:",
    "ja": "あらかじめお伝えしておきたいこと：",
    "zh": "请先了解：",
}
_QUOTED: dict[Language, str] = {
    "en": "{who} wrote: “{text}”",
    "ja": "{who}より：「{text}」",
    "zh": "{who}写道：“{text}”",
}
_THE_PERSON = frozenset({"user", "human", "me"})
"""What conversations with a model call whoever asks."""
_WHY: dict[Language, tuple[str, str, str]] = {
    "en": ("It has ", " in common with what you ask.", "It is near in meaning to what you ask."),
    "ja": ("依頼文と共通する言葉：", "", "依頼文と意味が近いためです。"),
    "zh": ("与请求共有的词：", "", "与请求意思相近。"),
}

Recall = Callable[[RecallQuery], Recollection]
Gather = Callable[[Question, Recollection], Sequence[Pick]]
"""Chooses sentences that belong to a request."""


@dataclass(frozen=True)
class BridgeFact:
    """A sentence that the person wrote, and where it stands. ``start`` and ``end`` count code
    points in the document, end exclusive.
    """

    id: str
    text: str = field(repr=False)
    chunk: Chunk = field(repr=False)
    start: int
    end: int
    why: str = field(repr=False)


@dataclass(frozen=True)
class Enhanced:
    """A request made complete, and what was added."""

    request: str = field(repr=False)
    facts: tuple[BridgeFact, ...]


@dataclass(frozen=True)
class CritiquePoint:
    """One thing that was wanted, and what the reply does with it."""

    outcome: CritiqueResult
    text: str
    want: str = field(repr=False)
    fact: BridgeFact | None
    """Where the want stands in memory; none where it stands in the request."""


@dataclass(frozen=True)
class Critique:
    """A reply held against a request."""

    verdict: str
    """met, partly, missed, against or unknown."""
    points: tuple[CritiquePoint, ...]


@dataclass(frozen=True)
class BridgeMemory:
    """The memory as an expert elsewhere may hear of it."""

    recall: Recall
    gather: Gather
    chunk: Callable[[ChunkId], Chunk]
    is_private: Callable[[DocumentId], bool]


def enhance(
    memory: BridgeMemory,
    model: LanguageModel,
    request: str,
    strike: Collection[str] = (),
    me: str = "",
) -> Enhanced:
    """Make a request complete from memory, without what was struck and what says the same.

    ``me`` is the person's name: what others wrote is quoted as theirs. A model on this machine that
    reads well words it, held sentence by sentence to the request and the facts; else the facts
    follow the request line by line. Raises ``InvalidInputError``.
    """
    request = _checked(request, "The request")
    found = facts(memory, Question(request))
    struck = [fact.text for fact in found if fact.id in strike] + _struck_before(
        memory.chunk, strike, {fact.id for fact in found}
    )
    kept = tuple(
        fact
        for fact in found
        if fact.id not in strike and not says_the_same(fact.text, struck, request)
    )
    plain = in_lines(request, kept, me)
    worded = _worded(model, request, kept, me) if kept else None
    if (
        worded is None
        or Traces(struck).in_(worded)
        or any(
            _folded(each) in _folded(worded)
            for each in struck
            if _folded(each) not in _folded(request)
        )
    ):
        return Enhanced(plain, kept)
    return Enhanced(worded, kept)


def facts(memory: BridgeMemory, request: Question) -> list[BridgeFact]:
    """Return the sentences of the person that belong to a request, none from what is private."""
    found = memory.recall(
        RecallQuery(request, k=RECALLED, scope=Scope(include_private=False), explain=True)
    )
    open_ = tuple(item for item in found.items if not memory.is_private(item.chunk.document))
    found = replace(found, items=open_)
    return _facts(found, memory.gather(request, found), request)


def _facts(found: Recollection, picks: Sequence[Pick], request: Question) -> list[BridgeFact]:
    sought = asked_for(request, found)
    chosen: list[BridgeFact] = []
    for pick in picks:
        item = found.items[pick.item]
        text = " ".join(item.chunk.text[pick.start : pick.end].split())
        if any(_folded(text) in _folded(fact.text) for fact in chosen) or _folded(text) in _folded(
            request.text
        ):
            continue
        start, end = item.chunk.start + pick.start, item.chunk.start + pick.end
        forms = {each.term for each in held_of(text, sought)}
        chosen.append(
            BridgeFact(
                f"{item.chunk.id}.{pick.start}.{pick.end}",
                text,
                item.chunk,
                start,
                end,
                _why(forms, request),
            )
        )
    return chosen


def _why(shared: Collection[str], request: Question) -> str:
    """Say which words of the request, as they stand in it, a fact has or means as well."""
    opens, closes, near = _WHY[request.language]
    words = [request.text[start:end] for start, end in marks(request.text, shared)]
    return (
        f"{opens}{', '.join(f'“{word}”' for word in dict.fromkeys(words))}{closes}"
        if words
        else near
    )


def _struck_before(
    chunk: Callable[[ChunkId], Chunk], strike: Collection[str], known: Collection[str]
) -> list[str]:
    """Return the words of what was struck and would not be found now: they must not come back
    another way.
    """
    texts = []
    for each in strike:
        identifier, _, span = each.partition(".")
        start, _, end = span.partition(".")
        if each in known or not (
            start.isdecimal() and end.isdecimal() and len(span) < RECALLED * 2
        ):
            continue
        try:
            texts.append(chunk(ChunkId(identifier)).text[int(start) : int(end)])
        except NotFoundError:  # its document is gone, and so are its words
            continue
    return [text for text in texts if text.strip()]


def says_the_same(text: str, struck: Sequence[str], request: str) -> bool:
    """Tell whether a sentence repeats one that was struck, to the letter or in most of its own
    words.

    >>> says_the_same("Walnuts make me ill.", ["I am ill from walnuts."], "Bake a cake.")
    True
    """
    asked, mine = set(terms(request)), set(terms(text))
    if Traces(struck).in_(text):
        return True
    for each in struck:
        own = set(terms(each)) - asked
        if (
            _folded(each) in _folded(text)
            or _folded(text) in _folded(each)
            or (own and len(own & mine) >= ALIKE * len(own))
        ):
            return True
    return False


def in_lines(request: str, kept: Sequence[BridgeFact], me: str = "") -> str:
    """Return the request, followed by the facts line by line, each in the words in which it was
    written.
    """
    if not kept:
        return request
    language = language_of(request)
    return "\n".join(
        [request, "", _LEAD[language], *(f"- {line(fact, language, me)}" for fact in kept)]
    )


def line(fact: BridgeFact, language: Language, me: str = "") -> str:
    """Return a fact as one who knows neither the person nor their notes can read it, with the day
    on which it was written.

    What the person wrote stands in the first person, as the request does; what somebody else wrote
    is quoted as theirs.
    """
    speaker = fact.chunk.speaker or ""
    said = (
        fact.text
        if not speaker or is_me(speaker, me)
        else _QUOTED[language].format(who=speaker, text=fact.text)
    )
    when = fact.chunk.said_at
    return f"{said} ({when:%Y-%m-%d})" if when else said


def is_me(speaker: str, me: str) -> bool:
    """Tell whether a speaker is the person: by the first name, or as conversations with a model
    call them.

    >>> is_me("Ada Byron", "Ada"), is_me("user", ""), is_me("Mr Lovelace", "Ada")
    (True, True, False)
    """
    first, mine = (name.casefold().split()[:1] for name in (speaker, me))
    return speaker in _THE_PERSON or (bool(mine) and first == mine)


def _worded(model: LanguageModel, request: str, kept: Sequence[BridgeFact], me: str) -> str | None:
    """Have a model on this machine word it; ``None`` where it does not read well, or does not keep
    the request.
    """
    try:
        if not reads_well(model) or not model.card().local:
            return None
        language = language_of(request)
        lines = [line(fact, language, me) for fact in kept]
        asked = prompt("wording").substitute(
            request=request, facts="\n".join(lines), language=NAMES[language]
        )
        guard = Guard(
            Question(""), [_as_recalled(request), *(_as_recalled(each) for each in lines)]
        )
        pieces = []
        with closing(
            model.stream(
                [ChatMessage("user", asked)], Sampling(temperature=0.0, max_tokens=WORDING_TOKENS)
            )
        ) as told:  # type: ignore[type-var]  # generators close
            for delta in told:
                pieces += guard.feed(delta.text)
        pieces += guard.finish()
    except ModelUnavailableError:
        return None
    text = " ".join(piece.text for piece in pieces)
    said, wanted = set(terms(text)), set(terms(request))
    if not pieces or len(said & wanted) < WHOLE * len(wanted):
        return None
    left = [
        fact
        for fact in kept
        if len(said & set(terms(fact.text))) < SPOKEN_OF * len(set(terms(fact.text)))
    ]
    return in_lines(text, left, me)


def _as_recalled(text: str) -> Recalled:
    return Recalled(Chunk(ChunkId(""), DocumentId(""), "", 0, len(text), text, ""), 0.0, Signals())


def critique(
    memory: BridgeMemory,
    model: LanguageModel,
    clock: Clock,
    request: str,
    reply: str,
) -> Critique:
    """Hold a reply against what was asked for and against what memory says: what it meets, leaves
    out, contradicts, and what cannot be told.

    A model that reads well is asked about what the words alone do not tell; it counts where it
    quotes the reply to the letter. Raises ``InvalidInputError``.
    """
    request, reply = _checked(request, "The request"), _checked(reply, "The reply")
    now, language = clock.now(), language_of(request)
    said = stated(reply, now)
    wants = [each for part in _CLAUSE.split(request) for each in stated(part, now) if each.terms]
    outcomes = _judged(model, wants, [hold(each, said) for each in wants], reply)
    points = [
        CritiquePoint(outcome, sentence(outcome, language), want.text, None)
        for want, outcome in zip(wants, outcomes, strict=True)
    ]
    known = facts(memory, Question(request))
    known += [
        fact
        for fact in facts(memory, Question(reply))
        if fact.id not in {other.id for other in known}
    ]
    points += list(_remembered(known, said, wants, now, language))
    return Critique(_verdict(points), tuple(points))


def _remembered(
    known: Sequence[BridgeFact],
    said: Sequence[Stated],
    wants: Sequence[Stated],
    now: datetime,
    language: Language,
) -> Iterator[CritiquePoint]:
    """Say where a reply contradicts what the person wrote, and where it does not mention what they
    cannot stand.
    """
    about = {term for want in wants for term in want.terms}
    for fact in known:
        for each in stated(fact.text, now):
            outcome = contradicted(each, said)
            if outcome is None and each.averse:
                mentioned = next(
                    (other for other in said if other.terms & each.terms - about), None
                )
                outcome = (
                    CritiqueResult(Treatment.MET, CritiqueReason.WORDS, mentioned.span)
                    if mentioned is not None
                    else CritiqueResult(Treatment.UNKNOWN, CritiqueReason.WORDS)
                )
            if outcome is not None:
                yield CritiquePoint(outcome, sentence(outcome, language), each.text, fact)


def _judged(
    model: LanguageModel, wants: Sequence[Stated], outcomes: Sequence[CritiqueResult], reply: str
) -> list[CritiqueResult]:
    """Have a model that reads well look at what the words do not tell."""
    found = list(outcomes)
    open_ = [
        at
        for at, outcome in enumerate(found)
        if outcome.held in {Treatment.UNKNOWN, Treatment.MISSED}
    ]
    try:
        if not open_ or not reads_well(model):
            return found
        numbered = "\n".join(f"{number}. {wants[at].text}" for number, at in enumerate(open_, 1))
        asked = prompt("judging").substitute(wants=numbered, reply=reply)
        with closing(
            model.stream(
                [ChatMessage("user", asked)], Sampling(temperature=0.0, max_tokens=JUDGING_TOKENS)
            )
        ) as told:  # type: ignore[type-var]  # generators close
            text = "".join(delta.text for delta in told)
    except ModelUnavailableError:
        return found
    for number, word, quote in _JUDGED.findall(text):
        at = (
            reply.find(quote)
            if len(quote.split()) > 1 or (language_of(quote) != "en" and len(quote) > 1)
            else -1
        )
        if (
            at >= 0
            and 1 <= int(number[:6]) <= len(open_)
            and word in {Treatment.MET, Treatment.AGAINST}
        ):
            found[open_[int(number) - 1]] = CritiqueResult(
                Treatment(word), CritiqueReason.JUDGED, (at, at + len(quote))
            )
    return found


def _verdict(points: Sequence[CritiquePoint]) -> str:
    kinds = {point.outcome.held for point in points}
    asked = {point.outcome.held for point in points if point.fact is None}
    if Treatment.AGAINST in kinds:
        return "against"
    if asked == {Treatment.MISSED}:
        return "missed"
    if asked == {Treatment.MET}:
        return "unknown" if Treatment.UNKNOWN in kinds else "met"
    return "partly" if Treatment.MET in asked else "unknown"


def _checked(text: str, what: str) -> str:
    text = text.strip()
    if not text or len(text) > MOST_SAID:
        raise InvalidInputError(
            f"{what} has between 1 and {MOST_SAID:,} characters.",
            "Say it shorter, or add it as a document.",
        )
    return text


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
