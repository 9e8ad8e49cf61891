"""Documents, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from lpm_kernel.api.context import is_owner
from lpm_kernel.api.library.document_schemas import (
    AuthorOut,
    DocumentOut,
    DocumentRef,
    SummarySentence,
)
from lpm_kernel.api.serialisers import serialise_problem
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.documents import goes_at


def serialise_document_ref(document: Document, chat: str | None = None) -> DocumentRef:
    """Show which document something stands in; ``chat``: the title of the chat that it is of."""
    return DocumentRef(
        id=document.id,
        title=document.title if chat is None else chat,
        kind=document.kind.value,
        private=document.private,
    )


def serialise_documents(
    node: Node, documents: Sequence[Document], *, whole: bool = False, sentences: bool = False
) -> list[DocumentOut]:
    """Show documents, each with how many passages it gave and its newest job; ``whole``: with the
    summary's words too, ``sentences``: with its first.
    """
    jobs = node.ports.jobs.latest_for([document.id for document in documents])
    archives = _archives(node, documents)
    counts = node.library.passage_counts([document.id for document in documents])
    return [
        DocumentOut(
            id=document.id,
            title=document.title,
            name=document.name,
            kind=document.kind.value,
            sha256=document.sha256,
            bytes=document.bytes,
            state=document.state.value,
            created_at=document.created_at,
            added_at=document.added_at,
            tags=list(document.tags),
            private=document.private,
            error=document.error and serialise_problem(document.error),
            passages=counts.get(document.id, 0),
            job=jobs[document.id].id if document.id in jobs else None,
            keywords=list(document.keywords),
            summary=_summary(node, document, most=None if whole else 1 if sentences else 0),
            parent=document.parent if document.parent in archives else None,
            folder=document.folder,
            deleted_at=document.deleted_at,
            goes_at=goes_at(document),
            remarks=node.library.remarks(document) if whole else [],
        )
        for document in documents
    ]


def _archives(node: Node, documents: Sequence[Document]) -> set[DocumentId | None]:
    """Name the archives that these came in; for a program, those that are there for it."""
    parents = {document.parent for document in documents}
    if is_owner():
        return parents
    return {
        document.id
        for document in node.ports.documents.many(
            [parent for parent in parents if parent is not None]
        )
        if not document.private
    }


def serialise_author(
    node: Node, document: Document | None, version: str, start: int
) -> AuthorOut | None:
    """Show whose words begin at a place; ``None`` where nothing shows it, or where somebody else
    than the person asks.
    """
    if document is None or not is_owner():
        return None
    author = node.ports.authors.at(document, version, start)
    return None if author is None else AuthorOut(own=author.own, name=author.name)


def _summary(node: Node, document: Document, most: int | None) -> list[SummarySentence]:
    if most == 0:
        return []
    said = zip(node.library.sentences(document), document.summary, strict=True)
    return [
        SummarySentence(
            text=words,
            start=start,
            end=end,
            author=(
                serialise_author(node, document, document.text_version or "", start)
                if most is None
                else None
            ),
        )
        for words, (start, end) in islice(said, most)
    ]
