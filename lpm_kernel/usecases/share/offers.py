"""Offers and what is fetched: one item from one person to another, looked at before it is kept.

The owner offers a document; the other side sees title, kind and size, and fetches it into the
quarantine when the person says so, piece by piece, each asked by a message of the outbox, so that
what a dying process leaves goes on where it was. Once all of it is there and has the hash that was
offered, the person looks at it and keeps or refuses it. An item of a grant comes the same way; its
hash is the one that its first piece names.
"""

from __future__ import annotations

import codecs
import mimetypes
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import (
    DAY,
    Contact,
    ContactId,
    Offer,
    OfferState,
    OutboxRow,
    OutboxState,
)
from lpm_kernel.domain.stores import Documents, Files, Permissions, Post
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.share import grants
from lpm_kernel.usecases.share.outgoing import Signing, message_of, queue
from lpm_kernel.usecases.share.people import called
from lpm_kernel.usecases.share.quarantine import Quarantine
from protocol import limits
from protocol.encoding import from_b64u, to_b64u
from protocol.messages import Message, Verb
from protocol.refusals import Code, Refusal
from protocol.shape import ID

MOST_ITEM: Final = 64 * 2**20
"""Bytes of the largest item that is offered or fetched here; the protocol allows more."""
MOST_OFFERED: Final = 100
"""Offers of one contact that wait for the person at a time."""
MOST_OVER: Final = 100
"""Offers that are kept to look back at, of each contact and each side: those that end last."""
MOST_DAYS: Final = limits.OFFER_LIFE // DAY
PIECE_BYTES: Final = limits.BODY
FOR_AN_OFFER: Final = "an offer"
"""The purpose that a fetch names where an offer allows it and no grant says one."""
SHOWN: Final = 4_000
"""Characters of a text that a preview shows."""
_MEDIA: Final = re.compile(r"[a-z0-9.+-]{1,64}/[a-z0-9.+-]{1,64}")
LYING: Final = frozenset({OfferState.FETCHING, OfferState.FAILED, OfferState.HERE})
"""States in which bytes may lie in the quarantine."""
_KEEPING: Final = (OfferState.HERE, OfferState.KEPT)
_BEFORE_FETCHING: Final = (OfferState.OFFERED, OfferState.FETCHING, OfferState.FAILED)


@dataclass(frozen=True)
class OfferPreview:
    """What lies in the quarantine, before the person says what becomes of it."""

    offer: Offer
    text: str | None = field(repr=False)
    """The beginning, where it is text; a stranger's words. ``None``: it is none."""
    cut: bool
    """Whether there is more than this."""


# --- the owner's side ----------------------------------------------------------------------------


def offer(
    permissions: Permissions,
    signing: Signing,
    files: Files,
    to: Contact,
    document: Document,
    days: int,
) -> Offer:
    """Offer a document to a contact for so many days, and put word of it into the outbox.

    Raises ``ConflictError`` for one that is private, gone, of the node's own or in a chat, and
    ``InvalidInputError``.
    """
    if not 1 <= days <= MOST_DAYS:
        raise InvalidInputError(
            f"An offer lasts 1 to {MOST_DAYS} days.", "Give another number of days."
        )
    data = _offerable(files, document)
    if data is None:
        raise ConflictError(
            "This document cannot be offered: it is private, put away, written by the node, or its"
            " file is not kept.",
            "Offer another one, or make it open first.",
        )
    if not 0 < len(data) <= MOST_ITEM:
        raise InvalidInputError(
            "An item that is offered has 1 byte to 64 MiB.", "Offer a smaller one."
        )
    now = int(signing.clock.now().timestamp())
    body: dict[str, Any] = {
        "item": to_b64u(secrets.token_bytes(16)),
        "title": " ".join(document.title.split())[:200] or "?",
        "media": _media(document.name),
        "size": len(data),
        "hash": to_b64u(bytes.fromhex(document.sha256)),
        "until": now + days * DAY,
    }
    with signing.post.together():
        sent = queue(signing, to, Verb.OFFER, body, life=min(limits.MESSAGE_LIFE, days * DAY))
        made = Offer(sent.id, to.id, ours=True, **body, document=document.id)
        permissions.offer(made)
        for past in _clear(permissions, to.id, now, ours=True):
            signing.post.forget_sent(past)
    return made


