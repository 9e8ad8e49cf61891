"""The reader learns from the person's verdicts: what it is given, what it refuses, how it is kept,
and how it goes with what it learned from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.e5.further import E5ReaderTrainer
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.host import reader_loader
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.node.readers import PAPERS
from lpm_kernel.usecases.chat import turns as chat
from lpm_kernel.usecases.library import documents
from lpm_kernel.usecases.memory.findings import SentenceDecision
from lpm_kernel.usecases.training import readers
from lpm_kernel.worker.supervise import _Supervisor
from tests.integration.test_cli import answer, lpm
from tests.scale import only_in_full
from tests.verdicts import BETTER, RIGHT, WRONG, begin, judged, many_verdicts, note, passage

pytestmark = pytest.mark.integration


@pytest.fixture
def node(home: Path, frozen_clock: FrozenClock) -> Iterator[Node]:
    with Node.open(
        home,
        clock=frozen_clock,
        model=ScriptedModel([]),
        embedder=HashingEmbedder(),
        trainer="scripted",
    ) as opened:
        yield opened


def in_use(node: Node) -> str | None:
    return node.readers.in_use


class TestExamples:
    def test_a_right_answer_says_which_words_answer(self, node: Node) -> None:
        note(node, "It rained all day. Mai lent me her ladder. I gave it back on Monday.")
        judged(node, begin(node), "Who helped with the gutter?", "Mai lent me her ladder.")
        gathered = node.readers.gathered()
        [made] = (*gathered.learned, *gathered.kept_apart)
        [window] = made.example.windows
        assert window.span is not None
        assert window.text[slice(*window.span)] == "Mai lent me her ladder."
        assert "It rained all day." in window.text
        assert gathered.verdicts == 1

    def test_one_that_is_not_right_says_what_does_not_answer(self, node: Node) -> None:
        note(node, "The ladder shop has ladders.")
        judged(node, begin(node), "Who lent me one?", "The ladder shop has ladders.", WRONG)
        [made] = node.readers.gathered().kept_apart
        assert [window.span for window in made.example.windows] == [None]

    def test_where_what_is_right_is_said_the_passage_that_holds_it_answers(
        self, node: Node
    ) -> None:
        note(node, "The ladder shop has ladders.", "Shop")
        note(node, "On Sunday Mai lent  me her ladder. It rained.", "Sunday")
        wrong = "The ladder shop has ladders."
        judged(node, begin(node), "Who helped me?", wrong, WRONG, "mai lent me her ladder!")
        [made] = node.readers.gathered().kept_apart
        spans = {
            None if each.span is None else each.text[slice(*each.span)]
            for each in made.example.windows
        }
        assert spans == {None, "Mai lent  me her ladder"}

    def test_a_few_words_that_stand_in_many_places_are_not_looked_for_everywhere(
        self, node: Node
    ) -> None:
        note(node, "The ladder shop has ladders.", "Shop")
        note(node, "In May we went away.", "Away")
        shop = "The ladder shop has ladders."
        judged(node, begin(node), "When did I get it?", shop, WRONG, "In May.")
        [made] = node.readers.gathered().kept_apart
        assert [window.span for window in made.example.windows] == [None]

    def test_the_statement_made_of_what_is_right_answers(self, node: Node) -> None:
        note(node, "The ladder shop has ladders.", "Shop")
        shop = "The ladder shop has ladders."
        said = judged(node, begin(node), "When did I get it?", shop, WRONG, "In May.")
        node.memory.state_right(said)
        node.run_jobs()
        [made] = node.readers.gathered().kept_apart
        answering = [window for window in made.example.windows if window.span is not None]
        assert [window.text[slice(*window.span or ())] for window in answering] == ["In May"]

    def test_what_is_private_forgotten_or_gone_is_left_out(self, node: Node) -> None:
        note(node, "Mai lent me her ladder.", "Open")
        note(node, "The kingfisher sleeps.", "Sealed", private=True)
        note(node, "Jonas owes me a kettle.", "Forgotten")
        gone = note(node, "Petra has the anvil.", "Gone")
        away = begin(node)
        for conversation, words in (
            (begin(node), "The kingfisher sleeps."),
            (begin(node), "Jonas owes me a kettle."),
            (begin(node), "Petra has the anvil."),
            (away, "Mai lent me her ladder."),
        ):
            judged(node, conversation, f"What of this? {words}", words)
        judged(node, begin(node), "And that?", "Mai lent me her ladder.", BETTER, "Mai did.")
        chunk = passage(node, "Jonas owes me a kettle.")
        node.memory.decide(SentenceDecision(chunk.document, chunk.start, chunk.end, Verdict.FORGET))
        documents.put_away(node.ports.documents, node.ports.index, node.ports.clock, [gone])
        chat.put_away(node.ports.conversations, node.ports.clock, away)
        gathered = node.readers.gathered()
        assert (gathered.learned, gathered.kept_apart, gathered.verdicts) == ((), (), 0)
        assert gathered.left_out == {"private": 1, "not_there": 2}

    def test_every_fifth_question_is_kept_apart_the_same_each_time(self, node: Node) -> None:
        many_verdicts(node, 12)
        one, again = node.readers.gathered(), node.readers.gathered()
        assert one == again
        assert (len(one.learned), len(one.kept_apart)) == (9, 3)

    def test_a_question_asked_twice_is_one_example(self, node: Node) -> None:
        note(node, "Mai lent me her ladder. It rained.")
        for verdict, words in ((RIGHT, "Mai lent me her ladder."), (WRONG, "It rained.")):
            judged(node, begin(node), "Who helped with the gutter?", words, verdict)
        gathered = node.readers.gathered()
        [made] = (*gathered.learned, *gathered.kept_apart)
        assert gathered.verdicts == 2
        # both stand in one window, and it answers
        assert [window.span for window in made.example.windows] == [(0, 23)]


class TestLearning:
    def test_too_few_verdicts_are_refused_with_how_many_there_are(self, node: Node) -> None:
        many_verdicts(node, 3)
        note(node, "The kingfisher sleeps.", "Sealed", private=True)
        judged(node, begin(node), "Who sleeps?", "The kingfisher sleeps.")
        with pytest.raises(ConflictError, match="There are 3 verdicts") as refused:
            node.readers.learn()
        assert "it takes 40. Of the others, 1 rest on something private." in str(refused.value)
        assert node.readers.every() == []

    def test_what_was_learned_is_kept_used_and_given_up_and_its_lineage_has_no_words(
        self, node: Node
    ) -> None:
        many_verdicts(node)
        told: list[str] = []
        made = node.readers.learn(lambda _share, step, _message: told.append(step))
        assert list(dict.fromkeys(told)) == ["prepare", "learn", "examine"]
        assert made.examples == {
            "verdicts": 50,
            "questions": 40,
            "kept_apart": 10,
            "answering": made.examples["answering"],
            "not_answering": 40 - made.examples["answering"],
        }
        assert made.figures["own"]["shipped"] == made.figures["own"]["learned"]
        assert made.usable
        assert in_use(node) is None
        home = node.ports.home
        assert not (home.readers / "learning").exists()
        assert node.readers.use(made.id).id == made.id
        assert in_use(node) == made.id
        assert readers.served(home).endswith(f"={home.readers / made.id / 'reader.npz'}")
        lineage = (home.readers / made.id / "lineage.json").read_text("utf-8")
        assert not any(word in lineage for word in ("ladder", "Mai", "whom"))
        assert node.readers.reset()
        assert readers.in_use(home) is None
        assert not node.readers.reset()
        with pytest.raises(NotFoundError):
            node.readers.use("r_00000000")

    def test_one_that_got_worse_is_not_used(self, node: Node) -> None:
        many_verdicts(node)
        made = node.readers.learn()
        place = node.ports.home.readers / made.id / "lineage.json"
        row = json.loads(place.read_text("utf-8"))
        place.write_text(json.dumps(row | {"reasons": ["papers read rightly 40% instead of 50%"]}))
        with pytest.raises(ConflictError, match="reads worse than the shipped one: papers"):
            node.readers.use(made.id)
        place.write_text(json.dumps(row | {"base": "0" * 64}))
        with pytest.raises(ConflictError, match="another release"):
            node.readers.use(made.id)
        place.write_text(json.dumps(row))
        place.with_name("reader.npz").write_text("other bytes")
        with pytest.raises(ConflictError, match="damaged"):
            node.readers.use(made.id)
        assert in_use(node) is None

    def test_it_goes_on_where_it_was_stopped(self, node: Node) -> None:
        many_verdicts(node)

        def stops(_share: float, step: str, message: str) -> None:
            if (step, message) == ("learn", "Step 2 of 2"):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            node.readers.learn(stops)
        assert node.readers.every() == []
        steps: list[str] = []
        node.readers.learn(lambda _share, _step, message: steps.append(message))
        assert "Step 2 of 2" in steps
        assert "Step 1 of 2" not in steps

    def test_two_do_not_learn_at_once(self, node: Node) -> None:
        many_verdicts(node)

        def second(_share: float, step: str, _message: str) -> None:
            if step == "learn":
                node.readers.learn()

        with pytest.raises(ConflictError, match="already"):
            node.readers.learn(second)


class TestErasing:
    def erase(self, node: Node, documents: list[str], conversations: list[str]) -> int:
        proposal = node.home.propose_erasure(documents, conversations)  # type: ignore[arg-type]
        [learned] = [share.count for share in proposal.goes if share.place == "trainings"]
        node.home.confirm_erasure(proposal.token)
        return learned

    @pytest.mark.parametrize("what", ["document", "conversation"])
    def test_it_goes_at_once_with_what_it_learned_from(self, node: Node, what: str) -> None:
        conversation, document = many_verdicts(node)[7]
        made = node.readers.learn()
        node.readers.use(made.id)
        other = note(node, "Nothing was learned of this.", "Other")
        assert self.erase(node, [other], []) == 0
        node.run_jobs()
        assert in_use(node) == made.id
        named = ([document], []) if what == "document" else ([], [conversation])
        assert self.erase(node, *named) == 1  # type: ignore[arg-type]
        assert in_use(node) is None
        assert list(node.ports.home.readers.glob("r_*")) == []

    @pytest.mark.parametrize("how", ["private", "forgotten", "mended"])
    def test_it_goes_with_what_is_made_private_or_forgotten_and_is_taught_without_it(
        self, node: Node, how: str
    ) -> None:
        many_verdicts(node)
        before = node.readers.gathered().verdicts
        made = node.readers.learn()
        node.readers.use(made.id)
        source = made.sources[-1]
        chunk = node.ports.index.chunks_of(source["documents"][0])[0]
        if how == "private":
            documents.relabel(node.library.library_ports, chunk.document, private=True)
        elif how == "mended":
            node.memory.decide(
                SentenceDecision(chunk.document, chunk.start, chunk.end, Verdict.MEND, "Nobody.")
            )
        else:
            node.memory.decide(
                SentenceDecision(chunk.document, chunk.start, chunk.end, Verdict.FORGET)
            )
        assert in_use(node) is None
        assert node.readers.every() == []
        again = node.readers.learn()
        assert node.readers.gathered().verdicts < before
        assert chunk.document not in {each for row in again.sources for each in row["documents"]}

    def test_what_was_made_private_while_nobody_looked_takes_it_along_at_the_next_start(
        self, node: Node
    ) -> None:
        many_verdicts(node)
        made = node.readers.learn()
        node.readers.use(made.id)
        node.ports.documents.change(made.sources[0]["documents"][0], private=True)
        node.reconcile()
        assert in_use(node) is None

    @pytest.mark.parametrize("verdict", [Verdict.FORGET, Verdict.MEND])
    def test_what_was_struck_as_the_process_died_takes_it_along_at_the_next_start(
        self, node: Node, verdict: Verdict
    ) -> None:
        many_verdicts(node)
        made = node.readers.learn()
        node.readers.use(made.id)
        chunk = node.ports.index.chunks_of(made.sources[-1]["documents"][0])[0]

        def dies(_documents: object) -> None:
            raise KeyboardInterrupt

        node.memory.forget_learned = dies
        said = SentenceDecision(chunk.document, chunk.start, chunk.end, verdict, "Nobody.")
        with pytest.raises(KeyboardInterrupt):
            node.memory.decide(said)
        assert in_use(node) == made.id
        node.reconcile()
        assert in_use(node) is None

    def test_what_was_kept_or_struck_before_it_learned_leaves_it(self, node: Node) -> None:
        document = many_verdicts(node)[7][1]
        chunk = node.ports.index.chunks_of(DocumentId(document))[0]
        node.memory.decide(
            SentenceDecision(chunk.document, chunk.start, chunk.start + 3, Verdict.FORGET)
        )
        made = node.readers.learn()
        node.readers.use(made.id)
        other = node.ports.index.chunks_of(made.sources[-1]["documents"][0])[0]
        node.memory.decide(SentenceDecision(other.document, other.start, other.end, Verdict.KEEP))
        node.reconcile()
        assert in_use(node) == made.id

    def test_a_page_that_cannot_be_sealed_does_not_keep_it(
        self, node: Node, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, document = many_verdicts(node)[7]
        made = node.readers.learn()
        node.readers.use(made.id)
        node.ports.documents.change(DocumentId(document), private=True)

        def full(_documents: object) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(node.reflection, "seal_pages", full)
        with pytest.raises(OSError, match="disk full"):
            node.library.seal_pages([DocumentId(document)])
        assert in_use(node) is None

    def test_the_activity_tells_what_became_of_a_reader(self, node: Node) -> None:
        _, document = many_verdicts(node)[7]
        made = node.readers.learn()
        node.readers.use(made.id)
        assert node.readers.reset()
        assert not node.readers.reset()
        documents.relabel(node.library.library_ports, document, private=True)
        told = [
            (entry.kind, json.loads(entry.facts)["reader"])
            for entry in node.ports.audit.all()
            if entry.kind.startswith("reader-")
        ]
        assert told == [
            ("reader-learned", made.id),
            ("reader-in-use", made.id),
            ("reader-in-use", ""),
            ("reader-dropped", made.id),
        ]

    def test_what_is_being_learned_goes_too(self, node: Node) -> None:
        conversation, _ = many_verdicts(node)[0]

        def erases(_share: float, _step: str, message: str) -> None:
            if message == "Step 1 of 2":
                self.erase(node, [], [conversation])

        with pytest.raises(ConflictError, match="erased meanwhile"):
            node.readers.learn(erases)
        assert not (node.ports.home.readers / "learning").exists()
        assert node.readers.every() == []

    def test_what_is_erased_while_it_is_examined_goes_too(self, node: Node) -> None:
        conversation, _ = many_verdicts(node)[0]
        erased: list[int] = []

        def erases(_share: float, step: str, _message: str) -> None:
            if step == "examine" and not erased:
                erased.append(self.erase(node, [], [conversation]))

        with pytest.raises(ConflictError, match="erased meanwhile"):
            node.readers.learn(erases)
        assert node.readers.every() == []

    def test_a_chat_that_was_let_go_takes_it_along(
        self, node: Node, frozen_clock: FrozenClock
    ) -> None:
        conversation, _ = many_verdicts(node)[0]
        made = node.readers.learn()
        node.readers.use(made.id)
        chat.put_away(node.ports.conversations, frozen_clock, conversation)
        node.reconcile()
        assert in_use(node) == made.id  # it can still be brought back
        node.ports.conversations.delete(conversation)
        node.reconcile()
        assert in_use(node) is None
        assert node.readers.every() == []

    def test_no_backup_holds_it(self, node: Node) -> None:
        many_verdicts(node)
        made = node.readers.learn()
        node.readers.use(made.id)
        node.home.back_up()
        assert list(node.ports.home.backups.rglob("*.npz")) == []
        assert list(node.ports.home.backups.rglob("lineage.json")) == []


@only_in_full
@pytest.mark.slow
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_the_reader_learns_for_real_and_is_read_with(node: Node) -> None:
    """A few steps on fifty verdicts: what comes out reads, and is built where it goes with it."""
    many_verdicts(node)
    node.readers.trainer = E5ReaderTrainer(
        PAPERS,
        steps=6,
        batch=8,
        warmup_steps=1,
        checkpoint_every=2,
        threads=1,
        documents=12,
        asked=8,
    )
    made = node.readers.learn()
    assert set(made.figures) == {"own", "papers"}
    assert made.figures["own"]["shipped"]["told_apart"] > 0.5
    if not made.usable:  # so few steps may go either way
        assert not (node.ports.home.readers / made.id / "reader.npz").exists()
        return
    node.readers.use(made.id)
    reader = reader_loader(readers.served(node.ports.home))()
    [one, other] = reader.read("Who lent me a kite?", ["Mai lent me a kite.", "It rained."])
    assert one.relevance > other.relevance
    place = node.ports.home.readers / made.id
    assert [path.name for path in place.glob("reader-*/*")] != []


def test_the_supervisor_has_the_host_serve_the_reader_in_use(node: Node) -> None:
    many_verdicts(node)
    made = node.readers.learn()
    home = node.ports.home
    supervisor = _Supervisor(home, node.ports.settings, 0)
    host = next(child for child in supervisor._children if child.name == "host")
    supervisor._settings = replace(supervisor._settings, embedder="bundled")
    supervisor._reader = ""
    supervisor._apply_settings()
    assert not any("reader.npz" in part for part in host.command)
    node.readers.use(made.id)
    supervisor._apply_settings()
    assert any(part.endswith(f"{made.id}/reader.npz") for part in host.command)
    node.readers.reset()
    supervisor._apply_settings()
    assert not any("reader.npz" in part for part in host.command)


def test_the_command_says_what_there_is_and_refuses_with_one_sentence(home: Path) -> None:
    with Node.open(home, embedder=HashingEmbedder(), model=ScriptedModel([])) as opened:
        many_verdicts(opened, 2)
    shown = answer(home, "reader", "show")
    assert (shown["in_use"], shown["items"]) == (None, [])
    assert shown["verdicts"]["verdicts"] == 2
    refused = lpm(home, "reader", "learn", "--json")
    assert refused.returncode == 1
    assert refused.stderr.strip() == (
        "There are 2 verdicts to learn from, and it takes 40. Say of more answers whether they are"
        " right."
    )
    assert answer(home, "reader", "reset") == {"in_use": None, "changed": False}
