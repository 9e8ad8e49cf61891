"""``lpm relay`` as a person runs it: it comes back where it was, under the key that it had, and a
node that kept a place there keeps one again.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from lpm_kernel.peer import reservations
from lpm_kernel.usecases.share import own_key
from tests.integration.test_peer_process import LPM, environment
from tests.peers import Peer, until
from tests.relays import waits_at
from tests.scale import only_in_full

pytestmark = pytest.mark.slow


def said(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return list(json.loads(process.stdout.readline())["addresses"])


def test_a_relay_that_is_killed_comes_back_where_it_was_and_places_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reservations, "FIRST_PAUSE", 0.2)
    folder = tmp_path / "relay"
    command = [*LPM, "relay", "--port", "0", "--folder", str(folder), "--json"]
    with (
        Peer(tmp_path / "asako", "Asako") as asako,
        subprocess.Popen(
            command,
            env=environment(tmp_path / "nobody"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process,
    ):
        try:
            [place] = said(process)
            here = waits_at(asako, place)
            [child] = psutil.Process(process.pid).children()
            if sys.platform == "linux":
                assert 0 < child.rlimit(psutil.RLIMIT_DATA)[0] < 2**30
            child.kill()
            assert said(process) == [place]
            assert until(lambda: asako.host.places[1:]) == [here]
        finally:
            process.terminate()
            assert process.wait(20) == 0
    assert [each.name for each in folder.iterdir()] == ["key"]
    assert (folder / "key").stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "nobody").exists()  # a relay makes no home
    assert bytes.fromhex((folder / "key").read_text()) == own_key.seed(folder)


@only_in_full
def test_a_rendezvous_server_is_kept_running_likewise(tmp_path: Path) -> None:
    folder = tmp_path / "place"
    command = [*LPM, "rendezvous", "--port", "0", "--folder", str(folder), "--json"]
    with subprocess.Popen(
        command, env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            [place] = said(process)
            [child] = psutil.Process(process.pid).children()
            child.kill()
            assert said(process) == [place]
        finally:
            process.terminate()
            assert process.wait(20) == 0
    assert [each.name for each in folder.iterdir()] == ["key"]


def ran(tmp_path: Path, *words: str) -> Any:  # noqa: ANN401  what subprocess gives
    return subprocess.run(
        [*LPM, "relay", *words],
        env=environment(tmp_path / "nobody"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_what_cannot_be_is_said_in_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "relay"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = ran(tmp_path, "--port", port, "--folder", str(folder))
        assert done.returncode == 1
        assert f"port {port}" in done.stderr
    (folder / "key").write_text("half a key")
    done = ran(tmp_path, "--port", "0", "--folder", str(folder))
    assert done.returncode == 1
    assert "is damaged" in done.stderr
    done = ran(tmp_path, "--circuits", "0", "--folder", str(folder))
    assert done.returncode == 1
    assert "--circuits" in done.stderr
    assert [each.name for each in folder.iterdir()] == ["key"]
