"""Nodes that cannot be dialled, each behind a router of its own, reach each other; and what stands
between them sees what protocol/spec/reach.md lists and nothing else.

The networks are made for the test: namespaces, virtual cables, NAT by nftables.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from google.protobuf.unknown_fields import UnknownFieldSet
from libp2p.peer.id import ID
from libp2p.relay.circuit_v2.pb.circuit_pb2 import HopMessage, StopMessage

from lpm_kernel.config import Home
from lpm_kernel.domain.share.network import OutboxState
from lpm_kernel.peer.wire import Wire
from lpm_kernel.usecases.share import reach
from tests import namespaces
from tests.integration.test_peer_capture import BEFORE_NOISE, LATIN
from tests.namespaces import ROOT, SNIFF, Network, living, program
from tests.peers import QUESTION, REPLY, TEXT, Peer, until
from tests.relays import SEED
from tests.scale import only_in_full

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(namespaces.missing()), reason=namespaces.missing() or "networks can be made"
    ),
]
RELAY_AT, RELAY_PORT = "203.0.113.5", 4002
RELAY = f"/ip4/{RELAY_AT}/tcp/{RELAY_PORT}/p2p/{Wire(SEED).peer}"
PATIENCE = 90.0
WATCHED = """
import sys
from pathlib import Path
from tests.relays import watched
watched("0.0.0.0", int(sys.argv[1]), Path(sys.argv[2]))
"""
LISTENS = """
import sys
from pathlib import Path
from lpm_kernel.config import Home
from lpm_kernel.peer import process
from tests.peers import fixed
process.listen(Home(Path(sys.argv[1])), "0.0.0.0", 4001, fixed)
"""
KNOCKS = "import socket, sys; socket.create_connection((sys.argv[1], 4001), 2)"


@dataclass
class Household:
    """Somebody with a home, whose host runs in a namespace."""

    here: str
    person: Peer

    @property
    def home(self) -> Home:
        return self.person.node.ports.home

    def through(self) -> str | None:
        """Give the address through a relay at which they are reached, once there is one."""
        return next((each for each in reach.listening(self.home) if "p2p-circuit" in each), None)


class Street:
    """A network, and who lives in it, until the block ends."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.network = stack.enter_context(Network())

    def household(
        self, here: str, name: str, relays: tuple[str, ...] = (), idle: int = 120
    ) -> Household:
        person = Peer(self.folder / name, name)
        self._stack.callback(person.node.close)
        person.node.ports.change_settings(relays=relays, peers_idle=idle)
        self.runs(here, LISTENS, person.node.ports.home.root)
        return Household(here, person)

    def runs(self, here: str, text: str, *arguments: object) -> str:
        """Have a program run; gives the first line that it says."""
        process = self._stack.enter_context(living(here, *program(text, *arguments)))
        assert process.stdout is not None
        return process.stdout.readline()


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    with ExitStack() as stack:
        yield Street(tmp_path, stack)


def acquainted(inviting: Household, invited: Household, address: str) -> str:
    """Let two become contacts by an invite that leads there; gives a grant."""
    link = inviting.person.invite(address)
    outcome = invited.person.outcome(invited.person.accept(link), PATIENCE)
    assert outcome.state is OutboxState.ANSWERED, outcome.code
    grant = inviting.person.gives(invited.person).id
    until(invited.person.node.ports.permissions.received, PATIENCE)
    return grant


def answered(asking: Household, asked: Household, grant: str) -> None:
    row = asking.person.asks(asked.person, grant)
    outcome = asking.person.outcome(row, PATIENCE)
    assert outcome.state is OutboxState.ANSWERED, outcome.code
    assert outcome.receipt == REPLY


def listed(what: str) -> set[str]:
    """Give what protocol/spec/reach.md lists that a relay, or a rendezvous server, sees."""
    page = (ROOT / "protocol" / "spec" / "reach.md").read_text("utf-8")
    table = page.split(f"<!-- seen: {what} -->")[1].split("\n\n")[1]
    return set(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE))


