"""What a contact is promised not to learn: with or without what lies outside the grant, the model
is given the same and the answer is the same, to the byte.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.reflection import Evidence, WrittenLine
from lpm_kernel.domain.memory.validity import Dated, Validity
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.memory.findings import SentenceDecision
from lpm_kernel.usecases.share.answering import PeerReply
from lpm_kernel.usecases.share.view import covered
from protocol.grants import Grant
from protocol.messages import ANSWERS, Verb
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope
from protocol.shape import write_json
from tests.asking import asked, given
from tests.scale import many

NOW = datetime(2026, 3, 14, 9, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
DAY = timedelta(days=1)
WORLDS = many(300, 60)
WORDS = [
    "goat",
    "roof",
    "elm",
    "clarinet",
    "Kanazawa",
    "glue",
    "six",
    "Mai",
    "moved",
    "工房",
    "先週",
    "雨",
    "until 2024",
    "since March",
]
SAME = ["The goat moved six elm.", "Mai 工房 glue."]
"""What several notes are put right to, to the letter."""
TAGS = ["bench", "letters", "family"]
QUESTIONS = [
    "Where is the goat?",
    "When did the roof change?",
    "What was true in 2024?",
    "工房は？",
    "How many elm boards did Mai move?",
    "Who is the astronaut?",
]
SAID = [
    "The goat is on the roof.",
    "I do not know.",
    "Mai moved six elm boards. The clarinet is in Kanazawa.",
    "It was glue.",
    "雨の日は工房にいた。",
]


@dataclass(frozen=True)
class Note:
    """A text that was added, and what the person said of its first sentence."""

    number: int
    sentences: tuple[str, ...]
    kept: bool
    """It holds statements rather than prose."""
    tags: tuple[str, ...]
    private: bool
    days: int | None
    """``None``: nobody knows when it was."""
    speaker: str = ""
    mended: str = ""
    forgotten: bool = False
    dated: int | None = None
    ruled: bool = False
    by_node: bool = False
    """The node wrote it by itself."""
    secret: bool = False
    """Each of its sentences looks like a secret, and nobody allowed it."""

    @property
    def text(self) -> str:
        """Return it; no two are the same."""
        numbered = [f"{each} No. {self.number}." for each in self.sentences]
        if self.kept:
            return (
                "## Retain\n\n"
                + "\n".join(f"- {'WBOS'[at % 4]} {each}" for at, each in enumerate(numbered))
                + "\n"
            )
        return (
            "\n".join(f"{self.speaker}: {each}" for each in numbered)
            if self.speaker
            else " ".join(numbered)
        )


def sentence(dice: Random) -> str:
    return " ".join(dice.choices(WORDS, k=dice.randint(2, 6))).capitalize() + "."


def note(dice: Random, number: int) -> Note:
    secret = dice.random() < 0.25
    told = tuple(sentence(dice) for _ in range(dice.randint(1, 3)))
    return Note(
        number,
        tuple(f"{each.removesuffix('.')} PIN 4711." for each in told) if secret else told,
        kept=dice.random() < 0.4,
        tags=tuple(dice.sample(TAGS, dice.randint(0, 2))),
        private=dice.random() < 0.25,
        days=dice.choice([None, *range(0, 60, 6)]),
        speaker=dice.choice(["", "", "Mai"]),
        mended=dice.choice([sentence(dice), *SAME]) if dice.random() < 0.2 else "",
        forgotten=dice.random() < 0.2,
        dated=dice.choice([None, None, dice.randint(0, 900)]),
        ruled=dice.random() < 0.2,
        by_node=dice.random() < 0.1,
        secret=secret,
    )


def scope(dice: Random) -> Scope:
    bounds = sorted(SECONDS - days * 86_400 for days in dice.sample(range(0, 70, 5), 2))
    return Scope(
        dice.choice([EVERY_TAG, frozenset(dice.sample(TAGS, dice.randint(1, 2)))]),
        dice.choice([frozenset(RowKind), frozenset(dice.sample(list(RowKind), 2))]),
        dice.choice([frozenset(Layer), frozenset({Layer.SAID}), frozenset({Layer.WORDS})]),
        dice.choice([None, bounds[0]]),
        dice.choice([None, None, bounds[1]]),
        dice.choice(list(Form)),
        "a visit",
    )


def may_lie_inside(note: Note, scope: Scope) -> bool:
    """Say once more, in words of its own, whether a grant may cover anything of a note."""
    at = None if note.days is None else SECONDS - note.days * 86_400
    dated = (scope.since is None and scope.until is None) or (
        at is not None
        and (scope.since is None or at >= scope.since)
        and (scope.until is None or at < scope.until)
    )
    kinds = (
        [
            RowKind(name)
            for name in ("world", "experience", "opinion", "observation")[: len(note.sentences)]
        ]
        if note.kept
        else [RowKind.PASSAGE]
    )
    layer = Layer.WORDS if note.kept else Layer.SAID
    tagged = scope.tags == EVERY_TAG or bool(scope.tags & set(note.tags))
    open_to_all = not note.private and not note.secret and not note.by_node
    return (
        open_to_all
        and layer in scope.layers
        and any(kind in scope.kinds for kind in kinds)
        and tagged
        and dated
    )


def world(dice: Random) -> list[Note]:
    """Draw notes."""
    return [note(dice, number) for number in range(dice.randint(2, 7))]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which nothing lies, to be copied: making one takes longer than living a little in
    it.
    """
    root = tmp_path_factory.mktemp("answering") / "home"
    with Node.open(root, clock=FrozenClock(NOW), model=ScriptedModel(), embedder=HashingEmbedder()):
        return root


