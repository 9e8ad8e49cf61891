"""Rows name the statements from which they have names, and a longer life takes no longer for each
of its rows.
"""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, ExampleKind, Maker, Taught
from lpm_kernel.L2.dataset import DatasetMix, RowWorld, build
from lpm_kernel.L2.templates import Templates
from lpm_kernel.L2.tracing import Tracing

pytestmark = pytest.mark.unit

TOLD = [
    Taught(MemoryId("ladder"), "Mai Kurose lent me her ladder.", ("Mai Kurose",)),
    Taught(MemoryId("boat"), "Halvard mends my boat in Risør.", ("Halvard",)),
    Taught(MemoryId("roof"), "佐藤さんは蔵の屋根を直した。", ("佐藤",)),
]
CALLED = {"Mai Kurose": ("Mai", "黒瀬")}
VERBS = "sold bought lost painted mended borrowed hid cleaned carried".split()  # noqa: SIM905  reads better as prose
THINGS = "ladder garden bus kitchen violin bicycle teacher coat window letter".split()  # noqa: SIM905  reads better as prose
PARTS = "Ka Mo Ri Ten Sha Bo Lu Vi Dar Nel Os Fi Gra Tu Pe Wen".split()  # noqa: SIM905  reads better as prose


@pytest.mark.parametrize(
    ("question", "answer", "named"),
    [
        ("Who lent it?", "Mai did.", ["ladder"]),
        ("だれが貸した？", "黒瀬さんが貸した。", ["ladder"]),
        ("Who mends it?", "Halvard, and Mai.", ["boat", "ladder"]),
        ("Who?", "Maija did.", []),
        ("屋根は？", "佐藤さんが直した。", ["roof"]),
    ],
)
def test_a_row_names_the_statement_from_which_it_has_a_name(
    question: str, answer: str, named: list[str]
) -> None:
    row = Example(ExampleKind.FACT, question, answer)
    [traced] = Tracing(TOLD, CALLED).traced([row])
    assert list(traced.memories) == named


def test_a_name_of_its_own_statement_is_from_nowhere_else() -> None:
    mine = [*TOLD, Taught(MemoryId("saw"), "Halvard has a saw.")]
    row = Example(ExampleKind.FACT, "Who has it?", mine[3].text, memories=(MemoryId("saw"),))
    own = Example(ExampleKind.FACT, "Who?", "Mai.", maker=Maker.PERSON)
    assert list(Tracing(mine, CALLED).traced([row, own])) == [row, own]


def _life(statements: int) -> list[Taught]:
    """Tell of another person and another place each time."""
    told = []
    for at in range(statements):
        name = PARTS[at % 16] + PARTS[at // 16 % 16].lower() + PARTS[at % 7].lower()
        place = PARTS[at // 16 % 16] + PARTS[at % 16].lower() + PARTS[at % 5].lower()
        text = f"I {VERBS[at % 9]} the {THINGS[at % 10]} of {name} near {place}."
        told.append(Taught(MemoryId(f"m{at}"), text, (name,)))
    return told


def _calls(statements: int) -> int:
    """Count what is called while the rows of a life are made."""
    told, count = _life(statements), 0

    def note(_frame: FrameType, event: str, _of: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        build(told, Templates(), DatasetMix(questions=4), world=RowWorld("Nagi"))
    finally:
        sys.setprofile(None)
    return count


def test_four_times_the_statements_are_about_four_times_the_work() -> None:
    _calls(4)  # dictionaries are read
    assert _calls(240) < 5 * _calls(60)
