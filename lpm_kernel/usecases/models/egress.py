"""Whatever leaves this machine is recorded before it leaves, so that the seal line can be
believed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lpm_kernel.domain.ports import (
    ChatMessage,
    Clock,
    Delta,
    Embedder,
    LanguageModel,
    ModelCard,
    Sampling,
)
from lpm_kernel.domain.stores import Departures

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors


class RecordedModel:
    """A model on another machine: each prompt is recorded with its size and where it goes, then
    sent.
    """

    def __init__(
        self, model: LanguageModel, host: str, departures: Departures, clock: Clock
    ) -> None:
        self._model = model
        self._host = host
        self._departures = departures
        self._clock = clock

    def card(self) -> ModelCard:
        """Describe the model; nothing of the person is in the question."""
        return self._model.card()

    def stream(
        self, messages: Sequence[ChatMessage], sampling: Sampling = Sampling()
    ) -> Iterator[Delta]:
        """Record, then send."""
        size = sum(len(message.content.encode()) for message in messages)
        self._departures.record(self._clock.now(), self._host, size, "model")
        yield from self._model.stream(messages, sampling)

    def count_tokens(self, text: str) -> int:
        """Count without sending: models elsewhere are estimated."""
        return self._model.count_tokens(text)


class RecordedEmbedder:
    """An embedder on another machine: texts are recorded with their size and where they go, then
    sent. Private documents never are.
    """

    def __init__(self, embedder: Embedder, host: str, departures: Departures, clock: Clock) -> None:
        self._embedder = embedder
        self._host = host
        self._departures = departures
        self._clock = clock
        self.id = embedder.id

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Record, then send."""
        if texts:
            self._departures.record(
                self._clock.now(),
                self._host,
                sum(len(text.encode("utf-8", "replace")) for text in texts),
                "embedder",
            )
        return self._embedder.embed(texts)


def may_embed(embedder: Embedder, *, private: bool) -> bool:
    """Tell whether this embedder may be given a document's text: what is private goes to no other
    machine.
    """
    return not private or not isinstance(embedder, RecordedEmbedder)