def was_told(post: Post, known: Offer) -> bool:
    """Tell whether word of an offer has reached them; of theirs it has reached this node."""
    sent = post.outgoing(known.id) if known.ours else None
    return sent is None or sent.state is OutboxState.ANSWERED


def piece(
    permissions: Permissions,
    documents: Documents,
    files: Files,
    clock: Clock,
    asked: Message,
) -> tuple[Mapping[str, Any], str]:
    """Answer a fetch under an offer: as much from ``start`` on as fits, and the document that it
    is. Raises ``Refusal``, ``out_of_scope`` whatever the reason is.
    """
    body, now = asked.body, int(clock.now().timestamp())
    known = [
        each
        for each in permissions.offers()
        if each.ours and (each.id, each.item) == (body["offer"], body["item"])
    ]
    if not known or not permissions.stands(known[0].id, known[0].item, str(asked.iss), now):
        raise Refusal(Code.OUT_OF_SCOPE, "offer")
    document = next(iter(documents.many([DocumentId(known[0].document)])), None)
    data = None if document is None else _offerable(files, document)
    if (
        document is None
        or data is None
        or (to_b64u(bytes.fromhex(document.sha256)), len(data)) != (known[0].hash, known[0].size)
    ):
        raise Refusal(Code.OUT_OF_SCOPE, "offer")
    given = cut(data, known[0].hash, asked)
    permissions.note_given(known[0].id, int(given["start"]) + len(from_b64u(str(given["data"]))))
    return given, document.id


