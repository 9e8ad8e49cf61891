"""Feeding every parser what no program would write: ``make fuzz``."""
