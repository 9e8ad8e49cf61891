"""Holding everything against everything: originals, texts, index, citations, the audit chain, the
databases themselves.

What can be made again is made again when that is asked for. An original that is damaged is taken
from a backup that has it whole; where there is none, it is named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.audit import Head, first_break
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Lane, Progress
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import (
    Document,
    DocumentKind,
    DocumentState,
    ParsedText,
    text_hash,
)
from lpm_kernel.domain.library.passages import Indexed
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.domain.ports import Clock, Embedder, PassageIndex
from lpm_kernel.domain.stores import Audit, Backups, Conversations, Documents, Files, Jobs, Reader
from lpm_kernel.errors import CorruptHomeError, NodeError, NotFoundError
from lpm_kernel.L0.text.masking import sanitise
from lpm_kernel.usecases.models.egress import may_embed

PIECE = 1 << 20
PAGE = 500
SLOW = frozenset({DocumentKind.IMAGE, DocumentKind.AUDIO, DocumentKind.ARCHIVE})
"""Kinds whose text takes long to make again, or is a note of what was done, so it is not
compared.
"""


@dataclass(frozen=True)
class Discrepancy:
    """One thing that was held against another."""

    area: Literal["database", "originals", "texts", "index", "citations", "audit"]
    state: Literal["fine", "repaired", "look", "damaged"]
    sentence: str
    hint: str = ""
    document: DocumentId | None = None
    code: str = ""
    """Which sentence it is, for saying it in another language."""
    values: tuple[str | int, ...] = ()
    """The names and numbers in the sentence, in its order."""


@dataclass(frozen=True)
class VerificationPorts:
    """What is held against each other."""

    documents: Documents
    conversations: Conversations
    files: Files
    index: PassageIndex
    jobs: Jobs
    audit: Audit
    backups: Backups
    reader: Reader
    embedder: Embedder | None
    """The one that serves, where it can be asked."""
    clock: Clock


def verify(
    ports: VerificationPorts,
    complaints: Mapping[str, Sequence[str]],
    *,
    repair: bool,
    progress: Progress = lambda *_: None,
) -> Iterator[Discrepancy]:
    """Check everything. With ``repair``, what is derived is made again and damaged originals come
    back from a backup.

    What is queued to be made again is made by the jobs that follow.
    """
    for name, said in complaints.items():
        yield _database(name, said)
    if complaints.get("node.db"):  # nothing that stands in it can be held against anything
        return
    known = ports.documents.everything()
    whole = yield from _originals(
        ports.files, ports.backups, known, repair=repair, progress=progress
    )
    if not complaints.get("index.db"):
        there = {
            document.id
            for document in known
            if document.deleted_at is None and document.superseded_by is None
        }
        yield from _derived(ports, there, whole, repair=repair, progress=progress)
    progress(0.9, "citations", "Opening every citation")
    yield from _citations(ports.conversations, ports.documents, ports.files)
    yield _chain(ports.audit, ports.backups)


def verify_as_job(
    verified: Callable[[bool, Progress], Iterator[Discrepancy]], job: Job, progress: Progress
) -> JobOutcome:
    """Check everything, as a job."""
    discrepancies = list(verified(job.request.get("repair") is True, progress))
    count = {
        state: sum(discrepancy.state == state for discrepancy in discrepancies)
        for state in ("damaged", "look", "repaired")
    }
    sentence = (
        ", ".join(f"{number} {state}" for state, number in count.items() if number) + "."
        if any(count.values())
        else "Everything is as it should be."
    )
    rows = [asdict(discrepancy) for discrepancy in discrepancies]
    return JobOutcome(sentence, {**count, "findings": rows})


def _database(name: str, said: Sequence[str]) -> Discrepancy:
    """Say whether a database is whole, from what it complains of."""
    if not said:
        return Discrepancy(
            "database", "fine", f"{name} is whole.", "", code="database-whole", values=(name,)
        )
    hint = (
        "Delete index.db and run `lpm reindex`: nothing is lost."
        if name == "index.db"
        else "Bring a backup back with `lpm restore newest`."
    )
    return Discrepancy(
        "database", "damaged", f"{name}: {said[0]}", hint, code="database-damaged", values=(name,)
    )


def _originals(
    files: Files,
    backups: Backups,
    known: Sequence[Document],
    *,
    repair: bool,
    progress: Progress,
) -> Generator[Discrepancy, None, list[Document]]:
    """Check every original; return the documents of which it is whole, or is again."""
    whole: list[Document] = []
    listing = files.listing()
    for number, document in enumerate(known):
        progress(
            0.05 + 0.4 * number / len(known), "originals", f"Original {number + 1} of {len(known)}"
        )
        kept = listing.get(document.sha256, {}).get("")
        found = _original(files, backups, document, kept, repair=repair)
        if found is not None:
            yield found
        if found is None or found.state == "repaired":
            whole.append(document)
    yield Discrepancy(
        "originals",
        "fine",
        f"{len(whole)} of {counted(len(known), 'original')} as they came in.",
        code="originals-whole",
        values=(len(whole), len(known)),
    )
    return whole


def _derived(
    ports: VerificationPorts,
    known: Collection[DocumentId],
    whole: Sequence[Document],
    *,
    repair: bool,
    progress: Progress,
) -> Iterator[Discrepancy]:
    """Hold texts and index against the originals, and queue what has to be made again."""
    index = ports.index
    again: set[DocumentId] = set()
    ready = [
        each
        for each in whole
        if each.state is DocumentState.READY
        and each.deleted_at is None
        and each.superseded_by is None
    ]
    indexed = index.indexed()
    for number, document in enumerate(ready):
        progress(0.45 + 0.4 * number / len(ready), "texts", f"Text {number + 1} of {len(ready)}")
        for found in (
            _text(ports.files, ports.reader, document, repair=repair),
            _passages(ports.files, index, document, ports.embedder, indexed.get(document.id)),
        ):
            if found is not None:
                again.add(document.id)
                yield _repaired(found, repair=repair)
    gone = set(indexed) - set(known)
    if gone:
        yield _repaired(
            Discrepancy(
                "index",
                "look",
                f"The index still has {counted(len(gone), 'document')} that no longer exist.",
                code="index-gone",
                values=(len(gone),),
            ),
            repair=repair,
        )
    if repair:
        index.remove_all(sorted(gone | again))
        for identifier in sorted(again):
            ports.jobs.add("ingest", Lane.INGEST, identifier, ports.clock.now())
    yield Discrepancy(
        "index",
        "fine",
        f"{len(ready) - len(again)} of {counted(len(ready), 'document')} indexed as their texts"
        " say.",
        code="index-whole",
        values=(len(ready) - len(again), len(ready)),
    )


def _original(
    files: Files, backups: Backups, document: Document, kept: Path | None, *, repair: bool
) -> Discrepancy | None:
    if kept is not None and kept.is_file() and _hash(kept) == document.sha256:
        return None
    what = "missing" if kept is None else "damaged"
    sentence = f"The original of “{document.name}” is {what}."
    for backup in reversed(backups.all()):
        copy = backups.path(backup.id) / "files" / document.sha256
        if not copy.is_file() or _hash(copy) != document.sha256:
            continue
        if repair and files.keep_file(document.sha256, _pieces(copy)):
            return Discrepancy(
                "originals",
                "repaired",
                f"{sentence} It was restored from backup {backup.id}.",
                document=document.id,
                code="original-brought-back",
                values=(document.name, backup.id),
            )
        return Discrepancy(
            "originals",
            "damaged",
            sentence,
            f"`lpm verify --repair` restores it from backup {backup.id}.",
            document.id,
            "original-in-backup",
            (document.name, backup.id),
        )
    return Discrepancy(
        "originals",
        "damaged",
        sentence,
        "No backup here has it whole. Add the file again, or restore a backup from elsewhere.",
        document.id,
        "original-lost",
        (document.name,),
    )


def _text(files: Files, reader: Reader, document: Document, *, repair: bool) -> Discrepancy | None:
    """Read the original again and compare. Texts of other versions are left to what cites them."""
    if document.text_version != reader.version:
        return None
    kept = _kept(files, document)
    if kept is not None and document.kind in SLOW:
        return None
    # reading it again takes files out of it: that is for the job
    if kept is None and document.kind is DocumentKind.ARCHIVE:
        return Discrepancy(
            "texts",
            "look",
            f"The record of what was taken out of “{document.name}” is missing.",
            document=document.id,
            code="archive-unnoted",
            values=(document.name,),
        )
    try:
        made = sanitise(reader.read(document.name, document.kind, files.original(document.sha256)))
    except NodeError:
        return Discrepancy(
            "texts",
            "look",
            f"“{document.name}” could be read before and cannot be read now.",
            "`lpm doctor` says what is missing.",
            document.id,
            "text-unreadable",
            (document.name,),
        )
    if kept == made:
        return None
    if repair:
        files.keep_text(document.sha256, reader.version, made)
    return Discrepancy(
        "texts",
        "look",
        f"The text of “{document.name}” is"
        f" {'missing' if kept is None else 'not what its original says'}.",
        document=document.id,
        code="text-other",
        values=(document.name,),
    )


def _kept(files: Files, document: Document) -> ParsedText | None:
    try:
        return files.text(document.sha256, document.text_version) if document.text_version else None
    except (ValueError, KeyError, TypeError):
        return None


def _passages(
    files: Files,
    index: PassageIndex,
    document: Document,
    embedder: Embedder | None,
    held: Indexed | None,
) -> Discrepancy | None:
    parsed = _kept(files, document)
    said = Discrepancy(
        "index",
        "look",
        f"What the index holds of “{document.name}” is not what its text says.",
        document=document.id,
        code="index-other",
        values=(document.name,),
    )
    if parsed is None or held is None:
        return said
    if not held.chunks:
        return None if parsed.kept_only or any(own_lines(parsed.text)) else said
    if parsed.kept_only:
        return said
    if (
        embedder is not None
        and may_embed(embedder, private=document.private)
        and held.vectors.get(embedder.id, 0) != held.chunks
    ):
        return said
    return None if _says_the_same(index, document, parsed.text) else said


def _says_the_same(index: PassageIndex, document: Document, text: str) -> bool:
    after: ChunkId | None = None
    try:
        while chunks := index.chunks_of(document.id, after, PAGE):
            if any(
                text[chunk.start : chunk.end] != chunk.text
                or chunk.text_version != document.text_version
                for chunk in chunks
            ):
                return False
            after = chunks[-1].id
    except CorruptHomeError:
        return False
    return True


def _citations(
    conversations: Conversations, documents: Documents, files: Files
) -> Iterator[Discrepancy]:
    opened, lost, deleted = 0, 0, 0
    texts: dict[tuple[DocumentId, str], str | None] = {}
    for turn in conversations.every_turn():
        for citation in turn.citations:
            key = (citation.document, citation.text_version)
            if key not in texts:
                if len(texts) > PAGE:
                    texts.clear()
                try:
                    parsed = files.text(
                        documents.get(citation.document).sha256, citation.text_version
                    )
                    texts[key] = parsed.text if parsed else ""
                except NotFoundError:
                    texts[key] = None
                except (ValueError, KeyError, TypeError):
                    texts[key] = ""
            text = texts[key]
            if text is None:
                deleted += 1
            elif text_hash(text[citation.start : citation.end]) == citation.quote_hash:
                opened += 1
            else:
                lost += 1
    yield Discrepancy(
        "citations",
        "fine",
        f"{counted(opened, 'citation')} opened at the words they cite; {deleted} of deleted"
        " documents.",
        code="citations-open",
        values=(opened, deleted),
    )
    if lost:
        yield Discrepancy(
            "citations",
            "look",
            f"{counted(lost, 'citation')} not opened: the version of the text they cite is gone.",
            "A backup may have it: `lpm backup --list`.",
            code="citations-lost",
            values=(lost,),
        )


def _chain(audit: Audit, backups: Backups) -> Discrepancy:
    broken = first_break(audit.all(), heads(audit, backups))
    if broken is None:
        return Discrepancy("audit", "fine", "The audit chain is intact.", code="audit-holds")
    noted = audit.noted()
    of_note = noted is None or not noted.hash
    return Discrepancy(
        "audit",
        "damaged",
        f"The audit chain is broken. {broken.sentence}",
        (
            "The note beside the database (audit.json) is not as it was written. `lpm recover`"
            " writes it anew."
            if of_note
            else "Somebody, or a fault of the disk, changed it. A backup has it as it was."
        ),
        code="audit-broken",
        values=(broken.number,),
    )


def heads(audit: Audit, backups: Backups) -> list[Head]:
    """Return the newest audit entry as the home and each backup noted it."""
    noted = audit.noted()
    of_backups = [
        Head(backup.audit_number, backup.audit_hash, f"backup {backup.id}")
        for backup in backups.all()
        if backup.audit_number
    ]
    # it is written with every entry; a crash can only have lost the first
    if noted is None and (newest := audit.newest()) is not None and newest.number > 1:
        noted = Head(newest.number + 1, "", "the file beside the database, which is gone,")
    return [*of_backups, *([noted] if noted else [])]


def _repaired(found: Discrepancy, *, repair: bool) -> Discrepancy:
    hint = found.hint or ("" if repair else "`lpm verify --repair` makes it again.")
    return replace(found, state="repaired" if repair else found.state, hint=hint)


def _hash(path: Path) -> str:
    made = hashlib.sha256()
    for piece in _pieces(path):
        made.update(piece)
    return made.hexdigest()


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as handle:
        while piece := handle.read(PIECE):
            yield piece
