"""Whatever a grant says and whatever there is: it covers what lies inside, nothing private, nothing
forgotten; and no budget is ever overdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import DocumentId, FindingId, JobId
from lpm_kernel.domain.library.documents import (
    Chunk,
    Document,
    DocumentKind,
    DocumentState,
    chunk_id,
)
from lpm_kernel.domain.library.passages import Passage
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.share.network import Amount, ContactId, ContactState, GrantRow, NewCard
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.errors import ConflictError
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.share.view import RowSources, covered, preview
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)
TAGS = ("music", "garden", "family", "*", "Music")
MOMENTS = [None, *(NOW - timedelta(days=days) for days in (0, 1, 400, 401, 5_000))]
EDGES = [
    None,
    *(int(each.timestamp()) + more for each in MOMENTS if each is not None for more in (0, 1)),
]
numbers = count()


@dataclass(frozen=True)
class Line:
    """A row as it is drawn: a passage, or a statement of a kind."""

    kind: StatementKind | None
    said_at: datetime | None
    struck: bool


@dataclass(frozen=True)
class Paper:
    """A document as it is drawn."""

    tags: frozenset[str]
    private: bool
    created_at: datetime | None
    state: DocumentState
    away: bool
    lines: tuple[Line, ...]


lines = st.builds(
    Line,
    st.none() | st.sampled_from(StatementKind),
    st.sampled_from(MOMENTS),
    st.sampled_from([False, False, False, True]),
)
papers = st.builds(
    Paper,
    st.frozensets(st.sampled_from(TAGS), max_size=3),
    st.booleans(),
    st.sampled_from(MOMENTS),
    st.sampled_from(
        [DocumentState.READY, DocumentState.READY, DocumentState.RECEIVED, DocumentState.FAILED]
    ),
    st.sampled_from([False, False, False, True]),
    st.lists(lines, max_size=4).map(tuple),
)
scopes = st.builds(
    Scope,
    st.just(EVERY_TAG)
    | st.frozensets(st.sampled_from([tag for tag in TAGS if tag != "*"]), min_size=1, max_size=3),
    st.frozensets(st.sampled_from(RowKind), min_size=1),
    st.frozensets(st.sampled_from(Layer), min_size=1),
    st.sampled_from(EDGES),
    st.sampled_from(EDGES),
    st.sampled_from(Form),
    st.just("a visit"),
)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NodeDatabase, IndexDb]]:
    folder = tmp_path_factory.mktemp("sharing")
    with (
        closing(NodeDatabase(folder / "node.db", "key")) as database,
        closing(IndexDb(folder / "index.db")) as index,
    ):
        yield database, index


def settle(database: NodeDatabase, index: IndexDb, paper: Paper) -> list[tuple[Chunk, Line]]:
    """Write a document with its rows; a row that is struck holds one sentence that the person wants
    forgotten, and a passage another one.
    """
    number = next(numbers)
    document = Document(
        DocumentId(f"d{number}"),
        "t",
        DocumentKind.TEXT,
        f"{number:064x}",
        1,
        DocumentState.RECEIVED,
        NOW,
        name="n.txt",
    )
    database.documents.receive(document, "ingest", Lane.INGEST, JobId(f"j{number}"))
    values = {
        "tags": tuple(sorted(paper.tags)),
        "private": paper.private,
        "created_at": paper.created_at,
        "state": paper.state,
        "text_version": "text-1",
    }
    database.documents.change(document.id, **values)
    made: list[tuple[Chunk, Line]] = []
    for place, line in enumerate(paper.lines):
        text = f"Row {number} {place} forgets birch. It keeps cedar."
        start = 100 * place
        chunk = Chunk(
            chunk_id(document.id, "text-1", start, start + len(text)),
            document.id,
            "text-1",
            start,
            start + len(text),
            text,
            "",
            said_at=line.said_at,
        )
        made.append((replace(chunk, kind=line.kind), line))
        if line.struck:
            quote = text.partition(" It")[0]
            database.decisions.keep(
                Decision(
                    FindingId(f"f{number}-{place}"),
                    document.id,
                    quote,
                    "text-1",
                    start,
                    start + len(quote),
                    Verdict.FORGET,
                    NOW,
                )
            )
    index.put(
        document.id,
        [Passage(chunk, ("row",), ()) for chunk, _ in made],
        private=paper.private,
        tags=sorted(paper.tags),
        created_at=paper.created_at,
    )
    if paper.away:
        database.documents.put_away([document.id], NOW)
    return made


def inside(paper: Paper, line: Line, scope: Scope) -> bool:
    """Say in other words than the protocol's whether a row has to be covered."""
    moment = line.said_at or paper.created_at
    if paper.private or paper.away or paper.state is not DocumentState.READY:
        return False
    if line.kind is not None and line.struck:
        return False
    if (Layer.WORDS if line.kind else Layer.SAID) not in scope.layers or (
        line.kind.value if line.kind else "passage"
    ) not in {kind.value for kind in scope.kinds}:
        return False
    if scope.tags != EVERY_TAG and paper.tags.isdisjoint(scope.tags):
        return False
    if scope.since is not None and (
        moment is None or moment < datetime.fromtimestamp(scope.since, UTC)
    ):
        return False
    return not (
        scope.until is not None
        and (moment is None or moment >= datetime.fromtimestamp(scope.until, UTC))
    )


