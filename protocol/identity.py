"""Who somebody is: an Ed25519 identity written as ``did:key``, the X25519 keys that envelopes are
sealed to, and signed statements.

Sources: RFC 8032 (Ed25519), RFC 7748 (X25519), W3C did:key v0.9 (multicodec ``ed01``, base58btc),
libp2p peer ids (identity multihash of the protobuf of an Ed25519 key), RFC 7693 (BLAKE2b). The
curves are libsodium's, by PyNaCl; nothing is calculated here. Private halves are in no ``repr`` and
objects that hold one are not compared: compare what is public.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final, NewType

from nacl import bindings
from nacl.exceptions import BadSignatureError, CryptoError
from nacl.signing import SigningKey, VerifyKey
from nacl.utils import random as random_bytes

from protocol import limits
from protocol.encoding import from_b64u, from_base58, to_b64u, to_base58
from protocol.refusals import Code, Refusal
from protocol.shape import misshapen, write_json

Did = NewType("Did", str)
PeerId = NewType("PeerId", str)
Random = Callable[[int], bytes]
"""So many bytes that nobody can guess. Tests and vectors hand in their own."""

SEED: Final = 32
KEY: Final = 32
KEY_ID: Final = 8
_DID: Final = "did:key:z"
_ED25519: Final = b"\xed\x01"
_PEER: Final = bytes.fromhex("002408011220")


class Kind(StrEnum):
    """What is signed. Each has a context of its own, so none can be shown as another."""

    CARD = "card"
    GRANT = "grant"
    MESSAGE = "msg"
    ROTATION = "rotation"
    TURN = "turn"
    """Every entry of a table's record (protocol/spec/discussion.md)."""

    def context(self) -> bytes:
        """Give the bytes that are signed before the statement."""
        return f"smp/1 {self}\0".encode("ascii")


@dataclass(frozen=True, eq=False)
class Identity:
    """An identity with its private half: 32 bytes of seed (RFC 8032 §5.1.5)."""

    seed: bytes = field(repr=False)
    did: Did = field(init=False)
    _key: SigningKey = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_key", SigningKey(self.seed))
        object.__setattr__(self, "did", did_of(bytes(self._key.verify_key)))

    @classmethod
    def make(cls, random: Random = random_bytes) -> Identity:
        """Make a new one."""
        return cls(random(SEED))

    def sign(self, kind: Kind, data: bytes) -> bytes:
        """Sign exactly these bytes as a statement of this kind; 64 bytes, always the same ones."""
        return self._key.sign(kind.context() + data).signature


def did_of(public: bytes) -> Did:
    """Write an Ed25519 public key as a DID.

    >>> did_of(bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
    'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw'
    """
    return Did(_DID + to_base58(_ED25519 + public))


@lru_cache(maxsize=1_024)  # one message names the same two several times
def public_of(did: str) -> bytes:
    """Read the public key in a DID; ``ValueError`` if it is none, or not in its one written
    form.
    """
    if not did.startswith(_DID):
        raise ValueError("not a DID of this kind")
    data = from_base58(did[len(_DID) :], len(_ED25519) + KEY)
    if not data.startswith(_ED25519):
        raise ValueError("not an Ed25519 key")
    return data[len(_ED25519) :]


def peer_of(transport_public: bytes) -> PeerId:
    """Write the public half of a transport key as a libp2p peer id."""
    return PeerId(to_base58(_PEER + transport_public))


def verify(did: str, kind: Kind, data: bytes, signature: bytes) -> bool:
    """Say whether the identity signed these bytes as this kind. Keys of small order and unreduced
    signatures are refused by libsodium.
    """
    try:
        VerifyKey(public_of(did)).verify(kind.context() + data, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


@dataclass(frozen=True)
class DidShape:
    """A string that is a DID."""

    def check(self, value: object, at: str) -> None:
        """Refuse what is not one."""
        try:
            public_of(value if isinstance(value, str) else "")
        except ValueError:
            misshapen(at)


@dataclass(frozen=True)
class PeerShape:
    """A string that is a libp2p peer id of an Ed25519 key."""

    def check(self, value: object, at: str) -> None:
        """Refuse what is not one."""
        try:
            data = from_base58(value if isinstance(value, str) else "", len(_PEER) + KEY)
        except ValueError:
            misshapen(at)
        if not data.startswith(_PEER):
            misshapen(at)


# --- box keys -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BoxKey:
    """An X25519 key pair that envelopes are sealed to."""

    private: bytes = field(repr=False)
    public: bytes = field(init=False)
    kid: bytes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "public", bindings.crypto_scalarmult_base(self.private))
        object.__setattr__(self, "kid", key_id(self.public))

    @classmethod
    def make(cls, random: Random = random_bytes) -> BoxKey:
        """Make a new one."""
        return cls(random(KEY))

    def shared(self, theirs: bytes) -> bytes:
        """Agree on 32 bytes with who holds the other private half; ``ValueError`` if their key is
        of small order (RFC 7748 §6.1).
        """
        try:
            return bindings.crypto_scalarmult(self.private, theirs)
        except CryptoError:
            raise ValueError("a key of small order") from None


def key_id(box: bytes) -> bytes:
    """Name a box key: 8 bytes, which tell the reader which of its keys to take and nobody else
    anything.
    """
    return hashlib.blake2b(box, digest_size=KEY_ID, person=b"smp/1 kid").digest()


@dataclass(frozen=True)
class BoxShape:
    """Base64url of an X25519 public key that is not of small order."""

    def check(self, value: object, at: str) -> None:
        """Refuse what is not one."""
        try:
            public = from_b64u(value if isinstance(value, str) else "")
            if len(public) != KEY:
                misshapen(at)
            BoxKey(b"\x40" * KEY).shared(public)
        except ValueError:
            misshapen(at)


DID: Final = DidShape()
PEER: Final = PeerShape()
BOX: Final = BoxShape()


# --- signed statements --------------------------------------------------------------------------


def write_statement(kind: Kind, value: object, *signers: Identity) -> str:
    """Write a statement as it is carried: the signatures and the exact bytes that they cover."""
    data = write_json(value)
    return to_b64u(b"".join(identity.sign(kind, data) for identity in signers) + data)


def split_statement(text: str, most: int, signatures: int = 1) -> tuple[tuple[bytes, ...], bytes]:
    """Take a carried statement apart into its signatures and its bytes, without believing either.
    Refuses ``malformed``.
    """
    if len(text) > most:
        raise Refusal(Code.MALFORMED, "statement")
    try:
        data = from_b64u(text)
    except ValueError:
        raise Refusal(Code.MALFORMED, "statement") from None
    cut = signatures * limits.SIGNATURE
    if len(data) <= cut:
        raise Refusal(Code.MALFORMED, "statement")
    return (
        tuple(data[at : at + limits.SIGNATURE] for at in range(0, cut, limits.SIGNATURE)),
        data[cut:],
    )
