"""The reference pages and the API's description are made from the code, and are what is checked
in.
"""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from lpm_kernel.api import describe

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = spec_from_file_location("generate", REFERENCE / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["settings.md", "commands.md", "http.md", "errors.md"])
def test_a_reference_page_is_what_the_code_says(generate: ModuleType, name: str) -> None:
    assert (REFERENCE / name).read_text("utf-8") == generate.PAGES[name](), (
        "Run `make schema` and commit what it made."
    )


def test_openapi_json_is_what_the_signatures_say() -> None:
    assert describe.FILE.read_text("utf-8") == describe.text(), (
        "Run `make schema` and commit what it made."
    )
