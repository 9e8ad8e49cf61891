"""Who the person is in up to three sentences, for somebody who may not see everything.

What is told is made anew of what they may see, as if there were nothing else: a sentence that rests
on anything else is not made, and nothing else decides which sentences are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.workspace import BIOGRAPHY
from lpm_kernel.L1.entities.resolution import own_keys
from lpm_kernel.L1.statements.biography import biography, in_short, part_of
from lpm_kernel.L1.statements.fact_keys import fact_keys
from lpm_kernel.L1.statements.life_facts import is_told, names_of
from lpm_kernel.L1.statements.reflection import PageLine, is_struck
from lpm_kernel.usecases.memory.reflection import MINE, OF_THEM, ReflectionPorts

EVERY = 1_000_000


@dataclass(frozen=True)
class LifeClaims:
    """Every open claim that could tell who the person is, the weightiest first."""

    mine: tuple[Claim, ...] = field(default=(), repr=False)
    by_others: tuple[Claim, ...] = field(default=(), repr=False)
    called: tuple[str, ...] = field(default=(), repr=False)
    struck: frozenset[str] = frozenset()
    """Keys of sentences that the person took from their page, and of what those say."""


def life_claims(ports: ReflectionPorts) -> LifeClaims:
    """Gather them; none is cut off, for who may see which is not known yet."""
    called, keys = names_of(ports.owner), own_keys(ports.owner)
    mine = ports.claims.mine(EVERY)
    by_others = ports.claims.naming(keys, EVERY) if keys else []
    struck = [line for line in ports.reflections.lines(BIOGRAPHY) if line.struck_at is not None]
    return LifeClaims(
        tuple(each for each in mine if part_of(each.text) is not None or is_told(each, called)),
        tuple(each for each in by_others if not each.mine and is_told(each, called)),
        called,
        frozenset(line.key for line in struck) | fact_keys(struck),
    )


def lines_within(life: LifeClaims, may_see: Callable[[Claim], bool]) -> list[PageLine]:
    """Return what the claims that may be seen tell of who the person is."""
    mine = list(islice(filter(may_see, life.mine), MINE))
    by_others = list(islice(filter(may_see, life.by_others), OF_THEM))
    told = biography(mine, (), by_others, life.called)
    return [line for line in told if not is_struck(line, life.struck)]


def short_within(life: LifeClaims, may_see: Callable[[Claim], bool]) -> list[PageLine]:
    """Return up to three of these sentences that say who somebody is."""
    told = lines_within(life, may_see)
    chosen = in_short([(line.section.value, line.text) for line in told])
    return [line for line in told if line.text in chosen]
