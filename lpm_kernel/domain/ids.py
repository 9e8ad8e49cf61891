"""Names for the identifiers, so that a signature says which one it wants."""

from typing import NewType

DocumentId = NewType("DocumentId", str)
ChunkId = NewType("ChunkId", str)
JobId = NewType("JobId", str)
ConversationId = NewType("ConversationId", str)
FindingId = NewType("FindingId", str)
TurnId = NewType("TurnId", str)
