"""Rows that belong to nobody: general knowledge, plain prose, and things that nobody may have
told.
"""
