"""L0, what was said and written, untouched: sanitise, cut, index, find. Start with
``search.py``.
"""
