"""Entities and their map as they stand now: what was worked out for them is kept until something
that it rests on changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lpm_kernel.domain.chat.recall import Recalled, Recollection, Scope
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.jobs import UNDER_WAY, JobOutcome, Progress
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, Document
from lpm_kernel.domain.memory.entities import Entity, EntityKind
from lpm_kernel.domain.memory.graph import Communities, Community, Edge, SentenceSpan
from lpm_kernel.domain.memory.memories import Belief, MemoryFilter
from lpm_kernel.domain.stores import Jobs
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L1.entities import graph as drawing
from lpm_kernel.L1.entities.duplicates import (
    Duplicate,
    Told,
    candidates,
    duplicates,
    rows_wanted,
    spans,
    speakers_of,
)
from lpm_kernel.L1.entities.relations import OWN, Fact, FactKind, facts, has_namesakes
from lpm_kernel.L1.entities.resolution import key_of, own_keys
from lpm_kernel.L1.entities.titles import GroupPassages, rows_of, titles
from lpm_kernel.L1.statements.introductions import PassageVoices, ToldFact, introduce
from lpm_kernel.usecases.memory import graph
from lpm_kernel.usecases.memory.graph import GraphView, MapPorts
from lpm_kernel.usecases.memory.letters import signed_facts

MOST_READ = 200
"""Passages of an entity that are read for who it is, the newest."""
STATEMENTS = 50
"""Statements about an entity that are shown with it."""
REPORTS_KEPT = 500
SPREAD = 10
"""Passages that spreading adds at most."""
REACHED = 60
"""Passages that are looked at for that: some were found already, or may not take part."""

Quoted = tuple[Recalled, str]
"""A passage, and the words of it that are shown."""


@dataclass
class MapCache:
    """What was worked out, with what from. Lost with the process."""

    views: dict[bool, tuple[tuple[object, ...], GraphView]] = field(default_factory=dict)
    """The last view with what is private and the last without."""
    reports: dict[tuple[int, tuple[str, ...], tuple[int, ...]], tuple[SentenceSpan, ...]] = field(
        default_factory=dict
    )
    """Reports, by members and passages: rows of the index are never changed and never used
    twice.
    """
    duplicates: list[tuple[GraphView, list[Duplicate]]] = field(default_factory=list)
    """What may be one, by the views that it was worked out for: at most two."""


class EntityMap:
    """Entities and their map, over an open index."""

    def __init__(self, ports: MapPorts, cache: MapCache) -> None:
        self._ports = ports
        self._cache = cache

    def view(self, *, include_private: bool = True) -> GraphView:
        """Return everything that is shown of entities, as the person's decisions leave it now."""
        ports, decisions = self._ports, self._ports.decisions.all()
        key = (id(ports.index), ports.graph.serial(), decisions, ports.owner)
        cached = self._cache.views.get(include_private)
        if cached is None or cached[0] != key:
            view = graph.view(ports.graph, decisions, ports.owner, include_private=include_private)
            cached = self._cache.views[include_private] = (key, view)
        return cached[1]

    def state(self) -> str:
        """Say how the map stands to what it is drawn from: none, fresh, stale, rebuilding,
        failed.
        """
        return graph.state(self._ports.jobs, self.view(), self._ports.index.revision())

    def queue_where_drawn(self) -> None:
        """Queue the drawing of the map, where one was drawn before."""
        if self.state() != "none":
            graph.queue(self._ports.jobs, self._ports.clock)

    def stamp(self) -> tuple[object, ...]:
        """Return something that changes with whatever the map is drawn from."""
        decided = self._ports.decisions.all()
        return self._ports.index.revision(), len(decided), decided[-1:], self._ports.owner

    def is_due(self) -> bool:
        """Tell whether the map is older than what it is drawn from and no job is there to draw
        it.
        """
        state = self.state()
        lacking = state == "none" and self._ports.index.counts().chunks > 0
        return (state == "stale" or lacking) and not graph.under_way(self._ports.jobs)

    def draw_missing(self, clusters: Communities, progress: Progress) -> None:
        """Draw the map where nobody did yet and there are passages."""
        if self._ports.graph.serial()[1] == 0 and self._ports.index.counts().chunks:
            progress(0.0, "graph", "Finding who and what is named")
            graph.rebuild(self._ports, clusters)

    def draw(self, clusters: Communities, progress: Progress) -> JobOutcome:
        """Draw the map, as a job."""
        graph.rebuild(self._ports, clusters, progress)
        shown = self.view()
        count = {
            "entities": len(shown.found.by_slug),
            "edges": len(shown.edges),
            "communities": len(shown.communities),
        }
        return JobOutcome(
            f"{count['entities']:,} people, places and things,"
            f" {counted(count['edges'], 'connection')}.",
            count,
        )

    def statements_about(self, entity: Entity, *, include_private: bool) -> list[Belief]:
        """Return what is believed of an entity, newest first."""
        beliefs: dict[str, Belief] = {}
        for name in dict.fromkeys((entity.name, *entity.aliases)):
            page, _ = self._ports.memories.page(
                MemoryFilter(about=name, open_only=not include_private), limit=STATEMENTS
            )
            beliefs.update((belief.memory, belief) for belief in page)
        newest_first = sorted(
            beliefs.values(), key=lambda belief: (belief.believed_from, belief.memory), reverse=True
        )
        return newest_first[:STATEMENTS]

    def passages_about(self, shown: GraphView, entity: Entity, most: int) -> list[Recalled]:
        """Return passages that name an entity of a view, newest first; none but those that the view
        was worked out from.
        """
        return self._recalled([standing.row for standing in shown.newest(entity)[:most]])

    def documents_about(self, shown: GraphView, entity: Entity) -> list[tuple[Document, int]]:
        """Return every document in which an entity of a view stands, the one that named it last
        first, with how many passages of it do.
        """
        passages = Counter(standing.document for standing in shown.newest(entity))
        there = {document.id: document for document in self._ports.documents.many(list(passages))}
        return [(there[name], count) for name, count in passages.items() if name in there]

    def duplicates(self, shown: GraphView) -> list[Duplicate]:
        """Return which entities of a view may be one, the surest first."""
        kept = self._cache.duplicates
        known = next((found for view, found in kept if view is shown), None)
        if known is None:
            pairs = candidates(shown.found)
            chunks = self._ports.index.chunks(rows_wanted(pairs))
            told = Told(
                shown.found,
                shown.kept.standings,
                {row: chunk.text for row, chunk in chunks.items()},
                speakers_of({row: chunk.speaker for row, chunk in chunks.items()}),
            )
            known = [
                each
                for each in duplicates(pairs, told)
                if not shown.are_kept_apart(each.one, each.other)
            ]
            kept[:] = [*kept[-1:], (shown, known)]
        return known

    def introduction(
        self, shown: GraphView, entity: Entity, language: Language
    ) -> list[tuple[str, Quoted]]:
        """Return sentences that say who an entity of a view is, each with the words that it rests
        on; what the person decided against is no ground for any.
        """
        if entity.self or entity.kind is EntityKind.PLACE:
            return []
        newest = [standing.row for standing in shown.newest(entity)[:MOST_READ]]
        chunks = self._ports.index.chunks(newest)
        recalled = dict(zip(chunks, self._ports.recalled(list(chunks.values())), strict=True))
        if any(has_namesakes(each.text, spans(each.text, entity)) for each in chunks.values()):
            return []
        told = [
            ToldFact(fact, row, moment)
            for row, fact in self._facts_about(entity, chunks)
            for moment in [shown.kept.standings[row].moment]
            if not any(start < fact.end and fact.start < end for start, end in recalled[row].struck)
            and (fact.kind is not FactKind.MET or moment is not None)
        ]
        return [
            (
                each.text,
                (recalled[place.row], chunks[place.row].text[place.start : place.end].strip()),
            )
            for each in introduce(entity.name, told, language)
            for place in [each.rests_on]
        ]

    def _facts_about(
        self, entity: Entity, chunks: Mapping[int, Chunk]
    ) -> Iterator[tuple[int, Fact]]:
        """Yield what passages say of who an entity is."""
        own, texts = frozenset(own_keys(self._ports.owner)), dict[DocumentId, str]()
        voices = PassageVoices(own)
        for row, chunk in chunks.items():
            if chunk.document not in texts:
                texts[chunk.document] = self._ports.text_of(chunk.document)
            voice = voices.of(chunk, texts[chunk.document])
            for fact in (
                *facts(chunk.text, spans(chunk.text, entity), voice),
                *signed_facts(chunk, texts[chunk.document], entity.keys, own),
            ):
                mine = bool(fact.whose) and key_of(fact.whose or "") in own
                yield row, replace(fact, whose=OWN) if mine else fact

    def evidence(self, edge: Edge, most: int) -> list[Recalled]:
        """Return the passages that an edge rests on, the best first."""
        return self._recalled(edge.rows[:most])

    def titles(self, shown: GraphView, groups: Sequence[Community]) -> dict[str, str]:
        """Return what groups of a view are called, by their ids."""
        rows = sorted({row for group in groups for row in rows_of(group, shown.found)})
        chunks = self._ports.index.chunks(rows)
        passages = GroupPassages(
            {row: shown.kept.standings[row].session for row in rows},
            {row: chunk.text for row, chunk in chunks.items()},
        )
        return titles(groups, shown.found, passages)

    def report(self, community: Community) -> Iterator[Quoted]:
        """Yield the person's own sentences that say what a community is about; what the person
        decided against is not among them.
        """
        shown = self.view()
        rows = tuple(drawing.report_rows(community, shown.edges))
        chunks = self._ports.index.chunks(rows)
        key, reports = (id(self._ports.index), community.members, rows), self._cache.reports
        if key not in reports:
            if len(reports) >= REPORTS_KEPT:
                reports.clear()
            texts = {row: chunk.text for row, chunk in chunks.items()}
            reports[key] = drawing.report(community, shown.found, shown.edges, texts)
        sentences = [sentence for sentence in reports[key] if sentence.row in chunks]
        passages = self._ports.recalled([chunks[sentence.row] for sentence in sentences])
        for sentence, passage in zip(sentences, passages, strict=True):
            if not any(
                start < sentence.end and sentence.start < end for start, end in passage.struck
            ):
                yield passage, passage.chunk.text[sentence.start : sentence.end].strip()

    def spread(
        self,
        found: Recollection,
        query: RecallQuery,
        admitted: Callable[[Collection[int], Scope], set[int]],
        tokens_of: Callable[[str], int],
    ) -> Recollection:
        """Add to what was found what lies two edges away on the map from what the question names;
        what was found stays as it was, and before it.
        """
        shown = self.view(include_private=query.scope.include_private)
        ways = drawing.reached(
            drawing.asked_for(shown.found, query.question.text), shown.beside, REACHED
        )
        allowed = admitted([row for _, row in ways], query.scope)
        chunks = self._ports.index.chunks(sorted(allowed))
        there = {item.chunk.id for item in found.items}
        more = [
            (way, chunks[row]) for way, row in ways if row in chunks and chunks[row].id not in there
        ][:SPREAD]
        items, tokens = list(found.items), found.tokens
        added = self._ports.recalled([chunk for _, chunk in more])
        for (way, _), item in zip(more, added, strict=True):
            cost = tokens_of(item.content)
            if query.token_budget is None or tokens + cost <= query.token_budget:
                items.append(replace(item, path=way))
                tokens += cost
        return replace(found, items=tuple(items), tokens=tokens)

    def _recalled(self, rows: Sequence[int]) -> list[Recalled]:
        chunks = self._ports.index.chunks(rows)
        return self._ports.recalled([chunks[row] for row in rows if row in chunks])


def is_reading(jobs: Jobs) -> bool:
    """Tell whether documents are being read, or wait for it."""
    return bool(jobs.page(limit=1, kind="ingest", states=UNDER_WAY)[0])
