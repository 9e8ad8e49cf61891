"""Which of the addresses of a peer is tried when: at first those that lead to them directly, then
those through a relay; for some minutes the one that worked before all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import trio

from lpm_kernel.peer.wire import DIAL_SECONDS, relay_of
from protocol.identity import PeerId

WORKED_SECONDS: Final = 600
"""How long the address that worked is tried before all others. Then the direct ones have another
chance.
"""
DIRECT_SECONDS: Final = 3
"""For somebody to answer at an address where there is a relay to try afterwards."""
MOST_KNOWN: Final = 1_024


@dataclass
class Routes:
    """What worked, by peer. It is forgotten with the process."""

    _worked: dict[PeerId, tuple[str, float]] = field(default_factory=dict)

    def tries(self, peer: PeerId, addresses: Sequence[str]) -> list[tuple[str, float]]:
        """Give the addresses in the order in which they are tried, each with the seconds for
        somebody to answer there.
        """
        worked, at = self._worked.get(peer, ("", 0.0))
        if trio.current_time() - at > WORKED_SECONDS:
            worked = ""
        order = sorted(addresses, key=lambda each: (each != worked, relay_of(each) is not None))
        some = any(relay_of(each) is not None for each in addresses)
        return [(each, DIRECT_SECONDS if some else DIAL_SECONDS) for each in order]

    def worked(self, peer: PeerId, address: str) -> None:
        """Note that a peer was reached there."""
        known, since = self._worked.get(peer, ("", 0.0))
        if len(self._worked) >= MOST_KNOWN:
            self._worked.clear()
        again = known == address and trio.current_time() - since <= WORKED_SECONDS
        self._worked[peer] = address, since if again else trio.current_time()
