"""A stock js-libp2p host in a process of its own, which carries the frames of somebody whose keys
and database are here: only the wire is not ours.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from lpm_kernel.peer.deciding import RequestTurn, work
from lpm_kernel.peer.speaker import ReplayClaims
from protocol import limits
from protocol.card import Card
from protocol.contact import Invite
from protocol.encoding import frame, frame_length
from protocol.events import Event
from protocol.identity import PeerId
from protocol.messages import Message
from protocol.session import Asking
from tests.peers import PATIENCE, Peer

FOLDER: Final = Path(__file__).parents[1] / "protocol" / "js"
NOT_THERE: Final = f"js-libp2p is not installed in {FOLDER}: run make setup."
Answers = Callable[[bytes], bytes]


class Stock:
    """The host: orders go in, what happens comes out."""

    def __init__(self, process: subprocess.Popen[str], answers: Answers) -> None:
        self._process, self._answers = process, answers
        self._done: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._count = 0
        self._saying, self._ended = threading.Lock(), False
        self.broke: list[str] = []
        """What a stream of somebody who asked broke with."""
        said = json.loads(self._line() or '{"peer": "", "addresses": [""]}')
        self.peer = PeerId(said["peer"])
        self.address: str = said["addresses"][0].partition("/p2p/")[0]
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def ask(
        self, address: str, request: bytes, end: str = "after", several: int = 1
    ) -> list[bytes]:
        """Send a frame's bytes in a stream, ``several`` times over the same connection, and give
        what came back; ``end`` says when this half of the stream ends: ``first``, ``after`` the
        answer, or ``never``.
        """
        done = self.order(
            "ask", address=address, frame=b64encode(request).decode(), end=end, several=several
        )
        return [b64decode(each) for each in done["came"]]

    def order(self, do: str, **what: Any) -> dict[str, Any]:  # noqa: ANN401  JSON
        """Have something done, and give what came of it. Raises ``ConnectionError`` where it
        failed.
        """
        self._count += 1
        number = self._count
        came = self._done[number] = queue.Queue()
        self._say({"do": do, "id": number, **what})
        done = came.get(timeout=PATIENCE)
        if "failed" in done:
            raise ConnectionError(done["failed"])
        return done

    def end(self) -> None:
        """Kill it, and wait for whoever still answers for it: what they say is let go."""
        with self._saying:
            self._ended = True
        self._process.kill()
        self._listener.join(PATIENCE)

    def _say(self, order: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with self._saying:
            if not self._ended:
                self._process.stdin.write(json.dumps(order) + "\n")
                self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _listen(self) -> None:
        while line := self._line():
            said = json.loads(line)
            if "asked" in said:
                answer = self._answers(b64decode(said["frame"]))
                self._say({"answer": said["asked"], "frame": b64encode(answer).decode()})
            elif "broke" in said:
                self.broke.append(said["broke"])
            else:
                self._done[said["done"]].put(said)


@contextmanager
def stock(seed: bytes, answers: Answers, *, identify: bool = True) -> Iterator[Stock]:
    """Start a host with a transport key of 32 bytes."""
    assert (FOLDER / "node_modules").is_dir(), NOT_THERE
    with subprocess.Popen(
        ["node", "test/wire.js", b64encode(seed).decode(), "" if identify else "silent"],  # noqa: S607  the one on the path
        cwd=FOLDER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            host = Stock(process, answers)
            try:
                yield host
            finally:
                host.end()
        finally:
            process.kill()


def as_one(peer: Peer, of: Peer) -> Answers:
    """Answer what one peer asks another, whose own host does not run."""

    def answer(request: bytes) -> bytes:
        asker = of.host.wire.peer
        turn = RequestTurn(peer.speaker, asker, full=False, behind=lambda: b"")
        work(turn, frame(request), stranger=peer.speaker.contacts.by_peer(asker) is None)
        return unframed(turn.out)

    return answer


def unframed(data: bytes) -> bytes:
    """Give what is in one frame, or nothing."""
    length = frame_length(data[: limits.VARINT], limits.ANSWER)
    return b"" if length is None else data[length[1] :]


def sealed(peer: Peer, to: Card | Invite, message: Message) -> tuple[Asking, bytes]:
    """Begin to ask; gives the session and the bytes of its envelope."""
    asking = Asking(peer.speaker.node(ReplayClaims(peer.speaker)), to, message)
    asking.ask()
    return asking, unframed(asking.take())


def opened(peer: Peer, asking: Asking, came: bytes) -> Event:
    """Give what came of asking."""
    return asking.feed(frame(came), peer.speaker.now)[0]
