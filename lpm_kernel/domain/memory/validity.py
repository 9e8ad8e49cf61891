"""The time in which something is so, apart from the time in which it was believed: what the person
says of it, and what was settled about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.ids import DocumentId


@dataclass(frozen=True)
class Validity:
    """From ``start`` until before ``end``; ``None``: nobody knows, so it may reach as far as you
    like.
    """

    start: datetime | None = None
    end: datetime | None = None

    def meets(self, first: datetime, last: datetime) -> bool:
        """Tell whether it was so at any time from ``first`` to ``last``, which may be one moment.

        >>> from datetime import UTC
        >>> def year(number: int) -> datetime: return datetime(number, 1, 1, tzinfo=UTC)
        >>> lived = Validity(year(2019), year(2023))
        >>> (lived.meets(year(2022), year(2025)), lived.meets(year(2023), year(2024)),
        ...  Validity(end=year(2023)).meets(year(1999), year(1999)))
        (True, False, True)
        """
        return (self.start is None or self.start < last or self.start <= first) and (
            self.end is None or self.end > first
        )


UNKNOWN = Validity()


@dataclass(frozen=True)
class Dated:
    """What was said of the time in which one sentence is so. It holds for these words: worded
    otherwise, the sentence is another.
    """

    id: str
    """Of the memory, or of the finding where it is no statement that was kept."""
    document: DocumentId
    quote: str = field(repr=False)
    text_version: str
    start: int
    end: int
    """Where it stood in that version of the text."""
    validity: Validity
    at: datetime
    ruling: str = ""
    """The disagreement that was settled so; empty: the person gave the dates themselves, and that
    comes first.
    """


def together(said: Iterable[Validity]) -> Validity:
    """Put together what was said of one sentence: of each end the first that says anything.

    >>> from datetime import UTC
    >>> a, b = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)
    >>> together([Validity(end=b), Validity(a, a)]) == Validity(a, b)
    True
    """
    start = end = None
    for validity in said:
        start, end = start or validity.start, end or validity.end
    return Validity(start, end)


class Dates(Protocol):
    """Where the dates of sentences are looked up."""

    def about(
        self, documents: Collection[DocumentId], memories: Collection[str] = ()
    ) -> list[Dated]:
        """Return what is known of sentences of these documents and of these memories, the person's
        own dates first, then the newest.
        """
        ...

    def ruled(self, rulings: Collection[str]) -> list[Dated]:
        """Return what these rulings set."""
        ...

    def during(self, first: datetime, last: datetime, limit: int) -> list[Dated]:
        """Return what was so at any time from ``first`` to ``last``, as far as the dates say, what
        began last first.
        """
        ...


class Validities(Dates, Protocol):
    """Keeps the dates. They go with their document."""

    def put(self, dated: Dated) -> None:
        """Keep these dates in the place of those before them; without a date, nothing is left.
        Raises ``NotFoundError`` for a document that is not there.
        """
        ...

    def take_back(self, ruling: str) -> None:
        """Forget what a ruling set."""
        ...

    def all(self) -> list[Dated]:
        """Return everything, oldest first."""
        ...
