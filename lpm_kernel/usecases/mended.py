"""Where corrections lie: a correction is a text of its own, and lies where the words lie that it puts right.

By itself it was said today, in a Markdown file that lies in no folder. Taken so, a correction of what somebody wrote last year
would be inside a scope that begins today, and outside the one that holds the page which it corrects.
"""

from __future__ import annotations

from collections.abc import Mapping

from lpm_kernel.domain.decisions import CORRECTION_NAME, Decision, Verdict, is_correction
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library import Wanted
from lpm_kernel.domain.stores import Decisions, Documents

Mended = Mapping[DocumentId, tuple[Decision, ...]]
"""What each correction puts right."""


def corrections(decisions: Decisions, documents: Documents) -> Mended:
    """Return what each correction puts right: nothing, where that is gone. A text that came in by itself as well is no correction."""
    named = documents.many(sorted(documents.ids(Wanted(text=CORRECTION_NAME))))
    own = (known for known in named if known.origin or known.folder or known.parent)  # a person's own file with such a name
    files = {known.id for known in own}
    found: dict[DocumentId, list[Decision]] = {known.id: [] for known in named if is_correction(known.name) and known.id not in files}
    for each in decisions.all(away=True) if found else ():
        if each.verdict is Verdict.MEND and each.correction in found:
            found[each.correction].append(each)
    return {correction: tuple(its) for correction, its in found.items()}
