"""What the person says is right where an answer was not: a statement of theirs from then on, which
the next question finds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from lpm_kernel.domain.chat.conversations import AnswerVerdict, Citation, Turn
from lpm_kernel.domain.ids import TurnId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.domain.memory.memories import Belief, Memories, MemoryId
from lpm_kernel.domain.memory.retain import line_of
from lpm_kernel.domain.statements import Statement, StatementKind
from lpm_kernel.domain.stores import Conversations, Decisions, Documents
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.usecases.memory.memories import checked
from lpm_kernel.usecases.memory.workspace import MOST_LINE


def right_of(said: Turn) -> str:
    """Return what the person put in the place of an answer that is not right; empty where that is
    not so.
    """
    return (
        said.verdict.better.strip()
        if said.verdict is not None and said.verdict.judged is AnswerVerdict.WRONG
        else ""
    )


def memory_of(answer: TurnId) -> MemoryId:
    """Name the memory that is made of what is right in the place of an answer; saying it anew
    rewords that one.

    >>> memory_of(TurnId("t_1"))
    'mbe8dcefb61'
    """
    return MemoryId("m" + hashlib.sha256(answer.encode()).hexdigest()[:10])


def stated(question: str, right: str) -> Statement:
    """Return what is right as a statement. An answer that takes up no word of its question says
    little by itself, so the question stands before it.

    >>> (stated("When did I move to Teramachi?", "In May.").text,
    ...  stated("Who does my books?", "Petra does my books.").text)
    ('When did I move to Teramachi? In May.', 'Petra does my books.')
    """
    whole = f"{question} {right}"
    alone = not question or len(whole) > MOST_LINE or bool({*terms(question)} & {*terms(right)})
    return checked(Statement(StatementKind.WORLD, right if alone else whole))


class StatementFiles(Protocol):
    """Writes statements into the files of the workspace."""

    def retain(self, line: str, path: str) -> object:
        """Write a statement into a file."""
        ...

    def reword(self, belief: Belief, wanted: Statement | None) -> object:
        """Write a statement anew, or take its line out."""
        ...

    def put_right(self, *, sealed: bool) -> str:
        """Return the file for what is right where an answer was not."""
        ...


def state_right(
    conversations: Conversations,
    memories: Memories,
    documents: Documents,
    files: StatementFiles,
    said: Turn,
) -> None:
    """Make a memory of what the person says is right in the place of an answer, reword it, or take
    it out where they took that back.

    It is private where the answer cites anything private. Raises ``InvalidInputError``.
    """
    right, identifier = right_of(said), memory_of(said.id)
    asked = conversations.turn(said.answers) if said.answers is not None else None
    wanted = stated("" if asked is None else asked.text.strip(), right) if right else None
    last = memories.last(identifier)
    stands = last if last is not None and last.believed_until is None else None
    if stands is not None and (wanted is None or wanted.text != stands.statement.text):
        files.reword(stands, None if wanted is None else replace(wanted, id=identifier))
    elif stands is None and wanted is not None:
        cited = sorted({citation.document for citation in said.citations})
        sealed = any(document.private for document in documents.many(cited))
        files.retain(line_of(replace(wanted, id=identifier)), files.put_right(sealed=sealed))


def struck_since(
    decisions: Decisions,
    documents: Documents,
    quote: Callable[[Document, Citation], str],
    said: Turn,
) -> set[int]:
    """Return the numbers of the citations whose words the person mended or forgot since it was
    said. ``quote`` gives the cited words, where they still are what was cited.
    """
    decided = (
        decisions.about([citation.document for citation in said.citations])
        if said.citations
        else {}
    )

    def concerns(decision: Decision, cited: Citation) -> bool:
        if decision.text_version == cited.text_version:
            return decision.start < cited.end and cited.start < decision.end
        # read anew since: what was decided holds for the words, wherever they stand
        with suppress(NotFoundError):
            return decision.quote in quote(documents.get(cited.document), cited)
        return False

    return {
        citation.n
        for citation in said.citations
        for decision in decided.get(citation.document, [])
        if decision.strikes and decision.at > said.created_at and concerns(decision, citation)
    }
