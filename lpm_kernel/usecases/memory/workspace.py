"""Keeping step with the workspace: what was written there with any editor is read, and what is
retained is written there.

A file is known by its path. Each time it reads otherwise it becomes a new document, and the one
before is kept: what cites it opens there at the very words. Watching is only a hint; what decides
is the hash.
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import re
import secrets
import threading
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from lpm_kernel.config import Home
from lpm_kernel.domain.home.jobs import Job, Lane
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.memory.retain import line_of, parse, statement
from lpm_kernel.domain.memory.validity import Validities
from lpm_kernel.domain.memory.workspace import CORE, LAYOUT, MOST_BYTES, NotePath, Stamp, Workspace
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import Audit, Decisions, Documents, Files, Jobs, Reader
from lpm_kernel.errors import ConflictError, InvalidInputError, NodeError, NotFoundError
from lpm_kernel.usecases.library.documents import put_away
from lpm_kernel.usecases.library.file_names import default_title
from lpm_kernel.usecases.library.ingestion import canonical_text
from lpm_kernel.usecases.library.intake import HEAD
from lpm_kernel.usecases.memory.file_access import FileAccess
from lpm_kernel.usecases.memory.inheritance import NewText, carry
from lpm_kernel.usecases.mishaps import FULL, disk_full

MADE_ANEW = "anew\n"
"""Says in the note of a workspace that waits to be written that there was none, so it gets the
files that one begins with.
"""
FOLDER = "workspace"
"""Where its files lie in the library."""
BLANK = b"\0 \t\r\n"
UNWRITTEN = (*FULL, errno.EROFS, errno.EIO)
"""What a disk says that takes nothing more."""
TRIES = 5
"""How often a change is made again when somebody else wrote to the file meanwhile."""
MOST_LINE = 2_000
MOST_UNREAD = 20
"""Lines of a file that are named."""
Edit = Callable[[str], str]
"""What makes the new text of a file of its present one; empty where there is none."""
_RETAIN = re.compile(
    r"^(?P<marks>#{1,6})[ \t]+retain[ \t]*+#*+[ \t]*+\r?$", re.IGNORECASE | re.MULTILINE
)
_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]", re.MULTILINE)


@dataclass(frozen=True)
class WorkspacePorts:
    """What the folder of Markdown is kept with, and the ledger of what stands in it."""

    workspace: Workspace
    files: Files
    documents: Documents
    decisions: Decisions
    memories: Memories
    validities: Validities
    jobs: Jobs
    audit: Audit
    index: PassageIndex
    reader: Reader
    clock: Clock
    seal_tags: Sequence[str]


@dataclass
class LastLook:
    """What was seen of the workspace last, so that an unchanged file is not read again. Lost with
    the process, and then made anew.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while the folder is looked through: many threads ask."""
    stamps: dict[str, Stamp] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)
    """Why a file is left alone, by its path."""
    unread: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines under `## Retain` that are no statements, each with the reason, by the file's path."""


@dataclass(frozen=True)
class Synced:
    """What came of a look at the workspace."""

    jobs: tuple[Job, ...] = ()
    troubles: tuple[str, ...] = ()
    """Files that are left alone, each with the reason."""
    unread: tuple[str, ...] = ()
    """Lines under `## Retain` that are no statements: where, and why."""


FEWEST = 3
"""Files that are gone all at once with nothing left: that many nobody deletes one by one."""
MANY = 5
"""Files that are gone all at once, and more than half of them: nobody does that in an editor."""
EMPTIED = (
    f"{FOLDER}: All of its files are gone, so nothing was taken for deleted. `lpm recover` writes"
    " them again."
)
TWO_WAYS = "`lpm recover` writes them again; delete them in the library if you meant it."
ZEROS = (
    "It holds nothing but zeros, as after a power cut. `lpm recover` writes it as it was read last."
)


@dataclass(frozen=True)
class FileChange:
    """What came of a change to a file: the version that it is now, and what reads it. No jobs where
    nothing changed.
    """

    path: str
    document: DocumentId | None
    jobs: tuple[Job, ...]


