"""A statement about the person's world: what it says, about whom, and of what kind it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class StatementKind(StrEnum):
    """What a statement tells of."""

    WORLD = "world"
    """How things are: people, places, things."""
    EXPERIENCE = "experience"
    """What the person did or lived through: biography."""
    OPINION = "opinion"
    """What the person holds, more or less surely."""
    OBSERVATION = "observation"
    """What was summed up from other statements."""


@dataclass(frozen=True)
class Statement:
    """What one line under ``## Retain`` says."""

    kind: StatementKind
    text: str = field(repr=False)
    entities: tuple[str, ...] = field(default=(), repr=False)
    confidence: float | None = None
    """0..1; ``None`` where the person gave none."""
    id: str | None = None
    """The block id at the end of a line that the node wrote: ``^m…``."""
