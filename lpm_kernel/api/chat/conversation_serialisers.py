"""Chats and their branches, as clients see them."""

from __future__ import annotations

from contextlib import suppress

from lpm_kernel.api.chat.conversation_access import is_listed
from lpm_kernel.api.chat.conversation_schemas import (
    BranchedOut,
    BranchOut,
    CastOut,
    ConversationOut,
    SnippetOut,
    ThreadOut,
    ThreadSentenceOut,
)
from lpm_kernel.api.chat.turn_serialisers import serialise_speaker
from lpm_kernel.api.context import is_owner
from lpm_kernel.domain.chat.conversations import Conversation, Snippet
from lpm_kernel.domain.chat.threads import ThreadSentence
from lpm_kernel.errors import NotFoundError
from lpm_kernel.node import Node


def serialise_conversation(
    node: Node, conversation: Conversation, found: Snippet | None = None, *, whole: bool = False
) -> ConversationOut:
    """Show a chat, and what was found of it; ``whole``: with what its roles see together."""
    several = len(conversation.cast) > 1
    counts = node.ports.conversations.spoken(conversation.id) if several else {}
    there = node.chat.cast(conversation) if several and whole else []
    return ConversationOut(
        id=conversation.id,
        title=conversation.title,
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
        turns=conversation.turns,
        branched_from=_branched(node, conversation),
        deleted_at=conversation.deleted_at,
        keeping=conversation.keeping.value,
        role=serialise_speaker(node, conversation.cast[0] if conversation.cast else ""),
        cast=[
            CastOut(**each.model_dump(), turns=counts.get(each.id, 0))
            for role in conversation.cast
            if several and (each := serialise_speaker(node, role)) is not None
        ],
        together=(
            node.chat.sight(*(role.sees for role in there), most=0, owner=is_owner()).passages
            if there
            else None
        ),
        snippet=(
            None
            if found is None
            else SnippetOut(
                text=found.text, spans=[list(span) for span in found.spans], turn=found.turn
            )
        ),
    )


def _branched(node: Node, conversation: Conversation) -> BranchedOut | None:
    if conversation.branched_from is None:
        return None
    title = None
    with suppress(NotFoundError):
        source = node.ports.conversations.get(conversation.branched_from.conversation)
        title = source.title if is_listed(source) else None
    return BranchedOut(
        conversation=conversation.branched_from.conversation,
        turn=conversation.branched_from.turn,
        title=title,
    )


def serialise_threads(node: Node, conversation: Conversation) -> list[ThreadOut]:
    """Show the threads of a chat that have ended, to its owner."""
    if not is_owner():
        return []
    threads = node.ports.threads.of(conversation.id)
    kept = node.chat.kept_memories(threads)
    return [
        ThreadOut(
            id=thread.id,
            first=thread.first,
            last=thread.last,
            started_at=thread.started_at,
            ended_at=thread.ended_at,
            reason=thread.reason.value,
            keywords=list(thread.keywords),
            told=thread.told,
            summary=[_sentence(node, each) for each in thread.summary],
            reduced=thread.reduced,
            turns=thread.last_number - thread.number + 1,
            kept=kept[thread.id].all if thread.id in kept else 0,
            kept_outside=kept[thread.id].outside if thread.id in kept else 0,
        )
        for thread in threads
    ]


def _sentence(node: Node, sentence: ThreadSentence) -> ThreadSentenceOut:
    own = sentence.part is None
    return ThreadSentenceOut(
        turn=sentence.turn,
        number=sentence.number,
        kind=sentence.kind.value,
        text=sentence.text,
        speaker=None if own else serialise_speaker(node, sentence.speaker),
        own=own,
    )


def serialise_branches(node: Node, conversation: Conversation) -> list[BranchOut]:
    """Show the chats that were branched from this one."""
    return [
        BranchOut(conversation=each.id, turn=each.branched_from.turn, title=each.title)
        for each in node.ports.conversations.branches(conversation.id)
        if each.branched_from is not None and is_listed(each)
    ]
