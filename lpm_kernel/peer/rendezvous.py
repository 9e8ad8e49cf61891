"""A rendezvous server: it keeps what is left under a tag, for as long as is asked, and gives it to
whoever names the tag. Protocol ``/smp/rendezvous/1``: one frame each way.

It knows no names and no identities: who comes has a key made for that connection. What it keeps is
in memory alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import trio

from lpm_kernel.peer.wire import Connection, Stream, Trouble, WireError
from protocol.encoding import frame, from_b64u, to_b64u
from protocol.refusals import Refusal
from protocol.rendezvous import BLOB, TAG
from protocol.shape import VERSION, Bytes, ListOf, Number, OrNull, Record, read_json, write_json

RENDEZVOUS: Final = "/smp/rendezvous/1"
MOST_TAGS: Final = 16
"""Tags that are left, or asked for, at a time: always so many."""
LONGEST: Final = 65_536
SECONDS: Final = 10
_LEFT: Final = Record({"tag": Bytes(TAG, TAG), "blob": Bytes(BLOB, BLOB)})
_PUT: Final = Record(
    {"v": VERSION, "put": ListOf(_LEFT, MOST_TAGS, MOST_TAGS), "ttl": Number(60, 86_400)}
)
_GET: Final = Record({"v": VERSION, "get": ListOf(Bytes(TAG, TAG), MOST_TAGS, MOST_TAGS)})
_KEPT: Final = Record({"v": VERSION, "kept": Number(0, MOST_TAGS)})
_BLOBS: Final = Record(
    {"v": VERSION, "blobs": ListOf(OrNull(Bytes(BLOB, BLOB)), MOST_TAGS, MOST_TAGS)}
)


@dataclass(frozen=True)
class RendezvousLimits:
    """How much a server keeps."""

    entries: int = 20_000
    """Some 1.4 KB each."""
    entries_of_one: int = 512
    """Of one address."""
    seconds: int = 7_200
    """The longest that something is kept."""


@dataclass
class _Entry:
    blob: bytes
    until: float
    place: str


@dataclass
class Rendezvous:
    """What is kept."""

    limits: RendezvousLimits
    now: Callable[[], float] = trio.current_time
    entries: dict[bytes, _Entry] = field(default_factory=dict)
    by_place: Counter[str] = field(default_factory=Counter)

    async def answer(self, stream: Stream, connection: Connection) -> None:
        """Answer one request: what is none ends the stream."""
        with trio.fail_after(SECONDS):
            asked = read_json(await stream.message(LONGEST))
            said = self.said(asked, connection.place)
            await stream.write(frame(write_json(said)), last=True)

    def said(self, asked: object, place: str) -> Mapping[str, Any]:
        """Do what is asked. Refuses ``malformed``."""
        self._forget_old()
        if isinstance(asked, dict) and "get" in asked:
            _GET.check(asked, "get")
            found = [self.entries.get(from_b64u(tag)) for tag in cast("Any", asked)["get"]]
            return {
                "v": 1,
                "blobs": [None if entry is None else to_b64u(entry.blob) for entry in found],
            }
        _PUT.check(asked, "put")
        put = cast("Any", asked)
        until = self.now() + min(put["ttl"], self.limits.seconds)
        kept = sum(
            self._keep(from_b64u(each["tag"]), _Entry(from_b64u(each["blob"]), until, place))
            for each in put["put"]
        )
        return {"v": 1, "kept": kept}

    def _keep(self, tag: bytes, entry: _Entry) -> bool:
        before = self.entries.get(tag)
        if before is not None:
            self._drop(tag)
        elif (
            len(self.entries) >= self.limits.entries
            or self.by_place[entry.place] >= self.limits.entries_of_one
        ):
            return False
        self.entries[tag] = entry
        self.by_place[entry.place] += 1
        return True

    def _drop(self, tag: bytes) -> None:
        place = self.entries.pop(tag).place
        self.by_place[place] -= 1
        if not self.by_place[place]:
            del self.by_place[place]

    def _forget_old(self) -> None:
        now = self.now()
        for tag in [tag for tag, entry in self.entries.items() if entry.until <= now]:
            self._drop(tag)


async def leave(connection: Connection, left: Mapping[bytes, bytes], ttl: int) -> int:
    """Leave sixteen blobs under their tags; gives how many are kept. Raises ``WireError``."""
    put = [{"tag": to_b64u(tag), "blob": to_b64u(blob)} for tag, blob in left.items()]
    said = await _asked(connection, {"v": 1, "put": put, "ttl": ttl}, _KEPT)
    return int(said["kept"])


async def look(connection: Connection, tags: list[bytes]) -> dict[bytes, bytes]:
    """Look what lies under sixteen tags. Raises ``WireError``."""
    said = await _asked(connection, {"v": 1, "get": [to_b64u(tag) for tag in tags]}, _BLOBS)
    return {
        tag: from_b64u(blob)
        for tag, blob in zip(tags, said["blobs"], strict=True)
        if blob is not None
    }


async def _asked(connection: Connection, asked: Mapping[str, Any], shape: Record) -> Any:  # noqa: ANN401  JSON
    try:
        with trio.fail_after(SECONDS):
            async with connection.stream(RENDEZVOUS) as stream:
                await stream.write(frame(write_json(asked)))
                said = read_json(await stream.message(LONGEST))
                shape.check(said, "answer")
                await stream.finish()
                return said
    except (Refusal, trio.TooSlowError, *Trouble) as error:
        raise WireError("The server did not do it.") from error
