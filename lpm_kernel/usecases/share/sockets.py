"""What the processes of a node have open on the network, as the operating system knows it: nobody's
word is taken for it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import psutil

from lpm_kernel.usecases.share.reach import is_loopback


@dataclass(frozen=True)
class ListeningPort:
    """A port that takes connections."""

    process: str
    """The process that holds it, as ``processes.running`` names it; ``model`` for the model host,
    ``other`` for any other child.
    """
    host: str
    port: int
    since: datetime
    """When the process began."""

    @property
    def alone(self) -> bool:
        """Whether it is reached from this machine alone."""
        return is_loopback(self.host)


def family(processes: Iterable[int]) -> dict[int, psutil.Process]:
    """Return this process, those named and their children, by id."""
    found = {os.getpid(): psutil.Process()}
    for pid in processes:
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            found |= {each.pid: each for each in (process, *process.children(recursive=True))}
    return found


def listeners(
    processes: Iterable[int], names: Mapping[int, str], udp: frozenset[int] = frozenset()
) -> list[ListeningPort]:
    """Return every port on which these and their children listen. ``names``: what a process is
    called; ``udp``: ports that take datagrams.
    """
    found: dict[tuple[str, int], ListeningPort] = {}
    for pid, process in family(processes).items():
        try:
            began, connections = process.create_time(), process.net_connections("inet")
        except psutil.Error:  # it ended meanwhile, or the system does not show it
            continue
        for connection in connections:
            near, far = tuple(connection.laddr), tuple(connection.raddr)
            datagrams = (
                connection.type == socket.SOCK_DGRAM
                and not far
                and near[1:] != ()
                and near[1] in udp
            )
            if connection.status == psutil.CONN_LISTEN or datagrams:
                host, port = str(connection.laddr[0]), int(connection.laddr[1])
                made = ListeningPort(
                    names.get(pid, "other"), host, port, datetime.fromtimestamp(began, UTC)
                )
                found.setdefault((host, port), made)
    return sorted(found.values(), key=lambda one: (one.process, one.port, one.host))
