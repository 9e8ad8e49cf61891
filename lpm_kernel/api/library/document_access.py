"""Which documents a caller may see."""

from __future__ import annotations

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.usecases.library.succession import older_version


def visible(identifier: str, *, deleted: bool = False) -> Document:
    """Return a document, with ``deleted`` also one that was; what is private, or deleted, is there
    for its owner alone. Raises ``NotFoundError``.
    """
    document = node().ports.documents.get(DocumentId(identifier), away=deleted and is_owner())
    if document.private and not is_owner():
        raise NotFoundError("document", identifier)
    return document


def present(identifier: str, *, deleted: bool = False) -> Document:
    """Return a document as it reads now, as ``visible`` does. Raises ``ConflictError`` for an older
    version, which stays as it is, and for what was said in a chat.
    """
    document = visible(identifier, deleted=deleted)
    if is_thread(document.id):
        raise ConflictError(
            "This was said in a chat, and belongs to it.", "Change or delete the chat."
        )
    if document.superseded_by is not None:
        raise older_version()
    return document
