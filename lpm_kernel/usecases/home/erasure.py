"""Erasing for good, in two steps: say what would go, then take it out of every place where it left
a trace.

Confirming records the intent and takes the rows away in one transaction, so nobody sees half of it.
A job does the rest; each of its steps can be done twice, and a node that was killed in between
takes it up again when it starts.
"""

from __future__ import annotations

import secrets
import shutil
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import IO

from lpm_kernel.domain.chat.conversations import Turn
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.erasure import Doomed, Erasure, ErasureState
from lpm_kernel.domain.home.jobs import UNDER_WAY, Job, Lane, Progress
from lpm_kernel.domain.ids import ConversationId, DocumentId, JobId, TurnId, is_thread
from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import (
    Backups,
    Contents,
    Conversations,
    Decisions,
    Documents,
    Erasures,
    Files,
    Jobs,
)
from lpm_kernel.errors import (
    CorruptHomeError,
    ExpiredTokenError,
    InvalidInputError,
    ModelUnavailableError,
)
from lpm_kernel.L0.text.quotations import Traces
from lpm_kernel.usecases.chat.redaction import without
from lpm_kernel.usecases.home.access import digest

MINUTES = 15
"""How long a token can be used."""
MOST = 10_000
"""Documents and chats that one request may name."""
AT_ONCE = 8_000_000
"""Characters of text that are looked for in one pass over the chats."""
DEEPEST = 3
"""Archives within archives that are looked into for what is erased."""
NESTED_BYTES = 200_000_000
"""The largest archive within another that is looked into."""
Mark = tuple[int, int]
"""Length and CRC of an original, as an archive notes them of its files."""


@dataclass(frozen=True)
class Share:
    """What goes from one place, or what stays in one that is out of reach."""

    place: str
    count: int
    bytes: int
    sentence: str


@dataclass(frozen=True)
class ErasureProposal:
    """What would go, and the token that makes it go."""

    erasure: Erasure
    token: str = field(repr=False)
    documents: tuple[Document, ...]
    goes: tuple[Share, ...]
    stays: tuple[Share, ...]


@dataclass(frozen=True)
class ErasureRequest:
    """What the person wants to have erased."""

    documents: Sequence[DocumentId]
    conversations: Sequence[ConversationId] = ()
    told: Sequence[DocumentId] = ()
    """What was told in these conversations."""


@dataclass(frozen=True)
class Copies:
    """How much lies elsewhere in the home that holds it too."""

    backups: int
    exports: int


@dataclass(frozen=True)
class ErasureReach:
    """Where an erasure goes besides the databases and the files."""

    shelves: Sequence[Backups]
    """The folders with backups."""
    archives: Sequence[Path]
    """Folders of the home with copies that are removed whole: exports, uploads for import,
    databases that were put aside.
    """
    forget_prompts: Callable[[], None]
    forget_drawn: Callable[[], None]
    """Takes from the map what no passage names any more."""
    read_threads: Callable[[], object] = lambda: None
    """Makes anew what is remembered of chats whose turns were changed."""


@dataclass(frozen=True)
class Remains:
    """What the home still has of what was erased, and what it keeps."""

    hashes: Collection[str] = ()
    marks: Collection[Mark] = ()
    traces: Traces | None = None
    stays: Collection[str] = ()
    """Documents that the home has and keeps: a correction, or a file of the person's own, may have
    the bytes of what was erased, and goes nowhere.
    """


def propose(
    held: Contents,
    index: PassageIndex,
    clock: Clock,
    request: ErasureRequest,
    copies: Copies,
    trainings: Callable[[Collection[DocumentId]], int] = lambda _: 0,
) -> ErasureProposal:
    """Say what would go. Nothing is changed; the token is good for a quarter of an hour. Raises
    ``NotFoundError`` and ``InvalidInputError``.
    """
    wanted, chats = request.documents, request.conversations
    if not wanted and not chats:
        raise InvalidInputError(
            "There is nothing to erase.", "Give documents, conversations, or both."
        )
    if len(wanted) + len(chats) > MOST:
        raise InvalidInputError(
            f"At most {MOST:,} documents and conversations can be erased at once.",
            "Erase them in several steps.",
        )
    doomed = _doomed(held, [*wanted, *request.told])
    for chat in chats:
        held.conversations.get(chat, put_away=True)
    now = clock.now()
    erasure = Erasure(
        id="e_" + secrets.token_hex(8),
        state=ErasureState.PROPOSED,
        created_at=now,
        expires_at=now + timedelta(minutes=MINUTES),
        documents=tuple(Doomed(document.id, document.sha256) for document in doomed),
        conversations=tuple(dict.fromkeys(chats)),
    )
    token = secrets.token_urlsafe(24)
    goes = (
        *_shares(held, index, doomed, erasure.conversations, copies),
        _trainings(trainings([document.id for document in doomed])),
    )
    held.erasures.propose(erasure, digest(token))
    branched = {
        branch.id for chat in erasure.conversations for branch in held.conversations.branches(chat)
    } - set(erasure.conversations)
    shown = tuple(document for document in doomed if not is_thread(document.id))
    return ErasureProposal(
        erasure, token, shown, goes, (*_branches(len(branched)), *_out_of_reach())
    )


