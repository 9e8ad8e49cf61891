"""The protocol stands alone and does no I/O: what it imports is PyNaCl, itself, and parts of the
standard library that touch nothing.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from protocol import limits
from protocol.refusals import MEANINGS
from protocol.session import ANSWERING, ASKING, State
from tests.protocol.twins import Person

FOLDER = Path(__file__).resolve().parents[2] / "protocol"
MODULES = sorted(FOLDER.glob("*.py"))
PURE = {
    "__future__",
    "base64",
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "hmac",
    "json",
    "re",
    "typing",
    "unicodedata",
}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_a_module_imports_nothing_that_reaches_outside(module: Path) -> None:
    tree = ast.parse(module.read_text("utf-8"))
    named = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    named |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in named} <= PURE | {"nacl", "protocol"}
    assert not {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    } & {"open", "print", "input", "eval"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_a_module_can_be_read_in_one_go(module: Path) -> None:
    assert len(module.read_text("utf-8").splitlines()) <= 400


def test_nothing_shows_a_secret_or_somebody_s_words() -> None:
    asako = Person("asako")
    message = asako.message(asako.did)
    shown = (
        repr(asako.keys)
        + str(asako.keys.identity)
        + repr(asako.keys.boxes)
        + repr(asako.card)
        + repr(message)
        + repr(asako.gives(asako))
    )
    for secret in (asako.keys.identity.seed, asako.keys.transport_seed, asako.keys.box.private):
        assert repr(secret) not in shown
        assert secret.hex() not in shown
    assert "Where did we walk?" not in shown
    assert "asako" not in shown
    assert "planning" not in shown


def test_the_tables_of_codes_in_the_specification_are_those_of_the_code() -> None:
    text = (FOLDER / "spec" / "envelope.md").read_text("utf-8").partition("## Refusal codes")[2]
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (never|same|new)\b.*\|$", text, re.MULTILINE))
    assert rows == {code.value: meaning.again.value for code, meaning in MEANINGS.items()}


def test_limits_in_the_specification_are_those_of_the_code() -> None:
    text = "".join(path.read_text("utf-8") for path in (FOLDER / "spec").glob("*.md"))
    for number in (
        limits.REQUEST,
        limits.ANSWER,
        limits.BODY,
        limits.CARD_TEXT,
        limits.GRANT_TEXT,
        limits.LINK_TEXT,
        limits.MESSAGE_LIFE,
        limits.CALLS_A_DAY,
    ):
        assert f"{number:,}" in text


@pytest.mark.parametrize("table", [ANSWERING, ASKING], ids=["answering", "asking"])
def test_a_stream_that_is_closed_stays_closed(table: dict[State, dict[str, State]]) -> None:
    assert set(table[State.CLOSED].values()) == {State.CLOSED}
    assert {state for moves in table.values() for state in moves.values()} <= set(table)
