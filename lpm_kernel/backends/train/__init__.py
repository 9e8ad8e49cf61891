"""Trainers: a recipe in a process of its own, and the twin that only looks like one."""
