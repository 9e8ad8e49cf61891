"""The examination of a reader: what each figure counts, and when it may not be used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lpm_kernel.domain.models.reading import TextReading
from lpm_kernel.domain.training.reading import ReadingExample, ReadWindow
from lpm_kernel.usecases.training.reader_exam import figures, reasons

RIGHT, WRONG = ReadWindow("Mai lent it.", (0, 3)), ReadWindow("Rain fell.")


class Sure:
    """Finds an answer in the first word of certain texts, and none in others."""

    id = "sure/1"

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:  # noqa: ARG002  the port
        return [self._read(9.0 if text in self.texts else -9.0) for text in texts]

    @staticmethod
    def _read(logit: float) -> TextReading:
        said = np.array([logit], np.float32)
        return TextReading(logit, 0.0, np.array([[0, 3]], np.int32), said, said)


@pytest.mark.parametrize(
    ("sees", "windows", "rightly"),
    [
        ((RIGHT.text,), (RIGHT, WRONG), 1.0),
        ((WRONG.text,), (RIGHT, WRONG), 0.0),  # an answer, and not that one
        ((), (RIGHT, WRONG), 0.0),  # nothing, where there is something
        ((), (WRONG,), 1.0),
        ((WRONG.text,), (WRONG,), 0.0),
    ],
)
def test_a_question_is_read_rightly_where_the_answer_is_found_or_none_is_there(
    sees: tuple[str, ...], windows: tuple[ReadWindow, ...], rightly: float
) -> None:
    found = figures(Sure(*sees), [ReadingExample("Who lent it?", windows)])
    assert found["read_rightly"] == rightly


def test_pairs_are_told_apart_across_questions() -> None:
    examples = [ReadingExample("Who?", (RIGHT,)), ReadingExample("What?", (WRONG,))]
    assert figures(Sure(RIGHT.text), examples)["told_apart"] == 1.0
    assert figures(Sure(), examples)["told_apart"] == 0.5
    assert "first" not in figures(Sure(), examples)


def test_own_may_not_fall_and_papers_by_a_point() -> None:
    def found(own: float, papers: float) -> dict[str, dict[str, dict[str, float]]]:
        before = {"read_rightly": 0.5}
        return {
            "own": {"shipped": before, "learned": {"read_rightly": own}},
            "papers": {"shipped": before, "learned": {"read_rightly": papers}},
        }

    assert reasons(found(0.5, 0.49)) == ()
    assert reasons(found(0.6, 0.48)) == ("papers read rightly 48.0% instead of 50.0%",)
    assert reasons(found(0.4, 0.5)) == ("your questions read rightly 40.0% instead of 50.0%",)
    assert reasons({**found(0.5, 0.5), "own": {"shipped": {}, "learned": {}}}) == (
        "nothing could be measured on your questions",
    )
