"""Times that a client sends."""

from __future__ import annotations

from datetime import datetime

from lpm_kernel.errors import InvalidInputError


def aware_if_given(moment: datetime | None) -> datetime | None:
    """Read a time that may be left out. Raises ``InvalidInputError``."""
    return None if moment is None else aware(moment)


def aware(moment: datetime) -> datetime:
    """Read a time without a zone as the person's. Raises ``InvalidInputError`` outside the
    calendar.
    """
    try:
        return moment.astimezone()
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            "The date lies outside the calendar.", "Give a year between 1 and 9999."
        ) from error
