"""L2, memory in weights: data sets and examinations here, training and export in the recipes.

Start with `dataset.py`, then `recipes/sft.py`, which runs alone.
"""
