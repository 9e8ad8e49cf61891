"""Which file of the workspace a caller may name: one rule, asked wherever a file is read or written
by its path.

The person and keys with the scope ``admin`` reach every file. For every other program a private
file is not there, by whatever spelling, before it was read for the first time as well, and also
where it was moved a moment ago.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from lpm_kernel.config import SEAL_TAGS
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.sealing import seals, tags_within
from lpm_kernel.domain.memory.workspace import NotePath
from lpm_kernel.domain.stores import Documents, Reader
from lpm_kernel.errors import EmptyDocumentError, InvalidInputError, NodeError, NotFoundError
from lpm_kernel.usecases.library.intake import HEAD


@dataclass(frozen=True)
class FileAccess:
    """What one caller may name."""

    documents: Documents
    reader: Reader
    open_only: bool = False
    """The caller is a program that does not see what is private."""
    seal_tags: Sequence[str] = SEAL_TAGS

    def named(self, path: str) -> NotePath:
        """Return the file that is meant: one that is there under just this name, or else a path in
        its one spelling.

        Raises ``InvalidInputError``, and ``NotFoundError`` for what the caller does not see.
        """
        known = self.documents.origins()
        wanted = NotePath.listed(path) if path in known else NotePath.parse(path)
        self._check_names(wanted, known)
        return wanted

    def check(self, path: NotePath, data: bytes | None) -> None:
        """Ask once more where the file is opened: ``data`` is what it reads just then. Raises
        ``NotFoundError``.
        """
        if not self.open_only:
            return
        known = self.documents.origins()
        self._check_names(path, known)
        if data is not None and self._says_private(path, data, known.get(path.text)):
            raise _not_there(path)

    def _check_names(self, path: NotePath, known: dict[str, Document]) -> None:
        alike = [document for name, document in known.items() if NotePath(name).key == path.key]
        if self.open_only and any(document.private for document in alike):
            raise _not_there(path)
        if path.text not in known and any(document.deleted_at is None for document in alike):
            raise InvalidInputError(
                f"“{path}” is there in another spelling.",
                "Name it as it is spelled there, letter by letter.",
            )

    def _says_private(self, path: NotePath, data: bytes, known: Document | None) -> bool:
        """Tell whether text that may not have been read yet is private: by its own words, or as
        that of another file.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        if known is not None and known.sha256 == sha256 and known.text_version is not None:
            return known.private
        same = self.documents.by_hash(sha256)
        if same is not None and same.private:
            return True
        try:
            kind = self.reader.kind(path.text, data[:HEAD])
            parsed = self.reader.read(path.text, kind, data)
            return parsed.private or seals(
                (*parsed.tags, *tags_within(parsed.text)), self.seal_tags
            )
        except EmptyDocumentError:
            return False
        except NodeError:  # nobody can tell what it says
            return True


def _not_there(path: NotePath) -> NotFoundError:
    return NotFoundError("file of the workspace", path.text)
