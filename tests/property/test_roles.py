"""What a role promises whatever is remembered: nothing outside its scope reaches the model, the
answer or the evidence.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.validity import Dated, Validity
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import Ended
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.ask import SingleQuestion, ask
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.memory.findings import SentenceDecision
from tests.scale import many

pytestmark = pytest.mark.property

NOW = datetime(2026, 3, 14, 9, tzinfo=UTC)
DAY = timedelta(days=1)
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
TAGS = ["bench", "letters", "family"]
QUESTIONS = [
    "Where is the goat?",
    "When did the roof change?",
    "What was true in 2024?",
    "工房は？",
    "How many elm boards did Mai move?",
    "How is the glue?",
]
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(
    lambda words: " ".join(words).capitalize() + "."
)


@dataclass(frozen=True)
class Note:
    """A text that was added, and what the person said of its first sentence."""

    sentences: tuple[str, ...]
    kept: bool = False
    """It holds statements rather than prose."""
    tags: tuple[str, ...] = ()
    private: bool = False
    days: int = 0
    folder: str = ""
    mended: str = ""
    forgotten: bool = False
    dated: int | None = None
    ruled: bool = False
    """It is a side of a disagreement that was settled: the first two such notes are one, the next
    two another.
    """

    def text(self, number: int) -> str:
        """Return it; no two are the same."""
        numbered = [f"{each} No. {number}." for each in self.sentences]
        return (
            "## Retain\n\n" + "\n".join(f"- W {each}" for each in numbered) + "\n"
            if self.kept
            else " ".join(numbered)
        )


NOTE = st.builds(
    Note,
    sentences=st.lists(SENTENCE, min_size=1, max_size=3).map(tuple),
    kept=st.booleans(),
    tags=st.lists(st.sampled_from(TAGS), max_size=2, unique=True).map(tuple),
    private=st.booleans(),
    days=st.integers(0, 60),
    folder=st.sampled_from(["", "letters", "letters/2024", "bench"]),
    mended=st.just("") | SENTENCE | st.sampled_from(["Goat glue.", "Mai moved six elm."]),
    forgotten=st.booleans(),
    dated=st.none() | st.integers(0, 900),
    ruled=st.booleans(),
)
SEES = st.builds(
    Sees,
    tags=st.lists(st.sampled_from(TAGS), max_size=2, unique=True).map(tuple),
    kinds=st.sampled_from([(), (DocumentKind.TEXT,), (DocumentKind.MARKDOWN,)]),
    memory_kinds=st.sampled_from([(), ("passage",), ("world", "opinion")]),
    folder=st.sampled_from(["", "letters", "bench"]),
    since=st.none() | st.integers(0, 60).map(lambda days: NOW - days * DAY),
    private=st.booleans(),
)


def lies_inside(note: Note, sees: Sees) -> bool:
    """Say it once more, in words of its own: whether a role may see anything of a note."""
    return (
        (sees.private or not note.private)
        and (not sees.tags or bool({*sees.tags} & {*note.tags}))
        and (
            not sees.kinds
            or (DocumentKind.MARKDOWN if note.kept else DocumentKind.TEXT) in sees.kinds
        )
        and (not sees.memory_kinds or ("world" if note.kept else "passage") in sees.memory_kinds)
        and (
            not sees.folder
            or note.folder == sees.folder
            or note.folder.startswith(f"{sees.folder}/")
        )
        and (sees.since is None or NOW - note.days * DAY >= sees.since)
    )


def live(node: Node, notes: Sequence[tuple[int, Note]], sides: Sequence[int]) -> None:
    """Add notes, and say of each what the person says of it. ``sides`` are the notes of settled
    disagreements, in their order.
    """
    for number, note in notes:
        name = f"note-{number}.{'md' if note.kept else 'txt'}"
        added = node.library.receive(
            NewDocument(
                name,
                note.text(number).encode(),
                title=name,
                created_at=NOW - note.days * DAY,
                tags=note.tags,
                private=note.private,
                folder=note.folder,
            )
        )
        node.run_jobs()
        said(
            node,
            number,
            note,
            node.ports.documents.get(added.document.id),
            f"ruling {sides.index(number) // 2}" if note.ruled else "",
        )
    node.run_jobs()


def said(node: Node, number: int, note: Note, document: Document, ruling: str) -> None:
    """Correct, forget and date the first sentence."""
    quote = f"{note.sentences[0]} No. {number}."
    start = note.text(number).index(quote)
    end = start + len(quote)
    if note.mended or note.forgotten:
        verdict = Verdict.MEND if note.mended else Verdict.FORGET
        node.memory.decide(SentenceDecision(document.id, start, end, verdict, note.mended, quote))
    if note.dated is not None or note.ruled:
        valid = Validity(start=NOW - (note.dated or 0) * DAY)
        node.ports.validities.put(
            Dated(
                f"{document.id}.{start}",
                document.id,
                quote,
                document.text_version or "",
                start,
                end,
                valid,
                NOW,
                ruling,
            )
        )


def told(node: Node, sees: Sees, question: str, *others: Sees) -> tuple[object, ...]:
    """Ask a role, beside others that see something else, and return everything that came of it,
    without the ids that chance gave.
    """
    model = node.models.model
    assert isinstance(model, ScriptedModel)
    model.seen.clear()
    role = Role(RoleId("r"), "Reporter", "", "You ask one question at a time.", sees=sees)
    beside = [
        Role(RoleId(f"r{number}"), f"Other {number}", "", "You listen.", sees=each)
        for number, each in enumerate(others)
    ]
    by = node.chat.speaks(role, owner=True, beside=beside)
    found = by.recall  # every part of it, the scores to the last bit
    titles = {each.id: each.title for each in node.ports.documents.everything()}
    evidence: list[object] = []

    def recall(query: RecallQuery) -> Recollection:
        recollection = found(query)
        evidence.append(
            (
                recollection.level,
                recollection.considered,
                recollection.answerable,
                recollection.sought,
            )
        )
        evidence.extend(
            (
                titles[each.chunk.document],
                each.text,
                each.score,
                each.signals,
                each.corrects,
                each.validity,
            )
            for each in recollection.items
        )
        return recollection

    events = list(
        ask(
            replace(by, recall=recall),
            node.ports.conversations.identity(),
            SingleQuestion(question),
        )
    )
    end = events[-1]
    assert isinstance(end, Ended)
    cited = [
        (titles[each.document], each.start, each.end, each.quote_hash) for each in end.citations
    ]
    return tuple(evidence), tuple(model.seen), end.parts, tuple(cited), end.abstained, by.core


@contextmanager
def home(model: ScriptedModel | None = None) -> Iterator[Node]:
    """Open a home of its own, which goes with the test."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Node.open(
            Path(folder),
            clock=FrozenClock(NOW),
            model=model or ScriptedModel(),
            embedder=HashingEmbedder(),
        ) as node,
    ):
        yield node


