"""Grants: what a contact may ask for, seen row by row before it is given, and taken back at
once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Final

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import (
    DAY,
    Amount,
    ContactId,
    ContactState,
    GrantRow,
    OutboxRow,
    ReceivedGrant,
)
from lpm_kernel.domain.stores import Contacts, Permissions
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.share.outgoing import Signing, new_id, queue
from protocol import limits
from protocol.events import Given
from protocol.grants import Consent, Cost, Grant, Held
from protocol.identity import Did
from protocol.messages import GRANTED, Verb
from protocol.refusals import LocalProtocolError, Refusal
from protocol.scope import EVERY_TAG, PURPOSE, TAGS, Form, Layer, RowKind, Scope
from protocol.shape import Shape

LONGEST_WORDS: Final = 2_000
MOST_DAYS: Final = limits.GRANT_LIFE // DAY


@dataclass(frozen=True)
class Template:
    """What a grant begins with. The person changes what they like before it is given."""

    verbs: frozenset[Verb]
    layers: frozenset[Layer]
    form: Form
    daily: Cost
    consent: Consent
    days: int
    depth: int = 0


TEMPLATES: Final[Mapping[str, Template]] = {
    "answers": Template(
        frozenset({Verb.ASK}),
        frozenset({Layer.WORDS}),
        Form.ANSWER,
        Cost(20, 200_000, 20_000),
        Consent.ASK,
        30,
    ),
    "topic": Template(
        frozenset({Verb.ASK, Verb.RECALL}),
        frozenset({Layer.SAID, Layer.WORDS}),
        Form.EXCERPT,
        Cost(50, 2_000_000, 50_000),
        Consent.ASK,
        90,
    ),
    "documents": Template(
        frozenset({Verb.RECALL, Verb.FETCH}),
        frozenset({Layer.SAID}),
        Form.VERBATIM,
        Cost(100, 50_000_000, 0),
        Consent.ASK,
        30,
    ),
}
"""By name. ``answers``: the second self answers from statements. ``topic``: answers and passages
about what carries some tags. ``documents``: whole texts of what carries some tags. With each of
them the person is asked first, and none can be passed on.
"""
TAGGED: Final = frozenset({"topic", "documents"})
"""Templates that are about something: tags have to be named, so that nobody gives everything by
leaving a field empty.
"""


@dataclass(frozen=True)
class GrantForm:
    """What the person fills in. What is ``None`` is as the template has it."""

    template: str
    purpose: str = field(repr=False)
    """What it is for; a request has to say the same words."""
    tags: tuple[str, ...] = field(default=(), repr=False)
    """Rows with one of these; none: all rows, with a tag or without."""
    kinds: tuple[str, ...] = ()
    """None: all kinds."""
    since: datetime | None = None
    until: datetime | None = None
    days: int | None = None
    form: str | None = None
    daily: Amount | None = None
    consent: str | None = None
    passed_on: bool = False
    """Whether the contact may pass a narrower one on."""
    verbs: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    expires: datetime | None = None
    """Until when it holds; it outranks ``days``."""
    words: str = field(default="", repr=False)
    """For the person alone."""
    allow: tuple[str, ...] = field(default=(), repr=False)
    """Names of rows that look like a secret and may be used all the same."""


@dataclass(frozen=True)
class StandingGrant:
    """A grant as it stands: what was signed, and the row beside it."""

    row: GrantRow
    grant: Grant


@dataclass(frozen=True)
class Had:
    """A grant that somebody else gave: what they signed, and what was kept of it."""

    row: ReceivedGrant
    grant: Grant


def scope_of(wanted: GrantForm) -> Scope:
    """Give the part of the memory that such a grant covers; the preview and the grant itself take
    it from here. Raises ``InvalidInputError``.
    """
    template = _template(wanted)
    _fits(
        PURPOSE,
        wanted.purpose,
        "The purpose is one line of 1 to 80 characters.",
        "For example: planning a visit.",
    )
    _check_tags(wanted)
    _check_known("kind", wanted.kinds, RowKind)
    _check_known("form", [] if wanted.form is None else [wanted.form], Form)
    since, until = _times(wanted)
    _check_known("layer", wanted.layers, Layer)
    kinds = frozenset(map(RowKind, wanted.kinds)) if wanted.kinds else frozenset(RowKind)
    layers = frozenset(map(Layer, wanted.layers)) if wanted.layers else template.layers
    form = template.form if wanted.form is None else Form(wanted.form)
    return Scope(
        frozenset(wanted.tags) or EVERY_TAG, kinds, layers, since, until, form, wanted.purpose
    )


def _check_tags(wanted: GrantForm) -> None:
    if wanted.tags:
        _fits(
            TAGS,
            list(wanted.tags),
            "A grant names up to 64 tags, each once, of up to 64 characters.",
            "Choose fewer tags.",
        )
    elif wanted.template in TAGGED:
        raise InvalidInputError(
            "This grant needs at least one tag.",
            "Choose the tags of what they may see, or take another template.",
        )
    if EVERY_TAG & set(wanted.tags):
        raise InvalidInputError(
            "“*” cannot be used as a tag.",
            "Leave the tags out to mean everything, or list them.",
        )


def _check_known(name: str, values: Collection[str], among: type[StrEnum]) -> None:
    unknown = sorted(set(values) - {each.value for each in among})
    if unknown:
        raise InvalidInputError(
            f"There is no {name} “{unknown[0]}”.",
            f"The {name}s are: {', '.join(each.value for each in among)}.",
        )


def _times(wanted: GrantForm) -> tuple[int | None, int | None]:
    """Give the seconds that the grant begins and ends at. Raises ``InvalidInputError``."""
    since, until = (
        None if each is None else int(each.timestamp()) for each in (wanted.since, wanted.until)
    )
    ends_first = since is not None and until is not None and since >= until
    if ends_first or min(since or 0, until or 0) < 0:
        raise InvalidInputError(
            "The period ends before it begins, or is before 1970.",
            "Change one of the two dates, or leave one out.",
        )
    return since, until


def daily(
    template: str, calls: int | None = None, size: int | None = None, tokens: int | None = None
) -> Amount:
    """Give what may be had in a day; what is ``None`` is as the template has it. Raises
    ``InvalidInputError``.
    """
    usual = _template_called(template).daily
    return Amount(
        *(
            usual_one if mine is None else mine
            for usual_one, mine in (
                (usual.calls, calls),
                (usual.bytes, size),
                (usual.tokens, tokens),
            )
        )
    )


def give(
    permissions: Permissions,
    contacts: Contacts,
    signing: Signing,
    contact: ContactId,
    wanted: GrantForm,
) -> tuple[GrantRow, OutboxRow]:
    """Sign a grant, keep its row, then put word of it into the outbox.

    Raises ``NotFoundError``, ``InvalidInputError``, and ``ConflictError`` for a contact who is not
    active.
    """
    to, template, now = contacts.get(contact), _template(wanted), signing.clock.now()
    if to.state is not ContactState.ACTIVE:
        raise ConflictError(
            f"This contact is {to.state}, so nothing was given.",
            "Open the contact and decide there first.",
        )
    if len(wanted.words) > LONGEST_WORDS:
        raise InvalidInputError(
            f"Your own words have {len(wanted.words):,} characters; they can have"
            f" {LONGEST_WORDS:,}.",
            "Make them shorter.",
        )
    keys, start = signing.keystore.keys, int(now.timestamp())
    end = _end(wanted, template, start)
    most = (
        template.daily
        if wanted.daily is None
        else Cost(wanted.daily.calls, wanted.daily.bytes, wanted.daily.tokens)
    )
    consent = template.consent if wanted.consent is None else _consent(wanted.consent)
    signed = Grant(
        new_id(),
        keys.identity.did,
        Did(to.did),
        start,
        end,
        _verbs(wanted, template),
        scope_of(wanted),
        most,
        consent,
        depth=1 if wanted.passed_on else template.depth,
    )
    try:
        text = signed.write(keys.identity)
    except LocalProtocolError as error:
        raise InvalidInputError(
            "The grant cannot be given with these limits.", "Choose a smaller daily budget."
        ) from error
    row = replace(_row(signed, text, to.id, now), template=wanted.template, words=wanted.words)
    permissions.give(row)
    return row, queue(signing, to, Verb.GRANT, {"give": text})


def take(
    permissions: Permissions, contacts: Contacts, clock: Clock, came: Given
) -> GrantRow | ReceivedGrant:
    """Keep a grant that came in: theirs to this person, or one of this person's that somebody
    passed on to them.

    Raises ``ConflictError`` for one that was revoked, and for another one under an id that is
    known.
    """
    sender, now = contacts.by_did(came.message.iss), clock.now()
    if sender is None:
        raise NotFoundError("contact", came.message.iss)
    if came.lodged:
        row = _row(came.grant, came.text, sender.id, now)
        permissions.give(row)
        return row
    received = ReceivedGrant(
        came.grant.id,
        came.grant.iss,
        sender.id,
        came.text,
        now,
        str(came.message.body.get("owner", "")),
    )
    permissions.receive(received)
    return received


def revoke(
    permissions: Permissions,
    contacts: Contacts,
    signing: Signing,
    grant: str,
) -> int:
    """Take a grant back now, with all that was passed on from it; who had it is told. Returns how
    many were passed on. Raises ``NotFoundError``.
    """
    known = permissions.held(grant, 0)
    passed_on = permissions.revoke(grant, signing.clock.now())
    to = contacts.get(known.contact) if known is not None and known.revoked_at is None else None
    if (
        to is not None
        and to.state is ContactState.ACTIVE
        and known is not None
        and known.parent is None
    ):
        queue(signing, to, Verb.GRANT, {"revoked": grant})
    return passed_on


def allowed(permissions: Permissions, grant: str) -> frozenset[str]:
    """Name what looks like a secret and may be used under a grant; one that was passed on has what
    the one above has.
    """
    row = permissions.held(grant, 0)
    above = grant if row is None or row.parent is None else row.parent
    said = permissions.secrets(above)
    return frozenset(name for name, yes in said.items() if yes)


def standing(
    permissions: Permissions, clock: Clock, contact: ContactId | None = None
) -> list[StandingGrant]:
    """Return every grant that was given, revoked and expired ones too, newest first, with what was
    spent today.
    """
    today = int(clock.now().timestamp()) // DAY
    return [as_given(row) for row in permissions.given(contact, today)]


def granted_documents(
    permissions: Permissions, clock: Clock, documents: Iterable[Document]
) -> set[DocumentId]:
    """Name the documents of which a grant that holds may reach anything, by their tags."""
    now = int(clock.now().timestamp())
    tags: set[str] = set()
    for each in standing(permissions, clock):
        if each.row.revoked_at is None and each.row.active and now < each.row.expires:
            tags |= each.grant.scope.tags
    return {
        document.id
        for document in documents
        if not document.private and (tags >= EVERY_TAG or tags & set(document.tags))
    }


def held(permissions: Permissions, grant: str, day: int) -> Held | None:
    """Give a grant as it stands, with its parent and what was spent on a day. One of a contact who
    is not active counts as revoked.
    """
    row = permissions.held(grant, day)
    if row is None:
        return None
    above = permissions.held(row.parent, day) if row.parent is not None else None
    return _as_held(row, None if above is None else _as_held(above, None))


def _as_held(row: GrantRow, parent: Held | None) -> Held:
    spent = Cost(row.spent.calls, row.spent.bytes, row.spent.tokens)
    return Held(
        _verified(row.text),
        revoked=row.revoked_at is not None or not row.active,
        spent=spent,
        parent=parent,
    )


@lru_cache(maxsize=256)
def _verified(text: str) -> Grant:
    """Read a signed grant; the same text says the same each time, and its signature is as good."""
    return Grant.read(text)


def as_given(row: GrantRow) -> StandingGrant:
    """Give a grant with what its row says was signed."""
    return StandingGrant(row, Grant.read(row.text))


def had(permissions: Permissions, contact: ContactId | None = None) -> list[Had]:
    """Return what others let this person ask, newest first."""
    return [Had(row, Grant.read(row.text)) for row in permissions.received(contact)]


def _row(grant: Grant, text: str, contact: ContactId, now: datetime) -> GrantRow:
    daily = Amount(grant.daily.calls, grant.daily.bytes, grant.daily.tokens)
    return GrantRow(grant.id, contact, text, daily, grant.exp, now, grant.parent)


def _template(wanted: GrantForm) -> Template:
    return _template_called(wanted.template)


def _template_called(name: str) -> Template:
    if name not in TEMPLATES:
        raise InvalidInputError(
            f"There is no template “{name[:40]}”.", f"The templates are: {', '.join(TEMPLATES)}."
        )
    return TEMPLATES[name]


def _verbs(wanted: GrantForm, template: Template) -> frozenset[Verb]:
    if unknown := sorted(set(wanted.verbs) - {verb.value for verb in GRANTED}):
        raise InvalidInputError(
            f"A grant cannot give “{unknown[0]}”.",
            f"A grant gives: {', '.join(sorted(verb.value for verb in GRANTED))}.",
        )
    return frozenset(map(Verb, wanted.verbs)) or template.verbs


def _end(wanted: GrantForm, template: Template, start: int) -> int:
    """Say in which second a grant is over."""
    if wanted.expires is not None:
        end = int(wanted.expires.timestamp())
        if not start < end <= start + limits.GRANT_LIFE:
            raise InvalidInputError(
                "A grant cannot last until then.",
                f"Choose a time in the future, within {MOST_DAYS} days.",
            )
        return end
    days = template.days if wanted.days is None else wanted.days
    if not 1 <= days <= MOST_DAYS:
        raise InvalidInputError(
            f"A grant cannot last {days} days.", f"Choose between 1 and {MOST_DAYS} days."
        )
    return start + days * DAY


def _consent(text: str) -> Consent:
    if text not in {consent.value for consent in Consent}:
        raise InvalidInputError(
            f"There is no consent “{text[:40]}”.",
            "It is auto, or ask: you say yes to each request.",
        )
    return Consent(text)


def _fits(shape: Shape, value: object, sentence: str, hint: str) -> None:
    try:
        shape.check(value, "")
    except Refusal as refusal:
        raise InvalidInputError(sentence, hint) from refusal
