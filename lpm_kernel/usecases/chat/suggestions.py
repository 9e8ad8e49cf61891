"""Questions to begin with, made from what was added: each was asked once, and has an answer in the
document that it was made from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import (
    Read,
    evidence_for,
    likelihood,
)
from lpm_kernel.L1.answering.questions import QuestionKind, SpanQuestion, asked_of, asked_of_day
from lpm_kernel.L1.answering.reader import DOUBTFUL
from lpm_kernel.L1.answering.sentences import is_row

MOST_TRIED = 18
"""Questions that are asked before the search is given up, so that nobody waits for long."""
OF_ONE = 3
"""Of them, those of one document."""
DAYS = 3
"""One question in so many, and one more, is about a day as a whole."""
SAYS_MORE = 4
"""Content words that an answer has besides those of the question: fewer say nothing that was not
known.
"""

_RANK = {
    QuestionKind.WHEN: 0,
    QuestionKind.SUM: 1,
    QuestionKind.WHO: 2,
    QuestionKind.DAY: 3,
    QuestionKind.NAME: 4,
    QuestionKind.THING: 5,
}
"""Those that have one answer come first."""
RECURS = {QuestionKind.NAME: 2, QuestionKind.THING: 3}
"""Documents that tell of it: a name or a thing that fewer mention is asked about by few."""
LEAST = 3
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


def suggest(
    documents: Iterable[Document],
    sentences: Callable[[Document], list[str]],
    recall: Callable[[RecallQuery], Recollection],
    read: Read,
    limit: int = 3,
) -> list[Suggested]:
    """Return questions that the memory answers from the document that each was made of, one a
    document, of many kinds; none where nothing suits.
    """
    found: list[Suggested] = []
    spare: list[Suggested] = []
    tried: set[str] = set()
    used: Counter[QuestionKind] = Counter()
    for document in documents:
        if document.private or document.kind in _NO_PROSE:
            continue
        there = sentences(document)
        made = [*made_of(document, there), *_day_of(document, there)]
        for asked in sorted(made, key=lambda each: (used[each.kind], _RANK[each.kind]))[:OF_ONE]:
            if len(found) >= limit or len(tried) >= MOST_TRIED:
                return _filled(found, spare, limit)
            if asked.question in tried or (
                asked.kind is QuestionKind.DAY and used[asked.kind] > limit // DAYS
            ):
                continue
            tried.add(asked.question)
            if answer := _answered(asked, document.id, recall, read):
                recurs = answer.telling >= RECURS.get(asked.kind, 1)
                (found if recurs else spare).append(answer)
                used[asked.kind] += recurs
                if recurs:
                    break
    return _filled(found, spare, limit)


def _filled(found: list[Suggested], spare: list[Suggested], limit: int) -> list[Suggested]:
    return [*found, *spare[: max(0, min(limit, LEAST) - len(found))]]


def _day_of(document: Document, sentences: Iterable[str]) -> list[SpanQuestion]:
    """Ask what happened on the day of a diary or a letter; a file that has no day but that of its
    arrival has none.
    """
    day = document.created_at
    first = next(iter(sentences), "")
    if day is None or not first or day.date() == document.added_at.date():
        return []
    language = language_of(first)
    return [SpanQuestion(QuestionKind.DAY, asked_of_day(day, language), "")]


def _answered(
    asked: SpanQuestion,
    document: DocumentId,
    recall: Callable[[RecallQuery], Recollection],
    read: Read,
) -> Suggested | None:
    """Ask it; ``None`` unless what would be quoted first stands in the document, holds what was
    asked for, says more than that, and is not doubted.
    """
    question = Question(asked.question)
    # many are tried while somebody waits: what was found is not read to rank it
    known = recall(replace(evidence_for(question), rerank=False))
    reading = read(question, known)
    if reading.told is not None or likelihood(question, known, reading) < DOUBTFUL:
        return None
    telling = {item.chunk.document for item in known.items if asked.held in item.chunk.text}
    for pick in reading.picks:
        chunk = known.items[pick.item].chunk
        quoted = chunk.text[pick.start : pick.end]
        more = set(terms(quoted)) - set(question.terms)
        if (
            chunk.document == document
            and asked.held in quoted
            and len(more) >= SAYS_MORE
            and quoted.strip()[-1:] not in "?？"
            and not is_row(quoted)
        ):
            return Suggested(
                asked.question,
                document,
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
