"""Commands for machines that help nodes to reach each other, and keep nobody's data: a relay, and
a place to find each other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, say
from lpm_kernel.errors import InvalidInputError

RELAY_PORT, RENDEZVOUS_PORT = 4002, 4003
Folder = Annotated[
    Path | None,
    typer.Option(help="Where its key lies; otherwise beside your home, and nothing of it inside."),
]
Listen = Annotated[
    str, typer.Option(help="Interface to listen on; 0.0.0.0 for all, so that others can reach it.")
]
OfOneNetwork = Annotated[
    int, typer.Option(help="Of these from one network: an IPv4 address, or 64 bits of IPv6.")
]


@command(app)
def relay(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any free one.")] = RELAY_PORT,
    listen: Listen = "127.0.0.1",
    folder: Folder = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="Peer id that may be reached through it; anybody unless given."),
    ] = None,
    places: Annotated[int, typer.Option(help="Nodes that are reached through it.")] = 64,
    places_of_one: OfOneNetwork = 8,
    circuits: Annotated[int, typer.Option(help="Connections that it carries at a time.")] = 64,
    megabytes: Annotated[int, typer.Option(help="That one connection may carry.")] = 16,
    seconds: Annotated[int, typer.Option(help="That one connection may last.")] = 300,
    connections: Annotated[int, typer.Option(help="Sockets that it holds in all.")] = 256,
    as_json: AsJson = False,
) -> None:
    """Relay for nodes that cannot be dialled: it carries what it cannot read, and keeps nothing.
    Needs no home. Runs until Ctrl-C.
    """
    from lpm_kernel.peer import supervise
    from lpm_kernel.usecases.share import own_key

    numbers = {
        "places": places,
        "places-of-one": places_of_one,
        "circuits": circuits,
        "megabytes": megabytes,
        "seconds": seconds,
        "connections": connections,
    }
    for name, number in numbers.items():
        if number < 1:
            raise InvalidInputError(f"--{name} has to be 1 or more.", "Give another number.")
    kept = beside_home("relay") if folder is None else folder
    own_key.seed(kept)  # what is wrong with it is said here
    limits = {"places": places, "places_of_one": places_of_one, "circuits": circuits}
    terms = {
        "limits": {**limits, "bytes": megabytes * 2**20, "seconds": seconds},
        "connections": connections,
        "connections_of_one": sockets_of_one(connections, places_of_one),
        "only": allow or [],
    }

    def announce(addresses: list[str]) -> None:
        say(
            {"addresses": addresses},
            [f"Relaying at {address}" for address in addresses],
            as_json=as_json,
            flush=True,
        )

    supervise.keep_open(
        "lpm_kernel.peer.relay_process", [str(kept), json.dumps(terms)], listen, port, announce
    )


def sockets_of_one(connections: int, places_of_one: int) -> int:
    """Say how many sockets one address may hold: a sixteenth of all, or one for each place of its
    network and one for who calls there, if that is more.

    >>> sockets_of_one(256, 8), sockets_of_one(256, 64), sockets_of_one(100, 64)
    (16, 128, 100)
    """
    return max(1, connections // 16, min(connections, 2 * places_of_one))


@command(app)
def rendezvous(
    port: Annotated[
        int, typer.Option(help="Port to listen on; 0 for any free one.")
    ] = RENDEZVOUS_PORT,
    listen: Listen = "127.0.0.1",
    folder: Folder = None,
    entries: Annotated[int, typer.Option(help="Addresses that it keeps, sealed.")] = 20_000,
    connections: Annotated[int, typer.Option(help="Sockets that it holds in all.")] = 256,
    as_json: AsJson = False,
) -> None:
    """Serve as the place where contacts find each other when both moved: it keeps sealed addresses
    under tags that change every day, in memory alone. Needs no home. Runs until Ctrl-C.
    """
    from lpm_kernel.peer import supervise
    from lpm_kernel.usecases.share import own_key

    for name, number in {"entries": entries, "connections": connections}.items():
        if number < 1:
            raise InvalidInputError(f"--{name} has to be 1 or more.", "Give another number.")
    kept = beside_home("rendezvous") if folder is None else folder
    own_key.seed(kept)  # what is wrong with it is said here
    terms = {
        "limits": {"entries": entries, "entries_of_one": max(1, entries // 40)},
        "connections": connections,
        "connections_of_one": max(1, connections // 16),
    }

    def announce(addresses: list[str]) -> None:
        say(
            {"addresses": addresses},
            [f"Serving at {address}" for address in addresses],
            as_json=as_json,
            flush=True,
        )

    supervise.keep_open(
        "lpm_kernel.peer.rendezvous_process", [str(kept), json.dumps(terms)], listen, port, announce
    )


def beside_home(name: str) -> Path:
    """Return the folder of something that runs beside a home and has nothing of it."""
    from lpm_kernel.config import default_home

    root = default_home().root
    return root.with_name(f"{root.name}-{name}")
