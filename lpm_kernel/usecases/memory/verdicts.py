"""What the person says is right where an answer was not: a statement of theirs from then on, which
the next question finds.
"""

from __future__ import annotations

import hashlib

from lpm_kernel.domain.chat.conversations import AnswerVerdict, Turn
from lpm_kernel.domain.ids import TurnId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.statements import Statement, StatementKind
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
