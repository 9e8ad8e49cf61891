"""Two whole nodes on two ports, each with its host beside the other processes, become contacts by
what their screens call; also in two networks.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from protocol.contact import Invite
from tests.peers import until
from tests.processes import PATIENCE, RunningNode, told
from tests.scale import only_in_full

pytestmark = pytest.mark.slow
QUICK = 60.0
IP = shutil.which("ip") or ""
LPM = [sys.executable, "-m", "lpm_kernel"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def two(tmp_path: Path) -> Iterator[tuple[RunningNode, RunningNode]]:
    with (
        RunningNode(tmp_path / "asako", free_port()) as asako,
        RunningNode(tmp_path / "bram", free_port()) as bram,
    ):
        for node, name in ((asako, "Asako"), (bram, "Bram")):
            assert node.ask("PUT", "/api/identity", json={"name": name}).status_code == 200
        yield asako, bram


def answer(node: RunningNode, method: str, path: str, **more: Any) -> Any:  # noqa: ANN401  JSON
    response = node.ask(method, path, **more)
    assert response.status_code < 300, response.text
    return response.json()


def invited(node: RunningNode) -> Any:  # noqa: ANN401  JSON
    """Make an invite; nothing while the host is still being started."""
    response = node.ask("POST", "/api/invites", json={"label": "Bram"})
    assert response.status_code in {201, 503}, response.text
    return response.json() if response.status_code == 201 else None


def _is_another(node: RunningNode, name: str, before: int | None) -> bool:
    return node.pid(name) not in {None, before}


def reached(node: RunningNode) -> list[str]:
    return list(answer(node, "GET", "/api/network/reach")["addresses"])


@only_in_full
@pytest.mark.parametrize("killed", [True, False])
def test_keys_that_are_locked_are_opened_on_the_screen_and_by_no_file_afterwards(
    tmp_path: Path, killed: bool
) -> None:
    secret = tmp_path / "passphrase"
    secret.write_text("a heron over the weir\n", "utf-8")
    with RunningNode(tmp_path / "asako", free_port()) as asako:
        answer(asako, "PUT", "/api/identity", json={"name": "Asako"})
        answer(asako, "PUT", "/api/network/reach", json={"on": True})
        until(lambda: reached(asako), PATIENCE)
        subprocess.run(
            [*LPM, "peer", "protect", "--passphrase-file", str(secret)],
            env=asako.environment,
            check=True,
            capture_output=True,
            timeout=60,
        )
        secret.unlink()
        refused = asako.ask("POST", "/api/invites", json={"label": "Bram"})
        assert (refused.status_code, refused.json()["hint"]) == (
            409,
            "Enter it under People, and try again.",
        )
        host = asako.kill_one("peer") if killed else asako.pid("peer")
        # one that still listens sees it by itself, and ends
        until(lambda: answer(asako, "GET", "/api/network/reach")["state"] == "locked", PATIENCE)
        wrong = asako.ask("POST", "/api/network/unlock", json={"passphrase": "another one"})
        assert (wrong.status_code, wrong.json()["detail"]) == (
            409,
            "The keys for other nodes cannot be unlocked.",
        )
        assert answer(asako, "GET", "/api/network/reach")["locked"]
        assert answer(
            asako, "POST", "/api/network/unlock", json={"passphrase": "a heron over the weir"}
        )["state"] in {"starting", "listening"}
        until(partial(_is_another, asako, "peer", host), PATIENCE)
        until(lambda: reached(asako), PATIENCE)
        for name in ("peer", "serve"):  # who is started again has it still
            until(partial(_is_another, asako, name, asako.kill_one(name)), PATIENCE)
        until(lambda: invited(asako), PATIENCE)
        assert asako.process is not None
        everything = told(asako.process.pid)
        assert "lpm_kernel.peer.process" in everything
        assert "heron" not in everything
    assert not [
        path
        for path in (tmp_path / "asako").rglob("*")
        if path.is_file() and b"heron" in path.read_bytes()
    ]


@only_in_full
def test_two_nodes_become_contacts_over_http_in_under_a_minute_and_the_host_is_kept(
    tmp_path: Path,
) -> None:
    with two(tmp_path) as (asako, bram):
        assert asako.pid("peer") is None
        assert answer(asako, "GET", "/api/network/reach")["state"] == "off"
        made = until(lambda: invited(asako), PATIENCE)  # the first one switches the host on
        began = time.monotonic()
        assert (
            Invite.read(made["invite"]).addrs == tuple(made["addresses"]) == tuple(reached(asako))
        )
        said = answer(
            bram,
            "POST",
            "/api/contacts",
            json={"invite": made["invite"], "name": "Asako from the choir"},
        )
        met = until(lambda: answer(bram, "GET", f"/api/greetings/{said['id']}")["contact"], QUICK)
        assert time.monotonic() - began < QUICK
        [of_bram] = until(lambda: answer(asako, "GET", "/api/contacts")["items"])
        of_asako = answer(bram, "GET", f"/api/contacts/{met}")
        assert len(of_asako["words"]) == 6
        assert of_bram["words"] == of_asako["words"]
        assert (of_bram["name"], of_asako["name"], of_asako["own_name"]) == (
            "Bram",
            "Asako from the choir",
            "Asako",
        )
        assert answer(bram, "GET", "/api/greetings")["items"] == []
        assert answer(asako, "GET", "/api/invites")["items"][0]["state"] == "used"

        checks = json.loads(
            subprocess.run(
                [*LPM, "doctor", "--json"],
                env=asako.environment,
                capture_output=True,
                text=True,
                check=False,
            ).stdout
        )["checks"]
        assert [each["state"] for each in checks if each["id"] == "other_nodes"] == ["fine"]
        status = json.loads(
            subprocess.run(
                [*LPM, "status", "--json"],
                env=asako.environment,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        assert status["peers"] == {"state": "listening", "addresses": reached(asako)}

        places, pid = reached(asako), asako.kill_one("peer")
        assert (
            until(lambda: asako.pid("peer") not in {None, pid} and reached(asako), QUICK) == places
        )
        given = answer(
            asako,
            "POST",
            "/api/grants",
            json={
                "contact": of_bram["id"],
                "template": "answers",
                "purpose": "a visit",
                "consent": "auto",
            },
        )
        had = until(lambda: answer(bram, "GET", "/api/grants?direction=had")["items"], QUICK)
        assert [each["id"] for each in had] == [given["id"]]

        assert answer(asako, "PUT", "/api/network/reach", json={"on": False})["on"] is False
        until(lambda: asako.pid("peer") is None, QUICK)
        assert answer(asako, "GET", "/api/network/reach")["state"] == "off"
        assert reached(bram)
    assert not [
        each
        for each in psutil.process_iter(["cmdline"])
        if str(tmp_path) in " ".join(each.info["cmdline"] or [])
    ]


@only_in_full
@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or not IP,
    reason="not on this machine: network namespaces need Linux, root and ip",
)
def test_two_nodes_in_two_networks_become_contacts(tmp_path: Path) -> None:
    names = [f"lpm{os.getpid()}{each}" for each in "ab"]
    if subprocess.run([IP, "netns", "add", names[0]], capture_output=True, check=False).returncode:
        pytest.skip("not on this machine: no network namespaces")
    try:
        ip = [IP, "netns", "exec"]
        subprocess.run([IP, "netns", "add", names[1]], check=True)
        made = subprocess.run(
            [
                IP,
                "link",
                "add",
                "lpm-a",
                "netns",
                names[0],
                "type",
                "veth",
                "peer",
                "name",
                "lpm-b",
                "netns",
                names[1],
            ],
            capture_output=True,
            check=False,
        )
        if made.returncode:
            pytest.skip("not on this machine: no pair of network interfaces")
        for name, device, place in (
            (names[0], "lpm-a", "10.77.0.1/24"),
            (names[1], "lpm-b", "10.77.0.2/24"),
        ):
            for words in (
                ["link", "set", "lo", "up"],
                ["addr", "add", place, "dev", device],
                ["link", "set", device, "up"],
            ):
                subprocess.run([*ip, name, IP, *words], check=True)
        _meet_across(tmp_path, [*ip, names[0]], [*ip, names[1]])
    finally:
        for name in names:
            subprocess.run([IP, "netns", "delete", name], capture_output=True, check=False)


def _meet_across(tmp_path: Path, one: list[str], other: list[str]) -> None:
    homes = {"asako": tmp_path / "asako", "bram": tmp_path / "bram"}
    environments = {}
    for name, home in homes.items():
        environments[name] = {
            key: value for key, value in os.environ.items() if not key.startswith("LPM_")
        } | {"LPM_HOME": str(home)}
        subprocess.run(
            [*LPM, "init", "--name", name.title()],
            env=environments[name],
            check=True,
            capture_output=True,
        )
    hosts = []
    try:
        for name, inside in (("asako", one), ("bram", other)):
            command = [
                *inside,
                *LPM,
                "peer",
                "run",
                "--listen",
                "0.0.0.0",  # noqa: S104  in a network of its own
                "--port",
                "4001",
                "--json",
            ]
            hosts.append(
                subprocess.Popen(command, env=environments[name], stdout=subprocess.PIPE, text=True)
            )
        for host, place in zip(hosts, ("10.77.0.1", "10.77.0.2"), strict=True):
            assert host.stdout is not None
            assert json.loads(host.stdout.readline())["addresses"] == [f"/ip4/{place}/tcp/4001"]

        def lpm(name: str, *words: str) -> Any:  # noqa: ANN401  JSON
            return json.loads(
                subprocess.run(
                    [*LPM, *words, "--json"],
                    env=environments[name],
                    capture_output=True,
                    text=True,
                    check=True,
                    timeout=120,
                ).stdout
            )

        met = lpm("bram", "peer", "accept", lpm("asako", "peer", "invite")["link"], "--wait", "60")
        [of_bram] = lpm("asako", "peer", "list", "10.77.0.2")["items"]
        assert (of_bram["name"], of_bram["words"]) == ("Bram", met["words"])
    finally:
        for host in hosts:
            host.terminate()
        for host in hosts:
            host.wait(30)
            assert host.stdout is not None
            host.stdout.close()
