"""How the screen looks and listens."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lpm_kernel.api.schemas import KeepingName, Sent


class SettingsIO(Sent):
    """How the screen looks and listens."""

    language: Literal["system", "en", "ja"] = "system"
    theme: Literal["system", "light", "dark"] = "system"
    single_keys: bool = True
    keeping: KeepingName | None = Field(
        default=None, description="What a new chat keeps; without it that stays as it is."
    )
