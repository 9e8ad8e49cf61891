"""A connection to a contact is used by both sides while it is used, and ends when somebody decides
otherwise.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import trio

from lpm_kernel.domain.share.network import ContactState, OutboxState
from lpm_kernel.peer import connections, muxer
from lpm_kernel.peer.speaker import Composed
from lpm_kernel.usecases.share import grants, outgoing, people
from protocol.events import Asked
from protocol.refusals import Code
from tests.peers import REPLY, Peer, Tap, fixed, meet, until


class Slow:
    """Answers once it may."""

    def __init__(self) -> None:
        self.may, self.asked = threading.Event(), threading.Event()

    def __call__(self, _asked: Asked, _now: int) -> Composed:
        self.asked.set()
        assert self.may.wait(30)
        return Composed(REPLY)


@pytest.fixture
def asako(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "asako", "Asako", fixed) as peer:
        yield peer


@pytest.fixture
def bram(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "bram", "Bram", fixed) as peer:
        yield peer


def granted(owner: Peer, asker: Peer) -> str:
    grant = owner.gives(asker)
    until(lambda: [each for each in asker.node.ports.permissions.received() if each.id == grant.id])
    return grant.id


def finds(peer: Peer, other: Peer, *addresses: str) -> None:
    """Let a peer believe that the other listens there, and nowhere else."""
    peer.node.ports.contacts.found(peer.knows(other).id, list(addresses))


def hang_up(*peers: Peer) -> None:
    """End what is open between these, once nothing is under way: it would be dialled for."""
    for peer in peers:
        until(partial(nothing_waits, peer))

    async def leave(peer: Peer, other: Peer) -> None:
        peer.host.connections.leave(other.host.wire.peer, at_once=True)

    one, other = peers
    one.call(leave, one, other)
    until(
        lambda: (
            other.host.wire.peer not in one.host.connections.peers
            and one.host.wire.peer not in other.host.connections.peers
        )
    )


def nothing_waits(peer: Peer) -> bool:
    rows = peer.node.ports.post.outbox(limit=99)[0]
    return all(row.state is not OutboxState.WAITING for row in rows)


def through(tap: Tap) -> str:
    return f"/ip4/127.0.0.1/tcp/{tap.port}"


def test_many_questions_go_over_one_connection(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)
    grant = granted(asako, bram)
    hang_up(bram, asako)
    tap = Tap(asako.port)
    with tap.open():
        finds(bram, asako, through(tap))
        for _ in range(3):
            assert bram.outcome(bram.asks(asako, grant)).receipt == REPLY
        several = [bram.asks(asako, grant) for _ in range(5)]
        assert {bram.outcome(row).state for row in several} == {OutboxState.ANSWERED}
    assert tap.connections == 1


def test_who_was_dialled_asks_over_the_same_connection_long_after_the_last_answer(
    tmp_path: Path, asako: Peer
) -> None:
    slow = Slow()
    with Peer(tmp_path / "chika", "Chika", slow) as chika:
        meet(asako, chika)
        theirs, grant = granted(asako, chika), granted(chika, asako)
        hang_up(chika, asako)
        finds(asako, chika)  # nowhere: she cannot be dialled
        assert chika.outcome(chika.asks(asako, theirs)).receipt == REPLY
        time.sleep(1.2)
        asked = asako.asks(chika, grant)
        until(slow.asked.is_set)
        time.sleep(1.2)
        slow.may.set()
        assert asako.outcome(asked).receipt == REPLY


def test_a_connection_ends_when_nothing_is_asked_for_a_while(tmp_path: Path, asako: Peer) -> None:
    with Peer(tmp_path / "chika", "Chika", idle=0.6) as chika:
        meet(asako, chika)
        grant = granted(asako, chika)
        assert chika.outcome(chika.asks(asako, grant)).receipt == REPLY
        assert chika.host.connections.peers
        until(lambda: not chika.host.connections.peers and not asako.host.connections.peers, 5)
        assert not asako.host._crowd.connections
        assert chika.outcome(chika.asks(asako, grant)).receipt == REPLY


def test_what_breaks_on_an_open_connection_is_dialled_for_at_once(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)
    grant = granted(asako, bram)
    assert bram.outcome(bram.asks(asako, grant)).receipt == REPLY
    asako.stop()
    asako.start()
    answered = bram.outcome(bram.asks(asako, grant), 10)
    assert (answered.receipt, answered.tries) == (REPLY, 1)


def test_a_connection_that_fell_silent_is_found_out(
    asako: Peer, bram: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(connections, "PONG_SECONDS", 0.5)
    meet(asako, bram)
    grant = granted(asako, bram)
    hang_up(bram, asako)
    tap = Tap(asako.port)
    with tap.open():
        finds(bram, asako, through(tap))
        assert bram.outcome(bram.asks(asako, grant)).receipt == REPLY
        assert tap.connections == 1
        tap.deaf = True
        finds(bram, asako, asako.address)
        answered = bram.outcome(bram.asks(asako, grant), 10)
        assert (answered.receipt, answered.tries) == (REPLY, 1)


def test_a_connection_that_falls_silent_while_an_answer_is_waited_for_is_found_out(
    tmp_path: Path, asako: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(muxer, "PING_SECONDS", 0.3)
    monkeypatch.setattr(muxer, "LOST_SECONDS", 2.0)
    slow = Slow()
    with Peer(tmp_path / "chika", "Chika", slow) as chika:
        meet(asako, chika)
        grant = granted(chika, asako)
        hang_up(asako, chika)
        tap = Tap(chika.port)
        with tap.open():
            finds(asako, chika, through(tap))
            asked = asako.asks(chika, grant)
            until(slow.asked.is_set)
            tap.deaf = True
            finds(asako, chika, chika.address)
            slow.may.set()
            answered = asako.outcome(asked, 40)
        assert answered.receipt == REPLY
    assert len(chika.node.ports.post.inbox(limit=9)[0]) == 1


def test_several_may_ask_at_once_whether_somebody_is_there(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)
    grant = granted(asako, bram)
    assert bram.outcome(bram.asks(asako, grant)).receipt == REPLY

    async def ask() -> list[bool]:
        [connection, *_] = bram.host.connections.of(asako.host.wire.peer)
        said: list[bool] = []

        async def one() -> None:
            said.append(await connection.muxer.answers(10.0))

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(one)
        return said

    assert bram.call(ask) == [True, True, True]


def test_who_waits_long_for_an_answer_keeps_the_connection(
    tmp_path: Path, asako: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(muxer, "PING_SECONDS", 0.1)
    slow = Slow()
    with Peer(tmp_path / "chika", "Chika", slow) as chika:
        meet(asako, chika)
        grant = granted(chika, asako)
        hang_up(asako, chika)
        asked = asako.asks(chika, grant)
        until(slow.asked.is_set)
        time.sleep(1.5)
        slow.may.set()
        answered = asako.outcome(asked, 20)
        assert (answered.receipt, answered.tries) == (REPLY, 1)


def test_a_grant_that_is_taken_back_ends_the_connection(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)
    grant = granted(asako, bram)
    assert bram.outcome(bram.asks(asako, grant)).receipt == REPLY
    [before] = bram.host.connections.of(asako.host.wire.peer)
    node = asako.node
    grants.revoke(
        node.ports.permissions,
        node.ports.contacts,
        outgoing.Signing(node.ports.post, asako.keystore, node.ports.clock),
        grant,
    )
    until(lambda: before.over, 5)
    refused = bram.outcome(bram.asks(asako, grant))
    assert (refused.state, refused.code) == (OutboxState.REFUSED, Code.REVOKED)


def test_who_is_blocked_loses_the_connection_in_the_middle_of_an_answer(
    tmp_path: Path, asako: Peer
) -> None:
    slow = Slow()
    with Peer(tmp_path / "chika", "Chika", slow) as chika:
        meet(chika, asako)
        grant = granted(chika, asako)
        asked = asako.asks(chika, grant)
        until(slow.asked.is_set)
        people.block(chika.node.ports.contacts, chika.node.ports.clock, chika.knows(asako).id)
        until(lambda: not chika.host.connections.peers, 5)
        slow.may.set()
        until(lambda: asako.tried(asked))
        assert asako.outcome_now(asked) is OutboxState.WAITING


def test_who_goes_on_under_another_identity_comes_in_anew(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)
    grant = granted(asako, bram)
    assert bram.outcome(bram.asks(asako, grant)).receipt == REPLY
    assert asako.host.connections.peers
    contacts, of_bram = asako.node.ports.contacts, asako.knows(bram)
    time.sleep(1.1)  # the host has looked once
    contacts.move(
        of_bram.id,
        of_bram.state,
        ContactState.CHANGED,
        asako.node.ports.clock.now(),
        of_bram.card,
    )
    until(lambda: not asako.host.connections.peers, 5)


def test_only_so_many_are_kept_and_the_one_used_least_lately_goes(
    tmp_path: Path, asako: Peer, bram: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Peer(tmp_path / "chika", "Chika", fixed) as chika:
        meet(asako, bram)
        meet(chika, bram)
        first, second = granted(asako, bram), granted(chika, bram)
        hang_up(bram, asako)
        hang_up(bram, chika)
        monkeypatch.setattr(connections, "MOST_DIALLED", 1)
        assert bram.outcome(bram.asks(asako, first)).receipt == REPLY
        assert bram.outcome(bram.asks(chika, second)).receipt == REPLY
        until(lambda: bram.host.connections.peers == [chika.host.wire.peer], 5)
