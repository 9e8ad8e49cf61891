"""Preference pairs of what the person did: answers that they judged, said better, chose among, or
whose words they put right.

An answer may tell anything that it was made from, cited or not, and what it heard of earlier
answers, so all of that counts as its source: where any of it is private, put away or gone, nothing
is learned of the answer, unless a training for its owner alone may know what is private. An answer
of which nobody noted what it was made from teaches nothing, and neither does one that was spoken
from a training, or to a program.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

from lpm_kernel.domain.chat.conversations import (
    AnswerVerdict,
    Citation,
    Conversation,
    Keeping,
    PartKind,
    Turn,
    TurnState,
)
from lpm_kernel.domain.ids import DocumentId, TurnId
from lpm_kernel.domain.library.documents import Chunk, Document, text_hash
from lpm_kernel.domain.memory.decisions import Decision, JudgedSentence, Verdict, concerns
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.preferences import PairRule, PreferencePair
from lpm_kernel.domain.training.runs import Maker, Taught
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.L2.alignment.asking import PlainQuestions
from lpm_kernel.L2.templates import Templates
from lpm_kernel.usecases.chat.redaction import GONE, LEFT_OUT
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.memory.verdicts import memory_of, right_of, stated
from lpm_kernel.usecases.training.verdict_examples import VerdictPorts

LONGEST: Final = 1200
"""Characters of an answer that is learned."""
MOST_NOTES: Final = 4
PRIVATE, NOT_THERE, NOT_YOURS = "private", "not_there", "not_yours"
UNTRACED, LEARNED, FORGOTTEN, TOO_LONG, ALIKE = (
    "untraced",
    "learned",
    "forgotten",
    "too_long",
    "alike",
)
"""Why nothing is learned of a judged answer."""

Named = TypeVar("Named", bound=str)
_SPOKEN: Final = frozenset({PartKind.STATEMENT, PartKind.QUOTATION, PartKind.RETOLD})
_NOTES: Final = (*GONE.values(), *LEFT_OUT.values())


@dataclass(frozen=True)
class CollectedPairs:
    """The pairs, and how many could not be made, by why."""

    pairs: tuple[PreferencePair, ...]
    left_out: Mapping[str, int]


@dataclass(frozen=True)
class _Answer:
    """An answer with its question, as they stand in a chat."""

    turn: Turn
    asked: Turn

    @property
    def said(self) -> str:
        """What it says, without the node's remarks about itself."""
        parts = [part.text.strip() for part in self.turn.parts if part.kind in _SPOKEN]
        return " ".join(parts) if self.turn.parts else self.turn.text.strip()

    @property
    def judged(self) -> AnswerVerdict | None:
        """What the person said of it."""
        return None if self.turn.verdict is None else self.turn.verdict.judged


@dataclass(frozen=True)
class _Candidate:
    """A pair that may be learned, before anybody looked at where it comes from."""

    rule: PairRule
    chosen: _Answer | str
    """An answer, or words of the person."""
    rejected: _Answer
    decision: Decision | None = None
    """What put the rejected one right."""
    noted: tuple[str, ...] = field(default=(), repr=False)
    """What stands among the notes besides what the answers cite."""

    @property
    def answers(self) -> tuple[_Answer, ...]:
        """Those that are in it."""
        return (self.rejected,) if isinstance(self.chosen, str) else (self.chosen, self.rejected)


def collect(
    ports: VerdictPorts,
    correction: Callable[[Decision], str | None],
    *,
    private: bool = False,
) -> CollectedPairs:
    """Make the pairs of all that the person did. ``correction`` gives how a sentence reads that
    they put right; with what is private only where the training answers its
    owner alone.
    """
    chats = {chat.id: _answers(ports, chat) for chat in _chats(ports)}
    every = [answer for answers in chats.values() for answer in answers]
    sources = _Sources(ports, private=private)
    candidates = (
        *_said_better(every),
        *_thumbs(every),
        *(each for answers in chats.values() for each in _choices(answers)),
        *_struck(every, sources, correction),
    )
    left_out: Counter[str] = Counter()
    pairs: list[PreferencePair] = []
    for candidate in candidates:
        if why := sources.unfit(candidate):
            left_out[why] += 1
        else:
            pairs.append(sources.pair(candidate))
    for decision in ports.decisions.all():
        if decision.verdict is Verdict.MEND and (right := correction(decision)):
            put_right = sources.put_right(decision, right.strip())
            pairs += [put_right] if put_right is not None else []
    return CollectedPairs(tuple(dict.fromkeys(pairs)), dict(left_out))


