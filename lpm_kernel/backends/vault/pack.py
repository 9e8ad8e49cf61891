"""Files sealed into one, and brought back.

``contents`` is the bytes of all files one after the other, cut into pieces of one mebibyte and the
last filled up, each sealed by itself (XChaCha20-Poly1305, its number as nonce): how many files
there are, how they are called and how large each is cannot be seen, and damage to one piece is
damage to the files in it alone. ``index``, kept twice, has the key of this pack, sealed to the
public key of the lock (libsodium's sealed box), and sealed with it where each file stands. Every
pack has a key of its own, so a nonce is used once.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Final, Literal

from nacl import bindings
from nacl.exceptions import CryptoError

from lpm_kernel.backends.vault.lockfile import KEY, NONCE, KeyPair, keep_names, replace_file
from lpm_kernel.errors import DamagedLockError

PIECE: Final = 1 << 20
TAG: Final = 16
CONTENTS, INDEXES = "contents", ("index", "index.copy")
MAGIC: Final = b"LPMPACK\x01"
_SEALED_KEY: Final = KEY + bindings.crypto_box_SEALBYTES
_INDEX_NONCE: Final = b"\xff" * NONCE
_AT_ONCE: Final = sys.platform == "linux"
"""There, one call waits until everything written is on the disk; elsewhere each file is asked for
(15 times as long for 20,000 files).
"""

Kind = Literal["file", "folder", "link"]


@dataclass(frozen=True)
class Entry:
    """One thing that is sealed."""

    path: str
    """Below the folder, with ``/``; bytes that are no UTF-8 as Python's surrogates."""
    kind: Kind
    mode: int = 0
    modified: int = 0
    """Nanoseconds."""
    at: int = 0
    """Where its bytes begin in the contents."""
    size: int = 0
    same_as: str = ""
    """The path of the file that it shares its bytes with (a hard link)."""
    target: str = ""
    """Where a symbolic link leads."""


@dataclass(frozen=True)
class Unpacked:
    """What came of bringing files back."""

    files: int
    damaged: tuple[str, ...] = field(repr=False)
    """Paths of files that could not be read."""


def size_of(folder: Path) -> int:
    """Return how many bytes the files below a folder have."""
    return sum(entry.size for entry in _entries(folder) if not entry.same_as)


