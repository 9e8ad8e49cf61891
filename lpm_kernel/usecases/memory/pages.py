"""The pages that the node writes by itself: which they are."""

from __future__ import annotations

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.reflection import Reflections
from lpm_kernel.domain.stores import Documents


def own_pages(documents: Documents, reflections: Reflections) -> frozenset[DocumentId]:
    """Return the pages that the node wrote by itself."""
    pages = (documents.by_origin(path) for path in reflections.paths())
    return frozenset(page.id for page in pages if page is not None)
