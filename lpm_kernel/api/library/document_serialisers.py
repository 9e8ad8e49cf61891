"""Documents, as clients see them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
from lpm_kernel.usecases.library.versions import VersionNumber

ONLY = VersionNumber()


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
    archives = _visible(node, {document.parent for document in documents})
    counts = node.library.passage_counts([document.id for document in documents])
    numbers = node.library.numbers_of(documents)
    present = _visible(node, {document.superseded_by for document in documents})
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
            version=numbers.get(document.id, ONLY).number,
            versions=numbers.get(document.id, ONLY).of,
            superseded_by=document.superseded_by if document.superseded_by in present else None,
            same_name=_same_name(node, document) if whole else None,
            remarks=node.library.remarks(document) if whole else [],
        )
        for document in documents
    ]


def _visible(node: Node, named: Collection[DocumentId | None]) -> set[DocumentId | None]:
    """Return those of these documents that may be named; for a program, those that are there for
    it.
    """
    if is_owner():
        return set(named)
    return {
        document.id
        for document in node.ports.documents.many([each for each in named if each is not None])
        if not document.private
    }


def _same_name(node: Node, document: Document) -> DocumentRef | None:
    """Show what it may be a new version of, to its owner."""
    known = node.library.proposed(document) if is_owner() else None
    return None if known is None else serialise_document_ref(known)


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
