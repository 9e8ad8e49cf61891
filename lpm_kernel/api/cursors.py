"""Cursors that are numbers. What a client made up itself is refused with a sentence, never looked
up or cut to size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from lpm_kernel.api.schemas import Page
from lpm_kernel.errors import StrangeCursorError

Row = TypeVar("Row")

MOST_DIGITS = 18
"""More than any list is long, and no more than a database keeps in a whole number."""


def number(cursor: str | None) -> int | None:
    """Read a cursor that is a number; ``None`` begins at the beginning. Raises
    ``StrangeCursorError``.

    >>> number("40"), number(None)
    (40, None)
    """
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= MOST_DIGITS):
        raise StrangeCursorError
    return int(cursor)


def paged(find: Callable[[], Sequence[Row]], query: Page) -> tuple[list[Row], str | None]:
    """Give one page of a list, and the cursor of the next. A cursor that was made up is said before
    anything is looked for.
    """
    start = number(query.cursor) or 0
    found, last = find(), start + query.limit
    return list(found[start:last]), str(last) if last < len(found) else None