def make(workspace: Workspace) -> None:
    """Create the workspace, with the files that it begins with; what is there already is not
    touched.
    """
    workspace.make()
    for path, text in LAYOUT.items():
        workspace.write(path, text.encode(), None)


def keep_step(ports: WorkspacePorts, home: Home, last: LastLook) -> Synced:
    """Make the workspace where there is none, write what waits to be written, and take in what was
    written to it since the last look.
    """
    with last.lock:
        _write_pending(ports, home)
        return sync(ports, last)


def _write_pending(ports: WorkspacePorts, home: Home) -> None:
    pending = home.workspace_pending
    if not pending.exists() and not home.workspace.exists():
        # before the folder is there, so that whoever is killed in the midst goes on here
        pending.write_text(MADE_ANEW)
    try:
        anew, since = pending.read_bytes() == MADE_ANEW.encode(), pending.stat().st_mtime_ns
    except FileNotFoundError:  # nothing waits, or another process was done with it just now
        return
    if anew:
        make(ports.workspace)
    # what came into a folder that was not there is the person's, however old
    write_back(ports.workspace, ports.files, ports.documents, over=0 if anew else since)
    pending.unlink(missing_ok=True)


def put_all_back(ports: WorkspacePorts, last: LastLook) -> int:
    """Write what is missing, empty or full of zeros as it was read last, and have every file looked
    at anew. Returns how many were written.
    """
    with last.lock:
        last.stamps.clear()
        return put_back(ports.workspace, ports.files, ports.documents)


def sync(ports: WorkspacePorts, known: LastLook) -> Synced:
    """Take in what was written, changed, moved or removed since the last look."""
    try:
        listing = ports.workspace.listing()
    except OSError as error:  # it is out of reach, which does not say that what was there is gone
        return Synced(troubles=(f"{FOLDER}: It cannot be read: {error.strerror}.",))
    there = ports.documents.origins()
    doubt = _doubt(listing, there)
    if doubt is not None:
        return Synced(troubles=(doubt,))
    missing = {path: document for path, document in there.items() if path not in listing}
    jobs = _take_changed(ports, known, listing, missing)
    _forget(known, {*known.stamps, *known.troubles} - set(listing))
    troubles = tuple(f"{_shown(path)}: {why}" for path, why in known.troubles.items())
    unread = tuple(
        f"{_shown(path)}, {line}" for path, lines in sorted(known.unread.items()) for line in lines
    )
    gone = [document.id for document in missing.values() if document.deleted_at is None]
    if gone:
        put_away(ports.documents, ports.index, ports.clock, gone)
    return Synced(tuple(jobs), troubles, unread)


def _take_changed(
    ports: WorkspacePorts,
    known: LastLook,
    listing: Mapping[str, Stamp],
    missing: dict[str, Document],
) -> list[Job]:
    """Take in the files that look otherwise than they did; those that were only moved are not
    ``missing`` afterwards.
    """
    private = {
        known.stamps[path].inode
        for path, document in missing.items()
        if path in known.stamps and document.private
    }
    jobs = [
        _look(ports, known, (path, stamp), missing, private=stamp.inode in private)
        for path, stamp in listing.items()
        if known.stamps.get(path) != stamp
    ]
    return [job for job in jobs if job is not None]


def _doubt(listing: Mapping[str, Stamp], there: Mapping[str, Document]) -> str | None:
    """Say why the files that are gone are not taken for deleted: a disk that is not there, a folder
    that was emptied.
    """
    alive = sum(document.deleted_at is None for document in there.values())
    if not listing and alive >= FEWEST:
        return EMPTIED
    gone = _gone(listing, there)
    if gone >= MANY and 2 * gone > alive:
        return (
            f"{FOLDER}: {gone} of its files are gone or empty all at once, so nothing was"
            f" taken for deleted. {TWO_WAYS}"
        )
    return None


def _look(
    ports: WorkspacePorts,
    known: LastLook,
    listed: tuple[str, Stamp],
    missing: dict[str, Document],
    *,
    private: bool,
) -> Job | None:
    """Take in a file that looks otherwise than it did, and note what is wrong with it."""
    path, stamp = listed
    known.troubles.pop(path, None)
    try:
        job = _take(ports, path, missing, private=private)
        known.stamps[path] = stamp
    except NodeError as error:
        known.troubles[path] = error.detail
        known.stamps[path] = stamp
        return None
    except OSError as error:
        known.troubles[path] = f"It cannot be read: {error.strerror}."
        return None
    with suppress(OSError):  # it went just now: it was taken in all the same, and has its job
        # in the core, every line counts as it stands
        known.unread[path] = () if path == CORE else _unread(ports.workspace.read(path))
    return job


