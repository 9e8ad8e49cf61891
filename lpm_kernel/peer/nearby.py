"""How contacts on one local network find each other when an address changed: mDNS, by zeroconf.

Twice a minute a node says a name made by chance, its address, and tags. A contact knows theirs
among them, and that it is for this name, this address and this day; to everybody else it is like
chance. Always sixty tags are said. Each address is said on its own network alone, where each packet
has it in its head anyway. Nobody is asked, and nobody who asks is answered: so nothing is said to
who is elsewhere.

What comes from the network is held against the contacts and forgotten; what it leads to is dialled
as any address: whoever answers there has to prove that it is they.
"""

from __future__ import annotations

import logging
import math
import random
import re
import secrets
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import trio
from zeroconf import (  # type: ignore[attr-defined]  # one of them is in no `__all__`
    DNSPointer,
    RecordUpdate,
    RecordUpdateListener,
    ServiceInfo,
    Zeroconf,
)

from lpm_kernel.domain.share.network import Contact, ContactState
from lpm_kernel.peer.host import Host
from lpm_kernel.peer.meeting_place import HOUR, MOST_CONTACTS, learn_places, pair_with
from lpm_kernel.peer.speaker import Speaker
from lpm_kernel.peer.wire import address_of, where
from protocol.rendezvous import DAY, NEAR, Pair

logger = logging.getLogger(__name__)

SERVICE: Final = "_smp._tcp.local."
LOOK_SECONDS: Final = 2.0
SAY_SECONDS: Final = 30
NAME_SECONDS: Final = 1_800
"""How long a name is said; then another one is made."""
KEPT_SECONDS: Final = 120
"""How long what was said is good for, where it is not said again."""
AGAIN_SECONDS: Final = 60
END_SECONDS: Final = 5
MOST_PLACES: Final = 4
"""What a flood fills of zeroconf's cache, some 90 MB for each, fits the bound of the process."""
MOST_SAID: Final = 64
"""Announcements that wait to be looked at; what comes beyond is not kept."""
LINES, TAGS_OF_A_LINE = 4, 15
MOST_TAGS: Final = LINES * TAGS_OF_A_LINE
_NAME: Final = re.compile(r"[0-9a-f]{32}")
_chance = random.SystemRandom()


@dataclass(frozen=True)
class Announcement:
    """What somebody says: by which name, where, and by which tags they are known."""

    name: str
    place: str
    tags: frozenset[bytes]


def write(name: str, place: str, tags: Sequence[bytes]) -> ServiceInfo:
    """Write an announcement down, filled up with chance. Raises ``ValueError`` for a place that is
    no address of a network.
    """
    found = where(place)
    if found is None or not place.startswith("/ip"):
        raise ValueError("It is no address of a network.")
    filled = [*tags[:MOST_TAGS]]
    filled += [secrets.token_bytes(NEAR) for _ in range(MOST_TAGS - len(filled))]
    _chance.shuffle(filled)
    lines = {
        str(at): b"".join(filled[at * TAGS_OF_A_LINE : (at + 1) * TAGS_OF_A_LINE])
        for at in range(LINES)
    }
    full = f"{name}.{SERVICE}"
    return ServiceInfo(
        SERVICE,
        full,
        found[1],
        properties=lines,
        server=full,  # not the name of the machine
        other_ttl=KEPT_SECONDS,
        host_ttl=KEPT_SECONDS,
        parsed_addresses=[found[0]],
    )


def read(info: ServiceInfo) -> Announcement | None:
    """Read what came from the network; ``None`` for what no node says."""
    name = info.name.lower().removesuffix(f".{SERVICE}")
    hosts, lines = info.parsed_addresses(), info.properties
    if _NAME.fullmatch(name) is None or len(hosts) != 1 or info.port is None:
        return None
    if set(lines) != {str(at).encode() for at in range(LINES)}:
        return None
    if any(line is None or len(line) != TAGS_OF_A_LINE * NEAR for line in lines.values()):
        return None
    place, said = address_of(hosts[0], info.port), b"".join(filter(None, lines.values()))
    if where(place) is None:
        return None
    return Announcement(
        name, place, frozenset(said[at : at + NEAR] for at in range(0, len(said), NEAR))
    )


class Heard:
    """What was heard and is not looked at yet. Threads of zeroconf bring it."""

    def __init__(self) -> None:
        self._said: dict[Announcement, None] = {}
        self._lock = threading.Lock()

    def keep(self, info: ServiceInfo) -> None:
        """Keep what somebody says, where it can be read and there is room."""
        said = read(info)
        with self._lock:
            if said is not None and len(self._said) < MOST_SAID:
                self._said[said] = None

    def take(self) -> list[Announcement]:
        """Give it, and keep nothing."""
        with self._lock:
            said, self._said = self._said, {}
        return list(said)


