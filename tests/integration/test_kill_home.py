"""SIGKILL at random moments of whatever a home goes through – reading, retaining, embedding anew,
making the index anew, erasing, exporting, importing, backing up, drawing the map, asking a model
about passages: the end is as if nothing had happened.

``LPM_KILLS`` says how many runs (`make test-kill`: 200, so twenty of each deed, every one with up
to three kills).
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store.home.backups import check_backup
from lpm_kernel.config import Home, write_settings
from lpm_kernel.domain.home.jobs import JobState, Lane
from lpm_kernel.domain.memory.memories import Belief, MemoryFilter
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.redaction import GONE
from lpm_kernel.usecases.home.archive_export import ExportOptions
from lpm_kernel.usecases.library.embedders import EmbedderChoice
from tests.integration.test_erasing import NAME, SECRET, say
from tests.lives import SAMPLE
from tests.scale import many
from tests.scan import traces, windows
from tests.servers import Embeddings

RUNS = int(os.environ.get("LPM_KILLS", many(30, 10)))
KILLS = 3
MOST_RUNS = max(RUNS, 20)
"""Of few runs, all may end before their kill: it goes on until one was killed."""
QUESTIONS = ("When did I move the workshop?", "豆腐", "Where does the kingfisher keep its ledger?")
STATEMENTS = (
    "O(c=0.9) @Peter: prefers short replies",
    "W @Mai: lives in Kobe",
    "B 暖房を直した",
    "B Bought a loom in May.",
    "W The kiln is old.",
    "W @Peter: has a boat",
)
FILES = ("memory/2026-11-21.md", "bank/world.md")
SCRIPT = [
    (
        r"(\d+)\. ([^\n]*(?:moved|bought)[^\n]*)",
        (
            '{"statements": [{"sentence": \\1, "says": "\\2", "kind": "world", "about": [], "sure":'
            ' "high"}]}'
        ),
    ),
    ("kingfisher", "The kingfisher keeps its ledger under the ninth stair."),
    ("workshop", "I moved the workshop from Higashiyama to Teramachi on 6 April 2024."),
]

pytestmark = pytest.mark.slow

Deed = Callable[[Node], None]


def opened(home: Path) -> Node:
    """Open a home with twins; one whose settings name an embedder is served by that."""
    settings = Home(home).settings_file
    if settings.exists() and "embedder" in settings.read_text("utf-8"):
        return Node.open(home, model=ScriptedModel(SCRIPT), communities="louvain")
    return Node.open(
        home, model=ScriptedModel(SCRIPT), embedder=HashingEmbedder(), communities="louvain"
    )


def once(node: Node, kind: str, request: dict[str, Any]) -> None:
    """Queue a job unless one is there already, and do what is queued."""
    if not node.ports.jobs.page(limit=1, kind=kind)[0]:
        node.ports.jobs.add(kind, Lane.HEAVY, None, node.ports.clock.now(), request)
    node.run_jobs()


def erase(node: Node) -> None:
    for document in [each for each in node.ports.documents.all() if each.name == NAME]:
        node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    node.reconcile()
    node.run_jobs()


def add(node: Node) -> None:
    for path in sorted((SAMPLE / "memory").glob("2025-0*.md")):
        node.library.add_bytes(path.name, path.read_bytes())
    node.run_jobs()


def make_anew(node: Node) -> None:
    node.reconcile()
    node.run_jobs()


def remembered(node: Node) -> list[Belief]:
    """What is believed, and what was."""
    return [
        each
        for forgotten in (False, True)
        for each in node.ports.memories.page(MemoryFilter(forgotten=forgotten), limit=100)[0]
    ]


def retain(node: Node) -> None:
    """Keep statements, put one right and take one out, each unless that is done already."""
    make_anew(node)  # reads what was written before the process was killed
    known = {
        wording.statement.text
        for each in remembered(node)
        for wording in node.ports.memories.history(each.memory)
    }
    for number, line in enumerate(STATEMENTS):
        if not any(line.endswith(text) for text in known):
            node.workspace.retain(line, FILES[number % len(FILES)])
    node.run_jobs()
    for each in node.ports.memories.page(MemoryFilter(), limit=100)[0]:
        if each.statement.text in {"prefers short replies", "暖房を直した"}:
            node.workspace.reword(
                each,
                (
                    replace(each.statement, text="prefers long replies")
                    if each.statement.entities
                    else None
                ),
            )
    node.run_jobs()


def embed_anew(node: Node) -> None:
    url = os.environ["LPM_TEST_EMBEDDINGS"]
    if not node.ports.jobs.page(limit=1, kind="reembed")[0]:
        node.models.use_embedder(EmbedderChoice("endpoint", url=url))
    node.run_jobs()


DEEDS: dict[str, Deed] = {
    "add": add,
    "retain": retain,
    "make the index anew": make_anew,
    "embed anew": embed_anew,
    "erase": erase,
    "export": lambda node: once(node, "export", {"private": True, "conversations": True}),
    "import": lambda node: once(node, "import", {"archive": "all.zip"}),
    "backup": lambda node: once(node, "backup", {"label": "asked"}),
    "draw": lambda node: once(node, "graph", {}),
    "reflect": lambda node: once(node, "reflect", {}),
    "ask a model": lambda node: once(node, "extract", {}),
}


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The home before each deed: a life with a secret in a document, in a chat, in a backup and in
    an export; and an empty one with an archive to take in.
    """
    root = tmp_path_factory.mktemp("homes")
    with opened(root / "full") as node:
        for path in [
            *sorted((SAMPLE / "memory").glob("2024-0[1-5]*.md")),
            SAMPLE / "chats" / "line-mai.txt",
        ]:
            node.library.add_bytes(path.name, path.read_bytes())
        node.library.add_bytes(NAME, SECRET.encode())
        node.run_jobs()
        browser = create_app(node).test_client()
        browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
        say(browser, *QUESTIONS)
        node.home.back_up()
        node.home.export(root / "all.zip", ExportOptions())
        shutil.copy(root / "all.zip", node.ports.home.exports)
    with opened(root / "empty") as node:
        shutil.copy(root / "all.zip", node.ports.home.imports)
    shutil.copytree(root / "full", root / "mapped")
    with opened(root / "mapped") as node:
        node.graph.draw()
    shutil.copytree(root / "mapped", root / "told")
    with opened(root / "told") as node:
        node.reflection.reflect()
        node.run_jobs()
    shutil.copytree(root / "full", root / "served")
    write_settings(Home(root / "served"), embedder="hashing", model="scripted")
    with opened(root / "served") as node:
        node.reconcile()
        node.run_jobs()
    shutil.copytree(root / "full", root / "without")
    for path in (root / "without").glob("index.db*"):
        path.unlink()
    shutil.copytree(root / "full", root / "asked")
    write_settings(Home(root / "asked"), extractor="model")
    others = {
        "import": "empty",
        "embed anew": "served",
        "erase": "told",
        "reflect": "mapped",
        "make the index anew": "without",
        "ask a model": "asked",
    }
    return {kind: root / others.get(kind, "full") for kind in DEEDS}


