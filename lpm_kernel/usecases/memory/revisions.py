"""The files of the workspace as a person or a program changes them on purpose: add, replace,
insert; and every earlier wording, with what changed.

Nothing is written over unseen: a change is made to the file as it reads now, and what it said
before stays as a version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.workspace import MOST_BYTES, Workspace
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.library.versions import Version, versions_of


@dataclass(frozen=True)
class WorkspaceFile:
    """A file of the workspace as it was read last, and how many versions of it there are."""

    path: str
    document: Document
    versions: int


def appended(text: str, addition: str) -> str:
    r"""Put text at the end, on a line of its own.

    >>> appended("# Day\nRain.", "Sun.")
    '# Day\nRain.\nSun.\n'
    """
    newline = _newline(text)
    gap = "" if not text or text.endswith("\n") else newline
    return f"{text}{gap}{_lines(addition, newline)}"


def replaced(text: str, old: str, new: str) -> str:
    """Put other words in the place of some that stand there once. Raises ``InvalidInputError``
    where they do not.

    >>> replaced("Six places.", "Six", "Eight")
    'Eight places.'
    """
    newline = _newline(text)
    old, new = (each.replace("\r\n", "\n").replace("\n", newline) for each in (old, new))
    times = text.count(old) if old else 0
    if times != 1:
        said = (
            "These words do not stand in the file."
            if not times
            else f"These words stand in the file {times} times."
        )
        raise InvalidInputError(
            said, "Give them exactly as they stand there, with enough around them to be found once."
        )
    return text.replace(old, new)


def inserted(text: str, line: int, addition: str) -> str:
    r"""Put text below a line; 0 puts it at the top. Raises ``InvalidInputError`` beyond the end.

    >>> inserted("# Day\nRain.\n", 1, "Sun.")
    '# Day\nSun.\nRain.\n'
    """
    lines = text.splitlines(keepends=True)
    if not 0 <= line <= len(lines):
        raise InvalidInputError(
            f"The file has {len(lines)} lines; there is no line {line}.",
            "Give 0 for the top, or the number of the line above.",
        )
    newline = _newline(text)
    before, after = "".join(lines[:line]), "".join(lines[line:])
    gap = newline if before and not before.endswith("\n") else ""
    return f"{before}{gap}{_lines(addition, newline)}{after}"


def files(documents: Documents) -> list[WorkspaceFile]:
    """List the files of the workspace that are there, by their paths."""
    before = documents.revision_counts()
    return [
        WorkspaceFile(path, document, before.get(document.id, 0) + 1)
        for path, document in sorted(documents.origins().items())
        if document.deleted_at is None
    ]


def versions(documents: Documents, path: str) -> list[Version]:
    """List what a file said, the newest first. Raises ``NotFoundError``."""
    now = documents.by_origin(path)
    if now is None:
        raise NotFoundError("file of the workspace", path)
    return versions_of(documents, now)


def said(files: Files, documents: Documents, path: str, version: DocumentId) -> str:
    """Return the whole text of a file as it read in a version. Raises ``NotFoundError``."""
    return files.original(_version(documents, path, version).sha256).decode("utf-8", "replace")


def restore(
    workspace: Workspace, files: Files, documents: Documents, path: str, version: DocumentId
) -> None:
    """Have a file read again as it did; how it reads now becomes a version too. Raises
    ``NotFoundError`` and ``ConflictError``.

    The caller has taken in what stands in the folder just before.
    """
    wanted, now = _version(documents, path, version), documents.by_origin(path)
    there = workspace.read(path)
    if there is not None and (now is None or files.original(now.sha256) != there):
        raise ConflictError(
            f"{path} was changed a moment ago.", "Look at its versions again; nothing was written."
        )
    data = files.original(wanted.sha256)
    if there != data and not workspace.write(path, data, there):
        raise ConflictError(
            f"{path} was changed a moment ago.", "Look at its versions again; nothing was written."
        )


def fits(text: str) -> str:
    """Return a text that is small enough to be read back. Raises ``InvalidInputError``."""
    size = len(text.encode("utf-8", "surrogateescape"))
    if size > MOST_BYTES:
        raise InvalidInputError(
            f"The file would have {size:,} bytes; up to {MOST_BYTES:,} are read.",
            "Write to another file.",
        )
    return text


def _version(documents: Documents, path: str, version: DocumentId) -> Document:
    now = documents.by_origin(path)
    known: Sequence[Document] = [] if now is None else [now, *documents.revisions(now.id)]
    found = next((document for document in known if document.id == version), None)
    if found is None:
        raise NotFoundError("version of this file", version)
    return found


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _lines(addition: str, newline: str) -> str:
    return newline.join(addition.replace("\r\n", "\n").rstrip("\n").split("\n")) + newline