@settings(
    max_examples=250,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(world=st.lists(papers, min_size=1, max_size=4), scope=scopes)
def test_a_grant_covers_exactly_what_lies_inside(
    stores: tuple[NodeDatabase, IndexDb], world: list[Paper], scope: Scope
) -> None:
    database, index = stores
    rows = [
        (paper, chunk, line) for paper in world for chunk, line in settle(database, index, paper)
    ]
    wanted = {chunk.id: line for paper, chunk, line in rows if inside(paper, line, scope)}
    asked = (database.documents, database.decisions, passages_of(index), scope)
    found = list(covered(*asked))
    assert {each.chunk.id for each in found} == set(wanted)
    for each in found:
        assert ("birch" in each.text) is not wanted[each.chunk.id].struck
        assert "cedar" in each.text
        assert not each.document.private
    seen = preview(RowSources(*asked[:3]), *asked[3:], first=3)
    assert (seen.documents, seen.passages + seen.statements) == (
        len({each.document.id for each in found}),
        len(found),
    )
    assert seen.statements == sum(each.layer is Layer.WORDS for each in found)
    assert list(seen.first) == found[:3]
    for document in database.documents.everything():
        index.remove(document.id)
        database.documents.delete(document.id)


@dataclass
class Trial:
    """Three grants of one contact, two of them a parent and its child, and beside them what has to
    be so.
    """

    database: NodeDatabase
    contact: ContactId
    names: dict[str, str]
    daily: dict[str, Amount]
    revoked: set[str] = field(default_factory=set)
    blocked: bool = False
    set_aside: list[tuple[tuple[str, ...], Amount, int]] = field(default_factory=list)

    def spend(self, which: int, amount: Amount, day: int) -> None:
        line = (self.names["alone"],) if which % 2 else (self.names["child"], self.names["parent"])
        room = all(fits(spent(self.database, each, day), amount, self.daily[each]) for each in line)
        expected = room and not self.blocked and not self.revoked & set(line)
        assert self.database.permissions.spend(line, amount, day) is expected
        if expected:
            self.set_aside.append((line, amount, day))

    def back(self, which: int, amount: Amount, _: int) -> None:
        if self.set_aside:
            line, had, day = self.set_aside.pop(which % len(self.set_aside))
            less = Amount(
                min(amount.calls, had.calls),
                min(amount.bytes, had.bytes),
                min(amount.tokens, had.tokens),
            )
            self.database.permissions.give_back(line, less, day)

    def revoke(self, which: int, _: Amount, __: int) -> None:
        name = "alone" if which % 2 else "parent"
        self.database.permissions.revoke(self.names[name], NOW)
        self.revoked |= {self.names[name]} | ({self.names["child"]} if name == "parent" else set())

    def block(self, which: int, _: Amount, __: int) -> None:
        blocked = bool(which % 2)
        before, after = (
            (ContactState.ACTIVE, ContactState.BLOCKED)
            if blocked
            else (ContactState.BLOCKED, ContactState.ACTIVE)
        )
        if blocked is self.blocked:
            with pytest.raises(ConflictError):
                self.database.contacts.move(self.contact, before, after, NOW)
        else:
            self.database.contacts.move(self.contact, before, after, NOW)
        self.blocked = blocked


amounts = st.builds(Amount, st.integers(0, 3), st.integers(0, 30), st.integers(0, 30))
steps = st.tuples(
    st.sampled_from([Trial.spend, Trial.spend, Trial.spend, Trial.back, Trial.revoke, Trial.block]),
    st.integers(0, 5),
    amounts,
    st.integers(0, 1),
)


@settings(
    max_examples=120,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(limits=st.lists(amounts, min_size=3, max_size=3), happened=st.lists(steps, max_size=14))
def test_no_budget_is_overdrawn_whatever_happens_in_whatever_order(
    stores: tuple[NodeDatabase, IndexDb],
    limits: list[Amount],
    happened: list[tuple[Callable[[Trial, int, Amount, int], None], int, Amount, int]],
) -> None:
    database, number = stores[0], next(numbers)
    contact = database.contacts.keep(NewCard(f"did:{number}", f"peer-{number}", 1, "card"), NOW)
    names = {name: f"{name}-{number}" for name in ("alone", "parent", "child")}
    for (name, identifier), daily in zip(names.items(), limits, strict=True):
        database.permissions.give(
            GrantRow(
                identifier,
                contact.id,
                "signed",
                daily,
                0,
                NOW,
                names["parent"] if name == "child" else None,
            )
        )
    trial = Trial(database, contact.id, names, dict(zip(names.values(), limits, strict=True)))
    for step, which, amount, day in happened:
        step(trial, which, amount, day)
        for identifier, most in trial.daily.items():
            assert all(fits(spent(database, identifier, each), Amount(), most) for each in (0, 1))
    database.contacts.delete(contact.id, NOW)


def spent(database: NodeDatabase, grant: str, day: int) -> Amount:
    row = database.permissions.held(grant, day)
    assert row is not None
    return row.spent


def fits(had: Amount, more: Amount, most: Amount) -> bool:
    return (
        had.calls + more.calls <= most.calls
        and had.bytes + more.bytes <= most.bytes
        and had.tokens + more.tokens <= most.tokens
    )