def _doomed(held: Contents, wanted: Sequence[DocumentId]) -> list[Document]:
    """Return what goes with these documents, with what corrects any of it."""
    doomed = _families(held.documents, held.files, wanted)
    while corrections := _corrections(held.decisions, doomed):
        named = [*(document.id for document in doomed), *corrections]
        doomed = _families(held.documents, held.files, named)
    return doomed


def usable(erasures: Erasures, clock: Clock, token: str) -> Erasure:
    """Return what a token erases. Raises ``ExpiredTokenError``, also where there is no such
    token.
    """
    erasure = erasures.by_token(digest(token))
    if erasure is None or (
        erasure.state is ErasureState.PROPOSED and erasure.expires_at <= clock.now()
    ):
        raise ExpiredTokenError
    return erasure


def confirm(
    erasures: Erasures, conversations: Conversations, index: PassageIndex, clock: Clock, token: str
) -> Job:
    """Make it go. From the moment this returns nobody finds it; the job takes out its traces.
    Raises ``ExpiredTokenError``.

    The same token again gives the same job.
    """
    erasure = usable(erasures, clock, token)
    ids = {doomed.id for doomed in erasure.documents}
    told = telling(conversations.every_turn(), ids, erasure.conversations)
    job = erasures.confirm(
        erasure.id,
        JobId("j_" + secrets.token_hex(8)),
        clock.now(),
        lambda turn: without(turn, ids, told=told),
    )
    index.remove_all(sorted(ids))
    return job


def erase(
    held: Contents,
    index: PassageIndex,
    clock: Clock,
    reach: ErasureReach,
    identifier: str,
    progress: Progress,
) -> dict[str, int]:
    """Take every trace of a confirmed erasure out, and return how much of what went. No document
    may be read meanwhile.
    """
    erasures, documents, files = held.erasures, held.documents, held.files
    erasure = erasures.get(identifier)
    progress(0.05, "index", "Taking it out of the index")
    index.remove_all([doomed.id for doomed in erasure.documents])
    reach.forget_drawn()
    went: dict[str, int] = {
        "documents": sum(not is_thread(doomed.id) for doomed in erasure.documents),
        "conversations": len(erasure.conversations),
    }
    if erasure.state is ErasureState.CONFIRMED:
        progress(0.1, "conversations", "Looking for quotations, here and in the backups")
        went |= _out_of_words(held, clock, reach.shelves, erasure, progress)
        reach.read_threads()
        progress(0.7, "files", "Removing originals and texts")
        went["archives"] = sum(_empty(folder) for folder in reach.archives)
        hashes = {doomed.sha256 for doomed in erasure.documents if doomed.sha256}
        marks = _marks(files, hashes)
        with files.locked():  # the same bytes may have come in again
            gone = {each for each in hashes if documents.by_hash(each) is None}
            files.drop_all(
                gone | {each for each, path in files.aside().items() if _holds(path, marks)}
            )
        documents.removed(gone)
        progress(0.8, "model", "Having the model forget its prompts")
        with suppress(ModelUnavailableError):  # no host runs: it keeps prompts in its memory alone
            reach.forget_prompts()
        erasures.clean(erasure.id, clock.now(), went)
    progress(0.85, "compact", "Leaving no trace in free pages and logs")
    if erasure.documents or not erasure.is_discard:
        index.compact()
    erasures.compact()
    erasures.done(erasure.id)
    return went


