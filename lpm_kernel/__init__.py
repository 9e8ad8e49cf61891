"""The kernel of a node: what a person gave it, what it remembers, and how it answers. Start reading
in `node/`.
"""

__version__ = "0.1.0"
