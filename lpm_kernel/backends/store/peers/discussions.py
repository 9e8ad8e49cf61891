"""The ``Discussions`` port over SQL: records of tables, whose entries are added and never changed,
and whose words can go.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    String,
    cast,
    delete,
    func,
    insert,
    select,
    update,
)

from lpm_kernel.backends.store.node import peer_tables, tables
from lpm_kernel.backends.store.node.jobs import new_job_row
from lpm_kernel.backends.store.node.offered import is_open
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.peers.contacts import entomb
from lpm_kernel.backends.store.peers.post import forget_table_messages, goes_now
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.home.erasure import ErasureState
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import STRIKE, JobId
from lpm_kernel.domain.share.discussions import (
    Discussion,
    DiscussionId,
    DiscussionState,
    SaidEntry,
    Seat,
    TableContact,
    TableContactState,
    left_name,
    struck_name,
)
from lpm_kernel.errors import NotFoundError

_rows, _said = peer_tables.discussion, peer_tables.discussion_entry
_there = peer_tables.discussion_contact
MOST_HANDS = 16
"""Times that a contact waits for the word at one table."""
_NO_WORDS: dict[str, Any] = {"words": None, "basis": [], "documents": []}
_ALSO_GONE = ("left", "struck")
"""What is said at a contact's table also by who left it."""
_HERE = [TableContactState.INVITED.value, TableContactState.ACCEPTED.value]
_SAT = [TableContactState.ACCEPTED.value, TableContactState.LEFT.value]


