"""The ``Post`` port over SQL: messages that came in, messages that go out, and what left the
machine.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    String,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from lpm_kernel.backends.store.node import peer_tables
from lpm_kernel.backends.store.node.offered import goes, is_open
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.peers.contacts import NOBODY, count_left
from lpm_kernel.backends.store.prepared import Prepared
from lpm_kernel.backends.store.sqlite import make_lasting, parts, reading, together, writing
from lpm_kernel.domain.share.network import (
    INBOX_LIFE,
    MOST_CLAIMS,
    MOST_KEPT_BYTES,
    MOST_PAST,
    Arrived,
    Claimed,
    ContactId,
    ContactState,
    Exchange,
    InboxRow,
    InboxState,
    OutboxRow,
    OutboxState,
    SentSummary,
)
from lpm_kernel.errors import ConflictError, NotFoundError

_inbox, _outbox, _sent, _contacts = (
    peer_tables.inbox,
    peer_tables.outbox,
    peer_tables.peer_sent,
    peer_tables.contact,
)
_WAITING = _outbox.c.state == OutboxState.WAITING.value
_BEFORE_AN_ANSWER = [
    inbox_state.value for inbox_state, after in INBOX_LIFE.items() if InboxState.ANSWERED in after
]
_NOT_YET: dict[str, Any] = {"decided_at": None, "answered_at": None, "answer": None, "draft": None}
_DIGEST = Prepared(
    select(_inbox.c.digest).where(
        _inbox.c.issuer == bindparam("issuer"), _inbox.c.id == bindparam("id")
    )
)
_ARRIVED = Prepared(
    select(_inbox).where(_inbox.c.issuer == bindparam("issuer"), _inbox.c.id == bindparam("id"))
)
_MADE_OF = func.json_each(_inbox.c.documents).table_valued("value")
_CLOSED = Prepared(
    select(_MADE_OF.c.value)
    .select_from(_inbox)
    .join(_MADE_OF, true())
    .where(
        _inbox.c.issuer == bindparam("issuer"),
        _inbox.c.id == bindparam("id"),
        ~is_open(_MADE_OF.c.value),
    )
    .limit(1)
)
_WHO = Prepared(select(_contacts.c.id).where(_contacts.c.did == bindparam("did")))
_STATE = Prepared(select(_contacts.c.state).where(_contacts.c.id == bindparam("contact")))
_COME = Prepared(insert(_inbox))
_ANSWER = Prepared(
    update(_inbox)
    .where(
        _inbox.c.issuer == bindparam("which_issuer"),
        _inbox.c.id == bindparam("which_id"),
        or_(*(_inbox.c.state == each for each in _BEFORE_AN_ANSWER)),
    )
    .values(
        state=InboxState.ANSWERED.value,
        **{name: bindparam(name) for name in ("answer", "code", "documents", "answered_at")},
    )
)
_SEND = Prepared(insert(_outbox))
_SETTLE = Prepared(
    update(_outbox)
    .where(_outbox.c.id == bindparam("which"), _WAITING)
    .values(
        tries=_outbox.c.tries + 1,
        link="",
        contact=func.coalesce(bindparam("met", type_=String), _outbox.c.contact),
        **{name: bindparam(name) for name in ("state", "receipt", "code")},
    )
)
_GOES = Prepared(select(_outbox.c.id).where(_outbox.c.id == bindparam("which"), _WAITING, goes()))
ASKING = ("ask", "recall", "fetch")
"""The verbs by which somebody learns something."""
_SAID_NO_MORE = "out_of_scope"
"""What who asks again is told where the answer was erased."""
FAREWELL = "bye"
"""The one verb that is still sent to a contact who ended."""


COUNT_SECONDS = 60
"""How long what an issuer has in the inbox is counted on from the last look; one process claims, so
nothing comes in beside it.
"""


@dataclass
class _Counted:
    """What of an issuer could come again, at most."""

    at: int
    claims: int
    bytes: int


class PostStore:
    """Inbox and outbox. The bounds are for each issuer."""

    def __init__(
        self,
        engine: Engine,
        most_claims: int = MOST_CLAIMS,
        most_bytes: int = MOST_KEPT_BYTES,
        most_past: int = MOST_PAST,
    ) -> None:
        self._engine = engine
        self.most_claims, self.most_bytes, self.most_past = most_claims, most_bytes, most_past
        self._counted: dict[str, _Counted] = {}

    def together(self, *, lasting: bool = True) -> AbstractContextManager[None]:
        """Let everything that this thread writes inside be on disk together, or not at all."""
        return together(self._engine, lasting=lasting)

    def make_lasting(self) -> None:
        """Wait until all that was written is on disk."""
        make_lasting(self._engine)

    def claim(self, message: Arrived, now: datetime) -> Claimed:
        """Look (issuer, id) up, and write the message down if it is new."""
        moment, size = int(now.timestamp()), len(message.json.encode("utf-8", "surrogatepass"))
        with writing(self._engine) as connection:
            known = _DIGEST.first(connection, issuer=message.issuer, id=message.id)
            if known is not None:
                return Claimed.SAME if known.digest == message.digest.hex() else Claimed.OTHER
            if not self._has_room(connection, message.issuer, moment, size):
                return Claimed.FULL
            who = _WHO.first(connection, did=message.issuer)
            said = {
                "verb": message.verb,
                "json": message.json,
                "bytes": size,
                "peer_grant": message.grant,
                "until": message.until,
            }
            state = {"state": InboxState.ASKED.value, "came_at": now, "code": "", "documents": []}
            contact = None if who is None else who.id
            _COME.run(
                connection,
                issuer=message.issuer,
                id=message.id,
                contact=contact,
                digest=message.digest.hex(),
                **said,
                **state,
                **_NOT_YET,
            )
            return Claimed.NEW

    def _has_room(self, connection: Connection, issuer: str, now: int, size: int) -> bool:
        """Count one more, if it fits. Between two looks at the rows the count can only be too high,
        and nobody is refused by it without a look.
        """
        counted = self._counted.get(issuer)
        if (
            counted is None
            or not counted.at <= now < counted.at + COUNT_SECONDS
            or not self._fits(counted, size)
        ):
            self._sweep(connection, issuer, now)
            query = select(func.count(), func.coalesce(func.sum(_inbox.c.bytes), 0)).where(
                _inbox.c.issuer == issuer, _inbox.c.until >= now
            )
            counted = self._counted[issuer] = _Counted(now, *connection.execute(query).one())
        if not self._fits(counted, size):
            return False
        counted.claims += 1
        counted.bytes += size
        return True

    def _fits(self, counted: _Counted, size: int) -> bool:
        return counted.claims < self.most_claims and counted.bytes + size <= self.most_bytes

    def _sweep(self, connection: Connection, issuer: str, now: int) -> None:
        """Forget what cannot come again, but for the newest, which the person may still want to
        read.
        """
        past = select(_inbox.c.id).where(_inbox.c.issuer == issuer, _inbox.c.until < now)
        old = list(
            connection.execute(
                past.order_by(_inbox.c.until.desc(), _inbox.c.id).offset(self.most_past).limit(500)
            ).scalars()
        )
        if old:
            connection.execute(
                delete(_inbox).where(_inbox.c.issuer == issuer, _inbox.c.id.in_(old))
            )

    def arrived(self, issuer: str, message: str) -> InboxRow | None:
        """Return one message that came in."""
        with reading(self._engine) as connection:
            row = _ARRIVED.first(connection, issuer=issuer, id=message)
        return None if row is None else _came(row)

    def may_repeat(self, issuer: str, message: str) -> bool:
        """Say whether what an answer was made from is still open."""
        with reading(self._engine) as connection:
            return _CLOSED.first(connection, issuer=issuer, id=message) is None

    def inbox(
        self, *, limit: int, cursor: str | None = None, contact: ContactId | None = None
    ) -> tuple[list[InboxRow], str | None]:
        """Return what came in, newest first."""
        query = (
            select(_inbox) if contact is None else select(_inbox).where(_inbox.c.contact == contact)
        )
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection, query, _inbox.c.came_at, _inbox.c.id, limit=limit, cursor=cursor
            )
        return [_came(row) for row in rows], following

    def unfinished(self, state: InboxState) -> list[InboxRow]:
        """Return what is in this state, oldest first."""
        with reading(self._engine) as connection:
            return [
                _came(row)
                for row in connection.execute(
                    select(_inbox)
                    .where(_inbox.c.state == state.value)
                    .order_by(_inbox.c.came_at, _inbox.c.id)
                )
            ]

    def advance(self, issuer: str, message: str, state: InboxState, now: datetime) -> bool:
        """Move a message on."""
        decided = {"decided_at": now} if state is InboxState.DECIDED else {}
        with writing(self._engine) as connection:
            return _move(connection, issuer, message, state, decided)

    def draft(
        self, issuer: str, message: str, draft: Mapping[str, Any] | None, documents: Sequence[str]
    ) -> None:
        """Keep the answer that would leave, and what it was made from."""
        kept = None if draft is None else dict(draft)
        with writing(self._engine) as connection:
            _unanswered(connection, issuer, message, {"draft": kept, "documents": list(documents)})

    def put_off(self, issuer: str, message: str, code: str) -> None:
        """Note that who asked was told to come again."""
        with writing(self._engine) as connection:
            _unanswered(connection, issuer, message, {"code": code})

    def take_up(self, issuer: str, message: str, now: datetime) -> None:
        """Note that a message came again."""
        with writing(self._engine) as connection:
            _unanswered(connection, issuer, message, {"code": "", "came_at": now})

    def answer(
        self,
        issuer: str,
        message: str,
        now: datetime,
        answer: Mapping[str, Any] | None,
        code: str = "",
        documents: Sequence[str] = (),
    ) -> bool:
        """Keep the answer, or the refusal."""
        kept = {
            "answer": None if answer is None else dict(answer),
            "code": code,
            "documents": list(documents),
            "answered_at": now,
        }
        with writing(self._engine) as connection:
            return _ANSWER.run(connection, which_issuer=issuer, which_id=message, **kept) == 1

    # --- what goes out ---------------------------------------------------------------------------

    def send(self, row: OutboxRow) -> None:
        """Put a message into the outbox."""
        with writing(self._engine) as connection:
            _refuse_unreachable(connection, row)
            fields = {
                "id": row.id,
                "contact": row.contact,
                "verb": row.verb,
                "signed": row.signed,
                "made_at": row.made_at,
                "next_try": row.next_try,
            }
            said = {
                "until": row.until,
                "tries": row.tries,
                "state": row.state.value,
                "code": row.code,
                "link": row.link,
                "name": row.name,
            }
            _SEND.run(connection, **fields, **said, receipt=None, kept="")

    def outbox(
        self,
        *,
        limit: int,
        cursor: str | None = None,
        contact: ContactId | None = None,
        verb: str = "",
    ) -> tuple[list[OutboxRow], str | None]:
        """Return what goes out and went, newest first."""
        query = (
            select(_outbox)
            if contact is None
            else select(_outbox).where(_outbox.c.contact == contact)
        )
        query = query.where(_outbox.c.verb == verb) if verb else query
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection, query, _outbox.c.made_at, _outbox.c.id, limit=limit, cursor=cursor
            )
        return [_goes(row) for row in rows], following

    def outgoing(self, message: str) -> OutboxRow | None:
        """Return one message that goes out or went."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_outbox).where(_outbox.c.id == message)).first()
        return None if row is None else _goes(row)

    def due(self, now: int, limit: int = 32, but: Collection[str] = ()) -> list[OutboxRow]:
        """Return what has to be tried now."""
        reachable = or_(
            _contacts.c.state == ContactState.ACTIVE.value,
            _outbox.c.verb == FAREWELL,
            _outbox.c.contact.is_(None),
        )
        query = (
            select(_outbox)
            .outerjoin(_contacts, _contacts.c.id == _outbox.c.contact)
            .where(_WAITING, _outbox.c.next_try <= now, reachable, goes())
            .where(_outbox.c.verb.not_in(but))
        )
        with writing(self._engine) as connection:
            connection.execute(
                update(_outbox)
                .where(_WAITING, _outbox.c.until <= now)
                .values(state=OutboxState.EXPIRED.value, code="", link="")
            )
            return [
                _goes(row)
                for row in connection.execute(
                    query.order_by(_outbox.c.next_try, _outbox.c.id).limit(limit)
                )
            ]

    def goes(self, message: str) -> bool:
        """Say whether a message waits still, and offers nothing that may not be offered."""
        with reading(self._engine) as connection:
            return _GOES.first(connection, which=message) is not None

    def tried(self, message: str, next_try: int, code: str = "") -> None:
        """Note a try that brought no answer."""
        with writing(self._engine) as connection:
            trying = update(_outbox).where(_outbox.c.id == message, _WAITING)
            connection.execute(
                trying.values(tries=_outbox.c.tries + 1, next_try=next_try, code=code)
            )

    def hurry(self, contact: ContactId, now: int) -> None:
        """Let what waits for a contact be tried now."""
        with writing(self._engine) as connection:
            connection.execute(
                update(_outbox)
                .where(_outbox.c.contact == contact, _WAITING, _outbox.c.next_try > now)
                .values(next_try=now)
            )

    def settle(
        self,
        message: str,
        state: OutboxState,
        receipt: Mapping[str, Any] | None = None,
        code: str = "",
        contact: ContactId | None = None,
    ) -> bool:
        """Note how it ended, and whom a hello met."""
        ended = {
            "state": state.value,
            "receipt": None if receipt is None else dict(receipt),
            "code": code,
            "met": contact,
        }
        with writing(self._engine) as connection:
            return _SETTLE.run(connection, which=message, **ended) == 1

    def clear(self, message: str) -> None:
        """Forget a hello that met nobody."""
        with writing(self._engine) as connection:
            if (
                connection.execute(
                    delete(_outbox).where(
                        _outbox.c.id == message, _outbox.c.contact.is_(None), ~_WAITING
                    )
                ).rowcount
                != 1
            ):
                raise NotFoundError("greeting", message)

    def keep(self, message: str, document: str) -> None:
        """Note what an answer became."""
        with writing(self._engine) as connection:
            connection.execute(update(_outbox).where(_outbox.c.id == message).values(kept=document))

    def forget_sent(self, message: str) -> None:
        """Forget a message that goes out no more, with its answer."""
        with writing(self._engine) as connection:
            connection.execute(delete(_outbox).where(_outbox.c.id == message, ~_WAITING))

    def forget_said(self, issuer: str, table: str, but: str) -> None:
        """Forget what was said in answered messages of an issuer about a table, but for one."""
        about = (
            _inbox.c.issuer == issuer,
            _inbox.c.verb == "discuss",
            _inbox.c.state == InboxState.ANSWERED.value,
            _inbox.c.id != but,
            _inbox.c.json.contains(f'"table":"{table}"', autoescape=True),
        )
        with writing(self._engine) as connection:
            connection.execute(
                update(_inbox).where(*about).values(json="", answer=None, documents=[])
            )

    # --- what left -------------------------------------------------------------------------------

    def left(self, contact: ContactId, day: int, category: str, size: int) -> None:
        """Count bytes that are about to leave."""
        with writing(self._engine) as connection:
            known = _STATE.first(connection, contact=contact)
            count_left(connection, NOBODY if known is None else contact, day, category, size)

    def all_left(self) -> list[SentSummary]:
        """Return what left, newest day first."""
        with reading(self._engine) as connection:
            rows = connection.execute(
                select(_sent).order_by(_sent.c.day.desc(), _sent.c.contact, _sent.c.category)
            ).all()
        return [
            SentSummary(
                ContactId(row.contact) if row.contact else None, row.day, row.category, row.bytes
            )
            for row in rows
        ]

    def exchanges(self) -> list[Exchange]:
        """Count what was asked and answered, by contact and grant."""
        told = and_(_inbox.c.state == InboxState.ANSWERED.value, _inbox.c.code == "")
        counted = select(
            _inbox.c.contact,
            _inbox.c.peer_grant,
            func.count().label("asked"),
            func.max(_inbox.c.came_at).label("last_asked_at"),
            func.coalesce(func.sum(case((told, 1), else_=0)), 0).label("answers"),
            func.max(case((told, _inbox.c.answered_at))).label("last_answer_at"),
        )
        with reading(self._engine) as connection:
            rows = connection.execute(
                counted.where(_inbox.c.verb.in_(ASKING)).group_by(
                    _inbox.c.contact, _inbox.c.peer_grant
                )
            ).all()
        return [
            Exchange(
                ContactId(row.contact) if row.contact else None,
                row.peer_grant,
                row.asked,
                row.last_asked_at,
                row.answers,
                row.last_answer_at,
            )
            for row in rows
        ]


