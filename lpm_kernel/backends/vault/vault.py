"""The steps of locking and unlocking a folder.

Which of them were done is told by what folders there are, and each step that counts is one rename:

locking    what stands in the home → ``lock/closing``; sealed into ``lock/sealed.new``; **renamed to
           ``lock/sealed``: locked**; ``lock/closing`` is removed
unlocking  opened into ``lock/opening``; **``lock/sealed`` renamed to ``lock/sealed.gone``:
           unlocked**; what stands in ``lock/opening`` → the home; ``lock/sealed.gone`` is removed

A process that is killed in between leaves a home that :meth:`SealedVault.settle` makes whole:
locked as it was, or open with everything in its place. Removing does not overwrite: what a disk
keeps of removed files is the disk's business.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Final

from lpm_kernel.backends.vault import lockfile, pack
from lpm_kernel.backends.vault.lockfile import Lock, keep_names
from lpm_kernel.domain.home.vault import Opened
from lpm_kernel.errors import (
    ConflictError,
    DamagedLockError,
    InvalidInputError,
    NotEnoughSpaceError,
    UnavailableError,
)

SPARE: Final = 50_000_000
"""Bytes that stay free on the disk."""


class SealedVault:
    """A home that can be locked. ``kept``: names that are never sealed, its own folder ``lock``
    among them.
    """

    def __init__(self, root: Path, kept: Collection[str]) -> None:
        self._root, self._kept = root, frozenset(kept)
        self._folder = root / "lock"
        self._sealed, self._gone = self._folder / "sealed", self._folder / "sealed.gone"
        self._new = self._folder / "sealed.new"
        self._closing, self._opening = self._folder / "closing", self._folder / "opening"
        self._newcomers = self._folder / "newcomers"

    @property
    def is_locked(self) -> bool:
        """Whether everything is sealed."""
        return self._sealed.is_dir()

    @property
    def has_lock(self) -> bool:
        """Whether a passphrase was set. Raises ``DamagedLockError``."""
        return lockfile.read(self._folder) is not None

    def set(self, passphrase: str, before: str | None = None) -> None:
        """Set a passphrase, or another one in its place, which ``before`` opens. Raises
        ``WrongPassphraseError`` and ``ConflictError`` where a part of the home is a link.
        """
        self._refuse_links()
        lock = lockfile.read(self._folder)
        if lock is not None and before is None:
            raise ConflictError(
                "This home has a passphrase.", "Enter it too, and the new one takes its place."
            )
        self._folder.mkdir(mode=0o700, exist_ok=True)
        lockfile.write(
            self._folder,
            Lock.make(passphrase) if lock is None else lock.changed(before or "", passphrase),
        )

    def remove(self, passphrase: str) -> None:
        """Have no lock any more. Raises ``WrongPassphraseError``, and ``ConflictError`` while it is
        locked.
        """
        if self.is_locked:
            raise ConflictError("The home is locked.", "Unlock it first.")
        self._lock().opened(passphrase)
        if any(self._folder.glob("damaged-*")):
            raise ConflictError(
                "What could not be read when the home was opened lies in its lock folder.",
                f"Move {self._folder}/damaged-* elsewhere first: it would go with the lock.",
            )
        lockfile.remove(self._folder)
        self._settled()
        shutil.rmtree(self._folder)

    def seal(self) -> None:
        """Lock the home. Nobody may have it open. Raises ``NotEnoughSpaceError``,
        ``UnavailableError`` where a part cannot be moved, and ``ConflictError``; then it is open as
        before.
        """
        self.settle()
        if self.is_locked:
            return
        lock = self._lock()
        self._refuse_links()
        self._refuse_without_room(
            sum(
                pack.size_of(path) if path.is_dir() else path.stat().st_size
                for path in self._pieces()
            )
        )
        try:
            self._closing.mkdir(mode=0o700)
            for path in self._pieces():
                path.rename(self._closing / path.name)
            pack.pack(self._closing, self._new, lock.public)
        except OSError as error:
            self.settle()
            raise UnavailableError(
                f"The home could not be locked: {error.strerror}. It is open as before.",
                "Free space on its disk, and have no part of it on another one.",
            ) from error
        self._new.rename(self._sealed)
        keep_names(self._folder)
        _remove(self._closing)

    def open(self, passphrase: str, *, partly: bool = False) -> Opened:
        """Unlock the home. Raises ``WrongPassphraseError``, and ``DamagedLockError`` where
        something cannot be read; it stays locked then.

        ``partly``: leave out what is damaged. What was sealed is kept beside it.
        """
        self.settle()
        keys = self._lock().opened(passphrase)
        if not self.is_locked:
            return Opened(0, ())
        self._refuse_without_room((self._sealed / pack.CONTENTS).stat().st_size)
        try:
            made = pack.unpack(self._sealed, self._opening, keys)
        except OSError as error:
            _remove(self._opening)
            raise UnavailableError(
                f"The home could not be unlocked: {error.strerror}. It is locked as before.",
                "Free space on its disk and try again.",
            ) from error
        if made.damaged and not partly:
            _remove(self._opening)
            raise DamagedLockError(
                f"The passphrase is right, but {len(made.damaged)} of {made.files} sealed files are"
                " damaged. The home stays locked, and nothing was changed.",
                "`lpm lock open --partly` opens it without them; a backup may have them.",
            )
        if made.damaged:
            aside = self._folder / f"damaged-{secrets.token_hex(4)}"
            shutil.copytree(self._sealed, aside, copy_function=os.link)
        self._sealed.rename(self._gone)
        keep_names(self._folder)
        self.settle()
        return Opened(made.files - len(made.damaged), made.damaged)

    def settle(self) -> None:
        """Finish, or take back, what a killed process was about. Nobody else may be at it."""
        if self._folder.is_dir():
            self._settled()

    def _settled(self) -> None:
        if self.is_locked:
            for left in (self._closing, self._opening, self._new, self._gone):
                _remove(left)
            return
        if self._gone.is_dir():
            self._bring(self._opening)
            _remove(self._gone)
        _remove(self._opening)
        _remove(self._new)
        self._bring(self._closing)
        if self._newcomers.is_dir():
            aside = self._root / "damaged"
            aside.mkdir(mode=0o700, exist_ok=True)
            for path in sorted(self._newcomers.iterdir()):
                path.rename(aside / path.name)
            self._newcomers.rmdir()

    @property
    def unsettled(self) -> bool:
        """Whether a killed process left something to finish, or another one is at it."""
        left = (self._closing, self._opening, self._new, self._gone, self._newcomers)
        return any(path.exists() for path in left)

    def strays(self) -> int:
        """Count the files that somebody else put into a locked home since: they are readable."""
        if not self.is_locked:
            return 0
        return sum(
            sum(len(names) for _, _, names in os.walk(path)) if path.is_dir() else 1
            for path in self._pieces()
        )

    def _lock(self) -> Lock:
        lock = lockfile.read(self._folder)
        if lock is None:
            raise InvalidInputError(
                "This home has no passphrase.", "Set one in Settings, or with `lpm lock set`."
            )
        return lock

    def _pieces(self) -> list[Path]:
        return sorted(path for path in self._root.iterdir() if path.name not in self._kept)

    def _bring(self, folder: Path) -> None:
        """Put what stands in a folder into the home. What an editor wrote there meanwhile is put
        aside, and nothing of it is lost.
        """
        if not folder.is_dir():
            return
        for path in sorted(folder.iterdir()):
            place = self._root / path.name
            if _is_empty(place):
                _remove(place)
            elif place.exists() or place.is_symlink():
                self._newcomers.mkdir(mode=0o700, exist_ok=True)
                place.rename(self._newcomers / f"{secrets.token_hex(4)}-{place.name}")
            path.rename(place)
        keep_names(self._root)
        folder.rmdir()

    def _refuse_links(self) -> None:
        for path in self._pieces():
            if path.is_symlink():
                raise ConflictError(
                    f"The part “{path.name}” of this home is a link to another place, which the"
                    " lock does not reach.",
                    "Put the folder itself into the home, then lock it.",
                )

    def _refuse_without_room(self, needed: int) -> None:
        free = shutil.disk_usage(self._root).free
        if needed + SPARE > free:
            raise NotEnoughSpaceError(
                needed + SPARE, free, "Free some space; the home is as it was before."
            )


def _is_empty(path: Path) -> bool:
    """Tell whether a folder has no file in it, however deep."""
    return (
        path.is_dir() and not path.is_symlink() and not any(names for _, _, names in os.walk(path))
    )


def _remove(path: Path) -> None:
    """Remove a folder, also what is closed in it to its owner."""
    if not path.is_dir():
        return
    path.chmod(0o700)
    for inside, names, _ in os.walk(path):
        for folder in (Path(inside, name) for name in names):
            if not folder.is_symlink():
                folder.chmod(0o700)
    shutil.rmtree(path)
