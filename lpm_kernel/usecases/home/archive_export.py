"""Everything in one archive of open formats: a zip that any program opens, with a manifest that
says what is in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import lpm_kernel
from lpm_kernel.config import Settings
from lpm_kernel.domain.chat.conversations import Conversation, Keeping, Turn
from lpm_kernel.domain.chat.profile import Profiles
from lpm_kernel.domain.chat.threads import Threads
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ids import DocumentId, TurnId, is_thread
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.domain.memory.entities import EntityDecision
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import (
    Audit,
    Conversations,
    Decisions,
    Documents,
    EntityDecisions,
    Files,
    Roles,
)
from lpm_kernel.L0.text.quotations import Traces
from lpm_kernel.L1.entities.resolution import known_by
from lpm_kernel.usecases.chat import profile_archives, thread_archives
from lpm_kernel.usecases.chat.keeping import kept_turns
from lpm_kernel.usecases.chat.redaction import LEFT_OUT, without
from lpm_kernel.usecases.chat.roles import to_archive
from lpm_kernel.usecases.home.archive import FORMAT, PIECE
from lpm_kernel.usecases.home.erasure import texts_in
from lpm_kernel.usecases.home.settlements import Settled, written
from lpm_kernel.usecases.library.file_names import plain_name
from lpm_kernel.usecases.share import people_archives
from lpm_kernel.usecases.share.people_archives import PeopleStores

PORTABLE = ("embedder", "keeping", "language", "max_upload_mb", "single_keys", "theme")
"""Settings that are not about this machine and hold no secret."""
README = """# Your archive

Made by Second Me {release}. Everything is in open formats; no program of ours is needed to read it.

| file | what |
| -- | -- |
| `originals/<id>/<name>` | every document as it came in |
| `texts/<id>/<version>.txt`, `.json` | the text that was read out of it, UTF-8, and its pages, turns and dates |
| `documents.jsonl` | title, name, dates, tags, privacy of each, the file of the workspace that it is (`origin`), and what you decided about its sentences, one JSON object a line |
| `entities.jsonl` | what you decided about people, places and things: which are one, which are two, how they are called |
| `settled.jsonl` | lines that the node wrote on your pages and those that you struck, what you settled and took into `memory.md`, from when until when statements are so, which are pinned and when each was used |
| `conversations.jsonl` | every chat that is kept with its turns, all answers to each, what you said of them, and the span of text that each sentence cites; of a chat that keeps summaries alone, those; and how far what was told in them has moved |
| `profile.jsonl` | what you changed in your profile, which is counted from the chats |
| `contacts.jsonl` | your contacts: their signed card, what you call them, grants both ways as they were signed, what of theirs you kept; nobody can be asked or answered by it |
| `tables.jsonl` | the signed record of each table, entry by entry, with the words that are there |
| `roles.jsonl` | your roles: prompt, manner, and what each may see |
| `identity.json`, `settings.json` | who you are, how the screen looks; no keys and no passwords |
| `audit.jsonl` | what happened to the home, each entry with the hash of the one before; empty where what is private was left out |
| `manifest.json` | version of this format, and the SHA-256 of every other file |

`lpm import FILE` takes it into another home. {left_out}

このファイルは、あなたの記録のすべてを開かれた形式で収めたものです。`lpm import FILE` で別のホームに取り込めます。
"""  # noqa: E501  a text as it stands


@dataclass(frozen=True)
class ExportOptions:
    """What goes into an archive."""

    private: bool = True
    conversations: bool = True


@dataclass(frozen=True)
class Tidy:
    """Takes out of chats what is left out of the archive."""

    turn: Callable[[Turn, Collection[TurnId]], Turn]
    """A role's own words, too, where it is one of these answers."""
    may_title: Callable[[str], bool]
    """Tells whether a title names nothing and nobody that is left out."""


