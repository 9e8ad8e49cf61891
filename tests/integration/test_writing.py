"""Tools that write to the workspace, what its files said before, and the core that every prompt
holds.
"""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store.home.workspace import LocalWorkspace
from lpm_kernel.L1.answering.core import MOST_TOKENS, core_of
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from lpm_kernel.usecases.library.differences import LineChange, difference
from lpm_kernel.usecases.memory.revisions import appended, inserted, replaced


def tool(client: FlaskClient, node: Node, name: str, **body: object) -> dict[str, object]:
    answer = client.post(f"/api/workspace/{name}", json=body)
    assert answer.status_code == 202, answer.text
    node.run_jobs()
    return dict(answer.get_json())


def program(node: Node, *scopes: str) -> FlaskClient:
    _, secret = create_key(node.ports.access, node.ports.clock, "a program", list(scopes))
    other = create_app(node).test_client()
    other.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    return other


def prompt_of(client: FlaskClient, scripted: ScriptedModel, question: str) -> str:
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    assert client.post(f"/api/conversations/{conversation}/turns", json={"text": question}).text
    return scripted.seen[-1][0].content


def test_what_a_tool_writes_is_found_by_the_next_question_and_is_on_record(
    client: FlaskClient, node: Node
) -> None:
    tool(
        client, node, "append", path="memory/2026-01-02.md", text="The heron came back to the weir."
    )
    found = client.post(
        "/api/recall", json={"query": "Where did the heron come back to?"}
    ).get_json()["items"]
    assert found[0]["content"] == "The heron came back to the weir."
    tool(client, node, "replace", path="memory/2026-01-02.md", old="the weir", new="the old mill")
    found = client.post(
        "/api/recall", json={"query": "Where did the heron come back to?"}
    ).get_json()["items"]
    assert found[0]["content"] == "The heron came back to the old mill."
    tool(client, node, "insert", path="memory/2026-01-02.md", line=0, text="# A Friday")
    assert (
        node.ports.home.workspace / "memory/2026-01-02.md"
    ).read_text() == "# A Friday\nThe heron came back to the old mill.\n"
    written = [
        json.loads(entry.facts) for entry in node.ports.audit.all() if entry.kind == "written"
    ]
    assert [each["how"] for each in written] == ["append", "replace", "insert"]
    assert "heron" not in str(written)


