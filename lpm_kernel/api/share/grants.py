"""Grants: what others may ask, and what they cover."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.share.grant_schemas import (
    GrantIn,
    GrantList,
    GrantOut,
    GrantQuery,
    GrantWish,
    PreviewOfGrant,
    SecretsIn,
    SuspectList,
    SuspectQuery,
    TemplateList,
    TemplateOut,
)
from lpm_kernel.api.share.grant_serialisers import (
    parse_grant,
    serialise_given_grant,
    serialise_grants,
    serialise_preview,
    serialise_suspects,
)
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import PEOPLE
from lpm_kernel.domain.share.network import ContactId
from lpm_kernel.usecases.share import grants

api = PEOPLE.blueprint("grants", __name__)


@api.get("/grants", summary="What may be asked, both ways", responses={200: GrantList})
def list_grants(query: GrantQuery) -> Response:
    """List the grants that you gave, then those that others gave you; those that are over, too."""
    items, following = paged(
        lambda: serialise_grants(
            None if query.contact is None else ContactId(query.contact), query.direction
        ),
        query,
    )
    return json_response(GrantList(items=items, next_cursor=following))


@api.post("/grants", summary="Give a grant", responses={201: GrantOut})
def give(body: GrantIn) -> Response:
    """Sign it, keep it, and have the contact told. It holds from now on."""
    here = node().meeting
    made = here.give(ContactId(body.contact), parse_grant(body))
    return json_response(serialise_given_grant(made, here.covers([made])), HTTPStatus.CREATED)


@api.get("/grants/templates", summary="Templates of grants", responses={200: TemplateList})
def list_templates() -> Response:
    """List the templates; everything in them can be changed before a grant is given."""
    items = [
        TemplateOut.model_validate(
            {
                "name": name,
                "verbs": sorted(template.verbs),
                "layers": sorted(template.layers),
                "form": template.form,
                "daily": {
                    "calls": template.daily.calls,
                    "bytes": template.daily.bytes,
                    "tokens": template.daily.tokens,
                },
                "consent": template.consent,
                "days": template.days,
                "tagged": name in grants.TAGGED,
            }
        )
        for name, template in grants.TEMPLATES.items()
    ]
    return json_response(TemplateList(items=items))


@api.post(
    "/grants/preview", summary="See what a grant would cover", responses={200: PreviewOfGrant}
)
def preview(body: GrantWish) -> Response:
    """Count the rows, by kind and by document, show the first ones, and say what stays outside and
    why. Nothing is given.
    """
    return json_response(serialise_preview(node().meeting.preview(parse_grant(body)), body.allow))


@api.get("/grants/secrets", summary="What looks like a secret", responses={200: SuspectList})
def list_secrets(query: SuspectQuery) -> Response:
    """List what lies inside your grants and looks like a secret, or what came since and waits for
    your word. A contact sees nothing of it.
    """
    found = node().meeting.suspects()
    waiting = [suspect for suspect in found if suspect.allowed is None]
    shown = waiting if query.waiting else found
    items, following = paged(lambda: serialise_suspects(shown), query)
    return json_response(SuspectList(items=items, next_cursor=following, waiting=len(waiting)))


@api.put(
    "/grants/<string:id>/secrets",
    summary="Allow what looks like a secret, or leave it out",
    responses={204: None},
)
def decide_secrets(path: ById, body: SecretsIn) -> Response:
    """Say of rows whether they may be used under a grant; from now on."""
    said = dict.fromkeys(body.allow, True) | dict.fromkeys(body.leave_out, False)
    node().meeting.decide_secrets(path.id, said)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.delete("/grants/<string:id>", summary="Revoke a grant", responses={204: None})
def revoke(path: ById) -> Response:
    """Take it back now, with all that was passed on from it. What was told already stays told."""
    node().meeting.revoke(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)
