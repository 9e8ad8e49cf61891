"""The kernel of a node: what a person gave it, what it remembers, and how it answers. Start reading in `node.py`."""

__version__ = "0.1.0"
