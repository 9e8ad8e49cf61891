"""Who and what is named, the person's decisions about that, and the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from lpm_kernel.backends.graph.leiden import Leiden
from lpm_kernel.backends.graph.louvain import Louvain
from lpm_kernel.backends.llm.client import estimate_tokens
from lpm_kernel.domain.chat.recall import Recalled, Recollection
from lpm_kernel.domain.home.jobs import Job, JobState
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.entities import Entity, EntityDecision, EntityKind
from lpm_kernel.domain.memory.graph import Communities, Community, Edge, Made, SentenceSpan
from lpm_kernel.domain.memory.memories import Belief, MemoryFilter
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L1.entities import graph as drawing
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.home import work
from lpm_kernel.usecases.memory import graph as mapping

STATEMENTS = 50
"""Statements about an entity that are shown with it."""

REPORTS_KEPT = 500
SPREAD = 10
"""Passages that spreading adds at most."""
REACHED = 60
"""Passages that are looked at for that: some were found already, or may not take part."""

Quoted = tuple[Recalled, str]
"""A passage, and the words of it that are shown."""


class EntityGraph:
    """Entities and their map."""

    def __init__(self, ports: Ports, memory: Memory) -> None:
        self._ports = ports
        self._memory = memory

    @cached_property
    def _views(self) -> dict[bool, tuple[tuple[object, ...], mapping.GraphView]]:
        """The last view with what is private and the last without, each with what it was worked out
        from.
        """
        return {}

    @cached_property
    def _reports(
        self,
    ) -> dict[tuple[int, tuple[str, ...], tuple[int, ...]], tuple[SentenceSpan, ...]]:
        """Reports, by members and passages: rows of the index are never changed and never used
        twice.
        """
        return {}

    def named(self, *, include_private: bool = True) -> mapping.GraphView:
        """Return everything that is shown of entities, as the person's decisions leave it now."""
        index, decisions, owner = (
            self._ports.index,
            self._ports.entity_decisions.all(),
            self._ports.conversations.identity().name,
        )
        key = (id(index), index.graph.serial(), decisions, owner)
        known = self._views.get(include_private)
        if known is None or known[0] != key:
            known = self._views[include_private] = (
                key,
                mapping.view(index.graph, decisions, owner, include_private=include_private),
            )
        return known[1]

    def draw(self, progress: work.Progress = lambda *_: None) -> Made:
        """Make entities and map anew from the passages, here and now."""
        index, owner = self._ports.index, self._ports.conversations.identity().name
        return mapping.rebuild(
            index,
            index.graph,
            self._ports.entity_decisions,
            self.clusters,
            owner,
            self._ports.clock,
            progress,
        )

    @property
    def clusters(self) -> Communities:
        """What finds communities: graphrag where it is installed."""
        return (
            Leiden()
            if Leiden.is_there() and self._ports.settings.communities == "graphrag"
            else Louvain()
        )

    def queue_graph(self) -> Job:
        """Queue the drawing of the map; one that waits already will do."""
        return mapping.queue(self._ports.jobs, self._ports.clock)

    def graph_state(self) -> str:
        """Say how the map stands to what it is drawn from: none, fresh, stale, rebuilding,
        failed.
        """
        return mapping.state(self._ports.jobs, self.named(), self._ports.index.revision())

    def graph_stamp(self) -> tuple[object, ...]:
        """Return something that changes with whatever the map is drawn from."""
        decided = self._ports.entity_decisions.all()
        return (
            self._ports.index.revision(),
            len(decided),
            decided[-1:],
            self._ports.conversations.identity().name,
        )

    def graph_is_due(self) -> bool:
        """Tell whether the map is older than what it is drawn from and no job is there to draw
        it.
        """
        state = self.graph_state()
        return (
            state == "stale" or (state == "none" and self._ports.index.counts().chunks > 0)
        ) and not mapping.under_way(self._ports.jobs)

    def is_reading(self) -> bool:
        """Tell whether documents are being read, or wait for it."""
        return bool(
            self._ports.jobs.page(
                limit=1, kind="ingest", states=[JobState.QUEUED, JobState.RUNNING]
            )[0]
        )

    def merge_entities(self, into: str, slugs: Sequence[str]) -> EntityDecision:
        """Say that these are one."""
        return mapping.merge(
            self._ports.entity_decisions, self.named(), self._ports.clock, into, slugs
        )

    def split_entity(
        self, slug: str, name: str, documents: Collection[DocumentId]
    ) -> EntityDecision:
        """Say that what these documents mean is somebody or something else."""
        return mapping.split(
            self._ports.entity_decisions, self.named(), self._ports.clock, slug, name, documents
        )

    def change_entity(
        self,
        slug: str,
        *,
        name: str | None = None,
        kind: EntityKind | None = None,
        hidden: bool | None = None,
    ) -> EntityDecision:
        """Say how an entity is called, what it is, or that it is none."""
        return mapping.change(
            self._ports.entity_decisions,
            self.named(),
            self._ports.clock,
            slug,
            name=name,
            kind=kind,
            hidden=hidden,
        )

    def undecide_entity(self, decision: str) -> None:
        """Take a decision about an entity back."""
        self._ports.entity_decisions.remove(decision, self._ports.clock.now())

    def statements_about(self, entity: Entity, *, include_private: bool) -> list[Belief]:
        """Return what is believed of an entity, newest first."""
        found: dict[str, Belief] = {}
        for name in dict.fromkeys((entity.name, *entity.aliases)):
            page, _ = self._ports.memories.page(
                MemoryFilter(about=name, open_only=not include_private), limit=STATEMENTS
            )
            found.update((each.memory, each) for each in page)
        return sorted(
            found.values(), key=lambda each: (each.believed_from, each.memory), reverse=True
        )[:STATEMENTS]

    def passages_about(self, shown: mapping.GraphView, entity: Entity, most: int) -> list[Recalled]:
        """Return passages that name an entity of a view, newest first; none but those that the view
        was worked out from.
        """
        return self._recalled([each.row for each in shown.newest(entity)[:most]])

    def documents_about(
        self, shown: mapping.GraphView, entity: Entity
    ) -> list[tuple[Document, int]]:
        """Return every document in which an entity of a view stands, the one that named it last
        first, with how many passages of it do.
        """
        passages = Counter(each.document for each in shown.newest(entity))
        known = {each.id: each for each in self._ports.documents.many(list(passages))}
        return [(known[each], count) for each, count in passages.items() if each in known]

    def evidence(self, edge: Edge, most: int) -> list[Recalled]:
        """Return the passages that an edge rests on, the best first."""
        return self._recalled(edge.rows[:most])

    def report(self, community: Community) -> Iterator[Quoted]:
        """Yield the person's own sentences that say what a community is about; what the person
        decided against is not among them.
        """
        shown = self.named()
        rows = tuple(drawing.report_rows(community, shown.edges))
        chunks = self._ports.index.chunks(rows)
        key = (id(self._ports.index), community.members, rows)
        if key not in self._reports:
            if len(self._reports) >= REPORTS_KEPT:
                self._reports.clear()
            self._reports[key] = drawing.report(
                community,
                shown.found,
                shown.edges,
                {row: chunk.text for row, chunk in chunks.items()},
            )
        said = [each for each in self._reports[key] if each.row in chunks]
        for sentence, known in zip(
            said, self._memory.as_recalled([chunks[each.row] for each in said]), strict=True
        ):
            if not any(
                start < sentence.end and sentence.start < end for start, end in known.struck
            ):
                yield known, known.chunk.text[sentence.start : sentence.end].strip()

    def spread(self, found: Recollection, query: RecallQuery) -> Recollection:
        """Add to what was found what lies two edges away on the map from what the question names;
        what was found stays as it was, and before it.
        """
        shown = self.named(include_private=query.scope.include_private)
        ways = drawing.reached(
            drawing.asked_for(shown.found, query.question.text), shown.beside, REACHED
        )
        allowed = self._memory.whole_recall.admitted([row for _, row in ways], query.scope)
        chunks = self._ports.index.chunks(sorted(allowed))
        known = {item.chunk.id for item in found.items}
        more = [
            (way, chunks[row]) for way, row in ways if row in chunks and chunks[row].id not in known
        ][:SPREAD]
        items, tokens = list(found.items), found.tokens
        for (way, _), item in zip(
            more, self._memory.as_recalled([chunk for _, chunk in more]), strict=True
        ):
            cost = estimate_tokens(item.content)
            if query.token_budget is None or tokens + cost <= query.token_budget:
                items.append(replace(item, path=way))
                tokens += cost
        return replace(found, items=tuple(items), tokens=tokens)

    def _recalled(self, rows: Sequence[int]) -> list[Recalled]:
        chunks = self._ports.index.chunks(rows)
        return self._memory.as_recalled([chunks[row] for row in rows if row in chunks])

    def graph_job(self, _job: Job, progress: work.Progress) -> work.JobOutcome:
        """Draw the map, as a job."""
        self.draw(progress)
        shown = self.named()
        count = {
            "entities": len(shown.found.by_slug),
            "edges": len(shown.edges),
            "communities": len(shown.communities),
        }
        return work.JobOutcome(
            f"{count['entities']} people, places and things, {count['edges']} connections.", count
        )