@dataclass(frozen=True)
class ArchiveStores:
    """What goes into an archive, and comes out of one."""

    documents: Documents
    decisions: Decisions
    entity_decisions: EntityDecisions
    settled: Settled
    conversations: Conversations
    threads: Threads
    profiles: Profiles
    roles: Roles
    files: Files
    audit: Audit
    clock: Clock
    people: PeopleStores


def export(
    stores: ArchiveStores,
    settings: Settings,
    wanted: ExportOptions,
    path: Path,
    closed: Callable[[Sequence[Turn]], Collection[TurnId]],
    progress: Callable[[float, str, str], None] = lambda *_: None,
) -> dict[str, Any]:
    """Write the archive to ``path``, whole or not at all, and return what is in it. What was put
    away stays behind.

    ``closed`` names the answers of which a role's own words may tell what is private.
    """
    documents, files = stores.documents, stores.files
    # what was told in chats goes with the chats, and is made from them again
    everything = [each for each in documents.everything() if not is_thread(each.id)]
    away = {str(document.id) for document in everything if document.deleted_at is not None}
    private = set() if wanted.private else _private(everything)
    left_out = away | private
    listing = files.listing()
    chosen = [document for document in everything if document.id not in left_out]
    shown = {document.id for document in chosen}
    decided = stores.decisions.about([document.id for document in chosen])
    chats = 0
    with _whole(path) as archive:
        members = _Members(archive)
        _add_files(members, chosen, listing, progress)
        members.add("documents.jsonl", _documents(chosen, decided, shown))
        members.add("entities.jsonl", _entities(stores.entity_decisions, shown))
        settled = written(stores.settled, shown, wanted.private)
        members.add("settled.jsonl", (_line(row) for row in settled))
        progress(0.8, "conversations", "Writing conversations")
        if wanted.conversations:
            hidden = [document for document in everything if document.id in left_out]
            tidy = None if wanted.private else _tidy(stores, hidden, shown)
            chats = _add_chats(members, stores, closed, tidy)
        people = _add_people(members, stores.people, wanted, shown)
        _add_person(members, stores, settings)
        members.add("audit.jsonl", _audit(stores.audit, wanted))
        members.add("README.md", [_readme(len(private - away))])
        about = {
            "format": FORMAT,
            "release": lpm_kernel.__version__,
            "made_at": stores.clock.now().isoformat(),
            "documents": len(chosen),
            "conversations": chats,
            "private": wanted.private,
        } | people
        archive.writestr(
            "manifest.json",
            json.dumps(about | {"members": members.hashes}, ensure_ascii=False, indent=1),
        )
    newest = stores.audit.append(
        stores.clock.now(),
        AuditKind.EXPORTED,
        documents=len(chosen),
        conversations=chats,
        private=wanted.private,
    )
    return about | {"bytes": path.stat().st_size, "audit_number": newest.number}


def _add_chats(
    members: _Members,
    stores: ArchiveStores,
    closed: Callable[[Sequence[Turn]], Collection[TurnId]],
    tidy: Tidy | None,
) -> int:
    """Write the chats, and what was changed in the profile that is counted from them, which is
    private. Returns how many chats.
    """
    counted = profile_archives.counted_turns(stores.profiles, stores.conversations)
    chats = members.add("conversations.jsonl", _chats(stores, closed, tidy, counted))
    changed = profile_archives.written(stores.profiles, counted if tidy is None else ())
    members.add("profile.jsonl", map(_line, changed))
    return chats


def _add_people(
    members: _Members, people: PeopleStores, wanted: ExportOptions, shown: Collection[str]
) -> dict[str, int]:
    """Write contacts, and tables where chats go along. Both are private. Returns how many."""
    contacts = people_archives.contact_rows(people, shown) if wanted.private else iter(())
    tables = (
        people_archives.table_rows(people, shown)
        if wanted.private and wanted.conversations
        else iter(())
    )
    return {
        "contacts": members.add("contacts.jsonl", map(_line, contacts)),
        "tables": members.add("tables.jsonl", map(_line, tables)),
    }


