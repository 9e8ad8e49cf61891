"""What the models are chosen and fetched with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lpm_kernel.config import Home
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Audit, Jobs
from lpm_kernel.usecases.settings import LiveSettings


@dataclass(frozen=True)
class ModelPorts:
    """Everything that a choice of a model reads from and writes to."""

    home: Home
    settings: LiveSettings
    jobs: Jobs
    audit: Audit
    clock: Clock
    is_local: Callable[[str], bool]
    """Tells whether an address stays on this machine."""
