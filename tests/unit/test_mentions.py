"""What is a name in a text, and what stands beside it."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id
from lpm_kernel.domain.memory.entities import EntityKind, Read, Sign
from lpm_kernel.L1.entities.mentions import survey
from lpm_kernel.L1.entities.resolution import kind_of


def reads(*texts: str, speaker: str | None = None) -> list[Read]:
    document = DocumentId("d")
    return [
        Read(
            row,
            Chunk(
                chunk_id(document, "v", row * 1000, row * 1000 + len(text)),
                document,
                "v",
                row * 1000,
                row * 1000 + len(text),
                text,
                "s",
                speaker,
            ),
        )
        for row, text in enumerate(texts, start=1)
    ]


def names(*texts: str) -> set[str]:
    return {each.surface for each in survey(reads(*texts))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went to Kanazawa with Mr Ide.", {"Kanazawa", "Mr Ide"}),
        ("Lovely. Found it on Monday, in March.", set()),
        ("The key lies with Ottilie Brandt's brother.", {"Ottilie Brandt"}),
        ("# Saturday Morning Walk\n\nIt rained.", set()),
        ("HELLO THERE. It was OK.", set()),
        ("Asked @the-castle about it.", {"the-castle"}),
        ("金沢で津田さんとギターを弾いた。", {"金沢", "津田"}),
        ("メールはエレナさんから来た。", {"エレナ"}),
        ("看護師さんに聞いた。月曜日のことだ。", set()),
        ("Otto laughed at it.", {"Otto"}),
        ("Nothing happened. Everybody laughed.", set()),
        ("The oven of R. Pallister hums.", {"R. Pallister"}),
        ("That was plan B. Nobody liked it.", set()),
        ("森岡カヤさんから葉書。カヤさんは冬が好きだ。", {"森岡カヤ", "カヤ"}),
        ("ママさんが笑った。皆さんと娘さんも笑った。", set()),
    ],
)
def test_what_is_a_name(text: str, expected: set[str]) -> None:
    assert names(text) == expected


def test_a_word_that_is_mostly_written_small_is_no_name() -> None:
    assert (
        names("We met the Guild.", "The guild met.", "a guild of two", "our guild", "no guild")
        == set()
    )
    assert names("We met the Guild.", "A guild met.") == {"Guild"}


def test_at_the_head_of_a_sentence_counts_what_is_a_name_elsewhere() -> None:
    found = survey(reads("Kuri slept.", "I fed Kuri.", "Rain fell."))
    assert [(each.row, each.surface) for each in found] == [(1, "Kuri"), (2, "Kuri")]


def test_a_day_before_a_name_and_a_verb_at_the_head_are_no_part_of_it() -> None:
    assert names("Saw it on Monday Mai came.", "Met Mai Kurose in Toyama.") == {
        "Mai",
        "Mai Kurose",
        "Toyama",
    }


def test_the_kind_of_a_statement_is_no_part_of_a_name() -> None:
    text = (
        "## Retain\n\n- B Kuri came to live with me.\n- W @Kuri: born in Tsurugi.\n- O(c=0.9)"
        " Tsurugi is windy.\n- B Moving was hard."
    )
    assert names(text, "I walked Kuri to Tsurugi.", "We kept moving on.") == {"Kuri", "Tsurugi"}


def test_who_speaks_is_named_and_programs_are_not() -> None:
    assert [(each.surface, each.signs) for each in survey(reads("yes", speaker="Lin"))] == [
        ("Lin", Sign.SPEAKS)
    ]
    assert survey(reads("yes", speaker="assistant")) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We had tea with Halvard.", EntityKind.PERSON),
        ("Then Halvard said that it rains.", EntityKind.PERSON),
        ("It was Mr Halvard.", EntityKind.PERSON),
        ("We live in Halvard now.", EntityKind.PLACE),
        ("We took the train to Halvard.", EntityKind.PLACE),
        ("We crossed to Halvard Street.", EntityKind.PLACE),
        ("It was the Halvard.", EntityKind.THING),
        ("They believe in it, in Halvardism.", EntityKind.IDEA),
        ("They spoke of Halvard.", EntityKind.UNKNOWN),
        ("昨日エレナさんに会った。", EntityKind.PERSON),
        ("来月ハルヴァルへ行く。", EntityKind.PLACE),
    ],
)
def test_what_it_is_the_name_of(text: str, kind: EntityKind) -> None:
    (found,) = survey(reads(text))
    assert kind_of([found, found]) is kind
