"""What the person holds and how sure of it they are by now; what cannot both be so, put to them to
settle; and what could stand in ``memory.md``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, combinations

from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.memories import Belief, Memories, MemoryFilter, MemoryId
from lpm_kernel.domain.memory.reflection import What
from lpm_kernel.domain.memory.validity import Validity
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.domain.stores import Documents
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.L0.language.analysis import terms, traits
from lpm_kernel.L1.statements.disagreements import ComparableFact, apart, facts
from lpm_kernel.L1.statements.opinions import Opinion, opinion
from lpm_kernel.L1.statements.slots import Slot, excludes, slots
from lpm_kernel.L1.statements.stance import ConflictReason, disagree, stance
from lpm_kernel.L1.statements.validity import told
from lpm_kernel.L1.statements.views import StatedView, grouped
from lpm_kernel.usecases.library.differences import DiffLine, difference
from lpm_kernel.usecases.memory.graph import moment_of
from lpm_kernel.usecases.memory.reflection import ReflectionPorts, standing
from lpm_kernel.usecases.memory.revisions import appended

MOST = 200
"""Views that are worked out at once, the newest."""
HEARD = 60
"""Claims that are held against a view."""
HELD_AGAINST = 20_000
"""Claims whose numbers and dates are held against each other, the weightiest."""
ENTITIES, ABOUT, OWN = 150, 30, 120
"""How far disagreements are looked for: among so many claims about each of the entities named most,
and about the person.
"""
MOST_VALUES = 4
"""What has more values than these changes all the time, and contradicts nothing."""
YEARLY = 300
"""Days from which on another date may be that of the next year."""
PROPOSED = 5
"""Lines for ``memory.md`` that are proposed at once: more than that nobody reads."""
LONGEST = 160
CHANGED = "changed"
SIDES = (CHANGED, "first", "second", "both")
"""What the person can say: the older was so until the newer, one of them is wrong, or both can be
so.
"""


@dataclass(frozen=True)
class OpinionView:
    """A view, as it stands."""

    belief: Belief
    opinion: Opinion


@dataclass(frozen=True)
class Disagreement:
    """Two facts that cannot both be so at one time; the older first, where that is known."""

    id: str
    first: Claim = field(repr=False)
    second: Claim = field(repr=False)
    reason: ConflictReason
    verdict: str | None = None


@dataclass(frozen=True)
class CoreLine:
    """A line that could stand in ``memory.md``, and what speaks for it."""

    id: str
    line: str = field(repr=False)
    claim: Claim = field(repr=False)
    reason: str
    change: tuple[DiffLine, ...] = field(repr=False)
    """What taking it in does to the file."""


def views(ports: ReflectionPorts, memories: Memories) -> list[OpinionView]:
    """Return what the person holds, what moved last first."""
    found, _ = memories.page(MemoryFilter(kinds=(StatementKind.OPINION,)), limit=MOST)
    made = [OpinionView(belief, _opinion(ports, memories, belief)) for belief in found]
    return sorted(
        made, key=lambda view: (view.opinion.points[-1].at, view.belief.memory), reverse=True
    )


def view(ports: ReflectionPorts, memories: Memories, identifier: str) -> OpinionView:
    """Return one. Raises ``NotFoundError``."""
    history = memories.history(MemoryId(identifier))
    now = history[-1]
    if now.statement.kind is not StatementKind.OPINION or now.believed_until is not None:
        raise NotFoundError("opinion", identifier)
    return OpinionView(now, _opinion(ports, memories, now))


def stated_views(ports: ReflectionPorts, held: Sequence[OpinionView]) -> list[StatedView]:
    """Return what the person's own texts say that they think, the newest first; without what they
    keep as an opinion already, which shows those words itself.
    """
    kept = [
        " ".join((*view.belief.statement.entities, view.belief.statement.text)) for view in held
    ]
    claims = [
        claim
        for claim in standing(ports, ports.claims.views(MOST))
        if not any(stance(text, claim.text) is not None for text in kept)
    ]
    return grouped(claims)


def _opinion(ports: ReflectionPorts, memories: Memories, belief: Belief) -> Opinion:
    text = " ".join((*belief.statement.entities, belief.statement.text))
    claims = standing(ports, ports.claims.saying(terms(text), HEARD))
    others = [
        claim
        for claim in claims
        if not (claim.document == belief.document and belief.start <= claim.start < belief.end)
    ]
    wordings = memories.history(belief.memory)
    day = _written_on(ports.documents, belief)
    stated = [(each.believed_from, each.statement.confidence) for each in wordings]
    if day is not None and day < stated[0][0]:
        stated[0] = (day, stated[0][1])
    return opinion(text, stated, others, ports.clock.now().astimezone())


def _written_on(documents: Documents, belief: Belief) -> datetime | None:
    known = documents.many([belief.document])
    return known[0].created_at if known else None


def disagreements(ports: ReflectionPorts, *, settled: bool = False) -> list[Disagreement]:
    """Return what cannot both be so and was not settled, or what was; what is kept first, then the
    newest.
    """
    ruled = ports.reflections.rulings(What.DISAGREEMENT)
    found: dict[str, Disagreement] = {}
    groups: list[Sequence[Claim]] = [
        ports.claims.naming(entity.keys, ABOUT)
        for entity in ports.claims.largest(ENTITIES)
        if not entity.self
    ]
    groups.append(ports.claims.mine(OWN))
    weightiest = ports.claims.weightiest(HELD_AGAINST)
    for first, second, reason in chain(
        _differing(weightiest), _exclusive(weightiest), _pairs(groups)
    ):
        older, newer = sorted(
            (first, second),
            key=lambda each: (each.moment is None, each.moment or 0.0, each.document, each.start),
        )
        identifier = identifier_of(older.text, newer.text)
        if (identifier in ruled) == settled:
            found.setdefault(
                identifier, Disagreement(identifier, older, newer, reason, ruled.get(identifier))
            )
    both = {
        id(each)
        for each in standing(
            ports, [claim for known in found.values() for claim in (known.first, known.second)]
        )
    }
    there = [
        disagreement
        for disagreement in found.values()
        if settled or {id(disagreement.first), id(disagreement.second)} <= both
    ]
    return sorted(
        there,
        key=lambda each: (
            -(each.first.kept + each.second.kept),
            -(each.second.moment or 0.0),
            each.id,
        ),
    )


def _pairs(groups: Iterable[Sequence[Claim]]) -> Iterable[tuple[Claim, Claim, ConflictReason]]:
    for group in groups:
        facts = [claim for claim in group if claim.kind is not StatementKind.OPINION]
        for first, second in combinations(facts, 2):
            reason = disagree(first.text, second.text)
            numbers = reason in {ConflictReason.NUMBER, ConflictReason.DATE}
            if (
                reason is not None
                and not (numbers and first.document == second.document)
                and _comparable(first, second, reason)
                and set(first.about) & set(second.about)
                | ({""} if first.mine and second.mine else set())
            ):
                yield first, second, reason


def _comparable(first: Claim, second: Claim, reason: ConflictReason) -> bool:
    """Tell whether two claims are of one person where they say "I", and of one year where a date
    without one differs.
    """
    spoken = any(traits(claim.text) & Trait.FIRST_PERSON for claim in (first, second))
    if spoken and not (first.mine and second.mine):
        return False
    if reason is not ConflictReason.DATE or None in {first.moment, second.moment}:
        return True
    return abs((first.moment or 0.0) - (second.moment or 0.0)) < YEARLY * 86_400


def _exclusive(claims: Sequence[Claim]) -> Iterator[tuple[Claim, Claim, ConflictReason]]:
    """Give claims of two documents that tell what can be only one way at a time, with other
    values; each beside the newest that differs.
    """
    alike: dict[tuple[object, ...], list[tuple[Claim, Slot]]] = {}
    for claim in claims:
        for slot in slots(claim.text) if claim.kind is not StatementKind.OPINION else ():
            if claim.mine or not slot.first_person:
                alike.setdefault((slot.kind, slot.key), []).append((claim, slot))
    for known in alike.values():
        if len({slot.value for _, slot in known}) in range(2, MOST_VALUES + 1):
            ordered = sorted(known, key=lambda pair: _newest_first(pair[0]))
            newest, said = ordered[0]
            for claim, slot in ordered[1:]:
                reason = ConflictReason(slot.kind.value)
                if (
                    claim.document != newest.document
                    and excludes(slot, said)
                    and not apart(claim.text, newest.text)
                    and _comparable(claim, newest, reason)
                ):
                    yield claim, newest, reason


def _newest_first(claim: Claim) -> tuple[bool, float, str, int]:
    return (claim.moment is None, -(claim.moment or 0.0), claim.document, claim.start)


def _differing(claims: Sequence[Claim]) -> Iterator[tuple[Claim, Claim, ConflictReason]]:
    """Give facts of two documents that say the same with another number or date, whatever they are
    about; each against the newest that differs.
    """
    alike: dict[tuple[object, ...], list[tuple[Claim, ComparableFact]]] = {}
    for claim in claims:
        for fact in facts(_whole(claim)) if claim.kind is not StatementKind.OPINION else ():
            whose = "mine" if claim.mine else claim.document if fact.first_person else ""
            # what somebody else says of themselves is held against nothing
            if whose in {"", "mine"}:
                alike.setdefault(
                    (fact.differs, fact.key, whose, claim.about if not fact.first_person else ()),
                    [],
                ).append((claim, fact))
    for known in alike.values():
        if len({value for _, fact in known for value in fact.values}) in range(2, MOST_VALUES + 1):
            ordered = sorted(known, key=lambda pair: _newest_first(pair[0]))
            newest, said = ordered[0]
            for claim, fact in ordered[1:]:
                if (
                    claim.document != newest.document
                    and fact.values.isdisjoint(said.values)
                    and not apart(claim.text, newest.text)
                ):
                    yield claim, newest, ConflictReason(fact.differs.value)


def _whole(claim: Claim) -> str:
    """Return a claim with whom it is about in front, where the person put that there."""
    about = next(iter(claim.about), "")
    return (
        f"{about}: {claim.text}" if claim.kept and about and about not in claim.text else claim.text
    )


def settle(
    ports: ReflectionPorts,
    identifier: str,
    verdict: str,
    forget: Callable[[Claim], None],
    date: Callable[[Claim, Validity], None],
    changed_on: datetime | None = None,
) -> Disagreement:
    """Note which of two is so; ``forget`` strikes the one that is not, ``date`` keeps from when
    until when each is. Raises ``NotFoundError`` and ``InvalidInputError``.

    ``changed_on`` is when it changed; unless it is given, what the newer one says of that counts,
    or the day that it is of. Said again with another day, that one counts.
    """
    if verdict not in SIDES:
        raise InvalidInputError("This does not settle it.", f"Say one of {', '.join(SIDES)}.")
    if changed_on is not None and verdict != CHANGED:
        raise InvalidInputError(
            "A day can only be given with `changed`.",
            "Leave it out, or say that it changed.",
        )
    again = (
        [
            disagreement
            for disagreement in disagreements(ports, settled=True)
            if disagreement.verdict == CHANGED
        ]
        if verdict == CHANGED
        else []
    )
    known = next(
        (
            disagreement
            for disagreement in (*disagreements(ports), *again)
            if disagreement.id == identifier
        ),
        None,
    )
    if known is None:
        raise NotFoundError("disagreement", identifier)
    if verdict in {"first", "second"}:
        forget(known.second if verdict == "first" else known.first)
    if verdict == CHANGED:
        day = changed_on or _changed(ports, known)
        date(known.first, Validity(end=day))
        date(known.second, Validity(start=day))
    ports.reflections.rule(identifier, What.DISAGREEMENT, verdict, ports.clock.now())
    return Disagreement(known.id, known.first, known.second, known.reason, verdict)


def _changed(ports: ReflectionPorts, known: Disagreement) -> datetime:
    """Say when the newer came to be so: as it says itself, as the older says, on the day that it is
    of, or when it came in.
    """
    older, newer = ((claim.text, moment_of(claim.moment)) for claim in (known.first, known.second))
    said = told(*newer).start or told(*older).end or newer[1]
    return said or ports.documents.get(known.second.document).added_at


def identifier_of(*texts: str) -> str:
    """Name what a decision is about by a hash of its words: the same words again are the same,
    wherever they stand.
    """
    flat = "\n".join(" ".join(text.split()).casefold() for text in texts)
    return hashlib.sha256(flat.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def core_lines(ports: ReflectionPorts, core: str) -> list[CoreLine]:
    """Propose lines for ``memory.md``, whose text is ``core``: what the person stated of
    themselves, the surest first; nothing that stands there, was turned down or fades.
    """
    ruled = ports.reflections.rulings(What.CORE)
    there = frozenset(terms(core))
    made = []
    for claim in standing(ports, ports.claims.mine(OWN)):
        text = " ".join(claim.text.split())
        words = frozenset(terms(text))
        identifier = identifier_of(text)
        known = not words or len(words & there) >= len(words)
        if not claim.kept or known or identifier in ruled or len(text) > LONGEST:
            continue
        if ports.fades(claim):
            continue
        reason = (
            "You hold this."
            if claim.kind is StatementKind.OPINION
            else "You stated this of yourself."
        )
        made.append(
            CoreLine(
                identifier,
                text,
                claim,
                reason,
                tuple(difference(core, appended(core, entry(text)))),
            )
        )
        if len(made) == PROPOSED:
            break
    return made


def entry(line: str) -> str:
    """Write a line as ``memory.md`` has it.

    >>> entry("I drink  no coffee.")
    '- I drink no coffee.'
    """
    return f"- {' '.join(line.split())}"


def decide_core(
    ports: ReflectionPorts,
    core: str,
    identifier: str,
    *,
    accept: bool,
    append: Callable[[str], object],
    line: str | None = None,
) -> CoreLine:
    """Put a proposed line into ``memory.md``, worded as the person likes, or turn it down. Raises
    ``NotFoundError``.
    """
    known = next(
        (core_line for core_line in core_lines(ports, core) if core_line.id == identifier), None
    )
    if known is None:
        raise NotFoundError("proposal", identifier)
    if accept:
        append(entry(line or known.line))
    ports.reflections.rule(
        identifier, What.CORE, "accepted" if accept else "rejected", ports.clock.now()
    )
    return known
