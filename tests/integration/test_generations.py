"""Another embedder: tried first, everything is embedded anew beside the one that serves, and only
then it counts.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.llm.weights import bundled_gguf
from lpm_kernel.config import Home, write_settings
from lpm_kernel.domain.chat.recall import Level
from lpm_kernel.domain.home.jobs import Job, JobOutcome, JobState, Lane, Progress
from lpm_kernel.errors import ConsentNeededError, EmbedderUnavailableError, InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.usecases.home import work
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library import embedders
from lpm_kernel.usecases.library.embedders import EmbedderChoice
from lpm_kernel.usecases.models.egress import RecordedEmbedder
from tests.lives import SAMPLE
from tests.scale import only_in_full
from tests.servers import Embeddings

KILLS = 3
QUESTIONS = ("When did I move the workshop?", "Who painted the sign?", "oil varnish on the cello")


@pytest.fixture
def filled(home: Path) -> Iterator[Node]:
    """A home that is served by the hashing twin, with part of the sample life in it."""
    write_settings(Home(home), embedder="hashing", model="scripted")
    with Node.open(home, model=ScriptedModel([(".", "I do not know.")])) as node:
        for path in sorted((SAMPLE / "memory").glob("*.md"))[:12]:
            node.library.add_bytes(path.name, path.read_bytes())
        node.run_jobs()
        yield node


@pytest.fixture
def filled_client(filled: Node) -> FlaskClient:
    browser = create_app(filled).test_client()
    browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {filled.ports.home.secret('api-token')}"
    return browser


def answers(node: Node) -> list[list[tuple[str, int]]]:
    return [
        [(item.chunk.text, item.chunk.start) for item in node.memory.recall(question, k=8).items]
        for question in QUESTIONS
    ]


def test_the_other_embedder_serves_once_everything_has_its_vector_and_the_old_vectors_go(
    filled: Node,
) -> None:
    served = filled.models.embedder
    assert served is not None
    before = answers(filled)
    passages = filled.ports.index.counts().chunks
    with Embeddings().run() as url:
        tried, job = filled.models.use_embedder(EmbedderChoice("endpoint", url=url))
        assert (tried.ok, tried.dimension, tried.model, tried.elsewhere) == (
            True,
            64,
            "tiny-embed",
            False,
        )
        assert filled.ports.index.generations() == {served.id: passages}
        assert answers(filled) == before
        filled.run_jobs()
        assert filled.ports.jobs.get(job.id).state is JobState.SUCCEEDED
        assert filled.ports.settings.embedder == url
        assert filled.ports.index.generations() == {tried.id: passages}
        after = filled.memory.recall(QUESTIONS[0])
        assert after.level is Level.VECTORS
        with Node.open(filled.ports.home.root) as another:
            assert answers(another) == answers(filled)
        filled.models.use_embedder(EmbedderChoice("hashing"))
        filled.run_jobs()
    assert filled.ports.index.generations() == {served.id: passages}
    assert answers(filled) == before


def test_what_is_half_embedded_is_not_used_and_a_retry_embeds_only_the_rest(filled: Node) -> None:
    server = Embeddings()
    with server.run() as url:
        _, job = filled.models.use_embedder(EmbedderChoice("endpoint", url=url))
        server.texts.clear()
        shares: list[float] = []

        def stop(share: float, *_: str) -> None:
            shares.append(share)
            if share > 0.3:
                filled.ports.jobs.cancel(job.id, filled.ports.clock.now())

        run_watched(filled, stop)
        assert filled.ports.jobs.get(job.id).state is JobState.CANCELLED
        assert filled.ports.settings.embedder == "hashing"
        assert filled.memory.recall(QUESTIONS[0]).level is Level.VECTORS
        once = list(server.texts)
        assert 0 < len(once) < filled.ports.index.counts().chunks
        filled.ports.jobs.retry(job.id, filled.ports.clock.now())
        filled.run_jobs()
        assert filled.ports.settings.embedder == url
        assert len(server.texts) == len(set(server.texts)), "no text was embedded twice"


def run_watched(node: Node, look: Progress) -> None:
    """Do a job of the models' lane as a worker does, with somebody looking over its shoulder."""
    handler = node._handlers["reembed"]

    def watched(job: Job, progress: Progress) -> str | JobOutcome:
        def both(share: float, step: str, message: str) -> None:
            look(share, step, message)
            progress(share, step, message)

        return handler(job, both)

    work.do_one(
        node.ports.jobs,
        node.ports.documents,
        node.ports.clock,
        work.Worker(node.ports.worker, [Lane.MODELS]),
        {"reembed": watched},
    )


