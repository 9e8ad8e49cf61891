"""Prompts are texts, one file each, with purpose and inputs at the top; everything above the first
``---`` is for readers.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from string import Template


@cache
def prompt(name: str) -> Template:
    """Return the prompt ``name``; its inputs are written ``$like_this``."""
    text = resources.files(__name__).joinpath(f"{name}.md").read_text("utf-8")
    return Template(text.partition("\n---\n")[2].strip())
