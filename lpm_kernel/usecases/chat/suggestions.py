"""Questions to begin with, made from what was added: whom and what place it names, what the person
did and thinks, what recurs, and few days. Each was asked once, and what answered it was found.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, Document, DocumentKind
from lpm_kernel.domain.memory.entities import EntityDecision
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language import dates
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.L1.answering.answer import (
    Read,
    evidence_for,
    likelihood,
)
from lpm_kernel.L1.answering.questions import QuestionKind, SpanQuestion, asked_of, asked_of_day
from lpm_kernel.L1.answering.reader import DOUBTFUL
from lpm_kernel.L1.answering.sentences import is_row
from lpm_kernel.L1.answering.starters import starters
from lpm_kernel.L1.entities.relations import OWN
from lpm_kernel.L1.entities.resolution import key_of
from lpm_kernel.L1.statements.introductions import PassageVoices
from lpm_kernel.L1.statements.views import is_view
from lpm_kernel.usecases.chat.parties import Parties, ReadDocument, is_of_another

TRIED = 2
"""Questions that are asked for each that is wanted, and `MORE`, before the search is given up, so
that nobody waits for long.
"""
MORE = 10
SAYS_MORE = 4
"""Content words that an answer has besides those of the question: fewer say nothing that was not
known.
"""

_ROUND: tuple[QuestionKind, ...] = (
    QuestionKind.PERSON,
    QuestionKind.PLAN,
    QuestionKind.WHEN,
    QuestionKind.DEED,
    QuestionKind.WHY,
    QuestionKind.NAME,
    QuestionKind.TOPIC,
    QuestionKind.VIEW,
    QuestionKind.SUM,
    QuestionKind.MEETING,
    QuestionKind.WHO,
    QuestionKind.THING,
    QuestionKind.DAY,
)
"""One of each in turn."""
_OF_NAMES = frozenset({QuestionKind.NAME, QuestionKind.TOPIC, QuestionKind.THING, QuestionKind.WHO})
_SHARE: dict[QuestionKind, float] = {
    QuestionKind.TOPIC: 0.2,
    QuestionKind.THING: 0.2,
    QuestionKind.DAY: 0.1,
}
"""How much of what is wanted may be of one kind, and at least one; of any other, `MOST_OF_ONE`."""
MOST_OF_ONE = 0.3
TELLS_A_DAY = 3
"""Sentences of the person's own that a document has, from which its day is asked about."""
RECURS = {QuestionKind.NAME: 2, QuestionKind.THING: 3}
"""Documents that tell of it: a name or a thing that fewer mention is asked about by few."""
LEAST = 5
"""Up to so many, what few would ask about is suggested too."""
_SPEAKS = re.compile(r"\W{0,4}[^\s:：]{1,24}(?: [^\s:：]{1,24})?[:：] ?\S")
_NO_PROSE = frozenset(
    {DocumentKind.TABLE, DocumentKind.ARCHIVE, DocumentKind.IMAGE, DocumentKind.AUDIO}
)


@dataclass(frozen=True)
class Suggested:
    """A question, and where its answer was found."""

    question: str = field(repr=False)
    document: DocumentId
    start: int
    end: int
    """Of the canonical text."""
    telling: int = 1
    """Documents that tell of what is asked for."""


@dataclass(frozen=True)
class SuggestionPorts:
    """What questions are made from, and who answers them."""

    sentences: Callable[[Document], list[str]]
    """Gives the sentences of a document's summary."""
    passages: Callable[[DocumentId], Sequence[Chunk]]
    text_of: Callable[[Document], str]
    decisions: Sequence[EntityDecision]
    """What the person said of who is who."""
    recall: Callable[[RecallQuery], Recollection]
    read: Read
    own: frozenset[str]
    """How the person is called (`own_keys`)."""
    now: datetime


def suggest(
    documents: Iterable[Document], ports: SuggestionPorts, limit: int = 3
) -> list[Suggested]:
    """Return questions that the memory answers, of many kinds, no two from one document where
    there are enough; none where nothing suits.
    """
    known = [
        ReadDocument(document, ports.text_of(document), ports.passages(document.id))
        for document in documents
        if not document.private and document.kind not in _NO_PROSE
    ]
    search = _Search(ports, limit)
    waiting = _candidates(known, ports)
    while any(waiting.values()) and not search.is_over():
        for kind in _ROUND:
            search.ask_one(kind, waiting[kind])
    return search.result()


