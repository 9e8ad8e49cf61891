"""Claims: every statement of the documents that were indexed, those that the person made and those
that an extractor finds, for reflection.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ids import is_thread
from lpm_kernel.domain.library.documents import Chunk, Document, DocumentKind
from lpm_kernel.domain.memory.claims import Claim, Claims
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.L0.text.chunks import chunks as cut
from lpm_kernel.L1.entities.resolution import key_of, own_keys
from lpm_kernel.L1.statements.authorship import (
    Authorship,
    authorship_of,
    is_by_the_person,
    is_called,
    is_letter,
    is_to_the_person,
)
from lpm_kernel.L1.statements.biography import part_of
from lpm_kernel.L1.statements.extraction import (
    about_whom,
    is_read,
    likelihood,
    reasons,
    sentences_of,
    signs,
)
from lpm_kernel.L1.statements.life_facts import (
    ADDRESSED,
    TALK,
    facts_told_to_them,
    names_of,
    offices_of,
    own_facts,
    speaker_name,
)
from lpm_kernel.L1.statements.views import is_view
from lpm_kernel.usecases.memory.proposals import LOOKED_AT

SURE = 0.8
"""Confidence of a statement to which the person gave none."""
MOST = 400
"""Claims of one document: the surest."""

_ABOUT = re.compile(r"[@\uff20][^:\uff1a\n]{1,200}[:\uff1a]\s*(?=\S)")
"""Whom a statement is about, in front of it."""


WHOSE = "whose-3"
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


def reading_of(extractor: Extractor, owner: str) -> str:
    """Name what reads a document, so that another version of it reads it again, and so that it is
    read again for a person of another name.
    """
    called = hashlib.sha256("\n".join(sorted(own_keys(owner))).encode("utf-8", "replace"))
    return f"{extractor.name} {extractor.version} {WHOSE} {called.hexdigest()[:8]}"


def read(ports: ClaimPorts, progress: Progress = lambda *_: None, most: int | None = None) -> int:
    """Look through what was indexed since the last time, document by document, or ``most`` of it,
    and return how many there were. Killed, it goes on where it stood.
    """
    name = reading_of(ports.extractor, ports.owner)
    todo = ports.claims.unread(name)[:most]
    for number, identifier in enumerate(todo):
        progress(number / len(todo), "claims", f"{number} of {len(todo)} documents")
        there = () if is_thread(identifier) else ports.documents.many([identifier])
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
    source = _source(words, document, owner)
    found = [_stated(each, own) for each in made if each.kind is not None]
    by_place = [each for each in made if each.kind is None and each.start < LOOKED_AT]
    found += _read_in(by_place, extractor, source)
    return sorted(
        sorted(found, key=lambda claim: (-claim.weight, claim.start))[:MOST],
        key=lambda claim: claim.start,
    )


@dataclass(frozen=True)
class _Source:
    """What a document shows of whose words it holds, and to whom they go."""

    who: Authorship
    called: tuple[str, ...] = field(repr=False)
    """How the person is called, as it is written."""
    may_be_own: bool
    """It is no letter, or one of which it is shown that the person wrote it."""
    to_the_person: bool
    """It is a letter to them alone."""
    private: bool

    def is_own(self, chunk: Chunk, place: int) -> bool:
        """Tell whether the words at a place are the person's, as far as anybody can tell."""
        return (
            (not chunk.speaker or is_called(key_of(chunk.speaker), self.who.own))
            and self.who.speaks_of_self
            and self.who.may_be_own(place)
            and (self.may_be_own or self.who.speaker_at(place) is not None)
        )


def _source(words: str, document: Document, owner: str) -> _Source:
    own = frozenset(own_keys(owner))
    letter = document.kind is DocumentKind.MAIL or is_letter(words, document.title)
    theirs = letter and is_by_the_person(words, own, document.title)
    return _Source(
        authorship_of(words, own, document.title),
        names_of(owner),
        not letter or theirs,
        letter and not theirs and is_to_the_person(words, own),
        document.private,
    )


def _read_in(chunks: Sequence[Chunk], extractor: Extractor, source: _Source) -> list[Claim]:
    """Give what an extractor finds in passages, then what is told of the person there, by
    themselves or by others.
    """
    found = []
    for proposal in extractor.extract(chunks):
        chunk = next(
            chunk for chunk in chunks if chunk.start <= proposal.start and proposal.end <= chunk.end
        )
        found.append(_proposed(proposal, chunk, source))
    of_them = list(_by_others(chunks, source))
    taken = {claim.end for claim in of_them}
    kept = [claim for claim in found if claim.end not in taken]
    taken |= {claim.end for claim in kept}
    own = _of_themselves(chunks, source)
    return [*kept, *of_them, *(claim for claim in own if claim.end not in taken)]


