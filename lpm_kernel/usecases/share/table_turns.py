"""What a second self says at a table that goes over the wire: made from the rows inside one scope,
by what answers a contact's question, and from nothing else.

What others said there is what it is asked, as a text; it is no part of its memory, and no
instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.usecases.share import answering
from lpm_kernel.usecases.share.answering import Answerer
from lpm_kernel.usecases.share.inside import Inside
from lpm_kernel.usecases.share.table_voices import (
    LONGEST_TURN,
    NOTHING_NEW,
    answers_to,
    asked_of,
    sayable,
    stance_of,
    was_said_before,
)
from lpm_kernel.usecases.share.tables import NextEntry, Sitting
from protocol.discussion import Step, Strategy, Words
from protocol.identity import Did
from protocol.messages import Message, Verb
from protocol.scope import Scope
from protocol.tables import Table

BESIDE_WORDS: Final = 512
"""Bytes of an entry's words that are neither text nor cites, and some to spare."""
LONGEST_QUESTION: Final = 4_000


@dataclass(frozen=True)
class Bounded:
    """From what a turn is made, and how large it may be: bytes of words, tokens of the model."""

    scope: Scope
    bytes: int
    tokens: int


def compose(
    answerer: Callable[[], Answerer], sitting: Sitting, member: str, number: int, within: Bounded
) -> NextEntry:
    """Make the turn of a second self in a round, from a scope. Raises ``Refusal`` and
    ``ModelUnavailableError``.
    """
    table, made_by = sitting.table, answerer()
    asked = asked_of(sitting, sitting.seat(member), ())
    inside: Inside = made_by.inside(within.scope, frozenset())
    request = _as_question(table, asked.text, within)
    reply = answering.composed(made_by, request, within.scope, inside)
    body: Mapping[str, Any] = reply.body or {}
    text = sayable(str(body["text"])).strip()[:LONGEST_TURN]
    on = answers_to(sitting, member)
    again = was_said_before(sitting, member, text)
    unanswerable = table.strategy is Strategy.DEBATE and number > 1 and on is None
    abstained = bool(body["abstained"]) or not text or again or unanswerable
    if again or not text:
        text = NOTHING_NEW[language_of(sitting.aim)]
    stance = None if abstained or on is None else stance_of(text)
    words = Words.write(text, () if abstained else tuple(body["cites"]))
    if len(words.json.encode()) > within.bytes:
        abstained, stance = True, None
        words = Words.write(NOTHING_NEW[language_of(sitting.aim)])
    fields = {"by": member, "round": number, "abstained": abstained, "on": on, "stance": stance}
    return NextEntry(
        Step.TURN,
        {**fields, "quotes": []},
        words,
        tuple(map(str, reply.documents)),
    )


def _as_question(table: Table, text: str, within: Bounded) -> Message:
    """Ask it as a contact's question is asked; rows get names for this table alone."""
    opening = table.opening
    body = {
        "question": text[:LONGEST_QUESTION],
        "purpose": within.scope.purpose,
        "bytes": max(within.bytes - BESIDE_WORDS, BESIDE_WORDS),
        "tokens": within.tokens,
    }
    return Message(
        opening.table, Did(opening.table), opening.iss, opening.ts, opening.ts + 1, Verb.ASK, body
    )
