"""Threads parted and joined by hand, where the person sees it otherwise than the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lpm_kernel.domain.chat.conversations import Conversation, Keeping
from lpm_kernel.domain.chat.threads import Thread, ThreadEnd, Tier
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.errors import ConflictError, InvalidInputError
from lpm_kernel.L1.tiers.threads import Stretch
from lpm_kernel.usecases.chat.threads import (
    ThreadPorts,
    end_threads,
    forget_document,
    keep,
    named_anew,
    thread_from,
    turns_of,
)


def join(ports: ThreadPorts, conversation: ConversationId, first: TurnId) -> list[Thread]:
    """Make one thread of the one that begins with a turn and the one before it, and return the
    threads of the chat. Raises ``NotFoundError``, ``InvalidInputError`` and ``ConflictError``.
    """
    chat, known = _ended(ports, conversation)
    at = next((number for number, each in enumerate(known) if each.first == first), 0)
    if at == 0:
        raise InvalidInputError(
            "No thread with another before it begins with this turn.",
            "Name the first turn of the thread that is to be joined to the one before it.",
        )
    before, after = known[at - 1 : at + 1]
    turns = (*turns_of(ports, before), *turns_of(ports, after))
    made = thread_from(chat, Stretch(turns, after.reason), after.reason)
    _put(ports, (before, after), [_held_as(made, before, after)])
    return ports.threads.of(conversation)


def part(ports: ThreadPorts, conversation: ConversationId, turn: TurnId) -> list[Thread]:
    """Have a thread begin with a turn, something that the person said, and return the threads of
    the chat. Raises ``NotFoundError``, ``InvalidInputError`` and ``ConflictError``.
    """
    chat, known = _ended(ports, conversation)
    for thread in known:
        turns = turns_of(ports, thread)
        at = next((number for number, each in enumerate(turns) if each.id == turn), None)
        if at is not None:
            break
    else:
        at, thread, turns = None, None, []
    if at is None or thread is None or turns[at].role != "user":
        raise InvalidInputError(
            "A thread begins with something that you said.", "Name a turn of yours."
        )
    if at == 0:
        return known
    halves = (
        (Stretch(tuple(turns[:at]), ThreadEnd.PERSON), ThreadEnd.PERSON),
        (Stretch(tuple(turns[at:]), thread.reason), thread.reason),
    )
    _put(ports, (thread,), [_held_as(thread_from(chat, *half), thread) for half in halves])
    return ports.threads.of(conversation)


def _ended(ports: ThreadPorts, conversation: ConversationId) -> tuple[Conversation, list[Thread]]:
    """Return a chat and its threads, after what goes on was ended."""
    chat = ports.conversations.get(conversation)
    if chat.keeping is not Keeping.FULL:
        raise ConflictError(
            "This chat does not keep its words, so its threads stay as they are.",
            "Have the chat keep everything first.",
        )
    end_threads(ports, chat)
    return chat, ports.threads.of(conversation)


def _held_as(made: Thread, *before: Thread) -> Thread:
    """Return a thread as those were held that it was made of; it is weighed anew."""
    order = list(Tier)
    return replace(
        made,
        tier=min((each.tier for each in before), key=order.index),
        moved_at=next((each.moved_at for each in before), None),
        consolidated=any(each.consolidated for each in before),
        wanted=next((each.wanted for each in before if each.wanted is not None), None),
    )


def _put(ports: ThreadPorts, before: Sequence[Thread], after: Sequence[Thread]) -> None:
    """Put threads in the place of others, then their documents; whoever is killed in between is
    taken up again when the home is held together.
    """
    if any(each.reduced for each in before):
        raise ConflictError("Of this thread only the summary was kept.", "It stays as it is.")
    decided = ports.library.decisions.about([each.id for each in before])
    if any(each.verdict is Verdict.KEEP for known in decided.values() for each in known):
        raise ConflictError(
            "You kept something that was told in this thread as a memory, and it would be lost.",
            "Leave the thread as it is, or take back first what you kept.",
        )
    after = named_anew(ports, after)
    ports.threads.redivide([each.id for each in before], after)
    there, was = {each.id for each in after}, {each.id for each in before}
    for each in before:
        if each.id not in there:
            forget_document(ports, each.id)
    for each in after:
        if each.told and each.id not in was:
            keep(ports, each)
