"""The settings as they stand now, whoever wrote the file last."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from lpm_kernel.config import Home, Settings, usable_settings, write_settings
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Audit


class LiveSettings:
    """What ``settings.toml`` says, read again when another process changed it. ``overrides`` hold
    over it.
    """

    def __init__(
        self, home: Home, overrides: Mapping[str, object], audit: Audit, clock: Clock
    ) -> None:
        self._home = home
        self._audit = audit
        self._clock = clock
        self._overrides = overrides
        self._lock = threading.Lock()
        self.problem: str
        """What is wrong with the file as it stands, in a sentence; empty when nothing is."""
        stamp = self._stamp()
        settings, self.problem = usable_settings(home, None, overrides)
        self._read = (stamp, settings)

    @property
    def now(self) -> Settings:
        """The settings that count."""
        if self._stamp() != self._read[0]:
            self._read_again()
        return self._read[1]

    def change(self, **changes: object) -> None:
        """Write settings to the file; they count from the next look on. Raises
        ``InvalidInputError``, and then nothing is written.
        """
        with self._lock:
            write_settings(self._home, **changes)
            self._audit.append(
                self._clock.now(), AuditKind.SETTINGS_CHANGED, settings=tuple(sorted(changes))
            )
            self._read_again()

    def _read_again(self) -> None:
        stamp = self._stamp()
        settings, self.problem = usable_settings(self._home, self._read[1], self._overrides)
        self._read = (stamp, settings)

    def _stamp(self) -> int:
        file = self._home.settings_file
        return file.stat().st_mtime_ns if file.exists() else 0
