"""HTTP on loopback: the API, the OpenAI-compatible endpoint and the built front end. Start with
``app.py``.

Each subject has a room: ``documents.py`` holds routes, ``document_schemas.py`` what they take and
give, ``document_serialisers.py`` how values of the domain become that. What every room uses lies
beside the rooms.
"""
