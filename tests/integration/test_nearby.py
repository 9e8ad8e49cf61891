"""Contacts on one network find each other by what they say there, and whatever else is said there
changes nothing. The network is this machine's own.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from zeroconf import (  # type: ignore[attr-defined]  # one of them is in no `__all__`
    DNSOutgoing,
    ServiceInfo,
    Zeroconf,
)

from lpm_kernel.domain.share.network import OutboxState
from lpm_kernel.peer import nearby
from lpm_kernel.peer.nearby import (
    MOST_SAID,
    MOST_TAGS,
    SERVICE,
    Announcement,
    Ear,
    Heard,
    Presence,
    meet_nearby,
    read,
    write,
)
from lpm_kernel.peer.wire import where
from lpm_kernel.usecases.share import people
from protocol.identity import Identity
from protocol.rendezvous import NEAR, Pair
from tests.peers import REPLY, Peer, fixed, meet, until
from tests.protocol.twins import dice

NOWHERE, PLACE = "/ip4/127.0.0.1/tcp/1", "/ip4/192.0.2.7/tcp/4001"
NAME = "0123456789abcdef" * 2
RESPONSE = 0x8400
MULTICAST = ("224.0.0.251", 5353)


def test_two_who_both_moved_find_each_other_once_both_want_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearby, "SAY_SECONDS", 0.2)
    with (
        Peer(tmp_path / "asako", "Asako", fixed) as asako,
        Peer(tmp_path / "bram", "Bartholomew") as bram,
    ):
        meet(asako, bram)
        grant = asako.gives(bram).id
        until(bram.node.ports.permissions.received)
        wanted: list[bool] = []
        for one, other in ((asako, bram), (bram, asako)):
            one.stop()
            one.port = 0  # another one
            other.node.ports.contacts.found(other.knows(one).id, [NOWHERE])
        row = bram.asks(asako, grant)
        for each in (asako, bram):
            each.start()
            each.begin(meet_nearby, each.host, lambda: bool(wanted), 0.05)
        until(lambda: bram.tried(row))
        assert bram.node.ports.contacts.addresses(bram.knows(asako).id) == [NOWHERE]
        wanted.append(True)
        outcome = bram.outcome(row)
        assert (outcome.state, outcome.receipt) == (OutboxState.ANSWERED, REPLY)
        assert bram.node.ports.contacts.addresses(bram.knows(asako).id)[0] == asako.address


def test_where_it_is_switched_off_nothing_is_said_and_nothing_listens(tmp_path: Path) -> None:
    with Peer(tmp_path / "asako", "Asako") as asako:
        assert not asako.node.ports.settings.find_on_network
        presence = Presence()
        asako.call(look, asako, presence, False)
        assert not presence._open
        asako.call(look, asako, presence, True)
        [(opened, record)] = presence._open
        asako.call(look, asako, presence, True)
        assert presence._open == [(opened, record)]
        asako.call(look, asako, presence, False)
        assert not presence._open
        assert opened.done
        assert opened._loop_thread is None or not opened._loop_thread.is_alive()


async def look(peer: Peer, presence: Presence, wanted: bool) -> None:
    await nearby._look(peer.host, presence, wanted=wanted)


def test_another_name_is_said_after_a_while_and_where_it_moved(tmp_path: Path) -> None:
    with Peer(tmp_path / "asako", "Asako") as asako:
        presence = Presence()
        names: set[str] = set()
        try:
            for over in (False, False, True):
                if over:
                    presence.until = 0.0
                asako.call(look, asako, presence, True)
                names.add(presence._open[0][1].name)
            asako.host.announced = ["/ip4/127.0.0.2/tcp/4001", "/dns4/localhost/tcp/1"]
            asako.call(look, asako, presence, True)
            [(_, record)] = presence._open
            assert record.parsed_addresses() == ["127.0.0.2"]
            assert len({*names, record.name}) == 3
        finally:
            asako.host.announced = ()
            presence.end()


def test_a_contact_alone_is_learned_of_and_only_where_they_said(tmp_path: Path) -> None:
    with Peer(tmp_path / "asako", "Asako") as asako, Peer(tmp_path / "bram", "Bram") as bram:
        meet(asako, bram)
        addresses, known = bram.node.ports.contacts.addresses, bram.knows(asako).id
        before = addresses(known)
        [info] = nearby._records(asako.speaker, [PLACE])
        said = read(info)
        assert said is not None
        assert (said.place, len(said.tags)) == (PLACE, MOST_TAGS)
        elsewhere = Announcement(said.name, "/ip4/192.0.2.8/tcp/4001", said.tags)
        renamed = Announcement("f" * 32, said.place, said.tags)
        [own] = [read(each) for each in nearby._records(bram.speaker, [PLACE])]
        assert own is not None
        stranger = read(write(NAME, PLACE, []))
        assert stranger is not None
        nearby._learn(bram.speaker, [elsewhere, renamed, own, stranger])
        assert addresses(known) == before
        nearby._learn(bram.speaker, [stranger, said])
        assert addresses(known) == [PLACE, *before]
        bram.node.ports.contacts.found(known, before)
        people.block(bram.node.ports.contacts, bram.node.ports.clock, known)
        nearby._learn(bram.speaker, [said])
        assert addresses(known) == before
        [hidden] = [read(each) for each in nearby._records(bram.speaker, [PLACE])]
        assert hidden is not None
        before = asako.node.ports.contacts.addresses(asako.knows(bram).id)
        nearby._learn(asako.speaker, [hidden])
        assert asako.node.ports.contacts.addresses(asako.knows(bram).id) == before


@contextmanager
def ear() -> Iterator[Heard]:
    """Somebody who listens on this machine's own network."""
    opened, heard = Zeroconf(interfaces=["127.0.0.1"]), Heard()
    opened.add_listener(Ear(opened, heard), None)
    try:
        yield heard
    finally:
        opened.close()


