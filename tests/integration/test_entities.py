"""Who and what is named, over a real home and Flask's client: listed, shown with its evidence, put
right, drawn.
"""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from typer.testing import CliRunner

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.graph.louvain import Louvain
from lpm_kernel.cli import app
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import ChunkId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.L1.entities import graph as drawing
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.recall_options import RecallOptions
from lpm_kernel.usecases.home.archive_export import ExportOptions
from lpm_kernel.worker.loop import Changes
from tests.scan import traces, windows

DIARY = {
    "2024-04-06.md": (
        "Moved the bench to Teramachi today with Ren. Ren said it was heavier than a cow. It rained"
        " in Teramachi until five."
    ),
    "2024-05-01.md": (
        "Walked with Ren in Teramachi. Later Mai Kurose said that it would rain, and Mai was right."
    ),
    "2024-06-02.md": (
        "Ren Takeda wrote from Toyama. Ren Takeda asked about glue. Everybody in Toyama uses it."
    ),
    "2024-07-03.md": (
        "Again Mai asked whether Ren had eaten. We met Mr Ide in Teramachi, and Ide said nothing."
    ),
}


@pytest.fixture
def told(node: Node, client: FlaskClient) -> FlaskClient:
    for name, text in DIARY.items():
        node.library.add_bytes(name, text.encode())
    node.run_jobs()
    assert client.post("/api/graph/rebuild").status_code == 202
    node.run_jobs()
    return client


def slugs(client: FlaskClient, **wanted: str) -> dict[str, int]:
    return {
        each["slug"]: each["mentions"]
        for each in client.get("/api/entities", query_string=wanted).get_json()["items"]
    }


def test_until_the_first_map_there_is_none(node: Node, client: FlaskClient) -> None:
    node.library.add_text("Walked with Mai in Teramachi.")
    node.run_jobs()
    assert client.get("/api/graph").get_json() == {
        "state": "none",
        "made_at": None,
        "nodes": [],
        "edges": [],
        "communities": [],
    }
    assert client.get("/api/entities").get_json() == {"items": [], "next": None}


def test_people_and_places_are_listed_with_what_they_are(told: FlaskClient) -> None:
    found = {each["slug"]: each for each in told.get("/api/entities").get_json()["items"]}
    assert {slug: each["kind"] for slug, each in found.items()} == {
        "teramachi": "place",
        "toyama": "place",
        "mai-kurose": "person",
        "ren-takeda": "person",
        "ide": "person",
    }
    assert (found["mai-kurose"]["name"], found["mai-kurose"]["aliases"]) == ("Mai", ["Mai Kurose"])
    assert found["ide"]["aliases"] == ["Mr Ide"] or found["ide"]["name"] == "Mr Ide"
    assert found["teramachi"]["first"].startswith("2024-04-06")


def test_the_map_is_drawn_and_says_what_it_rests_on(node: Node, told: FlaskClient) -> None:
    made = told.get("/api/graph").get_json()
    assert made["state"] == "fresh"
    assert all(0 <= each["x"] <= 1 and 0 <= each["y"] <= 1 for each in made["nodes"])
    edge = next(
        each
        for each in made["edges"]
        if {each["source"], each["target"]} == {"ren-takeda", "teramachi"}
    )
    proof = told.get(f"/api/graph/edges/{edge['source']}/{edge['target']}").get_json()["items"]
    assert proof
    assert all("Ren" in each["text"] and "Teramachi" in each["text"] for each in proof)
    assert node.graph.clusters.name == Louvain.name


