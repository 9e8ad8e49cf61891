"""What each part of the ranker is worth: learned anew without it, and asked again. Run by `make
bench`.

Each row learns its weights as the shipped ones are learned (`fit_ranker`), and is asked three
times: of the invented conversations and the notes beside them, a third of them left out of what was
learned at a time; of the sample life's notes; and, where `LPM_BENCH` names the recall benchmark, of
that, which is measured and never learned from. Two parts that the node does not have stand here
because they were tried: statements found by rule in a passage, and names shared with what was found
first.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.L1.statements.extraction import likelihood, signs
from lpm_kernel.L1.statements.extraction import weights as signs_weighed
from tests.bench.fit_ranker import (
    NOTES,
    Asked,
    Case,
    K,
    Learned,
    Library,
    Talks,
    Turn,
    fit,
    lessons,
    life,
    load,
    matrix,
)
from tests.bench.test_recall import BENCH

pytestmark = pytest.mark.bench

SAMPLE = "nagi"
PARTS = {
    "related words": {"related", "related_near"},
    "what stands around": {"cover_around"},
    "all neighbours": {"before", "after", "cover_near", "cover_around", "related_near", "session"},
    "who speaks": {"speaker", "me"},
    "time": {"when", "date", "now"},
    "form": {"asking", "brief_asking", "brief", "number", "proper"},
}
TRIED = {"statements": {"stated", "stated_cover"}, "shared names": {"shared"}}
EVERY = 4
"""Every fourth question to the talks is learned from, since so much is learned."""

FIRST = 8
"""Passages found first whose names count for others."""

WORSE = 1.0
"""Points by which the ranker may be worse with a part than without it, on what was left out:
noise.
"""


@dataclass(frozen=True)
class Row:
    talks: float
    notes: float
    benchmark: dict[str, float]

    def __str__(self) -> str:
        return f"{self.talks:6.1f} {self.notes:6.1f}   " + " ".join(
            f"{name} {value:.1f}" for name, value in self.benchmark.items()
        )


@dataclass(frozen=True)
class Bank:
    """Everything that is learned from and asked, and of which kind each question to the benchmark
    is.
    """

    cases: list[Case]
    alone: list[Case]
    notes: list[Case]
    benchmark: list[Case]
    kinds: dict[tuple[str, str], str]


def benchmark() -> tuple[Talks, list[Asked], dict[tuple[str, str], str]]:
    """Read the benchmark as its own loader does; nothing where it is not there."""
    if not (BENCH / "locomo.py").exists():
        return {}, [], {}
    sys.path.insert(0, str(BENCH))
    import locomo  # type: ignore[import-not-found, unused-ignore]

    talks, asked, kinds = {}, [], {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves its file open
        read = locomo.load(str(BENCH / "locomo-dev.json"), True, False)
    for each in read:
        talks[each.id] = [
            Turn(m.id, m.text, m.speaker, m.session, m.timestamp.replace(tzinfo=UTC))
            for m in each.memories
        ]
        for question in each.questions:
            asked.append(
                Asked(
                    each.id, question.text, frozenset(question.gold), each.now.replace(tzinfo=UTC)
                )
            )
            kinds[each.id, question.text] = question.category
    return talks, asked, kinds


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    library = Library(tmp_path_factory.mktemp("parts"))
    cases, alone = lessons(library, *load())
    talks, asked, kinds = benchmark()
    measured = [
        case
        for name in talks
        for case in library.talk_cases(f"benchmark-{name}", {name: talks[name]}, asked)
    ]
    notes = library.cases(SAMPLE, *life(SAMPLE))
    some = [
        case
        for number, case in enumerate(cases)
        if number % EVERY == 0 or case.asked.conversation == NOTES
    ]
    whole, single, sample, measure = (
        [with_tried(case) for case in part] for part in (some, alone, notes, measured)
    )
    return Bank(whole, single, sample, measure, kinds)


def with_tried(case: Case) -> Case:
    """Add what the statements in a passage hold of the question, and the names that it shares with
    what was found first.
    """
    features, found = case.found.features, case.found
    total = sum(found.rarity.values()) + 1e-9
    stated, cover = (np.zeros(len(found.positions), np.float32) for _ in range(2))
    for number, at in enumerate(found.positions):
        for sure, held in sentences(case.texts[at]):
            stated[number] = max(stated[number], sure)
            if sure >= signs_weighed().threshold:
                cover[number] = max(
                    cover[number],
                    sum(rarity for term, rarity in found.rarity.items() if term in held) / total,
                )
    return replace(
        case,
        found=replace(
            found,
            features={**features, "stated": stated, "stated_cover": cover, "shared": shared(case)},
        ),
    )


@cache
def sentences(text: str) -> list[tuple[float, frozenset[str]]]:
    """Give for each sentence how likely it states something worth keeping, and its terms."""
    return [
        (likelihood(signs(text[start:end])), frozenset(terms(text[start:end])))
        for start, end in sentence_spans(text)
    ]


def shared(case: Case) -> NDArray[np.float32]:
    """Say for each candidate how much the best, other than itself, name somebody or something that
    it names too.
    """
    seen, columns = case.found.features, case.columns
    if not len(case.found.positions):
        return np.zeros(0, np.float32)
    first = (
        seen["cover"]
        + seen["related"]
        + 0.4 * seen["cover_near"]
        + 0.3 * seen["session"]
        + 0.5 * seen["speaker"]
    )
    best = np.argsort(-first, kind="stable")[:FIRST]
    weight = np.exp(2 * (first[best] - first[best[0]]))
    named = [set(columns.names[at].casefold().split("\n")) - {""} for at in case.found.positions]
    common = np.array([[bool(one & named[other]) for other in best] for one in named], np.float32)
    common[best, np.arange(len(best))] = 0.0
    return np.asarray(common @ weight, np.float32)


def recalled(cases: Iterable[Case], names: Sequence[str], learned: Learned) -> NDArray[np.float64]:
    """Give for each question that has an answer the share of its right passages among the first
    ten, in percent.
    """
    found = []
    for case in cases:
        if case.asked.gold:
            (rows,) = matrix([case], names)
            best = np.argsort(
                -(rows @ (learned.many if case.found.several else learned.one)), kind="stable"
            )[:K]
            found.append(100 * case.right[best].sum() / len(case.asked.gold))
    return np.array(found)


def row(bank: Bank, names: Sequence[str]) -> Row:
    """Learn with these features, and measure."""
    talks = []
    every = sorted({case.asked.conversation for case in bank.alone})
    for left in (every[0::3], every[1::3], every[2::3]):
        learned = fit([case for case in bank.cases if case.asked.conversation not in left], names)
        talks += [
            recalled(
                [case for case in bank.alone if case.asked.conversation == name], names, learned
            ).mean()
            for name in left
        ]
    learned = fit(bank.cases, names)
    found = recalled(bank.benchmark, names, learned)
    kinds = np.array(
        [bank.kinds[case.asked.conversation, case.asked.text] for case in bank.benchmark]
    )
    by_kind = {
        kind: float(found[kinds == kind].mean()) for kind in dict.fromkeys(bank.kinds.values())
    }
    return Row(
        float(np.mean(talks)),
        float(recalled(bank.notes, names, learned).mean()),
        ({"all": float(found.mean())} if len(found) else {}) | by_kind,
    )


def test_what_each_part_is_worth(bank: Bank) -> None:
    tried = set().union(*TRIED.values())
    every = [name for name in bank.alone[0].found.features if name not in tried]
    rows: dict[str, Row] = {}
    for level, names in (
        ("words", [name for name in every if not name.startswith("meaning")]),
        ("+ vectors", every),
    ):
        rows[level] = row(bank, names)
        print(f"\n{level:32} {rows[level]}", flush=True)
        for part, gone in PARTS.items():
            rows[f"{level} - {part}"] = row(bank, [name for name in names if name not in gone])
            print(f"{level} - {part}".ljust(32), rows[f"{level} - {part}"], flush=True)
        for part, more in TRIED.items():
            rows[f"{level} + {part}"] = row(bank, [*names, *sorted(more)])
            print(f"{level} + {part}".ljust(32), rows[f"{level} + {part}"], flush=True)
    for level in ("words", "+ vectors"):
        for part in PARTS:
            without, whole = rows[f"{level} - {part}"], rows[level]
            assert whole.talks >= without.talks - WORSE, part
