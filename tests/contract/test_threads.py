"""What every store of threads keeps to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.chat.conversations import Conversation, Turn, TurnState
from lpm_kernel.domain.chat.threads import Thread, ThreadEnd
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[NodeDatabase]:
    with closing(NodeDatabase(tmp_path / "node.db")) as database:
        for number in (1, 2):
            at = NOW + timedelta(days=number)
            database.conversations.start(Conversation(chat(number), "", at, at))
        yield database


def chat(number: int) -> ConversationId:
    return ConversationId(f"v_{number}")


def thread(number: int, of: int = 1) -> Thread:
    return Thread(
        DocumentId(f"h_{of}_{number}"),
        chat(of),
        TurnId(f"t_{of}_{number}"),
        TurnId(f"t_{of}_{number}_last"),
        number,
        number + 1,
        NOW + timedelta(days=of, minutes=number),
        NOW + timedelta(days=of, minutes=number + 1),
        ThreadEnd.IDLE,
        ("van", "Conor"),
        {"user": 1, "": 1},
        told=True,
    )


def test_one_that_begins_with_the_same_turn_is_the_same(database: NodeDatabase) -> None:
    first, second = thread(1), thread(3)
    assert database.threads.add([first, second]) == [first, second]
    assert database.threads.add([replace(first, id=DocumentId("h_other")), thread(5)]) == [
        thread(5)
    ]
    assert database.threads.of(chat(1)) == [first, second, thread(5)]
    assert database.threads.many([first.id, DocumentId("h_none")]) == {first.id: first}
    assert database.threads.conversation_of(first.id) == chat(1)
    assert database.threads.conversation_of(DocumentId("h_none")) is None


def test_none_is_kept_of_a_chat_that_is_gone(database: NodeDatabase) -> None:
    database.threads.add([thread(1), thread(1, of=2)])
    database.conversations.delete(chat(1))
    assert database.threads.of(chat(1)) == []
    assert database.threads.add([thread(1)]) == []
    assert database.threads.ids() == {thread(1, of=2).id}


def test_those_of_a_chat_that_was_put_away_are_told_apart(database: NodeDatabase) -> None:
    database.threads.add([thread(1), thread(1, of=2)])
    database.conversations.put_away(chat(1), NOW)
    assert database.threads.ids() == {thread(1, of=2).id}
    assert database.threads.ids(put_away=True) == {thread(1).id}
    assert database.threads.between(NOW, NOW + timedelta(days=9), 10) == [thread(1, of=2)]
    assert database.threads.latest(10) == [thread(1, of=2)]


def test_they_are_found_by_when_they_began(database: NodeDatabase) -> None:
    database.threads.add([thread(1), thread(3), thread(1, of=2)])
    begun = thread(3).started_at
    assert database.threads.between(NOW, begun, 10) == [thread(1)]
    assert database.threads.between(begun, NOW + timedelta(days=9), 1) == [thread(3)]
    assert database.threads.latest(2) == [thread(3), thread(1, of=2)]


def test_a_chat_waits_until_it_is_settled_and_again_once_something_is_said(
    database: NodeDatabase,
) -> None:
    waiting = database.threads.open_chats()
    assert [each.conversation for each in waiting] == [chat(1), chat(2)]
    for each in waiting:
        database.threads.settle(each.conversation, each.latest)
    assert database.threads.open_chats() == []
    later = NOW + timedelta(days=5)
    database.conversations.say(Turn(TurnId("t_1"), chat(1), "user", "Hello", TurnState.DONE, later))
    assert [(each.conversation, each.latest) for each in database.threads.open_chats()] == [
        (chat(1), later)
    ]


def test_a_chat_of_which_they_are_dropped_waits_again(database: NodeDatabase) -> None:
    database.threads.add([thread(1), thread(3)])
    for each in database.threads.open_chats():
        database.threads.settle(each.conversation, each.latest)
    assert database.threads.drop(chat(1)) == [thread(1).id, thread(3).id]
    assert database.threads.of(chat(1)) == []
    assert [each.conversation for each in database.threads.open_chats()] == [chat(1)]
