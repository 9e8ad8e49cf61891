"""Statements as memories: what a text that was read says now goes into the ledger; what the person says of one goes into its file."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from lpm_kernel.domain.documents import Document, ParsedText
from lpm_kernel.domain.memories import Belief, Memories
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.retain import line_of, parse, statement
from lpm_kernel.domain.statements import Statement
from lpm_kernel.domain.workspace import Workspace
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.L1.ledger import changed
from lpm_kernel.usecases.workspace import MOST_LINE, change


def remember(memories: Memories, clock: Clock, document: Document, parsed: ParsedText) -> None:
    """Bring the ledger up to what a document says. Doing it twice is doing it once."""
    before, now = memories.believed(document.id), clock.now()
    found = parse(parsed.text).statements
    if before or found:
        made = changed(before, found, document, now)
        known = {each.memory for each in before}
        memories.write([each if each.memory in known else _taken_up(memories, each) for each in made.beliefs], list(made.ended), now)


def _taken_up(memories: Memories, belief: Belief) -> Belief:
    """Go on with the history of a memory whose line came from another file, or came back."""
    with suppress(NotFoundError):
        last = memories.history(belief.memory)[-1]
        same = last.statement == belief.statement
        return replace(belief, number=last.number if same else last.number + 1, believed_from=last.believed_from if same else belief.believed_from)
    return belief


def reword(workspace: Workspace, document: Document, belief: Belief, wanted: Statement | None) -> None:
    """Write a statement anew in its file, or with ``None`` take its line out; every other byte stays.

    Raises ``ConflictError`` where the line does not stand there any more.
    """
    if not document.origin or document.superseded_by is not None:
        raise ConflictError("This statement stands in a document that was handed in, which is never changed.", "Mend or forget the sentence instead.")
    if wanted is not None:
        checked(wanted)

    def edit(text: str) -> str:
        lines = text.splitlines(keepends=True)
        place = next((each for each in parse(text).statements if each.statement.id == belief.memory), None) or next(
            (each for each in parse(text).statements if replace(each.statement, id=None) == belief.statement), None
        )
        if place is None:
            raise ConflictError("The line was changed or removed meanwhile.", "Look at the file again; nothing was written.")
        old = lines[place.line - 1]
        ending = old[len(old.rstrip("\r\n")) :]
        indent = old[: len(old) - len(old.lstrip())]
        lines[place.line - 1] = "" if wanted is None else f"{indent}{line_of(replace(wanted, id=belief.memory))}{ending}"
        return "".join(lines)

    change(workspace, document.origin, edit)


def checked(wanted: Statement) -> Statement:
    """Return a statement that can be written on one line and read back. Raises ``InvalidInputError``."""
    text = " ".join(wanted.text.split())
    if not text or len(text) > MOST_LINE:
        raise InvalidInputError(f"A statement has between 1 and {MOST_LINE:,} characters.", "Say it in a sentence or two.")
    if wanted.confidence is not None and not 0 <= wanted.confidence <= 1:
        raise InvalidInputError(f"The confidence {wanted.confidence} does not lie between 0 and 1.", "For example 0.8.")
    clean = replace(wanted, text=text, entities=tuple(dict.fromkeys(" ".join(name.split()) for name in wanted.entities if name.strip())))
    read = statement(line_of(clean).removeprefix("- "))
    if isinstance(read, str) or (read.kind, read.text, set(read.entities)) != (clean.kind, clean.text, set(clean.entities)):
        raise InvalidInputError("The statement cannot be written on a line so that it reads the same.", "Leave out @, ^ and colons at its beginning.")
    return clean
