"""Entities and their map as they stand now: what was worked out for them is kept until something
that it rests on changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lpm_kernel.domain.chat.recall import Recalled, Recollection, Scope
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.jobs import UNDER_WAY, JobOutcome, Progress
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.entities import Entity
from lpm_kernel.domain.memory.graph import Communities, Community, Edge, SentenceSpan
from lpm_kernel.domain.memory.memories import Belief, MemoryFilter
from lpm_kernel.domain.stores import Jobs
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L1.entities import graph as drawing
from lpm_kernel.usecases.memory import graph
from lpm_kernel.usecases.memory.graph import GraphView, MapPorts

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

    def evidence(self, edge: Edge, most: int) -> list[Recalled]:
        """Return the passages that an edge rests on, the best first."""
        return self._recalled(edge.rows[:most])

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
