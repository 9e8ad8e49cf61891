"""What is taken from a server that nobody here runs: so many bytes, for so long, and only what has
the shape that was asked for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn, TypeVar

T = TypeVar("T")

LARGEST_COUNT = 10_000_000
"""Tokens, of a window or of an answer. A larger number is no count."""


class TooMuchError(Exception):
    """The server sends more, or for longer, than is taken; what was sent so far is dropped."""


@dataclass(frozen=True)
class Bound:
    """How much of one answer is taken."""

    bytes: int
    seconds: float
    """From the first byte to the last, however often something comes in between."""


def gather(pieces: Iterable[bytes], bound: Bound) -> bytes:
    """Return a body whole. Raises ``TooMuchError``.

    >>> gather([b"[1,", b"2]"], Bound(10, 5))
    b'[1,2]'
    """
    until = time.monotonic() + bound.seconds
    taken = bytearray()
    for piece in pieces:
        taken += piece
        if len(taken) > bound.bytes or time.monotonic() > until:
            raise TooMuchError
    return bytes(taken)


def lines(pieces: Iterable[bytes], bound: Bound) -> Iterator[str]:
    r"""Divide a stream into lines as server-sent events have them; ``bound.bytes`` is for one line.
    Raises ``TooMuchError``.

    >>> list(lines([b"data: a\r", b"\ndata", b": b\n\n"], Bound(10, 5)))
    ['data: a', 'data: b', '']
    """
    until = time.monotonic() + bound.seconds
    rest, after_return = bytearray(), False
    for piece in pieces:
        if time.monotonic() > until:
            raise TooMuchError
        fresh = piece[1:] if after_return and piece[:1] == b"\n" else piece
        after_return = piece[-1:] == b"\r"
        rest += fresh
        if b"\n" not in fresh and b"\r" not in fresh:
            if len(rest) > bound.bytes:
                raise TooMuchError
            continue  # the line goes on, and is not looked through again for every byte of it
        *whole, last = rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if max(map(len, (*whole, last))) > bound.bytes:
            raise TooMuchError
        rest = bytearray(last)
        yield from (line.decode("utf-8", "replace") for line in whole)


def parsed(data: bytes | str) -> object:
    """Return what JSON says. Raises ``ValueError`` also for what nests too deeply, and for numbers
    that are none.

    >>> parsed('{"a": [1]}')
    {'a': [1]}
    """
    try:
        made: object = json.loads(data, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("It nests too deeply.") from error
    return made


def mapping(value: object) -> dict[str, object]:
    """Return an object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[object]:
    """Return a list of JSON; an empty one for anything else."""
    return value if isinstance(value, list) else []


def shaped(value: object, empty: T) -> T:
    """Return a field that has the type of ``empty``, which stands for a missing one. Raises
    ``ValueError`` for another.

    >>> shaped(None, []), shaped([1], []), shaped("a", "")
    ([], [1], 'a')
    """
    if value is None:
        return empty
    if not isinstance(value, type(empty)):
        raise ValueError("A field is of another kind.")  # noqa: TRY004  one error for whatever is no answer
    return value


def text(value: object, most: int) -> str:
    r"""Return a text of JSON, cut to ``most`` signs and without halves of surrogate pairs; an empty
    one for anything else.

    >>> text("a\ud800b", 9), text(5, 9)
    ('a?b', '')
    """
    return value[:most].encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def count(value: object, least: int = 0) -> int | None:
    """Return a count; ``None`` for anything that is none.

    >>> count(7), count(-5), count(True), count(10**30), count("7")
    (7, None, None, None, None)
    """
    is_count = (
        isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST_COUNT
    )
    return value if is_count and isinstance(value, int) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number.")