def _add_person(members: _Members, stores: ArchiveStores, settings: Settings) -> None:
    """Write roles, identity and settings."""
    members.add("roles.jsonl", (_line(to_archive(role)) for role in stores.roles.all()))
    members.add("identity.json", [_line(asdict(stores.conversations.identity()))])
    members.add("settings.json", [_line({name: getattr(settings, name) for name in PORTABLE})])


class _Members:
    """Writes members piece by piece and remembers their hashes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.hashes: dict[str, str] = {}

    def add(self, name: str, pieces: Iterable[bytes]) -> int:
        """Write a member, and return of how many pieces it was made."""
        made, count = hashlib.sha256(), 0
        member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        member.compress_type = zipfile.ZIP_DEFLATED
        with self._archive.open(member, "w", force_zip64=True) as handle:
            for piece in pieces:
                made.update(piece)
                handle.write(piece)
                count += 1
        self.hashes[name] = made.hexdigest()
        return count


@contextmanager
def _whole(path: Path) -> Iterator[zipfile.ZipFile]:
    """Write an archive that stands at its path when all of it is on the disk, or not at all."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    try:
        with zipfile.ZipFile(fresh, "x", zipfile.ZIP_DEFLATED) as archive:
            fresh.chmod(0o600)
            yield archive
        with fresh.open("rb") as handle:
            os.fsync(handle.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _add_files(
    members: _Members,
    chosen: Sequence[Document],
    listing: Mapping[str, Mapping[str, Path]],
    progress: Callable[[float, str, str], None],
) -> None:
    """Write the originals, and the texts that were read out of them."""
    for number, document in enumerate(chosen):
        progress(0.8 * number / len(chosen), "documents", f"{number} of {len(chosen)} documents")
        for ending, kept in listing.get(document.sha256, {}).items():
            name = (
                f"texts/{document.id}/{ending[1:]}"
                if ending
                else f"originals/{document.id}/{plain_name(document.name)}"
            )
            members.add(name, _pieces(kept))


def _documents(
    chosen: Sequence[Document],
    decided: Mapping[DocumentId, Sequence[Decision]],
    shown: Collection[DocumentId],
) -> Iterator[bytes]:
    for document in chosen:
        about = _decided(decided.get(document.id, []), shown)
        yield _line(document_row(document) | {"decisions": about})


def _entities(decisions: EntityDecisions, shown: Collection[DocumentId]) -> Iterator[bytes]:
    """Give what was decided about entities, as far as it is known from these documents."""
    for decision in decisions.all():
        known = known_by(decision, shown)
        if known is not None:
            yield _line(entity_row(known))


def _audit(audit: Audit, wanted: ExportOptions) -> Iterator[bytes]:
    """Give what happened; without private nothing. It names contacts, grants and what was deleted,
    and no entry can be left out of the chain.
    """
    return (_line(asdict(entry)) for entry in audit.all() if wanted.private)


def _readme(left_out: int) -> bytes:
    said = f"What is private was left out ({left_out} documents)." if left_out else ""
    return README.format(release=lpm_kernel.__version__, left_out=said).encode()


def document_row(document: Document) -> dict[str, Any]:
    """Write a document as one JSON object."""
    row = asdict(document)
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in row.items()
        if name not in {"error", "state", "deleted_at"}
    } | {
        "state": document.state.value,
        "kind": document.kind.value,
    }


def entity_row(decision: EntityDecision) -> dict[str, Any]:
    """Write what was decided about entities as one JSON object."""
    return {
        "id": decision.id,
        "verdict": decision.verdict.value,
        "at": decision.at.isoformat(),
        "parties": [
            {
                "slug": party.slug,
                "name": party.name,
                "forms": {form: sorted(documents) for form, documents in party.forms.items()},
            }
            for party in decision.parties
        ],
        "name": decision.name,
        "kind": decision.kind,
        "hidden": decision.hidden,
        "documents": sorted(decision.documents),
    }


