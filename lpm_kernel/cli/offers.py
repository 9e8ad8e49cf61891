"""Commands about what contacts offer, and what is offered to them."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any
from unicodedata import category

import typer

from lpm_kernel.cli.frame import AsJson, command, opened, say
from lpm_kernel.cli.peer import LOOK_EVERY, PassphraseFile, meeting_of, peer_app
from lpm_kernel.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from lpm_kernel.domain.share.network import Offer
    from lpm_kernel.node.meeting import Meeting


class Then(StrEnum):
    """What becomes of what was fetched."""

    LOOK = "look"
    KEEP = "keep"
    REFUSE = "refuse"
    RECONSIDER = "reconsider"
    """Take a refusal back."""


@command(peer_app, "offers")
def peer_offers(
    contact: Annotated[str, typer.Argument(help="Id of a contact; otherwise all.")] = "",
    as_json: AsJson = False,
) -> None:
    """List what your contacts offer you, and what you offer them."""
    from lpm_kernel.domain.share.network import ContactId

    with opened() as node:
        here = node.meeting
        if contact:
            node.ports.contacts.get(ContactId(contact))
        found = here.offers(ContactId(contact) if contact else None)
        rows = [_shown(here, offer) for offer in found]
        say(
            {"items": rows},
            [
                f"{row['id']}  {'to' if row['ours'] else 'from'} {row['name']}: {row['title']}"
                f" ({row['size']:,} bytes, {row['media']}), {row['state']}"
                + ("" if row["told"] else ", not delivered")
                + (f", {row['fetched']:,} bytes given" if row["ours"] and row["fetched"] else "")
                for row in rows
            ]
            or ["Nothing is offered."],
            as_json=as_json,
        )


@command(peer_app, "offer")
def peer_offer(
    contact: Annotated[str, typer.Argument(help="Id of the contact.")],
    document: Annotated[str, typer.Argument(help="Id of the document.")],
    days: Annotated[int, typer.Option(help="How many days the offer stands, 30 at most.")] = 7,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Offer the file of a document to one contact. What is private cannot be offered."""
    from lpm_kernel.domain.share.network import ContactId

    with opened() as node:
        here = meeting_of(node, passphrase_file)
        made = here.offer(ContactId(contact), document, days)
        name = here.named(made.contact)
        say(_shown(here, made), f"“{made.title}” is offered to {name}.", as_json=as_json)


@command(peer_app, "fetch")
def peer_fetch(
    offer: Annotated[str, typer.Argument(help="Id of the offer.")],
    then: Annotated[
        Then | None,
        typer.Option(help="What to do with what was fetched before, instead of fetching it."),
    ] = None,
    wait: Annotated[
        float, typer.Option(help="Seconds to wait until all of it is here, if your node runs.")
    ] = 20.0,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Fetch what a contact offers into quarantine; then look at it, keep it or refuse it."""
    from lpm_kernel.domain.share.network import OfferState
    from lpm_kernel.usecases.share.reach import begun

    with opened() as node:
        here = meeting_of(node, passphrase_file)
        known = _one(here, offer)
        if then is not None:
            _decide(here, known, then, as_json=as_json)
            return
        if known.state is not OfferState.HERE:
            known = here.fetch(known.contact, offer)
        running = begun(node.ports.home, node.ports.settings).addresses
        until = time.monotonic() + (wait if running else 0)
        while known.state is OfferState.FETCHING and time.monotonic() < until:
            time.sleep(LOOK_EVERY)
            known = _one(here, offer)
        if known.state is OfferState.FAILED:
            raise ConflictError(
                "It could not be fetched.",
                "They may have withdrawn it. Ask them for it.",
            )
        said = (
            "It is here. Look at it with `--then look`; keep or refuse it the same way."
            if known.state is OfferState.HERE
            else f"{known.fetched:,} of {known.size:,} bytes are here; the rest follows."
        )
        say(_shown(here, known), said, as_json=as_json)


def _decide(here: Meeting, known: Offer, then: Then, *, as_json: bool) -> None:
    if then is Then.KEEP:
        kept = here.keep_offer(known.contact, known.id)
        say(_shown(here, kept), f"Kept as the document {kept.kept}.", as_json=as_json)
    elif then is Then.REFUSE:
        refused = here.refuse_offer(known.contact, known.id)
        say(_shown(here, refused), "Refused; nothing of it is here.", as_json=as_json)
    elif then is Then.RECONSIDER:
        again = here.reconsider_offer(known.contact, known.id)
        say(_shown(here, again), "It is offered to you as before.", as_json=as_json)
    else:
        preview = here.look(known.contact, known.id)
        text = "It is no text." if preview.text is None else _shown_safely(preview.text)
        data = _shown(here, known) | {"text": preview.text, "cut": preview.cut}
        note = f"From {here.named(known.contact)}; nobody here checked it."
        say(data, [note, text, *(["…"] if preview.cut else [])], as_json=as_json)


def _shown_safely(text: str) -> str:
    """Leave out of somebody else's text what a terminal would act upon."""
    return "".join(
        sign if sign in "\n\t" or category(sign) not in {"Cc", "Cf"} else "\ufffd" for sign in text
    )


def _one(here: Meeting, offer: str) -> Offer:
    for each in here.offers():
        if each.id == offer and not each.ours:
            return each
    raise NotFoundError("offer", offer)


def _shown(here: Meeting, offer: Offer) -> dict[str, Any]:
    return {
        "id": offer.id,
        "contact": offer.contact,
        "name": here.named(offer.contact),
        "ours": offer.ours,
        "told": here.was_told(offer),
        "title": offer.title,
        "media": offer.media,
        "size": offer.size,
        "until": offer.until,
        "state": "withdrawn" if offer.withdrawn_at is not None else offer.state.value,
        "fetched": offer.fetched,
        "kept": offer.kept or None,
        "code": offer.code,
    }
