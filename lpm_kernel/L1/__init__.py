"""L1, memory in words: recall with its reasons, and answers that carry their evidence. Start with
``recall.py``.
"""
