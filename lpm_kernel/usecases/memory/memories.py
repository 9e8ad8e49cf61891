"""Statements as memories: what a text that was read says now goes into the ledger; what the person
says of one goes into its file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lpm_kernel.domain.library.documents import Document, ParsedText
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.memory.memories import Belief, Memories, MemoryId
from lpm_kernel.domain.memory.proposals import Proposal
from lpm_kernel.domain.memory.retain import Retained, line_of, parse, statement
from lpm_kernel.domain.memory.workspace import NotePath, Workspace
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.statements import Statement, StatementKind
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.L1.statements.ledger import changed
from lpm_kernel.usecases.memory.file_access import FileAccess
from lpm_kernel.usecases.memory.workspace import MOST_LINE, change, one_line


@dataclass(frozen=True)
class Ledger:
    """What memories are written with."""

    memories: Memories
    documents: Documents
    files: Files
    clock: Clock


def remember(
    ledger: Ledger, document: Document, parsed: ParsedText, kept: Sequence[Retained] = ()
) -> None:
    """Bring the ledger up to what a document says, and to what the person ``kept`` of it. Doing it
    twice is doing it once.

    A line whose id stands in another document too is a copy, and gets an id of its own; where it
    does not stand there any more, it was moved.
    """
    memories, documents, files = ledger.memories, ledger.documents, ledger.files
    before, now = memories.believed(document.id), ledger.clock.now()
    mine = {belief.memory for belief in before}
    found = [
        (
            replace(retained, statement=replace(retained.statement, id=None))
            if _is_copy(memories, documents, files, retained.statement.id, mine, document)
            else retained
        )
        for retained in parse(parsed.text).statements
    ]
    worded = {belief.statement.text: belief.statement for belief in before}
    for retained in kept:
        if not any(retained.start < other.end and other.start < retained.end for other in found):
            found.append(
                replace(
                    retained,
                    statement=replace(
                        worded.get(retained.statement.text, retained.statement), id=None
                    ),
                )
            )
    if before or found:
        made = changed(before, found, document, now)
        if not made.ended and list(made.beliefs) == before:
            return
        known = {belief.memory for belief in before}
        memories.write(
            [
                belief if belief.memory in known else _taken_up(memories, belief)
                for belief in made.beliefs
            ],
            list(made.ended),
            now,
        )


def kept_of(
    document: Document, text: str, decided: Sequence[Decision], proposals: Sequence[Proposal]
) -> list[Retained]:
    """Return what the person kept of a text as statements, where they stand in it now; of a
    correction, all of it.

    ``proposals`` of what was decided about say of what kind a statement is and whom it names; what
    nobody proposed is a fact.
    """
    if document.corrects:
        said = " ".join(text.split())
        return (
            [_retained(said, 0, len(text), text, next(iter(_proposed(decided, proposals)), None))]
            if said
            else []
        )
    found = []
    for decision in decided:
        if decision.verdict is Verdict.KEEP and decision.document == document.id:
            start = (
                decision.start
                if text[decision.start : decision.end] == decision.quote
                else text.find(decision.quote)
            )
            if start >= 0:
                said = " ".join(decision.quote.split())
                found.append(
                    _retained(
                        said,
                        start,
                        start + len(decision.quote),
                        text,
                        next(iter(_proposed([decision], proposals)), None),
                    )
                )
    return found


def _proposed(decided: Sequence[Decision], proposals: Sequence[Proposal]) -> list[Proposal]:
    return [
        proposal
        for decision in decided
        for proposal in proposals
        if proposal.document == decision.document
        and proposal.start < decision.end
        and decision.start < proposal.end
    ]


def _retained(said: str, start: int, end: int, text: str, proposal: Proposal | None) -> Retained:
    kind, about = (StatementKind.WORLD, ()) if proposal is None else (proposal.kind, proposal.about)
    return Retained(
        Statement(kind, said, about), text.count("\n", 0, start) + 1, start, end, (start, end)
    )


def _taken_up(memories: Memories, belief: Belief) -> Belief:
    """Go on with the history of a memory whose line came from another file, or came back."""
    last = memories.last(belief.memory)
    if last is None:
        return belief
    same = last.statement == belief.statement
    return replace(
        belief,
        number=last.number if same else last.number + 1,
        believed_from=last.believed_from if same else belief.believed_from,
    )


def _is_copy(
    memories: Memories,
    documents: Documents,
    files: Files,
    identifier: str | None,
    mine: set[MemoryId],
    document: Document,
) -> bool:
    """Tell whether a line's id belongs to a memory that still stands in another document."""
    return (
        identifier is not None
        and MemoryId(identifier) not in mine
        and stands(memories, documents, files, identifier, document)
    )