class _Search:
    """Questions that were asked, and what answered them."""

    def __init__(self, ports: SuggestionPorts, limit: int) -> None:
        self._ports = ports
        self._limit = limit
        self._tried: set[str] = set()
        self._found: list[Suggested] = []
        self._again: list[Suggested] = []
        """What stands in a document from which another is answered."""
        self._rare: list[Suggested] = []
        """What few would ask about."""
        self._used: Counter[QuestionKind] = Counter()

    def is_over(self) -> bool:
        """Tell whether there are enough, or enough were asked."""
        return len(self._found) >= self._limit or len(self._tried) >= TRIED * self._limit + MORE

    def ask_one(self, kind: QuestionKind, waiting: deque[_Candidate]) -> None:
        """Ask those that wait until one of a kind is answered."""
        most = max(1, round(_SHARE.get(kind, MOST_OF_ONE) * self._limit))
        if self._used[kind] >= most:
            waiting.clear()
        while waiting and not self.is_over():
            asked, document = waiting.popleft()
            if asked.question in self._tried or self._shows(document):
                continue
            self._tried.add(asked.question)
            answer = _answered(asked, document, self._ports)
            if answer is None:
                continue
            if answer.telling < RECURS.get(kind, 1):
                self._rare.append(answer)
            elif self._shows(answer.document):
                self._again.append(answer)
            else:
                self._found.append(answer)
                self._used[kind] += 1
                return

    def result(self) -> list[Suggested]:
        """Return the best that were answered."""
        found = [*self._found, *self._again][: self._limit]
        return [*found, *self._rare[: max(0, min(self._limit, LEAST) - len(found))]]

    def _shows(self, document: DocumentId | None) -> bool:
        return document is not None and any(each.document == document for each in self._found)


_Candidate = tuple[SpanQuestion, DocumentId | None]
"""A question, and the document that is to answer it: any, where it is ``None``."""


def _candidates(
    known: Sequence[ReadDocument], ports: SuggestionPorts
) -> dict[QuestionKind, deque[_Candidate]]:
    """Return questions of each kind, the most telling first."""
    waiting: dict[QuestionKind, deque[_Candidate]] = {kind: deque() for kind in QuestionKind}
    parties = Parties(known, ports.decisions, ports.own)
    named = set(parties.own)
    for question in parties.questions():
        named.add(key_of(question.held))
        waiting[question.kind].append((question, None))
    for each in known:
        for question in _of_document(each, ports):
            if question.kind not in _OF_NAMES or key_of(question.held) not in named:
                waiting[question.kind].append((question, each.document.id))
    names = waiting[QuestionKind.NAME]
    keys = {key_of(question.held) for question, _ in names}
    waiting[QuestionKind.NAME] = deque(
        each for each in names if not is_of_another(key_of(each[0].held), keys)
    )
    waiting[QuestionKind.THING] = _recurring_first(waiting[QuestionKind.THING], known)
    return waiting


def _recurring_first(
    things: Iterable[_Candidate], known: Sequence[ReadDocument]
) -> deque[_Candidate]:
    """Return what recurs, then a few of what does not, so that no tries are spent on many of it."""
    least = RECURS[QuestionKind.THING]
    recurs: deque[_Candidate] = deque()
    rare: list[_Candidate] = []
    for each in things:
        telling = sum(each[0].held in document.text for document in known)
        (recurs if telling >= least else rare).append(each)
    return recurs + deque(rare[:LEAST])


def _of_document(known: ReadDocument, ports: SuggestionPorts) -> Iterator[SpanQuestion]:
    """Yield what one document is asked about."""
    document, there = known.document, ports.sentences(known.document)
    told = list(_sentences(known, ports.own))
    for text, own in told:
        for starter in starters(text, own=own, dated=_is_dated(document)):
            if starter.kind is not QuestionKind.VIEW or is_view(text):
                yield starter
        yield from _plans(text, document, ports.now)
    for question in made_of(document, there):
        if question.kind is not QuestionKind.DAY or not _is_ahead(
            question.held, document, ports.now
        ):
            yield question
    if sum(own for _, own in told) >= TELLS_A_DAY:
        yield from _day_of(document, there)


