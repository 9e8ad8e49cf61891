"""Rejected answers that are the model's own.

Pairs made by rule reject what a model may never say: then it tells better from worse and answers as
before. So after its first stage a training is asked what its pairs ask, and where what it says is
not the better answer, that is what the pair rejects (on-policy data: Tajwar et al. 2024,
https://arxiv.org/abs/2404.14367). What the person rejected stays rejected; and not to know is
rejected only where a rule does, which prefers it elsewhere as often: a small model says it so
readily that it would unlearn it altogether (measured: 82 % of what nobody told before, 48 % after).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lpm_kernel.domain.training.preferences import BY_RULE, PreferencePair
from lpm_kernel.domain.training.runs import Maker
from lpm_kernel.L2.alignment.preferences import TOLERANCE
from lpm_kernel.L2.alignment.produced import is_better
from lpm_kernel.L2.exam import does_not_know


def on_policy(
    pairs: Sequence[PreferencePair], said: Mapping[str, str]
) -> list[tuple[str, PreferencePair]]:
    """Give each pair under its id, with the model's own answer in the place of the rejected one
    where that was not the better one. ``said`` has its answers by ids of pairs.

    Of both sides the mean length stays alike, rule by rule: what makes them uneven keeps what the
    rule rejects, the most uneven first.
    """
    changed = {pair.id: own for pair in pairs if (own := _own(pair, said.get(pair.id, "")))}
    for rule in BY_RULE:
        mine = [pair for pair in pairs if pair.rule is rule and pair.maker is Maker.TEMPLATE]
        _keep_even(mine, changed)
    return [(pair.id, changed.get(pair.id, pair)) for pair in pairs]


def _own(pair: PreferencePair, answer: str) -> PreferencePair | None:
    """Return a pair with the model's own answer as the rejected one; ``None`` where it keeps its
    own.
    """
    answer = answer.strip()
    if pair.maker is not Maker.TEMPLATE or not answer or answer == pair.chosen:
        return None
    if does_not_know(answer) or is_better(answer, pair.chosen, pair.rejected):
        return None
    return replace(pair, rejected=answer)


def _keep_even(pairs: Sequence[PreferencePair], changed: dict[str, PreferencePair]) -> None:
    """Take changed pairs back until the mean lengths of both sides are alike, or none is left."""
    chosen = sum(len(pair.chosen) for pair in pairs)
    while True:
        rejected = sum(len(changed.get(pair.id, pair).rejected) for pair in pairs)
        over = rejected - chosen
        if abs(over) <= TOLERANCE * max(chosen, rejected):
            return
        sign = 1 if over > 0 else -1
        uneven = [
            (sign * (len(changed[pair.id].rejected) - len(pair.rejected)), pair.id)
            for pair in pairs
            if pair.id in changed
        ]
        most, identifier = max(uneven, default=(0, ""))
        if most <= 0:
            return
        del changed[identifier]
