"""Recipes: trainings that read from top to bottom and run alone, each in a process of its own.
Nothing imports them.
"""
