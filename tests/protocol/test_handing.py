"""Entries on their way between the host of a table and a member: whatever is lost, doubled or comes
in another order, both have the same; and what an enemy sends is refused as a whole.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import handing, limits
from protocol.discussion import Step, Words
from protocol.ledger import Said
from protocol.refusals import Refusal
from protocol.tables import Table
from tests.protocol.sitting import ASAKO, BRAM, TABLE, Sitting, sitting, told
from tests.protocol.twins import NOW


def long_record() -> list[Said]:
    begun = sitting(turns=9, total=30)
    for number in (1, 2, 3):
        for who in ("asako", "bram", "cook"):
            begun.speak(who, f"{who} {number}", number)
    begun.then(ASAKO, Step.STRUCK, entry=3)
    begun.then(ASAKO, Step.CLOSED, why="rounds")
    return begun.said


RECORD = long_record()


def taken(known: list[Said], came: list[Said]) -> Table:
    handed = [each for one in came for each in handing.hand([one])]
    return handing.take((TABLE, ASAKO.did), known, handing.read(handed), NOW + 99)


@given(
    st.lists(
        st.tuples(st.integers(0, len(RECORD)), st.integers(1, len(RECORD)), st.randoms()),
        max_size=12,
    )
)
def test_whatever_comes_in_whatever_order_the_record_is_the_same(
    messages: list[tuple[int, int, object]],
) -> None:
    known: list[Said] = RECORD[:1]
    for start, size, dice in messages:
        some = RECORD[start : start + size]
        dice.shuffle(some)  # type: ignore[attr-defined]
        table = taken(known, some)
        known = [(each, table.words.get(each.n)) for each in table.entries]
        assert [each.hash for each in table.entries] == [
            each.hash for each, _ in RECORD[: len(known)]
        ]
    # the host goes on from what the member says that it has
    table = taken(known, RECORD[len(known) - 1 :])
    assert table.head.hash == RECORD[-1][0].hash
    assert table.gone == {3}
    assert 3 not in table.words


def test_a_message_holds_as_many_entries_as_fit() -> None:
    assert handing.hand([]) == []
    many = [RECORD[0]] * 200
    assert len(handing.hand(many)) == limits.HANDED
    words = Words.write("“" * 16_000, random=lambda size: b"x" * size)
    large = [(RECORD[0][0], words)] * 9
    some = handing.hand(large)
    assert 1 < len(some) < 9


def test_one_entry_that_is_refused_refuses_the_message() -> None:
    begun = Sitting(said=told()[:3])
    forged = begun.turn("bram", "I pay.", by=ASAKO)
    known = begun.said[:2]
    with pytest.raises(Refusal, match="sender_mismatch"):
        taken(known, [begun.said[2], forged])
    assert known == begun.said[:2]


def test_an_entry_of_a_time_to_come() -> None:
    with pytest.raises(Refusal, match="from_future"):
        handing.take((TABLE, ASAKO.did), [], RECORD[:2], NOW - 500)


def test_an_old_table_shown_as_a_new_one() -> None:
    with pytest.raises(Refusal, match="expired"):
        handing.take((TABLE, ASAKO.did), [], RECORD[:2], NOW + 10 * 86_400)
    # who has it goes on with it: what was said there can be struck later
    table = handing.take((TABLE, ASAKO.did), RECORD[:-2], RECORD[-2:], NOW + 10 * 86_400)
    assert table.closed is not None


def test_a_table_that_somebody_else_opened() -> None:
    with pytest.raises(Refusal, match=r"sender_mismatch: entry\.iss"):
        handing.take((TABLE, BRAM.did), [], RECORD[:2], NOW + 99)


def test_words_kept_back_are_missed_at_the_end() -> None:
    without = [(each, None if each.n == 4 else words) for each, words in RECORD]
    table = handing.take((TABLE, ASAKO.did), [], without[:-1], NOW + 99)
    handing.check_end(table, BRAM.did)
    table = handing.take((TABLE, ASAKO.did), [], without, NOW + 99)
    with pytest.raises(Refusal, match="malformed: words"):
        handing.check_end(table, BRAM.did)
    own = table.entries[4].iss
    handing.check_end(table, own)  # one may have dropped one's own


def test_who_is_about_to_strike_misses_no_words_of_it_at_the_end() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    begun.speak("bram", "As you say.", cites=[{"turn": 2, "quote": "the sea"}])
    begun.then(ASAKO, Step.CLOSED, why="person")
    without = [(each, None if each.n == 3 else words) for each, words in begun.said]
    table = handing.take((TABLE, ASAKO.did), [], without, NOW + 99)
    with pytest.raises(Refusal, match="malformed: words"):
        handing.check_end(table, ASAKO.did)
    handing.check_end(table, ASAKO.did, {2})  # it quotes that
    handing.check_end(table, ASAKO.did, {3})


def test_what_quotes_the_readers_own_words_goes_with_them() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    quoted = begun.speak("bram", "By ferry, then.", on=2)
    begun.speak("cook", "He says so.", cites=[{"turn": quoted.n, "quote": "By ferry"}])
    begun.then(ASAKO, Step.CLOSED, why="person")
    erased = {quoted.n, quoted.n + 1}
    for gone, reader in ((erased, ASAKO), ({quoted.n + 1}, BRAM)):
        said = [(each, None if each.n in gone else words) for each, words in begun.said]
        table = handing.take((TABLE, ASAKO.did), [], said, NOW + 99)
        with pytest.raises(Refusal, match="malformed: words"):
            handing.check_end(table, reader.did)
    said = [(each, None if each.n in erased else words) for each, words in begun.said]
    handing.check_end(handing.take((TABLE, ASAKO.did), [], said, NOW + 99), BRAM.did)
