"""The router is asked to forward the port while the person wants it: what a host says of where it
is reached, and what is left at the router.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trio

from lpm_kernel.config import Home
from lpm_kernel.peer import port_mapping
from lpm_kernel.peer.host import Host
from lpm_kernel.peer.port_mapping import Forwarded, Gateway, MappingError, keep_forwarded
from lpm_kernel.usecases.share import reach
from lpm_kernel.usecases.share.reach import PortMapping
from tests.peers import Peer, soon

HERE = "/ip4/192.0.2.7/tcp/4001"
OUTSIDE = "/ip4/203.0.113.9/tcp/4001"
Steps = Callable[[dict[str, bool]], Iterator[Callable[[], bool]]]


class ScriptedGateway:
    """What miniupnpc finds: a router whose ports are somebody's, or that lends for no time."""

    lanaddr = "192.0.2.7"

    def __init__(
        self, host: str = "203.0.113.9", taken: int = 0, *, permanent: bool = False
    ) -> None:
        self.host, self.taken, self.permanent = host, taken, permanent
        self.lent: dict[int, int] = {}

    def externalipaddress(self) -> str:
        return self.host

    def addportmapping(self, outside: int, *rest: object) -> bool:
        protocol, host, _inside, _name, _from, lease = rest
        assert (protocol, host) == ("TCP", self.lanaddr)
        if outside == self.taken:
            raise Exception("ConflictInMappingEntry")  # noqa: TRY002  as the library does
        if self.permanent and lease:
            raise Exception("OnlyPermanentLeasesSupported")  # noqa: TRY002  as above
        self.lent[outside] = int(str(lease))
        return True

    def deleteportmapping(self, outside: int, _protocol: str) -> bool:
        del self.lent[outside]
        return True


class ScriptedRouter:
    """A router that does as it is told, and writes down what it was asked for."""

    def __init__(self) -> None:
        self.open: dict[int, int] = {}
        """Ports outside, and where they lead."""
        self.fails: PortMapping | None = None
        self.asked = 0

    def forward(self, port: int, seconds: int, before: Forwarded | None) -> Forwarded:
        self.asked += 1
        if self.fails is not None:
            raise MappingError(self.fails)
        assert seconds == port_mapping.LEASE_SECONDS
        outside = port if before is None else before.port
        self.open[outside] = port
        return Forwarded("203.0.113.9", outside)

    def end(self, forwarded: Forwarded) -> None:
        del self.open[forwarded.port]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setattr(port_mapping, "LOOK_SECONDS", 0.01)
    peer = Peer(tmp_path / "asako", "Asako")
    peer.host.announced = [HERE]
    yield peer.host
    peer.node.close()


def run(host: Host, router: ScriptedRouter, steps: Steps) -> list[str]:
    """Keep the port forwarded while the steps are taken; gives what was noted."""
    noted: list[str] = []
    wish = {"on": True}

    async def live() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                keep_forwarded, host, lambda: wish["on"], lambda s: noted.append(s.value), router
            )
            for step in steps(wish):
                await soon(step)
            nursery.cancel_scope.cancel()

    trio.run(live)
    return noted


def test_what_is_forwarded_is_where_the_node_is_reached_until_it_is_switched_off(
    host: Host,
) -> None:
    router = ScriptedRouter()

    def steps(wish: dict[str, bool]) -> Iterator[Callable[[], bool]]:
        yield lambda: host.places == [HERE, OUTSIDE]
        assert router.open == {4001: 4001}
        wish["on"] = False
        yield lambda: host.places == [HERE]
        assert router.open == {}
        wish["on"] = True
        yield lambda: host.places == [HERE, OUTSIDE]

    assert run(host, router, steps) == ["asking", "open", "off", "asking", "open", "off"]
    assert router.open == {}
    assert host.places == [HERE]


@pytest.mark.parametrize(
    "why", [PortMapping.NO_ROUTER, PortMapping.REFUSED, PortMapping.NOT_PUBLIC]
)
def test_a_router_that_does_not_is_asked_again_and_named(
    host: Host, why: PortMapping, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_mapping, "AGAIN_SECONDS", 0.05)
    router = ScriptedRouter()
    router.fails = why

    def steps(_wish: dict[str, bool]) -> Iterator[Callable[[], bool]]:
        yield lambda: router.asked > 2
        assert host.places == [HERE]
        router.fails = None
        yield lambda: host.places == [HERE, OUTSIDE]

    noted = run(host, router, steps)
    assert noted[:2] == ["asking", why.value]
    assert noted[-2:] == ["open", "off"]


