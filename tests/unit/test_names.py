"""A public class has its name for itself, so that a reader who meets it knows which one it is."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APART = {"migrations", "sample"}
SCHEMAS = "_schemas"


def classes(package: str, *, schemas: bool) -> dict[str, list[str]]:
    """Return where each public class is defined, in schemas of the API or everywhere else."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / package).rglob("*.py")):
        if APART & set(path.parts) or path.stem.endswith(SCHEMAS) != schemas:
            continue
        for statement in ast.parse(path.read_text("utf-8")).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                places[statement.name].append(str(path.relative_to(ROOT)))
    return places


@pytest.mark.parametrize(
    ("package", "schemas"), [("lpm_kernel", False), ("lpm_kernel", True), ("protocol", False)]
)
def test_no_public_class_is_defined_twice(package: str, schemas: bool) -> None:
    places = classes(package, schemas=schemas)
    assert places
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_a_schema_called_as_what_it_shows_is_named_by_its_module() -> None:
    shared = classes("lpm_kernel", schemas=True).keys() & classes("lpm_kernel", schemas=False)
    bare = {
        f"{path.relative_to(ROOT)}: {alias.name}"
        for path in sorted((ROOT / "lpm_kernel" / "api").rglob("*.py"))
        for statement in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").endswith(SCHEMAS)
        for alias in statement.names
        if alias.name in shared
    }
    assert shared
    assert bare == set()
