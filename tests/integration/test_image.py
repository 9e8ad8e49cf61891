"""The image: its files hold to rules of ours, and its steps run outside an engine, since there is
none where the tests run.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from lpm_kernel.config import Home
from lpm_kernel.usecases.processes import address
from tests.integration.test_kill import free_port
from tests.processes import PATIENCE, told
from tests.scale import only_in_full

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
BUILT_FROM = (
    "docker",
    "lpm_frontend",
    "lpm_kernel",
    "protocol",
    "pyproject.toml",
    "README.md",
    "requirements.lock",
    "weights.lock",
)
MADE = {".next", "out", "test-results", "playwright-report"}
SECRET = re.compile(r"TOKEN|PASSW|SECRET|API_?KEY", re.IGNORECASE)
STEPS = ("screens", "packages", "node", "install", "torch", "models")


def instructions() -> list[tuple[str, str]]:
    """Every instruction of the Dockerfile with what it says, on one line."""
    text = (DOCKER / "Dockerfile").read_text("utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]
    return [(name, " ".join(said.split())) for name, said in lines]


def said(name: str) -> list[str]:
    return [each for known, each in instructions() if known == name]


def stage(name: str) -> list[tuple[str, str]]:
    """The instructions of a stage and of those that it is built on."""
    found: list[tuple[str, str]] = []
    inside = False
    for known, each in instructions():
        if known == "FROM":
            base, _, called = each.partition(" AS ")
            inside = called == name
            if inside and not base.startswith("$"):
                found = stage(base)
        elif inside:
            found.append((known, each))
    return found


class TestDockerfile:
    def test_what_is_copied_is_there_and_is_sent_to_the_engine(self) -> None:
        ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        assert "*" in ignored
        copied = [
            [word for word in each.split() if not word.startswith("--chmod=")]
            for each in said("COPY")
            if not each.startswith("--from")
        ]
        assert copied
        for path in {path for words in copied for path in words[:-1]}:
            assert (ROOT / path).exists(), path
            assert f"!{path}" in ignored, path
        made_before = set(re.findall(r" AS (\S+)", "\n".join(said("FROM"))))
        taken = {each.split()[0] for each in said("COPY") if each.startswith("--from")}
        assert taken == {
            f"--from={each}" for each in ("screens", "installed-cpu", "installed-cuda")
        }
        assert {each.removeprefix("--from=") for each in taken} <= made_before

    def test_what_is_sent_to_the_engine_is_copied(self) -> None:
        ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        copied = {path for each in said("COPY") for path in each.split()[:-1]}
        assert {line[1:] for line in ignored if line.startswith("!")} <= copied

    @pytest.mark.parametrize("name", ["cpu", "cuda"])
    def test_what_runs_is_nobody_special_and_looked_after(self, name: str) -> None:
        by_name: dict[str, list[str]] = {}
        for known, each in stage(name):
            by_name.setdefault(known, []).append(each)
        assert by_name["USER"] == ["10001:10001"]
        assert by_name["VOLUME"] == ["/data"]
        assert by_name["HEALTHCHECK"][0].endswith('CMD ["/usr/local/bin/second-me", "healthy"]')
        assert by_name["ENTRYPOINT"] == ['["/usr/local/bin/second-me"]']
        assert "LPM_HOME=/data" in by_name["ENV"][0]
        assert "LPM_CONTAINER=1" in by_name["ENV"][0]
        assert "LPM_HOST" not in " ".join(by_name["ENV"])  # loopback until who runs it opens it
        assert "build-essential" not in str(by_name)
        assert f"--from=installed-{name} " in by_name["COPY"][-1]

    def test_the_bases_are_arguments_and_no_digest_is_made_up(self) -> None:
        assert [each.split("=")[0] for each in said("ARG")][:2] == ["NODE_IMAGE", "PYTHON_IMAGE"]
        outside = {each.split()[0] for each in said("FROM")}
        assert {"${NODE_IMAGE}", "${PYTHON_IMAGE}"} < outside
        assert outside - {"${NODE_IMAGE}", "${PYTHON_IMAGE}"} == {"wheels", "base"}
        assert not any("latest" in each for each in said("ARG"))

    def test_no_secret_is_in_a_layer_and_nothing_is_fetched_but_by_a_step(self) -> None:
        assert not any(SECRET.search(each) for name in ("ARG", "ENV") for each in said(name))
        assert not said("ADD")
        for command in said("RUN"):
            assert command.startswith(("docker/build.sh ", "apt-get update ")), command
            assert {*re.findall(r"docker/build\.sh (\w+)", command)} <= {*STEPS}

    def test_the_torch_of_the_image_is_that_of_the_project(self) -> None:
        project = (ROOT / "pyproject.toml").read_text("utf-8")
        (torch,) = [each for each in said("ARG") if each.startswith("TORCH=")]
        assert f'"{torch.removeprefix("TORCH=")}"' in project


class TestCompose:
    @pytest.fixture
    def node(self) -> Mapping[str, Any]:
        told = yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8"))
        assert list(told["services"]) == ["node"]
        assert list(told["volumes"]) == ["home"]
        service: Mapping[str, Any] = told["services"]["node"]
        return service

    def test_only_this_machine_reaches_it(self, node: Mapping[str, Any]) -> None:
        assert all(str(port).startswith("127.0.0.1:") for port in node["ports"])
        assert "network_mode" not in node

    def test_inside_and_outside_are_one_port(self, node: Mapping[str, Any]) -> None:
        port = node["environment"]["LPM_PORT"]
        assert node["ports"] == [f"127.0.0.1:{port}:{port}"]  # so that a login link leads there

    def test_it_may_do_nothing_that_it_need_not(self, node: Mapping[str, Any]) -> None:
        assert node["user"] == "10001:10001"
        assert node["read_only"] is True
        assert node["cap_drop"] == ["ALL"]
        assert node["security_opt"] == ["no-new-privileges:true"]
        assert node["init"] is True
        assert not {"privileged", "cap_add", "devices", "pid", "ipc", "userns_mode"} & {*node}

    def test_the_home_is_a_volume_and_nothing_of_the_machine_is_seen(
        self, node: Mapping[str, Any]
    ) -> None:
        assert node["volumes"] == ["home:/data"]
        assert [each.partition(":")[0] for each in node["tmpfs"]] == ["/tmp"]  # noqa: S108  inside
        assert not any(SECRET.search(each) for each in node["environment"])

    def test_it_is_built_from_what_is_here(self, node: Mapping[str, Any]) -> None:
        built = node["build"]
        assert (DOCKER / built["context"] / built["dockerfile"]).resolve() == DOCKER / "Dockerfile"
        assert f" AS {built['target']}" in "\n".join(said("FROM"))


def test_a_relay_may_do_nothing_that_it_need_not_and_keeps_a_key_alone() -> None:
    told = yaml.safe_load((DOCKER / "relay.yaml").read_text("utf-8"))
    assert (list(told["services"]), list(told["volumes"])) == (["relay"], ["key"])
    relay = told["services"]["relay"]
    assert relay["command"][:2] == ["relay", "--listen"]
    assert relay["user"] == "10001:10001"
    assert relay["read_only"] is True
    assert relay["cap_drop"] == ["ALL"]
    assert relay["security_opt"] == ["no-new-privileges:true"]
    assert relay["volumes"] == ["key:/data"]
    assert relay["ports"] == ["4002:4002"]
    assert "environment" not in relay
    assert f" AS {relay['build']['target']}" in "\n".join(said("FROM"))


@pytest.mark.parametrize("script", ["build.sh", "entrypoint.sh"])
def test_a_script_can_be_read_by_a_plain_shell(script: str) -> None:
    assert os.access(DOCKER / script, os.X_OK)
    subprocess.run(["/bin/sh", "-n", DOCKER / script], check=True, timeout=10)


def test_the_steps_that_are_called_are_those_of_the_script() -> None:
    script = (DOCKER / "build.sh").read_text("utf-8")
    assert re.findall(r"^(\w+)\(\) \{", script, re.MULTILINE)
    assert f"{' | '.join(STEPS)}) " in script
    ran = subprocess.run(
        [DOCKER / "build.sh", "elsewhere"], capture_output=True, timeout=10, check=False
    )
    assert ran.returncode == 2


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    ran = subprocess.run(
        [DOCKER / "entrypoint.sh", "start"],
        env={"LPM_HOME": str(tmp_path / "missing"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
    )
    assert ran.returncode == 1
    assert "cannot be written" in ran.stderr


# --- the steps, outside an engine --------------------------------------------------------------


def cached(pattern: str) -> list[Path]:
    """What `make setup` built, so that the compiler need not run again here."""
    cache = os.environ.get("LPM_CACHE") or Path("~/.cache/second-me").expanduser()
    return sorted(Path(cache).glob(pattern))


class Image:
    """What the Dockerfile would make, in a folder: every step is run as it runs there."""

    def __init__(self, root: Path) -> None:
        self.source, self.wheels = root / "source", root / "wheels"
        self.venv, self.cache = root / "venv", root / "cache"
        self.environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("LPM_") and key not in {"PYTHONPATH", "VIRTUAL_ENV"}
        } | {"PYTHON": str(Path(sys.base_prefix) / "bin" / "python3")}

    def step(self, *words: str | Path) -> None:
        ran = subprocess.run(
            [self.source / "docker" / "build.sh", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
            umask=0o022,  # a home that was opened before in this process has narrowed it
        )
        assert ran.returncode == 0, f"{words}: {ran.stdout}\n{ran.stderr}"

    def build(self) -> None:
        self.source.mkdir()
        for name in BUILT_FROM:
            if (ROOT / name).is_dir():
                shutil.copytree(
                    ROOT / name,
                    self.source / name,
                    ignore=_made,
                    copy_function=_linked if name == "lpm_frontend" else shutil.copy2,
                    symlinks=True,
                )
            else:
                shutil.copy(ROOT / name, self.source)
        self.wheels.mkdir()
        for wheel in [*cached("wheels/*/llama_cpp*.whl"), *cached("wheels/*/fastecdsa*.whl")]:
            shutil.copy(wheel, self.wheels)
        for folder in [*cached("bundled-*"), *cached("minilm-*")]:
            shutil.copytree(folder, self.cache / folder.name)
        self.step("screens")
        self.step("packages", self.wheels)
        self.step("node", self.wheels)
        self.step("install", self.wheels, self.venv, "peer,graph")
        self.step("models", self.venv, self.cache)
        shutil.rmtree(self.wheels)


def _made(folder: str, names: list[str]) -> set[str]:
    """Leave out what is built, as `.dockerignore` does."""
    here = {"__pycache__"} & {*names}
    return here | (MADE & {*names}) if Path(folder) == ROOT / "lpm_frontend" else here


def _linked(source: str, target: str) -> None:
    """Copy a file by a link where the disk is the same one: the screen's packages are many."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    made = Image(tmp_path_factory.mktemp("image"))
    made.build()
    yield made
    shutil.rmtree(made.source.parent)


