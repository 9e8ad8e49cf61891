"""Who and what is named, as the person left it, and the map of it: shown from what is kept, drawn
anew by a job.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.home.jobs import UNDER_WAY, Job, JobState, Lane, Progress
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.claims import KnownEntity
from lpm_kernel.domain.memory.entities import (
    MOST_NAME,
    Entities,
    Entity,
    EntityDecision,
    EntityKind,
    EntityVerdict,
    PassageStanding,
    Read,
)
from lpm_kernel.domain.memory.graph import (
    Communities,
    Community,
    Edge,
    Graph,
    Made,
    Spot,
    StoredGraph,
)
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import Documents, EntityDecisions, Jobs
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.L1.entities import graph as drawing
from lpm_kernel.L1.entities.layout import layout, seed
from lpm_kernel.L1.entities.mentions import survey
from lpm_kernel.L1.entities.resolution import entities, known_by, party

BATCH = 5_000
"""Passages that are read at once."""


@dataclass(frozen=True)
class MapPorts:
    """What entities and their map are made from, kept with and shown with."""

    index: PassageIndex
    graph: Graph
    decisions: EntityDecisions
    documents: Documents
    memories: Memories
    jobs: Jobs
    clock: Clock
    owner: str = field(repr=False)
    """The person's name."""
    recalled: Callable[[Sequence[Chunk]], list[Recalled]]
    """Shows passages as recall does: what the person decided against is struck."""
    text_of: Callable[[DocumentId], str]
    """Gives the text of a document; nothing where there is none."""


@dataclass(frozen=True)
class EntityChange:
    """How an entity is called, what it is, or that it is none; nothing where nothing is said."""

    name: str | None = field(default=None, repr=False)
    kind: EntityKind | None = None
    hidden: bool | None = None


@dataclass(frozen=True)
class GraphView:
    """Everything that is shown of entities and their map, for one who sees all of it or only what
    is open.
    """

    kept: StoredGraph = field(repr=False)
    decisions: tuple[EntityDecision, ...] = field(repr=False)
    found: Entities = field(repr=False)

    @cached_property
    def edges(self) -> list[Edge]:
        """Who and what is named together."""
        return drawing.edges(self.found, self.kept.standings)

    @cached_property
    def digest(self) -> str:
        """What the map would be drawn from now."""
        return drawing.digest(
            self._shown, self.edges, self.kept.made.clusters if self.kept.made else ""
        )

    @cached_property
    def spots(self) -> dict[str, Spot]:
        """Where each is drawn; what was decided since the last job stands beside what it is named
        with.
        """
        known = {
            slug: spot
            for slug in self._shown
            if (spot := self.kept.spots.get(drawing.key_of_slug(slug))) is not None
        }
        beside: dict[str, list[Spot]] = {}
        for edge in self.edges:
            for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
                if one not in known and other in known:
                    beside.setdefault(one, []).append(known[other])
        for slug in self._shown:
            if slug not in known:
                near = beside.get(slug)
                x, y = (
                    (
                        sum(spot.x for spot in near) / len(near),
                        sum(spot.y for spot in near) / len(near),
                    )
                    if near
                    else seed(slug)
                )
                known[slug] = Spot(round(x, 4), round(y, 4), None)
        return known

    @cached_property
    def communities(self) -> list[Community]:
        """Those with more than one member, the largest first; without reports."""
        return _communities(self.found, self.spots, self.edges)

    @cached_property
    def community_of(self) -> dict[str, str]:
        """The community of each entity that is in one."""
        return {slug: community.id for community in self.communities for slug in community.members}

    @cached_property
    def beside(self) -> dict[str, list[Edge]]:
        """The edges of each entity, the heaviest first."""
        found: dict[str, list[Edge]] = {}
        for edge in sorted(self.edges, key=lambda each: (-each.weight, each.source, each.target)):
            found.setdefault(edge.source, []).append(edge)
            found.setdefault(edge.target, []).append(edge)
        return found

    @property
    def _shown(self) -> list[str]:
        return sorted(entity.slug for entity in self.found.by_slug.values() if not entity.hidden)

    def entity(self, slug: str) -> Entity:
        """Return an entity by its slug, or by one that it had before. Raises ``NotFoundError``."""
        found = self.found.find(slug)
        if found is None:
            raise NotFoundError("entity", slug)
        return found

    def are_kept_apart(self, one: str, other: str) -> bool:
        """Tell whether the person said that these are not one."""
        said = [
            {
                decision.id
                for decision in self.found.decided.get(slug, ())
                if decision.verdict is EntityVerdict.APART
            }
            for slug in (one, other)
        ]
        return bool(said[0] & said[1])

    def newest(self, entity: Entity) -> list[PassageStanding]:
        """Return where an entity is named, the newest first."""
        there = [
            standing
            for row in entity.rows
            if (standing := self.kept.standings.get(row)) is not None
        ]
        return sorted(there, key=lambda each: (each.moment or 0.0, each.row), reverse=True)

    def edge(self, source: str, target: str) -> Edge:
        """Return an edge by its ends, in either order. Raises ``NotFoundError``."""
        ends = {self.entity(source).slug, self.entity(target).slug}
        found = next(
            (edge for edge in self.beside.get(min(ends), []) if {edge.source, edge.target} == ends),
            None,
        )
        if found is None:
            raise NotFoundError("edge", f"{source} – {target}")
        return found