class DiscussionStore:
    """Tables, and what was said there."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(
        self, discussion: Discussion, opening: SaidEntry, there: Sequence[TableContact] = ()
    ) -> None:
        """Keep a new table with its opening, and the contacts who are asked to it."""
        with writing(self._engine) as connection:
            connection.execute(insert(_rows).values(**_row(discussion)))
            connection.execute(insert(_said).values(**_values(discussion.id, opening)))
            for each in there:
                connection.execute(insert(_there).values(**_contact_values(each)))

    def bring_in(self, discussion: Discussion, said: Sequence[SaidEntry]) -> bool:
        """Keep a table from an archive with its record."""
        known = select(_rows.c.id).where(_rows.c.id == discussion.id)
        buried = select(tables.tombstone.c.id).where(tables.tombstone.c.id == discussion.id)
        with writing(self._engine) as connection:
            if any(connection.execute(each).first() is not None for each in (known, buried)):
                return False
            connection.execute(insert(_rows).values(**_row(discussion)))
            connection.execute(insert(_said), [_values(discussion.id, each) for each in said])
        return True

    def get(self, discussion: DiscussionId) -> Discussion:
        """Return one."""
        with reading(self._engine) as connection:
            row = connection.execute(_counted().where(_rows.c.id == discussion)).first()
        if row is None:
            raise NotFoundError("discussion", discussion)
        return _discussion(row)

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Discussion], str | None]:
        """Return the newest first."""
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection,
                _counted(),
                _rows.c.opened_at,
                _rows.c.id,
                limit=limit,
                cursor=cursor,
            )
        return [_discussion(row) for row in rows], following

    def going_on(self) -> list[DiscussionId]:
        """Name the tables that are open, those that waited longest first."""
        wanted = (
            select(_rows.c.id)
            .where(_rows.c.state == DiscussionState.OPEN.value, _rows.c.host == "")
            .order_by(_rows.c.changed_at, _rows.c.id)
        )
        with reading(self._engine) as connection:
            return [DiscussionId(each) for each in connection.execute(wanted).scalars()]

    def entries(self, discussion: DiscussionId, after: int = -1) -> list[SaidEntry]:
        """Return what was said there, in its order, after a number."""
        wanted = (
            select(_said, _withheld())
            .where(_said.c.discussion == discussion, _said.c.n > after)
            .order_by(_said.c.n)
        )
        with reading(self._engine) as connection:
            return [_entry(row) for row in connection.execute(wanted)]

    def append(
        self,
        discussion: DiscussionId,
        entry: SaidEntry,
        state: DiscussionState,
        gone: Collection[int] = (),
    ) -> bool:
        """Add the next entry with what the table is then, and drop the words that are gone."""
        mine = _said.c.discussion == discussion
        with writing(self._engine) as connection:
            newest = connection.execute(select(func.max(_said.c.n)).where(mine)).scalar()
            if newest is None:
                raise NotFoundError("discussion", discussion)
            if entry.n != newest + 1 or not _are_there(connection, entry.documents):
                return False
            connection.execute(insert(_said).values(**_values(discussion, entry)))
            _strike(connection, discussion, sorted(gone), entry.at)
            connection.execute(
                update(_rows)
                .where(_rows.c.id == discussion)
                .values(state=state.value, changed_at=entry.at)
            )
        return True

    def put_words(self, discussion: DiscussionId, words: Mapping[int, str]) -> None:
        """Add words that came later than their entries."""
        mine = _said.c.discussion == discussion
        with writing(self._engine) as connection:
            for n, text in words.items():
                connection.execute(update(_said).where(mine, _said.c.n == n).values(words=text))

    def drop_words(self, discussion: DiscussionId, gone: Collection[int], at: datetime) -> None:
        """Drop the words of entries, for good."""
        with writing(self._engine) as connection:
            _strike(connection, discussion, sorted(gone), at)

    def keep(self, discussion: DiscussionId, n: int, document: str | None) -> None:
        """Note which document the person made of an entry."""
        mine = (_said.c.discussion == discussion) & (_said.c.n == n)
        with writing(self._engine) as connection:
            connection.execute(update(_said).where(mine).values(kept=document))

    def delete(self, discussion: DiscussionId, at: datetime) -> None:
        """Delete a table with all that was said; a backup does not bring it back."""
        with writing(self._engine) as connection:
            forget_table_messages(connection, discussion)
            gone = delete(_rows).where(_rows.c.id == discussion)
            if not connection.execute(gone).rowcount:
                raise NotFoundError("discussion", discussion)
            _take_out(connection, [discussion], at)

    def was_deleted(self, discussion: DiscussionId) -> bool:
        """Tell whether a table of this id was deleted here."""
        with reading(self._engine) as connection:
            wanted = select(tables.tombstone.c.id).where(tables.tombstone.c.id == discussion)
            return connection.execute(wanted).first() is not None

    # --- contacts at tables ----------------------------------------------------------------------

    def contacts_at(self, discussion: DiscussionId) -> list[TableContact]:
        """Return the contacts at a table; of one of a contact's, the host alone."""
        wanted = select(_there).where(_there.c.discussion == discussion).order_by(_there.c.contact)
        with reading(self._engine) as connection:
            return [_contact(row) for row in connection.execute(wanted)]

    def invitations(self, contact: str | None = None) -> list[DiscussionId]:
        """Name the tables of a contact, or of all, to which this person is asked and has said
        nothing, and of which the invitation was not taken back.
        """
        theirs = _rows.c.host != "" if contact is None else _rows.c.host == contact
        stands = func.json_extract(_there.c.asked, "$.over").is_(None)
        wanted = (
            select(_rows.c.id)
            .select_from(_rows.join(_there, _there.c.discussion == _rows.c.id))
            .where(theirs, _there.c.state == TableContactState.INVITED.value, stands)
        )
        with reading(self._engine) as connection:
            return [DiscussionId(each) for each in connection.execute(wanted).scalars()]

    def wordless(self) -> list[DiscussionId]:
        """Name the tables of contacts at which this node has something to say, or waits to be let
        sit down.
        """
        comes = func.json_extract(_there.c.asked, "$.accept").is_not(None)
        waiting = (func.json_array_length(_there.c.own) > 0) | comes
        wanted = select(_rows.c.id).join(_there, _there.c.discussion == _rows.c.id)
        with reading(self._engine) as connection:
            found = connection.execute(wanted.where(_rows.c.host != "", waiting))
            return [DiscussionId(each) for each in found.scalars()]

    def restored(self, since: datetime) -> None:
        """Note that contacts at tables of this node may have entries that it lost."""
        goes_on = (_rows.c.state != DiscussionState.CLOSED.value) | (_rows.c.changed_at >= since)
        mine = select(_rows.c.id).where(_rows.c.host == "", goes_on)
        here = _there.c.discussion.in_(mine) & _there.c.state.in_(_HERE)
        entries = select(func.count()).select_from(_said)
        with writing(self._engine) as connection:
            for row in connection.execute(select(_there).where(here)).all():
                forget_table_messages(connection, row.discussion)
                of = _said.c.discussion == row.discussion
                ahead = {"ahead": connection.execute(entries.where(of)).scalar()}
                there = _of(DiscussionId(row.discussion), row.contact)
                connection.execute(update(_there).where(*there).values(asked=ahead))

    def gone(self, discussion: DiscussionId) -> set[int]:
        """Return the numbers of the entries whose words are gone for good."""
        prefix = struck_name(discussion, 0)[:-1]
        wanted = select(tables.tombstone.c.id).where(
            tables.tombstone.c.id.startswith(prefix, autoescape=True)
        )
        with reading(self._engine) as connection:
            names = [str(each)[len(prefix) :] for each in connection.execute(wanted).scalars()]
        return {int(each) for each in names if each.isdecimal()}

    def hosted(self) -> list[DiscussionId]:
        """Name the tables of this node at which there are contacts; of closed ones those where a
        contact is to be asked or handed something now.
        """
        here = select(_there.c.contact).where(_there.c.discussion == _rows.c.id)
        goes_on = _rows.c.state != DiscussionState.CLOSED.value
        wanted = (
            select(_rows.c.id)
            .where(_rows.c.host == "", (goes_on & here.exists()) | here.where(_is_due()).exists())
            .order_by(_rows.c.changed_at, _rows.c.id)
        )
        with reading(self._engine) as connection:
            return [DiscussionId(each) for each in connection.execute(wanted).scalars()]

    def shared(self) -> int:
        """Count the tables that go on between this node and contacts."""
        sits = _there.c.state == TableContactState.ACCEPTED.value
        asked = (_there.c.state == TableContactState.INVITED.value) & (_rows.c.host == "")
        with_them = select(_there.c.contact).where(_there.c.discussion == _rows.c.id, sits | asked)
        goes_on = _rows.c.state != DiscussionState.CLOSED.value
        wanted = select(func.count()).select_from(_rows).where(goes_on, with_them.exists())
        with reading(self._engine) as connection:
            return int(connection.execute(wanted).scalar() or 0)

    def move_contact(
        self,
        discussion: DiscussionId,
        contact: str,
        before: Collection[TableContactState] = (),
        *,
        read: TableContact | None = None,
        **values: object,
    ) -> bool:
        """Change fields of a contact at a table."""
        where = _of(discussion, contact)
        if before:
            where = (*where, _there.c.state.in_([each.value for each in before]))
        named = {{"grant": "peer_grant"}.get(name, name): each for name, each in values.items()}
        revoked_at = values.get("revoked_at")
        with writing(self._engine) as connection:
            if read is not None:
                asked = connection.execute(select(_there.c.asked).where(*where)).scalar()
                if asked != read.asked:
                    return False
            moved = connection.execute(update(_there).where(*where).values(**named)).rowcount == 1
            if moved and isinstance(revoked_at, datetime):
                entomb(connection, [left_name(discussion)], revoked_at)
            return moved

    def raise_hand(self, discussion: DiscussionId, contact: str, hand: Mapping[str, str]) -> None:
        """Note once that a contact wants the word."""
        with writing(self._engine) as connection:
            _alter(
                connection,
                (discussion, contact),
                "hands",
                lambda hands: hands if dict(hand) in hands else [*hands, dict(hand)][:MOST_HANDS],
            )

    def lower_hand(self, discussion: DiscussionId, contact: str, hand: Mapping[str, str]) -> None:
        """Note that they had it."""
        with writing(self._engine) as connection:
            _alter(
                connection,
                (discussion, contact),
                "hands",
                lambda hands: [each for each in hands if each != dict(hand)],
            )

    def put_own(
        self,
        discussion: DiscussionId,
        contact: str,
        said: Mapping[str, Any],
        turns: int | None = None,
    ) -> bool:
        """Keep what this node says at a contact's table, perhaps as one turn of so many."""
        where = _of(discussion, contact)
        with writing(self._engine) as connection:
            if not _are_there(connection, said.get("documents", ())):
                return False
            if said["step"] not in _ALSO_GONE and not _sits(connection, where):
                return False
            if turns is not None:
                spent = (
                    update(_there)
                    .where(*where, _there.c.turns < turns)
                    .values(turns=_there.c.turns + 1)
                )
                if connection.execute(spent).rowcount != 1:
                    return False
            return _alter(
                connection,
                (discussion, contact),
                "own",
                lambda own: _with(own, dict(said)),
            )

    def drop_own(self, discussion: DiscussionId, contact: str, ids: Collection[str]) -> None:
        """Forget what stands in the record by now, or was not wanted any more."""
        with writing(self._engine) as connection:
            _alter(
                connection,
                (discussion, contact),
                "own",
                lambda own: [each for each in own if each["id"] not in ids],
            )


