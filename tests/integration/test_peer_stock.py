"""The node and a stock js-libp2p host on the same machine: each asks the other, and ends its
streams as it is used to (docs/adr/0021).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.domain.share.network import Amount, OutboxState
from lpm_kernel.peer.muxer import MOST_STREAMS
from lpm_kernel.peer.speaker import Composed
from lpm_kernel.usecases.share import outgoing
from protocol import limits
from protocol.contact import Invite, make_hello
from protocol.encoding import to_b64u
from protocol.events import Answered
from protocol.messages import Message, Verb
from tests.peers import QUESTION, REPLY, Peer, fixed, meet, until
from tests.stock import Stock, as_one, opened, sealed, stock

ALL_DAY = Amount(limits.CALLS_A_DAY, limits.BYTES_A_DAY, limits.TOKENS_A_DAY)
WIDE = {**QUESTION, "bytes": 1_000_000}
LONG = {
    **REPLY,
    "form": "excerpt",
    "text": "川" * 65_536,
    "cites": [
        {
            "item": to_b64u(bytes([number] * 16)),
            "layer": "L1",
            "kind": "world",
            "at": None,
            "quote": "歩" * 2_000,
        }
        for number in range(64)
    ],
}
"""More than half a mebibyte: libp2p lets a quarter of one come in unread."""


@pytest.fixture
def asako(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "asako", "Asako", fixed) as peer:
        yield peer


@pytest.fixture
def bram(tmp_path: Path) -> Iterator[Peer]:
    """Somebody whose own host does not run unless a test starts it: js-libp2p is their wire."""
    peer = Peer(tmp_path / "bram", "Bram", fixed)
    yield peer
    peer.stop()
    peer.node.close()


@pytest.fixture
def wire(asako: Peer, bram: Peer) -> Iterator[Stock]:
    with stock(bram.keystore.keys.transport_seed, as_one(bram, asako)) as host:
        assert host.peer == bram.host.wire.peer
        yield host


def met(asako: Peer, bram: Peer) -> tuple[str, str]:
    """Make them contacts who may ask each other, by our own wire; gives what Asako lets Bram ask
    under, and what he lets her.
    """
    bram.start()
    meet(asako, bram)
    given, got = asako.gives(bram, daily=ALL_DAY), bram.gives(asako, daily=ALL_DAY)
    until(bram.node.ports.permissions.received)
    until(asako.node.ports.permissions.received)
    bram.stop()
    return given.id, got.id


def moved(asako: Peer, bram: Peer, wire: Stock) -> None:
    """Let Asako know where Bram listens now."""
    asako.node.ports.contacts.found(asako.knows(bram).id, [wire.address])


def asks(bram: Peer, asako: Peer, wire: Stock, grant: str, **more: Any) -> list[Any]:  # noqa: ANN401  how
    """Let Bram ask Asako, several times with the same bytes; gives each answer."""
    question = replace(bram.question(asako, grant), body=WIDE)
    asking, request = sealed(bram, asako.keystore.card("Asako"), question)
    came = wire.ask(asako.address, request, **more)
    first = opened(bram, asking, came[0])
    assert isinstance(first, Answered)
    return [first.body, *came[1:]]


def test_the_node_asks_and_is_answered(asako: Peer, bram: Peer, wire: Stock) -> None:
    _, grant = met(asako, bram)
    moved(asako, bram, wire)
    answered = asako.outcome(asako.asks(bram, grant), 15)
    assert (answered.state, answered.receipt) == (OutboxState.ANSWERED, REPLY)
    assert wire.broke == []


@pytest.mark.parametrize("end", ["after", "first", "never"])
def test_the_node_answers_however_the_other_side_ends_its_half(
    asako: Peer, bram: Peer, wire: Stock, end: str
) -> None:
    grant, _ = met(asako, bram)
    assert asks(bram, asako, wire, grant, end=end) == [REPLY]


def test_streams_that_they_never_end_do_not_end_the_connection(
    asako: Peer, bram: Peer, wire: Stock
) -> None:
    grant, _ = met(asako, bram)
    several = MOST_STREAMS + 8
    asked = asks(bram, asako, wire, grant, end="never", several=several)
    assert len(asked) == several
    assert all(asked)


@pytest.mark.parametrize("end", ["after", "first"])
def test_answers_that_are_longer_than_a_window_come_whole_both_ways(
    asako: Peer, bram: Peer, wire: Stock, end: str
) -> None:
    for peer in (asako, bram):
        object.__setattr__(peer.speaker, "answer", lambda _asked, _now: Composed(LONG))
    grant, theirs = met(asako, bram)
    assert asks(bram, asako, wire, grant, end=end) == [LONG]
    moved(asako, bram, wire)
    assert asako.outcome(asako.asks(bram, theirs, WIDE), 15).receipt == LONG


def test_a_stranger_who_asks_identify_first_is_not_cut_off(
    asako: Peer, bram: Peer, wire: Stock
) -> None:
    invite = Invite.read(asako.invite())
    card, now = bram.keystore.card("Bram"), bram.speaker.now
    hello = Message(
        outgoing.new_id(),
        card.did,
        invite.did,
        now,
        now + 600,
        Verb.HELLO,
        make_hello(invite, card),
    )
    asking, request = sealed(bram, invite, hello)
    [came] = wire.ask(asako.address, request)
    assert isinstance(opened(bram, asking, came), Answered)
    known = asako.knows(bram)
    assert until(lambda: asako.node.ports.contacts.addresses(known.id)) == [wire.address]


def test_the_node_accepts_an_invite(asako: Peer, bram: Peer, wire: Stock) -> None:
    accepted = asako.outcome(asako.accept(bram.invite(wire.address)), 15)
    assert accepted.state is OutboxState.ANSWERED
    assert asako.knows(bram).words == bram.knows(asako).words
