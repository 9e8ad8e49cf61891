"""Half a year of one invented person's talks with her second self (`chats/`), lived through by a
home, and the same told as dated notes; and what judges an answer about it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Literal

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.chat.conversations import AnswerPart, Conversation, PartKind, Turn, TurnState
from lpm_kernel.domain.chat.threads import IDLE
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.node import Node

CHATS = Path(__file__).with_name("chats")
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
ASKED_ON = datetime(2026, 7, 1, 9, tzinfo=UTC)
CATEGORIES = ("single", "several", "time", "update", "who", "decision", "promise", "abstain")
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Place:
    """A turn of a chat, from 1."""

    chat: str
    turn: int


@dataclass(frozen=True)
class Said:
    """What one side said in a chat."""

    place: Place
    at: datetime
    by: Literal["person", "node"]
    text: str = field(repr=False)


@dataclass(frozen=True)
class Chat:
    """A chat, of one or several sittings."""

    id: str
    title: str
    said: tuple[Said, ...]


@dataclass(frozen=True)
class Asked:
    """A question about the life, and what answers it."""

    id: str
    category: str
    language: str
    blind: bool
    """It belongs to the third that nothing is ever fitted to."""
    question: str = field(repr=False)
    accept: tuple[tuple[str, ...], ...] = field(repr=False)
    """One string of every group stands in a right answer; none: it was never said."""
    wrong: tuple[str, ...] = field(repr=False)
    """What a false answer tells: the older fact, a guess of the node's."""
    evidence: tuple[Place, ...]

    def is_right(self, answer: str) -> bool:
        """Tell whether an answer holds what is accepted, and nothing false before it."""
        places = [_first(answer, group) for group in self.accept]
        false = _first(answer, self.wrong)
        return bool(places) and all(
            place is not None and (false is None or place <= false) for place in places
        )

    def is_false(self, answer: str) -> bool:
        """Tell whether an answer holds what is known to be false."""
        return _first(answer, self.wrong) is not None


def chats() -> list[Chat]:
    """Return the chats, in the order in which they began."""
    return [
        Chat(
            chat["id"],
            chat["title"],
            tuple(
                Said(
                    Place(chat["id"], turn["turn"]),
                    datetime.fromisoformat(turn["at"]).replace(tzinfo=UTC),
                    turn["by"],
                    turn["text"],
                )
                for turn in chat["turns"]
            ),
        )
        for chat in json.loads((CHATS / "conversations.json").read_text("utf-8"))
    ]


def questions() -> list[Asked]:
    """Return what is asked afterwards."""
    return [
        Asked(
            row["id"],
            row["category"],
            row["language"],
            row["blind"],
            row["question"],
            tuple(map(tuple, row["accept"])),
            tuple(row["wrong"]),
            tuple(Place(each["chat"], each["turn"]) for each in row["evidence"]),
        )
        for row in json.loads((CHATS / "questions.json").read_text("utf-8"))
    ]


def holds(text: str, accepted: str) -> bool:
    """Tell whether a string stands in a text as words of its own: "5" does not stand in "15".

    >>> [holds("長石5、木灰3。 £1,940 in All", each) for each in ("長石5", "1,940", "940", "all")]
    [True, True, False, True]
    """
    return _first(text, (accepted,)) is not None


def _first(text: str, accepted: Sequence[str]) -> int | None:
    """Return where the first of several strings stands in a text."""
    plain = folded(text)
    found = (
        re.search(rf"(?<![0-9a-z])(?<!\d[.,]){re.escape(folded(each))}(?![0-9a-z])", plain)
        for each in accepted
    )
    return min((match.start() for match in found if match is not None), default=None)


def folded(text: str) -> str:
    """Return a text without what is only form: width, case, kinds of marks, runs of blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(plain.split())


def sittings(life: Sequence[Chat]) -> list[list[Said]]:
    """Return what was said in one go in one chat, in the order of time."""
    parted: list[list[Said]] = []
    for chat in life:
        for said in chat.said:
            going_on = parted and parted[-1][-1].place.chat == chat.id
            if going_on and said.at - parted[-1][-1].at < IDLE:
                parted[-1].append(said)
            else:
                parted.append([said])
    return sorted(parted, key=lambda sitting: sitting[0].at)


def notes(life: Sequence[Chat]) -> Iterator[tuple[str, str]]:
    """Tell the same life as documents: one note a chat and day with what the person said in it.
    Yields file names and texts.
    """
    for chat in life:
        told = (said for said in chat.said if said.by == "person")
        for day, of_day in groupby(told, key=lambda said: said.at.date()):
            yield f"{day}-{chat.id}.md", " ".join(said.text for said in of_day) + "\n"


class Replay:
    """Has a home live through chats, with no model: the turns are given. Threads end as time goes
    on.
    """

    def __init__(self, node: Node, clock: FrozenClock) -> None:
        self._node, self._clock = node, clock
        self.started: dict[str, ConversationId] = {}
        self._asked: dict[str, TurnId] = {}

    def live(self, life: Sequence[Chat], *, flush: bool = True) -> None:
        """Live through chats, from wherever the clock stands. Not ``flush``: what was told waits to
        be remembered.
        """
        titles = {chat.id: chat.title for chat in life}
        for sitting in sittings(life):
            self._until(sitting[0].at)
            for said in sitting:
                self.say(said, titles[said.place.chat])
            self._until(sitting[-1].at + IDLE + _MINUTE)
            if flush:
                self._node.chat.flush()

    def say(self, said: Said, title: str) -> None:
        """Say one thing in a chat, which begins with the first."""
        name = said.place.chat
        self.begin(said, title)
        turn = Turn(
            id=TurnId(f"t_{name}_{said.place.turn}"),
            conversation=self.started[name],
            role="user",
            text=said.text,
            state=TurnState.DONE,
            created_at=said.at,
            by_owner=True,
        )
        if said.by == "node":
            parts = (AnswerPart(PartKind.STATEMENT, said.text),)
            answers = self._asked[name]
            turn = replace(turn, role="assistant", by_owner=None, answers=answers, parts=parts)
        else:
            self._asked[name] = turn.id
        self._node.ports.conversations.say(turn)

    def begin(self, said: Said, title: str) -> ConversationId:
        """Begin the chat in which something is said, unless it began before."""
        name = said.place.chat
        if name not in self.started:
            chat = ConversationId(f"v_{name}")
            self._node.ports.conversations.start(Conversation(chat, title, said.at, said.at))
            self.started[name] = chat
        return self.started[name]

    def _until(self, moment: datetime) -> None:
        self._clock.advance(max(timedelta(), moment - self._clock.now()))


def read_notes(node: Node, life: Sequence[Chat]) -> dict[DocumentId, str]:
    """Have a home read the life as documents. Returns their names."""
    names = {}
    for name, text in notes(life):
        names[node.library.add_bytes(name, text.encode()).document.id] = name
    node.run_jobs()
    return names
