"""How often the answer is right, on a life that nothing was learned from. Run by `make bench`.

Every question of the life is asked as of its own day, through recall, reading, model and guard,
with the bundled model; beside it the same model alone, and the same model with the same evidence
but without reading and guard. An answer is right if all that it must say is in it and nothing that
it must not, and the citation is right if a cited document is one of the evidence. `LPM_LIFE` names
another life's folder (`archive/`, `questions.jsonl`) than the sample life.

The aims that were set (88 % right, 92 % of the unanswerable abstained, 5 % false abstention) are
out of reach of the bundled models: docs/adr/0005. What is asserted is what was reached when this
was written, less the noise.
"""

from __future__ import annotations

import json
import os
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.domain.chat.conversations import Identity, PartKind
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ports import ChatMessage, LanguageModel, Sampling
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import (
    EVIDENCE_ITEMS,
    EVIDENCE_TOKENS,
    AnswerRequest,
    Ended,
    compose,
    plain_text,
)
from lpm_kernel.L1.answering.reader import length
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.ask import SingleQuestion, ask
from lpm_kernel.usecases.chat.turns import TurnSpeaker
from lpm_kernel.usecases.library.intake import walk
from tests.lives import LIVES, archive

pytestmark = pytest.mark.bench

LIFE = Path(os.environ.get("LPM_LIFE") or LIVES / "nagi").resolve()
GREEDY = Sampling(temperature=0.0, max_tokens=80)
RIGHT, ABSTAINED, FALSELY = 0.42, 0.12, 0.12


@dataclass
class Tally:
    """What came out, of how many."""

    right: int = 0
    cited: int = 0
    abstained: int = 0
    of: int = 0
    words: list[float] = field(default_factory=list)
    spans: list[int] = field(default_factory=list)


def questions() -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for name in ("questions.jsonl", "more-questions.jsonl")
        if (LIFE / name).exists()
        for line in (LIFE / name).read_text("utf-8").splitlines()
        if line.strip()
    ]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    with Node.open(tmp_path_factory.mktemp("life")) as opened:
        for path in walk([archive(LIFE)]):
            opened.library.add_bytes(path.name, path.read_bytes())
        opened.run_jobs()
        yield opened


def as_of(node: Node, day: datetime, query: RecallQuery) -> Recollection:
    return node.memory.recall_query(replace(query, scope=replace(query.scope, until=day)), day)


def passes(question: dict[str, Any], text: str) -> bool:
    if question["category"] == "unanswerable":
        return False
    return all(re.search(each, text, re.IGNORECASE) for each in question["accept"]) and not any(
        re.search(each, text, re.IGNORECASE) for each in question["reject"]
    )


def alone(model: LanguageModel, question: str) -> str:
    return "".join(delta.text for delta in model.stream([ChatMessage("user", question)], GREEDY))


def test_how_often_the_answer_is_right(node: Node) -> None:
    names = {document.id: document.name for document in node.ports.documents.all()}
    tallies: dict[str, Tally] = defaultdict(Tally)
    bare = unguarded = 0
    for question in questions():
        day = datetime.fromisoformat(question["asked_at"]).replace(hour=23, tzinfo=UTC)
        *_, end = ask(
            TurnSpeaker(
                partial(as_of, node, day),
                node.models.model,
                node.memory.memory_for(owner=True).read,
            ),
            Identity(),
            SingleQuestion(question["question"]),
        )
        assert isinstance(end, Ended)
        text = plain_text(end.parts)
        files = {Path(each["file"]).name for each in question["evidence"]}
        tally = tallies[question["category"]]
        tally.of += 1
        tally.abstained += end.abstained
        tally.words.append(
            length(
                " ".join(
                    part.text
                    for part in end.parts
                    if not (end.abstained and part.kind is PartKind.NOTE)
                )
            )
        )
        tally.spans += [each.end - each.start for each in end.citations]
        if passes(question, text):
            tally.right += 1
            tally.cited += bool(files & {names[each.document] for each in end.citations})
        if question["category"] != "unanswerable":
            asked = Question(question["question"])
            found = as_of(
                node,
                day,
                RecallQuery(
                    asked,
                    k=EVIDENCE_ITEMS,
                    token_budget=EVIDENCE_TOKENS // 2,
                ),
            )
            bare += passes(question, alone(node.models.model, question["question"]))
            reading = node.memory.memory_for(owner=True).read(asked, found)
            messages = compose(AnswerRequest(asked, asked, found, reading, Identity()), found.items)
            unguarded += passes(
                question,
                "".join(delta.text for delta in node.models.model.stream(messages, GREEDY)),
            )
    answerable = [tally for name, tally in tallies.items() if name != "unanswerable"]
    none, of = tallies["unanswerable"], sum(tally.of for tally in answerable)
    right, cited, falsely = (
        sum(getattr(tally, name) for tally in answerable) / of
        for name in ("right", "cited", "abstained")
    )
    print(f"\n{LIFE.name}: {of} answerable questions, {none.of} unanswerable")
    for name, tally in sorted(tallies.items()):
        print(
            f"   {name:14} right {tally.right:3}, with a right citation {tally.cited:3}, abstained"
            f" {tally.abstained:3} of {tally.of}"
        )
    print(
        f"   right {right:.2f}, with a right citation {cited:.2f}; the model alone {bare / of:.2f},"
        f" with evidence and without guard {unguarded / of:.2f}"
    )
    print(
        f"   abstained: {none.abstained / max(1, none.of):.2f} of the unanswerable, {falsely:.2f}"
        " of the answerable"
    )
    words, spans = (
        [each for tally in tallies.values() for each in getattr(tally, name)]
        for name in ("words", "spans")
    )
    print(
        f"   words of an answer: median {statistics.median(words):.0f}, most {max(words):.0f};"
        f" cited span: median {statistics.median(spans):.0f} characters"
    )
    assert cited >= RIGHT
    assert none.abstained >= ABSTAINED * none.of
    assert falsely <= FALSELY
    assert statistics.median(spans) <= 300