class TestDecisions:
    """What the person says counts at once, and is taken back without a trace."""

    def test_a_merge_makes_one_and_its_undoing_two_again(self, told: FlaskClient) -> None:
        before = told.get("/api/entities").get_json()
        made = told.post(
            "/api/entities/merge", json={"into": "teramachi", "slugs": ["toyama"]}
        ).get_json()
        assert made["entity"]["mentions"] == 4
        assert made["entity"]["name"] == "Teramachi"
        assert told.get("/api/entities/toyama").get_json()["slug"] == "teramachi"
        assert [
            each["what"] for each in told.get("/api/entities/toyama").get_json()["decisions"]
        ] == ["merge"]
        assert told.get("/api/graph").get_json()["state"] == "stale"
        assert "toyama" not in {each["id"] for each in told.get("/api/graph").get_json()["nodes"]}
        assert told.delete(f"/api/entities/decisions/{made['decision']}").status_code == 204
        assert told.get("/api/entities").get_json() == before
        assert told.get("/api/graph").get_json()["state"] == "fresh"
        assert told.delete(f"/api/entities/decisions/{made['decision']}").status_code == 404

    def test_a_split_takes_some_documents_along(self, node: Node, told: FlaskClient) -> None:
        toyama = next(
            each.id for each in node.ports.documents.all() if each.name == "2024-06-02.md"
        )
        made = told.post(
            "/api/entities/ren-takeda/split", json={"name": "Ren", "documents": [toyama]}
        ).get_json()
        assert (made["entity"]["slug"], made["entity"]["mentions"]) == ("ren", 1)
        assert slugs(told)["ren-takeda"] == 3
        node.graph.draw()
        assert slugs(told)["ren"] == 1
        assert (
            told.post(
                "/api/entities/ren-takeda/split", json={"name": "Nobody", "documents": [toyama]}
            ).status_code
            == 422
        )

    def test_a_split_chooses_among_every_document_that_names_it(
        self, node: Node, told: FlaskClient
    ) -> None:
        for day in range(1, 26):
            node.library.add_bytes(
                f"2024-08-{day:02}.md",
                f"Walked with Ren in Teramachi, day {day}. Ren carried nothing.".encode(),
            )
        node.run_jobs()
        node.graph.draw()
        shown = told.get("/api/entities/ren-takeda").get_json()
        listed, cursor = [], None
        while True:
            page = told.get(
                "/api/entities/ren-takeda/documents",
                query_string={"limit": 10} | ({"cursor": cursor} if cursor else {}),
            ).get_json()
            listed += page["items"]
            if (cursor := page["next"]) is None:
                break
        named = [
            each
            for each in node.ports.documents.all()
            if "Ren" in node.ports.files.original(each.sha256).decode()
        ]
        assert len(shown["passages"]) < len(named) == len(listed) == page["total"]
        assert {(each["id"], each["title"]) for each in listed} == {
            (each.id, each.title) for each in named
        }
        assert sum(each["passages"] for each in listed) == shown["mentions"]
        assert listed[0]["id"] == next(each.id for each in named if each.name == "2024-08-25.md")
        oldest = listed[-1]["id"]
        made = told.post(
            "/api/entities/ren-takeda/split", json={"name": "Ren of spring", "documents": [oldest]}
        ).get_json()["entity"]["slug"]
        assert [
            each["id"] for each in told.get(f"/api/entities/{made}/documents").get_json()["items"]
        ] == [oldest]
        assert oldest not in {
            each["id"]
            for each in told.get("/api/entities/ren-takeda/documents?limit=100").get_json()["items"]
        }
        assert told.get("/api/entities/nobody/documents").status_code == 404

    def test_a_name_a_kind_and_that_it_is_none(self, told: FlaskClient) -> None:
        made = told.patch(
            "/api/entities/ide", json={"name": "the old oak", "kind": "thing"}
        ).get_json()["entity"]
        assert (made["slug"], made["name"], made["kind"]) == ("ide", "the old oak", "thing")
        hidden = told.patch("/api/entities/toyama", json={"hidden": True}).get_json()["decision"]
        assert "toyama" not in slugs(told)
        assert "toyama" not in {each["id"] for each in told.get("/api/graph").get_json()["nodes"]}
        assert told.get("/api/entities/toyama").get_json()["decisions"][0]["hidden"] is True
        told.delete(f"/api/entities/decisions/{hidden}")
        assert "toyama" in slugs(told)
        assert told.patch("/api/entities/ide", json={}).status_code == 422
        assert told.patch("/api/entities/ide", json={"name": " "}).status_code == 422
        assert told.patch("/api/entities/nobody", json={"hidden": True}).status_code == 404

    def test_they_hold_when_the_index_is_made_anew(self, node: Node, told: FlaskClient) -> None:
        told.post("/api/entities/merge", json={"into": "mai-kurose", "slugs": ["ide"]})
        before = told.get("/api/entities").get_json()
        node.ports.index.remove_all([each.id for each in node.ports.documents.all()])
        assert told.get("/api/entities").get_json()["items"] == []
        node.reconcile()
        node.run_jobs()
        node.graph.draw()
        after = told.get("/api/entities").get_json()
        assert [(each["slug"], each["mentions"]) for each in after["items"]] == [
            (each["slug"], each["mentions"]) for each in before["items"]
        ]

    def test_the_chain_says_that_something_was_decided_and_not_what(
        self, node: Node, told: FlaskClient
    ) -> None:
        made = told.patch("/api/entities/ide", json={"name": "the old oak"}).get_json()
        told.delete(f"/api/entities/decisions/{made['decision']}")
        entries = [each for each in node.ports.audit.all() if each.kind.startswith("entity-")]
        assert [each.kind for each in entries] == ["entity-decided", "entity-taken-back"]
        assert "oak" not in str(entries)

    def test_they_come_along_in_an_archive(
        self, node: Node, told: FlaskClient, tmp_path: Path
    ) -> None:
        toyama = next(
            each.id for each in node.ports.documents.all() if each.name == "2024-06-02.md"
        )
        told.post("/api/entities/merge", json={"into": "mai-kurose", "slugs": ["ide"]})
        told.post("/api/entities/ren-takeda/split", json={"name": "Ren", "documents": [toyama]})
        node.ports.documents.change(toyama, private=True)
        node.home.export(tmp_path / "all.zip", ExportOptions())
        node.home.export(tmp_path / "open.zip", ExportOptions(private=False))
        for name, verdicts in (("all", ["merge", "split"]), ("open", ["merge"])):
            with Node.open(
                tmp_path / name, clock=node.ports.clock, embedder=HashingEmbedder()
            ) as other:
                other.home.take_in(tmp_path / f"{name}.zip")
                other.home.take_in(tmp_path / f"{name}.zip")
                assert [each.verdict for each in other.ports.entity_decisions.all()] == verdicts
                other.run_jobs()
                other.graph.draw()
                assert other.graph.named().entity("ide").slug == "mai-kurose"

    def test_a_backup_brings_them_back(self, node: Node, told: FlaskClient, home: Path) -> None:
        told.post("/api/entities/merge", json={"into": "mai-kurose", "slugs": ["ide"]})
        made = node.home.back_up()
        (known,) = node.ports.entity_decisions.all()
        node.graph.undecide_entity(known.id)
        node.home.restore(made.id)
        with Node.open(home, clock=node.ports.clock, embedder=HashingEmbedder()) as restored:
            assert restored.ports.entity_decisions.all() == [known]