def _forget(known: LastLook, gone: Collection[str]) -> None:
    for path in gone:
        known.stamps.pop(path, None)
        known.troubles.pop(path, None)
        known.unread.pop(path, None)


def _shown(path: str) -> str:
    """Return a path as text, whatever bytes its name has."""
    return path.encode("utf-8", "replace").decode()


def _unread(data: bytes | None) -> tuple[str, ...]:
    """Name the lines under `## Retain` that are no statements; of very many the first."""
    if data is None or len(data) > MOST_BYTES or b"retain" not in data.lower():
        return ()
    bad = parse(data.decode("utf-8", "replace")).bad
    more = (f"and {len(bad) - MOST_UNREAD} more lines",) if len(bad) > MOST_UNREAD else ()
    return (*(f"line {bad_line.line}: {bad_line.reason}" for bad_line in bad[:MOST_UNREAD]), *more)


def _gone(listing: Mapping[str, Stamp], there: Mapping[str, Document]) -> int:
    """Count the files that are not there any more, or are empty, and that did not go to a place
    that is new.
    """
    alive = {path: document for path, document in there.items() if document.deleted_at is None}
    moved = sum(
        bool(stamp.size) and path not in there and path not in LAYOUT
        for path, stamp in listing.items()
    )
    lost = sum(path not in listing for path in alive) - moved
    return max(0, lost) + sum(path in listing and not listing[path].size for path in alive)


def put_back(workspace: Workspace, files: Files, documents: Documents) -> int:
    """Write what is missing, empty or full of zeros as it was read last. Returns how many files."""
    workspace.make()
    written = 0
    for path, document in documents.origins().items():
        there = workspace.read(path)
        if document.deleted_at is None and not (there or b"").strip(BLANK):
            # something else stands in its place
            with suppress(OSError, InvalidInputError, NotFoundError):
                written += workspace.write(path, files.original(document.sha256), there)
    return written


def write_back(
    workspace: Workspace,
    files: Files,
    documents: Documents,
    *,
    over: int = 0,
    deleted: Collection[DocumentId] = (),
) -> None:
    """Write the files as they were read last: those that are missing, and those that differ and
    were changed before ``over`` (nanoseconds).

    Of the deleted ones only these. What is too large to have been read is never written over.
    Raises ``OSError`` where the disk takes nothing more.
    """
    workspace.make()
    listing = workspace.listing() if over else {}
    for path, document in documents.origins().items():
        there = workspace.read(path)
        data = files.original(document.sha256)
        older = (
            path in listing and listing[path].changed_ns < over and listing[path].size <= MOST_BYTES
        )
        if (
            (document.deleted_at is None or document.id in deleted)
            and there != data
            and (there is None or older)
        ):
            try:
                workspace.write(path, data, there)
            # a file stands where it needs a folder; the others are written all the same
            except (OSError, InvalidInputError) as error:
                # none can be; what is missing must not count as deleted
                if isinstance(error, OSError) and error.errno in UNWRITTEN:
                    raise
                if document.id in deleted:
                    raise ConflictError(
                        f"{path} cannot be written.",
                        "Something else stands in its place in the workspace. Move that away"
                        " first.",
                    ) from error


def take_from_folder(
    workspace: Workspace, files: Files, documents: Documents, deleted: Sequence[DocumentId]
) -> None:
    """Remove the files that these documents are, unless they read otherwise by now: they are being
    deleted, and can come back.
    """
    for document in documents.many(deleted):
        if document.origin and document.superseded_by is None:
            workspace.remove(document.origin, files.original(document.sha256))


