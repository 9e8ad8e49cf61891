"""What a home holds of its chats beside their words goes along in an archive: how far threads have
moved, what the person said of that, and what they changed in the profile.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.threads import Thread, ThreadEnd, Tier
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.errors import UnusableArchiveError
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.thread_archives import from_archive, to_archive
from lpm_kernel.usecases.home.archive import as_moment
from lpm_kernel.usecases.home.archive_export import ExportOptions
from tests.integration.test_threads import begin, say

MOMENTS = st.integers(0, 10**8).map(lambda after: datetime.fromtimestamp(1.7e9 + after, UTC))
SHARES = st.floats(0, 1)
PARTS = ("emotion", "novelty", "relation", "repetition", "total")


@st.composite
def threads(draw: st.DrawFn) -> Thread:
    wanted = draw(st.none() | st.booleans())
    return Thread(
        DocumentId("h_1"),
        ConversationId("v_1"),
        TurnId("t_1"),
        TurnId("t_2"),
        1,
        2,
        draw(MOMENTS),
        draw(MOMENTS),
        draw(st.sampled_from(ThreadEnd)),
        ("van",),
        {"user": 1, "": 1},
        told=draw(st.booleans()),
        tier=draw(st.sampled_from(Tier)),
        moved_at=draw(st.none() | MOMENTS),
        salience=draw(st.none() | st.fixed_dictionaries(dict.fromkeys(PARTS, SHARES))),
        consolidated=draw(st.booleans()) if wanted is None else wanted,
        wanted=wanted,
        reduced=draw(st.booleans()),
    )


def read(row: object) -> Thread:
    return from_archive(
        json.loads(json.dumps(row)), ConversationId("v_1"), as_moment, lambda _: False, ()
    )


@given(threads())
def test_a_thread_comes_out_of_an_archive_as_it_went_in(thread: Thread) -> None:
    assert read(to_archive(thread)) == thread


@given(
    threads(),
    st.sampled_from(
        [
            {"tier": "attic"},
            {"moved_at": "yesterday"},
            {"moved_at": "9999-12-31T00:00:00+00:00"},
            {"ended_at": "9999-12-31T00:00:00+00:00"},
            {"wanted": "yes"},
            {"salience": {"total": 0.5}},
            {"salience": dict.fromkeys(PARTS, 2)},
            {"salience": dict.fromkeys(PARTS, True)},
            {"salience": [0.5]},
        ]
    ),
)
def test_what_no_thread_can_be_is_refused(thread: Thread, harm: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        read(to_archive(thread) | harm)


@pytest.fixture
def other(tmp_path: Path, frozen_clock: FrozenClock) -> Iterator[Node]:
    with Node.open(
        tmp_path / "other",
        clock=frozen_clock,
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
    ) as opened:
        yield opened


@pytest.fixture
def moved(node: Node, client: FlaskClient, frozen_clock: FrozenClock) -> dict[str, str]:
    """Chats with threads in every tier, of which the person said something, and a changed
    profile.
    """
    music = begin(client, "Music")
    say(client, music, "I repaired the accordion with Farah. I am so happy!")
    kept = client.post("/api/conversations", json={"keeping": "summary"}).get_json()["id"]
    say(client, kept, "I decided to plant quinces behind the stables.")
    frozen_clock.advance(timedelta(minutes=20))
    say(client, music, "The accordion is at the hall. Thanks!")
    again = f"/api/conversations/{music}/turns/{_last(client, music)}/again"
    assert "event: done" in client.post(again).get_data(as_text=True)
    say(client, music, "I sold the van to Conor.")
    for days in (2, 8):
        frozen_clock.advance(timedelta(days=days))
        node.chat.flush()
        node.chat.move_tiers()
    say(client, begin(client, "Bees"), "I moved the hive to the garden with Leni.")
    frozen_clock.advance(timedelta(minutes=20))
    node.chat.flush()
    node.run_jobs()
    held = client.get("/api/threads").get_json()["items"]
    assert {each["tier"] for each in held} == {"session", "archive", "long_term"}
    say_of = {"session": True, "long_term": False}
    for each in held:
        if each["tier"] in say_of:
            client.patch(f"/api/threads/{each['id']}", json={"consolidated": say_of[each["tier"]]})
    lines = {each["name"]: each["id"] for each in client.get("/api/profile").get_json()["lines"]}
    client.patch(f"/api/profile/{lines['accordion']}", json={"name": "Squeezebox"})
    client.patch(f"/api/profile/{lines['hive']}", json={"hidden": True})
    client.patch(f"/api/profile/{lines['garden']}", json={"into": lines["van"], "pinned": False})
    return {"music": music, "kept": kept}


def _last(client: FlaskClient, chat: str) -> str:
    return str(client.get(f"/api/conversations/{chat}").get_json()["items"][-1]["id"])


def pages(client: FlaskClient) -> tuple[Any, Any]:
    return client.get("/api/threads").get_json(), client.get("/api/profile").get_json()


def in_mind(client: FlaskClient) -> dict[str, Any]:
    """Return, by answers, which lines of the profile they were given with."""
    chats = client.get("/api/conversations").get_json()["items"]
    return {
        turn["id"]: client.get(f"{path}/turns/{turn['id']}/in-mind").get_json()
        for path in (f"/api/conversations/{chat['id']}" for chat in chats)
        for turn in client.get(path).get_json()["items"]
        if turn["in_mind"]
    }


def changed(source: Path, to: Path, name: str, change: Callable[[dict[str, Any]], object]) -> Path:
    """Write an archive anew with every row of a file changed, and the hashes that go with it."""
    with zipfile.ZipFile(source) as old:
        members = {each: old.read(each) for each in old.namelist()}
    rows = [json.loads(line) for line in members[name].splitlines()]
    for row in rows:
        change(row)
    members[name] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    manifest = json.loads(members.pop("manifest.json"))
    manifest["members"] = {each: hashlib.sha256(of).hexdigest() for each, of in members.items()}
    with zipfile.ZipFile(to, "w") as new:
        for each, of in members.items():
            new.writestr(each, of)
        new.writestr("manifest.json", json.dumps(manifest))
    return to


def taken_in(other: Node, path: Path) -> FlaskClient:
    other.home.take_in(path)
    other.run_jobs()
    other.chat.flush()
    other.reconcile()
    other.run_jobs()
    client = create_app(other).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {other.ports.home.secret('api-token')}"
    return client


@pytest.mark.usefixtures("moved")
def test_the_copy_shows_what_fades_and_the_profile_as_they_were(
    node: Node, other: Node, client: FlaskClient, tmp_path: Path
) -> None:
    node.home.export(tmp_path / "all.zip", ExportOptions())
    before = pages(client)
    assert any(each["decided"] for each in before[0]["items"])
    copy = taken_in(other, tmp_path / "all.zip")
    assert pages(copy) == before
    assert in_mind(copy) == in_mind(client) != {}
    assert taken_in(other, tmp_path / "all.zip").get("/api/profile").get_json() == before[1]
    node.home.export(tmp_path / "open.zip", ExportOptions(private=False))
    with zipfile.ZipFile(tmp_path / "open.zip") as archive:
        assert archive.read("profile.jsonl") == b""
        rows = [json.loads(line) for line in archive.read("conversations.jsonl").splitlines()]
        assert all(row["threads"] == [] for row in rows)


def test_an_older_archive_has_its_chats_divided_anew(
    node: Node, other: Node, tmp_path: Path, moved: dict[str, str]
) -> None:
    def older(row: dict[str, Any]) -> None:
        row["threads"] = [each for each in row["threads"] if each["reduced"]]
        for each in row["threads"]:
            for name in ("tier", "moved_at", "salience", "consolidated", "wanted"):
                del each[name]

    node.home.export(tmp_path / "all.zip", ExportOptions())
    path = changed(tmp_path / "all.zip", tmp_path / "old.zip", "conversations.jsonl", older)
    copy = taken_in(other, path)
    held = copy.get("/api/threads").get_json()["items"]
    assert {each["tier"] for each in held} == {"session"}
    assert {each["conversation"] for each in held} >= set(moved.values())


def test_threads_that_do_not_fit_their_chat_are_left_out_and_it_is_divided_anew(
    node: Node, other: Node, client: FlaskClient, tmp_path: Path, moved: dict[str, str]
) -> None:
    def harm(row: dict[str, Any]) -> None:
        if row["id"] == moved["music"]:
            row["threads"][0]["last"] = "t_nowhere"

    node.home.export(tmp_path / "all.zip", ExportOptions())
    path = changed(tmp_path / "all.zip", tmp_path / "bad.zip", "conversations.jsonl", harm)
    copy = taken_in(other, path)
    told = [each["content"] for each in client.get("/api/threads").get_json()["items"]]
    held = copy.get("/api/threads").get_json()["items"]
    assert sorted(each["content"] for each in held) == sorted(told)
    again = [each for each in held if each["conversation"] == moved["music"]]
    assert {each["tier"] for each in again} == {"session"}


def _harmed(harm: dict[str, object], row: dict[str, Any]) -> None:
    row.update(harm)


HARMS: tuple[dict[str, object], ...] = (
    {"line": "van"},
    {"line": "topic-../../x"},
    {"at": "soon"},
    {"hidden": "yes"},
    {"name": "x" * 121},
    {"into": 7},
    {"turns": "t_1"},
    {"turns": ["t"] * 201},
    {"id": "../pe"},
)


@pytest.mark.usefixtures("moved")
def test_a_change_that_no_profile_could_hold_is_a_sentence(
    node: Node, other: Node, tmp_path: Path
) -> None:
    whole = tmp_path / "all.zip"
    node.home.export(whole, ExportOptions())
    for harm in HARMS:
        bad = changed(whole, tmp_path / "bad.zip", "profile.jsonl", partial(_harmed, harm))
        with pytest.raises(UnusableArchiveError, match="a change of the profile in it"):
            other.home.take_in(bad)
        assert other.profile.edits() == []


@pytest.mark.usefixtures("moved")
def test_where_the_person_changed_a_line_here_theirs_stays(
    node: Node, other: Node, tmp_path: Path
) -> None:
    node.home.export(tmp_path / "all.zip", ExportOptions())
    copy = taken_in(other, tmp_path / "all.zip")
    first = other.profile.edits()[0]
    for edit in other.profile.edits():
        other.profile.undo(edit.id)
    mine = copy.patch(f"/api/profile/{first.line}", json={"name": "Bellows"}).get_json()["id"]
    taken_in(other, tmp_path / "all.zip")
    here = other.profile.edits()
    assert [each.id for each in here if each.line == first.line] == [mine]
    assert len(here) == len(node.profile.edits())