class Container:
    """The image at work: its entry point, with the variables that it sets, in an empty folder."""

    def __init__(self, image: Image, root: Path) -> None:
        self.root, self.port = root, free_port()
        self.home = Home(root / "data")
        self.home.root.mkdir()
        self._environment = {
            "HOME": str(root),
            "LPM_CACHE": str(image.cache),
            "LPM_CONTAINER": "1",
            "LPM_HOME": str(self.home.root),
            "LPM_HOST": "0.0.0.0",  # noqa: S104  as Compose has it
            "LPM_OPEN": "0",
            "LPM_PORT": str(self.port),
            "PATH": f"{image.venv / 'bin'}{os.pathsep}/usr/bin:/bin",
            "PYTHONDONTWRITEBYTECODE": "1",  # what a node writes nobody else reads
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [DOCKER / "entrypoint.sh", *words],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[bytes]]:
        with (self.root / "log").open("wb") as log:
            process = subprocess.Popen(
                [DOCKER / "entrypoint.sh"],
                cwd=self.root,
                env=self._environment,
                stdout=log,
                stderr=log,
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def until(self, came: Callable[[], bool]) -> None:
        last = time.monotonic() + PATIENCE
        while not came():
            assert time.monotonic() < last, (self.root / "log").read_text("utf-8")
            time.sleep(0.5)


@only_in_full
@pytest.mark.slow
def test_whoever_the_node_runs_as_can_read_what_was_built(image: Image) -> None:
    assert [
        path
        for folder in (image.venv, image.cache)
        for path in folder.rglob("*")
        if not path.is_symlink() and not path.stat().st_mode & 0o4
    ] == []


@only_in_full
@pytest.mark.slow
def test_what_the_image_runs_answers_shows_its_screens_and_ends_when_told(
    image: Image, tmp_path: Path
) -> None:
    inside = Container(image, tmp_path)
    with inside.started() as process:
        inside.until(lambda: inside.run("healthy").returncode == 0)
        inside.until(lambda: address(inside.home) is not None)
        link = inside.run("open").stdout.strip()
        assert link.startswith(f"http://127.0.0.1:{inside.port}/login?code=")
        with httpx.Client(base_url=f"http://127.0.0.1:{inside.port}") as browser:
            assert "Second Me" in browser.get("/").text
            assert browser.get(link).status_code == 303
            checks = {each["id"]: each for each in browser.get("/api/health").json()["checks"]}
            assert "in a container" in checks["listens_only_here"]["sentence"]
            assert checks["front_end"]["state"] == "fine"
            assert browser.get("/api/sample").json()["state"] == "stopped"
        (tmp_path / "note.txt").write_text("The cello in the window is of 1911.")
        assert inside.run("add", "note.txt").returncode == 0
        inside.until(lambda: "1911" in inside.run("recall", "Of when is the cello?").stdout)
        assert "lpm_kernel.backends.llm.host" in told(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert inside.run("healthy").returncode != 0