def forget_answers(connection: Connection, documents: Sequence[str]) -> None:
    """Forget the answers that were made from these documents, and offers of them. The same message
    gets no answer any more.
    """
    for part in parts(list(documents)):
        named = func.json_each(_inbox.c.documents).table_valued("value")
        made_of = select(named.c.value).where(named.c.value.in_(part)).exists()
        connection.execute(
            update(_inbox).where(made_of, _inbox.c.draft.is_not(None)).values(draft={"gone": True})
        )
        connection.execute(update(_inbox).where(made_of).values(answer=None, documents=[]))
        rows = peer_tables.peer_offer.c
        offered = (rows.ours, rows.document.in_(part))
        # an offer is named as its message, which holds title and hash
        connection.execute(delete(_outbox).where(_outbox.c.id.in_(select(rows.id).where(*offered))))
        connection.execute(delete(peer_tables.peer_offer).where(*offered))


def forget_table_messages(
    connection: Connection, table: str, words: Collection[str] | None = None
) -> None:
    """Take words out of what was asked and answered about a table; ``None``: all. What a contact
    was asked with entries is taken back, and asked anew without them.
    """
    there = peer_tables.discussion_contact.c
    if connection.execute(select(there.contact).where(there.discussion == table)).first() is None:
        return
    for name in ("message", "accept") if words is None else ("message",):
        asked = func.json_extract(there.asked, f"$.{name}")
        sent = select(asked).where(there.discussion == table)
        connection.execute(delete(_outbox).where(_outbox.c.id.in_(sent)))
    about = (
        _inbox.c.verb == "discuss",
        _inbox.c.json.contains(f'"table":"{table}"', autoescape=True),
        _inbox.c.json.contains('"entries":') | _inbox.c.json.contains('"behind":'),
    )
    for row in connection.execute(select(_inbox).where(*about)).all():
        values: dict[str, Any] = {"json": _without_words(row.json, words)}
        said = _words_in(row.answer or {})
        if row.state == InboxState.ANSWERED.value:
            values["json"] = ""
            if not row.code and (row.answer is None or words is None or said & set(words)):
                values |= {"answer": None, "documents": [], "code": _SAID_NO_MORE}
        mine = (_inbox.c.issuer == row.issuer, _inbox.c.id == row.id)
        connection.execute(update(_inbox).where(*mine).values(**values))


