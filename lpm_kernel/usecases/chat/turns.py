"""A turn of a chat: what was said is recorded, the evidence goes out first, the answer follows
sentence by sentence.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from lpm_kernel.domain.chat.conversations import (
    AnswerBasis,
    AnswerVerdict,
    Branched,
    Conversation,
    Judgement,
    Keeping,
    PartKind,
    Turn,
    TurnState,
)
from lpm_kernel.domain.chat.profile import LineInMind
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import Problem, text_hash
from lpm_kernel.domain.ports import Clock, LanguageModel, Sampling
from lpm_kernel.domain.stores import Conversations
from lpm_kernel.errors import InvalidInputError, NodeError, NotFoundError, WordsGoneError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language import dates
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.answer import (
    ANSWER_TOKENS,
    HISTORY_TURNS,
    AnswerEvent,
    AnswerRequest,
    AnswerStretch,
    Cited,
    Draft,
    Ended,
    Read,
    Tell,
    Thought,
    answer,
    leaning,
    likelihood,
    reads_well,
    recalled_for,
)
from lpm_kernel.L1.answering.leads import Whose, nobody_known
from lpm_kernel.L1.answering.voice import OwnStyle, untold

MOST_SAID = 20_000
TITLE = 60
"""Characters of the first question that name the conversation."""
KEPT_FOR = timedelta(days=30)
"""How long a chat that was put away can be brought back."""
BEFORE = HISTORY_TURNS + 2
"""Turns before a question that are read to understand it."""
BEFORE_CUE = 64
"""As many where roles go on by themselves: the person may have said nothing for some rounds."""
ANOTHER_TEMPERATURE = 0.8
"""With which a larger model answers again."""

ReadRest = Callable[[Question, Recollection, Sequence[reader.Stretch]], reader.ReadingResult]
"""Reads what was recalled, leaving out what was quoted already."""


@dataclass(frozen=True)
class TurnSpeaker:
    """Who answers: what it sees, how it reads that, and how it says it."""

    recall: Callable[[RecallQuery], Recollection]
    model: LanguageModel
    read: Read = reader.read
    read_rest: ReadRest = reader.rest
    may_go: Callable[[Sequence[Turn]], Sequence[Turn]] = list
    """Leaves out of earlier turns what the model may not see."""
    core: Sequence[str] = ()
    """Lines that are always in mind."""
    core_of: Sequence[DocumentId] = ()
    """The documents that they stand in or rest on."""
    core_basis: Sequence[str] = ()
    """The sentences that they are, or rest on."""
    tell: Tell = answer
    whose: Whose = nobody_known
    """Tells whoever asks whose words a quotation brings."""
    learned: bool = False
    """The model speaks with what was learned in a training."""
    profile: Sequence[LineInMind] = ()
    """The lines of the profile among those that are always in mind."""
    own_style: OwnStyle = untold
    """Says how the person writes, where the answer is to take it on."""


@dataclass(frozen=True)
class EvidenceFound:
    """What is on the table, before the first word."""

    turn: Turn
    found: Recollection
    answer_id: TurnId


@dataclass(frozen=True)
class StoredAnswer:
    """The answer as it is kept."""

    turn: Turn


@dataclass(frozen=True)
class AnswerFailed:
    """It did not work; the evidence stands."""

    problem: Problem
    turn: Turn | None


@dataclass(frozen=True)
class NothingElse:
    """Everything that memory offers for this question was shown already; the answers stand."""

    turn: Turn


TurnEvent = (
    EvidenceFound | Thought | AnswerStretch | Cited | StoredAnswer | AnswerFailed | NothingElse
)


@dataclass(frozen=True)
class NewTurn:
    """What the person says."""

    conversation: ConversationId
    text: str = field(repr=False)
    client_id: str | None = None
    """Chosen by the caller: the same one twice is one turn."""
    speaker: str = ""
    """The role that is to answer; with an empty text it speaks unprompted."""
    by_owner: bool = False
    """The person says it, and not a program of theirs."""

    @property
    def turn(self) -> TurnId:
        """Return the id under which it is kept."""
        return TurnId(f"t_{self.client_id}" if self.client_id else "t_" + secrets.token_hex(8))


@dataclass(frozen=True)
class TurnPlace:
    """A question of a chat, or an answer to it."""

    conversation: ConversationId
    turn: TurnId


@dataclass(frozen=True)
class _Asked:
    """A question that is being answered."""

    turn: Turn
    question: Question
    history: list[Turn]
    """What was said before, as far as the model may see it."""
    given: Sequence[Turn] = ()
    """Answers that it was given before."""


def start(
    conversations: Conversations,
    clock: Clock,
    title: str = "",
    cast: Sequence[str] = (),
    keeping: Keeping = Keeping.FULL,
) -> Conversation:
    """Begin a chat with the second self, or with roles, that keeps this of what is said."""
    now = clock.now()
    return conversations.start(
        Conversation(
            ConversationId("v_" + secrets.token_hex(8)),
            title.strip()[:300],
            now,
            now,
            cast=tuple(cast),
            keeping=keeping,
        )
    )


def take_turn(
    conversations: Conversations,
    by: TurnSpeaker,
    clock: Clock,
    said: NewTurn,
    gone: Callable[[], bool] = lambda: False,
) -> Generator[TurnEvent]:
    """Answer the person, citing what the answer rests on, and remember the turn.

    Closing the iterator, or ``gone`` turning true, stops the model; what was released until then is
    kept as stopped. Raises ``InvalidInputError`` and ``NotFoundError`` before anything is recorded.
    """
    text = said.text.strip()
    conversation = conversations.get(said.conversation)
    several = len(conversation.cast) > 1
    if (not text and not several) or len(text) > MOST_SAID:
        raise InvalidInputError(
            f"What you say has between 1 and {MOST_SAID:,} characters.",
            "Longer texts belong in the library: add them as a document.",
        )
    history = _before(conversations, conversation)
    if not text and not _last_said(history):
        raise InvalidInputError(
            "Nobody said anything yet.",
            "Say something first; then the roles can go on by themselves.",
        )
    asked = conversations.say(
        Turn(
            id=said.turn,
            conversation=conversation.id,
            role="user",
            text=text,
            state=TurnState.DONE,
            created_at=clock.now(),
            speaker=said.speaker,
            by_owner=said.by_owner,
        )
    )
    if asked.conversation != conversation.id:
        raise NotFoundError("turn of this conversation", asked.id)
    if asked.is_discarded:
        raise WordsGoneError
    if not conversation.title:
        title = " ".join(text.split())
        conversations.rename(
            conversation.id, title if len(title) <= TITLE else f"{title[: TITLE - 1].rstrip()}…"
        )
    # asked again under the same id: what came before it counts
    if any(turn.id == asked.id for turn in history):
        history = _before(conversations, conversation, asked.id)
    question = Question(asked.text or _last_said(history))
    return _answering(
        conversations, by, clock, _Asked(asked, question, list(by.may_go(history))), gone
    )


def answer_again(
    conversations: Conversations,
    by: TurnSpeaker,
    clock: Clock,
    turn: TurnPlace,
    gone: Callable[[], bool] = lambda: False,
    still_holds: Callable[[Turn], bool] = lambda _: True,
) -> Generator[TurnEvent]:
    """Give another answer to the same question; those before it are kept beside it.

    A model that is led by quotations is led by what was not quoted yet; where there is nothing
    more, that is said and nothing is kept. A larger one draws its words anew. An answer that does
    not hold any more, because what it rests on was changed, has quoted nothing. The first answer
    with the training in use, and the first without it, is given as if there was no other, so that
    the two compare. Raises ``NotFoundError``.
    """
    known = conversations.get(turn.conversation)
    asked = question_of(conversations, known.id, turn.turn)
    given = [
        each
        for identifier in conversations.answers(known.id).get(asked.id, [])
        if (each := conversations.turn(identifier)) is not None
    ]
    history = _before(conversations, known, asked.id)
    question = Question(asked.text or _last_said(history))
    return _answering_again(
        conversations,
        by,
        clock,
        _Asked(asked, question, list(by.may_go(history)), given),
        [answer for answer in _alike(given, by) if still_holds(answer)],
        gone,
    )


def counted_from(asked: Turn, now: datetime) -> datetime | None:
    """Return when a question was asked, in the zone of ``now``, where its times count from then
    ("yesterday", "in May"); ``None`` where it means the same today: what is newest then counts.
    """
    then = asked.created_at.astimezone(now.tzinfo)
    return None if dates.named(asked.text, then) == dates.named(asked.text, now) else then


def _answering_again(
    conversations: Conversations,
    by: TurnSpeaker,
    clock: Clock,
    asked: _Asked,
    standing: Sequence[Turn],
    gone: Callable[[], bool],
) -> Generator[TurnEvent]:
    history, given = asked.history, asked.given
    sought = leaning(asked.question, history)
    found = recalled_for(sought, by.recall, explain=True)
    blank = _blank(asked.turn, by, found, history, TurnId("t_" + secrets.token_hex(8)), clock)
    yield EvidenceFound(asked.turn, found, blank.id)
    quoted = [
        (citation.document, citation.start, citation.end)
        for turn in standing
        for citation in turn.citations
    ]
    draft = Draft()

    def told() -> Generator[AnswerEvent | NothingElse]:
        led = by.tell is answer and not reads_well(by.model)
        reading = by.read_rest(sought, found, quoted if led else ())
        if led and standing and likelihood(asked.question, found, reading) < reader.NOTHING:
            yield NothingElse(next((turn for turn in standing if turn.shown), standing[-1]))
            return
        sampling = (
            None
            if led or (given and not _alike(given, by))
            else Sampling(
                temperature=ANOTHER_TEMPERATURE, max_tokens=ANSWER_TOKENS, seed=len(given)
            )
        )
        request = AnswerRequest(
            asked.question,
            sought,
            found,
            reading,
            conversations.identity(),
            history,
            by.core,
            whose=by.whose,
            own_style=by.own_style,
        )
        yield from by.tell(request, by.model, draft, sampling=sampling, gone=gone)

    yield from _keeping(told, by.model, blank, draft, conversations.say_again, beside=bool(given))


def _alike(given: Sequence[Turn], by: TurnSpeaker) -> list[Turn]:
    """Return the answers that were given with a training, as this one will be, or without."""
    return [turn for turn in given if (turn.given is not None and turn.given.learned) == by.learned]


def question_of(conversations: Conversations, conversation: ConversationId, turn: TurnId) -> Turn:
    """Return a question of a chat, named by itself or by an answer to it. Raises
    ``NotFoundError``, and ``WordsGoneError`` where only the summary was kept.
    """
    named = conversations.turn(turn)
    asked = (
        conversations.turn(named.answers)
        if named is not None and named.answers is not None
        else named
    )
    if asked is None or asked.conversation != conversation or asked.role != "user":
        raise NotFoundError("turn of this conversation", turn)
    if asked.is_discarded:
        raise WordsGoneError
    return asked


def _before(
    conversations: Conversations, conversation: Conversation, before: TurnId | None = None
) -> list[Turn]:
    """Return what was said before a turn, or last, as far as its words are there."""
    limit = BEFORE_CUE if len(conversation.cast) > 1 else BEFORE
    turns = conversations.turns(conversation.id, limit=limit, before=before)
    return [turn for turn in turns if not turn.is_discarded]


def _last_said(history: Sequence[Turn]) -> str:
    """Return what the person said last."""
    return next((turn.text for turn in reversed(history) if turn.role == "user" and turn.text), "")


def show(conversations: Conversations, conversation: ConversationId, turn: TurnId) -> Turn:
    """Show this one of several answers; which one is kept. Raises ``NotFoundError``."""
    return conversations.show(_whole(conversations, conversation, turn).id)


def judge(
    conversations: Conversations,
    clock: Clock,
    conversation: ConversationId,
    turn: TurnId,
    judged: AnswerVerdict | None,
    better: str = "",
) -> Turn:
    """Keep whether an answer is right, what is right instead, or how it is said better; ``None``
    takes it back.

    It is kept to learn from: an answer and what the person says instead are a preference pair.
    Raises ``NotFoundError`` and ``InvalidInputError``.
    """
    answered = _whole(conversations, conversation, turn)
    better = better.strip()
    if judged is AnswerVerdict.BETTER and not better:
        raise InvalidInputError(
            "The better wording is missing.",
            "Send it as `better`, or say only that the answer is not right.",
        )
    if len(better) > MOST_SAID:
        raise InvalidInputError(
            f"A wording has at most {MOST_SAID:,} characters.", "Say it shorter."
        )
    return conversations.judge(
        answered.id,
        (
            None
            if judged is None
            else Judgement(judged, clock.now(), "" if judged is AnswerVerdict.RIGHT else better)
        ),
    )


def answer_in(conversations: Conversations, conversation: ConversationId, turn: TurnId) -> Turn:
    """Return an answer of a chat, shown or not. Raises ``NotFoundError``."""
    answered = conversations.turn(turn)
    if answered is None or answered.conversation != conversation or answered.role != "assistant":
        raise NotFoundError("answer of this conversation", turn)
    return answered


def _whole(conversations: Conversations, conversation: ConversationId, turn: TurnId) -> Turn:
    """Return an answer of a chat that has its words still."""
    answered = answer_in(conversations, conversation, turn)
    if answered.is_discarded:
        raise WordsGoneError
    return answered


def branch(
    conversations: Conversations, clock: Clock, conversation: ConversationId, turn: TurnId
) -> Conversation:
    """Begin a chat that holds what was said before a question of this one; this one stays as it is.
    Raises ``NotFoundError``.
    """
    known = conversations.get(conversation)
    asked = question_of(conversations, known.id, turn)
    now = clock.now()
    new = ConversationId("v_" + secrets.token_hex(8))
    names: dict[TurnId, TurnId] = {}
    turns = []
    for each in conversations.turns(known.id, before=asked.id):
        if each.is_discarded:
            continue
        names[each.id] = TurnId("t_" + secrets.token_hex(8))
        answers = None if each.answers is None else names.get(each.answers)
        given = (
            None
            if each.given is None
            else replace(
                each.given, heard=tuple(names.get(heard, heard) for heard in each.given.heard)
            )
        )
        turns.append(
            replace(
                each,
                id=names[each.id],
                conversation=new,
                answers=answers,
                verdict=None,
                given=given,
                by_owner=None,  # it was told in the chat that this one is branched from
            )
        )
    title = known.title if turns else ""
    made = Conversation(
        new,
        title,
        now,
        now,
        len(turns),
        Branched(known.id, asked.id),
        cast=known.cast,
        keeping=known.keeping,
    )
    conversations.keep(made, turns)
    return made


def put_away(conversations: Conversations, clock: Clock, conversation: ConversationId) -> None:
    """Delete a chat so that it can be brought back for a while. Raises ``NotFoundError``."""
    conversations.put_away(conversation, clock.now())


def let_go(conversations: Conversations, clock: Clock) -> int:
    """Delete for good what was put away long enough ago, and return how many chats that were."""
    return conversations.let_go(clock.now() - KEPT_FOR)


def _answering(
    conversations: Conversations,
    by: TurnSpeaker,
    clock: Clock,
    asked: _Asked,
    gone: Callable[[], bool],
) -> Generator[TurnEvent]:
    history = asked.history
    given = conversations.answer_to(asked.turn.id)
    if given is not None and given.state is TurnState.FAILED:
        given = None  # asked again: it is tried again
    sought = leaning(asked.question, history)
    found = recalled_for(sought, by.recall, explain=True)
    blank = _blank(
        asked.turn,
        by,
        found,
        history,
        TurnId("t_" + secrets.token_hex(8)) if given is None else given.id,
        clock,
    )
    yield EvidenceFound(asked.turn, found, blank.id)
    # asked again after a lost connection: the answer stands
    if given is not None and (given.state is TurnState.DONE or given.parts):
        yield StoredAnswer(given)
        return
    draft = Draft()

    def told() -> Generator[AnswerEvent | NothingElse]:
        request = AnswerRequest(
            asked.question,
            sought,
            found,
            by.read(sought, found),
            conversations.identity(),
            history,
            by.core,
            whose=by.whose,
            own_style=by.own_style,
        )
        yield from by.tell(request, by.model, draft, gone=gone)

    yield from _keeping(told, by.model, blank, draft, conversations.say, beside=False)


def _keeping(
    told: Callable[[], Generator[AnswerEvent | NothingElse]],
    model: LanguageModel,
    blank: Turn,
    draft: Draft,
    keep: Callable[[Turn], Turn],
    *,
    beside: bool,
) -> Generator[TurnEvent]:
    """Pass an answer on as it is told, and keep what came of it: all of it, what was told until
    somebody left, or why it broke down.

    ``beside``: other answers stand already, and do not give way to one without words.
    """
    kept: Turn | None = None
    try:
        blank = replace(blank, model=model.card().id)
        with closing(told()) as events:
            for event in events:
                match event:
                    case Ended(abstained=abstained):
                        kept = keep(
                            replace(
                                _filled(blank, draft), state=TurnState.DONE, abstained=abstained
                            )
                        )
                        yield StoredAnswer(kept)
                    case NothingElse(turn):
                        kept = turn
                        yield event
                    case _:
                        yield event
    except NodeError as error:
        problem = Problem.of(error)
        kept = replace(_filled(blank, draft), state=TurnState.FAILED, problem=problem)
        yield AnswerFailed(problem, kept if beside else _kept(keep, kept))
    finally:
        if kept is None:
            # "In your own words:" says nothing by itself
            told_something = any(
                part.kind not in {PartKind.NOTE, PartKind.DOUBT} for part in draft.parts
            )
            if told_something or not beside:
                _kept(keep, _filled(blank, draft if told_something else Draft()))


def _blank(
    asked: Turn,
    by: TurnSpeaker,
    found: Recollection,
    history: Sequence[Turn],
    identifier: TurnId,
    clock: Clock,
) -> Turn:
    """Return an answer that has no words yet."""
    documents = [
        *(item.chunk.document for item in found.items),
        *(by.core_of if by.core else ()),
    ]
    heard = tuple(turn.id for turn in history if turn.role == "assistant" and turn.text)
    return Turn(
        id=identifier,
        conversation=asked.conversation,
        role="assistant",
        text="",
        state=TurnState.STOPPED,
        created_at=clock.now(),
        evidence=tuple(item.chunk.id for item in found.items),
        answers=asked.id,
        given=AnswerBasis(
            tuple(map(text_hash, by.core_basis)),
            heard,
            by.learned,
            documents=tuple(dict.fromkeys(documents)),
            lately=tuple(item.chunk.id for item in found.items if item.lately),
            profile=tuple(by.profile),
        ),
        speaker=asked.speaker,
    )


def _kept(keep: Callable[[Turn], Turn], turn: Turn) -> Turn:
    """Keep a turn, unless its conversation was deleted while it was answered."""
    with suppress(NotFoundError):
        return keep(turn)
    return turn


def _filled(blank: Turn, draft: Draft) -> Turn:
    basis = blank.given or AnswerBasis()
    heard = tuple(dict.fromkeys((*basis.heard, *draft.retold)))
    given = replace(
        basis,
        whole=draft.whole,
        heard=heard,
        profile=basis.profile if draft.prompt_hash else (),  # else no model was asked
    )
    return replace(
        blank,
        text=draft.text,
        parts=tuple(draft.parts),
        citations=tuple(draft.citations),
        prompt_hash=draft.prompt_hash,
        given=given,
    )