def _out_of_words(
    held: Contents,
    clock: Clock,
    shelves: Sequence[Backups],
    erasure: Erasure,
    progress: Progress,
) -> dict[str, int]:
    """Take what quotes the documents out of the chats, and all of it out of the backups."""
    ids = {doomed.id for doomed in erasure.documents}
    named = (*ids, *erasure.conversations, *erasure.turns)
    erased: dict[str, datetime] = dict.fromkeys(named, clock.now())
    hashes = {doomed.sha256 for doomed in erasure.documents}
    marks = _marks(held.files, hashes)
    stays = {document.id for document in held.documents.everything()} - ids
    turns, removed = 0, 0
    for backups in shelves:
        backups.sweep()
    touched: set[str] = set()
    told = telling(held.conversations.every_turn(), ids, erasure.conversations)
    # what a chat throws away may be said elsewhere, and may be in the summary that stays
    quoted = () if erasure.is_discard else erasure.documents
    for traces in _traces(held.files, quoted):

        def rewrite(turn: Turn, traces: Traces = traces) -> Turn:
            return without(turn, ids, traces.in_, told=told)

        def title(text: str, traces: Traces = traces) -> str:
            return "" if traces.in_(text) else text

        def out_of(backup: Contents, traces: Traces = traces) -> None:
            remains = Remains(hashes, marks, traces, stays)
            take_out(backup, erased, held.erasures.take_over, remains)

        turns += held.conversations.rewrite(rewrite, title)
        known = [(backups, backup) for backups in shelves for backup in backups.all()]
        for number, (backups, backup) in enumerate(known):
            progress(
                0.2 + 0.5 * number / len(known), "backups", f"Backup {number + 1} of {len(known)}"
            )
            try:
                if backups.erase(backup.id, out_of, clock.now()):
                    touched.add(backup.id)
            except CorruptHomeError:  # it cannot be rewritten, and must not keep what is erased
                backups.remove(backup.id)
                removed += 1
    return {"turns": turns, "backups": len(touched), "backups_removed": removed}


def take_out(
    held: Contents,
    erased: Mapping[str, datetime],
    remember: Callable[[Mapping[str, datetime]], None] = lambda _: None,
    remains: Remains = Remains(),
) -> None:
    """Take what was erased out of a backup: rows, what cites or quotes them, and what holds the
    same bytes under another id, which is then remembered too.

    Of originals and texts that the home has no more, the backup's own are looked at.
    """
    if not erased:
        return
    traces, gone = remains.traces, _mortal(held, erased, remains)
    more: dict[str, datetime] = dict.fromkeys(
        (document.id for document in gone if document.id not in erased), max(erased.values())
    )
    if more:
        remember(more)
    ids = {*erased, *more}
    own = [
        Doomed(document.id, document.sha256, document.title, document.name)
        for document in gone
        if traces is None or document.id in more
    ]
    told = telling(held.conversations.every_turn(), ids, ids)
    for found in (*([traces] if traces else []), *_traces(held.files, own)):

        def rewrite(turn: Turn, found: Traces = found) -> Turn:
            return without(turn, ids, found.in_, told=told)

        def title(text: str, found: Traces = found) -> str:
            return "" if found.in_(text) else text

        held.conversations.rewrite(rewrite, title)
        _drop_threads(held, found)
    held.erasures.take_over({**erased, **more})


def _drop_threads(held: Contents, found: Traces) -> None:
    """Take out of a backup what was told in chats and quotes what was erased; restored, it is made
    again from the chats.
    """
    told = [document for document in held.documents.everything() if is_thread(document.id)]
    listing = held.files.listing() if told else {}
    for document in told:
        if any(map(found.in_, texts_in(listing.get(document.sha256, {})))):
            held.documents.delete(document.id)


def _mortal(held: Contents, erased: Collection[str], remains: Remains) -> list[Document]:
    """Return the documents of a backup that go."""
    mortal = [
        document for document in held.documents.everything() if document.id not in remains.stays
    ]
    named = [
        document
        for document in mortal
        if document.id in erased or document.sha256 in remains.hashes
    ]
    gone = _with_archives(mortal, held.files, named, remains.marks)
    while corrections := _of(mortal, _corrections(held.decisions, gone)):
        gone = _with_archives(mortal, held.files, [*gone, *corrections], remains.marks)
    return gone


def resume(erasures: Erasures, jobs: Jobs, clock: Clock) -> int:
    """Queue what was confirmed and has no job under way any more. Returns how many."""
    queued = 0
    active = {job.request.get("erasure") for job in _active(jobs)}
    for erasure in erasures.unfinished():
        if erasure.id not in active:
            jobs.add("erase", Lane.ERASE, None, clock.now(), {"erasure": erasure.id})
            queued += 1
    return queued