def _of_themselves(chunks: Sequence[Chunk], source: _Source) -> Iterator[Claim]:
    """Give what the person thinks of something and what they tell of their life, also where the
    extractor thinks little of it.
    """
    for chunk in chunks:
        for start, end in sentences_of(chunk) if is_read(chunk) else ():
            at, text = _own_words(source.who, chunk.start + start, chunk.text[start:end])
            of_life = own_facts(text) or offices_of(text, source.called)
            tells = is_view(text) or part_of(text) is not None or of_life
            if tells and source.is_own(chunk, at):
                known = signs(text)
                kind = StatementKind.OPINION if is_view(text) else StatementKind.EXPERIENCE
                yield replace(
                    _claim(chunk, at, chunk.start + end, text, source),
                    kind=kind,
                    about=about_whom(text),
                    confidence=round(likelihood(known), 4),
                    mine=True,
                    signs=reasons(known),
                )


def _by_others(chunks: Sequence[Chunk], source: _Source) -> Iterator[Claim]:
    """Give what others say of the person: to them in a letter, or calling them by their office;
    then with whom they speak.
    """
    for chunk in chunks:
        for start, end in sentences_of(chunk) if is_read(chunk) and source.called else ():
            text, at = chunk.text[start:end], chunk.start + start
            told = source.to_the_person and facts_told_to_them(text)
            if told or (offices_of(text, source.called) and not source.is_own(chunk, at)):
                claim = _claim(chunk, at, chunk.start + end, text, source)
                names = (source.called[0], *about_whom(text))
                yield replace(
                    claim,
                    about=tuple(dict.fromkeys(names)),
                    signs=(ADDRESSED,) if told else (),
                )
    yield from _partners(chunks, source)


def _partners(chunks: Sequence[Chunk], source: _Source) -> Iterator[Claim]:
    """Give the first line of each whom the person speaks with in a talk."""
    spoken: dict[str, Claim] = {}
    for chunk in chunks if source.called else ():
        for name, start in _speakers(chunk, source.who):
            text = chunk.text[start - chunk.start :].split("\n", 1)[0]
            if (key := key_of(name)) and key not in spoken:
                claim = _claim(chunk, start, start + len(text), text, source)
                spoken[key] = replace(claim, about=(name, source.called[0]), signs=(TALK,))
    own = {key for key in spoken if is_called(key, source.who.own)}
    yield from (claim for key, claim in spoken.items() if own and key not in own)


def _speakers(chunk: Chunk, who: Authorship) -> Iterator[tuple[str, int]]:
    """Give who speaks in a passage, with where their line begins."""
    if chunk.speaker:
        yield chunk.speaker, chunk.start
        return
    first = bisect_left(who.lines, chunk.start, key=lambda line: line[0])
    last = bisect_left(who.lines, chunk.end, key=lambda line: line[0])
    for start, words, _ in who.lines[first:last]:
        yield speaker_name(chunk.text[start - chunk.start : words - chunk.start]), start


def _claim(chunk: Chunk, start: int, end: int, text: str, source: _Source) -> Claim:
    """Make a claim of a sentence that tells something of the person."""
    return Claim(
        chunk.document,
        chunk.text_version,
        start,
        end,
        text,
        StatementKind.WORLD,
        (),
        0.0,
        kept=False,
        mine=False,
        private=source.private,
        moment=_moment(chunk),
    )


def _kind(kind: StatementKind, text: str, *, mine: bool) -> StatementKind:
    """Say what a sentence of the person's is: an opinion only where it says what they think."""
    if not mine:
        return kind
    if is_view(text):
        return StatementKind.OPINION
    return StatementKind.EXPERIENCE if kind is StatementKind.OPINION else kind


def _proposed(proposal: Proposal, chunk: Chunk, source: _Source) -> Claim:
    """Make a claim of what was proposed: the person's where nothing shows that "I" is another."""
    start, text = _own_words(source.who, proposal.start, proposal.text)
    tells = part_of(text) is not None or signs(text) & {"first", "mine", "bare"}
    mine = bool(tells or own_facts(text)) and source.is_own(chunk, proposal.start)
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
        private=source.private,
        moment=_moment(chunk),
    )


def _own_words(who: Authorship, start: int, text: str) -> tuple[int, str]:
    """Return a sentence without the name of who speaks in front of it, and where it begins."""
    said = who.speaker_at(start)
    cut = said[1] - start if said else 0
    return (start + cut, text[cut:]) if 0 < cut < len(text) else (start, text)


def keys_in(claim: Claim) -> set[str]:
    """Return the keys of what a claim is about; with whom somebody speaks, of the person alone."""
    about = claim.about[1:] if TALK in claim.signs else claim.about
    return {key for name in about if (key := key_of(name))}


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
