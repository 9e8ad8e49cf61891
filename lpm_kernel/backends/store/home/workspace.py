"""The ``Workspace`` port over a folder of this machine."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

import psutil

from lpm_kernel.domain.memory.workspace import FOLDERS, NotePath, Stamp
from lpm_kernel.errors import InvalidInputError


class LocalWorkspace:
    """A folder of Markdown that editors, Obsidian and git may work on at the same time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> bool:
        """Create what is missing of the folders, closed to everybody else."""
        fresh = not self.folder.exists()
        for each in ("", *FOLDERS):
            (self.folder / each).mkdir(mode=0o700, parents=True, exist_ok=True)
        return fresh

    def listing(self) -> dict[str, Stamp]:
        """Return every Markdown file with what tells that it was not changed. Raises ``OSError``
        where a folder cannot be read: it is not empty then.
        """
        found: dict[str, Stamp] = {}
        for folder, below, names in os.walk(self.folder, onerror=_unless_gone):
            below[:] = sorted(name for name in below if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder) / name
                if name.startswith(".") or path.suffix.lower() != ".md":
                    continue
                try:
                    known = path.lstat()
                except FileNotFoundError:  # renamed away meanwhile, as editors do
                    continue
                if stat.S_ISREG(known.st_mode):  # no link, and no pipe, which would be waited for
                    found[path.relative_to(self.folder).as_posix()] = Stamp(
                        known.st_mtime_ns, known.st_size, known.st_ino
                    )
        return found

    def read(self, path: str) -> bytes | None:
        """Return a file, or ``None`` where there is none; what lies behind a link is elsewhere."""
        target = self._path(path)
        try:
            return None if self._is_linked(target) else target.read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def write(self, path: str, data: bytes, was: bytes | None) -> bool:
        """Write beside it, look once more, and put it in its place; a new file is never put over
        another.
        """
        target = self._path(path)
        if self._is_linked(target):
            raise InvalidInputError(
                f"“{path}” is a link to elsewhere, so it is left alone.",
                "Name a Markdown file in the workspace itself.",
            )
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = target.with_name(f".{os.getpid()}-{secrets.token_hex(4)}.new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(data)
                handle.flush()
                os.fsync(handle.fileno())
            if was is None:
                try:
                    os.link(fresh, target)
                except FileExistsError:
                    return False
            else:
                if self.read(path) != was:
                    return False
                fresh.chmod(target.stat().st_mode & 0o700)
                fresh.replace(target)
            _reach_disk(target.parent)
        finally:
            fresh.unlink(missing_ok=True)
        return True

    def remove(self, path: str, was: bytes) -> bool:
        """Remove a file that still reads as it ``was``."""
        if self.read(path) != was:
            return False
        self._path(path).unlink(missing_ok=True)
        return True

    def sweep(self) -> None:
        """Remove what a killed process left half written."""
        for left in self.folder.rglob(".*.new") if self.folder.exists() else ():
            writer = left.name.removesuffix(".new").rpartition(".")[2].partition("-")[0]
            if not (writer.isdigit() and psutil.pid_exists(int(writer))):
                left.unlink(missing_ok=True)

    def _path(self, path: str) -> Path:
        return self.folder / NotePath.listed(path).text

    def _is_linked(self, target: Path) -> bool:
        return any(
            path.is_symlink()
            for path in (target, *target.parents)
            if path.is_relative_to(self.folder) and path != self.folder
        )


def _unless_gone(error: OSError) -> None:
    # a folder that was renamed meanwhile is found under its new name
    if not isinstance(error, FileNotFoundError):
        raise error


def _reach_disk(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