def test_what_is_erased_is_named_by_nothing(node: Node, told: FlaskClient, home: Path) -> None:
    secret = (
        "The kingfisher keeps its ledger. Told it to Wilhelmina Quarrington, and Wilhelmina"
        " Quarrington laughed in Ravensborough with Mai Kurose."
    )
    document = node.library.add_bytes("ledger.md", secret.encode()).document
    node.run_jobs()
    node.graph.draw()
    assert {"wilhelmina-quarrington", "ravensborough"} <= slugs(told).keys()
    told.patch(
        "/api/entities/ravensborough", json={"name": "Ravensborough upon Wye", "kind": "place"}
    )
    told.post(
        "/api/entities/merge", json={"into": "mai-kurose", "slugs": ["wilhelmina-quarrington"]}
    )
    node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    assert not {"wilhelmina-quarrington", "ravensborough"} & slugs(told).keys()
    assert "avensborough" not in told.get("/api/graph").get_data(as_text=True)
    node.run_jobs()
    assert told.get("/api/graph").get_json()["state"] == "fresh"
    assert node.ports.entity_decisions.all() == []
    assert {
        drawing.key_of_slug(each["slug"]) for each in told.get("/api/entities").get_json()["items"]
    } == set(node.ports.index.graph.kept().spots)
    node.close()
    assert traces(home, windows([secret, "Ravensborough upon Wye"], but=DIARY.values())) == []


def test_what_is_private_is_marked_and_is_not_in_what_others_may_see(
    node: Node, client: FlaskClient
) -> None:
    node.library.add_text(
        "Met Mai Kurose in Toyama. Mai said nothing, and we ate with Mai.", title="open"
    )
    node.library.add_bytes(
        "closed.md",
        b"Met Mr Hatano in Toyama. Everybody asked Mr Hatano about it in Toyama.",
        private=True,
    )
    node.run_jobs()
    node.graph.draw()
    edges = {
        (each["source"], each["target"]): each["private"]
        for each in client.get("/api/graph").get_json()["edges"]
    }
    assert edges == {("hatano", "toyama"): True, ("mai-kurose", "toyama"): False}
    others = node.graph.named(include_private=False)
    assert set(others.found.by_slug) == {"mai-kurose", "toyama"}
    assert [(each.source, each.target) for each in others.edges] == [("mai-kurose", "toyama")]
    assert len(others.entity("toyama").rows) == 1


