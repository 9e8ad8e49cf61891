"""What the documents promise: commands run, links lead somewhere, targets and commands that are
named exist.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.cli import app as lpm
from tests.scale import only_in_full

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for page in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "protocol").rglob("*.md"),
    ]
    if "node_modules" not in page.parts
)
MARKED = re.compile(r"<!-- runnable -->\s*```sh\n(.*?)```", re.DOTALL)
"""A block of shell that is run as it stands, from the root of the repository, has this comment
above it.
"""

PATIENCE = 300


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture
def surroundings(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An empty home and a free port; whatever a page starts is stopped in the end."""
    here = {
        **os.environ,
        "LPM_HOME": str(tmp_path / "home"),
        "LPM_PORT": str(free_port()),
        "LPM_OPEN": "false",
        "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
    }
    yield here
    if (tmp_path / "home" / "run").exists():
        subprocess.run(
            [ROOT / ".venv" / "bin" / "lpm", "stop"], env=here, cwd=ROOT, timeout=60, check=False
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[] if page.name == "README.md" else only_in_full, id=name(page))
        for page in PAGES
        if MARKED.search(page.read_text("utf-8"))
    ],
)
def test_the_commands_of_a_page_run_as_they_stand(page: Path, surroundings: dict[str, str]) -> None:
    script = "\n".join(MARKED.findall(page.read_text("utf-8")))
    ran = subprocess.run(
        ["/bin/sh", "-eu", "-c", script],
        env=surroundings,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, f"{script}\n{ran.stdout}\n{ran.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    targets = [
        target.partition("#")[0]
        for target in re.findall(r"\]\(([^)\s]+)\)", text)
        if not re.match(r"[a-z]+:|#", target)
    ]
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_make_target_that_is_named_exists(page: Path) -> None:
    targets = set(
        re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    )
    named = set(re.findall(r"(?:`|^|&& )make ([a-z0-9-]+)", page.read_text("utf-8"), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_file_that_is_named_exists(page: Path) -> None:
    named = re.findall(
        r"`((?:lpm_kernel|protocol|tests|docker|docs|\.ci)/[\w./-]+)`", page.read_text("utf-8")
    )
    assert [path for path in named if not (ROOT / path).exists()] == []


def built() -> set[str]:
    """Return the subjects that have routes or commands."""
    paths = json.loads((ROOT / "lpm_kernel" / "api" / "openapi.json").read_text("utf-8"))["paths"]
    routes = {
        tag
        for path in paths.values()
        for call in path.values()
        if isinstance(call, dict)
        for tag in call.get("tags", ())
    }
    commands = {group.name for group in lpm.registered_groups if group.name}
    return {each.rstrip("s") for each in routes | commands} - {"home", "health"}


TEXTS = [
    page
    for page in PAGES
    if page.name not in {"log.md", "CHANGELOG.md"} and "adr" not in page.parts
]
PACKAGES = sorted((ROOT / "lpm_kernel").rglob("__init__.py"))


@pytest.mark.parametrize("page", [*TEXTS, *PACKAGES], ids=name)
def test_what_has_routes_or_commands_is_not_called_unbuilt(page: Path) -> None:
    said = re.findall(r"not built[^.|]*", page.read_text("utf-8"), re.IGNORECASE)
    wrong = [
        (word, sentence)
        for sentence in said
        for word in sorted(built())
        if re.search(rf"\b{word}s?\b", sentence, re.IGNORECASE)
    ]
    assert wrong == []


def test_every_make_target_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    shown = subprocess.run(
        ["/usr/bin/env", "make", "--no-print-directory"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    ).stdout
    for target in re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE):
        assert f"make {target} " in shown


def test_the_lock_files_name_no_address_and_pin_every_file() -> None:
    for lock in ("requirements.lock", "weights.lock"):
        text = (ROOT / lock).read_text("utf-8")
        assert not re.search(r"https?://|--index-url|--find-links", text)
        assert text.count("==") <= text.count("--hash=sha256:")
    assert not re.search(
        r"^torch==|^nvidia-|^triton==",
        (ROOT / "requirements.lock").read_text("utf-8"),
        re.MULTILINE,
    )
    assert '"resolved"' not in (ROOT / "lpm_frontend" / "package-lock.json").read_text("utf-8")


def test_the_lock_holds_what_the_project_asks_for() -> None:
    wanted = re.findall(
        r'"([A-Za-z0-9_.-]+)==([^"]+)"', (ROOT / "pyproject.toml").read_text("utf-8")
    )
    locked = dict(
        re.findall(
            r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)",
            "".join(
                (ROOT / lock).read_text("utf-8") for lock in ("requirements.lock", "weights.lock")
            ),
            re.MULTILINE,
        )
    )
    short = {
        re.sub(r"[-_.]+", "-", package).lower(): version for package, version in locked.items()
    }
    behind = [
        f"{package}=={version}"
        for package, version in wanted
        if package != "torch" and short.get(re.sub(r"[-_.]+", "-", package).lower()) != version
    ]
    assert behind == [], "run `make lock`"