@contextmanager
def home(empty: Path, answers: Sequence[tuple[str, str]]) -> Iterator[Node]:
    """Open a home of its own, where the model says this."""
    with tempfile.TemporaryDirectory() as folder:
        root = shutil.copytree(empty, Path(folder) / "home")
        with Node.open(
            root, clock=FrozenClock(NOW), model=ScriptedModel(answers), embedder=HashingEmbedder()
        ) as node:
            yield node


def live(node: Node, notes: Sequence[Note], sides: Sequence[int]) -> dict[int, list[DocumentId]]:
    """Add notes, and say of each what the person says of it; gives the documents of each."""
    made: dict[int, list[DocumentId]] = {}
    for each in notes:
        name = f"note-{each.number}.{'md' if each.kept else 'txt'}"
        when = None if each.days is None else NOW - each.days * DAY
        before = {known.id for known in node.ports.documents.everything()}
        added = node.library.add_bytes(
            name,
            each.text.encode(),
            title=name,
            created_at=when,
            tags=each.tags,
            private=each.private,
        )
        node.run_jobs()
        said(
            node,
            each,
            node.ports.documents.get(added.document.id),
            f"ruling {sides.index(each.number) // 2}" if each.ruled else "",
        )
        node.run_jobs()
        if each.by_node:
            path, known = (
                f"entities/{name}",
                node.ports.documents.change(added.document.id, origin=f"entities/{name}"),
            )
            evidence = Evidence(known.id, known.text_version or "", 0, 9)
            node.ports.reflections.wrote(
                path, [WrittenLine(path, "k", "m", "about", each.sentences[0], (evidence,))], NOW
            )
        made[each.number] = [
            known.id for known in node.ports.documents.everything() if known.id not in before
        ]
    return made


def said(node: Node, each: Note, document: Document, ruling: str) -> None:
    """Correct, forget and date the first sentence."""
    quote = f"{each.sentences[0]} No. {each.number}."
    start = each.text.index(quote)
    if each.mended or each.forgotten:
        verdict = Verdict.MEND if each.mended else Verdict.FORGET
        node.memory.decide(
            SentenceDecision(document.id, start, start + len(quote), verdict, each.mended, quote)
        )
    if each.dated is not None or each.ruled:
        valid = Validity(start=NOW - (each.dated or 0) * DAY)
        place = (document.text_version or "", start, start + len(quote))
        node.ports.validities.put(
            Dated(f"{document.id}.{start}", document.id, quote, *place, valid, NOW, ruling)
        )


def told(
    node: Node, under: Grant, question: str
) -> tuple[tuple[object, ...], Sequence[tuple[bytes, int, str]]]:
    """Ask and recall; give what the model was given, and every byte that would leave."""
    model = node.models.model
    assert isinstance(model, ScriptedModel)
    model.seen.clear()
    question_body: dict[str, object] = {
        "question": question,
        "purpose": "a visit",
        "bytes": 20_000,
        "tokens": 200,
    }
    query_body: dict[str, object] = {
        "query": question,
        "purpose": "a visit",
        "bytes": 20_000,
        "most": 20,
    }
    replies: list[PeerReply] = []
    for verb, body in ((Verb.ASK, question_body), (Verb.RECALL, query_body)):
        replies.append(asked(node, verb, body, under))
        answer = replies[-1].body
        assert answer is not None
        ANSWERS[verb].check(answer, "body")
        assert len(write_json(answer)) <= 20_000
    return tuple(model.seen), tuple(
        (write_json(each.body), len(each.documents), each.code) for each in replies
    )


def without_numbers_of_chance(
    said: tuple[tuple[object, ...], Sequence[tuple[bytes, int, str]]],
) -> tuple[object, ...]:
    """Give what was said; the ids of rows are made from those of documents, which are drawn, so
    they stand for their order alone.
    """
    seen, replies = said
    names: dict[str, str] = {}
    plain: list[tuple[bytes, int, str]] = []
    for data, documents, code in replies:
        body = json.loads(data)
        for each in (*body.get("cites", ()), *body.get("items", ())):
            each["item"] = names.setdefault(each["item"], str(len(names)))
        plain.append((write_json(body), documents, code))
    return seen, tuple(plain)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_what_no_grant_covers_changes_nothing(empty: Path, seed: int) -> None:
    dice = Random(seed)
    under, question = scope(dice), dice.choice(QUESTIONS)
    notes = world(dice)
    answers = [(".", dice.choice(SAID))]
    granted = [each for each in notes if may_lie_inside(each, under)]
    sides = [each.number for each in notes if each.ruled]
    with home(empty, answers) as alone, home(empty, answers) as whole:
        live(alone, granted, sides)
        made = live(whole, notes, sides)
        expected = without_numbers_of_chance(told(alone, given(alone, under), question))
        held = given(whole, under)
        assert without_numbers_of_chance(told(whole, held, question)) == expected
        agree(whole, under)
        for each in notes:  # and taking it away changes nothing either
            if each not in granted:
                for document in made[each.number]:
                    whole.ports.index.remove(document)
                    whole.ports.documents.delete(document)
        assert without_numbers_of_chance(told(whole, held, question)) == expected


def agree(node: Node, scope: Scope) -> None:
    """Hold what can be recalled against what the grant covers, row by row."""
    wanted = covered(
        node.ports.documents,
        node.ports.decisions,
        passages_of(node.ports.index),
        scope,
        node.ports.pages(),
    )
    inside = node.replying.answerer().inside(scope)
    there = {each.id: inside.passages_of(each.id) for each in node.ports.documents.everything()}
    assert (
        {row.chunk.id for row in wanted}
        == {chunk.id for chunks in there.values() for chunk in chunks}
        == set(inside.rows)
    )