def test_documents_that_come_in_meanwhile_are_found_before_and_after(filled: Node) -> None:
    server = Embeddings()
    with server.run() as url:
        filled.models.use_embedder(EmbedderChoice("endpoint", url=url))
        filled.library.add_text("The heron stood under the third bridge until noon.", title="Heron")
        filled.do_one_job([Lane.INGEST])
        assert "heron" in filled.memory.recall("heron under the bridge", k=1).items[0].chunk.text
        filled.run_jobs()
        assert "heron" in filled.memory.recall("heron under the bridge", k=1).items[0].chunk.text
        assert sum("heron" in text for text in server.texts) >= 1
    assert set(filled.ports.index.generations().values()) == {filled.ports.index.counts().chunks}


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (Embeddings(fickle=True), "a different vector for the same text"),
        (Embeddings(key="secret"), "rejects the key"),
        (Embeddings(broken=True), "out of memory"),
    ],
)
def test_an_embedder_that_does_not_do_is_refused_in_words_and_the_one_before_stays(
    server: Embeddings, said: str, filled: Node
) -> None:
    with server.run() as url, pytest.raises(EmbedderUnavailableError) as caught:
        filled.models.use_embedder(EmbedderChoice("endpoint", url=url, key="wrong-key"))
    assert said in caught.value.detail
    assert "wrong-key" not in f"{caught.value.detail}{caught.value.hint}"
    assert not filled.ports.jobs.page(limit=10, kind="reembed")[0]
    assert filled.memory.recall(QUESTIONS[0]).level is Level.VECTORS


def test_a_dead_address_is_said_within_seconds(filled: Node) -> None:
    started = time.monotonic()
    tried = filled.models.probe_embedder(EmbedderChoice("endpoint", url="http://127.0.0.1:9/v1"))
    assert time.monotonic() - started < 30
    assert not tried.ok
    assert "cannot be reached" in tried.sentence


@pytest.mark.parametrize(
    "choice",
    [
        EmbedderChoice("endpoint", url="ftp://x"),
        EmbedderChoice("endpoint"),
        EmbedderChoice("endpoint", url="http://["),
        EmbedderChoice("file", path="relative.gguf"),
        EmbedderChoice("file"),
    ],
)
def test_a_choice_that_names_nothing_is_refused(choice: EmbedderChoice, filled: Node) -> None:
    with pytest.raises(InvalidInputError):
        filled.models.probe_embedder(choice)


def test_an_endpoint_that_fails_midway_fails_the_job_in_words_and_the_old_one_serves(
    filled: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedders, "TRIES", 1)
    server = Embeddings()
    with server.run() as url:
        _, job = filled.models.use_embedder(EmbedderChoice("endpoint", url=url))
        server.broken = True
        filled.run_jobs()
        failed = filled.ports.jobs.get(job.id)
        assert failed.state is JobState.FAILED
        assert failed.error is not None
        assert "out of memory" in failed.error.detail
        assert filled.ports.settings.embedder == "hashing"
        server.broken = False
        filled.library.retry_failed()
        filled.run_jobs()
    assert filled.ports.settings.embedder == url


def test_words_alone_need_no_vector_and_drop_them(filled: Node) -> None:
    filled.models.use_embedder(EmbedderChoice("none"))
    filled.run_jobs()
    assert filled.ports.index.generations() == {}
    found = filled.memory.recall(QUESTIONS[0])
    assert found.level is Level.WORDS
    assert found.items
    filled.reconcile()
    assert not filled.ports.jobs.active()


