"""The ``Permissions`` port over SQL: grants, what was spent of them, and offers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    Engine,
    Integer,
    Row,
    String,
    and_,
    bindparam,
    case,
    delete,
    false,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import peer_tables, tables
from lpm_kernel.backends.store.node.audit import AuditStore, add
from lpm_kernel.backends.store.node.offered import is_offerable
from lpm_kernel.backends.store.peers.contacts import entomb
from lpm_kernel.backends.store.prepared import Prepared
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.home.audit import AuditKind, Fact
from lpm_kernel.domain.share.network import (
    Amount,
    ContactId,
    ContactState,
    GrantRow,
    Offer,
    OfferState,
    ReceivedGrant,
)
from lpm_kernel.errors import ConflictError, NotFoundError

_grants, _spending, _theirs, _offers, _contacts = (
    peer_tables.peer_grant,
    peer_tables.peer_spending,
    peer_tables.received_grant,
    peer_tables.peer_offer,
    peer_tables.contact,
)
_secrets = peer_tables.peer_grant_secret
_ACTIVE = _contacts.c.state == ContactState.ACTIVE.value


class PermissionStore:
    """Who may ask for what, and how much of it they had today."""

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def give(self, grant: GrantRow) -> None:
        """Write a grant down."""
        with self._audit.recording() as connection:
            known = connection.execute(select(_grants).where(_grants.c.id == grant.id)).first()
            buried = connection.execute(
                select(tables.tombstone.c.id).where(tables.tombstone.c.id == grant.id)
            ).first()
            if buried is not None or (known is not None and known.revoked_at is not None):
                raise ConflictError(
                    "This grant was revoked and cannot be used again.", "Give a new one."
                )
            if known is not None:
                if (known.text, known.contact) != (grant.text, grant.contact):
                    raise ConflictError("Another grant has this id.", "Give a new one.")
                return
            _refuse_inactive(connection, grant.contact)
            above = (
                connection.execute(
                    select(_grants.c.revoked_at).where(_grants.c.id == grant.parent)
                ).first()
                if grant.parent
                else None
            )
            if grant.parent and (above is None or above.revoked_at is not None):
                raise ConflictError(
                    "The grant that this one was passed on from no longer exists.",
                    "Give a grant of your own, if you want to.",
                )
            limits = {
                "calls": grant.daily.calls,
                "bytes": grant.daily.bytes,
                "tokens": grant.daily.tokens,
                "expires": grant.expires,
            }
            said = {
                "template": grant.template,
                "words": grant.words,
                "parent": grant.parent,
                "given_at": grant.given_at,
            }
            connection.execute(
                insert(_grants).values(
                    id=grant.id, contact=grant.contact, text=grant.text, **limits, **said
                )
            )
            facts: dict[str, Fact] = {
                "grant": grant.id,
                "contact": grant.contact,
                "lodged": grant.parent is not None,
                "template": grant.template,
            }
            add(connection, grant.given_at, AuditKind.GRANT_GIVEN, facts)

    def decide_secrets(self, grant: str, said: Mapping[str, bool], now: datetime) -> None:
        """Note which rows that look like a secret may be used under a grant, and which stay
        here.
        """
        with writing(self._engine) as connection:
            if (
                connection.execute(select(_grants.c.id).where(_grants.c.id == grant)).first()
                is None
            ):
                raise NotFoundError("grant", grant)
            for name, yes in said.items():
                about = (_secrets.c.peer_grant == grant, _secrets.c.row == name)
                connection.execute(delete(_secrets).where(*about))
                values = {"peer_grant": grant, "row": name, "allowed": yes, "decided_at": now}
                connection.execute(insert(_secrets).values(**values))

    def secrets(self, grant: str) -> dict[str, bool]:
        """Return what was said of rows that look like a secret, by their names."""
        query = select(_secrets.c.row, _secrets.c.allowed).where(_secrets.c.peer_grant == grant)
        with reading(self._engine) as connection:
            return {name: bool(yes) for name, yes in connection.execute(query)}

    def held(self, grant: str, day: int) -> GrantRow | None:
        """Return a grant with what was spent of it on a day."""
        with reading(self._engine) as connection:
            row = _held().first(connection, grant=grant, day=day)
        return None if row is None else _grant(row)

    def given(self, contact: ContactId | None = None, day: int = 0) -> list[GrantRow]:
        """Return the grants that are checked here, newest first."""
        query = _with_spending(day).order_by(_grants.c.given_at.desc(), _grants.c.id)
        with reading(self._engine) as connection:
            return [
                _grant(row)
                for row in connection.execute(
                    query if contact is None else query.where(_grants.c.contact == contact)
                )
            ]

    def revoke(self, grant: str, now: datetime) -> int:
        """Take a grant back with all that was passed on from it."""
        with self._audit.recording() as connection:
            if (
                connection.execute(select(_grants.c.id).where(_grants.c.id == grant)).first()
                is None
            ):
                raise NotFoundError("grant", grant)
            below = list(
                connection.execute(select(_grants.c.id).where(_grants.c.parent == grant)).scalars()
            )
            ending = update(_grants).where(
                _grants.c.id.in_([grant, *below]), _grants.c.revoked_at.is_(None)
            )
            if connection.execute(ending.values(revoked_at=now)).rowcount:
                entomb(connection, [grant, *below], now)
                add(
                    connection,
                    now,
                    AuditKind.GRANT_REVOKED,
                    {"grant": grant, "passed_on": len(below)},
                )
            return len(below)

    def revoked(self, since: datetime) -> set[ContactId]:
        """Return whose grants were taken back since."""
        query = select(_grants.c.contact).where(_grants.c.revoked_at >= since)
        with reading(self._engine) as connection:
            return {ContactId(contact) for contact in connection.execute(query).scalars()}

    def spend(self, grants: Sequence[str], cost: Amount, day: int) -> bool:
        """Spend on all of these or on none, by one statement: of two that race for the last unit
        one changes rows.
        """
        wanted = list(dict.fromkeys(grants))
        begin, spend, _ = _spendings(len(wanted))
        about = {"day": day} | {f"grant_{number}": each for number, each in enumerate(wanted)}
        with writing(self._engine) as connection:
            begin.run(connection, **about)
            return bool(spend.run(connection, **about, **_more(cost)))

    def give_back(self, grants: Sequence[str], cost: Amount, day: int) -> None:
        """Give back what was spent on a day and not used; never more than was spent."""
        wanted = list(dict.fromkeys(grants))
        _, _, back = _spendings(len(wanted))
        with writing(self._engine) as connection:
            back.run(
                connection,
                day=day,
                **{f"grant_{number}": each for number, each in enumerate(wanted)},
                **_more(cost),
            )

    # --- what others gave ------------------------------------------------------------------------

    def receive(self, grant: ReceivedGrant) -> None:
        """Write down what somebody lets this person ask."""
        with writing(self._engine) as connection:
            known = connection.execute(
                select(_theirs.c.text).where(
                    _theirs.c.issuer == grant.issuer, _theirs.c.id == grant.id
                )
            ).first()
            if known is None:
                _refuse_inactive(connection, grant.contact)
                connection.execute(insert(_theirs).values(**asdict(grant)))
            elif known.text != grant.text:
                raise ConflictError(
                    "They gave another grant under this id.", "Ask them for a new one."
                )

    def received(self, contact: ContactId | None = None) -> list[ReceivedGrant]:
        """Return what this person may ask, newest first."""
        query = select(_theirs).order_by(
            _theirs.c.received_at.desc(), _theirs.c.issuer, _theirs.c.id
        )
        with reading(self._engine) as connection:
            rows = connection.execute(
                query if contact is None else query.where(_theirs.c.contact == contact)
            ).all()
        return [
            ReceivedGrant(
                row.id,
                row.issuer,
                ContactId(row.contact),
                row.text,
                row.received_at,
                row.owner,
                row.ended_at,
            )
            for row in rows
        ]

    def end_received(self, issuer: str, grant: str, now: datetime) -> bool:
        """Note that somebody took back what they gave."""
        ending = update(_theirs).where(
            _theirs.c.issuer == issuer, _theirs.c.id == grant, _theirs.c.ended_at.is_(None)
        )
        with writing(self._engine) as connection:
            return connection.execute(ending.values(ended_at=now)).rowcount == 1

    # --- offers ----------------------------------------------------------------------------------

    def offer(self, offer: Offer) -> None:
        """Write an offer down."""
        with writing(self._engine) as connection:
            _refuse_inactive(connection, offer.contact)
            values = asdict(offer) | {"state": offer.state.value}
            values["peer_grant"] = values.pop("grant")
            connection.execute(upsert(_offers).values(**values).on_conflict_do_nothing())

    def offers(self, contact: ContactId | None = None) -> list[Offer]:
        """Return offers, made and come in, those that last longest first."""
        query = select(_offers).order_by(_offers.c.until.desc(), _offers.c.id)
        with reading(self._engine) as connection:
            rows = connection.execute(
                query if contact is None else query.where(_offers.c.contact == contact)
            ).all()
        return [_offer(row) for row in rows]

    def move_offer(
        self,
        contact: ContactId,
        offer: str,
        before: Collection[OfferState],
        **values: str | int,
    ) -> bool:
        """Note how far an offer has come that came in."""
        moving = update(_offers).where(
            _offers.c.id == offer,
            _offers.c.contact == contact,
            ~_offers.c.ours,
            _offers.c.state.in_([each.value for each in before]),
        )
        with writing(self._engine) as connection:
            return connection.execute(moving.values(**values)).rowcount == 1

    def drop_offers(self, contact: ContactId, offers: Sequence[str]) -> None:
        """Forget offers of a contact, made or come in."""
        with writing(self._engine) as connection:
            for part in parts(list(offers)):
                about = (_offers.c.contact == contact, _offers.c.id.in_(part))
                connection.execute(delete(_offers).where(*about))

    def note_given(self, offer: str, given: int) -> None:
        """Note how far an item has gone out that the person offered."""
        further = (_offers.c.id == offer, _offers.c.ours, _offers.c.fetched < given)
        with writing(self._engine) as connection:
            connection.execute(update(_offers).where(*further).values(fetched=given))

    def stands(self, offer: str, item: str, did: str, now: int) -> bool:
        """Say whether this item was offered by the person to that active contact, and still is."""
        about = (
            _offers.c.id == offer,
            _offers.c.item == item,
            _offers.c.ours,
            _offers.c.withdrawn_at.is_(None),
            _offers.c.until > now,
            is_offerable(_offers.c.document),
        )
        query = (
            select(_offers.c.id)
            .join(_contacts, _contacts.c.id == _offers.c.contact)
            .where(*about, _contacts.c.did == did, _ACTIVE)
        )
        with reading(self._engine) as connection:
            return connection.execute(query).first() is not None

    def withdraw_offer(self, offer: str, now: datetime) -> None:
        """Take an offer back that the person made."""
        with writing(self._engine) as connection:
            if not connection.execute(
                update(_offers)
                .where(_offers.c.id == offer, _offers.c.ours)
                .values(withdrawn_at=now)
            ).rowcount:
                raise NotFoundError("offer", offer)


def _offer(row: Row[Any]) -> Offer:
    values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's public name for it
    values["grant"] = values.pop("peer_grant")
    return Offer(**values | {"contact": ContactId(row.contact), "state": OfferState(row.state)})


@cache
def _spendings(many: int) -> tuple[Prepared, Prepared, Prepared]:
    """Write what begins the day of so many grants, what spends on all of them or on none, and what
    gives back.
    """
    wanted, day = (
        [bindparam(f"grant_{number}", type_=String) for number in range(many)],
        bindparam("day", type_=Integer),
    )
    also, amounts = (
        _spending.alias("also"),
        {name: bindparam(f"more_{name}", type_=BigInteger) for name in asdict(Amount())},
    )
    mine = and_(_spending.c.day == day, _one_of(_spending.c.peer_grant, wanted))
    room = [
        getattr(also.c, name) + most <= getattr(_grants.c, name) for name, most in amounts.items()
    ]
    where = also.join(_grants, _grants.c.id == also.c.peer_grant).join(
        _contacts, _contacts.c.id == _grants.c.contact
    )
    open_now = (
        also.c.day == day,
        _one_of(also.c.peer_grant, wanted),
        _grants.c.revoked_at.is_(None),
        _ACTIVE,
    )
    fitting = select(func.count()).select_from(where).where(*open_now, *room).scalar_subquery()
    nothing = select(_grants.c.id, day, literal(0), literal(0), literal(0)).where(
        _one_of(_grants.c.id, wanted)
    )
    begin = (
        upsert(_spending)
        .from_select(["peer_grant", "day", "calls", "bytes", "tokens"], nothing)
        .on_conflict_do_nothing()
    )
    spend = (
        update(_spending)
        .where(mine, fitting == many)
        .values({name: getattr(_spending.c, name) + more for name, more in amounts.items()})
    )
    back = (
        update(_spending)
        .where(mine)
        .values(
            {name: _less(getattr(_spending.c, name), unused) for name, unused in amounts.items()}
        )
    )
    return Prepared(begin), Prepared(spend), Prepared(back)


@cache
def _held() -> Prepared:
    return Prepared(
        _with_spending(bindparam("day", type_=Integer)).where(_grants.c.id == bindparam("grant"))
    )


def _more(cost: Amount) -> dict[str, int]:
    return {f"more_{name}": value for name, value in asdict(cost).items()}


def _one_of(
    column: ColumnElement[str], wanted: Sequence[BindParameter[str]]
) -> ColumnElement[bool]:
    return or_(false(), *(column == each for each in wanted))


def _less(column: ColumnElement[int], amount: BindParameter[int]) -> ColumnElement[int]:
    return case((column > amount, column - amount), else_=0)


def _refuse_inactive(connection: Connection, contact: ContactId) -> None:
    state = connection.execute(select(_contacts.c.state).where(_contacts.c.id == contact)).scalar()
    if state is None:
        raise NotFoundError("contact", contact)
    if state != ContactState.ACTIVE.value:
        raise ConflictError(
            f"This contact is {state}, so nothing was given or taken.",
            "Open the contact and decide there first.",
        )


def _with_spending(day: int | BindParameter[int]) -> Any:  # noqa: ANN401  a select of all columns
    spent = and_(_spending.c.peer_grant == _grants.c.id, _spending.c.day == day)
    used = [
        func.coalesce(getattr(_spending.c, name), 0).label(f"spent_{name}")
        for name in ("calls", "bytes", "tokens")
    ]
    joined = _grants.join(_contacts, _contacts.c.id == _grants.c.contact).outerjoin(
        _spending, spent
    )
    return select(_grants, *used, _ACTIVE.label("open")).select_from(joined)


def _grant(row: Row[Any]) -> GrantRow:
    daily, spent = (
        Amount(row.calls, row.bytes, row.tokens),
        Amount(row.spent_calls, row.spent_bytes, row.spent_tokens),
    )
    said = (row.parent, row.template, row.words, row.revoked_at)
    return GrantRow(
        row.id,
        ContactId(row.contact),
        row.text,
        daily,
        row.expires,
        row.given_at,
        *said,
        spent=spent,
        active=bool(row.open),
    )
