"""What every test may ask for: a clock that stands still and a home of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

KINDS = ("unit", "property", "contract", "protocol", "integration", "docs", "e2e", "gpu", "bench")


@dataclass
class FrozenClock:
    """A clock that moves only when it is told to."""

    moment: datetime = field(default_factory=lambda: datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC))

    def now(self) -> datetime:
        return self.moment

    def advance(self, **span: float) -> datetime:
        """Move on, for example ``advance(days=1)``."""
        self.moment += timedelta(**span)
        return self.moment


@pytest.fixture
def frozen_clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home of this test's own; ``LPM_HOME`` names it, for processes that the test starts."""
    root = tmp_path / "home"
    root.mkdir(mode=0o700)
    monkeypatch.setenv("LPM_HOME", str(root))
    return root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test's folder is its kind, so that nobody has to mark each one."""
    for item in items:
        for part in item.path.parts[:-1]:
            if part in KINDS:
                item.add_marker(part)
