"""Whether other nodes can reach this one: what the person chose, what stands in the way, and where
the host listens.

The host is a process of its own. It holds the lock ``peer`` while it lives and writes down where it
listens; everybody else reads that.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Final

from lpm_kernel.config import Home, Settings
from lpm_kernel.domain.share.network import MOST_ADDRESSES
from lpm_kernel.errors import UnavailableError
from lpm_kernel.usecases.processes import running
from lpm_kernel.usecases.settings import LiveSettings

WHERE: Final = "peer.json"
TAKEN, REFUSED, HELD = 3, 4, 5
"""How a host ends that cannot begin: the port is somebody's, the keys do not open, another host of
this home runs.
"""
PATIENCE: Final = 20.0
"""Seconds that a host may take to begin."""
LOOK_EVERY: Final = 0.1


CIRCUIT: Final = "/p2p-circuit"
"""How an address ends that goes through a relay."""
CONTACTS: Final = "contacts"
"""What stands among the relays of the settings for every contact who allows it."""
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104  chosen by the person
ALONE: Final = "127.0.0.1"


_writing = threading.Lock()


class HostState(StrEnum):
    """How it stands with the host."""

    OFF = "off"
    """Nothing listens, as the person left it."""
    LISTENING = "listening"
    STARTING = "starting"
    STOPPED = "stopped"
    """It is switched on, and the node that would keep it does not run."""
    LOCKED = "locked"
    """The keys wait for their passphrase."""
    MISSING = "missing"
    """What speaks to other nodes is not installed."""


class PortMapping(StrEnum):
    """How it stands with the port that the router is asked to forward."""

    OFF = "off"
    ASKING = "asking"
    OPEN = "open"
    """The router forwards it; its address is among those where this node is reached."""
    NO_ROUTER = "no_router"
    """No router answered that forwards ports."""
    REFUSED = "refused"
    NOT_PUBLIC = "not_public"
    """The router has no address that somebody from outside can dial: it is behind another one."""
    ALONE = "alone"
    """This node listens on this machine alone, so there is nothing to forward."""


@dataclass(frozen=True)
class RelayPlace:
    """A relay through which contacts reach this node, or shall. It sees their peer ids and this
    node's, from where they come, when, and how many bytes pass; never a word.
    """

    address: str
    kept: bool
    """The relay keeps a place now."""
    contact: bool = False
    """It is a contact; otherwise the person named it."""


@dataclass(frozen=True)
class Reach:
    """Whether and where others reach this node."""

    on: bool
    """The person wants it."""
    everywhere: bool
    """On every interface, not on this machine alone."""
    state: HostState
    addresses: tuple[str, ...] = ()
    locked: bool = False
    """The keys wait for their passphrase here, whoever listens."""
    relays: tuple[RelayPlace, ...] = ()
    relays_for_contacts: bool = False
    """Contacts are reached by other contacts through this node."""
    find_on_network: bool = False
    """Contacts on the local network find this node, and it finds them."""
    rendezvous: str = ""
    """The server at which contacts find this node when both moved; nothing where there is none."""
    map_port: bool = False
    """The router is asked to forward the port."""
    port_mapping: PortMapping = PortMapping.OFF


def reach(home: Home, settings: Settings, *, opened: bool = False) -> Reach:
    """Say how it stands; ``opened``: the passphrase of the keys was given to the node that runs."""
    # here, so that the supervisor does not load the protocol
    from lpm_kernel.usecases.share.keys import protection

    found, locked = listening(home), not opened and protection(home.keys) == "passphrase"
    state = HostState.LISTENING if found else _waits_for(home, settings, locked=locked)
    return Reach(
        settings.peers,
        not is_loopback(settings.peers_host),
        state,
        tuple(found),
        locked,
        relay_places(settings, found),
        settings.relay_for_contacts,
        settings.find_on_network,
        settings.rendezvous,
        settings.map_port,
        _mapping(home) if found else PortMapping.OFF,
    )


def relay_places(settings: Settings, found: Sequence[str]) -> tuple[RelayPlace, ...]:
    """Name the relays that the person wants, and those contacts at whom a place is kept.

    >>> settings = Settings(relays=("/ip4/192.0.2.1/tcp/1/p2p/R", "contacts"))
    >>> for place in relay_places(settings, ["/ip4/192.0.2.2/tcp/1/p2p/C/p2p-circuit"]):
    ...     print(place.address, place.kept, place.contact)
    /ip4/192.0.2.1/tcp/1/p2p/R False False
    /ip4/192.0.2.2/tcp/1/p2p/C True True
    """
    kept = [each.removesuffix(CIRCUIT) for each in found if each.endswith(CIRCUIT)]
    named = [each for each in settings.relays if each != CONTACTS]
    return (
        *(RelayPlace(each, each in kept) for each in named),
        *(RelayPlace(each, kept=True, contact=True) for each in kept if each not in named),
    )


def _waits_for(home: Home, settings: Settings, *, locked: bool) -> HostState:
    if not settings.peers:
        return HostState.OFF
    if find_spec("libp2p") is None:
        return HostState.MISSING
    if locked:
        return HostState.LOCKED
    return (
        HostState.STARTING
        if home.run.exists() and "node" in dict(running(home))
        else HostState.STOPPED
    )


def begun(
    home: Home, settings: Settings, patience: float = PATIENCE, *, opened: bool = False
) -> Reach:
    """Say how it stands once the host has begun, where one is about to."""
    until = time.monotonic() + patience
    while (
        now := reach(home, settings, opened=opened)
    ).state is HostState.STARTING and time.monotonic() < until:
        time.sleep(LOOK_EVERY)
    return now


def listening(home: Home) -> list[str]:
    """Return where a running host of this home listens; nothing while none does."""
    if not home.run.exists() or "peer" not in dict(running(home)):
        return []
    known = _known(home)
    found = known.get("addresses")
    return (
        [str(each) for each in found]
        if isinstance(found, list) and known.get("home") == str(home.root.resolve())
        else []
    )


def addresses(home: Home) -> list[str]:
    """Return where the running host of this home listens. Raises ``UnavailableError`` while none
    runs.
    """
    if found := listening(home):
        return found
    raise UnavailableError(
        "Other nodes cannot reach this one: it is not listening.",
        "Start listening with `lpm peer run`, or give an address yourself.",
    )


def last_port(home: Home) -> int | None:
    """Return the port that the last host of this home listened on: its contacts know it."""
    found = _known(home).get("port")
    return found if isinstance(found, int) else None


def told(home: Home) -> set[str]:
    """Return where contacts were told that this node is reached, when they were told last."""
    said, here = _known(home), str(home.root.resolve())
    known = said.get("told") if said.get("home") == here else None
    return {str(each) for each in known} if isinstance(known, list) else set()


def write(
    home: Home, found: Sequence[str], port: int, fresh_told: Sequence[str] | None = None
) -> None:
    """Note where the host listens, and, where contacts are being told that, what."""
    with _writing:
        said = sorted(told(home)) if fresh_told is None else list(fresh_told)
        here = {"addresses": list(found), "port": port, "home": str(home.root.resolve())}
        _put(home, {**here, "told": said, "mapping": _mapping(home).value})


def note_mapping(home: Home, state: PortMapping) -> None:
    """Note how it stands with the port that the router is asked to forward."""
    with _writing:
        _put(home, {**_known(home), "mapping": state.value})


def _mapping(home: Home) -> PortMapping:
    try:
        return PortMapping(str(_known(home).get("mapping", "")))
    except ValueError:
        return PortMapping.OFF


def _put(home: Home, known: dict[str, object]) -> None:
    fresh = home.run / f"{WHERE}.new"
    fresh.write_text(json.dumps(known), "utf-8")
    fresh.replace(home.run / WHERE)


def forget(home: Home) -> None:
    """Note that a host is about to begin: where the one before it listened says nothing any more,
    but for the port.
    """
    if (port := last_port(home)) is not None:
        write(home, [], port)
        note_mapping(home, PortMapping.OFF)


def is_loopback(host: str) -> bool:
    """Tell whether what listens there is reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0"), is_loopback("localhost")
    (True, False, True)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _known(home: Home) -> dict[str, object]:
    try:
        known = json.loads((home.run / WHERE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def switch(
    settings: LiveSettings,
    *,
    on: bool,
    everywhere: bool | None = None,
    relays_for_contacts: bool | None = None,
    find_on_network: bool | None = None,
    map_port: bool | None = None,
) -> None:
    """Let others reach this node from now on, or nobody; ``everywhere``: on every interface, or on
    this machine alone; ``relays_for_contacts``: contacts reach each other through it;
    ``find_on_network``: on the local network they find it, and it them; ``map_port``: the router is
    asked to forward the port. The supervisor does the first two, the host the others.
    """
    wanted: dict[str, object] = {"peers": on}
    if map_port is not None:
        wanted["map_port"] = map_port
    if find_on_network is not None:
        wanted["find_on_network"] = find_on_network
    if relays_for_contacts is not None:
        wanted["relay_for_contacts"] = relays_for_contacts
    if everywhere is not None:
        wanted["peers_host"] = EVERYWHERE if everywhere else ALONE
    if any(getattr(settings.now, name) != value for name, value in wanted.items()):
        settings.change(**wanted)


def places(home: Home, settings: LiveSettings, *, opened: bool) -> list[str]:
    """Return where others reach this node, and have the host started for it; nothing where no node
    runs that would start it.

    Raises ``UnavailableError`` while it is still being started.
    """
    switch(settings, on=True)
    now = begun(home, settings.now, opened=opened)
    if now.state is HostState.STARTING:
        raise UnavailableError(
            "The node is still starting to listen for your contacts.",
            "Try again in a moment; `lpm doctor` shows how it is going.",
        )
    return list(now.addresses[:MOST_ADDRESSES])
