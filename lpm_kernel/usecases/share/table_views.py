"""A table and its entries in plain words: what is shown of them, without the protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from lpm_kernel.usecases.share.tables import Sitting
from protocol.discussion import Step


@dataclass(frozen=True)
class SeenMember:
    """Somebody at a table."""

    id: str
    kind: str
    name: str = field(repr=False)
    role: str
    present: bool
    due: bool
    """It may take the next turn."""
    turns: int
    failed: bool
    """It had the word last, and could not speak."""


@dataclass(frozen=True)
class SeenTable:
    """A table as it stands. ``until`` in seconds."""

    strategy: str
    rounds: int
    round: int
    stop: Sequence[str]
    until: int
    members: Sequence[SeenMember]
    turns: int
    head: str
    why: str | None


@dataclass(frozen=True)
class SeenPoint:
    """What a summary says of a member."""

    by: str
    turn: int
    says: str
    quotes: Sequence[str] = field(repr=False)


@dataclass(frozen=True)
class SeenEntry:
    """One entry. ``ts`` in seconds."""

    hash: str
    step: str
    by: str
    ts: int
    text: str = field(repr=False)
    gone: bool
    """It had words, which are not there any more."""
    round: int | None
    abstained: bool
    on: int | None
    stance: str | None
    points: Sequence[SeenPoint]
    why: str | None
    code: str


def seen_table(sitting: Sitting) -> SeenTable:
    """Show how a table stands."""
    table, rules = sitting.table, sitting.table.opening.fields
    turns = Counter(each.fields["by"] for each in table.turns)
    last = {
        each.fields["by"]: each.step
        for each in table.entries
        if each.step in {Step.TURN, Step.FAILED}
    }
    due = {*table.due, *table.due_in(table.round + 1)} if not table.due else set(table.due)
    roles = {seat.member: seat.role for seat in sitting.discussion.seats}
    members = [
        SeenMember(
            each.id,
            each.kind.value,
            each.name,
            roles.get(each.id, ""),
            each.id in table.present,
            each.id in due,
            turns[each.id],
            last.get(each.id) is Step.FAILED,
        )
        for each in table.members.values()
    ]
    return SeenTable(
        table.strategy.value,
        rules["rounds"],
        table.round,
        rules["stop"],
        rules["exp"],
        members,
        len(table.turns),
        table.head.hash,
        None if table.closed is None else table.closed.value,
    )


def seen_entry(sitting: Sitting, n: int) -> SeenEntry:
    """Show one entry. ``n`` is the number of one."""
    entry, words = sitting.table.entries[n], sitting.table.words.get(n)
    fields = entry.fields
    quotes = {} if words is None else words.quotes
    points = [
        SeenPoint(each["by"], each["turn"], each["says"], quotes.get(each["turn"], ()))
        for each in fields.get("points", ())
    ]
    about = fields.get("on", fields.get("entry"))
    return SeenEntry(
        entry.hash,
        entry.step.value,
        fields.get("by", ""),
        entry.ts,
        "" if words is None else words.text,
        "words" in fields and words is None,
        fields.get("round"),
        fields.get("abstained", False),
        about,
        fields.get("stance"),
        points,
        fields.get("why"),
        fields.get("code", ""),
    )
