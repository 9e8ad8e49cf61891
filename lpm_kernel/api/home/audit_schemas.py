"""The audit chain, and verifications."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from lpm_kernel.api.schemas import Page, Sent


class AuditEntry(BaseModel):
    """One thing that happened, chained to the one before by its hash."""

    number: int
    at: datetime
    kind: str
    facts: dict[str, Any]
    previous: str
    hash: str


class BreakOut(BaseModel):
    """The first place where the chain does not hold."""

    number: int
    sentence: str


class AuditList(BaseModel):
    """A page of the audit chain."""

    items: list[AuditEntry]
    next_cursor: str | None = None
    verified: bool | None = None
    broken: BreakOut | None = None


class AuditQuery(Page):
    """Which entries, and whether the chain is walked."""

    verify: bool = False


class VerificationIn(Sent):
    """Whether what can be made again is made again."""

    repair: bool = False
