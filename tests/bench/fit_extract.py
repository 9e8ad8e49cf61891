"""Learn what the signs of a sentence count, and write `lpm_kernel/L1/statements/extract.json`.

    python -m tests.bench.fit_extract            # cross-validation on the development sentences
    python -m tests.bench.fit_extract --wrong    # also each sentence that was judged wrongly
    python -m tests.bench.fit_extract --write    # also learn from all, and write the weights
    python -m tests.bench.fit_extract --blind    # the written weights on what nothing was fitted on

The signs and the plain rule are made with the development sentences in view. The blind ones are
measured when all is done, and change nothing.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.L1.statements import extraction

SENTENCES = Path(__file__).parents[1] / "data" / "statements"
WEIGHTS = Path(extraction.__file__).with_name("extract.json")
AGAINST = frozenset(
    {
        "any",
        "pronoun",
        "verbless",
        "short",
        "fragment",
        "image",
        "vague",
        "you",
        "weighs",
        "supposes",
        "ordains",
        "fills",
        "heads",
        "weather",
        "hearsay",
    }
)
FOR = frozenset(
    {
        "first",
        "mine",
        "kin",
        "named",
        "past",
        "state",
        "life",
        "likes",
        "plans",
        "time",
        "number",
        "place",
        "object",
        "elided",
    }
)
RIDGE = 1.0
STEPS = 3000
FOLDS = 10
PRECISION = 0.9
"""What the threshold aims at in cross-validation: above what is asked, since new sentences are
harder.
"""

LEAST = 0.6
"""What people write is less clear than sentences invented one by one."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Labelled:
    text: str
    lang: str
    keep: bool
    kind: str | None
    about: tuple[str, ...]


@dataclass(frozen=True)
class Measured:
    right: int
    proposed: int
    wanted: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.proposed)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.wanted)

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.3f}  recall {self.recall:.3f}  ({self.right} right of"
            f" {self.proposed} proposed, {self.wanted} wanted)"
        )


def load(name: str) -> list[Labelled]:
    lines = (SENTENCES / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [
        Labelled(each["text"], each["lang"], each["keep"], each["kind"], tuple(each["about"]))
        for each in map(json.loads, lines)
    ]


def measured(sentences: Sequence[Labelled], proposed: Sequence[bool]) -> Measured:
    right = sum(each.keep and said for each, said in zip(sentences, proposed, strict=True))
    return Measured(right, sum(proposed), sum(each.keep for each in sentences))


def plain(text: str) -> bool:
    """Judge without weights: about somebody who can be known, something is stated, and nothing
    speaks against it.
    """
    known = extraction.signs(text)
    return (
        bool(known)
        and not (known & (AGAINST | extraction.NEVER))
        and bool(known & {"first", "mine", "kin", "named"} or known >= {"bare", "life"})
        and bool(known & {"past", "state"})
    )


def proposed(text: str) -> bool:
    return extraction.likelihood(extraction.signs(text)) >= extraction.weights().threshold


def matrix(sentences: Sequence[Labelled]) -> Floats:
    known = [extraction.signs(each.text) for each in sentences]
    return np.array([[float(name in signs) for name in extraction.SIGNS] for signs in known])


def fit(rows: Floats, keep: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Logistic regression with a ridge, each sign on its side: what speaks against a sentence never
    speaks for it.
    """
    weights, bias = np.zeros(rows.shape[1]), 0.0
    low = np.array([0.0 if name in FOR else -np.inf for name in extraction.SIGNS])
    high = np.array(
        [
            0.0 if name in AGAINST or name in extraction.NEVER else np.inf
            for name in extraction.SIGNS
        ]
    )
    for _ in range(STEPS):
        miss = 1 / (1 + np.exp(-(rows @ weights + bias))) - keep
        weights = np.clip(weights - 0.02 * (rows.T @ miss + RIDGE * weights), low, high)
        bias -= 0.02 * float(miss.sum())
    return weights, bias


def scores(rows: Floats, weights: Floats, bias: float) -> Floats:
    never = rows[:, [extraction.SIGNS.index(name) for name in sorted(extraction.NEVER)]].any(
        axis=1
    ) | ~rows.any(axis=1)
    made: Floats = np.where(never, 0.0, 1 / (1 + np.exp(-(rows @ weights + bias))))
    return made


def crossed(sentences: Sequence[Labelled], seed: int) -> Floats:
    """Score each sentence with weights that were learned without it."""
    rows, keep = matrix(sentences), np.array([each.keep for each in sentences])
    order = list(range(len(sentences)))
    random.Random(seed).shuffle(order)
    made = np.zeros(len(sentences))
    for fold in range(FOLDS):
        out = order[fold::FOLDS]
        within = np.setdiff1d(order, out)
        made[out] = scores(rows[out], *fit(rows[within], keep[within]))
    return made


def threshold(sentences: Sequence[Labelled], made: Floats) -> float:
    """The lowest, to the hundredth, at which cross-validation reaches the precision aimed at; no
    lower than ``LEAST``.
    """
    for each in np.arange(LEAST, 0.95, 0.01):
        if measured(sentences, list(made >= each)).precision >= PRECISION:
            return round(float(each), 2)
    return 0.95


def show(
    title: str, sentences: Sequence[Labelled], said: Sequence[bool], *, wrong: bool = False
) -> None:
    for lang in ("en", "ja"):
        part = [(each, s) for each, s in zip(sentences, said, strict=True) if each.lang == lang]
        print(f"{title:24} {lang}   {measured([each for each, _ in part], [s for _, s in part])}")
    print(f"{title:24} both {measured(sentences, said)}")
    for each, s in zip(sentences, said, strict=True) if wrong else ():
        if each.keep != bool(s):
            print(
                "  missed " if each.keep else "  too much",
                each.text,
                sorted(extraction.signs(each.text)),
            )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    for name in ("--wrong", "--write", "--blind"):
        asked.add_argument(name, action="store_true")
    wanted = asked.parse_args()
    if wanted.blind:
        blind = load("blind")
        show("blind, plain rule", blind, [plain(each.text) for each in blind])
        show("blind, weighed", blind, [proposed(each.text) for each in blind], wrong=wanted.wrong)
        kept = [each for each in blind if each.keep and proposed(each.text)]
        right = sum(
            extraction.kind_of(extraction.signs(each.text)).value == each.kind for each in kept
        )
        named = sum(set(each.about) <= set(extraction.about_whom(each.text)) for each in kept)
        print(f"kind right: {right} of {len(kept)};", end=" ")
        print(f"about names whom it should: {named} of {len(kept)}")
        return
    dev = load("dev")
    show("dev, plain rule", dev, [plain(each.text) for each in dev])
    made = np.mean([crossed(dev, seed) for seed in range(3)], axis=0)
    least = threshold(dev, made)
    show(f"dev, crossed, from {least}", dev, list(made >= least), wrong=wanted.wrong)
    weights, bias = fit(matrix(dev), np.array([each.keep for each in dev]))
    print(
        {
            name: round(float(weight), 2)
            for name, weight in zip(extraction.SIGNS, weights, strict=True)
        },
        round(bias, 2),
    )
    if wanted.write:
        shipped = {
            name: round(float(weight), 3)
            for name, weight in zip(extraction.SIGNS, weights, strict=True)
            if weight
        }
        WEIGHTS.write_text(
            json.dumps(
                {
                    "version": extraction.RuleExtractor.version,
                    "threshold": least,
                    "bias": round(bias, 3),
                    "weights": shipped,
                },
                indent=1,
            )
            + "\n",
            "utf-8",
        )


if __name__ == "__main__":
    main()