def view(
    graph: Graph, decisions: Sequence[EntityDecision], owner: str, *, include_private: bool = True
) -> GraphView:
    """Return what is shown. Without ``include_private`` it is worked out from the open passages
    alone, as if the others were not there.

    That view has no places and no communities: those were found with everything. What is left of
    the whole in it is that a word was taken for a name.
    """
    kept = graph.kept()
    if not include_private:
        open_ones = {
            row: standing for row, standing in kept.standings.items() if not standing.private
        }
        there = {standing.document for standing in open_ones.values()}
        kept = replace(
            kept,
            made=None,
            mentions=[mention for mention in kept.mentions if mention.row in open_ones],
            standings=open_ones,
            spots={},
        )
        decisions = [
            known for decision in decisions if (known := known_by(decision, there)) is not None
        ]
    return GraphView(
        kept, tuple(decisions), entities(kept.mentions, kept.standings, decisions, owner)
    )


def rebuild(ports: MapPorts, clusters: Communities, progress: Progress = lambda *_: None) -> Made:
    """Make all of it anew from the passages, and put it in the place of what was there. What is
    drawn from the same edges again stays where it was.
    """
    graph, revision = ports.graph, ports.index.revision()
    reads, standings = _read(ports.index, progress)
    progress(0.3, "names", "Looking for names")
    mentions = survey(reads)
    progress(0.5, "edges", "Seeing who and what is named together")
    found = entities(mentions, standings, ports.decisions.all(), ports.owner)
    edges = drawing.edges(found, standings)
    shown = sorted(entity.slug for entity in found.by_slug.values() if not entity.hidden)
    made = Made(
        ports.clock.now(), revision, drawing.digest(shown, edges, clusters.name), clusters.name
    )
    before = graph.kept()
    spots = dict(before.spots)
    if before.made is None or before.made.digest != made.digest:
        progress(0.6, "communities", "Finding what belongs together")
        triples = [(edge.source, edge.target, edge.weight) for edge in edges]
        groups = [group for group in clusters.groups(triples) if len(group) > 1]
        home = {slug: number for number, group in enumerate(groups) for slug in group}
        progress(0.8, "layout", "Drawing the map")
        known = {
            slug: (spot.x, spot.y)
            for slug in shown
            if (spot := before.spots.get(drawing.key_of_slug(slug))) is not None
        }
        spots = {
            drawing.key_of_slug(slug): Spot(*place, home.get(slug))
            for slug, place in layout(shown, triples, known, groups).items()
        }
    progress(0.95, "swap", "Putting it in place")
    placed = {
        slug: spot for slug in shown if (spot := spots.get(drawing.key_of_slug(slug))) is not None
    }
    graph.swap(made, mentions, spots, _named(found, _communities(found, placed, edges)))
    return made


