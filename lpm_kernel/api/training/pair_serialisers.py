"""The preference pairs of a training, as clients see them and as they send them."""

from __future__ import annotations

from lpm_kernel.api.context import node
from lpm_kernel.api.training.pair_schemas import PairCounts, PairIn, PairOut
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.preferences import PairRule, PreferencePair
from lpm_kernel.domain.training.runs import Maker, RunId
from lpm_kernel.usecases.training.pair_rows import (
    PREFERENCES,
    as_pair_row,
    pairs_in,
    summary_in,
)
from lpm_kernel.usecases.training.striking import unwanted_pairs_in


def parse_pair(pair: PairIn) -> PreferencePair:
    """Read a pair that the person wrote."""
    return PreferencePair(
        PairRule(pair.rule),
        pair.question,
        pair.chosen,
        pair.rejected,
        tuple(pair.notes),
        memories=(MemoryId(pair.memory),) if pair.memory else (),
        maker=Maker.PERSON,
    )


def serialise_pairs(identifier: RunId) -> list[PairOut]:
    """Show the pairs of a training, struck ones too."""
    run = node().ports.runs.get(identifier)
    place = node().ports.home.versions / run.id
    pairs = list(pairs_in(place / PREFERENCES))
    struck = unwanted_pairs_in(place, pairs)
    return [PairOut(**as_pair_row(pair), struck=pair.id in struck) for pair in pairs]


def serialise_pair_counts(identifier: RunId) -> PairCounts | None:
    """Show how many pairs a training has; ``None`` where its files are gone."""
    summary = summary_in(node().ports.home.versions / identifier)
    return None if summary is None else PairCounts(**summary)