def _words_in(answer: Mapping[str, Any]) -> set[str]:
    """Give the words that an answer about a table brings."""
    lost = [each["words"] for each in answer.get("entries", ())]
    return {each for each in (answer.get("words"), *lost) if each is not None}


def _without_words(message: str, words: Collection[str] | None) -> str:
    """Take words out of the entries that a message hands."""
    read = json.loads(message)
    for about in read["body"].values():
        for entry in about.get("entries", ()):
            if words is None or entry["words"] in words:
                entry["words"] = None
    return json.dumps(read, ensure_ascii=False, separators=(",", ":"))


def goes_now(message: ColumnElement[Any]) -> ColumnElement[bool]:
    """Say in SQL that a message waits in the outbox, and may be sent."""
    return select(_outbox.c.id).where(_outbox.c.id == message, _WAITING, goes()).exists()


def _unanswered(
    connection: Connection, issuer: str, message: str, values: Mapping[str, Any]
) -> None:
    about = (
        _inbox.c.issuer == issuer,
        _inbox.c.id == message,
        _inbox.c.state != InboxState.ANSWERED.value,
    )
    connection.execute(update(_inbox).where(*about).values(**values))


def _move(
    connection: Connection, issuer: str, message: str, state: InboxState, values: Mapping[str, Any]
) -> bool:
    before = [inbox_state.value for inbox_state, after in INBOX_LIFE.items() if state in after]
    moving = update(_inbox).where(
        _inbox.c.issuer == issuer, _inbox.c.id == message, _inbox.c.state.in_(before)
    )
    return connection.execute(moving.values(state=state.value, **values)).rowcount == 1


