"""The first things found in what was added, each with its place, and what the person decides about
them: keep, mend, forget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest

from lpm_kernel.domain.ids import DocumentId, FindingId, is_thread
from lpm_kernel.domain.library.documents import BY_HAND, Document, DocumentKind, DocumentState
from lpm_kernel.domain.library.listing import DocumentFilter
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.decisions import (
    CORRECTION_NAME,
    Decision,
    JudgedSentence,
    Verdict,
    concerns,
    settles,
)
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.memory.retain import parse
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.statements import Statement
from lpm_kernel.domain.stores import Decisions, Documents, Files
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.L0.language.glosses import ordinary
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.text.salutations import past_salutation
from lpm_kernel.L1.entities.resolution import own_keys
from lpm_kernel.L1.statements.authorship import Authorship, authorship_of
from lpm_kernel.L1.statements.biography import part_of
from lpm_kernel.L1.statements.extraction import SHREDS, about_whom, signs
from lpm_kernel.L1.statements.life_facts import TALK
from lpm_kernel.L1.statements.telling import is_telling, means_it_elsewhere, needs_context
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.memory.proposals import (
    ALL,
    LOOKED_AT,
    PER_DOCUMENT,
    READ_OF_OWN,
    RULES,
    extracted,
    forget_gone,
    propose,
)

MOST = 10
"""Sentences that are put to the person at once, the best of what came last."""
OF_SELF, OF_PEOPLE = frozenset({"first", "mine"}), frozenset({"named", "kin"})
"""Signs of a sentence that speaks of its writer, or of people."""
SHORTEST_NAME = 4
"""Letters; “Vit D” is nobody."""
LATEST = 100
"""Documents whose sentences are shown."""
ENOUGH = 500
"""Sentences that wait to be gone through; so many are enough for a sitting."""
LOOKED_THROUGH = 3_000
"""Documents, the newest, that are looked through for them; further ones where none of these holds
any.
"""
LONGEST = 2_000
"""Characters of a sentence that is decided about, and of its correction."""
TITLE = 60
READY = DocumentFilter(states=(DocumentState.READY,))
Arrive = Callable[[NewDocument], Document]
"""Keeps the bytes of a document that is to be recorded; see ``usecases/library/intake.py``."""
Extractors = Callable[[Sequence[DocumentId]], Mapping[DocumentId, Extractor]]
"""Gives what reads these documents; those that the rules read are missing."""


@dataclass(frozen=True)
class Finding:
    """A sentence that says much of what its document is about; or any that was decided about."""

    id: FindingId
    document: Document
    text: str = field(repr=False)
    start: int
    end: int
    """Code points of the canonical text, end exclusive."""
    decision: Decision | None = None
    statement: Statement | None = None
    """What the person retained in so many words, where that is what it is."""
    proposal: Proposal | None = None
    """What was inferred, and what speaks for it."""


Ranked = tuple[int, Finding]
"""Something that was found, and how near it is to who the person is, from 0."""


@dataclass(frozen=True)
class Waiting:
    """What waits to be decided about."""

    findings: Sequence[Finding]
    further: bool
    """There are older documents that were not looked through."""


@dataclass(frozen=True)
class FindingPorts:
    """What is looked through for what is worth keeping."""

    documents: Documents
    decisions: Decisions
    files: Files
    extractors: Extractors
    """Gives what reads documents, where that is not the rules."""


def undecided(
    ports: FindingPorts,
    owner: str = "",
    life: Sequence[Claim] = (),
    told: Sequence[DocumentId] = (),
) -> list[Finding]:
    """Return the best of what was found and not decided about, of the documents that came last:
    before all others the facts of the ``owner``'s life (``life``: claims that carry them), then
    what else they say of themselves, and of each document the best sentence first. None needs its
    context.

    What a document retains comes before what is proposed of it. Where there is neither, the
    sentences that say most of what it is about come behind all of that: they may be no statements.
    ``told`` is what was told in chats and consolidated, which no list of documents shows.
    """
    documents = ports.documents
    listed_last, _ = documents.page(limit=LATEST, wanted=READY)
    of_chats = [each for each in documents.many(told) if each.state is DocumentState.READY]
    latest = sorted([*listed_last, *of_chats], key=lambda each: each.added_at, reverse=True)
    forget_gone(documents)
    found = _uncrowded(_found(ports, latest, owner, life, PER_DOCUMENT))
    return _once(_nearest_first(found))[:MOST]


def waiting(ports: FindingPorts, owner: str = "", life: Sequence[Claim] = ()) -> Waiting:
    """Return all that was found and not decided about, not the best alone, in the order of
    :func:`undecided`: to be gone through one after the other.

    A wording that was decided about in any of the documents is not put to the person again. What
    was told in chats is left out: it cannot be forgotten there.
    """
    forget_gone(ports.documents)
    found: list[Ranked] = []
    said: set[str] = set()
    cursor, looked = None, 0
    while True:
        part, cursor = ports.documents.page(limit=LATEST, cursor=cursor, wanted=READY)
        looked += len(part)
        decided = ports.decisions.about([each.id for each in part], away=True)
        said |= {_wording(each.quote) for known in decided.values() for each in known}
        found += [
            (rank, each)
            for rank, each in _found(ports, part, owner, life, ALL)
            if not _is_settled(each, decided)
        ]
        new = [each for _, each in found if _wording(each.text) not in said]
        if cursor is None or len(found) >= ENOUGH or (looked >= LOOKED_THROUGH and new):
            break
    waits = [each for each in _once(_nearest_first(found)) if _wording(each.text) not in said]
    return Waiting(waits, further=cursor is not None)


def _is_settled(finding: Finding, decided: Mapping[DocumentId, Sequence[Decision]]) -> bool:
    version = finding.document.text_version
    sentence = JudgedSentence(finding.text, version, finding.start, finding.end)
    return any(settles(known, sentence) for known in decided.get(finding.document.id, ()))


def _found(
    ports: FindingPorts,
    documents: Sequence[Document],
    owner: str,
    life: Sequence[Claim],
    most: int,
) -> list[Ranked]:
    """Return what was found in these documents and not decided about, up to ``most`` proposals of
    each, and what carries a fact of the person's life first. What needs its context is left out.
    """
    decisions, files, ids = ports.decisions, ports.files, [each.id for each in documents]
    corrections = {decision.correction for decision in decisions.correcting(ids)}
    decided, reads = decisions.about(ids), ports.extractors(ids)
    shown = {each.id: each for each in documents if each.id not in corrections}
    of_life = {each.id: each for each in _of_life(files, life, shown, decided)}
    own, written = frozenset(own_keys(owner)), dict[DocumentId, Authorship]()
    found: list[Ranked] = [(0, each) for each in of_life.values()]
    for each in _best_first(files, list(shown.values()), decided, reads, most):
        document = each.document
        if document.id not in written:
            words = _words(files, document)
            written[document.id] = authorship_of(words, own, document.title)
        rank = None if each.id in of_life else _rank(each, written[document.id])
        if rank is not None:
            found.append((rank, each))
    return found


def own_statements(
    ports: FindingPorts,
    documents: Sequence[Document],
    owner: str,
    is_own: Callable[[Document, int], bool],
) -> list[Finding]:
    """Return what the person says of themselves or of others in these documents, in whole sentences
    that nobody decided about: what is nearest to who they are first, and of that the surest of each
    document before the next of any. ``is_own`` tells whether they wrote what begins at a place.
    Words of others, and what needs its context, are left out, and what they retained in so many
    words, which is kept.
    """
    ids = [each.id for each in documents]
    decided, reads = ports.decisions.about(ids), ports.extractors(ids)
    turned_down, own = _turned_down(decided), frozenset(own_keys(owner))
    found: list[tuple[tuple[int, int], Finding]] = []
    for document in documents:
        written = authorship_of(_words(ports.files, document), own, document.title)
        known = [*decided.get(document.id, ()), *turned_down]
        extractor, so_far = reads.get(document.id, RULES), Counter[int]()
        # what is short is read once, for this and for what waits
        long = document.kind in BY_HAND and document.bytes > LOOKED_AT
        within = READ_OF_OWN if long else LOOKED_AT
        for finding in _stated(ports.files, document, known, extractor, ALL, within):
            rank = _rank(finding, written) if finding.proposal is not None else None
            if rank is None or not is_own(document, finding.start):
                continue
            if not means_it_elsewhere(finding.text):
                found.append(((rank, so_far[rank]), finding))
                so_far[rank] += 1
    ranked = [finding for _, finding in sorted(found, key=lambda each: each[0])]
    # what stands in a private document, too, is not private where it stands in an open one
    freely = _once([each for each in ranked if not each.document.private])
    return [*freely, *_once([each for each in ranked if each.document.private])]


def _best_first(
    files: Files,
    documents: Sequence[Document],
    decided: Mapping[DocumentId, Sequence[Decision]],
    reads: Mapping[DocumentId, Extractor],
    most: int,
) -> Iterator[Finding]:
    """Give what documents state, then what those that state nothing are about."""
    turned_down = _turned_down(decided)
    stated: list[list[Finding]] = []
    others: list[list[Finding]] = []
    for document in documents:
        known, extractor = decided.get(document.id, ()), reads.get(document.id, RULES)
        said = list(_stated(files, document, [*known, *turned_down], extractor, most))
        stated.append(said)
        states = said or document.origin or _states(files, document, extractor)
        others.append([] if states else list(_summary(files, document, known)))
    return _in_turn(stated, others)


def _in_turn(*groups: Sequence[Sequence[Finding]]) -> Iterator[Finding]:
    """Give the best of each document, then the second of each, group by group."""
    for found in groups:
        for row in zip_longest(*found):
            yield from (finding for finding in row if finding is not None)


def _of_life(
    files: Files,
    life: Sequence[Claim],
    latest: Mapping[DocumentId, Document],
    decided: Mapping[DocumentId, Sequence[Decision]],
) -> Iterator[Finding]:
    """Give the sentences that carry a fact of the person's life, as they stand now."""
    turned_down = _turned_down(decided)
    for claim in life:
        document = latest.get(claim.document)
        if document is None or document.text_version != claim.text_version or document.origin:
            continue
        text = _words(files, document)
        start = past_salutation(text, claim.start, min(claim.end, len(text)))
        words = text[start : claim.end]
        sentence = JudgedSentence(words, claim.text_version, start, claim.end)
        known = any(concerns(each, sentence) for each in decided.get(claim.document, ()))
        elsewhere = any(_wording(words) in _wording(each.quote) for each in turned_down)
        settled = known or elsewhere or claim.kept
        if words and not settled and TALK not in claim.signs:
            identifier = finding_id(document.id, start, claim.end)
            yield Finding(identifier, document, words, start, claim.end)


