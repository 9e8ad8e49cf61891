"""Files of models that are fetched: from where, under which name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from lpm_kernel.errors import UnusableDownloadError

CUT = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)


@dataclass(frozen=True)
class DownloadSource:
    """A file to fetch."""

    url: str
    name: str
    """The file's name in the folder of models."""
    sha256: str | None = None


def file_name(url: str) -> str:
    """Return the name under which the file of an address is kept. Raises ``UnusableDownloadError``.

    >>> file_name("https://example.org/a/b/tiny%20model.Q4_0.gguf?download=true")
    'tiny-model.Q4_0.gguf'
    """
    try:
        last = unquote(urlsplit(url).path).rpartition("/")[2]
    except ValueError as error:
        raise UnusableDownloadError(
            "This is not an address.", "Give the address of a file that ends in .gguf."
        ) from error
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", last).lstrip(".-")[-120:]
    if not name.lower().endswith(".gguf") or len(name) <= len(".gguf"):
        raise UnusableDownloadError(
            "The address is not that of a GGUF file.",
            "Model pages offer files that end in .gguf; copy the address of one of these.",
        )
    if CUT.search(name):
        raise UnusableDownloadError(
            "The model is split into several files, which cannot be joined here.",
            "Take one that is a single file.",
        )
    return name


def check_address(url: str) -> str:
    """Return the address when it may be fetched from: https, or http on this machine. Raises
    ``UnusableDownloadError``.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise UnusableDownloadError(
            "This is not an address.", "Give the address of a file that ends in .gguf."
        ) from error
    if parts.scheme == "https" and host:
        return url
    if parts.scheme == "http" and _loopback(host):
        return url
    raise UnusableDownloadError(
        "The address is not encrypted, so anybody on the way could change the file.",
        "Take an address that begins with https://.",
    )


def _loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
