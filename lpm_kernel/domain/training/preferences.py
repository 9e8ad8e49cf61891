"""Preference pairs: a question with an answer that is preferred and one that is not, and where both
come from.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum

from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Maker


class PairRule(StrEnum):
    """Why one answer is preferred to the other."""

    THUMBS = "thumbs"
    """The person judged the one right, and the other to the same question not right or gave it
    again.
    """
    EDITED = "edited"
    """The person said how it is said better."""
    CHOICE = "choice"
    """Of several answers the person kept this one."""
    STRUCK = "struck"
    """The other one rests on words that the person has put right since."""
    CORRECTION = "correction"
    """The person said what is right in the place of the other one."""
    EVIDENCE = "evidence"
    """It rests on the notes that were given with the question, the other one ignores them."""
    INVENTED = "invented"
    """The other one is invented, or does not know what was told."""
    VOICE = "voice"
    """It has the person's own words, the other one says the same in another's voice."""
    STRANGER = "stranger"
    """It tells whoever asks as much as they may know."""


BY_RULE = (PairRule.EVIDENCE, PairRule.INVENTED, PairRule.VOICE, PairRule.STRANGER)
"""Those that are made of statements; the others need something that the person did."""


@dataclass(frozen=True)
class PreferencePair:
    """A question with a preferred and a rejected answer, and what all of it was made of."""

    rule: PairRule
    question: str = field(repr=False)
    chosen: str = field(repr=False)
    rejected: str = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What is read with the question."""
    asker: str = ""
    """Who asks, and what they may know, where it is not the person."""
    memories: tuple[MemoryId, ...] = ()
    documents: tuple[DocumentId, ...] = ()
    conversations: tuple[ConversationId, ...] = ()
    turns: tuple[TurnId, ...] = ()
    private: bool = False
    """Something of it is private: only a training for the owner alone learns it."""
    maker: Maker = Maker.TEMPLATE
    held_out: bool = False
    """Its sources are held out: it is asked about and never learned."""

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits made of what it says, so that striking one holds through making
        them anew.
        """
        said = "\x1f".join(
            (self.rule, self.asker, self.question, self.chosen, self.rejected, *self.notes)
        )
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @property
    def sources(self) -> tuple[str, ...]:
        """Where it comes from: conversations and documents; without any, the statements
        themselves.
        """
        return (*self.conversations, *self.documents) or self.memories
