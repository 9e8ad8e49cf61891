"""What `.ci/release` asks for before there is a release."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def asked(root: Path) -> list[str]:
    ran = subprocess.run(
        [sys.executable, ROOT / ".ci" / "release", root],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ran.stderr == ""
    lines = ran.stdout.splitlines()
    assert ran.returncode == (lines != ["The release has its notes."])
    return lines


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """A repository that could be released today."""
    (tmp_path / "docs" / "changes").mkdir(parents=True)
    (tmp_path / "docs" / "changes" / "README.md").write_text("# Change notes\n")
    (tmp_path / "tests" / "data" / "homes").mkdir(parents=True)
    (tmp_path / "tests" / "data" / "homes" / f"{VERSION}.tar.xz").write_bytes(b"")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changes\n\n## {VERSION} – 2026-03-14\n\n### Added\n\n- A violin.\n"
    )
    return tmp_path


def test_what_is_ready_is_let_go(ready: Path) -> None:
    assert asked(ready) == ["The release has its notes."]


def test_a_note_that_was_not_gathered_is_named(ready: Path) -> None:
    (ready / "docs" / "changes" / "violins.md").write_text("Violins are read.\n")
    (line,) = asked(ready)
    assert "violins.md" in line


@pytest.mark.parametrize(
    ("heading", "says"),
    [
        ("Unreleased", "Name the heading"),
        (f"{VERSION}", "Write of"),
        ("0.0.1 – 2025-03-14", "Write of"),
    ],
)
def test_the_version_has_a_heading_with_its_day(ready: Path, heading: str, says: str) -> None:
    log = ready / "CHANGELOG.md"
    log.write_text(re.sub(r"^## .*$", f"## {heading}", log.read_text(), flags=re.MULTILINE))
    (line,) = asked(ready)
    assert line.startswith(says)
    assert VERSION in line


def test_a_group_that_nobody_knows_is_named(ready: Path) -> None:
    log = ready / "CHANGELOG.md"
    log.write_text(log.read_text().replace("### Added", "### News"))
    (line,) = asked(ready)
    assert "not by News" in line


def test_a_home_of_the_release_is_asked_for(ready: Path) -> None:
    (ready / "tests" / "data" / "homes" / f"{VERSION}.tar.xz").unlink()
    (line,) = asked(ready)
    assert line.startswith("Freeze a home")


def test_the_change_log_stands_in_groups_that_are_known() -> None:
    assert not [line for line in asked(ROOT) if line.startswith("Group ")]
