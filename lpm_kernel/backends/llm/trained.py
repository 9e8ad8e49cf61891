"""A model as it answers with a training put on: the same one, with the same card but for its
name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lpm_kernel.domain.ports import Adapter, ChatMessage, Delta, LanguageModel, ModelCard, Sampling


class Trained:
    """The ``LanguageModel`` port over another one of it, with an adapter on each request that does
    not name its own.

    ``number`` is that of the training: it stands under what was answered with it, after the model's
    name.
    """

    def __init__(self, model: LanguageModel, adapter: Adapter, number: int) -> None:
        self._model, self._adapter, self._number = model, adapter, number

    def card(self) -> ModelCard:
        """Describe the model. Raises ``ModelUnavailableError``."""
        known = self._model.card()
        return replace(known, id=named(known.id, self._number))

    def stream(
        self, messages: Sequence[ChatMessage], sampling: Sampling = Sampling()
    ) -> Iterator[Delta]:
        """Answer with the training. Raises ``ModelUnavailableError``, also where its file is gone
        or belongs to another model.
        """
        return self._model.stream(
            messages, sampling if sampling.adapter else replace(sampling, adapter=self._adapter)
        )

    def count_tokens(self, text: str) -> int:
        """Count tokens as the model does: a training changes none of them."""
        return self._model.count_tokens(text)


def named(model: str, number: int) -> str:
    """Name a model with a training, as it is kept with an answer.

    >>> named("SmolLM2-135M-Instruct.q8_0", 3)
    'SmolLM2-135M-Instruct.q8_0 + training 3'
    """
    return f"{model} + training {number}"
