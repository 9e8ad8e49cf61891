"""The ``lpm`` command as a person and a script use it, as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from lpm_kernel.config import Home
from lpm_kernel.usecases.processes import address
from tests.lives import SAMPLE
from tests.processes import RunningNode
from tests.scale import only_in_full


def surroundings(home: Path) -> dict[str, str]:
    return os.environ | {
        "LPM_HOME": str(home),
        "LPM_EMBEDDER": "hashing",
        "LPM_MODEL": "scripted",
        "LPM_OPEN": "0",
    }


def lpm(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lpm_kernel", *arguments],
        env=surroundings(home),
        capture_output=True,
        text=True,
        check=False,
    )


def answer(home: Path, *arguments: str) -> Any:  # noqa: ANN401  JSON
    done = lpm(home, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_from_an_empty_home_to_a_cited_answer_without_a_server(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert answer(home, "init", "--name", "ソレル 凪")["home"] == str(home)
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "program.bin").write_bytes(b"words")
    added = answer(home, "add", str(SAMPLE / "memory"), str(tmp_path / "others"))
    assert added["added"] == len(list((SAMPLE / "memory").iterdir()))
    assert [each["name"] for each in added["refused"]] == ["program.bin"]
    assert answer(home, "add", str(SAMPLE / "memory"))["known"] == added["added"]
    found = answer(home, "recall", "When did I move the workshop?", "--k", "5", "--explain")
    assert any("6 April 2024" in item["content"] for item in found["items"])
    assert set(found["items"][0]["signals"]) == {
        "words",
        "meaning",
        "time",
        "entity",
        "neighbours",
        "form",
    }
    assert answer(home, "recall", "workshop", "--since", "2024-01-01", "--until", "2024-12-31")[
        "items"
    ]
    assert answer(home, "recall", "workshop", "--until", "2001-01-01")["items"] == []
    said = answer(home, "chat", "When did I move the workshop?")
    assert said["sources"]
    assert answer(home, "reindex")["documents"] == added["added"]
    assert answer(home, "status")["running"] is False


def test_a_text_and_its_date(tmp_path: Path) -> None:
    answer(tmp_path, "add", "--text", "The cello is of 1911.", "--at", "2025-07-02")
    assert answer(tmp_path, "recall", "cello")["items"][0]["timestamp"].startswith("2025-07-02")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["recall", "x"], 1, "lpm init"),
        (["add"], 2, "--text"),
        (["add", "/no/such/file.txt"], 1, "There is no file"),
        (["add", "--text", "x", "--at", "soon"], 2, "--at"),
        (["nonsense"], 2, "nonsense"),
        (["open"], 1, "lpm init"),
    ],
)
def test_errors_are_one_sentence_and_a_status(
    tmp_path: Path, arguments: list[str], status: int, says: str
) -> None:
    done = lpm(tmp_path / "none", *arguments)
    assert done.returncode == status
    assert says in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "text", ["prot = 1", "port = -3", "theme = =", 'language = "x"\nmax_upload_mb = -5\n']
)
def test_a_wrong_setting_keeps_no_home_shut_and_the_doctor_names_it(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "settings.toml").write_text(text)
    assert lpm(tmp_path, "init").returncode == 0
    done = lpm(tmp_path, "doctor")
    assert done.returncode == 1
    assert "settings.toml" in done.stdout
    assert "line 1" in done.stdout
    assert (tmp_path / "settings.toml").read_text() == text


@only_in_full
def test_keys_are_made_listed_and_revoked(tmp_path: Path) -> None:
    answer(tmp_path, "init")
    made = answer(tmp_path, "keys", "create", "editor", "--scope", "recall")
    assert made["key"].startswith("lpm-")
    assert [row["name"] for row in answer(tmp_path, "keys", "list")["items"]] == ["editor"]
    answer(tmp_path, "keys", "revoke", made["id"])
    assert answer(tmp_path, "keys", "list")["items"] == []


def test_start_says_who_has_the_port_moves_on_and_stops_cleanly(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        started = lpm(tmp_path, "start", "--detach", "--port", str(port))
        try:
            assert started.returncode == 0, started.stderr
            assert "/login?code=" in started.stdout
            log = (tmp_path / "logs" / "start.log").read_text()
            assert f"Port {port} is used by" in log
            assert f"(process {os.getpid()})" in log
            again = lpm(tmp_path, "start")
            assert again.returncode == 1
            assert "lpm open" in again.stderr
            assert answer(tmp_path, "status")["running"] is True
        finally:
            stopped = lpm(tmp_path, "stop")
    assert stopped.stdout == "Stopped.\n"
    assert lpm(tmp_path, "stop").stdout == "The node was not running.\n"


LATE = """
import sys
from pathlib import Path
from lpm_kernel.config import Home
from lpm_kernel.worker import supervise

