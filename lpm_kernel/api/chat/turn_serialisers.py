"""Turns and the events of an answer, as clients see them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from lpm_kernel.api.chat.turn_schemas import (
    CitationData,
    CitationEvent,
    InMindOut,
    JudgementOut,
    LineInMindOut,
    PartKindName,
    PartOut,
    SpokenBy,
    TokenData,
    TokenEvent,
    TurnOut,
)
from lpm_kernel.api.context import is_owner
from lpm_kernel.api.memory.recall_serialisers import serialise_citations, serialise_items
from lpm_kernel.api.serialisers import serialise_problem
from lpm_kernel.domain.chat.conversations import AnswerPart, PartKind, Turn
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.chat.roles import RoleId
from lpm_kernel.domain.ids import TurnId
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L1.answering.answer import AnswerStretch, Cited
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.redaction import LEFT_OUT, without

KINDS: Mapping[PartKind, PartKindName] = {
    PartKind.STATEMENT: "statement",
    PartKind.QUOTATION: "quotation",
    PartKind.NOTE: "note",
    PartKind.DOUBT: "note",
    PartKind.ROLE: "role",
    PartKind.RETOLD: "statement",
}
"""Whose words a part is; that a note is a doubt stands in the outcome."""


def serialise_part(part: AnswerPart) -> PartOut:
    """Show a part of an answer."""
    return PartOut(kind=KINDS[part.kind], text=part.text, citations=list(part.citations))


def serialise_token(stretch: AnswerStretch) -> TokenEvent:
    """Show more words of an answer."""
    data = TokenData(part=stretch.part, kind=KINDS[stretch.kind], text=stretch.text)
    return TokenEvent(event="token", data=data)


def serialise_citation(node: Node, cited: Cited) -> CitationEvent:
    """Show what a part of an answer rests on."""
    (citation,) = serialise_citations(node, [cited.citation])
    data = CitationData(part=cited.part, citation=citation)
    return CitationEvent(event="citation", data=data)


def serialise_turns(
    node: Node, turns: Sequence[Turn], variants: Mapping[TurnId, Sequence[TurnId]]
) -> list[TurnOut]:
    """Show the turns of a chat, with the ids of all answers to each."""
    closed = set() if is_owner() else node.chat.closed(turns)
    return [
        serialise_turn(
            node,
            turn,
            variants=variants.get(turn.answers, []) if turn.answers is not None else (),
            closed=closed,
        )
        for turn in turns
    ]


def serialise_turn(
    node: Node,
    turn: Turn,
    *,
    evidence: bool = True,
    variants: Sequence[TurnId] = (),
    closed: Collection[TurnId] | None = None,
) -> TurnOut:
    """Show a turn with its citations and what was on the table; to a program that may not do
    everything, without what rests on something private.

    ``closed``: answers of which a role's own words may rest on that, where this is known already.
    """
    turn = (
        turn
        if is_owner()
        else _without_private(node, turn, node.chat.closed([turn]) if closed is None else closed)
    )
    return TurnOut(
        id=turn.id,
        role=turn.role,
        text=turn.text,
        state=turn.state.value,
        created_at=turn.created_at,
        parts=[serialise_part(part) for part in turn.parts],
        citations=serialise_citations(node, turn.citations, node.memory.struck_since(turn)),
        evidence=(
            serialise_items(node, _found(node, turn), explain=False, cited=turn.citations)
            if evidence
            else []
        ),
        model=turn.model,
        abstained=turn.abstained,
        outcome=turn.outcome and turn.outcome.value,
        problem=turn.problem and serialise_problem(turn.problem),
        answers=turn.answers,
        variants=list(variants),
        in_mind=len({each.line for each in turn.given.profile}) if turn.given and is_owner() else 0,
        verdict=(
            None
            if turn.verdict is None
            else JudgementOut(
                verdict=turn.verdict.judged.value, better=turn.verdict.better, at=turn.verdict.at
            )
        ),
        speaker=serialise_speaker(node, turn.speaker),
    )


def serialise_in_mind(node: Node, turn: Turn) -> InMindOut:
    """Show which lines of the profile an answer was given with."""
    given = () if turn.given is None else turn.given.profile
    there = node.profile.in_mind(given) if given else {}
    shown = {
        (each.kind, line.id): line for each in given if (line := there.get(each.line)) is not None
    }
    return InMindOut(
        items=[
            LineInMindOut(kind=kind.value, line=line.id, name=line.name)
            for (kind, _), line in shown.items()
        ],
        gone=len({each.line for each in given} - set(there)),
    )


def _found(node: Node, turn: Turn) -> list[Recalled]:
    """Return what was on the table for an answer, as far as it is there."""
    lately = () if turn.given is None else turn.given.lately
    return [
        replace(each, lately=each.chunk.id in lately)
        for each in node.memory.as_recalled(node.memory.passages(turn.evidence))
    ]


def serialise_variant(node: Node, turn: Turn) -> TurnOut:
    """Show an answer, with the ids of all answers to the same turn."""
    return serialise_turn(
        node,
        turn,
        variants=(
            node.ports.conversations.answers(turn.conversation).get(turn.answers, [])
            if turn.answers is not None
            else ()
        ),
    )


def _without_private(node: Node, turn: Turn, told: Collection[TurnId]) -> Turn:
    """Leave out what cites something private, or something that is not there any more and may have
    been.
    """
    closed = set()
    for document_id in {citation.document for citation in turn.citations}:
        try:
            if node.ports.documents.get(document_id).private:
                closed.add(document_id)
        except NotFoundError:
            closed.add(document_id)
    return without(turn, closed, instead=LEFT_OUT, told=told)


def serialise_speaker(node: Node, role: str) -> SpokenBy | None:
    """Show which role spoke; one that is gone, by its id alone."""
    if not role:
        return None
    name = seal = ""
    with suppress(NotFoundError):
        known = node.ports.roles.get(RoleId(role))
        name, seal = known.name, known.seal
    return SpokenBy(id=role, name=name, seal=seal)
