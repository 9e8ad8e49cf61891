"""How the person writes, measured in what they wrote themselves: their turns in chats, notes, sent
mails, and their own messages in chats that were imported.

Quotations, pasted texts, headings and the marks of notes are left out. It is worked out from what
is there now and kept in memory alone, so that what is put away, erased or made private counts no
more at the next look. What is private counts for nobody but the person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Final

from lpm_kernel.domain.caching import PROFILES, VersionedCache
from lpm_kernel.domain.chat.profile import Profiles
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.L1.answering.voice import Voice
from lpm_kernel.L1.prompts import prompt
from lpm_kernel.L1.tiers.assertions import is_own
from lpm_kernel.L2.alignment.style import StyleProfile, characters_by_language, profiles_of
from lpm_kernel.L2.alignment.style_features import Written
from lpm_kernel.L2.alignment.style_wording import described
from lpm_kernel.usecases.library.authors import Authors

MOST: Final = 120_000
"""Characters of documents, and as many of chats, that are measured, the newest first."""
LONGEST: Final = 12_000
"""Characters of one document that are looked at."""
BOOK: Final = 400_000
"""Bytes from which on a document is not looked at: telling whose each sentence is takes the longer
the longer it is.
"""
LOOKED_AT: Final = 240_000
"""Characters of all documents that are looked at, whoever wrote them."""
PASTED: Final = 1_500
"""Characters from which on a turn is taken for a pasted text."""
TOLD_FOR: Final = timedelta(minutes=10)
"""How long the second self is told the same, so that its prompt stays."""

_SILENT: Final = frozenset(
    {DocumentKind.TABLE, DocumentKind.ARCHIVE, DocumentKind.IMAGE, DocumentKind.AUDIO}
)
"""Kinds in which nobody writes."""
_NOT_PROSE: Final = re.compile(
    r"[ \t]{0,8}(?:#{1,6} |\||[>＞]|[-*+] [BWOS](?:\(c=[\d.]{1,6}\))? |\w{1,12}://)"
    r"|[^\n]{0,2000}\^m\w{1,40}$"
)
"""Headings, rows, quotations, statements in the form that is retained, and lines of the node."""
_FENCE: Final = re.compile(r"[ \t]{0,8}(?:```|~~~)")
_QUOTED: Final = re.compile(
    r"“[^”\n]{1,600}”|\"[^\"\n]{1,600}\"|「[^」\n]{1,600}」|『[^』\n]{1,600}』"
)
_ADDRESS: Final = re.compile(r"\b\w{1,12}://\S{1,500}|[\w.+-]{1,64}@[\w.-]{1,255}")
_SAYS: Final = re.compile(r"[^\n:：]{1,40}[:：][ \t]{0,8}")
"""Who speaks, before a line of a talk."""


@dataclass(frozen=True)
class OwnText:
    """Something that the person wrote, without what they quote."""

    text: str = field(repr=False)
    at: datetime
    in_chat: bool
    private: bool


@dataclass(frozen=True)
class MeasuredStyle:
    """How the person writes, and in how much it was measured."""

    documents: int
    turns: int
    characters: Mapping[str, int]
    """Of each language, by script, the most of them first."""
    profiles: Mapping[Written, StyleProfile]

    @property
    def mix(self) -> dict[str, float]:
        """The share of each language."""
        total = sum(self.characters.values())
        return {name: count / total for name, count in self.characters.items()}


class StyleCache:
    """What was worked out. Lost with the process, and emptied where something was erased."""

    def __init__(self) -> None:
        self.texts: VersionedCache[DocumentId, str] = VersionedCache(PROFILES)
        self.measured: VersionedCache[bool, MeasuredStyle] = VersionedCache(2)
        self.told: VersionedCache[tuple[bool, Voice], str] = VersionedCache(PROFILES)
        self._erased: Hashable = None

    def settle(self, erased: Hashable) -> None:
        """Keep nothing of what was there before the newest erasure, whoever made it."""
        if erased != self._erased:
            self.forget()
            self._erased = erased

    def forget(self) -> None:
        """Keep nothing: something was erased."""
        self.texts.forget()
        self.measured.forget()
        self.told.forget()


@dataclass(frozen=True)
class StylePorts:
    """What the style is measured in."""

    documents: Documents
    profiles: Profiles
    files: Files
    authors: Authors
    clock: Clock
    owner: str = field(repr=False)
    """The person's name."""
    cache: StyleCache
    erased: Callable[[], Hashable]
    """Gives what changes with every erasure, also where another process erased."""


def own_texts(ports: StylePorts, *, private: bool) -> list[OwnText]:
    """Return what the person wrote, the newest first, up to :data:`MOST` characters of documents
    and of chats; with what is private only where nobody else learns of it.
    """
    ports.cache.settle(ports.erased())
    return [*_in_documents(ports, private=private), *_in_chats(ports)]


def measured_style(ports: StylePorts, *, private: bool) -> MeasuredStyle:
    """Measure how the person writes now."""
    texts = own_texts(ports, private=private)
    return ports.cache.measured.get(private, _version(texts), lambda: _measure(texts))


