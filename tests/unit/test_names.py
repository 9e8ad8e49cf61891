"""A public class has its name for itself, so that a reader who meets it knows which one it is."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APART = {"migrations", "sample", "schemas"}
"""Schemas of the API are called as what they show, and are always named by their module."""


@pytest.mark.parametrize("package", ["lpm_kernel", "protocol"])
def test_no_public_class_is_defined_twice(package: str) -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / package).rglob("*.py")):
        if APART & set(path.parts):
            continue
        for each in ast.parse(path.read_text("utf-8")).body:
            if isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
                found[each.name].append(str(path.relative_to(ROOT)))
    assert {name: where for name, where in found.items() if len(where) > 1} == {}
