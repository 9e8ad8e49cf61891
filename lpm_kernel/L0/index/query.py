"""What recall is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.L0.language.question import Question


@dataclass(frozen=True)
class RecallQuery:
    """A question to the memory."""

    question: Question = field(repr=False)
    k: int = 25
    scope: Scope = Scope()
    token_budget: int | None = None
    explain: bool = False
    typing: bool = False
    """It is being typed: the last word stands for all that begin with it."""
    decay_rate: float | None = None
    """Rank by nearness and newness alone, each day counting this much, in place of the learned
    weights.
    """
    rerank: bool = False
    """Read the best, where there is a model that reads, and rank them anew by what they answer."""
