"""Putting a model to use once it was tried, and taking that back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from lpm_kernel.config import Settings
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ports import Endpoint, ModelCard
from lpm_kernel.errors import ModelUnavailableError, NotFoundError
from lpm_kernel.usecases.models.catalogue import ModelChoice, ModelProbe, kind_of
from lpm_kernel.usecases.models.choice import host_of
from lpm_kernel.usecases.models.ports import ModelPorts

ENDPOINT_KEY = "endpoint-key"
"""The secret of the endpoint that serves the model."""


class ModelTrial(Protocol):
    """What trying a model gave."""

    @property
    def card(self) -> ModelCard:
        """The model, as it describes itself."""
        ...

    @property
    def words_per_second(self) -> float:
        """How fast it writes."""
        ...

    @property
    def sentence(self) -> str:
        """How it went."""
        ...


def probe(
    choice: ModelChoice,
    at_endpoint: Callable[[Endpoint], ModelTrial],
    of_file: Callable[[Path | None], ModelTrial],
) -> ModelProbe:
    """Try a model and say in words how it went; nothing is changed. ``of_file`` of nothing tries
    the bundled one.
    """
    try:
        if choice.kind == "endpoint":
            tried = at_endpoint(endpoint_of(choice))
        else:
            tried = of_file(None if choice.kind == "bundled" else Path(choice.as_setting()))
    except ModelUnavailableError as error:
        return ModelProbe(ok=False, sentence=f"{error.detail} {error.hint}".strip())
    return ModelProbe(
        ok=True,
        sentence=tried.sentence,
        context_window=tried.card.context_window,
        words_per_second=tried.words_per_second,
    )


def endpoint_of(choice: ModelChoice) -> Endpoint:
    """Return where a chosen model is asked; of one on this machine, the setting that names it."""
    return Endpoint(choice.as_setting(), choice.key or "", choice.model or "")


class ModelSwitch:
    """Changes the model in use. Remembers what wrote before the last choice, so that it can be
    taken back while this process runs.
    """

    def __init__(self, ports: ModelPorts) -> None:
        self._ports = ports
        self._before: Endpoint | None = None

    def use(self, choice: ModelChoice, tried: ModelProbe) -> None:
        """Use a model from the next question on. Raises ``ModelUnavailableError`` and keeps the one
        before when it was ``tried`` in vain.
        """
        if not tried.ok:
            raise ModelUnavailableError(tried.sentence, "The model before it is still in use.")
        settings = self._ports.settings.now
        key = self._ports.home.given_secret(ENDPOINT_KEY)
        before = Endpoint(settings.model, key, settings.model_name)
        self._write(endpoint_of(choice))
        self._before = before

    def take_back(self) -> None:
        """Take the last choice back, with the key of the one before it. Nothing is asked of that
        one: it was in use. Raises ``NotFoundError``.
        """
        before, self._before = self._before, None
        if before is None:
            raise NotFoundError("choice of a model to take back", self._ports.settings.now.model)
        self._write(before)

    def _write(self, wanted: Endpoint) -> None:
        elsewhere = wanted.url.startswith("http")
        if elsewhere:
            self._ports.home.write_secret(ENDPOINT_KEY, wanted.key)
        self._ports.settings.change(model=wanted.url, model_name=wanted.model)
        self._ports.audit.append(
            self._ports.clock.now(),
            AuditKind.MODEL_CHANGED,
            to=kind_of(wanted.url),
            host=host_of(wanted.url) if elsewhere else "",
        )


def is_here(settings: Settings, is_local: Callable[[str], bool]) -> bool:
    """Tell whether the language model runs on this machine."""
    return not settings.model.startswith("http") or is_local(settings.model)
