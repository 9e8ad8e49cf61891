"""The map of entities: which are named together and how much that says, what each group of them is
about, and where each is drawn.

Pure: the same mentions give the same edges, reports and places. What an edge weighs is worked out
from the passages that name both ends, never from a model, so each edge can show the sentences that
it rests on.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log, sqrt

from lpm_kernel.domain.memory.entities import Entities, PassageStanding
from lpm_kernel.domain.memory.graph import Community, Edge, SentenceSpan
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.L1.entities.resolution import key_of

MOST_EVIDENCE = 8
"""Passages that an edge keeps."""
MOST_TOGETHER = 12
"""Entities of one passage that make edges with each other; a list of forty names says little of any
two.
"""
STATED = 2.0
"""How many passages a statement counts for: the person put it in so many words."""
REPORT = 4
"""Sentences of a report at most."""
TITLE = 3
"""Names in the title of a community."""
LONGEST_ASKED = 6
"""Words of a name in a question."""
BRANCHES = 8
"""Edges of an entity that are followed, the heaviest."""
LONGEST, SHORTEST = 240, 12
"""Characters of a sentence of a report."""


def key_of_slug(slug: str) -> bytes:
    """Return the name under which an entity's place is kept: what was erased cannot be read out of
    it.
    """
    return hashlib.sha256(slug.encode()).digest()[:16]


def edges(found: Entities, standings: Mapping[int, PassageStanding]) -> list[Edge]:
    """Return which entities are named together, in the order of their slugs.

    A pair's count grows with every passage that names both, a statement counting twice; the second
    passage of one session adds a half, the third a third, so that one long talk does not outweigh
    many days. With N passages in all, counted alike, the weight is ``log(1 + n(a,b) N / n(a) n(b))
    · log(1 + n(a,b))``: how much more often the two meet than chance would have it – the ratio
    under the logarithm of pointwise mutual information (Church and Hanks 1990, "Word association
    norms, mutual information, and lexicography") – times how often at all, since PMI alone
    overrates what was seen once. One is added so that two names that always meet still have an
    edge.
    """
    alone: dict[str, float] = defaultdict(float)
    together: dict[tuple[str, str], float] = defaultdict(float)
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    seen: Counter[tuple[str, tuple[int, int]]] = Counter()
    met: Counter[tuple[tuple[str, str], tuple[int, int]]] = Counter()
    passages: Counter[tuple[int, int]] = Counter()
    total = 0.0
    for row in sorted(found.at):
        standing = standings[row]
        worth = STATED if standing.statement else 1.0
        named = found.at[row]
        for slug in named:
            seen[slug, standing.session] += 1
            alone[slug] += worth / seen[slug, standing.session]
        passages[standing.session] += 1
        total += worth / passages[standing.session]
        weighty = sorted(named, key=lambda slug: (-len(found.by_slug[slug].rows), slug))[
            :MOST_TOGETHER
        ]
        for pair in combinations(sorted(weighty), 2):
            met[pair, standing.session] += 1
            together[pair] += worth / met[pair, standing.session]
            rows[pair].append(row)
    made = []
    for pair in sorted(together):
        count = together[pair]
        weight = log(1 + count * total / (alone[pair[0]] * alone[pair[1]])) * log(1 + count)
        moments = [moment for row in rows[pair] if (moment := standings[row].moment) is not None]
        best = sorted(
            rows[pair],
            key=lambda row: (
                not standings[row].statement,
                len(found.at[row]),
                -(standings[row].moment or 0.0),
                row,
            ),
        )
        made.append(
            Edge(
                *pair,
                weight=round(weight, 6),
                rows=_spread(best, standings),
                first=min(moments, default=None),
                last=max(moments, default=None),
                private=all(standings[row].private for row in rows[pair]),
            )
        )
    return made


def communities(
    found: Entities, groups: Sequence[Sequence[str]], joined: Sequence[Edge]
) -> list[Community]:
    """Return groups as communities, the largest first: each is called by its heaviest names, those
    with the heaviest edges inside it.
    """
    inside = {
        slug: number
        for number, group in enumerate(groups)
        for slug in group
        if slug in found.by_slug
    }
    heavy: dict[str, float] = defaultdict(float)
    for edge in joined:
        if edge.source in inside and inside[edge.source] == inside.get(edge.target):
            heavy[edge.source] += edge.weight
            heavy[edge.target] += edge.weight
    made = []
    for group in groups:
        members = sorted(
            (slug for slug in set(group) if slug in inside),
            key=lambda slug: (-round(heavy[slug], 6), -len(found.by_slug[slug].rows), slug),
        )
        if len(members) > 1:
            others = [slug for slug in members if not found.by_slug[slug].self] or members
            title = " · ".join(found.by_slug[slug].name for slug in others[:TITLE])
            made.append(Community(members[0], title, tuple(members)))
    return sorted(made, key=lambda each: (-len(each.members), each.id))


def report(
    community: Community, found: Entities, joined: Sequence[Edge], texts: Mapping[int, str]
) -> tuple[SentenceSpan, ...]:
    """Return sentences of the person's own that say what a community is about: from the passages of
    its heaviest edges, those that name most of it.
    """
    members = set(community.members)
    names = {slug: sorted(found.by_slug[slug].keys) for slug in community.members}
    chosen: list[SentenceSpan] = []
    covered: set[str] = set()
    for edge in sorted(
        (each for each in joined if each.source in members and each.target in members),
        key=lambda each: (-each.weight, each.source, each.target),
    ):
        if len(chosen) == REPORT:
            break
        if chosen and {edge.source, edge.target} <= covered:
            continue
        best = max(
            (_said(row, texts[row], edge, names) for row in edge.rows if row in texts),
            key=lambda each: each[0],
            default=None,
        )
        if best is not None and best[1] not in chosen:
            chosen.append(best[1])
            covered |= {edge.source, edge.target}
    return tuple(chosen)


def report_rows(community: Community, joined: Sequence[Edge]) -> list[int]:
    """Return the passages that a report may quote."""
    members = set(community.members)
    heavy = sorted(
        (edge for edge in joined if edge.source in members and edge.target in members),
        key=lambda each: (-each.weight, each.source, each.target),
    )
    return sorted({row for edge in heavy[: REPORT * 4] for row in edge.rows})


def within(found: Entities, joined: Sequence[Edge], around: str, hops: int, limit: int) -> set[str]:
    """Return the entities that are shown: those named most often, or those that are nearest to one
    of them.
    """
    shown = [entity.slug for entity in found.by_slug.values() if not entity.hidden]
    if not around:
        return set(shown[:limit])
    beside: dict[str, list[Edge]] = defaultdict(list)
    for edge in joined:
        beside[edge.source].append(edge)
        beside[edge.target].append(edge)
    near, ring = {around}, [around]
    for _ in range(hops):
        reached: dict[str, float] = {}
        for slug in ring:
            for edge in beside[slug]:
                other = edge.target if edge.source == slug else edge.source
                reached[other] = max(reached.get(other, 0.0), edge.weight)
        ring = [
            slug
            for slug in sorted(reached, key=lambda slug: (-reached[slug], slug))
            if slug not in near
        ][: max(0, limit - len(near))]
        near.update(ring)
    return near


def asked_for(found: Entities, question: str) -> list[str]:
    """Return the entities that a question names, those named seldom first: they tell more.

    In spaced scripts a name is found word by word, in the others wherever it stands.
    """
    words = key_of(question).split()
    runs = {
        " ".join(words[first:last])
        for first in range(len(words))
        for last in range(first + 1, min(len(words), first + LONGEST_ASKED) + 1)
    }
    runs |= {key_of(run) for run in runs}
    plain = key_of(question).replace(" ", "")
    named = [
        entity
        for entity in found.by_slug.values()
        if not entity.hidden
        and any(
            key in runs or (not key.isascii() and len(key) > 1 and key.replace(" ", "") in plain)
            for key in entity.keys
        )
    ]
    return [entity.slug for entity in sorted(named, key=lambda each: (len(each.rows), each.slug))]


def reached(
    named: Sequence[str], beside: Mapping[str, Sequence[Edge]], most: int
) -> list[tuple[tuple[str, str, str], int]]:
    """Return passages that lie two edges away from what is named, each with the way there, the
    heaviest ways first.

    A way weighs as much as its two edges together, as the geometric mean; no step goes back, and
    what the question names is no goal: it is found by itself.
    """
    ways: list[tuple[float, tuple[str, str, str], int]] = []
    for start in named:
        for first in beside.get(start, ())[:BRANCHES]:
            middle = _other(first, start)
            for second in beside.get(middle, ())[:BRANCHES]:
                goal = _other(second, middle)
                if goal not in named and middle not in named:
                    ways += [
                        (
                            -sqrt(first.weight * second.weight) / (1 + place),
                            (start, middle, goal),
                            row,
                        )
                        for place, row in enumerate(second.rows)
                    ]
    found: dict[int, tuple[str, str, str]] = {}
    for _, way, row in sorted(ways):
        found.setdefault(row, way)
        if len(found) == most:
            break
    return [(way, row) for row, way in found.items()]


def _other(edge: Edge, end: str) -> str:
    return edge.target if edge.source == end else edge.source


def digest(nodes: Sequence[str], joined: Sequence[Edge], *also: str) -> str:
    """Hash what the map is drawn from."""
    made = hashlib.sha256("\n".join((*also, *nodes)).encode())
    for edge in joined:
        made.update(f"\n{edge.source}\t{edge.target}\t{edge.weight!r}".encode())
    return made.hexdigest()


def _spread(best: Sequence[int], standings: Mapping[int, PassageStanding]) -> tuple[int, ...]:
    """Keep the best passages, one of every session before a second of any."""
    rounds: dict[tuple[int, int], int] = defaultdict(int)
    ranked = []
    for place, row in enumerate(best):
        session = standings[row].session
        ranked.append((rounds[session], place, row))
        rounds[session] += 1
    return tuple(row for _, _, row in sorted(ranked)[:MOST_EVIDENCE])


def _said(
    row: int, text: str, edge: Edge, names: Mapping[str, Sequence[str]]
) -> tuple[tuple[float, ...], SentenceSpan]:
    """Rate the sentence of a passage that says most of an edge: it names both, or one, others
    besides, and is neither a word nor a page.
    """
    best: tuple[tuple[float, ...], SentenceSpan] | None = None
    for start, end in sentence_spans(text) or [(0, len(text))]:
        plain = f" {key_of(text[start:end])} "
        there = {slug for slug, keys in names.items() if any(key in plain for key in keys)}
        score = (
            float(len(there & {edge.source, edge.target})),
            float(SHORTEST <= end - start <= LONGEST),
            float(len(there)),
            -float(row),
            -float(start),
        )
        if best is None or score > best[0]:
            best = (score, SentenceSpan(row, start, end))
    return best or ((0.0,) * 5, SentenceSpan(row, 0, len(text)))
