"""The node that the current request belongs to, typed."""

from __future__ import annotations

from typing import cast

from flask import current_app, g

from lpm_kernel.node import Node

KEY = "second-me-node"


def node() -> Node:
    """Return the node of this application."""
    return cast("Node", current_app.extensions[KEY])


def is_owner() -> bool:
    """Tell whether the person calls, or a key that may do everything; other programs do not see
    what is private.
    """
    return bool(g.get("owner", False))
