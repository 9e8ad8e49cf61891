"""What is known of half a year of chats, beside what is known of the same life told as notes. Run
by `make bench`; `LPM_ROWS` names a folder in which every question is written with its answer, to be
read.

Each question is asked as the owner asks it: in a chat of its own with the second self, with the
models that a fresh machine has. An answer is right if the accepted strings stand in it (and no
older fact before them); beside it stands how often the node doubted, said that it has nothing, or
said something else with the face of an answer. The strings judge, so an answer that quotes a long
passage is judged kindly: the rows are there to be read.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.chat.conversations import Outcome, Turn
from lpm_kernel.domain.ids import is_thread
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import turns
from lpm_kernel.usecases.chat.turns import EvidenceFound, NewTurn, StoredAnswer
from tests.bench.chat_life import (
    ASKED_ON,
    BEGAN,
    CATEGORIES,
    Asked,
    Chat,
    Place,
    Replay,
    chats,
    folded,
    notes,
    questions,
    read_notes,
)

pytestmark = pytest.mark.bench

FIRST = 10
FOUND, RIGHT_LESS, FALSELY = 0.88, 0.06, 0.2
"""What was reached when this was written, less the noise: evidence in the first ten; how far the
answers may lie behind those of the same life as notes; false ones with the face of an answer.
"""

Holds = Callable[[Chunk, Place], bool]
"""Tells whether what was found holds what was said at a place."""


@dataclass(frozen=True)
class Row:
    """A question with what came of it."""

    id: str
    category: str
    language: str
    blind: bool
    question: str = field(repr=False)
    answer: str = field(repr=False)
    outcome: str
    verdict: str
    ranks: list[int | None]
    """Where each piece of evidence was found, from 1; ``None``: not among the first ten."""
    accept: tuple[tuple[str, ...], ...] = field(repr=False)

    @property
    def found(self) -> float:
        """Share of the evidence that was found, 0..1."""
        return sum(rank is not None for rank in self.ranks) / len(self.ranks)


def ask(node: Node, asked: Asked) -> tuple[Turn, list[Chunk]]:
    """Ask in a new chat, as the owner. Returns the answer and what was on the table."""
    conversations, clock = node.ports.conversations, node.ports.clock
    chat = turns.start(conversations, clock)
    node.chat.flush_beside(chat.id)
    by = node.chat.speaks_in(chat, owner=True)
    said = NewTurn(chat.id, asked.question, by_owner=True)
    table: list[Chunk] = []
    for event in turns.take_turn(conversations, by, clock, said):
        match event:
            case EvidenceFound(found=found):
                table = [item.chunk for item in found.items[:FIRST]]
            case StoredAnswer(turn):
                return turn, table
    raise AssertionError("no answer was kept")


def judged(asked: Asked, shown: str, outcome: Outcome | None) -> str:
    """Say what an answer is worth."""
    nothing = outcome in {Outcome.NOTHING, Outcome.TALK}
    if not asked.accept:
        return "nothing" if nothing else "doubted" if outcome is Outcome.CLOSEST else "false"
    if asked.is_right(shown):
        return "right, doubted" if outcome is Outcome.CLOSEST else "right"
    return "nothing" if nothing else "doubted" if outcome is Outcome.CLOSEST else "false"


def measured(node: Node, holds: Holds, titles: Iterable[str]) -> list[Row]:
    """Ask everything. ``titles`` of chats and notes are no part of an answer."""
    rows = []
    for asked in questions():
        turn, table = ask(node, asked)
        shown = turn.text
        for title in titles:
            shown = shown.replace(f"“{title}”", "").replace(f"「{title}」", "")
        ranks = [
            next((n for n, chunk in enumerate(table, 1) if holds(chunk, place)), None)
            for place in asked.evidence
        ]
        outcome = turn.outcome
        rows.append(
            Row(
                asked.id,
                asked.category,
                asked.language,
                asked.blind,
                asked.question,
                turn.text,
                "" if outcome is None else outcome.value,
                judged(asked, shown, outcome),
                ranks,
                asked.accept,
            )
        )
    return rows


def said_there(node: Node, life: Sequence[Chat]) -> Holds:
    """Tell from what was found in chats which turn it is."""
    known = {f"v_{chat.id}": chat.id for chat in life}

    def holds(chunk: Chunk, place: Place) -> bool:
        if not is_thread(chunk.document):
            return False
        document = node.ports.documents.get(chunk.document)
        parsed = node.ports.files.text(document.sha256, chunk.text_version)
        said_here = [
            node.chat.said_in(chunk.document, turn.turn)
            for turn in (parsed.segments if parsed else ())
            if turn.start < chunk.end and chunk.start < turn.end
        ]
        return any(
            said is not None and place == Place(known.get(said.conversation, ""), said.number)
            for said in said_here
        )

    return holds


def noted_there(names: dict[str, str], life: Sequence[Chat]) -> Holds:
    """Tell from what was found in notes (``names`` by document) which turn it holds."""
    said = {each.place: each for chat in life for each in chat.said}

    def holds(chunk: Chunk, place: Place) -> bool:
        told = said[place]
        name = names.get(chunk.document)
        text, part = folded(told.text), folded(chunk.text)
        return name == f"{told.at.date()}-{place.chat}.md" and (
            part in text or any(piece in part for piece in _pieces(text))
        )

    return holds


def _pieces(text: str) -> list[str]:
    """Return the sentences of a text that are long enough to know it by."""
    marked = text.replace("。", "。\n").replace(". ", ".\n").replace("? ", "?\n")
    return [each.strip() for each in marked.split("\n") if len(each.strip()) >= 8] or [text]


def table(name: str, rows: Sequence[Row]) -> str:
    """Show what came of it by category and language."""
    lines = [
        f"\n{name}",
        "                 n   found   right  (doubted)  nothing  other,  false",
        "                                                      doubted",
    ]
    groups = [(each, [row for row in rows if row.category == each]) for each in CATEGORIES]
    answerable = [row for row in rows if row.accept]
    groups += [
        ("in English", [row for row in answerable if row.language == "en"]),
        ("in Japanese", [row for row in answerable if row.language == "ja"]),
        ("the blind third", [row for row in answerable if row.blind]),
        ("all with answer", answerable),
    ]
    for label, part in groups:
        counts = Counter(row.verdict for row in part)
        seen = [row.found for row in part if row.ranks]
        right = counts["right"] + counts["right, doubted"]
        lines.append(
            f"{label:15}{len(part):>3}"
            + (f"{sum(seen) / len(seen):>8.1%}" if seen else f"{'':>8}")
            + (f"{right / len(part):>8.1%}" if part[0].accept else f"{'':>8}")
            + f"{counts['right, doubted']:>11}{counts['nothing']:>9}{counts['doubted']:>8}"
            f"{counts['false']:>7}"
        )
    return "\n".join(lines)


def share(rows: Sequence[Row], *verdicts: str) -> float:
    """Return how many of the questions that have an answer came out so, 0..1."""
    answerable = [row for row in rows if row.accept]
    return sum(row.verdict in verdicts for row in answerable) / len(answerable)


def keep(name: str, rows: Sequence[Row]) -> None:
    """Write every question with its answer where somebody wants to read them."""
    if folder := os.environ.get("LPM_ROWS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(asdict(row), ensure_ascii=False) for row in rows)
        (Path(folder) / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def test_what_was_told_in_chats_is_known_as_well_as_what_was_written(tmp_path: Path) -> None:
    life = chats()
    titles = [chat.title for chat in life]
    clock = FrozenClock(BEGAN)
    with Node.open(tmp_path / "chats", clock=clock) as node:
        Replay(node, clock).live(life)
        clock.advance(ASKED_ON - clock.now())
        told = measured(node, said_there(node, life), titles)
    keep("chats", told)
    with Node.open(tmp_path / "notes", clock=FrozenClock(ASKED_ON)) as node:
        names = {str(key): name for key, name in read_notes(node, life).items()}
        names_of_notes = [name.removesuffix(".md") for name, _ in notes(life)]
        written = measured(node, noted_there(names, life), names_of_notes)
    keep("notes", written)
    print(table("told in chats", told))
    print(table("written in notes", written))
    # what only the node said is not remembered yet
    own = [row for row in told if row.accept and row.category != "who"]
    found = sum(row.found for row in own) / len(own)
    right = [share(rows, "right", "right, doubted") for rows in (told, written)]
    print(
        f"\nevidence in the first ten (without who) {found:.1%}; right {right[0]:.1%} of what was"
        f" told, {right[1]:.1%} of what was written"
    )
    assert found >= FOUND
    assert right[0] >= right[1] - RIGHT_LESS
    assert share(told, "false") <= FALSELY
