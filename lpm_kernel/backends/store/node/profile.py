"""The ``Profiles`` port over SQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import timedelta

from sqlalchemy import (
    Connection,
    Engine,
    ScalarSelect,
    delete,
    func,
    insert,
    select,
    update,
)

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.chat.conversations import Keeping
from lpm_kernel.domain.chat.profile import InMindKind, LineInMind, OwnTurn, ProfileEdit
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.errors import NotFoundError

_rows, _said = tables.profile_edit, tables.profile_edit_turn
_in_mind = tables.profile_in_mind
_turns, _chats = tables.turn, tables.conversation


class ProfileStore:
    """What the profile is counted from, and what the person changed in it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def own_turns(self) -> list[OwnTurn]:
        """Return what the person said themselves in the chats that are there and keep something,
        oldest first.
        """
        wanted = (
            select(
                _turns.c.id,
                _turns.c.conversation,
                _chats.c.title,
                _turns.c.position,
                _turns.c.created_at,
                _turns.c.text,
                _turns.c.speaker,
                _chats.c.roles,
            )
            .join(_chats, _chats.c.id == _turns.c.conversation)
            .where(
                _chats.c.deleted_at.is_(None),
                _chats.c.keeping != Keeping.NONE.value,
                _turns.c.role == "user",
                _turns.c.by_owner,
                _turns.c.text != "",
            )
            .order_by(_turns.c.created_at, _turns.c.conversation, _turns.c.position)
        )
        with reading(self._engine) as connection:
            return [
                OwnTurn(
                    TurnId(row.id),
                    ConversationId(row.conversation),
                    row.title,
                    row.position + 1,
                    row.created_at,
                    row.text,
                    row.speaker,
                    bool(row.roles),
                )
                for row in connection.execute(wanted)
            ]

    def edits(self) -> list[ProfileEdit]:
        """Return what the person changed, oldest first."""
        with reading(self._engine) as connection:
            return [
                ProfileEdit(row.id, row.line, row.at, row.hidden, row.pinned, row.name, row.into)
                for row in connection.execute(select(_rows).order_by(_rows.c.at, _rows.c.id))
            ]

    def put(self, edit: ProfileEdit, turns: Sequence[TurnId]) -> None:
        """Record a change of a line that counts these turns."""
        with writing(self._engine) as connection:
            there: list[str] = []
            for part in parts(list(turns)):
                there += connection.execute(
                    select(_turns.c.id).where(_turns.c.id.in_(part))
                ).scalars()
            if not there:
                raise NotFoundError("line of the profile", edit.line)
            latest = connection.execute(select(func.max(_rows.c.at))).scalar()
            # the order of changes is that of their times
            at = edit.at if latest is None else max(edit.at, latest + timedelta(microseconds=1))
            connection.execute(insert(_rows).values(**(vars(edit) | {"at": at})))
            for rows in parts(there):
                connection.execute(
                    insert(_said), [{"edit": edit.id, "turn": turn} for turn in rows]
                )

    def bases(self) -> dict[str, list[TurnId]]:
        """Return the turns that each change rests on."""
        found: dict[str, list[TurnId]] = {}
        with reading(self._engine) as connection:
            for row in connection.execute(select(_said).order_by(_said.c.edit, _said.c.turn)):
                found.setdefault(row.edit, []).append(TurnId(row.turn))
        return found

    def note_in_mind(self, answer: TurnId, lines: Sequence[LineInMind]) -> None:
        """Note the lines that an answer was given with."""
        with writing(self._engine) as connection:
            note_in_mind(connection, answer, lines)

    def remove(self, edit: str) -> None:
        """Take a change back."""
        with writing(self._engine) as connection:
            if not connection.execute(delete(_rows).where(_rows.c.id == edit)).rowcount:
                raise NotFoundError("change of the profile", edit)


def note_in_mind(connection: Connection, answer: str, lines: Sequence[LineInMind]) -> None:
    """Note the lines that an answer was given with, where what they were counted from is there."""
    said = {each.said for each in lines}
    there: set[str] = set()
    for part in parts(sorted(said)):
        there.update(connection.execute(select(_turns.c.id).where(_turns.c.id.in_(part))).scalars())
    connection.execute(delete(_in_mind).where(_in_mind.c.answer == answer))
    rows = [
        {
            "answer": answer,
            "place": place,
            "kind": each.kind.value,
            "line": each.line,
            "said": each.said,
        }
        for place, each in enumerate(lines)
        if each.said in there
    ]
    if rows:
        connection.execute(insert(_in_mind), rows)


def in_mind_column() -> ScalarSelect[str]:
    """Return a column with the lines that each turn was given with; see :func:`lines_in_mind`."""
    rows = _in_mind.c
    return (
        select(func.json_group_array(func.json_array(rows.place, rows.kind, rows.line, rows.said)))
        .where(rows.answer == _turns.c.id)
        .correlate(_turns)
        .scalar_subquery()
    )


def lines_in_mind(cell: str) -> tuple[LineInMind, ...]:
    """Read that column.

    >>> cell = '[[1, "people", "person-b", "t_2"], [0, "topics", "topic-a", "t_1"]]'
    >>> [each.line for each in lines_in_mind(cell)]
    ['topic-a', 'person-b']
    """
    return tuple(
        LineInMind(InMindKind(kind), line, TurnId(said))
        for _, kind, line, said in sorted(json.loads(cell))
    )


def forget_turn(connection: Connection, turn: str) -> None:
    """Let nothing rest on a turn whose words were changed; :func:`forget_unsaid` follows."""
    connection.execute(delete(_said).where(_said.c.turn == turn))
    connection.execute(delete(_in_mind).where(_in_mind.c.said == turn))


def forget_chat(connection: Connection, conversation: str) -> None:
    """Let nothing rest on what was said in a chat."""
    of = select(_turns.c.id).where(_turns.c.conversation == conversation)
    connection.execute(delete(_said).where(_said.c.turn.in_(of)))
    connection.execute(delete(_in_mind).where(_in_mind.c.said.in_(of)))
    forget_unsaid(connection)


def forget_unsaid(connection: Connection) -> None:
    """Delete the changes of lines that no turn is left of."""
    connection.execute(
        delete(_rows).where(~select(_said.c.turn).where(_said.c.edit == _rows.c.id).exists())
    )


def rename_lines(connection: Connection, title: Callable[[str], str]) -> None:
    """Put every name that the person gave a line through ``title``; what comes out empty makes the
    line's own name count again.
    """
    for row in connection.execute(select(_rows).where(_rows.c.name.is_not(None))).all():
        if (after := title(row.name)) != row.name:
            connection.execute(update(_rows).where(_rows.c.id == row.id).values(name=after))