def _with(own: list[Any], said: dict[str, Any]) -> list[Any]:
    """Put it in the place of what has its id, else at the end."""
    if any(each["id"] == said["id"] for each in own):
        return [said if each["id"] == said["id"] else each for each in own]
    return [*own, said]


def _strike(
    connection: Connection, discussion: DiscussionId, gone: Sequence[int], at: datetime | None
) -> None:
    """Drop the words of entries that have some still, here and in messages."""
    mine = (_said.c.discussion == discussion, _said.c.words.is_not(None))
    struck: dict[int, str] = {}
    for part in parts(list(gone)):
        which = (*mine, _said.c.n.in_(part))
        for row in connection.execute(select(_said.c.n, _said.c.words).where(*which)):
            struck[row.n] = row.words
        connection.execute(update(_said).where(*which).values(**_NO_WORDS))
    if struck:
        forget_table_messages(connection, discussion, struck.values())
    if struck and at is not None:
        _take_out(connection, [struck_name(discussion, n) for n in struck], at)


def _take_out(connection: Connection, names: Sequence[str], at: datetime) -> None:
    """Remember that this is gone, and queue the job that takes it out of backups, free pages and
    logs.
    """
    entomb(connection, names, at)
    token = secrets.token_hex(8)
    erasure, job = f"{STRIKE}{token}", JobId(f"j_{token}")
    row = {
        "id": erasure,
        "token": erasure,
        "state": ErasureState.CONFIRMED.value,
        "created_at": at,
        "expires_at": at,
        "documents": [],
        "conversations": [],
        "turns": list(names),
        "job": job,
    }
    connection.execute(insert(tables.erasure).values(**row))
    work = new_job_row(job, "erase", Lane.ERASE, None, at, {"erasure": erasure})
    connection.execute(insert(tables.job).values(**work))


