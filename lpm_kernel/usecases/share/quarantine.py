"""Where the bytes lie that came from others, until the person says what becomes of them.

Nothing here is parsed, indexed or shown by itself. A piece is on disk before anybody counts it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from pathlib import Path

from lpm_kernel.config import Home
from lpm_kernel.domain.share.network import ContactId
from protocol.encoding import to_b64u

PIECE = 2**20


class Quarantine:
    """One folder of a home, a file for each item. Names say nothing of what they hold."""

    def __init__(self, home: Home) -> None:
        self._folder = home.quarantine

    def name(self, contact: ContactId, offer: str) -> str:
        """Give the name of the file of an item."""
        return hashlib.sha256(f"{contact}\n{offer}".encode()).hexdigest()[:40]

    def write(self, contact: ContactId, offer: str, start: int, data: bytes) -> None:
        """Write a piece where it belongs; what stood behind ``start`` is gone."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(self._path(contact, offer), os.O_RDWR | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            file.truncate(start)
            file.seek(start)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def size(self, contact: ContactId, offer: str) -> int:
        """Say how many bytes are there."""
        path = self._path(contact, offer)
        return path.stat().st_size if path.is_file() else 0

    def hash(self, contact: ContactId, offer: str) -> str:
        """Give the SHA-256 of what is there, as the protocol writes it."""
        made = hashlib.sha256()
        with self._path(contact, offer).open("rb") as file:
            while piece := file.read(PIECE):
                made.update(piece)
        return to_b64u(made.digest())

    def read(self, contact: ContactId, offer: str, most: int | None = None) -> bytes:
        """Give what is there, or its beginning. Raises ``FileNotFoundError``."""
        with self._path(contact, offer).open("rb") as file:
            return file.read(-1 if most is None else most)

    def remove(self, contact: ContactId, offer: str) -> None:
        """Throw it away."""
        self._path(contact, offer).unlink(missing_ok=True)

    def sweep(self, kept: Collection[tuple[ContactId, str]]) -> int:
        """Throw away all but these. Returns how many."""
        if not self._folder.is_dir():
            return 0
        wanted = {self.name(*each) for each in kept}
        gone = [path for path in self._folder.iterdir() if path.name not in wanted]
        for path in gone:
            path.unlink(missing_ok=True)
        return len(gone)

    def _path(self, contact: ContactId, offer: str) -> Path:
        return self._folder / self.name(contact, offer)
