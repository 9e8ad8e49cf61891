"""The floors and doors hold: the house as it is passes, and every contract bites when it is
broken.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WRONG = {
    "lpm_kernel/utils.py": "",
    "lpm_kernel/domain/wrong.py": "import lpm_kernel.L0\nimport numpy\n",
    "lpm_kernel/backends/llm/wrong.py": (
        "import lpm_kernel.backends.embed\nimport lpm_kernel.config\n"
    ),
    "lpm_kernel/usecases/wrong.py": "import lpm_kernel.usecases.worse\n",
    "lpm_kernel/usecases/worse.py": "import lpm_kernel.usecases.wrong\n",
    "lpm_kernel/L0/wrong.py": (
        "import flask\nimport sqlalchemy\nimport libp2p\nimport llama_cpp\nimport httpx\nimport"
        " onnxruntime\nimport graphrag\nimport segno\nimport gguf\nimport nacl\nimport torch\n"
        "import cryptography\n"
    ),
    "lpm_kernel/L0/worse.py": "import protocol\n",
    "lpm_kernel/L1/wrong.py": "",
    "lpm_kernel/api/wrong.py": "",
    "lpm_kernel/backends/store/wrong.py": "",
    "lpm_kernel/L2/__init__.py": "",
    "lpm_kernel/L2/recipes/__init__.py": "",
    "lpm_kernel/L2/recipes/wrong.py": "",
    "lpm_kernel/L2/wrong.py": "import lpm_kernel.L2.recipes.wrong\n",
    "protocol/wrong.py": "import lpm_kernel.errors\nimport pydantic\n",
}


def contracts() -> list[str]:
    with (ROOT / "pyproject.toml").open("rb") as handle:
        return [
            contract["name"]
            for contract in tomllib.load(handle)["tool"]["importlinter"]["contracts"]
        ]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, without anything else."""
    copy = tmp_path_factory.mktemp("house")
    for package in ("lpm_kernel", "protocol"):
        shutil.copytree(
            ROOT / package,
            copy / package,
            ignore=lambda folder, names: [
                name
                for name in names
                if (Path(folder) / name).is_file() and not name.endswith(".py")
            ],
        )
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def verdicts(house: Path) -> dict[str, str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    said = subprocess.run(
        command, cwd=house, capture_output=True, text=True, timeout=120, check=False
    )
    found = {
        name: verdict
        for name in contracts()
        if (verdict := re.search(rf"^{re.escape(name)} (KEPT|BROKEN)", said.stdout, re.MULTILINE))
    }
    assert len(found) == len(contracts()), said.stdout + said.stderr
    return {name: verdict[1] for name, verdict in found.items()}


def test_the_house_keeps_its_contracts_and_each_of_them_bites(house: Path) -> None:
    kept = verdicts(house)
    assert set(kept.values()) == {"KEPT"}, [
        name for name, verdict in kept.items() if verdict != "KEPT"
    ]
    for path, text in WRONG.items():
        (house / path).parent.mkdir(parents=True, exist_ok=True)
        (house / path).write_text(text, "utf-8")
    broken = verdicts(house)
    assert set(broken.values()) == {"BROKEN"}, [
        name for name, verdict in broken.items() if verdict != "BROKEN"
    ]


def imports(path: Path) -> Iterator[str]:
    """Name what a module imports when it runs: what stands under TYPE_CHECKING is for readers."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.If)
            and isinstance(node.test, ast.Name)
            and node.test.id == "TYPE_CHECKING"
        ):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_the_domain_needs_nothing_but_the_standard_library() -> None:
    for path in [
        *(ROOT / "lpm_kernel" / "domain").rglob("*.py"),
        ROOT / "lpm_kernel" / "errors.py",
    ]:
        for name in imports(path):
            assert name.partition(".")[0] in sys.stdlib_module_names or name.startswith(
                ("lpm_kernel.domain", "lpm_kernel.errors")
            ), f"{path.name} imports {name}"


def test_every_exception_from_the_rules_gives_its_reason() -> None:
    """In pyproject.toml beside the rule; in the code after the rule's number."""
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    lists = re.findall(r"^(?:ignore|\"[^\"]+\") = \[\n(.*?)^\]", settings, re.MULTILINE | re.DOTALL)
    rules = [
        line for part in lists for line in part.splitlines() if re.match(r'\s+"[A-Z]+\d*",', line)
    ]
    assert rules
    assert [line.strip() for line in rules if "#" not in line] == []
    bare = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("lpm_kernel", "protocol", "tests")
        for path in (ROOT / folder).rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"#\s*noqa(?::\s*[A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)?\s*$", line)
    ]
    assert bare == []


NO_MODULE = {"sudachidict-core"}
"""Data alone; another package reads it."""
COMES_ALONG = {"google", "multiaddr", "pandas", "pydantic_core", "trio", "werkzeug"}
"""Flask is built on werkzeug, and pydantic on its core; each hands out the other's parts. graphrag
takes and gives pandas' frames.
"""


def imported() -> set[str]:
    trees = [
        ast.parse(path.read_text("utf-8"))
        for folder in ("lpm_kernel", "protocol")
        for path in (ROOT / folder).rglob("*.py")
    ]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
    }
    return (
        {name.partition(".")[0] for name in names}
        - set(sys.stdlib_module_names)
        - {"_typeshed", "lpm_kernel", "protocol"}
    )


def test_what_is_declared_is_imported_and_what_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    optional = [
        each for extra in project["project"]["optional-dependencies"].values() for each in extra
    ]
    declared = {
        re.split(r"[=<>\[; ]", each)[0].lower() for each in project["project"]["dependencies"]
    }
    beside = {
        re.split(r"[=<>\[; ]", each)[0].lower()
        for each in [*optional, *project["dependency-groups"]["weights"]]
    }
    owners = {
        module: {name.lower().replace("_", "-") for name in names}
        for module, names in packages_distributions().items()
    }
    used = {name for module in imported() for name in owners.get(module, {module})}
    assert declared - used == NO_MODULE
    assert {
        module for module in imported() if not owners.get(module, {module}) & (declared | beside)
    } == COMES_ALONG
