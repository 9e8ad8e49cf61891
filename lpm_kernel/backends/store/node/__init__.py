"""``node.db``: what cannot be remade."""
