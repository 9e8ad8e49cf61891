"""Domain values to what clients see."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from lpm_kernel.api import schemas
from lpm_kernel.api.context import is_owner
from lpm_kernel.api.context import node as here
from lpm_kernel.domain.chat.conversations import (
    Citation,
    Conversation,
    Identity,
    Length,
    Manner,
    Snippet,
    Turn,
)
from lpm_kernel.domain.chat.recall import Recalled, Recollection
from lpm_kernel.domain.chat.roles import RoleId
from lpm_kernel.domain.home.jobs import Job
from lpm_kernel.domain.ids import ChunkId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import Anchor, AnchorKind, Chunk, Document, Problem
from lpm_kernel.domain.memory.memories import Belief
from lpm_kernel.domain.memory.reflection import Evidence
from lpm_kernel.domain.stores import ApiKey
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.analysis import marks
from lpm_kernel.L1.answering.answer import AnswerStretch, Cited
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.redaction import LEFT_OUT, without
from lpm_kernel.usecases.library.documents import goes_at
from lpm_kernel.usecases.memory.findings import Finding
from lpm_kernel.usecases.memory.timeline import DaySentence, DaySummary
from lpm_kernel.usecases.memory.validity import of_memories


def problem(known: Problem) -> schemas.ProblemOut:
    """Show a problem."""
    return schemas.ProblemOut(title=known.title, detail=known.detail, hint=known.hint)


def key(known: ApiKey) -> schemas.KeyOut:
    """Show a key, without its secret."""
    return schemas.KeyOut(
        id=known.id,
        name=known.name,
        scopes=list(known.scopes),
        created_at=known.created_at,
        last_used_at=known.last_used_at,
    )


def job(known: Job) -> schemas.JobOut:
    """Show a job; to a program that may not do everything, without what it says about anything
    private or about the home as a whole.
    """
    told = is_owner() or _is_open(known)
    return schemas.JobOut(
        id=known.id,
        kind=known.kind,
        state=known.state.value,
        progress=known.progress,
        step=known.step,
        message=known.message if told else "",
        error=problem(known.error) if told and known.error else None,
        created_at=known.created_at,
        ended_at=known.ended_at,
        document=known.document if told else None,
        result=dict(known.result) if known.result and is_owner() else None,
    )


def _is_open(known: Job) -> bool:
    try:
        return known.document is not None and not here().ports.documents.get(known.document).private
    except NotFoundError:
        return False


def anchor(known: Anchor | None) -> schemas.AnchorOut | None:
    """Show a place."""
    return None if known is None else schemas.AnchorOut(kind=known.kind.value, n=known.n)


def document_ref(known: Document) -> schemas.DocumentRef:
    """Show which document something stands in."""
    return schemas.DocumentRef(
        id=known.id, title=known.title, kind=known.kind.value, private=known.private
    )


def documents(
    node: Node, known: Sequence[Document], *, whole: bool = False, sentences: bool = False
) -> list[schemas.DocumentOut]:
    """Show documents, each with how many passages it gave and its newest job; ``whole``: with the
    summary's words too, ``sentences``: with its first.
    """
    jobs = node.ports.jobs.latest_for([each.id for each in known])
    archives = _archives(node, known)
    counts = node.library.passage_counts([each.id for each in known])
    return [
        schemas.DocumentOut(
            id=each.id,
            title=each.title,
            name=each.name,
            kind=each.kind.value,
            sha256=each.sha256,
            bytes=each.bytes,
            state=each.state.value,
            created_at=each.created_at,
            added_at=each.added_at,
            tags=list(each.tags),
            private=each.private,
            error=each.error and problem(each.error),
            passages=counts.get(each.id, 0),
            job=jobs[each.id].id if each.id in jobs else None,
            keywords=list(each.keywords),
            summary=_summary(node, each, most=None if whole else 1 if sentences else 0),
            parent=each.parent if each.parent in archives else None,
            folder=each.folder,
            deleted_at=each.deleted_at,
            goes_at=goes_at(each),
            remarks=node.library.remarks(each) if whole else [],
        )
        for each in known
    ]


def _archives(node: Node, known: Sequence[Document]) -> set[DocumentId | None]:
    """Name the archives that these came in; for a program, those that are there for it."""
    parents = {each.parent for each in known}
    if is_owner():
        return parents
    return {
        each.id
        for each in node.ports.documents.many([each for each in parents if each is not None])
        if not each.private
    }


def _summary(node: Node, known: Document, most: int | None) -> list[schemas.SummarySentence]:
    if most == 0:
        return []
    said = zip(node.library.sentences(known), known.summary, strict=True)
    return [
        schemas.SummarySentence(text=words, start=start, end=end) for words, (start, end) in said
    ][:most]


def items(
    node: Node, recalled: Sequence[Recalled], *, explain: bool = True
) -> list[schemas.ItemOut]:
    """Show what was found, each with the lines where it stands; what was deleted meanwhile, or made
    private and is not the caller's, is left out.
    """
    shown = []
    for each, place in zip(
        recalled, node.ports.places.of(one.chunk for one in recalled), strict=True
    ):
        if place.document is None or (place.document.private and not is_owner()):
            continue
        chunk, signals = each.chunk, each.signals
        shown.append(
            schemas.ItemOut(
                id=chunk.id,
                kind=_kind(chunk),
                content=each.text,
                timestamp=chunk.said_at,
                valid_from=each.validity.start,
                valid_until=each.validity.end,
                entities=list(dict.fromkeys((*chunk.about, *each.entities))),
                confidence=chunk.confidence,
                source=place.source,
                score=each.score,
                signals=(
                    schemas.SignalsOut(
                        words=signals.words,
                        meaning=signals.meaning,
                        time=signals.time,
                        entity=signals.entity,
                        neighbours=signals.neighbours,
                        form=signals.form,
                    )
                    if explain
                    else None
                ),
                matched=list(each.matched),
                marks=(
                    [
                        schemas.MarkOut(start=start, end=end)
                        for start, end in marks(each.text, each.forms)
                    ]
                    if explain
                    else []
                ),
                speaker=chunk.speaker,
                document=document_ref(place.document),
                start=chunk.start,
                end=chunk.end,
                page=chunk.page,
                anchor=anchor(chunk.anchor),
                turn=chunk.turn,
                corrects=each.corrects,
                path=list(each.path),
                struck=bool(each.struck),
            )
        )
    return shown


def proofs(node: Node, quoted: Sequence[tuple[Recalled, str]]) -> list[schemas.ProofOut]:
    """Show passages, each with the words of it that matter."""
    words = {each.chunk.id: said for each, said in quoted}
    return [
        schemas.ProofOut(**each.model_dump(), text=words[ChunkId(each.id)])
        for each in items(node, [each for each, _ in quoted], explain=False)
    ]


def finding(node: Node, known: Finding) -> schemas.FindingOut:
    """Show something that was found, with what was decided about it."""
    document, decision = known.document, known.decision
    version = decision.text_version if decision else document.text_version or ""
    return schemas.FindingOut(
        id=known.id,
        content=known.text,
        timestamp=document.created_at,
        source=node.ports.places.span({}, document.id, version, known.start, known.end).source,
        document=document_ref(document),
        start=known.start,
        end=known.end,
        decision=(
            None
            if decision is None
            else schemas.DecisionOut(
                verdict=decision.verdict.value,
                at=decision.at,
                content=node.memory.correction(decision),
                correction=decision.correction,
            )
        ),
        kind=known.statement.kind.value if known.statement else "passage",
        inferred=known.statement is None and decision is None,
        entities=list(known.statement.entities) if known.statement else [],
        confidence=known.statement.confidence if known.statement else None,
        wording=known.proposal.wording if known.proposal else None,
    )


def memories(node: Node, known: Sequence[Belief]) -> list[schemas.MemoryOut]:
    """Show wordings of memories, each with its line and the words that it rests on; what was
    deleted meanwhile is left out.
    """
    shown: list[schemas.MemoryOut] = []
    seen: dict[DocumentId, Document | None] = {}
    there = {
        document.id: document
        for document in node.ports.documents.many(sorted({each.document for each in known}))
    }
    standing = [(each, there[each.document]) for each in known if each.document in there]
    held = node.memory.strengths([each for each, _ in standing])
    for (each, document), valid, (strength, pinned) in zip(
        standing, of_memories(node.ports.validities, standing), held, strict=True
    ):
        place = node.ports.places.span(
            seen,
            each.document,
            document.text_version or node.ports.reader.version,
            each.start,
            each.end,
        )
        said = each.statement
        quote = (
            node.ports.files.words(
                document.sha256, document.text_version or node.ports.reader.version
            )
            or ""
        )[each.start : each.end]
        evidence = schemas.EvidenceOut(
            document=document.id,
            title=document.title,
            start=each.start,
            end=each.end,
            quote=quote,
            source=place.source,
        )
        shown.append(
            schemas.MemoryOut(
                id=each.memory,
                kind=said.kind.value,
                content=said.text,
                entities=list(said.entities),
                confidence=said.confidence,
                valid_from=valid.start,
                valid_until=valid.end,
                believed_from=each.believed_from,
                believed_until=each.believed_until,
                number=each.number,
                source=place.source,
                evidence=[evidence],
                strength=round(strength, 4),
                pinned=pinned,
                corrected=each.number > 1,
                tags=list(document.tags),
                private=document.private,
                editable=bool(document.origin) and document.superseded_by is None,
            )
        )
    return shown


def evidence(
    node: Node, places: Sequence[tuple[Evidence, Document, str]]
) -> list[schemas.EvidenceOut]:
    """Show words of documents with the place where they stand."""
    seen: dict[DocumentId, Document | None] = {}
    return [
        schemas.EvidenceOut(
            document=document.id,
            title=document.title,
            start=each.start,
            end=each.end,
            quote=quote,
            source=node.ports.places.span(
                seen, each.document, each.text_version, each.start, each.end
            ).source,
        )
        for each, document, quote in places
    ]


def day(node: Node, known: DaySummary) -> schemas.DayOut:
    """Show a day with what it holds."""
    return schemas.DayOut(
        day=known.tally.day,
        passages=known.tally.passages,
        statements=known.tally.statements,
        documents=[document_ref(each) for each in known.documents],
        document_count=known.document_count,
        names=list(known.names),
        sentence=_day_sentence(node, known.sentence),
    )


def _day_sentence(node: Node, known: DaySentence | None) -> schemas.DaySentenceOut | None:
    if known is None:
        return None
    chunk = known.chunk
    place = node.ports.places.span({}, chunk.document, chunk.text_version, known.start, known.end)
    if place.document is None:  # deleted meanwhile
        return None
    return schemas.DaySentenceOut(
        text=known.text,
        source=place.source,
        speaker=chunk.speaker,
        document=document_ref(place.document),
        start=known.start,
        end=known.end,
        page=chunk.page,
        anchor=anchor(chunk.anchor),
    )


def recollection(node: Node, found: Recollection, *, explain: bool) -> schemas.RecallOut:
    """Show an answer of recall."""
    return schemas.RecallOut(
        items=items(node, found.items, explain=explain),
        tokens=found.tokens,
        level=found.level.value,
        considered=found.considered,
        answerable=found.answerable,
    )


def citations(
    node: Node, known: Sequence[Citation], struck: Collection[int] = ()
) -> list[schemas.CitationOut]:
    """Show citations: the words are read from the text version that was cited, and the lines are
    computed now; ``struck`` numbers those that were decided against.
    """
    shown = []
    seen: dict[DocumentId, Document | None] = {}
    for each in known:
        place = node.ports.places.span(seen, each.document, each.text_version, each.start, each.end)
        where = None if place.document is None else node.library.anchor_of(place.document, each)
        cited = next(iter(node.memory.passages([each.chunk])), None)
        shown.append(
            schemas.CitationOut(
                n=each.n,
                id=each.chunk,
                kind=_kind(cited),
                confidence=cited.confidence if cited else None,
                source=place.source,
                quote="" if place.document is None else node.library.quote(place.document, each),
                document=each.document,
                title="" if place.document is None else place.document.title,
                start=each.start,
                end=each.end,
                page=where.n if where is not None and where.kind is AnchorKind.PAGE else None,
                anchor=anchor(where),
                struck=each.n in struck,
            )
        )
    return shown


def token(said: AnswerStretch) -> schemas.TokenEvent:
    """Show more words of an answer."""
    data = schemas.TokenData(part=said.part, kind=said.kind.value, text=said.text)
    return schemas.TokenEvent(event="token", data=data)


def cited(node: Node, known: Cited) -> schemas.CitationEvent:
    """Show what a part of an answer rests on."""
    (citation,) = citations(node, [known.citation])
    data = schemas.CitationData(part=known.part, citation=citation)
    return schemas.CitationEvent(event="citation", data=data)


def turns(
    node: Node, known: Sequence[Turn], variants: Mapping[TurnId, Sequence[TurnId]]
) -> list[schemas.TurnOut]:
    """Show the turns of a chat, with the ids of all answers to each."""
    closed = set() if is_owner() else node.chat.closed(known)
    return [
        turn(
            node,
            each,
            variants=variants.get(each.answers, []) if each.answers is not None else (),
            closed=closed,
        )
        for each in known
    ]


def turn(
    node: Node,
    known: Turn,
    *,
    evidence: bool = True,
    variants: Sequence[TurnId] = (),
    closed: Collection[TurnId] | None = None,
) -> schemas.TurnOut:
    """Show a turn with its citations and what was on the table; to a program that may not do
    everything, without what rests on something private.

    ``closed``: answers of which a role's own words may rest on that, where this is known already.
    """
    known = (
        known
        if is_owner()
        else _without_private(node, known, node.chat.closed([known]) if closed is None else closed)
    )
    return schemas.TurnOut(
        id=known.id,
        role=known.role,
        text=known.text,
        state=known.state.value,
        created_at=known.created_at,
        parts=[
            schemas.PartOut(kind=part.kind.value, text=part.text, citations=list(part.citations))
            for part in known.parts
        ],
        citations=citations(node, known.citations, node.memory.struck_since(known)),
        evidence=(
            items(
                node, node.memory.as_recalled(node.memory.passages(known.evidence)), explain=False
            )
            if evidence
            else []
        ),
        model=known.model,
        abstained=known.abstained,
        problem=known.problem and problem(known.problem),
        answers=known.answers,
        variants=list(variants),
        verdict=(
            None
            if known.verdict is None
            else schemas.JudgementOut(
                verdict=known.verdict.judged.value, better=known.verdict.better, at=known.verdict.at
            )
        ),
        speaker=_spoken_by(node, known.speaker),
    )


def variant(node: Node, known: Turn) -> schemas.TurnOut:
    """Show an answer, with the ids of all answers to the same turn."""
    return turn(
        node,
        known,
        variants=(
            node.ports.conversations.answers(known.conversation).get(known.answers, [])
            if known.answers is not None
            else ()
        ),
    )


def _without_private(node: Node, known: Turn, told: Collection[TurnId]) -> Turn:
    """Leave out what cites something private, or something that is not there any more and may have
    been.
    """
    closed = set()
    for each in {each.document for each in known.citations}:
        try:
            if node.ports.documents.get(each).private:
                closed.add(each)
        except NotFoundError:
            closed.add(each)
    return without(known, closed, instead=LEFT_OUT, told=told)


def _kind(known: Chunk | None) -> schemas.MemoryKind:
    return known.kind.value if known is not None and known.kind else "passage"


def conversation(
    node: Node, known: Conversation, found: Snippet | None = None, *, whole: bool = False
) -> schemas.ConversationOut:
    """Show a chat, and what was found of it; ``whole``: with what its roles see together."""
    several = len(known.cast) > 1
    counts = node.ports.conversations.spoken(known.id) if several else {}
    there = node.chat.cast(known) if several and whole else []
    return schemas.ConversationOut(
        id=known.id,
        title=known.title,
        created_at=known.created_at,
        updated_at=known.updated_at,
        turns=known.turns,
        branched_from=_branched(node, known),
        deleted_at=known.deleted_at,
        role=_spoken_by(node, known.cast[0] if known.cast else ""),
        cast=[
            schemas.CastOut(**each.model_dump(), turns=counts.get(each.id, 0))
            for role in known.cast
            if several and (each := _spoken_by(node, role)) is not None
        ],
        together=(
            node.chat.sight(*(each.sees for each in there), most=0, owner=is_owner()).passages
            if there
            else None
        ),
        snippet=(
            None
            if found is None
            else schemas.SnippetOut(
                text=found.text, spans=[list(span) for span in found.spans], turn=found.turn
            )
        ),
    )


def _spoken_by(node: Node, role: str) -> schemas.SpokenBy | None:
    if not role:
        return None
    name = seal = ""
    with suppress(NotFoundError):
        known = node.ports.roles.get(RoleId(role))
        name, seal = known.name, known.seal
    return schemas.SpokenBy(id=role, name=name, seal=seal)


def _branched(node: Node, known: Conversation) -> schemas.BranchedOut | None:
    if known.branched_from is None:
        return None
    title = None
    with suppress(NotFoundError):
        title = node.ports.conversations.get(known.branched_from.conversation).title
    return schemas.BranchedOut(
        conversation=known.branched_from.conversation, turn=known.branched_from.turn, title=title
    )


def branches(node: Node, known: Conversation) -> list[schemas.BranchOut]:
    """Show the chats that were branched from this one."""
    return [
        schemas.BranchOut(conversation=each.id, turn=each.branched_from.turn, title=each.title)
        for each in node.ports.conversations.branches(known.id)
        if each.branched_from is not None
    ]


def identity(said: schemas.IdentityIO) -> Identity:
    """Take over who the person says they are."""
    return Identity(
        said.name,
        said.introduction,
        said.style,
        tuple(said.languages),
        said.values,
        Length(said.length),
        Manner(said.manner),
    )


def passage(node: Node, known: Sequence[Chunk]) -> list[schemas.PassageOut]:
    """Show passages of a document."""
    return [
        schemas.PassageOut(
            id=chunk.id,
            start=chunk.start,
            end=chunk.end,
            text=chunk.text,
            speaker=chunk.speaker,
            said_at=chunk.said_at,
            page=chunk.page,
            anchor=anchor(chunk.anchor),
            source=place.source,
        )
        for chunk, place in zip(known, node.ports.places.of(known), strict=True)
    ]