def cut(data: bytes, hashed: str, asked: Message) -> Mapping[str, Any]:
    """Give the piece of an item that a fetch asks for. Refuses a start behind its end."""
    start, size = int(asked.body["start"]), len(data)
    if start >= size:
        raise Refusal(Code.OUT_OF_SCOPE, "start")
    head = 100 + len(hashed) + 2 * len(str(size))
    most = max(1, min(750_000, (int(asked.body["bytes"]) - head) * 3 // 4))
    return {
        "hash": hashed,
        "size": size,
        "start": start,
        "data": to_b64u(data[start : start + most]),
    }


def noted(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is kept of a piece that was given: which it was, and not a byte of it. Who asks
    again by the same message has it made once more.
    """
    return {**body, "data": ""}


def is_as_noted(body: Mapping[str, Any], kept: Mapping[str, Any]) -> bool:
    """Tell whether a piece is of the same bytes as one that was given before, and as much of them:
    the same message asks for as much.
    """
    return all(body[each] == kept.get(each) for each in ("hash", "size", "start"))


def _offerable(files: Files, document: Document) -> bytes | None:
    """Return the bytes of a document that may be offered; ``None`` for one that may not."""
    if (
        document.private
        or document.deleted_at is not None
        or document.superseded_by is not None
        or document.origin
        or is_thread(document.id)
    ):
        return None
    try:
        return files.original(document.sha256)
    except NotFoundError:
        return None


# --- the other side ------------------------------------------------------------------------------


def came(permissions: Permissions, clock: Clock, contact: ContactId, message: Message) -> None:
    """Write an offer down that came in. Refuses ``busy`` while too many wait that are not over;
    of those that are over the newest stay.
    """
    now = clock.now()
    waiting = [
        each
        for each in permissions.offers(contact)
        if not each.ours and each.state is OfferState.OFFERED and each.until > now.timestamp()
    ]
    if len(waiting) >= MOST_OFFERED and all(each.id != message.id for each in waiting):
        raise Refusal(Code.BUSY, "offers")
    _clear(permissions, contact, int(now.timestamp()), ours=False)
    permissions.offer(
        Offer(
            message.id,
            contact,
            ours=False,
            **{
                each: message.body[each]
                for each in ("item", "title", "media", "size", "hash", "until")
            },
            came_at=now,
        )
    )


def fetch(permissions: Permissions, signing: Signing, to: Contact, wanted: str) -> Offer:
    """Begin to fetch what a contact offered, or go on where it stopped.

    Raises ``NotFoundError``, ``ConflictError`` once it is over, here or kept, and
    ``InvalidInputError`` for an item that is too large.
    """
    known = found(permissions, to.id, wanted)
    if known.size > MOST_ITEM:
        raise InvalidInputError(
            "This item is larger than the 64 MiB that are fetched.",
            "Ask them to send it some other way.",
        )
    if known.until <= int(signing.clock.now().timestamp()):
        raise ConflictError("This offer is over.", "Ask them to offer it again.")
    with signing.post.together():
        begun = {"state": OfferState.FETCHING, "code": ""}
        if not permissions.move_offer(to.id, wanted, _BEFORE_FETCHING, **begun):
            raise ConflictError("This offer was fetched or refused already.", "Look at it again.")
        if not _under_way(signing.post, to.id, known):
            _next(permissions, signing, to, known, known.fetched)
    return found(permissions, to.id, wanted)


def fetch_item(
    permissions: Permissions, signing: Signing, to: Contact, item: str, grant: str = ""
) -> Offer:
    """Begin to fetch an item that an answer of theirs named, under a grant of theirs.

    Raises ``ConflictError`` without such a grant, and ``InvalidInputError``.
    """
    now = signing.clock.now()
    usable = [
        had.grant
        for had in grants.had(permissions, to.id)
        if Verb.FETCH in had.grant.verbs
        and had.row.ended_at is None
        and not had.row.owner
        and had.grant.nbf - limits.SKEW <= now.timestamp() < had.grant.exp
        and grant in {"", had.grant.id}
    ]
    if not usable:
        raise ConflictError(
            f"{called(to)} has not given you a grant to fetch anything.", "Ask them for a grant."
        )
    try:
        ID.check(item, "item")
    except Refusal as error:
        raise InvalidInputError(
            "This is no item.", "Give the one that an answer of theirs names."
        ) from error
    under = max(usable, key=lambda each: each.exp)
    fresh = Offer(
        item,
        to.id,
        ours=False,
        item=item,
        title=under.scope.purpose,
        media="text/plain",
        size=0,
        hash="",
        until=under.exp,
        grant=under.id,
        came_at=now,
    )
    with signing.post.together():
        permissions.offer(fresh)
        known = found(permissions, to.id, item)
        if known.grant != under.id and not _under_way(signing.post, to.id, known):
            # asked for before, under a grant that was renewed since: its text may be another
            anew: dict[str, Any] = {"peer_grant": under.id, "until": under.exp, "fetched": 0}
            permissions.move_offer(to.id, item, _BEFORE_FETCHING, **anew, size=0, hash="")
        return fetch(permissions, signing, to, item)


def arrived(
    quarantine: Quarantine,
    permissions: Permissions,
    signing: Signing,
    to: Contact,
    message: Message,
    body: Mapping[str, Any],
) -> None:
    """Take a piece that was asked for, and ask for the next one, or look at the whole. What does
    not fit ends the fetch, and all pieces are thrown away.

    To be called in the step that settles the message.
    """
    known = _of(permissions, to.id, message)
    if known is None or known.state is not OfferState.FETCHING:
        return
    start = int(message.body["start"])
    if start < known.fetched:
        return  # had before: two of the same were under way
    if start > known.fetched and _under_way(signing.post, to.id, known):
        return  # asked for before all was thrown away; it is fetched anew
    data = from_b64u(str(body["data"]))
    size, hashed = int(body["size"]), str(body["hash"])
    fits = (
        (known.size, known.hash) in {(0, ""), (size, hashed)}
        and start == known.fetched == int(body["start"])
        and len(data) > 0
        and start + len(data) <= size <= MOST_ITEM
    )
    if not fits:
        _fail(quarantine, permissions, known, "changed")
        return
    quarantine.write(to.id, known.id, start, data)
    more: dict[str, Any] = {"size": size, "hash": hashed, "fetched": start + len(data)}
    if start + len(data) < size:
        permissions.move_offer(to.id, known.id, [OfferState.FETCHING], **more)
        _next(permissions, signing, to, known, start + len(data))
    elif quarantine.hash(to.id, known.id) == hashed:
        more["state"] = OfferState.HERE
        permissions.move_offer(to.id, known.id, [OfferState.FETCHING], **more)
    else:
        _fail(quarantine, permissions, known, "hash")


def failed(
    quarantine: Quarantine, permissions: Permissions, to: Contact, message: Message, code: str
) -> None:
    """Note that a piece was refused for good. What is here of it goes, unless only the day is used
    up.
    """
    known = _of(permissions, to.id, message)
    if known is None or known.state is not OfferState.FETCHING:
        return
    if code == Code.OVER_BUDGET:  # tomorrow it goes on from here
        said = {"state": OfferState.FAILED, "code": code}
        permissions.move_offer(to.id, known.id, [OfferState.FETCHING], **said)
    else:
        _fail(quarantine, permissions, known, code)


def look(quarantine: Quarantine, known: Offer) -> OfferPreview:
    """Show what was fetched. Raises ``ConflictError`` where it is not here."""
    data = _here(quarantine, known, 4 * SHOWN)
    whole = len(data) == known.size
    try:
        # the last character may be cut
        text = codecs.getincrementaldecoder("utf-8")().decode(data, final=whole)
    except UnicodeDecodeError:
        text = "\x00"
    if "\x00" in text:
        return OfferPreview(known, None, known.size > 0)
    return OfferPreview(known, text[:SHOWN], len(text) > SHOWN or not whole)


def keep(
    quarantine: Quarantine,
    permissions: Permissions,
    to: Contact,
    wanted: str,
    receive: Callable[[str, bytes, str], str],
) -> Offer:
    """Make a document of what was fetched. ``receive`` takes name, bytes and title and gives its
    id; the same bytes make one document. Raises ``NotFoundError`` and ``ConflictError``.
    """
    known = found(permissions, to.id, wanted)
    data = _here(quarantine, known)
    # from here on it cannot be refused; a node that dies before the document is made goes on
    if not permissions.move_offer(to.id, wanted, _KEEPING, state=OfferState.KEPT):
        raise ConflictError("You refused this meanwhile.", "Ask them to offer it again.")
    ending = mimetypes.guess_extension(known.media) or ""
    try:
        document = receive(f"offer-{known.id}{ending}", data, f"{called(to)}: {known.title}"[:200])
    except BaseException:
        permissions.move_offer(to.id, wanted, [OfferState.KEPT], state=OfferState.HERE)
        raise
    permissions.move_offer(to.id, wanted, [OfferState.KEPT], kept=document)
    quarantine.remove(to.id, wanted)
    return found(permissions, to.id, wanted)


def refuse(
    quarantine: Quarantine, permissions: Permissions, contact: ContactId, wanted: str
) -> Offer:
    """Do not want an offer, and throw away what was fetched of it. Nobody is told. Raises
    ``NotFoundError``, and ``ConflictError`` for one that was kept.
    """
    found(permissions, contact, wanted)
    before = (*_BEFORE_FETCHING, OfferState.HERE, OfferState.REFUSED)
    if not permissions.move_offer(contact, wanted, before, state=OfferState.REFUSED, fetched=0):
        raise ConflictError("You kept this already.", "Delete the document instead.")
    quarantine.remove(contact, wanted)
    return found(permissions, contact, wanted)


def reconsider(permissions: Permissions, clock: Clock, contact: ContactId, wanted: str) -> Offer:
    """Take a refusal back: it is offered as before, and what was thrown away is fetched anew.
    Raises ``NotFoundError``, and ``ConflictError`` for one that is over or was not refused.
    """
    known = found(permissions, contact, wanted)
    if known.until <= int(clock.now().timestamp()):
        raise ConflictError("This offer is over.", "Ask them to offer it again.")
    if not permissions.move_offer(
        contact, wanted, [OfferState.REFUSED], state=OfferState.OFFERED, code=""
    ):
        raise ConflictError("You have not refused this.", "Look at it again.")
    return found(permissions, contact, wanted)


def sweep(quarantine: Quarantine, permissions: Permissions, post: Post) -> int:
    """Throw away what nothing in the database names any more. Returns how many files that were.
    A fetch of which no piece is under way any more has failed: it can be tried again from where it
    stopped.

    Nobody writes meanwhile: a piece lies there a moment before the database says so.
    """
    with post.together():
        for known in permissions.offers():
            going_on = known.state is OfferState.FETCHING and not known.ours
            if going_on and not _under_way(post, known.contact, known):
                said = {"state": OfferState.FAILED, "code": Code.EXPIRED}
                permissions.move_offer(known.contact, known.id, [OfferState.FETCHING], **said)
        return quarantine.sweep(
            [
                (each.contact, each.id)
                for each in permissions.offers()
                if not each.ours and each.fetched and (each.state in LYING or _is_being_kept(each))
            ]
        )


def found(permissions: Permissions, contact: ContactId, wanted: str) -> Offer:
    """Return an offer that came in. Raises ``NotFoundError``."""
    for each in permissions.offers(contact):
        if each.id == wanted and not each.ours:
            return each
    raise NotFoundError("offer", wanted)


def _clear(permissions: Permissions, contact: ContactId, now: int, *, ours: bool) -> list[str]:
    """Forget offers that are over, but for those that end last: refused, withdrawn, or past their
    time and not here. What is here waits for the person; what was kept says where a document is
    from. Returns which were forgotten.
    """
    ended = [
        each.id
        for each in permissions.offers(contact)
        if each.ours is ours
        and each.state not in _KEEPING
        and (each.until <= now or each.withdrawn_at is not None or each.state is OfferState.REFUSED)
    ]
    permissions.drop_offers(contact, ended[MOST_OVER:])
    return ended[MOST_OVER:]


def _media(name: str) -> str:
    guessed = mimetypes.guess_type(name)[0] or ""
    return guessed if _MEDIA.fullmatch(guessed) else "application/octet-stream"


def _of(permissions: Permissions, contact: ContactId, message: Message) -> Offer | None:
    wanted = str(message.body.get("offer", message.body["item"]))
    try:
        return found(permissions, contact, wanted)
    except NotFoundError:
        return None


def _next(
    permissions: Permissions, signing: Signing, to: Contact, known: Offer, start: int
) -> OutboxRow:
    """Ask for the piece from ``start`` on."""
    body: dict[str, Any] = {
        "item": known.item,
        "purpose": FOR_AN_OFFER,
        "bytes": PIECE_BYTES,
        "start": start,
    }
    if known.grant:
        [under] = [had for had in grants.had(permissions, to.id) if had.row.id == known.grant]
        body["purpose"] = under.grant.scope.purpose
        body["bytes"] = max(1_024, min(PIECE_BYTES, under.grant.daily.bytes))
    else:
        body["offer"] = known.id
    life = max(1, min(limits.MESSAGE_LIFE, known.until - int(signing.clock.now().timestamp())))
    return queue(signing, to, Verb.FETCH, body, known.grant or None, life)


def _under_way(post: Post, contact: ContactId, known: Offer) -> bool:
    """Tell whether a piece is asked for that has no answer yet."""
    rows, _ = post.outbox(limit=200, contact=contact, verb=Verb.FETCH.value)
    return any(
        row.state.value == "waiting"
        and message_of(row).body["start"] == known.fetched
        and message_of(row).body.get("offer", message_of(row).body["item"]) == known.id
        for row in rows
    )


def _fail(quarantine: Quarantine, permissions: Permissions, known: Offer, code: str) -> None:
    quarantine.remove(known.contact, known.id)
    said: dict[str, Any] = {"state": OfferState.FAILED, "code": code, "fetched": 0}
    if known.grant:
        said |= {"size": 0, "hash": ""}
    permissions.move_offer(known.contact, known.id, [OfferState.FETCHING], **said)


def _is_being_kept(known: Offer) -> bool:
    """Tell whether the person kept it, and its document is not made yet."""
    return known.state is OfferState.KEPT and not known.kept


def _here(quarantine: Quarantine, known: Offer, most: int | None = None) -> bytes:
    if known.state is not OfferState.HERE and not _is_being_kept(known):
        raise ConflictError("This was not fetched, or it was decided already.", "Fetch it first.")
    try:
        return quarantine.read(known.contact, known.id, most)
    except FileNotFoundError as error:
        raise ConflictError(
            "What was fetched is no longer there.", "Refuse it, and ask them to offer it again."
        ) from error
