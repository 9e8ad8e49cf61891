"""Networks of a machine's own, for tests that need routers: namespaces joined by virtual cables,
and a NAT by nftables in front of those who are behind one.

Only what is made here is touched, and all of it is gone when the block ends.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[1]
IP = shutil.which("ip") or ""
NAT = """
table ip lpm {
  chain out { type nat hook postrouting priority 100; oifname "wan" masquerade; }
  chain through {
    type filter hook forward priority 0; policy drop;
    ct state established,related accept
    ct status dnat accept
    iifname "lan" accept
  }
}
"""
"""What a router at home does: it lets out whatever comes from inside under its own address, and
nothing in that nobody asked for, but for what it was asked to forward.
"""
SNIFF = """
import socket, sys
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
with open(sys.argv[1], "wb", 0) as kept:
    print("ready", flush=True)
    while True:
        kept.write(raw.recv(65_535))
"""


@cache
def missing() -> str:
    """Say why there can be no such networks here; empty where there can."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "network namespaces need Linux and its superuser"
    for program in ("ip", "nft"):
        if shutil.which(program) is None:
            return f"there is no `{program}` here"
    try:
        with Network() as network:
            network.behind_nat("try", "203.0.113.99")
    except (subprocess.CalledProcessError, OSError) as error:
        said = getattr(error, "stderr", "") or str(error)
        return f"the kernel refuses: {said.strip()}"
    return ""


def run(*words: str, within: str = "", said: str | None = None) -> str:
    """Run a program, in a namespace where one is named. Raises ``CalledProcessError``."""
    command = ["ip", "netns", "exec", within, *words] if within else list(words)
    done = subprocess.run(
        command, input=said, capture_output=True, text=True, check=True, timeout=20
    )
    return done.stdout


@dataclass
class Network:
    """One street that everybody can reach, 203.0.113.0/24, and who lives in it."""

    def __post_init__(self) -> None:
        self._prefix = f"lpm{os.getpid()}-"
        self._made: list[str] = []
        self._cables = 0

    def __enter__(self) -> Self:
        self._street = self._namespace("street")
        self._ip(self._street, "link", "add", "name", "street", "type", "bridge")
        self._ip(self._street, "link", "set", "street", "up")
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(self._made):
            with suppress(subprocess.CalledProcessError):
                run("ip", "netns", "del", name)

    def at(self, name: str, address: str) -> str:
        """Put somebody into the street; gives their namespace."""
        here = self._namespace(name)
        self._cable(here, "wan")
        self.address(here, f"{address}/24")
        return here

    def behind_nat(self, name: str, address: str, inside: str = "192.168.1.2") -> str:
        """Put somebody behind a router that has this address in the street."""
        router = self.at(f"{name}-router", address)
        here = self._namespace(name)
        self._ip(router, "link", "add", "lan", "type", "veth", "peer", "wan", "netns", here)
        gateway = inside.rpartition(".")[0] + ".1"
        self.address(router, f"{gateway}/24", "lan")
        self.address(here, f"{inside}/24")
        self._ip(here, "route", "add", "default", "via", gateway)
        run("sysctl", "-qw", "net.ipv4.ip_forward=1", within=router)
        run("nft", "-f", "-", within=router, said=NAT)
        return here

    def address(self, here: str, address: str, cable: str = "wan") -> None:
        """Give a cable this address and no other."""
        self._ip(here, "addr", "flush", "dev", cable)
        self._ip(here, "link", "set", cable, "up")
        self._ip(here, "addr", "add", address, "dev", cable)

    def _namespace(self, name: str) -> str:
        made = f"{self._prefix}{name}"
        run("ip", "netns", "add", made)
        self._made.append(made)
        self._ip(made, "link", "set", "lo", "up")
        return made

    def _cable(self, here: str, name: str) -> None:
        self._cables += 1
        far = f"to{self._cables}"
        self._ip(self._street, "link", "add", far, "type", "veth", "peer", name, "netns", here)
        self._ip(self._street, "link", "set", far, "master", "street")
        self._ip(self._street, "link", "set", far, "up")

    @staticmethod
    def _ip(here: str, *words: str) -> None:
        run("ip", "-n", here, *words)


@contextmanager
def living(here: str, *command: str) -> Iterator[subprocess.Popen[str]]:
    """Have a program of ours run in a namespace until the block ends: it ends with its standard
    input.
    """
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(
                [IP, "netns", "exec", here, sys.executable, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )
        )
        stack.callback(_end, process)
        yield process


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()


def program(text: str, *arguments: object) -> Sequence[str]:
    """Give the words that run a program of a few lines."""
    return "-c", text, *map(str, arguments)
