"""The vocabulary: frozen values and pure rules. Start with ``documents.py``, then ``recall.py`` and
``ports.py``.
"""
