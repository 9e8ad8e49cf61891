"""Who can reach what, and what has left."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.home.key_schemas import KeyOut


class ListenerOut(BaseModel):
    """A port that takes connections."""

    part: Literal["screens", "contacts", "model", "other"] = Field(
        description="What answers there."
    )
    host: str
    port: int
    alone: bool = Field(description="Reached from this machine alone.")
    since: datetime = Field(description="When the process that listens began.")


class BrowserOut(BaseModel):
    """A browser that is signed in."""

    id: str
    program: str = Field(description="Which browser it says it is; empty where that is not known.")
    since: datetime
    last_used_at: datetime | None = Field(description="To the minute.")
    here: bool = Field(description="The one that asks.")


class GrantedOut(BaseModel):
    """What a contact may ask now."""

    id: str
    purpose: str
    verbs: list[Literal["ask", "recall", "fetch"]]
    tags: list[str] = Field(description="None: everything that is not private.")
    form: Literal["answer", "summary", "excerpt", "verbatim"]
    consent: Literal["auto", "ask"]
    given_at: datetime
    expires_at: datetime
    last_asked_at: datetime | None
    covers: int = Field(description="Rows that it reaches now.")


class PersonOut(BaseModel):
    """A contact who may come in."""

    id: str
    name: str
    met_at: datetime
    last_asked_at: datetime | None
    grants: list[GrantedOut] = Field(description="None: every question is refused.")


class OpenInviteOut(BaseModel):
    """A link by which somebody can still become a contact."""

    id: str
    label: str
    made_at: datetime
    expires_at: datetime


class ElsewhereOut(BaseModel):
    """A model or an embedder on another machine, to which texts go."""

    what: Literal["model", "embedder", "thinking"]
    host: str
    since: datetime | None


class WentOut(BaseModel):
    """What left for one place since the home was made."""

    to: Literal["model", "embedder", "contact", "forgotten"] = Field(
        description="`forgotten`: contacts who are deleted by now."
    )
    contact: str | None
    name: str = Field(description="Of a contact, or of a host.")
    bytes: int
    times: int | None = Field(
        description=(
            "Answers that a contact got, or texts that a model was sent; none where it is not known"
            " any more."
        )
    )
    last_at: datetime | None


class CertificateOut(BaseModel):
    """The certificate with which the node answers over HTTPS, its own."""

    sha256: str = Field(description="Its fingerprint, as browsers show it: `AB:CD:…`.")
    ends_at: datetime = Field(description="It is made anew a month before.")


class ExposureOut(BaseModel):
    """Who can reach what, from where and since when, and what has left."""

    listeners: list[ListenerOut]
    certificate: CertificateOut | None = Field(
        default=None, description="None where the screens and the API are served over HTTP."
    )
    addresses: list[str] = Field(description="Where contacts reach the node, as multiaddrs.")
    peers_on: bool = Field(description="Contacts may reach the node.")
    keys: list[KeyOut]
    browsers: list[BrowserOut]
    people: list[PersonOut]
    invites: list[OpenInviteOut]
    elsewhere: list[ElsewhereOut]
    went: list[WentOut]
    bytes: int = Field(description="All that left; the seal line shows the same.")
    answers: int = Field(description="Answers that contacts got.")
    looked_at: datetime
