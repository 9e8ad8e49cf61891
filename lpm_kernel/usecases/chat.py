"""A turn of a chat: what was said is recorded, the evidence goes out first, the answer follows sentence by sentence."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace

from lpm_kernel.domain.conversations import Conversation, Turn, TurnState
from lpm_kernel.domain.documents import Problem
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.domain.ports import Clock, LanguageModel
from lpm_kernel.domain.recall import RecallQuery, Recollection
from lpm_kernel.domain.stores import Conversations
from lpm_kernel.errors import InvalidInputError, NodeError, NotFoundError
from lpm_kernel.L1.answer import EVIDENCE_ITEMS, EVIDENCE_TOKENS, Cited, Draft, Ended, Said, answer, leaning

MOST_SAID = 20_000
TITLE = 60
"""Characters of the first question that name the conversation."""

Recall = Callable[[RecallQuery], Recollection]


@dataclass(frozen=True)
class EvidenceFound:
    """What is on the table, before the first word."""

    turn: Turn
    found: Recollection
    answer_id: TurnId


@dataclass(frozen=True)
class Answered:
    """The answer as it is kept."""

    turn: Turn


@dataclass(frozen=True)
class Failed:
    """It did not work; the evidence stands."""

    problem: Problem
    turn: Turn | None


TurnEvent = EvidenceFound | Said | Cited | Answered | Failed


@dataclass(frozen=True)
class NewTurn:
    """What the person says."""

    conversation: ConversationId
    text: str = field(repr=False)
    client_id: str | None = None
    """Chosen by the caller: the same one twice is one turn."""


def start(conversations: Conversations, clock: Clock, title: str = "") -> Conversation:
    """Begin a chat."""
    now = clock.now()
    return conversations.start(Conversation(ConversationId("v_" + secrets.token_hex(8)), title.strip()[:300], now, now))


def take_turn(
    conversations: Conversations, recall: Recall, model: LanguageModel, clock: Clock, said: NewTurn, gone: Callable[[], bool] = lambda: False
) -> Generator[TurnEvent]:
    """Answer the person, citing what the answer rests on, and remember the turn.

    Closing the iterator, or ``gone`` turning true, stops the model; what was released until then is kept as stopped.
    Raises ``InvalidInputError`` and ``NotFoundError`` before anything is recorded.
    """
    text = said.text.strip()
    if not text or len(text) > MOST_SAID:
        raise InvalidInputError(f"What you say has between 1 and {MOST_SAID:,} characters.", "Longer texts belong in the library: add them as a document.")
    conversation = conversations.get(said.conversation)
    history = conversations.turns(conversation.id)
    asked = conversations.say(
        Turn(
            id=TurnId(f"t_{said.client_id}" if said.client_id else "t_" + secrets.token_hex(8)),
            conversation=conversation.id,
            role="user",
            text=text,
            state=TurnState.DONE,
            created_at=clock.now(),
        )
    )
    if asked.conversation != conversation.id:
        raise NotFoundError("turn of this conversation", asked.id)
    if not conversation.title:
        conversations.rename(conversation.id, " ".join(text.split())[:TITLE])
    return _answering(conversations, recall, model, clock, asked, [turn for turn in history if turn.id != asked.id], gone)


def _answering(
    conversations: Conversations,
    recall: Recall,
    model: LanguageModel,
    clock: Clock,
    asked: Turn,
    history: list[Turn],
    gone: Callable[[], bool],
) -> Generator[TurnEvent]:
    given = conversations.answer_to(asked.id)
    if given is not None and given.state is TurnState.FAILED:
        given = None  # asked again: it is tried again
    found = recall(RecallQuery(leaning(asked.text, history), k=EVIDENCE_ITEMS, token_budget=EVIDENCE_TOKENS, explain=True))
    blank = Turn(
        id=TurnId("t_" + secrets.token_hex(8)) if given is None else given.id,
        conversation=asked.conversation,
        role="assistant",
        text="",
        state=TurnState.STOPPED,
        created_at=clock.now(),
        evidence=tuple(item.chunk.id for item in found.items),
        answers=asked.id,
    )
    yield EvidenceFound(asked, found, blank.id)
    if given is not None and (given.state is TurnState.DONE or given.parts):  # asked again after a lost connection: the answer stands
        yield Answered(given)
        return
    draft = Draft()
    kept: Turn | None = None
    try:
        blank = replace(blank, model=model.card().id)
        with closing(answer(asked.text, found, history, conversations.identity(), model, draft, gone=gone)) as told:
            for event in told:
                if isinstance(event, Ended):
                    kept = conversations.say(replace(_filled(blank, draft), state=TurnState.DONE, abstained=event.abstained))
                    yield Answered(kept)
                else:
                    yield event
    except NodeError as error:
        problem = Problem.of(error)
        kept = _kept(conversations, replace(_filled(blank, draft), state=TurnState.FAILED, problem=problem))
        yield Failed(problem, kept)
    finally:
        if kept is None:
            _kept(conversations, _filled(blank, draft))


def _kept(conversations: Conversations, turn: Turn) -> Turn:
    """Keep a turn, unless its conversation was deleted while it was answered."""
    with suppress(NotFoundError):
        return conversations.say(turn)
    return turn


def _filled(blank: Turn, draft: Draft) -> Turn:
    return replace(blank, text=draft.text, parts=tuple(draft.parts), citations=tuple(draft.citations), prompt_hash=draft.prompt_hash)
