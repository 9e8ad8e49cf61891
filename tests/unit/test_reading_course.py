"""What the reader learns from: every answer stands in its text, and pairs are made of them as they
should be.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lpm_kernel.backends.embed.e5.course import (
    ExampleWriter,
    Papers,
    from_lives,
    from_questions,
    in_eight_bits,
    lines_of,
    stretches,
)
from lpm_kernel.backends.embed.e5.reader import MOST
from lpm_kernel.backends.embed.e5.tokenizer import E5Tokenizer, Tokens
from lpm_kernel.domain.models.reading import width

pytestmark = pytest.mark.unit

DATA = Path(__file__).parents[2] / "lpm_kernel" / "L2" / "data" / "reading"
DOCUMENTS = [document for path in sorted(DATA.glob("*.xz")) for document in lines_of(path)]
KINDS = {"diary", "note", "mail", "chat", "letter", "table", "web", "list"}


class Signs(E5Tokenizer):
    """Each sign is a token of its own."""

    def __init__(self) -> None:
        pass

    def __call__(self, text: str) -> Tokens:
        spans = np.array([(at, at + 1) for at in range(len(text))], np.int32).reshape(-1, 2)
        return Tokens([ord(sign) for sign in text], spans)


def pairs(writer: ExampleWriter) -> list[tuple[str, str, tuple[int, int, int, int]]]:
    """Give question, text and labels as they can be read."""
    made = []
    for ids, labels in zip(writer.ids, writer.labels, strict=True):
        middle = ids.index(2)
        question, text = ids[1:middle], ids[middle + 2 : -1]
        made.append(("".join(map(chr, question)), "".join(map(chr, text)), labels))
    return made


LIFE: list[dict[str, Any]] = [
    {
        "life": "a",
        "kind": "note",
        "date": "2024-05-03",
        "text": "Mai lent me her ladder.",
        "qa": [{"q": "Who had one to spare?", "a": ["Mai"]}],
        "none": ["What did Mai pay for it?"],
        "yes": ["I used somebody else's ladder."],
        "no": ["Jonas lent me a ladder."],
    },
    {
        "life": "a",
        "kind": "chat",
        "date": "2024-05-04",
        "text": "Mai: Keep it.\nJonas: No, bring it back.",
        "qa": [{"q": "Who wanted it returned?", "a": ["Jonas"]}],
        "none": [],
        "yes": [],
        "no": [],
    },
]


def test_pairs_of_a_life_say_what_answers_what_does_not_and_what_is_carried() -> None:
    writer, draw = ExampleWriter(Signs()), random.Random(2)
    from_lives(Papers(LIFE, draw), writer, draw)
    made = pairs(writer)
    answers = [(question, text, labels) for question, text, labels in made if labels[2] == 1]
    for question, text, (begin, end, _, _) in answers:
        shift = len(question) + 3
        assert text[begin - shift : end - shift + 1] in {"Mai", "Jonas"}
    assert any("who had one" in question for question, _, _ in answers)
    missing = [text for question, text, labels in made if "pay" in question and labels[2] == 0]
    assert any("ladder" in text for text in missing)
    carried = {question: labels[3] for question, _, labels in made if labels[3] >= 0}
    assert carried["jonas lent me a ladder"] == 0
    assert all(len(ids) <= MOST for ids in writer.ids)


def test_pairs_of_a_set_of_questions_leave_out_what_is_kept_for_measuring() -> None:
    lines: list[dict[str, Any]] = [
        {"context_id": "c", "title": "", "lang": "en", "context": "Rain fell. Mai called at two."},
        {"context_id": "c", "split": "train", "question": "Who called?", "answers": [[11, "Mai"]]},
        {"context_id": "c", "split": "dev", "question": "What fell?", "answers": [[0, "Rain"]]},
    ]
    writer = ExampleWriter(Signs())
    from_questions(lines, writer, random.Random(1), 10)
    asked = {question for question, _, labels in pairs(writer) if labels[2] >= 0}
    assert asked == {"who called"}


def test_a_text_is_cut_between_sentences_and_nothing_is_lost() -> None:
    text = "Rain all day. " * 40 + "雨だった。" * 60
    cuts = stretches(text)
    assert "".join(text[start:end] for start, end in cuts) == text
    assert all(width(text[start:end]) <= 420 for start, end in cuts)


def test_what_was_learned_is_kept_in_eight_bits_within_a_hundredth() -> None:
    draw = np.random.default_rng(1)
    matrix = draw.normal(size=(8, 4)).astype(np.float32)
    learned = {f"{head}.{part}": matrix[:1] for head in ("relevance", "support") for part in "wb"}
    learned |= {"span.w": matrix, "span.b": matrix[0], "11.q.w": matrix, "11.q.b": matrix[0]}
    kept = in_eight_bits(learned)
    again = kept["11.q.w"].astype(np.float32) * kept["11.q.scale"]
    np.testing.assert_allclose(again.T, matrix, atol=float(np.abs(matrix).max()) / 200)
    assert kept["whole.w"].shape == (2, 4)
