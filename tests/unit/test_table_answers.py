"""Reckoning over rows: what is counted and added up, and what is left to quotation."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lpm_kernel.backends.parse.tables import read_csv
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.table_qa import compute
from lpm_kernel.L1.answering.tables import Table, rows_of

NOW = datetime(2026, 3, 14, 9, tzinfo=UTC)
BIRDS = """seen,species,place,number,notes
2024-05-01,wren,garden,2,singing
2024-05-09,heron,pond,1,
2024-06-02,wren,pond,4,with young
2025-05-03,kingfisher,river,1,first ever
2025-05-04,wren,garden,3,
2025-07-20,heron,river,2,two together
"""
SPENDING = """日付;店;品目;金額
2025-01-04;八百屋;野菜;1.200
2025-01-19;本屋;辞書;3.800
2025-02-02;八百屋;果物;900
2025-03-09;八百屋;野菜;1.500
"""
RIDES = """date,from,to,km,train_eur
2025-01-02,Bergen,Oslo,462.5,"41,60"
2025-02-03,Oslo,Bergen,462.5,"38,20"
2025-02-10,Oslo,Hamar,126,"12,00"
"""


def table(title: str, text: str) -> Table:
    parsed = read_csv(f"{title}.csv", text.encode())
    return Table(
        title,
        rows_of(
            (parsed.text[each.start : each.end], each.start, each.end, each.said_at)
            for each in parsed.segments
        ),
    )


TABLES = [table("bird list", BIRDS), table("買い物", SPENDING), table("rides", RIDES)]


@pytest.mark.parametrize(
    ("question", "says", "rows"),
    [
        ("How many times did I see a wren?", "3 rows in “bird list” with “wren”", 3),
        ("How often was a heron at the river?", "1 row in “bird list”", 1),
        (
            "How many herons are in the bird list since 2025?",
            "1 row in “bird list” with “herons”",
            1,
        ),
        ("How many rows does the bird list have for May 2024?", "2 rows", 2),
        ("What do the kilometres of the rides add up to?", "1,051", 3),
        ("What did the train cost in total in February 2025?", "50.2", 2),
        ("How many kilometres did I ride from Oslo in 2025?", "588.5", 2),
        ("On average, how many km was a ride?", "350.33 on average", 3),
        (
            "What was the highest number of wrens?",
            "highest number in “bird list” with “wrens” is 4",
            1,
        ),
        ("Which ride was the cheapest in euros?", "12: date: 2025-02-10", 1),
        ("八百屋の金額は合計いくらですか。", "合計3,600です", 3),
        ("八百屋には何回行きましたか。", "3回", 3),
    ],
)
def test_what_is_counted_or_added_up(question: str, says: str, rows: int) -> None:
    made = compute(Question(question), NOW, TABLES)
    assert made is not None
    assert says in made.sentence
    assert len(made.rows) == rows


@pytest.mark.parametrize(
    "question",
    [
        "When did I first see a kingfisher?",
        "How many children does my sister have?",
        "How many wrens did Aunt Berta paint for the chapel?",
        "How much did the dictionary cost?",
        "How many kilometres is it from Bergen to Oslo?",
        "What is the most important thing about herons?",
        "What was the most recent ride?",
        "How many places does the summer course have?",
        "How many points did I get in the rides exam of the driving school?",
        "How many owls have I seen?",
        "How many wrens in 2019?",
        "How many times did I see a wren without a heron?",
        "How many birds did I see not in the garden?",
        "How many times did I see a wren on a Monday?",
        "How many different birds are in the bird list?",
        "Which was the second highest number of wrens?",
        "川ではない鳥は何回？",
        "",
        "How many?",
        "合計",
    ],
)
def test_what_is_left_to_quotation(question: str) -> None:
    assert compute(Question(question), NOW, TABLES) is None


def test_amounts_in_different_currencies_and_numbers_beyond_measure_are_not_added_up() -> None:
    mixed = table("purse", "what,amount\nbow,€120\ntea,¥3000\nglue,€12\n")
    assert compute(Question("What do the amounts of the purse add up to?"), NOW, [mixed]) is None
    long = table(
        "fund",
        "what,amount\nbow,123456789012345678901234567890\ntea,223456789012345678901234567893\n",
    )
    assert compute(Question("What is the average amount in the fund?"), NOW, [long]) is None


def test_without_tables_there_is_nothing_to_compute() -> None:
    assert compute(Question("How many times did I see a wren?"), NOW, []) is None
    assert compute(Question("How many times did I see a wren?"), NOW, [Table("empty", ())]) is None
