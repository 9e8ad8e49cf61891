"""Who speaks in a chat, and what they see."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lpm_kernel.domain.chat.conversations import Conversation, Turn
from lpm_kernel.domain.chat.roles import Role, Sees
from lpm_kernel.domain.ids import TurnId
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.speaking import Speaking
from lpm_kernel.usecases.chat.recall import ScopedMemory
from lpm_kernel.usecases.chat.scopes import Sight
from lpm_kernel.usecases.chat.speakers import ChatPorts, Speakers
from lpm_kernel.usecases.chat.turns import TurnSpeaker


class _Voices:
    """The models that word answers, as the node has them."""

    def __init__(self, models: Models, speaking: Speaking) -> None:
        self._models = models
        self._speaking = speaking

    @property
    def model_is_here(self) -> bool:
        """Tell whether the model runs on this machine."""
        return self._models.model_is_here

    @property
    def model(self) -> LanguageModel:
        """The model, without any training."""
        return self._models.model

    def speaker(self, *, owner: bool) -> LanguageModel:
        """Return the model with the training that may speak to the owner, or to others."""
        return self._speaking.speaker(owner=owner)


class Chat:
    """The second self and the roles that it plays."""

    def __init__(self, ports: Ports, models: Models, memory: Memory, speaking: Speaking) -> None:
        self._ports = ports
        self._memory = memory
        self._speakers = Speakers(
            self._chat_ports, memory.scopes, _Voices(models, speaking), memory.core
        )

    def _chat_ports(self) -> ChatPorts:
        ports = self._ports
        return ChatPorts(
            ports.conversations, ports.roles, ports.documents, ports.index, ports.authors
        )

    def speaks(
        self,
        role: Role | None,
        *,
        owner: bool,
        beside: Sequence[Role] = (),
        now: datetime | None = None,
    ) -> TurnSpeaker:
        """Return who answers; nobody's role: the second self."""
        return self._speakers.speaks(role, owner=owner, beside=beside, now=now)

    def speaks_in(
        self,
        conversation: Conversation,
        speaker: str = "",
        *,
        owner: bool,
        cue: bool = False,
        now: datetime | None = None,
        trained: bool = True,
    ) -> TurnSpeaker:
        """Return who answers in a chat, with the training in use or without. Raises
        ``ConflictError`` where they are not there any more.
        """
        return self._speakers.speaks_in(
            conversation, speaker, owner=owner, cue=cue, now=now, trained=trained
        )

    def cast(self, conversation: Conversation) -> list[Role]:
        """Return the roles of a chat that are there, in their order."""
        return self._speakers.cast(conversation)

    def asked(self, conversation: Conversation, text: str, to: str = "") -> str:
        """Return which role of a chat answers what the person says. Raises ``ConflictError`` and
        ``InvalidInputError``.
        """
        return self._speakers.asked(conversation, text, to)

    def within(self, *sees: Sees, owner: bool) -> ScopedMemory:
        """Return what lies inside a scope, or inside every one of several."""
        return self._memory.scopes.within(*sees, owner=owner)

    def closed(self, turns: Sequence[Turn]) -> set[TurnId]:
        """Name those of these answers of roles that may tell what nobody but the owner may see."""
        return self._speakers.closed(turns)

    def sight(self, *sees: Sees, most: int, owner: bool) -> Sight:
        """Count what a scope lets in, or every one of several, and return the first of it."""
        return self._memory.scopes.sight(*sees, most=most, owner=owner)
