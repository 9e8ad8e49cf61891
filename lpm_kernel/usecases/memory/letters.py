"""What the letters to the person say of who wrote them, by how they are signed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.L1.entities.relations import Fact
from lpm_kernel.L1.entities.resolution import key_of
from lpm_kernel.L1.entities.signatures import signature
from lpm_kernel.L1.statements.authorship import authorship_of


def signed_facts(
    chunk: Chunk, text: str, keys: frozenset[str], own: frozenset[str]
) -> Iterator[Fact]:
    """Yield what a passage's signature says of somebody, in places of the passage: of whoever it
    names, or of whoever sent it.

    ``text`` is that of the whole document, ``keys`` are the spellings of whom it may be about, and
    ``own`` is how the person is called; while that is not known, no letter is known to be to them.
    """
    ends = len(text.rstrip())
    if not own or not chunk.start < ends <= chunk.end or not authorship_of(text, own).by_another:
        return
    signed = signature(text, own)
    if signed is None or signed.start < chunk.start:
        return
    writer = key_of(signed.name or chunk.speaker or "")
    if writer and writer in keys and writer not in own:
        start, end = signed.start - chunk.start, signed.end - chunk.start
        yield replace(signed.fact, start=start, end=end)
