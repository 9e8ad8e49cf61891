"""How sure the person is of something, as what they said since moves it: in small steps, each with
the words that it rests on.

A view begins with the confidence that the person gave it, or with :data:`GIVEN`. Each document that
speaks for it or against it afterwards moves it once, by :data:`STEP` of its log-odds, half as far
where the words are inferred; so one word alone moves it little, and only what is said again and
again moves it far. What the person says of it themselves counts at once and whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.L1.statements.stance import Stance, stance

GIVEN = 0.75
"""Where the person gave none."""
STEP = 0.3
"""Of the log-odds: at 0.75 less than six hundredths."""
INFERRED = 0.5
"""How far words move it that the node only infers to be meant."""
LOWEST, HIGHEST = 0.02, 0.98


@dataclass(frozen=True)
class StanceWords:
    """Words that speak for a view or against it."""

    claim: Claim
    stance: Stance
    moves: bool
    """Whether they came after the view, and were the first of their document to speak of it."""


@dataclass(frozen=True)
class ConfidencePoint:
    """How sure at a moment, and what made it so: the person's own word (``None``), or what
    spoke.
    """

    at: datetime
    confidence: float
    by: StanceWords | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Opinion:
    """A view with everything that speaks for it and against it."""

    points: tuple[ConfidencePoint, ...]
    speaks: tuple[StanceWords, ...] = field(repr=False)

    @property
    def confidence(self) -> float:
        """How sure it is now."""
        return self.points[-1].confidence


def moved(confidence: float, towards: Stance, strength: float) -> float:
    """Move a confidence by one step of its log-odds.

    >>> (round(moved(0.75, Stance.CONTRADICTS, 1.0), 3),
    ...  round(moved(0.75, Stance.SUPPORTS, INFERRED), 3))
    (0.69, 0.777)
    """
    inside = min(max(confidence, LOWEST), HIGHEST)
    odds = (
        math.log(inside / (1 - inside)) + (STEP if towards is Stance.SUPPORTS else -STEP) * strength
    )
    return min(max(1 / (1 + math.exp(-odds)), LOWEST), HIGHEST)


def opinion(
    text: str,
    stated: Sequence[tuple[datetime, float | None]],
    claims: Iterable[Claim],
    zone: datetime,
) -> Opinion:
    """Work out how sure the person is of a view; ``stated``: when they said it, and how sure they
    said they were, oldest first.

    ``zone`` is any moment in the person's zone. What was said before the view is shown with it and
    does not move it: the person knew it.
    """
    first = stated[0][0]
    speaks: list[StanceWords] = []
    seen: set[str] = set()
    for each in sorted(
        claims,
        key=lambda claim: (claim.moment is None, claim.moment or 0.0, claim.document, claim.start),
    ):
        found = stance(text, each.text)
        if found is None:
            continue
        after = each.moment is not None and each.moment > first.timestamp()
        speaks.append(StanceWords(each, found, after and each.document not in seen))
        if after:
            seen.add(each.document)
    events: list[tuple[float, float | None, StanceWords | None]] = [
        (at.timestamp(), GIVEN if sure is None else sure, None) for at, sure in stated
    ]
    events += [(words.claim.moment or 0.0, None, words) for words in speaks if words.moves]
    points: list[ConfidencePoint] = []
    for at, sure, by in sorted(events, key=lambda event: (event[0], event[2] is not None)):
        now = (
            sure
            if by is None or not points
            else moved(points[-1].confidence, by.stance, 1.0 if by.claim.kept else INFERRED)
        )
        points.append(
            ConfidencePoint(
                datetime.fromtimestamp(at, zone.tzinfo), GIVEN if now is None else now, by
            )
        )
    return Opinion(tuple(points), tuple(speaks))
