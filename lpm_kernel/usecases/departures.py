"""Whatever leaves this machine is recorded before it leaves, so that the seal line can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lpm_kernel.domain.ports import ChatMessage, Clock, Delta, LanguageModel, ModelCard, Sampling
from lpm_kernel.domain.stores import Departures


class RecordedModel:
    """A model on another machine: each prompt is recorded with its size and where it goes, then sent."""

    def __init__(self, model: LanguageModel, host: str, departures: Departures, clock: Clock) -> None:
        self._model = model
        self._host = host
        self._departures = departures
        self._clock = clock

    def card(self) -> ModelCard:
        """Describe the model; nothing of the person is in the question."""
        return self._model.card()

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling = Sampling()) -> Iterator[Delta]:
        """Record, then send."""
        size = sum(len(message.content.encode()) for message in messages)
        self._departures.record(self._clock.now(), self._host, size, "model")
        yield from self._model.stream(messages, sampling)

    def count_tokens(self, text: str) -> int:
        """Count without sending: models elsewhere are estimated."""
        return self._model.count_tokens(text)
