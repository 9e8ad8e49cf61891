"""People with homes of their own whose nodes reach each other over loopback, and a socket in
between that writes down what passes.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import trio

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.domain.share.network import Contact, GrantRow, OutboxRow, OutboxState
from lpm_kernel.node import Node
from lpm_kernel.peer.connections import IDLE_SECONDS
from lpm_kernel.peer.delivery import ask, deliver
from lpm_kernel.peer.host import Host
from lpm_kernel.peer.process import verbs_off
from lpm_kernel.peer.speaker import Answer, Composed, Speaker, no_answer
from lpm_kernel.usecases.share import grants, outgoing, people
from lpm_kernel.usecases.share.keys import Keystore
from protocol.events import Asked, Event
from protocol.messages import Message, Verb

T = TypeVar("T")
PATIENCE = 60.0
"""Seconds. What could not be sent at once, as on a machine that is busy, is tried again after half
a minute (``pause``).
"""
QUESTION = {
    "question": "Where did we walk in Aldermoor?",
    "purpose": "a visit",
    "bytes": 20_000,
    "tokens": 200,
}
TEXT = "Along the Tessellated canal."
REPLY = {"text": TEXT, "abstained": False, "form": "answer", "cites": [], "tokens": 5}


def fixed(_asked: Asked, _now: int) -> Composed:
    """Answer with the same text each time."""
    return Composed(REPLY)


def until(look: Callable[[], T | None], patience: float = PATIENCE) -> T:
    """Look again and again until there is something."""
    end = time.monotonic() + patience
    while not (found := look()):
        if time.monotonic() > end:
            raise TimeoutError("It did not come.")
        time.sleep(0.02)
    return found


async def soon(look: Callable[[], bool]) -> None:
    """Look again and again, where a host lives, until it is so."""
    with trio.fail_after(PATIENCE):
        while not look():  # noqa: ASYNC110  what is waited for happens in other threads
            await trio.sleep(0.02)


class Peer:
    """One person: a home, keys, and a host in a thread that can be ended and started again on the
    same port.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        answer: Answer = no_answer,
        model: LanguageModel | None = None,
        idle: float = IDLE_SECONDS,
    ) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self.node = Node.open(folder, embedder=HashingEmbedder(), model=model)
        self.keystore = Keystore(self.node.ports.home, self.node.ports.clock)
        node = self.node
        self.speaker = Speaker(
            node.ports.contacts,
            node.ports.permissions,
            node.ports.post,
            node.ports.audit,
            node.ports.clock,
            self.keystore,
            name,
            answer,
            lambda: verbs_off(node.ports.settings),
        )
        self.name = name
        self.host = Host(self.speaker, idle)
        self.port = 0
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self.node.close()

    @property
    def address(self) -> str:
        return f"/ip4/127.0.0.1/tcp/{self.port}"

    def start(self) -> None:
        ready = threading.Event()

        async def live() -> None:
            self._token, self._stop = trio.lowlevel.current_trio_token(), trio.Event()
            async with trio.open_nursery() as nursery:
                await nursery.start(self.host.run, "127.0.0.1", self.port)
                self.port = int(self.host.addresses[0].rpartition("/")[2])
                nursery.start_soon(deliver, self.host, 0.05)
                ready.set()
                await self._stop.wait()
                nursery.cancel_scope.cancel()

        self._thread = threading.Thread(target=trio.run, args=(live,), daemon=True)
        self._thread.start()
        assert ready.wait(PATIENCE)

    def stop(self) -> None:
        if self._thread is not None:
            self._token.run_sync_soon(self._stop.set)
            self._thread.join(PATIENCE)
            assert not self._thread.is_alive()
            self._thread = None

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401  any function
        """Do something where the host lives."""
        return trio.from_thread.run(function, *arguments, trio_token=self._token)

    def begin(self, function: Callable[..., Any], *arguments: Any) -> None:  # noqa: ANN401  any function
        """Have something go on where the host lives, until it stops."""
        self._token.run_sync_soon(partial(trio.lowlevel.spawn_system_task, function, *arguments))

    # --- what the person does --------------------------------------------------------------------

    def invite(self, *addresses: str) -> str:
        return people.invite(
            self.node.ports.contacts,
            self.keystore,
            self.node.ports.clock,
            self.name,
            people.InviteTerms(addresses or [self.address]),
        ).link

    def accept(self, link: str) -> OutboxRow:
        return outgoing.greet(
            self.node.ports.post, self.keystore, self.node.ports.clock, link, self.name
        )

    def knows(self, other: Peer) -> Contact:
        """Give the other as this one's contact, once they are."""
        return until(lambda: self.node.ports.contacts.by_did(other.keystore.keys.identity.did))

    def gives(self, other: Peer, consent: str = "auto", **more: Any) -> GrantRow:  # noqa: ANN401  fields of a grant
        wanted = grants.GrantForm("answers", "a visit", consent=consent, **more)
        node = self.node
        return grants.give(
            node.ports.permissions,
            node.ports.contacts,
            outgoing.Signing(node.ports.post, self.keystore, node.ports.clock),
            self.knows(other).id,
            wanted,
        )[0]

    def asks(self, other: Peer, grant: str, question: dict[str, Any] | None = None) -> OutboxRow:
        return outgoing.queue(
            outgoing.Signing(self.node.ports.post, self.keystore, self.node.ports.clock),
            self.knows(other),
            Verb.ASK,
            question or QUESTION,
            grant,
        )

    def question(self, other: Peer, grant: str) -> Message:
        """Write a question that is in no outbox."""
        now = self.speaker.now
        mine, theirs = self.keystore.keys.identity.did, other.keystore.keys.identity.did
        return Message(outgoing.new_id(), mine, theirs, now, now + 3_600, Verb.ASK, QUESTION, grant)

    def outcome(self, row: OutboxRow, patience: float = PATIENCE) -> OutboxRow:
        """Give what became of a message."""

        def settled() -> OutboxRow | None:
            [now] = [each for each in self.node.ports.post.outbox(limit=99)[0] if each.id == row.id]
            return now if now.state is not OutboxState.WAITING else None

        return until(settled, patience)

    def outcome_now(self, row: OutboxRow) -> OutboxState:
        """Say how a message stands."""
        known = self.node.ports.post.outgoing(row.id)
        assert known is not None
        return known.state

    def tried(self, row: OutboxRow) -> int:
        """Say how often a message was tried."""
        return sum(
            each.tries for each in self.node.ports.post.outbox(limit=99)[0] if each.id == row.id
        )

    def tries_again(self) -> None:
        """Do not wait for the next try of what waits."""
        for row in self.node.ports.post.outbox(limit=99)[0]:
            if row.state is OutboxState.WAITING:
                self.node.ports.post.tried(row.id, 0)


def meet(inviter: Peer, invited: Peer) -> tuple[Contact, Contact]:
    """Let two become contacts; gives each as the other has them."""
    outcome = invited.outcome(invited.accept(inviter.invite()))
    assert outcome.state is OutboxState.ANSWERED, outcome.code
    return inviter.knows(invited), invited.knows(inviter)


@dataclass
class Tap:
    """A port that passes everything on to another, and keeps it."""

    to: int
    port: int = 0
    seen: bytearray = field(default_factory=bytearray)
    connections: int = 0
    deaf: bool = False
    """Whether nothing is passed on, as where a cable was pulled."""

    @contextmanager
    def open(self) -> Iterator[Self]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
            threading.Thread(target=self._serve, args=(listener,), daemon=True).start()
            yield self
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)

    def _serve(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                self.connections += 1
                far = socket.create_connection(("127.0.0.1", self.to))
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                self.seen += data
                if not self.deaf:
                    other.sendall(data)
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


async def talk(peer: Peer, to: Peer, message: Message) -> Event:
    """Ask one message over a connection of its own, past the outbox."""
    async with peer.host.wire.dialled(to.address, to.host.wire.peer) as connection:
        return await ask(peer.host, connection, to.keystore.card(to.name), message)
