"""Reflection over a real home: pages with evidence, hands off what the person wrote, undo, and
nothing comes back that was struck.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.L1.answering.perspective import GrammaticalPerson
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.findings import SentenceDecision
from lpm_kernel.worker.loop import look_through

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)
LETTER = """# To Lena

I moved to Bergen in March 2021 with two suitcases. Nora found me the flat above the bakery. I started at the boatyard in April 2021.
My brother Aksel lives in Tromsø. Aksel built the red kayak in 2019. I sold the kayak to Nora in May 2023.
"""  # noqa: E501  a text as it stands
DAY = """# 3 May 2026

I walked to the lighthouse with Nora on 2 May 2026. Nora bought a second-hand cello in Oslo. Aksel called from Tromsø and said the roof leaks.
I will paint the kitchen blue in June.
"""  # noqa: E501  a text as it stands
STATED = """# Today

## Retain

- B I gave up coffee on 1 May 2026.
- O(c=0.8) @Nora: is the best sailor I know
- W @Aksel: works as a roofer in Tromsø
"""


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(
        Home(tmp_path), clock=FrozenClock(NOW), embedder=HashingEmbedder(), communities="louvain"
    ) as here:
        here.ports.conversations.set_identity(Identity("Ida Strand", languages=("en",)))
        here.library.add_bytes("2021-06-01 to lena.md", LETTER.encode())
        here.library.add_bytes("2026-05-03.md", DAY.encode())
        here.workspace.append("memory/2026-05-20.md", STATED)
        here.run_jobs()
        yield here


@pytest.fixture
def client(node: Node) -> FlaskClient:
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return client


def tree(node: Node) -> dict[str, str]:
    root = node.ports.home.workspace
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*.md"))
    }


def page(node: Node, name: str) -> str:
    return (node.ports.home.workspace / "bank" / name).read_text("utf-8")


def reflect(node: Node) -> tuple[str, ...]:
    found = node.reflection.reflect()
    node.run_jobs()
    return found.written


def test_pages_say_in_the_persons_words_what_stands_about_somebody(
    node: Node, client: FlaskClient
) -> None:
    written = reflect(node)
    assert {"bank/biography.md", "bank/entities/nora.md", "bank/entities/aksel.md"} <= set(written)
    nora = page(node, "entities/nora.md")
    assert "## Views\n\n- is the best sailor I know" in nora
    assert "Nora bought a second-hand cello in Oslo. — 3 May 2026" in nora
    told = client.get("/api/biography").get_json()
    for sentence in told["sentences"]:
        for place in sentence["evidence"]:
            whole = client.get(f"/api/documents/{place['document']}").get_json()
            text = (
                node.ports.files.words(
                    whole["sha256"], node.ports.documents.get(place["document"]).text_version or ""
                )
                or ""
            )
            assert text[place["start"] : place["end"]] == place["quote"]
            assert " ".join(place["quote"].split()) == sentence["text"]
    said = [each["text"] for each in told["sentences"]]
    assert "I moved to Bergen in March 2021 with two suitcases." in said
    assert {each["section"] for each in told["sentences"] if "lighthouse" in each["text"]} == {
        "lately"
    }
    assert reflect(node) == ()  # nothing new, nothing written
    assert {each.state for each in node.home.verify()} == {"fine"}
    assert node.reconcile() == 0


def test_a_biography_in_three_persons(node: Node, client: FlaskClient) -> None:
    reflect(node)
    second = " ".join(
        each["text"] for each in client.get("/api/biography?person=second").get_json()["sentences"]
    )
    assert "You moved to Bergen in March 2021 with two suitcases." in second
    third = [each.text for each in node.reflection.biography(GrammaticalPerson.THIRD).sentences]
    assert third[0] == "Ida Strand's brother Aksel lives in Tromsø."
    assert any(each.startswith("Ida Strand moved to Bergen") for each in third)
    assert not any(word in " ".join(third).split() for word in ("I", "my", "me"))


HARBOUR = """# 4 May 2026

