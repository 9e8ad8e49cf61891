"""What holds for everybody but the superuser, held for tests that run as the superuser too: rights
to files, and a disk that fills up.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_CAPGET, _CAPSET, _VERSION = 125, 126, 0x20080522
_OVERRIDES = (1 << 1) | (1 << 2) | (1 << 3)
"""CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FOWNER."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def as_anybody() -> Iterator[None]:
    """Have this thread heed the rights of files until the block ends, also where the superuser runs
    the test.
    """
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        pytest.skip("not on this machine: the superuser may write everything")
    library, header, sets = ctypes.CDLL(None, use_errno=True), _Header(_VERSION, 0), (_Sets * 2)()
    assert library.syscall(_CAPGET, ctypes.byref(header), sets) == 0
    before = sets[0].effective
    sets[0].effective = before & ~_OVERRIDES
    assert library.syscall(_CAPSET, ctypes.byref(header), sets) == 0
    try:
        yield
    finally:
        sets[0].effective = before
        library.syscall(_CAPSET, ctypes.byref(header), sets)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    """Mount a disk of a few megabytes; skips the test where that is not allowed."""
    folder.mkdir()
    mounted = subprocess.run(
        ["/usr/bin/env", "mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("not on this machine: no disk can be mounted")
    try:
        yield folder
    finally:
        subprocess.run(["/usr/bin/env", "umount", "-l", str(folder)], check=True)


def fill(disk: Path, leave: int = 0) -> Path:
    """Fill a disk up but for some bytes, and return the file that does it."""
    filler = disk / "filler"
    with filler.open("wb") as handle:
        room = os.statvfs(disk)
        handle.write(b"\0" * max(0, room.f_bavail * room.f_frsize - leave))
    return filler