def _of(discussion: DiscussionId, contact: str) -> tuple[ColumnElement[bool], ...]:
    return _there.c.discussion == discussion, _there.c.contact == contact


def _alter(
    connection: Connection,
    which: tuple[DiscussionId, str],
    column: str,
    change: Callable[[list[Any]], list[Any]],
) -> bool:
    """Change a list of a contact at a table, in the transaction that is open."""
    row = connection.execute(select(_there.c[column]).where(*_of(*which))).first()
    if row is None:
        return False
    after = change(list(row[0]))
    connection.execute(update(_there).where(*_of(*which)).values(**{column: after}))
    return True


def _contact_values(there: TableContact) -> dict[str, Any]:
    return {
        "discussion": there.discussion,
        "contact": there.contact,
        "members": list(there.members),
        "state": there.state.value,
        "peer_grant": there.grant,
        "turns": there.turns,
        "have": there.have,
        "own": [],
        "hands": [],
    }


def _contact(row: Row[Any]) -> TableContact:
    return TableContact(
        DiscussionId(row.discussion),
        row.contact,
        tuple(row.members),
        TableContactState(row.state),
        row.peer_grant,
        row.revoked_at,
        row.turns,
        row.have,
        row.asked,
        tuple(row.own),
        tuple(row.hands),
    )


