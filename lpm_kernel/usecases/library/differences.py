"""What changed between two texts, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum

AROUND = 3
"""Lines shown unchanged before and after a change."""
EXACT = 1_000_000
"""Pairs of lines that are all compared; with more of them, lines that stand there often are passed
over, as an empty one.
"""
MOST_PAIRS = 400_000_000
"""Beyond these a changed stretch is shown as one."""
MOST_LINES = 5_000
"""Lines of a difference that are shown."""


class LineChange(StrEnum):
    """What became of a line."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    SKIPPED = "skipped"
    """Stands for lines that are not shown."""


@dataclass(frozen=True)
class DiffLine:
    """A line of a difference, with its number before and after where it stands there; lines count
    from 1.
    """

    part: LineChange
    text: str = field(repr=False)
    before: int | None = None
    after: int | None = None


Opcode = tuple[str, int, int, int, int]
"""As in :mod:`difflib`: what to do, from and to in the old lines, from and to in the new ones."""


def difference(before: str, after: str) -> list[DiffLine]:
    r"""Say what changed, line by line, with a few lines around it.

    >>> [(each.part.value, each.text) for each in difference("a\nb\n", "a\nc\n")]
    [('same', 'a'), ('removed', 'b'), ('added', 'c')]
    """
    old, new = before.splitlines(), after.splitlines()
    found: list[DiffLine] = []
    shown = 0
    for group in _grouped(_opcodes(old, new)):
        if group[0][1] > shown:
            found.append(DiffLine(LineChange.SKIPPED, ""))
        for opcode in group:
            found += _lines(opcode, old, new)
        shown = group[-1][2]
        if len(found) > MOST_LINES:
            return [*found[:MOST_LINES], DiffLine(LineChange.SKIPPED, "")]
    if found and shown < len(old):
        found.append(DiffLine(LineChange.SKIPPED, ""))
    return found


def _lines(opcode: Opcode, old: Sequence[str], new: Sequence[str]) -> list[DiffLine]:
    kind, from_old, to_old, from_new, to_new = opcode
    if kind == "equal":
        return [
            DiffLine(LineChange.SAME, old[at], at + 1, from_new + at - from_old + 1)
            for at in range(from_old, to_old)
        ]
    return [
        *(DiffLine(LineChange.REMOVED, old[at], before=at + 1) for at in range(from_old, to_old)),
        *(DiffLine(LineChange.ADDED, new[at], after=at + 1) for at in range(from_new, to_new)),
    ]


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """Compare what lies between the first and the last line that differ, so that a small change of
    a long text takes no longer than reading it.
    """
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    to_old, to_new = len(old) - last, len(new) - last
    middle_old, middle_new = old[first:to_old], new[first:to_new]
    pairs = len(middle_old) * len(middle_new)
    if not pairs or pairs > MOST_PAIRS:
        within = [("replace", 0, len(middle_old), 0, len(middle_new))]
        within = within if middle_old or middle_new else []
    else:
        compared = SequenceMatcher(None, middle_old, middle_new, autojunk=pairs > EXACT)
        within = list(compared.get_opcodes())
    return [
        *([("equal", 0, first, 0, first)] if first else []),
        *((k, a + first, b + first, c + first, d + first) for k, a, b, c, d in within),
        *([("equal", to_old, len(old), to_new, len(new))] if last else []),
    ]


def _grouped(opcodes: Sequence[Opcode]) -> list[list[Opcode]]:
    """Cut the changes into groups with ``AROUND`` unchanged lines before and after each."""
    groups: list[list[Opcode]] = []
    group: list[Opcode] = []
    for place, (kind, from_old, to_old, from_new, to_new) in enumerate(opcodes):
        if kind != "equal":
            group.append((kind, from_old, to_old, from_new, to_new))
            continue
        lead = min(to_old - from_old, AROUND)
        is_first, is_last = place == 0, place == len(opcodes) - 1
        if not is_first and not is_last and to_old - from_old <= 2 * AROUND:
            group.append((kind, from_old, to_old, from_new, to_new))
            continue
        if not is_first:
            group.append((kind, from_old, from_old + lead, from_new, from_new + lead))
            groups.append(group)
            group = []
        if not is_last:
            group = [(kind, to_old - lead, to_old, to_new - lead, to_new)]
    if any(kind != "equal" for kind, *_ in group):
        groups.append(group)
    return groups
