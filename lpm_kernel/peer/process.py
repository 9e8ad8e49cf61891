"""The process that listens: all that comes from outside ends here, under a bound on its memory.

``lpm start`` keeps it running beside the other processes, ``lpm peer run`` alone (``supervise``).
Who keeps it holds the other end of its standard input: the first line is the passphrase of the
keys, empty where there is none, and where it ends the process ends too. So the passphrase stands on
no command line and in no environment.
"""

from __future__ import annotations

import json
import logging
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import psutil
import trio

from lpm_kernel.config import Home, Settings
from lpm_kernel.domain.stores import Conversations
from lpm_kernel.errors import ConflictError, CorruptHomeError, HomeLockedError, NodeError
from lpm_kernel.node import Node
from lpm_kernel.peer.delivery import deliver, tend_keys
from lpm_kernel.peer.host import Host
from lpm_kernel.peer.inward import through_node
from lpm_kernel.peer.meeting_place import visit_meeting_place
from lpm_kernel.peer.nearby import meet_nearby
from lpm_kernel.peer.port_mapping import keep_forwarded
from lpm_kernel.peer.reservations import keep_places
from lpm_kernel.peer.speaker import Answer, Speaker
from lpm_kernel.peer.wire import address_of
from lpm_kernel.usecases.processes import running_as
from lpm_kernel.usecases.settings import LiveSettings
from lpm_kernel.usecases.share import outgoing, passing, reach
from lpm_kernel.usecases.share.keys import Keystore
from lpm_kernel.usecases.share.people import NAMELESS
from protocol.messages import Verb

MEMORY: Final = 768 * 2**20
"""Bytes of data that the listening process may have. It takes some 150 MB of it; a passphrase asks
for 256 MB once.
"""

LOOK_SECONDS: Final = 2.0
"""How often the file of the keys is looked at."""
SHUT_LOOKS: Final = 2
TELL_SECONDS: Final = 60
"""Between two times that contacts are told where this node is reached."""
logger = logging.getLogger(__name__)


def listen(
    home: Home, host: str, port: int, answer: Answer | None = None, passphrase: str = ""
) -> None:
    """Listen until SIGTERM, or until standard input ends; one line of JSON on standard output says
    where. The running node answers, unless told otherwise.

    Raises ``HomeLockedError`` when a host of this home runs already, ``ConflictError`` where its
    keys do not open, now or later.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    # they name addresses and peers, and what matters of it is said again below
    for library in ("libp2p", "zeroconf"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    bound_memory()
    home.make()
    with (
        running_as(home, "peer"),
        Node(home, in_process=False) as node,
        node.ports.audit.noting_apart(),
    ):
        reach.forget(home)
        keystore = Keystore(home, node.ports.clock, passphrase)
        stores = (
            node.ports.contacts,
            node.ports.permissions,
            node.ports.post,
            node.ports.audit,
            node.ports.clock,
            keystore,
        )
        settings = node.ports.live_settings
        speaker = Speaker(
            *stores,
            name=Called(node.ports.conversations),
            answer=answer or through_node(home),
            off=lambda: verbs_off(settings.now),
        )
        made = Host(speaker, node.ports.settings.peers_idle)
        made.relays = lambda: settings.now.relay_for_contacts
        try:
            could = trio.run(_live, home, made, settings, (host, port))
        finally:
            speaker.turned_away.settle(last=True)
    if not could:
        sys.exit(reach.TAKEN)


def verbs_off(settings: Settings) -> tuple[str, ...]:
    """Name the verbs of which nothing is sent."""
    return () if settings.tables_with_contacts else (Verb.DISCUSS.value,)


class Called:
    """What the person is called now: looked up once a second at most, since every request asks."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations
        self._known = ("", -math.inf)

    def __call__(self) -> str:
        """Give it."""
        name, at = self._known
        if time.monotonic() - at > 1.0:
            name = self._conversations.identity().name or NAMELESS
            self._known = name, time.monotonic()
        return name


def bound_memory(most: int = MEMORY) -> None:
    """Let this process have no more data than that, where the system can hold it to it."""
    if sys.platform == "linux":
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(
            resource.RLIMIT_DATA,
            (most if hard == resource.RLIM_INFINITY else min(most, hard), hard),
        )