def forget_said(connection: Connection, documents: Sequence[str]) -> None:
    """Drop the words of what was made from these documents, and of what quotes it, also of what is
    under way and in messages. The entries stay, and their hashes. At tables of contacts they wait
    to be struck there, too; contacts at tables of this node are handed them anew, without words.
    """
    gone: dict[str, list[str]] = {}
    lost: dict[str, set[int]] = {}
    for part in parts(list(documents)):
        named = func.json_each(_said.c.documents).table_valued("value")
        made_of = select(named.c.value).where(named.c.value.in_(part)).exists()
        said = select(_said.c.discussion, _said.c.n, _said.c.words, _rows.c.host).join(
            _rows, _rows.c.id == _said.c.discussion
        )
        for row in connection.execute(said.where(made_of, _said.c.words.is_not(None))).all():
            gone.setdefault(row.discussion, []).append(row.words)
            lost.setdefault(row.discussion, set()).add(row.n)
            if row.host:
                _strike_there(connection, DiscussionId(row.discussion), row.n)
            else:
                again = update(_there).where(_there.c.discussion == row.discussion)
                connection.execute(again.values(have=func.min(_there.c.have, row.n)))
        connection.execute(update(_said).where(made_of).values(**_NO_WORDS))
    for table, numbers in lost.items():
        cited = func.json_each(_said.c.words, "$.cites").table_valued("value")
        turn = func.json_extract(cited.c.value, "$.turn")
        quotes = select(turn).where(turn.in_(numbers)).exists()
        there = (_said.c.discussion == table, _said.c.words.is_not(None), quotes)
        gone[table] += connection.execute(select(_said.c.words).where(*there)).scalars().all()
        connection.execute(update(_said).where(*there).values(**_NO_WORDS))
    for table, words in _own_gone(connection, set(documents)).items():
        gone.setdefault(table, []).extend(words)
    for table, words in gone.items():
        forget_table_messages(connection, table, words)


def _own_gone(connection: Connection, documents: set[str]) -> dict[str, list[str]]:
    """Drop what is under way and was made from documents. What was signed may come back in the
    record: without its words it waits for that, to be struck. Returns the words, by table.
    """
    gone: dict[str, list[str]] = {}
    rows = select(_there.c.discussion, _there.c.contact, _there.c.own)
    for row in connection.execute(rows).all():
        lost = [each for each in row.own if documents & set(each["documents"])]
        if not lost:
            continue
        gone[row.discussion] = [each["words"] for each in lost if each["words"] is not None]
        bare = {**_NO_WORDS, "gone": True}
        after = [
            each | bare if each in lost else each
            for each in row.own
            if each not in lost or each["entry"] is not None
        ]
        which = _of(row.discussion, row.contact)
        connection.execute(update(_there).where(*which).values(own=after))
    return gone


def _strike_there(connection: Connection, discussion: DiscussionId, n: int) -> None:
    """Have this node strike an entry of its own at the table of a contact, once it is asked."""
    found = select(_there).where(_there.c.discussion == discussion)
    for row in connection.execute(found).all():
        struck = {
            "id": f"struck-{n}",
            "by": row.members[0],
            "step": "struck",
            "round": 0,
            "body": {"entry": n},
            "words": None,
            "documents": [],
            "basis": [],
            "entry": None,
        }
        _alter(
            connection,
            (discussion, row.contact),
            "own",
            lambda own, struck=struck: [  # type: ignore[misc]
                *(each for each in own if each["id"] != struck["id"]),
                struck,
            ],
        )


