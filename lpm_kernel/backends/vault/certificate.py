"""The certificate of a node that is called from other machines: its own, signed by nobody else.
Whoever calls it compares the fingerprint with the one that the node shows.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LASTS: Final = timedelta(days=397)
"""What browsers accept at most of a certificate from anybody."""
RENEWED: Final = timedelta(days=30)
"""Before its end, from when on it is made anew."""


@dataclass(frozen=True)
class Certificate:
    """A certificate with its key, in one file that only its owner reads."""

    path: Path
    fingerprint: str
    """SHA-256 of the certificate, as browsers show it: ``AB:CD:…``."""
    begins_at: datetime
    ends_at: datetime
    names: frozenset[str | bytes]
    """Under which it may be called: names in small letters, addresses as 4 or 16 bytes."""

    def serves(self, names: Iterable[str], now: datetime) -> bool:
        """Tell whether it can be shown under all of these names, now and for a while."""
        return (
            self.begins_at <= now < self.ends_at - RENEWED
            and _called({_named(each) for each in names}) <= self.names
        )


def known_certificate(path: Path) -> Certificate | None:
    """Return the certificate in a file, which nobody but its owner reads from now on; ``None``:
    there is none that can be read, or its key is another's.
    """
    with suppress(OSError):  # not there, or on a file system without rights
        path.chmod(0o600)
    try:
        data = path.read_bytes()
        key = serialization.load_pem_private_key(data, None)
        found = x509.load_pem_x509_certificate(data)
        names = _names_in(found)
    except (OSError, ValueError, TypeError):
        return None
    if key.public_key() != found.public_key():
        return None
    printed = found.fingerprint(hashes.SHA256()).hex(":").upper()
    return Certificate(path, printed, found.not_valid_before_utc, found.not_valid_after_utc, names)


def certificate(path: Path, names: Sequence[str], now: datetime) -> Certificate:
    """Return the certificate in a file, made now where there is none, it ends soon, is not valid
    yet or lacks a name. ``names`` are the names and addresses under which the node is called.
    """
    known = known_certificate(path)
    if known is not None and known.serves(names, now):
        return known
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(_made(names, now))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    made = known_certificate(path)
    if made is None:
        message = f"{path} cannot be read."
        raise OSError(message)
    return made


def _made(names: Sequence[str], now: datetime) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Second Me")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + LASTS)
        .add_extension(
            x509.SubjectAlternativeName([_named(each) for each in dict.fromkeys(names)]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ) + made.public_bytes(serialization.Encoding.PEM)


def _names_in(found: x509.Certificate) -> frozenset[str | bytes]:
    try:
        held = found.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return frozenset()
    return _called(held.value)


def _called(names: Iterable[x509.GeneralName]) -> frozenset[str | bytes]:
    return frozenset(
        each.value.packed
        if isinstance(each.value, IPv4Address | IPv6Address)
        else str(each.value).lower()
        for each in names
    )


def _named(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