def test_a_lease_is_renewed_at_the_same_port_and_lost_where_the_router_fails(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_mapping, "RENEW_SECONDS", 0.05)
    router = ScriptedRouter()

    def steps(_wish: dict[str, bool]) -> Iterator[Callable[[], bool]]:
        yield lambda: router.asked > 3
        assert router.open == {4001: 4001}
        router.fails = PortMapping.NO_ROUTER
        yield lambda: host.places == [HERE]

    assert "no_router" in run(host, router, steps)


def test_it_is_forwarded_anew_where_the_address_here_changed(host: Host) -> None:
    router = ScriptedRouter()

    def steps(_wish: dict[str, bool]) -> Iterator[Callable[[], bool]]:
        yield lambda: router.asked == 1
        host.announced = ["/ip4/192.0.2.8/tcp/4001"]
        yield lambda: router.asked == 2

    run(host, router, steps)


def test_what_listens_on_this_machine_alone_is_not_forwarded(host: Host) -> None:
    host.announced = ["/ip4/127.0.0.1/tcp/4001"]
    router = ScriptedRouter()

    def steps(_wish: dict[str, bool]) -> Iterator[Callable[[], bool]]:
        yield lambda: True

    run(host, router, steps)
    assert router.asked == 0


def test_how_it_stands_is_kept_beside_where_the_node_is_reached(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.make()
    reach.write(home, [HERE], 4001)
    reach.note_mapping(home, PortMapping.OPEN)
    reach.write(home, [HERE, OUTSIDE], 4001, [HERE])
    assert reach._mapping(home) is PortMapping.OPEN
    assert reach.told(home) == {HERE}
    reach.forget(home)
    assert reach._mapping(home) is PortMapping.OFF
    assert reach.last_port(home) == 4001


def test_what_cannot_be_noted_ends_no_host(host: Host) -> None:
    router = ScriptedRouter()

    def full(_state: PortMapping) -> None:
        raise OSError("no space left")

    async def live() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_forwarded, host, lambda: True, full, router)
            await soon(lambda: bool(router.open))
            nursery.cancel_scope.cancel()

    trio.run(live)
    assert router.open == {}


class TestGateway:
    def forwarded(
        self, found: ScriptedGateway, monkeypatch: pytest.MonkeyPatch
    ) -> tuple[Gateway, Forwarded]:
        monkeypatch.setattr(Gateway, "_gateway", lambda _: found)
        gateway = Gateway()
        return gateway, gateway.forward(4001, 3_600, None)

    def test_a_port_that_is_somebody_s_is_not_taken(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = ScriptedGateway(taken=4001)
        gateway, forwarded = self.forwarded(found, monkeypatch)
        assert forwarded.port != 4001
        assert found.lent == {forwarded.port: 3_600}
        gateway.end(forwarded)
        gateway.end(forwarded)
        assert found.lent == {}

    def test_a_router_that_lends_for_no_time_lends_until_it_is_given_back(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = ScriptedGateway(permanent=True)
        assert self.forwarded(found, monkeypatch)[1] == Forwarded("203.0.113.9", 4001)
        assert found.lent == {4001: 0}

    @pytest.mark.parametrize("host", ["192.168.0.2", "100.64.3.4", "", "0.0.0.0", "none"])  # noqa: S104  no address to bind
    def test_a_router_behind_another_one_is_named(
        self, host: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(MappingError) as refused:
            self.forwarded(ScriptedGateway(host), monkeypatch)
        assert refused.value.state is PortMapping.NOT_PUBLIC

    def test_where_there_is_no_router_none_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def none(_: object) -> ScriptedGateway:
            raise Exception("No UPnP device discovered")  # noqa: TRY002  as above

        monkeypatch.setattr(Gateway, "_gateway", none)
        with pytest.raises(MappingError) as refused:
            Gateway().forward(4001, 3_600, None)
        assert refused.value.state is PortMapping.NO_ROUTER
