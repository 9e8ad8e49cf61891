"""Whatever is handed in, changed, taken back, deleted and brought back, in whatever order: every
text that ever came is in exactly one version of exactly one document, every document has exactly
one present version, and what was read once opens at its words until it is deleted.
"""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.documents import put_away, restore
from lpm_kernel.usecases.library.file_names import file_path
from lpm_kernel.usecases.library.intake import NewDocument
from tests.conftest import MORNING
from tests.scale import many

pytestmark = pytest.mark.property

FOLDERS = ("", "letters", "diary")
NAMES = ("a.md", "b.md")
TEXTS = tuple(f"The {word} stands by the weir.\n" for word in ("kiln", "loom", "boat"))


class Versions(RuleBasedStateMachine):
    """A person who hands a few files in again and again."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FrozenClock(MORNING)
        self.node = Node.open(
            Path(self.folder.name),
            clock=self.clock,
            model=ScriptedModel([(".", "I do not know.")]),
            embedder=HashingEmbedder(),
        )
        self.came: dict[DocumentId, str] = {}

    def teardown(self) -> None:
        if hasattr(self, "node"):
            self.node.close()
            self.folder.cleanup()

    @property
    def rows(self) -> list[Document]:
        return self.node.ports.documents.everything()

    @property
    def here(self) -> list[Document]:
        return [each for each in self.rows if each.deleted_at is None]

    @rule(folder=st.sampled_from(FOLDERS), name=st.sampled_from(NAMES), text=st.sampled_from(TEXTS))
    def hand_in(self, folder: str, name: str, text: str) -> None:
        self.take(NewDocument(name, text.encode(), folder=folder, path=file_path(folder, name)))

    @rule(text=st.sampled_from(TEXTS), at=st.integers(0, 99), private=st.booleans())
    @precondition(lambda self: self.here)
    def hand_in_as_a_version(self, text: str, at: int, private: bool) -> None:
        before = self.here[at % len(self.here)].id
        new = NewDocument("c.md", text.encode(), private=private, version_of=before)
        self.take(new)

    def take(self, new: NewDocument) -> None:
        self.clock.advance(timedelta(minutes=1))
        document = self.node.library.receive(new).document
        self.came[document.id] = self.node.ports.files.original(document.sha256).decode()

    @rule(at=st.integers(0, 99), before=st.integers(0, 99))
    @precondition(lambda self: len(self.here) > 1)
    def join(self, at: int, before: int) -> None:
        here = self.here
        one, other = here[at % len(here)], here[before % len(here)]
        if one.id != other.id and one.superseded_by is None:
            self.node.library.join(one, other)

    @rule(at=st.integers(0, 99))
    @precondition(lambda self: self.here)
    def part(self, at: int) -> None:
        self.node.library.part(self.here[at % len(self.here)])

    @rule(at=st.integers(0, 99))
    @precondition(lambda self: any(each.superseded_by for each in self.here))
    def use_again(self, at: int) -> None:
        older = [each for each in self.here if each.superseded_by]
        version = older[at % len(older)]
        self.clock.advance(timedelta(minutes=1))
        now = self.node.ports.documents.get(DocumentId(version.superseded_by or ""))
        made, _ = self.node.library.use_again(now, version)
        self.came[made.id] = self.came[version.id]

    @rule(at=st.integers(0, 99))
    @precondition(lambda self: any(not each.superseded_by for each in self.here))
    def delete(self, at: int) -> None:
        present = [each for each in self.here if not each.superseded_by]
        ports = self.node.ports
        put_away(ports.documents, ports.index, self.clock, [present[at % len(present)].id])

    @rule()
    def undo_deleting(self) -> None:
        ports = self.node.ports
        away = [each.id for each in self.rows if each.deleted_at and not each.superseded_by]
        restore(ports.files, ports.documents, self.clock, away)

    @rule()
    def read(self) -> None:
        self.node.run_jobs()

    @invariant()
    def nothing_is_lost_and_each_has_one_present_version(self) -> None:
        if not hasattr(self, "node"):
            return
        rows = {each.id: each for each in self.rows}
        assert rows.keys() == self.came.keys()
        for each in rows.values():
            original = self.node.ports.files.original(each.sha256).decode()
            assert original == self.came[each.id]
            if each.superseded_by is not None:
                assert rows[each.superseded_by].superseded_by is None
                assert (each.deleted_at is None) == (rows[each.superseded_by].deleted_at is None)
        for each in rows.values():
            if each.superseded_by is None:
                family = [*self.node.ports.documents.revisions(each.id), each]
                assert [v.version for v in family] == sorted({v.version for v in family})
                assert not each.private or all(v.private for v in family)

    @invariant()
    def what_was_read_opens_and_only_the_present_one_is_found(self) -> None:
        if not hasattr(self, "node"):
            return
        for each in self.here:
            if each.text_version is not None:
                assert self.node.ports.files.words(each.sha256, each.text_version)
        if all(each.state is DocumentState.READY for each in self.rows if not each.superseded_by):
            self.node.run_jobs()
            present = {each.id for each in self.here if each.superseded_by is None}
            found = self.node.memory.recall("weir", k=200).items
            assert {item.chunk.document for item in found} == present


def test_versions() -> None:
    Versions.TestCase.settings = settings(
        max_examples=many(60, 4),
        stateful_step_count=many(30, 14),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    Versions.TestCase("runTest").runTest()
