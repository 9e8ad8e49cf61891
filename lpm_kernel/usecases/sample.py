"""The invented life that the demonstration, the pictures and the tests show: Nagi Sorrel, who restores violins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lpm_kernel.domain.conversations import Identity
from lpm_kernel.domain.stores import Conversations
from lpm_kernel.errors import UnsupportedFileError
from lpm_kernel.usecases.add import NewDocument, Received, walk

SAMPLE = Path(__file__).resolve().parents[2] / "tests" / "data" / "lives" / "nagi" / "archive"
NAGI = Identity("Nagi Sorrel（ソレル 凪）", "I restore violins in Kanazawa and write too many letters.", "Short sentences, plain words.", ("en", "ja"))


def add_sample_life(receive: Callable[[NewDocument], Received], conversations: Conversations) -> int:
    """Add her archive; what is there already stays as it is. Returns how many files are of kinds that are not read yet."""
    if not conversations.identity().name:
        conversations.set_identity(NAGI)
    left_out = 0
    for path in walk([SAMPLE]):
        try:
            receive(NewDocument(path.name, path.read_bytes(), tags=(path.parent.name,)))
        except UnsupportedFileError:
            left_out += 1
    return left_out
