"""What a person may choose to serve: a file on this machine, or an endpoint by its address."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from lpm_kernel.errors import InvalidInputError


def gguf_file(path: str | None) -> str:
    """Return the path of a model file that is there. Raises ``InvalidInputError``."""
    file = Path(path or "").expanduser()
    if not path or not file.is_absolute() or file.suffix.lower() != ".gguf" or not file.is_file():
        raise InvalidInputError(
            "There is no GGUF file there.", "Give the whole path of a file that ends in .gguf."
        )
    return str(file)


def address(url: str | None) -> str:
    """Return the address of an endpoint. Raises ``InvalidInputError``.

    >>> address("http://127.0.0.1:11434/v1/")
    'http://127.0.0.1:11434/v1'
    """
    if not _is_address(url or ""):
        raise InvalidInputError(
            "The address of an endpoint begins with http:// or https://.",
            "For example http://127.0.0.1:11434/v1.",
        )
    return (url or "").rstrip("/")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Return where an endpoint is, without the name and password that its address may hold.

    >>> host_of("https://me:secret@models.example.org:8443/v1")
    'models.example.org:8443'
    """
    return urlsplit(url).netloc.rpartition("@")[2]
