"""What a role goes on from in a chat: however its scope was changed since, and whoever was at the
table, no earlier answer brings along what lies outside now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import AnswerBasis, Turn, TurnState
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.domain.library.documents import DocumentKind, text_hash
from lpm_kernel.domain.memory.workspace import CORE
from lpm_kernel.domain.ports import Adapter, ChatMessage
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import roles
from lpm_kernel.usecases.chat import turns as chat
from lpm_kernel.usecases.chat.provenance import Provenance
from tests.property.test_roles import DAY, NOTE, QUESTIONS, SEES, Note, home, lies_inside, live
from tests.scale import many

pytestmark = pytest.mark.property

IN_MIND = 99
"""The mark of a line of ``memory.md``."""
ANNA, BRAM = RoleId("anna"), RoleId("bram")
Round = tuple[Sees, Sees | None, str]
"""What Anna sees, what Bram sees who sits beside her, unless he was deleted; and what is asked. No
question: something is done with the last one.
"""
AGAIN, FIRST, BRANCH = "another answer", "the first answer", "a branch"
ASKED = st.sampled_from([*QUESTIONS, AGAIN, FIRST, BRANCH])
ROUNDS = st.lists(st.tuples(SEES, st.none() | SEES, ASKED), min_size=2, max_size=5)
WORKSHOP = Note(("Elm roof goat.",), tags=("bench",))
CROWD = [Note(("How many elm boards did Mai move?",), tags=("bench",))] * 12
"""More than an answer rests on, so that nothing else is among its evidence."""
CORES = st.sampled_from(["", "open", "private"])
"""How ``memory.md`` is; empty where there is none."""


class Telltale(ScriptedModel):
    """Tells the marks of all that it was given, earlier answers included, and cites none of it."""

    def _answer(self, messages: Sequence[ChatMessage], adapter: Adapter | None) -> str:  # noqa: ARG002  the twin has it
        marks = sorted(marks_in(messages))
        return (
            f"I was told of {' and '.join(f'M{each}' for each in marks)}." if marks else "Who knows"
        )


def marks_in(messages: Sequence[ChatMessage]) -> set[int]:
    """Find the marks of notes, and those that were told."""
    return {
        int(mark) for each in messages for mark in re.findall(r"(?:No\. |\bM)(\d+)", each.content)
    }


def may_be_told(sees: Sees, notes: Sequence[Note], core: str) -> set[int]:
    """Name the marks inside a scope, those of ``memory.md`` as an open note of today."""
    inside = (
        (sees.private or core != "private")
        and not sees.tags
        and not sees.folder
        and (not sees.kinds or DocumentKind.MARKDOWN in sees.kinds)
        and (not sees.memory_kinds or "passage" in sees.memory_kinds)
    )
    return {number for number, note in enumerate(notes) if lies_inside(note, sees)} | (
        {IN_MIND} if inside else set()
    )


def sitting(node: Node, identifier: RoleId, sees: Sees | None) -> None:
    """Let a role see this from now on; with nothing it was deleted."""
    known = [each.id for each in node.ports.roles.all()]
    if sees is None:
        if identifier in known:
            node.ports.roles.put_away(identifier, node.ports.clock.now())
        return
    node.ports.roles.bring_back(identifier)
    roles.change(
        node.ports.roles, node.ports.clock, replace(node.ports.roles.get(identifier), sees=sees)
    )


def begun(node: Node, notes: Sequence[Note], core: str) -> ConversationId:
    """Begin a chat with two roles in a life of these notes."""
    live(node, list(enumerate(notes)), [number for number, note in enumerate(notes) if note.ruled])
    if core:
        node.workspace.folder.write(
            CORE,
            f"# Core\n\n- Answers no letters before noon, No. {IN_MIND}.\n".encode(),
            node.workspace.folder.read(CORE),
        )
        node.workspace.keep_step()
        node.run_jobs()
        known = node.ports.documents.by_origin(CORE)
        assert known is not None
        if core == "private":
            node.library.relabel(
                known.id,
                private=True,
            )
    for each in (ANNA, BRAM):
        node.ports.roles.add(
            Role(
                each,
                each.title(),
                "",
                "You say what you know.",
                created_at=node.ports.clock.now(),
                updated_at=node.ports.clock.now(),
            )
        )
    return chat.start(node.ports.conversations, node.ports.clock, cast=[ANNA, BRAM]).id


def say(node: Node, conversation: ConversationId, question: str) -> set[int]:
    """Ask Anna, and return the marks that the model was given."""
    return heard(
        node,
        chat.take_turn(
            node.ports.conversations,
            anna(node, conversation),
            node.ports.clock,
            chat.NewTurn(conversation, question, speaker=ANNA),
        ),
    )


def anna(node: Node, conversation: ConversationId) -> chat.TurnSpeaker:
    return node.chat.speaks_in(node.ports.conversations.get(conversation), ANNA, owner=True)


def heard(node: Node, events: Iterator[chat.TurnEvent]) -> set[int]:
    """Let an answer be given, and return the marks that the model was given for it."""
    model = node.models.model
    assert isinstance(model, Telltale)
    model.seen.clear()
    *_, last = events
    assert isinstance(last, chat.StoredAnswer), last
    return {mark for prompt in model.seen for mark in marks_in(prompt)}


def done(node: Node, conversation: ConversationId, asked: str) -> tuple[ConversationId, set[int]]:
    """Ask, or do something with the last question; return the chat that goes on, and the marks that
    the model was given.
    """
    turns = node.ports.conversations.turns(conversation)
    if asked in {AGAIN, FIRST, BRANCH} and not turns:
        return conversation, set()
    if asked == AGAIN:
        return conversation, heard(
            node,
            chat.answer_again(
                node.ports.conversations,
                anna(node, conversation),
                node.ports.clock,
                chat.TurnPlace(conversation, turns[-1].id),
            ),
        )
    if asked == FIRST:
        chat.show(
            node.ports.conversations,
            conversation,
            node.ports.conversations.answers(conversation)[turns[-2].id][0],
        )
        return conversation, set()
    if asked == BRANCH:
        return chat.branch(
            node.ports.conversations, node.ports.clock, conversation, turns[-1].id
        ).id, set()
    return conversation, say(node, conversation, asked)


@settings(max_examples=many(25, 10))
@given(notes=st.lists(NOTE, min_size=2, max_size=6), rounds=ROUNDS, core=CORES)
@example(  # a line that is always in mind, told before Bram came back
    notes=CROWD,
    rounds=[
        (Sees(), None, "How many elm boards did Mai move?"),
        (Sees(), Sees(tags=("bench",)), "How is the glue?"),
    ],
    core="open",
)
@example(  # told once, and told again by an answer whose own evidence lies inside
    notes=[*CROWD, Note(("Where is the clarinet?",))],
    rounds=[
        (Sees(), None, "Where is the clarinet?"),
        (Sees(), None, "How many elm boards did Mai move?"),
        (Sees(tags=("bench",)), None, "How is the glue?"),
    ],
    core="",
)
@example(  # an answer that heard one which is not shown any more, and both of them in a branch
    notes=[*CROWD, Note(("Where is the clarinet?",))],
    rounds=[
        (Sees(), None, "Where is the clarinet?"),
        (Sees(), None, "How many elm boards did Mai move?"),
        (Sees(), None, "How is the glue?"),
        (Sees(), None, BRANCH),
        (Sees(tags=("bench",)), None, AGAIN),
        (Sees(tags=("bench",)), None, FIRST),
        (Sees(tags=("bench",)), None, "How is the glue?"),
    ],
    core="",
)
@example(
    notes=CROWD,
    rounds=[
        (Sees(private=True), None, "How many elm boards did Mai move?"),
        (Sees(), None, "Where is the goat?"),
    ],
    core="private",
)
def test_no_earlier_answer_brings_along_what_lies_outside(
    notes: list[Note], rounds: list[Round], core: str
) -> None:
    with home(Telltale()) as node:
        conversation = begun(node, notes, core)
        for hers, his, asked in rounds:
            sitting(node, ANNA, hers)
            sitting(node, BRAM, his)
            allowed = may_be_told(hers, notes, core) & (
                may_be_told(his, notes, core) if his else {*range(IN_MIND + 1)}
            )
            conversation, given_to_it = done(node, conversation, asked)
            assert given_to_it <= allowed


def test_what_stays_inside_is_gone_on_from() -> None:
    with home(Telltale()) as node:
        conversation = begun(node, [*CROWD, Note(("Where is the clarinet?",))], "open")
        sitting(node, BRAM, Sees(tags=("bench",)))
        first = say(node, conversation, "How many elm boards did Mai move?")
        assert first
        assert first <= {*range(len(CROWD))}
        assert first <= say(node, conversation, "Who knows?"), "what it heard"
        sitting(node, BRAM, None)
        assert {IN_MIND, len(CROWD)} < say(node, conversation, "Where is the clarinet?")
        say(node, conversation, "How many elm boards did Mai move?")
        by = node.chat.speaks_in(node.ports.conversations.get(conversation), ANNA, owner=True)
        assert len(by.may_go(node.ports.conversations.turns(conversation))) == 8, (
            "all of it, as long as nothing changes"
        )
        sitting(node, BRAM, Sees(tags=("bench",)))
        by = node.chat.speaks_in(node.ports.conversations.get(conversation), ANNA, owner=True)
        assert list(by.may_go(node.ports.conversations.turns(conversation))) == [], (
            "the third answer told what lies outside, and the fourth heard it"
        )


@pytest.mark.parametrize(
    ("noted", "learned", "heard"),
    [
        pytest.param(None, True, False, id="an answer of an earlier release"),
        pytest.param(AnswerBasis(), False, True, id="nothing but its evidence"),
        pytest.param(
            AnswerBasis(learned=True),
            False,
            False,
            id="a training, and a role that sees less than everything",
        ),
        pytest.param(
            AnswerBasis(learned=True), True, True, id="a training, and a role that sees everything"
        ),
        pytest.param(
            AnswerBasis(heard=(TurnId("t_gone"),)), True, False, id="an answer that is gone"
        ),
        pytest.param(
            AnswerBasis(heard=(TurnId("t_a"),)),
            True,
            True,
            id="itself, which no archive of ours says",
        ),
        pytest.param(
            AnswerBasis(core=(text_hash("Forgotten since."),)),
            True,
            False,
            id="a line that is not there any more",
        ),
    ],
)
def test_what_was_given_for_an_answer_says_whether_it_is_heard(
    noted: AnswerBasis | None, learned: bool, heard: bool
) -> None:
    with home() as node:
        answer = Turn(
            TurnId("t_a"),
            ConversationId("v"),
            "assistant",
            "It is so.",
            TurnState.DONE,
            node.ports.clock.now(),
            given=noted,
        )
        asked = replace(answer, id=TurnId("t_q"), role="user", given=None)
        memory = node.chat.within(Sees(), owner=True)
        went_on = Provenance(memory, node.ports.index, lambda _: None, learned=learned).history(
            [asked, answer]
        )
        assert went_on == ([asked, answer] if heard else [])


def test_a_sum_over_rows_is_gone_on_from_where_no_day_is_left_out() -> None:
    rows = "".join(
        f"2024-{month:02}-{day:02},6.{day % 10},Kuri\n"
        for month in range(1, 13)
        for day in (3, 10, 17)
    )
    with home(Telltale()) as node:
        node.ports.roles.add(
            Role(
                ANNA,
                "Anna",
                "",
                "You say what you know.",
                created_at=node.ports.clock.now(),
                updated_at=node.ports.clock.now(),
            )
        )
        node.library.add_bytes("runs.csv", f"date,km,with\n{rows}".encode())
        node.run_jobs()
        conversation = chat.start(node.ports.conversations, node.ports.clock, cast=[ANNA]).id
        say(node, conversation, "How many km did I run with Kuri in total?")
        told = node.ports.conversations.turns(conversation)[-1]
        assert "36 rows" in told.text
        assert told.given == AnswerBasis(whole=True, documents=(told.citations[0].document,))
        rests_on = [*told.evidence, *(each.chunk for each in told.citations)]
        days = [at for each in rests_on if (at := node.ports.index.chunk(each).said_at) is not None]
        some = Sees(since=min(days), until=max(days) + DAY)
        assert (
            len(node.chat.within(some, owner=True).passages_of(told.citations[0].document)) < 36
        ), "other rows were counted"
        for sees, heard_of_it in (
            (Sees(), True),
            (Sees(kinds=(told_kind(node, told),)), True),
            (some, False),
        ):
            sitting(node, ANNA, sees)
            assert (
                bool(anna(node, conversation).may_go(node.ports.conversations.turns(conversation)))
                == heard_of_it
            )


def told_kind(node: Node, told: Turn) -> DocumentKind:
    return node.ports.documents.get(told.citations[0].document).kind
