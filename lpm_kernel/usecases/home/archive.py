"""Reading an archive: whether it is whole and holds nothing else, and its rows as the values they
tell of.

Everything in it was written elsewhere, maybe by nobody's node: each shape is checked, and what this
release does not know raises ``UnusableArchiveError``. Nothing here writes.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import stat
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from lpm_kernel.domain.chat.conversations import (
    AnswerBasis,
    AnswerPart,
    AnswerVerdict,
    Branched,
    Citation,
    Conversation,
    Identity,
    Judgement,
    Keeping,
    Length,
    Manner,
    PartKind,
    Turn,
    TurnState,
)
from lpm_kernel.domain.chat.roles import MOST_CAST, Role
from lpm_kernel.domain.chat.threads import Thread
from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ids import ChunkId, ConversationId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import (
    Document,
    DocumentKind,
    DocumentState,
    ParsedText,
    Problem,
)
from lpm_kernel.domain.library.listing import plain_folder
from lpm_kernel.domain.memory.decisions import Decision, Verdict, is_correction
from lpm_kernel.domain.memory.entities import (
    MOST_NAME,
    EntityDecision,
    EntityKind,
    EntityVerdict,
    Party,
)
from lpm_kernel.errors import InvalidInputError, UnusableArchiveError
from lpm_kernel.L1.entities.resolution import known_by
from lpm_kernel.usecases.chat.profile_archives import line_in_mind
from lpm_kernel.usecases.chat.roles import from_archive
from lpm_kernel.usecases.chat.thread_archives import from_archive as from_thread_archive
from lpm_kernel.usecases.chat.turns import MOST_SAID
from lpm_kernel.usecases.library import file_names
from lpm_kernel.usecases.library.file_names import plain_name
from lpm_kernel.usecases.library.intake import checked_tags, checked_title
from lpm_kernel.usecases.memory.findings import LONGEST, finding_id

FORMAT = 8
"""Version of the archive. A newer one than this is refused."""
PIECE = 1 << 20
MOST_MEMBERS = 1_000_000
LARGEST = 1 << 53
"""Numbers in an archive are smaller."""
MOST_PATH = 500
LONGEST_LINE = 50_000_000
"""Bytes of one document's or one chat's line."""
FOLDERS = ("originals", "texts")
FILES = frozenset(
    {
        "documents.jsonl",
        "entities.jsonl",
        "settled.jsonl",
        "conversations.jsonl",
        "profile.jsonl",
        "contacts.jsonl",
        "tables.jsonl",
        "roles.jsonl",
        "identity.json",
        "settings.json",
        "audit.jsonl",
        "README.md",
    }
)

UNKNOWN_DECISION = "a decision in it is described in a way that this release does not know."

_VERSION = re.compile(r"[a-z0-9-]+")


def checked(archive: zipfile.ZipFile, path: Path, progress: Progress) -> dict[str, Any]:
    """Check version, names, sizes and hashes of everything in the archive, and return its
    manifest.
    """
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise UnusableArchiveError("there are too many files in it.")
    manifest = _manifest(archive)
    hashes: dict[str, str] = manifest["members"]
    names = [member.filename for member in members]
    if len(set(names)) != len(names) or set(names) != {*hashes, "manifest.json"}:
        raise UnusableArchiveError("its contents do not match its manifest.")
    for member in members:
        _check_name(member)
    size = sum(member.file_size for member in members)
    if size > shutil.disk_usage(path.parent).free:
        raise UnusableArchiveError(
            "it is too large for the free space on the disk.",
            "Nothing was imported. Free some space first.",
        )
    done = 0
    for name, wanted in hashes.items():
        progress(0.3 * done / max(1, size), "check", "Checking the archive")
        made = hashlib.sha256()
        for piece in pieces(archive, name):
            made.update(piece)
            done += len(piece)
        if made.hexdigest() != wanted:
            raise UnusableArchiveError(
                f"“{PurePosixPath(name).name[:80]}” in it is not as it was written."
            )
    return manifest | {
        "sha256": hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()
    }


def rows(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
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


def pieces(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Read a file piece by piece."""
    with archive.open(name) as handle:
        while piece := handle.read(PIECE):
            yield piece


