"""multilingual-e5-small, and what has been learned on top of it."""