@only_in_full
def test_a_file_of_a_model_embeds_in_a_process_of_its_own(filled: Node) -> None:
    tried = filled.models.probe_embedder(EmbedderChoice("file", path=str(bundled_gguf())))
    assert tried.ok, tried.sentence
    assert tried.dimension == 576
    assert tried.id.startswith(bundled_gguf().stem)
    for document in filled.ports.documents.all()[2:]:
        library.delete(filled.ports.files, filled.ports.documents, filled.ports.index, document.id)
    filled.models.use_embedder(EmbedderChoice("file", path=str(bundled_gguf())))
    filled.run_jobs()
    assert filled.ports.settings.embedder == str(bundled_gguf())
    assert filled.ports.index.generations() == {tried.id: filled.ports.index.counts().chunks}
    assert filled.memory.recall(QUESTIONS[0]).level is Level.VECTORS
    broken = filled.ports.home.models / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(1000))
    told = filled.models.probe_embedder(EmbedderChoice("file", path=str(broken)))
    assert not told.ok
    assert "broken" in told.sentence
    assert not list(filled.ports.home.run.glob("spare-*"))


# --- what leaves the machine --------------------------------------------------------------------


def test_texts_go_to_another_machine_only_after_a_yes(filled_client: FlaskClient) -> None:
    answer = filled_client.put(
        "/api/embedders/active", json={"kind": "endpoint", "url": "http://embed.example.org/v1"}
    )
    assert answer.status_code == 422
    said = answer.get_json()
    assert "embed.example.org" in said["detail"]
    assert "every question" in said["detail"]
    assert "not encrypted" in said["detail"]


def test_the_consent_holds_before_anything_is_asked() -> None:
    with pytest.raises(ConsentNeededError):
        embedders.ask_consent("https://embed.example.org/v1", consent=False)
    embedders.ask_consent("https://embed.example.org/v1", consent=True)


def test_private_documents_are_never_sent_and_stay_found_by_words(
    filled: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "lpm_kernel.node.models.is_local",
        lambda url: "embed.example" not in url and not url.startswith("http"),
    )
    filled.library.add_text("The canary sleeps in the blue cupboard.", title="Canary", private=True)
    filled.library.add_text("---\nprivate: true\n---\nThe second canary is yellow.", title="Second")
    filled.run_jobs()
    server = Embeddings()
    with server.run() as url:
        with pytest.raises(ConsentNeededError):
            filled.models.use_embedder(EmbedderChoice("endpoint", url=url))
        assert server.calls == 0
        filled.models.use_embedder(EmbedderChoice("endpoint", url=url), consent=True)
        filled.run_jobs()
        assert isinstance(filled.models.embedder, RecordedEmbedder)
        private = sum(document.private for document in filled.ports.documents.all())
        assert private >= 1
        filled.library.add_text("The third canary is nobody's.", title="Third", private=True)
        filled.run_jobs()
        assert not any("canary" in text for text in server.texts)
        assert any(
            "blue cupboard" in item.chunk.text
            for item in filled.memory.recall("blue cupboard", k=10).items
        )
        assert filled.reconcile() == 0, "what may not be embedded is not read again and again"
        assert not [each for each in filled.home.verify() if each.state != "fine"]
    size, hosts = filled.ports.departures.total()
    assert size > 0
    assert hosts == [url.removeprefix("http://").removesuffix("/v1")]


# --- over HTTP ----------------------------------------------------------------------------------


def test_the_list_says_what_serves_what_is_wanted_and_how_far_it_is(
    filled: Node, filled_client: FlaskClient
) -> None:
    passages = filled.ports.index.counts().chunks
    before = filled_client.get("/api/embedders").get_json()
    assert [(each["id"], each["passages"]) for each in before["items"] if each["active"]] == [
        ("hashing", passages)
    ]
    assert before["job"] is None
    with Embeddings(key="sesame").run() as url:
        probe = filled_client.post(
            "/api/embedders/probe", json={"kind": "endpoint", "url": url, "key": "sesame"}
        ).get_json()
        assert probe["ok"]
        assert probe["dimension"] == 64
        assert probe["sentences_per_second"] > 0
        begun = filled_client.put(
            "/api/embedders/active", json={"kind": "endpoint", "url": url, "key": "sesame"}
        )
        assert begun.status_code == 202
        waiting = filled_client.get("/api/embedders").get_json()
        assert waiting["wanted"] == "tiny-embed"
        assert waiting["job"]["id"] == begun.get_json()["job"]["id"]
        filled.run_jobs()
        after = filled_client.get("/api/embedders").get_json()
    assert [(each["name"], each["passages"]) for each in after["items"] if each["active"]] == [
        ("tiny-embed", passages)
    ]
    assert after["job"] is None
    assert "sesame" not in str([before, probe, begun.get_json(), waiting, after])
    assert "sesame" not in (filled.ports.home.settings_file).read_text("utf-8")


