"""What an enemy tries at a table, one test each: each is refused with its code, and the table
stands as it did.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest

from protocol import limits
from protocol.discussion import Entry, Step, Words
from protocol.encoding import from_b64u, to_b64u
from protocol.grants import Grant
from protocol.identity import Kind
from protocol.ledger import Ledger, Said, verify
from protocol.refusals import Code, Refusal
from protocol.table_grants import HeldTableGrant, TableGrant, TurnRequest, allows_turn
from protocol.tables import Table
from tests.protocol.sitting import (
    ASAKO,
    BRAM,
    MALLORY,
    TABLE,
    Sitting,
    sitting,
    table_grant,
    told,
)
from tests.protocol.twins import DAY, NOW, dice


def refused(table: Table, said: Said) -> Code:
    """Say with which code the next entry is refused; the table is as it was."""
    before = deepcopy(table)
    with pytest.raises(Refusal) as no:
        table.take(*said)
    assert table == before
    return no.value.code


def ledger_of(said: list[Said], now: int = NOW) -> Ledger:
    ledger = Ledger(TABLE, ASAKO.did)
    for entry, words in said:
        ledger.accept(entry, words, now)
    return ledger


def test_a_member_signs_for_another() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    for signer in (ASAKO, MALLORY):
        forged = begun.turn("bram", "I pay for everybody.", by=signer)
        assert refused(begun.now, forged) is Code.SENDER_MISMATCH


def test_a_turn_under_a_made_up_signature() -> None:
    entry, _ = told()[2]
    data = from_b64u(entry.text)[limits.SIGNATURE :]
    for signature in (bytes(64), MALLORY.keys.identity.sign(Kind.TURN, data)):
        with pytest.raises(Refusal, match="bad_signature"):
            Entry.read(to_b64u(signature + data))


@pytest.mark.parametrize("kind", [Kind.MESSAGE, Kind.CARD, Kind.GRANT, Kind.ROTATION])
def test_a_statement_of_another_kind_shown_as_a_turn(kind: Kind) -> None:
    data = from_b64u(told()[2][0].text)[limits.SIGNATURE :]
    with pytest.raises(Refusal, match="bad_signature"):
        Entry.read(to_b64u(ASAKO.keys.identity.sign(kind, data) + data))


def test_every_bit_of_an_entry_counts() -> None:
    entry, _ = told()[2]
    data = from_b64u(entry.text)
    for at in range(0, 8 * len(data), 7):
        flipped = bytearray(data)
        flipped[at // 8] ^= 1 << at % 8
        with pytest.raises(Refusal):
            Entry.read(to_b64u(bytes(flipped)))


def test_the_host_rewrites_a_turn() -> None:
    said = told()
    _, words = said[3]
    assert words is not None
    with pytest.raises(Refusal, match="bad_signature: words"):
        verify([*said[:3], (said[3][0], Words.write("No, the hills."))])


def test_an_author_rewrites_what_they_said() -> None:
    said = told()
    begun = Sitting(said=said[:3])
    assert refused(verify(said), begun.turn("bram", "I never said so.")) is Code.REPLAY


def test_the_host_forks_the_chain() -> None:
    said = told()
    fork = Sitting(said=said[:3])
    fork.then(ASAKO, Step.FAILED, by="bram", code=Code.BUSY)
    fork.speak("cook", "Fish.")
    ledger = ledger_of(said)
    with pytest.raises(Refusal, match=r"replay: entry\.n"):
        ledger.accept(*fork.said[3], NOW)
    with pytest.raises(Refusal, match=r"replay: entry\.prev"):
        ledger.accept(*fork.said[4], NOW)
    assert ledger.table.head.hash == said[-1][0].hash


def test_the_host_keeps_a_turn_back() -> None:
    """A member has its own turn, so a record without it does not go on at the member."""
    said = told()
    without = Sitting(said=said[:3])
    without.then(ASAKO, Step.PAUSED)
    own = verify(said)
    assert refused(own, without.said[3]) is Code.REPLAY


def test_the_host_keeps_words_back() -> None:
    begun = Sitting(said=told())
    begun.then(ASAKO, Step.CLOSED, why="person")
    assert verify(begun.said, whole=True).closed
    begun.said[2] = (begun.said[2][0], None)
    with pytest.raises(Refusal, match="malformed: words"):
        verify(begun.said, whole=True)


def test_the_host_passes_a_member_over() -> None:
    begun = sitting()
    begun.speak("asako", "To the sea.")
    assert refused(begun.now, begun.turn("cook", "Fish.")) is Code.OUT_OF_SCOPE
    assert refused(begun.now, begun.turn("asako", "And then?", 2)) is Code.OUT_OF_SCOPE


def test_a_turn_is_dropped_or_moved() -> None:
    said = told()
    for broken in (said[:2] + said[3:], [*said[:2], said[3], said[2]]):
        with pytest.raises(Refusal, match=r"malformed: entry\.n"):
            verify(broken)


def test_an_entry_of_an_old_table() -> None:
    old = Sitting(table=to_b64u(dice("old")(16)))
    old.open()
    old.speak("asako", "I agree to everything.")
    assert refused(verify(told()), old.said[2]) is Code.WRONG_AUDIENCE
    with pytest.raises(Refusal, match="wrong_audience"):
        ledger_of([]).accept(*old.said[0], NOW)


def test_an_old_table_is_brought_as_a_new_one() -> None:
    with pytest.raises(Refusal, match="expired"):
        ledger_of(told(), NOW + DAY + limits.SKEW)
    with pytest.raises(Refusal, match="from_future"):
        ledger_of(told(), NOW - limits.SKEW - 1)


def test_another_opening_of_a_table_that_is_known() -> None:
    other = sitting(rounds=9)
    with pytest.raises(Refusal, match="replay"):
        ledger_of(told()).accept(*other.said[0], NOW)


def test_somebody_else_opens_the_table() -> None:
    begun = Sitting()
    aim = Words.write("Pay me.")
    begun.then(MALLORY, Step.OPENING, aim, **begun.rules)
    with pytest.raises(Refusal, match="sender_mismatch"):
        ledger_of(begun.said)


def test_a_stranger_sits_down() -> None:
    begun = sitting()
    assert refused(begun.now, begun.write(MALLORY, Step.JOINED, by="m", grant=None)) is (
        Code.NO_GRANT
    )
    guest = {"id": "m", "did": MALLORY.did, "kind": "twin", "name": "Mallory"}
    assert refused(begun.now, begun.write(MALLORY, Step.INVITED, member=guest)) is (
        Code.SENDER_MISMATCH
    )


def test_the_host_sits_a_contact_down() -> None:
    begun = Sitting()
    begun.open()
    begun.said.pop()
    assert refused(begun.now, begun.write(ASAKO, Step.JOINED, by="bram", grant=None)) is (
        Code.SENDER_MISMATCH
    )
    assert refused(begun.now, begun.turn("bram", "Hello.")) is Code.NO_GRANT


@pytest.mark.parametrize(
    ("step", "body"),
    [
        (Step.PAUSED, {}),
        (Step.CALLED, {"by": "bram"}),
        (Step.FAILED, {"by": "asako", "code": "busy"}),
        (Step.CLOSED, {"why": "person"}),
        (Step.LEFT, {"by": "asako"}),
        (Step.STRUCK, {"entry": 2}),
    ],
)
def test_a_guest_plays_the_host(step: Step, body: dict[str, object]) -> None:
    begun = Sitting(said=told())
    assert refused(begun.now, begun.write(BRAM, step, **body)) is Code.SENDER_MISMATCH


def test_a_member_floods() -> None:
    begun = sitting(strategy="free", turns=2)
    for number in range(2):
        begun.speak("asako", f"{number}")
        begun.speak("bram", f"{number}")
    begun.speak("cook", "Enough.")
    assert refused(begun.now, begun.turn("bram", "And another.")) is Code.OVER_BUDGET
    assert refused(begun.now, begun.turn("cook", "x" * 2_000)) is Code.OVER_BUDGET
    begun = sitting(strategy="free")
    begun.speak("cook", "Enough.")
    assert refused(begun.now, begun.turn("cook", "I too.")) is Code.OUT_OF_SCOPE


def test_a_flood_of_entries_that_come_too_early() -> None:
    ledger, begun = ledger_of(told()[:2]), Sitting(said=told())
    for number in range(limits.AHEAD):
        ledger.accept(*begun.turn("cook", f"{number}"), NOW)
    with pytest.raises(Refusal, match="busy"):
        ledger.accept(*begun.turn("cook", "one more"), NOW)
    added = ledger.accept(*begun.said[2], NOW)
    assert [each.n for each in added] == [2]


def test_what_came_early_and_does_not_follow_stops_nobody() -> None:
    said = told()
    wrong = Sitting(said=said).turn("bram", "Twice.")
    ledger = ledger_of([*said[:2], wrong])
    ledger.accept(*said[3], NOW)
    assert [each.n for each in ledger.accept(*said[2], NOW)] == [2, 3]
    assert ledger.table.head.hash == said[3][0].hash


@pytest.mark.parametrize(
    "point",
    [
        {"by": "bram", "turn": 2, "says": "agreed"},
        {"by": "asako", "turn": 3, "says": "agreed"},
        {"by": "bram", "turn": 3, "says": "disagreed"},
        {"by": "bram", "turn": 3, "says": "abstained"},
        {"by": "asako", "turn": 2, "says": "agreed"},
    ],
)
def test_a_summary_lures_with_what_was_not_agreed(point: dict[str, object]) -> None:
    begun = Sitting(said=told())
    forged = begun.write(ASAKO, Step.SUMMARY, Words.write(""), points=[point], quotes=[])
    assert refused(begun.now, forged) is Code.SENDER_MISMATCH


def test_a_summary_lures_with_words_of_the_host() -> None:
    begun = Sitting(said=told())
    for text, cites, code in (
        ("Bram pays.", (), Code.MALFORMED),
        ("", ({"turn": 3, "quote": "I pay"},), Code.SENDER_MISMATCH),
        ("", ({"turn": 1, "quote": "I pay"},), Code.MALFORMED),
    ):
        words = Words.write(text, cites)
        forged = begun.write(ASAKO, Step.SUMMARY, words, points=[], quotes=sorted(words.quotes))
        assert refused(begun.now, forged) is code


def test_the_end_claims_what_is_not_so() -> None:
    begun = Sitting(said=told(agree=False))
    for why, code in (
        ("agreement", Code.SENDER_MISMATCH),
        ("rounds", Code.SENDER_MISMATCH),
        ("alone", Code.SENDER_MISMATCH),
        ("time", Code.OUT_OF_SCOPE),
    ):
        assert refused(begun.now, begun.write(ASAKO, Step.CLOSED, why=why)) is code


def test_a_quotation_of_what_was_not_said() -> None:
    begun = Sitting(said=told())
    forged = begun.turn("cook", "As Bram says", cites=[{"turn": 3, "quote": "I pay"}])
    assert refused(begun.now, forged) is Code.SENDER_MISMATCH


# --- grants for one table ------------------------------------------------------------------------

ASKED = TurnRequest(ASAKO.did, BRAM.did, TABLE, 2_000, 200)


def code_of(held: HeldTableGrant, asked: TurnRequest = ASKED, now: int = NOW) -> Code | None:
    outcome = allows_turn(held, asked, now)
    return outcome.code if isinstance(outcome, Refusal) else None


def test_a_grant_for_one_table_is_none_for_another_host_or_table() -> None:
    held = HeldTableGrant(table_grant(BRAM, ASAKO))
    assert code_of(held) is None
    assert code_of(held, replace(ASKED, by=MALLORY.did)) is Code.NO_GRANT
    assert code_of(held, replace(ASKED, owner=MALLORY.did)) is Code.NO_GRANT
    assert code_of(held, replace(ASKED, table=to_b64u(dice("other")(16)))) is Code.OUT_OF_SCOPE
    assert code_of(held, now=NOW + DAY) is Code.GRANT_EXPIRED
    assert code_of(replace(held, revoked=True)) is Code.REVOKED
    assert code_of(replace(held, turns=30)) is Code.OVER_BUDGET
    assert code_of(held, replace(ASKED, tokens=201)) is Code.OVER_BUDGET


def test_a_grant_for_one_table_is_no_grant_to_ask_and_the_other_way_round() -> None:
    for_table = table_grant(BRAM, ASAKO).write(BRAM.keys.identity)
    with pytest.raises(Refusal, match="malformed"):
        Grant.read(for_table)
    with pytest.raises(Refusal, match="malformed"):
        TableGrant.read(BRAM.gives(ASAKO).write(BRAM.keys.identity))


def test_the_host_writes_itself_a_grant() -> None:
    data = from_b64u(table_grant(BRAM, ASAKO).write(BRAM.keys.identity))[limits.SIGNATURE :]
    with pytest.raises(Refusal, match="bad_signature"):
        TableGrant.read(to_b64u(ASAKO.keys.identity.sign(Kind.GRANT, data) + data))