@pytest.fixture(autouse=True)
def embeddings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server of another embedder, for the runs that change to it."""
    with Embeddings().run() as url:
        monkeypatch.setenv("LPM_TEST_EMBEDDINGS", url)
        yield


def child(home: Path, deed: Deed, *, kill_after: float | None) -> float | None:
    """Do it in a process of its own, which is killed after some seconds. Returns how long it took,
    or ``None`` when it was killed.
    """
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child is not measured
        status = 3
        try:
            with opened(home) as node:
                deed(node)
            status = 0
        finally:
            os._exit(status)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    _, ended = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(ended) or os.WEXITSTATUS(ended) == 0
    return None if os.WIFSIGNALED(ended) else time.monotonic() - began


def end(home: Path, kind: str) -> dict[str, Any]:
    """What there is in the end, without what differs from run to run."""
    with opened(home) as node:
        node.reconcile()
        node.run_jobs()
        names = {document.id: document.name for document in node.ports.documents.all()}
        assert node.home.first_break() is None
        assert {each.state for each in node.home.verify()} == {"fine"}
        # a file that is written again before it was read is read once
        idle = {JobState.CANCELLED} if kind == "retain" else set()
        assert {job.state for job in node.ports.jobs.page(limit=200)[0]} - idle == {
            JobState.SUCCEEDED
        }
        found: dict[str, Any] = {
            "documents": sorted(names.values()),
            "index": sorted(
                (names[identifier], each.chunks, each.vectors)
                for identifier, each in node.ports.index.indexed().items()
            ),
            "answers": [
                [
                    (names[item.chunk.document], item.chunk.start)
                    for item in node.memory.recall(question, k=10).items
                ]
                for question in QUESTIONS
            ],
            "turns": sorted(
                (turn.role, turn.text, len(turn.citations))
                for turn in node.ports.conversations.every_turn()
            ),
            "files": sorted(node.ports.files.kept()),
            "imports": [path.name for path in node.ports.home.imports.iterdir()],
            "left over": [path.name for path in home.rglob("*.new")],
        }
        if kind == "retain":  # ids are drawn anew in each home
            del found["files"]
            found["lines"] = {
                path: re.sub(
                    r"\^m[0-9a-f]+", "^", (node.ports.home.workspace / path).read_text("utf-8")
                )
                for path in FILES
            }
            known = remembered(node)
            found["memories"] = sorted(
                (each.statement.kind, each.statement.text, each.statement.entities, each.number)
                for each in known
            )
            found["history"] = sorted(
                [each.statement.text for each in node.ports.memories.history(each.memory)]
                for each in known
            )
        if kind in {"reflect", "erase"}:
            workspace = node.ports.home.workspace
            found["pages"] = {
                str(path.relative_to(workspace)): path.read_text("utf-8")
                for path in sorted(workspace.rglob("*.md"))
            }
            found["lines"] = {
                path: [
                    (each.key, each.mark, each.struck_at)
                    for each in node.ports.reflections.lines(path)
                ]
                for path in node.ports.reflections.paths()
            }
        if kind == "reflect":
            (last,) = node.ports.reflections.latest(5)
            found["undo"] = last.pages
        if kind == "ask a model":
            found["proposed"] = [
                (each.document.name, each.start, each.text) for each in node.findings.findings()
            ]
            found["asked"] = not node.findings.extraction_is_due()
        for backup in node.home.backups.all():
            assert check_backup(node.home.backups.path(backup.id)) == []
        if kind == "export":
            made = next(path for path in node.home.exported() if path.name != "all.zip")
            with zipfile.ZipFile(made) as archive:
                members = json.loads(archive.read("manifest.json"))["members"]
                found["archive"] = {
                    name: known for name, known in members.items() if name != "audit.jsonl"
                }
        if kind in {"draw", "erase"}:
            shown = node.graph.named()
            found["entities"] = [
                (each.slug, each.name, each.kind, each.aliases, len(each.rows))
                for each in shown.found.by_slug.values()
            ]
            found["edges"] = [
                (each.source, each.target, each.weight, len(each.rows)) for each in shown.edges
            ]
            found["map"] = (node.graph.graph_state(), shown.spots)
        if kind == "erase":
            found["erased"] = len(
                [entry for entry in node.ports.audit.all() if entry.kind == "erased"]
            )
    if kind == "erase":
        others = [
            path.read_text("utf-8", "replace")
            for path in (home / "files").iterdir()
            if path.is_file()
        ]
        assert (
            traces(home, windows([SECRET, NAME], but=[*others, *QUESTIONS, *GONE.values()])) == []
        )
    return found


@pytest.mark.parametrize("kind", DEEDS)
def test_killed_at_random_moments_it_ends_as_if_nothing_had_happened(
    kind: str, homes: dict[str, Path], tmp_path: Path
) -> None:
    dice = random.Random(f"{kind} 20260314")
    still = tmp_path / "still"
    shutil.copytree(homes[kind], still)
    took = child(still, DEEDS[kind], kill_after=None)
    assert took is not None
    expected = end(still, kind)
    killed = 0
    for run in range(MOST_RUNS):
        if killed and run >= RUNS // len(DEEDS):
            break
        home = tmp_path / f"shaken-{run}"
        shutil.copytree(homes[kind], home)
        for _ in range(dice.randint(1, KILLS)):
            ended = child(home, DEEDS[kind], kill_after=dice.uniform(0, took))
            killed += ended is None
            # a first run on a slow moment would put every kill after the end
            took = min(took, ended or took)
        child(home, DEEDS[kind], kill_after=None)
        assert end(home, kind) == expected
        shutil.rmtree(home)
    print(f"{kind}: killed {killed} times")  # noqa: T201 - `make test-kill` is read
    assert killed


def test_an_import_that_is_killed_after_its_last_step_is_done_again_and_succeeds(
    homes: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(homes["import"], tmp_path / "home")
    with opened(tmp_path / "home") as node:
        job = node.ports.jobs.add(
            "import", Lane.HEAVY, None, node.ports.clock.now(), {"archive": "all.zip"}
        )
        node._handlers["import"](job, lambda *_: None)  # all but the note that it has ended
        assert [path.name for path in node.ports.home.imports.iterdir()] == ["all.zip"]
        node.run_jobs()
        assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED
        assert list(node.ports.home.imports.iterdir()) == []
