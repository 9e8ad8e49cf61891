"""Two who both moved find each other at a server that a person named, which sees what
protocol/spec/reach.md lists and nothing else.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.share.network import OutboxState
from lpm_kernel.peer import meeting_place
from lpm_kernel.peer.meeting_place import visit_meeting_place
from lpm_kernel.peer.rendezvous import MOST_TAGS, Rendezvous, RendezvousLimits, leave, look
from lpm_kernel.peer.rendezvous_process import RendezvousTerms, host_of
from lpm_kernel.peer.wire import Connection, Wire
from protocol.encoding import from_b64u, to_b64u
from protocol.identity import Identity
from protocol.refusals import Refusal
from protocol.rendezvous import BLOB, DAY, Pair
from tests.namespaces import ROOT
from tests.peers import PATIENCE, REPLY, Peer, fixed, meet, until
from tests.protocol.twins import dice

SEED = bytes(range(32, 64))


class Watched(Rendezvous):
    """A server that keeps what it is asked, and by whom."""

    asked: list[tuple[str, Any]]
    peers: list[str]

    async def answer(self, stream: Any, connection: Connection) -> None:  # noqa: ANN401  a stream
        self.peers.append(connection.peer)
        await super().answer(stream, connection)

    def said(self, asked: object, place: str) -> Any:  # noqa: ANN401  JSON
        self.asked.append((place, asked))
        return super().said(asked, place)


@contextmanager
def serving(limits: RendezvousLimits | None = None) -> Iterator[tuple[str, Watched]]:
    """A server in a thread; gives its address and itself."""
    ready, stop = threading.Event(), threading.Event()
    kept = Watched(limits or RendezvousLimits())
    kept.asked, kept.peers = [], []
    named: list[str] = []

    async def live() -> None:
        host = host_of(SEED, kept, RendezvousTerms(kept.limits, 100, 100))
        async with trio.open_nursery() as nursery:
            await nursery.start(host.run, "127.0.0.1", 0)
            named.extend(host.named)
            ready.set()
            await trio.to_thread.run_sync(stop.wait)
            nursery.cancel_scope.cancel()

    thread = threading.Thread(target=trio.run, args=(live,), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    try:
        yield named[0], kept
    finally:
        stop.set()
        thread.join(PATIENCE)


def listed() -> set[str]:
    page = (ROOT / "protocol" / "spec" / "reach.md").read_text("utf-8")
    table = page.split("<!-- seen: rendezvous -->")[1].split("\n\n")[1]
    return set(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE))


def test_an_address_that_is_not_left_is_said_with_the_reason(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", meeting_place.__name__)
    with Peer(tmp_path / "asako", "Asako") as asako, Peer(tmp_path / "bram", "Bram") as bram:
        meet(asako, bram)
        good = [f"/ip4/192.0.2.{n}/tcp/4001" for n in range(1, 10)]
        meeting_place._to_leave(asako.speaker, ["/ip4/nowhere/tcp/1", *good])
    assert "1 of 10 addresses are not left at the meeting place: nobody could dial" in caplog.text
    assert "no more than 8 fit" in caplog.text
    assert "192.0.2." not in caplog.text


def test_two_who_both_moved_find_each_other_and_the_server_sees_what_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meeting_place, "SEARCH_SECONDS", 0.2)
    with (
        serving() as (server, kept),
        Peer(tmp_path / "asako", "Asako", fixed) as asako,
        Peer(tmp_path / "bram", "Bartholomew") as bram,
    ):
        meet(asako, bram)
        grant = asako.gives(bram).id
        until(bram.node.ports.permissions.received)
        for one, other in ((asako, bram), (bram, asako)):
            one.stop()
            one.port = 0  # another one
            contact = other.knows(one).id
            other.node.ports.contacts.found(contact, ["/ip4/127.0.0.1/tcp/1"])
        row = bram.asks(asako, grant)
        for each in (asako, bram):
            each.start()
            each.begin(visit_meeting_place, each.host, lambda: server, 0.1)
        outcome = bram.outcome(row)
        assert (outcome.state, outcome.receipt) == (OutboxState.ANSWERED, REPLY)
        assert bram.node.ports.contacts.addresses(bram.knows(asako).id)[0] == asako.address
        known = [asako.host.wire.peer, bram.host.wire.peer]
        secrets = [
            *known,
            *(str(each.keystore.keys.identity.did) for each in (asako, bram)),
            *("Asako", "Bartholomew", grant, asako.address, bram.address),
        ]
    everything = json.dumps(kept.asked)
    assert not [each for each in secrets if each in everything]
    assert not set(known) & set(kept.peers)
    assert len(set(kept.peers)) == len(kept.peers)
    observed = {"times"}
    for place, asked in kept.asked:
        assert place == "127.0.0.1"
        observed |= {"address and port", "peer id"}
        fields = cast("dict[str, Any]", asked)
        assert set(fields) in ({"v", "get"}, {"v", "put", "ttl"})
        assert len(fields.get("get") or fields["put"]) == MOST_TAGS
        observed |= {"tag"} | ({"ttl"} if "ttl" in fields else set())
        for left in fields.get("put", ()):
            assert set(left) == {"tag", "blob"}
            assert len(left["blob"]) == len(to_b64u(bytes(BLOB)))
            observed.add("blob")
    assert observed == listed()
    assert {asked["ttl"] for _, asked in kept.asked if "ttl" in asked} == {5_400}


def test_a_visit_that_failed_is_made_again_and_one_bad_address_keeps_no_other(
    tmp_path: Path,
) -> None:
    with (
        serving() as (server, kept),
        Peer(tmp_path / "asako", "Asako", fixed) as asako,
        Peer(tmp_path / "bram", "Bram") as bram,
    ):
        meet(asako, bram)
        address, _, peer = server.rpartition("/p2p/")
        nobody = f"{address.rpartition('/')[0]}/1/p2p/{peer}"
        named = [nobody]
        asako.host.announced = ["/ip4/localhost/tcp/1", asako.address, f"/dns4/{'a' * 200}/tcp/1"]
        try:
            asako.begin(visit_meeting_place, asako.host, lambda: named[0], 0.05)
            asako.call(trio.sleep, 0.2)
            assert kept.asked == []
            named[0] = server
            until(lambda: kept.asked)
            pair = Pair.of(bram.keystore.keys.identity, asako.keystore.keys.identity.did)
            day = asako.speaker.now // DAY
            left = {each["tag"]: each["blob"] for each in cast("Any", kept.asked[0][1])["put"]}
            blob = from_b64u(left[to_b64u(pair.tag(day, ours=False))])
            assert pair.read(day, blob) == [asako.address]
        finally:
            asako.host.announced = ()


def test_nothing_is_left_where_no_server_is_named(tmp_path: Path) -> None:
    with serving() as (_, kept), Peer(tmp_path / "asako", "Asako") as asako:
        assert asako.node.ports.settings.rendezvous == ""
        asako.begin(visit_meeting_place, asako.host, lambda: "", 0.01)
        asako.call(trio.sleep, 0.2)
        assert kept.asked == []


def test_a_server_gives_what_was_left_for_as_long_as_was_said(tmp_path: Path) -> None:
    tags = [bytes([number]) * 32 for number in range(MOST_TAGS)]
    left = {tag: bytes([tag[0]]) * BLOB for tag in tags}
    with serving() as (server, kept), Peer(tmp_path / "asako", "Asako") as asako:
        address, _, peer = server.partition("/p2p/")

        async def both() -> tuple[int, dict[bytes, bytes]]:
            async with Wire(bytes(32)).dialled(address, cast("Any", peer)) as connection:
                kept_now = await leave(connection, left, 60)
                return kept_now, await look(connection, [*tags[1:], bytes([99]) * 32])

        number, found = asako.call(both)
        assert number == MOST_TAGS
        assert found == {tag: left[tag] for tag in tags[1:]}
        kept.now = lambda: trio.current_time() + 61
        assert asako.call(both)[0] == MOST_TAGS
        assert len(kept.entries) == MOST_TAGS


def put(number: int) -> dict[str, Any]:
    """What leaves sixteen blobs under tags of their own."""
    tags = [number.to_bytes(4, "big") + bytes([each]) * 28 for each in range(MOST_TAGS)]
    blob = to_b64u(bytes(BLOB))
    return {"v": 1, "put": [{"tag": to_b64u(tag), "blob": blob} for tag in tags], "ttl": 600}


def test_who_leaves_much_finds_no_room_and_takes_nobody_s() -> None:
    now = 0.0
    kept = Rendezvous(RendezvousLimits(entries=64, entries_of_one=32), lambda: now)
    for number in range(5):
        kept.said(put(number), "192.0.2.1")
    assert len(kept.entries) == 32
    assert kept.said(put(90), "192.0.2.2") == {"v": 1, "kept": 16}
    assert kept.said(put(91), "192.0.2.3") == {"v": 1, "kept": 16}
    assert kept.said(put(92), "192.0.2.4") == {"v": 1, "kept": 0}
    assert kept.said(put(90), "192.0.2.4") == {"v": 1, "kept": 16}  # the last one counts
    now = 601.0
    assert kept.said(put(93), "192.0.2.1") == {"v": 1, "kept": 16}
    assert sum(kept.by_place.values()) == len(kept.entries) == 16


@pytest.mark.parametrize(
    "asked",
    [
        [],
        {"v": 1},
        {"v": 1, "get": []},
        {"v": 1, "get": ["x"] * 16},
        {"v": 2, **{key: value for key, value in put(1).items() if key != "v"}},
        {**put(1), "name": "Asako"},
        {**put(1), "ttl": 0},
        {**put(1), "put": put(1)["put"][:15]},
    ],
)
def test_what_is_no_request_is_refused_and_changes_nothing(asked: object) -> None:
    kept = Rendezvous(RendezvousLimits(), float)
    with pytest.raises(Refusal):
        kept.said(asked, "192.0.2.1")
    assert not kept.entries


@given(
    st.integers(0, 40_000), st.integers(0, BLOB - 1), st.integers(1, 255), st.binary(max_size=90)
)
def test_a_blob_is_for_one_reader_on_one_day_and_a_bit_changed_is_none(
    day: int, at: int, bit: int, rest: bytes
) -> None:
    asako, bram, mallory = (Identity.make(dice(name)) for name in ("asako", "bram", "mallory"))
    here, there = Pair.of(asako, bram.did), Pair.of(bram, asako.did)
    blob = here.write(day, ["/ip4/192.0.2.7/tcp/4001"])
    assert there.read(day, blob) == ["/ip4/192.0.2.7/tcp/4001"]
    broken = bytearray(blob)
    broken[at] ^= bit
    assert there.read(day, bytes(broken)) is None
    assert there.read(day, rest) is None
    assert there.read(day + 1, blob) is None
    assert here.read(day, blob) is None
    assert Pair.of(mallory, asako.did).read(day, blob) is None
    tags = {
        pair.tag(each, ours=ours)
        for pair in (here, Pair.of(asako, mallory.did))
        for each in (day, day + 1)
        for ours in (True, False)
    }
    assert len(tags) == 8
    assert here.tag(day, ours=True) == there.tag(day, ours=False)
