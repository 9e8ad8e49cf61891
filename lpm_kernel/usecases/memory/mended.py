"""Where corrections lie: a correction is a text of its own, and lies where the words lie that it
puts right.

By itself it was said today, in a Markdown file that lies in no folder. Taken so, a correction of
what somebody wrote last year would be inside a scope that begins today, and outside the one that
holds the page which it corrects.
"""

from __future__ import annotations

from collections.abc import Mapping

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.stores import Decisions, Documents

Mended = Mapping[DocumentId, tuple[Decision, ...]]
"""What each correction puts right."""


def corrections(decisions: Decisions, documents: Documents) -> Mended:
    """Return what each correction puts right: nothing, where that is gone."""
    found: dict[DocumentId, list[Decision]] = {each: [] for each in documents.corrections()}
    for each in decisions.all(away=True) if found else ():
        if each.verdict is Verdict.MEND and each.correction in found:
            found[each.correction].append(each)
    return {correction: tuple(its) for correction, its in found.items()}