def telling(
    turns: Iterable[Turn], documents: Collection[str], chats: Collection[str] = ()
) -> set[TurnId]:
    """Name the answers that were made from these documents or given in these ``chats``, and those
    that heard one of these: what is said in a model's own words may come from there.
    """
    hearers: dict[TurnId, list[TurnId]] = defaultdict(list)
    waiting: list[TurnId] = []
    for turn in turns:
        if turn.given is not None:
            for turn_id in turn.given.heard:
                hearers[turn_id].append(turn.id)
            if turn.conversation in chats or any(
                document_id in documents for document_id in turn.given.documents
            ):
                waiting.append(turn.id)
    found: set[TurnId] = set()
    while waiting:
        if (last := waiting.pop()) not in found:
            found.add(last)
            waiting += hearers[last]
    return found


def _corrections(decisions: Decisions, doomed: Sequence[Document]) -> list[DocumentId]:
    """Return the corrections of what these documents say, as far as they are not among them: they
    say much the same.

    One that puts something else right as well stays; since 0018 of the schema none does, but
    backups may be older.
    """
    ids = {document.id for document in doomed}
    found = [
        decision.correction
        for known in decisions.about(ids, away=True).values()
        for decision in known
        if decision.correction and decision.correction not in ids
    ]
    needed = {
        decision.correction
        for decision in decisions.correcting(found, away=True)
        if decision.document not in ids
    }
    return [document_id for document_id in found if document_id not in needed]


def _of(documents: Sequence[Document], ids: Collection[str]) -> list[Document]:
    wanted = set(ids)
    return [document for document in documents if document.id in wanted]


def _families(documents: Documents, files: Files, wanted: Sequence[DocumentId]) -> list[Document]:
    """Return the documents with what belongs to them: older versions, an archive with anything that
    lies in it, and what came in an archive that is named itself.
    """
    named = {
        document_id: documents.get(document_id, away=True) for document_id in dict.fromkeys(wanted)
    }
    everything = documents.everything()
    found, fresh = dict(named), set(named)
    while fresh:
        taken_along = [
            document
            for document in everything
            if (document.parent in fresh or document.superseded_by in fresh)
            and document.id not in found
        ]
        fresh = {document.id for document in taken_along}
        found.update((document.id, document) for document in taken_along)
    return _with_archives(everything, files, list(found.values()))


def _with_archives(
    everything: Sequence[Document],
    files: Files,
    doomed: Sequence[Document],
    marks: Collection[Mark] = (),
) -> list[Document]:
    """Return the documents with every archive that one of them came in, or whose bytes lie in it
    though they were known before.
    """
    found = {document.id: document for document in doomed}
    listing = files.listing()
    wanted = {*marks, *_marks(files, {document.sha256 for document in doomed})}
    fresh = bool(found or wanted)
    while fresh:
        parents = {document.parent for document in found.values()}
        archives = [
            document
            for document in everything
            if document.id not in found and document.kind is DocumentKind.ARCHIVE
        ]
        holding = [
            document
            for document in archives
            if document.id in parents or _holds(listing.get(document.sha256, {}).get(""), wanted)
        ]
        found.update((document.id, document) for document in holding)
        wanted |= _marks(files, {document.sha256 for document in holding})
        fresh = bool(holding)
    return list(found.values())


def _marks(files: Files, hashes: Collection[str]) -> set[Mark]:
    listing = files.listing()
    found = set()
    for path in (listing[each][""] for each in hashes if "" in listing.get(each, {})):
        crc = 0
        with path.open("rb") as handle:
            while piece := handle.read(1 << 20):
                crc = zlib.crc32(piece, crc)
        found.add((path.stat().st_size, crc))
    return found


def _holds(archive: Path | IO[bytes] | None, wanted: Collection[Mark], depth: int = 1) -> bool:
    """Tell whether a file of this length and CRC lies in an archive, or in an archive within it.
    What cannot be opened gave no document.
    """
    if archive is None or not wanted:
        return False
    try:
        with zipfile.ZipFile(archive) as packed:
            for member in packed.infolist():
                if (member.file_size, member.CRC) in wanted:
                    return True
                nested = (
                    member.filename.lower().endswith(".zip")
                    and depth < DEEPEST
                    and member.file_size <= NESTED_BYTES
                )
                if nested and _holds(BytesIO(packed.read(member)), wanted, depth + 1):
                    return True
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        ValueError,
        RuntimeError,
        NotImplementedError,
    ):
        return False
    return False


