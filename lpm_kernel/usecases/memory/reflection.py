"""Reflection: what is new since the last time goes onto the pages that it concerns, each sentence
with its evidence, and can be undone.

It may be killed at any moment: lines that leave a page are taken off the record before the file is
written, new ones are recorded after it, and the documents count as reflected on only when every
page is written. Done again, it writes the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.claims import Claim, Claims, KnownEntity, KnownTopic
from lpm_kernel.domain.memory.decisions import JudgedSentence, concerns
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.domain.memory.proposals import Extractor
from lpm_kernel.domain.memory.reflection import (
    Evidence,
    PageChange,
    Reflection,
    Reflections,
    WrittenLine,
)
from lpm_kernel.domain.memory.workspace import (
    BIOGRAPHY,
    ENTITIES,
    MOST_BYTES,
    TOPICS,
    Workspace,
    topic_path,
)
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Decisions, Documents, Files
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L1.entities.resolution import own_keys
from lpm_kernel.L1.statements.biography import biography
from lpm_kernel.L1.statements.fact_keys import fact_keys
from lpm_kernel.L1.statements.life_facts import names_of
from lpm_kernel.L1.statements.reflection import (
    DAYS,
    PageLine,
    entity_page,
    is_bare,
    joined,
    key_of,
    lines_by_section,
    rewritten,
)
from lpm_kernel.usecases.memory import inference

CONSIDERED = 60
"""Claims about an entity that are looked at, the weightiest: what a page costs does not grow with
the notes behind it.
"""
MINE = 240
OF_THEM = 1_000
"""Claims in which others name the person, or speak with them."""
LEAST_LINES = 2
"""Sentences below which nobody wants a page of somebody else."""
LEAST_ON: Mapping[str, int] = {BIOGRAPHY: 1}
MOST_PAGES = 400
MOST_TOPICS, LEAST_MEMBERS = 12, 3
"""Topics that get a page, the largest, and how many entities make one."""
MEMBERS = 8
"""Entities of a topic that are looked at, the heaviest."""
NAMES = 3
"""Of those in the title."""
LONGEST_SLUG = 200
"""Bytes: file systems refuse names above 255."""
TRIES = 3
NIGHT = time(3)
"""When a day is gone over that nobody asked to be."""
RETRIES = (timedelta(hours=1), timedelta(hours=2))
"""How long after a night that did not work it is tried again."""


@dataclass(frozen=True)
class ReflectionPorts:
    """Everything that reflection reads from and writes to."""

    claims: Claims
    reflections: Reflections
    documents: Documents
    decisions: Decisions
    files: Files
    workspace: Workspace
    extractor: Extractor
    clock: Clock
    owner: str
    languages: Sequence[str] = ()
    fades: Callable[[Claim], bool] = field(default=lambda _: False, repr=False)
    """Tells what fades because it was not used for long."""

    @property
    def claimed_from(self) -> inference.ClaimPorts:
        """What claims are read from."""
        return inference.ClaimPorts(
            self.claims, self.documents, self.files, self.extractor, self.owner
        )


@dataclass(frozen=True)
class Reflected:
    """What came of it."""

    documents: int
    written: tuple[str, ...] = field(repr=False)
    """Paths of the pages that read otherwise now."""
    left: tuple[str, ...] = field(default=(), repr=False)
    """Paths of pages that somebody else kept writing to."""


def reflect(
    ports: ReflectionPorts,
    identifier: str,
    since: float | None = None,
    progress: Progress = lambda *_: None,
) -> Reflected:
    """Go over what was read since the last time, or also over what is from ``since`` on (POSIX
    seconds), and write what follows from it.
    """
    inference.read(ports.claimed_from, lambda share, *said: progress(0.5 * share, *said))
    fresh = ports.claims.fresh(since)
    language = language_of_pages(ports)
    pages = _concerned(ports, fresh, language)
    if not pages:
        ports.claims.settle(fresh)
        return Reflected(len(fresh), ())
    ports.reflections.begin(identifier, ports.clock.now(), len(fresh))
    off_topics = _struck_of_topics(ports)
    written, left = [], []
    for number, (path, read) in enumerate(pages):
        progress(0.5 + 0.5 * number / len(pages), "pages", f"{number} of {len(pages)} pages")
        try:
            also = off_topics if path.startswith(f"{TOPICS}/") else frozenset[str]()
            draft = PageDraft(path, *read(), language, also)
            if _write(ports, identifier, draft):
                written.append(path)
        except ConflictError:
            left.append(path)
    if not left:  # otherwise the next time goes over all of it again
        ports.claims.settle(fresh)
    return Reflected(len(fresh), tuple(written), tuple(left))


Page = tuple[str, Callable[[], tuple[str, list[PageLine]]]]
"""Its path, and what works out its title and lines."""


def _concerned(
    ports: ReflectionPorts, fresh: Collection[DocumentId], language: Language
) -> list[Page]:
    """Return the pages that may read otherwise now: of what the new documents name, those that lost
    something that they rest on, and those of nobody any more.
    """
    unsupported = set(ports.reflections.unsupported())
    paths = ports.reflections.paths()
    mine = {
        path.removeprefix(f"{ENTITIES}/").removesuffix(".md"): path
        for path in paths
        if path.startswith(f"{ENTITIES}/")
    }
    there = {entity.slug: entity for entity in ports.claims.entities(mine)}
    topics = {
        topic_path(topic.id): topic
        for topic in ports.claims.topics(MOST_TOPICS, LEAST_MEMBERS)
        if len(topic.id.encode()) <= LONGEST_SLUG
    }
    nobodys = _nobodys_entities(mine, there) | _nobodys_topics(ports, paths, topics)
    if not fresh and not unsupported and not nobodys:
        return []
    known = {entity.slug: entity for entity in ports.claims.named(ports.claims.keys(fresh))}
    known.update((slug, entity) for slug, entity in there.items() if mine[slug] in unsupported)
    changed = [
        path
        for path, topic in topics.items()
        if path in unsupported
        or path not in paths
        or not known.keys().isdisjoint(member.slug for member in topic.members)
    ]
    return [
        (BIOGRAPHY, lambda: (ports.owner or "Biography", _biography(ports))),
        *(
            (path_of(entity), _entity(ports, entity, language))
            for entity in _weightiest(known.values())
        ),
        *((path, _topic(ports, topics[path], language)) for path in sorted(changed)),
        *((path, lambda: ("", [])) for path in sorted(nobodys)),
    ]


def _nobodys_entities(mine: Mapping[str, str], there: Collection[str]) -> set[str]:
    """Give the pages of entities that are not known any more; none while no page's is."""
    return {path for slug, path in mine.items() if slug not in there} if there else set()