@settings(max_examples=many(25, 10))
@given(notes=st.lists(NOTE, min_size=2, max_size=8), sees=SEES, question=st.sampled_from(QUESTIONS))
@example(  # a word that is rare inside and common outside
    notes=[
        Note(("Goat roof.",), tags=("bench",)),
        Note(("Elm glue roof.",), tags=("bench",)),
        *[Note((f"Roof {n}.",)) for n in range(6)],
    ],
    sees=Sees(tags=("bench",)),
    question="How is the roof?",
)
@example(  # a disagreement with one side inside, and one with both
    notes=[
        Note(("Roof elm.",), tags=("bench",), dated=40, ruled=True),
        Note(("Roof glue.",), dated=2, ruled=True),
    ],
    sees=Sees(tags=("bench",)),
    question="When did the roof change?",
)
@example(
    notes=[
        Note(("Goat six.",), mended="Goat seven."),
        Note(("The goat six roof.",), tags=("bench",)),
    ],
    sees=Sees(tags=("bench",)),
    question="Where is the goat?",
)
@example(  # corrections of what lies outside: by its kind, by its day, by not being a statement
    notes=[Note(("Goat elm.",), days=28, mended="Goat glue."), Note(("Goat roof.",), kept=True)],
    sees=Sees(kinds=(DocumentKind.MARKDOWN,)),
    question="Where is the goat?",
)
@example(
    notes=[Note(("Goat elm.",), days=28, mended="Goat glue."), Note(("Goat roof.",), days=1)],
    sees=Sees(since=NOW - 10 * DAY),
    question="Where is the goat?",
)
@example(
    notes=[Note(("Goat elm.",), kept=True, mended="Goat glue."), Note(("Goat roof.",))],
    sees=Sees(memory_kinds=("passage",)),
    question="Where is the goat?",
)
def test_what_lies_outside_changes_nothing(notes: list[Note], sees: Sees, question: str) -> None:
    numbered = list(enumerate(notes))
    inside = [(number, note) for number, note in numbered if lies_inside(note, sees)]
    sides = [number for number, note in numbered if note.ruled]
    with home() as alone, home() as whole:
        live(alone, inside, sides)
        live(whole, numbered, sides)
        before = told(alone, sees, question)
        assert told(whole, sees, question) == before
        for number, _ in numbered:  # and taking it away changes nothing either
            if number not in dict(inside):
                gone = [
                    each.id
                    for each in whole.ports.documents.all()
                    if each.title.startswith(f"note-{number}.")
                ]
                for each in gone:
                    library.delete(
                        whole.ports.files, whole.ports.documents, whole.ports.index, each
                    )
        assert told(whole, sees, question) == before


