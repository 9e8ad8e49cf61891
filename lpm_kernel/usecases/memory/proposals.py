"""What the node proposes to keep of a document that was read: its best sentences, each with its
place and what speaks for it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.L0.text.chunks import chunks as cut
from lpm_kernel.L1.statements.extraction import RuleExtractor
from lpm_kernel.usecases.library import authors

PER_PAGE = 3
"""Proposals of one page; of what has no pages, of one passage of :data:`PAGE` characters."""
PAGE = 1_800
PER_DOCUMENT = 6
ALL = 100_000
"""Of a document: more than its beginning holds."""
LOOKED_AT = 12_000
"""Characters of a document from its beginning; nobody decides about more of a book at once."""
READ_OF_OWN = authors.LONGEST
"""Characters of what the person wrote, of which a training learns: a diary may be one file, and
whose words they are is known so far.
"""
HELD = 5_000
"""Documents of which it is held in memory what was read; the one that was read first goes."""

RULES: Extractor = RuleExtractor()


def propose(
    files: Files,
    document: Document,
    decided: Sequence[Decision] = (),
    extractor: Extractor = RULES,
    *,
    most: int = PER_DOCUMENT,
    within: int = LOOKED_AT,
) -> list[Proposal]:
    """Return the best proposals of the first ``within`` characters of a document, the surest first:
    up to ``most``, and half as many of a page. What was decided about is not proposed again, kept
    or not.
    """
    if document.text_version is None:
        return []
    is_settled = _settled(document, decided)
    found = _read(files, document, extractor, within)
    return best(
        [proposal for proposal in found if not is_settled(proposal)],
        [decision.quote for decision in decided],
        most=most,
    )


def extracted(files: Files, document: Document, extractor: Extractor = RULES) -> Sequence[Proposal]:
    """Return all that an extractor finds in a document, also what is not among the best or was
    decided about.
    """
    return () if document.text_version is None else _read(files, document, extractor)


def best(
    proposals: Sequence[Proposal], known: Iterable[str] = (), *, most: int = PER_DOCUMENT
) -> list[Proposal]:
    """Choose: no wording that is known, and each once; the surest of a page, the surest of the
    document.
    """
    said = {_flat(each) for each in known}
    pages: Counter[int] = Counter()
    most_of_page = most * PER_PAGE // PER_DOCUMENT
    chosen: list[Proposal] = []
    for each in sorted(proposals, key=lambda proposal: (-proposal.confidence, proposal.start)):
        page, wording = each.page if each.page is not None else each.start // PAGE, _flat(each.text)
        if len(chosen) < most and pages[page] < most_of_page and wording not in said:
            pages[page] += 1
            said.add(wording)
            chosen.append(each)
    return chosen


def _settled(document: Document, decided: Sequence[Decision]) -> Callable[[Proposal], bool]:
    """Tell of what is proposed of a document whether the person decided about these words or a part
    of them: by place in the text that was decided about, by wording in any other.
    """
    placed, others = list[Decision](), list[Decision]()
    for each in decided:
        now = each.document == document.id and each.text_version == document.text_version
        (placed if now else others).append(each)
    parts = [_flat(each.quote) for each in others if each.document == document.id]
    # one text is searched faster than thousands, and no wording goes over a line
    worded = "\n".join(_flat(each.quote) for each in others)

    def is_settled(proposal: Proposal) -> bool:
        wording = _flat(proposal.text)
        return (
            any(each.start < proposal.end and proposal.start < each.end for each in placed)
            or wording in worded
            or any(part and part in wording for part in parts)
        )

    return is_settled


def proposal_id(proposal: Proposal) -> str:
    """Name a proposal by its document, its place and its wording: reading the same text again gives
    the same name.
    """
    key = f"{proposal.document}|{proposal.start}|{proposal.end}|{_flat(proposal.text)}"
    return "s_" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _flat(text: str) -> str:
    return " ".join(text.split())


_Place = tuple[DocumentId, int]
"""A document, and how much of it was read."""
_READ: dict[_Place, tuple[tuple[str, str, str], tuple[Proposal, ...]]] = {}
_lock = threading.Lock()


def _read(
    files: Files, document: Document, extractor: Extractor, within: int = LOOKED_AT
) -> tuple[Proposal, ...]:
    """Extract once from each text: neither a text of one version nor what an extractor of one
    version says of it changes.
    """
    version = document.text_version or ""
    place, key = (document.id, within), (version, extractor.name, extractor.version)
    with _lock:
        if place in _READ and _READ[place][0] == key:
            return _READ[place][1]
    parsed = files.text(document.sha256, version)
    made = cut(document.id, version, parsed, document.created_at) if parsed is not None else []
    found = tuple(extractor.extract([chunk for chunk in made if chunk.start < within]))
    with _lock:
        _READ[place] = key, found
        if len(_READ) > HELD:
            del _READ[next(iter(_READ))]
    return found


def forget_gone(documents: Documents) -> None:
    """Hold in memory what was read of documents that are there alone: what is erased is not held
    for long.
    """
    with _lock:
        held = {document_id for document_id, _ in _READ}
    there = {document.id for document in documents.many(list(held))}
    with _lock:
        for place in [place for place in _READ if place[0] in held - there]:
            del _READ[place]