def stands(ports: VerdictPorts, pair: PreferencePair) -> bool:
    """Tell whether the chats that a pair is of are still there and keep what was said in it."""
    for conversation in pair.conversations:
        try:
            chat = ports.conversations.get(conversation, put_away=True)
        except NotFoundError:
            return False
        if chat.keeping is not Keeping.FULL:
            return False
    turns = [ports.conversations.turn(turn) for turn in pair.turns]
    return all(turn is not None and not turn.is_discarded for turn in turns)


def _chats(ports: VerdictPorts) -> list[Conversation]:
    """Return the chats with the second self that are there and keep all of what was said."""
    found: list[Conversation] = []
    cursor: str | None = None
    while True:
        page, cursor = ports.conversations.page(limit=200, cursor=cursor)
        found += (chat for chat in page if chat.keeping is Keeping.FULL and not chat.cast)
        if cursor is None:
            return sorted(found, key=lambda chat: (chat.created_at, chat.id))


def _answers(ports: VerdictPorts, chat: Conversation) -> list[_Answer]:
    turns = ports.conversations.turns(chat.id, every=True)
    asked = {turn.id: turn for turn in turns if turn.role == "user"}
    return [
        _Answer(turn, asked[turn.answers])
        for turn in turns
        if turn.role == "assistant"
        and turn.state is TurnState.DONE
        and not turn.speaker
        and turn.answers in asked
        and asked[turn.answers].text.strip()
    ]


def _said_better(answers: Iterable[_Answer]) -> Iterator[_Candidate]:
    """Yield what the person put into the place of an answer: better words, or what is right."""
    for answer in answers:
        if answer.judged is AnswerVerdict.BETTER and answer.turn.verdict is not None:
            yield _Candidate(PairRule.EDITED, answer.turn.verdict.better.strip(), answer)
        elif right := right_of(answer.turn):
            try:
                said = stated(answer.asked.text.strip(), right).text
            except InvalidInputError:
                continue
            yield _Candidate(PairRule.CORRECTION, said, answer, noted=(said,))


def _thumbs(answers: Iterable[_Answer]) -> Iterator[_Candidate]:
    """Yield a right answer against each that is not right to the same question, in any chat, and
    against those that were given again in its place.
    """
    asked: dict[str, list[_Answer]] = defaultdict(list)
    for answer in answers:
        asked[" ".join(answer.asked.text.casefold().split())].append(answer)
    for same in asked.values():
        right = [answer for answer in same if answer.judged is AnswerVerdict.RIGHT]
        if not right:
            continue
        best = right[-1]
        for answer in same:
            again = answer.judged is None and answer.asked.id == best.asked.id
            if answer.judged is AnswerVerdict.WRONG or again:
                yield _Candidate(PairRule.THUMBS, best, answer)


def _choices(answers: Sequence[_Answer]) -> Iterator[_Candidate]:
    """Yield the answer that the person kept against the others to the same question: they went back
    to it, or went on from it.
    """
    asked: dict[TurnId, list[_Answer]] = defaultdict(list)
    for answer in answers:
        asked[answer.asked.id].append(answer)
    for place, several in enumerate(asked.values()):
        shown = [answer for answer in several if answer.turn.shown]
        judged = any(
            answer.judged in (AnswerVerdict.RIGHT, AnswerVerdict.WRONG) for answer in several
        )
        went_on = place < len(asked) - 1
        if len(several) < 2 or len(shown) != 1 or judged:  # noqa: PLR2004 - one is no choice
            continue
        if shown[0] is not several[-1] or went_on:
            for answer in several:
                if answer is not shown[0]:
                    yield _Candidate(PairRule.CHOICE, shown[0], answer)


def _struck(
    answers: Iterable[_Answer], sources: _Sources, correction: Callable[[Decision], str | None]
) -> Iterator[_Candidate]:
    """Yield what is right against an answer that rests on words which were put right after it."""
    for answer in answers:
        for decision in sources.against(answer):
            right = correction(decision) if decision.verdict is Verdict.MEND else None
            if right and right.strip() and decision.at > answer.turn.created_at:
                text = right.strip()
                yield _Candidate(PairRule.STRUCK, text, answer, decision, (text,))
                break


