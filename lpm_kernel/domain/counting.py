"""A number with its noun, as a sentence says it: “1 document”, “2 documents”."""

from __future__ import annotations


def counted(number: int, one: str, several: str = "") -> str:
    """Say how many there are.

    >>> counted(1, "document"), counted(2500, "document"), counted(0, "memory", "memories")
    ('1 document', '2,500 documents', '0 memories')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"