def test_an_open_view_stays_open_whoever_looked_before(node: Node) -> None:
    node.library.add_text(
        "Met Mai Kurose in Toyama. Mai said nothing, and we ate with Mai.", title="open"
    )
    closed = node.library.add_bytes(
        "closed.md",
        b"Met Mr Hatano in Toyama. Mr Hatano said that Mai Kurose, or Maiko as he calls Mai Kurose,"
        b" left Toyama.",
        private=True,
    ).document.id
    node.run_jobs()
    node.graph.draw()
    # the whole view first, then the open one, and once more from what is kept of both
    for _ in range(2):
        whole, others = node.graph.named(), node.graph.named(include_private=False)
        assert "hatano" in whole.found.by_slug
        assert set(others.found.by_slug) == {"mai-kurose", "toyama"}
        assert "Hatano" not in repr(
            [(each.name, each.aliases) for each in others.found.by_slug.values()]
        )
        for slug in others.found.by_slug:
            assert not any(
                each.chunk.document == closed
                for each in node.graph.passages_about(others, others.entity(slug), 20)
            )
            assert [
                document.title
                for document, _ in node.graph.documents_about(others, others.entity(slug))
            ] == ["open"]
            assert len(node.graph.documents_about(whole, whole.entity(slug))) == 2
            # An entity of the whole view, shown through the open one, gives away none of its
            # private passages either.
            assert not any(
                each.chunk.document == closed
                for each in node.graph.passages_about(others, whole.entity(slug), 20)
            )
    assert node.graph.named() is node.graph.named()
    assert node.graph.named(include_private=False) is node.graph.named(include_private=False)
    node.library.add_text("Mai Kurose came back to Toyama.", title="later")
    node.run_jobs()
    node.graph.draw()
    assert len(node.graph.named(include_private=False).entity("toyama").rows) == 2


def test_a_failed_drawing_is_told_and_the_old_map_stays(
    node: Node, told: FlaskClient, frozen_clock: FrozenClock
) -> None:
    frozen_clock.advance(timedelta(minutes=1))
    node.library.add_text("Walked to Hakusan with Ren.")
    node.run_jobs()
    assert told.get("/api/graph").get_json()["state"] == "stale"
    job = node.graph.queue_graph()
    assert node.graph.queue_graph().id == job.id
    assert told.get("/api/graph").get_json()["state"] == "rebuilding"
    claimed = node.ports.jobs.claim([Lane.HEAVY], "1-x", node.ports.clock.now())
    assert claimed is not None
    node.ports.jobs.fail(claimed.id, "1-x", node.ports.clock.now(), Problem("It broke", "x"))
    made = told.get("/api/graph").get_json()
    assert made["state"] == "failed"
    assert made["nodes"]


def test_pages_follow_one_another(told: FlaskClient) -> None:
    every = [each["slug"] for each in told.get("/api/entities").get_json()["items"]]
    first = told.get("/api/entities?limit=2").get_json()
    rest = told.get(f"/api/entities?limit=100&cursor={first['next']}").get_json()
    assert [each["slug"] for each in first["items"] + rest["items"]] == every
    assert rest["next"] is None
    assert told.get("/api/entities?cursor=x").status_code == 422
    assert slugs(told, text="kur") == {"mai-kurose": 2}
    assert set(slugs(told, kind="place")) == {"teramachi", "toyama"}


def test_a_part_of_the_map(told: FlaskClient) -> None:
    near = {each["id"] for each in told.get("/api/graph?around=toyama&hops=1").get_json()["nodes"]}
    assert near == {"toyama", "ren-takeda"}
    assert len(told.get("/api/graph?limit=2").get_json()["nodes"]) == 2
    assert told.get("/api/graph?around=nowhere").status_code == 404


def test_one_page_about_somebody(told: FlaskClient) -> None:
    page = told.get("/api/entities/mai-kurose").get_json()
    assert [each["timestamp"] or each["document"]["title"] for each in page["passages"]]
    assert {each["slug"] for each in page["neighbours"]} == {"ren-takeda", "teramachi", "ide"}
    assert all(
        proof["source"] and proof["text"]
        for each in page["neighbours"]
        for proof in each["evidence"]
    )


