"""What contacts offer and what is offered to them: fetch, look, keep, refuse."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.schemas import Page
from lpm_kernel.api.share.contact_schemas import ByContact
from lpm_kernel.api.share.moments import moment
from lpm_kernel.api.share.offer_schemas import (
    ByOffer,
    ItemIn,
    OfferIn,
    OfferList,
    OfferOut,
    OfferPreviewOut,
)
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import PEOPLE
from lpm_kernel.domain.share.network import ContactId, Offer

api = PEOPLE.blueprint("offers", __name__)


def serialise_offer(offer: Offer) -> OfferOut:
    """Show an offer."""
    return OfferOut(
        id=offer.id,
        contact=offer.contact,
        name=node().meeting.named(offer.contact),
        ours=offer.ours,
        told=node().meeting.was_told(offer),
        title=offer.title,
        media=offer.media,
        size=offer.size,
        hash=offer.hash,
        until=moment(offer.until),
        withdrawn_at=offer.withdrawn_at,
        document=offer.document or None,
        state=offer.state.value,
        fetched=offer.fetched,
        came_at=offer.came_at,
        grant=offer.grant or None,
        kept=offer.kept or None,
        code=offer.code,
    )


@api.get("/offers", summary="What is offered, to and by everybody", responses={200: OfferList})
def list_all_offers(query: Page) -> Response:
    """List every offer, yours and theirs, those that last longest first."""
    page, following = paged(node().meeting.offers, query)
    return json_response(
        OfferList(items=[serialise_offer(offer) for offer in page], next_cursor=following)
    )


@api.get(
    "/contacts/<string:id>/offers",
    summary="What is offered, both ways",
    responses={200: OfferList},
)
def list_offers(path: ByContact, query: Page) -> Response:
    """List what you offered to a contact and what they offer, those that last longest first."""
    contact = ContactId(path.id)
    page, following = paged(
        lambda: node().meeting.offers(node().ports.contacts.get(contact).id), query
    )
    return json_response(
        OfferList(items=[serialise_offer(offer) for offer in page], next_cursor=following)
    )


@api.post(
    "/contacts/<string:id>/offers",
    summary="Offer a document",
    responses={202: OfferOut},
)
def make_offer(path: ByContact, body: OfferIn) -> Response:
    """Offer the file of one document to one contact: they see its title, kind and size, and may
    fetch it while the offer stands. What is private cannot be offered.
    """
    made = node().meeting.offer(ContactId(path.id), body.document, body.days)
    return json_response(serialise_offer(made), HTTPStatus.ACCEPTED)


@api.delete(
    "/contacts/<string:id>/offers/<string:offer>",
    summary="Withdraw an offer",
    responses={204: None},
)
def withdraw_offer(path: ByOffer) -> Response:
    """Take an offer of yours back. What they fetched already they have."""
    node().meeting.withdraw_offer(path.offer)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post(
    "/contacts/<string:id>/offers/<string:offer>/fetch",
    summary="Fetch what is offered",
    responses={202: OfferOut},
)
def fetch_offer(path: ByOffer) -> Response:
    """Fetch it piece by piece into quarantine, where it waits for you; or go on with it."""
    begun = node().meeting.fetch(ContactId(path.id), path.offer)
    return json_response(serialise_offer(begun), HTTPStatus.ACCEPTED)


@api.post(
    "/contacts/<string:id>/items",
    summary="Fetch an item under a grant",
    responses={202: OfferOut},
)
def fetch_item(path: ByContact, body: ItemIn) -> Response:
    """Fetch the text that an item of their answers lies in, as far as their grant covers it; it
    waits in quarantine like an offer.
    """
    begun = node().meeting.fetch_item(ContactId(path.id), body.item, body.grant)
    return json_response(serialise_offer(begun), HTTPStatus.ACCEPTED)


@api.get(
    "/contacts/<string:id>/offers/<string:offer>/preview",
    summary="Look at what was fetched",
    responses={200: OfferPreviewOut},
)
def preview_offer(path: ByOffer) -> Response:
    """Show its beginning as plain text. Nothing of it is read by the node yet."""
    preview = node().meeting.look(ContactId(path.id), path.offer)
    return json_response(
        OfferPreviewOut(offer=serialise_offer(preview.offer), text=preview.text, cut=preview.cut)
    )


@api.post(
    "/contacts/<string:id>/offers/<string:offer>/keep",
    summary="Keep what was fetched",
    responses={200: OfferOut},
)
def keep_offer(path: ByOffer) -> Response:
    """Make a document of it, in the folder `from others`, with whom it came from in its title."""
    kept = node().meeting.keep_offer(ContactId(path.id), path.offer)
    return json_response(serialise_offer(kept))


@api.post(
    "/contacts/<string:id>/offers/<string:offer>/refuse",
    summary="Refuse what is offered",
    responses={200: OfferOut},
)
def refuse_offer(path: ByOffer) -> Response:
    """Throw away what was fetched of it. They are not told."""
    refused = node().meeting.refuse_offer(ContactId(path.id), path.offer)
    return json_response(serialise_offer(refused))


@api.post(
    "/contacts/<string:id>/offers/<string:offer>/reconsider",
    summary="Take a refusal back",
    responses={200: OfferOut},
)
def reconsider_offer(path: ByOffer) -> Response:
    """Have it offered again, while it lasts. What was thrown away has to be fetched anew."""
    again = node().meeting.reconsider_offer(ContactId(path.id), path.offer)
    return json_response(serialise_offer(again))
