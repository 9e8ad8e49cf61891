"""Whether an answer that a model gave is the better one of a pair, or the worse one.

That the better answer is the likelier of two says little about what is said: a model that learned
generic rejects reaches 100 % and answers as before (`docs/log.md`). So the question of a pair is
asked, and the answer held against both.
"""

from __future__ import annotations

from collections import Counter

from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.alignment.voices import STOCK
from lpm_kernel.L2.exam import does_not_know
from lpm_kernel.L2.told import DOES_NOT_KNOW

MOST_CHARACTERS = 6
"""Longest sequences of characters that are compared."""
RECALL_WEIGHT = 2.0
"""How much more it counts to have said what the other says than to have said nothing else."""
NEAR = 0.4
"""Likeness from which an answer says what the better one says at all."""


def likeness(said: str, other: str) -> float:
    """Compare two texts by their sequences of up to six characters, spaces and case aside: 0 where
    they share none, 1 where they are the same. This is chrF (Popović 2015,
    https://aclanthology.org/W15-3049), with recall of ``other`` counted double.

    >>> round(likeness("I moved in May.", "I moved in June."), 2), likeness("May", "may")
    (0.53, 1.0)
    """
    mine, theirs = ("".join(text.split()).casefold() for text in (said, other))
    recall = precision = 0.0
    longest = min(MOST_CHARACTERS, len(mine), len(theirs))
    for length in range(1, longest + 1):
        have, want = _sequences(mine, length), _sequences(theirs, length)
        shared = (have & want).total()
        precision += shared / have.total() / longest
        recall += shared / want.total() / longest
    weight = RECALL_WEIGHT**2
    both = weight * precision + recall
    return (1 + weight) * precision * recall / both if both else 0.0


def is_better(answer: str, chosen: str, rejected: str) -> bool:
    """Tell whether an answer to the question of a pair says what its better answer says, and is
    nearer to it than to the worse one.

    >>> better, worse = "I moved my bench in May.", "You moved your bench in May."
    >>> [is_better(said, better, worse) for said in ("I moved the bench in May.", worse, "Soup.")]
    [True, False, False]
    """
    if chosen in DOES_NOT_KNOW.values():
        return does_not_know(answer)
    if rejected in DOES_NOT_KNOW.values() and does_not_know(answer):
        return False
    near = _near(answer, chosen)
    return near >= NEAR and near > _near(answer, rejected)


def _near(answer: str, text: str) -> float:
    """Compare with a text; one that keeps something to oneself has many wordings."""
    alike = (
        [each for each in STOCK if unspaced(each) is unspaced(text)] if text in STOCK else [text]
    )
    return max(likeness(answer, each) for each in alike)


def _sequences(text: str, length: int) -> Counter[str]:
    return Counter(text[start : start + length] for start in range(len(text) - length + 1))