def stands(
    memories: Memories,
    documents: Documents,
    files: Files,
    identifier: str,
    besides: Document | None = None,
) -> bool:
    """Tell whether a memory stands in a document as it was taken in last, ``besides`` this one."""
    last = memories.last(MemoryId(identifier))
    if last is None or last.believed_until is not None:
        return False
    try:
        other = documents.get(last.document)
        other = documents.get(other.superseded_by) if other.superseded_by else other
        text = files.original(other.sha256).decode("utf-8", "replace")
    except NotFoundError:  # it was deleted
        return False
    return (besides is None or other.id != besides.id) and f"^{identifier}" in text


def reword(
    workspace: Workspace,
    access: FileAccess,
    document: Document,
    read: bytes,
    belief: Belief,
    wanted: Statement | None,
) -> None:
    """Write a statement anew in its file, or with ``None`` take its line out; every other byte
    stays.

    Raises ``ConflictError`` where the line does not stand there any more as it was ``read``.
    """
    if not document.origin or document.superseded_by is not None:
        raise ConflictError(
            "This memory comes from a document that was added, which is never changed.",
            "Correct or forget the sentence instead.",
        )
    if wanted is not None:
        checked(wanted)

    def edit(text: str) -> str:
        lines = text.splitlines(keepends=True)
        place, was = (
            _standing(text, belief),
            _standing(read.decode("utf-8", "surrogateescape"), belief),
        )
        if place is None or was is None or place.statement != was.statement:
            raise ConflictError(
                "The line was changed or removed in the meantime.",
                "Look at the file again; nothing was written.",
            )
        old = lines[place.line - 1]
        ending = old[len(old.splitlines()[0]) :]
        indent = old[: len(old) - len(old.lstrip())]
        lines[place.line - 1] = (
            ""
            if wanted is None
            else f"{indent}{line_of(replace(wanted, id=belief.memory))}{ending}"
        )
        return "".join(lines)

    change(workspace, access, NotePath.listed(document.origin), edit)


def _standing(text: str, belief: Belief) -> Retained | None:
    """Return the statement of a text that is this memory: the one with its id, or else with its
    words.
    """
    there = parse(text).statements
    by_id = (retained for retained in there if retained.statement.id == belief.memory)
    return next(by_id, None) or next(
        (
            retained
            for retained in there
            if replace(retained.statement, id=None) == belief.statement
        ),
        None,
    )


def checked(wanted: Statement) -> Statement:
    """Return a statement that can be written on one line and read back. Raises
    ``InvalidInputError``.
    """
    text = one_line(wanted.text)
    if not text or len(text) > MOST_LINE:
        raise InvalidInputError(
            f"A memory has between 1 and {MOST_LINE:,} characters.",
            "Say it in a sentence or two.",
        )
    if wanted.confidence is not None and not 0 <= wanted.confidence <= 1:
        raise InvalidInputError(
            f"The confidence {wanted.confidence} is not between 0 and 1.", "For example 0.8."
        )
    clean = replace(
        wanted,
        text=text,
        entities=tuple(dict.fromkeys(one_line(name) for name in wanted.entities if name.strip())),
    )
    read = statement(line_of(clean).removeprefix("- "))
    if isinstance(read, str) or (read.kind, read.text, set(read.entities)) != (
        clean.kind,
        clean.text,
        set(clean.entities),
    ):
        raise InvalidInputError(
            "The memory cannot be written on one line so that it reads the same.",
            "Leave out @, ^ and colons at its beginning.",
        )
    return clean
