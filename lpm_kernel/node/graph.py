"""Who and what is named, the person's decisions about that, and the map."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from lpm_kernel.backends.graph.leiden import Leiden
from lpm_kernel.backends.graph.louvain import Louvain
from lpm_kernel.backends.llm.client import estimate_tokens
from lpm_kernel.domain.chat.recall import Recalled, Recollection
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.entities import Entity, EntityDecision, EntityKind
from lpm_kernel.domain.memory.graph import Communities, Community, Edge, Made
from lpm_kernel.domain.memory.memories import Belief
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L1.entities.duplicates import Duplicate
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.memory import graph as mapping
from lpm_kernel.usecases.memory.entity_map import EntityMap, MapCache, Quoted, is_reading


class EntityGraph:
    """Entities and their map."""

    def __init__(self, ports: Ports, memory: Memory) -> None:
        self._ports = ports
        self._memory = memory
        self._cache = MapCache()

    @property
    def _kept_with(self) -> mapping.MapPorts:
        here, index = self._ports, self._ports.index
        return mapping.MapPorts(
            index,
            index.graph,
            here.entity_decisions,
            here.documents,
            here.memories,
            here.jobs,
            here.clock,
            here.conversations.identity().name,
            self._memory.as_recalled,
            self._memory.text_of,
        )

    @property
    def _map(self) -> EntityMap:
        return EntityMap(self._kept_with, self._cache)

    @property
    def clusters(self) -> Communities:
        """What finds communities: graphrag where it is installed."""
        wanted = self._ports.settings.communities == "graphrag"
        return Leiden() if wanted and Leiden.is_there() else Louvain()

    def named(self, *, include_private: bool = True) -> mapping.GraphView:
        """Return everything that is shown of entities, as the person's decisions leave it now."""
        return self._map.view(include_private=include_private)

    def people(self) -> dict[str, str]:
        """Give, by each of their names in small letters, the other people who are on the map."""
        return {
            name.casefold(): slug
            for slug, entity in self.named().found.by_slug.items()
            if entity.kind is EntityKind.PERSON and not entity.self and not entity.hidden
            for name in (entity.name, *entity.aliases)
        }

    def draw(self, progress: Progress = lambda *_: None) -> Made:
        """Make entities and map anew from the passages, here and now."""
        return mapping.rebuild(self._kept_with, self.clusters, progress)

    def draw_missing(self, progress: Progress) -> None:
        """Make entities and map where nobody did yet and there are passages."""
        self._map.draw_missing(self.clusters, progress)

    def queue_graph(self) -> Job:
        """Queue the drawing of the map; one that waits already will do."""
        return mapping.queue(self._ports.jobs, self._ports.clock)

    def queue_where_drawn(self) -> None:
        """Queue the drawing of the map, where one was drawn before."""
        self._map.queue_where_drawn()

    def graph_state(self) -> str:
        """Say how the map stands to what it is drawn from: none, fresh, stale, rebuilding,
        failed.
        """
        return self._map.state()

    def graph_stamp(self) -> tuple[object, ...]:
        """Return something that changes with whatever the map is drawn from."""
        return self._map.stamp()

    def graph_is_due(self) -> bool:
        """Tell whether the map is older than what it is drawn from and no job is there to draw
        it.
        """
        return self._map.is_due()

    def is_reading(self) -> bool:
        """Tell whether documents are being read, or wait for it."""
        return is_reading(self._ports.jobs)

    def merge_entities(self, into: str, slugs: Sequence[str]) -> EntityDecision:
        """Say that these are one."""
        return mapping.merge(self._kept_with, self.named(), into, slugs)

    def keep_entities_apart(self, slugs: Sequence[str]) -> EntityDecision:
        """Say that these are not one."""
        return mapping.keep_apart(self._kept_with, self.named(), slugs)

    def split_entity(
        self, slug: str, name: str, documents: Collection[DocumentId]
    ) -> EntityDecision:
        """Say that what these documents mean is somebody or something else."""
        return mapping.split(self._kept_with, self.named(), slug, name, documents)

    def change_entity(
        self,
        slug: str,
        *,
        name: str | None = None,
        kind: EntityKind | None = None,
        hidden: bool | None = None,
    ) -> EntityDecision:
        """Say how an entity is called, what it is, or that it is none."""
        said = mapping.EntityChange(name, kind, hidden)
        return mapping.change(self._kept_with, self.named(), slug, said)

    def undecide_entity(self, decision: str) -> None:
        """Take a decision about an entity back."""
        self._ports.entity_decisions.remove(decision, self._ports.clock.now())

    def statements_about(self, entity: Entity, *, include_private: bool) -> list[Belief]:
        """Return what is believed of an entity, newest first."""
        return self._map.statements_about(entity, include_private=include_private)

    def passages_about(self, shown: mapping.GraphView, entity: Entity, most: int) -> list[Recalled]:
        """Return passages that name an entity of a view, newest first; none but those that the view
        was worked out from.
        """
        return self._map.passages_about(shown, entity, most)

    def documents_about(
        self, shown: mapping.GraphView, entity: Entity
    ) -> list[tuple[Document, int]]:
        """Return every document in which an entity of a view stands, the one that named it last
        first, with how many passages of it do.
        """
        return self._map.documents_about(shown, entity)

    def duplicates(self, shown: mapping.GraphView) -> list[Duplicate]:
        """Return which entities of a view may be one, the surest first."""
        return self._map.duplicates(shown)

    def introduction(
        self, shown: mapping.GraphView, entity: Entity, language: Language
    ) -> list[tuple[str, Quoted]]:
        """Return sentences that say who an entity of a view is, each with the words that it rests
        on.
        """
        return self._map.introduction(shown, entity, language)

    def evidence(self, edge: Edge, most: int) -> list[Recalled]:
        """Return the passages that an edge rests on, the best first."""
        return self._map.evidence(edge, most)

    def titles(self, shown: mapping.GraphView, groups: Sequence[Community]) -> dict[str, str]:
        """Return what groups of a view are called, by their ids."""
        return self._map.titles(shown, groups)

    def report(self, community: Community) -> Iterator[Quoted]:
        """Yield the person's own sentences that say what a community is about; what the person
        decided against is not among them.
        """
        return self._map.report(community)

    def spread(self, found: Recollection, query: RecallQuery) -> Recollection:
        """Add to what was found what lies two edges away on the map from what the question names;
        what was found stays as it was, and before it.
        """
        admitted = self._memory.whole_recall.admitted
        return self._map.spread(found, query, admitted, estimate_tokens)

    def graph_job(self, _job: Job, progress: Progress) -> JobOutcome:
        """Draw the map, as a job."""
        return self._map.draw(self.clusters, progress)
