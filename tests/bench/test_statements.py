"""How well the rules tell what cannot both be so, what is an opinion of the person, and whose words
are whose. Of the labelled cases half was in view when the rules were made. Run by `make bench`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.L1.entities.resolution import own_keys
from lpm_kernel.L1.statements.authorship import authorship_of
from lpm_kernel.L1.statements.stance import disagree
from lpm_kernel.L1.statements.views import is_view

pytestmark = pytest.mark.bench

DATA = Path(__file__).parents[1] / "data" / "statements"
Case = dict[str, Any]


def owns(case: Case) -> bool:
    """Tell whether the words are taken for the owner's."""
    written = authorship_of(case["document"], frozenset(own_keys(case["owner"])), case["title"])
    return written.speaks_of_self and written.may_be_own(case["document"].index(case["words"]))


RULES: dict[str, tuple[str, Callable[[Case], bool]]] = {
    "clashes": ("clash", lambda case: disagree(case["first"], case["second"]) is not None),
    "whose": ("own", owns),
    "opinions": ("opinion", lambda case: is_view(case["text"])),
}


def measured(cases: list[Case], label: str, rule: Callable[[Case], bool]) -> tuple[float, float]:
    """Return precision and recall, and print what they are made of."""
    said = [(rule(case), bool(case[label])) for case in cases]
    right = sum(found and so for found, so in said)
    found, so = sum(each for each, _ in said), sum(each for _, each in said)
    print(f"{len(cases)} cases, precision {right}/{found}, recall {right}/{so}")
    return right / max(1, found), right / max(1, so)


@pytest.mark.parametrize("name", RULES)
def test_what_the_rules_tell(name: str) -> None:
    label, rule = RULES[name]
    cases = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]
    rates = {}
    for half in ("tune", "measure"):
        print(f"\n{name}, {half}: ", end="")
        rates[half] = measured([case for case in cases if case["half"] == half], label, rule)
    precision, recall = rates["measure"]
    assert precision >= (1.0 if name == "whose" else 0.8)
    assert recall >= 0.6
