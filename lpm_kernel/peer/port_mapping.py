"""The router at home is asked to forward the port on which contacts reach this node, where the
person switched that on: UPnP's Internet Gateway Device, by miniupnpc.

A lease is taken for an hour and renewed, so that a node that died leaves nothing open for long; a
router that knows no such leases keeps it until it is given back, when the person switches it off or
the node stops. Whatever calls itself a router is believed no further than an address: who is
dialled there has to prove that it is this node.
"""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_address
from itertools import product
from typing import Final, Protocol

import miniupnpc
import trio

from lpm_kernel.peer.host import Host
from lpm_kernel.peer.wire import address_of, where
from lpm_kernel.usecases.share.reach import PortMapping

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 2.0
LEASE_SECONDS: Final = 3_600
PERMANENT: Final = 0
"""What is asked of a router that lends for no time: until it is given back."""
RENEW_SECONDS: Final = 1_500
AGAIN_SECONDS: Final = 300
"""After how long a router is asked again that did not do it."""
END_SECONDS: Final = 5
DISCOVER_MS: Final = 2_000
NAME: Final = "Second Me"
"""What stands in the router's list."""
OTHER_PORTS: Final = 3
"""Ports that are tried where the router has given this one to somebody else."""
NOT_PUBLIC: Final = tuple(
    IPv4Network(each)
    for each in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "224.0.0.0/3",
    )
)
"""Where nobody from outside comes: a router with such an address is behind another one."""


class MappingError(Exception):
    """The port was not forwarded; ``state`` says why."""

    def __init__(self, state: PortMapping) -> None:
        super().__init__(state.value)
        self.state = state


@dataclass(frozen=True)
class Forwarded:
    """A port of the router that leads to this node."""

    host: str
    port: int


class Router(Protocol):
    """What forwards ports. Everything here blocks."""

    def forward(self, port: int, seconds: int, before: Forwarded | None) -> Forwarded:
        """Forward a port of this machine for so long, as ``before`` where that can be. Raises
        ``MappingError``.
        """
        ...

    def end(self, forwarded: Forwarded) -> None:
        """Give a port back."""
        ...


class Gateway:
    """The Internet Gateway Device of the local network."""

    def __init__(self) -> None:
        self._found: miniupnpc.UPnP | None = None

    def forward(self, port: int, seconds: int, before: Forwarded | None) -> Forwarded:
        """Forward a port. Raises ``MappingError``."""
        try:
            gateway = self._found = self._gateway()
            host = str(gateway.externalipaddress())
        except Exception as error:  # the library has one class for all
            raise MappingError(PortMapping.NO_ROUTER) from error
        if not is_public(host):
            raise MappingError(PortMapping.NOT_PUBLIC)
        wanted = [port if before is None else before.port]
        wanted += [random.randint(20_000, 60_000) for _ in range(OTHER_PORTS)]  # noqa: S311  whichever is free
        for outside, lease in product(wanted, (seconds, PERMANENT)):
            with suppress(Exception):  # taken by another one: the next
                lent = gateway.addportmapping(
                    outside, "TCP", gateway.lanaddr, port, NAME, "", lease
                )
                if lent:
                    return Forwarded(host, outside)
        raise MappingError(PortMapping.REFUSED)

    def end(self, forwarded: Forwarded) -> None:
        """Give a port back."""
        if self._found is not None:
            with suppress(Exception):  # its lease ends by itself, if it has an end
                self._found.deleteportmapping(forwarded.port, "TCP")

    @staticmethod
    def _gateway() -> miniupnpc.UPnP:
        found = miniupnpc.UPnP()
        found.discoverdelay = DISCOVER_MS
        found.discover()
        found.selectigd()
        return found


def is_public(host: str) -> bool:
    """Tell whether somebody from outside comes to an address.

    >>> [is_public(each) for each in ("203.0.113.7", "192.168.1.1", "100.64.3.4", "::1", "router")]
    [True, False, False, False, False]
    """
    try:
        read = ip_address(host)
    except ValueError:
        return False
    return isinstance(read, IPv4Address) and not any(read in each for each in NOT_PUBLIC)


async def keep_forwarded(
    host: Host,
    wanted: Callable[[], bool],
    note: Callable[[PortMapping], None],
    router: Router | None = None,
) -> None:
    """Have the router forward the port of a host while the person wants it, until cancelled.
    ``note`` is told how it stands, in a thread, whenever that changes.
    """
    keeper = _Keeper(host, router or Gateway(), note)
    try:
        while True:
            try:
                await keeper.look(wanted=wanted())
            except Exception as error:  # noqa: BLE001  a router breaks as it likes
                logger.warning("The port could not be forwarded: %s", type(error).__name__)
            await trio.sleep(LOOK_SECONDS)
    finally:
        with trio.move_on_after(END_SECONDS) as ending:
            ending.shield = True
            with suppress(Exception):  # the lease ends by itself
                await keeper.look(wanted=False)


class _Keeper:
    """What is forwarded now, and when that is looked at again."""

    def __init__(self, host: Host, router: Router, note: Callable[[PortMapping], None]) -> None:
        self._host, self._router, self._note = host, router, note
        self._forwarded: Forwarded | None = None
        self._inside: tuple[str, ...] = ()
        self._due = -math.inf
        self._state = PortMapping.OFF

    async def look(self, *, wanted: bool) -> None:
        """Forward the port, renew it, or give it back."""
        inside = tuple(each for each in self._host.direct if is_inside(each))
        if not wanted or not inside:
            if self._forwarded is not None:
                gone, self._forwarded, self._host.forwarded = self._forwarded, None, ""
                await trio.to_thread.run_sync(self._router.end, gone)
            self._due = -math.inf
            await self._say(PortMapping.ALONE if wanted else PortMapping.OFF)
            return
        if inside == self._inside and trio.current_time() < self._due:
            return
        self._inside = inside
        if self._forwarded is None:
            await self._say(PortMapping.ASKING)
        port = int(inside[0].rpartition("/")[2])
        try:
            self._forwarded = await trio.to_thread.run_sync(
                self._router.forward, port, LEASE_SECONDS, self._forwarded
            )
        except MappingError as error:
            self._forwarded, self._host.forwarded = None, ""
            self._due = trio.current_time() + AGAIN_SECONDS
            await self._say(error.state)
            return
        self._host.forwarded = address_of(self._forwarded.host, self._forwarded.port)
        self._due = trio.current_time() + RENEW_SECONDS
        await self._say(PortMapping.OPEN)

    async def _say(self, state: PortMapping) -> None:
        if state is not self._state:
            self._state = state
            await trio.to_thread.run_sync(self._note, state)


def is_inside(address: str) -> bool:
    """Tell whether an address is one of the local network, which a router can forward to.

    >>> is_inside("/ip4/192.168.1.7/tcp/4001"), is_inside("/ip4/127.0.0.1/tcp/4001")
    (True, False)
    """
    found = where(address)
    if found is None or not address.startswith("/ip4/"):
        return False
    return not ip_address(found[0]).is_loopback