def _shares(
    held: Contents,
    index: PassageIndex,
    doomed: Sequence[Document],
    chats: Sequence[ConversationId],
    copies: Copies,
) -> Iterator[Share]:
    conversations = held.conversations
    ids = {document.id for document in doomed}
    handed_in = [document for document in doomed if not is_thread(document.id)]
    size = sum(document.bytes for document in handed_in)
    there = index.indexed()
    passages = sum(there[document_id].chunks for document_id in ids if document_id in there)
    vectors = sum(
        sum(there[document_id].vectors.values()) for document_id in ids if document_id in there
    )
    told = telling(conversations.every_turn(), ids, chats)
    turns = sum(
        1
        for turn in conversations.every_turn()
        if turn.conversation not in chats and without(turn, ids, told=told) is not turn
    )
    own = sum(len(conversations.turns(conversation_id, every=True)) for conversation_id in chats)
    texts = sum(_has_text(held.files, document) for document in handed_in)
    yield Share(
        "originals",
        len(handed_in),
        size,
        f"{counted(len(handed_in), 'original')}, {size:,} bytes, with title, name, tags and date",
    )
    yield Share("texts", texts, 0, f"{counted(texts, 'text')} made from them")
    yield Share(
        "index",
        passages,
        0,
        f"{counted(passages, 'passage')}, with words and {counted(vectors, 'vector')}",
    )
    yield Share(
        "conversations",
        len(chats),
        0,
        f"{counted(len(chats), 'conversation')} with {counted(own, 'turn')}",
    )
    yield Share(
        "turns",
        turns,
        0,
        f"{counted(turns, 'citation')} of them in other conversations; what quotes them word for"
        " word is found while erasing and goes too",
    )
    yield from _copied(copies)


def _has_text(files: Files, document: Document) -> bool:
    version = document.text_version
    return version is not None and files.text(document.sha256, version) is not None


def _copied(copies: Copies) -> Iterator[Share]:
    yield Share(
        "backups", copies.backups, 0, f"{counted(copies.backups, 'backup')}, rewritten without them"
    )
    yield Share(
        "exports",
        copies.exports,
        0,
        f"{counted(copies.exports, 'archive')} ready for download, deleted whole",
    )


def _trainings(count: int) -> Share:
    return Share(
        "trainings",
        count,
        0,
        f"{counted(count, 'training')} that learned from them: out of service at once, rows and"
        " weights erased",
    )


def _branches(count: int) -> tuple[Share, ...]:
    said = (
        f"{counted(count, 'conversation')} branched from these, with what was said before the"
        " branch. To erase them too, name them."
    )
    return (Share("branches", count, 0, said),) if count else ()


def _out_of_reach() -> tuple[Share, ...]:
    return (
        Share(
            "handed_out",
            0,
            0,
            "Archives that you have downloaded or passed on, and copies of the home that you made"
            " yourself, cannot be reached.",
        ),
        Share(
            "elsewhere",
            0,
            0,
            "What was sent to a model on another machine stays there; the audit log says when and"
            " where to.",
        ),
        Share(
            "git",
            0,
            0,
            "A folder of yours that lies in git, or in another program's own backup, keeps its"
            " history.",
        ),
        Share(
            "disk",
            0,
            0,
            "A solid-state disk may keep freed blocks for a while; only an encrypted disk helps"
            " against that.",
        ),
    )


def _traces(files: Files, doomed: Sequence[Doomed]) -> Iterator[Traces]:
    """Read the texts of the documents, some at a time. Gives one that finds nothing where there are
    none, so that each place is visited.
    """
    texts: list[str] = []
    names: list[str] = []
    listing = files.listing()
    for each in doomed:
        names += [each.title, each.name]
        texts += texts_in(listing.get(each.sha256, {}))
        if sum(len(text) for text in texts) > AT_ONCE:
            yield Traces(texts, names)
            texts, names = [], []
    if texts or names or not doomed:
        yield Traces(texts, names)


def texts_in(kept: Mapping[str, Path]) -> list[str]:
    """Read every canonical text among the files that are kept for an original, whatever the
    version.
    """
    return [
        path.read_bytes().decode("utf-8", "replace")
        for ending, path in kept.items()
        if ending.endswith(".txt")
    ]


def _empty(folder: Path) -> int:
    removed = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        removed += 1
    return removed


def _active(jobs: Jobs) -> Iterator[Job]:
    cursor = None
    while True:
        found, cursor = jobs.page(limit=100, cursor=cursor, states=UNDER_WAY, kind="erase")
        yield from found
        if cursor is None:
            return