def test_whoever_writes_hears_of_the_job_that_reads_it_where_another_look_at_the_folder_came_first(
    client: FlaskClient, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = client.post(
        "/api/memories", json={"line": "W The chisels lie in the blue drawer."}
    ).get_json()["id"]
    node.run_jobs()
    writes = LocalWorkspace.write

    def overtaken(folder: LocalWorkspace, path: str, data: bytes, was: bytes | None) -> bool:
        done = writes(folder, path, data, was)
        node.workspace.keep_step()
        return done

    monkeypatch.setattr(LocalWorkspace, "write", overtaken)
    answer = client.patch(
        f"/api/memories/{known}", json={"content": "The chisels lie in the red drawer."}
    ).get_json()
    assert answer["job"]["state"] == "queued"
    node.run_jobs()
    assert client.get(f"/api/jobs/{answer['job']['id']}").get_json()["state"] == "succeeded"
    assert (
        client.get(f"/api/memories/{known}").get_json()["memory"]["content"]
        == "The chisels lie in the red drawer."
    )


@pytest.mark.parametrize(
    ("name", "body", "says"),
    [
        ("replace", {"old": "Moon", "new": "Sun"}, "do not stand"),
        ("replace", {"old": "Rain", "new": "Sun"}, "2 times"),
        ("insert", {"line": 9, "text": "Sun"}, "3 lines"),
    ],
)
def test_a_tool_that_cannot_says_why_and_writes_nothing(
    client: FlaskClient, node: Node, name: str, body: dict[str, object], says: str
) -> None:
    tool(client, node, "append", path="bank/world.md", text="Rain.")
    before = "# Day\nRain.\nRain."
    (node.ports.home.workspace / "bank/world.md").write_text(before)
    answer = client.post(f"/api/workspace/{name}", json={"path": "bank/world.md", **body})
    assert answer.status_code == 422
    assert says in answer.get_json()["detail"]
    assert (node.ports.home.workspace / "bank/world.md").read_text() == before


@pytest.mark.parametrize(
    "path", ["../settings.toml", "/etc/passwd.md", "notes.txt", ".hidden.md", "a\0.md"]
)
def test_a_tool_writes_nowhere_else(client: FlaskClient, node: Node, path: str) -> None:
    node.workspace.keep_step()
    assert client.post("/api/workspace/append", json={"path": path, "text": "x"}).status_code == 422


def test_a_program_writes_only_with_the_right_to_and_not_to_what_is_private(
    client: FlaskClient, node: Node
) -> None:
    tool(
        client, node, "insert", path="bank/world.md", line=0, text="---\nprivate: true\n---\nRain."
    )
    assert (
        program(node, "recall")
        .post("/api/workspace/append", json={"path": "memory.md", "text": "x"})
        .status_code
        == 403
    )
    writer = program(node, "write")
    assert (
        writer.post(
            "/api/workspace/append", json={"path": "bank/world.md", "text": "x"}
        ).status_code
        == 404
    )
    assert (
        writer.post("/api/workspace/append", json={"path": "memory.md", "text": "x"}).status_code
        == 202
    )
    assert writer.get("/api/workspace").status_code == 403


def test_every_wording_of_a_file_can_be_compared_and_brought_back(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock
) -> None:
    for line in ("One.", "Two.", "Three."):
        tool(client, node, "append", path="bank/world.md", text=line)
        frozen_clock.advance(timedelta(minutes=1))
    file = node.ports.home.workspace / "bank/world.md"
    whole = file.read_bytes()
    newest, middle, oldest = client.get("/api/workspace/versions?path=bank/world.md").get_json()[
        "items"
    ]
    assert [newest["current"], middle["current"], oldest["number"]] == [True, False, 1]
    changed = client.get(
        f"/api/workspace/diff?path=bank/world.md&before={middle['document']}&after={newest['document']}"
    ).get_json()["lines"]
    assert [each["text"] for each in changed if each["part"] in {"added", "removed"}] == ["Three."]
    tool(client, node, "restore", path="bank/world.md", version=oldest["document"])
    assert file.read_text().endswith("One.\n")
    frozen_clock.advance(timedelta(minutes=1))
    assert len(client.get("/api/workspace/versions?path=bank/world.md").get_json()["items"]) == 4
    tool(client, node, "restore", path="bank/world.md", version=newest["document"])
    assert file.read_bytes() == whole
    assert [
        (each["path"], each["versions"])
        for each in client.get("/api/workspace").get_json()["files"]
    ] == [("bank/world.md", 5)]
    assert client.get("/api/workspace/versions?path=bank/none.md").status_code == 404
    assert (
        client.post(
            "/api/workspace/restore", json={"path": "memory.md", "version": oldest["document"]}
        ).status_code
        == 404
    )


def test_what_an_editor_wrote_meanwhile_is_a_version_and_not_lost(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock
) -> None:
    tool(client, node, "append", path="bank/world.md", text="One.")
    file = node.ports.home.workspace / "bank/world.md"
    file.write_text("By hand.\n")
    frozen_clock.advance(timedelta(minutes=1))
    tool(client, node, "append", path="bank/world.md", text="Two.")
    assert file.read_text() == "By hand.\nTwo.\n"
    documents = [
        each["document"]
        for each in client.get("/api/workspace/versions?path=bank/world.md").get_json()["items"]
    ]
    assert b"By hand.\n" in [
        node.ports.files.original(node.ports.documents.get(each).sha256) for each in documents[1:]
    ]


def test_the_core_stands_in_every_prompt_from_the_next_turn_on(
    client: FlaskClient, node: Node, scripted: ScriptedModel
) -> None:
    tool(
        client, node, "append", path="memory/2026-01-02.md", text="The heron came back to the weir."
    )
    assert "keep in mind" not in prompt_of(client, scripted, "Where did the heron come back to?")
    tool(client, node, "append", path="memory.md", text="- O(c=0.9) @Peter: prefers short replies")
    assert "\nAlways keep in mind:\n- Peter: prefers short replies\n" in prompt_of(
        client, scripted, "Where did the heron come back to?"
    )
    answer = client.post(
        "/v1/chat/completions",
        json={
            "model": "second-me",
            "messages": [{"role": "user", "content": "Where did the heron come back to?"}],
        },
    )
    assert answer.status_code == 200
    assert "Peter: prefers short replies" in scripted.seen[-1][0].content


def test_a_private_core_is_for_the_owner_alone(client: FlaskClient, node: Node) -> None:
    tool(
        client,
        node,
        "insert",
        path="memory.md",
        line=0,
        text="---\nprivate: true\n---\nMy heart is weak.",
    )
    assert node.memory.core_for(owner=True).lines == ("My heart is weak.",)
    assert node.memory.core_for(owner=False).lines == ()
    (node.ports.home.workspace / "memory.md").write_text("My knee is weak.\n")
    assert node.memory.core_for(owner=False).lines == ()  # not read yet
    node.workspace.keep_step()
    node.run_jobs()
    # what was private stays so until the person says otherwise
    assert node.memory.core_for(owner=False).lines == ()


def test_the_screen_is_told_what_does_not_fit(client: FlaskClient, node: Node) -> None:
    tool(
        client,
        node,
        "append",
        path="memory.md",
        text="\n".join(
            f"- Number {n} is a thing to keep in mind always, whatever is asked." for n in range(80)
        ),
    )
    shown = client.get("/api/workspace").get_json()
    core = shown["core"]
    assert 0 < core["tokens"] <= core["most"] == MOST_TOKENS
    assert len(core["lines"]) + core["left_out"] == 80
    assert [each["path"] for each in shown["files"]] == ["memory.md"]


@given(st.text(max_size=400), st.integers(0, 60))
def test_the_core_never_has_more_than_it_may(text: str, most: int) -> None:
    core = core_of(text, len, most)
    assert core.tokens == sum(len(line) for line in core.lines) <= most
    assert all(line.strip() for line in core.lines)


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_a_difference_gives_the_new_text_from_the_old_one(before: str, after: str) -> None:
    lines = difference(before, after)
    old, new = before.splitlines(), after.splitlines()
    assert all(old[each.before - 1] == each.text for each in lines if each.before is not None)
    assert all(new[each.after - 1] == each.text for each in lines if each.after is not None)
    assert len(new) - len(old) == sum(each.part is LineChange.ADDED for each in lines) - sum(
        each.part is LineChange.REMOVED for each in lines
    )


@given(st.text("ab\r\n", max_size=30), st.text("cd\n", min_size=1, max_size=10))
def test_what_is_added_stands_on_lines_of_its_own_and_the_rest_stays(
    text: str, addition: str
) -> None:
    assert appended(text, addition).startswith(text)
    for line in range(len(text.splitlines()) + 1):
        made = inserted(text, line, addition)
        lines = text.splitlines(keepends=True)
        assert made.startswith("".join(lines[:line]))
        assert made.endswith("".join(lines[line:]))


def test_lines_keep_the_ends_that_the_file_has() -> None:
    assert appended("One.\r\n", "Two.\nThree.") == "One.\r\nTwo.\r\nThree.\r\n"
    assert replaced("One.\r\nTwo.\r\n", "One.\nTwo.", "Three.") == "Three.\r\n"


SECRET = "83120547"
SPELLINGS = (
    "memory/2026-01-02.md",
    "./memory/2026-01-02.md",
    "memory//2026-01-02.md",
    "memory/./2026-01-02.md",
    "bank/../memory/2026-01-02.md",
    "Memory/2026-01-02.md",
    "memory/2026-01-02.MD",
    "memory/2026-01-02.md/",
    "memory/2026-01-02.md ",
    "memory\\2026-01-02.md",
    "memory/２026-01-02.md",
    "memory/2026-01\u200d-02.md",
    "memory/2026-01-02.md/x.md",
)


@pytest.mark.parametrize("path", SPELLINGS)
def test_a_program_reaches_a_private_file_by_no_spelling(
    client: FlaskClient, node: Node, path: str
) -> None:
    tool(
        client,
        node,
        "append",
        path="memory/2026-01-02.md",
        text=f"---\nprivate: true\n---\nThe safe opens with {SECRET}.",
    )
    before, listed = (
        (node.ports.home.workspace / "memory/2026-01-02.md").read_bytes(),
        set(node.workspace.folder.listing()),
    )
    writer = program(node, "write", "recall", "chat")
    calls = (
        ("workspace/append", {"path": path, "text": "x"}),
        (
            "workspace/replace",
            {"path": path, "old": f"with {SECRET[0]}", "new": f"with {SECRET[0]}"},
        ),
        ("workspace/replace", {"path": path, "old": "with 9", "new": "with 9"}),
        ("workspace/insert", {"path": path, "line": 0, "text": "x"}),
        ("memories", {"line": "W Rain.", "file": path}),
    )
    answers = [writer.post(f"/api/{call}", json=body) for call, body in calls]
    assert {each.status_code for each in answers} <= {404, 422}
    assert len({each.text for each in answers}) == 1  # whatever is tried, the same is said
    assert SECRET not in "".join(each.text for each in answers)
    assert (node.ports.home.workspace / "memory/2026-01-02.md").read_bytes() == before
    assert set(node.workspace.folder.listing()) == listed


def test_a_program_retains_nothing_in_a_private_day(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock
) -> None:
    today = f"memory/{frozen_clock.now().date()}.md"
    tool(client, node, "append", path=today, text="---\nprivate: true\n---\nThe heron came back.")
    assert program(node, "write").post("/api/memories", json={"line": "W Rain."}).status_code == 404
    assert client.post("/api/memories", json={"line": "W Rain."}).status_code == 202


def test_no_id_tells_a_program_what_stands_in_a_private_file(
    client: FlaskClient, node: Node
) -> None:
    """Neither may it name a statement to learn whether there is one, nor can it work out the name
    of one that it guesses.
    """
    client.post(
        "/api/workspace/append",
        json={
            "path": "memory/safe.md",
            "text": "---\nprivate: true\n---\n\n## Retain\n\n- W @Safe: opens with 4711.",
        },
    )
    node.run_jobs()
    [secret] = client.get("/api/memories").get_json()["items"]
    writer = program(node, "write")
    for known in (secret["id"], "m" + "0" * (len(secret["id"]) - 1)):
        kept = writer.post("/api/memories", json={"line": f"W @Safe: opens. ^{known}"})
        assert (kept.status_code, kept.get_json()["id"] == known) == (202, False)
    guesses = (
        f"{place}|{kind}|opens with 4711.|0"
        for place in ("memory/safe.md", "safe.md")
        for kind in ("world", "StatementKind.WORLD")
    )
    assert secret["id"] not in {
        f"m{hashlib.sha256(each.encode()).hexdigest()[:12]}" for each in guesses
    }


def test_what_is_private_is_so_before_it_was_read_and_where_it_was_moved(node: Node) -> None:
    node.workspace.keep_step()
    fresh = node.ports.home.workspace / "fresh.md"
    writer = program(node, "write")
    guess = {"path": "fresh.md", "old": SECRET, "new": SECRET}
    for seal in ("---\ntags: [secret]\n---\n", "#private "):
        fresh.write_text(f"{seal}The safe opens with {SECRET}.\n")
        assert writer.post("/api/workspace/replace", json=guess).status_code == 404
    fresh.write_text(f"---\nprivate: true\n---\nThe safe opens with {SECRET}.\n")
    assert writer.post("/api/workspace/replace", json=guess).status_code == 404
    node.workspace.keep_step()
    node.run_jobs()
    fresh.rename(node.ports.home.workspace / "moved.md")
    (node.ports.home.workspace / "moved.md").write_text(f"The safe opens with {SECRET} still.\n")
    assert (
        writer.post("/api/workspace/replace", json={**guess, "path": "moved.md"}).status_code == 404
    )
    assert (
        writer.post("/api/memories", json={"line": "W Rain.", "file": "moved.md"}).status_code
        == 404
    )


def test_a_file_that_an_editor_named_in_its_own_way_stays_in_reach(
    client: FlaskClient, node: Node
) -> None:
    """Finder writes が as two signs; the screen lists that name and asks for just that one."""
    name = "memory/か\u3099.md"
    node.workspace.keep_step()
    (node.ports.home.workspace / name).write_text("The kiln is old.\n")
    node.workspace.keep_step()
    node.run_jobs()
    assert client.get("/api/workspace/versions", query_string={"path": name}).status_code == 200
    tool(client, node, "append", path=name, text="Rain.")
    assert (
        client.post("/api/workspace/append", json={"path": "memory/が.md", "text": "x"}).status_code
        == 422
    )
