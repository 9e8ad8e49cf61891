"""TLS for who listens beyond loopback: the context with the node's own certificate, which is
renewed while the node runs.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from lpm_kernel.backends.vault.certificate import Certificate, certificate
from lpm_kernel.config import Settings

LOOKS_EVERY: Final = timedelta(hours=6)
"""How often it is looked whether the certificate ends soon."""


class Encryption:
    """What encrypts connections, with a certificate that is kept in a file."""

    def __init__(
        self,
        path: Path,
        names: Sequence[str],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._path, self._names, self._now = path, tuple(names), now
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._looked_at = now()
        self.certificate = self._load()

    def wrap(self, connection: socket.socket) -> ssl.SSLSocket:
        """Encrypt a connection; the handshake follows as bytes come."""
        connection.setblocking(False)
        return self._context.wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        )

    def renew(self) -> None:
        """Make the certificate anew where it ends soon; connections from now on have it."""
        if self._now() >= self._looked_at + LOOKS_EVERY:
            self._looked_at = self._now()
            with suppress(OSError):  # a full disk: the certificate that there is goes on
                self.certificate = self._load()

    def _load(self) -> Certificate:
        found = certificate(self._path, self._names, self._now())
        self._context.load_cert_chain(found.path)
        return found


def names_of(settings: Settings) -> list[str]:
    """Return the names and addresses under which a node is called.

    >>> names_of(Settings(host="192.168.1.7", allowed_hosts=("nas.local",)))[:5]
    ['localhost', '127.0.0.1', '::1', 'nas.local', '192.168.1.7']
    """
    names = ["localhost", "127.0.0.1", "::1", *settings.allowed_hosts]
    unspecified = False
    with suppress(ValueError):
        unspecified = ip_address(settings.host).is_unspecified
    named = [settings.host] if not unspecified else []
    own = socket.gethostname()
    return [each for each in (*names, *named, own) if each and each.isascii()]
