"""How the screen looks and listens."""

from __future__ import annotations

from typing import Literal

from lpm_kernel.api.schemas import Sent


class SettingsIO(Sent):
    """How the screen looks and listens."""

    language: Literal["system", "en", "ja"] = "system"
    theme: Literal["system", "light", "dark"] = "system"
    single_keys: bool = True
