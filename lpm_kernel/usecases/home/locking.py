"""Locking the home by a passphrase, and what that leaves readable.

A home without a passphrase is as it always was. With one, everything in it is sealed when the node
ends and when the person says so, and the node serves nothing but the screen that unlocks it. The
key that opens it is in the memory of the one process that unlocks, for as long as that takes; no
other process is given it, since what they open afterwards are plain files. ``docs/adr/0017`` says
why, and what that does not protect from.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Literal

from lpm_kernel.config import Home, Settings, usable_settings
from lpm_kernel.domain.home.vault import Opened, Vault
from lpm_kernel.errors import (
    ConflictError,
    DamagedLockError,
    InvalidInputError,
    SealedHomeError,
)
from lpm_kernel.usecases.processes import alone, running

KEPT: Final = ("lock", "run", "models")
"""What is never sealed: the lock itself, process ids and ports, and models that were fetched."""
SCREEN: Final = (
    "host",
    "port",
    "open",
    "allowed_hosts",
    "backup_folder",
    "language",
    "theme",
    "single_keys",
)
"""The settings that a locked home goes by."""
LEAST, MOST = 8, 1000
"""Characters of a passphrase: whoever has the disk can try as many as they like."""
WAITS: Final = 15.0
"""Seconds in which commands that have the home open may end."""
_ASKED, _FAILED, _LEFT_OPEN = "lock.asked", "lock.failed", "lock.left-open"
_OPEN: Final = "open.lock"

State = Literal["off", "open", "locked"]
PlainCode = Literal["home", "workspace", "models", "run", "backups_elsewhere", "strays"]


@dataclass(frozen=True)
class Plain:
    """Something that can be read without the passphrase as things stand."""

    code: PlainCode
    place: str
    files: int = 0


@dataclass(frozen=True)
class LockState:
    """How a home is locked."""

    state: State
    plain: tuple[Plain, ...]
    trouble: str = ""
    """Why it could not be locked when that was last tried."""


class HomeLock:
    """The lock of one home."""

    def __init__(self, home: Home, vault: Vault) -> None:
        self._home, self._vault = home, vault

    @property
    def is_set(self) -> bool:
        """Whether there is a passphrase. Raises ``DamagedLockError``."""
        return self._home.lock.is_dir() and self._vault.has_lock

    @property
    def is_under_way(self) -> bool:
        """Whether it is being locked or unlocked, or a killed process left that unfinished."""
        return self._vault.unsettled

    def look(self) -> LockState:
        """Say how it is locked, and what can be read without the passphrase. Raises
        ``DamagedLockError``.
        """
        if self._vault.is_locked:
            state: State = "locked"
        else:
            state = "open" if self.is_set else "off"
        return LockState(state, tuple(self._plain()), self._trouble())

    def set(self, passphrase: str, before: str | None = None) -> None:
        """Set a passphrase, or another one in place of ``before``. Nothing is sealed yet.

        Raises ``InvalidInputError`` for one that is too short or cannot be typed,
        ``WrongPassphraseError``, and ``ConflictError`` where there is one and none was given.
        """
        if not LEAST <= len(passphrase) <= MOST or set(passphrase) & {"\r", "\n"}:
            raise InvalidInputError(
                f"A passphrase is one line of {LEAST} to {MOST:,} characters.",
                "Choose another one; four words that you did not read anywhere are a good one.",
            )
        with self._alone():
            self._vault.set(passphrase, before)

    def remove(self, passphrase: str) -> None:
        """Have no passphrase any more. Raises ``WrongPassphraseError``, and ``ConflictError`` while
        the home is locked.
        """
        with self._alone():
            self._vault.remove(passphrase)

    def seal(self) -> None:
        """Lock the home. Raises ``ConflictError`` while something has it open, and what sealing
        raises; it is open as before then.
        """
        with self._alone(), _undisturbed(self._home):
            self._vault.settle()
            if not self._vault.is_locked:
                self._write_screen()
                self._vault.seal()
        self._mark(_LEFT_OPEN).unlink(missing_ok=True)

    def open(self, passphrase: str, *, partly: bool = False) -> Opened:
        """Unlock the home. Raises ``WrongPassphraseError`` and ``DamagedLockError``; it stays
        locked then.
        """
        with self._alone():
            return self._vault.open(passphrase, partly=partly)

    def settle(self) -> None:
        """Finish, or take back, what a killed process was about; cheap where there is nothing.
        Raises ``ConflictError`` while another one is at it.
        """
        if self._home.lock.is_dir() and self._vault.unsettled:
            with self._alone():
                self._vault.settle()

    def begin(self) -> None:
        """Settle, and lock a home that a killed node left open: when the node starts."""
        self.settle()
        if not self._vault.is_locked and not self._mark(_LEFT_OPEN).exists():
            with suppress(DamagedLockError):  # the screen says so; it is open
                if self.is_set:
                    self.seal()
        self._mark(_LEFT_OPEN).unlink(missing_ok=True)

    def leave_open(self) -> None:
        """Have the next start of the node find the home open, as the person left it."""
        self._mark(_LEFT_OPEN).touch(mode=0o600)

    # --- asking the supervisor ------------------------------------------------------------------

    def ask(self) -> None:
        """Ask who keeps the node running to lock the home. Raises ``ConflictError`` where nobody
        does, and ``InvalidInputError`` where there is no passphrase.
        """
        if not self.is_set:
            raise InvalidInputError(
                "This home has no passphrase.", "Set one in Settings, or with `lpm lock set`."
            )
        if "node" not in dict(running(self._home)):
            raise ConflictError(
                "Nobody keeps this node running who could lock the home.",
                "End it, then lock the home with `lpm lock now`.",
            )
        self._mark(_FAILED).unlink(missing_ok=True)
        self._mark(_ASKED).touch(mode=0o600)

    def take_request(self) -> bool:
        """Take what was asked; ``False``: nothing was."""
        try:
            self._mark(_ASKED).unlink()
        except FileNotFoundError:
            return False
        return True

    def note_failure(self, sentence: str) -> None:
        """Keep why it could not be locked, for the screen."""
        self._mark(_FAILED).write_text(sentence, "utf-8")

    # --------------------------------------------------------------------------------------------

    def _plain(self) -> Iterator[Plain]:
        home = self._home
        if not self._vault.is_locked:
            yield Plain("home", str(home.root))
            yield Plain("workspace", str(home.workspace))
        elif strays := self._vault.strays():
            yield Plain("strays", str(home.root), strays)
        elsewhere = usable_settings(home)[0].backup_folder
        if elsewhere and not Path(elsewhere).expanduser().is_relative_to(home.root):
            yield Plain("backups_elsewhere", elsewhere)
        if models := len(list(home.models.glob("*"))):
            yield Plain("models", str(home.models), models)
        yield Plain("run", str(home.run))

    def _trouble(self) -> str:
        with suppress(OSError):
            return self._mark(_FAILED).read_text("utf-8")
        return ""

    def _write_screen(self) -> None:
        import tomlkit

        settings, default = usable_settings(self._home)[0], Settings()
        told = {
            name: list(value) if isinstance(value, tuple) else value
            for name in SCREEN
            if (value := getattr(settings, name)) != getattr(default, name)
        }
        path = self._home.lock / "settings.toml"
        path.write_text(tomlkit.dumps(told), "utf-8")
        path.chmod(0o600)

    def _mark(self, name: str) -> Path:
        self._home.run.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._home.run / name

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._home.run.mkdir(parents=True, exist_ok=True, mode=0o700)
        with alone(
            self._home, "locking", "The home is being locked or unlocked by another process."
        ):
            yield


def hold_open(home: Home) -> IO[str]:
    """Keep the home from being locked until the file that is returned is closed. Raises
    ``SealedHomeError``.
    """
    handle = (home.run / _OPEN).open("a+")
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:  # it is being locked
        handle.close()
        raise SealedHomeError from None
    if home.is_locked:
        handle.close()
        raise SealedHomeError
    return handle


@contextmanager
def _undisturbed(home: Home) -> Iterator[None]:
    """Wait until nobody has the home open, and keep others from it."""
    with (home.run / _OPEN).open("a+") as handle:
        until = time.monotonic() + WAITS
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise ConflictError(
                        "The home is in use, so it was not locked.",
                        "End the commands and programs that have it open, and try again.",
                    ) from None
                time.sleep(0.05)
        yield
