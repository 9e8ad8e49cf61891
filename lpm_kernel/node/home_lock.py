"""The lock of a home, which is built without a node: a locked home has none."""

from __future__ import annotations

from lpm_kernel.backends.vault.vault import SealedVault
from lpm_kernel.config import Home
from lpm_kernel.usecases.home.locking import KEPT, HomeLock


def home_lock(home: Home) -> HomeLock:
    """Return the lock of a home, whether it has a passphrase or not."""
    return HomeLock(home, SealedVault(home.root, KEPT))
