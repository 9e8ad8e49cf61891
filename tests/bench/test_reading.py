"""What the reading model brings: answers about lives that it did not learn from, with it and
without it, in one run. Run by `make bench`.

The papers of people that were kept apart (`MEASURED_ON` of the course) are taken in as one memory
and asked in other words than they were written, in English, Japanese and Chinese. No language model
takes part: what is judged is what is quoted. An answer is right if an accepted answer stands in it;
beside it stands how often the node said that it has nothing, or doubted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.e5.course import MEASURED_ON, lines_of
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.L1.answering.answer import Ended, plain_text
from lpm_kernel.L2 import dataset
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.ask import SingleQuestion, Wordless, ask
from lpm_kernel.usecases.chat.turns import TurnSpeaker

pytestmark = pytest.mark.bench

PAPERS = Path(dataset.__file__).with_name("data") / "reading"
LATER = datetime(2027, 1, 1, 12, tzinfo=UTC)
RIGHT, TOLD_NOTHING, FALSE_NOTHING, WRONG = 0.28, 0.36, 0.06, 0.14
"""What was reached when this was written, less the noise."""


@dataclass(frozen=True)
class Asked:
    """A question, and the pattern of what answers it; ``None``: nothing does."""

    text: str
    answers: re.Pattern[str] | None


def papers() -> list[dict[str, Any]]:
    lines = [line for path in sorted(PAPERS.glob("*.xz")) for line in lines_of(path)]
    return [line for line in lines if line["life"] in MEASURED_ON]


def questions() -> list[Asked]:
    found = []
    for paper in papers():
        for asked in paper["qa"]:
            pattern = "|".join(re.escape(answer) for answer in asked["a"])
            found.append(Asked(asked["q"], re.compile(pattern, re.IGNORECASE)))
        found += [Asked(question, None) for question in paper["none"]]
    return found


def measured(node: Node) -> dict[str, float]:
    counts: Counter[str] = Counter()
    memory = node.memory.memory_for(owner=True)
    for asked in questions():
        speaker = TurnSpeaker(memory.recall, Wordless(), memory.read)
        *_, end = ask(speaker, Identity(), SingleQuestion(asked.text))
        assert isinstance(end, Ended)
        kind = "not there" if asked.answers is None else "there"
        if asked.answers is not None and asked.answers.search(plain_text(end.parts)):
            kind = "right"
        counts["unanswerable" if asked.answers is None else "answerable"] += 1
        counts[f"{end.outcome.value} {kind}"] += 1
    there, missing = counts["answerable"], counts["unanswerable"]
    return {
        "right": sum(counts[f"{shown} right"] for shown in ("closest", "answered")) / there,
        "false nothing": counts["nothing there"] / there,
        "told so": counts["nothing not there"] / missing,
        "doubted": counts["closest not there"] / missing,
        "wrong": (counts["answered there"] + counts["answered not there"]) / (there + missing),
    }


def test_reading_answers_more_and_knows_better_when_there_is_nothing(tmp_path: Path) -> None:
    with Node.open(tmp_path, clock=FrozenClock(LATER)) as node:
        for number, paper in enumerate(papers()):
            text = f"{paper['title']}\n\n{paper['text']}"
            node.library.add_bytes(f"{paper['date']}-{number}.txt", text.encode())
        node.run_jobs()
        node.ports.change_settings(reader="none")
        without = measured(node)
        node.ports.change_settings(reader="bundled")
        reading = measured(node)
    print(f"\nwithout the reading model {json.dumps(without)}\nwith it {json.dumps(reading)}")
    assert reading["right"] >= max(RIGHT, without["right"])
    assert reading["told so"] >= TOLD_NOTHING
    assert reading["false nothing"] <= FALSE_NOTHING
    assert reading["wrong"] <= min(WRONG, without["wrong"])
