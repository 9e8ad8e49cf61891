"""The node that the current request belongs to, typed."""

from __future__ import annotations

from typing import cast

from flask import current_app

from lpm_kernel.node import Node

KEY = "second-me-node"


def node() -> Node:
    """Return the node of this application."""
    return cast("Node", current_app.extensions[KEY])
