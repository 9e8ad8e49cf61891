"""What the reader can learn from the person's own verdicts: which passages answer a question, and
which were cited for it and do not.

A right answer says it of what it cites. One that is not right says that what it cites does not
answer, and where the person said what is right, the passages that hold those words do. What is
private, erased or forgotten is left out, and so is a verdict whose passages are not there any more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

from lpm_kernel.domain.chat.conversations import AnswerVerdict, Conversation, Keeping, Turn
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import Chunk, text_hash
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import Conversations, Decisions, Documents
from lpm_kernel.domain.training.reading import ReadingExample, ReadWindow
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import leaning
from lpm_kernel.L1.answering.sentences import sentences
from lpm_kernel.L1.answering.windows import windows
from lpm_kernel.usecases.chat.redaction import GONE, LEFT_OUT
from lpm_kernel.usecases.chat.scopes import as_recalled
from lpm_kernel.usecases.chat.turns import BEFORE
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.memory.verdicts import memory_of, right_of

EVERY: Final = 5
"""Of so many questions one is kept apart, to examine what was learned."""
MOST_HOLDING: Final = 3
"""Passages that hold what is right, of one verdict."""
ELSEWHERE: Final = 3
"""Words of what is right with which it is looked for in the whole home; with fewer only among what
was recalled for the question.
"""
LOOKED_INTO: Final = 10
"""Documents of the home that are looked into for it."""
PRIVATE, NOT_THERE, NOTHING_CITED = "private", "not_there", "nothing_cited"

_EDGE: Final = " \t\n.,;:!?…。、！？「」『』“”\"'()（）"
_NOTES: Final = frozenset({*GONE.values(), *LEFT_OUT.values()})
Place = tuple[Recalled, int, int]
"""A passage, and a stretch of its text, end exclusive."""


@dataclass(frozen=True)
class VerdictPorts:
    """Where verdicts and what they are about are looked up."""

    conversations: Conversations
    documents: Documents
    decisions: Decisions
    memories: Memories
    index: PassageIndex


@dataclass(frozen=True)
class VerdictSource:
    """A question that something was learned from, without its words."""

    turn: TurnId
    conversation: ConversationId
    asked: str
    """The hash of what was read as the question (``text_hash``)."""
    answers: tuple[TurnId, ...]
    """Those that were judged."""
    documents: tuple[DocumentId, ...]
    struck: tuple[str, ...] = ()
    """The hashes of what was mended or forgotten of them by then: it was not learned."""


@dataclass(frozen=True)
class VerdictExample:
    """A question with its windows, and where they are from."""

    example: ReadingExample
    sources: tuple[VerdictSource, ...]


@dataclass(frozen=True)
class VerdictExamples:
    """All that can be learned now."""

    learned: tuple[VerdictExample, ...]
    kept_apart: tuple[VerdictExample, ...]
    verdicts: int
    """Judged answers in them."""
    left_out: Mapping[str, int]
    """Judged answers that nothing can be learned from, by why."""

    @property
    def counts(self) -> dict[str, int]:
        """Count what is there of each kind."""
        every = [window for each in self.learned for window in each.example.windows]
        return {
            "verdicts": self.verdicts,
            "questions": len(self.learned),
            "kept_apart": len(self.kept_apart),
            "answering": sum(window.span is not None for window in every),
            "not_answering": sum(window.span is None for window in every),
        }


@dataclass
class _Case:
    """What is known of one question, however often it was asked."""

    question: str
    windows: dict[str, ReadWindow] = field(default_factory=dict)
    sources: list[VerdictSource] = field(default_factory=list)

    def take(self, made: Sequence[ReadWindow], source: VerdictSource) -> None:
        """Take windows in; one that answers is one that answers, whatever else is said of it."""
        for window in made:
            known = self.windows.get(window.text)
            if known is None or known.span is None:
                self.windows[window.text] = window
        self.sources.append(source)


def gather(ports: VerdictPorts) -> VerdictExamples:
    """Make examples of all verdicts, and keep every fifth question apart: which, the hash of its
    turn says, so that it is the same every time.
    """
    cases: dict[str, _Case] = {}
    left_out: Counter[str] = Counter()
    passages = _Passages(ports)
    for turn in _judged(ports.conversations):
        if why := _take(turn, cases, ports, passages):
            left_out[why] += 1
    made = sorted(map(_example, cases.values()), key=_drawn)
    return VerdictExamples(
        tuple(each for n, each in enumerate(made) if n % EVERY),
        tuple(made[::EVERY]),
        sum(len(each.sources) for each in made),
        dict(left_out),
    )


def _take(
    turn: Turn, cases: dict[str, _Case], ports: VerdictPorts, passages: _Passages
) -> str | None:
    """Take a judged answer into the case of its question, or say why nothing can be learned of
    it.
    """
    passages.lacking = NOTHING_CITED
    right, wrong = [*_right(turn, passages)], [*_wrong(turn, passages)]
    asked = _asked(ports.conversations, turn)
    if asked is None:
        return NOT_THERE
    answering = [window for place in right for window in _windows(*place)]
    others = [replace(window, span=None) for place in wrong for window in _windows(*place)]
    if not (answering or others):  # where something was found, all of it is struck
        return NOT_THERE if right or wrong else passages.lacking
    question, text = asked
    held = tuple(dict.fromkeys(place[0].chunk.document for place in (*right, *wrong)))
    struck = tuple(sorted(_struck(ports.decisions, held)))
    source = VerdictSource(
        question.id, turn.conversation, text_hash(text), (turn.id,), held, struck
    )
    case = cases.setdefault(" ".join(text.casefold().split()), _Case(text))
    case.take([*others, *answering], source)
    return None


def stands(ports: VerdictPorts, source: VerdictSource) -> bool:
    """Tell whether the question, the answers and the documents of an example are all still there as
    they were, and nothing of the documents was struck or made private since; what was put away is
    there until it is let go.
    """
    answers = [ports.conversations.turn(answer) for answer in source.answers]
    there = {
        document.id
        for away in (False, True)
        for document in ports.documents.many(source.documents, away=away)
        if not document.private
    }
    asked = [None if answer is None else _asked(ports.conversations, answer) for answer in answers]
    return (
        there.issuperset(source.documents)
        and _struck(ports.decisions, source.documents).issubset(source.struck)
        and all(each is not None and text_hash(each[1]) == source.asked for each in asked)
    )


def _struck(decisions: Decisions, documents: Sequence[DocumentId]) -> set[str]:
    """Return the hashes of what was mended or forgotten of these documents."""
    return {
        text_hash(decision.quote)
        for known in decisions.about(list(documents)).values()
        for decision in known
        if decision.strikes
    }


def _example(case: _Case) -> VerdictExample:
    return VerdictExample(
        ReadingExample(case.question, tuple(case.windows.values())), tuple(case.sources)
    )


def _drawn(example: VerdictExample) -> str:
    return sha256(example.sources[0].turn.encode()).hexdigest()


def _judged(conversations: Conversations) -> Iterator[Turn]:
    """Yield the answers that were found right, or not right, of the chats that are there and keep
    what was said.
    """
    for conversation in _chats(conversations):
        for turn in conversations.turns(conversation.id, every=True):
            if turn.verdict is not None and turn.verdict.judged is not AnswerVerdict.BETTER:
                yield turn


def _chats(conversations: Conversations) -> list[Conversation]:
    found: list[Conversation] = []
    cursor: str | None = None
    while True:
        page, cursor = conversations.page(limit=200, cursor=cursor)
        found += page
        if cursor is None:
            found = [chat for chat in found if chat.keeping is Keeping.FULL]
            return sorted(found, key=lambda chat: (chat.created_at, chat.id))


def _asked(conversations: Conversations, answer: Turn) -> tuple[Turn, str] | None:
    """Return the question of an answer, and what is read as it: with the one before it, where it
    is short. ``None`` where it is not there, or was erased in part.
    """
    question = None if answer.answers is None else conversations.turn(answer.answers)
    if question is None or not question.text.strip():
        return None
    history = conversations.turns(question.conversation, limit=BEFORE, before=question.id)
    text = leaning(Question(question.text), history).text
    return None if any(line in _NOTES for line in text.split("\n")) else (question, text)


def _right(turn: Turn, passages: _Passages) -> Iterator[Place]:
    """Yield the places that answer, as far as the verdict says so."""
    if turn.verdict is not None and turn.verdict.judged is AnswerVerdict.RIGHT:
        yield from passages.cited(turn)
    elif wording := right_of(turn):
        found = {place[0].chunk.id: place for place in passages.holding(turn, wording)}
        yield from list(found.values())[:MOST_HOLDING]


def _wrong(turn: Turn, passages: _Passages) -> Iterator[Place]:
    """Yield the places that were cited and do not answer."""
    if turn.verdict is not None and turn.verdict.judged is AnswerVerdict.WRONG:
        yield from passages.cited(turn)


def _windows(item: Recalled, start: int, end: int) -> list[ReadWindow]:
    """Return what the reader reads of a passage where a stretch of it stands."""
    known = sentences([item])
    made = []
    for window in windows([item], known):
        spans = [
            (first + max(0, start - known[n].start), last - max(0, known[n].end - end))
            for n, first, last in window.sentences
            if known[n].start < end and start < known[n].end
        ]
        if spans:
            made.append(ReadWindow(window.text, (spans[0][0], spans[-1][1])))
    return made


class _Passages:
    """The passages of the home that may be learned from."""

    def __init__(self, ports: VerdictPorts) -> None:
        self._ports = ports
        self._every = passages_of(ports.index)
        self._chunks: dict[DocumentId, list[Chunk]] = {}
        self._private: set[DocumentId] = set()
        self.lacking = NOTHING_CITED
        """Why the last place that was looked for cannot be learned from."""

    def cited(self, turn: Turn) -> Iterator[Place]:
        """Yield what a turn cites, where it still reads as it was cited."""
        for citation in turn.citations:
            for chunk in self._of(citation.document):
                start, end = citation.start - chunk.start, citation.end - chunk.start
                inside = chunk.text_version == citation.text_version and 0 <= start < len(
                    chunk.text
                )
                if inside and text_hash(chunk.text[start:end]) == citation.quote_hash:
                    yield self._item(chunk), start, end
                    break
            else:
                if self.lacking != PRIVATE:
                    self.lacking = NOT_THERE

    def holding(self, turn: Turn, wording: str) -> Iterator[Place]:
        """Yield the passages that hold what is right: the statement that was made of it, what was
        recalled for the question, and where it has words enough, any.
        """
        words, pattern = list(dict.fromkeys(terms(wording))), _pattern(wording)
        if pattern is None:
            return
        yield from self._found(self._stated(turn), pattern)
        if words:  # "in May" and "no" stand in passages that do not answer
            yield from self._found(self._recalled(turn), pattern)
        if len(words) >= ELSEWHERE:
            named = self._ports.index.find_documents(words, LOOKED_INTO)
            yield from self._found((c for each in named for c in self._of(each)), pattern)

    def _found(self, chunks: Iterable[Chunk], pattern: re.Pattern[str]) -> Iterator[Place]:
        for chunk in chunks:
            if there := pattern.search(chunk.text):
                yield self._item(chunk), *there.span()

    def _stated(self, turn: Turn) -> Iterator[Chunk]:
        belief = self._ports.memories.last(memory_of(turn.id))
        if belief is not None and belief.believed_until is None:
            for chunk in self._of(belief.document):
                if chunk.start <= belief.start < chunk.end:
                    yield chunk

    def _recalled(self, turn: Turn) -> Iterator[Chunk]:
        for identifier in turn.evidence:
            with suppress(NotFoundError):
                document = self._ports.index.chunk(identifier).document
                yield from (chunk for chunk in self._of(document) if chunk.id == identifier)

    def _of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document; none of one that is private or not there."""
        if document not in self._chunks:
            there = self._ports.documents.many([document])
            if there and there[0].private:
                self._private.add(document)
            usable = bool(there) and not there[0].private
            self._chunks[document] = list(self._every(document)) if usable else []
        if document in self._private:
            self.lacking = PRIVATE
        return self._chunks[document]

    def _item(self, chunk: Chunk) -> Recalled:
        """Return a passage as it is read, with what stands beside it; what the person corrected or
        wants forgotten is struck.
        """
        session = [each for each in self._of(chunk.document) if each.session == chunk.session]
        at = session.index(chunk)
        beside = [*session[max(0, at - 1) : at], *session[at + 1 : at + 2]]
        item, *others = as_recalled(self._ports.decisions, [chunk, *beside])
        unstruck = [other.chunk for other in others if not other.struck]
        return replace(
            item,
            before=next((each for each in unstruck if each.start < chunk.start), None),
            after=next((each for each in unstruck if each.start > chunk.start), None),
        )


def _pattern(wording: str) -> re.Pattern[str] | None:
    """Return what finds a wording in a text, however it is broken into lines."""
    words = wording.strip(_EDGE).split()
    if not words:
        return None
    said = r"\s+".join(map(re.escape, words))
    return re.compile(rf"(?<![A-Za-z0-9]){said}(?![A-Za-z0-9])", re.IGNORECASE)