async def _live(
    home: Home, host: Host, settings: LiveSettings, listens_at: tuple[str, int]
) -> bool:
    """Listen and deliver until told to end. ``False``: it cannot listen there. Raises
    ``ConflictError`` and ``CorruptHomeError`` once the keys do not open any more.
    """
    shut: list[NodeError] = []
    async with trio.open_nursery() as nursery:
        try:
            await nursery.start(host.run, *listens_at)
        except OSError:
            return False
        host.announced = announced(host.addresses)
        chosen = int(host.addresses[0].rpartition("/")[2])
        reach.write(home, host.announced, chosen)
        print(json.dumps({"addresses": host.announced, "port": chosen}), flush=True)  # noqa: T201  the line that whoever keeps this process reads
        nursery.start_soon(deliver, host)
        nursery.start_soon(tend_keys, host)
        nursery.start_soon(keep_places, host, lambda: settings.now.relays)
        nursery.start_soon(visit_meeting_place, host, lambda: settings.now.rendezvous)
        nursery.start_soon(meet_nearby, host, lambda: settings.now.find_on_network)
        nursery.start_soon(
            keep_forwarded, host, lambda: settings.now.map_port, partial(reach.note_mapping, home)
        )
        nursery.start_soon(follow_places, home, host, chosen)
        nursery.start_soon(_until_told, nursery.cancel_scope)
        nursery.start_soon(until_alone, nursery.cancel_scope)
        nursery.start_soon(_until_locked, host, shut, nursery.cancel_scope)
    if shut:
        raise shut[0]
    return True


async def _until_locked(host: Host, shut: list[NodeError], scope: trio.CancelScope) -> None:
    """Look whether the keys still open: somebody may have locked them by another passphrase, and
    without them nobody is answered.

    Once may be while they are written; twice is not.
    """
    failed = 0
    while failed < SHUT_LOOKS:
        await trio.sleep(LOOK_SECONDS)
        try:
            await host.blocking(lambda: host.speaker.keystore.keys)
            failed = 0
        except (ConflictError, CorruptHomeError) as error:
            failed += 1
            if failed == SHUT_LOOKS:
                shut.append(error)
    scope.cancel()


async def _until_told(scope: trio.CancelScope) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as told:
        async for _ in told:
            scope.cancel()


async def until_alone(scope: trio.CancelScope) -> None:
    """End once standard input ends: whoever kept this process is gone."""
    while await trio.to_thread.run_sync(os.read, 0, 64, abandon_on_cancel=True):  # type: ignore[call-arg]  # the stubs are of an older trio
        pass
    scope.cancel()


async def follow_places(
    home: Home, host: Host, port: int, look: float = LOOK_SECONDS, again: float = TELL_SECONDS
) -> None:
    """Note where this node is reached whenever that changes, and have contacts told of an address
    that is new, until cancelled. One that is gone they find out by themselves.
    """
    written, last = host.places, -math.inf
    while True:
        await trio.sleep(look)
        host.announced = announced(host.addresses)
        before, written = written, host.places
        if written != before:
            await host.blocking(reach.write, home, written, port)
        elif trio.current_time() - last > again:  # it did not change since the last look
            try:
                if await host.blocking(tell, home, host.speaker, written, port):
                    last = trio.current_time()
            except Exception as error:  # noqa: BLE001  tried again in a moment
                logger.warning("Contacts could not be told: %s", type(error).__name__)


def tell(home: Home, speaker: Speaker, places: Sequence[str], port: int) -> bool:
    """Have contacts told where this node is reached, unless they were. Returns whether they
    were not.
    """
    if set(places) <= reach.told(home):
        return False
    outgoing.tell_places(
        speaker.contacts, speaker.post, speaker.keystore, speaker.clock, speaker.called
    )
    reach.write(home, places, port, places)
    return True


def announced(addresses: Sequence[str]) -> list[str]:
    """Give the addresses that others can dial: in place of "every interface" those that there are;
    without a network, this machine's own.
    """
    found: list[str] = []
    for address in addresses:
        _, _, host, _, port = address.split("/")
        if host not in {"0.0.0.0", "::"}:  # noqa: S104  compared, not bound
            found.append(address)
            continue
        for interfaces in psutil.net_if_addrs().values():
            here = [
                interface.address
                for interface in interfaces
                if interface.family.name == ("AF_INET6" if host == "::" else "AF_INET")
            ]
            found += [
                address_of(each, int(port))
                for each in here
                if not each.startswith(("127.", "::1", "fe80"))
            ]
    return found or [
        address_of("127.0.0.1", int(address.rpartition("/")[2])) for address in addresses[:1]
    ]


def main(arguments: Sequence[str]) -> None:
    """Listen on a home, an interface and a port. Where that cannot be, the line on standard output
    says why.
    """
    root, host, port = arguments
    passphrase = passing.first_line()
    try:
        listen(Home(Path(root)), host, int(port), passphrase=passphrase)
    except HomeLockedError as error:
        _refuse(error, reach.HELD)
    except (ConflictError, CorruptHomeError) as error:
        _refuse(error, reach.REFUSED)


def _refuse(error: NodeError, status: int) -> None:
    print(json.dumps({"refused": error.detail, "hint": error.hint}), flush=True)  # noqa: T201  the line that whoever keeps this process reads
    sys.exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