def test_a_second_choice_takes_the_place_of_the_first(filled: Node) -> None:
    with Embeddings().run() as url:
        _, first = filled.models.use_embedder(EmbedderChoice("endpoint", url=url))
        assert filled.models.use_embedder(EmbedderChoice("endpoint", url=url))[1].id == first.id
        _, second = filled.models.use_embedder(EmbedderChoice("none"))
        assert filled.ports.jobs.get(first.id).state is JobState.CANCELLED
        filled.run_jobs()
    assert filled.ports.jobs.get(second.id).state is JobState.SUCCEEDED
    assert filled.ports.settings.embedder == "none"


def test_an_embedder_that_a_variable_names_is_not_changed_behind_its_back(
    filled: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LPM_EMBEDDER", "hashing")
    with pytest.raises(InvalidInputError, match="LPM_EMBEDDER"):
        filled.models.use_embedder(EmbedderChoice("none"))


# --- killed -------------------------------------------------------------------------------------


@only_in_full
def test_killed_again_and_again_it_goes_on_where_it_stood_and_ends_as_if_it_had_not_been(
    filled: Node,
) -> None:
    for month in range(8):
        text = "\n\n".join(
            f"# Day {day}\n\nIn month {month} on day {day} the humidity in the long room was"
            f" {40 + (7 * day + month) % 31}."
            for day in range(60)
        )
        filled.library.add_bytes(f"month-{month}.md", text.encode())
    filled.run_jobs()
    assert filled.ports.index.counts().chunks > 2 * (KILLS + 1) * embedders.BATCH
    server = Embeddings()
    with server.run() as url:
        _, job = filled.models.use_embedder(EmbedderChoice("endpoint", url=url))
        server.texts.clear()
        server.permits = threading.Semaphore(0)
        shares = [0.0]
        kills = 0
        while (state := filled.ports.jobs.get(job.id).state) is not JobState.SUCCEEDED:
            assert state in {JobState.QUEUED, JobState.RUNNING}
            worker = subprocess.Popen(
                [sys.executable, "-m", "lpm_kernel", "work"],
                env=os.environ | {"LPM_HOME": str(filled.ports.home.root)},
            )
            last = shares[-1]
            until = time.monotonic() + 30
            # One for the request that a killed worker left waiting, one for this worker.
            server.permits.release(99 if kills == KILLS else 2)
            while worker.poll() is None and time.monotonic() < until:
                now = filled.ports.jobs.get(job.id)
                shares.append(now.progress)
                if filled.ports.settings.embedder == "hashing":
                    assert filled.memory.recall(QUESTIONS[0]).level is Level.VECTORS
                if now.state is JobState.SUCCEEDED or (kills < KILLS and now.progress > last):
                    break
                time.sleep(0.02)
            worker.send_signal(
                signal.SIGTERM
                if filled.ports.jobs.get(job.id).state is JobState.SUCCEEDED
                else signal.SIGKILL
            )
            worker.wait(30)
            kills += 1
            filled.recover_jobs()
        assert kills > KILLS
        assert shares == sorted(shares)
        assert filled.ports.index.generations() == {
            filled.models.embedder.id
            if filled.models.embedder
            else "": filled.ports.index.counts().chunks
        }
        again = len(server.texts) - len(set(server.texts))
        assert again <= embedders.BATCH * kills, (
            "at most the batch that was under way is asked for again"
        )
        assert filled.memory.recall(QUESTIONS[0]).level is Level.VECTORS


def test_vectors_of_two_embedders_are_never_mixed(filled: Node) -> None:
    # as long as the twin's, so only the name tells them apart
    with Embeddings(dimension=384).run() as url:
        filled.models.use_embedder(EmbedderChoice("endpoint", url=url))
        served = filled.models.embedder
        assert served is not None
        mine = filled.ports.index.batch(embedder=served.id).codes
        while filled.do_one_job([Lane.MODELS]):
            pass
        theirs = filled.ports.index.batch(
            embedder=filled.models.embedder.id if filled.models.embedder else None
        ).codes
        assert mine is not None
        assert theirs is not None
        assert filled.ports.index.batch(embedder=served.id).codes is None
        np.testing.assert_array_equal(mine, theirs)  # the server hashes too
