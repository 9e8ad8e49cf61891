"""All private keys of a node, and the locked blob that they rest in: bytes in, bytes out; files and
renames are the node's business.

Argon2id (RFC 9106, libsodium's "moderate": 3 passes over 256 MiB) makes a key of a passphrase;
XChaCha20-Poly1305 locks, with the header as additional data. The costs belong to the version and do
not stand in the file. protocol/spec/keys.md has the bytes.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from nacl import bindings
from nacl.exceptions import CryptoError
from nacl.pwhash import argon2id
from nacl.utils import random as random_bytes

from protocol import limits
from protocol.encoding import from_b64u, to_b64u
from protocol.identity import KEY, SEED, BoxKey, Identity, Random
from protocol.refusals import LocalProtocolError, Refusal
from protocol.shape import SECONDS, VERSION, Bytes, ListOf, OrNull, Record, read_json, write_json

_MAGIC: Final = b"SMPKEYS\x01"
_BY_PASSPHRASE: Final = 1
_BY_KEY_FILE: Final = 2
_SALT: Final = 16
_NONCE: Final = 24
_HEADER: Final = len(_MAGIC) + 1 + _SALT + _NONCE
_BOX: Final = Record({"private": Bytes(KEY, KEY), "made": SECONDS, "retired": OrNull(SECONDS)})
_CONTENTS: Final = Record(
    {
        "v": VERSION,
        "identity": Bytes(SEED, SEED),
        "transport": Bytes(SEED, SEED),
        "boxes": ListOf(_BOX, 1, 64),
    }
)


class NotAKeystoreError(Exception):
    """These bytes are no keystore of this version, or are cut short."""


class LockedError(Exception):
    """The keystore does not open: another passphrase or key, or it was changed. Which of them,
    nobody can tell.
    """


@dataclass(frozen=True, eq=False)
class HeldBox:
    """A box key, when it was made, and since when it is no longer named on the card (seconds)."""

    key: BoxKey
    made: int
    retired: int | None = None


@dataclass(frozen=True, eq=False)
class Keyring:
    """Every private key of one node. The first box key is the one on the card."""

    identity: Identity
    transport_seed: bytes = field(repr=False)
    boxes: tuple[HeldBox, ...]

    @classmethod
    def make(cls, now: int, random: Random = random_bytes) -> Keyring:
        """Make the keys of a new node."""
        return cls(Identity.make(random), random(SEED), (HeldBox(BoxKey.make(random), now),))

    @property
    def box(self) -> BoxKey:
        """Give the box key that stands on the card."""
        return self.boxes[0].key

    def find(self, kid: bytes, now: int) -> BoxKey | None:
        """Give the box key of this id, if it is still held: the current one, or one retired less
        than 30 days ago.
        """
        return next((held.key for held in self.kept(now) if held.key.kid == kid), None)

    def kept(self, now: int) -> tuple[HeldBox, ...]:
        """Give the box keys that may still open something."""
        return tuple(
            held
            for held in self.boxes
            if held.retired is None or now < held.retired + limits.BOX_KEPT
        )

    def turned(self, now: int, random: Random = random_bytes) -> Keyring:
        """Give the keyring with a new box key in front; the one before is retired now, and what is
        too old is dropped.
        """
        first, *rest = self.boxes
        turned = replace(
            self, boxes=(HeldBox(BoxKey.make(random), now), replace(first, retired=now), *rest)
        )
        return replace(turned, boxes=turned.kept(now))

    def pack(self) -> bytes:
        """Write all keys in clear, for :func:`lock` alone."""
        boxes = [
            {"private": to_b64u(held.key.private), "made": held.made, "retired": held.retired}
            for held in self.boxes
        ]
        return write_json(
            {
                "v": 1,
                "identity": to_b64u(self.identity.seed),
                "transport": to_b64u(self.transport_seed),
                "boxes": boxes,
            }
        )

    @classmethod
    def unpack(cls, data: bytes) -> Keyring:
        """Read what :meth:`pack` wrote; ``NotAKeystoreError`` for anything else."""
        try:
            value = read_json(data)
            _CONTENTS.check(value, "keystore")
        except Refusal as refusal:
            raise NotAKeystoreError(
                "The keystore opened, but does not hold the keys of this version."
            ) from refusal
        fields = cast("dict[str, Any]", value)
        boxes = tuple(
            HeldBox(BoxKey(from_b64u(box["private"])), box["made"], box["retired"])
            for box in fields["boxes"]
        )
        return cls(Identity(from_b64u(fields["identity"])), from_b64u(fields["transport"]), boxes)


@dataclass(frozen=True)
class Passphrase:
    """What the person types. The same characters typed in another way (NFC) are the same
    passphrase.
    """

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        if not self.text:
            raise LocalProtocolError("An empty passphrase protects nothing: use a key file.")


@dataclass(frozen=True)
class KeyFile:
    """32 random bytes that lie in a file beside the keystore (0600)."""

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.key) != KEY:
            raise LocalProtocolError("A key file has 32 bytes.")


Opener = Passphrase | KeyFile


def lock(keys: Keyring, opener: Opener, random: Random = random_bytes) -> bytes:
    """Lock a keyring. With a passphrase this takes about half a second and 256 MiB."""
    way = _BY_PASSPHRASE if isinstance(opener, Passphrase) else _BY_KEY_FILE
    salt, nonce = random(_SALT), random(_NONCE)
    header = _MAGIC + bytes([way]) + salt + nonce
    contents = keys.pack()
    padded = contents + bytes(-len(contents) % limits.BLOCK)
    return header + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
        padded, header, nonce, _key(opener, salt)
    )


def opened_by_passphrase(blob: bytes) -> bool:
    """Say by its header what opens a keystore: a passphrase, or else a key file. Nothing of it is
    believed; :func:`unlock` finds out.
    """
    return blob[len(_MAGIC) : len(_MAGIC) + 1] == bytes([_BY_PASSPHRASE])


def unlock(blob: bytes, opener: Opener) -> Keyring:
    """Open a keystore. ``NotAKeystoreError`` if it is none, ``LockedError`` if it does not open
    with this.
    """
    if (
        not blob.startswith(_MAGIC)
        or len(blob) < _HEADER + limits.BLOCK + limits.TAG
        or (len(blob) - _HEADER - limits.TAG) % limits.BLOCK
    ):
        raise NotAKeystoreError("This file is not a keystore of this version, or it was cut short.")
    header, way = blob[:_HEADER], blob[len(_MAGIC)]
    if way not in {_BY_PASSPHRASE, _BY_KEY_FILE}:
        raise NotAKeystoreError("This keystore is opened in a way that this version does not know.")
    if (way == _BY_PASSPHRASE) != isinstance(opener, Passphrase):
        raise LockedError(
            "This keystore is opened by a passphrase."
            if way == _BY_PASSPHRASE
            else "This keystore is opened by a key file."
        )
    salt, nonce = header[len(_MAGIC) + 1 : -_NONCE], header[-_NONCE:]
    try:
        padded = bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
            blob[_HEADER:], header, nonce, _key(opener, salt)
        )
    except CryptoError:
        raise LockedError(
            "Another passphrase or key locked this keystore, or it was changed."
        ) from None
    return Keyring.unpack(padded.rstrip(b"\0"))


def _key(opener: Opener, salt: bytes) -> bytes:
    if isinstance(opener, KeyFile):
        return opener.key
    passphrase = unicodedata.normalize("NFC", opener.text).encode("utf-8", errors="surrogatepass")
    return argon2id.kdf(
        KEY,
        passphrase,
        salt,
        opslimit=argon2id.OPSLIMIT_MODERATE,
        memlimit=argon2id.MEMLIMIT_MODERATE,
    )