def _turned_down(decided: Mapping[DocumentId, Sequence[Decision]]) -> list[Decision]:
    """Return what is not put to the person again, in whatever document it stands."""
    return [
        decision
        for known in decided.values()
        for decision in known
        if decision.verdict is not Verdict.KEEP
    ]


def _wording(text: str) -> str:
    return " ".join(text.split())


def _once(found: Sequence[Finding]) -> list[Finding]:
    """Return each wording once, where it comes first."""
    first: dict[str, Finding] = {}
    for each in found:
        first.setdefault(_wording(each.text), each)
    return list(first.values())


def _uncrowded(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Leave out what was retained in so many words where it takes more than half of the room from
    what was inferred: it is known already.
    """
    inferred = sum(finding.statement is None for _, finding in ranked)
    stated = [finding.id for _, finding in ranked if finding.statement is not None]
    crowded = set(stated[MOST - min(inferred, MOST // 2) :])
    return [(rank, finding) for rank, finding in ranked if finding.id not in crowded]


def _nearest_first(ranked: Sequence[Ranked]) -> list[Finding]:
    """Order them by how near they are to who the person is."""
    return [finding for _, finding in sorted(ranked, key=lambda each: each[0])]


def _rank(finding: Finding, written: Authorship) -> int | None:
    """Say how near something that was found is to who the person is, from 0: a fact of them (who,
    where, with whom), something else that they say of themselves, and what they say of others;
    ``None`` for what speaks of nobody, needs its context, or is not the person's.
    """
    if finding.statement is not None:
        return 0
    own = finding.document.kind is not DocumentKind.MAIL and written.may_be_own(finding.start)
    if own and part_of(finding.text) is not None:
        return 0
    known = signs(finding.text)
    if known & SHREDS or needs_context(finding.text) or not _concerns(finding, known, own=own):
        return None
    return 1 if known & OF_SELF and written.speaks_of_self else 2


def _concerns(finding: Finding, known: Collection[str], *, own: bool) -> bool:
    """Tell whether what the person wrote speaks of them or of somebody, or what was inferred
    anywhere speaks of somebody.
    """
    of_people = not OF_PEOPLE.isdisjoint(known) and _is_of_people(finding.text, known)
    # Japanese leaves out who did it where that is the writer
    unsaid = finding.proposal is not None and language_of(finding.text) == "ja"
    of_self = unsaid or not OF_SELF.isdisjoint(known)
    return of_people if not own and finding.proposal is not None else own and (of_people or of_self)


def _is_of_people(text: str, known: Collection[str]) -> bool:
    """Tell whether an English sentence that names something names somebody: a word that begins
    with a capital because the sentence does is no name.
    """
    if "kin" in known or language_of(text) != "en":
        return True
    named = [word for name in about_whom(text) for word in name.split()]
    return any(
        word.istitle() and len(word) >= SHORTEST_NAME and not ordinary(word.casefold())
        for word in named
    )


def _words(files: Files, document: Document) -> str:
    version = document.text_version
    return (files.words(document.sha256, version) if version else None) or ""


def _stated(
    files: Files,
    document: Document,
    decided: Sequence[Decision],
    extractor: Extractor,
    most: int = PER_DOCUMENT,
    within: int = LOOKED_AT,
) -> Iterator[Finding]:
    """Give what a document retains in so many words, then what is proposed of its beginning."""
    words = (
        files.words(document.sha256, document.text_version) if document.text_version else None
    ) or ""
    retained = parse(words).statements
    known = {decision.quote for decision in decided}
    # what was written to the workspace is kept already
    for each in retained if not document.origin else ():
        if words[each.start : each.end] not in known:
            yield Finding(
                finding_id(document.id, each.start, each.end),
                document,
                each.statement.text,
                each.start,
                each.end,
                statement=each.statement,
            )
    for proposal in propose(files, document, decided, extractor, most=most, within=within):
        start, end = proposal.start, proposal.end
        apart = not any(start < each.end and each.start < end for each in retained)
        if apart and is_telling(proposal.text):
            yield Finding(
                finding_id(document.id, start, end),
                document,
                proposal.text,
                start,
                end,
                proposal=proposal,
            )


def _states(files: Files, document: Document, extractor: Extractor) -> bool:
    """Tell whether a document states anything, decided about or not: what says most of it is no
    second helping then.
    """
    words = (
        files.words(document.sha256, document.text_version) if document.text_version else None
    ) or ""
    return bool(parse(words).statements or extracted(files, document, extractor))


def _summary(files: Files, document: Document, decided: Sequence[Decision]) -> Iterator[Finding]:
    """Give the sentences that say most of what a document is about."""
    words = (
        files.words(document.sha256, document.text_version)
        if document.text_version and document.summary
        else None
    ) or ""
    known = {decision.quote for decision in decided}
    for first, end in document.summary:
        start = past_salutation(words, first, end)
        text = words[start:end]
        if is_telling(text) and text not in known:
            yield Finding(finding_id(document.id, start, end), document, text, start, end)


def finding_id(document: DocumentId, start: int, end: int) -> FindingId:
    """Name a sentence by where it stands.

    >>> finding_id(DocumentId("d_1"), 3, 10), place("d_1.3-10")
    ('d_1.3-10', ('d_1', 3, 10))
    """
    return FindingId(f"{document}.{start}-{end}")


def place(finding: str) -> tuple[DocumentId, int, int]:
    """Read a finding's name. Raises ``NotFoundError``."""
    document, _, span = finding.rpartition(".")
    start, _, end = span.partition("-")
    if (
        not document
        or not (start.isascii() and start.isdigit() and end.isascii() and end.isdigit())
        or max(len(start), len(end)) > len("1000000000")
    ):
        raise NotFoundError("finding", finding)
    return DocumentId(document), int(start), int(end)


@dataclass(frozen=True)
class SentenceDecision:
    """What the person says of a stretch of a document."""

    document: DocumentId
    start: int
    end: int
    verdict: Verdict
    content: str = field(default="", repr=False)
    """How it reads rightly."""
    quote: str = field(default="", repr=False)
    """The words themselves, where they may not stand at that place any more."""


def judged(
    decisions: Decisions, finding: FindingId, verdict: Verdict, content: str = ""
) -> SentenceDecision:
    """Say what is decided about something that was found, or decided about before. Raises
    ``NotFoundError``.
    """
    try:
        known = decisions.get(finding)
    except NotFoundError:
        return SentenceDecision(*place(finding), verdict, content)
    return SentenceDecision(known.document, known.start, known.end, verdict, content, known.quote)


@dataclass(frozen=True)
class DecisionPorts:
    """Where decisions are kept, and what they are about."""

    files: Files
    documents: Documents
    decisions: Decisions
    index: PassageIndex
    clock: Clock


def decide(ports: DecisionPorts, arrive: Arrive, judged: SentenceDecision) -> Finding:
    """Record what was decided, and return it. Raises ``NotFoundError`` and ``InvalidInputError``.

    The correction is a document of its own: it is found, cited, exported and erased as any other.
    It comes in, and the one before it is put away, together with the decision; what a killed
    process leaves then, the next sweep removes.
    """
    files, documents, decisions = ports.files, ports.documents, ports.decisions
    document = documents.get(judged.document)
    # a correction would outlive its chat, and a sentence would come back with a chat read anew
    if is_thread(document.id) and judged.verdict is not Verdict.KEEP:
        raise ConflictError(
            "This was said in a chat, and stays as it was said.",
            "Say it again as it is right, or delete the chat.",
        )
    start, end, quote = place_now(files, document, judged)
    content = " ".join(judged.content.split())
    verdict = _verdict(judged.verdict, content, quote)
    before = next(
        (
            each
            for each in decisions.about([document.id]).get(document.id, [])
            if each.quote == quote
        ),
        None,
    )
    identifier = before.id if before else finding_id(document.id, start, end)
    decision = Decision(
        identifier,
        document.id,
        quote,
        document.text_version or "",
        start,
        end,
        verdict,
        ports.clock.now(),
    )
    if verdict is Verdict.MEND:
        with files.locked():
            correction = arrive(new_correction(content, ports.clock.now(), document))
            decision, gone = decisions.put(decision, correction)
    else:
        decision, gone = decisions.put(decision)
    for each in _before(documents, decisions, decision):
        gone = [
            *gone,
            *decisions.put(
                replace(
                    each, verdict=decision.verdict, at=decision.at, correction=decision.correction
                )
            )[1],
        ]
    _drop(ports, gone)
    return Finding(identifier, document, quote, start, end, decision)


def place_now(files: Files, document: Document, judged: SentenceDecision) -> tuple[int, int, str]:
    """Say where the sentence begins and ends by now, and how it reads. Raises
    ``InvalidInputError``.
    """
    words = files.words(document.sha256, document.text_version) if document.text_version else None
    start = judged.start
    # the text was read anew
    if judged.quote and (words or "")[start : start + len(judged.quote)] != judged.quote:
        start = (words or "").find(judged.quote)
    end = start + len(judged.quote) if judged.quote else judged.end
    quote = (words or "")[max(0, start) : end]
    if words is None or not 0 <= start < end <= len(words) or not quote.strip():
        raise InvalidInputError(
            "There are no words at that place of the document.", "Choose a sentence of its text."
        )
    if len(quote) > LONGEST:
        raise InvalidInputError(
            f"A sentence to decide about has up to {LONGEST:,} characters.",
            "Choose a sentence or two.",
        )
    return start, end, quote


def _verdict(verdict: Verdict, content: str, quote: str) -> Verdict:
    """Check a correction; one that says the same keeps the sentence. Raises
    ``InvalidInputError``.
    """
    if verdict is not Verdict.MEND:
        return verdict
    if not content or len(content) > LONGEST:
        raise InvalidInputError(
            f"A correction has between 1 and {LONGEST:,} characters.",
            "Write the correct wording, or forget the sentence.",
        )
    return Verdict.KEEP if content == " ".join(quote.split()) else verdict


def undo(ports: DecisionPorts, finding: FindingId) -> None:
    """Take a decision back, with the correction that was made for it. Raises ``NotFoundError``."""
    decisions, now = ports.decisions, ports.clock.now()
    decision = decisions.get(finding)
    for earlier in _before(ports.documents, decisions, decision):
        decisions.remove(earlier.id, now)
    _drop(ports, decisions.remove(decision.id, now))


def _before(documents: Documents, decisions: Decisions, decision: Decision) -> list[Decision]:
    """Return what was decided about the same words in what a file of the workspace said before: it
    is one decision, carried from wording to wording.
    """
    earlier = [document.id for document in documents.revisions(decision.document)]
    known = decisions.about(earlier)
    return [
        each
        for revision in earlier
        for each in known.get(revision, [])
        if each.quote == decision.quote
    ]


def new_correction(content: str, now: datetime, corrected: Document) -> NewDocument:
    """Return a correction of a document, as it is handed in."""
    title = content if len(content) <= TITLE else f"{content[: TITLE - 1]}…"
    return NewDocument(
        f"{CORRECTION_NAME}{now:%Y-%m-%d}.md",
        content.encode("utf-8", "replace"),
        title,
        now,
        corrected.tags,
        corrected.private,
    )


def _drop(ports: DecisionPorts, corrections: Sequence[DocumentId]) -> None:
    """Remove for good what corrects nothing any more."""
    for correction in corrections:
        with suppress(NotFoundError):  # swept already
            library.delete(ports.files, ports.documents, ports.index, correction)