def _refuse_unreachable(connection: Connection, row: OutboxRow) -> None:
    if row.contact is None:
        waiting = select(_outbox.c.id).where(_WAITING, _outbox.c.link == row.link)
        if connection.execute(waiting).first() is not None:
            raise ConflictError(
                "This invite is already being answered.",
                "Wait until the other node can be reached.",
            )
        return
    known = _STATE.first(connection, contact=row.contact)
    if known is None:
        raise NotFoundError("contact", row.contact)
    if known.state != ContactState.ACTIVE.value and row.verb != FAREWELL:
        raise ConflictError(
            f"This contact is {known.state}, so nothing was sent.",
            "Open the contact and decide there first.",
        )


def _came(row: Row[Any]) -> InboxRow:
    what = (
        row.issuer,
        row.id,
        row.verb,
        row.json,
        row.peer_grant,
        row.until,
        InboxState(row.state),
        row.came_at,
    )
    became = (
        row.decided_at,
        row.answered_at,
        row.answer,
        row.code,
        tuple(row.documents),
        row.draft,
    )
    return InboxRow(*what, ContactId(row.contact) if row.contact else None, *became)


def _goes(row: Row[Any]) -> OutboxRow:
    what = (
        row.id,
        ContactId(row.contact) if row.contact else None,
        row.verb,
        row.signed,
        row.made_at,
        row.next_try,
        row.until,
        row.tries,
    )
    return OutboxRow(
        *what, OutboxState(row.state), row.receipt, row.code, row.link, row.name, row.kept
    )
