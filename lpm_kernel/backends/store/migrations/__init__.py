"""Alembic migrations of ``node.db``: small, and never changed once released."""
