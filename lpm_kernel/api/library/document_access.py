"""Which documents a caller may see."""

from __future__ import annotations

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.errors import NotFoundError


def visible(identifier: str, *, deleted: bool = False) -> Document:
    """Return a document, with ``deleted`` also one that was; what is private, or deleted, is there
    for its owner alone. Raises ``NotFoundError``.
    """
    document = node().ports.documents.get(DocumentId(identifier), away=deleted and is_owner())
    if document.private and not is_owner():
        raise NotFoundError("document", identifier)
    return document
