"""Sockets that proved nothing yet: how many are borne with, and for how long."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import trio

from lpm_kernel.peer.wire import UPGRADE_SECONDS

HALF_OPEN: Final = 8
"""Sockets of one address that may be without a proof at a time; the oldest gives way to the
next.
"""
HALF_OPEN_IN_ALL: Final = 128


@dataclass
class Doorstep:
    """Who knocks, by address."""

    knocking: dict[str, deque[trio.CancelScope]] = field(default_factory=dict)

    @contextmanager
    def stand(self, address: str) -> Iterator[None]:
        """Bear with a socket that proved nothing yet: for two seconds, and until newer ones of its
        address need the place. Where it has to go, the block ends without a word.
        """
        with trio.move_on_after(UPGRADE_SECONDS) as scope:
            here = self.knocking.setdefault(address, deque())
            if len(here) >= HALF_OPEN:
                here.popleft().cancel()
            elif sum(map(len, self.knocking.values())) >= HALF_OPEN_IN_ALL:
                max(self.knocking.values(), key=len).popleft().cancel()
            here.append(scope)
            try:
                yield
            finally:
                with suppress(ValueError):
                    here.remove(scope)
                if not here and self.knocking.get(address) is here:
                    del self.knocking[address]