Nora and Aksel launched the Petrel at Sandviken on 4 May 2026. The Petrel leaks at the stern, Nora says. Aksel tarred the Petrel at Sandviken with Nora.
Nora sails the Petrel round Sandviken every June. Aksel keeps his tools at Sandviken.
"""  # noqa: E501  a text as it stands


def test_a_topic_has_a_page_of_what_names_more_than_one_of_it(
    node: Node, client: FlaskClient
) -> None:
    node.library.add_bytes("2026-05-04.md", HARBOUR.encode())
    node.run_jobs()
    written = [path for path in reflect(node) if path.startswith("bank/topics/")]
    listed = [each for each in client.get("/api/biography").get_json()["topics"] if each["path"]]
    assert sorted(each["path"] for each in listed) == sorted(written)
    page = client.get(f"/api/biography/topics/{listed[0]['id']}").get_json()
    said = [each["text"] for each in page["sentences"]]
    assert "Nora and Aksel launched the Petrel at Sandviken on 4 May 2026." in said
    assert "is the best sailor I know" not in said  # nobody could tell who
    for sentence in page["sentences"]:
        for place in sentence["evidence"]:
            sha = client.get(f"/api/documents/{place['document']}").get_json()["sha256"]
            text = (
                node.ports.files.words(
                    sha, node.ports.documents.get(place["document"]).text_version or ""
                )
                or ""
            )
            assert text[place["start"] : place["end"]] == place["quote"]
    assert reflect(node) == ()
    assert client.get("/api/biography/topics/nobody").status_code == 404


def test_what_was_taken_from_one_topic_does_not_come_back_on_another(node: Node) -> None:
    node.library.add_bytes("2026-05-04.md", HARBOUR.encode())
    node.run_jobs()
    written = [path for path in reflect(node) if path.startswith("bank/topics/")]
    for path in written:
        file = node.ports.home.workspace / path
        text = file.read_text("utf-8")
        file.write_text(
            "\n".join(line for line in text.split("\n") if "launched" not in line), "utf-8"
        )
    node.workspace.keep_step()
    # the heaviest changes, and with it the page that the topic has
    for name in ("Sandviken", "Petrel"):
        node.library.add_bytes(
            f"{name}.md",
            f"The {name} was painted on 6 May 2026. Nora loves the {name}. Aksel measured the"
            f" {name}.".encode(),
        )
    node.run_jobs()
    node.graph.draw()
    reflect(node)
    pages = [
        path.read_text("utf-8") for path in (node.ports.home.workspace / "bank/topics").glob("*.md")
    ]
    assert pages
    assert not any("launched" in each for each in pages)


def test_what_was_put_on_a_page_is_not_found_twice(node: Node) -> None:
    before = node.ports.index.counts().chunks
    reflect(node)
    assert node.ports.index.counts().chunks == before
    found = node.memory.recall("second-hand cello in Oslo").items
    assert [
        node.ports.documents.get(each.chunk.document).title
        for each in found
        if "cello" in each.chunk.text
    ] == ["3 May 2026"]


def test_what_the_person_writes_on_a_page_stays_and_is_found(node: Node) -> None:
    reflect(node)
    path = node.ports.home.workspace / "bank/entities/nora.md"
    path.write_text(
        path.read_text("utf-8") + "\n## Her birthday\n\nNora was born on the fourth of July.\n",
        "utf-8",
    )
    node.workspace.keep_step()
    node.run_jobs()
    node.library.add_bytes(
        "2026-05-10.md", b"Nora repaired the rudder of the old ketch on 9 May 2026."
    )
    node.run_jobs()
    reflect(node)
    after = page(node, "entities/nora.md")
    assert "## Her birthday\n\nNora was born on the fourth of July." in after
    assert "repaired the rudder" in after
    assert any(
        "fourth of July" in each.chunk.text
        for each in node.memory.recall("When was Nora born?").items
    )


def test_a_sentence_that_was_taken_from_a_page_does_not_come_back(node: Node) -> None:
    reflect(node)
    path = node.ports.home.workspace / "bank/entities/nora.md"
    gone = next(each for each in own_lines(path.read_text("utf-8")) if "cello" in each.body)
    text = path.read_text("utf-8")
    path.write_text(text[: gone.start] + text[gone.end + 1 :], "utf-8")
    node.library.add_bytes(
        "2026-05-10.md", b"Nora repaired the rudder of the old ketch on 9 May 2026."
    )
    node.run_jobs()
    reflect(node)
    assert "cello" not in page(node, "entities/nora.md")
    node.ports.home.index_db.unlink()  # everything is read anew
    node.reconcile()
    node.run_jobs()
    reflect(node)
    assert "cello" not in page(node, "entities/nora.md")
    assert "rudder" in page(node, "entities/nora.md")


def test_a_line_that_was_changed_by_hand_is_the_persons(node: Node) -> None:
    reflect(node)
    path = node.ports.home.workspace / "bank/entities/nora.md"
    path.write_text(path.read_text("utf-8").replace("a second-hand cello", "a viola"), "utf-8")
    node.workspace.keep_step()
    node.run_jobs()
    assert any("viola" in each.chunk.text for each in node.memory.recall("viola in Oslo").items)
    reflect(node)
    node.reflection.reflect("30d")
    text = page(node, "entities/nora.md")
    assert "a viola" in text
    assert "second-hand cello" not in text


def test_what_was_corrected_goes_from_the_pages_and_stays_away(node: Node) -> None:
    reflect(node)
    assert "red kayak" in page(node, "entities/aksel.md")
    letter = next(each for each in node.ports.documents.everything() if each.title == "To Lena")
    words = node.ports.files.words(letter.sha256, letter.text_version or "") or ""
    start = words.index("Aksel built")
    node.memory.decide(
        SentenceDecision(
            letter.id,
            start,
            start + len("Aksel built the red kayak in 2019."),
            Verdict.MEND,
            "Aksel built the green canoe in 2018.",
        )
    )
    node.run_jobs()
    reflect(node)
    assert "red kayak" not in page(node, "entities/aksel.md")
    assert "green canoe" in page(node, "entities/aksel.md")


def test_undo_makes_the_workspace_what_it_was(node: Node, client: FlaskClient) -> None:
    before = tree(node)
    reflect(node)
    assert tree(node) != before
    (last,) = client.get("/api/reflections").get_json()["items"]
    assert all(each["made"] and each["after"] for each in last["pages"])
    assert client.post(f"/api/reflections/{last['id']}/undo").status_code == 200
    assert tree(node) == before
    assert reflect(node) == ()
    assert tree(node) == before


def test_undo_leaves_what_was_changed_since(node: Node, client: FlaskClient) -> None:
    reflect(node)
    path = node.ports.home.workspace / "bank/entities/nora.md"
    path.write_text(path.read_text("utf-8") + "\nMine.\n", "utf-8")
    (last,) = client.get("/api/reflections").get_json()["items"]
    assert client.post(f"/api/reflections/{last['id']}/undo").status_code == 200
    assert path.read_text("utf-8").endswith("\nMine.\n")
    assert not (node.ports.home.workspace / "bank/biography.md").exists()


def test_versions_of_the_biography_are_compared_and_brought_back(
    node: Node, client: FlaskClient
) -> None:
    assert client.get("/api/biography").get_json()["sentences"] == []
    assert client.get("/api/biography/versions").get_json()["items"] == []
    reflect(node)
    first = page(node, "biography.md")
    node.library.add_bytes(
        "2026-05-12.md", b"I bought a wooden dinghy in Stavanger on 11 May 2026."
    )
    node.run_jobs()
    reflect(node)
    items = client.get("/api/biography/versions").get_json()["items"]
    assert [each["number"] for each in items] == [2, 1]
    changed = client.get("/api/biography/versions/2/diff").get_json()["lines"]
    assert any(each["part"] == "added" and "dinghy" in each["text"] for each in changed)
    assert client.post("/api/biography/versions/1/restore").status_code == 202
    assert page(node, "biography.md") == first
    assert client.get("/api/biography/versions/9/diff").status_code == 404


def test_private_things_stand_on_no_page(node: Node, client: FlaskClient) -> None:
    node.library.add_bytes(
        "secret.md",
        b"I met Nora in secret at the harbour in January 2020. Nora cried at the harbour in January"
        b" 2020.",
        private=True,
    )
    node.run_jobs()
    reflect(node)
    assert "harbour" not in page(node, "entities/nora.md") + page(node, "biography.md")
    day = next(each for each in node.ports.documents.everything() if each.title == "3 May 2026")
    assert client.patch(f"/api/documents/{day.id}", json={"private": True}).status_code == 200
    reflect(node)
    assert "cello" not in page(node, "entities/nora.md")


def test_what_is_erased_leaves_the_pages_and_their_versions(node: Node) -> None:
    reflect(node)
    node.library.add_bytes(
        "2026-05-10.md", b"Nora repaired the rudder of the old ketch on 9 May 2026."
    )
    node.run_jobs()
    reflect(node)
    day = next(each for each in node.ports.documents.everything() if each.title == "3 May 2026")
    node.home.confirm_erasure(node.home.propose_erasure([day.id]).token)
    node.run_jobs()
    assert "cello" not in page(node, "entities/nora.md")
    assert "rudder" in page(node, "entities/nora.md")
    traces = [
        path
        for path in node.ports.home.root.rglob("*")
        if path.is_file() and b"second-hand cello" in path.read_bytes()
    ]
    assert traces == []


def test_a_page_that_somebody_keeps_writing_to_is_gone_over_the_next_time(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as busy:
        busy.setattr(type(node.workspace.folder), "write", lambda *_: False)
        found = node.reflection.reflect()
    assert (found.written, "bank/biography.md" in found.left) == ((), True)
    assert "bank/biography.md" in reflect(node)


def test_the_worker_looks_through_what_was_read_a_little_at_a_time(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (node.reflection.read_claims(2), look_through(node), look_through(node)) == (2, 1, 0)
    assert [each.text for each in node.ports.index.claims.mine(1)] == [
        "I gave up coffee on 1 May 2026."
    ]
    monkeypatch.setattr(node.ports.index.claims, "unread", lambda _: 1 / 0)
    assert look_through(node) == 0  # told in the log, and tried again


def test_the_api_says_what_is_wrong(client: FlaskClient) -> None:
    assert (
        client.post("/api/reflections", json={"since": "the day the cat died"}).status_code == 422
    )
    assert client.post("/api/reflections/r_none/undo").status_code == 404
    assert client.get("/api/biography?person=fourth").status_code == 422
    job = client.post("/api/reflections", json={"since": "7d"})
    assert job.status_code == 202
    assert (
        client.post("/api/reflections", json={"since": "7d"}).get_json()["job"]["id"]
        == job.get_json()["job"]["id"]
    )


class TestTheNight:
    def test_it_is_due_once_a_night_by_the_clock_of_the_node(
        self, node: Node, frozen_clock_of: FrozenClock
    ) -> None:
        assert not node.reflection.reflection_is_due()
        frozen_clock_of.advance(timedelta(days=1))
        assert node.reflection.reflection_is_due()
        node.reflection.queue_reflection()
        assert not node.reflection.reflection_is_due()
        node.run_jobs()
        node.workspace.append("memory/2026-05-21.md", "# Today\n\nNora sold the kayak in Bergen.\n")
        node.run_jobs()
        assert not node.reflection.reflection_is_due()
        frozen_clock_of.advance(timedelta(days=1))
        assert node.reflection.reflection_is_due()

    def test_a_night_that_did_not_work_is_tried_again_but_not_for_ever(
        self, node: Node, frozen_clock_of: FrozenClock
    ) -> None:
        frozen_clock_of.advance(timedelta(hours=19))  # four in the morning
        waits = []
        for _ in range(3):
            assert node.reflection.reflection_is_due()
            node.reflection.queue_reflection()
            job = node.ports.jobs.claim([Lane.HEAVY], "a worker", frozen_clock_of.now())
            assert job is not None
            node.ports.jobs.fail(
                job.id,
                "a worker",
                frozen_clock_of.now(),
                Problem("The disk is full", "Nothing could be written."),
            )
            hours = 0
            while not node.reflection.reflection_is_due() and hours < 30:
                frozen_clock_of.advance(timedelta(hours=1))
                hours += 1
            waits.append(hours)
        assert waits[:2] == [1, 2]
        assert 12 < waits[2] < 30


@pytest.fixture
def frozen_clock_of(node: Node) -> FrozenClock:
    assert isinstance(node.ports.clock, FrozenClock)
    return node.ports.clock