class Ear(RecordUpdateListener):
    """What is heard on one network, packet by packet."""

    def __init__(self, zeroconf: Zeroconf, heard: Heard) -> None:
        self._zeroconf, self._heard = zeroconf, heard
        self._names: set[str] = set()

    def async_update_records(self, zc: Zeroconf, now: float, records: list[RecordUpdate]) -> None:
        """Note who says that they are there."""
        del zc
        for record in (each.new for each in records):
            if (
                isinstance(record, DNSPointer)
                and record.name.lower() == SERVICE
                and not record.is_expired(now)
                and len(self._names) < MOST_SAID
            ):
                self._names.add(record.alias)

    def async_update_records_complete(self) -> None:
        """Read what else the packet said of them."""
        names, self._names = self._names, set()
        for name in names:
            try:
                info = ServiceInfo(SERVICE, name)
                if info.load_from_cache(self._zeroconf):
                    self._heard.keep(info)
            except Exception as error:  # noqa: BLE001  a stranger says what they like: the next one is read
                logger.debug("What was heard could not be read: %s", type(error).__name__)


class Presence:
    """What is said now, and on which networks."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.places: tuple[str, ...] = ()
        self.until = self.again = math.inf
        self._open: list[tuple[Zeroconf, ServiceInfo]] = []

    def begin(self, records: Sequence[ServiceInfo]) -> bool:
        """Listen on the network of each of these from now on, to say it there, and on no other.
        Returns whether there is any. Blocks.
        """
        self.end()
        for record in records:
            try:
                opened = Zeroconf(interfaces=record.parsed_addresses())
            except OSError as error:
                logger.info("Nothing is said on one network: %s", type(error).__name__)
                continue
            opened.add_listener(Ear(opened, self.heard), None)
            self._open.append((opened, record))
        return bool(self._open)

    def say(self) -> None:
        """Say it, once. What nobody hears again is forgotten."""
        for opened, record in self._open:
            opened.send(opened.generate_service_broadcast(record, None))

    def end(self) -> None:
        """Say nothing more, and listen no more. Blocks."""
        while self._open:
            try:
                self._open.pop()[0].close()
            except Exception as error:  # noqa: BLE001  its thread ends with the process
                logger.info("A network was not left cleanly: %s", type(error).__name__)


async def meet_nearby(
    host: Host, wanted: Callable[[], bool], look_seconds: float = LOOK_SECONDS
) -> None:
    """Say on the local networks where this node is, and learn where contacts are, until cancelled.
    Nothing is said, and nothing listened to, while it is not wanted.
    """
    presence = Presence()
    try:
        while True:
            try:
                await _look(host, presence, wanted=wanted())
            except Exception as error:  # noqa: BLE001  tried again
                logger.info("The local network was not looked at: %s", type(error).__name__)
            await trio.sleep(look_seconds)
    finally:
        with trio.move_on_after(END_SECONDS) as scope:
            scope.shield = True
            await trio.to_thread.run_sync(presence.end, abandon_on_cancel=True)  # type: ignore[call-arg]  # the stubs are of an older trio


async def _look(host: Host, presence: Presence, *, wanted: bool) -> None:
    places = tuple(host.direct)[:MOST_PLACES] if wanted else ()
    now = trio.current_time()
    if places != presence.places or now >= presence.until:
        presence.places, presence.until = places, now + AGAIN_SECONDS if places else math.inf
        records = await host.blocking(_records, host.speaker, places)
        if await trio.to_thread.run_sync(presence.begin, records):
            presence.until = now + NAME_SECONDS
        presence.again = now
    if now >= presence.again:
        presence.say()
        presence.again = now + SAY_SECONDS
    if said := presence.heard.take():
        await host.blocking(_learn, host.speaker, said)


def _records(speaker: Speaker, places: Sequence[str]) -> list[ServiceInfo]:
    """Write down where this node is, for its contacts: each place under a name of its own."""
    day, pairs = speaker.now // DAY, _pairs(speaker)[:MOST_TAGS] if places else []
    records = []
    for place in places:
        name = secrets.token_hex(16)
        tags = [pair.near(day, name, place, ours=True) for _, pair in pairs]
        with suppress(ValueError):
            records.append(write(name, place, tags))
    return records


def _pairs(speaker: Speaker) -> list[tuple[Contact, Pair]]:
    identity = speaker.keystore.keys.identity
    active = [one for one in speaker.contacts.all() if one.state is ContactState.ACTIVE]
    return [
        (contact, pair)
        for contact in active[:MOST_CONTACTS]
        if (pair := pair_with(identity, contact)) is not None
    ]


def _learn(speaker: Speaker, heard: Sequence[Announcement]) -> None:
    """Try the contacts who are among those that were heard where they say that they are. Clocks may
    differ by an hour.
    """
    days = sorted({(speaker.now + by) // DAY for by in (-HOUR, 0, HOUR)})
    for contact, pair in _pairs(speaker):
        places = [
            one.place
            for one in heard
            if any(pair.near(day, one.name, one.place, ours=False) in one.tags for day in days)
        ]
        if places:
            learn_places(speaker, contact, places)
