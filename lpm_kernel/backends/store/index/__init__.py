"""``index.db``: what can be made again."""