def _communities(
    found: Entities, spots: Mapping[str, Spot], edges: Sequence[Edge]
) -> list[Community]:
    groups: dict[int, list[str]] = {}
    for slug, spot in spots.items():
        if spot.community is not None:
            groups.setdefault(spot.community, []).append(slug)
    return drawing.communities(found, [groups[number] for number in sorted(groups)], edges)


def _read(index: PassageIndex, progress: Progress) -> tuple[list[Read], dict[int, PassageStanding]]:
    """Read every passage, with where it stands."""
    reads: list[Read] = []
    standings: dict[int, PassageStanding] = {}
    total, after = max(1, index.counts().chunks), 0
    while True:
        progress(0.3 * min(1.0, len(reads) / total), "read", f"{len(reads)} of {total} passages")
        labels = {each.ordinal: each for each in index.labels()}
        batch = index.batch(after, limit=BATCH)
        if not len(batch.rows):
            return reads, standings
        chunks = index.chunks([int(row) for row in batch.rows])
        for row, ordinal, group, moment in zip(
            batch.rows.tolist(),
            batch.ordinals.tolist(),
            batch.groups.tolist(),
            batch.moments.tolist(),
            strict=True,
        ):
            if row in chunks and ordinal in labels and not is_thread(labels[ordinal].document):
                chunk, label = chunks[row], labels[ordinal]
                said = None if math.isnan(moment) else moment
                standings[row] = PassageStanding(
                    row,
                    label.document,
                    (ordinal, group),
                    said,
                    label.private,
                    chunk.kind is not None,
                )
                reads.append(Read(row, chunk))
        after = int(batch.rows[-1])


def forget(graph: Graph, decisions: EntityDecisions, owner: str) -> None:
    """Forget where those were drawn that nothing names any more, and how they were called."""
    shown = view(graph, decisions.all(), owner)
    graph.keep_only(
        [drawing.key_of_slug(slug) for slug in shown.found.by_slug],
        _named(shown.found, shown.communities),
    )


def _named(found: Entities, topics: Sequence[Community]) -> list[KnownEntity]:
    places = {
        slug: (topic.id, place) for topic in topics for place, slug in enumerate(topic.members)
    }
    return [
        KnownEntity(
            entity.slug,
            entity.name,
            entity.kind.value,
            entity.keys,
            len(entity.rows),
            entity.self,
            *places.get(entity.slug, ("", 0)),
        )
        for entity in found.by_slug.values()
        if not entity.hidden
    ]


def state(jobs: Jobs, shown: GraphView, revision: int) -> str:
    """Say how the map stands to what it is drawn from."""
    made = shown.kept.made
    if made is None:
        return "none"
    if under_way(jobs):
        return "rebuilding"
    if made.revision == revision and made.digest == shown.digest:
        return "fresh"
    newest = jobs.page(limit=1, kind="graph")[0]
    return "failed" if newest and newest[0].state is JobState.FAILED else "stale"


def under_way(jobs: Jobs) -> bool:
    """Tell whether the map is being drawn, or waits for it."""
    return bool(jobs.page(limit=1, kind="graph", states=UNDER_WAY)[0])


def queue(jobs: Jobs, clock: Clock) -> Job:
    """Queue the job that draws the map; one that is waiting already will do, one that is running
    may have read too early.
    """
    waiting = jobs.page(limit=1, kind="graph", states=[JobState.QUEUED])[0]
    return waiting[0] if waiting else jobs.add("graph", Lane.HEAVY, None, clock.now(), {})


def merge(ports: MapPorts, shown: GraphView, into: str, slugs: Sequence[str]) -> EntityDecision:
    """Say that these are one. Raises ``NotFoundError``, ``InvalidInputError``."""
    subject = shown.entity(into)
    others = {
        found.slug: found for slug in slugs if (found := shown.entity(slug)).slug != subject.slug
    }
    if not others:
        raise InvalidInputError("These are already one.", "Name another one to merge.")
    return _put(ports, shown, EntityVerdict.MERGE, [subject, *others.values()])


