"""Claims: every statement of the documents that were indexed, those that the person made and those
that an extractor finds, for reflection.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.library.documents import Chunk, Document
from lpm_kernel.domain.memory.claims import Claim, Claims
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.L0.text.chunks import chunks as cut
from lpm_kernel.L1.entities.resolution import key_of, own_keys
from lpm_kernel.L1.statements.authorship import Authorship, authorship_of, is_called
from lpm_kernel.L1.statements.biography import part_of
from lpm_kernel.L1.statements.extraction import (
    about_whom,
    is_read,
    likelihood,
    reasons,
    sentences_of,
    signs,
)
from lpm_kernel.L1.statements.views import is_view
from lpm_kernel.usecases.memory.proposals import LOOKED_AT

SURE = 0.8
"""Confidence of a statement to which the person gave none."""
MOST = 400
"""Claims of one document: the surest."""

_ABOUT = re.compile(r"[@\uff20][^:\uff1a\n]{1,200}[:\uff1a]\s*(?=\S)")
"""Whom a statement is about, in front of it."""


WHOSE = "whose-2"
"""How it is told whose words a sentence is."""
AT_ONCE = 50
"""Documents that are looked through for claims at once: about a second."""


@dataclass(frozen=True)
class ClaimPorts:
    """What claims are read from, how, and where they are kept."""

    claims: Claims
    documents: Documents
    files: Files
    extractor: Extractor
    owner: str = field(repr=False)
    """The person's name."""


def reading_of(extractor: Extractor) -> str:
    """Name what reads a document, so that another version of it reads it again."""
    return f"{extractor.name} {extractor.version} {WHOSE}"


def read(ports: ClaimPorts, progress: Progress = lambda *_: None, most: int | None = None) -> int:
    """Look through what was indexed since the last time, document by document, or ``most`` of it,
    and return how many there were. Killed, it goes on where it stood.
    """
    name = reading_of(ports.extractor)
    todo = ports.claims.unread(name)[:most]
    for number, identifier in enumerate(todo):
        progress(number / len(todo), "claims", f"{number} of {len(todo)} documents")
        there = ports.documents.many([identifier])
        found = claims_of(ports.files, there[0], ports.extractor, ports.owner) if there else []
        ports.claims.put(identifier, name, [(claim, keys_in(claim)) for claim in found])
    return len(todo)


def claims_of(files: Files, document: Document, extractor: Extractor, owner: str) -> list[Claim]:
    """Return what a document states."""
    version = document.text_version
    parsed = files.text(document.sha256, version) if version else None
    if parsed is None or version is None:
        return []
    made = cut(document.id, version, parsed, document.created_at)
    own = own_keys(owner)
    words = files.words(document.sha256, version) or ""
    who = authorship_of(words, frozenset(own), document.title)
    found = [_stated(each, own) for each in made if each.kind is not None]
    by_place = [each for each in made if each.kind is None and each.start < LOOKED_AT]
    found += _read_in(by_place, extractor, who, private=document.private)
    return sorted(
        sorted(found, key=lambda claim: (-claim.weight, claim.start))[:MOST],
        key=lambda claim: claim.start,
    )


def _read_in(
    chunks: Sequence[Chunk], extractor: Extractor, who: Authorship, *, private: bool
) -> list[Claim]:
    """Give what an extractor finds in passages, then what the person tells of themselves there."""
    found = []
    for proposal in extractor.extract(chunks):
        chunk = next(
            chunk for chunk in chunks if chunk.start <= proposal.start and proposal.end <= chunk.end
        )
        found.append(_proposed(proposal, chunk, who, private=private))
    taken = {claim.end for claim in found}
    own = _of_themselves(chunks, who, private=private)
    return [*found, *(claim for claim in own if claim.end not in taken)]


def _of_themselves(chunks: Sequence[Chunk], who: Authorship, *, private: bool) -> Iterator[Claim]:
    """Give what the person thinks of something and what they tell of their life, also where the
    extractor thinks little of it.
    """
    for chunk in chunks:
        for start, end in sentences_of(chunk) if is_read(chunk) else ():
            at, text = _own_words(who, chunk.start + start, chunk.text[start:end])
            if (is_view(text) or part_of(text) is not None) and _is_own(chunk, at, who):
                known = signs(text)
                yield Claim(
                    chunk.document,
                    chunk.text_version,
                    at,
                    chunk.start + end,
                    text,
                    StatementKind.OPINION if is_view(text) else StatementKind.EXPERIENCE,
                    about_whom(text),
                    round(likelihood(known), 4),
                    kept=False,
                    mine=True,
                    signs=reasons(known),
                    private=private,
                    moment=_moment(chunk),
                )


def _is_own(chunk: Chunk, place: int, who: Authorship) -> bool:
    return (
        (not chunk.speaker or is_called(key_of(chunk.speaker), who.own))
        and who.speaks_of_self
        and who.may_be_own(place)
    )


def _kind(kind: StatementKind, text: str, *, mine: bool) -> StatementKind:
    """Say what a sentence of the person's is: an opinion only where it says what they think."""
    if not mine:
        return kind
    if is_view(text):
        return StatementKind.OPINION
    return StatementKind.EXPERIENCE if kind is StatementKind.OPINION else kind


def _proposed(proposal: Proposal, chunk: Chunk, who: Authorship, *, private: bool) -> Claim:
    """Make a claim of what was proposed: the person's where nothing shows that "I" is another."""
    start, text = _own_words(who, proposal.start, proposal.text)
    tells = part_of(text) is not None or signs(text) & {"first", "mine", "bare"}
    mine = bool(tells) and _is_own(chunk, proposal.start, who)
    return Claim(
        proposal.document,
        chunk.text_version,
        start,
        proposal.end,
        text,
        _kind(proposal.kind, text, mine=mine),
        tuple(name for name in proposal.about if name),
        proposal.confidence,
        kept=False,
        mine=mine,
        signs=proposal.reason,
        private=private,
        moment=_moment(chunk),
    )


def _own_words(who: Authorship, start: int, text: str) -> tuple[int, str]:
    """Return a sentence without the name of who speaks in front of it, and where it begins."""
    said = who.speaker_at(start)
    cut = said[1] - start if said else 0
    return (start + cut, text[cut:]) if 0 < cut < len(text) else (start, text)


def keys_in(claim: Claim) -> set[str]:
    """Return the keys of what a claim names."""
    return {key for name in claim.about if (key := key_of(name))}


def _stated(chunk: Chunk, own: Collection[str]) -> Claim:
    """Make a claim of a statement that the person wrote; what it names besides ``@`` counts too."""
    before = _ABOUT.match(chunk.text) if chunk.about else None
    text = chunk.text[before.end() :] if before else chunk.text
    start = chunk.start + (before.end() if before else 0)
    kind = chunk.kind or StatementKind.WORLD
    others = [name for name in chunk.about if key_of(name) not in own]
    mine = not others and (
        kind in {StatementKind.EXPERIENCE, StatementKind.OPINION}
        or bool(signs(text) & {"first", "mine"})
        or bool(chunk.about)
    )
    about = tuple(dict.fromkeys((*chunk.about, *about_whom(text))))
    sure = SURE if chunk.confidence is None else chunk.confidence
    return Claim(
        chunk.document,
        chunk.text_version,
        start,
        chunk.end,
        text,
        kind,
        about,
        sure,
        kept=True,
        mine=mine,
        moment=_moment(chunk),
    )


def _moment(chunk: Chunk) -> float | None:
    return chunk.said_at.timestamp() if chunk.said_at else None
