"""Which statement of a text is which memory: by its id, by its words, by likeness; what is left is
new.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher

from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.memories import Belief, MemoryId
from lpm_kernel.domain.memory.retain import Retained
from lpm_kernel.domain.statements import Statement

ALIKE = 0.6
"""Share of signs in common (Ratcliff/Obershelp, ``difflib``) from which on a changed line counts as
the same statement in other words.
"""


@dataclass(frozen=True)
class LedgerChange:
    """What a text makes of what was believed."""

    beliefs: tuple[Belief, ...]
    """Every statement of the text: moved, worded anew, or new."""
    ended: tuple[MemoryId, ...]
    """What is not there any more."""


def changed(
    before: Sequence[Belief], found: Sequence[Retained], document: Document, now: datetime
) -> LedgerChange:
    """Say what becomes of the memories of a document whose text has these statements now.

    A statement keeps its memory where its id, its words or most of them are the same; of two lines
    with one id the first keeps it.
    """
    owner, ended = _owners(before, found)
    taken = {belief.memory for belief in before}
    beliefs = []
    for place, retained in enumerate(found):
        said, known, (start, end) = (
            replace(retained.statement, id=None),
            owner.get(place),
            retained.about,
        )
        if known is None:
            memory = _fresh_id(retained.statement, document, taken)
            taken.add(memory)
            beliefs.append(Belief(memory, 1, said, document.id, start, end, now))
        elif _same(known.statement, said):
            beliefs.append(
                replace(known, statement=said, document=document.id, start=start, end=end)
            )
        else:
            beliefs.append(
                Belief(known.memory, known.number + 1, said, document.id, start, end, now)
            )
    return LedgerChange(tuple(beliefs), tuple(ended))


def _owners(
    before: Sequence[Belief], found: Sequence[Retained]
) -> tuple[dict[int, Belief], list[MemoryId]]:
    """Return the belief that each statement goes on with, by its place, and the memories that none
    goes on with.
    """
    left = {belief.memory: belief for belief in before}
    owner: dict[int, Belief] = {}

    def by_id(said: Statement) -> Belief | None:
        return left.get(MemoryId(said.id)) if said.id else None

    def by_words(said: Statement) -> Belief | None:
        return next((known for known in left.values() if _same(known.statement, said)), None)

    def by_likeness(said: Statement) -> Belief | None:
        best = max(left.values(), key=lambda known: _likeness(known.statement, said), default=None)
        return best if best is not None and _likeness(best.statement, said) >= ALIKE else None

    for rule in (by_id, by_words, by_likeness):
        for place, retained in enumerate(found):
            if place not in owner and (known := rule(retained.statement)):
                owner[place] = left.pop(known.memory)
    return owner, list(left)


def _same(one: Statement, other: Statement) -> bool:
    return (one.kind, one.text, one.entities, one.confidence) == (
        other.kind,
        other.text,
        other.entities,
        other.confidence,
    )


def _likeness(one: Statement, other: Statement) -> float:
    """0..1. Another kind, or another person or thing, is another statement."""
    if one.kind is not other.kind or (
        one.entities and other.entities and not set(one.entities) & set(other.entities)
    ):
        return 0.0
    matcher = SequenceMatcher(None, one.text, other.text, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0.0


def _fresh_id(statement: Statement, document: Document, taken: set[MemoryId]) -> MemoryId:
    """Name a new memory: by the id that its line carries, or by its document and words, so that
    reading it again gives the same.

    A document's id is drawn by lot: who only guesses the words, and the file, cannot tell by the
    name whether they stand there.
    """
    if statement.id is not None and MemoryId(statement.id) not in taken:
        return MemoryId(statement.id)
    for number in range(len(taken) + 1):
        key = f"{document.id}|{statement.kind}|{statement.text}|{number}"
        memory = MemoryId(
            "m" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        )
        if memory not in taken:
            return memory
    raise AssertionError  # more names than memories were tried
