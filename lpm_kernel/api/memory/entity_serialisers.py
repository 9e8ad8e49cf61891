"""Passages that an entity is shown by, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.api.memory.entity_schemas import ProofOut
from lpm_kernel.api.memory.recall_serialisers import serialise_items
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.ids import ChunkId
from lpm_kernel.node import Node


def serialise_proofs(node: Node, quoted: Sequence[tuple[Recalled, str]]) -> list[ProofOut]:
    """Show passages, each with the words of it that matter."""
    words = {recalled.chunk.id: said for recalled, said in quoted}
    return [
        ProofOut(**item.model_dump(), text=words[ChunkId(item.id)])
        for item in serialise_items(node, [recalled for recalled, _ in quoted], explain=False)
    ]