@only_in_full
def test_two_behind_nat_ask_each_other_through_a_relay_that_sees_what_is_listed(
    tmp_path: Path,
) -> None:
    wire, kept = tmp_path / "wire", tmp_path / "seen.json"
    with ExitStack() as stack:
        street = Street(tmp_path, stack)
        relay = street.network.at("relay", RELAY_AT)
        # the same address at home, as at everybody's
        at_asako = street.network.behind_nat("a", "203.0.113.11")
        at_bram = street.network.behind_nat("b", "203.0.113.12")
        assert street.runs(relay, SNIFF, wire) == "ready\n"
        assert street.runs(relay, WATCHED, RELAY_PORT, kept).strip().endswith(str(Wire(SEED).peer))
        asako = street.household(at_asako, "Asako", (RELAY,))
        bram = street.household(at_bram, "Bartholomew", (RELAY,))
        with pytest.raises(Exception, match="returned non-zero"):  # the NAT is one
            namespaces.run("python3", "-c", KNOCKS, "203.0.113.11", within=at_bram)
        here = until(asako.through, PATIENCE)
        until(bram.through, PATIENCE)
        grant = acquainted(asako, bram, here)
        back = bram.person.gives(asako.person).id
        until(asako.person.node.ports.permissions.received, PATIENCE)
        answered(bram, asako, grant)
        answered(asako, bram, back)
        peers: set[str] = {each.person.host.wire.peer for each in (asako, bram)}
        secrets = [
            *(str(each.person.keystore.keys.identity.did) for each in (asako, bram)),
            *asako.person.knows(bram.person).words,
            *(grant, back, "Asako", "Bartholomew", TEXT, *TEXT.split()),
            *(str(QUESTION["question"]), str(QUESTION["purpose"]), "Aldermoor"),
        ]
    seen = json.loads(kept.read_text())
    asked = [(peer, bytes.fromhex(data)) for peer, data in seen["asked"]]
    told = {data for _, data in asked}
    carried = [data for each in seen["carried"] if (data := bytes.fromhex(each)) not in told]
    assert {peer for peer, _ in asked} == peers
    stops = [bytes.fromhex(each) for each in seen["stops"]]
    observed, inside = in_messages([data for _, data in asked], stops, peers)
    inside += carried
    everything = [*inside, wire.read_bytes()]
    assert sum(map(len, inside)) > 10_000
    for secret in secrets:
        assert not any(secret.encode() in each for each in everything if len(secret) > 5), secret
    observed |= in_circuits(inside) | on_the_wire(wire.read_bytes())
    assert observed == listed("relay")


def in_messages(
    hops: list[bytes], stops: list[bytes], peers: set[str]
) -> tuple[set[str], list[bytes]]:
    """Give the fields that were set in what the relay was told, and what came behind the messages:
    the insides of circuits.
    """
    observed: set[str] = set()
    inside: list[bytes] = []
    for kind, said in ((HopMessage, hops), (StopMessage, stops)):
        for data in said:
            head, rest = split(data)
            inside.append(rest)
            message = kind.FromString(head)
            assert message.SerializeToString() == head
            assert not len(UnknownFieldSet(message))
            observed |= {f"{kind.__name__}.{field.name}" for field, _ in message.ListFields()}
            if message.HasField("peer"):
                assert [each.name for each, _ in message.peer.ListFields()] == ["id"]
                assert str(ID(message.peer.id)) in peers
                observed.add(f"{kind.__name__}.peer.id")
    return observed, inside


def split(data: bytes) -> tuple[bytes, bytes]:
    """Take the message off the front of what came on a stream of the relay; it was read without
    its length.
    """
    at = data.find(BEFORE_NOISE[0])
    return (data, b"") if at < 0 else (data[:at], data[at:])


def in_circuits(inside: list[bytes]) -> set[str]:
    """Give the words that can be read inside of circuits."""
    words = {
        word for each in inside for word in LATIN.findall(each) if len(word) > 9 or word == b"noise"
    }
    assert words <= {b"multistream", b"noise"}, words
    return {"/multistream/1.0.0" if word == b"multistream" else "/noise" for word in words}


def on_the_wire(packets: bytes) -> set[str]:
    """Give whose addresses are in the headers: those of the routers, and nothing behind them."""
    assert socket.inet_aton("203.0.113.11") in packets
    assert socket.inet_aton("203.0.113.12") in packets
    assert socket.inet_aton("192.168.1.2") not in packets
    return {"address and port", "times", "bytes"}


@only_in_full
def test_a_node_that_moves_is_found_at_its_other_address(street: Street) -> None:
    asako = street.household(street.network.at("a", "203.0.113.11"), "Asako")
    bram = street.household(street.network.at("b", "203.0.113.12"), "Bartholomew")
    [before] = until(lambda: reach.listening(asako.home), PATIENCE)
    until(lambda: reach.listening(bram.home), PATIENCE)
    assert before == "/ip4/203.0.113.11/tcp/4001"
    grant = acquainted(asako, bram, before)
    answered(bram, asako, grant)
    known, addresses = bram.person.knows(asako.person).id, bram.person.node.ports.contacts.addresses
    until(lambda: addresses(known) == [before], PATIENCE)
    street.network.address(asako.here, "203.0.113.21/24")
    after = "/ip4/203.0.113.21/tcp/4001"
    until(lambda: reach.listening(asako.home) == [after], PATIENCE)
    until(lambda: addresses(known) == [after], PATIENCE)
    answered(bram, asako, grant)