looks = supervise._port
def chosen_before_it_was_taken(host, wanted, *said):
    supervise._port = looks
    return wanted
supervise._port = chosen_before_it_was_taken
supervise.run(Home(Path(sys.argv[1])), int(sys.argv[2]))
"""


@only_in_full
def test_a_port_that_is_taken_between_the_choice_and_the_start_is_left(tmp_path: Path) -> None:
    answer(tmp_path, "init")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        began = subprocess.Popen(
            [sys.executable, "-c", LATE, str(tmp_path), str(port)],
            env=surroundings(tmp_path) | {"LPM_DETACHED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            until = time.monotonic() + 120
            while not (where := address(Home(tmp_path))):
                assert time.monotonic() < until
                assert began.poll() is None
                time.sleep(0.2)
            assert where != f"http://127.0.0.1:{port}"
            assert httpx.get(f"{where}/healthz").status_code == 200
        finally:
            began.terminate()
            said, _ = began.communicate(timeout=60)
    assert f"Port {port} is used by" in said
    assert "I have moved to" in said


@only_in_full
def test_the_sample_life_beside_it_stops_with_it(tmp_path: Path) -> None:
    own, sample = tmp_path / "home", tmp_path / "home-demo"
    for home in (own, sample):
        started = lpm(home, "start", "--detach", "--port", str(free_port()))
        assert started.returncode == 0, started.stderr
    try:
        assert lpm(own, "stop").stdout == "Stopped, and the sample life with it.\n"
        assert [answer(home, "status")["running"] for home in (own, sample)] == [False, False]
        assert answer(own, "stop") == {"stopped": False, "sample_stopped": False}
    finally:
        for home in (own, sample):
            lpm(home, "stop")


def test_what_is_added_while_the_node_runs_is_read_by_its_worker(tmp_path: Path) -> None:
    with RunningNode(tmp_path / "home", free_port()) as node:
        done = subprocess.run(
            [sys.executable, "-m", "lpm_kernel", "add", str(SAMPLE / "letters"), "--json"],
            env=node.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout)["added"] == len(list((SAMPLE / "letters").iterdir()))
        assert node.ask("POST", "/api/recall", json={"query": "cello"}).json()["items"]
        (node.home.settings_file).write_text(
            node.home.settings_file.read_text().replace("scripted", "/nowhere.gguf")
        )
        until = 200
        while node.ask("GET", "/api/status").json()["model"]["state"] != "down" and (
            until := until - 1
        ):
            pass
        assert node.ask("GET", "/api/status").json()["model"]["id"] == "nowhere"
        assert node.ask("POST", "/api/recall", json={"query": "cello"}).json()["items"]


@only_in_full
def test_a_node_started_after_its_supervisor_was_killed_keeps_its_port(tmp_path: Path) -> None:
    with RunningNode(tmp_path, free_port()) as node:
        serve = node.pid("serve")
        assert serve is not None
        os.kill(serve, signal.SIGSTOP)  # a server that cannot end at once, and still has the port
        node.kill()
        threading.Timer(1.0, os.kill, (serve, signal.SIGCONT)).start()
        node.start()
        assert node.ask("GET", "/healthz").status_code == 200
        assert node.pid("serve") not in {None, serve}


LEAVING = """
import os, socket, sys, time
with socket.create_server(("127.0.0.1", int(sys.argv[2]))):
    with open(os.environ["LPM_HOME"] + "/run/serve.lock", "w") as lock:
        lock.write(str(os.getpid()))
    time.sleep(3)
"""


@only_in_full
def test_a_server_that_has_let_go_of_its_name_and_not_of_its_port_is_waited_for(
    tmp_path: Path,
) -> None:
    node = RunningNode(tmp_path, free_port())
    node.home.make()
    with subprocess.Popen(
        [sys.executable, "-c", LEAVING, "lpm_kernel", str(node.port)], env=node.environment
    ) as leaving:
        while not (node.home.run / "serve.lock").exists():
            time.sleep(0.02)
        with node:
            assert node.ask("GET", "/healthz").status_code == 200
            assert node.pid("serve") is not None
        assert leaving.wait(0) == 0