def document(row: Mapping[str, Any]) -> Document:
    """Read a row of ``documents.jsonl``, under the id that it had elsewhere."""
    try:
        return Document(
            id=DocumentId(as_short(row["id"])),
            title=checked_title(str(row["title"])),
            kind=DocumentKind(row["kind"]),
            sha256=as_short(row["sha256"], 64),
            bytes=as_whole(row["bytes"]),
            state=DocumentState.RECEIVED,
            added_at=as_moment(row["added_at"]),
            created_at=None if row["created_at"] is None else as_moment(row["created_at"]),
            name=plain_name(str(row["name"])),
            tags=checked_tags([str(tag) for tag in row["tags"]]),
            private=row["private"] is True,
            text_version=(
                None if row.get("text_version") is None else as_version(row["text_version"])
            ),
            parent=DocumentId(as_short(row["parent"])) if row.get("parent") else None,
            folder=plain_folder(str(row.get("folder") or "")),
            origin=as_origin(row.get("origin")),
            superseded_by=(
                DocumentId(as_short(row["superseded_by"])) if row.get("superseded_by") else None
            ),
            corrects=_corrects(row),
            version=max(1, as_whole(row.get("version", 1))),
            path=str(row.get("path") or "")[: file_names.MOST_PATH],
            apart=row.get("apart") is True,
        )
    except (KeyError, ValueError, TypeError, OverflowError, InvalidInputError) as error:
        raise UnusableArchiveError(
            "a document in it is described in a way that this release does not know."
        ) from error


def is_sound(parsed: ParsedText) -> bool:
    """Tell whether what came as a text and its parts is one: it was written elsewhere."""
    words = (
        parsed.title,
        *parsed.tags,
        *parsed.remarks,
        *(word for part in parsed.segments for word in (part.session, part.speaker, part.turn)),
    )
    spans = ((part.start, part.end) for part in parsed.segments)
    return (
        all(word is None or _is_text(word) for word in words)
        and all(
            type(start) is type(end) is int and 0 <= start <= end <= len(parsed.text)
            for start, end in spans
        )
        and all(part.page is None or type(part.page) is int for part in parsed.segments)
        and all(
            type(flag) is bool
            for flag in (
                parsed.private,
                parsed.kept_only,
                *(part.whole for part in parsed.segments),
            )
        )
    )


def conversation(
    row: Mapping[str, Any], names: Mapping[str, DocumentId]
) -> tuple[Conversation, list[Turn]]:
    """Read a row of ``conversations.jsonl``; ``names`` gives the id that each document has here."""
    try:
        identifier = ConversationId(as_short(row["id"]))
        from_ = row.get("branched_from")
        branched = (
            None
            if from_ is None
            else Branched(
                ConversationId(as_short(from_["conversation"])), TurnId(as_short(from_["turn"]))
            )
        )
        role = row.get("role")  # before there could be several
        cast = tuple(as_short(each) for each in row.get("cast", [role] if role else []))[:MOST_CAST]
        times = as_moment(row["created_at"]), as_moment(row["updated_at"])
        chat = Conversation(
            identifier,
            str(row["title"])[:300],
            *times,
            branched_from=branched,
            cast=cast,
            keeping=Keeping(row.get("keeping", "full")),
        )
        return chat, [_turn(each, identifier, names) for each in row["turns"]]
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise UnusableArchiveError(
            "a conversation in it is described in a way that this release does not know."
        ) from error


