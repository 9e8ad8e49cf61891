"""Chats: history on the node, turns as a stream."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import schemas, shapes
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.streams import event, event_stream, json_response, listener_gone
from lpm_kernel.domain.ids import ConversationId
from lpm_kernel.L1.answer import Cited, Said
from lpm_kernel.node import Node
from lpm_kernel.usecases import chat

api = APIBlueprint("conversations", __name__, url_prefix="/api/conversations", abp_tags=[Tag(name="conversations", description="Talk with your second self")])


@api.get("", summary="List chats, latest first", responses={200: schemas.ConversationList})
def list_conversations(query: schemas.Page) -> Response:
    """Page through the chats."""
    found, following = node().conversations.page(limit=query.limit, cursor=query.cursor)
    return json_response(schemas.ConversationList(items=[shapes.conversation(each) for each in found], next_cursor=following))


@api.post("", summary="Begin a chat", responses={201: schemas.ConversationOut})
def start_conversation(body: schemas.ConversationIn) -> Response:
    """Begin a chat; without a title the first question becomes it."""
    return json_response(shapes.conversation(chat.start(node().conversations, node().clock, body.title)), HTTPStatus.CREATED)


@api.get("/<string:id>", summary="Read a chat with its turns", responses={200: schemas.ConversationWhole})
def get_conversation(path: schemas.ById) -> Response:
    """Show a chat with its turns, oldest first."""
    known = node().conversations.get(ConversationId(path.id))
    turns = [shapes.turn(node(), each) for each in node().conversations.turns(known.id)]
    return json_response(schemas.ConversationWhole(**shapes.conversation(known).model_dump(), items=turns))


@api.patch("/<string:id>", summary="Rename a chat", responses={200: schemas.ConversationOut})
def rename_conversation(path: schemas.ById, body: schemas.ConversationPatch) -> Response:
    """Give it another title."""
    known = node().conversations.get(ConversationId(path.id))
    return json_response(shapes.conversation(node().conversations.rename(known.id, body.title)))


@api.delete("/<string:id>", summary="Delete a chat", responses={204: None})
def delete_conversation(path: schemas.ById) -> Response:
    """Delete it with its turns."""
    node().conversations.delete(ConversationId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post("/<string:id>/turns", summary="Say something and stream the answer")
def take_turn(path: schemas.ById, body: schemas.TurnIn) -> Response:
    """Stream `evidence`, `token`, `citation`, then `done` or `failed`; closing the connection stops the model."""
    said = chat.NewTurn(ConversationId(path.id), body.text, body.client_id)
    events = chat.take_turn(node().conversations, node().recall_for(owner=is_owner()), node().model, node().clock, said, listener_gone())
    return event_stream(_shown(node(), events))


def _shown(node: Node, events: Generator[chat.TurnEvent]) -> Iterator[str]:
    with closing(events):
        yield from _told(node, events)


def _told(node: Node, events: Iterator[chat.TurnEvent]) -> Iterator[str]:
    for each in events:
        match each:
            case chat.EvidenceFound(turn, found, answer_id):
                items = [item.model_dump(mode="json") for item in shapes.items(node, found.items)]
                yield event(
                    "evidence", {"turn": shapes.turn(node, turn).model_dump(mode="json"), "items": items, "level": found.level.value, "answer_id": answer_id}
                )
            case Said(part, kind, text):
                yield event("token", {"part": part, "kind": kind.value, "text": text})
            case Cited(part, citation):
                yield event("citation", {"part": part, "citation": shapes.citations(node, [citation])[0].model_dump(mode="json")})
            case chat.Answered(turn):
                yield event("done", {"turn": shapes.turn(node, turn).model_dump(mode="json")})
            case chat.Failed(problem, turn):
                shown = None if turn is None else shapes.turn(node, turn).model_dump(mode="json")
                yield event("failed", {"problem": {"title": problem.title, "detail": problem.detail, "hint": problem.hint}, "turn": shown})