def _nobodys_topics(
    ports: ReflectionPorts, paths: Collection[str], topics: Collection[str]
) -> set[str]:
    if not ports.claims.largest(1):
        return set()
    return {path for path in paths if path.startswith(f"{TOPICS}/") and path not in topics}


def _weightiest(entities: Iterable[KnownEntity]) -> list[KnownEntity]:
    """Give those that get a page, by their slugs."""
    wanted = [
        entity
        for entity in entities
        if not entity.self and len(entity.slug.encode()) <= LONGEST_SLUG
    ]
    best = sorted(wanted, key=lambda each: (-each.passages, each.slug))[:MOST_PAGES]
    return sorted(best, key=lambda each: each.slug)


def path_of(entity: KnownEntity) -> str:
    """Return where the page of an entity lies."""
    return f"{ENTITIES}/{entity.slug}.md"


def _entity(
    ports: ReflectionPorts, entity: KnownEntity, language: Language
) -> Callable[[], tuple[str, list[PageLine]]]:
    return lambda: (
        entity.name,
        entity_page(standing(ports, ports.claims.naming(entity.keys, CONSIDERED)), language),
    )


def _topic(
    ports: ReflectionPorts, topic: KnownTopic, language: Language
) -> Callable[[], tuple[str, list[PageLine]]]:
    """Work out the page of a topic from the open claims alone; a name that stands only in private
    ones is not in its title.
    """

    def read() -> tuple[str, list[PageLine]]:
        said = [
            (entity, ports.claims.naming(entity.keys, CONSIDERED))
            for entity in topic.members[:MEMBERS]
        ]
        named = [(entity, claims) for entity, claims in said if claims]
        title = " · ".join(each.name for each, _ in named[:NAMES])
        return title, entity_page(
            standing(ports, joined([claims for _, claims in named])), language
        )

    return read


def _biography(ports: ReflectionPorts) -> list[PageLine]:
    mine = standing(ports, ports.claims.mine(MINE))
    newest = max((claim.moment for claim in mine if claim.moment is not None), default=None)
    now = ports.clock.now().timestamp()
    until = now if newest is None or newest > now - DAYS * 86_400 else newest
    lately = standing(
        ports, ports.claims.mine(CONSIDERED, since=until - DAYS * 86_400, until=until + 1)
    )
    keys = own_keys(ports.owner)
    by_others = standing(ports, ports.claims.naming(keys, OF_THEM)) if keys else []
    of_them = [claim for claim in by_others if not claim.mine and not claim.kept]
    return biography(mine, lately, of_them, names_of(ports.owner))


