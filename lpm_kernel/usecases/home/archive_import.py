"""Taking an archive in: first every name and every hash is checked, then what is not known yet is
added.

Nothing that is there is changed. Documents keep their ids, so what cites them still opens. Each
step can be done twice: an import that was killed is simply done again.
"""

from __future__ import annotations

import secrets
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from lpm_kernel.config import Settings, checked_settings
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.chat.profile import LineInMind, Profiles
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import Lane, Progress
from lpm_kernel.domain.ids import ConversationId, DocumentId, JobId, TurnId
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.domain.memory.workspace import LAYOUT, Workspace
from lpm_kernel.domain.stores import (
    Conversations,
    Decisions,
    Documents,
    EntityDecisions,
    Files,
    Roles,
)
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError, UnusableArchiveError
from lpm_kernel.L0.text.quotations import Traces
from lpm_kernel.usecases.chat.profile_archives import take_in as take_in_profile
from lpm_kernel.usecases.chat.redaction import without
from lpm_kernel.usecases.chat.thread_archives import placed
from lpm_kernel.usecases.home import archive as archived
from lpm_kernel.usecases.home.archive_export import PORTABLE, ArchiveStores
from lpm_kernel.usecases.home.erasure import telling
from lpm_kernel.usecases.home.settlements import take_in as take_in_settled
from lpm_kernel.usecases.library.documents import restore
from lpm_kernel.usecases.memory.workspace import write_back
from lpm_kernel.usecases.settings import LiveSettings
from lpm_kernel.usecases.share import people_archives
from lpm_kernel.usecases.share.people_archives import PeopleTakenIn

SETTINGS = "settings.json"


@dataclass(frozen=True)
class TakenIn:
    """What an import did."""

    documents: int
    known: int
    conversations: int
    conversations_known: int
    erased: int
    """Left out because they were erased here."""
    settings_left_out: tuple[str, ...] = ()
    """Settings of the archive that cannot be used, or its whole file of them."""
    people: PeopleTakenIn = field(default_factory=PeopleTakenIn)
    """Contacts and tables."""

    @property
    def sentence(self) -> str:
        """Say it."""
        known = (
            f" Already here: {counted(self.known, 'document')} and"
            f" {counted(self.conversations_known, 'conversation')}."
            if self.known or self.conversations_known
            else ""
        )
        erased = (
            f" Left out because erased here: {self.erased}. Add the files to have them again."
            if self.erased
            else ""
        )
        if self.people.erased:
            erased += f" Contacts and tables left out because deleted here: {self.people.erased}."
        names = ", ".join(self.settings_left_out)
        settings = f" Settings that cannot be used were left out: {names}." if names else ""
        return (
            f"Added {counted(self.documents, 'document')} and"
            f" {counted(self.conversations, 'conversation')}."
            f"{known}{self.people.sentence}{erased}{settings}"
        )