def _decided(decisions: Iterable[Decision], shown: Collection[str]) -> list[dict[str, Any]]:
    """Write what was decided about a document; a correction that is left out leaves its sentence
    struck.
    """
    rows = [
        asdict(decision) | {"verdict": decision.verdict.value, "at": decision.at.isoformat()}
        for decision in decisions
    ]
    return [
        row | {"correction": row["correction"] if row["correction"] in shown else None}
        for row in rows
    ]


def conversation_row(conversation: Conversation, turns: Iterable[Turn]) -> dict[str, Any]:
    """Write a chat with its turns as one JSON object."""
    return {
        "id": conversation.id,
        "title": conversation.title,
        "created_at": conversation.created_at.isoformat(),
        "updated_at": conversation.updated_at.isoformat(),
        "cast": list(conversation.cast),
        "keeping": conversation.keeping.value,
        "branched_from": (
            None if conversation.branched_from is None else asdict(conversation.branched_from)
        ),
        "turns": [
            {
                name: _written(value)
                for name, value in asdict(turn).items()
                if name != "conversation"
            }
            for turn in turns
        ],
    }


def _written(value: object) -> object:
    """Write times as ISO 8601, also within."""
    if isinstance(value, dict):
        return {name: _written(each) for name, each in value.items()}
    return value.isoformat() if isinstance(value, datetime) else value


def _private(documents: list[Document]) -> set[str]:
    """Return what is private, what was kept of contacts, and the archives that something private
    came in.
    """
    private = {
        each.id for each in documents if each.private or people_archives.is_theirs(each.name)
    }
    return {str(document_id) for document_id in private} | {
        str(document.parent)
        for document in documents
        if document.id in private and document.parent is not None
    }


def _tidy(stores: ArchiveStores, left_out: list[Document], shown: Collection[str]) -> Tidy:
    """Return what takes words of these documents out of a turn, and what cites documents that are
    not there any more: they may have been private.
    """
    listing = stores.files.listing()
    texts = [text for document in left_out for text in texts_in(listing.get(document.sha256, {}))]
    names = [name for document in left_out for name in (document.title, document.name)]
    traces = Traces(texts, names)
    names_contact = people_archives.naming(stores.people)
    return Tidy(
        lambda turn, told: without(
            turn,
            {citation.document for citation in turn.citations} - set(shown),
            traces.in_,
            LEFT_OUT,
            told,
        ),
        lambda title: not traces.in_(title) and not names_contact(title),
    )


def _chats(
    stores: ArchiveStores,
    closed: Callable[[Sequence[Turn]], Collection[TurnId]],
    tidy: Tidy | None,
    counted: Collection[TurnId],
) -> Iterator[bytes]:
    """Yield a line for each chat, one at a time; of what it keeps. Its threads are private."""
    conversations, cursor = stores.conversations, None
    while True:
        found, cursor = conversations.page(limit=100, cursor=cursor)
        for chat in found:
            if chat.keeping is Keeping.NONE:
                continue
            turns = kept_turns(chat, conversations.turns(chat.id, every=True))
            told = () if tidy is None else closed(turns)
            clean = turns if tidy is None else [tidy.turn(turn, told) for turn in turns]
            titled = clean == turns and (tidy is None or tidy.may_title(chat.title))
            kept = chat if titled else replace(chat, title="")
            # it holds hashes of lines that may be left out
            given = [_as_given(turn, None if tidy else counted) for turn in clean]
            divided = [] if tidy is not None else stores.threads.of(chat.id)
            threads = [thread_archives.to_archive(each) for each in divided]
            yield _line(conversation_row(kept, given) | {"threads": threads})
        if cursor is None:
            return


def _as_given(turn: Turn, counted: Collection[TurnId] | None) -> Turn:
    """Return a turn without the lines of the profile that count nothing which is ``counted``;
    ``None``: without all that it was made from.
    """
    if turn.given is None or counted is None:
        return replace(turn, given=None)
    profile = tuple(each for each in turn.given.profile if each.said in counted)
    return replace(turn, given=replace(turn.given, profile=profile))


def _line(row: object) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as handle:
        while piece := handle.read(PIECE):
            yield piece
