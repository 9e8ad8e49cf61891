"""Where contacts find each other whose addresses changed on both sides: each leaves theirs, sealed,
at a server that the person named, and looks there for those whom it does not reach.

Each connection has a key of its own. Always sixteen tags are left and asked for; those that stand
for nobody are chance. So the server does not learn how many contacts there are, unless they are
more.
"""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import trio

from lpm_kernel.domain.share.network import Contact, ContactState, OutboxState
from lpm_kernel.peer.host import Host
from lpm_kernel.peer.rendezvous import MOST_TAGS, leave, look
from lpm_kernel.peer.reservations import RelayAt, read_relay
from lpm_kernel.peer.speaker import Speaker
from lpm_kernel.peer.wire import Wire, where
from protocol.identity import Did, Identity
from protocol.refusals import LocalProtocolError
from protocol.rendezvous import BLOB, DAY, TAG, Pair

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 30.0
LEAVE_SECONDS: Final = 1_800
KEPT_SECONDS: Final = 5_400
SEARCH_SECONDS: Final = 300
HOUR: Final = 3_600
LOOKED_AT: Final = 200
"""Messages of the outbox that are looked through for those who are not reached."""
MOST_CONTACTS: Final = 128
_chance = random.SystemRandom()


@dataclass
class _Visits:
    """When the server was visited last, and what was left there."""

    left_at: float = float("-inf")
    searched_at: float = float("-inf")
    places: tuple[str, ...] = ()


async def visit_meeting_place(
    host: Host, wanted: Callable[[], str], look_seconds: float = LOOK_SECONDS
) -> None:
    """Leave where this node is, and look for whom it does not reach, until cancelled. Nothing is
    done where no server is named.
    """
    visits, failed = _Visits(), 0
    while True:
        server = read_relay(wanted()) if wanted() else None
        if server is not None:
            try:
                await _visit(host, server, visits)
                failed = 0
            except Exception as error:  # noqa: BLE001  tried again, after longer and longer pauses
                logger.info("The meeting place was not reached: %s", type(error).__name__)
                failed += 1
        await trio.sleep(min(look_seconds * 2 ** min(failed, 16), SEARCH_SECONDS))


async def _visit(host: Host, server: RelayAt, visits: _Visits) -> None:
    now, places = trio.current_time(), tuple(host.places)
    if now - visits.left_at >= LEAVE_SECONDS or places != visits.places:
        for some in await host.blocking(_to_leave, host.speaker, places):
            async with Wire(secrets.token_bytes(32)).dialled(server.address, server.peer) as met:
                await leave(met, some, KEPT_SECONDS)
        visits.left_at, visits.places = now, places
    if now - visits.searched_at >= SEARCH_SECONDS:
        missing = await host.blocking(_missing, host.speaker)
        if missing:
            await _search(host, server, missing)
            visits.searched_at = now


def _to_leave(speaker: Speaker, places: Sequence[str]) -> list[dict[bytes, bytes]]:
    """Seal where this node is for every active contact, for today and for the day that is near."""
    identity = speaker.keystore.keys.identity
    left: dict[bytes, bytes] = {}
    usable = [each for each in places if where(each) is not None]
    if len(usable) < len(places):
        logger.info(
            "%d of %d addresses are not left at the meeting place: nobody could dial them.",
            len(places) - len(usable),
            len(places),
        )
    active = [one for one in speaker.contacts.all() if one.state is ContactState.ACTIVE]
    for contact in active[:MOST_CONTACTS]:
        if (pair := pair_with(identity, contact)) is None:
            continue
        for day in sorted({speaker.now // DAY, (speaker.now + HOUR) // DAY}):
            left[pair.tag(day, ours=True)] = _sealed(pair, day, usable)
    return [
        {tag: left.get(tag) or secrets.token_bytes(BLOB) for tag in some}
        for some in _sixteens(list(left))
    ]


def pair_with(identity: Identity, contact: Contact) -> Pair | None:
    """Agree on a key with a contact; ``None`` where none can be agreed on: the others are found all
    the same.
    """
    try:
        return Pair.of(identity, Did(contact.did))
    except ValueError:
        logger.warning("A contact has an identity by which nobody can be found.")
        return None


def _sealed(pair: Pair, day: int, places: Sequence[str]) -> bytes:
    """Seal as many places as fit, the first ones first."""
    for many in range(len(places), 0, -1):
        with suppress(LocalProtocolError):
            return pair.write(day, places[:many])
        logger.info("An address is not left at the meeting place: no more than %d fit.", many - 1)
    return pair.write(day, [])


def _missing(speaker: Speaker) -> list[Contact]:
    """Give the active contacts for whom something waits that did not reach them."""
    waiting = {
        row.contact
        for row in speaker.post.outbox(limit=LOOKED_AT)[0]
        if row.state is OutboxState.WAITING and row.tries and not row.code
    }
    return [
        contact
        for contact in speaker.contacts.all()
        if contact.id in waiting and contact.state is ContactState.ACTIVE
    ][:MOST_CONTACTS]


async def _search(host: Host, server: RelayAt, missing: Sequence[Contact]) -> None:
    wanted = await host.blocking(_wanted, host.speaker, missing)
    found: dict[bytes, bytes] = {}
    for some in _sixteens(list(wanted)):
        async with Wire(secrets.token_bytes(32)).dialled(server.address, server.peer) as met:
            found |= await look(met, some)
    await host.blocking(_learn, host.speaker, wanted, found)


def _wanted(speaker: Speaker, missing: Sequence[Contact]) -> dict[bytes, tuple[Contact, Pair, int]]:
    """Name what they may have left today, or on the day that is just over."""
    wanted: dict[bytes, tuple[Contact, Pair, int]] = {}
    now, identity = speaker.now, speaker.keystore.keys.identity
    for contact in missing:
        if (pair := pair_with(identity, contact)) is None:
            continue
        for day in sorted({now // DAY, (now - HOUR) // DAY}):
            wanted[pair.tag(day, ours=False)] = contact, pair, day
    return wanted


def _learn(
    speaker: Speaker,
    wanted: Mapping[bytes, tuple[Contact, Pair, int]],
    found: Mapping[bytes, bytes],
) -> None:
    """Try those whom something is known of where they are now, and where they were after that."""
    for tag, (contact, pair, day) in wanted.items():
        if tag in found:
            learn_places(speaker, contact, pair.read(day, found[tag]) or ())


def learn_places(speaker: Speaker, contact: Contact, places: Sequence[str]) -> None:
    """Try a contact where they say that they are now, and where they were after that."""
    usable = [each for each in places if where(each) is not None]
    before = speaker.contacts.addresses(contact.id)
    if set(usable) - set(before):
        speaker.contacts.found(contact.id, [*usable, *before])
        speaker.post.hurry(contact.id, speaker.now)


def _sixteens(tags: list[bytes]) -> Iterator[list[bytes]]:
    """Divide tags into sixteens, in an order by chance, and fill up with chance; nothing where
    there is none.
    """
    _chance.shuffle(tags)
    for at in range(0, len(tags), MOST_TAGS):
        some = tags[at : at + MOST_TAGS]
        some += [secrets.token_bytes(TAG) for _ in range(MOST_TAGS - len(some))]
        _chance.shuffle(some)
        yield some
