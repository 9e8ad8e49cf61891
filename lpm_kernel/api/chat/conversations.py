"""Chats: history on the node, turns as a stream."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from http import HTTPStatus

from flask import Response, request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.chat.conversation_access import check_there, is_listed, kept_at_first
from lpm_kernel.api.chat.conversation_schemas import (
    BranchIn,
    ConversationIn,
    ConversationList,
    ConversationOut,
    ConversationPatch,
    ConversationQuery,
    ConversationWhole,
    ThreadsOut,
    TurnsQuery,
)
from lpm_kernel.api.chat.conversation_serialisers import (
    serialise_branches,
    serialise_conversation,
    serialise_threads,
)
from lpm_kernel.api.chat.turn_schemas import (
    AgainQuery,
    ByTurn,
    DoneEvent,
    EvidenceData,
    EvidenceEvent,
    ExhaustedEvent,
    FailedData,
    FailedEvent,
    InMindOut,
    JudgementIn,
    ThoughtData,
    ThoughtEvent,
    TurnData,
    TurnIn,
    TurnOut,
    TurnPatch,
    WaitingData,
    WaitingEvent,
)
from lpm_kernel.api.chat.turn_serialisers import (
    serialise_citation,
    serialise_in_mind,
    serialise_token,
    serialise_turn,
    serialise_turns,
    serialise_variant,
)
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.memory.recall_serialisers import serialise_items
from lpm_kernel.api.moments import aware_if_given
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.serialisers import serialise_problem
from lpm_kernel.api.streams import event, event_stream, json_response, listener_gone, to_the_end
from lpm_kernel.domain.chat.conversations import AnswerVerdict, Keeping, Turn
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.L1.answering.answer import AnswerStretch, Cited, Thought
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import casting
from lpm_kernel.usecases.chat import turns as chat

api = APIBlueprint(
    "conversations",
    __name__,
    url_prefix="/api/conversations",
    abp_tags=[Tag(name="conversations", description="Talk with your second self")],
)


@api.before_request
def _hide_private() -> None:
    identifier = (request.view_args or {}).get("id")
    if identifier is not None and not is_owner():
        check_there(str(identifier))


@api.get("", summary="List chats, latest first", responses={200: ConversationList})
def list_conversations(query: ConversationQuery) -> Response:
    """Page through the chats; `q` finds those in whose title or turns all its words stand,
    `deleted` lists those that can still be brought back.
    """
    known = node().ports.conversations
    if query.deleted and not is_owner():  # what is deleted is there for its owner alone
        return json_response(ConversationList(items=[]))
    if query.q.strip() and not query.deleted:
        if not is_owner():
            raise InvalidInputError(
                "Only the owner looks through chats: what is found may quote what is private.",
                "Leave `q` out to list them.",
            )
        matches, following = known.search(query.q, limit=query.limit, cursor=query.cursor)
        return json_response(
            ConversationList(
                items=[
                    serialise_conversation(node(), match.conversation, match.snippet)
                    for match in matches
                ],
                next_cursor=following,
            )
        )
    found, following = known.page(limit=query.limit, cursor=query.cursor, put_away=query.deleted)
    return json_response(
        ConversationList(
            items=[
                serialise_conversation(node(), conversation)
                for conversation in found
                if is_listed(conversation)
            ],
            next_cursor=following,
        )
    )


@api.post("", summary="Begin a chat", responses={201: ConversationOut})
def start_conversation(body: ConversationIn) -> Response:
    """Begin a chat with the second self, a role or several; without a title the first question
    becomes it.
    """
    here = node()
    cast = casting.cast_of(here.ports.roles, body.cast or ([body.role] if body.role else []))
    keeping = kept_at_first(body.keeping)
    return json_response(
        serialise_conversation(
            here,
            chat.start(here.ports.conversations, here.ports.clock, body.title, cast, keeping),
            whole=True,
        ),
        HTTPStatus.CREATED,
    )


@api.get("/<string:id>", summary="Read a chat with its turns", responses={200: ConversationWhole})
def get_conversation(path: ById, query: TurnsQuery) -> Response:
    """Show a chat with its turns, oldest first; with `limit` the last of them, and `before` what
    comes before those.
    """
    known = node().ports.conversations.get(ConversationId(path.id))
    before = None if query.before is None else TurnId(query.before)
    limit = None if query.limit is None else query.limit + 1
    turns = node().ports.conversations.turns(known.id, limit=limit, before=before)
    more = query.limit is not None and len(turns) > query.limit
    turns = turns[1:] if more else turns
    # an answer comes with its question
    if more and turns[0].answers is not None and len(turns) > 1:
        turns = turns[1:]
    answers = node().ports.conversations.answers(known.id)
    shown = serialise_turns(node(), turns, answers)
    whole = serialise_conversation(node(), known, whole=True).model_dump()
    return json_response(
        ConversationWhole(
            **whole,
            items=shown,
            before=turns[0].id if more else None,
            branches=serialise_branches(node(), known),
            threads=serialise_threads(node(), known),
        )
    )


@api.patch(
    "/<string:id>",
    summary="Rename a chat, or change what it keeps",
    responses={200: ConversationOut},
)
def change_conversation(path: ById, body: ConversationPatch) -> Response:
    """Give it another title, or have it keep something else from now on. What it keeps no more is
    thrown away at once and cannot be brought back; only the owner may do that.
    """
    here = node()
    known = here.ports.conversations.get(ConversationId(path.id))
    if body.keeping is not None and body.keeping != known.keeping.value and not is_owner():
        raise InvalidInputError("Only the owner changes what a chat keeps.", "Leave `keeping` out.")
    if body.title is not None:
        known = here.ports.conversations.rename(known.id, body.title)
    if body.keeping is not None:
        known = here.chat.keep_so(known.id, Keeping(body.keeping))
    return json_response(serialise_conversation(here, known))


@api.put(
    "/<string:id>/threads/<string:turn>",
    summary="Begin a thread with a turn",
    responses={200: ThreadsOut},
)
def part_thread(path: ByTurn) -> Response:
    """Part a thread by hand, before something that you said; what goes on is ended first."""
    chat_id = _own_chat(path.id)
    node().chat.part_thread(chat_id, TurnId(path.turn))
    return _threads_of(chat_id)


@api.delete(
    "/<string:id>/threads/<string:turn>",
    summary="Join a thread to the one before it",
    responses={200: ThreadsOut},
)
def join_threads(path: ByTurn) -> Response:
    """Make one thread of the one that begins with this turn and the one before it."""
    chat_id = _own_chat(path.id)
    node().chat.join_threads(chat_id, TurnId(path.turn))
    return _threads_of(chat_id)


def _own_chat(identifier: str) -> ConversationId:
    if not is_owner():
        raise NotFoundError("conversation", identifier)
    return ConversationId(identifier)


def _threads_of(conversation: ConversationId) -> Response:
    known = node().ports.conversations.get(conversation)
    return json_response(ThreadsOut(items=serialise_threads(node(), known)))


@api.delete("/<string:id>", summary="Delete a chat", responses={204: None})
def delete_conversation(path: ById) -> Response:
    """Put it away: it is found nowhere any more, can be brought back for 30 days, and is then
    removed for good. One that keeps nothing is erased at once.
    """
    node().chat.put_away(ConversationId(path.id))
    node().profile.look_anew()
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post(
    "/<string:id>/leave", summary="Leave a chat of which nothing is kept", responses={204: None}
)
def leave_conversation(path: ById) -> Response:
    """Erase it. A browser can send this while its page goes away; one that keeps something is
    refused.
    """
    node().chat.leave(ConversationId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post(
    "/<string:id>/restore",
    summary="Restore a deleted chat",
    responses={200: ConversationOut},
)
def restore_conversation(path: ById) -> Response:
    """Bring it back whole."""
    if not is_owner():
        raise NotFoundError("conversation", path.id)
    return json_response(
        serialise_conversation(node(), node().chat.bring_back(ConversationId(path.id)))
    )


@api.post(
    "/<string:id>/branch",
    summary="Branch a chat at a question",
    responses={201: ConversationOut},
)
def branch_conversation(path: ById, body: BranchIn) -> Response:
    """Begin a chat that holds what was said before this question; the original stays, and both know
    of each other.
    """
    made = chat.branch(
        node().ports.conversations, node().ports.clock, ConversationId(path.id), TurnId(body.turn)
    )
    return json_response(serialise_conversation(node(), made), HTTPStatus.CREATED)


@api.post("/<string:id>/turns", summary="Say something and stream the answer")
def take_turn(path: ById, body: TurnIn) -> Response:
    """Stream `evidence`, `waiting` where other answers come first, `thought` of a model that thinks
    before it answers, `token`, `citation`, then `done` or `failed`.

    Closing the connection stops the model.
    """
    here = node()
    said = chat.NewTurn(ConversationId(path.id), body.text, body.client_id, by_owner=is_owner())
    conversation, before = (
        here.ports.conversations.get(said.conversation),
        here.ports.conversations.turn(said.turn) if said.client_id else None,
    )
    said = replace(
        said,
        speaker=here.chat.asked(conversation, body.text, body.to)
        if before is None
        else before.speaker,
    )
    if said.by_owner:
        here.chat.flush_beside(conversation.id)  # what was told elsewhere is known here at once
    by = here.chat.speaks_in(
        conversation,
        said.speaker,
        owner=is_owner(),
        cue=not said.text.strip(),
        now=aware_if_given(body.now),
        trained=body.trained,
    )
    events = chat.take_turn(here.ports.conversations, by, here.ports.clock, said, listener_gone())
    return event_stream(_shown(here, events))


@api.post("/<string:id>/turns/<string:turn>/again", summary="Answer the same question again")
def answer_again(path: ByTurn, query: AgainQuery) -> Response:
    """Stream another answer, kept beside those before it: the same events, or `exhausted` where
    memory offers nothing else. “Yesterday” counts from when it was asked first. The first one with
    another choice of `trained` is as if the question were asked so at once.
    """
    here = node()
    identifier, turn = ConversationId(path.id), TurnId(path.turn)
    asked = chat.question_of(here.ports.conversations, identifier, turn)
    by = here.chat.speaks_in(
        here.ports.conversations.get(identifier),
        asked.speaker,
        owner=is_owner(),
        cue=asked.is_cue,
        now=aware_if_given(query.now) or chat.counted_from(asked, here.ports.clock.now()),
        trained=query.trained,
    )
    events = chat.answer_again(
        here.ports.conversations,
        by,
        here.ports.clock,
        chat.TurnPlace(identifier, turn),
        listener_gone(),
        here.memory.still_holds,
    )
    return event_stream(_shown(here, events))


@api.get(
    "/<string:id>/turns/<string:turn>",
    summary="Read one of several answers",
    responses={200: TurnOut},
)
def get_turn(path: ByTurn) -> Response:
    """Read an answer, whether it is the one that is shown or not."""
    known = node().ports.conversations.get(ConversationId(path.id))
    return json_response(
        serialise_variant(
            node(), chat.answer_in(node().ports.conversations, known.id, TurnId(path.turn))
        )
    )


@api.get(
    "/<string:id>/turns/<string:turn>/in-mind",
    summary="What of the profile an answer was given with",
    responses={200: InMindOut},
)
def get_in_mind(path: ByTurn) -> Response:
    """List the lines of your profile that stood in the prompt of an answer, as they are called
    now.
    """
    known = node().ports.conversations.get(_own_chat(path.id))
    answered = chat.answer_in(node().ports.conversations, known.id, TurnId(path.turn))
    return json_response(serialise_in_mind(node(), answered))


@api.patch(
    "/<string:id>/turns/<string:turn>",
    summary="Show this one of several answers",
    responses={200: TurnOut},
)
def show_turn(path: ByTurn, body: TurnPatch) -> Response:  # noqa: ARG001  its one field has one value
    """Show it instead of the others; which one is shown is kept."""
    return json_response(
        serialise_variant(
            node(),
            chat.show(node().ports.conversations, ConversationId(path.id), TurnId(path.turn)),
        )
    )


@api.put(
    "/<string:id>/turns/<string:turn>/verdict",
    summary="Say whether an answer is right, or how it is said better",
    responses={200: TurnOut},
)
def judge_turn(path: ByTurn, body: JudgementIn) -> Response:
    """Keep it to learn from; another verdict takes its place. What you say is right where an answer
    was not is a memory from then on.
    """
    return _judged(path, AnswerVerdict(body.verdict), body.better)


@api.delete(
    "/<string:id>/turns/<string:turn>/verdict",
    summary="Undo a verdict",
    responses={200: TurnOut},
)
def unjudge_turn(path: ByTurn) -> Response:
    """Leave the answer without one."""
    return _judged(path, None)


def _judged(path: ByTurn, verdict: AnswerVerdict | None, better: str = "") -> Response:
    """Keep a verdict; a program that may only chat writes no memories by it."""
    said = chat.judge(
        node().ports.conversations,
        node().ports.clock,
        ConversationId(path.id),
        TurnId(path.turn),
        verdict,
        better,
    )
    if is_owner() and _is_remembered(node(), said):
        node().memory.state_right(said)
    return json_response(serialise_variant(node(), said))


def _shown(node: Node, events: Generator[chat.TurnEvent]) -> Iterator[str]:
    with closing(events):
        yield from to_the_end(_told(node, events), lambda problem: event(_failed(problem, None)))


def _told(node: Node, events: Iterator[chat.TurnEvent]) -> Iterator[str]:
    for each in events:
        match each:
            case chat.EvidenceFound(turn, found, answer_id):
                yield event(_evidence(node, turn, found, answer_id))
                if ahead := node.models.answers_ahead():
                    data = WaitingData(ahead=ahead)
                    yield event(WaitingEvent(event="waiting", data=data))
            case Thought() | AnswerStretch() | Cited():
                yield from _word_by_word(node, each)
            case chat.StoredAnswer(turn):
                if _is_remembered(node, turn):
                    node.memory.cited(turn.citations)
                kept = TurnData(turn=serialise_variant(node, turn))
                yield event(DoneEvent(event="done", data=kept))
            case chat.NothingElse(turn):
                kept = TurnData(turn=serialise_variant(node, turn))
                yield event(ExhaustedEvent(event="exhausted", data=kept))
            case chat.AnswerFailed(problem, turn):
                shown = None if turn is None else serialise_variant(node, turn)
                yield event(_failed(problem, shown))


def _word_by_word(node: Node, told: Thought | AnswerStretch | Cited) -> Iterator[str]:
    match told:
        case Thought(text):
            if is_owner():  # it may speak of anything that the model was given
                yield event(ThoughtEvent(event="thought", data=ThoughtData(text=text)))
        case AnswerStretch():
            yield event(serialise_token(told))
        case Cited():
            yield event(serialise_citation(node, told))


def _is_remembered(node: Node, turn: Turn) -> bool:
    """Tell whether anything may be noted of a turn: not of a chat that keeps nothing."""
    try:
        known = node.ports.conversations.get(turn.conversation)
    except NotFoundError:
        return False
    return known.keeping is not Keeping.NONE


def _evidence(node: Node, turn: Turn, found: Recollection, answer_id: TurnId) -> EvidenceEvent:
    data = EvidenceData(
        turn=serialise_turn(node, turn),
        items=serialise_items(node, found.items),
        level=found.level.value,
        answer_id=answer_id,
    )
    return EvidenceEvent(event="evidence", data=data)


def _failed(problem: Problem, turn: TurnOut | None) -> FailedEvent:
    data = FailedData(problem=serialise_problem(problem), turn=turn)
    return FailedEvent(event="failed", data=data)
