"""Reading files: ``read`` turns bytes into canonical text, one parser a kind. Start with
``reading.py``.
"""
