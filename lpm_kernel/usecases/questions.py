"""Questions to begin with, made from what was added: each was asked once, and has an answer in the document that it was made from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lpm_kernel.domain.documents import Document, DocumentKind
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.recall import RecallQuery, Recollection
from lpm_kernel.L0.analyse import names
from lpm_kernel.L1.answer import DOUBTFUL, EVIDENCE_ITEMS, EVIDENCE_TOKENS, Read, likelihood
from lpm_kernel.L1.language import Language, is_clear, language_of

MOST_TRIED = 18
"""Questions that are asked before the search is given up, so that nobody waits for long."""
NAME = range(2, 41)
"""Characters of a name that is asked about."""

_DAY = re.compile(
    r"\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December)(?: (?:19|20)\d\d)?\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}(?:, (?:19|20)\d\d)?\b"
    r"|(?:(?:19|20)\d\d年)?\d{1,2}月\d{1,2}日"
)
_NO_PROSE = frozenset({DocumentKind.TABLE, DocumentKind.ARCHIVE, DocumentKind.IMAGE, DocumentKind.AUDIO})
_ASKS: dict[Language, dict[str, str]] = {
    "en": {"name": "What did I write about {what}?", "day": "What happened on {what}?"},
    "ja": {"name": "{what}について、何を書きましたか。", "day": "{what}に何がありましたか。"},
    "zh": {"name": "关于{what}，我写过什么？", "day": "{what}发生了什么？"},
}


@dataclass(frozen=True)
class Suggested:
    """A question, and where its answer was found."""

    question: str = field(repr=False)
    document: DocumentId
    start: int
    end: int
    """Of the canonical text."""


def suggest(
    documents: Iterable[Document],
    sentences: Callable[[Document], list[str]],
    recall: Callable[[RecallQuery], Recollection],
    read: Read,
    limit: int = 3,
) -> list[Suggested]:
    """Return questions that the memory answers from the document that each was made of, one a document; none where nothing suits."""
    found: list[Suggested] = []
    tried: set[str] = set()
    for document in documents:
        if document.private or document.kind in _NO_PROSE:
            continue
        for question in made_of(document, sentences(document)):
            if len(found) >= limit or len(tried) >= MOST_TRIED:
                return found
            if question in tried:
                continue
            tried.add(question)
            if answer := _answered(question, document.id, recall, read):
                found.append(answer)
                break
    return found


def _answered(question: str, document: DocumentId, recall: Callable[[RecallQuery], Recollection], read: Read) -> Suggested | None:
    """Ask it; ``None`` unless what would be quoted stands in the document and is not doubted."""
    known = recall(RecallQuery(question, k=EVIDENCE_ITEMS, token_budget=EVIDENCE_TOKENS))
    reading = read(question, known)
    if likelihood(question, known, reading) < DOUBTFUL:
        return None
    for pick in reading.picks:
        chunk = known.items[pick.item].chunk
        if chunk.document == document:
            return Suggested(question, document, chunk.start + pick.start, chunk.start + pick.end)
    return None


def made_of(document: Document, sentences: Iterable[str]) -> Iterator[str]:
    """Yield the questions that a document's weightiest sentences suggest: a name or a day that stands in them, then its weightiest words.

    >>> from lpm_kernel.domain.documents import DocumentState
    >>> from datetime import UTC, datetime
    >>> letter = Document(DocumentId("d"), "Letter", DocumentKind.TEXT, "", 0, DocumentState.READY, datetime(2025, 1, 1, tzinfo=UTC))
    >>> list(made_of(letter, ["On 6 April 2024 we carried the bench to Teramachi."]))
    ['What did I write about Teramachi?', 'What happened on 6 April 2024?']
    >>> list(made_of(letter, ["井出さんと海へ行った。"]))
    ['井出さんについて、何を書きましたか。']
    """
    said = [sentence for sentence in sentences if sentence.strip()]
    for sentence in said:
        asks = _ASKS[_language(sentence)]
        for name in names(sentence):
            if len(name) in NAME and not _DAY.search(name):
                yield asks["name"].format(what=f"{name}さん" if f"{name}さん" in sentence else name)
        for day in _DAY.findall(sentence):
            yield asks["day"].format(what=day)
    if said:
        asks = _ASKS[_language(" ".join(said))]
        for word in document.keywords:
            if len(word) in NAME:
                yield asks["name"].format(what=word)


def _language(sentence: str) -> Language:
    language = language_of(sentence)
    return "ja" if language == "zh" and not is_clear(sentence, "zh") else language
