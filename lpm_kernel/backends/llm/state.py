"""How the model host of a home is, asked over its own port."""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Literal, cast

import httpx

from lpm_kernel.backends.llm.launch import read_where

WITHIN_SECONDS = 2.0
MOST_SAID = 65_536
"""Bytes of an answer that are read."""
PARTS = ("model", "embedder", "reader")
"""What a host serves."""
State = tuple[Literal["ready", "starting", "down"], str]
"""A state and a sentence."""
NOT_THERE: State = ("down", "The model host is not running.")


def answers_ahead(home: Path) -> int:
    """Return how many answers the host of a home words before one that is asked for now; 0 where
    nobody answers.
    """
    known = read_where(home)
    if known is None:
        return 0
    # a client of httpx takes longer to make than to ask
    connection = HTTPConnection("127.0.0.1", known.port, timeout=WITHIN_SECONDS)
    try:
        connection.request("GET", "/healthz")
        return int(json.loads(connection.getresponse().read(MOST_SAID))["ahead"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return 0
    finally:
        connection.close()


def host_state(home: Path) -> dict[str, State]:
    """Return the state of each of :data:`PARTS`; all are down when no host answers."""
    known = read_where(home)
    if known is not None:
        try:
            said = httpx.get(
                f"http://127.0.0.1:{known.port}/healthz", timeout=WITHIN_SECONDS, trust_env=False
            ).json()
            return {
                part: cast("State", (said[part]["state"], said[part]["sentence"])) for part in PARTS
            }
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            pass  # it died, or another program has its port by now
    return dict.fromkeys(PARTS, NOT_THERE)
