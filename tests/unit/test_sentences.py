"""Where sentences end: hard cases by hand, short forms in every place that they stand in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.L0.text.sentences import sentences

pytestmark = pytest.mark.unit

TITLES = "Mr Mrs Ms Dr Prof St Sgt Capt Col Gov Lt Maj Rev Hon Mme Mlle Messrs"
BEFORE_FIGURES = (
    "No Nos Vol Vols Chap Fig Figs pp p approx ca Tel ext Mon Tue Tues Wed Thu Thurs Fri Sat Sun"
    " Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
IN_BETWEEN = "e.g i.e cf vs viz a.k.a"
LETTERS = "ABCDEFGHJKLMNOPRSTVW"
JAPANESE_ENDINGS = "と言った って怒鳴った という声がした と書いてある などと言う を聞いた"
FIGURES = "3.5 2.0.1 1,240.00 10.30 v1.2 48,000 a@example.org www.example.org"
QUOTES = (("“", "”"), ("‘", "’"), ('"', '"'), ("(", ")"))
EASTERN_ENDS = ("。", "！", "？")


def by_hand() -> Iterator[tuple[str, ...]]:
    for file in sorted((Path(__file__).parent / "sentence_ends").glob("*.txt")):
        joint = " " if file.stem == "en" else ""
        for line in file.read_text("utf-8").splitlines():
            if not line.startswith("#"):
                yield joint.join(line.split("|")), *line.split("|")


def english(*wanted: str) -> tuple[str, ...]:
    return " ".join(wanted), *wanted


def short_forms() -> Iterator[tuple[str, ...]]:
    for title in TITLES.split():
        yield english(f"We met {title}. Wren at noon.", "It rained.")
        yield english(f"{title}. Wren came.", "We left.")
    for word in BEFORE_FIGURES.split():
        yield english(f"It is {word}. 7 on the list.", "Look there.")
    for word in IN_BETWEEN.split():
        yield english(f"One thing, {word}. another thing, fell.", "It broke.")
    for letter in LETTERS:
        yield english(f"We met {letter}. Wren at noon.", "It rained.")
        yield english(f"{letter}. B. Wren came.", "We left.")


def figures_and_quotations() -> Iterator[tuple[str, ...]]:
    for figure in FIGURES.split():
        yield english(f"It was {figure} then.", "Now it is more.")
        yield f"前は{figure}だった。今は違う。", f"前は{figure}だった。", "今は違う。"
        yield f"以前是{figure}左右。现在不是。", f"以前是{figure}左右。", "现在不是。"
    for number in range(1, 13):
        yield english(f"{number}. Tea for two.", "Then milk.")
        yield english(f"We met at {number} p.m. on Friday.", "It rained.")
    for left, right in QUOTES:
        for said in ("No.", "Go!", "Why?", "Well…"):
            yield english(f"He wrote {left}{said}{right} and left.", "It rained.")


def eastern() -> Iterator[tuple[str, ...]]:
    for end in EASTERN_ENDS:
        for ending in JAPANESE_ENDINGS.split():
            said = f"「行く{end}」{ending}。"
            yield f"{said}雨だった。", said, "雨だった。"
            said = f"『待って{end}』{ending}。"
            yield f"{said}3時だった。", said, "3時だった。"
        for after in ("他走了。", "3点了。", "A组赢了。", "“好。”"):
            yield f"下雨了{end}{after}", f"下雨了{end}", after
            yield f"她说：“走吧{end}”{after}", f"她说：“走吧{end}”", after
        for after in ("雨。", "3時。", "B型だ。", "「はい。」", "（夜。）"):
            yield f"着いた{end}{after}", f"着いた{end}", after


CASES = [*by_hand(), *short_forms(), *figures_and_quotations(), *eastern()]


@pytest.mark.parametrize("case", CASES, ids=[text for text, *_ in CASES])
def test_it_ends_where_a_reader_ends_it(case: tuple[str, ...]) -> None:
    text, *wanted = case
    assert sentences(text) == wanted


def test_there_are_five_hundred_of_them_and_each_is_another() -> None:
    assert len({text for text, *_ in CASES}) == len(CASES) >= 500


def test_half_a_character_is_a_sign_like_others() -> None:
    assert sentences("Rain\ud800. Glue.") == ["Rain\ud800.", "Glue."]
