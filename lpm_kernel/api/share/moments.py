"""When something ends, and when it is tried again; the protocol counts in seconds."""

from __future__ import annotations

from datetime import UTC, datetime

from lpm_kernel.api.context import node
from lpm_kernel.domain.share.network import OutboxRow, OutboxState


def moment(seconds: int) -> datetime:
    """Read seconds since 1970 as a moment."""
    return datetime.fromtimestamp(seconds, UTC)


def next_try(row: OutboxRow) -> datetime | None:
    """Say when a message is tried again."""
    return moment(row.next_try) if row.state is OutboxState.WAITING else None


def is_over(seconds: int) -> bool:
    """Tell whether a moment has passed, in seconds since 1970."""
    return seconds <= node().ports.clock.now().timestamp()
