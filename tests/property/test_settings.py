"""Whatever stands in settings.toml, the home opens: what cannot be used is at its default, and is
named with its line.
"""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.config import Home, Settings, checked_settings, usable_settings, write_settings
from lpm_kernel.errors import InvalidInputError
from tests.scale import many

KNOWN: dict[str, Any] = {field.name: field.default for field in fields(Settings)}
ODD = (
    "-1",
    "-5",
    "0",
    "1",
    "65536",
    "1e30",
    "9" * 4000,
    "0x7f",
    "nan",
    "inf",
    "true",
    '"true"',
    '"x"',
    '""',
    '"\\u0000"',
    '"\\u001b[2J"',
    '"a\\nb"',
    "[]",
    "[1]",
    '["a", 2]',
    '["\\u0007"]',
    "[[[]]]",
    "{}",
    "{a = 1}",
    "1979-05-27T07:32:00Z",
    "07:32:00",
    '"""' + "x" * 5000 + '"""',
    '"凪"',
    "3.5",
)
"""Values as they could stand in the file, of every type that there is."""


def written(text: str | bytes) -> Home:
    home = Home(Path(tempfile.mkdtemp()))
    home.settings_file.write_bytes(
        text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    )
    return home


def could_be(name: str, value: object) -> bool:
    try:
        checked_settings({name: value})
    except InvalidInputError:
        return False
    return True


@pytest.mark.parametrize("name", KNOWN)
def test_no_value_of_any_setting_keeps_a_home_shut(name: str) -> None:
    other = "theme" if name != "theme" else "language"
    right = {"theme": "dark", "language": "ja"}[other]
    for odd in ODD:
        text = f'# mine\n{other} = "{right}"\n\n{name} = {odd}\n'
        used, problem = usable_settings(written(text))
        assert getattr(used, other) == right
        if could_be(name, tomllib.loads(text)[name]):
            assert problem == ""
            assert type(getattr(used, name)) is type(KNOWN[name])
        else:
            assert getattr(used, name) == KNOWN[name]
            assert "line 4" in problem
            assert name in problem
            assert len(problem) < 400


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('theme = "dark"\nport = [', "line 2|end of document"),
        (b'theme = "dark"\nport = \xff\xfe', "line 2 is not written in UTF-8"),
        ("x = " + "[" * 5000, "too often|line 1|end of document"),
        ("x = 1\n" * 60_000, "more than"),
        ("port = " + "9" * 5000, "too long"),
        ('theme = "dark"\ntheme = "light"\n', "line 2"),
        ("[theme]\na = 1\n", "line 1.*theme"),
        ('port = 4000\ntheme.a = "x"\n', "line 2.*theme"),
        ("a.b.c.d = 1\n", "line 1.*“a”"),
    ],
)
def test_a_broken_file_is_named_with_its_line(text: str | bytes, says: str) -> None:
    home = written(text)
    used, problem = usable_settings(home)
    assert used == Settings(port=used.port)
    assert re.search(says, problem, re.DOTALL), problem
    with pytest.raises(InvalidInputError) if "cannot be read" in problem else nullcontext():
        write_settings(home, theme="dark")


def test_the_mark_that_some_editors_write_first_does_no_harm() -> None:
    home = written(b'\xef\xbb\xbftheme = "dark"\r\nport = 4000\r\n')
    assert (
        usable_settings(home)[0].theme,
        usable_settings(home)[0].port,
        usable_settings(home)[1],
    ) == ("dark", 4000, "")
    write_settings(home, theme="light")
    assert usable_settings(home)[0].theme == "light"


def test_what_is_no_file_is_named() -> None:
    home = Home(Path(tempfile.mkdtemp()))
    home.settings_file.mkdir()
    assert "stands in its place" in usable_settings(home)[1]
    home.settings_file.rmdir()
    home.settings_file.symlink_to("/dev/zero")
    assert "stands in its place" in usable_settings(home)[1]
    with pytest.raises(InvalidInputError):
        write_settings(home, theme="dark")


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(name=st.sampled_from(sorted(KNOWN)), value=VALUES)
@settings(max_examples=many(2000, 200))
def test_what_is_accepted_is_of_its_kind_and_can_be_written(name: str, value: object) -> None:
    if not could_be(name, value):
        with pytest.raises(InvalidInputError, match=name) as caught:
            checked_settings({name: value})
        assert len(caught.value.detail) < 400
        return
    (kept,) = checked_settings({name: value}).values()
    assert type(kept) is type(KNOWN[name])
    home = written("")
    write_settings(home, **{name: kept})
    assert usable_settings(home) == (replace(Settings(), **{name: kept}), "")
    assert json.loads(json.dumps(kept)) == (list(kept) if isinstance(kept, tuple) else kept)


@given(
    data=st.binary(max_size=200)
    | st.text(alphabet="[]{}=\"'#.\n\\ ,ab1", max_size=60).map(str.encode)
)
@settings(max_examples=many(5000, 300))
def test_no_bytes_keep_a_home_shut(data: bytes) -> None:
    used, _ = usable_settings(written(data))
    assert all(could_be(name, getattr(used, name)) for name in KNOWN)
