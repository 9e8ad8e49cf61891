"""Whether others reach this node, and what left this machine."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent
from lpm_kernel.usecases.share.passing import MOST

OutboxStateName = Literal["waiting", "answered", "refused", "expired", "withdrawn"]
ReachName = Literal["off", "listening", "starting", "stopped", "locked", "missing"]
PortMappingName = Literal["off", "asking", "open", "no_router", "refused", "not_public", "alone"]
DAY_SECONDS = 86_400


class SentOut(BaseModel):
    """What left on one day, of one kind."""

    day: str = Field(description="As 2026-03-14, in UTC.")
    contact: str | None = Field(description="None: for contacts who were deleted.")
    name: str
    category: str
    bytes: int


class MessageOut(BaseModel):
    """A message of the person's own."""

    id: str
    contact: str | None = Field(description="None: a greeting to somebody who is no contact yet.")
    name: str
    verb: str
    state: OutboxStateName
    made_at: datetime
    until: datetime
    tries: int
    next_try: datetime | None = Field(description="When it is tried again, while it waits.")
    code: str = Field(
        description=(
            "Why they refused; while it waits, why the last try brought no answer. Empty then: they"
            " were not reached."
        )
    )
    bytes: int


class ReachIn(Sent):
    """Whether others may reach this node."""

    on: bool
    everywhere: bool | None = Field(
        default=None,
        description="On every interface; otherwise on this machine alone. Left out: as it is.",
    )

    relays_for_contacts: bool | None = Field(
        default=None,
        description=(
            "Whether contacts are reached by other contacts through this node. Left out: as it is."
        ),
    )
    find_on_network: bool | None = Field(
        default=None,
        description=(
            "Whether contacts on the local network find this node, and it finds them. Left out: as"
            " it is."
        ),
    )
    map_port: bool | None = Field(
        default=None,
        description=(
            "Whether the router is asked to forward the port (UPnP), so that contacts elsewhere"
            " reach this node. Left out: as it is."
        ),
    )


class UnlockIn(Sent):
    """What opens the keys."""

    passphrase: str = Field(
        min_length=1,
        max_length=MOST,
        pattern=r"^[^\r\n]+$",
        description="As it was set by `lpm peer protect`.",
        repr=False,
    )


class RelayPlaceOut(BaseModel):
    """A relay through which contacts reach this node. It learns peer ids, addresses, times and how
    many bytes pass, and never a word.
    """

    address: str
    kept: bool = Field(description="Whether it keeps a place for this node now.")
    contact: bool = Field(description="It is a contact; otherwise the settings name it.")


class ReachOut(BaseModel):
    """Whether and where others reach this node."""

    on: bool
    everywhere: bool
    state: ReachName
    addresses: list[str] = Field(description="Where it listens, as multiaddrs.")
    locked: bool = Field(
        description=(
            "The keys wait for their passphrase: until it is typed, nothing can be signed from the"
            " screen."
        )
    )
    relays: list[RelayPlaceOut] = Field(description="Relays of the settings, and contacts who are.")
    relays_for_contacts: bool = Field(
        description="Contacts are reached by other contacts through this node."
    )
    find_on_network: bool = Field(
        description=(
            "Contacts on the local network find this node, and it finds them. Others there see that"
            " a node is here."
        )
    )
    rendezvous: str = Field(
        description=(
            "The server at which contacts find this node when both moved, as the settings name it."
            " It learns addresses and times, and sees what looks like chance. Empty: none."
        )
    )
    map_port: bool = Field(description="The router is asked to forward the port (UPnP).")
    port_mapping: PortMappingName = Field(
        description=(
            "How that stands: `open`, its address is among the addresses; `no_router`, none"
            " answered; `refused`; `not_public`, the router is behind another one; `alone`, the"
            " node listens on this machine alone."
        )
    )


class PeerEntry(BaseModel):
    """An entry of the audit about another node."""

    number: int
    at: datetime
    kind: str
    contact: str | None
    name: str
    facts: dict[str, Any]


class NetworkOut(BaseModel):
    """What left this machine: kinds and bytes, never words."""

    sent: list[SentOut] = Field(description="By day, newest first.")
    bytes: int = Field(description="All that left for contacts.")
    elsewhere: int = Field(
        description="Bytes that left for others: models that are served elsewhere."
    )
    hosts: list[str]
    outbox: list[MessageOut] = Field(description="The newest messages of your own.")
    entries: list[PeerEntry] = Field(description="The newest decisions about other nodes.")