def take_away(workspace: Workspace, files: Files, documents: Sequence[Document]) -> None:
    """Remove the files that these documents are. Raises ``ConflictError`` for one that reads
    otherwise by now, and then none is removed.
    """
    mine = {
        document.origin: files.original(document.sha256)
        for document in documents
        if document.origin and document.superseded_by is None
    }
    for path, data in mine.items():
        if workspace.read(path) not in {None, data}:
            raise ConflictError(
                f"{path} was changed a moment ago.", "Look again at what would be erased."
            )
    for path, data in mine.items():
        workspace.remove(path, data)


def retain(
    workspace: Workspace,
    access: FileAccess,
    line: str,
    path: NotePath,
    taken: Callable[[str], bool] = lambda _: True,
) -> str:
    """Write a statement below ``## Retain`` of a file; return the statement's id.

    Raises ``InvalidInputError`` with what is wrong with the line, and ``ConflictError`` while
    somebody else keeps writing.
    """
    body = one_line(line).removeprefix("- ")
    if len(body) > MOST_LINE:
        raise InvalidInputError(
            f"A memory has up to {MOST_LINE:,} characters.",
            "Say it in fewer words, or add it as a note.",
        )
    said = statement(body)
    if isinstance(said, str):
        raise InvalidInputError(said, "For example: O(c=0.9) @Peter: prefers short replies")
    # so a line that was taken out comes back as itself
    known = replace(
        said, id=said.id if said.id and not taken(said.id) else "m" + secrets.token_hex(5)
    )
    change(
        workspace, access, path, lambda text: with_line(text or f"# {path.stem}\n", line_of(known))
    )
    return known.id or ""


def one_line(text: str) -> str:
    r"""Return a text as it can stand on a line of Markdown: control characters would make a file of
    notes look like something else.

    >>> one_line(" Rain\x00 and\nsun. ")
    'Rain and sun.'
    """
    return " ".join(
        "".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in text).split()
    )


def change(workspace: Workspace, access: FileAccess, path: NotePath, edit: Edit) -> None:
    """Change a file: read, edit, write where nobody else wrote meanwhile. Raises ``ConflictError``,
    and ``NotFoundError`` for what the caller does not see.
    """
    for _ in range(TRIES):
        try:
            before = workspace.read(path.text)
            access.check(path, before)
            if before and (
                b"\0" in before or before.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            ):
                raise ConflictError(
                    f"{path} is not written in UTF-8.",
                    "Save it as UTF-8 in your editor, or name another file.",
                )
            after = edit((before or b"").decode("utf-8", "surrogateescape")).encode(
                "utf-8", "surrogateescape"
            )
            if after == before or workspace.write(path.text, after, before):
                return
        except OSError as error:
            if error.errno in FULL:
                raise disk_full() from error
            raise ConflictError(
                f"{path} cannot be written: {error.strerror}.",
                "Look at the folder, or name another file.",
            ) from error
    raise ConflictError(
        f"Another program keeps writing to {path}.", "Nothing was written. Try again in a moment."
    )


