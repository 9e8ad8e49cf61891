"""The package holds all that it needs: what is built from the repository works without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from lpm_kernel.usecases.home.sample import SAMPLE as SHIPPED
from tests.lives import SAMPLE

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("lpm_kernel", "protocol")
WITHOUT = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info", "node_modules")
BESIDE = Path("protocol") / "js"
"""What lies in a package's folder and is none of it: a client that is written in JavaScript."""


def run(command: Sequence[str], at: Path, **variables: str) -> str:
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=at,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked where nothing of the repository is near."""
    at = tmp_path_factory.mktemp("wheel")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, at / "source" / package, ignore=WITHOUT)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, at / "source")
    run(["-c", "from setuptools import build_meta as b; b.build_wheel('..')"], at / "source")
    (wheel,) = at.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(at / "installed")
    return at / "installed"


def names(at: Path) -> set[str]:
    return {
        str(path.relative_to(at))
        for package in PACKAGES
        for path in (at / package).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.is_relative_to(ROOT / BESIDE)
    }


def test_the_wheel_holds_every_file_of_the_packages(installed: Path) -> None:
    assert names(installed) == names(ROOT)


def test_the_sample_life_comes_along(installed: Path) -> None:
    told = run(
        [
            "-c",
            "from lpm_kernel.usecases.home import sample\nprint(sample.is_here(), sample.SAMPLE)",
        ],
        installed,
        PYTHONPATH=str(installed),
    )
    assert told.split() == ["True", str(installed / SHIPPED.relative_to(ROOT))]
    assert SHIPPED == SAMPLE


def test_the_sample_life_is_small() -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file()]
    assert len(files) > 80
    assert sum(path.stat().st_size for path in files) < 200_000
