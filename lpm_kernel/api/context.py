"""The node that the current request belongs to, typed, and its home."""

from __future__ import annotations

from typing import cast

from flask import current_app, g

from lpm_kernel.config import Home
from lpm_kernel.node import Node

KEY = "second-me-node"
HOME = "second-me-home"


def node() -> Node:
    """Return the node of this application."""
    return cast("Node", current_app.extensions[KEY])


def home() -> Home:
    """Return the home of this application, locked or not."""
    return cast("Home", current_app.extensions[HOME])


def is_locked() -> bool:
    """Tell whether this is the application of a locked home, which has no node."""
    return KEY not in current_app.extensions


def is_owner() -> bool:
    """Tell whether the person calls, or a key that may do everything; other programs do not see
    what is private.
    """
    return bool(g.get("owner", False))
