"""What a person can do: one module each, plain functions over ports. Start with ``add.py``,
``ingest.py`` and ``chat.py``.
"""