def take_in(
    stores: ArchiveStores,
    workspace: Workspace,
    settings: LiveSettings,
    erased: Callable[[], Collection[str]],
    path: Path,
    progress: Progress = lambda *_: None,
) -> TakenIn:
    """Add what is in an archive. Raises ``UnusableArchiveError``, and then nothing was taken in.

    ``erased`` tells what was erased here until now: it may grow while the archive is taken in.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            try:
                manifest = archived.checked(archive, path, progress)
            # an offset that leads nowhere, a name that is no text
            except (OSError, ValueError) as error:
                raise UnusableArchiveError("it is not a zip file, or incomplete.") from error
            people_archives.check(*_people_rows(archive))
            replaced = _replaced(archive, stores.documents, stores.decisions)
            came, known, gone, names = _documents(
                archive, stores, workspace, erased, replaced, progress
            )
            _decisions(archive, stores.decisions, names)
            _entity_decisions(archive, stores.entity_decisions, names)
            rows = archived.rows(archive, "settled.jsonl")
            take_in_settled(rows, stores.settled, stores.documents, stores.files, names)
            quoted = _quoted(archive, erased())
            chats, chats_known = _conversations(archive, stores, erased(), names, quoted, progress)
            coming = people_archives.Coming(names, erased(), quoted.in_, stores.clock.now())
            people = people_archives.take_in(*_people_rows(archive), stores.people, coming)
            _profile(archive, stores.profiles, quoted)
            _roles(archive, stores.roles)
            _identity(archive, stores.conversations)
            left_out = _settings(archive, settings)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        UnicodeDecodeError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise UnusableArchiveError("it is not a zip file, or incomplete.") from error
    stores.audit.append(
        stores.clock.now(),
        AuditKind.IMPORTED,
        documents=came,
        conversations=chats,
        archive=str(manifest["sha256"]),
    )
    return TakenIn(came, known, chats, chats_known, gone, left_out, people)


def _people_rows(
    archive: zipfile.ZipFile,
) -> tuple[Iterator[dict[str, Any]], Iterator[dict[str, Any]]]:
    return archived.rows(archive, "contacts.jsonl"), archived.rows(archive, "tables.jsonl")


def _documents(
    archive: zipfile.ZipFile,
    stores: ArchiveStores,
    workspace: Workspace,
    erased: Callable[[], Collection[str]],
    replaced: Collection[str],
    progress: Progress,
) -> tuple[int, int, int, dict[str, DocumentId]]:
    """Add the documents that are not known. Returns how many came, were known, were erased here,
    and the id of each.
    """
    documents, files = stores.documents, stores.files
    members = _members(archive)
    names: dict[str, DocumentId] = {}
    earlier: list[Document] = []
    came = known = gone = 0
    for document in _wanted(archive, replaced):
        progress(
            0.3 + 0.5 * min(1.0, len(names) / max(1, len(members))),
            "documents",
            f"{counted(came, 'document')} added",
        )
        if document.id in erased():
            gone += 1
            continue
        there = _there(documents, document)
        if there is not None:
            back = _came_back(stores, workspace, there)
            names[document.id], came, known = there.id, came + back, known + (not back)
            continue
        identifier = (
            DocumentId("d_" + secrets.token_hex(8))
            if _is_taken(documents, document.id)
            else document.id
        )
        parent = names.get(document.parent, document.parent) if document.parent else None
        with files.locked():
            _keep(archive, files, document, members.get(document.id, []))
            fresh, job = (
                replace(document, id=identifier, parent=parent),
                JobId("j_" + secrets.token_hex(8)),
            )
            if document.superseded_by is not None:
                earlier.append(replace(fresh, state=DocumentState.READY))
            elif document.origin and _put_in_workspace(workspace, documents, files, document):
                documents.supersede(fresh, "ingest", Lane.INGEST, job)
            else:
                documents.receive(replace(fresh, origin=""), "ingest", Lane.INGEST, job)
            if document.id in erased():  # meanwhile
                earlier = [each for each in earlier if each.id != identifier]
                with suppress(NotFoundError):
                    documents.delete(identifier)
                files.drop(document.sha256)
                gone += 1
                continue
        names[document.id], came = identifier, came + (document.superseded_by is None)
    _add_earlier(documents, files, earlier, names)
    _join_known(documents, archive, names)
    return came, known, gone, names


def _members(archive: zipfile.ZipFile) -> dict[str, list[str]]:
    """Return the files of each document, by its id there."""
    folders = tuple(f"{folder}/" for folder in archived.FOLDERS)
    members: dict[str, list[str]] = {}
    for name in archive.namelist():
        if name.startswith(folders):
            members.setdefault(name.split("/")[1], []).append(name)
    return members


def _came_back(stores: ArchiveStores, workspace: Workspace, there: Document) -> bool:
    """Bring a document back that was deleted here: adding the same bytes does so."""
    if there.deleted_at is None or there.superseded_by is not None:
        return False
    with suppress(ConflictError):  # something else stands where its file was
        write_back(workspace, stores.files, stores.documents, deleted=[there.id])
    restore(stores.files, stores.documents, stores.clock, [there.id])
    return True


def _wanted(archive: zipfile.ZipFile, replaced: Collection[str]) -> Iterator[Document]:
    for row in archived.rows(archive, "documents.jsonl"):
        document = archived.document(row)
        if not (document.corrects and document.id in replaced):
            yield document


def _there(documents: Documents, document: Document) -> Document | None:
    """Return what has these bytes here. An older version is found by nobody, so it stands for
    nothing but that; a correction, and what was handed in, for itself.
    """
    itself = next(
        (
            known
            for away in (False, True)
            for known in documents.many([document.id], away=away)
            if known.sha256 == document.sha256
        ),
        None,
    )
    if document.corrects or (itself is not None and not document.origin):
        return itself
    known = documents.by_hash(document.sha256)
    other = known is not None and (
        known.corrects or (known.superseded_by is not None and document.superseded_by is None)
    )
    return None if other else known


def _put_in_workspace(
    workspace: Workspace, documents: Documents, files: Files, document: Document
) -> bool:
    """Write the file that a document was elsewhere. ``False``: another one is there, so it is taken
    in like any document.
    """
    if documents.by_origin(document.origin) is not None:
        return False
    data = files.original(document.sha256)
    try:
        there = workspace.read(document.origin)
        untouched = there is not None and there.decode("utf-8", "replace") == LAYOUT.get(
            document.origin
        )
        return there == data or (
            (there is None or untouched) and workspace.write(document.origin, data, there)
        )
    # something else stands in its place, or the path is none here
    except (OSError, InvalidInputError):
        return False


def _add_earlier(
    documents: Documents, files: Files, earlier: Sequence[Document], names: Mapping[str, DocumentId]
) -> None:
    """Add older versions, where it came how they read now."""
    for document in earlier:
        named = names.get(document.superseded_by or "")
        now = next(iter(documents.many([named])), None) if named is not None else None
        current = None if now is None else now.superseded_by or now.id
        if current is not None and not _has_version(documents, current, document):
            documents.add_revision(replace(document, superseded_by=current))
        else:
            with files.locked():  # the archive still has it
                if documents.by_hash(document.sha256) is None:
                    files.drop(document.sha256)


def _has_version(documents: Documents, now: DocumentId, document: Document) -> bool:
    """Tell whether a document read so before: a file may have done so twice, and comes but once."""
    return any(
        known.sha256 == document.sha256 and known.version == document.version
        for known in documents.revisions(now)
    )


def _join_known(
    documents: Documents, archive: zipfile.ZipFile, names: Mapping[str, DocumentId]
) -> None:
    """Have what was here before, and reads otherwise in the archive, go on as it does there."""
    for row in archived.rows(archive, "documents.jsonl"):
        document = archived.document(row)
        here, now = names.get(document.id), names.get(document.superseded_by or "")
        if document.origin or here is None or now is None:
            continue
        there = {each.id: each for each in documents.many([here, now]) if not each.superseded_by}
        if here in there and now in there:
            documents.join(now, here, there[now].added_at)


def _keep(archive: zipfile.ZipFile, files: Files, document: Document, members: list[str]) -> None:
    """Keep the original and the texts that were made of it."""
    originals = [name for name in members if name.startswith("originals/")]
    if len(originals) != 1 or not files.keep_file(
        document.sha256, archived.pieces(archive, originals[0])
    ):
        raise UnusableArchiveError(
            f"the original of “{document.name[:80]}” is missing or damaged.",
            "What came before it was imported. Export the archive again.",
        )
    for name in members:
        if name.startswith("texts/"):
            try:
                files.keep_file(
                    document.sha256, archived.pieces(archive, name), f".{PurePosixPath(name).name}"
                )
            except NotFoundError as error:
                raise UnusableArchiveError(
                    "a text in it has no version that could be one."
                ) from error
    for version in {
        PurePosixPath(name).name.partition(".")[0] for name in members if name.startswith("texts/")
    }:
        parsed = files.text(document.sha256, version)
        # then it is made again from the original
        if parsed is None or not archived.is_sound(parsed):
            files.drop_text(document.sha256, version)


def _quoted(archive: zipfile.ZipFile, erased: Collection[str]) -> Traces:
    """Return the words of what was erased here, as the archive has them: its chats may quote
    them.
    """
    rows = (
        [row for row in archived.rows(archive, "documents.jsonl") if row.get("id") in erased]
        if erased
        else []
    )
    starts = tuple(f"texts/{row['id']}/" for row in rows)
    texts = (
        [name for name in archive.namelist() if name.startswith(starts) and name.endswith(".txt")]
        if starts
        else []
    )
    return Traces(
        (archive.read(name).decode("utf-8", "replace") for name in texts),
        [str(row.get(field, "")) for row in rows for field in ("title", "name")],
    )


def _conversations(
    archive: zipfile.ZipFile,
    stores: ArchiveStores,
    erased: Collection[str],
    names: Mapping[str, DocumentId],
    quoted: Traces,
    progress: Progress,
) -> tuple[int, int]:
    conversations, clock = stores.conversations, stores.clock
    came = known = 0
    in_mind: dict[TurnId, tuple[LineInMind, ...]] = {}
    for row in archived.rows(archive, "conversations.jsonl"):
        progress(0.8, "conversations", f"{counted(came, 'conversation')} added")
        chat, turns = archived.conversation(row, names)
        title, told = "" if quoted.in_(chat.title) else chat.title, telling(turns, erased)
        if chat.id not in erased and _is_away(conversations, chat.id):
            conversations.bring_back(chat.id, clock.now())
            came += 1
        elif chat.id not in erased and conversations.keep(
            replace(chat, title=title),
            [without(turn, erased, quoted.in_, told=told) for turn in turns],
        ):
            divided = archived.threads(row, chat.id, quoted.in_, erased)
            here = conversations.turns(chat.id, every=True)
            stores.threads.add(placed(divided, chat, here, erased))
            in_mind |= {turn.id: turn.given.profile for turn in turns if turn.given}
            came += 1
        else:
            known += 1
    for answer, lines in in_mind.items():  # what they counted may have come after them
        if lines:
            stores.profiles.note_in_mind(answer, lines)
    return came, known


def _profile(archive: zipfile.ZipFile, profiles: Profiles, quoted: Traces) -> None:
    """Take over what was changed in the profile, where nothing was changed here."""
    rows = archived.rows(archive, "profile.jsonl")
    try:
        take_in_profile(rows, profiles, archived.as_moment, quoted.in_)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise UnusableArchiveError(
            "a change of the profile in it is described in a way that this release does not know."
        ) from error


def _is_away(conversations: Conversations, conversation: ConversationId) -> bool:
    """Tell whether a chat was deleted here and can still come back."""
    try:
        return conversations.get(conversation, put_away=True).deleted_at is not None
    except NotFoundError:
        return False


def _decisions(
    archive: zipfile.ZipFile, decisions: Decisions, names: Mapping[str, DocumentId]
) -> None:
    """Take over what was decided about sentences, where nothing was decided about them here."""
    for row in archived.rows(archive, "documents.jsonl"):
        for decision in archived.decisions(row, names):
            if all(
                known.quote != decision.quote
                for known in decisions.about([decision.document]).get(decision.document, [])
            ):
                with suppress(NotFoundError):  # its document was deleted meanwhile
                    decisions.keep(decision)


def _replaced(archive: zipfile.ZipFile, documents: Documents, decisions: Decisions) -> set[str]:
    """Name the corrections of sentences about which something else was decided here, with what
    corrected these in turn.

    They stay out: by itself each would say what the person has put right since.
    """
    named: set[str] = set()
    holding: dict[str, list[str]] = {}
    for row in archived.rows(archive, "documents.jsonl"):
        its = archived.corrections(row)
        named |= {correction for _, correction in its}
        there = _there(documents, archived.document(row)) if its else None
        here = (
            {}
            if there is None
            else {
                decision.quote: decision.correction
                for decision in decisions.about([there.id], away=True).get(there.id, [])
            }
        )
        holding[str(row["id"])] = [
            correction for quote, correction in its if here.get(quote, correction) == correction
        ]
    waiting, held = [each for each in holding if each not in named], set[str]()
    while waiting:
        if (each := waiting.pop()) not in held:
            held.add(each)
            waiting += holding.get(each, ())
    return named - held


def _entity_decisions(
    archive: zipfile.ZipFile, decisions: EntityDecisions, names: Mapping[str, DocumentId]
) -> None:
    """Take over what was decided about entities, as far as the documents came along that they are
    known by.
    """
    for row in archived.rows(archive, "entities.jsonl"):
        decision = archived.entity_decision(row, names)
        if decision is not None:
            decisions.keep(decision)


def _roles(archive: zipfile.ZipFile, roles: Roles) -> None:
    """Take over the roles whose ids are free; one that is kept here stays as it is."""
    for row in archived.rows(archive, "roles.jsonl"):
        roles.add(archived.role(row))


def _identity(archive: zipfile.ZipFile, conversations: Conversations) -> None:
    """Take over who the person is, where nobody has said it here."""
    row = next(iter(archived.rows(archive, "identity.json")), None)
    if row is not None and conversations.identity() == Identity():
        conversations.set_identity(archived.identity(row))


def _settings(archive: zipfile.ZipFile, settings: LiveSettings) -> tuple[str, ...]:
    """Take over settings that are at their default here, and return those that cannot be used."""
    try:
        row = next(iter(archived.rows(archive, SETTINGS)), {})
    except UnusableArchiveError:  # everything else of it was taken in
        return (SETTINGS,)
    known = {field.name: field.default for field in fields(Settings)}
    wanted: dict[str, Any] = {}
    left_out: list[str] = []
    for name in PORTABLE:
        if name == "embedder" or name not in row or getattr(settings.now, name) != known[name]:
            continue
        try:
            (value,) = checked_settings({name: row[name]}).values()
        except InvalidInputError:
            left_out.append(name)
            continue
        if type(row[name]) is not type(known[name]):
            left_out.append(name)
        elif value != known[name]:
            wanted[name] = value
    if wanted:
        try:
            settings.change(**wanted)
        except InvalidInputError:  # the file of this home cannot be written to as it is
            left_out += wanted
    return tuple(left_out)


def _is_taken(documents: Documents, identifier: DocumentId) -> bool:
    try:
        documents.get(identifier, away=True)
    except NotFoundError:
        return False
    return True
