"""A home with invented notes, and answers about them that were judged."""

from __future__ import annotations

from dataclasses import replace

from lpm_kernel.domain.chat.conversations import (
    AnswerBasis,
    AnswerPart,
    AnswerVerdict,
    Citation,
    Judgement,
    PartKind,
    Turn,
    TurnState,
)
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import Chunk, text_hash
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import turns as chat

RIGHT, WRONG, BETTER = AnswerVerdict.RIGHT, AnswerVerdict.WRONG, AnswerVerdict.BETTER
THINGS = (
    *("ladder", "kettle", "trowel", "lantern", "saddle", "anvil", "funnel", "bellows", "chisel"),
    *("hammock", "sieve", "tripod", "barrel", "compass", "ledger", "mallet", "paddle", "quilt"),
    *("ribbon", "stencil", "thimble", "umbrella", "viola", "whistle", "abacus"),
)
CITED = AnswerBasis()
"""Of an answer that was made from what it cites, and nothing else."""
PEOPLE = ("Mai", "Jonas", "Petra", "Kenji", "Ines")


def note(node: Node, text: str, title: str = "Note", *, private: bool = False) -> DocumentId:
    """Take a note in."""
    document = node.library.add_text(text, title=title, private=private).document.id
    node.run_jobs()
    return document


def passage(node: Node, words: str) -> Chunk:
    """Find the passage that holds these words."""
    for document in node.ports.documents.all():
        for chunk in node.ports.index.chunks_of(document.id):
            if words in chunk.text:
                return chunk
    raise AssertionError(words)


def cite(chunk: Chunk, words: str) -> Citation:
    """Cite words of a passage."""
    start = chunk.start + chunk.text.index(words)
    end = start + len(words)
    return Citation(1, chunk.id, chunk.document, chunk.text_version, start, end, text_hash(words))


def begin(node: Node) -> ConversationId:
    """Begin a chat."""
    return chat.start(node.ports.conversations, node.ports.clock).id


def judged(
    node: Node,
    conversation: ConversationId,
    question: str,
    words: str,
    verdict: AnswerVerdict = RIGHT,
    better: str = "",
) -> Turn:
    """Ask, answer by citing these words, and judge the answer."""
    conversations, now = node.ports.conversations, node.ports.clock.now()
    asked = conversations.say(
        Turn(
            chat.NewTurn(conversation, question).turn,
            conversation,
            "user",
            question,
            TurnState.DONE,
            now,
        )
    )
    chunk = passage(node, words)
    answer = Turn(
        TurnId(f"{asked.id}a"),
        conversation,
        "assistant",
        words,
        TurnState.DONE,
        now,
        citations=(cite(chunk, words),),
        evidence=(chunk.id,),
        answers=asked.id,
    )
    conversations.say(answer)
    return conversations.judge(answer.id, Judgement(verdict, now, better))


def said(
    node: Node,
    conversation: ConversationId,
    question: str,
    words: str,
    *,
    by_owner: bool = True,
    given: AnswerBasis | None = CITED,
) -> Turn:
    """Have the person ask, and answer by citing words of a note, as the node notes it; ``given`` is
    what it was made from besides. A question that was just asked is answered again.
    """
    conversations, now = node.ports.conversations, node.ports.clock.now()
    chunk = passage(node, words)
    last = [turn for turn in conversations.turns(conversation, every=True) if turn.role == "user"]
    if not last or last[-1].text != question:
        asked = Turn(
            chat.NewTurn(conversation, question).turn,
            conversation,
            "user",
            question,
            TurnState.DONE,
            now,
            by_owner=by_owner,
        )
        last.append(conversations.say(asked))
    known = conversations.turns(conversation, every=True)
    basis = given and replace(given, documents=(*given.documents, chunk.document))
    made = Turn(
        TurnId(f"{last[-1].id}{len(known)}"),
        conversation,
        "assistant",
        words,
        TurnState.DONE,
        now,
        citations=(cite(chunk, words),),
        evidence=(chunk.id,),
        answers=last[-1].id,
        parts=(AnswerPart(PartKind.QUOTATION, words, (1,)),),
        given=basis,
    )
    again = any(turn.answers == last[-1].id for turn in known)
    put = conversations.say_again if again else conversations.say
    return put(made)


def judge(node: Node, answer: Turn, verdict: AnswerVerdict, better: str = "") -> None:
    """Judge an answer."""
    now = node.ports.clock.now()
    node.ports.conversations.judge(answer.id, Judgement(verdict, now, better))


def many_verdicts(node: Node, count: int = 50) -> list[tuple[ConversationId, DocumentId]]:
    """Have so many answers judged, half of them right, each to a question of its own and in a chat
    of its own, with two questions about each note.
    """
    made: list[tuple[ConversationId, DocumentId]] = []
    for number in range(count):
        thing, person = THINGS[number // 2 % len(THINGS)], PEOPLE[number // 2 % len(PEOPLE)]
        lent, weather = f"{person} lent me a {thing} on Sunday.", f"The {thing} got wet in May."
        right = not number % 2
        text = f"{lent} {weather}"
        document = note(node, text, f"About the {thing}") if right else made[-1][1]
        conversation = begin(node)
        asked = f"From whom did I get the {thing}?" if right else f"What did the {thing} cost?"
        judged(node, conversation, asked, lent if right else weather, RIGHT if right else WRONG)
        made.append((conversation, document))
    return made
