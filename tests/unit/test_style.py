"""The style of a person: what is counted, whose text is nearer, and what is said of it in a
prompt.
"""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from lpm_kernel.domain.chat.conversations import Length, Manner
from lpm_kernel.domain.training.runs import Figure
from lpm_kernel.L0.text.sentences import sentences
from lpm_kernel.L1.answering.voice import Voice
from lpm_kernel.L2.alignment.style import (
    StyleProfile,
    general_texts,
    log_odds,
    profiles_of,
    style_distance,
)
from lpm_kernel.L2.alignment.style_features import masked, read_sentence
from lpm_kernel.L2.alignment.style_wording import described
from lpm_kernel.L2.exam import Measure, verdict
from tests.lives import LIVES, SAMPLE

CURT = [
    f"well, {thing} again. {first}! cant complain. {second}, maybe, but not today. dont ask me why."
    for thing, first, second in zip(
        ("rain", "soup", "bus late", "cold hands", "no post", "dog sick", "early night") * 10,
        (f"{number} so far" for number in range(70)),
        (f"number {number} would do" for number in range(70)),
        strict=True,
    )
]
"""Seventy notes that nobody else writes like."""


@pytest.fixture(scope="module")
def nagi() -> dict[Any, StyleProfile]:
    """How Nagi writes, in her notes and letters."""
    files = [
        *SAMPLE.glob("memory/*.md"),
        *SAMPLE.glob("workshop-diary/*.md"),
        *SAMPLE.glob("letters/*-to-*.txt"),
    ]
    return profiles_of(
        "\n".join(
            line for line in file.read_text("utf-8").splitlines() if not line.startswith(("#", "-"))
        )
        for file in files
    )


def test_log_odds_are_those_of_the_paper() -> None:
    """
    Of four words "well" is said three times by one, and never by others in four. Together it is
    3/8 of all words, so of a prior of eight words three: 3 + 3 against 0 + 3.
    """
    found = log_odds({"well": 3, "a": 1}, {"a": 4}, prior=8.0)
    delta = math.log(6 / (4 + 8 - 6)) - math.log(3 / (4 + 8 - 3))
    assert found["well"] == pytest.approx(delta / math.sqrt(1 / 6 + 1 / 3))
    assert found["a"] < 0 < found["well"]


def test_a_stronger_prior_believes_less() -> None:
    weak, strong = (log_odds({"well": 3, "a": 1}, {"a": 4}, prior=each) for each in (1.0, 100.0))
    assert 0 < strong["well"] < weak["well"]


def test_what_is_told_does_not_count() -> None:
    one = read_sentence("I sold the blue van to Conor for 300.", "en")
    other = read_sentence("I lent the wide gouge to Ottilie for 12.", "en")
    assert one.grams == other.grams
    assert masked("寺町の工房", "ja") == masked("金沢の楽器", "ja")


def test_one_s_own_words_are_nearer_than_an_assistant_s(nagi: dict[Any, StyleProfile]) -> None:
    rows = (LIVES / "nagi" / "preferences.jsonl").read_text("utf-8").splitlines()
    pairs = [json.loads(row) for row in rows]
    hers, generic = (
        style_distance(nagi, [pair[side] for pair in pairs]) for side in ("chosen", "rejected")
    )
    assert hers is not None
    assert generic is not None
    assert hers.value < 0.35
    assert generic.value > 0.45
    assert hers.high < generic.low


def test_general_text_is_half_way(nagi: dict[Any, StyleProfile]) -> None:
    found = style_distance({"en": nagi["en"]}, general_texts("en"))
    assert found is not None
    assert found.value == pytest.approx(0.5, abs=0.05)


def test_too_little_gives_no_profile_and_no_figure(nagi: dict[Any, StyleProfile]) -> None:
    assert profiles_of(["It rains.", "雨だ。"]) == {}
    assert style_distance(nagi, ["It rained."]) is None
    assert style_distance({}, general_texts("en")) is None


def test_a_habit_is_told_and_a_name_is_not() -> None:
    texts = [f"{text} Teramachi Teramachi, said Ottilie." for text in CURT]
    profile = profiles_of(texts)["en"]
    said = " ".join(described(profile, Voice()))
    assert "Mostly begins sentences with a small letter." in said or "Often begins" in said
    assert "Exclamation marks now and then." in said
    assert "“Well”" in said
    assert "“maybe”" in said
    assert "Teramachi" not in said
    assert "Ottilie" not in said


def test_what_was_chosen_is_not_spoken_against() -> None:
    profile = profiles_of(CURT)["en"]
    plain = described(profile, Voice())
    chosen = described(profile, Voice(length=Length.FULL, manner=Manner.FORMAL))
    assert plain[0].startswith("Sentences of about")
    assert not any(fact.startswith(("Sentences of", "Contracts", "Hardly")) for fact in chosen)


def test_japanese_is_told_by_its_own_signs() -> None:
    notes = [
        f"俺は{number}時に起きた。今日も雨だよ。まあ、{number}枚だけ切ったけど、手が冷たいよね。"
        for number in range(1, 60)
    ]
    profile = profiles_of(notes)["ja"]
    said = " ".join(described(profile, Voice("ja")))
    assert "Plain endings" in said
    assert "ね or よ" in said
    assert "Says 俺 for “I”." in said


def test_the_same_note_twice_counts_once() -> None:
    one, twice = (
        profiles_of([*CURT, *more])["en"] for more in ([], [f"{text}\n" for text in CURT])
    )
    assert sum(len(s) > 20 for s in sentences(CURT[0])) > 0
    assert twice.sample.lengths[5] <= 2 * one.sample.lengths[5]
    assert twice.sample.sentences < 2 * one.sample.sentences


def figures(**each: tuple[float, float, float]) -> dict[str, Figure]:
    return {name: Figure(*values, 50) for name, values in each.items()}


@pytest.mark.parametrize(
    ("after", "worse"),
    [
        ((0.62, 0.57, 0.67), True),
        ((0.48, 0.46, 0.5), False),
        ((0.62, 0.43, 0.7), False),
        ((0.2, 0.15, 0.25), False),
    ],
)
def test_style_makes_a_training_worse_only_where_it_is_clear(
    after: tuple[float, float, float], worse: bool
) -> None:
    known = {"fact_retention": (0.5, 0.4, 0.6)}
    said = verdict(
        figures(style_distance=after, fact_retention=(0.7, 0.6, 0.8)),
        figures(style_distance=(0.4, 0.35, 0.45), **known),
    )
    assert (Measure.STYLE in said.reasons) is worse
    assert said.better is not worse


def test_to_sound_nearer_alone_makes_no_training_better() -> None:
    same = (0.5, 0.4, 0.6)
    nearer = figures(style_distance=(0.1, 0.05, 0.15), fact_retention=same)
    assert not verdict(nearer, figures(style_distance=same, fact_retention=same)).better
