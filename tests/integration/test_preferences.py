"""Preference pairs of what the person did: which there are, which are refused, how they are read,
struck and added, and how they go with what they are of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.cli.frame import app
from lpm_kernel.cli.training import _own
from lpm_kernel.domain.chat.conversations import AnswerBasis, Keeping, Turn
from lpm_kernel.domain.chat.profile import InMindKind, LineInMind
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.training.preferences import PairRule, PreferencePair
from lpm_kernel.domain.training.runs import Audience, Maker, Run, RunState
from lpm_kernel.errors import ConflictError, InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import turns as chat
from lpm_kernel.usecases.library import documents
from lpm_kernel.usecases.memory.findings import SentenceDecision
from lpm_kernel.usecases.training.pair_rows import PREFERENCES, pairs_in, summary_in
from lpm_kernel.usecases.training.preferences import CollectedPairs, collect
from lpm_kernel.usecases.training.prepare import rewrite_pairs
from tests.verdicts import BETTER, RIGHT, WRONG, begin, judge, note, passage, said

pytestmark = pytest.mark.integration

LADDER, SHOP = "Mai lent me her ladder.", "The ladder shop has ladders."
TAUGHT = """# Statements

## Retain
- B I moved my workshop from Higashiyama to Teramachi on 6 April 2024.
- W @Kuri: my dog, brown, with one white sock.
- B I drink hojicha instead of coffee.
- B I sold my cello in May 2019.
"""


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


def collected(node: Node, *, private: bool = False) -> CollectedPairs:
    ports = node.training.training_ports
    assert ports.verdicts is not None
    return collect(ports.verdicts, ports.correction, private=private)


def only(node: Node) -> PreferencePair:
    [pair] = collected(node).pairs
    return pair


def prepared(node: Node, *, private: bool = False, dpo: bool = False) -> Run:
    return node.training.prepare_training(
        {"questions": 4, "steps": 2, "exam_questions": 6, "dpo": dpo}, private=private
    )


def pairs_of(node: Node, run: Run) -> list[PreferencePair]:
    return list(pairs_in(node.ports.home.versions / run.id / PREFERENCES))


class TestWhatThePersonDid:
    def test_better_words_are_preferred_to_the_answer(self, node: Node) -> None:
        document = note(node, f"On Sunday {LADDER} It rained.")
        conversation = begin(node)
        judge(node, said(node, conversation, "Who helped?", LADDER), BETTER, "Mai did, of course.")
        pair = only(node)
        assert (pair.rule, pair.question) == (PairRule.EDITED, "Who helped?")
        assert (pair.chosen, pair.rejected) == ("Mai did, of course.", LADDER)
        assert pair.notes == (LADDER,)
        assert (pair.documents, pair.conversations) == ((document,), (conversation,))
        assert len(pair.turns) == 2

    def test_what_is_right_is_preferred_to_what_is_not(self, node: Node) -> None:
        note(node, SHOP)
        judge(node, said(node, begin(node), "Who lent me one?", SHOP), WRONG, "Mai did.")
        pair = only(node)
        assert pair.rule is PairRule.CORRECTION
        assert (pair.chosen, pair.rejected) == ("Who lent me one? Mai did.", SHOP)
        assert pair.notes == (pair.chosen, SHOP)  # it rests on what the person said

    def test_a_right_answer_is_preferred_to_one_that_is_not_in_another_chat(
        self, node: Node
    ) -> None:
        note(node, LADDER, "Mai")
        note(node, SHOP, "Shop")
        first, second = begin(node), begin(node)
        judge(node, said(node, first, "Who helped?", SHOP), WRONG)
        judge(node, said(node, second, "who  helped?", LADDER), RIGHT)
        pair = only(node)
        assert (pair.rule, pair.chosen, pair.rejected) == (PairRule.THUMBS, LADDER, SHOP)
        assert set(pair.conversations) == {first, second}
        assert pair.notes == (LADDER, SHOP)

    def test_a_right_answer_is_preferred_to_what_was_given_in_its_place(self, node: Node) -> None:
        note(node, f"{LADDER} {SHOP}")
        conversation = begin(node)
        said(node, conversation, "Who helped?", SHOP)
        judge(node, said(node, conversation, "Who helped?", LADDER), RIGHT)
        pair = only(node)
        assert (pair.rule, pair.chosen, pair.rejected) == (PairRule.THUMBS, LADDER, SHOP)

    def test_of_several_answers_the_one_is_preferred_from_which_the_person_went_on(
        self, node: Node
    ) -> None:
        note(node, f"{LADDER} {SHOP}")
        conversation = begin(node)
        said(node, conversation, "Who helped?", SHOP)
        said(node, conversation, "Who helped?", LADDER)
        assert collected(node).pairs == ()  # given again, and nobody knows yet whether it is better
        said(node, conversation, "And then?", SHOP)
        pair = only(node)
        assert (pair.rule, pair.chosen, pair.rejected) == (PairRule.CHOICE, LADDER, SHOP)

    def test_an_answer_whose_words_were_put_right_is_not_preferred(
        self, node: Node, frozen_clock: FrozenClock
    ) -> None:
        note(node, "The cello is of 1913. It has a crack.")
        said(node, begin(node), "How old is it?", "The cello is of 1913.")
        frozen_clock.advance(timedelta(minutes=1))
        chunk = passage(node, "The cello is of 1913.")
        right = "The cello is of 1911."
        node.memory.decide(SentenceDecision(chunk.document, 0, 21, Verdict.MEND, right))
        node.run_jobs()
        by_rule = {pair.rule: pair for pair in collected(node).pairs}
        struck, correction = by_rule[PairRule.STRUCK], by_rule[PairRule.CORRECTION]
        assert (struck.question, struck.notes) == ("How old is it?", (right,))
        assert (struck.chosen, struck.rejected) == (right, "The cello is of 1913.")
        assert (correction.chosen, correction.rejected) == (right, "The cello is of 1913.")
        assert "cello" in correction.question
        assert chunk.document in struck.documents
        assert len(struck.documents) == 2  # the correction, too


class TestWhatIsLeftOut:
    def better(self, node: Node, words: str = LADDER) -> None:
        self.judged_better(node, said(node, begin(node), "Who helped?", words))

    def made_from(self, node: Node, given: AnswerBasis | None) -> None:
        self.judged_better(node, said(node, begin(node), "Who helped?", LADDER, given=given))

    def judged_better(self, node: Node, answer: Turn) -> None:
        judge(node, answer, BETTER, "Mai did.")

    def why(self, node: Node) -> dict[str, int]:
        found = collected(node)
        assert found.pairs == ()
        return dict(found.left_out)

    def test_what_is_private_is_for_the_owner_alone(self, node: Node) -> None:
        note(node, "The kingfisher sleeps.", private=True)
        self.better(node, "The kingfisher sleeps.")
        assert self.why(node) == {"private": 1}
        [pair] = collected(node, private=True).pairs
        assert pair.private

    def test_what_it_heard_of_something_private_counts_too(self, node: Node) -> None:
        note(node, LADDER)
        sealed = note(node, "The kingfisher sleeps.", "Sealed", private=True)
        self.made_from(node, given=AnswerBasis(documents=(sealed,)))
        assert self.why(node) == {"private": 1}
        earlier = said(node, begin(node), "Who sleeps?", "The kingfisher sleeps.")
        self.made_from(node, given=AnswerBasis(heard=(earlier.id,)))
        assert self.why(node) == {"private": 2}

    def test_what_nobody_can_trace_or_a_training_said(self, node: Node) -> None:
        note(node, LADDER)
        self.made_from(node, given=None)
        self.made_from(node, given=AnswerBasis(learned=True))
        assert self.why(node) == {"untraced": 1, "learned": 1}

    def test_what_a_program_asked_or_nobody_knows_who(self, node: Node) -> None:
        note(node, LADDER)
        self.judged_better(node, said(node, begin(node), "Who helped?", LADDER, by_owner=False))
        assert self.why(node) == {"not_yours": 1}

    def test_what_was_put_away_or_forgotten(self, node: Node) -> None:
        away = note(node, LADDER, "Away")
        note(node, SHOP, "Forgotten")
        self.better(node)
        self.better(node, SHOP)
        documents.put_away(node.ports.documents, node.ports.index, node.ports.clock, [away])
        chunk = passage(node, SHOP)
        node.memory.decide(SentenceDecision(chunk.document, 0, len(SHOP), Verdict.FORGET))
        assert self.why(node) == {"not_there": 1, "forgotten": 1}

    @pytest.mark.parametrize("keeping", [Keeping.SUMMARY, Keeping.NONE])
    def test_chats_that_do_not_keep_all_or_are_not_there(
        self, node: Node, keeping: Keeping
    ) -> None:
        note(node, LADDER)
        conversation, away = begin(node), begin(node)
        for each in (conversation, away):
            judge(node, said(node, each, "Who helped?", LADDER), BETTER, "Mai did.")
        assert len(collected(node).pairs) == 2
        node.ports.conversations.keep_so(conversation, keeping, node.ports.clock.now())
        chat.put_away(node.ports.conversations, node.ports.clock, away)
        assert self.why(node) == {}


@pytest.fixture
def taught(node: Node) -> Node:
    """A home with statements, and a chat with a better wording."""
    note(node, TAUGHT, "Statements")
    note(node, f"On Sunday {LADDER}", "Ladder")
    judge(node, said(node, begin(node), "Who helped?", LADDER), BETTER, "Mai, bless her.")
    return node


class TestTraining:
    def test_pairs_are_written_as_the_recipe_reads_them(self, taught: Node) -> None:
        run = prepared(taught)
        place = taught.ports.home.versions / run.id
        learned = [json.loads(line) for line in (place / "pairs.jsonl").read_text().splitlines()]
        held = [
            json.loads(line) for line in (place / "pairs_held_out.jsonl").read_text().splitlines()
        ]
        assert {row["id"] for row in (*learned, *held)} == {
            pair.id for pair in pairs_of(taught, run)
        }
        for row in (*learned, *held):
            assert set(row) == {"id", "rule", "prompt", "chosen", "rejected"}
            assert row["prompt"][-1]["role"] == "user"
            assert [message["role"] for message in (*row["chosen"], *row["rejected"])] == [
                "assistant",
                "assistant",
            ]
        summary = summary_in(place)
        assert summary is not None
        assert sum(summary["counts"].values()) == len(learned)
        assert summary["held_out"] == len(held)
        # all of it stands in one document, of which single statements are held out
        assert held
        assert {"voice", "stranger"} <= {row["rule"] for row in (*learned, *held)}
        assert run.hashes["pairs"] != run.hashes["pairs_held_out"]

    def test_no_pairs_by_rule_where_none_are_wanted(self, taught: Node) -> None:
        run = taught.training.prepare_training({"questions": 4, "pairs": 0})
        assert [pair.rule for pair in pairs_of(taught, run)] == [PairRule.EDITED]

    def test_a_private_pair_makes_a_training_the_owners(self, taught: Node) -> None:
        note(taught, "The kingfisher sleeps.", "Sealed", private=True)
        asked = said(taught, begin(taught), "Who sleeps?", "The kingfisher sleeps.")
        judge(taught, asked, BETTER, "The kingfisher does.")
        run, own = prepared(taught), prepared(taught, private=True)
        assert (run.audience, own.audience) == (Audience.ANYBODY, Audience.OWNER)
        versions = taught.ports.home.versions
        texts = [
            b"".join(file.read_bytes() for file in (versions / each.id).iterdir())
            for each in (run, own)
        ]
        assert [b"kingfisher" in text for text in texts] == [False, True]

    def test_pairs_are_struck_brought_back_and_added_until_it_begins(self, taught: Node) -> None:
        run = prepared(taught)
        place, ports = taught.ports.home.versions / run.id, taught.training.training_ports
        before = [pair.id for pair in pairs_of(taught, run)]
        [edited] = [pair for pair in pairs_of(taught, run) if pair.rule is PairRule.EDITED]
        run = rewrite_pairs(ports, run, struck=[edited.id])
        files = [place / "pairs.jsonl", place / "pairs_held_out.jsonl"]
        assert not any("bless her" in file.read_text() for file in files)
        assert [pair.id for pair in pairs_of(taught, run)] == before
        note(taught, "It rained on Monday.", "Rain")
        mine = PreferencePair(
            PairRule.VOICE, "Well?", "So, so.", "Very well, thank you!", maker=Maker.PERSON
        )
        run = rewrite_pairs(ports, run, added=[mine, mine])
        assert not any("bless her" in file.read_text() for file in files)  # struck, still
        assert "So, so." in (place / "pairs.jsonl").read_text()
        assert [pair.id for pair in pairs_of(taught, run)].count(mine.id) == 1
        run = rewrite_pairs(ports, run, unstruck=[edited.id])
        assert any("bless her" in file.read_text() for file in files)
        taught.training.queue_training(run.id)
        with pytest.raises(ConflictError, match="begun"):
            rewrite_pairs(ports, taught.ports.runs.get(run.id), struck=[edited.id])

    def test_over_http(self, taught: Node) -> None:
        client = create_app(taught).test_client()
        token = taught.ports.home.secret("api-token")
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        own = {"question": "Well?", "chosen": "So, so.", "rejected": "Very well, thank you!"}
        made = client.post(
            "/api/training/runs", json={"start": False, "questions": 4, "own_pairs": [own]}
        ).get_json()["run"]
        run = f"/api/training/runs/{made['id']}"
        assert made["pairs"]["counts"]["edited"] >= 1
        some = client.get(f"{run}/pairs?limit=3").get_json()
        more = client.get(f"{run}/pairs?limit=3&cursor={some['next_cursor']}").get_json()
        assert not {each["id"] for each in some["items"]} & {each["id"] for each in more["items"]}
        voices = client.get(f"{run}/pairs?rule=voice").get_json()
        assert voices["total"] > 0
        assert {each["rule"] for each in voices["items"]} == {"voice"}
        [mine] = client.get(f"{run}/pairs?q=so, so").get_json()["items"]
        assert (mine["maker"], mine["struck"], mine["held_out"]) == ("person", False, False)
        changed = client.patch(
            f"{run}/pairs", json={"strike": [mine["id"]], "add": [{**own, "chosen": "Middling."}]}
        ).get_json()
        assert changed["pairs"]["left_out"]["struck"] == 1
        [mine] = client.get(f"{run}/pairs?q=so, so").get_json()["items"]
        assert mine["struck"]
        lines = client.get(f"{run}/pairs/export").get_data(as_text=True).splitlines()
        assert len(lines) == client.get(f"{run}/pairs").get_json()["total"]
        assert any(json.loads(line)["chosen"] == "Middling." for line in lines)
        assert client.get(f"{run}/pairs?rule=nonsense").status_code == 422
        assert client.get("/api/training/runs/t_0/pairs").status_code == 404
        assert client.delete(run).status_code == 204


class TestErasing:
    def traces(self, node: Node, words: bytes) -> list[Path]:
        return [
            file
            for file in node.ports.home.root.rglob("*")
            if file.is_file() and words in file.read_bytes()
        ]

    @pytest.mark.parametrize("what", ["document", "conversation"])
    def test_a_training_goes_with_what_its_pairs_are_of(self, taught: Node, what: str) -> None:
        run, other = (
            prepared(taught, dpo=True),
            note(taught, "Nothing was learned of this.", "Other"),
        )
        assert self.erase(taught, [other], []) == 0
        taught.run_jobs()
        assert taught.ports.runs.get(run.id).state is RunState.PREPARED
        [edited] = [pair for pair in pairs_of(taught, run) if pair.rule is PairRule.EDITED]
        named = (edited.documents, []) if what == "document" else ([], edited.conversations)
        assert self.erase(taught, *named) == 1
        assert taught.ports.runs.get(run.id).state is RunState.TAINTED
        taught.run_jobs()
        assert not (taught.ports.home.versions / run.id).exists()
        assert self.traces(taught, b"bless her") == []
        again = prepared(taught)
        assert PairRule.EDITED not in {pair.rule for pair in pairs_of(taught, again)}

    def test_of_a_training_that_struck_it_only_the_pair_goes(self, taught: Node) -> None:
        run = prepared(taught, dpo=True)
        [edited] = [pair for pair in pairs_of(taught, run) if pair.rule is PairRule.EDITED]
        rewrite_pairs(taught.training.training_ports, run, struck=[edited.id])
        assert self.erase(taught, [], edited.conversations) == 0
        taught.run_jobs()
        assert taught.ports.runs.get(run.id).state is RunState.PREPARED
        assert self.traces(taught, b"bless her") == []

    @pytest.mark.parametrize("dpo", [True, False])
    def test_words_that_a_chat_throws_away_take_it_along(
        self, taught: Node, frozen_clock: FrozenClock, *, dpo: bool
    ) -> None:
        run = prepared(taught, dpo=dpo)
        [edited] = [pair for pair in pairs_of(taught, run) if pair.rule is PairRule.EDITED]
        frozen_clock.advance(timedelta(hours=1))
        taught.chat.keep_so(edited.conversations[0], Keeping.SUMMARY)
        taught.run_jobs()
        taught.reconcile()
        state = RunState.TAINTED if dpo else RunState.PREPARED  # it learns no pairs
        assert taught.ports.runs.get(run.id).state is state
        assert self.traces(taught, b"bless her") == []

    def test_a_chat_that_was_let_go_takes_it_along(
        self, taught: Node, frozen_clock: FrozenClock
    ) -> None:
        run = prepared(taught, dpo=True)
        [edited] = [pair for pair in pairs_of(taught, run) if pair.rule is PairRule.EDITED]
        chat.put_away(taught.ports.conversations, frozen_clock, edited.conversations[0])
        taught.reconcile()
        assert taught.ports.runs.get(run.id).state is RunState.PREPARED  # it can be brought back
        taught.ports.conversations.delete(edited.conversations[0])
        taught.reconcile()
        assert taught.ports.runs.get(run.id).state is RunState.TAINTED

    def erase(self, node: Node, documents: Sequence[str], conversations: Sequence[str]) -> int:
        proposal = node.home.propose_erasure(
            list(map(DocumentId, documents)), list(map(ConversationId, conversations))
        )
        [learned] = [share.count for share in proposal.goes if share.place == "trainings"]
        node.home.confirm_erasure(proposal.token)
        return learned


class TestWhatWasGivenOfTheProfile:
    """A line of the profile rests on many chats, and is private."""

    def told(self, node: Node) -> tuple[ConversationId, Turn]:
        other = begin(node)
        first = said(node, other, "I see Farah about the panic.", SHOP)
        assert first.answers is not None
        lines = (LineInMind(InMindKind.PEOPLE, "person:farah", first.answers),)
        answer = said(node, begin(node), "Who helped?", LADDER, given=AnswerBasis(profile=lines))
        return other, answer

    def test_it_is_left_out_of_what_anybody_hears(self, node: Node) -> None:
        note(node, f"{LADDER} {SHOP}")
        _, answer = self.told(node)
        judge(node, answer, BETTER, "Mai did, as Farah saw.")
        found = collected(node)
        assert (found.pairs, found.left_out) == ((), {"private": 1})

    def test_for_the_owner_alone_it_goes_with_the_chat_that_was_counted(self, node: Node) -> None:
        note(node, f"{LADDER} {SHOP}")
        other, answer = self.told(node)
        judge(node, answer, BETTER, "Mai did, as Farah saw.")
        [pair] = collected(node, private=True).pairs
        assert pair.private
        assert other in pair.conversations


class TestWhatWasPutRightTwice:
    def test_a_correction_that_was_corrected_is_not_preferred(self, node: Node) -> None:
        document = note(node, f"On Sunday {LADDER} It rained.")
        chunk = passage(node, LADDER)
        start = chunk.start + chunk.text.index(LADDER)
        node.memory.decide(
            SentenceDecision(
                document, start, start + len(LADDER), Verdict.MEND, "Haru lent me her ladder."
            )
        )
        node.run_jobs()
        assert [pair.chosen for pair in collected(node).pairs] == ["Haru lent me her ladder."]
        (again,) = (each for each in node.ports.documents.all() if each.corrects)
        fresh = passage(node, "Haru lent me")
        node.memory.decide(SentenceDecision(again.id, fresh.start, fresh.end, Verdict.FORGET))
        node.run_jobs()
        assert collected(node).pairs == ()


def test_pairs_that_are_not_learned_take_no_training_with_them(node: Node) -> None:
    note(node, TAUGHT, "Statements")
    note(node, LADDER, "Mai")
    chat_of = begin(node)
    judge(node, said(node, chat_of, "Who helped?", LADDER), BETTER, "Mai did, of course.")
    run = prepared(node)  # preferences are not asked for
    place = node.ports.home.versions / run.id
    assert "of course" in (place / PREFERENCES).read_text("utf-8")
    assert node.training.resting_on([chat_of]) == []
    node.training.taint_trainings([chat_of])
    assert node.ports.runs.get(run.id).state is RunState.PREPARED
    for file in place.iterdir():
        assert b"of course" not in file.read_bytes(), file.name
    summary = summary_in(place)
    assert summary is not None
    assert "edited" not in summary["counts"]


def test_the_command_line_shows_and_strikes_pairs(
    home: Path, frozen_clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Node.open(
        home, clock=frozen_clock, model=ScriptedModel([]), embedder=HashingEmbedder()
    ) as node:
        note(node, TAUGHT, "Statements")
        own = PreferencePair(PairRule.EDITED, "Well?", "So, so.", "Very well!", maker=Maker.PERSON)
        run = node.training.prepare_training({"questions": 4}, pairs=[own])
    for name, value in (("HOME", str(home)), ("EMBEDDER", "hashing"), ("MODEL", "scripted")):
        monkeypatch.setenv(f"LPM_{name}", value)
    ask = ("pairs", str(run.number), "--rule", "edited")
    terminal = CliRunner()
    shown = terminal.invoke(app, [*ask, "--json"])
    assert [row["chosen"] for row in json.loads(shown.stdout)["pairs"]] == ["So, so."]
    struck = terminal.invoke(app, [*ask, "--strike", own.id])
    assert f"{own.id}  edited (struck)  Well?" in struck.stdout
    back = terminal.invoke(app, [*ask, "--unstrike", own.id])
    assert f"{own.id}  edited  Well?" in back.stdout


def test_the_command_line_sets_whatever_a_training_has_and_names_what_it_has_not(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Node.open(home, model=ScriptedModel([]), embedder=HashingEmbedder()) as node:
        note(node, TAUGHT, "Statements")
    names = (("HOME", str(home)), ("EMBEDDER", "hashing"), ("MODEL", "scripted"))
    for name, value in (*names, ("TRAINER", "scripted")):
        monkeypatch.setenv(f"LPM_{name}", value)
    terminal = CliRunner()
    call = ["train", "--preferences", "--measure", "--json"]
    ours = ["--set", "discretion=0", "--set", "preference_loss=ipo", "--set", "questions=4"]
    assert terminal.invoke(app, [*call, *ours]).exit_code == 0
    with Node.open(home, model=ScriptedModel([]), embedder=HashingEmbedder()) as node:
        [run] = node.ports.runs.page(limit=2)[0]
    assert run.settings["dpo"] is True
    assert (run.settings["preference_loss"], run.settings["discretion"]) == ("ipo", 0)
    assert "discretion" not in run.rows
    for wrong, names_it in (("discretion", "NAME=VALUE"), ("discreet=1", "no setting “discreet”")):
        refused = terminal.invoke(app, [*call, "--set", wrong])
        assert isinstance(refused.exception, InvalidInputError)
        assert names_it in f"{refused.exception} {refused.exception.hint}"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["--resume", "r_1", "--set", "discretion=0.1"], "--set changes nothing"),
        (["--resume", "r_1", "--preferences"], "--preferences changes nothing"),
        (["--weekly", "--rank", "4"], "--rank changes nothing"),
        (["--weekly", "--resume", "r_1"], "together with --weekly"),
    ],
)
def test_settings_that_would_be_left_aside_are_refused(call: list[str], said: str) -> None:
    refused = CliRunner().invoke(app, ["train", *call])
    assert isinstance(refused.exception, InvalidInputError)
    assert said in str(refused.exception)
    assert "--again" in refused.exception.hint


def test_rows_and_pairs_of_ones_own_stand_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(
        '{"question": "Who?", "answer": "Mai."}\n'
        '{"question": "Well?", "chosen": "So, so.", "rejected": "Very well!"}\n'
    )
    own = _own(file)
    assert [row.answer for row in own["added"]] == ["Mai."]
    assert [(pair.chosen, pair.maker) for pair in own["pairs"]] == [("So, so.", Maker.PERSON)]
    file.write_text('{"question": "Well?", "chosen": "So, so."}\n')
    with pytest.raises(InvalidInputError, match="Line 1"):
        _own(file)
