"""The ``Conversations`` port over SQL."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Engine, Row, delete, func, insert, select, update

from lpm_kernel.backends.store import tables
from lpm_kernel.backends.store.documents import problem_from_cell
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import reading, writing
from lpm_kernel.domain.conversations import Citation, Conversation, Identity, Part, PartKind, Turn, TurnState
from lpm_kernel.domain.ids import ChunkId, ConversationId, TurnId
from lpm_kernel.errors import NotFoundError

_rows, _turns, _identity = tables.conversation, tables.turn, tables.identity
_counted = select(_rows, select(func.count()).where(_turns.c.conversation == _rows.c.id).scalar_subquery().label("turns"))


class ConversationStore:
    """Chats, and who the second self is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def start(self, conversation: Conversation) -> Conversation:
        """Record a new chat."""
        with writing(self._engine) as connection:
            values = {"id": conversation.id, "title": conversation.title, "created_at": conversation.created_at, "updated_at": conversation.updated_at}
            connection.execute(insert(_rows).values(**values))
        return conversation

    def get(self, conversation: ConversationId) -> Conversation:
        """Return one."""
        with reading(self._engine) as connection:
            row = connection.execute(_counted.where(_rows.c.id == conversation)).first()
        if row is None:
            raise NotFoundError("conversation", conversation)
        return _conversation(row)

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Conversation], str | None]:
        """Return the latest first."""
        with reading(self._engine) as connection:
            rows, following = newest_first(connection, _counted, _rows.c.updated_at, _rows.c.id, limit=limit, cursor=cursor)
        return [_conversation(row) for row in rows], following

    def rename(self, conversation: ConversationId, title: str) -> Conversation:
        """Give it another title."""
        with writing(self._engine) as connection:
            connection.execute(update(_rows).where(_rows.c.id == conversation).values(title=title))
        return self.get(conversation)

    def delete(self, conversation: ConversationId) -> None:
        """Delete it with its turns."""
        with writing(self._engine) as connection:
            if connection.execute(delete(_rows).where(_rows.c.id == conversation)).rowcount == 0:
                raise NotFoundError("conversation", conversation)

    def turns(self, conversation: ConversationId) -> list[Turn]:
        """Return its turns, oldest first."""
        with reading(self._engine) as connection:
            return [turn_from_row(row) for row in connection.execute(select(_turns).where(_turns.c.conversation == conversation).order_by(_turns.c.position))]

    def say(self, turn: Turn) -> Turn:
        """Record a turn. The same turn id, or a second answer to one turn, changes nothing: the first stands.

        An answer that failed, or was stopped before its first word, gives way to the next.
        """
        with writing(self._engine) as connection:
            same = _turns.c.id == turn.id
            if turn.answers is not None:
                same |= _turns.c.answers == turn.answers
            known = connection.execute(select(_turns).where(same)).first()
            unfinished = known is not None and known.answers is not None and (known.state == TurnState.FAILED.value or not known.parts)
            if known is not None and not unfinished:
                return turn_from_row(known)
            if known is not None:
                connection.execute(delete(_turns).where(_turns.c.id == known.id))
            if connection.execute(update(_rows).where(_rows.c.id == turn.conversation).values(updated_at=turn.created_at)).rowcount == 0:
                raise NotFoundError("conversation", turn.conversation)
            last = connection.execute(select(func.max(_turns.c.position)).where(_turns.c.conversation == turn.conversation)).scalar()
            connection.execute(insert(_turns).values(position=0 if last is None else last + 1, **_turn_to_row(turn)))
        return turn

    def turn(self, turn: TurnId) -> Turn | None:
        """Return one turn."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_turns).where(_turns.c.id == turn)).first()
            return None if row is None else turn_from_row(row)

    def answer_to(self, turn: TurnId) -> Turn | None:
        """Return the answer that was given to a turn, if it was."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_turns).where(_turns.c.answers == turn)).first()
            return None if row is None else turn_from_row(row)

    def identity(self) -> Identity:
        """Return who the node is the second self of; empty until somebody said."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_identity)).first()
        return Identity() if row is None else Identity(row.name, row.introduction, row.style, tuple(row.languages))

    def set_identity(self, identity: Identity) -> None:
        """Record who it is."""
        values = {"name": identity.name, "introduction": identity.introduction, "style": identity.style, "languages": list(identity.languages)}
        with writing(self._engine) as connection:
            if connection.execute(update(_identity).where(_identity.c.id == 1).values(**values)).rowcount == 0:
                connection.execute(insert(_identity).values(id=1, **values))


def _conversation(row: Row[Any]) -> Conversation:
    return Conversation(ConversationId(row.id), row.title, row.created_at, row.updated_at, row.turns)


def _turn_to_row(turn: Turn) -> dict[str, Any]:
    return {
        "id": turn.id,
        "conversation": turn.conversation,
        "role": turn.role,
        "text": turn.text,
        "state": turn.state.value,
        "created_at": turn.created_at,
        "parts": [{"kind": part.kind.value, "text": part.text, "citations": list(part.citations)} for part in turn.parts],
        "citations": [asdict(citation) for citation in turn.citations],
        "evidence": list(turn.evidence),
        "model": turn.model,
        "prompt_hash": turn.prompt_hash,
        "abstained": turn.abstained,
        "problem": None if turn.problem is None else asdict(turn.problem),
        "answers": turn.answers,
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
        parts=tuple(Part(PartKind(part["kind"]), part["text"], tuple(part["citations"])) for part in row.parts),
        citations=tuple(Citation(**citation) for citation in row.citations),
        evidence=tuple(ChunkId(chunk) for chunk in row.evidence),
        model=row.model,
        prompt_hash=row.prompt_hash,
        abstained=row.abstained,
        problem=problem_from_cell(row.problem),
        answers=None if row.answers is None else TurnId(row.answers),
    )
