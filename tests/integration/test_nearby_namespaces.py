"""Two on one network who both got another address find each other where they switched it on, and
not before; and what the network hears is what protocol/spec/reach.md lists.

The network is made for the test, of namespaces and a bridge.
"""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from zeroconf import (  # type: ignore[attr-defined]  # some are in no `__all__`
    DNSAddress,
    DNSIncoming,
    DNSNsec,
    DNSPointer,
    DNSService,
    DNSText,
)

from lpm_kernel.domain.share.network import OutboxState
from lpm_kernel.peer.nearby import LINES, SERVICE, TAGS_OF_A_LINE
from lpm_kernel.usecases.share import reach
from protocol.rendezvous import NEAR
from tests import namespaces
from tests.integration.test_reach_namespaces import (
    PATIENCE,
    Household,
    Street,
    acquainted,
    answered,
    listed,
    street,
)
from tests.peers import until
from tests.scale import only_in_full

__all__ = ["street"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(namespaces.missing()), reason=namespaces.missing() or "networks can be made"
    ),
]
BEFORE = ("203.0.113.11", "203.0.113.12")
AFTER = ("203.0.113.21", "203.0.113.22")
HEADS = 14 + 20 + 8
"""Bytes of a packet before what it says: Ethernet, IPv4, UDP."""
LISTENS_IN = """
import socket, sys
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
with open(sys.argv[1], "w", 1) as kept:
    print("ready", flush=True)
    while True:
        packet = raw.recv(65_535)
        if packet[12:14] == b"\\x08\\x00" and packet[23] == 17 and packet[36:38] == b"\\x14\\xe9":
            kept.write(packet.hex() + "\\n")
"""


@only_in_full
def test_two_who_both_moved_find_each_other_once_both_switched_it_on(
    street: Street, tmp_path: Path
) -> None:
    kept = tmp_path / "packets"
    assert street.runs(street.network._street, LISTENS_IN, kept) == "ready\n"
    asako, bram = (
        street.household(street.network.at(name[0], address), name, idle=1)
        for name, address in zip(("Asako", "Bartholomew"), BEFORE, strict=True)
    )
    [at_asako] = until(lambda: reach.listening(asako.home), PATIENCE)
    [at_bram] = until(lambda: reach.listening(bram.home), PATIENCE)
    grant = acquainted(asako, bram, at_asako)
    answered(bram, asako, grant)
    until(lambda: known(bram, asako) == [at_asako], PATIENCE)
    until(lambda: known(asako, bram) == [at_bram], PATIENCE)
    for each, after in zip((asako, bram), AFTER, strict=True):
        street.network.address(each.here, f"{after}/24")  # both, before one can tell the other
    for each, after in zip((asako, bram), AFTER, strict=True):
        until(lambda: reach.listening(each.home) == [f"/ip4/{after}/tcp/4001"], PATIENCE)  # noqa: B023  it is called at once
    row = bram.person.asks(asako.person, grant)
    until(lambda: bram.person.tried(row), PATIENCE)
    assert known(bram, asako) == [at_asako]
    assert bram.person.outcome_now(row) is OutboxState.WAITING
    assert kept.read_text() == ""
    for each in (asako, bram):
        each.person.node.ports.change_settings(find_on_network=True)
    assert bram.person.outcome(row, PATIENCE).state is OutboxState.ANSWERED
    assert known(bram, asako)[0] == f"/ip4/{AFTER[0]}/tcp/4001"
    packets = until(lambda: from_all(kept), PATIENCE)
    assert heard(packets) | {"times"} == listed("network")
    secrets = [
        *(str(each.person.keystore.keys.identity.did) for each in (asako, bram)),
        *(str(each.person.host.wire.peer) for each in (asako, bram)),
        *("Asako", "Bartholomew", socket.gethostname(), grant, *BEFORE),
    ]
    for packet in packets:
        for secret in secrets:
            assert secret.encode() not in packet
    for each in (asako, bram):
        each.person.node.ports.change_settings(find_on_network=False)


def known(one: Household, other: Household) -> list[str]:
    contact = one.person.knows(other.person).id
    return one.person.node.ports.contacts.addresses(contact)


def from_all(kept: Path) -> list[bytes]:
    """Give the packets, once there is one of each."""
    packets = [bytes.fromhex(line) for line in kept.read_text().splitlines()]
    came_from = {socket.inet_ntoa(packet[26:30]) for packet in packets}
    return packets if came_from >= set(AFTER) else []


def heard(packets: list[bytes]) -> set[str]:
    """Give what can be read in what was said, in words of the specification."""
    observed: set[str] = set()
    for packet in packets:
        message = DNSIncoming(packet[HEADS:])
        assert message.valid
        assert not message.is_query()
        assert not message.questions
        [name] = {each.alias for each in message.answers() if isinstance(each, DNSPointer)}
        assert re.fullmatch(rf"[0-9a-f]{{32}}\.{re.escape(SERVICE)}", name)
        for record in message.answers():
            if isinstance(record, DNSPointer):
                assert record.name == SERVICE
                observed |= {SERVICE, "name"}
            elif isinstance(record, DNSAddress):
                assert record.name == name
                assert record.address == packet[26:30]  # where it came from
                observed.add("address and port")
            elif isinstance(record, DNSService):
                assert (record.name, record.server, record.port) == (name, name, 4001)
            elif isinstance(record, DNSNsec):
                assert (record.name, record.next_name) == (name, name)
            else:
                assert isinstance(record, DNSText), record
                assert record.name == name
                assert len(record.text) == LINES * (3 + TAGS_OF_A_LINE * NEAR)
                observed.add("tag")
    return observed
