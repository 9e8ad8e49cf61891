"""The passphrase of the keys on its way between the processes of a node: in memory and in pipes
alone, on no disk, no command line and in no environment.

The person types it on the screen; ``lpm serve`` opens the keys with it and passes it to the
supervisor, which starts the process that listens with it. What the supervisor starts again gets it
as the first line of its standard input.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from typing import Final

PASSED_BY: Final = "LPM_PASSPHRASE_FD"
"""The number of the pipe to the supervisor, for whoever it started."""
MOST: Final = 1000
"""Characters of a passphrase."""


class PassphraseChannel:
    """The supervisor's side."""

    def __init__(self) -> None:
        self._read, self.inherited = os.pipe()
        os.set_blocking(self._read, False)
        self._line = b""
        self.passphrase = ""

    def heard(self) -> bool:
        """Take what was passed; ``True`` where it is another passphrase than before."""
        try:
            self._line += os.read(self._read, 4 * MOST + 1)
        except BlockingIOError:
            return False
        *whole, self._line = self._line.split(b"\n")
        before, self.passphrase = (
            self.passphrase,
            whole[-1].decode("utf-8") if whole else self.passphrase,
        )
        return self.passphrase != before

    @property
    def environment(self) -> dict[str, str]:
        """What tells a process that inherits the pipe which it is."""
        return {PASSED_BY: str(self.inherited)}


def given() -> str:
    """Read what the supervisor gave this process at its start; nothing where it was started by
    somebody else.
    """
    return first_line() if PASSED_BY in os.environ else ""


def first_line() -> str:
    """Read the first line of the standard input: UTF-8, whatever the locale says. ``""`` where that
    input has ended.
    """
    return sys.stdin.buffer.readline().decode("utf-8").rstrip("\n")


def give(process: subprocess.Popen[bytes] | subprocess.Popen[str], passphrase: str) -> None:
    """Write the first line of a process's standard input; one that was killed already needs
    none.
    """
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            os.write(process.stdin.fileno(), f"{passphrase}\n".encode())


def pass_on(passphrase: str) -> None:
    """Pass it to the supervisor, if there is one."""
    if PASSED_BY in os.environ:
        os.write(int(os.environ[PASSED_BY]), f"{passphrase}\n".encode())
