"""Taking an archive in: first every name and every hash is checked, then what is not known yet is added.

Nothing that is there is changed. Documents keep their ids, so what cites them still opens. Each step can be done twice:
an import that was killed is simply done again.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from lpm_kernel.config import Settings
from lpm_kernel.domain.audit import AuditKind
from lpm_kernel.domain.conversations import Branched, Citation, Conversation, Identity, Judged, Judgement, Length, Manner, Part, PartKind, Turn, TurnState
from lpm_kernel.domain.decisions import Decision, Verdict
from lpm_kernel.domain.documents import Document, DocumentKind, DocumentState, ParsedText, Problem
from lpm_kernel.domain.entities import MOST_NAME, EntityDecision, EntityKind, EntityVerdict, Party
from lpm_kernel.domain.ids import ChunkId, ConversationId, DocumentId, JobId, TurnId
from lpm_kernel.domain.jobs import Lane
from lpm_kernel.domain.library import plain_folder
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Audit, Conversations, Decisions, Documents, EntityDecisions, Files
from lpm_kernel.domain.workspace import LAYOUT, Workspace
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError, UnusableArchiveError
from lpm_kernel.L0.traces import Traces
from lpm_kernel.L1.entities import known_by
from lpm_kernel.usecases.add import checked_tags, checked_title, plain_name
from lpm_kernel.usecases.chat import MOST_SAID
from lpm_kernel.usecases.erase import without
from lpm_kernel.usecases.exporting import FORMAT, PIECE, PORTABLE
from lpm_kernel.usecases.findings import LONGEST, finding_id
from lpm_kernel.usecases.ingest import drop_if_unknown
from lpm_kernel.usecases.library import restore
from lpm_kernel.usecases.workspace import write_back

MOST_MEMBERS = 1_000_000
LARGEST = 1 << 53
"""Numbers in an archive are smaller."""
MOST_PATH = 500
LONGEST_LINE = 50_000_000
"""Bytes of one document's or one chat's line."""
FOLDERS = ("originals", "texts")
FILES = frozenset({"documents.jsonl", "entities.jsonl", "conversations.jsonl", "identity.json", "settings.json", "audit.jsonl", "README.md"})

_VERSION = re.compile(r"[a-z0-9-]+")

Progress = Callable[[float, str, str], None]


@dataclass(frozen=True)
class TakenIn:
    """What an import did."""

    documents: int
    known: int
    conversations: int
    conversations_known: int
    erased: int
    """Left out because they were erased here."""

    @property
    def sentence(self) -> str:
        """Say it."""
        known = f" {self.known} documents and {self.conversations_known} conversations were there already." if self.known or self.conversations_known else ""
        erased = f" {self.erased} were left out because they were erased here; add the files to have them again." if self.erased else ""
        return f"{self.documents} documents and {self.conversations} conversations were added.{known}{erased}"


def take_in(
    documents: Documents,
    decisions: Decisions,
    entity_decisions: EntityDecisions,
    conversations: Conversations,
    files: Files,
    workspace: Workspace,
    audit: Audit,
    erased: Callable[[], Collection[str]],
    clock: Clock,
    settings: Settings,
    change_settings: Callable[[Mapping[str, Any]], None],
    path: Path,
    progress: Progress = lambda *_: None,
) -> TakenIn:
    """Add what is in an archive. Raises ``UnusableArchiveError``, and then nothing was taken in.

    ``erased`` tells what was erased here until now: it may grow while the archive is taken in.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            try:
                manifest = checked(archive, path, progress)
            except (OSError, ValueError) as error:  # an offset that leads nowhere, a name that is no text
                raise UnusableArchiveError("it is no zip file, or not all of it.") from error
            came, known, gone, names = _documents(archive, documents, files, workspace, erased, clock, progress)
            _decisions(archive, decisions, names)
            _entity_decisions(archive, entity_decisions, names)
            chats, chats_known = _conversations(archive, conversations, erased(), names, _quoted(archive, erased()), clock, progress)
            _identity(archive, conversations)
            _settings(archive, settings, change_settings)
    except (zipfile.BadZipFile, zlib.error, EOFError, UnicodeDecodeError, NotImplementedError, RuntimeError) as error:
        raise UnusableArchiveError("it is no zip file, or not all of it.") from error
    audit.append(clock.now(), AuditKind.IMPORTED, documents=came, conversations=chats, archive=str(manifest["sha256"]))
    return TakenIn(came, known, chats, chats_known, gone)