class _Sources:
    """What answers were made from, and whether it may be learned."""

    def __init__(self, ports: VerdictPorts, *, private: bool) -> None:
        self._ports, self._private = ports, private
        self._chunks = passages_of(ports.index)
        self._documents: dict[DocumentId, Document | None] = {}

    def unfit(self, candidate: _Candidate) -> str | None:
        """Say why nothing can be learned of a candidate; ``None`` where it can."""
        return _unfit_words(candidate) or self._unfit_sources(candidate)

    def _unfit_sources(self, candidate: _Candidate) -> str | None:
        turns = self._heard(candidate.answers)
        if turns is None:
            return UNTRACED
        if any(turn.given is not None and turn.given.learned for turn in turns):
            return LEARNED
        if not self._private and any(map(_knew_profile, turns)):
            return PRIVATE
        return self._unfit_documents(self._documents_of(candidate, turns)) or (
            FORGOTTEN if self._is_forgotten(candidate) else None
        )

    def pair(self, candidate: _Candidate) -> PreferencePair:
        """Make the pair of a candidate that is fit."""
        turns = self._heard(candidate.answers) or []
        documents = self._documents_of(candidate, turns)
        question = candidate.rejected.asked.text.strip()
        notes = list(
            dict.fromkeys((*candidate.noted, *self._quotes(candidate, candidate.decision)))
        )[:MOST_NOTES]
        asked = [answer.asked for answer in candidate.answers]
        known = [*asked, *turns, *self._profiled(turns)]
        return PreferencePair(
            candidate.rule,
            question,
            _text(candidate.chosen),
            candidate.rejected.said,
            tuple(notes),
            documents=documents,
            conversations=_once(turn.conversation for turn in known),
            turns=_once(turn.id for turn in known),
            private=any(map(_knew_profile, turns)) or any(map(self._is_private, documents)),
            maker=Maker.PERSON,
        )

    def put_right(self, decision: Decision, right: str) -> PreferencePair | None:
        """Make the pair of a sentence that the person put right: as it reads rightly, and as it
        stood. ``None`` where it cannot be learned, or asked about.
        """
        if self._is_undone(decision):
            return None
        wrong = " ".join(decision.quote.split())
        documents = (decision.document, *((decision.correction,) if decision.correction else ()))
        if wrong == right or max(len(wrong), len(right)) > LONGEST:
            return None
        if self._unfit_documents(documents) is not None:
            return None
        taught = Taught(MemoryId(decision.id), right)
        random = Random(text_hash(right))  # noqa: S311 - the same question each time, no secret
        question = PlainQuestions([taught], Templates(), 1).about(taught, random)
        if question is None:
            return None
        return PreferencePair(
            PairRule.CORRECTION,
            question,
            right,
            wrong,
            documents=documents,
            private=any(self._is_private(each) for each in documents),
            maker=Maker.PERSON,
        )

    def against(self, answer: _Answer) -> Iterator[Decision]:
        """Yield the decisions against words that an answer cites."""
        decided = self._ports.decisions.about([each.document for each in answer.turn.citations])
        for citation in answer.turn.citations:
            said = JudgedSentence(
                self._quote(citation), citation.text_version, citation.start, citation.end
            )
            yield from (
                decision
                for decision in decided.get(citation.document, ())
                if decision.strikes and said.text and concerns(decision, said)
            )

    def _is_held(self, answer: _Answer) -> bool:
        """Tell whether what the person put in the place of an answer is believed still, as they
        said it.
        """
        belief = self._ports.memories.last(memory_of(answer.turn.id))
        if belief is None:
            return True  # nothing was made of it: it stands with the answer alone
        if belief.believed_until is not None:
            return False
        there = self._document(belief.document)
        if there is None:
            return False
        said = JudgedSentence(belief.statement.text, there.text_version, belief.start, belief.end)
        decided = self._ports.decisions.about([belief.document]).get(belief.document, ())
        return not any(each.strikes and concerns(each, said) for each in decided)

    def _is_undone(self, decision: Decision) -> bool:
        """Tell whether what the person put in the place of words was put right again, or is wanted
        forgotten.
        """
        corrected = decision.correction
        return corrected is not None and any(
            each.strikes for each in self._ports.decisions.about([corrected]).get(corrected, ())
        )

    def _profiled(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """Yield the first turns that the lines of the profile counted which an answer was given
        with: nothing is known of a line once that is gone.
        """
        for turn in turns:
            for line in turn.given.profile if turn.given else ():
                said = self._ports.conversations.turn(line.said)
                if said is not None:
                    yield said

    def _is_forgotten(self, candidate: _Candidate) -> bool:
        """Tell whether words that the person does not want used are in it: forgotten ones on either
        side, and on the preferred side those that were put right, too.
        """
        chosen = candidate.chosen
        if isinstance(chosen, _Answer) and any(self.against(chosen)):
            return True
        if candidate.decision is not None and self._is_undone(candidate.decision):
            return True
        if candidate.rule is PairRule.CORRECTION and not self._is_held(candidate.rejected):
            return True
        return any(
            decision.verdict is Verdict.FORGET for decision in self.against(candidate.rejected)
        )

    def _heard(self, answers: Collection[_Answer]) -> list[Turn] | None:
        """Return the answers with all earlier ones that they heard; ``None`` where nobody knows
        what one was made from.
        """
        found: dict[TurnId, Turn] = {}
        waiting = [answer.turn for answer in answers]
        while waiting:
            turn = waiting.pop()
            if turn.given is None:
                return None
            found[turn.id] = turn
            for heard in turn.given.heard:
                if heard not in found:
                    earlier = self._ports.conversations.turn(heard)
                    if earlier is None:
                        return None
                    waiting.append(earlier)
        return list(found.values())

    def _documents_of(self, candidate: _Candidate, turns: Sequence[Turn]) -> tuple[DocumentId, ...]:
        """Return everything that a candidate rests on."""
        decision = candidate.decision
        return _once(
            [
                *(citation.document for turn in turns for citation in turn.citations),
                *(each for turn in turns if turn.given for each in turn.given.documents),
                *([decision.document] if decision else ()),
                *([decision.correction] if decision and decision.correction else ()),
                *self._stated_in(candidate),
            ]
        )

    def _stated_in(self, candidate: _Candidate) -> Iterator[DocumentId]:
        """Yield the document in which the person's word in the place of an answer stands now."""
        if candidate.rule is PairRule.CORRECTION:
            belief = self._ports.memories.last(memory_of(candidate.rejected.turn.id))
            if belief is not None:
                yield belief.document

    def _unfit_documents(self, documents: Sequence[DocumentId]) -> str | None:
        known = [self._document(each) for each in documents]
        if any(document is None for document in known):
            return NOT_THERE
        sealed = any(document is not None and document.private for document in known)
        return PRIVATE if sealed and not self._private else None

    def _is_private(self, identifier: DocumentId) -> bool:
        document = self._document(identifier)
        return document is not None and document.private

    def _document(self, identifier: DocumentId) -> Document | None:
        if identifier not in self._documents:
            there = self._ports.documents.many([identifier])
            self._documents[identifier] = there[0] if there else None
        return self._documents[identifier]

    def _quotes(self, candidate: _Candidate, struck: Decision | None) -> Iterator[str]:
        """Yield the words that the answers cite, without those that were struck."""
        for answer in candidate.answers:
            against = list(self.against(answer)) if struck is not None else []
            for citation in answer.turn.citations:
                quote = " ".join(self._quote(citation).split())
                said = JudgedSentence(quote, citation.text_version, citation.start, citation.end)
                if quote and not any(concerns(decision, said) for decision in against):
                    yield quote

    def _quote(self, citation: Citation) -> str:
        """Return the words that are cited, where they still stand there."""
        for chunk in self._chunks(citation.document):
            text = _inside(chunk, citation)
            if text and text_hash(text) == citation.quote_hash:
                return text
        return ""


def _knew_profile(turn: Turn) -> bool:
    """Tell whether an answer was given with lines of the profile, which is private."""
    return turn.given is not None and bool(turn.given.profile)


def _once(values: Iterable[Named]) -> tuple[Named, ...]:
    return tuple(dict.fromkeys(values))


def _inside(chunk: Chunk, citation: Citation) -> str:
    start = citation.start - chunk.start
    if chunk.text_version != citation.text_version or not 0 <= start < len(chunk.text):
        return ""
    return chunk.text[start : citation.end - chunk.start]


def _unfit_words(candidate: _Candidate) -> str | None:
    """Say why the words of a candidate are not learned, wherever they come from."""
    said = _text(candidate.chosen), candidate.rejected.said
    if any(answer.asked.by_owner is not True for answer in candidate.answers):
        return NOT_YOURS
    if not all(said) or any(note in text for note in _NOTES for text in said):
        return NOT_THERE
    if max(map(len, said)) > LONGEST:
        return TOO_LONG
    return ALIKE if said[0] == said[1] else None


def _text(chosen: _Answer | str) -> str:
    return chosen if isinstance(chosen, str) else chosen.said
