"""Somebody behind a router that forwards ports (miniupnpd) is reached from outside once they
switched that on, without a relay; and the router is closed again once they switched it off.

The networks are made for the test, of namespaces and a NAT by nftables.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from lpm_kernel.usecases.share import reach
from lpm_kernel.usecases.share.reach import PortMapping
from tests import namespaces
from tests.integration.test_reach_namespaces import (
    KNOCKS,
    PATIENCE,
    Street,
    acquainted,
    answered,
    street,
)
from tests.peers import until
from tests.scale import only_in_full

__all__ = ["street"]
DAEMON = shutil.which("miniupnpd") or ""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(namespaces.missing()), reason=namespaces.missing() or "networks can be made"
    ),
    pytest.mark.skipif(not DAEMON, reason="there is no `miniupnpd` here (miniupnpd-nftables)"),
]
ROUTER, OTHER = "11.22.33.44", "11.22.33.45"
"""Addresses of the network that this test makes: a router forwards nothing where its own is one of
those that documents use.
"""
OUTSIDE = f"/ip4/{ROUTER}/tcp/4001"
CHAINS = """
table inet upnp {
  chain forward { type filter hook forward priority 0; jump forwarded; }
  chain forwarded { }
  chain into { type nat hook prerouting priority -100; jump led; }
  chain led { }
  chain out { type nat hook postrouting priority 100; jump left; }
  chain left { }
}
"""
SETTINGS = """
ext_ifname=wan
ext_ip=11.22.33.44
listening_ip=lan
enable_upnp=yes
enable_natpmp=no
secure_mode=yes
upnp_table_name=upnp
upnp_nat_table_name=upnp
upnp_forward_chain=forwarded
upnp_nat_chain=led
upnp_nat_postrouting_chain=left
uuid=2d5a1a3e-0000-4000-8000-000000000001
allow 1024-65535 192.168.1.0/24 1024-65535
deny 0-65535 0.0.0.0/0 0-65535
"""


@only_in_full
def test_a_router_leads_contacts_to_a_node_that_asked_for_it_and_no_longer(
    street: Street, tmp_path: Path
) -> None:
    at_asako = street.network.behind_nat("a", "203.0.113.11")
    at_bram = street.network.at("b", "203.0.113.12")
    router = f"{street.network._prefix}a-router"
    for here, address in ((router, ROUTER), (at_bram, OTHER)):
        namespaces.run("ip", "-n", here, "addr", "add", f"{address}/24", "dev", "wan")
    namespaces.run("nft", "-f", "-", within=router, said=CHAINS)
    settings = tmp_path / "router.conf"
    settings.write_text(SETTINGS)
    command = [DAEMON, "-d", "-f", str(settings), "-P", str(tmp_path / "router.pid")]
    log = street._stack.enter_context((tmp_path / "router.log").open("wb"))
    daemon = street._stack.enter_context(
        subprocess.Popen([namespaces.IP, "netns", "exec", router, *command], stderr=log)
    )
    street._stack.callback(daemon.terminate)
    asako, bram = street.household(at_asako, "Asako"), street.household(at_bram, "Bartholomew")
    until(lambda: reach.listening(asako.home), PATIENCE)
    assert not opens(at_bram)
    change = asako.person.node.ports.change_settings
    change(map_port=True)
    until(lambda: OUTSIDE in reach.listening(asako.home), PATIENCE)
    found = reach.reach(asako.home, asako.person.node.ports.settings)
    assert (found.map_port, found.port_mapping) == (True, PortMapping.OPEN)
    grant = acquainted(asako, bram, OUTSIDE)
    answered(bram, asako, grant)
    change(map_port=False)
    until(lambda: OUTSIDE not in reach.listening(asako.home), PATIENCE)
    assert not opens(at_bram)


def opens(here: str) -> bool:
    """Tell whether somebody from outside comes in at the router's port."""
    try:
        namespaces.run("python3", "-c", KNOCKS, ROUTER, within=here)
    except subprocess.CalledProcessError:
        return False
    return True
