"""Strict JSON, and declared shapes that a value has or has not.

What comes from outside is read once, here. Nothing is repaired, converted or left out: a value fits
exactly or is refused with ``malformed`` and the path of the *declared* field (never a name or a
value that came in). protocol/spec/messages.md lists the rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NoReturn, Protocol

from protocol import limits
from protocol.encoding import from_b64u
from protocol.refusals import Code, Refusal

_STRINGS: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_BRACKETS: Final = re.compile(r"[\[\]{}]")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Unicode categories Cc (but tab and line feed) and Cs, which never grow; a megabyte of text is
looked through in a millisecond.
"""
_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")
_DIGITS: Final = len(str(limits.WHOLE)) + 1
_HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e"
    "\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000110bd"
    "\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
    "\U000e0020-\U000e007f\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
)
"""What changes how a line looks without being seen: controls, direction marks, surrogates, private
use. Unicode 17.0's categories Cc, Cf, Cs, Co, Zl and Zp, written out so that every version of
Python reads the same; but not the two joiners (U+200C, U+200D), without which Persian, the scripts
of India and many emoji are not written.
"""


def misshapen(at: str) -> NoReturn:
    """Refuse a value by the path of its field."""
    raise Refusal(Code.MALFORMED, at)


def write_json(value: object) -> bytes:
    """Write a value in as few bytes as JSON allows."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
        "utf-8"
    )


def read_json(data: bytes) -> object:
    """Read one value of strict JSON. Refuses ``malformed``; raises nothing else, whatever the bytes
    are.

    >>> read_json(b'{"a": [1, null]}')
    {'a': [1, None]}
    >>> read_json(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    protocol.refusals.Refusal: malformed: json
    """
    try:
        text = data.decode("utf-8", errors="strict")
        _bound_depth(text)
        value: object = json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=_whole,
            parse_float=_not_a_number,
            parse_constant=_not_a_number,
        )
    except ValueError:  # UnicodeDecodeError and JSONDecodeError are such
        misshapen("json")
    _no_lone_surrogates(value)
    return value


def _bound_depth(text: str) -> None:
    """Count brackets outside of strings before anything recursive sees them."""
    depth = 0
    for bracket in _BRACKETS.finditer(_STRINGS.sub("", text)):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > limits.DEPTH:
            misshapen("json")


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        misshapen("json")
    return members


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS or digits == "-0" or abs(int(digits)) > limits.WHOLE:
        misshapen("json")
    return int(digits)


def _not_a_number(_: str) -> NoReturn:
    misshapen("json")


def _no_lone_surrogates(value: object) -> None:
    if isinstance(value, str):
        if _SURROGATES.search(value):
            misshapen("json")
    elif isinstance(value, list):
        for each in value:
            _no_lone_surrogates(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            _no_lone_surrogates(name)
            _no_lone_surrogates(each)


# --- shapes -------------------------------------------------------------------------------------


class Shape(Protocol):
    """What a value has to look like."""

    def check(self, value: object, at: str) -> None:
        """Refuse ``malformed`` unless the value fits; ``at`` is the path that the refusal names."""


@dataclass(frozen=True)
class Text:
    """A string of so many code points, with no control characters but tab and line feed."""

    least: int
    most: int

    def check(self, value: object, at: str) -> None:
        """Refuse what is not such a text."""
        if not isinstance(value, str) or not self.least <= len(value) <= self.most:
            misshapen(at)
        if _CONTROLS.search(value):
            misshapen(at)


@dataclass(frozen=True)
class Line:
    """A string that can be shown on one line and looks like what it is; not white space only."""

    most: int

    def check(self, value: object, at: str) -> None:
        """Refuse what is not such a line."""
        if not isinstance(value, str) or not 1 <= len(value) <= self.most or not value.strip():
            misshapen(at)
        if _HIDDEN.search(value):
            misshapen(at)


@dataclass(frozen=True)
class Matching:
    """A string that an expression matches as a whole."""

    pattern: str

    def check(self, value: object, at: str) -> None:
        """Refuse what does not match."""
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value, re.ASCII):
            misshapen(at)


@dataclass(frozen=True)
class Bytes:
    """A string of base64url that holds so many bytes."""

    least: int
    most: int

    def check(self, value: object, at: str) -> None:
        """Refuse what is not base64url of that many bytes."""
        if not isinstance(value, str) or len(value) > 2 * self.most:
            misshapen(at)
        try:
            length = len(from_b64u(value))
        except ValueError:
            misshapen(at)
        if not self.least <= length <= self.most:
            misshapen(at)


@dataclass(frozen=True)
class Number:
    """A whole number between two, both included."""

    low: int
    high: int

    def check(self, value: object, at: str) -> None:
        """Refuse what is no such number; true and false are none."""
        if type(value) is not int or not self.low <= value <= self.high:
            misshapen(at)


@dataclass(frozen=True)
class Choice:
    """One of these strings."""

    values: frozenset[str]

    def check(self, value: object, at: str) -> None:
        """Refuse any other."""
        if not isinstance(value, str) or value not in self.values:
            misshapen(at)


@dataclass(frozen=True)
class Flag:
    """True or false; or one of them alone."""

    only: bool | None = None

    def check(self, value: object, at: str) -> None:
        """Refuse what is not such a flag."""
        if type(value) is not bool or (self.only is not None and value is not self.only):
            misshapen(at)


@dataclass(frozen=True)
class OrNull:
    """Null, or what another shape describes."""

    of: Shape

    def check(self, value: object, at: str) -> None:
        """Refuse what is neither."""
        if value is not None:
            self.of.check(value, at)


@dataclass(frozen=True)
class ListOf:
    """A list of so many values of one shape; ``distinct``: strings or numbers, none twice."""

    of: Shape
    least: int
    most: int
    distinct: bool = False

    def check(self, value: object, at: str) -> None:
        """Refuse what is not such a list."""
        if not isinstance(value, list) or not self.least <= len(value) <= self.most:
            misshapen(at)
        for each in value:
            self.of.check(each, f"{at}[]")
        if self.distinct and len(set(value)) != len(value):
            misshapen(at)


@dataclass(frozen=True)
class Record:
    """An object with all of some fields, any of others, and no more."""

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)

    def check(self, value: object, at: str) -> None:
        """Refuse a field that is missing, one that is not named, and one that does not fit."""
        if (
            not isinstance(value, dict)
            or not self.required.keys() <= value.keys()
            or not value.keys() <= self.required.keys() | self.optional.keys()
        ):
            misshapen(at)
        for name, each in value.items():
            (self.required.get(name) or self.optional[name]).check(
                each, f"{at}.{name}" if at else name
            )


@dataclass(frozen=True)
class OneOf:
    """What exactly one of some records describes; no two require the same field."""

    records: tuple[Record, ...]

    def check(self, value: object, at: str) -> None:
        """Refuse what none of them describes."""
        for record in self.records:
            if isinstance(value, dict) and record.required.keys() <= value.keys():
                record.check(value, at)
                return
        misshapen(at)


ID: Final = Bytes(16, 16)
HASH: Final = Bytes(32, 32)
SECONDS: Final = Number(0, limits.WHOLE)
VERSION: Final = Number(1, 1)