def keep_apart(ports: MapPorts, shown: GraphView, slugs: Sequence[str]) -> EntityDecision:
    """Say that these are not one: they are not proposed any more. Raises ``NotFoundError``,
    ``InvalidInputError``.
    """
    subjects = {found.slug: found for found in map(shown.entity, slugs)}
    if len(subjects) < 2:  # noqa: PLR2004  one cannot be apart
        raise InvalidInputError("These are already one.", "Name two that are not the same.")
    return _put(ports, shown, EntityVerdict.APART, list(subjects.values()))


def split(
    ports: MapPorts, shown: GraphView, slug: str, name: str, documents: Collection[DocumentId]
) -> EntityDecision:
    """Say that what these documents mean is somebody or something else. Raises ``NotFoundError``,
    ``InvalidInputError``.
    """
    subject = shown.entity(slug)
    there = {shown.kept.standings[row].document for row in subject.rows}
    along = there & set(documents)
    if not along or along == there:
        raise InvalidInputError(
            (
                "A split takes some of the documents along and leaves some."
                if along
                else "None of these documents names it."
            ),
            "Choose among the documents that name it.",
        )
    said = EntityChange(_plain(name))
    return _put(ports, shown, EntityVerdict.SPLIT, [subject], said, frozenset(along))


def change(ports: MapPorts, shown: GraphView, slug: str, said: EntityChange) -> EntityDecision:
    """Say how it is called, what it is, or that it is none. Raises ``NotFoundError``,
    ``InvalidInputError``.
    """
    if said == EntityChange():
        raise InvalidInputError("There is nothing to change.", "Send `name`, `kind` or `hidden`.")
    plain = replace(said, name=None if said.name is None else _plain(said.name))
    return _put(ports, shown, EntityVerdict.CHANGE, [shown.entity(slug)], plain)


def _put(
    ports: MapPorts,
    shown: GraphView,
    verdict: EntityVerdict,
    subjects: Sequence[Entity],
    said: EntityChange = EntityChange(),
    documents: frozenset[DocumentId] = frozenset(),
) -> EntityDecision:
    parties = tuple(party(entity, shown.kept.mentions, shown.kept.standings) for entity in subjects)
    decision = EntityDecision(
        "n_" + secrets.token_hex(8),
        verdict,
        _after(shown.decisions, ports.clock.now()),
        parties,
        said.name,
        said.kind,
        said.hidden,
        documents,
    )
    ports.decisions.put(decision)
    return decision


def _after(known: Sequence[EntityDecision], now: datetime) -> datetime:
    """Return a moment after every other decision: they are applied in the order in which they were
    made, whatever the clock says.
    """
    return max([now, *(decision.at + timedelta(microseconds=1) for decision in known)])


def _plain(name: str) -> str:
    plain = " ".join(name.split())
    if not plain or len(plain) > MOST_NAME or not any(sign.isalnum() for sign in plain):
        raise InvalidInputError(
            f"A name has between 1 and {MOST_NAME} characters, at least one of them a letter.",
            "Say it in a few words.",
        )
    return plain


def moment_of(seconds: float | None) -> datetime | None:
    """Return a moment in the person's zone."""
    return None if seconds is None else datetime.fromtimestamp(seconds).astimezone()


def matching(shown: GraphView, text: str, kind: EntityKind | None) -> list[Entity]:
    """Return the entities that are listed, most often named first; ``text`` begins a name or a word
    of it.
    """
    wanted = text.strip().casefold()
    return [
        entity
        for entity in shown.found.by_slug.values()
        if not entity.hidden
        and (kind is None or entity.kind is kind)
        and (
            not wanted
            or any(
                part.startswith(wanted)
                for name in (entity.name, *entity.aliases)
                for part in (name.casefold(), *name.casefold().split())
            )
        )
    ]