def standing(ports: ReflectionPorts, claims: Sequence[Claim]) -> list[Claim]:
    """Leave out what the person corrected or wants forgotten."""
    decided = ports.decisions.about(sorted({claim.document for claim in claims}))

    def struck(claim: Claim) -> bool:
        said = JudgedSentence(claim.text, claim.text_version, claim.start, claim.end)
        return any(
            decision.strikes and concerns(decision, said)
            for decision in decided.get(claim.document, ())
        )

    return [claim for claim in claims if not struck(claim)]


def language_of_pages(ports: ReflectionPorts) -> Language:
    """Return the language of headings: the first that the person speaks, or that of most of what
    they say of themselves.
    """
    for language in ports.languages:
        if language[:2] in {"en", "ja"}:
            return "ja" if language[:2] == "ja" else "en"
    said = [language_of(claim.text) for claim in ports.claims.mine(CONSIDERED)]
    return "ja" if said.count("ja") * 2 > len(said) else "en"


@dataclass(frozen=True)
class PageDraft:
    """What a page is to say."""

    path: str = field(repr=False)
    title: str = field(repr=False)
    lines: Sequence[PageLine] = field(repr=False)
    language: Language
    """Of its headings."""
    left_out: Collection[str] = field(repr=False)
    """Keys of lines that stay out besides those that the person took from this page."""


def _write(ports: ReflectionPorts, identifier: str, draft: PageDraft) -> bool:
    """Bring a page up to date, without what was struck from it and what else stays out. ``False``:
    it reads so already. Raises ``ConflictError`` while somebody else keeps writing to it.
    """
    for _ in range(TRIES):
        before = ports.workspace.read(draft.path)
        if before is not None and len(before) > MOST_BYTES:
            return False
        written = _written(ports, identifier, draft, before)
        if written is not None:
            return written
    raise ConflictError(
        f"Another program keeps writing to {draft.path}.", "It is updated next time."
    )


def _written(
    ports: ReflectionPorts, identifier: str, draft: PageDraft, before: bytes | None
) -> bool | None:
    """Write a page once; ``None``: somebody else wrote to it meanwhile."""
    path, text = draft.path, (before or b"").decode("utf-8", "surrogateescape")
    known = ports.reflections.lines(path)
    struck = _note_edits(ports, path, text, known) | set(draft.left_out)
    sections = lines_by_section(draft.lines, draft.language, _titles(ports, draft.lines), struck)
    rows = [_row(path, said, line) for _, part in sections for said, line in part]
    if before is None and len(rows) < LEAST_ON.get(path, LEAST_LINES):
        return False
    after = rewritten(
        text, draft.title, [(heading, [said for said, _ in part]) for heading, part in sections]
    )
    data = None if is_bare(after) and known else after.encode("utf-8", "surrogateescape")
    if data == before:
        if rows != [line for line in known if line.key not in struck]:
            ports.reflections.wrote(path, rows, ports.clock.now())
        return False
    change = PageChange(path, _hash(before), _hash(data))
    ports.reflections.will_write(identifier, change, _leaving(known, rows) - struck)
    if not _put(ports.workspace, path, data, before):
        return None
    ports.reflections.wrote(path, rows, ports.clock.now())
    return True


def _leaving(known: Sequence[WrittenLine], rows: Sequence[WrittenLine]) -> set[str]:
    """Return the keys of the lines that stand on a page and will not."""
    return {line.key for line in known if line.struck_at is None} - {row.key for row in rows}


def _titles(ports: ReflectionPorts, lines: Sequence[PageLine]) -> dict[DocumentId, str]:
    named = sorted({claim.document for line in lines for claim in line.evidence})
    return {document.id: document.title for document in ports.documents.many(named)}


def _note_edits(
    ports: ReflectionPorts, path: str, text: str, known: Sequence[WrittenLine]
) -> set[str]:
    """Note which lines the person took from the page, and which they brought back; return the keys
    of all that stay out, and of what those say.
    """
    marks = {own_line.mark for own_line in own_lines(text)}
    taken = {
        written_line.key
        for written_line in known
        if written_line.struck_at is None and written_line.mark not in marks
    }
    back = {
        written_line.key
        for written_line in known
        if written_line.struck_at is not None and written_line.mark in marks
    }
    if taken:
        ports.reflections.strike(path, taken, ports.clock.now())
    if back:
        ports.reflections.unstrike(path, back)
    out = [line for line in known if (line.struck_at or line.key in taken) and line.key not in back]
    return {line.key for line in out} | fact_keys(out)


def _struck_of_topics(ports: ReflectionPorts) -> set[str]:
    """Return what the person took from the page of any topic: topics are drawn anew, and what left
    one shall not come back on another.
    """
    paths = [path for path in ports.reflections.paths() if path.startswith(f"{TOPICS}/")]
    texts = {
        path: (ports.workspace.read(path) or b"").decode("utf-8", "surrogateescape")
        for path in paths
    }
    return {
        key
        for path in paths
        for key in _note_edits(ports, path, texts[path], ports.reflections.lines(path))
    }


