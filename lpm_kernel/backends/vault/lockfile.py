"""The lock of a home: a key pair of which the passphrase opens the private half.

The public half seals, so a home is locked without its passphrase: when the node ends, and when one
that was killed left it open. Argon2id (RFC 9106; 3 passes over 256 MiB, libsodium's "moderate")
makes a key of the passphrase, and XChaCha20-Poly1305 wraps the private half with it. A digest over
the file tells damage from another passphrase. The file is written twice: without it nobody opens
the home, the person neither.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from nacl import bindings
from nacl.exceptions import CryptoError
from nacl.pwhash import argon2id

from lpm_kernel.errors import DamagedLockError, WrongPassphraseError

FILES: Final = ("lock.json", "lock.copy.json")
FORMAT: Final = 1
KEY, SALT, NONCE = 32, 16, 24
"""Bytes."""
PASSES, MEMORY = argon2id.OPSLIMIT_MODERATE, argon2id.MEMLIMIT_MODERATE
"""What trying one passphrase costs: belongs to the format, and does not stand in the file."""


@dataclass(frozen=True)
class Lock:
    """What stands in the file. It opens nothing without the passphrase."""

    public: bytes
    salt: bytes
    nonce: bytes
    wrapped: bytes

    @classmethod
    def make(cls, passphrase: str) -> Lock:
        """Make a new key pair. Takes about half a second and 256 MiB."""
        public, private = bindings.crypto_box_keypair()
        return cls._wrapping(public, private, passphrase)

    def changed(self, before: str, passphrase: str) -> Lock:
        """Have another passphrase open the same pair. Raises ``WrongPassphraseError``."""
        return self._wrapping(self.public, self.opened(before).private, passphrase)

    @classmethod
    def _wrapping(cls, public: bytes, private: bytes, passphrase: str) -> Lock:
        salt, nonce = secrets.token_bytes(SALT), secrets.token_bytes(NONCE)
        wrapped = bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
            private, public, nonce, _stretched(passphrase, salt)
        )
        return cls(public, salt, nonce, wrapped)

    def opened(self, passphrase: str) -> KeyPair:
        """Open the pair. Raises ``WrongPassphraseError``: the file is whole, so it is that."""
        try:
            private = bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
                self.wrapped, self.public, self.nonce, _stretched(passphrase, self.salt)
            )
        except CryptoError:
            raise WrongPassphraseError from None
        return KeyPair(self.public, private)


@dataclass(frozen=True)
class KeyPair:
    """Both halves."""

    public: bytes
    private: bytes = field(repr=False)


def read(folder: Path) -> Lock | None:
    """Return the lock that stands in a folder; ``None`` where there never was one. Raises
    ``DamagedLockError`` where neither copy can be read.
    """
    paths = [folder / name for name in FILES]
    for path in paths:
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            return _read(path.read_bytes())
    if not any(path.exists() or path.is_symlink() for path in paths):
        return None
    raise DamagedLockError(
        "The lock of this home (lock/lock.json and its copy) is damaged, so no passphrase can open"
        " it.",
        "Bring either file back from a copy of the home."
        + (
            ""
            if (folder / "sealed").is_dir()
            else " While the home is open, you can also remove the folder lock/ and set another."
        ),
    )


def write(folder: Path, lock: Lock) -> None:
    """Write both copies, each whole or not at all, the copy first."""
    body = {
        "format": FORMAT,
        **{name: b64encode(value).decode() for name, value in sorted(vars(lock).items())},
    }
    data = json.dumps(body | {"digest": _digest(body)}, indent=1).encode()
    for name in reversed(FILES):
        replace_file(folder / name, data)


def remove(folder: Path) -> None:
    """Take both copies away."""
    for name in FILES:
        (folder / name).unlink(missing_ok=True)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file (0600) that is on the disk when this returns, in place of the one before."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    fresh.replace(path)
    keep_names(path.parent)


def keep_names(folder: Path) -> None:
    """Have the names in a folder reach the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(data: bytes) -> Lock:
    body = json.loads(data)
    digest = body.pop("digest")
    if body.pop("format") != FORMAT or digest != _digest({"format": FORMAT, **body}):
        raise ValueError
    return Lock(**{name: b64decode(text, validate=True) for name, text in body.items()})


def _digest(body: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _stretched(passphrase: str, salt: bytes) -> bytes:
    """Make a key of a passphrase; the same characters typed in another way (NFC) are the same."""
    typed = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")
    return argon2id.kdf(
        KEY,
        typed,
        salt,
        opslimit=PASSES,
        memlimit=MEMORY,
    )