def with_line(text: str, line: str) -> str:
    r"""Put a line at the end of the first ``## Retain`` section, which is made where there is none;
    everything else stays byte for byte.

    >>> with_line("# Day\n\n## Retain\n\n- W Rain.\n\n## Later\n", "- W Sun.")
    '# Day\n\n## Retain\n\n- W Rain.\n- W Sun.\n\n## Later\n'
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _RETAIN.search(text)
    if found is None:
        gap = "" if not text else newline if text.endswith(("\n", "\r")) else 2 * newline
        return f"{text}{gap}## Retain{newline}{newline}{line}{newline}"
    following = (
        match.start()
        for match in _HEADING.finditer(text, found.end())
        if len(match["marks"]) <= len(found["marks"])
    )
    end = next(following, len(text))
    section = text[:end].rstrip()
    gap = 2 * newline if section.endswith(found[0].rstrip()) else newline
    left, rest = text[len(section) : end], text[end:]
    return f"{section}{gap}{line}{left if rest else newline}{rest}"


def _take(
    ports: WorkspacePorts, path: str, missing: dict[str, Document], *, private: bool
) -> Job | None:
    """Take in one file, if it reads otherwise than it did. One of the ``missing`` ones that read
    the same was moved here, and is taken off that list.
    """
    documents = ports.documents
    data, before = ports.workspace.read(path), documents.by_origin(path)
    _check(data)
    if data is None or not data.strip() or data.decode("utf-8", "replace") == LAYOUT.get(path):
        if before is not None and before.deleted_at is None:
            put_away(documents, ports.index, ports.clock, [before.id])
        return None
    sha256 = hashlib.sha256(data).hexdigest()
    with ports.files.locked():  # another process may take in, or erase, the same file right now
        before = documents.by_origin(path)
        if ports.workspace.read(path) != data:
            return None
        if before is not None and before.sha256 == sha256:
            return _restored(ports, before)
        if before is None:
            before = _moved(missing, sha256)
        private = private or _was_private(ports, sha256, before, missing.values())
        made, job, _ = documents.supersede(
            _document(ports, path, data, before, private=private),
            "ingest",
            Lane.INGEST,
            JobId("j_" + secrets.token_hex(8)),
            before.id if before else None,
        )
        if before is not None:
            _carry_over(ports, before, made)
    return job


def _check(data: bytes | None) -> None:
    """Raise ``InvalidInputError`` for what is not read: too much, or what a power cut left."""
    if data is None:
        return
    if len(data) > MOST_BYTES:
        raise InvalidInputError(
            f"The file has {len(data):,} bytes; up to {MOST_BYTES:,} are read.", "Split it."
        )
    if b"\0" in data and not data.strip(BLANK):
        raise InvalidInputError(ZEROS)


def _restored(ports: WorkspacePorts, document: Document) -> Job | None:
    """Bring a document back that was deleted and reads the same again."""
    if not document.deleted_at:
        return None
    return next(iter(ports.documents.restore([document.id], ports.clock.now())), None)


def _moved(missing: dict[str, Document], sha256: str) -> Document | None:
    """Take the document off the ``missing`` ones that lies elsewhere now: rather one that is not
    deleted.
    """
    same = sorted(
        (document.deleted_at is not None, path)
        for path, document in missing.items()
        if document.sha256 == sha256
    )
    return missing.pop(same[0][1]) if same else None


def _was_private(
    ports: WorkspacePorts, sha256: str, before: Document | None, missing: Collection[Document]
) -> bool:
    """Tell whether the file, or another that reads the same, was private."""
    same = ports.documents.by_hash(sha256)
    return any(
        each.private
        for each in (before, same, *missing)
        if each and (each is before or each.sha256 == sha256)
    )


def _document(
    ports: WorkspacePorts, path: str, data: bytes, before: Document | None, *, private: bool
) -> Document:
    """Keep the bytes; return the document that they are from now on."""
    place = PurePosixPath(path)
    return Document(
        id=DocumentId("d_" + secrets.token_hex(8)),
        title=_kept_title(ports.files, before) or default_title(place.name),
        name=place.name,
        kind=ports.reader.kind(place.name, data[:HEAD]),
        sha256=ports.files.keep(data),
        bytes=len(data),
        state=DocumentState.RECEIVED,
        added_at=ports.clock.now(),
        tags=before.tags if before else (),
        private=private,
        folder=str(PurePosixPath(FOLDER) / place.parent) if str(place.parent) != "." else FOLDER,
        origin=path,
    )


def _kept_title(files: Files, before: Document | None) -> str | None:
    """Return the title that the person gave in the library; one that the file gave itself is read
    from it again.
    """
    if before is None:
        return None
    own = f"# {before.title}" in files.original(before.sha256).decode(
        "utf-8", "replace"
    ) or before.title == default_title(before.name)
    return None if own else before.title


def _carry_over(ports: WorkspacePorts, before: Document, now: Document) -> None:
    """Have what was decided about a sentence, and from when until when it is so, hold in the new
    text too, wherever its words still stand.
    """
    decided = ports.decisions.about([before.id]).get(before.id)
    if not decided and not ports.validities.about([before.id]):
        return
    try:
        # the file itself has other line ends, and nothing masked
        text = canonical_text(ports.files, ports.reader, now).text
    # it cannot be read; when it reads otherwise, what is decided goes on from here
    except NodeError:
        text = ports.files.original(now.sha256).decode("utf-8", "replace")
    carry(ports.decisions, ports.validities, before, NewText(now, text, ports.reader.version))
