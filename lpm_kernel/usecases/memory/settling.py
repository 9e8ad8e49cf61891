"""Settling what cannot both be so, and taking that back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from lpm_kernel.domain.ids import FindingId
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.graph import Graph
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.memory.reflection import What
from lpm_kernel.domain.memory.validity import Validities, Validity
from lpm_kernel.domain.stores import Audit
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.memory import inference, opinions, validity
from lpm_kernel.usecases.memory.findings import SentenceDecision, finding_id
from lpm_kernel.usecases.memory.opinions import Disagreement
from lpm_kernel.usecases.memory.reflection import ReflectionPorts


@dataclass(frozen=True)
class SettlingPorts:
    """What disagreements are looked for in, and settled with."""

    reflection: ReflectionPorts
    """With the claims of what came in a moment ago."""
    graph: Graph
    memories: Memories
    validities: Validities
    audit: Audit
    decide: Callable[[SentenceDecision], object]
    """Records what the person says of a sentence."""
    undecide: Callable[[FindingId], None]


@dataclass
class DisagreementCache:
    """What was found last, with what it was found in. Lost with the process."""

    last: tuple[tuple[object, ...], list[Disagreement]] | None = None


def disagreements(
    ports: SettlingPorts, cache: DisagreementCache, *, settled: bool
) -> list[Disagreement]:
    """Return what cannot both be so; looked for again when something was read or decided since."""
    reflection, newest = ports.reflection, ports.audit.newest()
    key: tuple[object, ...] = (
        ports.graph.serial(),
        newest.number if newest else 0,
        tuple(reflection.reflections.rulings(What.DISAGREEMENT).items()),
        reflection.owner,
        settled,
        # the worker reads the rest of much that came in at once
        len(reflection.claims.unread(inference.reading_of(reflection.extractor, reflection.owner))),
    )
    if cache.last is None or cache.last[0] != key:
        cache.last = (key, opinions.disagreements(reflection, settled=settled))
    return cache.last[1]


def settle(
    ports: SettlingPorts, identifier: str, verdict: str, changed_on: datetime | None
) -> Disagreement:
    """Say which of two is so, or that it changed and when. Raises ``NotFoundError`` and
    ``InvalidInputError``.
    """

    def date(claim: Claim, dates: Validity) -> None:
        now = ports.reflection.clock.now()
        validity.date_claim(ports.validities, ports.memories, claim, dates, identifier, now)

    def strike(claim: Claim) -> None:
        ports.decide(
            SentenceDecision(
                claim.document, claim.start, claim.end, Verdict.FORGET, quote=claim.text
            )
        )

    return opinions.settle(ports.reflection, identifier, verdict, strike, date, changed_on)


def unsettle(ports: SettlingPorts, identifier: str) -> None:
    """Take that back, with what was struck for it. Raises ``NotFoundError``."""
    settled = next(
        (
            disagreement
            for disagreement in opinions.disagreements(ports.reflection, settled=True)
            if disagreement.id == identifier
        ),
        None,
    )
    ports.reflection.reflections.unrule(identifier)
    ports.validities.take_back(identifier)
    if settled is not None and settled.verdict in {"first", "second"}:
        wrong = settled.second if settled.verdict == "first" else settled.first
        with suppress(NotFoundError):
            ports.undecide(finding_id(wrong.document, wrong.start, wrong.end))
