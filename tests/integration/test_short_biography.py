"""Who the person is in up to three sentences, as roles and other nodes are told it: nothing that
rests on what they may not see, whoever tries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import AnswerBasis, Identity, Turn, TurnState
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import text_hash
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.workspace import BIOGRAPHY
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.recall import ScopedMemory
from lpm_kernel.usecases.memory.findings import SentenceDecision
from lpm_kernel.usecases.memory.short_biography import lines_within
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope

pytestmark = pytest.mark.integration

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Paper:
    """A document, and who may see it."""

    name: str
    text: str
    tags: tuple[str, ...]
    private: bool = False


HOME = Paper("2024-02-03 roof.md", "My brother Colm rang about the roof.", ("home",))
WORK = Paper("2024-03-04 job.md", "I work as a nurse at the hospital in Mallow.", ("work",))
PLACE = Paper("2024-04-05 flat.md", "I rent a flat over a bakery.", ("home", "work"))
SECRET = Paper("2024-05-06 wife.md", "My wife Ann said no. I work as a spy at the bank.", (), True)
AT_ODDS = Paper("2024-06-07 cousin.md", "My cousin Colm came along.", ("cousins",))
DEATH = Paper("2024-07-08 loss.md", "Colm died in his sleep. I was with him.", ("loss",))
PAPERS = (HOME, WORK, PLACE, SECRET, AT_ODDS, DEATH)
BROTHER, NURSE = "My brother is called Colm.", WORK.text


IN_2020 = Paper("2020-09-05 web.md", "So says editor Ada Moe, to whom we spoke.", ("old",))
IN_2023 = Paper("2023-11-05 web.md", "So says editor Ada Moe, who wrote it.", ("new",))
MIRA = (
    Paper("2024-01-02 Mira.md", "Mira: Are you home?\nAda: No.\nMira: Right.", ("mira",)),
    Paper("2024-02-02 Mira.md", "Mira: Is it cold?\nAda: It is.\nMira: Bye.", ("mira",)),
)
BEN = (
    Paper("2024-01-03 Ben.md", "Ben: Are you up?\nAda: No.\nBen: Right.", ("ben",)),
    Paper("2024-02-03 Ben.md", "Ben: Is it wet?\nAda: It is.\nBen: Bye.", ("ben",)),
)

Told = Callable[..., list[str]]


def living(folder: Path, papers: Collection[Paper]) -> Node:
    node = Node(
        Home(folder),
        clock=FrozenClock(NOW),
        embedder=HashingEmbedder(),
        communities="louvain",
        model=ScriptedModel([(".", "Well.")]),
    )
    node.ports.conversations.set_identity(Identity("Ada Moe", languages=("en",)))
    for paper in papers:
        node.library.add_bytes(
            paper.name, paper.text.encode(), tags=paper.tags, private=paper.private
        )
    node.run_jobs()
    node.reflection.reflect()
    node.run_jobs()
    return node


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with living(tmp_path, PAPERS) as node:
        yield node


def to_a_role(node: Node, *tags: str, private: bool = False) -> list[str]:
    role = Role(RoleId("coach"), "Coach", "", "Ask.", sees=Sees(tags=tags, private=private))
    return list(node.chat.speaks(role, owner=False).core)


def to_a_node(node: Node, *tags: str) -> list[str]:
    held = frozenset(tags) if tags else EVERY_TAG
    scope = Scope(held, frozenset(RowKind), frozenset(Layer), None, None, Form.ANSWER, "")
    return list(node.replying.answerer().inside(scope).short_biography())


@pytest.mark.parametrize("told", [to_a_role, to_a_node])
def test_each_is_told_what_they_may_see(node: Node, told: Told) -> None:
    assert told(node, "home") == [BROTHER, PLACE.text]
    assert told(node, "work") == [NURSE, PLACE.text]
    assert told(node, "home", "work") == [BROTHER, NURSE, PLACE.text]
    assert told(node, "letters") == []


@pytest.mark.parametrize("told", [to_a_role, to_a_node])
def test_what_is_private_is_told_to_nobody_who_sees_everything_else(node: Node, told: Told) -> None:
    said = " ".join(told(node))
    assert NURSE in said
    assert "Ann" not in said
    assert "spy" not in said
    assert "wife" not in " ".join(to_a_role(node, private=True)), "what is private tells nothing"


@pytest.mark.parametrize("told", [to_a_role, to_a_node])
def test_what_one_may_not_see_does_not_show_in_what_one_is_told(node: Node, told: Told) -> None:
    """Neither a second kinship, which unsays the first, nor a death, which changes its tense."""
    assert BROTHER in told(node, "home")
    assert BROTHER not in told(node, "home", "cousins")
    assert "My brother was called Colm." in told(node, "home", "loss")


@pytest.mark.parametrize("tags", [("home",), ("work",), ("home", "loss"), ("cousins", "home")])
def test_it_is_told_as_if_there_were_nothing_else(
    node: Node, tmp_path: Path, tags: tuple[str, ...]
) -> None:
    inside = [paper for paper in PAPERS if {*tags} & {*paper.tags} and not paper.private]
    with living(tmp_path / "alone", inside) as alone:
        assert to_a_role(node, *tags) == to_a_role(alone, *tags)
        assert to_a_node(node, *tags) == to_a_node(alone, *tags)


@pytest.mark.parametrize("told", [to_a_role, to_a_node])
def test_what_was_forgotten_sealed_erased_or_struck_is_not_told(node: Node, told: Told) -> None:
    ids = {document.title: document.id for document in node.ports.documents.everything()}
    of = {
        paper: next(known for title, known in ids.items() if paper.name[11:-3] in title)
        for paper in (HOME, WORK)
    }
    judged = SentenceDecision(of[WORK], 0, len(WORK.text), Verdict.FORGET)
    node.memory.decide(judged)
    assert NURSE not in told(node)
    page = node.ports.home.workspace / BIOGRAPHY
    lines = page.read_text("utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if PLACE.text not in line), "utf-8")
    node.reflection.reflect(since=datetime(2000, 1, 1, tzinfo=UTC))
    assert PLACE.text not in told(node)
    assert BROTHER in told(node, "home")
    node.library.relabel(of[HOME], private=True)
    node.run_jobs()
    assert told(node, "home") == []


def goes_on(node: Node, tags: tuple[str, ...], answer: Turn) -> bool:
    """Tell whether a role that sees these tags is given an earlier answer."""
    role = Role(RoleId("coach"), "Coach", "", "Ask.", sees=Sees(tags=tags))
    return answer in node.chat.speaks(role, owner=False).may_go([answer])


def test_an_earlier_answer_stands_while_the_sentences_stand_that_its_role_was_told_of(
    node: Node,
) -> None:
    role = Role(RoleId("coach"), "Coach", "", "Ask.", sees=Sees(tags=("home", "work")))
    speaker = node.chat.speaks(role, owner=False)
    assert list(speaker.core) == [BROTHER, NURSE, PLACE.text]
    answer = Turn(
        TurnId("t_1"),
        ConversationId("c_1"),
        "assistant",
        "Well.",
        TurnState.DONE,
        NOW,
        given=AnswerBasis(tuple(map(text_hash, speaker.core_basis))),
    )
    assert goes_on(node, ("home", "work"), answer)
    assert not goes_on(node, ("home",), answer)
    assert not goes_on(node, ("work",), answer)

    # what is told of the person by now is something else
    node.library.add_bytes(
        "2024-07-09 again.md", f"{DEATH.text} It rained.".encode(), tags=("home",)
    )
    node.run_jobs()
    node.reflection.reflect(since=datetime(2000, 1, 1, tzinfo=UTC))
    assert BROTHER not in to_a_role(node, "home", "work")
    assert goes_on(node, ("home", "work"), answer)

    work = next(each for each in node.ports.documents.everything() if "job" in each.title)
    node.memory.decide(SentenceDecision(work.id, 0, len(WORK.text), Verdict.FORGET))
    assert not goes_on(node, ("home", "work"), answer)


def test_a_sentence_that_was_taken_from_the_page_leaves_a_view_that_was_asked_before(
    node: Node,
) -> None:
    scope = Scope(EVERY_TAG, frozenset(RowKind), frozenset(Layer), None, None, Form.ANSWER, "")
    view = node.replying.answerer().inside(scope)
    assert PLACE.text in view.short_biography()
    rows = view.short_biography_rows()
    assert {row.chunk.text for row in rows} >= {PLACE.text}
    page = node.ports.home.workspace / BIOGRAPHY
    lines = page.read_text("utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if PLACE.text not in line), "utf-8")
    node.reflection.reflect(since=datetime(2000, 1, 1, tzinfo=UTC))
    assert PLACE.text not in view.short_biography()
    assert PLACE.text not in {row.chunk.text for row in view.short_biography_rows()}


def test_what_was_decided_is_looked_up_once_for_each_document(node: Node) -> None:
    node.library.add_text("My sister Una rang. My aunt Nora came along.", title="two")
    node.run_jobs()
    node.reflection.reflect(since=datetime(2000, 1, 1, tzinfo=UTC))
    asked: list[str] = []
    ports = node.memory.recall_ports()

    class Counted:
        def about(self, documents: Collection[DocumentId]) -> object:
            asked.extend(documents)
            return ports.decisions.about(documents)

    memory = node.chat.within(Sees(), owner=False)
    counted = ScopedMemory(memory.visible, replace(ports, decisions=Counted()))  # type: ignore[arg-type]
    assert counted.short_biography() == memory.short_biography()
    assert asked
    assert len(asked) == len(set(asked))


def within(node: Node, *tags: str) -> list[str]:
    """Return the whole biography as one is told it who sees these tags."""
    held = {
        known.id
        for known in node.ports.documents.everything()
        if {*tags} & {*known.tags} or not tags
    }
    told = lines_within(node.reflection.life(), lambda claim: claim.document in held)
    return [line.text for line in told]


def strike(node: Node, sentence: str) -> None:
    page = node.ports.home.workspace / BIOGRAPHY
    lines = page.read_text("utf-8").splitlines(keepends=True)
    assert any(sentence in line for line in lines)
    page.write_text("".join(line for line in lines if sentence not in line), "utf-8")
    node.reflection.reflect(since=datetime(2000, 1, 1, tzinfo=UTC))
    node.run_jobs()


@pytest.mark.parametrize(
    ("papers", "sentence", "others"),
    [
        (
            (HOME, IN_2020, IN_2023),
            "In September 2020 I was editor.",
            {"new": "In November 2023 I was editor."},
        ),
        ((HOME, DEATH, WORK), "My brother was called Colm.", {"home": BROTHER}),
        (
            (HOME, *MIRA, *BEN),
            "I have been in touch with Ben and Mira.",
            {
                "home mira": "I have been in touch with Mira.",
                "home ben": "I have been in touch with Ben.",
            },
        ),
    ],
)
def test_what_was_struck_is_not_told_in_other_words(
    tmp_path: Path, papers: tuple[Paper, ...], sentence: str, others: dict[str, str]
) -> None:
    with living(tmp_path, papers) as node:
        assert sentence in within(node)
        for tags, other in others.items():
            assert other in within(node, *tags.split())
        strike(node, sentence)
        assert sentence not in within(node)
        for tags, other in others.items():
            assert other not in within(node, *tags.split())


def test_what_was_struck_does_not_come_back_on_the_page_in_other_words(tmp_path: Path) -> None:
    with living(tmp_path, (HOME, WORK, IN_2020, IN_2023)) as node:
        strike(node, "In September 2020 I was editor.")
        document = next(known for known in node.ports.documents.everything() if "old" in known.tags)
        node.library.relabel(document.id, private=True)
        node.run_jobs()
        node.reflection.reflect(since=datetime(2000, 1, 1, tzinfo=UTC))
        page = (node.ports.home.workspace / BIOGRAPHY).read_text("utf-8")
        assert WORK.text in page
        assert "editor" not in page