def checked(archive: zipfile.ZipFile, path: Path, progress: Progress) -> dict[str, Any]:
    """Check version, names, sizes and hashes of everything in the archive, and return its manifest."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise UnusableArchiveError("there are too many files in it.")
    manifest = _manifest(archive)
    hashes: dict[str, str] = manifest["members"]
    names = [member.filename for member in members]
    if len(set(names)) != len(names) or set(names) != {*hashes, "manifest.json"}:
        raise UnusableArchiveError("what is in it is not what its manifest says.")
    for member in members:
        _check_name(member)
    size = sum(member.file_size for member in members)
    if size > shutil.disk_usage(path.parent).free:
        raise UnusableArchiveError("it holds more than there is room for on the disk.", "Nothing of it was taken in. Free some space first.")
    done = 0
    for name, wanted in hashes.items():
        progress(0.3 * done / max(1, size), "check", "Checking the archive")
        made = hashlib.sha256()
        for piece in _pieces(archive, name):
            made.update(piece)
            done += len(piece)
        if made.hexdigest() != wanted:
            raise UnusableArchiveError(f"“{PurePosixPath(name).name[:80]}” in it is not as it was written.")
    return manifest | {"sha256": hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()}


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        if archive.getinfo("manifest.json").file_size > LONGEST_LINE * 4:
            raise UnusableArchiveError("its manifest is too long.")
        manifest = json.loads(archive.read("manifest.json"))
        version, members = int(manifest["format"]), manifest["members"]
        well_formed = isinstance(members, dict) and all(isinstance(name, str) and isinstance(known, str) for name, known in members.items())
    except (KeyError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise UnusableArchiveError("it has no manifest, so it is no archive of Second Me.") from error
    if version > FORMAT:
        raise UnusableArchiveError(f"a newer release wrote it (format {version}).", "Nothing of it was taken in. Install that release and import it there.")
    if not well_formed:
        raise UnusableArchiveError("its manifest cannot be read.")
    return dict(manifest)


def _check_name(member: zipfile.ZipInfo) -> None:
    """Refuse names that lead elsewhere, links, and what no archive of ours holds."""
    path = PurePosixPath(member.filename)
    parts = path.parts
    plain = str(path) == member.filename and not path.is_absolute() and ".." not in parts and "\\" not in member.filename and "\0" not in member.filename
    link = stat.S_ISLNK(member.external_attr >> 16)
    ours = member.filename in FILES | {"manifest.json"} or (len(parts) == len(("folder", "id", "name")) and parts[0] in FOLDERS)
    if not plain or link or not ours or member.flag_bits & 1:
        raise UnusableArchiveError("a file in it has a name or a form that no archive of Second Me has.")


def _documents(
    archive: zipfile.ZipFile,
    documents: Documents,
    files: Files,
    workspace: Workspace,
    erased: Callable[[], Collection[str]],
    clock: Clock,
    progress: Progress,
) -> tuple[int, int, int, dict[str, DocumentId]]:
    """Add the documents that are not known. Returns how many came, were known, were erased here, and the id of each."""
    members: dict[str, list[str]] = {}
    for name in archive.namelist():
        if name.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
            members.setdefault(name.split("/")[1], []).append(name)
    names: dict[str, DocumentId] = {}
    earlier: list[Document] = []
    came = known = gone = 0
    for row in _rows(archive, "documents.jsonl"):
        document = _document(row)
        progress(0.3 + 0.5 * min(1.0, len(names) / max(1, len(members))), "documents", f"{came} documents added")
        if document.id in erased():
            gone += 1
            continue
        there = _there(documents, document)
        if there is not None:
            back = there.deleted_at is not None and there.superseded_by is None
            if back:  # adding the same bytes brings it back
                with suppress(ConflictError):  # something else stands where its file was
                    write_back(workspace, files, documents, deleted=[there.id])
                restore(files, documents, clock, [there.id])
            names[document.id], came, known = there.id, came + back, known + (not back)
            continue
        identifier = DocumentId("d_" + secrets.token_hex(8)) if _is_taken(documents, document.id) else document.id
        parent = names.get(document.parent, document.parent) if document.parent else None
        with files.locked():
            _keep(archive, files, document, members.get(document.id, []))
            fresh, job = replace(document, id=identifier, parent=parent), JobId("j_" + secrets.token_hex(8))
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
    return came, known, gone, names


def _there(documents: Documents, document: Document) -> Document | None:
    """Return what has these bytes here. What a file said before is found by nobody, so it stands for nothing but that."""
    known = documents.by_hash(document.sha256)
    return None if known is not None and known.superseded_by is not None and document.superseded_by is None else known


def _put_in_workspace(workspace: Workspace, documents: Documents, files: Files, document: Document) -> bool:
    """Write the file that a document was elsewhere. ``False``: another one is there, so it is taken in like any document."""
    if documents.by_origin(document.origin) is not None:
        return False
    data = files.original(document.sha256)
    try:
        there = workspace.read(document.origin)
        untouched = there is not None and there.decode("utf-8", "replace") == LAYOUT.get(document.origin)
        return there == data or ((there is None or untouched) and workspace.write(document.origin, data, there))
    except (OSError, InvalidInputError):  # something else stands in its place, or the path is none here
        return False


def _add_earlier(documents: Documents, files: Files, earlier: Sequence[Document], names: Mapping[str, DocumentId]) -> None:
    """Add what files of the workspace said before, where it came how they read now."""
    for each in earlier:
        now = names.get(each.superseded_by or "")
        if now is not None and documents.many([now]) and not any(known.sha256 == each.sha256 for known in documents.revisions(now)):
            documents.add_revision(replace(each, superseded_by=now))
        else:
            drop_if_unknown(files, documents, each.sha256)


def _keep(archive: zipfile.ZipFile, files: Files, document: Document, members: list[str]) -> None:
    """Keep the original and the texts that were made of it."""
    originals = [name for name in members if name.startswith("originals/")]
    if len(originals) != 1 or not files.keep_file(document.sha256, _pieces(archive, originals[0])):
        raise UnusableArchiveError(
            f"the original of “{document.name[:80]}” is missing or damaged.", "What came before it was taken in. Make the archive again."
        )
    for name in members:
        if name.startswith("texts/"):
            try:
                files.keep_file(document.sha256, _pieces(archive, name), f".{PurePosixPath(name).name}")
            except NotFoundError as error:
                raise UnusableArchiveError("a text in it has no version that could be one.") from error
    for version in {PurePosixPath(name).name.partition(".")[0] for name in members if name.startswith("texts/")}:
        parsed = files.text(document.sha256, version)
        if parsed is None or not _is_sound(parsed):  # then it is made again from the original
            files.drop_text(document.sha256, version)


def _is_sound(parsed: ParsedText) -> bool:
    """Tell whether what came as a text and its parts is one: it was written elsewhere."""
    words = (parsed.title, *parsed.tags, *parsed.remarks, *(word for part in parsed.segments for word in (part.session, part.speaker, part.turn)))
    spans = ((part.start, part.end) for part in parsed.segments)
    return (
        all(word is None or _is_text(word) for word in words)
        and all(type(start) is type(end) is int and 0 <= start <= end <= len(parsed.text) for start, end in spans)
        and all(part.page is None or type(part.page) is int for part in parsed.segments)
        and all(type(flag) is bool for flag in (parsed.private, parsed.kept_only, *(part.whole for part in parsed.segments)))
    )


def _is_text(value: object) -> bool:
    """Tell whether a value is a text that can be written down: no half of a surrogate pair."""
    return isinstance(value, str) and value.encode("utf-8", "replace").decode() == value


def _quoted(archive: zipfile.ZipFile, erased: Collection[str]) -> Traces:
    """Return the words of what was erased here, as the archive has them: its chats may quote them."""
    rows = [row for row in _rows(archive, "documents.jsonl") if row.get("id") in erased] if erased else []
    starts = tuple(f"texts/{row['id']}/" for row in rows)
    texts = [name for name in archive.namelist() if name.startswith(starts) and name.endswith(".txt")] if starts else []
    return Traces((archive.read(name).decode("utf-8", "replace") for name in texts), [str(row.get(field, "")) for row in rows for field in ("title", "name")])


def _conversations(
    archive: zipfile.ZipFile,
    conversations: Conversations,
    erased: Collection[str],
    names: Mapping[str, DocumentId],
    quoted: Traces,
    clock: Clock,
    progress: Progress,
) -> tuple[int, int]:
    came = known = 0
    for row in _rows(archive, "conversations.jsonl"):
        progress(0.8, "conversations", f"{came} conversations added")
        chat, turns = _conversation(row, names)
        title = "" if quoted.in_(chat.title) else chat.title
        if chat.id not in erased and _is_away(conversations, chat.id):
            conversations.bring_back(chat.id, clock.now())
            came += 1
        elif chat.id not in erased and conversations.keep(replace(chat, title=title), [without(turn, erased, quoted.in_) for turn in turns]):
            came += 1
        else:
            known += 1
    return came, known


def _is_away(conversations: Conversations, conversation: ConversationId) -> bool:
    """Tell whether a chat was deleted here and can still come back."""
    try:
        return conversations.get(conversation, put_away=True).deleted_at is not None
    except NotFoundError:
        return False


def _decisions(archive: zipfile.ZipFile, decisions: Decisions, names: Mapping[str, DocumentId]) -> None:
    """Take over what was decided about sentences, where nothing was decided about them here."""
    for row in _rows(archive, "documents.jsonl"):
        listed = row.get("decisions", [])
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            raise UnusableArchiveError("a decision in it is described in a way that this release does not know.")
        for each in listed:
            decision = _decision(each, names)
            if decision is not None and all(known.quote != decision.quote for known in decisions.about([decision.document]).get(decision.document, [])):
                with suppress(NotFoundError):  # its document was deleted meanwhile
                    decisions.keep(decision)


def _decision(row: Mapping[str, Any], names: Mapping[str, DocumentId]) -> Decision | None:
    """Read a decision; ``None`` where its document did not come along."""
    try:
        document, correction = names.get(str(row["document"])), row["correction"]
        start, end, verdict = _whole(row["start"]), _whole(row["end"]), Verdict(row["verdict"])
        moment, version, quote = _moment(row["at"]), _version(row["text_version"]), str(row["quote"])
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise UnusableArchiveError("a decision in it is described in a way that this release does not know.") from error
    if document is None or not quote or len(quote) > LONGEST:
        return None
    corrected_by = names.get(str(correction)) if correction else None
    return Decision(finding_id(document, start, end), document, quote, version, start, end, verdict, moment, corrected_by)


def _entity_decisions(archive: zipfile.ZipFile, decisions: EntityDecisions, names: Mapping[str, DocumentId]) -> None:
    """Take over what was decided about entities, as far as the documents came along that they are known by."""
    for row in _rows(archive, "entities.jsonl"):
        decision = _entity_decision(row, names)
        if decision is not None:
            decisions.keep(decision)


def _entity_decision(row: Mapping[str, Any], names: Mapping[str, DocumentId]) -> EntityDecision | None:
    """Read a decision about entities; ``None`` where one of them is known by no document that came along."""
    try:
        decision = EntityDecision(
            id=_short(row["id"]),
            verdict=EntityVerdict(row["verdict"]),
            at=_moment(row["at"]),
            parties=tuple(_party(each) for each in row["parties"]),
            name=None if row["name"] is None else str(row["name"])[:MOST_NAME],
            kind=None if row["kind"] is None else EntityKind(row["kind"]),
            hidden=None if row["hidden"] is None else row["hidden"] is True,
            documents=frozenset(DocumentId(_short(each)) for each in row["documents"]),
        )
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise UnusableArchiveError("a decision in it is described in a way that this release does not know.") from error
    known = known_by(decision, {DocumentId(each) for each in names}) if decision.parties else None
    if known is None:
        return None
    parties = tuple(replace(each, forms={form: frozenset(names[old] for old in documents) for form, documents in each.forms.items()}) for each in known.parties)
    return replace(known, parties=parties, documents=frozenset(names[old] for old in known.documents))


def _party(row: Mapping[str, Any]) -> Party:
    forms = {_short(form, LONGEST): frozenset(DocumentId(_short(each)) for each in documents) for form, documents in row["forms"].items()}
    return Party(_short(row["slug"], LONGEST), _short(row["name"], LONGEST), forms)


def _identity(archive: zipfile.ZipFile, conversations: Conversations) -> None:
    """Take over who the person is, where nobody has said it here."""
    row = next(iter(_rows(archive, "identity.json")), None)
    if row is None or conversations.identity() != Identity():
        return
    languages = row.get("languages")
    spoken = tuple(str(each)[:20] for each in languages[:20]) if isinstance(languages, list) else ()
    name, introduction, style, values = (str(row.get(field, ""))[:4000] for field in ("name", "introduction", "style", "values"))
    length = next((each for each in Length if each == row.get("length")), Length.NORMAL)
    manner = next((each for each in Manner if each == row.get("manner")), Manner.USUAL)
    conversations.set_identity(Identity(name, introduction, style, spoken, values, length, manner))


def _settings(archive: zipfile.ZipFile, settings: Settings, change_settings: Callable[[Mapping[str, Any]], None]) -> None:
    """Take over settings that are at their default here."""
    row = next(iter(_rows(archive, "settings.json")), {})
    known = {each.name: each.default for each in fields(Settings)}
    wanted = {
        name: row[name]
        for name in PORTABLE
        if name != "embedder" and name in row and type(row[name]) is type(known[name]) and getattr(settings, name) == known[name] != row[name]
    }
    if wanted:
        change_settings(wanted)


def _rows(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    """Read a file of JSON lines."""
    if name not in archive.namelist():
        return
    with archive.open(name) as handle:
        while line := handle.readline(LONGEST_LINE):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UnusableArchiveError(f"“{name}” in it cannot be read.") from error
            if not isinstance(row, dict) or not _is_text(json.dumps(row, ensure_ascii=False)):
                raise UnusableArchiveError(f"“{name}” in it cannot be read.")
            yield row


def _pieces(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as handle:
        while piece := handle.read(PIECE):
            yield piece


def _document(row: Mapping[str, Any]) -> Document:
    try:
        return Document(
            id=DocumentId(_short(row["id"])),
            title=checked_title(str(row["title"])),
            kind=DocumentKind(row["kind"]),
            sha256=_short(row["sha256"], 64),
            bytes=_whole(row["bytes"]),
            state=DocumentState.RECEIVED,
            added_at=_moment(row["added_at"]),
            created_at=None if row["created_at"] is None else _moment(row["created_at"]),
            name=plain_name(str(row["name"])),
            tags=checked_tags([str(tag) for tag in row["tags"]]),
            private=row["private"] is True,
            text_version=None if row.get("text_version") is None else _version(row["text_version"]),
            parent=DocumentId(_short(row["parent"])) if row.get("parent") else None,
            folder=plain_folder(str(row.get("folder") or "")),
            origin=_origin(row.get("origin")),
            superseded_by=DocumentId(_short(row["superseded_by"])) if row.get("superseded_by") else None,
        )
    except (KeyError, ValueError, TypeError, OverflowError, InvalidInputError) as error:
        raise UnusableArchiveError("a document in it is described in a way that this release does not know.") from error


def _origin(value: object) -> str:
    """Read the path of a file of the workspace; one that leads elsewhere is none."""
    path = PurePosixPath(str(value or ""))
    plain = str(path) == value and not path.is_absolute() and ".." not in path.parts and path.suffix.lower() == ".md" and len(str(path)) <= MOST_PATH
    return str(path) if plain and not any(part.startswith(".") for part in path.parts) and _is_text(value) else ""


def _conversation(row: Mapping[str, Any], names: Mapping[str, DocumentId]) -> tuple[Conversation, list[Turn]]:
    try:
        identifier = ConversationId(_short(row["id"]))
        from_ = row.get("branched_from")
        branched = None if from_ is None else Branched(ConversationId(_short(from_["conversation"])), TurnId(_short(from_["turn"])))
        chat = Conversation(identifier, str(row["title"])[:300], _moment(row["created_at"]), _moment(row["updated_at"]), branched_from=branched)
        return chat, [_turn(each, identifier, names) for each in row["turns"]]
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise UnusableArchiveError("a conversation in it is described in a way that this release does not know.") from error


def _turn(row: Mapping[str, Any], conversation: ConversationId, names: Mapping[str, DocumentId]) -> Turn:
    if row["role"] not in {"user", "assistant"}:
        raise ValueError(row["role"])
    cited = [_citation(each) for each in row["citations"]]
    return Turn(
        id=TurnId(_short(row["id"], 80)),
        conversation=conversation,
        role=row["role"],
        text=str(row["text"]),
        state=TurnState(row["state"]),
        created_at=_moment(row["created_at"]),
        parts=tuple(Part(PartKind(part["kind"]), str(part["text"]), tuple(_whole(n) for n in part["citations"])) for part in row["parts"]),
        citations=tuple(replace(each, document=names.get(each.document, each.document)) for each in cited),
        evidence=tuple(ChunkId(_short(each)) for each in row["evidence"]),
        model=None if row["model"] is None else str(row["model"])[:300],
        prompt_hash=None if row["prompt_hash"] is None else _short(row["prompt_hash"], 64),
        abstained=row["abstained"] is True,
        problem=None if row["problem"] is None else Problem(*(str(row["problem"][name]) for name in ("title", "detail", "hint"))),
        answers=None if row["answers"] is None else TurnId(_short(row["answers"], 80)),
        shown=row.get("shown") is not False,
        verdict=None if row.get("verdict") is None else _judgement(row["verdict"]),
    )


def _judgement(row: Mapping[str, Any]) -> Judgement:
    return Judgement(Judged(row["judged"]), _moment(row["at"]), str(row["better"])[:MOST_SAID])


def _citation(row: Mapping[str, Any]) -> Citation:
    chunk, document, quote = (_short(row[name], 64) for name in ("chunk", "document", "quote_hash"))
    version = _version(row["text_version"])
    start, end = _whole(row["start"]), _whole(row["end"])
    return Citation(_whole(row["n"]), ChunkId(chunk), DocumentId(document), version, start, end, quote)


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < LARGEST:
        message = "no number that could be one"
        raise ValueError(message)
    return value


def _version(value: object) -> str:
    if not _VERSION.fullmatch(text := _short(value, 32)):
        message = "no version of a text"
        raise ValueError(message)
    return text


def _short(value: object, longest: int = 40) -> str:
    if not isinstance(value, str) or not value or len(value) > longest:
        message = "no identifier"
        raise ValueError(message)
    return value


def _moment(value: object) -> datetime:
    return datetime.fromisoformat(str(value)).astimezone()


def _is_taken(documents: Documents, identifier: DocumentId) -> bool:
    try:
        documents.get(identifier, away=True)
    except NotFoundError:
        return False
    return True
