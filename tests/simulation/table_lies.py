"""What those who lie try at tables: to rewrite, to speak for others, to get in. Each is refused
with its code, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from protocol import handing
from protocol.discussion import Entry, Says, Step, Stop, Words
from protocol.ledger import Said
from protocol.messages import Verb
from protocol.refusals import Code, Refusal
from tests.simulation.exchanges import Exchanges
from tests.simulation.member import Member
from tests.simulation.tables import Seat
from tests.simulation.watch import BrokenError

Tried = tuple[Mapping[str, Any], set[Code]]
"""The body of a message, and what it has to be refused with."""


def _news(table: str, *said: Said) -> Mapping[str, Any]:
    return {"news": {"table": table, "entries": handing.hand(said)}}


def _next(liar: Member, seat: Seat, step: Step, words: Words | None = None, **body: object) -> Said:
    """Sign what would come next."""
    more = {} if words is None else {"words": words.hash}
    head = seat.said[-1][0]
    entry = Entry.write(liar.keys.identity, head.table, head.place, head.ts, step, **body, **more)
    return entry, words


def _goes_on(seat: Seat) -> bool:
    return seat.said[-1][0].step not in {Step.CLOSED, Step.STRUCK}


def fork(liar: Member, seat: Seat) -> Tried | None:
    """Say another thing with a number that is taken."""
    if len(seat.said) < 2:
        return None
    at = liar.dice.randrange(1, len(seat.said))
    before, taken = seat.said[at - 1][0], seat.said[at][0]
    entry = Entry.write(
        liar.keys.identity, before.table, before.place, taken.ts + 1, Step.CLOSED, why=Stop.PERSON
    )
    return _news(before.table, (entry, None)), {Code.REPLAY}


def begin_anew(liar: Member, seat: Seat) -> Tried:
    """Give a table that is known another opening."""
    opening, words = seat.said[0]
    fields = {name: each for name, each in opening.fields.items() if name not in _HEAD}
    changed = {**fields, "rounds": fields["rounds"] + 1}
    entry = Entry.write(
        liar.keys.identity, opening.table, None, opening.ts, Step.OPENING, **changed
    )
    return _news(opening.table, (entry, words)), {Code.REPLAY}


_HEAD = {"v", "table", "n", "prev", "iss", "ts", "step"}


def speak_for(liar: Member, seat: Seat) -> Tried | None:
    """Take a turn of somebody else."""
    if not _goes_on(seat):
        return None
    others = [each for each in seat.said[0][0].fields["members"] if each["did"] != liar.did]
    words = Words.write("I agree to everything.", random=liar.random)
    body = {"by": liar.dice.choice(others)["id"], "round": 1, "abstained": False}
    said = _next(liar, seat, Step.TURN, words, **body, on=None, stance=None, quotes=[])
    return _news(said[0].table, said), {Code.SENDER_MISMATCH}


def forge_a_summary(liar: Member, seat: Seat) -> Tried | None:
    """Say that somebody agreed who did not."""
    turns = [
        each for each, _ in seat.said if each.step is Step.TURN and each.fields["stance"] is None
    ]
    if not turns or not _goes_on(seat):
        return None
    turn = liar.dice.choice(turns)
    points = [{"by": turn.fields["by"], "turn": turn.n, "says": Says.AGREED}]
    words = Words.write("", random=liar.random)
    said = _next(liar, seat, Step.SUMMARY, words, points=points, quotes=[])
    return _news(said[0].table, said), {Code.SENDER_MISMATCH}


AS_HOST: tuple[Callable[[Member, Seat], Tried | None], ...] = (
    fork,
    begin_anew,
    speak_for,
    forge_a_summary,
)


def as_stranger(liar: Member, victim: Member) -> Tried | None:
    """Speak about a table of somebody else."""
    names = [name for name, seat in victim.seats.items() if seat.host != liar.did]
    names += [
        name
        for name, hosted in victim.hosted.items()
        if liar.did not in {each.did for each in hosted.guests.values()}
    ]
    if not names:
        return None
    table = liar.dice.choice(names)
    tries: tuple[Mapping[str, Any], ...] = (
        {"news": {"table": table, "entries": []}},
        {"word": {"table": table, "entries": [], "by": "m1", "step": "turn", "round": 1, "n": 2}},
        {"decline": {"table": table}},
    )
    return liar.dice.choice(tries), {Code.NO_GRANT}


def lie_at_table(world: Exchanges, liar: Member, victim: Member) -> None:
    """Try one; raise ``BrokenError`` where it does anything but fail as it has to."""
    mine = [each for each in victim.seats.values() if each.host == liar.did and each.said]
    mine = [each for each in mine if each.state in {"invited", "accepted"}]
    tries: list[tuple[str, Tried | None]] = [
        (what.__name__, what(liar, seat)) for seat in mine for what in AS_HOST
    ]
    tries.append((as_stranger.__name__, as_stranger(liar, victim)))
    possible = [(name, made) for name, made in tries if made is not None]
    if not possible:
        return
    name, (body, codes) = liar.dice.choice(possible)
    before = _records(victim)
    message = liar.message(victim.did, Verb.DISCUSS, dict(body), ts=world.second)
    world.watch.counts[f"lie {name}"] += 1
    try:
        world.tables.take(victim, message)
    except Refusal as refusal:
        if refusal.code not in codes:
            raise BrokenError(f"{name}: {refusal}") from refusal
    else:
        raise BrokenError(f"{name} was taken")
    if before != _records(victim):
        raise BrokenError(f"{name} changed a record")


def _records(member: Member) -> dict[str, list[str]]:
    return {table: [entry.hash for entry, _ in seat.said] for table, seat in member.seats.items()}
