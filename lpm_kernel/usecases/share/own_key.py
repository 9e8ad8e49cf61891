"""The key of a relay or a rendezvous server: a file of its own in a folder of its own. It is no
identity of a person, and opens nothing of theirs.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from lpm_kernel.config import close_to_others
from lpm_kernel.errors import CorruptHomeError, InvalidInputError

NAME: Final = "key"
LENGTH: Final = 32


def seed(folder: Path) -> bytes:
    """Read the key in a folder, made at first use (0600). Raises ``InvalidInputError`` where the
    folder cannot be used, ``CorruptHomeError`` where the file is no key.
    """
    close_to_others()
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            _make(path)
        text = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"The folder {folder} cannot be used.", "Name another with --folder."
        ) from error
    with suppress(ValueError):
        key = bytes.fromhex(text)
        if len(key) == LENGTH:
            return key
    raise CorruptHomeError(
        f"The file {path} is damaged.",
        "Restore it from a copy, or delete it: a new one is made, and everybody has to be told the"
        " new address.",
    )


def _make(path: Path) -> None:
    fresh = path.with_name(f"{NAME}.{secrets.token_hex(4)}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(secrets.token_hex(LENGTH))
        handle.flush()
        os.fsync(handle.fileno())
    with suppress(FileExistsError):  # another process made it first; its key stands
        os.link(fresh, path)
    fresh.unlink()
