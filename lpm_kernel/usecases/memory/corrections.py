"""Corrections: how they read, what they change of other sentences, and where they lie.

A correction is a text of its own, and lies where the words lie that it puts right. By itself it was
said today, in a Markdown file that lies in no folder. Taken so, a correction of what somebody wrote
last year would be inside a scope that begins today, and outside the one that holds the page which
it corrects.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.stores import Decisions, Documents, Files
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L1.statements.changes import CONSIDERED, FactChange, change_of

Corrected = Mapping[DocumentId, tuple[Decision, ...]]
"""What each correction puts right."""


def corrections(decisions: Decisions, documents: Documents) -> Corrected:
    """Return what each correction puts right: nothing, where that is gone."""
    found: dict[DocumentId, list[Decision]] = {
        document_id: [] for document_id in documents.corrections()
    }
    for decision in decisions.all(away=True) if found else ():
        if decision.verdict is Verdict.MEND and decision.correction in found:
            found[decision.correction].append(decision)
    return {correction: tuple(its) for correction, its in found.items()}


def correction_text(documents: Documents, files: Files, decision: Decision) -> str | None:
    """Return how a corrected sentence reads rightly; ``None`` where nothing puts it right."""
    if decision.correction is None:
        return None
    with suppress(NotFoundError):
        return files.original(documents.get(decision.correction).sha256).decode("utf-8", "replace")
    return None


class FactChanges:
    """What corrections change of other sentences, each worked out once."""

    def __init__(self, documents: Documents, files: Files) -> None:
        self._documents = documents
        self._files = files
        self.of = lru_cache(maxsize=2 * CONSIDERED)(self._of)
        """Gives what a decision changes; nothing where it rewrites its sentence alone."""

    def _of(self, decision: Decision) -> FactChange | None:
        return change_of(decision, correction_text(self._documents, self._files, decision) or "")