@settings(max_examples=many(15, 6))
@given(
    notes=st.lists(NOTE, min_size=2, max_size=8),
    sees=SEES,
    other=SEES,
    question=st.sampled_from(QUESTIONS),
)
# what one may see by its tag and the other by its kind; a correction of what only one of them sees
@example(
    notes=[
        Note(("Goat elm.",), tags=("bench",), mended="Goat glue."),
        Note(("Goat roof.",), tags=("bench",), kept=True),
        Note(("Goat six.",), kept=True),
    ],
    sees=Sees(tags=("bench",)),
    other=Sees(kinds=(DocumentKind.MARKDOWN,)),
    question="Where is the goat?",
)
def test_in_one_chat_nobody_sees_what_another_may_not(
    notes: list[Note], sees: Sees, other: Sees, question: str
) -> None:
    numbered = list(enumerate(notes))
    inside = [
        (number, note)
        for number, note in numbered
        if lies_inside(note, sees) and lies_inside(note, other)
    ]
    sides = [number for number, note in numbered if note.ruled]
    with home() as alone, home() as whole:
        live(alone, inside, sides)
        live(whole, numbered, sides)
        assert told(whole, sees, question, other) == told(alone, sees, question, other)
        assert (
            whole.chat.sight(sees, other, most=0, owner=True).passages
            == whole.chat.sight(other, sees, most=0, owner=True).passages
        )


@pytest.mark.parametrize(
    "sees",
    [
        Sees(kinds=(DocumentKind.TEXT,)),
        Sees(folder="letters"),
        Sees(since=NOW - 40 * DAY, until=NOW - 20 * DAY),
        Sees(tags=("bench",)),
    ],
    ids=["kind", "folder", "time", "tag"],
)
def test_a_correction_lies_where_the_words_lie_that_it_puts_right(sees: Sees) -> None:
    with home() as node:
        live(
            node,
            [
                (
                    0,
                    Note(
                        ("Goat elm.",),
                        folder="letters",
                        tags=("bench",),
                        days=28,
                        mended="Goat glue.",
                    ),
                )
            ],
            [],
        )
        [found] = [
            each
            for each in node.chat.within(sees, owner=True)
            .recall(RecallQuery(Question("Where is the goat?")))
            .items
            if not each.struck
        ]
        assert found.text == "Goat glue."
        assert found.corrects
        assert node.chat.sight(sees, most=5, owner=True).passages == 2
