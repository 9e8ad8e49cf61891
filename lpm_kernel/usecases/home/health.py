"""How the models are, in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from lpm_kernel.config import HOST_SERVES, Settings
from lpm_kernel.domain.ports import Embedder, LanguageModel
from lpm_kernel.usecases.home.doctor import HealthState
from lpm_kernel.usecases.library.embedders import EmbedderSpec
from lpm_kernel.usecases.models.catalogue import BUNDLED_NAME
from lpm_kernel.usecases.models.choice import host_of

AskHost = Callable[[], tuple[Literal["ready", "starting", "down"], str]]
"""Asks the model host how it is."""


def of_model(settings: Settings, given: LanguageModel | None, ask_host: AskHost) -> HealthState:
    """Return how the language model is; one that was ``given`` to the node is there."""
    setting = settings.model
    if given is not None:
        return HealthState(given.card().id, "ready", "The model is ready.")
    if setting.startswith("http"):
        return HealthState(
            settings.model_name or setting,
            "ready",
            f"Answers come from {urlsplit(setting).netloc}.",
        )
    return HealthState(BUNDLED_NAME if setting == "bundled" else Path(setting).stem, *ask_host())


def of_embedder(
    settings: Settings, embedder: Embedder | None, *, given: bool, here: bool, ask_host: AskHost
) -> HealthState:
    """Return how the embedder is. ``given``: to the node, in place of what the settings name;
    ``here``: it runs in this process.
    """
    if given and embedder is not None:
        return HealthState(embedder.id, "ready", "The embedder is ready.")
    serves = EmbedderSpec.of(settings)
    if serves.kind == "none":
        return HealthState("none", "down", "No embedder is chosen: recall goes by words alone.")
    if embedder is None:
        return HealthState(
            serves.name,
            "down",
            "This embedder was never tried, so recall goes by words alone: choose it with `lpm"
            " embedder use`.",
        )
    if serves.kind == "endpoint":
        return HealthState(serves.name, "ready", f"Meaning comes from {host_of(serves.embedder)}.")
    name = HOST_SERVES.get(serves.embedder, ("", serves.id))[1]
    if here:
        return HealthState(name, "ready", "The embedder is ready.")
    return HealthState(name, *ask_host())
