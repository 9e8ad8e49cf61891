"""Who answers: the model in use, with the training that the person took into use, where it may
speak.
"""

from __future__ import annotations

from lpm_kernel.backends.llm.trained import Trained
from lpm_kernel.domain.ports import Adapter, LanguageModel
from lpm_kernel.domain.training.runs import Run, RunId
from lpm_kernel.errors import NotFoundError
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.training import Training


class Speaking:
    """Answering as the person, out of memory and with what was learned."""

    def __init__(self, ports: Ports, models: Models, training: Training) -> None:
        self._ports = ports
        self._models = models
        self._training = training

    def speaker(self, *, owner: bool) -> LanguageModel:
        """Return the model that words an answer for the owner, or for somebody whom the owner let
        in.

        What was learned from private statements, or said one of them when it was examined, answers
        the owner alone. Where the file of the training in use is gone, or another model is, the
        model answers without it.
        """
        used = self._in_use(owner=owner)
        if used is None:
            return self._models.model
        adapter, run = used
        return Trained(self._models.model, adapter, run.number)

    def training_in_use(self, *, owner: bool) -> int | None:
        """Return the number of the training that answers the owner, or somebody whom the owner let
        in; ``None``: the model alone.
        """
        used = self._in_use(owner=owner)
        return None if used is None else used[1].number

    def _in_use(self, *, owner: bool) -> tuple[Adapter, Run] | None:
        adapter = self._training.adapter
        if adapter is None:
            return None
        try:
            run = self._ports.runs.get(RunId(adapter.id))
        except NotFoundError:  # deleted a moment ago
            return None
        return (adapter, run) if owner or self._training.speaks_to_others(run) else None