def forget_discussions(connection: Connection, erased: Mapping[str, datetime]) -> None:
    """Delete the tables among what was erased in another state of this home, drop the words that
    were struck in it, and take back what was taken back.
    """
    named = _said.c.discussion.concat(".").concat(_said.c.n)
    for part in parts(list(erased)):
        gone = connection.execute(select(_rows.c.id).where(_rows.c.id.in_(part)))
        for table in gone.scalars().all():
            forget_table_messages(connection, table)
        connection.execute(delete(_rows).where(_rows.c.id.in_(part)))
        struck = select(_said.c.discussion, _said.c.n).where(named.in_(part))
        for row in connection.execute(struck).all():
            _strike(connection, DiscussionId(row.discussion), [row.n], None)
        left = select(_there.c.discussion).where(_there.c.discussion.concat(".left").in_(part))
        for table in connection.execute(left).scalars().all():
            back = {"state": TableContactState.LEFT.value, "revoked_at": erased[left_name(table)]}
            mine = (_there.c.discussion == table, _there.c.revoked_at.is_(None))
            connection.execute(update(_there).where(*mine).values(**back, own=[]))


def _sits(connection: Connection, where: tuple[ColumnElement[bool], ...]) -> bool:
    """Tell whether this person sits at a contact's table, and took nothing back."""
    here = (_there.c.state == TableContactState.ACCEPTED.value, _there.c.revoked_at.is_(None))
    return connection.execute(select(_there.c.contact).where(*where, *here)).first() is not None


def _is_due() -> ColumnElement[bool]:
    """Say in SQL that a contact at a closed table is to be asked or handed something, and that
    nothing that was asked of them is on its way.
    """
    mine = _said.c.discussion == _there.c.discussion
    entries = select(func.count()).select_from(_said).where(mine).scalar_subquery()
    message = func.json_extract(_there.c.asked, "$.message")
    behind = _there.c.have < entries
    wants = cast(_there.c.hands, String).contains('"struck"')
    sits = _there.c.state == TableContactState.ACCEPTED.value
    sat = sits | ((_there.c.state.in_(_SAT)) & (_there.c.peer_grant != "") & (_there.c.have > 0))
    ahead = func.coalesce(func.json_extract(_there.c.asked, "$.ahead"), 0) > 0
    return ~goes_now(message) & (message.is_not(None) | ahead | (sat & (behind | wants)))


def _are_there(connection: Connection, documents: Sequence[str]) -> bool:
    """Tell whether nothing that words were made from was erased, made private or put away while
    they were made.
    """
    known = tables.document.alias("made_of")
    return all(
        connection.execute(
            select(func.count()).where(known.c.id.in_(part), is_open(known.c.id))
        ).scalar()
        == len(part)
        for part in parts(sorted(set(documents)))
    )


def _withheld() -> ColumnElement[bool]:
    """Say in SQL that something that an entry was made from is not open any more."""
    named = func.json_each(_said.c.documents).table_valued("value")
    return select(named.c.value).where(~is_open(named.c.value)).exists().label("withheld")


def _counted() -> Select[Any]:
    count = (
        select(func.count())
        .select_from(_said)
        .where(_said.c.discussion == _rows.c.id)
        .scalar_subquery()
    )
    return select(_rows, count.label("entries"))


def _row(discussion: Discussion) -> dict[str, Any]:
    return {
        "id": discussion.id,
        "opened_at": discussion.opened_at,
        "changed_at": discussion.changed_at,
        "state": discussion.state.value,
        "seats": [asdict(seat) for seat in discussion.seats],
        "template": discussion.template,
        "tags": list(discussion.tags),
        "host": discussion.host,
    }


def _values(discussion: DiscussionId, entry: SaidEntry) -> dict[str, Any]:
    return {
        "discussion": discussion,
        "n": entry.n,
        "entry": entry.entry,
        "words": entry.words,
        "at": entry.at,
        "documents": list(entry.documents),
        "basis": [dict(each) for each in entry.basis],
        "kept": entry.kept,
    }


def _discussion(row: Row[Any]) -> Discussion:
    return Discussion(
        DiscussionId(row.id),
        row.opened_at,
        row.changed_at,
        DiscussionState(row.state),
        tuple(Seat(**seat) for seat in row.seats),
        row.template,
        tuple(row.tags),
        row.entries,
        row.host,
    )


def _entry(row: Row[Any]) -> SaidEntry:
    return SaidEntry(
        row.n,
        row.entry,
        row.words,
        row.at,
        tuple(row.documents),
        tuple(row.basis),
        row.kept,
        bool(row.withheld),
    )
