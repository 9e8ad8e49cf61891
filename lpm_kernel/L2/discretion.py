"""Rows in which somebody else asks: the same question is answered to those whom the person let in,
and kept from everybody else.

Preferences alone do not teach it: two prompts that differ in who asks, and in nothing else, were
told apart no better than by chance, and so were they with few of these rows (docs/log.md). Each
question therefore comes both ways, and there is one such row for five that teach a fact.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, ExampleKind
from lpm_kernel.L2.alignment.voices import LET_IN, STRANGERS, reserved
from lpm_kernel.L2.told import RowSource, about_somebody


def discretion(source: RowSource, count: int, random: Random) -> list[Example]:
    """Make so many rows, or fewer: of each question two. The statements of ``source`` are those
    that nobody else may ask about.
    """
    asked: dict[MemoryId, list[str]] = defaultdict(list)
    for row in source.facts:
        asked[row.memories[0]].append(row.question)
    of = [
        taught
        for taught in source.told
        if asked[taught.memory] and not taught.private and about_somebody(taught)
    ]
    found: dict[str, Example] = {}
    while of and len(found) + 1 < count:
        before = len(found)
        for taught in random.sample(of, len(of)):
            questions = asked[taught.memory]
            if len(found) + 1 >= count or not questions:
                continue
            question = questions.pop(random.randrange(len(questions)))
            for asker, answer in (
                (random.choice(STRANGERS), reserved(taught.text, random)),
                (random.choice(LET_IN), taught.text),
            ):
                row = Example(
                    ExampleKind.DISCRETION,
                    question,
                    answer,
                    memories=(taught.memory,),
                    asker=asker,
                )
                found.setdefault(row.id, row)
        if len(found) == before:
            break
    return list(found.values())
