"""What must hold at any table, whatever is said, in whatever order it comes."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import limits
from protocol.discussion import Entry, Speaker, Step, Stop, Strategy, Words
from protocol.ledger import Ledger, Said, verify
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.tables import Table
from tests.protocol.sitting import ASAKO, BRAM, SEATS, TABLE, Sitting, sitting, told
from tests.protocol.twins import DAY, NOW, dice

VOICES = [each.id for each in SEATS if each.kind is not Speaker.PERSON]


def hashes(table: Table) -> list[str]:
    return [each.hash for each in table.entries]


def delivered(said: Sequence[Said]) -> Table:
    ledger = Ledger(TABLE, ASAKO.did)
    for entry, words in said:
        ledger.accept(entry, words, NOW)
    return ledger.table


@st.composite
def records(draw: st.DrawFn) -> list[Said]:
    """A record of any strategy, made of moves that its rules allow."""
    begun = sitting(strategy=draw(st.sampled_from(Strategy)), rounds=draw(st.integers(1, 3)))
    for _ in range(draw(st.integers(0, 12))):
        move(begun, draw(st.integers(0, 9)), draw(st.text(min_size=1, max_size=9)))
    return begun.said


def move(begun: Sitting, dealt: int, text: str) -> None:
    """Make one move, where it is one."""
    table, said = begun.now, len(begun.said)
    words = "".join(each for each in text if each.isprintable()).strip() or "well"
    turns = [each.n for each in table.turns]
    try:
        if dealt == 0:
            begun.speak("me", words, table.round)
        elif dealt == 1:
            begun.then(ASAKO, Step.RESUMED if table.paused else Step.PAUSED)
        elif dealt == 2 and turns:
            begun.then(ASAKO, Step.STRUCK, entry=turns[-1])
        elif dealt == 3:
            begun.then(BRAM, Step.LEFT, by="bram")
        elif table.strategy is Strategy.MODERATED and table.called is None:
            begun.then(ASAKO, Step.CALLED, by=VOICES[dealt % len(VOICES)])
        else:
            number = table.round if table.due else table.round + 1
            who = table.due_in(number)[0]
            on = next((n for n in turns if begun.said[n][0].fields["by"] != who), None)
            begun.speak(who, words, number, on=on)
        verify(begun.said)
    except (Refusal, IndexError):
        del begun.said[said:]


@given(records(), st.data())
def test_any_order_and_any_repetition_end_in_the_same_hashes(
    said: list[Said], data: st.DataObject
) -> None:
    again = said + data.draw(st.lists(st.sampled_from(said), max_size=12))
    shuffled = data.draw(st.permutations(again))
    first, second = delivered(said), delivered(shuffled)
    assert hashes(first) == hashes(second) == [each.hash for each, _ in said]
    assert (first.present, first.struck, first.due) == (second.present, second.struck, second.due)
    assert {n: each.json for n, each in first.words.items()} == {
        n: each.json for n, each in second.words.items()
    }


@given(records(), st.data())
def test_a_record_that_misses_swaps_or_repeats_an_entry_is_no_record(
    said: list[Said], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(said) - 2))
    broken = [
        said[:at] + said[at + 1 :],
        [*said[:at], said[at + 1], said[at], *said[at + 2 :]],
        said[: at + 1] + said[at:],
    ]
    for each in broken:
        with pytest.raises(Refusal):
            verify(each)


@given(records())
def test_words_can_be_erased_and_the_chain_stays(said: list[Said]) -> None:
    bare = verify([(entry, None) for entry, _ in said])
    assert hashes(bare) == hashes(verify(said))
    kept = verify(said)
    assert not kept.words.keys() & kept.gone


@given(records())
def test_a_table_says_itself_whose_turn_it_is(said: list[Said]) -> None:
    begun = Sitting(said=list(said))
    table = begun.now
    for who in VOICES:
        for number in (table.round, table.round + 1):
            on = next((each.n for each in table.turns if each.fields["by"] != who), None)
            entry, words = begun.turn(who, "Well.", number, on=on)
            taken = refused(verify(said), entry, words)
            may = who in table.due_in(number) and number <= table.opening.fields["rounds"]
            debate = table.strategy is Strategy.DEBATE and number > 1 and on is None
            assert (taken is None) is (may and not debate)


def refused(table: Table, entry: Entry, words: Words | None = None) -> Code | None:
    try:
        table.take(entry, words)
    except Refusal as refusal:
        return refusal.code
    return None


def test_agreement_is_of_all_voices_about_one_turn() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    begun.speak("bram", "Yes.", on=2, stance="agrees")
    assert begun.now.agreed() is None
    begun.speak("cook", "Yes.", on=2, stance="agrees")
    assert begun.now.agreed() == 2
    begun.speak("me", "Hm.", on=2, stance="disagrees")
    assert begun.now.agreed() == 2
    begun.speak("asako", "Or the hills?", 2)
    assert begun.now.agreed() is None
    begun.then(BRAM, Step.LEFT, by="bram")
    begun.speak("cook", "The hills.", 2, on=6, stance="agrees")
    assert begun.now.agreed() == 6


def test_who_fails_is_not_waited_for() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    begun.then(ASAKO, Step.FAILED, by="bram", code=Code.BUSY)
    assert begun.now.due == ["cook"]
    begun.speak("cook", "Fish.")
    assert begun.now.due == []
    assert begun.now.due_in(2) == ["asako"]


def test_a_whole_record_is_closed_and_has_its_words() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    with pytest.raises(Refusal):
        verify(begun.said, whole=True)
    begun.then(ASAKO, Step.CLOSED, why=Stop.PERSON)
    assert verify(begun.said, whole=True).closed is Stop.PERSON
    bare = [*begun.said[:2], (begun.said[2][0], None), begun.said[3]]
    with pytest.raises(Refusal):
        verify(bare, whole=True)
    begun.then(ASAKO, Step.STRUCK, entry=2)
    assert verify([*bare, begun.said[4]], whole=True).struck == {2}


def test_words_that_come_later_are_taken_if_they_are_the_ones() -> None:
    said = told()
    entry, words = said[2]
    table = verify([(each, None if each is entry else known) for each, known in said])
    assert table.withheld == [2]
    with pytest.raises(Refusal, match="bad_signature"):
        table.take(entry, Words.write("To the hills."))
    assert not table.take(entry, words)
    assert table.withheld == []


def test_struck_words_do_not_come_back() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    begun.speak("bram", "As you say.", cites=[{"turn": 2, "quote": "the sea"}])
    begun.then(ASAKO, Step.STRUCK, entry=2)
    table = begun.now
    assert set(table.words) == {0}
    assert table.withheld == []
    for entry, words in begun.said:
        assert not table.take(entry, words)
    assert set(table.words) == {0}


def test_what_quotes_struck_words_has_none_also_where_it_comes_later() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    begun.then(ASAKO, Step.STRUCK, entry=2)
    begun.speak("bram", "As you say.", cites=[{"turn": 2, "quote": "the sea"}])
    assert set(begun.now.words) == {0}
    assert begun.now.withheld == []


def test_what_is_struck_is_struck_once() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    begun.then(ASAKO, Step.STRUCK, entry=2)
    with pytest.raises(Refusal, match=r"out_of_scope: entry\.entry"):
        begun.now.take(*begun.write(ASAKO, Step.STRUCK, entry=2))


def test_the_same_words_commit_to_another_hash_each_time() -> None:
    one, other = Words.write("Yes."), Words.write("Yes.")
    assert one.hash != other.hash
    assert json.loads(one.json)["text"] == "Yes."
    assert "Yes." not in repr(one)


def test_what_we_write_wrong_is_our_own_fault() -> None:
    with pytest.raises(LocalProtocolError):
        Words.write("x" * 16_001)
    with pytest.raises(LocalProtocolError):
        Entry.write(ASAKO.keys.identity, TABLE, None, NOW, Step.PAUSED)
    with pytest.raises(LocalProtocolError):
        _ = Ledger(TABLE, ASAKO.did).table


def test_a_table_ends_at_its_time() -> None:
    begun = sitting(exp=NOW + 60)
    names = ("by", "round", "abstained", "on", "stance", "quotes", "words")
    fields = begun.turn("asako", "Late.")[0].fields
    late = Entry.write(
        ASAKO.keys.identity,
        TABLE,
        begun.said[-1][0].place,
        NOW + 60 + limits.SKEW,
        Step.TURN,
        **{name: fields[name] for name in names},
    )
    assert refused(begun.now, late) is Code.EXPIRED
    ended = Entry.write(
        ASAKO.keys.identity, TABLE, begun.said[-1][0].place, NOW + DAY, Step.CLOSED, why=Stop.TIME
    )
    assert refused(verify(sitting(exp=NOW + 60).said), ended) is Code.OUT_OF_SCOPE
    timed = sitting(exp=NOW + 60, stop=["time"])
    ended = Entry.write(
        ASAKO.keys.identity, TABLE, timed.said[-1][0].place, NOW + DAY, Step.CLOSED, why=Stop.TIME
    )
    assert refused(timed.now, ended) is None


def test_salt_is_drawn() -> None:
    assert Words.write("a", random=dice("a")).json == Words.write("a", random=dice("a")).json
