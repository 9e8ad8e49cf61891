"""Communities of a weighted graph: by graphrag's Leiden in a process of its own, or by Louvain's
method in plain Python, which is always there.
"""
