"""Taking the files out of an archive: each becomes a document of its own, with the archive's tags
and privacy.

Doing it twice is doing it once, because the same bytes are one document; so it may be killed at any
moment.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.library.documents import Document, DocumentKind, ParsedText
from lpm_kernel.domain.stores import Files, Reader
from lpm_kernel.errors import (
    EmptyDocumentError,
    InvalidInputError,
    TooLargeError,
    UnreadableDocumentError,
    UnsupportedFileError,
)
from lpm_kernel.usecases.library.file_names import file_path, plain_name
from lpm_kernel.usecases.library.intake import HEAD, NewDocument, Received

MOST_NAMED = 5
_WHY: dict[type[InvalidInputError], str] = {
    UnsupportedFileError: "of a kind that is not read",
    EmptyDocumentError: "empty",
    TooLargeError: "too large",
}

Take = Callable[[NewDocument], Received]
"""Takes a document in."""


def unpack(
    files: Files,
    reader: Reader,
    document: Document,
    take: Take,
    progress: Callable[[float, str, str], None],
) -> ParsedText:
    """Take in what an archive holds, and say what was left out. Raises ``UnreadableDocumentError``
    where nothing could be taken.
    """
    taken = known = 0
    left: dict[str, list[str]] = {}
    for member in reader.members(document.name, files.original(document.sha256)):
        name = plain_name(member.name)
        problem = member.problem
        if not problem:
            try:
                if reader.kind(name, member.data[:HEAD]) is DocumentKind.ARCHIVE:
                    problem = "an archive inside the archive; add it by itself"
                else:
                    within = "/".join(member.name.replace("\\", "/").split("/")[:-1])
                    folder = f"{document.folder}/{PurePath(document.name).stem}/{within}"
                    received = take(
                        NewDocument(
                            name,
                            member.data,
                            None,
                            None,
                            document.tags,
                            document.private,
                            document.id,
                            folder,
                            file_path(within, name, archived=True),
                        )
                    )
                    taken += received.job is not None
                    known += received.job is None
            except InvalidInputError as error:
                problem = _WHY.get(type(error), "not readable")
        if problem:
            left.setdefault(problem, []).append(name)
        progress(0.5, "unpack", f"{counted(taken + known, 'file')} taken out")
    if not taken + known:
        reason = next(iter(left), "")
        said = f"no file in it can be read ({reason})." if reason else "there are no files in it."
        raise UnreadableDocumentError(
            document.name, said, "Unpack it yourself, and add the files that matter."
        )
    taken_out = counted(taken, "file")
    before = f", {known} known already" if known else ""
    remarks = [f"{taken_out} taken out{before}. Each is a document of its own."]
    remarks += [_left_out(reason, names) for reason, names in left.items()]
    return ParsedText("", (), remarks=tuple(remarks), kept_only=True)


def _left_out(reason: str, names: list[str]) -> str:
    named = ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
    return f"Left out {len(names)} {'file' if len(names) == 1 else 'files'} ({reason}): {named}."
