"""What is preferred to what: pairs of answers for the second stage of a training. Start with
``preferences.py``.
"""
