"""Embedders: the bundled sentence model, any endpoint that embeds, and the twin that hashes
words.
"""
