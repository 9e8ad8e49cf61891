"""Somebody as an archive brings them: a contact, with what hangs on them, before it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lpm_kernel.domain.share.network import Contact, GrantRow, Offer, ReceivedGrant


@dataclass(frozen=True)
class ArchivedContact:
    """A contact with grants and offers, all of them under the id that the contact has there."""

    contact: Contact
    addresses: Sequence[str] = ()
    given: Sequence[GrantRow] = ()
    """Each of them over: an archive gives nobody anything."""
    had: Sequence[ReceivedGrant] = ()
    offers: Sequence[Offer] = ()
    """What of theirs was kept as a document."""
