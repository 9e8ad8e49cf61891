"""What becomes of a seat at a contact's table: an invitation that was taken back meanwhile, a host
who is not reached, tables that are switched off while some are open.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.api.share.discussion_schemas import DiscussionDetail
from lpm_kernel.api.share.discussion_serialisers import serialise_sitting
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.discussions import DiscussionId, TableContactState
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from lpm_kernel.usecases.share.tables import NextEntry, Typed, append
from protocol.discussion import Step
from protocol.refusals import Code
from tests.passing import FORM, Pair, asked, at, passed, two

DAY = 86_400
MONTH = 30 * DAY


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with two(tmp_path) as made:
        yield made


def seen(node: Node, table: DiscussionId) -> DiscussionDetail:
    return serialise_sitting(node, node.discussing.get(table))


def revoked(node: Node) -> int:
    return [each.kind for each in node.ports.audit.all()].count(AuditKind.GRANT_REVOKED)


def is_over(node: Node, table: DiscussionId, how: str) -> None:
    """Look that nothing is left of a seat but that it was one, and delete the table."""
    there, shown = at(node, table), seen(node, table)
    assert there.state is TableContactState.LEFT
    assert shown.invitation == how
    assert shown.grant is not None
    assert shown.grant.revoked
    assert shown.unsaid == []
    assert asked(node) == []
    assert revoked(node) == 1
    node.discussing.delete(table)
    assert node.discussing.page(9)[0] == []


def test_who_accepts_an_invitation_that_was_taken_back_is_told_and_gives_nothing(
    pair: Pair,
) -> None:
    table = pair.opens()
    pair.goes_on()
    pair.host.discussing.leave(table, "m2")
    pair.guest.discussing.company.accept(table, FORM)
    assert seen(pair.guest, table).invitation == "accepted"
    pair.guest.discussing.say(table, Typed("Not by ferry."))
    for _ in range(3):
        pair.goes_on(1)
    is_over(pair.guest, table, "withdrawn")


def test_a_seat_at_a_table_that_was_deleted_is_over(pair: Pair) -> None:
    table = pair.opens()
    pair.goes_on()
    pair.host.discussing.delete(table)
    pair.guest.discussing.company.accept(table, FORM)
    for _ in range(3):
        pair.goes_on(1)
    is_over(pair.guest, table, "withdrawn")


def test_who_does_not_reach_the_host_until_the_end_of_the_table_gives_nothing(pair: Pair) -> None:
    table = pair.opens(minutes=60)
    pair.goes_on()
    pair.guest.discussing.company.accept(table, FORM)
    pair.later(3_599)
    pair.guest.discussing.go_on()
    assert seen(pair.guest, table).invitation == "accepted"
    pair.later(1)
    pair.guest.discussing.go_on()
    is_over(pair.guest, table, "expired")


def test_a_host_who_is_away_for_longer_than_a_message_lives_is_told_again(pair: Pair) -> None:
    table = pair.opens(minutes=MONTH // 60)
    pair.goes_on()
    pair.guest.discussing.company.accept(table, FORM)
    pair.later(8 * DAY)
    now = int(pair.clock.now().timestamp())
    assert pair.guest.ports.post.due(now) == []  # it is too old to be sent
    assert asked(pair.guest) == []
    for _ in range(8):
        pair.goes_on(1)
    assert {"m2", "m2-types"} <= pair.host.discussing.get(table).table.present
    assert seen(pair.guest, table).invitation == "accepted"
    assert revoked(pair.guest) == 0


def test_an_invitation_that_nobody_answered_in_time_is_over(pair: Pair) -> None:
    table = pair.opens(minutes=60)
    pair.goes_on()
    assert seen(pair.guest, table).invitation == "invited"
    pair.later(3_600)
    assert seen(pair.guest, table).invitation == "expired"


def test_who_left_before_the_host_said_no_has_left(pair: Pair) -> None:
    table = pair.opens()
    pair.goes_on()
    pair.host.discussing.leave(table, "m2")
    pair.guest.discussing.company.accept(table, FORM)
    pair.guest.discussing.leave(table, "m2")
    for _ in range(3):
        pair.goes_on(1)
    assert seen(pair.guest, table).invitation == "left"
    assert revoked(pair.guest) == 1


def test_an_invitation_that_is_deleted_while_tables_are_off_is_declined_once_they_are_on(
    pair: Pair,
) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    pair.guest.ports.change_settings(tables_with_contacts=False)
    pair.guest.discussing.delete(table)
    pair.guest.ports.change_settings(tables_with_contacts=True)
    passed(pair.guest, pair.host)
    assert at(pair.host, table).state is TableContactState.DECLINED


def answer(node: Node, path: str, key: str = "") -> dict[str, Any]:
    browser = create_app(node).test_client()
    bearer = key or node.ports.home.secret("api-token")
    browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {bearer}"
    return dict(browser.get(path).get_json())


def stopped(node: Node) -> int:
    return int(answer(node, "/api/discussions")["stopped"])


def waiting(node: Node, key: str = "") -> int:
    return int(answer(node, "/api/status", key)["waiting"]["table"])


def test_an_invitation_waits_for_the_person_and_no_program_until_it_is_answered_or_over(
    pair: Pair,
) -> None:
    answered = pair.opens()
    for _ in range(2):
        pair.opens(minutes=60)
    pair.goes_on()
    assert [waiting(each) for each in (pair.host, pair.guest)] == [0, 3]
    guest = pair.guest.ports
    _, key = create_key(guest.access, guest.clock, "x", ["chat", "recall", "write"])
    assert waiting(pair.guest, key) == 0
    pair.guest.discussing.company.decline(answered)
    assert waiting(pair.guest) == 2
    guest.change_settings(tables_with_contacts=False)
    assert waiting(pair.guest) == 0
    guest.change_settings(tables_with_contacts=True)
    pair.later(3_600)
    assert waiting(pair.guest) == 0


def test_who_switches_tables_off_is_told_how_many_stop(pair: Pair) -> None:
    table = pair.opens()
    pair.opens()
    pair.sits_down(table)
    both = (pair.host, pair.guest)
    assert [stopped(each) for each in both] == [0, 0]
    assert not [each for each in pair.host.examine() if each.id == "tables"]
    for each in both:
        each.ports.change_settings(tables_with_contacts=False)
    assert [stopped(each) for each in both] == [2, 1]
    [look] = [each for each in pair.host.examine() if each.id == "tables"]
    assert look.state == "look"
    assert "2 open tables" in look.sentence


def test_the_export_says_why_somebody_could_not_speak(pair: Pair) -> None:
    table = pair.opens()
    ports = pair.host.discussing.company.hosting.tables
    for code in Code:
        made = NextEntry(Step.FAILED, {"by": "m1", "code": code})
        assert append(ports, pair.host.discussing.get(table), made) is not None
    lines = pair.host.discussing.markdown(table).splitlines()
    said = [each for each in lines if "could not speak" in each]
    assert len(said) == len(Code)
    for line in said:
        _, why = line.split(" could not speak: ")
        assert " " in why
        assert "_" not in why
    assert "could not speak: no answer came in time." in said[-1]
