"""The host as a process of its own: it comes back where it was, and what it was sent before it was
killed arrives once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.share.network import InboxState, OutboxState
from lpm_kernel.node import Node
from lpm_kernel.usecases.share import grants, outgoing
from protocol.contact import Invite
from tests.integration.test_kill import free_port
from tests.peers import REPLY, Peer, fixed, until
from tests.peers import meet as meet_by_link
from tests.processes import RunningNode, told
from tests.scale import only_in_full

pytestmark = pytest.mark.slow

LPM = [sys.executable, "-m", "lpm_kernel"]
DYING = """
import os, sys, signal
from pathlib import Path
from lpm_kernel.config import Home
from lpm_kernel.peer import process
from tests.peers import fixed

def answer(asked, now):
    mark = Path(sys.argv[1]) / "died"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return fixed(asked, now)

process.listen(Home(Path(sys.argv[1])), "127.0.0.1", int(sys.argv[2]), answer)
"""


def environment(home: Path) -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("LPM_")} | {
        "LPM_HOME": str(home)
    }


def lpm(home: Path, *words: str) -> Any:  # noqa: ANN401  JSON
    """Run a command on a home, and give what it says."""
    ran = subprocess.run(
        [*LPM, *words, "--json"],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@contextmanager
def running(home: Path) -> Iterator[subprocess.Popen[str]]:
    """``lpm peer run`` on a home, until it says where it listens and until the block ends."""
    command = [*LPM, "peer", "run", "--port", "0", "--json"]
    with subprocess.Popen(
        command, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            assert process.wait(20) == 0


def said(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return list(json.loads(process.stdout.readline())["addresses"])


def test_two_meet_from_the_command_line_and_a_host_that_is_killed_comes_back_where_it_was(
    tmp_path: Path,
) -> None:
    home = tmp_path / "bram"
    lpm(home, "init", "--name", "Bram")
    with Peer(tmp_path / "asako", "Asako", fixed) as asako, running(home) as process:
        places = said(process)
        met = lpm(home, "peer", "accept", asako.invite(), "--name", "Asako from the choir")
        [of_bram] = until(asako.node.ports.contacts.all)
        assert met["words"] == list(of_bram.words)
        [listed] = lpm(home, "peer", "list")["items"]
        assert (listed["name"], listed["state"], listed["addresses"]) == (
            "Asako from the choir",
            "active",
            [asako.address],
        )
        assert until(lambda: asako.node.ports.contacts.addresses(of_bram.id)) == places
        [child] = psutil.Process(process.pid).children()
        limit = child.rlimit(psutil.RLIMIT_DATA)[0] if sys.platform == "linux" else 1
        assert 0 < limit < 2**30
        child.kill()
        # the home can be read while its host is down, and while it comes back
        with Node.open(home, embedder=HashingEmbedder()) as bram:
            wanted = grants.GrantForm("answers", "a visit", consent="auto")
            node = asako.node
            grants.give(
                node.ports.permissions,
                node.ports.contacts,
                outgoing.Signing(node.ports.post, asako.keystore, node.ports.clock),
                of_bram.id,
                wanted,
            )
            assert said(process) == places
            asako.tries_again()
            [received] = until(bram.ports.permissions.received)
            assert [each.verb for each in bram.ports.post.inbox(limit=9)[0]] == ["grant"]
            assert received.issuer == asako.keystore.keys.identity.did


def test_a_host_that_is_killed_while_it_answers_answers_once_when_the_message_comes_again(
    tmp_path: Path,
) -> None:
    root = Path(__file__).resolve().parents[2]
    home = tmp_path / "asako"
    asako = Peer(home, "Second Me")
    with Peer(tmp_path / "bram", "Bram") as bram:

        def host(port: int) -> tuple[subprocess.Popen[str], int]:
            command = [sys.executable, "-c", DYING, str(home), str(port)]
            begun = subprocess.Popen(
                command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            assert begun.stdout is not None
            return begun, int(json.loads(begun.stdout.readline())["port"])

        first, asako.port = host(0)
        meet_by_link(asako, bram)
        grant = asako.gives(bram)
        until(bram.node.ports.permissions.received)
        asked = bram.asks(asako, grant.id)
        assert first.wait(20) == -signal.SIGKILL
        assert [
            each.state for each in asako.node.ports.post.inbox(limit=9)[0] if each.verb == "ask"
        ] == [InboxState.ASKED]
        second, _ = host(asako.port)
        until(lambda: bram.tried(asked))
        bram.tries_again()
        answered = bram.outcome(asked)
        assert (answered.state, answered.receipt) == (OutboxState.ANSWERED, REPLY)
        assert [
            each.state for each in asako.node.ports.post.inbox(limit=9)[0] if each.verb == "ask"
        ] == [InboxState.ANSWERED]
        for each in (first, second):
            assert each.stdin is not None
            assert each.stdout is not None
            each.stdin.close()  # whoever kept it is gone, so it goes too
            each.wait(20)
            each.stdout.close()
    asako.node.close()


@only_in_full
def test_the_process_that_listens_has_the_running_node_answer(tmp_path: Path) -> None:
    """Every process as a person has it: the supervisor with server, worker and model host; the host
    of the peer with its bound; another person.
    """
    home = tmp_path / "asako"
    home.mkdir(mode=0o700)
    with (
        Peer(tmp_path / "bram", "Bram") as bram,
        RunningNode(home, free_port()) as node,
        running(home) as process,
    ):
        asako = Peer(home, "Second Me")  # what the person does; its host is the process
        asako.port = int(said(process)[0].rpartition("/")[2])
        meet_by_link(asako, bram)
        asako.node.library.add_bytes(
            "walk.md", b"## Retain\n\n- B I walked along the canal in Aldermoor.\n", tags=["walks"]
        )
        node.settle()
        grant = asako.gives(bram, tags=("walks",), form="excerpt")
        until(bram.node.ports.permissions.received)
        until((home / "run" / "node.json").exists)
        body = dict(bram.outcome(bram.asks(asako, grant.id), 60).receipt or {})
        assert "I walked along the canal in Aldermoor." in body["text"]
        assert [each["quote"] for each in body["cites"]] == [
            "I walked along the canal in Aldermoor."
        ]
        asako.node.close()


def test_a_passphrase_opens_the_host_and_stands_in_no_process(tmp_path: Path) -> None:
    home, secret = tmp_path / "asako", tmp_path / "passphrase"
    secret.write_text("a heron over the weir\n", "utf-8")
    lpm(home, "init", "--name", "Asako")
    known = lpm(home, "peer", "id")
    protect = [*LPM, "peer", "protect", "--passphrase-file", str(secret)]
    assert (
        subprocess.run(
            protect, env=environment(home), capture_output=True, text=True, check=False, timeout=60
        ).returncode
        == 0
    )
    assert lpm(home, "peer", "id", "--passphrase-file", str(secret)) == known
    (tmp_path / "other").write_text("another one\n", "utf-8")
    run = [*LPM, "peer", "run", "--port", "0", "--json", "--passphrase-file"]
    wrong = subprocess.run(
        [*run, str(tmp_path / "other")],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "cannot be unlocked" in wrong.stderr
    with subprocess.Popen(
        [*run, str(secret)], env=environment(home), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert said(process)
            everything = told(process.pid)
            assert "lpm_kernel.peer.process" in everything
            assert "heron" not in everything
        finally:
            process.terminate()
            assert process.wait(20) == 0


@only_in_full
def test_a_host_whose_keys_were_locked_by_another_passphrase_ends_and_says_so(
    tmp_path: Path,
) -> None:
    home, secret = tmp_path / "asako", tmp_path / "passphrase"
    secret.write_text("a heron over the weir\n", "utf-8")
    lpm(home, "init", "--name", "Asako")
    run = [*LPM, "peer", "run", "--port", "0", "--json"]
    with subprocess.Popen(
        run, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert said(process)
        protect = [*LPM, "peer", "protect", "--passphrase-file", str(secret)]
        subprocess.run(protect, env=environment(home), capture_output=True, check=True, timeout=60)
        assert process.wait(60) == 1
        assert process.stderr is not None
        assert "locked by your passphrase" in process.stderr.read()


@only_in_full
def test_a_link_is_made_and_answered_while_nothing_listens_and_the_hello_waits(
    tmp_path: Path,
) -> None:
    asako, bram = tmp_path / "asako", tmp_path / "bram"
    for home in (asako, bram):
        lpm(home, "init", "--name", home.name.title())
    refused = subprocess.run(
        [*LPM, "peer", "invite"],
        env=environment(asako),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (refused.returncode, refused.stderr) == (
        1,
        (
            "Other nodes cannot reach this one: it is not listening. Start listening with"
            " `lpm peer run`, or give an address yourself.\n"
        ),
    )
    link = lpm(
        asako, "peer", "invite", "--address", "/ip4/192.0.2.7/tcp/4001", "--note", "for Bram"
    )["link"]
    invite = Invite.read(link)
    assert invite.addrs == ("/ip4/192.0.2.7/tcp/4001",)
    assert lpm(asako, "peer", "id") == {"did": invite.did, "peer": invite.peer}
    assert lpm(bram, "peer", "accept", link) == {"state": "waiting"}
    assert lpm(bram, "peer", "list") == {"items": []}
