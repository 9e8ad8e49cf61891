"""Who can reach what, from where and since when, and what has left: one answer for one page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus

from flask import Response, request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import node
from lpm_kernel.api.gate import cookie_name
from lpm_kernel.api.home.exposure_schemas import (
    BrowserOut,
    CertificateOut,
    ElsewhereOut,
    ExposureOut,
    GrantedOut,
    ListenerOut,
    OpenInviteOut,
    PersonOut,
    WentOut,
)
from lpm_kernel.api.home.key_serialisers import serialise_key
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.share.grant_serialisers import EVERY
from lpm_kernel.api.streams import json_response
from lpm_kernel.backends.vault.certificate import known_certificate
from lpm_kernel.config import is_encrypted
from lpm_kernel.usecases.home.access import session_of
from lpm_kernel.usecases.share.exposure import Exposure, Granted, ReachingContact
from lpm_kernel.usecases.share.sockets import ListeningPort

api = APIBlueprint(
    "exposure",
    __name__,
    url_prefix="/api",
    abp_tags=[Tag(name="exposure", description="Who can reach what, and what has left")],
)

PARTS = {"serve": "screens", "peer": "contacts", "model": "model"}
"""What answers on a port of a process."""


@api.get("/exposure", summary="Who can reach what, and what has left", responses={200: ExposureOut})
def get_exposure() -> Response:
    """List every port that is listened on, every key, browser, contact and invite, every model
    elsewhere, and what went to whom.
    """
    here = node()
    known, left = here.exposure(), here.left()
    return json_response(
        ExposureOut(
            listeners=[_listener(port) for port in known.listeners],
            certificate=_certificate(),
            addresses=list(known.reached.addresses),
            peers_on=known.reached.on,
            keys=[serialise_key(key) for key in known.keys],
            browsers=_browsers(known),
            people=[_person(contact) for contact in known.people],
            invites=[
                OpenInviteOut(
                    id=invite.id,
                    label=invite.note,
                    made_at=invite.made_at,
                    expires_at=datetime.fromtimestamp(invite.expires, UTC),
                )
                for invite in known.invites
            ],
            elsewhere=[
                ElsewhereOut.model_validate(elsewhere, from_attributes=True)
                for elsewhere in known.elsewhere
            ],
            went=list(_went(known)),
            bytes=left.bytes,
            answers=left.answers,
            looked_at=here.ports.clock.now(),
        )
    )


@api.delete("/browsers/<string:id>", summary="Sign a browser out", responses={204: None})
def sign_out(path: ById) -> Response:
    """End its session now; it takes a new link from `lpm open` to come in again."""
    node().ports.access.end_session(path.id, node().ports.clock.now())
    return Response(status=HTTPStatus.NO_CONTENT)


def _certificate() -> CertificateOut | None:
    here = node().ports
    shown = known_certificate(here.home.certificate) if is_encrypted(here.settings) else None
    return (
        None if shown is None else CertificateOut(sha256=shown.fingerprint, ends_at=shown.ends_at)
    )


def _listener(each: ListeningPort) -> ListenerOut:
    fields = {
        "part": PARTS.get(each.process, "other"),
        "host": each.host,
        "port": each.port,
        "alone": each.alone,
        "since": each.since,
    }
    return ListenerOut.model_validate(fields)


def _browsers(known: Exposure) -> list[BrowserOut]:
    secret = request.cookies.get(cookie_name(node()))
    mine = None if secret is None else session_of(node().ports.access, node().ports.clock, secret)
    return [
        BrowserOut(
            id=browser.id,
            program=browser.program,
            since=browser.since,
            last_used_at=browser.last_used_at,
            here=mine is not None and mine.id == browser.id,
        )
        for browser in known.browsers
    ]


def _person(each: ReachingContact) -> PersonOut:
    granted = [_granted(one) for one in each.grants]
    return PersonOut(
        id=each.contact.id,
        name=each.name,
        met_at=each.contact.met_at,
        last_asked_at=each.last_asked_at,
        grants=granted,
    )


def _granted(each: Granted) -> GrantedOut:
    row, grant = each.standing.row, each.standing.grant
    return GrantedOut.model_validate(
        {
            "id": row.id,
            "purpose": grant.scope.purpose,
            "verbs": sorted(grant.verbs),
            "tags": [] if grant.scope.tags == EVERY else sorted(grant.scope.tags),
            "form": grant.scope.form,
            "consent": grant.consent,
            "given_at": row.given_at,
            "expires_at": datetime.fromtimestamp(grant.exp, UTC),
            "last_asked_at": each.last_asked_at,
            "covers": each.covers,
        }
    )


def _went(known: Exposure) -> Iterator[WentOut]:
    for one in known.people:
        if one.bytes or one.answers:
            yield WentOut(
                to="contact",
                contact=one.contact.id,
                name=one.name,
                bytes=one.bytes,
                times=one.answers,
                last_at=one.last_answer_at,
            )
    for departed in known.departed:
        fields = {
            "to": departed.why,
            "contact": None,
            "name": departed.host,
            "bytes": departed.bytes,
            "times": departed.times,
            "last_at": departed.last_at,
        }
        yield WentOut.model_validate(fields)
    if known.forgotten:
        yield WentOut(
            to="forgotten", contact=None, name="", bytes=known.forgotten, times=None, last_at=None
        )