def _sentences(known: ReadDocument, own: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a document, with whether they are the person's own words."""
    voices = PassageVoices(own)
    for chunk in known.passages:
        voice = voices.of(chunk, known.text)
        for start, end in sentence_spans(chunk.text):
            yield chunk.text[start:end], voice(start) == OWN


def _plans(sentence: str, document: Document, now: datetime) -> Iterator[SpanQuestion]:
    """Yield what is asked of the days ahead that a sentence names."""
    written = document.created_at or document.added_at
    for mention in dates.named(sentence, written):
        for span in mention.spans:
            if span.days <= 1 and not span.open and span.start.date() >= now.date():
                asked = asked_of_day(span.start, language_of(sentence), ahead=True)
                held = sentence[mention.start : mention.end]
                yield SpanQuestion(QuestionKind.PLAN, asked, held)


def _is_ahead(day: str, document: Document, now: datetime) -> bool:
    """Tell whether the words of a day mean one that is still to come."""
    written = document.created_at or document.added_at
    return any(span.start.date() > now.date() for span in dates.spans(day, written))


def _is_dated(document: Document) -> bool:
    """Tell whether a document has a day besides that of its arrival."""
    day = document.created_at
    return day is not None and day.date() != document.added_at.date()


def _day_of(document: Document, sentences: Iterable[str]) -> list[SpanQuestion]:
    """Ask what happened on the day of a diary; a file that has no day but that of its arrival has
    none.
    """
    day, first = document.created_at, next(iter(sentences), "")
    if day is None or not first or not _is_dated(document):
        return []
    return [SpanQuestion(QuestionKind.DAY, asked_of_day(day, language_of(first)), "")]


def _answered(
    asked: SpanQuestion,
    document: DocumentId | None,
    ports: SuggestionPorts,
) -> Suggested | None:
    """Ask it; ``None`` unless what would be quoted first stands in the document, holds what was
    asked for, says more than that, and is not doubted.
    """
    question = Question(asked.question)
    # many are tried while somebody waits: what was found is not read to rank it
    known = ports.recall(replace(evidence_for(question), rerank=False))
    reading = ports.read(question, known)
    if reading.told is not None:
        cited = reading.told.citations[:1]
        wanted = asked.kind is QuestionKind.PERSON
        return next(
            (Suggested(asked.question, c.document, c.start, c.end) for c in cited if wanted), None
        )
    if asked.kind is QuestionKind.PERSON or likelihood(question, known, reading) < DOUBTFUL:
        return None
    telling = {item.chunk.document for item in known.items if asked.held in item.chunk.text}
    for pick in reading.picks:
        chunk = known.items[pick.item].chunk
        quoted = chunk.text[pick.start : pick.end]
        more = set(terms(quoted)) - set(question.terms)
        if (
            document in {None, chunk.document}
            and asked.held in quoted
            and len(more) >= SAYS_MORE
            and quoted.strip()[-1:] not in "?？"
            and not is_row(quoted)
        ):
            return Suggested(
                asked.question,
                chunk.document,
                chunk.start + pick.start,
                chunk.start + pick.end,
                len(telling),
            )
    return None


def made_of(document: Document, sentences: Iterable[str]) -> list[SpanQuestion]:
    """Return the questions that a document's weightiest sentences answer; "I" is the person in
    notes alone.

    >>> from lpm_kernel.domain.library.documents import DocumentState
    >>> from datetime import UTC, datetime
    >>> letter = Document(DocumentId("d"), "Letter", DocumentKind.TEXT, "", 0, DocumentState.READY,
    ...     datetime(2025, 1, 1, tzinfo=UTC))
    >>> [each.question
    ...     for each in made_of(letter, ["On 6 April 2024 we carried the bench to Teramachi."])]
    ['What happened on 6 April 2024?', 'What do you know about Teramachi?']
    """
    own = document.kind is DocumentKind.MARKDOWN
    known = list(sentences)
    # "Conor: on my way" says who speaks, not who Conor is
    talk = sum(bool(_SPEAKS.match(sentence)) for sentence in known) > 1
    return list(
        dict.fromkeys(
            question
            for sentence in known
            for question in asked_of(sentence, document.keywords, own=own)
            if not (talk and question.kind is QuestionKind.WHO)
        )
    )
