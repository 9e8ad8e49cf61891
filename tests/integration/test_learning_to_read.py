"""The recipe of the reader learns, stops, goes on, and gives its upper layers away."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")

from lpm_kernel.L2.recipes.reader import (  # noqa: E402  torch first
    Asked,
    Encoder,
    Learner,
    ReaderRecipe,
    ReadingExamples,
    among,
    loss,
    padded,
)

pytestmark = pytest.mark.integration

WIDTH, INNER, HEADS, LAYERS, PIECES, FROZEN = 16, 32, 2, 3, 40, 1
ANSWER = 7
"""The token that answers, wherever it stands."""


def base() -> dict[str, Any]:
    draw = np.random.default_rng(3)

    def matrix(outputs: int, inputs: int) -> NDArray[np.float16]:
        return draw.normal(scale=0.3, size=(outputs, inputs)).astype(np.float16)

    made: dict[str, Any] = {
        "sizes": np.array([LAYERS, HEADS]),
        "epsilon": np.array(1e-6),
        "words": matrix(PIECES, WIDTH),
        "positions": matrix(64, WIDTH),
        "embedded.w": np.ones(WIDTH, np.float32),
        "embedded.b": np.zeros(WIDTH, np.float32),
    }
    for layer in range(LAYERS):
        for part in ("q", "k", "v", "o"):
            made[f"{layer}.{part}.w"] = matrix(WIDTH, WIDTH)
        made[f"{layer}.fi.w"], made[f"{layer}.fo.w"] = matrix(INNER, WIDTH), matrix(WIDTH, INNER)
        for part, size in (("q", 16), ("k", 16), ("v", 16), ("o", 16), ("fi", 32), ("fo", 16)):
            made[f"{layer}.{part}.b"] = np.zeros(size, np.float32)
        for norm in ("aln", "oln"):
            made[f"{layer}.{norm}.w"] = np.ones(WIDTH, np.float32)
            made[f"{layer}.{norm}.b"] = np.zeros(WIDTH, np.float32)
    return made


def examples(n: int, *, together: bool = False) -> dict[str, Any]:
    draw = np.random.default_rng(5)
    ids, labels = [], []
    for at in range(n):
        text = draw.integers(10, PIECES, size=draw.integers(4, 12)).tolist()
        row, there = [0, 3, 2, 2, *text, 2], at % 2
        place = int(draw.integers(4, 4 + len(text)))
        if there:
            row[place] = ANSWER
        ids.append(row)
        labels.append((place, place, 1, 1) if there else (0, 0, 0, 0))
    return {
        "tokens": np.array([token for row in ids for token in row], np.int32),
        "starts": np.cumsum([0, *map(len, ids)]),
        "labels": np.array(labels, np.int32),
        "texts": np.full(n, 4, np.int32),
        "questions": np.repeat(np.arange(n // 4), 4) if together else np.full(n, -1),
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    np.savez(tmp_path / "base.npz", **base())
    np.savez(tmp_path / "examples-made.npz", **examples(200))
    return tmp_path


def recipe(run: Path, steps: int) -> ReaderRecipe:
    given = {
        "frozen": FROZEN,
        "steps": steps,
        "learning_rate": 3e-3,
        "head_rate": 1e-2,
        "warmup_steps": 5,
        "checkpoint_every": 20,
        "device": "cpu",
        "threads": 1,
    }
    (run / "recipe.json").write_text(json.dumps(given), "utf-8")
    return ReaderRecipe.read(run)


def lost(learner: Learner, run: Path) -> float:
    kept = ReadingExamples.read(run / "examples-made.npz")
    numbers = np.arange(64)
    with torch.no_grad():
        said = learner.model(*padded(kept, numbers))
        return float(loss(said, torch.from_numpy(kept.labels[numbers].astype(np.int64))))


def test_it_learns_goes_on_where_it_stood_and_leaves_the_lower_layers_alone(run: Path) -> None:
    first = Learner(run, recipe(run, 120))
    before = lost(first, run)
    (run / "stop").touch()
    first.go_on()
    assert first.step == 0
    (run / "stop").unlink()
    halfway = Learner(run, recipe(run, 60))
    halfway.go_on()
    again = Learner(run, recipe(run, 120))
    assert again.step == 60
    again.go_on()
    assert again.step == 120
    assert lost(again, run) < before / 2
    progress = (run / "progress.jsonl").read_text("utf-8").splitlines()
    told = [json.loads(line)["step"] for line in progress]
    assert told == [20, 40, 60, 80, 100, 120]
    with np.load(run / "learned.npz") as learned:
        names = set(learned)
        assert {name.split(".")[0] for name in names} == {"1", "2", "span", "relevance", "support"}
        assert not np.allclose(learned["2.q.w"], base()["2.q.w"], atol=1e-3)


def test_the_windows_of_one_question_stay_together_and_are_weighed_against_each_other(
    run: Path,
) -> None:
    np.savez(run / "examples-made.npz", **examples(200, together=True))
    kept = ReadingExamples.read(run / "examples-made.npz")
    batch = next(kept.batches(16, random.Random(2)))
    assert len(batch) == 16
    assert set(Counter(kept.questions[batch].tolist()).values()) == {4}
    learner = Learner(run, recipe(run, 80))
    numbers = np.arange(32)
    labels = torch.from_numpy(kept.labels[numbers].astype(np.int64))
    asked = Asked.of(kept, numbers, torch.device("cpu"))

    def apart() -> float:
        with torch.no_grad():
            return float(among(learner.model(*padded(kept, numbers)), labels, asked))

    before = apart()
    learner.go_on()
    assert apart() < before / 2


def test_a_question_that_nothing_answers_loses_by_the_likeliest_word() -> None:
    spans, relevance = torch.zeros(2, 6, 2), torch.zeros(2)
    labels = torch.tensor([(0, 0, 0, -1)] * 2)
    text = torch.tensor([[False, False, True, True, True, False]] * 2)
    asked = Asked(torch.tensor([7, 7]), text)
    none = float(among((spans, relevance, relevance), labels, asked))
    assert none == pytest.approx(np.log(1 + 2 * 3))
    spans[:, 0] = 9.0  # what is no text says "none"
    assert float(among((spans, relevance, relevance), labels, asked)) < 0.01
    spans[1, 3] = 30.0
    assert float(among((spans, relevance, relevance), labels, asked)) > 10


def test_what_was_learned_can_be_learned_on_from(run: Path) -> None:
    learner = Learner(run, recipe(run, 20))
    learner.go_on()
    with np.load(run / "learned.npz") as learned:
        model = Encoder({**base(), **learned}, FROZEN)
    for name, value in learner.model.trained_state().items():
        assert torch.allclose(dict(model.named_parameters())[name], value)


def test_a_setting_that_is_not_known_is_refused(run: Path) -> None:
    (run / "recipe.json").write_text('{"layers": 3}', "utf-8")
    with pytest.raises(SystemExit, match="layers"):
        ReaderRecipe.read(run)
