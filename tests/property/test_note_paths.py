"""A file of the workspace has one spelling: whatever else is sent names nothing, and what is
private stays so by every spelling.
"""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.store.home.workspace import LocalWorkspace
from lpm_kernel.domain.memory.workspace import NotePath
from lpm_kernel.errors import InvalidInputError

PIECES = st.sampled_from(
    [
        "memory",
        "bank",
        "world.md",
        "Wörld.MD",
        "x.md",
        ".",
        "..",
        "",
        " ",
        "a ",
        "b.",
        "\\",
        ":",
        "\0",
        "\x1f",
        "か\u3099",
        "ｗ",
        "\u200d",
        "\ud800",
    ]
)
SPELLINGS = st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=6).flatmap(
    lambda parts: st.sampled_from(["/", "//", "/./", "\\"]).map(lambda between: between.join(parts))
)


@given(SPELLINGS)
def test_what_is_read_is_spelled_as_it_lies_below_the_folder_and_no_other_way(text: str) -> None:
    with suppress(InvalidInputError):
        path = NotePath.parse(text)
        assert path.text == text == unicodedata.normalize("NFC", text)
        whole = Path("/home/workspace") / path.text
        assert whole.as_posix() == f"/home/workspace/{text}"
        assert ".." not in whole.parts
        assert whole.suffix.lower() == ".md"
        assert not any(
            part.startswith(".") or part != part.strip() or part.endswith(".")
            for part in text.split("/")
        )
        assert not any(sign in "\\:" or unicodedata.category(sign) == "Cc" for sign in text)


@given(SPELLINGS)
def test_the_folder_itself_takes_no_way_around(text: str) -> None:
    workspace = LocalWorkspace(Path("/nowhere/at/all"))
    try:
        NotePath.listed(text)
    except InvalidInputError:
        with pytest.raises(InvalidInputError):
            workspace.read(text)


@pytest.mark.parametrize(
    "text",
    [
        "./memory/a.md",
        "memory//a.md",
        "memory/./a.md",
        "memory/../memory/a.md",
        "/memory/a.md",
        "memory\\a.md",
        "memory/a.md/",
        "memory/a.md/.",
        "memory/a.md ",
        "memory/a.md.",
        "memory /a.md",
        "memory/a.md:b.md",
        "memory/a.md/b.md",
        "memory/a\0.md",
        "memory/a\n.md",
        "memory/か\u3099.md",
        "memory/\ud800.md",
        "",
        ".md",
    ],
)
def test_other_spellings_are_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        NotePath.parse(text)


@pytest.mark.parametrize(
    "other", ["Bank/World.md", "BANK/WORLD.MD", "bank/ｗorld.md", "bank/wor\u200dld.md"]
)
def test_spellings_that_some_disk_takes_for_the_same_have_the_same_key(other: str) -> None:
    assert NotePath.parse(other).key == NotePath.parse("bank/world.md").key
