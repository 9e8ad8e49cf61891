"""A thousand edits by hand of two files of the workspace, in two languages, with and without ids,
one of them with the line ends of Windows.

After each of them: what was cited opens at its exact words, every statement of the files is
believed as it stands there and is the memory that it was, none that was ever kept has lost a
wording, and what was written is found at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.library.documents import text_hash
from lpm_kernel.domain.memory.memories import MemoryFilter, MemoryId
from lpm_kernel.node import Node
from tests.scale import many

EDITS = many(1_000, 80)
SEED = 20261122
LOOKED_AT = 12
"""Citations that are opened after each edit, of all that were taken; all of them every hundred
edits and at the end.
"""
FILES = ("memory/2026-03-14.md", "bank/world.md")
FULL = 6
"""Statements of a file, and lines of text, from which on more are taken out than written."""

WORDS = {
    "en": [
        "kiln",
        "lease",
        "boat",
        "heron",
        "weir",
        "loom",
        "varnish",
        "ledger",
        "harbour",
        "tiles",
        "orchard",
        "bridge",
        "lantern",
        "cellar",
        "ferry",
    ],
    "ja": [
        "窯元",
        "賃貸",
        "小舟",
        "青鷺",
        "堰堤",
        "織機",
        "漆器",
        "帳簿",
        "港町",
        "瓦屋",
        "果樹",
        "石橋",
        "提灯",
        "地下室",
        "渡船",
    ],
}
PLACES = {
    "en": ["Kobe", "Ghent", "Bergen", "Noto", "Oslo", "Turin"],
    "ja": ["神戸", "松江", "能登", "金沢", "輪島", "京都"],
}
NAMES = ("Mai", "Peter", "拓海", "Mr Ide")
KINDS = ("W", "B", "O(c=0.9)", "S")


@dataclass
class Said:
    """A statement as it stands in a file, and which memory it is."""

    kind: str
    about: str
    text: str
    id: str = ""
    memory: str = ""

    @property
    def line(self) -> str:
        about = (
            f"@[{self.about}]: " if " " in self.about else f"@{self.about}: " if self.about else ""
        )
        return f"- {self.kind} {about}{self.text}" + (f" ^{self.id}" if self.id else "")


@dataclass
class File:
    """A file of the workspace: lines of text, and statements below its `## Retain`."""

    path: str
    above: list[str] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    newline: str = "\n"

    @property
    def words(self) -> str:
        lines = [
            f"# {self.path}",
            "",
            *self.above,
            "",
            "## Retain",
            "",
            *(each.line for each in self.said),
            "",
            "## Later",
            "",
            *self.below,
            "",
        ]
        return self.newline.join(lines)


class Desk:
    """Who edits, what they wrote, and what has to hold after it."""

    def __init__(self, node: Node, clock: FrozenClock) -> None:
        self.node, self.clock = node, clock
        self.dice = random.Random(SEED)
        self.files = [File(FILES[0]), File(FILES[1], newline="\r\n")]
        self.cited: list[tuple[Citation, str]] = []
        self.wordings: dict[str, list[str]] = {}
        """Every wording of every memory, in the order in which they were written."""
        self.fresh = ""
        """A word that the last edit wrote, and that stands nowhere else."""
        self.count = 0

    # --- what is written -------------------------------------------------------------------------

    def sentence(self) -> str:
        """Make a sentence with a word of its own."""
        self.count += 1
        lang = self.dice.choice(["en", "ja"])
        word, place = self.dice.choice(WORDS[lang]), self.dice.choice(PLACES[lang])
        self.fresh = (
            "zor" + "".join("abcdefghij"[int(figure)] for figure in str(self.count)) + "blat"
        )
        if lang == "en":
            return (
                f"The {word} called {self.fresh} has stood behind the old mill in {place} since the"
                " spring."
            )
        return f"{self.fresh}という{word}は、春からずっと{place}の古い水車小屋の裏にある。"

    def file(self, *, with_said: bool = False) -> File:
        return self.dice.choice([each for each in self.files if each.said or not with_said])

    def insert_text(self) -> None:
        lines = self.dice.choice([self.file().above, self.file().below])
        lines.insert(self.dice.randint(0, len(lines)), self.sentence())
        while len(lines) > FULL:
            lines.pop(self.dice.randrange(len(lines) - 1))

    def delete_text(self) -> None:
        if lines := self.dice.choice(
            [each for file in self.files for each in (file.above, file.below)]
        ):
            lines.pop(self.dice.randrange(len(lines)))

    def move_text(self) -> None:
        source, target = (
            self.dice.choice([self.file().above, self.file().below]),
            self.dice.choice([self.file().above, self.file().below]),
        )
        if source:
            line = source.pop(self.dice.randrange(len(source)))
            target.insert(self.dice.randint(0, len(target)), line)

    def insert_statement(self) -> None:
        file = self.file()
        # another save: a line that went and one that came at once would be one that was worded anew
        if len(file.said) >= FULL:
            self.delete_statement()
            return
        identifier = self.dice.choice(["", "", f"m{self.dice.getrandbits(40):010x}"])
        said = Said(
            self.dice.choice(KINDS),
            self.dice.choice(["", *NAMES]),
            self.sentence(),
            identifier,
            identifier,
        )
        file.said.insert(self.dice.randint(0, len(file.said)), said)

    def delete_statement(self) -> None:
        file = self.file(with_said=True)
        file.said.pop(self.dice.randrange(len(file.said)))

    def move_statement(self) -> None:
        """Within its file; what is the same line is the same memory."""
        file = self.file(with_said=True)
        said = file.said.pop(self.dice.randrange(len(file.said)))
        file.said.insert(self.dice.randint(0, len(file.said)), said)

    def move_statement_over(self) -> None:
        """To the other file; with its id it goes on there, without one it is a new one."""
        file = self.file(with_said=True)
        other = next(each for each in self.files if each is not file)
        said = self.dice.choice(file.said)
        if self.has_twin(said, other):
            return
        file.said.remove(said)
        if said.id != said.memory:
            said.memory = said.id
        other.said.insert(self.dice.randint(0, len(other.said)), said)

    @staticmethod
    def has_twin(said: Said, file: File) -> bool:
        """Of two lines of a file with one id the first has it, and two that say the same are like
        each other: nobody can tell which is which.
        """
        return any((each.id and each.id == said.id) or each.text == said.text for each in file.said)

    def copy_statement(self) -> None:
        """Into the other file, with its id: a statement of its own."""
        file = self.file(with_said=True)
        other = next(each for each in self.files if each is not file)
        said = self.dice.choice(file.said)
        if len(other.said) < FULL and not self.has_twin(said, other):
            other.said.append(replace(said, memory=said.id if said.id != said.memory else ""))

    def reword_statement(self) -> None:
        file = self.file(with_said=True)
        said = self.dice.choice(file.said)
        here = next(place for place in (*PLACES["en"], *PLACES["ja"]) if place in said.text)
        others = PLACES["en" if here.isascii() else "ja"]
        text = said.text.replace(here, self.dice.choice([each for each in others if each != here]))
        if not self.has_twin(replace(said, id="", text=text), file):
            said.text = text

    def change_id(self) -> None:
        """Another id, or none, and the same words: the same memory."""
        said = self.dice.choice(self.file(with_said=True).said)
        said.id = self.dice.choice(["", f"m{self.dice.getrandbits(40):010x}"])

    def turn_line_ends(self) -> None:
        file = self.file()
        file.newline = "\n" if file.newline == "\r\n" else "\r\n"

    def edit(self) -> str:
        self.fresh = ""
        chances: list[tuple[int, Callable[[], None]]] = [
            (5, self.insert_text),
            (3, self.delete_text),
            (3, self.move_text),
            (6, self.insert_statement),
            (1, self.turn_line_ends),
        ]
        if any(file.said for file in self.files):
            chances += [
                (3, self.delete_statement),
                (3, self.move_statement),
                (3, self.move_statement_over),
                (2, self.copy_statement),
                (6, self.reword_statement),
                (3, self.change_id),
            ]
        (deed,) = self.dice.choices(
            [each for _, each in chances], [weight for weight, _ in chances]
        )
        deed()
        return deed.__name__

    def save(self) -> None:
        for file in self.files:
            path = self.node.ports.home.workspace / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != file.words.encode():
                path.write_bytes(file.words.encode())
        self.clock.advance(timedelta(minutes=1))
        self.node.workspace.keep_step()
        self.node.run_jobs()

    # --- what has to hold ------------------------------------------------------------------------

    def check_statements(self) -> None:
        believed = {
            each.memory: each
            for each in self.node.ports.memories.page(MemoryFilter(), limit=200)[0]
        }
        for file in self.files:
            document = self.node.ports.documents.by_origin(file.path)
            there = sorted(
                (
                    each
                    for each in believed.values()
                    if document is not None and each.document == document.id
                ),
                key=lambda each: each.start,
            )
            assert [each.statement.text for each in there] == [each.text for each in file.said]
            for said, known in zip(file.said, there, strict=True):
                if said.memory:
                    assert known.memory == said.memory, said.line
                else:  # what comes back to its file without an id is itself again
                    assert said.text in self.wordings.get(known.memory, [said.text]), (
                        "the memory of something else was taken"
                    )
                    said.memory = known.memory
        assert len(believed) == sum(len(file.said) for file in self.files)
        for memory, each in believed.items():
            words = self.wordings.setdefault(memory, [])
            if not words or words[-1] != each.statement.text:
                words.append(each.statement.text)
            assert each.number == len(words)

    def check_histories(self) -> None:
        for memory, words in self.wordings.items():
            assert [
                each.statement.text for each in self.node.ports.memories.history(MemoryId(memory))
            ] == words

    def check_found(self) -> None:
        """What was written is found at once, and cited from now on."""
        if not self.fresh or not any(self.fresh in file.words for file in self.files):
            return
        first = next(
            (
                each.chunk
                for each in self.node.memory.recall(self.fresh, k=3).items
                if self.fresh in each.chunk.text
            ),
            None,
        )
        assert first is not None
        self.cited.append(
            (
                Citation(
                    1,
                    first.id,
                    first.document,
                    first.text_version,
                    first.start,
                    first.end,
                    text_hash(first.text),
                ),
                first.text,
            )
        )

    def check_cited(self, *, every: bool) -> None:
        for citation, text in (
            self.cited if every else self.dice.sample(self.cited, min(LOOKED_AT, len(self.cited)))
        ):
            assert (
                self.node.library.quote(self.node.ports.documents.get(citation.document), citation)
                == text
            )


@pytest.fixture
def desk(home: Path, frozen_clock: FrozenClock) -> Iterator[Desk]:
    with Node.open(
        home, clock=frozen_clock, model=ScriptedModel(), embedder=HashingEmbedder()
    ) as node:
        yield Desk(node, frozen_clock)


@pytest.mark.slow
def test_many_edits_by_hand_lose_nothing(desk: Desk) -> None:
    done: dict[str, int] = {}
    for number in range(EDITS):
        name = desk.edit()
        done[name] = done.get(name, 0) + 1
        desk.save()
        desk.check_statements()
        desk.check_found()
        desk.check_cited(every=number % 100 == 99)
        if number % 100 == 99:
            desk.check_histories()
    assert len(done) == 11
    assert min(done.values()) >= EDITS // 100
    assert len(desk.cited) > EDITS // 5
    assert desk.node.home.first_break() is None
    assert {each.state for each in desk.node.home.verify()} == {"fine"}
