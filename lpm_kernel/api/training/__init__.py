"""Trainings: their rows, their progress, their examinations."""
