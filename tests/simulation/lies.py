"""What those who lie try, and what it may come to: a refusal, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from protocol import limits
from protocol.contact import make_hello
from protocol.encoding import frame
from protocol.envelope import Signed, seal
from protocol.events import Event, Refused
from protocol.identity import Kind
from protocol.messages import Message, Verb
from protocol.refusals import Code
from tests.simulation.exchanges import Exchanges
from tests.simulation.member import Member
from tests.simulation.watch import BrokenError

ALWAYS = {Code.BUSY}
"""May come instead: too much at once."""
QUESTION: Mapping[str, object] = {
    "question": "canary: where is it kept?",
    "purpose": "planning",
    "bytes": 2_000,
    "tokens": 50,
}

Lie = Callable[[Exchanges, Member, Member], tuple[bytes, set[Code]] | None]


def sealed(liar: Member, victim: Member, message: Message) -> bytes:
    """Seal a message that need not be the liar's own, signed with the liar's key."""
    json = message.json()
    signed = Signed(json, liar.keys.identity.sign(Kind.MESSAGE, json))
    return frame(seal(signed, victim.card.box, limits.REQUEST, liar.random))


def _plain(world: Exchanges, liar: Member, victim: Member, grant: str) -> Message:
    return liar.message(victim.did, Verb.ASK, dict(QUESTION), grant, ts=world.second)


def _granted(liar: Member, victim: Member) -> str | None:
    """Name a grant that the victim gave the liar, which stands."""
    return next(
        (
            row.grant.id
            for row in victim.books.grants.values()
            if row.grant.aud == liar.did and not row.revoked
        ),
        None,
    )


def in_anothers_name(
    world: Exchanges, liar: Member, victim: Member
) -> tuple[bytes, set[Code]] | None:
    """Sign for somebody else."""
    other = liar.dice.choice(list(world.members.values()))
    if other in (liar, victim):
        return None
    message = replace(_plain(world, liar, victim, liar.id()), iss=other.did)
    return sealed(liar, victim, message), {Code.SENDER_MISMATCH, Code.BAD_SIGNATURE}


def captured(world: Exchanges, liar: Member, victim: Member) -> tuple[bytes, set[Code]] | None:
    """Send on what somebody else sent."""
    others = [data for by, data in world.captured.get(victim.did, ()) if by != liar.did]
    if not others:
        return None
    return (
        liar.dice.choice(others),
        {Code.SENDER_MISMATCH, Code.BAD_SIGNATURE, Code.EXPIRED},
    )


def the_same_id(world: Exchanges, liar: Member, victim: Member) -> tuple[bytes, set[Code]] | None:
    """Use an id again, for another question."""
    mine = [name for name in victim.books.seen if name[0] == liar.did]
    if not mine:
        return None
    message = replace(_plain(world, liar, victim, liar.id()), id=liar.dice.choice(mine)[1])
    return sealed(liar, victim, message), {Code.REPLAY}


def under_anothers_grant(
    world: Exchanges, liar: Member, victim: Member
) -> tuple[bytes, set[Code]] | None:
    """Name a grant that the victim gave to somebody else."""
    others = [row.grant.id for row in victim.books.grants.values() if row.grant.aud != liar.did]
    if not others:
        return None
    return (
        sealed(liar, victim, _plain(world, liar, victim, liar.dice.choice(others))),
        {Code.NO_GRANT},
    )


def beyond_the_day(
    world: Exchanges, liar: Member, victim: Member
) -> tuple[bytes, set[Code]] | None:
    """Ask for more than a day allows."""
    grant = _granted(liar, victim)
    if grant is None:
        return None
    message = _plain(world, liar, victim, grant)
    body = {**message.body, "bytes": limits.BODY}
    return (
        sealed(liar, victim, replace(message, body=body)),
        {Code.OVER_BUDGET, Code.GRANT_EXPIRED, Code.OUT_OF_SCOPE},
    )


def for_another_purpose(
    world: Exchanges, liar: Member, victim: Member
) -> tuple[bytes, set[Code]] | None:
    """Say another purpose than was granted."""
    grant = _granted(liar, victim)
    if grant is None:
        return None
    message = _plain(world, liar, victim, grant)
    body = {**message.body, "purpose": "advertising"}
    return (
        sealed(liar, victim, replace(message, body=body)),
        {Code.OUT_OF_SCOPE, Code.GRANT_EXPIRED},
    )


def taken_back(world: Exchanges, liar: Member, victim: Member) -> tuple[bytes, set[Code]] | None:
    """Ask under a grant that ended."""
    ended = [
        row.grant.id
        for row in victim.books.grants.values()
        if row.grant.aud == liar.did and row.revoked
    ]
    if not ended:
        return None
    return (
        sealed(liar, victim, _plain(world, liar, victim, liar.dice.choice(ended))),
        {Code.REVOKED},
    )


def too_late(world: Exchanges, liar: Member, victim: Member) -> tuple[bytes, set[Code]] | None:
    """Send what is over, or has not begun."""
    at = world.second + liar.dice.choice((-limits.DAY, limits.DAY))
    message = replace(_plain(world, liar, victim, liar.id()), ts=at, exp=at + limits.MINUTE)
    return sealed(liar, victim, message), {Code.EXPIRED, Code.FROM_FUTURE}


def fetch_anothers_offer(
    world: Exchanges, liar: Member, victim: Member
) -> tuple[bytes, set[Code]] | None:
    """Fetch what was offered to somebody else."""
    others = sorted(each for each in victim.books.offers if each[2] != liar.did)
    if not others:
        return None
    offer, item, _ = liar.dice.choice(others)
    body = {"item": item, "purpose": "planning", "bytes": 2_000, "start": 0, "offer": offer}
    message = liar.message(victim.did, Verb.FETCH, body, ts=world.second)
    return sealed(liar, victim, message), {Code.OUT_OF_SCOPE}


def an_old_card(world: Exchanges, liar: Member, victim: Member) -> tuple[bytes, set[Code]] | None:
    """Show a card that gave way to a newer one."""
    known = victim.contact(liar.did)
    if known is None or known.card.seq < 2:
        return None
    body: dict[str, object] = {"card": liar.new_card(1).text}
    message = liar.message(victim.did, Verb.CARD, body, ts=world.second)
    return sealed(liar, victim, message), {Code.REPLAY}


def a_used_invite(world: Exchanges, liar: Member, victim: Member) -> tuple[bytes, set[Code]] | None:
    """Say hello with an invite by which somebody came already."""
    used = world.used.get(victim.did)
    if not used:
        return None
    hello = make_hello(liar.dice.choice(used), liar.card, liar.random)
    message = liar.message(victim.did, Verb.HELLO, dict(hello), ts=world.second)
    return sealed(liar, victim, message), {Code.NO_GRANT}


def noise(world: Exchanges, liar: Member, victim: Member) -> tuple[bytes, set[Code]] | None:
    """Send bytes that are nothing."""
    data = sealed(liar, victim, _plain(world, liar, victim, liar.id()))
    at = liar.dice.randrange(3, len(data))
    broken = data[:at] + bytes([data[at] ^ 1 << liar.dice.randrange(8)]) + data[at + 1 :]
    return broken, {
        Code.MALFORMED,
        Code.UNSUPPORTED_VERSION,
        Code.UNKNOWN_KEY,
        Code.DECRYPT_FAILED,
    }


LIES: tuple[Lie, ...] = (
    in_anothers_name,
    captured,
    the_same_id,
    under_anothers_grant,
    beyond_the_day,
    for_another_purpose,
    taken_back,
    too_late,
    fetch_anothers_offer,
    an_old_card,
    a_used_invite,
    noise,
)


def lie(world: Exchanges, liar: Member, victim: Member) -> None:
    """Try one; raise ``BrokenError`` where it does anything but fail as it has to."""
    if not victim.up:
        return
    tries = ((each, each(world, liar, victim)) for each in liar.dice.sample(LIES, len(LIES)))
    what, made = next((what, made) for what, made in tries if made is not None)
    data, codes = made
    world.watch.counts[f"lie {what.__name__}"] += 1

    def look(events: list[Event]) -> None:
        for event in events:
            fits = isinstance(event, Refused) and event.code in codes | ALWAYS
            if not fits:
                raise BrokenError(f"{what.__name__}: {event}")

    look(world.arrive(liar, victim, data, lambda _: None))
