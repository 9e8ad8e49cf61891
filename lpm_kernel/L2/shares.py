"""Shares of right answers: how sure they are, and whether one fell beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt

from lpm_kernel.domain.training.runs import Figure

DEVIATIONS = 1.959964
"""Standard deviations of the normal distribution within which 95 % lie."""


def share(outcomes: Sequence[float]) -> Figure:
    """Give the share of what was right with its Wilson interval, however few were asked. Answers
    that are partly right (a request made complete in part) count in part; they vary less than right
    and wrong ones, so that their interval is rather too wide.

    >>> share([1.0, 1.0, 1.0])
    Figure(value=1.0, low=0.4385, high=1.0, n=3)
    """
    if not outcomes:
        return Figure(0.0, 0.0, 0.0, 0)
    value = sum(outcomes) / len(outcomes)
    low, high = wilson(value, len(outcomes))
    return Figure(round(value, 4), round(low, 4), round(high, 4), len(outcomes))


def wilson(value: float, n: int) -> tuple[float, float]:
    """Return the score interval of 95 % around a share of so many: the shares that it is not
    beyond chance away from (Wilson 1927, "Probable inference, the law of succession, and
    statistical inference", Journal of the American Statistical Association 22, 209-212).

    Resampling three right answers gives three right answers every time. This says what three can
    tell: that more than two in five are right.

    >>> [round(each, 3) for each in wilson(0.5, 40)], wilson(0.0, 4)[1] < 0.5
    ([0.352, 0.648], True)
    """
    square = DEVIATIONS**2
    middle = (value + square / (2 * n)) / (1 + square / n)
    half = DEVIATIONS / (1 + square / n) * sqrt(value * (1 - value) / n + square / (4 * n * n))
    return max(0.0, min(value, middle - half)), min(1.0, max(value, middle + half))


def fell(
    mine: Figure,
    theirs: Figure,
    my_answers: Sequence[float] = (),
    their_answers: Sequence[float] = (),
) -> bool:
    """Tell whether a share is less than another beyond chance: whether the interval of 95 % of
    their difference lies above 0, put together from the Wilson interval of each (Newcombe 1998,
    "Interval estimation for the difference between independent proportions", Statistics in Medicine
    17, 873-890, method 10). Where the answers to the same questions are given, in the same order,
    it is narrower as they agree ("Improved confidence intervals for the difference between binomial
    proportions based on paired data", the same volume, 2635-2650, method 10).

    One answer of a few decides nothing, neither of three right ones nor the only right one:

    >>> fell(share([1, 1, 0]), share([1, 1, 1])), fell(share([0] * 40), share([1] + [0] * 39))
    (False, False)
    >>> fell(share([1] * 14 + [0] * 6), share([1] * 20))
    True

    Of a hundred and twenty questions, ten that were answered and are not any more, and none for
    them, tell; ten fewer of other questions do not:

    >>> before, after = [1] * 60 + [0] * 60, [1] * 50 + [0] * 70
    >>> fell(share(after), share(before), after, before), fell(share(after), share(before))
    (True, False)
    """
    if not (mine.n and theirs.n):
        return False
    low, high = wilson(theirs.value, theirs.n)[0], wilson(mine.value, mine.n)[1]
    below, above = theirs.value - low, high - mine.value
    alike = agreement(my_answers, their_answers)
    return theirs.value - mine.value > sqrt(below**2 - 2 * alike * below * above + above**2)


def agreement(mine: Sequence[float], theirs: Sequence[float]) -> float:
    """Return how right and wrong answers to the same questions go together, from -1 to 1: Pearson's
    phi, with Newcombe's correction for few. 0 where nothing can be told: where all of one are
    alike, some are partly right, or they are not answers to the same questions.
    """
    counts = Counter(zip(mine, theirs, strict=False))
    if len(mine) != len(theirs) or not set(counts) <= {(x, y) for x in (0, 1) for y in (0, 1)}:
        return 0.0
    both, lost, won, neither = (counts[each] for each in ((1, 1), (0, 1), (1, 0), (0, 0)))
    beside = (both + lost) * (won + neither) * (both + won) * (lost + neither)
    product = both * neither - lost * won
    corrected = max(0.0, product - len(mine) / 2) if product > 0 else product
    return corrected / sqrt(beside) if beside else 0.0
