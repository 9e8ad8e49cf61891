"""The originals, and the canonical text of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from lpm_kernel.domain.library.documents import ParsedText


class Files(Protocol):
    """Content-addressed bytes: originals, and the canonical text of each per parser version."""

    def keep(self, data: bytes) -> str:
        """Keep an original durably and return its SHA-256 in hex. Keeping it twice is keeping it
        once.
        """
        ...

    def original(self, sha256: str) -> bytes:
        """Return an original. Raises ``NotFoundError``."""
        ...

    def keep_text(self, sha256: str, version: str, parsed: ParsedText) -> None:
        """Keep the canonical text that one parser version made of an original."""
        ...

    def text(self, sha256: str, version: str) -> ParsedText | None:
        """Return the canonical text, or ``None`` where that version was not made."""
        ...

    def words(self, sha256: str, version: str) -> str | None:
        """Return the canonical text without its parts, which take longer to read than the text
        itself.
        """
        ...

    def listing(self) -> dict[str, dict[str, Path]]:
        """Return everything that is kept, by the hash of the original and the ending: none for the
        original itself.
        """
        ...

    def keep_file(self, sha256: str, pieces: Iterable[bytes], ending: str = "") -> bool:
        """Keep an original, or with an ending a text beside it, piece by piece. ``False``: the
        bytes are not what the hash says.
        """
        ...

    def drop_all(self, hashes: Collection[str]) -> None:
        """Remove several originals and every text made from them, put aside or not, in one pass."""
        ...

    def locked(self) -> AbstractContextManager[None]:
        """Hold off every other process that keeps or drops, so that a file and its row come and go
        together.
        """
        ...

    def kept(self) -> set[str]:
        """Return the hashes of everything that is kept."""
        ...

    def drop_text(self, sha256: str, version: str) -> None:
        """Remove a text; it can be made again."""
        ...

    def put_aside(self, hashes: Collection[str], at: datetime) -> None:
        """Move originals that nobody knows, with their texts, out of the way; they can come
        back.
        """
        ...

    def aside(self) -> dict[str, Path]:
        """Return the originals that were put aside, by their hashes."""
        ...

    def drop_aside(self, before: datetime) -> int:
        """Remove what was put aside before a moment, and return how many originals that were."""
        ...

    def drop(self, sha256: str) -> None:
        """Remove an original and every text made from it, put aside or not."""
        ...
