"""Names for the identifiers, so that a signature says which one it wants."""

from typing import Final, NewType

DocumentId = NewType("DocumentId", str)
ChunkId = NewType("ChunkId", str)
JobId = NewType("JobId", str)
ConversationId = NewType("ConversationId", str)
FindingId = NewType("FindingId", str)
TurnId = NewType("TurnId", str)

THREAD: Final = "h_"
"""What the id of a document begins with that holds a thread of a chat, and no other's."""
TURN: Final = "t_"
"""What the id of a turn begins with."""
DISCARD: Final = "w_"
"""What the id of an erasure begins with that throws away what a chat does not keep."""
STRIKE: Final = f"{DISCARD}s"
"""What the id of an erasure begins with that takes out what was said at a table."""


def is_thread(document: str) -> bool:
    """Tell whether a document is what the person told in a thread of a chat.

    >>> is_thread("h_0123456789abcdef"), is_thread("d_0123456789abcdef")
    (True, False)
    """
    return document.startswith(THREAD)