def decisions(row: Mapping[str, Any], names: Mapping[str, DocumentId]) -> list[Decision]:
    """Read what was decided about sentences of a document; without those whose document did not
    come along.
    """
    listed = row.get("decisions", [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise UnusableArchiveError(UNKNOWN_DECISION)
    return [known for each in listed if (known := _decision(each, names)) is not None]


def corrections(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name what was put right in a document: the words, and the id of the correction as the archive
    has it.
    """
    listed = row.get("decisions", [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise UnusableArchiveError(UNKNOWN_DECISION)
    return [
        (str(each.get("quote")), str(each["correction"]))
        for each in listed
        if each.get("correction")
    ]


def entity_decision(
    row: Mapping[str, Any], names: Mapping[str, DocumentId]
) -> EntityDecision | None:
    """Read a decision about entities; ``None`` where one of them is known by no document that came
    along.
    """
    try:
        decision = EntityDecision(
            id=as_short(row["id"]),
            verdict=EntityVerdict(row["verdict"]),
            at=as_moment(row["at"]),
            parties=tuple(_party(each) for each in row["parties"]),
            name=None if row["name"] is None else str(row["name"])[:MOST_NAME],
            kind=None if row["kind"] is None else EntityKind(row["kind"]),
            hidden=None if row["hidden"] is None else row["hidden"] is True,
            documents=frozenset(DocumentId(as_short(each)) for each in row["documents"]),
        )
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise UnusableArchiveError(UNKNOWN_DECISION) from error
    known = known_by(decision, {DocumentId(name) for name in names}) if decision.parties else None
    if known is None:
        return None
    parties = tuple(
        replace(
            party,
            forms={
                form: frozenset(names[old] for old in documents)
                for form, documents in party.forms.items()
            },
        )
        for party in known.parties
    )
    return replace(
        known, parties=parties, documents=frozenset(names[old] for old in known.documents)
    )


def role(row: Mapping[str, Any]) -> Role:
    """Read a row of ``roles.jsonl``."""
    try:
        return from_archive(row, as_moment)
    except (KeyError, ValueError, TypeError, OverflowError, InvalidInputError) as error:
        raise UnusableArchiveError(
            "a role in it is described in a way that this release does not know."
        ) from error


def identity(row: Mapping[str, Any]) -> Identity:
    """Read ``identity.json``; what is missing there is left at its default."""
    languages = row.get("languages")
    spoken = (
        tuple(str(language)[:20] for language in languages[:20])
        if isinstance(languages, list)
        else ()
    )
    name, introduction, style, values = (
        str(row.get(field, ""))[:4000] for field in ("name", "introduction", "style", "values")
    )
    length = next((each for each in Length if each == row.get("length")), Length.NORMAL)
    manner = next((each for each in Manner if each == row.get("manner")), Manner.USUAL)
    return Identity(name, introduction, style, spoken, values, length, manner)


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        if archive.getinfo("manifest.json").file_size > LONGEST_LINE * 4:
            raise UnusableArchiveError("its manifest is too long.")
        manifest = json.loads(archive.read("manifest.json"))
        version, members = int(manifest["format"]), manifest["members"]
        well_formed = isinstance(members, dict) and all(
            isinstance(name, str) and isinstance(known, str) for name, known in members.items()
        )
    except (KeyError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise UnusableArchiveError(
            "it has no manifest, so it is not an archive of Second Me."
        ) from error
    if version > FORMAT:
        raise UnusableArchiveError(
            f"a newer release wrote it (format {version}).",
            "Nothing was imported. Install that release and import it there.",
        )
    if not well_formed:
        raise UnusableArchiveError("its manifest cannot be read.")
    return dict(manifest)


def _check_name(member: zipfile.ZipInfo) -> None:
    """Refuse names that lead elsewhere, links, and what no archive of ours holds."""
    path = PurePosixPath(member.filename)
    parts = path.parts
    plain = (
        str(path) == member.filename
        and not path.is_absolute()
        and ".." not in parts
        and "\\" not in member.filename
        and "\0" not in member.filename
    )
    link = stat.S_ISLNK(member.external_attr >> 16)
    ours = member.filename in FILES | {"manifest.json"} or (
        len(parts) == len(("folder", "id", "name")) and parts[0] in FOLDERS
    )
    if not plain or link or not ours or member.flag_bits & 1:
        raise UnusableArchiveError(
            "a file in it has a name or a form that no archive of Second Me has."
        )


def as_origin(value: object) -> str:
    """Read the path of a file of the workspace; one that leads elsewhere is none."""
    path = PurePosixPath(str(value or ""))
    plain = (
        str(path) == value
        and not path.is_absolute()
        and ".." not in path.parts
        and path.suffix.lower() == ".md"
        and len(str(path)) <= MOST_PATH
    )
    return (
        str(path)
        if plain and not any(part.startswith(".") for part in path.parts) and _is_text(value)
        else ""
    )


def _corrects(row: Mapping[str, Any]) -> bool:
    """Tell whether it was made as a correction; by its name where a release wrote it that did not
    keep this.
    """
    said = (
        row["corrects"] is True
        if "corrects" in row
        else is_correction(str(row["name"])) and not row.get("folder")
    )
    return said and not (row.get("origin") or row.get("parent"))


def threads(
    row: Mapping[str, Any],
    conversation: ConversationId,
    quotes: Callable[[str], bool],
    erased: Collection[str],
) -> list[Thread]:
    """Read the threads of a chat, without what was erased here."""
    try:
        return [
            from_thread_archive(each, conversation, as_moment, quotes, erased)
            for each in row.get("threads", ())
        ]
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise UnusableArchiveError(
            "a thread of a chat in it is described in a way that this release does not know."
        ) from error


def _turn(
    row: Mapping[str, Any], conversation: ConversationId, names: Mapping[str, DocumentId]
) -> Turn:
    if row["role"] not in {"user", "assistant"}:
        raise ValueError(row["role"])
    cited = [_citation(each) for each in row["citations"]]
    return Turn(
        id=TurnId(as_short(row["id"], 80)),
        conversation=conversation,
        role=row["role"],
        text=str(row["text"]),
        state=TurnState(row["state"]),
        created_at=as_moment(row["created_at"]),
        parts=tuple(
            AnswerPart(
                PartKind(part["kind"]),
                str(part["text"]),
                tuple(as_whole(n) for n in part["citations"]),
            )
            for part in row["parts"]
        ),
        citations=tuple(
            replace(citation, document=names.get(citation.document, citation.document))
            for citation in cited
        ),
        evidence=tuple(ChunkId(as_short(each)) for each in row["evidence"]),
        model=None if row["model"] is None else str(row["model"])[:300],
        prompt_hash=None if row["prompt_hash"] is None else as_short(row["prompt_hash"], 64),
        abstained=row["abstained"] is True,
        problem=(
            None
            if row["problem"] is None
            else Problem(*(str(row["problem"][name]) for name in ("title", "detail", "hint")))
        ),
        answers=None if row["answers"] is None else TurnId(as_short(row["answers"], 80)),
        shown=row.get("shown") is not False,
        verdict=None if row.get("verdict") is None else _judgement(row["verdict"]),
        given=None if row.get("given") is None else _given(row["given"], names),
        speaker=as_short(row["speaker"]) if row.get("speaker") else "",
        by_owner=_by_owner(row),
    )


def _by_owner(row: Mapping[str, Any]) -> bool | None:
    said = row.get("by_owner")
    return said if isinstance(said, bool) else None


def _given(row: Mapping[str, Any], names: Mapping[str, DocumentId]) -> AnswerBasis:
    core, heard = (
        tuple(as_short(each, 64) for each in row["core"]),
        tuple(TurnId(as_short(each, 80)) for each in row["heard"]),
    )
    documents = tuple(
        names.get(each, DocumentId(as_short(each))) for each in row.get("documents", ())
    )
    return AnswerBasis(
        core,
        heard,
        row["learned"] is not False,
        row.get("whole") is not False,
        documents,
        tuple(ChunkId(as_short(each)) for each in row.get("lately", ())),
        tuple(line_in_mind(each) for each in row.get("profile", ())),
    )


def _judgement(row: Mapping[str, Any]) -> Judgement:
    return Judgement(
        AnswerVerdict(row["judged"]), as_moment(row["at"]), str(row["better"])[:MOST_SAID]
    )


def _citation(row: Mapping[str, Any]) -> Citation:
    chunk, document, quote = (
        as_short(row[name], 64) for name in ("chunk", "document", "quote_hash")
    )
    version = as_version(row["text_version"])
    start, end = as_whole(row["start"]), as_whole(row["end"])
    return Citation(
        as_whole(row["n"]), ChunkId(chunk), DocumentId(document), version, start, end, quote
    )


def _decision(row: Mapping[str, Any], names: Mapping[str, DocumentId]) -> Decision | None:
    try:
        document, correction = names.get(str(row["document"])), row["correction"]
        start, end, verdict = as_whole(row["start"]), as_whole(row["end"]), Verdict(row["verdict"])
        moment, version, quote = (
            as_moment(row["at"]),
            as_version(row["text_version"]),
            str(row["quote"]),
        )
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise UnusableArchiveError(UNKNOWN_DECISION) from error
    if document is None or not quote or len(quote) > LONGEST:
        return None
    corrected_by = names.get(str(correction)) if correction else None
    return Decision(
        finding_id(document, start, end),
        document,
        quote,
        version,
        start,
        end,
        verdict,
        moment,
        corrected_by,
    )


def _party(row: Mapping[str, Any]) -> Party:
    forms = {
        as_short(form, LONGEST): frozenset(DocumentId(as_short(each)) for each in documents)
        for form, documents in row["forms"].items()
    }
    return Party(as_short(row["slug"], LONGEST), as_short(row["name"], LONGEST), forms)


def _is_text(value: object) -> bool:
    """Tell whether a value is a text that can be written down: no half of a surrogate pair."""
    return isinstance(value, str) and value.encode("utf-8", "replace").decode() == value


def as_whole(value: object) -> int:
    """Read a number that counts something. Raises ``ValueError``."""
    if type(value) is not int or not 0 <= value < LARGEST:
        message = "no number that could be one"
        raise ValueError(message)
    return value


def as_version(value: object) -> str:
    """Read the version of a text. Raises ``ValueError``."""
    if not _VERSION.fullmatch(text := as_short(value, 32)):
        message = "no version of a text"
        raise ValueError(message)
    return text


def as_short(value: object, longest: int = 40) -> str:
    """Read an identifier or a text no longer than that, and not empty. Raises ``ValueError``."""
    if not isinstance(value, str) or not value or len(value) > longest:
        message = "no identifier"
        raise ValueError(message)
    return value


def as_moment(value: object) -> datetime:
    """Read a point in time. Raises ``ValueError``."""
    return datetime.fromisoformat(str(value)).astimezone()
