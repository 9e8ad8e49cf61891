"""Where corrections lie, in the corners: a row of which nothing is left, a circle, a sealed
correction, somebody's own file with such a name.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.roles import Sees
from lpm_kernel.domain.ids import FindingId
from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.archive_export import ExportOptions
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.memory.findings import SentenceDecision, finding_id
from lpm_kernel.usecases.share.view import RowSources, preview
from lpm_kernel.usecases.training.material import material
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope
from tests.asking import given
from tests.property.test_answering import told

BENCH = Sees(tags=("bench",))
WRONG, RIGHT = "The goat lives in Wajima.", "The goat lives in Machino."
DAY = timedelta(days=1)


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


def scope(
    *tags: str,
    kinds: frozenset[RowKind] = frozenset(RowKind),
    layers: frozenset[Layer] = frozenset(Layer),
    since: int | None = None,
) -> Scope:
    return Scope(frozenset(tags) or EVERY_TAG, kinds, layers, since, None, Form.VERBATIM, "a visit")


def add(
    node: Node,
    name: str,
    text: str,
    *,
    days: int = 0,
    tags: tuple[str, ...] = ("bench",),
    private: bool = False,
    folder: str = "",
) -> Document:
    added = node.library.receive(
        NewDocument(
            name,
            text.encode(),
            title=name,
            created_at=node.ports.clock.now() - days * DAY,
            tags=tuple(tags),
            private=private,
            folder=folder,
        )
    )
    node.run_jobs()
    return node.ports.documents.get(added.document.id)


def judge(node: Node, known: Document, quote: str, right: str = "") -> None:
    words = node.ports.files.words(known.sha256, known.text_version or "") or ""
    start = words.index(quote)
    node.memory.decide(
        SentenceDecision(
            known.id,
            start,
            start + len(quote),
            Verdict.MEND if right else Verdict.FORGET,
            right,
            quote,
        )
    )
    node.run_jobs()


def in_role(node: Node, sees: Sees) -> list[str]:
    return [
        each.text
        for each in node.chat.within(sees, owner=True)
        .recall(RecallQuery(Question("Where is the goat?")))
        .items
    ]


def in_grant(node: Node, wanted: Scope) -> list[tuple[str, bool]]:
    return [
        (each.text, each.corrects)
        for each in (
            node.replying.answerer()
            .inside(wanted)
            .recall(RecallQuery(Question("Where is the goat?")))
            .items
        )
    ]


@pytest.mark.parametrize("kept", [False, True])
def test_what_is_put_right_whole_is_put_right_where_it_is_told_again(
    node: Node, kept: bool
) -> None:
    known = add(
        node,
        f"a.{'md' if kept else 'txt'}",
        f"## Retain\n\n- W {WRONG}\n" if kept else WRONG,
        days=9,
    )
    add(node, "b.txt", f"{WRONG} It likes clarinets.", days=8)
    judge(node, known, WRONG, RIGHT)
    assert not any("Wajima" in each for each in in_role(node, BENCH))
    for wanted in (scope("bench"), scope()):
        found = in_grant(node, wanted)
        assert (RIGHT, True) in found
        assert not any("Wajima" in text for text, _ in found)


def test_a_citation_to_the_letter_leaves_out_what_is_put_right_elsewhere(
    node: Node, scripted: ScriptedModel
) -> None:
    scripted.script = ScriptedModel([(".", "The goat likes clarinets.")]).script
    known = add(node, "a.txt", f"{WRONG} The roof is of elm.", days=9)
    add(node, "b.txt", f"{WRONG} The goat likes clarinets.", days=8)
    judge(node, known, WRONG, RIGHT)
    said = repr(told(node, given(node, scope("bench")), "What does the goat like, clarinets?"))
    assert "clarinets" in said
    assert "Wajima" not in said


def test_corrections_in_a_circle_let_nobody_in(node: Node) -> None:
    second, third = (
        "The goat lives in Machino. It is brown.",
        "The goat lives in Noto. It is white.",
    )
    known = add(node, "a.txt", WRONG, days=30)
    judge(node, known, WRONG, second)

    def by(text: str) -> Document:
        found = node.ports.documents.by_hash(hashlib.sha256(text.encode()).hexdigest())
        assert found is not None
        return found

    judge(node, by(second), "The goat lives in Machino.", third)
    last = by(third)
    quote = "The goat lives in Noto."
    node.ports.decisions.keep(
        Decision(
            FindingId(f"{last.id}.0-23"),
            last.id,
            quote,
            last.text_version or "",
            0,
            23,
            Verdict.MEND,
            node.ports.clock.now(),
            by(second).id,
        )
    )
    since = node.ports.clock.now() - 10 * DAY
    assert (
        in_role(node, Sees(since=since))
        == [text for text, _ in in_grant(node, scope(since=int(since.timestamp())))]
        == []
    )
    assert len(in_role(node, Sees(since=since - 30 * DAY))) == 2


def test_a_sealed_correction_of_an_opened_statement_is_taught_to_nobody_else(node: Node) -> None:
    known = add(node, "a.md", f"## Retain\n\n- W {WRONG}\n", private=True)
    judge(node, known, WRONG, RIGHT)
    node.library.relabel(
        known.id,
        private=False,
    )
    node.run_jobs()
    assert material(node.training.training_ports).taught == ()
    assert [each.text for each in material(node.training.training_ports, private=True).taught] == [
        RIGHT
    ]


def test_corrections_of_the_same_words_lie_each_where_its_own_words_do(node: Node) -> None:
    inside, outside = (
        add(node, "a.txt", f"{WRONG} No. 1.", days=2),
        add(node, "b.txt", f"{WRONG} No. 2.", days=30, tags=("other",), private=True),
    )
    for known in (inside, outside):
        judge(node, known, WRONG, RIGHT)
    mended = {each.document: each.correction for each in node.ports.decisions.all()}
    assert len(set(mended.values())) == 2
    assert [
        node.ports.documents.get(each).private
        for each in (mended[inside.id], mended[outside.id])
        if each
    ] == [False, True]
    assert RIGHT in in_role(node, BENCH)
    assert (RIGHT, True) in in_grant(node, scope("bench"))
    library.put_away(node.ports.documents, node.ports.index, node.ports.clock, [outside.id])
    node.memory.undecide(
        next(each.id for each in node.ports.decisions.all(away=True) if each.document == inside.id)
    )
    assert (
        in_role(node, BENCH)
        == [text for text, _ in in_grant(node, scope("bench"))]
        == [f"{WRONG} No. 1."]
    )


def test_a_correction_over_two_days_lies_where_both_are(node: Node) -> None:
    turns = [("2024-05-01T10:00:00Z", "The goat lives"), ("2025-05-01T10:00:00Z", "in Wajima.")]
    rows = [
        {"id": f"t{number}", "speaker": "Nagi", "timestamp": at, "session": "s", "text": text}
        for number, (at, text) in enumerate(turns)
    ]
    known = add(node, "talk.jsonl", "\n".join(json.dumps(row) for row in rows))
    words = node.ports.files.words(known.sha256, known.text_version or "") or ""
    start, end = words.index("The goat lives"), words.index("in Wajima.") + len("in Wajima.")
    node.memory.decide(
        SentenceDecision(known.id, start, end, Verdict.MEND, RIGHT, words[start:end])
    )
    node.run_jobs()
    middle = datetime(2025, 1, 1, tzinfo=UTC)
    early, late = Sees(until=middle), Sees(since=middle)
    assert [in_role(node, sees) for sees in (early, late)] == [[], []]
    assert in_role(node, Sees(tags=("bench",))) == [RIGHT]
    # beside another role: what the first scope leaves out is missing to the second
    for two in permutations((early, late, BENCH), 2):
        assert (
            node.chat.within(*two, owner=True)
            .recall(RecallQuery(Question("Where is the goat?")))
            .items
            == ()
        )
    for since, until, there in (
        (None, middle, []),
        (middle, None, []),
        (middle.replace(year=2024), None, [(RIGHT, True)]),
    ):
        first, last = (None if each is None else int(each.timestamp()) for each in (since, until))
        assert in_grant(node, replace(scope("bench"), since=first, until=last)) == there


def test_a_file_of_ones_own_with_such_a_name_is_like_any_other(node: Node) -> None:
    text = "The goat is on the elm roof."
    add(node, "correction-2024-01-01.md", text, folder="letters")
    assert [
        in_role(node, sees)
        for sees in (BENCH, Sees(folder="letters"), Sees(kinds=(DocumentKind.MARKDOWN,)))
    ] == [[text]] * 3
    assert [text for text, _ in in_grant(node, scope("bench"))] == [text]


@pytest.mark.parametrize(
    ("name", "folder"), [("correction-of-proofs.md", ""), ("correction-2024-01-01.md", "letters")]
)
def test_taking_a_correction_back_takes_no_file_of_ones_own(
    node: Node, name: str, folder: str
) -> None:
    own = add(node, name, RIGHT, folder=folder)
    known = add(node, "a.txt", WRONG)
    judge(node, known, WRONG, RIGHT)
    [decision] = node.ports.decisions.all()
    node.memory.undecide(decision.id)
    assert node.ports.documents.get(own.id).deleted_at is None


def test_what_was_put_right_or_forgotten_is_kept_in_mind_by_nobody(node: Node) -> None:
    node.workspace.keep_step()
    (node.ports.home.workspace / "memory.md").write_text(
        f"- {WRONG}\n- My sister is Mai.\n- The secret word is elm.\n"
    )
    node.workspace.keep_step()
    node.run_jobs()
    known = node.ports.documents.by_origin("memory.md")
    assert known is not None
    judge(node, known, WRONG, RIGHT)
    judge(node, known, "The secret word is elm.")
    speaking: list[Callable[[], object]] = [
        lambda: tuple(node.chat.within(Sees(), owner=False).core().lines),
        lambda: tuple(node.memory.core_for(owner=True).lines),
        lambda: tuple(node.memory.core_for(owner=False).lines),
        lambda: node.replying.answerer().inside(scope()).core(),
    ]
    assert [each() for each in speaking] == [("My sister is Mai.",)] * 4


def test_a_corrected_statement_is_counted_as_a_statement(node: Node) -> None:
    judge(node, add(node, "a.md", f"## Retain\n\n- W {WRONG}\n"), WRONG, RIGHT)
    wanted = scope(kinds=frozenset({RowKind.WORLD}), layers=frozenset({Layer.WORDS}))
    counted = preview(
        RowSources(node.ports.documents, node.ports.decisions, passages_of(node.ports.index)),
        wanted,
        written=node.ports.pages(),
    )
    assert (counted.passages, counted.statements) == (0, 1)


def test_many_scopes_are_looked_at_at_once(node: Node) -> None:
    for number in range(12):
        add(node, f"n{number}.txt", f"The goat {number} lives in Wajima.", tags=(f"t{number}",))
    wrong: list[BaseException] = []

    def look(seed: int) -> None:
        draw = Random(seed)
        try:
            for _ in range(60):
                node.chat.sight(Sees(tags=(f"t{draw.randrange(12)}",)), most=1, owner=True)
        except KeyError as error:
            wrong.append(error)

    threads = [threading.Thread(target=look, args=(seed,)) for seed in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def shared(node: Node, *decisions: Decision) -> None:
    """Let these decisions have the correction of the first, as releases before 0018 of the schema
    did.
    """
    first, *others = decisions
    for each in others:
        if each.correction not in {first.correction, None}:
            library.delete(
                node.ports.files, node.ports.documents, node.ports.index, each.correction
            )
        node.ports.decisions.keep(replace(each, correction=first.correction))


def test_a_correction_that_decisions_shared_becomes_one_for_each(node: Node) -> None:
    inside, outside = (
        add(node, "a.txt", f"{WRONG} No. 1."),
        add(node, "b.txt", f"{WRONG} No. 2.", tags=("other",), private=True),
    )
    for known in (inside, outside):
        judge(node, known, WRONG, RIGHT)
    shared(node, *sorted(node.ports.decisions.all(), key=lambda each: each.document != inside.id))
    assert len(node.ports.documents.corrections()) == 1
    judge(
        node,
        node.ports.documents.get(node.ports.documents.corrections()[0]),
        RIGHT,
        "The goat lives in Noto.",
    )
    node.reconcile()
    node.run_jobs()
    about = node.ports.decisions.about([inside.id, outside.id])
    corrections = {each: about[each][0].correction for each in (inside.id, outside.id)}
    assert len({*corrections.values()}) == 2
    made = {
        document: node.ports.documents.get(correction or inside.id)
        for document, correction in corrections.items()
    }
    assert [(made[each].private, made[each].tags) for each in (inside.id, outside.id)] == [
        (False, ("bench",)),
        (True, ("other",)),
    ]
    assert node.memory.correction(about[outside.id][0]) == "The goat lives in Noto.", (
        "with what was put right in it since"
    )
    assert len(node.ports.documents.corrections()) == 3
    assert in_role(node, BENCH) == ["The goat lives in Noto.", "… No. 1."]
    assert node.reconcile() == 0
    assert len(node.ports.documents.corrections()) == 3, "it is done once"
    assert {each.state for each in node.home.verify()} == {"fine"}


def test_a_correction_that_is_its_own_in_a_circle_is_divided_once(node: Node) -> None:
    judge(node, add(node, "a.txt", WRONG), WRONG, "The goat lives in Machino. It is brown.")
    [first] = node.ports.documents.corrections()
    judge(node, node.ports.documents.get(first), "It is brown.", "It is white.")
    [second] = [each for each in node.ports.documents.corrections() if each != first]
    known = node.ports.documents.get(second)
    circle = Decision(
        finding_id(second, 0, 12),
        second,
        "It is white.",
        known.text_version or "",
        0,
        12,
        Verdict.MEND,
        node.ports.clock.now(),
        first,
    )
    node.ports.decisions.keep(circle)
    for _ in range(3):
        node.reconcile()
        node.run_jobs()
        assert len(node.ports.documents.corrections()) == 3


def test_a_shared_correction_whose_original_is_gone_is_left_as_it_is(node: Node) -> None:
    for number in (1, 2):
        judge(node, add(node, f"{number}.txt", f"{WRONG} No. {number}."), WRONG, RIGHT)
    shared(node, *node.ports.decisions.all())
    [correction] = node.ports.documents.corrections()
    [path] = [
        each
        for each in node.ports.home.files.rglob(f"{node.ports.documents.get(correction).sha256}*")
        if "." not in each.name
    ]
    path.rename(path.with_name("gone"))
    node.reconcile()
    assert {each.correction for each in node.ports.decisions.all()} == {correction}


def test_a_text_of_the_persons_own_that_was_a_correction_is_one_no_more(node: Node) -> None:
    own, known = add(node, "own.md", RIGHT), add(node, "a.txt", WRONG)
    judge(node, known, WRONG, RIGHT)
    [decision] = node.ports.decisions.all()
    library.delete(
        node.ports.files, node.ports.documents, node.ports.index, decision.correction or known.id
    )
    node.ports.decisions.keep(replace(decision, correction=own.id))
    node.reconcile()
    node.run_jobs()
    [decision] = node.ports.decisions.all()
    assert decision.correction != own.id
    assert node.ports.documents.get(decision.correction or own.id).corrects
    assert not node.ports.documents.get(own.id).corrects


def test_erasing_what_shares_a_correction_leaves_it_to_the_other(node: Node) -> None:
    first, second = add(node, "a.txt", f"{WRONG} No. 1."), add(node, "b.txt", f"{WRONG} No. 2.")
    for known in (first, second):
        judge(node, known, WRONG, RIGHT)
    shared(node, *node.ports.decisions.all())
    node.home.back_up()
    node.home.confirm_erasure(node.home.propose_erasure([first.id]).token)
    node.run_jobs()
    [decision] = node.ports.decisions.all()
    assert (decision.document, node.memory.correction(decision)) == (second.id, RIGHT)


def test_an_older_archive_does_not_bring_a_replaced_correction_back(
    node: Node, tmp_path: Path
) -> None:
    known = add(node, "a.txt", f"{WRONG} It likes clarinets.")
    judge(node, known, WRONG, RIGHT)
    judge(
        node,
        node.ports.documents.get(node.ports.documents.corrections()[0]),
        RIGHT,
        "The goat lives in Anamizu.",
    )
    node.home.export(tmp_path / "older.zip", ExportOptions())
    judge(node, known, WRONG, "The goat lives in Noto.")
    before = [(each.id, each.title) for each in node.ports.documents.all()]
    assert node.home.take_in(tmp_path / "older.zip").documents == 0
    node.run_jobs()
    assert [(each.id, each.title) for each in node.ports.documents.all()] == before
    assert set(node.ports.index.passage_counts([each for each, _ in before])) == {
        each for each, _ in before
    }


def test_a_file_of_the_workspace_is_known_by_its_bytes_although_a_correction_says_the_same(
    node: Node, tmp_path: Path
) -> None:
    node.workspace.folder.write("memory/goat.md", RIGHT.encode(), None)
    node.workspace.keep_step()
    node.run_jobs()
    judge(node, add(node, "a.txt", WRONG), WRONG, RIGHT)
    found = node.ports.documents.by_hash(hashlib.sha256(RIGHT.encode()).hexdigest())
    assert found is not None
    assert found.origin == "memory/goat.md"
    node.home.export(tmp_path / "all.zip", ExportOptions())
    assert node.home.take_in(tmp_path / "all.zip").documents == 0
