"""The process of ``lpm rendezvous``: a server that knows nobody and keeps nothing on disk but its
own key. It is kept running as the relay's process is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from lpm_kernel.peer.open_host import OpenHost
from lpm_kernel.peer.relay_process import begin_process, live
from lpm_kernel.peer.rendezvous import RENDEZVOUS, Rendezvous, RendezvousLimits
from lpm_kernel.usecases.share import own_key, reach


@dataclass(frozen=True)
class RendezvousTerms:
    """What whoever runs it decided."""

    limits: RendezvousLimits
    connections: int = 256
    connections_of_one: int = 16
    """Of one address."""


def host_of(seed: bytes, kept: Rendezvous, terms: RendezvousTerms) -> OpenHost:
    """Give the host of a server."""
    answers = {RENDEZVOUS: kept.answer}
    return OpenHost(seed, answers, terms.connections, terms.connections_of_one)


def main(arguments: Sequence[str]) -> None:
    """Serve from a folder, on an interface and a port, within limits (JSON)."""
    folder, host, port, wanted = arguments
    begin_process()
    read = json.loads(wanted)
    terms = RendezvousTerms(
        RendezvousLimits(**read["limits"]), read["connections"], read["connections_of_one"]
    )
    served = host_of(own_key.seed(Path(folder)), Rendezvous(terms.limits), terms)
    if not trio.run(live, served, (host, int(port))):
        sys.exit(reach.TAKEN)


if __name__ == "__main__":
    main(sys.argv[1:])
