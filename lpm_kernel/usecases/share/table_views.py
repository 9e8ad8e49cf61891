"""A table and its entries in plain words: what is shown of them, without the protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.share.discussions import TableContact
from lpm_kernel.usecases.share.tables import Sitting
from protocol.discussion import Step
from protocol.table_grants import TableGrant


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
    contact: str
    """The contact whose it is; nothing: this person's, or somebody's whom the host alone knows."""
    mine: bool
    """This node speaks for it."""
    state: str
    """``here``, ``left``, ``invited``, ``coming`` or ``declined``."""


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


@dataclass(frozen=True)
class SeenGrant:
    """Under what this person sits at a contact's table. ``until`` in seconds."""

    id: str
    tags: Sequence[str] = field(repr=False)
    form: str
    turns: int
    spent: int
    until: int
    revoked: bool


@dataclass(frozen=True)
class SeenCite:
    """What a member of another node cites. ``at`` in seconds."""

    layer: str
    kind: str
    at: int | None
    quote: str = field(repr=False)


def seen_grant(there: TableContact) -> SeenGrant | None:
    """Show the grant of this person for a contact's table; ``None`` where there is none."""
    if not there.grant:
        return None
    grant = TableGrant.read(there.grant)
    return SeenGrant(
        grant.id,
        sorted(grant.scope.tags),
        grant.scope.form.value,
        grant.turns,
        there.turns,
        grant.exp,
        there.revoked_at is not None,
    )


def seen_cites(sitting: Sitting, n: int) -> list[SeenCite]:
    """Show what an entry cites of its author's memory."""
    words = sitting.table.words.get(n)
    return [
        SeenCite(each["layer"], each["kind"], each["at"], each.get("quote", ""))
        for each in (() if words is None else words.cites)
        if "item" in each
    ]


def _state(sitting: Sitting, member: str, there: Sequence[TableContact]) -> str:
    """Say how a member stands."""
    table = sitting.table
    if member in table.present:
        return "here"
    if any(each.step is Step.LEFT and each.fields["by"] == member for each in table.entries):
        return "left"
    link = next((each.state.value for each in there if member in each.members), "invited")
    return "coming" if link == "accepted" else link


def seen_table(sitting: Sitting, there: Sequence[TableContact] = ()) -> SeenTable:
    """Show how a table stands; ``there``: the contacts at it."""
    table, rules = sitting.table, sitting.table.opening.fields
    turns = Counter(each.fields["by"] for each in table.turns)
    last = {
        each.fields["by"]: each.step
        for each in table.entries
        if each.step in {Step.TURN, Step.FAILED}
    }
    due = {*table.due, *table.due_in(table.round + 1)} if not table.due else set(table.due)
    seats = {seat.member: seat for seat in sitting.discussion.seats}
    roles = {seat.member: seat.role for seat in seats.values()}
    known = {seat.member: seat.contact.strip("-") for seat in seats.values()}
    mine = {seat.member for seat in seats.values() if not seat.contact}
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
            known.get(each.id, ""),
            each.id in mine,
            _state(sitting, each.id, there),
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
