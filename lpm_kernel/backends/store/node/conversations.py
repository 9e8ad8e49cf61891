"""The ``Conversations`` port over SQL."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, delete, func, insert, select, update

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.node.audit import AuditStore, add
from lpm_kernel.backends.store.node.documents import problem_from_cell
from lpm_kernel.backends.store.node.profile import (
    forget_chat,
    forget_turn,
    forget_unsaid,
    in_mind_column,
    lines_in_mind,
    note_in_mind,
    rename_lines,
)
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import folded, parts, reading, writing
from lpm_kernel.domain.chat.conversations import (
    AnswerBasis,
    AnswerPart,
    AnswerVerdict,
    Branched,
    Citation,
    Conversation,
    Identity,
    Judgement,
    Keeping,
    Length,
    Manner,
    Match,
    PartKind,
    Snippet,
    Turn,
    TurnState,
)
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ids import ChunkId, ConversationId, DocumentId, TurnId
from lpm_kernel.domain.lines import plain_line
from lpm_kernel.errors import NotFoundError

_rows, _turns, _identity, _verdicts, _said = (
    tables.conversation,
    tables.turn,
    tables.identity,
    tables.verdict,
    tables.conversation_search,
)
_count = (
    select(func.count())
    .where(_turns.c.conversation == _rows.c.id, _turns.c.shown)
    .correlate(_rows)
    .scalar_subquery()
)
_counted = select(_rows, _count.label("turns"))
_judged = select(
    _turns,
    _verdicts.c.judged,
    _verdicts.c.better,
    _verdicts.c.at.label("judged_at"),
    in_mind_column().label("in_mind"),
).outerjoin(_verdicts, _verdicts.c.turn == _turns.c.id)
_in_order = (_turns.c.position, _turns.c.created_at, _turns.c.id)
TITLE = ""
"""Stands for the turn where the words are a title."""
MOST_WORDS = 50
"""Words that are looked for at once; a single sign may unfold into many."""
TITLE_LENGTH = 60
QUOTED = 12
"""Characters of a title that stand in a text, from which on it quotes that."""
AROUND = 40
"""Characters of a turn that are shown before what was found in it; three times as many after."""


class ConversationStore:
    """Chats, and who the second self is."""

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def start(self, conversation: Conversation) -> Conversation:
        """Record a new chat."""
        with writing(self._engine) as connection:
            _begin(connection, conversation)
        return conversation

    def get(self, conversation: ConversationId, *, put_away: bool = False) -> Conversation:
        """Return one; one that was put away only with ``put_away``."""
        with reading(self._engine) as connection:
            row = connection.execute(_counted.where(_rows.c.id == conversation)).first()
        if row is None or (row.deleted_at is not None and not put_away):
            raise NotFoundError("conversation", conversation)
        return _conversation(row)

    def page(
        self, *, limit: int, cursor: str | None = None, put_away: bool = False
    ) -> tuple[list[Conversation], str | None]:
        """Return the latest first: those that are there, or with ``put_away`` those that were put
        away.
        """
        wanted = _counted.where(
            _rows.c.deleted_at.is_not(None) if put_away else _rows.c.deleted_at.is_(None)
        )
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection, wanted, _rows.c.updated_at, _rows.c.id, limit=limit, cursor=cursor
            )
        return [_conversation(row) for row in rows], following

    def search(
        self, text: str, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Match], str | None]:
        """Return the chats in whose title, or in one turn of which, every word of ``text`` stands,
        the latest first.
        """
        words = list(dict.fromkeys(folded(text).split()))[:MOST_WORDS]
        holds = and_(*(func.instr(_said.c.words, word) > 0 for word in words))
        wanted = _counted.where(
            _rows.c.deleted_at.is_(None), _rows.c.id.in_(select(_said.c.conversation).where(holds))
        )
        first = (
            select(_said.c.turn, _turns.c.text)
            .outerjoin(_turns, _turns.c.id == _said.c.turn)
            .where(holds)
            .order_by(_said.c.turn)
            .limit(1)
        )
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection, wanted, _rows.c.updated_at, _rows.c.id, limit=limit, cursor=cursor
            )
            said = [
                connection.execute(first.where(_said.c.conversation == row.id)).one()
                for row in rows
            ]
        return [
            Match(
                _conversation(row),
                (
                    snippet(row.title, words, None)
                    if turn == TITLE
                    else snippet(text, words, TurnId(turn))
                ),
            )
            for row, (turn, text) in zip(rows, said, strict=True)
        ], following

    def answered(self, words: Sequence[str], limit: int) -> list[Turn]:
        """Return the second self's answers that hold with their question all of these words."""
        asked = _said.alias("asked")
        both = _said.c.words + " " + func.coalesce(asked.c.words, "")
        wanted = (
            _judged.join(_rows, _rows.c.id == _turns.c.conversation)
            .join(_said, (_said.c.turn == _turns.c.id) & (_said.c.conversation == _rows.c.id))
            .outerjoin(
                asked,
                (asked.c.turn == _turns.c.answers) & (asked.c.conversation == _rows.c.id),
            )
            .where(
                _rows.c.deleted_at.is_(None),
                _turns.c.role == "assistant",
                _turns.c.shown,
                _rows.c.keeping == Keeping.FULL.value,
                _turns.c.speaker == "",
                ~_turns.c.abstained,
                *(func.instr(both, folded(word)) > 0 for word in words[:MOST_WORDS]),
            )
            .order_by(_turns.c.created_at.desc(), _turns.c.id)
            .limit(limit)
        )
        with reading(self._engine) as connection:
            return [turn_from_row(row) for row in connection.execute(wanted)]

    def branches(self, conversation: ConversationId) -> list[Conversation]:
        """Return the chats that were branched from this one, oldest first."""
        with reading(self._engine) as connection:
            of = _counted.where(_rows.c.branched_from == conversation, _rows.c.deleted_at.is_(None))
            return [
                _conversation(row)
                for row in connection.execute(of.order_by(_rows.c.created_at, _rows.c.id))
            ]

    def rename(self, conversation: ConversationId, title: str) -> Conversation:
        """Give it another title."""
        with writing(self._engine) as connection:
            _retitle(connection, conversation, title)
        return self.get(conversation)

    def keep_so(self, conversation: ConversationId, keeping: Keeping, at: datetime) -> Conversation:
        """Have it keep this of what is said in it."""
        values = {"keeping": keeping.value, "kept_so_since": at, "settled_at": None}
        with writing(self._engine) as connection:
            changed = (_rows.c.id == conversation) & (_rows.c.keeping != keeping.value)
            connection.execute(update(_rows).where(changed).values(**values))
            if keeping is Keeping.NONE:
                forget_chat(connection, conversation)
        return self.get(conversation)

    def keeping(self, keeping: Keeping) -> list[Conversation]:
        """Return the chats that keep this, put away or not, the longest idle first."""
        wanted = _counted.where(_rows.c.keeping == keeping.value)
        with reading(self._engine) as connection:
            return [
                _conversation(row)
                for row in connection.execute(wanted.order_by(_rows.c.updated_at, _rows.c.id))
            ]

    def put_away(self, conversation: ConversationId, at: datetime) -> None:
        """Put it away, so that it can be brought back."""
        with self._audit.recording() as connection:
            there = (_rows.c.id == conversation) & _rows.c.deleted_at.is_(None)
            if connection.execute(update(_rows).where(there).values(deleted_at=at)).rowcount == 0:
                raise NotFoundError("conversation", conversation)
            add(connection, at, AuditKind.DELETED, {"conversations": 1, "ids": (conversation,)})

    def bring_back(self, conversation: ConversationId, at: datetime) -> Conversation:
        """Bring back what was put away; what is there stays."""
        with self._audit.recording() as connection:
            away = (_rows.c.id == conversation) & _rows.c.deleted_at.is_not(None)
            if connection.execute(update(_rows).where(away).values(deleted_at=None)).rowcount:
                add(
                    connection,
                    at,
                    AuditKind.BROUGHT_BACK,
                    {"conversations": 1, "ids": (conversation,)},
                )
        return self.get(conversation)

    def let_go(self, before: datetime) -> int:
        """Delete for good what was put away before then, and return how many."""
        with writing(self._engine) as connection:
            gone = connection.execute(delete(_rows).where(_rows.c.deleted_at < before)).rowcount
            forget_unsaid(connection)
        return gone

    def delete(self, conversation: ConversationId) -> None:
        """Delete it for good, with its turns."""
        with writing(self._engine) as connection:
            if connection.execute(delete(_rows).where(_rows.c.id == conversation)).rowcount == 0:
                raise NotFoundError("conversation", conversation)
            forget_unsaid(connection)

    def turns(
        self,
        conversation: ConversationId,
        *,
        limit: int | None = None,
        before: TurnId | None = None,
        every: bool = False,
    ) -> list[Turn]:
        """Return its turns, oldest first: all of them, or the last ``limit``, or those before one
        of them; ``every``: also the answers that are not shown.
        """
        wanted = _judged.where(_turns.c.conversation == conversation)
        if not every:
            wanted = wanted.where(_turns.c.shown)
        with reading(self._engine) as connection:
            if before is not None:
                place = connection.execute(
                    select(_turns.c.position).where(
                        _turns.c.id == before, _turns.c.conversation == conversation
                    )
                ).scalar()
                if place is None:
                    raise NotFoundError("turn of this conversation", before)
                wanted = wanted.where(_turns.c.position < place)
            if limit is None:
                return [
                    turn_from_row(row) for row in connection.execute(wanted.order_by(*_in_order))
                ]
            latest = connection.execute(
                wanted.order_by(*(column.desc() for column in _in_order)).limit(limit)
            ).all()
            return [turn_from_row(row) for row in reversed(latest)]

    def turns_between(self, conversation: ConversationId, first: int, last: int) -> list[Turn]:
        """Return the turns that are shown from one place in a chat to another, oldest first."""
        wanted = _judged.where(
            _turns.c.conversation == conversation,
            _turns.c.shown,
            _turns.c.position.between(first - 1, last - 1),
        )
        with reading(self._engine) as connection:
            return [turn_from_row(row) for row in connection.execute(wanted.order_by(*_in_order))]

    def every_turn(self) -> Iterator[Turn]:
        """Yield the turns of all chats, one chat at a time, with the answers that are not shown and
        the chats that were put away.
        """
        with reading(self._engine) as connection:
            known = list(
                connection.execute(
                    select(_rows.c.id).order_by(_rows.c.created_at, _rows.c.id)
                ).scalars()
            )
        for each in known:
            yield from self.turns(ConversationId(each), every=True)

    def keep(self, conversation: Conversation, turns: Sequence[Turn]) -> bool:
        """Record a whole chat as it was elsewhere."""
        with writing(self._engine) as connection:
            known = connection.execute(
                select(_rows.c.id).where(_rows.c.id == conversation.id)
            ).first()
            if known or any(
                connection.execute(select(_turns.c.id).where(_turns.c.id == turn.id)).first()
                for turn in turns
            ):
                return False
            _begin(connection, conversation)
            places: dict[str, int] = {}
            for turn in _one_shown(turns):
                key = f"to {turn.answers}" if turn.answers else turn.id
                _record(connection, turn, places.setdefault(key, len(places)))
        return True

    def rewrite(self, turn: Callable[[Turn], Turn], title: Callable[[str], str]) -> int:
        """Put every turn and title through these and keep what comes out, one chat in one
        transaction.
        """
        with reading(self._engine) as connection:
            known = list(connection.execute(select(_rows.c.id)).scalars())
        changed = 0
        for each in known:
            with writing(self._engine) as connection:
                changed += rewrite_turns(connection, each, turn)
                before = connection.execute(
                    select(_rows.c.title).where(_rows.c.id == each)
                ).scalar()
                if before is not None and (after := title(before)) != before:
                    _retitle(connection, each, after)
        with writing(self._engine) as connection:
            rename_lines(connection, title)
            forget_unsaid(connection)
        return changed

    def say(self, turn: Turn) -> Turn:
        """Record a turn. The same turn id, or a second answer to one turn, changes nothing: the
        first stands.

        An answer that failed, or was stopped before its first word, gives way to the next.
        """
        with writing(self._engine) as connection:
            same = _turns.c.id == turn.id
            if turn.answers is not None:
                same |= (_turns.c.answers == turn.answers) & _turns.c.shown
            known = connection.execute(_judged.where(same)).first()
            if known is not None and not _unfinished(known):
                return turn_from_row(known)
            turn = _unless_discarded(connection, _unless_erased(connection, turn))
            place = None if known is None else int(known.position)
            if known is not None:
                _drop(connection, known)
            _touch(connection, turn)
            _record(connection, turn, _end(connection, turn) if place is None else place)
        return turn

    def say_again(self, turn: Turn) -> Turn:
        """Record another answer beside those that were given, and show it. One that failed, or has
        no words, gives way.
        """
        with writing(self._engine) as connection:
            given = connection.execute(_judged.where(_turns.c.answers == turn.answers)).all()
            place = min((int(row.position) for row in given), default=None)
            latest = max((row.created_at for row in given), default=None)
            turn = _unless_discarded(connection, _unless_erased(connection, turn))
            # the order of answers is that of their times
            if latest is not None and turn.created_at <= latest:
                turn = replace(turn, created_at=latest + timedelta(microseconds=1))
            _touch(connection, turn)
            for row in given:
                if _unfinished(row):
                    _drop(connection, row)
            _hide_answers(connection, turn.answers)
            _record(connection, turn, _end(connection, turn) if place is None else place)
        return turn

    def answers(self, conversation: ConversationId) -> dict[TurnId, list[TurnId]]:
        """Return the answers that were given to each turn of a chat, oldest first, shown or not."""
        found: dict[TurnId, list[TurnId]] = {}
        given = select(_turns.c.answers, _turns.c.id).where(
            _turns.c.conversation == conversation, _turns.c.answers.is_not(None)
        )
        with reading(self._engine) as connection:
            for row in connection.execute(given.order_by(*_in_order)):
                found.setdefault(TurnId(row.answers), []).append(TurnId(row.id))
        return found

    def spoken(self, conversation: ConversationId) -> dict[str, int]:
        """Count the answers that each role of a chat gave, by its id; of several to one turn, the
        one that is shown.
        """
        given = (
            (_turns.c.conversation == conversation) & _turns.c.answers.is_not(None) & _turns.c.shown
        )
        with reading(self._engine) as connection:
            return {
                row.speaker: row.many
                for row in connection.execute(
                    select(_turns.c.speaker, func.count().label("many"))
                    .where(given)
                    .group_by(_turns.c.speaker)
                )
            }

    def show(self, turn: TurnId) -> Turn:
        """Show this one of several answers."""
        with writing(self._engine) as connection:
            row = connection.execute(_judged.where(_turns.c.id == turn)).first()
            if row is None:
                raise NotFoundError("turn", turn)
            if row.answers is not None and not row.shown:
                _hide_answers(connection, row.answers)
                connection.execute(update(_turns).where(_turns.c.id == turn).values(shown=True))
                _note(connection, row.conversation, row.id, row.text)
        return replace(turn_from_row(row), shown=True)

    def judge(self, turn: TurnId, verdict: Judgement | None) -> Turn:
        """Keep what the person says of an answer, or take it back."""
        with writing(self._engine) as connection:
            row = connection.execute(_judged.where(_turns.c.id == turn)).first()
            if row is None:
                raise NotFoundError("turn", turn)
            judged = replace(turn_from_row(row), verdict=verdict)
            _record_verdict(connection, judged)
        return judged

    def turn(self, turn: TurnId) -> Turn | None:
        """Return one turn."""
        with reading(self._engine) as connection:
            row = connection.execute(_judged.where(_turns.c.id == turn)).first()
            return None if row is None else turn_from_row(row)

    def question_at(self, conversation: ConversationId, number: int) -> Turn | None:
        """Return what was said to the node at a place in a chat."""
        there = (_turns.c.conversation == conversation) & (_turns.c.position == number - 1)
        with reading(self._engine) as connection:
            row = connection.execute(_judged.where(there, _turns.c.role == "user")).first()
            return None if row is None else turn_from_row(row)

    def answer_to(self, turn: TurnId) -> Turn | None:
        """Return the answer to a turn that is shown, if there is one."""
        with reading(self._engine) as connection:
            row = connection.execute(
                _judged.where(_turns.c.answers == turn, _turns.c.shown)
            ).first()
            return None if row is None else turn_from_row(row)

    def identity(self) -> Identity:
        """Return who the node is the second self of; empty until somebody said."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_identity)).mappings().first()
        if row is None:
            return Identity()
        said = {name: row[name] for name in ("name", "introduction", "style", "values")}
        return Identity(
            **said,
            languages=tuple(row["languages"]),
            length=Length(row["length"]),
            manner=Manner(row["manner"]),
        )

    def set_identity(self, identity: Identity) -> None:
        """Record who it is."""
        values = asdict(identity) | {"languages": list(identity.languages)}
        values["name"] = plain_line(identity.name)
        with writing(self._engine) as connection:
            if (
                connection.execute(
                    update(_identity).where(_identity.c.id == 1).values(**values)
                ).rowcount
                == 0
            ):
                connection.execute(insert(_identity).values(id=1, **values))


def snippet(text: str, words: Sequence[str], turn: TurnId | None) -> Snippet:
    """Cut out of a text what stands around the words that were looked for.

    >>> snippet("I moved to Teramachi.", ["teramachi"], None)
    Snippet(spans=((11, 20),), turn=None)
    """
    signs = [folded(sign) for sign in text]
    plain, starts = "".join(signs), list(accumulate((len(sign) for sign in signs), initial=0))
    found = sorted((at, at + len(word)) for word in words if (at := plain.find(word)) >= 0)
    spans = [(bisect_right(starts, start) - 1, bisect_left(starts, end)) for start, end in found]
    first = spans[0][0] if spans else 0
    begin, end = max(0, first - AROUND), min(len(text), first + 3 * AROUND)
    shown = (
        " ".join(text[begin:end].splitlines()) if "\r\n" not in text[begin:end] else text[begin:end]
    )
    opens, closes = "…" if begin else "", "…" if end < len(text) else ""
    moved = [
        (start - begin + len(opens), stop - begin + len(opens))
        for start, stop in spans
        if stop <= end
    ]
    return Snippet(f"{opens}{shown}{closes}", tuple(moved), turn)


def _begin(connection: Connection, conversation: Conversation) -> None:
    from_ = conversation.branched_from
    connection.execute(
        insert(_rows).values(
            id=conversation.id,
            title=conversation.title,
            created_at=conversation.created_at,
            updated_at=conversation.updated_at,
            branched_from=None if from_ is None else from_.conversation,
            branched_at=None if from_ is None else from_.turn,
            deleted_at=conversation.deleted_at,
            roles=list(conversation.cast),
            keeping=conversation.keeping.value,
            kept_so_since=conversation.kept_so_since,
        )
    )
    _note(connection, conversation.id, TITLE, conversation.title)


def _retitle(connection: Connection, conversation: str, title: str) -> None:
    if connection.execute(
        update(_rows).where(_rows.c.id == conversation).values(title=title)
    ).rowcount:
        _note(connection, conversation, TITLE, title)


def _note(connection: Connection, conversation: str, turn: str, words: str) -> None:
    """Note what the chat may be looked for by."""
    connection.execute(
        delete(_said).where(_said.c.conversation == conversation, _said.c.turn == turn)
    )
    connection.execute(
        insert(_said).values(conversation=conversation, turn=turn, words=folded(words))
    )


def _record(connection: Connection, turn: Turn, position: int) -> None:
    connection.execute(insert(_turns).values(position=position, **_turn_to_row(turn)))
    if turn.shown:
        _note(connection, turn.conversation, turn.id, turn.text)
    _record_verdict(connection, turn)
    if turn.given is not None and turn.given.profile:
        note_in_mind(connection, turn.id, turn.given.profile)


def _record_verdict(connection: Connection, turn: Turn) -> None:
    connection.execute(delete(_verdicts).where(_verdicts.c.turn == turn.id))
    if turn.verdict is not None:
        connection.execute(
            insert(_verdicts).values(
                turn=turn.id,
                judged=turn.verdict.judged.value,
                better=turn.verdict.better,
                at=turn.verdict.at,
            )
        )


def _drop(connection: Connection, row: Row[Any]) -> None:
    connection.execute(delete(_turns).where(_turns.c.id == row.id))
    connection.execute(
        delete(_said).where(_said.c.conversation == row.conversation, _said.c.turn == row.id)
    )


def _touch(connection: Connection, turn: Turn) -> None:
    if (
        connection.execute(
            update(_rows).where(_rows.c.id == turn.conversation).values(updated_at=turn.created_at)
        ).rowcount
        == 0
    ):
        raise NotFoundError("conversation", turn.conversation)


def _end(connection: Connection, turn: Turn) -> int:
    last = connection.execute(
        select(func.max(_turns.c.position)).where(_turns.c.conversation == turn.conversation)
    ).scalar()
    return 0 if last is None else int(last) + 1


def _hide_answers(connection: Connection, asked: str | None) -> None:
    shown = select(_turns.c.id).where(_turns.c.answers == asked, _turns.c.shown)
    connection.execute(
        delete(_said).where(
            _said.c.turn.in_(shown),
            _said.c.conversation.in_(
                select(_turns.c.conversation).where(_turns.c.answers == asked)
            ),
        )
    )
    connection.execute(update(_turns).where(_turns.c.answers == asked).values(shown=False))


def _unfinished(row: Row[Any]) -> bool:
    return row.answers is not None and (row.state == TurnState.FAILED.value or not row.parts)


def _one_shown(turns: Sequence[Turn]) -> list[Turn]:
    """Return turns of which one answer to each is shown: the last that says so, or the last."""
    shown: dict[TurnId, TurnId] = {}
    for turn in turns:
        if turn.answers is not None and (turn.shown or turn.answers not in shown):
            shown[turn.answers] = turn.id
    return [
        replace(turn, shown=turn.answers is None or shown[turn.answers] == turn.id)
        for turn in turns
    ]


def _unless_erased(connection: Connection, turn: Turn) -> Turn:
    """Return an answer empty when something that it rests on was erased while it was given; asked
    again, it is answered anew.
    """
    cited = {
        *(citation.document for citation in turn.citations),
        *(turn.given.documents if turn.given else ()),
    }
    if (
        not cited
        or connection.execute(
            select(tables.tombstone.c.id).where(tables.tombstone.c.id.in_(cited)).limit(1)
        ).first()
        is None
    ):
        return turn
    return replace(turn, text="", parts=(), citations=(), state=TurnState.STOPPED, prompt_hash=None)


def _unless_discarded(connection: Connection, turn: Turn) -> Turn:
    """Return an answer empty when its question was thrown away while it was given."""
    asked = connection.execute(select(_turns.c.state).where(_turns.c.id == turn.answers)).scalar()
    return discarded(turn) if asked == TurnState.DISCARDED.value else turn


def discarded(turn: Turn) -> Turn:
    """Return what stays of a turn whose words are thrown away: who said it, when, and the ids of
    what an answer was made from.
    """
    return replace(
        turn,
        text="",
        parts=(),
        citations=(),
        evidence=(),
        state=TurnState.DISCARDED,
        prompt_hash=None,
        problem=None,
        verdict=None,
        given=None if turn.given is None else replace(turn.given, core=(), lately=(), profile=()),
    )


def discard_turns(connection: Connection, turns: Sequence[str], kept: Sequence[str] = ()) -> None:
    """Take the words out of these turns, and out of the titles of their chats, unless they stand
    in what is ``kept``. A title that goes gives way to the first sentence that is kept.
    ``forget_unsaid`` follows.
    """
    titles: dict[str, list[str]] = {}
    for part in parts(list(turns)):
        for row in connection.execute(_judged.where(_turns.c.id.in_(part))).all():
            titles.setdefault(row.conversation, []).append(row.text)
            after = discarded(turn_from_row(row))
            connection.execute(
                update(_turns).where(_turns.c.id == row.id).values(**_turn_to_row(after))
            )
            _record_verdict(connection, after)
            forget_turn(connection, row.id)
            note_in_mind(connection, row.id, ())
        connection.execute(delete(_said).where(_said.c.turn.in_(part)))
        of_turns = tables.thread.c.first.in_(part) & ~tables.thread.c.reduced
        connection.execute(delete(tables.thread).where(of_turns))
    for conversation, texts in titles.items():
        title = connection.execute(select(_rows.c.title).where(_rows.c.id == conversation)).scalar()
        if title and _quotes(title, texts) and not _quotes(title, kept):
            _retitle(connection, conversation, shortened(kept[0]) if kept else "")


def delete_unkept(connection: Connection) -> None:
    """Delete the chats that keep nothing, and of those that keep summaries alone the turns that
    have their words still.
    """
    connection.execute(delete(_rows).where(_rows.c.keeping == Keeping.NONE.value))
    reducing = select(_rows.c.id).where(_rows.c.keeping == Keeping.SUMMARY.value)
    wordy = _turns.c.conversation.in_(reducing) & (_turns.c.state != TurnState.DISCARDED.value)
    turns = list(connection.execute(select(_turns.c.id).where(wordy)).scalars())
    discard_turns(connection, turns)
    for part in parts(turns):
        connection.execute(delete(_turns).where(_turns.c.id.in_(part)))
    forget_unsaid(connection)


def _quotes(title: str, texts: Sequence[str]) -> bool:
    """Tell whether a title is the beginning of a text, or some words out of one."""
    plain = " ".join(folded(title.removesuffix("…")).split())
    known = (" ".join(folded(text).split()) for text in texts)
    return any(each.startswith(plain) or (len(plain) >= QUOTED and plain in each) for each in known)


def shortened(text: str) -> str:
    r"""Return a text as the title of a chat.

    >>> shortened("I moved\n to Teramachi."), len(shortened("so " * 50))
    ('I moved to Teramachi.', 60)
    """
    title = " ".join(text.split())
    return title if len(title) <= TITLE_LENGTH else f"{title[: TITLE_LENGTH - 1].rstrip()}…"


def _rewrite_summaries(
    connection: Connection, conversation: str, rewrite: Callable[[Turn], Turn]
) -> None:
    """Take out of the summaries of a chat what ``rewrite`` would change in a turn, and with it the
    keywords, which may be out of it.
    """
    rows = tables.thread.c
    for row in connection.execute(
        select(rows.id, rows.summary).where(rows.conversation == conversation)
    ).all():
        kept = [cell for cell in row.summary if (turn := _turn_of(cell)) == rewrite(turn)]
        if len(kept) < len(row.summary):
            connection.execute(
                update(tables.thread).where(rows.id == row.id).values(summary=kept, keywords=[])
            )


def _turn_of(cell: Mapping[str, Any]) -> Turn:
    """Return a sentence of a summary as a turn that says it alone."""
    documents = list(enumerate(cell["documents"], start=1))
    return Turn(
        TurnId(cell["turn"]),
        ConversationId(""),
        "user" if cell["part"] is None else "assistant",
        cell["text"],
        TurnState.DONE,
        datetime.min.replace(tzinfo=UTC),
        ()
        if cell["part"] is None
        else (AnswerPart(PartKind(cell["part"]), cell["text"], tuple(n for n, _ in documents)),),
        tuple(
            Citation(n, ChunkId(""), DocumentId(document), "", 0, 0, "")
            for n, document in documents
        ),
    )


def rewrite_turns(
    connection: Connection, conversation: str, rewrite: Callable[[Turn], Turn]
) -> int:
    """Put the turns of one chat through ``rewrite`` and keep what comes out; of its summaries a
    sentence goes that would change. Returns how many turns changed.
    """
    changed = 0
    _rewrite_summaries(connection, conversation, rewrite)
    for row in connection.execute(_judged.where(_turns.c.conversation == conversation)).all():
        before = turn_from_row(row)
        if (after := rewrite(before)) != before:
            connection.execute(
                update(_turns).where(_turns.c.id == before.id).values(**_turn_to_row(after))
            )
            if after.shown:
                _note(connection, conversation, after.id, after.text)
            _record_verdict(connection, after)
            forget_turn(connection, after.id)
            _forget_keywords(connection, after)
            changed += 1
    return changed


def _forget_keywords(connection: Connection, turn: Turn) -> None:
    """Forget the keywords of the thread that a turn is in: they may be out of what it said."""
    rows = tables.thread.c
    mine = (
        (rows.conversation == turn.conversation)
        & (rows.number <= turn.number)
        & (rows.last_number >= turn.number)
    )
    connection.execute(update(tables.thread).where(mine).values(keywords=[]))


def _conversation(row: Row[Any]) -> Conversation:
    from_ = (
        None
        if row.branched_from is None
        else Branched(ConversationId(row.branched_from), TurnId(row.branched_at))
    )
    return Conversation(
        ConversationId(row.id),
        row.title,
        row.created_at,
        row.updated_at,
        row.turns,
        from_,
        row.deleted_at,
        tuple(row.roles),
        Keeping(row.keeping),
        row.kept_so_since,
    )


def _given(cell: Mapping[str, Any], in_mind: str) -> AnswerBasis:
    heard, documents = (
        tuple(map(TurnId, cell["heard"])),
        tuple(map(DocumentId, cell.get("documents", ()))),
    )
    # where it is not noted, it may have been whole
    return AnswerBasis(
        tuple(cell["core"]),
        heard,
        cell["learned"],
        cell.get("whole", True),
        documents,
        tuple(map(ChunkId, cell.get("lately", ()))),
        lines_in_mind(in_mind),
    )


def _basis_cell(given: AnswerBasis) -> dict[str, Any]:
    """Write it as JSON; the lines of the profile have a table of their own."""
    return {name: value for name, value in asdict(given).items() if name != "profile"}


def _turn_to_row(turn: Turn) -> dict[str, Any]:
    return {
        "id": turn.id,
        "conversation": turn.conversation,
        "role": turn.role,
        "text": turn.text,
        "state": turn.state.value,
        "created_at": turn.created_at,
        "parts": [
            {"kind": part.kind.value, "text": part.text, "citations": list(part.citations)}
            for part in turn.parts
        ],
        "citations": [asdict(citation) for citation in turn.citations],
        "evidence": list(turn.evidence),
        "model": turn.model,
        "prompt_hash": turn.prompt_hash,
        "abstained": turn.abstained,
        "problem": None if turn.problem is None else asdict(turn.problem),
        "answers": turn.answers,
        "shown": turn.shown,
        "given": None if turn.given is None else _basis_cell(turn.given),
        "speaker": turn.speaker,
        "by_owner": turn.by_owner,
    }


def turn_from_row(row: Row[Any]) -> Turn:
    """Turn a row into a turn."""
    return Turn(
        id=TurnId(row.id),
        conversation=ConversationId(row.conversation),
        role=row.role,
        text=row.text,
        state=TurnState(row.state),
        created_at=row.created_at,
        parts=tuple(
            AnswerPart(PartKind(part["kind"]), part["text"], tuple(part["citations"]))
            for part in row.parts
        ),
        citations=tuple(Citation(**citation) for citation in row.citations),
        evidence=tuple(ChunkId(chunk) for chunk in row.evidence),
        model=row.model,
        prompt_hash=row.prompt_hash,
        abstained=row.abstained,
        problem=problem_from_cell(row.problem),
        answers=None if row.answers is None else TurnId(row.answers),
        shown=row.shown,
        verdict=(
            None
            if row.judged is None
            else Judgement(AnswerVerdict(row.judged), row.judged_at, row.better)
        ),
        given=None if row.given is None else _given(row.given, row.in_mind),
        speaker=row.speaker,
        by_owner=row.by_owner,
        number=row.position + 1,
    )