def _row(path: str, said: str, line: PageLine) -> WrittenLine:
    evidence = tuple(
        Evidence(claim.document, claim.text_version, claim.start, claim.end)
        for claim in line.evidence
    )
    return WrittenLine(
        path, key_of(line), said[-12:], line.section.value, " ".join(line.text.split()), evidence
    )


def _put(workspace: Workspace, path: str, data: bytes | None, before: bytes | None) -> bool:
    if data is None:
        return before is None or workspace.remove(path, before)
    return workspace.write(path, data, before)


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def undo(ports: ReflectionPorts, identifier: str) -> Reflection:
    """Have every page read as it did before a reflection; what it wrote does not come back by
    itself.

    Pages that were changed since stay as they are. Raises ``NotFoundError``, and ``ConflictError``
    where that is all of them.
    """
    known = ports.reflections.get(identifier)
    stayed = []
    for change in known.pages:
        there = ports.workspace.read(change.path)
        if _hash(there) == change.before:
            continue
        if _hash(there) != change.after:
            stayed.append(change.path)
            continue
        try:
            data = None if change.before is None else ports.files.original(change.before)
        except (NotFoundError, OSError):  # it was erased
            stayed.append(change.path)
            continue
        if not _put(ports.workspace, change.path, data, there):
            stayed.append(change.path)
    if stayed and len(stayed) == len(known.pages):
        raise ConflictError(
            "Every page has changed since.",
            "Look at the versions of the pages, and restore the one that you want.",
        )
    ports.reflections.undone(identifier, ports.clock.now())
    return replace(known, undone_at=ports.clock.now())


def drop_lines(ports: ReflectionPorts, documents: Collection[DocumentId]) -> list[str]:
    """Take from the pages what rests on these documents, which are being erased; return the paths
    of the pages.
    """
    paths = ports.reflections.resting_on(documents)
    for path in paths:
        before = ports.workspace.read(path)
        if before is None:
            continue
        text = before.decode("utf-8", "surrogateescape")
        gone = {
            line.mark
            for line in ports.reflections.lines(path)
            if any(evidence.document in documents for evidence in line.evidence)
        }
        cut = [
            (own_line.start, own_line.end) for own_line in own_lines(text) if own_line.mark in gone
        ]
        for start, end in reversed(cut):
            text = text[:start] + text[end:].removeprefix("\r").removeprefix("\n")
        if not _put(
            ports.workspace,
            path,
            None if is_bare(text) else text.encode("utf-8", "surrogateescape"),
            before,
        ):
            raise ConflictError(f"{path} was changed a moment ago.", "Try again.")
    return paths


def take_lines(ports: ReflectionPorts, documents: Collection[DocumentId]) -> dict[str, set[str]]:
    """Take from the pages what rests on these documents, which were made private; return the marks
    of those lines, by page.

    They are not struck: opened again, what they say comes back with the next reflection.
    """
    resting = ports.reflections.resting_on(documents)
    known = {path: ports.reflections.lines(path) for path in resting}
    drop_lines(ports, documents)
    taken: dict[str, set[str]] = {}
    for path, lines in known.items():
        gone = [
            line
            for line in lines
            if any(evidence.document in documents for evidence in line.evidence)
        ]
        stay = [line for line in lines if line not in gone and line.struck_at is None]
        ports.reflections.wrote(path, stay, ports.clock.now())
        taken[path] = {line.mark for line in gone}
    return taken


def is_due(
    now: datetime, last: datetime | None, born: datetime, failed: Sequence[datetime] = ()
) -> bool:
    """Tell whether a night went by since the last time; ``born`` is when there was nothing yet.

    ``failed`` is when it was tried since the last time and did not work: it is tried again after an
    hour, then after two, and then in the next night.

    >>> from datetime import UTC
    >>> def at(day: int, hour: int) -> datetime: return datetime(2026, 5, day, hour, tzinfo=UTC)
    >>> (is_due(at(2, 4), None, at(1, 20)), is_due(at(1, 22), None, at(1, 20)),
    ...  is_due(at(2, 9), at(2, 4), at(1, 20)))
    (True, False, False)
    >>> (is_due(at(2, 4), None, at(1, 20), [at(2, 3)]),
    ...  is_due(at(2, 5), None, at(1, 20), [at(2, 3), at(2, 4)]))
    (True, False)
    """
    night = datetime.combine(now.date(), NIGHT, now.tzinfo)
    night = night if night <= now else night - timedelta(days=1)
    tried = [at for at in failed if at >= night]
    if len(tried) > len(RETRIES) or (tried and now < max(tried) + RETRIES[len(tried) - 1]):
        return False
    return night > (last or born)
