"""Many who ask at once: each gets its share, who has to wait is told so at once and is answered in
the end, and nothing is lost.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest
import trio

from lpm_kernel.domain.share.network import Amount
from lpm_kernel.peer import host as hosting
from lpm_kernel.peer import pace
from lpm_kernel.peer.delivery import exchanged
from lpm_kernel.peer.speaker import Composed
from lpm_kernel.peer.wire import Connection, Wire
from lpm_kernel.usecases.share import grants, outgoing
from lpm_kernel.usecases.share.people import card_row
from protocol import limits
from protocol.card import Card
from protocol.events import Answered, Asked, Declined
from protocol.identity import Identity, PeerId, peer_of, public_of
from protocol.keystore import Keyring
from protocol.messages import Message, Verb
from protocol.refusals import Code
from protocol.session import Asking, Node
from tests.peers import QUESTION, REPLY, Peer
from tests.protocol.twins import Books

MANY = 40
"""More than are worked on at a time."""
EACH = 4
GREED = 12
"""How many one of them asks at a time."""
TAKES = 0.05


class Slow:
    """Answers after a moment, and counts for how many it does so at a time."""

    def __init__(self) -> None:
        self._now, self._lock = Counter[str](), threading.Lock()
        self.most, self.most_of_one = 0, 0

    def __call__(self, asked: Asked, _now: int) -> Composed:
        with self._lock:
            self._now[asked.message.iss] += 1
            self.most, self.most_of_one = (
                max(self.most, self._now.total()),
                max(self.most_of_one, *self._now.values()),
            )
        time.sleep(TAKES)
        with self._lock:
            self._now[asked.message.iss] -= 1
        return Composed(REPLY)


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def asako(tmp_path: Path, slow: Slow) -> Iterator[Peer]:
    with Peer(tmp_path / "asako", "Asako", slow) as peer:
        peer.speaker.books.pace.rates = {verb: pace.Rate(10**6, 0.001) for verb in pace.RATES}
        yield peer


@dataclass
class Asker:
    """A contact without a home: keys, a grant, and what they lived to see."""

    keys: Keyring
    card: Card
    grant: str
    answered: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    """How long it took to be told so."""
    lost: int = 0

    @classmethod
    def of(cls, asako: Peer, number: int) -> Asker:
        now = asako.speaker.now
        keys = Keyring.make(now)
        peer = peer_of(public_of(Identity(keys.transport_seed).did))
        card = Card.write(
            keys.identity,
            peer=peer,
            box=keys.box.public,
            name=f"Asker {number}",
            verbs=("ask",),
            seq=1,
            exp=now + limits.MESSAGE_LIFE,
        )
        contact = asako.node.ports.contacts.keep(card_row(card), asako.node.ports.clock.now())
        wanted = grants.GrantForm(
            "answers",
            "a visit",
            consent="auto",
            daily=Amount(limits.CALLS_A_DAY, limits.BYTES_A_DAY, limits.TOKENS_A_DAY),
        )
        node = asako.node
        row, _ = grants.give(
            node.ports.permissions,
            node.ports.contacts,
            outgoing.Signing(node.ports.post, asako.keystore, node.ports.clock),
            contact.id,
            wanted,
        )
        return cls(keys, card, row.id)

    async def ask(self, asako: Peer, connection: Connection) -> None:
        """Ask one question until it is answered."""
        now, books = asako.speaker.now, Books()
        message = Message(
            outgoing.new_id(),
            self.keys.identity.did,
            asako.keystore.keys.identity.did,
            now,
            now + 600,
            Verb.ASK,
            QUESTION,
            self.grant,
        )
        while True:
            asking = Asking(
                Node(self.keys, self.card, books, books, books, books, books),
                asako.keystore.card("Asako"),
                message,
            )
            asking.ask()
            began = trio.current_time()
            came = await exchanged(connection, asking.take())
            took = trio.current_time() - began
            match asking.feed(came, now):
                case [Answered()]:
                    self.answered.append(trio.current_time())
                    return
                case [Declined(Code.BUSY)]:
                    self.busy.append(took)
                    await trio.sleep(TAKES)
                case _:
                    self.lost += 1
                    return


def test_each_of_forty_is_answered_and_one_who_asks_for_much_gets_no_more_than_four_at_a_time(
    asako: Peer, slow: Slow
) -> None:
    askers = [Asker.of(asako, number) for number in range(MANY)]
    greedy, *others = askers
    done = trio.Event()

    async def modest(asker: Asker, connection: Connection) -> None:
        for _ in range(EACH):
            await asker.ask(asako, connection)

    async def greed(connection: Connection) -> None:
        while not done.is_set():
            await greedy.ask(asako, connection)

    async def crowd() -> None:
        async with AsyncExitStack() as stack:
            connections = []
            for asker in askers:
                wire = Wire(asker.keys.transport_seed)
                connections.append(
                    await stack.enter_async_context(
                        wire.dialled(asako.address, PeerId(asako.host.wire.peer))
                    )
                )
            async with trio.open_nursery() as nursery:
                for _ in range(GREED):
                    nursery.start_soon(greed, connections[0])
                async with trio.open_nursery() as modesty:
                    for asker, connection in zip(others, connections[1:], strict=True):
                        modesty.start_soon(modest, asker, connection)
                done.set()

    began = time.monotonic()
    trio.run(crowd)
    took = time.monotonic() - began
    assert [asker.lost for asker in askers] == [0] * MANY
    assert [len(asker.answered) for asker in others] == [EACH] * (MANY - 1)
    busy = [each for asker in askers for each in asker.busy]
    assert greedy.busy, "a contact who asks twelve at a time is told to wait"
    assert median(busy) < took / 4, "who is told to wait does not wait for that"
    assert slow.most_of_one <= hosting.AT_ONCE
    assert slow.most <= hosting.AT_ONCE_IN_ALL
    given = {
        row.id: row.spent.calls
        for row in asako.node.ports.permissions.given(None, asako.speaker.now // 86_400)
    }
    assert given == {asker.grant: len(asker.answered) for asker in askers}
    assert Counter(row.state.value for row in asako.node.ports.post.inbox(limit=9_999)[0]) == {
        "answered": sum(given.values())
    }
