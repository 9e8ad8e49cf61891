"""Places at relays: where this node is reached that cannot be dialled itself.

A place is asked for, asked for again every minute over the same connection, and looked for anew
when the relay is gone. Only relays that the person named are asked, and contacts where they said
so; what a relay says of itself is not used, so it cannot lead anybody anywhere else.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import trio

from lpm_kernel.domain.share.network import ContactState
from lpm_kernel.peer import circuit
from lpm_kernel.peer.circuit import CIRCUIT, HOP, STOP, RelayRefusedError
from lpm_kernel.peer.host import Host
from lpm_kernel.peer.speaker import Speaker
from lpm_kernel.peer.wire import Connection, Trouble, WireError, relay_of, where
from lpm_kernel.usecases.share.reach import CONTACTS
from protocol.identity import PeerId

logger = logging.getLogger(__name__)

MOST_NAMED: Final = 4
BY_CONTACTS: Final = 2
"""Places that are kept at contacts."""
MOST_ASKED: Final = 16
"""Contacts who are asked for one."""
LOOK_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 10
RENEW_SECONDS: Final = 60
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 600.0


@dataclass(frozen=True)
class RelayAt:
    """A relay, and where it is dialled."""

    peer: PeerId
    address: str
    named: bool
    """By the person; otherwise it is a contact."""

    @property
    def circuit(self) -> str:
        """Where this node is reached through it."""
        return f"{self.address}/p2p/{self.peer}{CIRCUIT}"


def read_relay(address: str) -> RelayAt | None:
    """Read the address of a relay as a person writes it; ``None`` for what is none.

    >>> read_relay("/ip4/192.0.2.7/tcp/4002/p2p/12D3KooWR").circuit
    '/ip4/192.0.2.7/tcp/4002/p2p/12D3KooWR/p2p-circuit'
    >>> read_relay("/ip4/192.0.2.7/tcp/4002")
    """
    bare = address.strip().removesuffix(CIRCUIT)
    peer = relay_of(bare + CIRCUIT)
    if peer is None or where(bare + CIRCUIT) is None:
        return None
    return RelayAt(peer, bare.removesuffix(f"/p2p/{peer}"), named=True)


async def keep_places(
    host: Host, wanted: Callable[[], Sequence[str]], look: float = LOOK_SECONDS
) -> None:
    """Keep a place at every relay of the settings, until cancelled."""
    kept: dict[RelayAt, trio.CancelScope] = {}
    unusable: set[str] = set()
    async with trio.open_nursery() as nursery:
        while True:
            named = wanted()
            _say_unusable(named, unusable)
            chosen = await host.blocking(_chosen, host, named)
            for relay in [each for each in kept if each not in chosen]:
                kept.pop(relay).cancel()
            for relay in chosen:
                if relay not in kept:
                    kept[relay] = trio.CancelScope()
                    nursery.start_soon(_stay, host, relay, kept[relay])
            await trio.sleep(look)


def _say_unusable(named: Sequence[str], before: set[str]) -> None:
    """Say once in the log that a relay of the settings has no address that others could dial. The
    rest are asked all the same.
    """
    now = {each for each in named if each != CONTACTS and read_relay(each) is None}
    if now - before:
        logger.warning(
            "%d relays of the settings have no address that can be used, and are left out.",
            len(now),
        )
    before.clear()
    before.update(now)


def _chosen(host: Host, wanted: Sequence[str]) -> list[RelayAt]:
    """Give the relays that may be asked; those that are no address are left out, since the doctor
    says so.
    """
    read = [read_relay(each) for each in wanted if each != CONTACTS]
    named = [relay for relay in read if relay is not None and relay.peer != host.wire.peer]
    with suppress(Exception):  # looked at again in a moment
        if CONTACTS in wanted:
            return [*named[:MOST_NAMED], *_contacts(host.speaker, {each.peer for each in named})]
    return named[:MOST_NAMED]


def _contacts(speaker: Speaker, named: set[PeerId]) -> list[RelayAt]:
    found: list[RelayAt] = []
    for contact in speaker.contacts.all():
        peer = PeerId(contact.peer)
        if contact.state is ContactState.ACTIVE and peer not in named:
            direct = [
                each for each in speaker.contacts.addresses(contact.id) if relay_of(each) is None
            ]
            at = (RelayAt(peer, each, named=False) for each in direct)
            found += [each for each in at if where(each.circuit) is not None][:1]
    return found[:MOST_ASKED]


async def _stay(host: Host, relay: RelayAt, scope: trio.CancelScope) -> None:
    """Keep a place at one relay, however often it goes. Whoever says no is asked rarely."""
    with scope:
        pause = FIRST_PAUSE
        while True:
            if relay.named or len(host.circuits) < BY_CONTACTS:
                began, refused = trio.current_time(), await _wait_at(host, relay)
                if trio.current_time() - began > RENEW_SECONDS:
                    pause = FIRST_PAUSE
                pause = LONGEST_PAUSE if refused and not relay.named else pause
            await trio.sleep(pause * (1 + random.random() / 4))  # noqa: S311  so that nodes do not come all at once
            pause = min(LONGEST_PAUSE, pause * 2)


async def _wait_at(host: Host, relay: RelayAt) -> bool:
    """Keep a place as long as the connection stands. Returns whether the relay said no."""
    # what waits for a contact who relays is asked over this connection, too
    spoken = host.spoken | {STOP} if await host.is_contact(relay.peer) else {STOP}
    try:
        async with host.wire.dialled(
            relay.address, relay.peer, frozenset(spoken), host.answer
        ) as connection:
            while not connection.over:
                await _ask(connection)
                host.circuits[relay.peer] = relay.circuit
                with trio.move_on_after(RENEW_SECONDS):
                    await connection.ended()
    except (RelayRefusedError, WireError) as error:
        logger.info("A relay keeps no place: %s", error)
        return isinstance(error, RelayRefusedError)
    except Exception as error:  # noqa: BLE001  whatever a relay does, it is asked again later
        logger.info("A relay was lost: %s", type(error).__name__)
    finally:
        host.circuits.pop(relay.peer, None)
    return False


async def _ask(connection: Connection) -> None:
    """Ask for the place, or for it again. Raises ``RelayRefusedError`` and ``WireError``."""
    try:
        with trio.fail_after(ANSWER_SECONDS):
            async with connection.stream(HOP) as stream:
                await circuit.reserve(stream)
                await stream.finish()
    except (trio.TooSlowError, *Trouble) as error:
        raise WireError("It did not answer.") from error
