"""The profile of a person, counted from what they said in their chats.

Every number is a number of turns: those of the person in which a topic or a name stands, or that
were put to somebody. Topics and names are counted in what is said to the second self; what is said
to a role is play, and counts for the role that is asked. Nothing here reads a store or a clock.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Final

from lpm_kernel.domain.chat.profile import (
    InMindKind,
    LineInMind,
    LineKind,
    OwnTurn,
    ProfileEdit,
)
from lpm_kernel.domain.ids import ChunkId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.entities import EntityKind, Mention, PassageStanding, Read
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L1.entities.mentions import survey
from lpm_kernel.L1.entities.resolution import entities, key_of
from lpm_kernel.L1.tiers.naming import KnownName
from lpm_kernel.L1.tiers.salience import relation
from lpm_kernel.L1.tiers.topics import PAIRS_FROM, Topics, joined, topics_in

VECTOR: Final = 10
"""Topics of the vector."""
MOST_LINES: Final = 10
"""Lines of the profile in words."""
IN_A_LINE: Final = 5
"""Names in one of them."""
KINDS: Final = {EntityKind.PERSON: LineKind.PERSON, EntityKind.PLACE: LineKind.PLACE}


@dataclass(frozen=True)
class MonthRead:
    """What the turns of one month are about, and whom they name by the look of it."""

    topics: Mapping[TurnId, Topics] = field(repr=False)
    mentions: tuple[tuple[TurnId, Mention], ...] = field(repr=False)


@dataclass(frozen=True)
class Line:
    """A line of the profile, with the turns that it counts."""

    id: str
    kind: LineKind
    key: str = field(repr=False)
    """A topic's normal form, the slug of somebody, a role's id."""
    written: str = field(repr=False)
    """How it is written most often."""
    turns: frozenset[TurnId] = field(repr=False)
    name: str = field(default="", repr=False)
    """How it is called."""
    hidden: bool = False
    pinned: bool = False
    merged: tuple[Line, ...] = field(default=(), repr=False)
    """The lines that count in this one besides its own."""

    @property
    def count(self) -> int:
        """Turns that it counts."""
        return len(self.turns)


@dataclass(frozen=True)
class ToldLine:
    """The profile in words: a line for the second self to have in mind."""

    text: str = field(repr=False)
    names: tuple[LineInMind, ...]
    """The lines of the profile that it names, in its order."""


@dataclass(frozen=True)
class Profile:
    """Everything that is shown of it."""

    turns: tuple[OwnTurn, ...] = field(repr=False)
    """What the person said, oldest first."""
    months: tuple[str, ...]
    """``2026-03``, from the first turn to the last, without gaps."""
    lines: tuple[Line, ...] = field(repr=False)
    """Pinned ones first, then those that are spoken of most; merged ones in the line in which they
    count.
    """

    def of(self, kind: LineKind, *, hidden: bool = False) -> list[Line]:
        """Return the lines of a kind that are shown, or that were hidden."""
        return [line for line in self.lines if line.kind is kind and line.hidden is hidden]

    @cached_property
    def _places(self) -> dict[TurnId, int]:
        places = {month: place for place, month in enumerate(self.months)}
        return {turn.id: places[month_of(turn.at)] for turn in self.turns}

    def by_month(self, line: Line) -> list[int]:
        """Count the turns of a line by months."""
        counts = [0] * len(self.months)
        for turn in line.turns:
            counts[self._places[turn]] += 1
        return counts

    def vector(self) -> list[tuple[Line, float]]:
        """Return the topics that are spoken of most, with the share of each in the turns of all of
        them: 0..1, 1 together.
        """
        topics = sorted(self.of(LineKind.TOPIC), key=_most_first)[:VECTOR]
        total = sum(line.count for line in topics)
        return [(line, line.count / total) for line in topics]

    def depth(self, line: Line, most: Sequence[int]) -> list[float]:
        """Say how near somebody was by months, 0..1 (``salience.relation``); ``most``: the turns a
        month in which whoever was spoken of most was named.
        """
        return [
            relation([count], top) for count, top in zip(self.by_month(line), most, strict=True)
        ]

    def most_by_month(self, kind: LineKind) -> list[int]:
        """Count by months the turns of the line of a kind that has most of them then."""
        counted = [self.by_month(line) for line in self.of(kind)]
        return [max(column) for column in zip(*counted, strict=True)] or [0] * len(self.months)


def _most_first(line: Line) -> tuple[int, str, str]:
    return -line.count, line.written, line.id


def line_id(kind: LineKind, key: str) -> str:
    """Name a line: by a hash, so that what is kept of a change holds no word of the person.

    >>> line_id(LineKind.TOPIC, "van")
    'topic-f00ae1bcb9d171a6'
    """
    return f"{kind.value}-{hashlib.sha256(f'{kind.value}|{key}'.encode()).hexdigest()[:16]}"


def month_of(at: datetime) -> str:
    """Return the month of a moment, in the zone of this machine.

    >>> month_of(datetime(2026, 3, 14, 12).astimezone())
    '2026-03'
    """
    return f"{at.astimezone():%Y-%m}"


def months_between(turns: Iterable[OwnTurn]) -> tuple[str, ...]:
    """Return the months from the first turn to the last."""
    known = sorted({month_of(turn.at) for turn in turns})
    if not known:
        return ()
    found = [known[0]]
    while found[-1] < known[-1]:
        year, month = map(int, found[-1].split("-"))
        found.append(f"{year + month // 12}-{month % 12 + 1:02}")
    return tuple(found)


def read_month(turns: Sequence[OwnTurn]) -> MonthRead:
    """Read the turns of a month, as far as they are said to the second self."""
    own = [turn for turn in turns if not turn.played]
    reads = [
        Read(row, Chunk(ChunkId(turn.id), DocumentId(""), "", 0, len(turn.text), turn.text, ""))
        for row, turn in enumerate(own)
    ]
    return MonthRead(
        {turn.id: topics_in(turn.text) for turn in own},
        tuple((own[mention.row].id, mention) for mention in survey(reads)),
    )


def persons_in(reads: Iterable[MonthRead], known: Iterable[str], owner: str) -> list[KnownName]:
    """Return the people whom the turns name and nobody knew; ``known`` are the spellings of those
    who and which are known, ``owner`` is the name of the person themselves.
    """
    rows: dict[TurnId, int] = {}
    mentions = [
        replace(mention, row=rows.setdefault(turn, len(rows)))
        for read in reads
        for turn, mention in read.mentions
    ]
    standings = {
        row: PassageStanding(row, DocumentId(""), (0, row), None, private=True, statement=False)
        for row in rows.values()
    }
    taken = {key_of(spelling) for spelling in known}
    return [
        KnownName(each.slug, each.name, each.kind, frozenset({each.name, *each.aliases}))
        for each in entities(mentions, standings, (), owner).by_slug.values()
        if each.kind is EntityKind.PERSON and not each.self and taken.isdisjoint(each.keys)
    ]


def topic_lines(reads: Iterable[MonthRead], names: Iterable[KnownName]) -> list[Line]:
    """Return the topics, each with the turns in which it stands; names of people and places have
    lines of their own.
    """
    heard = _Heard()
    for read in reads:
        for turn, topics in read.topics.items():
            heard.add(turn, topics)
    named = {
        word
        for each in names
        for spelling in each.spellings
        for word in _words(each.kind, spelling)
    }
    chinese = {word: there for word, there in heard.chinese().items() if word not in named}
    keys = {key_of(spelling) for each in names for spelling in each.spellings}
    plain = {
        key: there
        for key, there in heard.turns.items()
        if key in heard.nouns
        and named.isdisjoint({key, *heard.written[key]})
        and key_of(heard.commonest(key)) not in keys
    }
    return [
        _line(LineKind.TOPIC, key, heard.commonest(key), there)
        for key, there in (chinese | plain).items()
    ]


@dataclass
class _Heard:
    """The topics of all turns."""

    turns: dict[str, set[TurnId]] = field(default_factory=dict)
    pairs: dict[str, set[TurnId]] = field(default_factory=dict)
    written: dict[str, Counter[str]] = field(default_factory=dict)
    nouns: set[str] = field(default_factory=set)

    def add(self, turn: TurnId, topics: Topics) -> None:
        """Add those of a turn."""
        self.nouns |= topics.nouns
        for key, word in topics.written.items():
            (self.pairs if key in topics.pairs else self.turns).setdefault(key, set()).add(turn)
            self.written.setdefault(key, Counter())[word] += 1

    def chinese(self) -> dict[str, set[TurnId]]:
        """Return the Chinese words, each with its turns."""
        often = {pair: there for pair, there in self.pairs.items() if len(there) >= PAIRS_FROM}
        whole = joined(often)
        return {whole[pair]: there for pair, there in often.items()}

    def commonest(self, key: str) -> str:
        """Return how a topic is written most often."""
        words = self.written.get(key, {key: 1})
        return min(words, key=lambda word: (-words[word], word))


def name_lines(names: Iterable[KnownName], found: Mapping[TurnId, Iterable[str]]) -> list[Line]:
    """Return the people and places, each with the turns that name it; ``found`` gives the slugs."""
    turns: dict[str, set[TurnId]] = {}
    for turn, slugs in found.items():
        for slug in slugs:
            turns.setdefault(slug, set()).add(turn)
    return [
        _line(KINDS[each.kind], each.slug, each.name, turns[each.slug])
        for each in names
        if each.slug in turns
    ]


def asked_lines(turns: Iterable[OwnTurn], roles: Mapping[str, str]) -> list[Line]:
    """Return who was asked, each with the turns that were put to them; ``roles`` gives the names by
    ids. The second self has none, nor has a role that is gone.
    """
    asked: dict[str, set[TurnId]] = {}
    for turn in turns:
        asked.setdefault(turn.speaker, set()).add(turn.id)
    return [
        _line(LineKind.ASKED, speaker, roles.get(speaker, ""), there)
        for speaker, there in asked.items()
    ]


def arrange(
    turns: Sequence[OwnTurn], lines: Sequence[Line], edits: Sequence[ProfileEdit]
) -> Profile:
    """Return the profile as the person's changes leave it, oldest change first. What counts in a
    line that is not there any more counts for itself.
    """
    there, into = _changed(lines, edits)
    heads = {line: _chain(line, into)[-1] for line in there}
    members: dict[str, list[Line]] = {}
    for line, head in heads.items():
        members.setdefault(head, []).append(there[line])
    shown = [_merged(there[head], those) for head, those in members.items()]
    shown.sort(key=lambda each: (not each.pinned, *_most_first(each)))
    return Profile(tuple(turns), months_between(turns), tuple(shown))


def _changed(
    lines: Sequence[Line], edits: Sequence[ProfileEdit]
) -> tuple[dict[str, Line], dict[str, str]]:
    """Return the lines as they are called and shown, and in which of them others count."""
    there = {line.id: line for line in lines}
    into: dict[str, str] = {}
    for edit in edits:
        if (line := there.get(edit.line)) is None:
            continue
        there[line.id] = replace(
            line,
            hidden=line.hidden if edit.hidden is None else edit.hidden,
            pinned=line.pinned if edit.pinned is None else edit.pinned,
            name=line.name if edit.name is None else edit.name or line.written,
        )
        if edit.into is not None and line.id not in _chain(edit.into, into):
            into[line.id] = edit.into
    return there, {line: target for line, target in into.items() if target in there}


def _merged(head: Line, members: Sequence[Line]) -> Line:
    others = sorted(
        (each for each in members if each.id != head.id), key=lambda each: (-each.count, each.id)
    )
    counted = head.turns.union(*(each.turns for each in others))
    return replace(head, turns=counted, merged=tuple(others))


def _chain(line: str, into: Mapping[str, str]) -> list[str]:
    """Return a line and those in which it counts, one in another; the changes make no circles."""
    chain = [line]
    while chain[-1] in into:
        chain.append(into[chain[-1]])
    return chain


def told(profile: Profile, language: Language = "en") -> list[ToldLine]:
    """Return the profile in at most ten short lines: what is spoken of most, whom, where, who is
    asked, and what came up in the last month only. What is hidden is not told.
    """
    topics = profile.of(LineKind.TOPIC)
    groups = {
        InMindKind.TOPICS: topics,
        InMindKind.PEOPLE: profile.of(LineKind.PERSON),
        InMindKind.PLACES: profile.of(LineKind.PLACE),
        InMindKind.ASKED: [each for each in profile.of(LineKind.ASKED) if each.key and each.name],
        InMindKind.NEW: _lately(profile, topics),
        InMindKind.PINNED: [
            line for line in profile.lines if line.pinned and not line.hidden and line.name
        ],
    }
    first = {turn.id: place for place, turn in enumerate(profile.turns)}
    words, stop = (_WORDS["ja"], "、") if language == "ja" else (_WORDS["en"], ", ")
    return [
        ToldLine(
            words[kind] + stop.join(line.name for line in lines[:IN_A_LINE]),
            tuple(
                LineInMind(kind, line.id, min(line.turns, key=first.__getitem__))
                for line in lines[:IN_A_LINE]
            ),
        )
        for kind, lines in groups.items()
        if lines
    ][:MOST_LINES]


def _lately(profile: Profile, topics: Iterable[Line]) -> list[Line]:
    """Return the topics that came up in the last month only, more than once."""
    if len(profile.months) == 1:
        return []
    return [line for line in topics if 1 < line.count == profile.by_month(line)[-1]]


_WORDS: Final = {
    "en": {
        InMindKind.TOPICS: "Speaks most of: ",
        InMindKind.PEOPLE: "People named most: ",
        InMindKind.PLACES: "Places named most: ",
        InMindKind.ASKED: "Roles asked most: ",
        InMindKind.NEW: "New this month: ",
        InMindKind.PINNED: "Marked as important: ",
    },
    "ja": {
        InMindKind.TOPICS: "よく話すこと：",
        InMindKind.PEOPLE: "よく名前が出る人：",
        InMindKind.PLACES: "よく名前が出る場所：",
        InMindKind.ASKED: "よく尋ねる役：",
        InMindKind.NEW: "今月はじめて出たこと：",
        InMindKind.PINNED: "大切と印をつけたもの：",
    },
}


def _line(kind: LineKind, key: str, written: str, turns: Iterable[TurnId]) -> Line:
    return Line(line_id(kind, key), kind, key, written, frozenset(turns), written)


def _words(kind: EntityKind, spelling: str) -> list[str]:
    """Return what is no topic because of a name: a person is called by a part of it too."""
    plain = spelling.casefold()
    return [plain, *(plain.split() if kind is EntityKind.PERSON else ())]
