"""Documents, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.api.context import is_owner
from lpm_kernel.api.library.document_schemas import DocumentOut, DocumentRef, SummarySentence
from lpm_kernel.api.serialisers import serialise_problem
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.documents import goes_at


def serialise_document_ref(document: Document) -> DocumentRef:
    """Show which document something stands in."""
    return DocumentRef(
        id=document.id, title=document.title, kind=document.kind.value, private=document.private
    )


def serialise_documents(
    node: Node, documents: Sequence[Document], *, whole: bool = False, sentences: bool = False
) -> list[DocumentOut]:
    """Show documents, each with how many passages it gave and its newest job; ``whole``: with the
    summary's words too, ``sentences``: with its first.
    """
    jobs = node.ports.jobs.latest_for([each.id for each in documents])
    archives = _archives(node, documents)
    counts = node.library.passage_counts([each.id for each in documents])
    return [
        DocumentOut(
            id=each.id,
            title=each.title,
            name=each.name,
            kind=each.kind.value,
            sha256=each.sha256,
            bytes=each.bytes,
            state=each.state.value,
            created_at=each.created_at,
            added_at=each.added_at,
            tags=list(each.tags),
            private=each.private,
            error=each.error and serialise_problem(each.error),
            passages=counts.get(each.id, 0),
            job=jobs[each.id].id if each.id in jobs else None,
            keywords=list(each.keywords),
            summary=_summary(node, each, most=None if whole else 1 if sentences else 0),
            parent=each.parent if each.parent in archives else None,
            folder=each.folder,
            deleted_at=each.deleted_at,
            goes_at=goes_at(each),
            remarks=node.library.remarks(each) if whole else [],
        )
        for each in documents
    ]


def _archives(node: Node, documents: Sequence[Document]) -> set[DocumentId | None]:
    """Name the archives that these came in; for a program, those that are there for it."""
    parents = {each.parent for each in documents}
    if is_owner():
        return parents
    return {
        each.id
        for each in node.ports.documents.many([each for each in parents if each is not None])
        if not each.private
    }


def _summary(node: Node, document: Document, most: int | None) -> list[SummarySentence]:
    if most == 0:
        return []
    said = zip(node.library.sentences(document), document.summary, strict=True)
    return [SummarySentence(text=words, start=start, end=end) for words, (start, end) in said][
        :most
    ]
