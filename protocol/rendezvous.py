"""What two contacts leave for each other at a server that knows neither: a tag that changes every
day, and where they are, sealed. And by what one of them knows the other on a local network.

protocol/spec/reach.md has the bytes. Both follow from the two identities alone, so nothing has to
be agreed on; whoever has none of the two private keys cannot tell a tag from chance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from nacl import bindings
from nacl.exceptions import CryptoError
from nacl.utils import random as random_bytes

from protocol.identity import Did, Identity, Random, public_of
from protocol.refusals import LocalProtocolError, Refusal
from protocol.shape import VERSION, Line, ListOf, Record, read_json, write_json

DAY: Final = 86_400
TAG: Final = 32
NEAR: Final = 16
"""Bytes of a tag on a local network."""
KEY: Final = 32
NONCE: Final = 24
PLACES: Final = 1_280
"""Bytes that are sealed, filled up with zeros."""
BLOB: Final = NONCE + PLACES + 16
_PLACES: Final = Record({"v": VERSION, "addrs": ListOf(Line(128), 0, 8)})


@dataclass(frozen=True)
class Pair:
    """Two identities, as one of them sees it."""

    mine: Did
    theirs: Did
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, identity: Identity, theirs: Did) -> Pair:
        """Agree on a key with a contact. Raises ``ValueError`` for a DID that no key can be agreed
        on with.
        """
        public, mine = public_of(theirs), public_of(identity.did)
        try:
            shared = bindings.crypto_scalarmult(
                bindings.crypto_sign_ed25519_sk_to_curve25519(identity.seed + mine),
                bindings.crypto_sign_ed25519_pk_to_curve25519(public),
            )
        except (CryptoError, RuntimeError):
            raise ValueError("no key can be agreed on") from None
        both = "".join(sorted((identity.did, theirs))).encode("ascii")
        key = hashlib.blake2b(shared + both, digest_size=KEY, person=b"smp/1 pair").digest()
        return cls(identity.did, theirs, key)

    def tag(self, day: int, *, ours: bool) -> bytes:
        """Name what one of the two leaves on a day (seconds // 86,400): this one, or the other."""
        return self._from(b"smp/1 tag", day, self.mine if ours else self.theirs)

    def near(self, day: int, name: str, address: str, *, ours: bool) -> bytes:
        """Name this one, or the other, on a local network: where a node is that calls itself by a
        name of chance. It holds for that name and that address alone.
        """
        by = self.mine if ours else self.theirs
        return self._from(b"smp/1 near", day, by, f" {name} {address}")[:NEAR]

    def write(self, day: int, addresses: Sequence[str], random: Random = random_bytes) -> bytes:
        """Seal where this one is reached; every blob is as long. Raises ``LocalProtocolError``."""
        said = {"v": 1, "addrs": list(addresses)}
        try:
            _PLACES.check(said, "places")
        except Refusal as refusal:
            raise LocalProtocolError(f"These are no addresses: {refusal}") from refusal
        json = write_json(said)
        if len(json) > PLACES:
            raise LocalProtocolError("These addresses are too long together.")
        nonce = random(NONCE)
        return nonce + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
            json.ljust(PLACES, b"\0"),
            self.tag(day, ours=True),
            nonce,
            self._from(b"smp/1 place", day, self.mine),
        )

    def read(self, day: int, blob: bytes) -> list[str] | None:
        """Open what the other one left on a day; ``None`` for what they did not."""
        if len(blob) != BLOB:
            return None
        try:
            json = bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
                blob[NONCE:],
                self.tag(day, ours=False),
                blob[:NONCE],
                self._from(b"smp/1 place", day, self.theirs),
            ).rstrip(b"\0")
            said = read_json(json)
            _PLACES.check(said, "places")
        except (CryptoError, Refusal):
            return None
        return list(cast("dict[str, Any]", said)["addrs"])

    def _from(self, purpose: bytes, day: int, by: Did, more: str = "") -> bytes:
        data = day.to_bytes(8, "big") + f"{by}{more}".encode("ascii")
        return hashlib.blake2b(data, digest_size=KEY, key=self.key, person=purpose).digest()
