"""A contact's second self at a table: over real sockets, from the invitation to the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.memory.memories import MemoryFilter
from lpm_kernel.domain.share.discussions import DiscussionId, TableContactState
from lpm_kernel.errors import ConflictError, InvalidInputError
from lpm_kernel.usecases.share.tables import NewSeat, Sitting, Typed
from protocol.discussion import Entry, Speaker, Step
from protocol.ledger import verify
from protocol.table_grants import TableGrant
from tests.company import (
    AIM,
    FORM,
    HUT,
    SEA,
    accepted,
    at_table,
    finished,
    goes_on,
    invited,
    opened,
    someone,
)
from tests.peers import Peer, meet, until


@pytest.fixture
def asako(tmp_path: Path) -> Iterator[Peer]:
    with someone(tmp_path / "asako", "Asako", SEA) as peer:
        yield peer


@pytest.fixture
def bram(tmp_path: Path, asako: Peer) -> Iterator[Peer]:
    with someone(tmp_path / "bram", "Bram", HUT) as peer:
        meet(asako, peer)
        yield peer


def said_by(sitting: Sitting, peer: Peer, kind: Speaker = Speaker.TWIN) -> list[Entry]:
    did = peer.keystore.keys.identity.did
    return [
        each
        for each in sitting.table.turns
        if each.iss == did and sitting.table.members[each.fields["by"]].kind is kind
    ]


def steps(sitting: Sitting) -> list[tuple[str, str]]:
    return [(each.step.value, each.fields.get("by", "")) for each in sitting.table.entries[1:]]


def state_of(peer: Peer, table: DiscussionId) -> TableContactState:
    return peer.node.discussing.company.there(table)[0].state


def test_two_nodes_talk_to_the_end_and_have_the_same_record(asako: Peer, bram: Peer) -> None:
    table = opened(asako, bram)
    accepted(asako, bram, table)
    grant = TableGrant.read(bram.node.discussing.company.there(table)[0].grant)
    assert (grant.table, grant.aud) == (table, asako.keystore.keys.identity.did)
    memories = bram.node.ports.memories.page(MemoryFilter(), limit=99)[0]
    documents = [peer.node.ports.documents.all() for peer in (asako, bram)]

    mine, theirs = finished(asako, bram, table)
    texts = [[each.text for each in side.table.entries] for side in (mine, theirs)]
    assert texts[0] == texts[1]
    assert mine.table.words == theirs.table.words
    said = [(each, theirs.table.words.get(each.n)) for each in theirs.table.entries]
    assert verify(said, whole=True).closed is not None
    assert steps(mine) == [
        ("joined", "m2"),
        ("joined", "m2-types"),
        *[("turn", "m1"), ("turn", "m2")] * 2,
        ("summary", ""),
        ("closed", ""),
    ]
    first = said_by(mine, bram)[0]
    assert not first.fields["abstained"]
    cites = mine.table.words[first.n].cites
    assert cites
    assert all(each["quote"] in HUT for each in cites)
    # nothing that was not granted, and nothing that others said became a memory
    everything = "".join(each.json for each in mine.table.words.values())
    assert "Canary" not in everything
    assert [peer.node.ports.documents.all() for peer in (asako, bram)] == documents
    assert bram.node.ports.memories.page(MemoryFilter(), limit=99)[0] == memories
    # each turn is spent once, and stands in the audit
    assert bram.node.discussing.company.there(table)[0].turns == 2
    entries, _ = bram.node.ports.audit.page(limit=200)
    told = [each for each in entries if each.kind == AuditKind.PEER_DECIDED]
    assert len([each for each in told if json.loads(each.facts).get("step") == "turn"]) == 2
    # no word of it stays in what was sent and received
    for _ in goes_on(asako):
        if not asako.node.ports.post.outbox(limit=99, verb="discuss")[0]:
            break


def test_what_is_not_named_cannot_be_used_at_a_table_with_a_contact(
    asako: Peer, bram: Peer
) -> None:
    with pytest.raises(InvalidInputError, match="which tags"):
        opened(asako, bram, tags=[])
    seat = NewSeat("twin", contact=asako.knows(bram).id)
    with pytest.raises(InvalidInputError, match="sits at a table once"):
        opened(asako, bram, seats=(seat, seat))


def test_who_declines_is_not_waited_for(asako: Peer, bram: Peer) -> None:
    table = opened(asako, bram, rounds=1)
    invited(asako, bram, table)
    assert steps(asako.node.discussing.get(table)) == []  # it waits
    assert state_of(bram, table) is TableContactState.INVITED
    bram.node.discussing.company.decline(table)
    with pytest.raises(ConflictError):
        bram.node.discussing.company.accept(table, FORM)
    for _ in goes_on(asako):
        if asako.node.discussing.get(table).table.closed is not None:
            break
    mine = asako.node.discussing.get(table)
    assert steps(mine) == [("turn", "m1"), ("summary", ""), ("closed", "")]
    assert state_of(asako, table) is TableContactState.DECLINED


def test_people_type_on_both_sides_while_a_second_self_has_the_word(
    asako: Peer, bram: Peer
) -> None:
    table = opened(asako, bram, rounds=1)
    accepted(asako, bram, table)
    bram.node.discussing.say(table, Typed("I would rather stay at home."))
    until(lambda: asako.node.discussing.company.there(table)[0].hands)
    for _ in goes_on(asako, bram):
        waits = asako.node.discussing.company.there(table)[0].asked or {}
        if waits.get("by") == "m2":
            break
    # it comes between: what was signed for that place is signed again for the next
    asako.node.discussing.say(table, Typed("Not before the tenth."))
    mine, theirs = finished(asako, bram, table)
    [typed] = said_by(mine, bram, Speaker.PERSON)
    assert theirs.text(typed.n) == "I would rather stay at home."
    assert len(said_by(mine, bram)) == 1
    assert bram.node.discussing.company.there(table)[0].own == ()
    assert bram.node.discussing.company.there(table)[0].turns == 1


def test_who_leaves_takes_the_grant_back_and_the_rest_go_on(asako: Peer, bram: Peer) -> None:
    table = opened(asako, bram, rounds=2)
    accepted(asako, bram, table)
    bram.node.discussing.leave(table, "m2")
    with pytest.raises(ConflictError):
        bram.node.discussing.say(table, Typed("And one more thing."))
    mine, theirs = finished(asako, bram, table)
    left = [each for each in mine.table.entries if each.step is Step.LEFT]
    assert {each.fields["by"] for each in left} == {"m2", "m2-types"}
    assert theirs.table.closed is not None
    assert state_of(asako, table) is TableContactState.LEFT
    kinds = {each.kind for each in bram.node.ports.audit.page(limit=200)[0]}
    assert {AuditKind.GRANT_GIVEN, AuditKind.GRANT_REVOKED} <= kinds


def test_what_is_struck_or_erased_on_one_side_goes_on_both(asako: Peer, bram: Peer) -> None:
    table = opened(asako, bram, rounds=1)
    accepted(asako, bram, table)
    mine, _ = finished(asako, bram, table)
    [of_bram], head = said_by(mine, bram), mine.table.head.n
    with pytest.raises(ConflictError):
        bram.node.discussing.strike(table, said_by(mine, asako)[0].n)
    [document] = [each for each in bram.node.ports.documents.all() if each.title == "Bram"]
    bram.node.home.confirm_erasure(bram.node.home.propose_erasure([document.id]).token)
    bram.node.run_jobs()
    for _ in goes_on(asako, bram):
        both = [peer.node.discussing.get(table) for peer in (asako, bram)]
        if all(of_bram.n in each.table.struck for each in both):
            break
    both = [peer.node.discussing.get(table) for peer in (asako, bram)]
    assert both[0].table.head.hash == both[1].table.head.hash
    for each in both:
        assert each.text(of_bram.n) == ""
        assert each.table.entries[of_bram.n].hash == of_bram.hash
        assert head - 1 not in each.table.words  # the summary quoted it
    for folder in (asako, bram):
        rows = folder.node.ports.discussions.entries(table)
        assert not any("six beds" in (row.words or "") for row in rows)


def test_a_table_of_somebody_else_is_only_read(asako: Peer, bram: Peer) -> None:
    table = opened(asako, bram)
    invited(asako, bram, table)
    for act in (bram.node.discussing.pause, bram.node.discussing.close):
        with pytest.raises(ConflictError, match="for the host"):
            act(table)
    assert bram.node.discussing.step(table) is None
    seen = at_table(bram, table)
    assert seen is not None
    assert seen.aim == AIM
    # who deletes it is not asked again
    bram.node.discussing.delete(table)
    bram.node.discussing.go_on()
    assert at_table(bram, table) is None
