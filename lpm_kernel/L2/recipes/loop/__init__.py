"""What the recipes that learn step by step have in common, and what none of them repeats.

Start with `settings.py` (what can be set), then `learning.py` (going on from a checkpoint, and what
is written down), `measuring.py` (what the whole would need), `folder.py` and `machine.py`.
"""