def test_the_command_line_lists_and_draws(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LPM_EMBEDDER", "none")
    with Node.open(home) as node:
        for name, text in DIARY.items():
            node.library.add_bytes(name, text.encode())
        node.run_jobs()
    run = CliRunner().invoke
    assert "No names yet" in run(app, ["entities"]).stdout
    assert json.loads(run(app, ["graph", "--json"]).stdout)["graph"]["entities"] == 5
    assert [
        each["slug"]
        for each in json.loads(run(app, ["entities", "--kind", "place", "--json"]).stdout)[
            "entities"
        ]
    ] == ["teramachi", "toyama"]
    assert "Mai Kurose" in run(app, ["entities", "Mai"]).stdout


class TestDrawing:
    def test_drawn_twice_it_is_the_same(self, node: Node, told: FlaskClient) -> None:
        before, kept = told.get("/api/graph").get_json(), node.ports.index.graph.kept()
        node.graph.draw()
        after = told.get("/api/graph").get_json()
        assert {**after, "made_at": None} == {**before, "made_at": None}
        assert (node.ports.index.graph.kept().spots, node.ports.index.graph.kept().mentions) == (
            kept.spots,
            kept.mentions,
        )

    def test_what_was_there_stays_near_where_it_was(self, node: Node, told: FlaskClient) -> None:
        before = {
            each["id"]: (each["x"], each["y"])
            for each in told.get("/api/graph").get_json()["nodes"]
        }
        node.library.add_text("Walked to Hakusan with Ren Takeda. In Hakusan it snowed.")
        node.run_jobs()
        node.graph.draw()
        after = {
            each["id"]: (each["x"], each["y"])
            for each in told.get("/api/graph").get_json()["nodes"]
        }
        assert set(after) - set(before) == {"hakusan"}
        assert all(
            abs(after[slug][0] - x) < 0.2 and abs(after[slug][1] - y) < 0.2
            for slug, (x, y) in before.items()
        )

    def test_the_worker_draws_when_nothing_has_been_read_for_a_while(
        self, node: Node, told: FlaskClient
    ) -> None:
        changes = Changes(quiet=0.0, again=0.0)
        assert not changes.are_over(node)
        node.library.add_text("Walked to Hakusan.")
        assert not changes.are_over(node)
        node.run_jobs()
        assert changes.are_over(node)
        assert not changes.are_over(node)
        node.graph.queue_graph()
        node.run_jobs()
        assert not changes.are_over(node)
        told.patch("/api/entities/ide", json={"hidden": True})
        assert changes.are_over(node)
        assert not Changes().are_over(node)  # too soon

    def test_a_map_that_nobody_asked_for_is_not_drawn_after_every_line(
        self, node: Node, told: FlaskClient
    ) -> None:
        changes = Changes(quiet=0.0)
        for expected, text in ((True, "Walked to Hakusan."), (False, "Walked to Nomachi.")):
            node.library.add_text(text)
            node.run_jobs()
            assert changes.are_over(node) is expected
        assert told.get("/api/graph").get_json()["state"] == "stale"

    def test_a_report_is_made_of_the_persons_own_sentences(
        self, node: Node, told: FlaskClient
    ) -> None:
        made = told.get("/api/graph").get_json()
        said = " ".join(DIARY.values())
        assert made["communities"]
        for each in made["communities"]:
            assert each["size"] == len(each["members"]) > 1
            assert 1 <= len(each["report"]) <= 4
            for sentence in each["report"]:
                assert sentence["text"] in said
                assert (
                    node.ports.index.chunk(ChunkId(sentence["id"])).document
                    == sentence["document"]["id"]
                )


class TestSpreading:
    """Over two edges from what the question names: Toyama, then Ren, then what is said of Ren
    elsewhere.
    """

    def test_it_adds_with_the_way_there_and_changes_nothing_before(self, told: FlaskClient) -> None:
        asked = {"query": "Tell me of Toyama", "k": 1}
        plain = told.post("/api/recall", json=asked).get_json()["items"]
        spread = told.post("/api/recall", json={**asked, "spread": True}).get_json()["items"]
        assert spread[: len(plain)] == plain
        more = spread[len(plain) :]
        assert more
        assert all(each["path"][:2] == ["toyama", "ren-takeda"] for each in more)
        assert {each["path"][2] for each in more} <= {"teramachi", "mai-kurose", "ide"}
        early = told.post(
            "/api/recall", json={**asked, "spread": True, "until": "2024-04-30"}
        ).get_json()["items"]
        assert all(each["document"]["title"] == "2024-04-06" for each in early)

    def test_what_names_nobody_reaches_nothing(self, told: FlaskClient) -> None:
        found = told.post(
            "/api/recall", json={"query": "heavier than a cow", "spread": True}
        ).get_json()["items"]
        assert all(not each["path"] for each in found)

    def test_it_stays_in_the_scope(self, node: Node, told: FlaskClient) -> None:
        for document in node.ports.documents.all():
            if document.name != "2024-06-02.md":
                assert (
                    told.patch(f"/api/documents/{document.id}", json={"private": True}).status_code
                    == 200
                )
        assert all(
            not item.path
            for item in node.memory.recall(
                "Toyama", k=1, options=RecallOptions(spread=True, include_private=False)
            ).items
        )
        assert any(
            item.path
            for item in node.memory.recall("Toyama", k=1, options=RecallOptions(spread=True)).items
        )


KAYA = {
    "2024-01-02.md": "I asked Kaya to keep the proof by the press. My sister Kaya laughed.",
    "2024-01-05.md": "妹のカヤと話した。カヤさんがプレス機の試し刷りを持っていた。",
    "2024-02-01.md": "I met Dr Byrne in Cork. Dr Byrne, the vet, has a cold.",
}


@pytest.fixture
def two_scripts(node: Node, client: FlaskClient) -> FlaskClient:
    for name, text in KAYA.items():
        node.library.add_bytes(name, text.encode())
    node.run_jobs()
    node.graph.draw()
    return client


def test_what_may_be_one_is_proposed_merged_with_one_call_and_undone_with_one(
    two_scripts: FlaskClient,
) -> None:
    def proposed(slug: str) -> list[str]:
        shown = two_scripts.get(f"/api/entities/{slug}").get_json()
        return [each["slug"] for each in shown["duplicates"]]

    assert (proposed("kaya"), proposed("カヤ"), proposed("byrne")) == (["カヤ"], ["kaya"], [])
    merged = two_scripts.post("/api/entities/merge", json={"into": "kaya", "slugs": ["カヤ"]})
    assert proposed("kaya") == []
    assert two_scripts.get("/api/entities/カヤ").get_json()["slug"] == "kaya"
    two_scripts.delete(f"/api/entities/decisions/{merged.get_json()['decision']}")
    assert proposed("kaya") == ["カヤ"]


def test_what_is_not_the_same_is_proposed_no_more(two_scripts: FlaskClient, node: Node) -> None:
    said = two_scripts.post("/api/entities/apart", json={"slugs": ["kaya", "カヤ"]}).get_json()
    for slug in ("kaya", "カヤ"):
        shown = two_scripts.get(f"/api/entities/{slug}").get_json()
        assert shown["duplicates"] == []
        assert [each["what"] for each in shown["decisions"]] == ["apart"]
    node.graph.draw()
    assert two_scripts.get("/api/entities/kaya").get_json()["duplicates"] == []
    two_scripts.delete(f"/api/entities/decisions/{said['decision']}")
    assert len(two_scripts.get("/api/entities/kaya").get_json()["duplicates"]) == 1
    alone = two_scripts.post("/api/entities/apart", json={"slugs": ["kaya", "kaya"]})
    assert alone.status_code == 422


def test_a_page_says_who_somebody_is_and_from_where_it_knows(two_scripts: FlaskClient) -> None:
    def told(slug: str, language: str) -> list[tuple[str, str]]:
        shown = two_scripts.get(f"/api/entities/{slug}", query_string={"language": language})
        return [
            (each["text"], each["evidence"]["text"]) for each in shown.get_json()["introduction"]
        ]

    assert told("kaya", "en") == [("Kaya is your sister.", "My sister Kaya laughed.")]
    assert told("カヤ", "ja") == [("カヤは、あなたの妹さんです。", "妹のカヤと話した。")]
    assert told("byrne", "en") == [
        ("Dr Byrne is a vet.", "Dr Byrne, the vet, has a cold."),
        ("You met on 1 February 2024.", "I met Dr Byrne in Cork."),
    ]
    assert told("cork", "en") == []
