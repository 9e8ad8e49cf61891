"""How the model host of a home is, asked over its own port."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

import httpx

from lpm_kernel.backends.llm.launch import read_where

WITHIN_SECONDS = 2.0
State = tuple[Literal["ready", "starting", "down"], str]
"""A state and a sentence."""
NOT_THERE: State = ("down", "The model host is not running.")


def host_state(home: Path) -> dict[str, State]:
    """Return the state of ``model`` and ``embedder``; both are down when no host answers."""
    known = read_where(home)
    if known is not None:
        try:
            said = httpx.get(f"http://127.0.0.1:{known.port}/healthz", timeout=WITHIN_SECONDS, trust_env=False).json()
            return {part: cast("State", (said[part]["state"], said[part]["sentence"])) for part in ("model", "embedder")}
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            pass  # it died, or another program has its port by now
    return {"model": NOT_THERE, "embedder": NOT_THERE}
