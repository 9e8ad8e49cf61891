"""Erasing from the first look to the last trace: the pages, trainings and files of the workspace
that rest on it go with it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lpm_kernel.config import Home
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.erasure import Erasure, ErasureState
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.ids import ConversationId, DocumentId, is_thread
from lpm_kernel.domain.memory.workspace import Workspace
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import Contents, Conversations, Documents
from lpm_kernel.errors import ConflictError, ModelUnavailableError
from lpm_kernel.usecases.home import erasure
from lpm_kernel.usecases.home.erasure import Copies, ErasureProposal, ErasureReach, ErasureRequest
from lpm_kernel.usecases.memory.workspace import take_away
from lpm_kernel.usecases.processes import reading_documents, waiting_for


@dataclass(frozen=True)
class FollowUps:
    """What follows from an erasure in other subjects."""

    keep_step: Callable[[], object]
    """Takes in what was written to the workspace."""
    pages_on: Callable[[Sequence[DocumentId]], Sequence[DocumentId]]
    """Gives the node's own pages that rest on documents."""
    take_out_of_pages: Callable[[Sequence[DocumentId]], None]
    trainings_on: Callable[[Collection[str]], int]
    """Counts the trainings that learned from documents and chats."""
    taint_trainings: Callable[[Sequence[str]], object]
    """Takes those out of service, and any other that learned from a chat that is gone."""
    readers_on: Callable[[Collection[str]], int]
    """Counts the readers that learned from documents and conversations."""
    drop_readers: Callable[[Collection[str]], object]
    """Deletes those, and any other that learned from what is not there any more."""
    threads_of: Callable[[Sequence[ConversationId]], Sequence[DocumentId]]
    """Ends the threads of conversations, and gives what was told in them."""
    redraw_map: Callable[[], None]
    forget_seen: Callable[[], None]
    """Drops what this process holds in memory: pictures of pages, vectors of questions."""


@dataclass(frozen=True)
class ErasingPorts:
    """What an erasure takes something out of, and what follows from it."""

    held: Contents
    index: PassageIndex
    clock: Clock
    home: Home
    workspace: Workspace
    reach: ErasureReach
    follow_ups: FollowUps


def everything_told(
    documents: Documents, conversations: Conversations
) -> tuple[list[DocumentId], list[ConversationId]]:
    """Return every document and every conversation, put away or not."""
    chats: list[ConversationId] = []
    for put_away in (False, True):
        cursor: str | None = None
        while True:
            page, cursor = conversations.page(limit=500, cursor=cursor, put_away=put_away)
            chats += [conversation.id for conversation in page]
            if cursor is None:
                break
    handed_in = [each.id for each in documents.everything() if not is_thread(each.id)]
    return handed_in, chats


def propose(
    ports: ErasingPorts,
    documents: Sequence[DocumentId],
    conversations: Sequence[ConversationId],
    exports: int,
) -> ErasureProposal:
    """Say what erasing these would take away, and give the token that does it."""
    follow = ports.follow_ups
    follow.keep_step()
    copies = Copies(sum(len(shelf.all()) for shelf in ports.reach.shelves), exports)
    pages = [page for page in follow.pages_on(documents) if page not in documents]
    told = follow.threads_of(conversations)
    request = ErasureRequest([*documents, *pages], conversations, told)

    def learned_from(doomed: Collection[DocumentId]) -> int:
        ids = {*doomed, *conversations}
        return follow.trainings_on(ids) + follow.readers_on(ids)

    return erasure.propose(ports.held, ports.index, ports.clock, request, copies, learned_from)


def confirm(ports: ErasingPorts, token: str) -> Job:
    """Erase: nobody finds it from now on, and the job takes out its traces."""
    held, follow = ports.held, ports.follow_ups
    usable = erasure.usable(held.erasures, ports.clock, token)
    doomed = [each.id for each in usable.documents]
    if set(follow.threads_of(usable.conversations)) - set(doomed):
        raise ConflictError(
            "Something was said there since.", "Look again at what would go, then erase it."
        )
    follow.take_out_of_pages(doomed)
    follow.taint_trainings([*doomed, *usable.conversations])
    follow.drop_readers({*doomed, *usable.conversations})
    with held.files.locked():  # nobody reads a file anew between its going and its rows' going
        rows = (*held.documents.many(doomed), *held.documents.many(doomed, away=True))
        take_away(ports.workspace, held.files, rows)
        job = erasure.confirm(held.erasures, held.conversations, ports.index, ports.clock, token)
    follow.forget_seen()
    return job


def do(ports: ErasingPorts, job: Job, backup_folder: str, progress: Progress) -> JobOutcome:
    """Take out the traces of what was erased, as a job. ``backup_folder`` is where the settings say
    that backups go.
    """
    identifier = str(job.request.get("erasure", ""))
    known = ports.held.erasures.get(identifier)
    if known.is_discard and known.state is ErasureState.CLEANED:
        return _compact(ports, known, progress)
    progress(0.0, "wait", "Waiting until no document is being read")
    for folder in ports.home.aside.glob("t_*"):  # nobody knows any more what they learned from
        shutil.rmtree(folder)
    with (
        waiting_for(ports.home, "backup"),
        reading_documents(ports.home, undisturbed=True),
    ):
        went = erasure.erase(
            ports.held, ports.index, ports.clock, ports.reach, identifier, progress
        )
    ports.follow_ups.taint_trainings(_gone(known))  # those that learned what a chat threw away
    ports.follow_ups.drop_readers(())  # those that heard a quotation, or learned while it went
    ports.follow_ups.forget_seen()  # the process that does it is another than that which was asked
    ports.follow_ups.redraw_map()
    out_of_reach = backup_folder and not Path(backup_folder).expanduser().is_dir()
    more = (
        " The folder of the backups is not there; they are rewritten when it is back, and before"
        " one of them is restored."
        if out_of_reach
        else ""
    )
    if known.is_discard:
        return JobOutcome(f"{_discarded(known)}{more}", went)
    return JobOutcome(
        f"Erased {counted(went['documents'], 'document')} and"
        f" {counted(went['conversations'], 'conversation')}.{more}",
        went,
    )


def _compact(ports: ErasingPorts, erasure: Erasure, progress: Progress) -> JobOutcome:
    """Leave no trace of what a chat threw away that lay in the database alone: no backup is made of
    what a chat does not keep.
    """
    progress(0.5, "compact", "Leaving no trace in free pages and logs")
    ports.follow_ups.taint_trainings(_gone(erasure))
    if erasure.conversations:  # what it was answered from may stand in prompts
        with suppress(ModelUnavailableError):
            ports.reach.forget_prompts()
        ports.follow_ups.forget_seen()
    ports.held.erasures.compact()
    ports.held.erasures.done(erasure.id)
    return JobOutcome(_discarded(erasure), {"turns": len(erasure.turns)})


def _gone(erasure: Erasure) -> list[str]:
    return [*(each.id for each in erasure.documents), *erasure.conversations]


def _discarded(erasure: Erasure) -> str:
    if erasure.is_strike:
        return "Erased what was struck or deleted at a table."
    if erasure.conversations:
        return "Erased a chat of which nothing is kept."
    if not erasure.turns:
        return "Forgot what was told in a chat of which nothing is kept."
    return f"Threw away the words of {counted(len(erasure.turns), 'turn')}; the summary stays."
