"""HTTP on loopback: the API, the OpenAI-compatible endpoint and the built front end. Start with
``app.py``.
"""
