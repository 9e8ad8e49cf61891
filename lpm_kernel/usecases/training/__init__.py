"""Trainings: what is learned is gathered and can be read, learned, exported, examined, taken into
use and given up again.

A training is a row in the registry and a folder. The row has figures and ids; the folder has
everything in words, so that erasing a memory takes the folder of every training that learned it.
Each step leaves a file behind when it is whole and is not done again, so a training that was killed
at any moment goes on where it was.

Start with ``prepare``, which makes the rows from ``material``; ``learn`` measures and learns them,
``service`` is about what answers as the person.
"""
