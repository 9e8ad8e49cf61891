"""What sealing, checking and writing down cost: our request and answer beside a bare one of libp2p,
in the same run, in turns.

Each side is a process of its own. Bare: hosts of libp2p with Noise and yamux, its own
``RequestResponse``, and as many bytes as our envelopes have. Ours: all of it, from the message that
is put into the outbox to the answer that is noted there, with what each promises on disk. One
stream a request, one connection a contact that stays open, and as many in flight.

Beside other work the ratio by the clock says little; the one by the processor holds.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from lpm_kernel.backends.store.commits import Commits
from lpm_kernel.domain.share.network import Amount, OutboxState
from lpm_kernel.peer import delivery, host, pace
from lpm_kernel.peer.deciding import RequestTurn, work
from lpm_kernel.peer.delivery import Target
from protocol import limits
from protocol.card import Card
from protocol.envelope import seal, sign
from protocol.identity import PeerId
from protocol.messages import Message, Verb
from tests.peers import REPLY, Peer, fixed, meet, until

ROOT = Path(__file__).parents[2]
BLOCK, ROUNDS = (
    int(os.environ.get("LPM_BENCH_BLOCK", "64")),
    int(os.environ.get("LPM_BENCH_ROUNDS", "9")),
)
OURS = """
import sys
from pathlib import Path
from lpm_kernel.config import Home
from lpm_kernel.peer import pace, process
from tests.peers import fixed
pace.RATES = {verb: pace.Rate(10**6, 0.001) for verb in pace.RATES}
process.listen(Home(Path(sys.argv[1])), "127.0.0.1", 0, fixed)
"""
BARE = """
import sys, trio
from tests.bench import bare
trio.run(getattr(bare, sys.argv[1]), *sys.argv[2:])
"""
FLOOD = """
import sys, trio
from tests.bench import flood
trio.run(flood.push, *sys.argv[1:])
"""
ALL_DAY = Amount(limits.CALLS_A_DAY, limits.BYTES_A_DAY, limits.TOKENS_A_DAY)
Ask = Callable[[], Awaitable[None]]


class Process:
    """A program that speaks in lines of JSON, until the block ends."""

    def __init__(self, stack: ExitStack, program: str, *arguments: object) -> None:
        command = [sys.executable, "-c", program, *map(str, arguments)]
        self._child = stack.enter_context(
            subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        )
        stack.callback(self._end)
        self.itself = psutil.Process(self._child.pid)

    def told(self, line: str) -> Any:  # noqa: ANN401  JSON
        """Tell it something, and wait for what it says."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(f"{line}\n")
        self._child.stdin.flush()
        return json.loads(self._child.stdout.readline())

    def _end(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait(30)


@dataclass(frozen=True)
class Took:
    """Seconds for one request and its answer."""

    clock: float
    cpu: float
    """Of both sides together."""


def cpu(processes: list[psutil.Process]) -> float:
    return sum(each.cpu_times().user + each.cpu_times().system for each in processes)


class Bare:
    """Hosts of libp2p: one that answers, and one for each connection that asks."""

    def __init__(self, stack: ExitStack, request: int, answer: int, connections: int) -> None:
        answering = Process(stack, BARE, "answer", answer)
        address = answering.told("")["address"]
        self._asking = Process(stack, BARE, "ask", address, request, connections)
        self._asking.told("0 1")
        self._processes = [answering.itself, self._asking.itself]

    async def take(self, in_flight: int) -> Took:
        """Ask a block of requests."""
        spent, began = cpu(self._processes), time.perf_counter()
        await trio.to_thread.run_sync(self._asking.told, f"{BLOCK} {in_flight}")
        return Took((time.perf_counter() - began) / BLOCK, (cpu(self._processes) - spent) / BLOCK)


class Ours:
    """A node that answers, and contacts of it that ask, each with a grant and over one
    connection.
    """

    def __init__(self, stack: ExitStack, folder: Path, contacts: int) -> None:
        self.asako = Peer(folder / "asako", "Second Me")
        stack.callback(self.asako.node.close)
        answering = Process(stack, OURS, self.asako.node.ports.home.root)
        self.asako.port = answering.told("")["port"]
        self.contacts = [self._acquainted(stack, folder, number) for number in range(contacts)]
        self._asks: list[Ask] = []
        self.processes = [answering.itself, psutil.Process()]

    def _acquainted(self, stack: ExitStack, folder: Path, number: int) -> tuple[Peer, str]:
        bram = Peer(folder / f"bram{number}", f"Bram {number}")
        stack.callback(bram.node.close)
        bram.start()
        meet(self.asako, bram)
        grant = self.asako.gives(bram, daily=ALL_DAY)
        until(bram.node.ports.permissions.received)
        bram.stop()
        return bram, grant.id

    def sizes(self) -> tuple[int, int]:
        """Give the bytes of the envelopes: of a question, and of its answer."""
        (bram, grant), keys = self.contacts[0], self.asako.keystore.keys
        question = bram.question(self.asako, grant)
        answer = Message(
            question.id,
            keys.identity.did,
            question.iss,
            question.ts,
            question.exp,
            Verb.ASK,
            REPLY,
            re=question.id,
        )
        to, back = self.asako.keystore.card(self.asako.name).box, bram.keystore.card(bram.name).box
        return len(seal(sign(question, bram.keystore.keys.identity), to, limits.REQUEST)), len(
            seal(sign(answer, keys.identity), back, limits.ANSWER)
        )

    async def connect(self, nursery: trio.Nursery) -> None:
        """Open the connections, which stay."""
        for bram, grant in self.contacts:
            target = self.target(bram)
            await delivery.connect(bram.host, target, self.asako.address, nursery)
            self._asks.append(partial(self._ask, bram, grant, target))

    def target(self, bram: Peer) -> Target:
        """Give who is asked."""
        known = bram.knows(self.asako)
        return Target(PeerId(known.peer), Card.read_kept(known.card), [self.asako.address], known)

    async def _ask(self, bram: Peer, grant: str, target: Target) -> None:
        row = await bram.host.blocking(bram.asks, self.asako, grant)
        connection = await bram.host.connections.usable(target.peer)
        assert connection is not None
        assert await delivery._ask(bram.host, connection, target, row)

    async def ask_anew(self, nursery: trio.Nursery) -> None:
        """Ask once over a connection that was not there before, and end it."""
        bram, grant = self.contacts[0]
        target = self.target(bram)
        row = await bram.host.blocking(bram.asks, self.asako, grant)
        connection = await delivery.connect(bram.host, target, self.asako.address, nursery)
        assert await delivery._ask(bram.host, connection, target, row)
        connection.cut()

    async def take(self, in_flight: int) -> Took:
        """Ask a block of questions."""
        spent, began = cpu(self.processes), time.perf_counter()
        async with trio.open_nursery() as nursery:
            for number in range(in_flight):
                nursery.start_soon(
                    self._work, self._asks[number % len(self._asks)], BLOCK // in_flight
                )
        return Took((time.perf_counter() - began) / BLOCK, (cpu(self.processes) - spent) / BLOCK)

    async def _work(self, ask: Ask, times: int) -> None:
        for _ in range(times):
            await ask()

    def check(self) -> None:
        """Every question has its answer, at both ends, and was paid for once."""
        asked = [
            row
            for bram, _ in self.contacts
            for row in bram.node.ports.post.outbox(limit=10_000, verb="ask")[0]
        ]
        assert {row.state for row in asked} == {OutboxState.ANSWERED}
        given = self.asako.node.ports.permissions.given(None, self.asako.speaker.now // 86_400)
        assert sum(each.spent.calls for each in given) == len(asked)


@pytest.mark.parametrize("in_flight", [1, 8, 32])
def test_what_a_sealed_answer_costs_beside_a_bare_one(
    in_flight: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contacts = -(-in_flight // host.AT_ONCE)
    with ExitStack() as stack:
        ours = Ours(stack, tmp_path, contacts)
        request, answer = ours.sizes()
        bare = Bare(stack, request, answer, contacts)
        pairs = trio.run(measured, bare, ours, in_flight)
        ours.check()
    medians = [
        [statistics.median(getattr(pair[arm], name) for pair in pairs) for name in ("clock", "cpu")]
        for arm in (0, 1)
    ]
    (bare_clock, bare_cpu), (our_clock, our_cpu) = medians
    by_clock = statistics.median(one.clock / other.clock for one, other in pairs)
    by_cpu = statistics.median(one.cpu / other.cpu for one, other in pairs)
    with capsys.disabled():
        print(
            f"\n{in_flight} in flight, envelopes of {request} and {answer} bytes, load"
            f" {psutil.getloadavg()[0]:.1f}: bare {1 / bare_clock:.0f} a second"
            f" ({1_000 * bare_cpu:.1f} ms of the processor each), ours {1 / our_clock:.0f}"
            f" ({1_000 * our_cpu:.1f} ms). Ours / bare, median of {len(pairs)} pairs:"
            f" {by_clock:.2f} by the clock, {by_cpu:.2f} by the processor"
        )


async def measured(bare: Bare, ours: Ours, in_flight: int) -> list[tuple[Took, Took]]:
    """Take turns; the first pair warms up and is not counted."""
    async with trio.open_nursery() as nursery:
        await ours.connect(nursery)
        pairs = [
            (await bare.take(in_flight), await ours.take(in_flight)) for _ in range(ROUNDS + 1)
        ]
        nursery.cancel_scope.cancel()
    return pairs[1:]


@pytest.mark.parametrize("disk", ["commits on disk", "commits that wait for no disk"])
def test_what_seals_and_books_cost_without_a_wire(
    disk: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same exchange with nothing between the two nodes, in one thread: what no wire can be
    cheaper than.
    """
    monkeypatch.setattr(pace, "RATES", dict.fromkeys(pace.RATES, pace.Rate(10**6, 0.001)))
    if disk != "commits on disk":
        monkeypatch.setattr(Commits, "wait", lambda *_: None)
    with ExitStack() as stack:
        ours = Ours(stack, tmp_path, 1)
        (bram, grant), speaker = ours.contacts[0], replace(ours.asako.speaker, answer=fixed)
        for node in (bram.node, ours.asako.node):  # as the process that listens does
            stack.enter_context(node.ports.audit.noting_apart())
        target, itself = ours.target(bram), psutil.Process()
        peer = bram.host.wire.peer

        def exchange() -> None:
            row = bram.asks(ours.asako, grant)
            begun = delivery._begin(bram.speaker, target.to, row, target.contact)
            assert begun is not None
            asking, message, data = begun
            turn = RequestTurn(speaker, peer, full=False, behind=lambda: b"")
            assert work(turn, data, stranger=False)
            assert delivery._ended(bram.speaker, target, row, message, asking, turn.out)

        took = []
        for _ in range(ROUNDS + 1):
            spent, began = cpu([itself]), time.perf_counter()
            for _ in range(BLOCK):
                exchange()
            clock = (time.perf_counter() - began) / BLOCK
            took.append(Took(clock, (cpu([itself]) - spent) / BLOCK))
        ours.check()
    with capsys.disabled():
        print(
            f"\n{disk}, no wire, one thread, load {psutil.getloadavg()[0]:.1f}:"
            f" {1_000 * statistics.median(each.clock for each in took[1:]):.2f} ms by the clock,"
            f" {1_000 * statistics.median(each.cpu for each in took[1:]):.2f} by the processor"
        )


def test_what_a_connection_saves_that_is_open_already(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    times = max(4, BLOCK // 8)

    async def anew(ours: Ours, nursery: trio.Nursery) -> Took:
        spent, began = cpu(ours.processes), time.perf_counter()
        for _ in range(times):
            await ours.ask_anew(nursery)
        return Took((time.perf_counter() - began) / times, (cpu(ours.processes) - spent) / times)

    async def compared(ours: Ours) -> list[tuple[Took, Took]]:
        async with trio.open_nursery() as nursery:
            pairs = []
            for _ in range(ROUNDS + 1):
                dialled = await anew(ours, nursery)
                async with trio.open_nursery() as open_ones:
                    await ours.connect(open_ones)
                    pairs.append((dialled, await ours.take(1)))
                    open_ones.cancel_scope.cancel()
            nursery.cancel_scope.cancel()
        return pairs[1:]

    with ExitStack() as stack:
        ours = Ours(stack, tmp_path, 1)
        pairs = trio.run(compared, ours)
        ours.check()
    by_clock = statistics.median(one.clock / other.clock for one, other in pairs)
    by_cpu = statistics.median(one.cpu / other.cpu for one, other in pairs)
    anew_cpu, open_cpu = (statistics.median(pair[arm].cpu for pair in pairs) for arm in (0, 1))
    with capsys.disabled():
        print(
            f"\nload {psutil.getloadavg()[0]:.1f}: dialled for each question"
            f" {1_000 * anew_cpu:.1f} ms of the processor, over an open connection"
            f" {1_000 * open_cpu:.1f} ms; {by_cpu:.1f} times as much, {by_clock:.1f} times by the"
            " clock"
        )


def test_how_long_a_contact_waits_while_another_pushes_six_hundred_megabytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as stack:
        ours = Ours(stack, tmp_path, 2)
        (honest, grant), (flooder, _) = ours.contacts
        pushing = Process(
            stack,
            FLOOD,
            flooder.node.ports.home.root,
            ours.asako.address,
            ours.asako.host.wire.peer,
            600,
        )
        waits: list[float] = []
        said: list[Any] = []
        answering = ours.processes[0]

        async def ask() -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(flooded)
                while not said:
                    began = time.perf_counter()
                    target = ours.target(honest)
                    row = await honest.host.blocking(honest.asks, ours.asako, grant)
                    async with honest.host.wire.dialled(
                        ours.asako.address, target.peer, host.SPOKEN, honest.host.answer
                    ) as connection:
                        assert await delivery._ask(honest.host, connection, target, row)
                    waits.append(time.perf_counter() - began)
                    await trio.sleep(0.1)

        async def flooded() -> None:
            said.append(await trio.to_thread.run_sync(pushing.told, ""))

        trio.run(ask)
        ours.check()
        resident = answering.memory_info().rss / 2**20
    waits.sort()
    with capsys.disabled():
        print(
            f"\n{said[0]['pushed'] / 1e6:.0f} MB in {said[0]['seconds']:.0f} s over"
            f" {said[0]['connections']} connections, load {psutil.getloadavg()[0]:.1f}: another"
            f" contact, over a new connection each time, was answered {len(waits)} times, median"
            f" {waits[len(waits) // 2]:.2f} s, 95 in 100 within"
            f" {waits[int(0.95 * (len(waits) - 1))]:.2f} s, the slowest {waits[-1]:.2f} s;"
            f" {resident:.0f} MB resident afterwards"
        )
