"""The profile: every count is a count of turns, and nobody but the person sees it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.caching import PROFILES, VersionedCache
from lpm_kernel.domain.ids import ConversationId
from lpm_kernel.L1.tiers.profile import MonthRead
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.profile import TOLD_FOR, ProfileCache, ProfilePorts
from lpm_kernel.usecases.chat.profile import profile as counted
from lpm_kernel.usecases.home.access import create_key
from tests.integration.test_threads import begin, say
from tests.scan import traces


def profile(client: FlaskClient) -> dict[str, Any]:
    answer = client.get("/api/profile")
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def counts(client: FlaskClient, kind: str) -> dict[str, int]:
    return {
        line["name"]: line["count"] for line in profile(client)["lines"] if line["kind"] == kind
    }


def line(client: FlaskClient, name: str) -> dict[str, Any]:
    shown = profile(client)
    return next(each for each in [*shown["lines"], *shown["hidden"]] if each["name"] == name)


@pytest.fixture
def chats(client: FlaskClient, frozen_clock: FrozenClock) -> list[str]:
    """Three chats over two months."""
    first = begin(client, "Van")
    say(client, first, "I sold the van to Leni.")
    say(client, first, "Please tell me: what did Leni pay for the van?")
    frozen_clock.advance(timedelta(days=31))
    second = begin(client, "Choir")
    say(client, second, "The choir sings on Friday. I met Leni at the choir.")
    say(client, second, "Vans are expensive.")
    third = begin(client, "Bees")
    say(client, third, "I moved the hive to the garden with Leni.")
    return [first, second, third]


def test_topics_and_people_are_counted_by_turns_and_months(
    client: FlaskClient, chats: list[str]
) -> None:
    assert len(chats) == 3
    assert counts(client, "topic") == {"van": 3, "choir": 1, "garden": 1, "hive": 1}
    assert counts(client, "person") == {"Leni": 4}
    assert counts(client, "asked") == {"": 5}
    shown = profile(client)
    assert (shown["turns"], shown["by_month"]) == (5, [2, 3])
    assert line(client, "van")["months"] == [2, 1]
    assert line(client, "Leni")["months"] == [2, 2]
    assert line(client, "Leni")["depth"] == [1.0, 1.0]
    assert [(each["name"], each["share"]) for each in shown["vector"]][:1] == [("van", 0.5)]
    assert sum(each["share"] for each in shown["vector"]) == pytest.approx(1.0)


def test_a_line_opens_the_turns_that_it_counts(client: FlaskClient, chats: list[str]) -> None:
    found = client.get(f"/api/profile/{line(client, 'van')['id']}/turns").get_json()
    assert found["total"] == 3
    assert [(each["conversation"], each["number"], each["text"]) for each in found["items"]] == [
        (chats[1], 3, "Vans are expensive."),
        (chats[0], 3, "Please tell me: what did Leni pay for the van?"),
        (chats[0], 1, "I sold the van to Leni."),
    ]
    page = client.get(f"/api/profile/{line(client, 'van')['id']}/turns?limit=2").get_json()
    assert (len(page["items"]), page["next"]) == (2, "2")
    assert client.get("/api/profile/topic-none/turns").status_code == 404


def test_a_deleted_chat_counts_no_more_until_it_is_brought_back(
    client: FlaskClient, chats: list[str]
) -> None:
    client.delete(f"/api/conversations/{chats[0]}")
    assert counts(client, "person") == {"Leni": 2}
    client.post(f"/api/conversations/{chats[0]}/restore")
    assert counts(client, "person") == {"Leni": 4}


def test_what_is_said_counts_at_once(client: FlaskClient, chats: list[str]) -> None:
    assert counts(client, "topic")["van"] == 3
    say(client, chats[1], "The van is back.")
    assert counts(client, "topic")["van"] == 4


@pytest.mark.usefixtures("chats")
def test_a_line_is_hidden_renamed_merged_pinned_and_all_of_it_taken_back(
    client: FlaskClient,
) -> None:
    def change(of: str, **what: object) -> str:
        answer = client.patch(f"/api/profile/{line(client, of)['id']}", json=what)
        assert answer.status_code == 200, answer.text
        return str(answer.get_json()["id"])

    before = profile(client)
    edits = [
        change("garden", hidden=True),
        change("choir", name="Singing"),
        change("hive", into=line(client, "van")["id"]),
        change("Singing", pinned=True),
    ]
    assert list(counts(client, "topic").items()) == [("Singing", 1), ("van", 4)]
    assert [each["name"] for each in profile(client)["hidden"]] == ["garden"]
    assert line(client, "van")["merged"][0]["name"] == "hive"
    assert [each["id"] for each in profile(client)["edits"]] == edits
    for edit in edits:
        assert client.delete(f"/api/profile/edits/{edit}").status_code == 204
    assert profile(client) == before
    assert client.delete(f"/api/profile/edits/{edits[0]}").status_code == 404


def test_what_cannot_be_merged_is_refused(client: FlaskClient, chats: list[str]) -> None:
    assert chats
    van, leni = line(client, "van")["id"], line(client, "Leni")["id"]
    for path, body in ((van, {"into": leni}), (van, {"into": van}), (van, {})):
        assert client.patch(f"/api/profile/{path}", json=body).status_code == 422
    assert client.patch(f"/api/profile/{van}", json={"into": "topic-none"}).status_code == 404


@pytest.mark.usefixtures("chats")
def test_what_is_erased_leaves_no_trace_in_it(node: Node, client: FlaskClient) -> None:
    chat = begin(client, "Secret")
    say(client, chat, "I keep the vorpalith in the cellar.")
    answer = client.patch(
        f"/api/profile/{line(client, 'vorpalith')['id']}", json={"name": "Grandfather’s umbergast"}
    )
    assert answer.status_code == 200
    assert len(node.profile.edits()) == 1
    node.home.back_up()
    asked = client.post("/api/erasures", json={"conversations": [chat]}).get_json()
    client.post(f"/api/erasures/{asked['token']}/confirm")
    node.run_jobs()
    assert node.profile.edits() == []
    assert "vorpalith" not in client.get("/api/profile").text
    assert traces(node.ports.home.root, ["vorpalith", "umbergast"]) == []


class Counting(VersionedCache[str, MonthRead]):
    """Notes what was made."""

    def __init__(self) -> None:
        super().__init__(PROFILES)
        self.made: list[str] = []

    def get(self, key: str, version: Hashable, make: Callable[[], MonthRead]) -> MonthRead:
        """Return what was made for this month, or make it and note that."""

        def noted() -> MonthRead:
            self.made.append(key)
            return make()

        return super().get(key, version, noted)


def test_a_month_is_read_once_and_anew_when_a_turn_of_it_changes(
    node: Node, client: FlaskClient, chats: list[str]
) -> None:
    here, reads = node.ports, Counting()
    cache = ProfileCache(reads=reads)
    ports = ProfilePorts(
        here.profiles,
        here.roles,
        here.clock,
        lambda: node.graph.named().found,
        "",
        cache,
        lambda: 0,
    )
    before = counted(ports)
    assert reads.made == ["2026-03", "2026-04"]
    assert counted(ports) == before
    assert reads.made == ["2026-03", "2026-04"]
    say(client, chats[1], "The van is back.")
    assert counted(ports) != before
    assert reads.made == ["2026-03", "2026-04", "2026-04"]
    client.delete(f"/api/conversations/{chats[0]}")
    assert counted(ports).months == ("2026-04",)
    assert reads.made == ["2026-03", "2026-04", "2026-04"]
    cache.forget()
    counted(ports)
    assert reads.made == ["2026-03", "2026-04", "2026-04", "2026-04"]


@pytest.mark.usefixtures("chats")
def test_no_program_sees_it(node: Node, client: FlaskClient) -> None:
    van = line(client, "van")["id"]
    _, key = create_key(node.ports.access, node.ports.clock, "program", ("chat", "recall", "write"))
    headers = {"Authorization": f"Bearer {key}"}
    stranger = client.application.test_client()
    for method, path in (
        ("GET", "/api/profile"),
        ("GET", f"/api/profile/{van}/turns"),
        ("PATCH", f"/api/profile/{van}"),
        ("DELETE", "/api/profile/edits/pe_1"),
    ):
        assert stranger.open(path, method=method, headers=headers, json={}).status_code == 403
        assert stranger.open(path, method=method, json={}).status_code == 401


def test_the_second_self_may_have_it_in_mind_for_its_owner_alone(
    node: Node, chats: list[str], frozen_clock: FrozenClock
) -> None:
    assert chats
    frozen_clock.advance(TOLD_FOR)
    assert [each.text for each in node.profile.profile_lines(owner=True)[:2]] == [
        "Speaks most of: van, choir, garden, hive",
        "People named most: Leni",
    ]
    assert node.profile.profile_lines(owner=False) == []


def test_a_question_does_not_wait_for_a_count_and_what_was_erased_is_in_mind_no_more(
    node: Node, client: FlaskClient, chats: list[str], frozen_clock: FrozenClock
) -> None:
    def in_mind() -> list[str]:
        return [each.text for each in node.profile.profile_lines(owner=True)]

    before = in_mind()
    say(client, chats[2], "The quinces are ripe. The quinces smell of roses.")
    say(client, chats[2], "I made jelly of the quinces. Another basket of quinces waits.")
    assert in_mind() == before
    frozen_clock.advance(TOLD_FOR)
    later = in_mind()
    assert later != before
    assert "quince" in later[0]
    client.patch(f"/api/profile/{line(client, 'van')['id']}", json={"hidden": True})
    assert "van" not in in_mind()[0]
    proposal = node.home.propose_erasure([], [ConversationId(chats[2])])
    node.home.confirm_erasure(proposal.token)
    assert not any("quince" in each for each in in_mind())


def test_what_was_said_in_a_chat_that_is_private_or_deleted_is_not_in_mind(
    node: Node, client: FlaskClient, chats: list[str], frozen_clock: FrozenClock
) -> None:
    private = begin(client, "Otters")
    client.patch(f"/api/conversations/{private}", json={"keeping": "none"})
    say(client, private, "The otters are back. The otters swim in the weir.")
    frozen_clock.advance(TOLD_FOR)
    assert "otter" not in node.profile.profile_lines(owner=True)[0].text
    assert "hive" in node.profile.profile_lines(owner=True)[0].text
    client.delete(f"/api/conversations/{chats[2]}")
    assert "hive" not in node.profile.profile_lines(owner=True)[0].text


@pytest.mark.parametrize("keeping", ["summary", "full"])
def test_a_name_goes_with_the_words_that_it_names(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock, keeping: str
) -> None:
    made = client.post("/api/conversations", json={"keeping": keeping}).get_json()
    chat = f"/api/conversations/{made['id']}"
    for day in range(3):
        say(client, made["id"], f"I put the vermouth into the cellar on day {day}.")
    client.patch(f"/api/profile/{line(client, 'vermouth')['id']}", json={"name": "Quexalotine"})
    node.home.back_up()
    if keeping == "full":
        client.patch(chat, json={"keeping": "none"})
        assert profile(client)["turns"] == 0
        assert profile(client)["edits"] == []
        client.post(f"{chat}/leave")
    frozen_clock.advance(timedelta(minutes=11))
    node.chat.flush()
    node.reconcile()
    node.run_jobs()
    assert profile(client)["edits"] == []
    root = node.ports.home.root
    node.close()
    assert traces(root, ["Quexalotine"]) == []