@contextmanager
def strange() -> Iterator[socket.socket]:
    """Somebody who says there what they like."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        here = socket.inet_aton("127.0.0.1")
        opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, here)
        opened.bind(("127.0.0.1", 0))
        yield opened


def said_again(presence: Presence, heard: Heard) -> set[str]:
    presence.say()
    return {each.place for each in heard.take()}


def packet(*records: ServiceInfo) -> bytes:
    out = DNSOutgoing(RESPONSE)
    for info in records:
        for record in (info.dns_pointer(), info.dns_service(), info.dns_text()):
            out.add_answer_at_time(record, 0)
        for address in info.dns_addresses():
            out.add_answer_at_time(address, 0)
    [made] = out.packets()
    return made


def test_a_flood_takes_as_much_room_as_there_is_and_nobody_who_asks_is_answered(
    tmp_path: Path,
) -> None:
    good = write(NAME, PLACE, [])
    odd = ServiceInfo(
        SERVICE, f"{'e' * 32}.{SERVICE}", 1, properties={"0": b"x"}, server="x.local."
    )
    question = bytes.fromhex("000000000001000000000000045f736d70045f746370056c6f63616c00000c8001")
    with ear() as heard, strange() as mallory:
        for data in (b"", b"\0" * 11, b"\xff" * 1_400, packet(good)[:-40], packet(odd)):
            mallory.sendto(data, MULTICAST)
        mallory.sendto(packet(good), MULTICAST)
        until(lambda: read(good) in heard.take())
        for number in range(4 * MOST_SAID):
            mallory.sendto(packet(write(f"{number:032x}", PLACE, [])), MULTICAST)
        until(lambda: len(heard._said) == MOST_SAID)
        mallory.sendto(packet(write("f" * 32, PLACE, [])), MULTICAST)
        assert len(heard.take()) == MOST_SAID
        # said again, as it is twice a minute
        until(lambda: mallory.sendto(packet(good), MULTICAST) and read(good) in heard.take())
    with Peer(tmp_path / "asako", "Asako") as asako:
        presence = Presence()
        asako.call(look, asako, presence, True)
        [(opened, _)] = presence._open
        try:
            assert not opened.registry.has_entries  # of what zeroconf would answer with
            with ear() as heard, strange() as mallory:
                mallory.sendto(question, MULTICAST)
                until(lambda: asako.address in said_again(presence, heard))
                mallory.setblocking(False)
                with pytest.raises(BlockingIOError):
                    mallory.recv(1)
        finally:
            presence.end()


def test_what_is_said_fits_a_packet_and_is_as_long_for_one_contact_as_for_many() -> None:
    many = [bytes([number]) * NEAR for number in range(MOST_TAGS + 9)]
    packets = [packet(write(NAME, PLACE, many[:count])) for count in (0, 1, MOST_TAGS, len(many))]
    assert len({len(each) for each in packets}) == 1
    assert len(packets[0]) < 1_232
    said = read(write(NAME, PLACE, many))
    assert said is not None
    assert said.tags == set(many[:MOST_TAGS])
    one = read(write(NAME, PLACE, many[:1]))
    assert one is not None
    assert many[0] in one.tags
    assert len(one.tags) == MOST_TAGS
    with pytest.raises(ValueError, match="no address of a network"):
        write(NAME, "/dns4/localhost/tcp/1", [])


@given(
    st.one_of(st.just(NAME), st.text("0123456789abcdefABCDEF._-", max_size=40)),
    st.one_of(st.none(), st.integers(0, 65_535)),
    st.one_of(
        st.binary(max_size=1_300),
        st.dictionaries(
            st.sampled_from(["0", "1", "2", "3", "4", "dnsaddr"]),
            st.one_of(st.none(), st.just(bytes(15 * NEAR)), st.binary(max_size=250)),
        ),
    ),
    st.lists(st.one_of(st.ip_addresses(v=4).map(str), st.ip_addresses(v=6).map(str)), max_size=3),
)
def test_whatever_comes_from_the_network_is_one_announcement_or_none(
    name: str, port: int | None, text: bytes | dict[str, bytes | None], addresses: list[str]
) -> None:
    try:
        info = ServiceInfo(
            SERVICE, f"{name}.{SERVICE}", port, properties=text, parsed_addresses=addresses
        )
    except Exception:  # noqa: BLE001  zeroconf reads it first
        return
    said = read(info)
    if said is not None:
        assert len(said.name) == 32
        assert where(said.place) is not None
        assert 0 < len(said.tags) <= MOST_TAGS
        assert {len(tag) for tag in said.tags} == {NEAR}


@given(st.integers(0, 40_000), st.text("0123456789abcdef", min_size=32, max_size=32))
def test_a_tag_is_for_one_reader_one_day_one_name_and_one_address(day: int, name: str) -> None:
    asako, bram, mallory = (Identity.make(dice(each)) for each in ("asako", "bram", "mallory"))
    here, there = Pair.of(asako, bram.did), Pair.of(bram, asako.did)
    tag = here.near(day, name, PLACE, ours=True)
    assert there.near(day, name, PLACE, ours=False) == tag
    others = [
        there.near(day, name, PLACE, ours=True),
        there.near(day + 1, name, PLACE, ours=False),
        there.near(day, name[::-1] + "0", PLACE, ours=False),
        there.near(day, name, PLACE + "0", ours=False),
        Pair.of(mallory, asako.did).near(day, name, PLACE, ours=False),
        Pair.of(mallory, bram.did).near(day, name, PLACE, ours=True),
        here.tag(day, ours=True)[:NEAR],
    ]
    assert tag not in others
    assert len(tag) == NEAR
