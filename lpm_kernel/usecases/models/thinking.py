"""The model that thinks, chosen apart from the one that answers, and tried for that: one that
answers without a thought is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lpm_kernel.config import Settings
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ports import Endpoint, LanguageModel
from lpm_kernel.errors import ModelUnavailableError
from lpm_kernel.usecases.models.catalogue import ModelChoice, ModelProbe, kind_of
from lpm_kernel.usecases.models.choice import host_of
from lpm_kernel.usecases.models.choosing import ModelTrial, endpoint_of, probe
from lpm_kernel.usecases.models.ports import ModelPorts

THINKING_KEY = "thinking-key"
"""The secret of the endpoint that serves the model that thinks."""
NONE = "none"
"""The setting ``thinking_model`` where none is chosen."""


@dataclass(frozen=True)
class Thinker:
    """A model that thinks, and where."""

    model: LanguageModel = field(repr=False)
    here: bool
    """On this machine: nothing leaves it."""
    host: str = ""
    """Where it is, for one that is reached over HTTP."""


@dataclass(frozen=True)
class ThinkingState:
    """What thinks now. A key is never told, only whether there is one."""

    kind: str
    name: str
    here: bool
    keyed: bool


def state(settings: Settings, key: str, is_local: Callable[[str], bool]) -> ThinkingState:
    """Say what thinks now."""
    setting = settings.thinking_model
    if setting == NONE:
        return ThinkingState(NONE, "", here=True, keyed=False)
    kind = kind_of(setting)
    elsewhere = kind == "endpoint"
    name = setting if elsewhere else Path(setting).stem
    return ThinkingState(
        kind, name, here=not elsewhere or is_local(setting), keyed=elsewhere and bool(key)
    )


def try_to_think(
    choice: ModelChoice | None,
    at_endpoint: Callable[[Endpoint], ModelTrial],
    of_file: Callable[[Path | None], ModelTrial],
) -> ModelProbe:
    """Try whether a model thinks and say in words how it went; nothing is changed. Nothing chosen
    needs no trial.
    """
    if choice is None:
        return ModelProbe(ok=True, sentence="Rules alone make thoughts.")
    return probe(choice, at_endpoint, of_file)


def use(ports: ModelPorts, choice: ModelChoice | None, tried: ModelProbe) -> None:
    """Have a model think from now on, or with ``None`` none. Raises ``ModelUnavailableError`` and
    keeps the one before when it was ``tried`` in vain.
    """
    if not tried.ok:
        raise ModelUnavailableError(tried.sentence, "Nothing was changed.")
    wanted = Endpoint(NONE) if choice is None else endpoint_of(choice)
    elsewhere = wanted.url.startswith("http")
    same = wanted.url == ports.settings.now.thinking_model
    if not elsewhere:
        ports.home.write_secret(THINKING_KEY, "")
    elif wanted.key or not same:  # an address that is chosen again keeps its key
        ports.home.write_secret(THINKING_KEY, wanted.key)
    ports.settings.change(thinking_model=wanted.url, thinking_model_name=wanted.model)
    ports.audit.append(
        ports.clock.now(),
        AuditKind.THINKING_MODEL_CHANGED,
        to=NONE if choice is None else kind_of(wanted.url),
        host=host_of(wanted.url) if elsewhere else "",
    )
