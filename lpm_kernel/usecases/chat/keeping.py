"""What a chat keeps of what was said in it: all, the summaries of its threads, or nothing.

What is not kept goes in one transaction (``Erasures.discard``), which also queues the job that
leaves no trace of it; whoever is killed before is taken up again at the next look.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from lpm_kernel.domain.chat.conversations import Conversation, Keeping, Turn
from lpm_kernel.domain.chat.threads import IDLE, Thread
from lpm_kernel.domain.home.erasure import Discard, Doomed
from lpm_kernel.domain.ids import ConversationId, DocumentId, JobId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.errors import ConflictError
from lpm_kernel.usecases.chat.thread_revision import carry_over
from lpm_kernel.usecases.chat.threads import (
    ThreadPorts,
    end_threads,
    keep,
    reduced,
    told_in_summary,
)


@dataclass(frozen=True)
class KeptMemories:
    """How many memories the person kept of what was told in a thread."""

    all: int
    outside: int
    """Of words that do not stand in its summary."""


def keep_so(ports: ThreadPorts, conversation: ConversationId, keeping: Keeping) -> Conversation:
    """Have a chat keep this from now on. What it keeps no more of what was said goes at once: with
    ``summary`` all words but those of the summaries, with ``none`` what is remembered of them (the
    words go when it is left). Raises ``NotFoundError``.
    """
    before = ports.conversations.get(conversation)
    if before.keeping is keeping:
        return before
    now = ports.library.clock.now()
    known = ports.conversations.keep_so(conversation, keeping, now)
    if keeping is Keeping.SUMMARY:
        end_threads(ports, known)
    throw_away(ports)
    return ports.conversations.get(conversation)


def throw_away(ports: ThreadPorts) -> int:
    """Throw away the words of threads that have ended, of chats that keep summaries alone, and what
    is remembered of chats that keep nothing. Returns of how many chats.
    """
    count = 0
    for conversation, group in groupby(ports.threads.unreduced(), lambda each: each.conversation):
        chat = ports.conversations.get(conversation, put_away=True)
        count += _reduce(ports, chat, list(group))
    for chat in ports.conversations.keeping(Keeping.NONE):
        told = [thread.id for thread in ports.threads.of(chat.id)]
        if told:
            documents = tuple(_doomed(ports, told))
            count += _discard(ports, Discard(documents=documents, threadless=(chat.id,)))
    return count


def leave(ports: ThreadPorts, conversation: ConversationId) -> None:
    """Erase a chat that keeps nothing. Raises ``NotFoundError``, and ``ConflictError`` for one that
    keeps something.
    """
    chat = ports.conversations.get(conversation, put_away=True)
    if chat.keeping is not Keeping.NONE:
        raise ConflictError("This chat is kept.", "Delete it, or erase it in the settings.")
    _leave(ports, chat)


def leave_idle(ports: ThreadPorts) -> int:
    """Erase the chats that keep nothing and in which nobody spoke for ten minutes. Returns how
    many.
    """
    now = ports.library.clock.now()
    idle = [
        chat for chat in ports.conversations.keeping(Keeping.NONE) if now - chat.updated_at >= IDLE
    ]
    for chat in idle:
        _leave(ports, chat)
    return len(idle)


def kept_turns(chat: Conversation, turns: Iterable[Turn]) -> list[Turn]:
    """Return the turns of a chat that are kept for good: of one that keeps summaries alone those
    whose words are gone.
    """
    if chat.keeping is Keeping.FULL:
        return list(turns)
    return [turn for turn in turns if chat.keeping is Keeping.SUMMARY and turn.is_discarded]


def kept_memories(ports: ThreadPorts, threads: Sequence[Thread]) -> dict[DocumentId, KeptMemories]:
    """Count the memories that the person kept of what was told in threads; nothing of a thread of
    which they kept none.
    """
    decided = ports.library.decisions.about([thread.id for thread in threads])
    found = {}
    for thread in threads:
        kept = [each.quote for each in decided.get(thread.id, ()) if each.verdict is Verdict.KEEP]
        if kept:
            stays = told_in_summary(thread)
            outside = sum(not any(quote in said for said in stays) for quote in kept)
            found[thread.id] = KeptMemories(len(kept), outside)
    return found


def _reduce(ports: ThreadPorts, chat: Conversation, threads: list[Thread]) -> bool:
    left = [(thread.id, reduced(ports, thread)) for thread in threads]
    more = [before for before, thread in left if before != thread.id]
    decided = ports.library.decisions.about(more)
    for before, thread in left:
        if before in decided:
            carry_over(ports, before, thread)
    discard = Discard(
        reduced=tuple(left),
        documents=tuple(_doomed(ports, more)),
        everywhere=_kept_before(chat, min(thread.started_at for thread in threads)),
    )
    if not _discard(ports, discard):
        return False
    for _, thread in left:
        if thread.told and chat.deleted_at is None:
            keep(ports, thread)
    return True


def _kept_before(chat: Conversation, said_at: datetime) -> bool:
    """Tell whether a chat kept something else when this was said in it, so that backups have it."""
    return chat.kept_so_since is not None and said_at <= chat.kept_so_since


def _leave(ports: ThreadPorts, chat: Conversation) -> None:
    told = [thread.id for thread in ports.threads.of(chat.id)]
    discard = Discard(
        documents=tuple(_doomed(ports, told)),
        conversations=(chat.id,),
        everywhere=chat.kept_so_since is not None,
    )
    _discard(ports, discard)


def _doomed(ports: ThreadPorts, documents: Collection[DocumentId]) -> Iterator[Doomed]:
    library, ids = ports.library.documents, list(documents)
    for document in (*library.many(ids), *library.many(ids, away=True)):
        yield Doomed(document.id, document.sha256, document.title, document.name)


def _discard(ports: ThreadPorts, discard: Discard) -> bool:
    job = JobId("j_" + secrets.token_hex(8))
    done = ports.erasures.discard(discard, job, ports.library.clock.now())
    if discard.documents:
        ports.library.index.remove_all([doomed.id for doomed in discard.documents])
    return done is not None