def told_style(ports: StylePorts, voice: Voice, *, private: bool) -> str:
    """Say for a prompt how the person writes the language that is to be spoken; nothing where there
    is too little of it. It is that of the last look, for :data:`TOLD_FOR` at most.
    """
    erased = ports.erased()
    ports.cache.settle(erased)
    while_same = int(ports.clock.now().timestamp() // TOLD_FOR.total_seconds())
    version = while_same, ports.owner, erased
    return ports.cache.told.get(
        (private, voice), version, lambda: _told(ports, voice, private=private)
    )


def takes_on(wanted: str, *, reads_well: bool | None) -> bool:
    """Tell whether answers take on how the person writes, as the setting says: ``auto`` where a
    model reads well enough that its own words are let through.

    >>> [takes_on(wanted, reads_well=True) for wanted in ("auto", "on", "off")]
    [True, True, False]
    >>> [takes_on(wanted, reads_well=False) for wanted in ("auto", "on", "off")]
    [False, True, False]
    """
    return wanted == "on" or (wanted == "auto" and bool(reads_well))


def _told(ports: StylePorts, voice: Voice, *, private: bool) -> str:
    profiles = measured_style(ports, private=private).profiles
    profile = profiles.get("ja" if voice.language == "ja" else "en")
    facts = described(profile, voice) if profile and voice.language != "zh" else []
    if not facts:
        return ""
    return prompt("own_style").substitute(name=ports.owner or "the person", facts=" ".join(facts))


def _measure(texts: Sequence[OwnText]) -> MeasuredStyle:
    said = [each.text for each in texts]
    turns = sum(each.in_chat for each in texts)
    return MeasuredStyle(len(texts) - turns, turns, characters_by_language(said), profiles_of(said))


def _version(texts: Sequence[OwnText]) -> Hashable:
    seen = sha256()
    for each in texts:
        seen.update(sha256(each.text.encode("utf-8", "replace")).digest())
    return seen.digest()


def _in_chats(ports: StylePorts) -> list[OwnText]:
    found: list[OwnText] = []
    room = MOST
    for turn in reversed(ports.profiles.own_turns()):
        if len(turn.text) >= PASTED or not is_own(turn.text):
            continue
        text = without_quoted(turn.text)
        room -= len(text)
        if room < 0:
            break
        if text:
            found.append(OwnText(text, turn.at, in_chat=True, private=False))
    return found


def _in_documents(ports: StylePorts, *, private: bool) -> list[OwnText]:
    found: list[OwnText] = []
    room, looked_at = MOST, LOOKED_AT
    wanted = [each for each in ports.documents.all() if _may_tell(each, private=private)]
    for document in sorted(wanted, key=_newest):
        version = (document.sha256, document.text_version, document.title, document.kind)
        text = ports.cache.texts.get(
            document.id, (*version, ports.owner), partial(written_in, ports, document)
        )
        room -= len(text)
        looked_at -= min(document.bytes, LONGEST)
        if room < 0 or looked_at < 0:
            break
        if text:
            at = document.created_at or document.added_at
            found.append(OwnText(text, at, in_chat=False, private=document.private))
    return found


def _newest(document: Document) -> tuple[float, str]:
    at = document.created_at or document.added_at
    return -at.timestamp(), document.id


def _may_tell(document: Document, *, private: bool) -> bool:
    """Tell whether a document may hold what the person wrote; what was told in chats is counted
    there, and what puts something right is worded with the node's help.
    """
    return (
        document.text_version is not None
        and document.superseded_by is None
        and document.kind not in _SILENT
        and document.bytes < BOOK
        and not is_thread(document.id)
        and not document.corrects
        and (private or not document.private)
    )


def written_in(ports: StylePorts, document: Document) -> str:
    """Return the sentences of a document that the person wrote, a line for each that it has."""
    version = document.text_version or ""
    parsed = ports.files.text(document.sha256, version)
    if parsed is None:
        return ""
    text = parsed.text[:LONGEST]
    lines: dict[int, list[str]] = {}
    prose = dict(_prose(text))
    for start, end in sentence_spans(text):
        begins = text.rfind("\n", 0, start) + 1
        if begins not in prose:
            continue
        author = ports.authors.at(document, version, start)
        if author is None or not author.own:
            continue
        says = _SAYS.match(text, begins, end) if start == begins else None
        first = says.end() if says and _is_named(says[0], ports.owner) else start
        if said := without_quoted(text[first:end]):
            lines.setdefault(begins, []).append(said)
    return "\n".join(" ".join(said) for said in lines.values())


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines in which somebody writes, and where they begin: neither code nor headings,
    rows, quotations and what the node reads or wrote.
    """
    at, fenced = 0, False
    for line in text.split("\n"):
        fence = _FENCE.match(line) is not None
        if not (fence or fenced or _NOT_PROSE.match(line)):
            yield at, line
        fenced ^= fence
        at += len(line) + 1


def _is_named(before: str, owner: str) -> bool:
    """Tell whether a name of the person stands before a colon."""
    name = before.rstrip(" \t:：")
    return bool(name) and name.casefold() in owner.casefold()


def without_quoted(text: str) -> str:
    r"""Leave out of a text what others say in it, code and addresses.

    >>> without_quoted("He said “never” and left.")
    'He said and left.'
    >>> without_quoted("See https://example.org/a.\n```\nx = 1\n```\nIt runs.")
    'See\nIt runs.'
    """
    rest = _ADDRESS.sub("", _QUOTED.sub("", text))
    lines = (" ".join(line.split()) for _, line in _prose(rest))
    return "\n".join(line for line in lines if any(sign.isalpha() for sign in line))
