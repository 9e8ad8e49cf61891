"""One message, signed by the sender and sealed to the recipient.

The bytes and the order of the checks are those of protocol/spec/envelope.md. Sealing: X25519 with a
key of this envelope alone, BLAKE2b over the shared secret, the header and the recipient's key,
XChaCha20-Poly1305 with the header as additional data.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

from nacl import bindings
from nacl.exceptions import CryptoError
from nacl.utils import random as random_bytes

from protocol import limits
from protocol.identity import DID, KEY, KEY_ID, BoxKey, Did, Identity, Kind, Random, key_id, verify
from protocol.keystore import Keyring
from protocol.messages import Message, as_fields, read_message
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.shape import ID, misshapen, read_json

MAGIC: Final = b"SMP"
SUITE: Final = 1
NOTICE: Final = MAGIC + b"\x00"
"""What a notice begins with: the one thing that is said unsealed."""
_PREFIX: Final = MAGIC + bytes([SUITE])
_NONCE: Final = 24
_SMALLEST: Final = limits.HEADER + limits.BLOCK + limits.TAG


@dataclass(frozen=True)
class Signed:
    """The exact bytes of a message and their signature: what an outbox keeps, and seals anew at
    each try.
    """

    json: bytes = field(repr=False)
    signature: bytes = field(repr=False)

    @property
    def digest(self) -> bytes:
        """Name these bytes, for the replay table: SHA-256."""
        return hashlib.sha256(self.json).digest()


@dataclass(frozen=True)
class Opened:
    """A message that passed every check that needs no memory."""

    message: Message
    digest: bytes


def sign(message: Message, by: Identity) -> Signed:
    """Sign a message; ``LocalProtocolError`` if it is somebody else's."""
    if message.iss != by.did:
        raise LocalProtocolError("A message is signed by its issuer.")
    json = message.json()
    return Signed(json, by.sign(Kind.MESSAGE, json))


def seal(signed: Signed, to: bytes, limit: int, random: Random = random_bytes) -> bytes:
    """Seal a signed message to a box key; ``LocalProtocolError`` if it does not fit into the limit
    (bytes), or the key is none.
    """
    ephemeral = BoxKey.make(random)
    header = _PREFIX + key_id(to) + ephemeral.public + random(_NONCE)
    try:
        key = _key(ephemeral.shared(to), header, to)
    except ValueError as error:
        raise LocalProtocolError(f"Nothing can be sealed to this key: {error}.") from error
    inner = signed.signature + signed.json
    inner += bytes(-len(inner) % limits.BLOCK)
    sealed = header + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
        inner, header, header[-_NONCE:], key
    )
    if len(sealed) > limit:
        raise LocalProtocolError("The message is too long for one envelope.")
    return sealed


def unseal(data: bytes, keys: Keyring, now: int, limit: int) -> Signed:
    """Open an envelope without believing what is in it: size, suite, key id, decryption, padding;
    in this order.
    """
    if len(data) > limit:
        raise Refusal(Code.TOO_LARGE, "envelope")
    if len(data) < _SMALLEST or (len(data) - limits.HEADER - limits.TAG) % limits.BLOCK:
        raise Refusal(Code.MALFORMED, "envelope")
    if not data.startswith(MAGIC):
        raise Refusal(Code.MALFORMED, "suite")
    if not data.startswith(_PREFIX):
        raise Refusal(Code.UNSUPPORTED_VERSION, "suite")
    header = data[: limits.HEADER]
    kid, ephemeral = header[len(_PREFIX) :][:KEY_ID], header[len(_PREFIX) + KEY_ID :][:KEY]
    box = keys.find(kid, now)
    if box is None:
        raise Refusal(Code.UNKNOWN_KEY, "kid")
    try:
        key = _key(box.shared(ephemeral), header, box.public)
        inner = bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
            data[limits.HEADER :], header, header[-_NONCE:], key
        )
    except (ValueError, CryptoError):
        raise Refusal(Code.DECRYPT_FAILED, "envelope") from None
    json = inner[limits.SIGNATURE :].rstrip(b"\0")
    if not json or len(inner) - limits.SIGNATURE - len(json) >= limits.BLOCK:
        raise Refusal(Code.MALFORMED, "padding")
    return Signed(json, inner[: limits.SIGNATURE])


def open_envelope(
    data: bytes,
    keys: Keyring,
    sender: Did | None,
    now: int,
    *,
    limit: int = limits.REQUEST,
    answer: bool = False,
) -> Opened:
    """Open an envelope and check all that needs no memory; ``sender`` is the connected contact,
    ``None`` for a stranger.

    Raises :class:`Refusal` and nothing else. Its ``re`` is set from the moment on that the sender
    and the audience are known.
    """
    signed = unseal(data, keys, now, limit)
    fields = as_fields(read_json(signed.json))
    issuer = fields.get("iss")
    DID.check(issuer, "iss")
    if not verify(str(issuer), Kind.MESSAGE, signed.json, signed.signature):
        raise Refusal(Code.BAD_SIGNATURE, "signature")
    if sender is not None and issuer != sender:
        raise Refusal(Code.SENDER_MISMATCH, "iss")
    if fields.get("aud") != keys.identity.did:
        raise Refusal(Code.WRONG_AUDIENCE, "aud")
    try:
        return Opened(read_message(fields, now, answer=answer), signed.digest)
    except Refusal as refusal:
        refusal.re = _id_in(fields.get("id"))
        raise


def _id_in(value: object) -> str | None:
    """Give the id of a message whose shape is not known to be good."""
    try:
        ID.check(value, "id")
    except Refusal:
        return None
    return str(value)


def _key(shared: bytes, header: bytes, recipient: bytes) -> bytes:
    return hashlib.blake2b(
        shared + header + recipient, digest_size=KEY, person=b"smp/1 seal"
    ).digest()


def write_notice(card: str) -> bytes:
    """Write a notice of one's own signed card."""
    return NOTICE + card.encode("ascii")


def read_notice(data: bytes) -> str | None:
    """Give the signed card in a notice, not believed yet; ``None`` if this is no notice. Refuses
    ``malformed``.
    """
    if not data.startswith(NOTICE):
        return None
    try:
        return data[len(NOTICE) :].decode("ascii")
    except UnicodeDecodeError:
        misshapen("notice")
