"""SIGKILL at random moments while words are thrown away – a chat is changed to keep summaries, a
thread of another ends, a private one is left: nothing is lost of what is kept, nothing is there
twice, and nothing is left of what is not kept.

``LPM_KILLS`` says how many runs.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Keeping
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.ids import ConversationId, is_thread
from lpm_kernel.node import Node
from tests.conftest import MORNING
from tests.integration.test_keeping import ELSEWHERE, begin, distinctive, tell, told
from tests.scale import many
from tests.scan import traces, windows

RUNS = int(os.environ.get("LPM_KILLS", many(200, 5)))
PRIVATE = "Hieronymus keeps eleven ferrets underneath the harpsichord."

pytestmark = pytest.mark.slow


def opened(home: Path, clock: FrozenClock | None = None) -> Node:
    return Node.open(
        home,
        clock=clock or FrozenClock(MORNING + timedelta(minutes=30)),
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
        communities="louvain",
    )


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with a chat that was kept whole and is quoted in another, with one that keeps
    summaries, with a private one, and with a backup; and the first of them.
    """
    home = tmp_path_factory.mktemp("homes") / "home"
    clock = FrozenClock(MORNING)
    with opened(home, clock) as node:
        browser = create_app(node).test_client()
        browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
        whole = told(browser)
        clock.advance(timedelta(minutes=1))  # two that tell the same at once are one document
        told(browser, "summary")
        tell(browser, begin(browser, "none"), [PRIVATE])
        tell(browser, begin(browser), ["Where did Szymon the beekeeper move?", ELSEWHERE])
        node.run_jobs()
        node.home.back_up()
    return home, whole


def throw_away(node: Node, whole: str) -> None:
    """What the node does when the person has one chat keep summaries, and then leaves it alone."""
    node.recover_jobs()
    node.chat.keep_so(ConversationId(whole), Keeping.SUMMARY)
    node.chat.flush()
    node.chat.leave_idle()
    node.reconcile()
    node.run_jobs()


def child(home: Path, whole: str, kill_after: float | None) -> float | None:
    """Do it in a process of its own. Returns how long it took, ``None`` where it was killed."""
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child is not measured
        status = 3
        try:
            with opened(home) as node:
                throw_away(node, whole)
            status = 0
        finally:
            os._exit(status)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    _, ended = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(ended) or os.WEXITSTATUS(ended) == 0
    return None if os.WIFSIGNALED(ended) else time.monotonic() - began


def end(home: Path) -> dict[str, Any]:
    """What there is in the end; nothing of what is thrown away."""
    with opened(home) as node:
        node.reconcile()
        node.run_jobs()
        assert node.home.first_break() is None
        assert {each.state for each in node.home.verify()} == {"fine"}
        assert {job.state for job in node.ports.jobs.page(limit=200)[0]} == {JobState.SUCCEEDED}
        assert node.ports.erasures.unfinished() == []
        chats = node.ports.conversations.page(limit=20)[0]
        found = {
            "chats": sorted((each.id, each.title, each.keeping) for each in chats),
            "threads": [each for chat in chats for each in node.ports.threads.of(chat.id)],
            "turns": sorted(
                (turn.id, turn.text, turn.state) for turn in node.ports.conversations.every_turn()
            ),
            "documents": sorted(
                (each.id, each.sha256)
                for each in node.ports.documents.everything()
                if is_thread(each.id)
            ),
            "index": sorted(
                (identifier, each.chunks, each.vectors)
                for identifier, each in node.ports.index.indexed().items()
            ),
            "files": sorted(node.ports.files.kept()),
        }
    assert traces(home, distinctive() | windows([PRIVATE])) == []
    return found


def test_killed_while_words_are_thrown_away_it_loses_nothing_and_leaves_nothing(
    before: tuple[Path, str], tmp_path: Path
) -> None:
    source, whole = before
    dice = random.Random("keeping 20260314")
    still = tmp_path / "still"
    shutil.copytree(source, still)
    took = child(still, whole, None)
    assert took is not None
    expected = end(still)
    assert len(expected["threads"]) == len(expected["documents"]) == 3
    killed = 0
    for run in range(max(RUNS, 5)):
        home = tmp_path / f"shaken-{run}"
        shutil.copytree(source, home)
        for _ in range(dice.randint(1, 2)):
            ended = child(home, whole, dice.uniform(0, took))
            killed += ended is None
            took = min(took, ended or took)
        child(home, whole, None)
        assert end(home) == expected
        shutil.rmtree(home)
    print(f"killed {killed} times in {run + 1} runs")  # noqa: T201 - `make test-kill` is read
    assert killed