def pack(folder: Path, target: Path, public: bytes) -> None:
    """Seal everything below ``folder`` into the new folder ``target``; it is on the disk when this
    returns.
    """
    key = secrets.token_bytes(KEY)
    target.mkdir(mode=0o700)
    entries: list[Entry] = []
    descriptor = os.open(target / CONTENTS, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as handle:
        stream = _Sealing(handle, key)
        for entry in _entries(folder):
            if entry.kind == "file" and not entry.same_as:
                at, size = stream.written, stream.take(folder / entry.path)
                entries.append(Entry(**asdict(entry) | {"at": at, "size": size}))
            else:
                entries.append(entry)
        stream.finish()
        handle.flush()
        os.fsync(handle.fileno())
    listed = json.dumps([asdict(entry) for entry in entries]).encode()
    listed += b" " * (-len(listed) % PIECE)
    sealed = bindings.crypto_box_seal(key, public) + _seal(listed, _INDEX_NONCE, key)
    for name in INDEXES:
        replace_file(target / name, MAGIC + sealed)
    keep_names(target)


def unpack(source: Path, target: Path, keys: KeyPair) -> Unpacked:
    """Bring everything back into the new folder ``target``; it is on the disk when this returns.

    Files whose bytes are damaged are left out and named. Raises ``DamagedLockError`` where it
    cannot be read at all.
    """
    key, entries = _index(source, keys)
    target.mkdir(mode=0o700)
    damaged: list[str] = []
    with (source / CONTENTS).open("rb") as handle:
        stream = _Opening(handle, key)
        for entry in entries:
            path = target / entry.path
            if entry.kind == "folder":
                path.mkdir(mode=0o700)
            elif entry.kind == "link":
                path.symlink_to(entry.target)
            elif entry.same_as:
                _link(target / entry.same_as, path, entry, damaged)
            elif not _write(path, stream, entry):
                damaged.append(entry.path)
    for entry in reversed(entries):  # a folder after what stands in it
        if entry.kind == "folder":
            path = target / entry.path
            path.chmod(entry.mode)
            os.utime(path, ns=(entry.modified, entry.modified))
    if _AT_ONCE:
        os.sync()
    return Unpacked(sum(entry.kind == "file" for entry in entries), tuple(damaged))


class _Sealing:
    """Takes files in and writes sealed pieces."""

    def __init__(self, handle: IO[bytes], key: bytes) -> None:
        self._handle, self._key = handle, key
        self._waiting = bytearray()
        self._number = 0
        self.written = 0

    def take(self, path: Path) -> int:
        """Take the bytes of a file in, and say how many there were."""
        began = self.written
        with path.open("rb") as source:
            while data := source.read(PIECE):
                self._waiting += data
                self.written += len(data)
                while len(self._waiting) >= PIECE:
                    self._put(bytes(self._waiting[:PIECE]))
                    del self._waiting[:PIECE]
        return self.written - began

    def finish(self) -> None:
        """Write what waits."""
        if self._waiting:
            self._put(bytes(self._waiting.ljust(PIECE, b"\0")))
            self._waiting.clear()

    def _put(self, piece: bytes) -> None:
        self._handle.write(_seal(piece, _nonce(self._number), self._key))
        self._number += 1


class _Opening:
    """Gives back the bytes of files; they are asked for in the order in which they stand."""

    def __init__(self, handle: IO[bytes], key: bytes) -> None:
        self._handle, self._key = handle, key
        self._piece: tuple[int, bytes | None] = (-1, None)

    def read(self, at: int, size: int) -> Iterator[bytes]:
        """Yield the bytes piece by piece. Raises ``CryptoError`` at a piece that is damaged."""
        end = at + size
        while at < end:
            number, begin = divmod(at, PIECE)
            part = self._opened(number)[begin : begin + end - at]
            yield part
            at += len(part)

    def _opened(self, number: int) -> bytes:
        if self._piece[0] != number:
            self._handle.seek(number * (PIECE + TAG))
            self._piece = number, None
            with suppress(CryptoError):
                sealed = self._handle.read(PIECE + TAG)
                self._piece = number, _open(sealed, _nonce(number), self._key)
        piece = self._piece[1]
        if piece is None or len(piece) != PIECE:
            raise CryptoError
        return piece


def _entries(folder: Path) -> Iterator[Entry]:
    """Yield what stands below a folder, a folder before what is in it. Sockets and pipes are no
    files and stay out.
    """
    known: dict[tuple[int, int], str] = {}
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        for found in sorted(os.scandir(folder / inside), key=lambda found: found.name):
            path = f"{inside}/{found.name}" if inside else found.name
            about = found.stat(follow_symlinks=False)
            mode = stat.S_IMODE(about.st_mode)
            if found.is_symlink():
                yield Entry(path, "link", target=str(Path(found.path).readlink()))
            elif found.is_dir():
                yield Entry(path, "folder", mode, about.st_mtime_ns)
                waiting.append(path)
            elif found.is_file():
                identity = about.st_dev, about.st_ino
                first = known.setdefault(identity, path) if about.st_nlink > 1 else path
                shared = first if first != path else ""
                yield Entry(
                    path, "file", mode, about.st_mtime_ns, size=about.st_size, same_as=shared
                )


def _index(source: Path, keys: KeyPair) -> tuple[bytes, list[Entry]]:
    """Return the key of a pack and what is in it."""
    for name in INDEXES:
        with suppress(OSError, CryptoError, ValueError, TypeError, KeyError):
            data = (source / name).read_bytes()
            if not data.startswith(MAGIC):
                continue
            sealed = data[len(MAGIC) :]
            key = bindings.crypto_box_seal_open(sealed[:_SEALED_KEY], keys.public, keys.private)
            listed = json.loads(_open(sealed[_SEALED_KEY:], _INDEX_NONCE, key))
            return key, [Entry(**row) for row in listed]
    raise DamagedLockError(
        "The passphrase is right, but the list of what is sealed (lock/sealed/index and its copy)"
        " is damaged.",
        "Nothing was changed. Bring the folder lock/ back from a copy of the home.",
    )


def _write(path: Path, stream: _Opening, entry: Entry) -> bool:
    """Write one file. ``False``: its bytes are damaged, and it is not there."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            for part in stream.read(entry.at, entry.size):
                handle.write(part)
            if not _AT_ONCE:
                handle.flush()
                os.fsync(handle.fileno())
    except CryptoError:
        path.unlink()
        return False
    path.chmod(entry.mode)
    os.utime(path, ns=(entry.modified, entry.modified))
    return True


def _link(first: Path, path: Path, entry: Entry, damaged: list[str]) -> None:
    if first.exists():
        path.hardlink_to(first)
    else:
        damaged.append(entry.path)


def _seal(data: bytes, nonce: bytes, key: bytes) -> bytes:
    return bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(data, MAGIC, nonce, key)


def _open(data: bytes, nonce: bytes, key: bytes) -> bytes:
    return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(data, MAGIC, nonce, key)


def _nonce(number: int) -> bytes:
    return number.to_bytes(NONCE, "little")
