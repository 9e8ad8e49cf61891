"""The audit chain: whatever is done to the entries is noticed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.home.audit import AuditEntry, AuditKind, Head, entry, first_break

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
FACTS = st.dictionaries(
    st.text(max_size=8), st.integers() | st.booleans() | st.text(max_size=8), max_size=3
)


@st.composite
def chains(draw: st.DrawFn) -> list[AuditEntry]:
    made: list[AuditEntry] = []
    for number, facts in enumerate(draw(st.lists(FACTS, min_size=2, max_size=8))):
        made.append(
            entry(
                made[-1] if made else None,
                NOON + timedelta(minutes=number),
                draw(st.sampled_from(AuditKind)),
                facts,
            )
        )
    return made


def head(chain: list[AuditEntry]) -> Head:
    return Head(chain[-1].number, chain[-1].hash, "a backup")


@given(chains())
def test_what_was_not_touched_holds(chain: list[AuditEntry]) -> None:
    assert first_break(chain) is None
    assert first_break(chain, [head(chain), head(chain[:1])]) is None


@given(chains(), st.data())
def test_an_entry_that_was_changed_is_the_first_that_is_named(
    chain: list[AuditEntry], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(chain) - 1))
    field = data.draw(st.sampled_from(["at", "kind", "facts", "previous", "hash"]))
    chain[at] = replace(chain[at], **{field: getattr(chain[at], field) + "x"})
    found = first_break(chain, [])
    assert found is not None
    assert found.number == at + 1


@given(chains(), st.data())
def test_an_entry_that_was_sealed_anew_is_noticed(
    chain: list[AuditEntry], data: st.DataObject
) -> None:
    """Whoever changes an entry and makes its hash anew breaks the one after it, or what a backup
    noted.
    """
    at = data.draw(st.integers(0, len(chain) - 1))
    noted = head(chain)
    before = chain[at - 1] if at else None
    chain[at] = entry(before, NOON + timedelta(days=1), AuditKind.EXPORTED, {"documents": 3})
    found = first_break(chain, [noted])
    assert found is not None
    assert found.number == (at + 2 if at + 1 < len(chain) else at + 1)


@given(chains(), st.data())
def test_an_entry_that_was_taken_out_is_noticed_the_last_ones_too(
    chain: list[AuditEntry], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(chain) - 1))
    noted = head(chain)
    left = chain[:at] + chain[at + 1 :]
    found = first_break(left, [noted])
    assert found is not None
    assert found.number == at + 1
    cut = first_break(chain[:at], [noted])
    assert cut is not None
    assert cut.number == at + 1


@given(chains(), st.data())
def test_another_order_is_noticed(chain: list[AuditEntry], data: st.DataObject) -> None:
    other = data.draw(st.permutations(chain).filter(lambda order: order != chain))
    assert first_break(other) is not None


@pytest.fixture
def database(tmp_path: Path) -> Iterator[NodeDatabase]:
    opened = NodeDatabase(tmp_path / "node.db", "key")
    for number in range(5):
        opened.audit.append(NOON, AuditKind.BACKED_UP, documents=number, backup="雨")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "change",
    ["UPDATE audit SET facts = '{}'", "DELETE FROM audit", "DELETE FROM audit WHERE number = 5"],
)
def test_the_database_itself_refuses_to_change_an_entry(
    database: NodeDatabase, change: str
) -> None:
    with (
        sqlite3.connect(database.path) as connection,
        pytest.raises(sqlite3.IntegrityError, match="only grows"),
    ):
        connection.execute(change)
    assert first_break(database.audit.all(), [head(list(database.audit.all()))]) is None


def test_entries_taken_off_the_end_are_noticed_by_the_note_beside_the_database(
    database: NodeDatabase,
) -> None:
    with sqlite3.connect(database.path) as connection:
        connection.execute("DROP TRIGGER audit_no_delete")
        connection.execute("DELETE FROM audit WHERE number > 3")
    noted = database.audit.noted()
    assert noted is not None
    assert first_break(database.audit.all()) is None
    found = first_break(database.audit.all(), [noted])
    assert found is not None
    assert found.number == 4


def test_a_note_that_somebody_wrote_anew_without_the_key_is_noticed(
    database: NodeDatabase, tmp_path: Path
) -> None:
    note = tmp_path / "audit.json"
    for text in (note.read_text().replace('"number": 5', '"number": 3'), "{}", "", "[]"):
        note.write_text(text)
        noted = database.audit.noted()
        assert noted is not None
        assert first_break(database.audit.all(), [noted]) is not None


def test_the_note_may_be_written_beside_and_has_the_newest_entry_at_the_end(
    database: NodeDatabase, tmp_path: Path
) -> None:
    note = tmp_path / "audit.json"
    with database.audit.noting_apart(60):
        before = note.read_text()
        for number in range(5):
            database.audit.append(NOON, AuditKind.BACKED_UP, documents=number, backup="雨")
        assert note.read_text() == before
        assert first_break(database.audit.all(), [head_of(database)]) is None
    assert head_of(database).number == 10
    database.audit.append(NOON, AuditKind.BACKED_UP, documents=5, backup="雨")
    assert head_of(database).number == 11


def test_what_a_process_that_was_killed_did_not_note_is_noted_by_the_next(
    database: NodeDatabase, tmp_path: Path
) -> None:
    note = tmp_path / "audit.json"
    before = note.read_text()
    database.audit.append(NOON, AuditKind.BACKED_UP, documents=5, backup="雨")
    note.write_text(before)
    with database.audit.noting_apart(0.01):
        until = time.monotonic() + 10
        while head_of(database).number != 6:
            assert time.monotonic() < until
            time.sleep(0.01)
        database.audit.append(NOON, AuditKind.BACKED_UP, documents=6, backup="雨")
        while head_of(database).number != 7:
            assert time.monotonic() < until
            time.sleep(0.01)


def head_of(database: NodeDatabase) -> Head:
    noted = database.audit.noted()
    assert noted is not None
    return noted


def test_pages_go_backwards_and_end(database: NodeDatabase) -> None:
    first, following = database.audit.page(limit=3)
    rest, end = database.audit.page(limit=3, before=following)
    assert [each.number for each in (*first, *rest)] == [5, 4, 3, 2, 1]
    assert end is None
